"""A duality gap is recomputed from the rows, and any spoiled part of the claim shows."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from separatrix import DataError, LinearSVM, verify
from separatrix.certificates import DualityGap
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.errors import at_least, at_most
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem
from separatrix.rows import CSR
from separatrix.solvers.svm.linear_svm import linear_svm

RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((40, 3)), 3)
Y = (X[:, 0] + np.round(RNG.standard_normal(40), 3) > 0).astype(int)
COST = RNG.integers(1, 4, 40).astype(float)
PROBLEM = Problem(X, Y, 2, COST)
SIDE = np.where(X @ [1.0, -0.5, 0.25] > 0, 1, -1)
SEPARABLE = Problem(X + 0.1 * SIDE[:, None] * [1.0, -0.5, 0.25], SIDE > 0)
OBJECTIVES = [SoftMargin(2.0), SoftMargin(2.0, squared=True), SoftMargin(np.inf)]


@pytest.fixture(params=OBJECTIVES, ids=str)
def objective(request):
    return request.param


@pytest.fixture
def problem(objective):
    return SEPARABLE if objective.hard else PROBLEM


@pytest.fixture
def claim(problem, objective):
    return linear_svm(problem, C=objective.C, squared=objective.squared).certificate


def test_an_optimal_claim_holds(claim, problem):
    assert claim.error(problem) <= 1e-9
    assert claim.error(problem) == claim.stated
    assert claim.proof
    assert claim.primal >= claim.dual * (1.0 - 1e-12)


def changed(problem, **parts):
    kept = {"X": problem.X, "y": problem.y, "n_classes": 2, "cost": problem.cost, "fit_intercept": True}
    return Problem(**(kept | parts))


def test_every_spoiled_part_of_the_claim_shows(claim, problem, objective):
    alpha = claim.alpha.copy()
    alpha[0] *= 0.5
    assert alpha.size > 2  # of two, the balance decides
    spoiled = {
        "w": replace(claim, w=1.01 * claim.w + 0.01, separator=None),
        "b": replace(claim, b=claim.b + 0.1),
        "alpha": replace(claim, alpha=alpha),
        "support": replace(claim, support=(claim.support + 1) % problem.n_rows),
    }
    if not objective.hard:
        spoiled["C"] = replace(claim, objective=replace(objective, C=1.5 * objective.C))
        spoiled["loss"] = replace(claim, objective=replace(objective, squared=not objective.squared))
    for name, other in spoiled.items():
        assert other.error(problem) > 1e-5, name


def test_other_data_show(claim, problem, objective):
    labels = problem.y.copy()
    labels[claim.support[0]] = 1 - labels[claim.support[0]]
    row = np.array(problem.X)
    row[claim.support[0]] += 0.5
    others = {"label": changed(problem, y=labels), "row": changed(problem, X=row)}
    if not objective.hard:
        others["cost"] = changed(problem, cost=np.where(np.arange(40) == claim.support[0], 9.0, problem.cost))
    for name, other in others.items():
        assert claim.error(other) > 1e-5, name


def exact(w, b, alpha, objective):
    """P and D of the weighted problem, in fractions; alpha is scaled to balance by hand."""
    rows = [[Fraction(value) for value in row] for row in X.tolist()]
    signs = [int(sign) for sign in PROBLEM.signs]
    prices = [Fraction(objective.C) * Fraction(cost) for cost in COST.tolist()]
    w, b = [Fraction(value) for value in w.tolist()], Fraction(b)
    slacks = [
        max(Fraction(0), 1 - s * (sum(map(Fraction.__mul__, w, x)) + b)) for s, x in zip(signs, rows, strict=True)
    ]
    power = 2 if objective.squared else 1
    primal = sum(v * v for v in w) / 2 + sum(c * slack**power for c, slack in zip(prices, slacks, strict=True))
    alpha = [max(Fraction(0), Fraction(value)) for value in alpha.tolist()]
    if not objective.squared:
        alpha = [min(value, price) for value, price in zip(alpha, prices, strict=True)]
    weights = {side: sum(a for a, s in zip(alpha, signs, strict=True) if s == side) for side in (1, -1)}
    alpha = [a * min(weights.values()) / weights[s] for a, s in zip(alpha, signs, strict=True)]
    normal = [sum(a * s * x[j] for a, s, x in zip(alpha, signs, rows, strict=True)) for j in range(3)]
    bought = sum(a * a / (4 * price) for a, price in zip(alpha, prices, strict=True)) if objective.squared else 0
    quadratic = 2 * bought + sum(v * v for v in normal)
    t = min(Fraction(1), sum(alpha) / quadratic)  # the best multiple of alpha
    return primal, t * sum(alpha) - t * t * quadratic / 2


@pytest.mark.parametrize("objective", OBJECTIVES[:2], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_the_error_of_any_plane_and_any_alpha_is_the_gap_in_exact_fractions(objective, seed):
    """Also where alpha is negative, too large, or out of balance: it is cut and balanced first."""
    rng = np.random.default_rng(seed)
    w, b, alpha = rng.standard_normal(3), float(rng.standard_normal()), 3.0 * rng.standard_normal(40) + 1.0
    claim = DualityGap.issue(PROBLEM.posed(objective), w, b, alpha)
    primal, dual = exact(w, b, alpha, objective)
    assert claim.primal == pytest.approx(float(primal), rel=1e-13)
    assert claim.dual == pytest.approx(float(dual), rel=1e-12)
    expected = float((primal - dual) / max(abs(primal), abs(dual)))
    assert claim.error(PROBLEM) == pytest.approx(expected, rel=1e-12)
    assert claim.distance == pytest.approx(np.sqrt(2.0 * float(primal - dual)), rel=1e-12)
    best = linear_svm(PROBLEM, C=objective.C, squared=objective.squared).certificate
    assert claim.dual <= best.primal
    assert np.linalg.norm(claim.w - best.w) <= claim.distance


def test_without_offset_alpha_needs_no_balance():
    problem = Problem(np.array([[1.0], [2.0]]), np.array([1, 1]), 2, fit_intercept=False)
    claim = DualityGap.issue(problem.posed(SoftMargin(1.0)), np.array([1.0]), 0.0, np.array([1.0, 0.0]))
    assert claim.dual <= 0.5 <= claim.primal
    assert claim.error(problem) == claim.stated < 1e-13


def test_nothing_but_zeros_for_alpha_is_the_bound_zero(objective, problem):
    claim = DualityGap.issue(problem.posed(objective), np.ones(3), 0.0, np.zeros(problem.n_rows))
    assert claim.dual == 0.0
    assert claim.error(problem) in (1.0, np.inf)


def test_a_hard_margin_with_a_row_across_is_infinitely_wrong():
    claim = linear_svm(SEPARABLE, C=np.inf).certificate
    rows = np.array(SEPARABLE.X)
    nearest = claim.support[0]
    rows[nearest] -= SEPARABLE.signs[nearest] * 1.01 * claim.w / (claim.w @ claim.w)
    assert claim.error(changed(SEPARABLE, X=rows)) == np.inf
    wrong = DualityGap.issue(SEPARABLE.posed(SoftMargin(np.inf)), -claim.w, -claim.b, np.ones(40))
    assert wrong.stated == np.inf
    assert not wrong.proof
    assert "Nothing is proved" in str(wrong)


def test_a_hard_margin_that_only_rounding_keeps_is_infinitely_wrong():
    """1e16 + 3 - 1e16 - 3.5 is 0.5 in the order of floating point, and -0.5 in truth."""
    for order in permutations([1e16, 3.0, -1e16, -3.5]):
        row = np.repeat(order, 64)  # sums in parallel are in this order too
        problem = Problem(np.array([row, np.full(256, -1.0)]), np.array([1, 0]))
        claim = DualityGap.issue(problem.posed(SoftMargin(np.inf)), np.ones(256), 0.0, np.ones(2))
        assert claim.error(problem) == np.inf
        assert not claim.proof


def test_the_margin_of_a_hard_claim_does_not_depend_on_the_length_of_w():
    claim = linear_svm(SEPARABLE, C=np.inf).certificate
    longer = DualityGap.issue(SEPARABLE.posed(claim.objective), 8 * claim.w, 8 * claim.b, 2.0 * all_alpha(claim))
    assert longer.values.primal == pytest.approx(claim.values.primal, rel=1e-14)
    assert longer.values.dual == pytest.approx(claim.values.dual, rel=1e-14)


def all_alpha(claim):
    alpha = np.zeros(claim.n_rows)
    alpha[claim.support] = claim.alpha
    return alpha


@pytest.mark.parametrize(
    "other",
    [
        Problem(X[:, :2], Y),
        Problem(X[:30], Y[:30]),
        Problem(X, np.arange(40) % 3, 3),
    ],
    ids=["columns", "rows", "classes"],
)
def test_data_of_another_shape_are_refused(other):
    claim = linear_svm(PROBLEM).certificate
    with pytest.raises(DataError, match="for 40 rows of 3 features and 1 plane\\(s\\), but the problem"):
        claim.error(other)


def test_sparse_rows_and_float32_give_the_same_error():
    claim = linear_svm(PROBLEM).certificate
    indptr = np.arange(0, 121, 3)
    sparse = CSR(X.ravel(), np.tile(np.arange(3), 40), indptr, 3)
    assert claim.error(changed(PROBLEM, X=sparse)) == pytest.approx(claim.stated, abs=claim.rounding)
    halves = np.round(X * 64) / 64
    posed = changed(PROBLEM, X=halves)
    claim = DualityGap.issue(posed.posed(SoftMargin(1.0)), np.array([1.0, 0.5, 0.0]), 0.25, np.ones(40))
    assert claim.error(changed(PROBLEM, X=halves.astype(np.float32))) == pytest.approx(claim.stated, rel=1e-14)


def test_the_bound_does_not_depend_on_where_the_origin_is():
    rows, far = np.round(X * 64) / 64, 2.0**30  # so that nothing is rounded when they are moved
    posed = changed(PROBLEM, X=rows)
    found = linear_svm(posed, C=2.0)
    near = DualityGap.issue(posed.posed(SoftMargin(2.0)), found.w, found.b, dual_variables(found.certificate))
    moved = DualityGap.issue(
        changed(PROBLEM, X=rows + far).posed(SoftMargin(2.0)), found.w, found.b, dual_variables(found.certificate)
    )
    assert moved.dual == pytest.approx(near.dual, rel=1e-12)


def test_the_parts_of_a_claim_cannot_be_changed(claim):
    for part in (claim.w, claim.alpha, claim.support):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 1


def test_what_a_claim_prints(claim, objective):
    text = str(claim)
    assert claim.weighted != objective.hard
    assert objective.hard or f"{objective.formula.replace('sum', 'sum c')} with the weight c of each row" in text
    found = re.search(rf"at most (\S+) of it, by {claim.support.size} support rows", text)
    assert claim.stated <= float(found[1]) < 2 * claim.stated  # one digit, rounded up
    assert f"by more than {found[1]} of it" in text
    assert f"within {at_most(claim.distance, 2)} of the optimal one" in text
    assert "anyone can check it again from the data" in text
    if objective.hard:
        assert f"{1.0 / np.linalg.norm(claim.w):.10g}"[:9] in text
        assert "upper bound" in text
    else:
        assert f"primal       {at_most(claim.primal, 12)}" in text
        assert f"dual         {at_least(claim.dual, 12)}" in text
    assert repr(claim) == f"DualityGap({claim.n_rows} rows, stated={claim.stated:.3g})"


@pytest.mark.parametrize("how", [{}, {"loss": "squared_hinge"}, {"fit_intercept": False}, {"class_weight": "balanced"}])
def test_verify_holds_for_the_data_of_the_fit_and_for_no_other(how):
    weights = COST * np.where(np.arange(40) == 5, 0.0, 1.0)
    model = LinearSVM(**how).fit(X, Y, sample_weight=weights)
    assert verify(model, X, Y, weights)
    assert verify(model, X, Y, weights).error <= 1e-9
    for other in ((X, 1 - Y, weights), (X + 0.1 * X**2, Y, weights), (X, Y, weights[::-1])):
        assert not verify(model, *other).holds
    model.coef_[0, 0] += 1e-12
    assert verify(model, X, Y, weights).error == np.inf


def test_verify_holds_of_a_fit_that_was_stopped():
    with pytest.warns(UserWarning, match="reached a gap"):
        model = LinearSVM(max_iter=2).fit(X, Y)
    found = verify(model, X, Y)
    assert found.holds
    assert found.error == found.stated > 1e-6


def test_scores_whose_terms_cancel_are_enclosed():
    """Scores of 1 that are sums of 1e8 and -1e8 have lost eight digits in doubles, which is found and mended."""
    problem = Problem(np.array([[1e8, 1e8 - 1.0], [1e8, 1e8 + 1.0]]), np.array([1, 0]), fit_intercept=False)
    claim = DualityGap.issue(problem.posed(SoftMargin(C=1.0)), np.array([1.0, -1.0]), 0.0, np.ones(2))
    assert claim.primal - claim.values.rounding <= 1.0 <= claim.primal
    assert claim.values.rounding < 1e-12


def test_a_claim_about_rows_that_changed_in_place_is_about_what_they_are_now():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 2))
    problem = Problem(X, (X[:, 0] > 0.0).astype(int))
    solution = linear_svm(problem)
    X *= -1.0  # the problem shares its memory
    claim = DualityGap.issue(
        problem.posed(SoftMargin(1.0)), solution.w, solution.b, dual_variables(solution.certificate)
    )
    assert claim.stated > 0.5
    assert solution.certificate.error(problem) == claim.stated


@pytest.mark.parametrize("forge", [lambda n: np.tile(np.arange(n), 3), lambda n: np.r_[np.arange(n), np.arange(n) - n]])
def test_a_row_that_is_named_twice_supports_nothing(forge):
    """With twice its bound a row would prove too much: here that w = 0, whose objective is 4, were best."""
    rows, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    model = LinearSVM(C=1.0).fit(rows, y)
    assert model.certificate_.primal == pytest.approx(26.0 / 9.0)
    support, w = forge(4), np.zeros(1)
    model.coef_, model.intercept_ = w[None].copy(), np.zeros(1)
    model.certificate_ = replace(model.certificate_, w=w, b=0.0, support=support, alpha=np.ones(support.size))
    found = verify(model, rows, y)
    assert found.error == np.inf
    assert not found.proved


def test_rows_that_are_not_there_support_nothing():
    claim = linear_svm(PROBLEM).certificate
    for wrong in (claim.support + 40, claim.support - 40, claim.support[::-1]):
        assert replace(claim, support=wrong).error(PROBLEM) == np.inf
