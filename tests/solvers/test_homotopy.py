"""The ways from one C to another, a path and a descent, end where a fit from nothing does, and nowhere else."""

import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from separatrix import LinearSVM, load, save
from separatrix.data.encode import encode
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import optimal
from separatrix.solvers.svm.linear_svm import exact, linear_svm
from separatrix.solvers.svm.path import continuation, descent, free_rows
from separatrix.solvers.svm.path.homotopy import Path, follow
from separatrix.solvers.svm.program import Program

RNG = np.random.default_rng(5)
X = RNG.standard_normal((400, 6)) * [1.0, 100.0, 0.01, 1.0, 3.0, 1.0] + [0.0, 1000.0, 0.0, -5.0, 0.0, 2.0]
Z = (X - X.mean(axis=0)) / X.std(axis=0)
Y = (Z @ [1.0, -1.0, 0.5, 0.0, 0.3, -0.2] + RNG.standard_normal(400) > 0.2).astype(int)
WEIGHT = RNG.uniform(0.2, 3.0, 400)


@pytest.fixture
def paths(monkeypatch):
    """Go along every path, however long; counts those that were followed to the end."""
    monkeypatch.setattr(continuation, "CHANGES", 5000.0)
    monkeypatch.setattr(continuation, "FEW_FREE", -1)
    return counted(monkeypatch, continuation, "follow")


@pytest.fixture(params=["follow", "descend"])
def ways(request, monkeypatch):
    """Go along every path, or descend however many sets change; counts those that led to the end."""
    monkeypatch.setattr(continuation, "CHANGES", 1000.0)
    monkeypatch.setattr(continuation, "FEW_FREE", -1 if request.param == "follow" else 1000)
    monkeypatch.setattr(continuation, "FEW", -1e9)
    return counted(monkeypatch, continuation if request.param == "follow" else descent, request.param)


def counted(monkeypatch, module, name):
    solve, ended = getattr(module, name), []

    def count(*how):
        found = solve(*how)
        ended.append(found is not None)
        return found

    monkeypatch.setattr(module, name, count)
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


@pytest.mark.usefixtures("ways")
@pytest.mark.parametrize(("shift", "unit", "most"), [(0.0, 1.0, 6.0), (1e3, 1.0, 6.0), (0.0, 1e6, 3.0)])
def test_units_as_unlike_as_can_be(shift, unit, most, monkeypatch):
    """Columns from 0.003 to 600 in size, and slack that is dear: the path needs no help.

    With a column of 600 million, how sums round decides whether one of the steps does.
    """
    rows, labels = load_breast_cancer(return_X_y=True)
    rows[:, 3] *= unit
    prices = 10.0 ** np.arange(-2.0, most)
    models = [LinearSVM(C=C).fit(rows + shift, labels) for C in prices]
    solve, helped = continuation.Decomposition.solve, []  # the usual way
    monkeypatch.setattr(continuation.Decomposition, "solve", lambda *how: (helped.append(how), solve(*how))[1])
    for module in (continuation, descent):
        monkeypatch.setattr(module, "optimum", None)
    for ways in (models, models[::-1]):
        again = ways[0]
        for expected in ways[1:]:
            again = LinearSVM(C=expected.C, start=again).fit(rows + shift, labels)
            scores = expected.decision_function(rows + shift)
            assert np.allclose(again.decision_function(rows + shift), scores, rtol=1e-8, atol=1e-8)
    assert len(helped) <= (unit > 1.0)


def test_slack_that_is_too_dear_to_be_used(ways, monkeypatch):
    """Beyond some C nothing changes: what rounding leaves of slack, times C, does not hide that."""
    apart = Z + 2.0 * np.outer(2 * Y - 1, [1.0, -1.0, 0.5, 0.0, 0.3, -0.2])
    hard = LinearSVM(C=float("inf")).fit(apart, Y)
    model = LinearSVM(C=1e3).fit(apart, Y)
    monkeypatch.setattr(continuation.Decomposition, "solve", None)
    monkeypatch.setattr(free_rows, "polish", None)
    for C in (2e3, 1e5, 1e7):
        model = LinearSVM(C=C, start=model).fit(apart, Y)
        assert np.allclose(plane(model), plane(hard), rtol=1e-10)
    assert ways == [True] * 3


@pytest.mark.parametrize("many", [1e9, 0.0], ids=["inside at once", "narrowed"])
def test_where_many_rows_change_interior_points_begin_ahead(many, monkeypatch):
    taken = []
    monkeypatch.setattr(continuation, "CHANGES", -1e9)
    monkeypatch.setattr(continuation, "FEW_FREE", -1)
    monkeypatch.setattr(continuation, "MANY", many)
    for name in ("optimum", "narrowed_optimum"):
        first = getattr(continuation, name)
        monkeypatch.setattr(
            continuation, name, lambda *how, n=name, first=first, **more: taken.append(n) or first(*how, **more)
        )
    model = LinearSVM(C=0.01).fit(Z, Y)
    for C in (0.1, 20.0, 0.5):
        model = LinearSVM(C=C, start=model).fit(Z, Y)
        assert np.allclose(plane(model), plane(LinearSVM(C=C).fit(Z, Y)), rtol=1e-10, atol=1e-11)
    assert set(taken) == {"optimum"} | ({"narrowed_optimum"} if not many else set())


def test_rows_outside_the_band_are_looked_at(ways, monkeypatch):
    """A band that is far too narrow leaves rows on the wrong side: the way ends elsewhere, the answer is the same."""
    monkeypatch.setattr(continuation, "WIDE", 0.0)
    monkeypatch.setattr(continuation, "NARROW", 0.0)
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
def test_a_model_of_other_rows_is_only_a_start(kind, paths):
    model = LinearSVM(C=0.1).fit(Z, Y)
    rows, labels = spoilt(Y, Z, kind)
    for C in (0.11, 2.0):
        again = LinearSVM(C=C, start=model).fit(rows, labels)
        assert np.allclose(plane(again), plane(LinearSVM(C=C).fit(rows, labels)), rtol=1e-10)
        assert again.certificate_.error(encode(rows, labels).problem) <= 1e-10
    assert bool(paths) == (kind == "far on the wrong side"), "margins tell, and the path is not begun"


@pytest.mark.parametrize("there", [True, False])
def test_an_offset_more_or_less_makes_it_only_a_start(there):
    model = LinearSVM(C=0.1, fit_intercept=there).fit(Z, Y)
    again = LinearSVM(C=0.2, fit_intercept=not there, start=model).fit(Z, Y)
    assert np.allclose(plane(again), plane(LinearSVM(C=0.2, fit_intercept=not there).fit(Z, Y)), rtol=1e-10)


def test_other_weights_make_it_only_a_start(paths):
    model = LinearSVM(C=0.1).fit(Z, Y)
    again = LinearSVM(C=0.3, start=model).fit(Z, Y, WEIGHT)
    assert np.allclose(plane(again), plane(LinearSVM(C=0.3).fit(Z, Y, WEIGHT)), rtol=1e-10)
    assert True not in paths


@pytest.mark.parametrize(
    "kind", ["every row twice", "whole numbers", "columns that depend on each other", "far more columns"]
)
@pytest.mark.usefixtures("paths")
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


@pytest.mark.usefixtures("paths")
@pytest.mark.parametrize("how", [{"loss": "squared_hinge"}, {"C": float("inf")}, {}], ids=str)
def test_other_losses_and_the_same_price(how):
    apart = Z + 2.0 * np.outer(2 * Y - 1, [1.0, -1.0, 0.5, 0.0, 0.3, -0.2])
    model = LinearSVM(C=0.3).fit(apart, Y)
    options = {"C": 0.3} | how
    again, expected = LinearSVM(start=model, **options).fit(apart, Y), LinearSVM(**options).fit(apart, Y)
    assert np.allclose(plane(again), plane(expected), rtol=1e-7)


def test_several_classes_each_have_a_path(paths):
    labels = np.digitize(Z @ [1.0, -1.0, 0.5, 0.0, 0.3, -0.2], [-1.0, 1.0])
    model = LinearSVM(C=0.1).fit(Z, labels)
    again = LinearSVM(C=0.2, start=model).fit(Z, labels)
    assert np.allclose(again.coef_, LinearSVM(C=0.2).fit(Z, labels).coef_, rtol=1e-9)
    assert paths == [True] * 3


def test_a_model_from_a_file_starts_a_path_as_well(paths, tmp_path):
    save(LinearSVM(C=0.1).fit(Z, Y), tmp_path / "model.json")
    again = LinearSVM(C=0.2, start=load(tmp_path / "model.json")).fit(Z, Y)
    assert np.allclose(plane(again), plane(LinearSVM(C=0.2).fit(Z, Y)), rtol=1e-10)
    assert paths == [True]


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
        assert again.certificate_.primal <= before
        assert again.certificate_.error(problem) == pytest.approx(again.certificate_.stated, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("first", ["model", "plane"])
def test_a_start_that_leads_astray_is_left(first, monkeypatch):
    model, solve = LinearSVM(C=0.1).fit(Z[::-1], Y), continuation.Decomposition.solve
    monkeypatch.setattr(
        continuation.Decomposition, "solve", lambda self, v=None: solve(self) if v is None else (v, np.zeros(400))
    )
    again = LinearSVM(C=0.2, start=model if first == "model" else plane(model)).fit(Z, Y)
    assert np.allclose(plane(again), plane(LinearSVM(C=0.2).fit(Z, Y)), rtol=1e-10)


def test_a_budget_that_ends_on_the_way_is_kept():
    model = LinearSVM(C=0.01).fit(Z, Y)
    with pytest.warns(match="max_iter=3"):
        again = LinearSVM(C=5.0, start=model, max_iter=3).fit(Z, Y)
    assert again.n_iter_ <= 3
    assert again.certificate_.error(encode(Z, Y).problem) == pytest.approx(again.certificate_.stated, rel=1e-6)


@pytest.mark.parametrize(
    ("C", "w", "alpha"),
    [
        (0.12, 0.456, [0.12, 0.12, 0.12]),
        (0.2, 0.5, [0.07, 0.2, 0.2]),
        (0.5, 0.9, [0.0, 0.5, 0.5]),
        (1.0, 1.0, [0.0, 0.2, 1.0]),
        (1.5, 1.2, [0.0, 0.0, 1.5]),
        (2.0, 1.25, [0.0, 0.0, 1.5625]),
    ],
)
def test_the_path_by_hand(C, w, alpha):
    """Rows 2, 1 and 4/5 without offset: each falls short until w is 1/2, 1 and 5/4, and then its alpha goes to 0."""
    program = Program(np.array([[2.0], [1.0], [0.8]]), np.ones(3), np.full(3, C), np.zeros(3), np.eye(1), np.zeros(1))
    for before, v, at, side in ((0.1, 0.38, [0.1, 0.1, 0.1], [1, 1, 1]), (4.0, 1.25, [0, 0, 1.5625], [-1, -1, 0])):
        start = np.array([v]), np.array(at), np.array(side, dtype=float)
        found = follow(program, *start, before / C, 20, Budget(20))
        assert found is not None
        assert np.allclose(found[0], w, rtol=1e-14)
        assert np.allclose(found[1], alpha, atol=1e-14)


def test_too_many_changes_end_it():
    program = Program(np.array([[2.0], [1.0], [0.8]]), np.ones(3), np.full(3, 2.0), np.zeros(3), np.eye(1), np.zeros(1))
    start = np.array([0.38]), np.full(3, 0.1), np.ones(3)
    assert follow(program, *start, 0.05, 6, Budget(20)) is not None  # three rows come, and two go again
    assert follow(program, *start, 0.05, 5, Budget(20)) is None
    assert follow(program, *start, 0.05, 6, Budget(5)) is None


def test_a_start_that_is_no_optimum_is_noticed_in_the_end(monkeypatch):
    program = Program(np.array([[2.0], [1.0], [0.8]]), np.ones(3), np.full(3, 2.0), np.zeros(3), np.eye(1), np.zeros(1))
    monkeypatch.setattr(free_rows, "REFINEMENTS", 0)
    monkeypatch.setattr(free_rows, "polish", lambda program, v, alpha: (v, alpha))
    assert follow(program, np.array([0.38]), np.full(3, 0.1), np.ones(3), 0.05, 20, Budget(20)) is not None
    assert follow(program, np.array([0.30]), np.full(3, 0.1), np.ones(3), 0.05, 20, Budget(20)) is None


def test_a_gap_that_is_rounding_is_not_enough():
    """Just below C = 5/4 the second row has hardly any alpha: where it is off by 1e-7, the gap is still some 1e-14."""
    C = 1.25 - 1e-12
    program = Program(np.array([[2.0], [1.0], [0.8]]), np.ones(3), np.full(3, C), np.zeros(3), np.eye(1), np.zeros(1))
    alpha, off = np.array([0.0, 1.0 - 0.8 * C, C]), np.array([1.0 + 1e-7])
    assert optimal(program, np.array([1.0]), alpha)
    assert program.gap(off, alpha) < 1e-13
    assert not optimal(program, off, alpha)
    assert not optimal(program, off, np.array([0.0, 0.0, 1.0]))  # no row is free, but the gap is large


def test_slack_that_is_no_rounding_counts():
    """Two rows at a price of 1e6: the second is short, by rounding or by more, and has no alpha."""
    for missing, enough in ((1e-15, True), (1e-6, False)):
        A = np.array([[1.0], [1.0 - missing]])
        program = Program(A, np.ones(2), np.full(2, 1e6), np.zeros(2), np.eye(1), np.zeros(1))
        assert optimal(program, np.array([1.0]), np.array([1.0, 0.0])) == enough


@np.errstate(divide="ignore")
def test_what_happens_next():
    """Rows 2, 1 and 4/5 at their bounds; v grows, so that the first comes to a margin of 1 before the others do."""
    program = Program(np.array([[2.0], [1.0], [0.8]]), np.ones(3), np.full(3, 2.0), np.zeros(3), np.eye(1), np.zeros(1))
    path = Path(program, np.array([0.38]), np.full(3, 0.1), np.ones(3), np.arange(0), 0.05)
    path.closing[:3], path.back[:] = [2.0, 1.0, 0.8], -1.0
    assert path.next_event(0) == 0
    path.state[2] = -1e-17  # rounding has taken it past its end
    assert path.next_event(0) == 2
    path.state[1], path.closing[1:3] = 0.0, [1e-17, 0.8]  # on the margin, and held there but for rounding
    assert path.next_event(0) == 2
    path.closing[1:3] = [1e-17, -0.8]
    assert path.next_event(0) == 0


def test_a_plane_that_alpha_does_not_make_is_not_exact():
    """Where rounding or many slacks hide a gap, how nearly alpha makes w tells more."""
    for rows, C in ((Z + 1e5, 1.0), (Z, 1e-6)):
        problem, coordinates = encode(rows, Y).problem, Coordinates.of(rows, True)
        claim = linear_svm(problem, C=C).certificate
        assert exact(problem, coordinates, claim)
        assert exact(problem, coordinates, pickle.loads(pickle.dumps(claim)))  # which knows no sums
        other = replace(claim, w=(1.0 + 1e-6) * claim.w)
        assert other.stated <= max(1e-13, other.rounding)
        assert not exact(problem, coordinates, other)


@pytest.mark.parametrize("C", [1e-2, 1e-4, 1e-6, 1e-8])
def test_rows_that_are_nearly_the_same_lead_to_their_own_plane(C):
    """All margins are the same but for 1e-4, and next to many slacks ||w||^2 is nothing: the gap would not tell."""
    nearly = Z + 1e-4 * np.random.default_rng(3).standard_normal(Z.shape)
    again = LinearSVM(C=2.0 * C, start=LinearSVM(C=C).fit(nearly, Y)).fit(Z, Y)
    expected = LinearSVM(C=2.0 * C).fit(Z, Y).coef_
    assert np.linalg.norm(again.coef_ - expected) <= 1e-8 * np.linalg.norm(expected)


def test_rows_that_were_settled_wrongly_join_the_others(monkeypatch):
    """A band that is a little too narrow: the way is gone once more, and not from nothing."""
    model, sizes, along = LinearSVM(C=0.05).fit(Z, Y), [], continuation.along
    expected = LinearSVM(C=0.5).fit(Z, Y)
    monkeypatch.setattr(continuation, "WIDE", 0.25)
    monkeypatch.setattr(continuation, "along", lambda *how: sizes.append(len(how[1].A)) or along(*how))
    monkeypatch.setattr(continuation.Decomposition, "solve", None)
    again = LinearSVM(C=0.5, start=model).fit(Z, Y)
    assert sizes == sorted(set(sizes))
    assert len(sizes) > 1
    assert np.allclose(plane(again), plane(expected), rtol=1e-10, atol=1e-11)


def test_many_columns_are_followed_to_the_end(monkeypatch):
    """Few rows are next to the margin for so many columns: those that the band leaves out join it."""
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((1500, 60))
    labels = (rows[:, 0] + 0.7 * rng.standard_normal(1500) > 0.0).astype(int)
    models = [LinearSVM(C=C).fit(rows, labels) for C in (1.0, 2.0, 4.0)]
    monkeypatch.setattr(continuation.Decomposition, "solve", None)  # would be the usual way
    for before, expected in pairwise(models):
        again = LinearSVM(C=expected.C, start=before).fit(rows, labels)
        assert np.allclose(plane(again), plane(expected), rtol=1e-9, atol=1e-10)


def test_margins_that_are_remembered_save_a_look_and_prove_nothing(monkeypatch):
    looks, margins = [], Problem.margins
    monkeypatch.setattr(continuation, "SHOWN", 100)
    monkeypatch.setattr(Problem, "margins", lambda self, w, b, *how: looks.append(w) or margins(self, w, b, *how))
    model, copy = (LinearSVM(C=0.1).fit(Z, Y) for _ in range(2))
    copy = pickle.loads(pickle.dumps(copy))
    assert np.array_equal(
        model.certificate_.margins, margins(encode(Z, Y).problem, model.coef_[0], model.intercept_[0])
    )
    assert copy.certificate_.margins is None
    taken = []
    for start in (model, copy):
        looks.clear()
        again = LinearSVM(C=0.2, start=start).fit(Z, Y)
        taken.append(sum(np.allclose(w, model.coef_[0], rtol=1e-12) for w in looks))
        assert start.certificate_.margins is None  # the last of a row of fits has them
        assert again.certificate_.margins is not None
        assert np.allclose(plane(again), plane(LinearSVM(C=0.2).fit(Z, Y)), rtol=1e-10)
    assert taken == [0, 1]


@pytest.mark.parametrize("kind", ["one label", "one number", "far on the wrong side", "order"])
def test_rows_that_changed_where_nobody_looked_are_noticed_in_the_end(kind, monkeypatch):
    monkeypatch.setattr(continuation, "SHOWN", 1)
    model = LinearSVM(C=0.1).fit(Z, Y)
    rows, labels = spoilt(Y, Z, kind)
    again = LinearSVM(C=0.11, start=model).fit(rows, labels)
    assert np.allclose(plane(again), plane(LinearSVM(C=0.11).fit(rows, labels)), rtol=1e-10)
    assert again.certificate_.error(encode(rows, labels).problem) <= 1e-10


def test_a_row_said_to_be_free_that_is_far_from_the_margin(monkeypatch):
    """Its alpha is inside the bounds, which no optimum would have: the answer is that from nothing."""
    margins = linear_svm(encode(Z, Y).problem, C=0.1).certificate.margins
    order = np.argsort(-margins)  # the farthest comes last
    problem = encode(Z[order], Y[order]).problem
    claim = linear_svm(problem, C=0.1).certificate
    alpha = claim.alpha * np.where(claim.support == claim.support[-1], 0.5, 1.0)
    expected = linear_svm(problem, C=0.101)
    monkeypatch.setattr(continuation, "deciding", lambda _: 100.0)  # rows that count as near
    found = linear_svm(problem, C=0.101, start=replace(claim, alpha=alpha))
    assert np.allclose(found.w, expected.w, rtol=1e-10)
    assert found.certificate.error(problem) <= 1e-10


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("kind", ["two rows", "no C to speak of", "all the same", "all 0", "four points"])
def test_a_start_without_a_row_on_the_margin(kind, offset):
    """Every row is at its bound, as for a small C and classes of one size: none is near enough to change its set."""
    rows, labels, prices = {
        "two rows": (np.eye(2), [0, 1], (0.1, 0.11, 0.2, 5.0)),
        "no C to speak of": (Z[:200], np.arange(200) % 2, (1e-6, 2e-6, 1e-3, 1.0)),
        "all the same": (np.ones((6, 1)), [0, 1] * 3, (0.1, 0.2, 3.0)),
        "all 0": (np.zeros((10, 3)), [0, 1] * 5, (0.1, 0.2, 3.0)),
        "four points": (np.tile([[-2.0, 0], [-2, 1], [2, 0], [2, 1]], (50, 1)), [0, 1, 1, 0] * 50, (1e-4, 1e-2, 10.0)),
    }[kind]
    model = LinearSVM(C=prices[0], fit_intercept=offset).fit(rows, labels)
    for C in prices[1:]:
        model = LinearSVM(C=C, start=model, fit_intercept=offset).fit(rows, labels)
        expected = LinearSVM(C=C, fit_intercept=offset).fit(rows, labels)
        assert model.certificate_.primal == pytest.approx(expected.certificate_.primal, rel=1e-12)
        assert np.allclose(model.coef_, expected.coef_, atol=1e-9)
        assert model.certificate_.error(encode(rows, labels, fit_intercept=offset).problem) <= 1e-10


@pytest.mark.parametrize(("before", "now"), [(200, 400), (399, 400), (400, 399), (400, 20)])
def test_a_model_of_more_or_fewer_rows_is_only_a_start(before, now):
    model = LinearSVM(C=0.1).fit(Z[:before], Y[:before])
    again = LinearSVM(C=0.2, start=model).fit(Z[:now], Y[:now])
    assert np.allclose(plane(again), plane(LinearSVM(C=0.2).fit(Z[:now], Y[:now])), rtol=1e-10, atol=1e-11)


def test_coordinates_are_kept_for_the_same_rows_and_no_others(monkeypatch):
    made, wide = [], np.column_stack([Z[:40]] * 10) + RNG.standard_normal((40, 60))
    monkeypatch.setattr(Coordinates, "of", lambda X, offset, of=Coordinates.of: made.append(X) or of(X, offset))

    def fits_that_make_them(first, second, **how):
        model = LinearSVM(C=0.1).fit(first, Y[: len(first)])
        made.clear()
        LinearSVM(C=0.2, start=model, **how).fit(second, Y[: len(second)])
        return len(made)

    assert fits_that_make_them(Z, Z) == 0
    assert fits_that_make_them(Z, 1e3 * Z) > 0
    assert fits_that_make_them(Z, Z, fit_intercept=False) > 0
    assert fits_that_make_them(wide, wide) > 0  # there they are for just these rows
