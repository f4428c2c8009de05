"""Dual points that do not add up: the sums of the point that is meant hold what is taken from one of its rows."""

from fractions import Fraction

import numpy as np
from flint import arb, ctx

from separatrix.enclosures import Interval
from separatrix.kernels import RBF
from separatrix.objectives import NuMargin, SoftMargin
from separatrix.objectives.bounds.feasible_point import FeasiblePoint
from separatrix.objectives.bounds.measurement import measured
from separatrix.objectives.soft_margin_sums import Known, PrimalSums, dual_sums, exact_dual_sums
from separatrix.objectives.values import DualPoint
from separatrix.problem import Problem

X = np.array([[1.0], [-5.0], [-1.0]])
PROBLEM = Problem(X, np.array([1, 1, 0]))
ALPHA = np.array([0.5, 0.125, 0.5])  # a sum of y alpha of 1/8


def unbalanced(centre):
    """The sums of alpha as it is."""
    nothing = Interval(0.0, 0.0)
    sums = PrimalSums(nothing, nothing, np.ones(2), centre, False)
    return Known(SoftMargin(1.0), nothing, sums)


def best_of(alpha):
    """The largest dual value of a multiple of alpha, at most 1."""
    alpha = [Fraction(a) for a in alpha]
    normal = alpha[0] * 1 + alpha[1] * -5 - alpha[2] * -1
    total = sum(alpha)
    t = min(Fraction(1), total / normal**2)
    return t * total - t * t * normal**2 / 2


def test_a_soft_margin_takes_the_excess_from_its_largest_alpha():
    exact = best_of([0.375, 0.125, 0.5])
    assert exact < best_of(ALPHA)  # which no plane has to reach
    dual = DualPoint(np.arange(3), ALPHA)
    for centre in (None, X.mean(axis=0)):
        known = unbalanced(centre)
        found = dual_sums(known, PROBLEM, dual)
        assert Fraction(found.feasible(True).value(False).low) <= exact
        repaired = exact_dual_sums(known, PROBLEM, dual, found).value(False)
        assert Fraction(repaired.low) <= exact
        assert exact - Fraction(repaired.low) < Fraction(1, 2)


def test_an_excess_that_no_row_can_give_up_leaves_no_point():
    dual = DualPoint(np.arange(3), np.array([0.5, 0.5, 0.125]))
    known = unbalanced(None)
    found = dual_sums(known, PROBLEM, dual)
    assert found.feasible(True) is None
    assert exact_dual_sums(known, PROBLEM, dual, found) is None


def test_a_kernel_machine_takes_an_excess_that_is_known_exactly():
    """||n - s phi(x_k)||^2 in balls, where s is a double; all kernel values are nearly 1, so that s counts."""
    X = np.array([[0.0], [3e-6], [1e-6], [2e-6]])
    problem = Problem(X, np.array([1, 1, 0, 0]), kernel=RBF(1.0)).posed(NuMargin(0.5))
    beta = np.array([0.5, 0.5, -0.5, -0.5 - 2.0**-45])
    point = FeasiblePoint.balanced(np.arange(4), beta.copy())
    assert point.excess == Interval.of(-(2.0**-45)), "an interval of one number"
    beta[point.place] += 2.0**-45
    with ctx.workprec(300):
        K = [[(-((arb(a) - arb(b)) ** 2)).exp() for a in X[:, 0].tolist()] for b in X[:, 0].tolist()]
        truth = sum((arb(beta[i]) * arb(beta[j]) * K[i][j] for i in range(4) for j in range(4)), arb(0))
        for exact in (False, True):
            found = measured(problem, (np.zeros(4), 0.0), point, exact).dual_square
            assert not arb(found.low) > truth
            assert not arb(found.high) < truth
        assert found.high - found.low < 1e-3 * found.high
