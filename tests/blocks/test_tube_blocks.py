"""Regression with a tube over blocks: the optimum of all rows in memory, and a lower bound that is one."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes

from separatrix import LinearSVR, load, save, verify
from separatrix.certificates import DualityGap
from separatrix.certificates.restating import restating_fold, unmeasured_gap
from separatrix.data.blocks import read_blocks
from separatrix.data.encode import encode_numbers
from separatrix.objectives import EpsilonInsensitive
from separatrix.objectives.dual_rule import SquaredTubeRule, TubeBand
from separatrix.problem import Problem
from separatrix.solvers.blocks.hinge import Limits
from separatrix.solvers.blocks.tube import solve
from separatrix.solvers.regression.linear_svr import linear_svr

N, D = 2000, 4
RNG = np.random.default_rng(9)
X = RNG.standard_normal((N, D)) * [1.0, 0.1, 10.0, 3.0] + [0.0, 2.0, 500.0, 0.0]
Y = X @ [1.0, 5.0, -0.2, 0.3] + RNG.standard_t(3, N) + 1000.0
WEIGHTS = RNG.uniform(0.5, 3.0, N)
FEW = Limits(rows=500, sample=300)  # so that most rows are counted by rule
CUTS = {
    "one": [],
    "even": [1000],
    "uneven": [1, 7, 1500, 1501],
    "empty": [0, 0, 900, 900, N],
    "many": list(range(70, N, 70)),
    "single rows": list(range(1990, N)),
    "sparse": [600, 1200],
}


def cut(name, weights=None):
    """Blocks of the rows."""
    edges = [0, *CUTS[name], N]
    kind = sparse.csr_array if name == "sparse" else np.asarray
    spans = [slice(*edge) for edge in pairwise(edges)]
    kinds = [kind if k != 1 else np.asarray for k in range(len(spans))]
    weights = np.ones(N) if weights is None else weights
    return [(kind(X[part]), Y[part], weights[part]) for kind, part in zip(kinds, spans, strict=True)]


def in_blocks(blocks, objective, fit_intercept=True, limits=FEW):
    problem = read_blocks(blocks).encoded(numbers=True, fit_intercept=fit_intercept).problem
    return solve(problem.posed(objective), tol=1e-12, limits=limits)


def in_memory(objective, weights=None, fit_intercept=True):
    problem = encode_numbers(X, Y, sample_weight=weights, fit_intercept=fit_intercept).problem.posed(objective)
    how = {"C": objective.C, "epsilon": objective.epsilon, "squared": objective.squared, "tol": 1e-12}
    return linear_svr(problem, **how), problem


def assert_same(found, wanted, rtol=1e-8):
    assert np.linalg.norm(found.w - wanted.w) <= rtol * np.linalg.norm(wanted.w)
    assert abs(found.b - wanted.b) <= rtol * abs(wanted.b)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("cuts", CUTS)
def test_the_optimum_is_that_of_all_rows_in_memory(cuts, C, squared, small_samples):
    objective = EpsilonInsensitive(C, 0.5, squared)
    wanted, problem = in_memory(objective, WEIGHTS)
    found = in_blocks(cut(cuts, WEIGHTS), objective)
    assert_same(found, wanted)
    assert max(found.certificate.stated, found.certificate.error(problem)) <= 1e-9
    assert found.certificate.rule.support.size < N / 2, "most rows were counted by rule"
    assert found.history.passes <= 16


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize(("epsilon", "fit_intercept"), [(0.0, True), (0.5, False), (3.0, True), (0.0, False)])
def test_any_tube(epsilon, fit_intercept, squared, small_samples):
    objective = EpsilonInsensitive(1.0, epsilon, squared)
    wanted, problem = in_memory(objective, None, fit_intercept)
    found = in_blocks(cut("uneven"), objective, fit_intercept)
    assert_same(found, wanted) if fit_intercept else np.testing.assert_allclose(found.w, wanted.w, rtol=1e-7)
    assert max(found.certificate.stated, found.certificate.error(problem)) <= 1e-9


@pytest.mark.parametrize("squared", [False, True])
def test_a_tube_that_holds_every_row_is_flat(squared):
    found = in_blocks(cut("uneven"), EpsilonInsensitive(1.0, 500.0, squared))
    wanted, _ = in_memory(EpsilonInsensitive(1.0, 500.0, squared))
    assert not found.w.any() or np.abs(found.w).max() < 1e-12
    assert found.certificate.primal == wanted.certificate.primal == 0.0
    if not squared:
        assert found.b == pytest.approx(wanted.b, rel=1e-15)


def test_newton_steps_come_first_where_a_band_of_the_sample_is_too_wide():
    objective = EpsilonInsensitive(1.0, 0.5)
    found = in_blocks(cut("many"), objective, limits=Limits(rows=150, sample=120))
    wanted, _ = in_memory(objective)
    assert_same(found, wanted)


def test_the_middle_of_the_best_offsets():
    rows, numbers = np.zeros((40, 1)), np.repeat([0.0, 10.0], 20)
    problem = read_blocks(rows, numbers, rows_per_block=7).encoded(numbers=True).problem
    found = solve(problem.posed(EpsilonInsensitive(1.0, 1.0)), limits=Limits(rows=10, sample=10))
    assert found.b == pytest.approx(5.0)
    assert found.certificate.stated <= 1e-9


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_the_estimator(loss, tmp_path, small_samples, monkeypatch):
    monkeypatch.setitem(solve.__kwdefaults__, "limits", Limits(rows=200, sample=100))
    data = load_diabetes(return_X_y=True)
    blocks = read_blocks(*data, rows_per_block=100)
    wanted = LinearSVR(10.0, epsilon=5.0, loss=loss, tol=1e-11).fit(*data)
    model = LinearSVR(10.0, epsilon=5.0, loss=loss, tol=1e-11).fit(blocks)
    np.testing.assert_allclose(model.coef_, wanted.coef_, rtol=1e-8)
    np.testing.assert_allclose(model.intercept_, wanted.intercept_, rtol=1e-8)
    assert not hasattr(model, "support_")
    assert verify(model, blocks) == (model.certificate_.stated, model.certificate_.stated, True, True)
    assert verify(model, *data)
    save(model, tmp_path / "model.json")
    assert verify(load(tmp_path / "model.json"), blocks) == verify(model, blocks)
    assert hasattr(model.fit(*data), "support_")


def exact_dual(beta, objective, cost, rows, numbers):
    """The dual value of beta, balanced by scaling the heavier sign, at its best multiple, in fractions."""
    beta, cost = [Fraction(each) for each in beta], [Fraction(each) for each in cost]
    sides = [sum((abs(a) for a in beta if (a > 0) == side), Fraction(0)) for side in (False, True)]
    beta = [a * min(sides) / sides[a > 0] if a else a for a in beta]
    normal = [sum(a * Fraction(x) for a, x in zip(beta, column, strict=True)) for column in rows.T.tolist()]
    linear = sum(a * Fraction(t) - Fraction(objective.epsilon) * abs(a) for a, t in zip(beta, numbers, strict=True))
    quadratic = sum(v * v for v in normal)
    if objective.squared:
        quadratic += sum(a * a / (2 * Fraction(objective.C) * c) for a, c in zip(beta, cost, strict=True))
    t = min(Fraction(1), linear / quadratic) if linear > 0 else Fraction(0)
    return t * linear - t * t * quadratic / 2


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("plane", [(np.array([1.0, 5.0, -0.2, 0.3]), 999.0), (np.zeros(4), 1000.0)])
def test_the_value_in_blocks_is_below_that_in_fractions(plane, squared):
    rows, numbers, cost = X[:60], Y[:60], WEIGHTS[:60]
    objective = EpsilonInsensitive(2.0, 0.25, squared)
    problem = read_blocks(rows, numbers, sample_weight=cost, rows_per_block=7).encoded(numbers=True).problem
    whole = Problem.of_numbers(rows, numbers, cost).posed(objective)
    named = np.arange(3, 50, 9)
    rule = (
        SquaredTubeRule(2.0, *plane, 0.25)
        if squared
        else TubeBand(2.0, *plane, 0.25, named, RNG.uniform(-1.5, 1.5, named.size))
    )
    posed = problem.posed(objective)
    claim = posed.over(restating_fold(unmeasured_gap(posed, *plane, rule)))
    beta, point = np.zeros(60), rule.within(whole, 0)
    beta[point.support] = np.clip(point.alpha, -np.inf if squared else -2.0 * cost[point.support], np.inf)
    beta = beta if squared else np.clip(beta, -2.0 * cost, 2.0 * cost)
    exact = exact_dual(beta.tolist(), objective, cost.tolist(), rows, numbers.tolist())
    assert Fraction(claim.dual) <= exact
    assert claim.dual == pytest.approx(float(exact), rel=1e-9, abs=1e-9)
    assert claim.primal == pytest.approx(DualityGap.issue(whole, *plane, beta).primal, rel=1e-12)
    off = numbers - (rows @ plane[0] + plane[1])
    excess = np.maximum(0.0, np.abs(off) - 0.25)
    wanted = 4.0 * cost * excess if squared else np.where(excess > 0.0, 2.0 * cost, 0.0)
    others = np.ones(60, dtype=bool) if squared else ~np.isin(np.arange(60), named)
    np.testing.assert_allclose(beta[others], (np.sign(off) * wanted)[others], rtol=1e-12)


def test_a_rule_for_another_tube_claims_nothing():
    whole = Problem.of_numbers(X, Y).posed(EpsilonInsensitive(1.0, 0.5, True))
    for rule in (SquaredTubeRule(1.0, np.zeros(D), 0.0, 0.25), SquaredTubeRule(2.0, np.zeros(D), 0.0, 0.5)):
        claim = unmeasured_gap(read_blocks(X, Y).encoded(numbers=True).problem, np.zeros(D), 0.0, rule)
        assert claim.error(whole) == np.inf
