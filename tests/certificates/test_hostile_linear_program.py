"""The robust linear program on hostile data, held against its optimum in fractions; verdicts in containers."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from certificates.exact_linear_program import exact_rows, mean_slack, optimum
from certificates.hostile_data import KINDS, hostile_case
from separatrix import robust_linear_program
from separatrix.certificates import DualityGap
from separatrix.data.encode import encode
from separatrix.objectives import DualPoint, MeanSlack
from separatrix.problem import Problem
from separatrix.solvers.separation.exact_mean_slack import exact_optimum

MAX_GAP = Fraction(1, 10**6)  # above which a warning is given


def hostile_program(seed):
    """A problem that a seed alone decides, some with weights of extreme ratios and some without an offset."""
    case, rng = hostile_case(seed), np.random.default_rng(seed + 10**6)
    weights = np.ones(case.y.size) if case.weights is None else case.weights
    if rng.random() < 0.2:
        weights = 10.0 ** rng.uniform(-150, 150, case.y.size)
    return Problem(case.X, case.y, 2, weights, bool(rng.random() < 0.75))


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=lambda kind: KINDS[kind].__name__)
def test_no_figure_is_false_and_no_optimum_is_missed_silently(kind):
    for seed in range(kind, 5 * len(KINDS), len(KINDS)):
        problem = hostile_program(seed)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            plane = robust_linear_program(
                problem.X, problem.y, sample_weight=problem.cost, fit_intercept=problem.fit_intercept
            )
        claim, (rows, shares) = plane.certificate, exact_rows(problem)
        best = optimum(rows, shares)
        own = [Fraction(v) for v in [*plane.w.tolist(), plane.b][: len(rows[0])]]
        primal = mean_slack(rows, shares, own)
        assert Fraction(claim.primal) >= primal, seed
        assert Fraction(claim.dual) <= best, seed
        assert plane.value != 0.0 or primal == 0, seed
        relative = (primal - best) / max(primal, best) if primal else Fraction(0)
        assert Fraction(claim.stated) >= relative, seed
        assert bool(caught) == (claim.stated > MAX_GAP), seed
        assert plane.errors == sum(sum(p * a for p, a in zip(own, row, strict=True)) <= 0 for row in rows), seed
        dense = claim.error(problem)
        assert dense == claim.stated, seed
        other = encode(sparse.csr_array(problem.X), problem.y, sample_weight=problem.cost).problem
        other = Problem(other.X, problem.y, 2, problem.cost, problem.fit_intercept)
        assert claim.error(other) <= dense + 1e-9, seed


@pytest.mark.parametrize("seed", range(22))
def test_the_simplex_method_in_fractions_finds_the_optimum(seed):
    problem = hostile_program(seed)
    rows, shares = exact_rows(problem)
    found = exact_optimum(problem)
    as_fraction = [Fraction(int(v.p), int(v.q)) for v in [*found.w, found.b][: len(rows[0])]]
    alpha = sum(Fraction(int(a.p), int(a.q)) for a in found.alpha)
    assert alpha == mean_slack(rows, shares, as_fraction) == optimum(rows, shares)


@pytest.mark.parametrize("seed", range(11))
@pytest.mark.parametrize("size", [0.0, 1e-14, 1e-8, 1e-2])
def test_whatever_alpha_is_the_dual_value_is_below_the_optimum(seed, size):
    """Next to the best alpha: where rounding, or more, leaves sums that do not vanish."""
    problem, rng = hostile_program(seed).posed(MeanSlack()), np.random.default_rng(seed)
    optimal = exact_optimum(problem)
    alpha = np.array([int(a.p) / int(a.q) for a in optimal.alpha])
    alpha *= 1.0 + size * rng.standard_normal(alpha.size)
    values = MeanSlack().values(problem, np.zeros(problem.n_features), 0.0, DualPoint(np.arange(alpha.size), alpha))
    best = Fraction(int(sum(optimal.alpha).p), int(sum(optimal.alpha).q))
    assert 0 <= Fraction(values.dual) <= best
    assert size > 0.0 or Fraction(values.dual) >= best * (1 - Fraction(1, 10**9)) or best < Fraction(1, 10**290)


def test_an_optimum_far_from_the_origin_is_reached_by_a_neighbour_in_doubles():
    """Timestamps: offsets in doubles are 2^-12 apart here, and w = 2/3 would need one between two of them."""
    X, y = 1.7e12 + np.array([[0.0], [3.0], [1.0], [5.0]]), np.array([0, 0, 1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plane = robust_linear_program(X, y)
    assert plane.certificate.stated < 1e-8


def test_one_row_of_each_class_in_one_place_costs_what_it_weighs():
    """Weights of 1e-200: the optimum is as small, and is found as one, not as 0 or as rounding of the others."""
    X, y = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    weights = np.array([1.0, 1e-200, 1e-200, 1.0])
    plane = robust_linear_program(X, y, sample_weight=weights)
    rows, shares = exact_rows(Problem(X, y, 2, weights))
    best = optimum(rows, shares)
    assert 0 < best < 1e-199
    assert plane.value == pytest.approx(float(best), rel=1e-9)
    assert plane.certificate.dual == pytest.approx(float(best), rel=1e-9)


def test_a_value_that_is_not_0_is_not_said_to_be():
    """Slack of 2^-60, which plain sums round away: 1 - (1 - 2^-60)."""
    problem = Problem(np.array([[-1.0, 2.0**-30], [1.0, 2.0**-30]]), np.array([0, 1])).posed(MeanSlack())
    claim = DualityGap.issue(problem, np.array([1.0, -(2.0**-30)]), 0.0)
    assert claim.primal >= 2.0**-60
    assert claim.separator is None
