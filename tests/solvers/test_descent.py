"""A descent ends at the optimum wherever it begins, and goes past as many kinks as it can."""

import numpy as np
import pytest

from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import independent, optimal, optimum
from separatrix.solvers.svm.path import free_rows
from separatrix.solvers.svm.path.descent import Descent, descend, descended
from separatrix.solvers.svm.program import Nearly, Program
from separatrix.solvers.svm.smoothed_newton import smoothed_newton

NOTHING = np.empty(0, dtype=np.intp)


def slopes(rows, upper, penalty=1.0):
    """Rows of one variable, which are to reach 1."""
    rows = np.array(rows, dtype=float)
    give = np.zeros(rows.size)
    return Program(rows[:, None], np.ones(rows.size), np.full(rows.size, upper), give, np.eye(1) * penalty, np.zeros(1))


def planted(seed, n=120, k=5, offset=True):
    """A classifier's program, of rows in units that are unlike."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, k))
    scores = A @ rng.standard_normal(k) + rng.standard_normal(n)
    signs = np.where(scores > np.median(scores), 1.0, -1.0)
    if offset:
        A[:, -1] = 1.0
    penalties = 10.0 ** rng.uniform(-2.0, 2.0, k)
    penalties[-1] *= not offset
    upper = rng.uniform(0.2, 3.0, n)
    return Program(A * signs[:, None], np.ones(n), upper, np.zeros(n), np.diag(penalties), np.zeros(k)), rng


@pytest.mark.parametrize("first", [0.0, 0.3, 0.5, 0.9, 1.25, 7.0])
@pytest.mark.parametrize(
    ("C", "w", "alpha"),
    [
        (0.12, 0.456, [0.12, 0.12, 0.12]),
        (0.2, 0.5, [0.07, 0.2, 0.2]),
        (0.5, 0.9, [0.0, 0.5, 0.5]),
        (1.0, 1.0, [0.0, 0.2, 1.0]),
        (2.0, 1.25, [0.0, 0.0, 1.5625]),
    ],
)
def test_three_rows_by_hand(C, w, alpha, first):
    """Rows 2, 1 and 4/5 without offset: each falls short until w is 1/2, 1 and 5/4, and then its alpha goes to 0."""
    program = slopes([2.0, 1.0, 0.8], C)
    for free in (NOTHING, np.array([0]), np.array([2])):  # whatever is free is made to reach
        v, found = descend(program, np.array([first]), free, 20, Budget(20))
        assert np.allclose(v, w, rtol=1e-14)
        assert np.allclose(found, alpha, atol=1e-14)


def test_a_step_goes_past_all_kinks_on_the_way_down():
    """With 1000 rows from 0.1 to 10 and next to no penalty, the optimum is where the last one reaches."""
    rows, budget = np.linspace(0.1, 10.0, 1000), Budget(100)
    v, alpha = descend(slopes(rows, 1.0, 1e-6), np.zeros(1), NOTHING, 100, budget)
    assert v == pytest.approx(10.0)
    assert np.flatnonzero(alpha).tolist() == [0]
    assert budget.used <= 4


def test_a_step_ends_at_the_kink_where_the_objective_would_rise():
    """Past the kink of row 2, at 1/2, its slope is v - 1.8; past that of row 1, at 1, it would be v - 0.8."""
    at = Descent(slopes([2.0, 1.0, 0.5, 0.3], 1.0), np.zeros(1), NOTHING)
    assert not at.step()
    assert at.v == pytest.approx(1.0)
    assert at.places == [1]
    assert at.side.tolist() == [-1.0, 0.0, 1.0, 1.0]


def test_a_step_ends_between_kinks_where_the_objective_is_least():
    """Past the kink of row 2, at 1/2, its slope is v - 0.6, until row 0.6 comes to its own at 5/3."""
    at = Descent(slopes([2.0, 0.6], 1.0), np.zeros(1), NOTHING)
    assert not at.step()
    assert at.v == pytest.approx(0.6)
    assert at.places == [-1]
    assert at.side.tolist() == [-1.0, 1.0]
    assert not at.arrived  # it is the least of the line, which of many variables is not all


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_from_anywhere_to_the_optimum(seed, offset):
    program, rng = planted(seed, offset=offset)
    v, alpha = optimum(program, Budget(1000))
    for n_free in (1, 3, 5):
        first, free = rng.standard_normal(5), rng.permutation(120)[:n_free]
        found = descend(program, first, free, 300, Budget(300))
        assert found is not None
        assert optimal(program, *found)
        assert np.allclose(found[0], v, rtol=1e-8, atol=1e-10)
        assert np.allclose(found[1], alpha, atol=1e-8)


@np.errstate(divide="ignore", invalid="ignore")
@pytest.mark.parametrize("seed", range(6))
def test_the_objective_only_falls(seed):
    program, rng = planted(seed)

    def objective(v):
        return 0.5 * v @ program.H @ v + program.upper @ np.maximum(0.0, program.short(v, 0.0))

    at = Descent(program, rng.standard_normal(5), np.array([3, 40]))
    values = [objective(at.v)]
    while not at.step():
        values.append(objective(at.v))
        assert not at.lost
        assert np.allclose(at.room, np.abs(program.short(at.v, 0.0)), atol=1e-9)
        expected = program.f - program.H @ at.v + (program.upper * (at.side > 0.0)) @ program.A
        assert np.allclose(at.pull, expected, atol=1e-9 * np.abs(expected).max())
    assert len(values) > 5
    assert np.all(np.diff(values) <= 1e-12 * values[0])


def test_the_row_that_gains_most_is_let_go():
    """Both alpha are out of bounds by 1, but the longer row pulls more."""
    program = Program(
        np.array([[4.0, 0.0], [0.0, 1.0]]), np.ones(2), np.full(2, 1.0), np.zeros(2), np.eye(2), np.array([-12.0, -3.0])
    )
    at = Descent(program, np.zeros(2), np.array([0, 1]))
    assert at.v.tolist() == [0.25, 1.0]
    at.alpha = at.weights(at.pull)
    assert np.allclose(at.alpha, [12.25 / 4.0, 4.0])
    at.bound[:] = at.alpha - 1.0
    assert at.worst() == (0, pytest.approx(1.0))  # half of 4^2 is gained, where the other gains half of 1
    at.bound[:] = at.alpha + 1.0
    assert at.worst()[1] == 0.0
    at.alpha[1] = -0.1
    assert at.worst() == (1, pytest.approx(-0.1))


def test_where_there_is_nothing_to_go_by():
    program, _ = planted(0)
    copies = program._replace(A=np.repeat(program.A[:60], 2, axis=0))
    assert descend(copies, np.zeros(5), np.array([0, 1]), 100, Budget(100)) is None  # rows that depend on each other
    assert descend(program, np.zeros(5), NOTHING, 100, Budget(100)) is None  # nothing holds the offset
    assert descend(program, np.zeros(5), np.arange(6), 100, Budget(100)) is None  # more than can be held
    assert descend(program, np.zeros(5), np.arange(5), 3, Budget(100)) is None
    assert descend(program, np.zeros(5), np.arange(5), 100, Budget(3)) is None


def test_a_wrong_end_is_noticed(monkeypatch):
    program, _ = planted(1)
    monkeypatch.setattr(free_rows, "polish", lambda program, v, alpha: (v, alpha))
    assert descend(program, np.zeros(5), np.arange(3), 300, Budget(300)) is not None
    monkeypatch.setattr(Descent, "worst", lambda self: (0, 0.0))
    assert descend(program, np.zeros(5), np.arange(3), 300, Budget(300)) is None


@pytest.mark.parametrize("pull", [0.0, -1.0, np.nan])
def test_a_way_that_does_not_lead_down_is_left(pull):
    at = Descent(slopes([2.0, 1.0], 1.0), np.zeros(1), NOTHING)
    at.step_of = lambda weights, pull: np.array([3.0])
    at.pull[:] = pull
    assert not at.step()
    assert at.lost


@pytest.mark.parametrize("most", [1, 300])
def test_the_optimum_however_far_the_descent_gets(most):
    program, _ = planted(2)
    v, alpha = optimum(program, Budget(1000))
    found = descended(program, Budget(1000), Nearly(np.zeros(5), 2.0), 4, most)
    assert np.allclose(found[0], v, rtol=1e-8, atol=1e-10)
    assert np.allclose(found[1], alpha, atol=1e-8)


def test_looks_in_haste_end_wherever_that_is():
    program, _ = planted(3)
    for hasty in (1, 3):
        budget = Budget(100)
        near = smoothed_newton(program, None, 5.0, budget, hasty=hasty)
        assert near is not None
        assert budget.used == hasty
    assert smoothed_newton(program, None, 5.0, Budget(2), hasty=3) is None  # a budget that ends is another matter


def test_no_more_rows_than_asked_for():
    program, _ = planted(4)
    v, alpha = optimum(program, Budget(1000))
    on = np.abs(program.short(v, 0.0)) < 0.5
    assert np.count_nonzero(on) > 5
    rows = independent(program, v, alpha, on, 2)
    assert rows.size == 2
    inside = (alpha[rows] > 0.0) & (alpha[rows] < program.upper[rows])  # those on the margin are surest
    assert inside.all()
