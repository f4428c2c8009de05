"""A dual point that is made of the plane: its value is that of the same alpha in full, and below every primal one."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix import LinearSVM
from separatrix.certificates import DualityGap
from separatrix.certificates.restating import restating_fold, unmeasured_gap
from separatrix.data.blocks import read_blocks
from separatrix.objectives import SoftMargin
from separatrix.objectives.dual_rule import SquaredHingeRule
from separatrix.problem import Problem
from separatrix.problem.fold import Fold, side_by_side

RNG = np.random.default_rng(8)
X = RNG.standard_normal((50, 2))
Y = (X[:, 0] + RNG.standard_normal(50) > 0.3).astype(int)
WEIGHTS = RNG.uniform(0.5, 2.0, 50)
PROBLEM = Problem(X, Y, 2, WEIGHTS).posed(SoftMargin(2.0, squared=True))
PLANES = [(np.array([1.0, 0.25]), -0.125), (np.array([-3.0, 2.0]), 5.0), (np.zeros(2), 0.0)]


def exact_dual(alpha, signs, C, cost):
    """The dual value of alpha, balanced by scaling the heavier class, at its best multiple, in fractions."""
    alpha, cost = [Fraction(a) for a in alpha], [Fraction(c) for c in cost]
    sides = {side: sum((a for a, s in zip(alpha, signs, strict=True) if s == side), Fraction(0)) for side in (-1, 1)}
    least = min(sides.values())
    alpha = [a * least / sides[s] for a, s in zip(alpha, signs, strict=True)]
    normal = [
        sum(a * int(s) * Fraction(x) for a, s, x in zip(alpha, signs, column, strict=True)) for column in X.T.tolist()
    ]
    quadratic = sum(a * a / (2 * Fraction(C) * c) for a, c in zip(alpha, cost, strict=True)) + sum(
        v * v for v in normal
    )
    linear = sum(alpha)
    t = min(Fraction(1), linear / quadratic)
    return t * linear - t * t * quadratic / 2


@pytest.mark.parametrize(("w", "b"), PLANES)
def test_the_value_is_that_of_the_same_alpha_in_full(w, b):
    rule = SquaredHingeRule(2.0, w, b)
    claim = DualityGap.issue(PROBLEM, w, b, rule=rule)
    signs = PROBLEM.signs
    alpha = np.zeros(50)
    point = rule.within(PROBLEM, 0)
    alpha[point.support] = point.alpha
    assert claim.values == DualityGap.issue(PROBLEM, w, b, alpha).values
    margins = signs * (X @ w + b)
    np.testing.assert_allclose(alpha, 4.0 * WEIGHTS * np.maximum(0.0, 1.0 - margins), rtol=1e-14)


@pytest.mark.parametrize(("w", "b"), PLANES)
def test_the_value_in_blocks_is_below_that_in_fractions(w, b):
    rule = SquaredHingeRule(2.0, w, b)
    problem = read_blocks(X, Y, sample_weight=WEIGHTS, rows_per_block=7).encoded().problem.posed(PROBLEM.objective)
    claim = problem.over(restating_fold(unmeasured_gap(problem, w, b, rule)))
    point = rule.within(PROBLEM, 0)
    alpha = np.zeros(50)
    alpha[point.support] = point.alpha
    exact = exact_dual(alpha.tolist(), PROBLEM.signs.tolist(), 2.0, WEIGHTS.tolist())
    assert Fraction(claim.dual) <= exact
    assert claim.dual == pytest.approx(float(exact), rel=1e-12)
    assert claim.stated == problem.over(claim.fold())


def test_every_rule_is_below_the_optimum():
    optimum = LinearSVM(2.0, loss="squared_hinge", tol=1e-12).fit(X, Y, WEIGHTS).certificate_.primal
    for w, b in PLANES:
        claim = DualityGap.issue(PROBLEM, w, b, rule=SquaredHingeRule(2.0, w, b))
        assert claim.dual <= optimum <= claim.primal


def test_a_rule_for_another_objective_claims_nothing():
    w, b = PLANES[0]
    good = DualityGap.issue(PROBLEM, w, b, rule=SquaredHingeRule(2.0, w, b))
    assert good.error(PROBLEM) < np.inf
    for C, objective in ((1.0, PROBLEM.objective), (2.0, SoftMargin(2.0)), (np.inf, SoftMargin(np.inf, True))):
        posed = PROBLEM.posed(objective)
        claim = unmeasured_gap(as_blocks(posed), w, b, SquaredHingeRule(C, w, b))
        assert claim.error(posed) == np.inf
        assert claim.fold().over([posed]) == np.inf


def as_blocks(problem):
    """The same rows, as a problem of blocks."""
    return read_blocks(X, Y, sample_weight=WEIGHTS).encoded().problem.posed(problem.objective)


def test_folds_of_different_length_go_side_by_side():
    blocks = [Problem(np.ones((n, 1)), np.arange(n) % 2) for n in (1, 2, 3)]
    rows = Fold(lambda block, first: block.n_rows, int.__add__, int)
    three_passes = rows.then(lambda n: rows.then(lambda m: rows.then(lambda k: (n, m, k))))
    ones_again = Fold(lambda block, first: int(block.y.sum()), int.__add__, int)
    twice = ones_again.then(lambda ones: ones_again.then(lambda again: (ones, again)))
    two_passes = Fold(lambda block, first: int(block.y.sum()), int.__add__, lambda ones: rows.then(lambda n: n - ones))
    turned = lambda block: block.dichotomy([1, -1])  # noqa: E731
    folds = [rows, three_passes, two_passes, twice, twice]
    found = side_by_side(folds, [as_is, as_is, as_is, as_is, turned]).over(blocks)
    assert found == [6, (6, 6, 6), 4, (2, 2), (4, 4)]


def as_is(block):
    """The block itself."""
    return block
