"""What cannot matter to a perceptron, and what decides when it stops."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import Perceptron
from separatrix.data import encode, samples
from separatrix.solvers.online import perceptron
from separatrix.solvers.online.shuffling import passes_of

SEEDS = range(5)


@pytest.fixture(params=SEEDS)
def table(request):
    return samples.planted_margin(80, 4, ratio=0.02, seed=request.param)[0]


@pytest.mark.parametrize("update", ["online", "batch"])
@pytest.mark.parametrize("rate", [2.0, 0.25, 1024.0])
def test_the_rate_does_not_matter_from_zero(table, update, rate):
    """Powers of two scale w exactly, so that rounding decides nothing."""
    one, other = (
        Perceptron(update=update, learning_rate=r, random_state=3, max_iter=10_000).fit(table.X, table.labels)
        for r in (1.0, rate)
    )
    assert np.array_equal(other.coef_, rate * one.coef_)
    assert one.n_updates_ == other.n_updates_
    assert np.array_equal(one.predict(table.X), other.predict(table.X))


@pytest.mark.parametrize("update", ["online", "batch"])
def test_swapping_the_labels_negates_the_plane(table, update):
    one, other = (
        Perceptron(update=update, random_state=3, max_iter=10_000).fit(table.X, sign * table.labels) for sign in (1, -1)
    )
    assert np.array_equal(other.coef_, -one.coef_)
    assert np.array_equal(other.intercept_, -one.intercept_)


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
def test_scaling_rows_by_a_power_of_two_changes_nothing_without_offset(table):
    one, other = (
        Perceptron(fit_intercept=False, random_state=3, max_iter=100).fit(s * table.X, table.labels) for s in (1.0, 8.0)
    )
    assert np.array_equal(other.coef_, 8.0 * one.coef_)


def test_cyclic_order_stops_after_n_right_in_a_row(table):
    problem = encode(table.X, table.labels).problem
    solution = perceptron.online(problem, record=True, max_iter=10_000)
    assert solution.history.iterations == solution.history.trace.t[-1] + problem.n_rows


def test_reshuffled_order_stops_after_one_pass_without_mistakes(table):
    problem = encode(table.X, table.labels).problem
    solution = perceptron.online(problem, record=True, max_iter=10_000, rng=np.random.default_rng(0))
    assert solution.history.iterations == solution.history.passes * problem.n_rows
    last = solution.history.iterations - problem.n_rows
    assert solution.history.last_mistakes == 0
    assert last - problem.n_rows < solution.history.trace.t[-1] <= last


def test_every_order_is_as_likely_as_every_other():
    """After any pass over 4 rows: each of 24 orders 2,500 times of 60,000, give or take five standard deviations."""
    passes = np.concatenate([orders.order.copy() for orders in passes_of(4, np.random.default_rng(0), 60_001, 512)])
    seen_from_the_last = np.take_along_axis(passes[:-1].argsort(axis=1), passes[1:], axis=1)
    _, counts = np.unique(seen_from_the_last, axis=0, return_counts=True)
    assert len(counts) == 24
    assert np.abs(counts - 2500).max() < 5 * np.sqrt(2500)


def test_the_answer_does_not_depend_on_how_much_work_a_call_does(table, monkeypatch):
    """Passes are cut into calls so that Ctrl-C works; the cuts must not show."""
    problem = encode(table.X, table.labels).problem
    whole = {shuffled: solve(problem, shuffled) for shuffled in (False, True)}
    for entries in (1, 7 * problem.n_features, 3 * 80 * problem.n_features):
        monkeypatch.setattr("separatrix.rows.ENTRIES_A_CALL", entries)
        for shuffled, expected in whole.items():
            solution = solve(problem, shuffled)
            assert np.array_equal(solution.w, expected.w)
            run, wanted = solution.history, expected.history
            assert (run.iterations, run.mistakes, run.last_mistakes, run.passes) == (
                wanted.iterations, wanted.mistakes, wanted.last_mistakes, wanted.passes,
            )  # fmt: skip
            assert np.array_equal(run.trace.t, wanted.trace.t)


def test_a_batch_does_not_depend_on_the_cuts_or_the_order_of_rows(table, monkeypatch):
    problem = encode(table.X, table.labels).problem
    for passes in (1, 3, 10_000):
        whole = perceptron.batch(problem, max_iter=passes)
        backwards = encode(table.X[::-1], table.labels[::-1]).problem
        assert np.allclose(perceptron.batch(backwards, max_iter=passes).w, whole.w, rtol=1e-9)
        with monkeypatch.context() as cut:
            cut.setattr("separatrix.rows.ENTRIES_A_CALL", 7 * problem.n_features)
            parts = perceptron.batch(problem, max_iter=passes)
        assert np.array_equal(parts.w, whole.w)
        assert (parts.history.mistakes, parts.history.last_mistakes, parts.history.iterations) == (
            whole.history.mistakes, whole.history.last_mistakes, whole.history.iterations,
        )  # fmt: skip


def test_a_start_that_separates_is_kept():
    """By one unit in the last place: floats that round would not see it."""
    step = 2.0**-52
    problem = encode([[1.0], [1.0 + 4 * step]], [0, 1]).problem
    for solver in (perceptron.online, perceptron.batch):
        solution = solver(problem, start=np.array([1.0, -(1.0 + 2 * step)]))
        assert solution.history.mistakes == 0
        assert solution.certificate.proof


def test_a_row_that_floats_see_on_the_plane_is_told_from_it():
    """Summed in order, the first row scores 0; the truth is 1, so there is nothing to correct."""
    X = sparse.csr_array([[1e16, 1.0, 1e16], [0.0, -1.0, 0.0]])
    for y, start in (([1, 0], [1.0, 1.0, -1.0, 0.0]), ([0, 1], [-1.0, -1.0, 1.0, 0.0])):
        for solver in (perceptron.online, perceptron.batch):
            assert solver(encode(X, y).problem, start=np.array(start)).history.mistakes == 0


def test_the_largest_rates_do_not_matter_either():
    gate = samples.logic_gate("AND")
    model = Perceptron(learning_rate=2.0**530, shuffle=False).fit(gate.X, gate.labels)
    assert np.array_equal(model.coef_, 2.0**530 * Perceptron(shuffle=False).fit(gate.X, gate.labels).coef_)


def solve(problem, shuffled):
    rng = np.random.default_rng(0) if shuffled else None
    return perceptron.online(problem, record=True, max_iter=300, rng=rng)
