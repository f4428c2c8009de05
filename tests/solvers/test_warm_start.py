"""From one C to another: a warm start ends where a fit from nothing does, and nowhere else."""

import pickle
from dataclasses import replace
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from separatrix import LinearSVM, load, save
from separatrix.data.encode import encode
from separatrix.problem.coordinates import Coordinates
from separatrix.solvers.svm import warm_start
from separatrix.solvers.svm.active_set import is_optimal
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.program import Program
from separatrix.solvers.svm.warm_start import is_exact

entry = import_module("separatrix.solvers.svm.linear_svm")

RNG = np.random.default_rng(5)
X = RNG.standard_normal((400, 6)) * [1.0, 100.0, 0.01, 1.0, 3.0, 1.0] + [0.0, 1000.0, 0.0, -5.0, 0.0, 2.0]
Z = (X - X.mean(axis=0)) / X.std(axis=0)
Y = (Z @ [1.0, -1.0, 0.5, 0.0, 0.3, -0.2] + RNG.standard_normal(400) > 0.2).astype(int)
WEIGHT = RNG.uniform(0.2, 3.0, 400)


@pytest.fixture
def ways(monkeypatch):
    """Counts the optima that led to the optimum for another C."""
    exact, ended = entry.is_exact, []
    monkeypatch.setattr(entry, "is_exact", lambda *how: ended.append(exact(*how)) or ended[-1])
    return ended


def plane(model):
    return np.append(model.coef_, model.intercept_)


@pytest.mark.parametrize("how", [{}, {"fit_intercept": False}, {"class_weight": {0: 0.3, 1: 2.0}}], ids=str)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["rows count once", "rows have weights"])
@pytest.mark.parametrize("prices", [(0.01, 0.02, 1.0, 30.0), (30.0, 20.0, 0.5, 0.01)], ids=["up", "down"])
def test_the_same_plane_as_from_nothing(prices, weight, how, ways):
    model = LinearSVM(C=prices[0], **how).fit(Z, Y, weight)
    for C in prices[1:]:
        model = LinearSVM(C=C, start=model, **how).fit(Z, Y, weight)
        expected = LinearSVM(C=C, **how).fit(Z, Y, weight)
        assert np.allclose(plane(model), plane(expected), rtol=1e-10, atol=1e-11)
        assert np.array_equal(model.support_, expected.support_)
        assert np.allclose(model.dual_coef_, expected.dual_coef_, rtol=1e-7, atol=1e-9 * C)
        assert model.certificate_.error(encode(Z, Y, sample_weight=weight, **how).problem) <= 1e-10
    assert ways == [True] * 3


def test_features_as_they_come(ways):
    model = LinearSVM(C=0.01).fit(X, Y)
    for C in (0.05, 3.0, 100.0, 0.2):
        model = LinearSVM(C=C, start=model).fit(X, Y)
        expected = LinearSVM(C=C).fit(X, Y)
        assert np.allclose(model.decision_function(X), expected.decision_function(X), rtol=1e-9, atol=1e-9)
    assert ways == [True] * 4


def test_slack_that_is_too_dear_to_be_used(ways, monkeypatch):
    """Beyond some C nothing changes: what rounding leaves of slack, times C, does not hide that."""
    apart = Z + 2.0 * np.outer(2 * Y - 1, [1.0, -1.0, 0.5, 0.0, 0.3, -0.2])
    hard = LinearSVM(C=float("inf")).fit(apart, Y)
    model = LinearSVM(C=1e3).fit(apart, Y)
    monkeypatch.setattr(entry, "solve", None)
    for C in (2e3, 1e5, 1e7):
        model = LinearSVM(C=C, start=model).fit(apart, Y)
        assert np.allclose(plane(model), plane(hard), rtol=1e-10)
    assert ways == [True] * 3


@pytest.mark.parametrize(("shift", "unit", "most"), [(0.0, 1.0, 6.0), (1e3, 1.0, 6.0), (0.0, 1e6, 3.0)])
def test_units_as_unlike_as_can_be(shift, unit, most):
    """Columns from 0.003 to 600 in size, or to 600 million, and slack that is dear."""
    rows, labels = load_breast_cancer(return_X_y=True)
    rows[:, 3] *= unit
    models = [LinearSVM(C=C).fit(rows + shift, labels) for C in 10.0 ** np.arange(-2.0, most)]
    for ways in (models, models[::-1]):
        again = ways[0]
        for expected in ways[1:]:
            again = LinearSVM(C=expected.C, start=again).fit(rows + shift, labels)
            scores = expected.decision_function(rows + shift)
            assert np.allclose(again.decision_function(rows + shift), scores, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("ratio", [1e9, 0.0], ids=["inside at once", "narrowed"])
def test_the_band_is_solved_at_once_or_narrowed(ratio, monkeypatch):
    taken = []
    monkeypatch.setattr(warm_start, "NARROWING_RATIO", ratio)
    for name in ("optimum", "narrowed_optimum"):
        first = getattr(warm_start, name)
        monkeypatch.setattr(
            warm_start, name, lambda *how, n=name, first=first, **more: taken.append(n) or first(*how, **more)
        )
    model = LinearSVM(C=0.01).fit(Z, Y)
    for C in (0.1, 20.0, 0.5):
        model = LinearSVM(C=C, start=model).fit(Z, Y)
        assert np.allclose(plane(model), plane(LinearSVM(C=C).fit(Z, Y)), rtol=1e-10, atol=1e-11)
    assert set(taken) == {"narrowed_optimum" if not ratio else "optimum"}


def test_rows_outside_the_band_are_checked(ways, monkeypatch):
    """A band that is far too narrow leaves rows on the wrong side: they join it, and the answer is the same."""
    monkeypatch.setattr(warm_start, "BAND_PER_MOVE", 0.0)
    monkeypatch.setattr(warm_start, "MIN_BAND", 0.0)
    model = LinearSVM(C=0.01).fit(Z, Y)
    again = LinearSVM(C=10.0, start=model).fit(Z, Y)
    assert ways
    assert np.allclose(plane(again), plane(LinearSVM(C=10.0).fit(Z, Y)), rtol=1e-10)


def spoilt(labels, rows, kind):
    """What may have happened to the rows since the model was fitted."""
    rows, labels = rows.copy(), labels.copy()
    if kind == "one label":
        labels[7] ^= 1
    elif kind == "one number":
        rows[11, 0] += 5.0
    elif kind == "far on the wrong side":  # where no margin tells, but the plane is no longer what alpha makes
        scores = LinearSVM(C=0.1).fit(rows, labels).decision_function(rows)
        rows[np.argmin(scores * (2 * labels - 1))] *= 1.01
    elif kind == "order":
        rows, labels = rows[::-1], labels[::-1]
    elif kind == "fewer":
        rows, labels = rows[:-1], labels[:-1]
    return rows, labels


@pytest.mark.parametrize("kind", ["one label", "one number", "far on the wrong side", "order", "fewer"])
def test_a_model_of_other_rows_is_only_a_start(kind, ways):
    model = LinearSVM(C=0.1).fit(Z, Y)
    rows, labels = spoilt(Y, Z, kind)
    for C in (0.11, 2.0):
        again = LinearSVM(C=C, start=model).fit(rows, labels)
        assert np.allclose(plane(again), plane(LinearSVM(C=C).fit(rows, labels)), rtol=1e-10)
        assert again.certificate_.error(encode(rows, labels).problem) <= 1e-10
    assert bool(ways) == (kind == "far on the wrong side"), "margins tell, and the path is not begun"


@pytest.mark.parametrize("there", [True, False])
def test_an_offset_more_or_less_makes_it_only_a_start(there):
    model = LinearSVM(C=0.1, fit_intercept=there).fit(Z, Y)
    again = LinearSVM(C=0.2, fit_intercept=not there, start=model).fit(Z, Y)
    assert np.allclose(plane(again), plane(LinearSVM(C=0.2, fit_intercept=not there).fit(Z, Y)), rtol=1e-10)


def test_other_weights_make_it_only_a_start(ways):
    model = LinearSVM(C=0.1).fit(Z, Y)
    again = LinearSVM(C=0.3, start=model).fit(Z, Y, WEIGHT)
    assert np.allclose(plane(again), plane(LinearSVM(C=0.3).fit(Z, Y, WEIGHT)), rtol=1e-10)
    assert True not in ways


@pytest.mark.parametrize(
    "kind", ["every row twice", "whole numbers", "columns that depend on each other", "far more columns"]
)
@pytest.mark.usefixtures("ways")
def test_rows_that_tie_or_depend_on_each_other(kind):
    rows, labels = {
        "every row twice": (np.repeat(Z[:150], 2, axis=0), np.repeat(Y[:150], 2)),
        "whole numbers": (np.round(Z), Y),
        "columns that depend on each other": (np.column_stack([Z, Z[:, :2], np.ones(400)]), Y),
        "far more columns": (np.random.default_rng(0).standard_normal((40, 90)), Y[:40]),
    }[kind]
    model = LinearSVM(C=0.01).fit(rows, labels)
    for C in (0.02, 0.5, 20.0, 1.0):
        model = LinearSVM(C=C, start=model).fit(rows, labels)
        expected = LinearSVM(C=C).fit(rows, labels).decision_function(rows)
        assert np.allclose(model.decision_function(rows), expected, atol=1e-8 * (1.0 + np.abs(expected).max()))


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize("how", [{"loss": "squared_hinge"}, {"C": float("inf")}, {}], ids=str)
def test_other_losses_and_the_same_price(how):
    apart = Z + 2.0 * np.outer(2 * Y - 1, [1.0, -1.0, 0.5, 0.0, 0.3, -0.2])
    model = LinearSVM(C=0.3).fit(apart, Y)
    options = {"C": 0.3} | how
    again, expected = LinearSVM(start=model, **options).fit(apart, Y), LinearSVM(**options).fit(apart, Y)
    assert np.allclose(plane(again), plane(expected), rtol=1e-7)


def test_several_classes_each_have_a_path(ways):
    labels = np.digitize(Z @ [1.0, -1.0, 0.5, 0.0, 0.3, -0.2], [-1.0, 1.0])
    model = LinearSVM(C=0.1).fit(Z, labels)
    again = LinearSVM(C=0.2, start=model).fit(Z, labels)
    assert np.allclose(again.coef_, LinearSVM(C=0.2).fit(Z, labels).coef_, rtol=1e-9)
    assert ways == [True] * 3


def test_a_model_from_a_file_starts_a_path_as_well(ways, tmp_path):
    save(LinearSVM(C=0.1).fit(Z, Y), tmp_path / "model.json")
    again = LinearSVM(C=0.2, start=load(tmp_path / "model.json")).fit(Z, Y)
    assert np.allclose(plane(again), plane(LinearSVM(C=0.2).fit(Z, Y)), rtol=1e-10)
    assert ways == [True]


@pytest.mark.parametrize("prices", [(1.0, 3.0), (1.0, 0.1), (100.0, 1000.0)])
def test_a_budget_that_is_enough_from_nothing_is_enough_from_a_start(prices):
    rows, labels = load_breast_cancer(return_X_y=True)
    start = LinearSVM(C=prices[0]).fit(rows, labels)
    enough = LinearSVM(C=prices[1]).fit(rows, labels).n_iter_
    for more in (1, 2, 3, 4):
        again = LinearSVM(C=prices[1], start=start, max_iter=more * enough).fit(rows, labels)
        assert again.certificate_.stated <= 1e-6


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
@pytest.mark.parametrize("max_iter", [1, 2, 5, 10])
def test_no_plane_is_worse_than_the_start(max_iter):
    rows, labels = load_breast_cancer(return_X_y=True)
    start, problem = LinearSVM(C=1.0).fit(rows, labels), encode(rows, labels).problem
    before = 0.5 * np.sum(start.coef_**2) + 3.0 * start.slacks_.sum()
    for first in (start, plane(start)):
        again = LinearSVM(C=3.0, start=first, max_iter=max_iter).fit(rows, labels)
        assert again.certificate_.primal <= before + again.certificate_.values.rounding
        assert again.certificate_.error(problem) == pytest.approx(again.certificate_.stated, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("first", ["model", "plane"])
def test_a_start_that_diverges_is_left(first, monkeypatch):
    model, solve = LinearSVM(C=0.1).fit(Z[::-1], Y), entry.solve
    spoilt_start = lambda program, v, *how: solve(program, v, *how) if v is None else (v, np.zeros(400), None)  # noqa: E731
    monkeypatch.setattr(entry, "solve", spoilt_start)
    again = LinearSVM(C=0.2, start=model if first == "model" else plane(model)).fit(Z, Y)
    assert np.allclose(plane(again), plane(LinearSVM(C=0.2).fit(Z, Y)), rtol=1e-10)


def test_a_budget_that_ends_on_the_way_is_kept():
    model = LinearSVM(C=0.01).fit(Z, Y)
    with pytest.warns(match="max_iter=3"):
        again = LinearSVM(C=5.0, start=model, max_iter=3).fit(Z, Y)
    assert again.n_iter_ <= 3
    assert again.certificate_.error(encode(Z, Y).problem) == pytest.approx(again.certificate_.stated, rel=1e-6)


def test_a_gap_that_is_rounding_is_not_enough():
    """Just below C = 5/4 the second row has hardly any alpha: where it is off by 1e-7, the gap is still some 1e-14."""
    C = 1.25 - 1e-12
    program = Program(np.array([[2.0], [1.0], [0.8]]), np.ones(3), np.full(3, C), np.zeros(3), np.eye(1), np.zeros(1))
    alpha, off = np.array([0.0, 1.0 - 0.8 * C, C]), np.array([1.0 + 1e-7])
    assert is_optimal(program, np.array([1.0]), alpha)
    assert program.gap(off, alpha) < 1e-13
    assert not is_optimal(program, off, alpha)
    assert not is_optimal(program, off, np.array([0.0, 0.0, 1.0]))  # no row is free, but the gap is large


def test_slack_that_is_no_rounding_counts():
    """Two rows at a price of 1e6: the second is short, by rounding or by more, and has no alpha."""
    for missing, enough in ((1e-15, True), (1e-6, False)):
        A = np.array([[1.0], [1.0 - missing]])
        program = Program(A, np.ones(2), np.full(2, 1e6), np.zeros(2), np.eye(1), np.zeros(1))
        assert is_optimal(program, np.array([1.0]), np.array([1.0, 0.0])) == enough


def test_a_plane_that_alpha_does_not_make_is_not_exact():
    """Where rounding or many slacks hide a gap, how nearly alpha makes w tells more."""
    for rows, C in ((Z + 1e5, 1.0), (Z, 1e-6)):
        problem, coordinates = encode(rows, Y).problem, Coordinates.of(rows, True)
        claim = linear_svm(problem, C=C).certificate
        assert is_exact(problem, coordinates, claim)
        assert is_exact(problem, coordinates, pickle.loads(pickle.dumps(claim)))  # which knows no sums
        other = replace(claim, w=(1.0 + 1e-6) * claim.w)
        assert not is_exact(problem, coordinates, other)


@pytest.mark.parametrize("C", [1e-2, 1e-4, 1e-6, 1e-8])
def test_rows_that_are_nearly_the_same_lead_to_their_own_plane(C):
    """All margins are the same but for 1e-4, and next to many slacks ||w||^2 is nothing: the gap would not tell."""
    nearly = Z + 1e-4 * np.random.default_rng(3).standard_normal(Z.shape)
    again = LinearSVM(C=2.0 * C, start=LinearSVM(C=C).fit(nearly, Y)).fit(Z, Y)
    expected = LinearSVM(C=2.0 * C).fit(Z, Y).coef_
    assert np.linalg.norm(again.coef_ - expected) <= 1e-8 * np.linalg.norm(expected)


def test_rows_that_were_settled_wrongly_join_the_band(ways, monkeypatch):
    """A band that is a little too narrow: it is solved once more, and not from nothing."""
    model, sizes, restricted = LinearSVM(C=0.05).fit(Z, Y), [], warm_start.ContinuedProgram.restricted
    expected = LinearSVM(C=0.5).fit(Z, Y)
    monkeypatch.setattr(warm_start, "BAND_PER_MOVE", 0.25)
    counting = lambda self, band, groups: sizes.append(band.size) or restricted(self, band, groups)  # noqa: E731
    monkeypatch.setattr(warm_start.ContinuedProgram, "restricted", counting)
    again = LinearSVM(C=0.5, start=model).fit(Z, Y)
    assert ways == [True]
    assert sizes == sorted(set(sizes))
    assert len(sizes) > 1
    assert np.allclose(plane(again), plane(expected), rtol=1e-10, atol=1e-11)


def test_many_columns_are_followed_to_the_end(ways):
    """Few rows are next to the margin for so many columns: those that the band leaves out join it."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((1500, 60))
    labels = (rows[:, 0] + 0.7 * rng.standard_normal(1500) > 0.0).astype(int)
    models = [LinearSVM(C=C).fit(rows, labels) for C in (1.0, 2.0, 4.0)]
    for before, expected in pairwise(models):
        again = LinearSVM(C=expected.C, start=before).fit(rows, labels)
        assert np.allclose(plane(again), plane(expected), rtol=1e-9, atol=1e-10)
    assert ways == [True, True]


def test_a_fitted_model_is_not_changed_by_those_that_start_from_it():
    model = LinearSVM(C=0.1).fit(Z, Y)
    before = pickle.dumps(model)
    LinearSVM(C=0.2, start=model).fit(Z, Y)
    assert pickle.dumps(model) == before
