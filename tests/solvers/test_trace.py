"""A recorded run can be repeated to the last bit."""

import numpy as np
import pytest
from scipy import sparse

from separatrix.data import encode, samples
from separatrix.solvers.online import perceptron

WINE = samples.builtin("wine")
TABLES = {
    "two classes": samples.planted_margin(60, 4, ratio=0.02, seed=0)[0],
    "overlapping": samples.gaussian_pair(0.5, 60, seed=0),
    "several classes": WINE,
}


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("solver", [perceptron.online, perceptron.batch])
@pytest.mark.parametrize("name", TABLES)
def test_the_last_iterate_is_the_solution(name, solver, storage):
    table = TABLES[name]
    problem = encode(storage(table.X), table.labels).problem
    solution = solver(problem, record=True, max_iter=7, learning_rate="inverse")
    iterates = list(solution.history.trace.iterates())
    assert np.array_equal(iterates[-1], solution.extended)
    assert not iterates[0].any()
    assert len(solution.history.trace) == solution.history.mistakes
    steps = len(np.unique(solution.history.trace.t)) if solver is perceptron.batch else solution.history.mistakes
    assert len(iterates) == 1 + steps


def test_every_recorded_row_was_wrong_when_it_came():
    table = TABLES["overlapping"]
    problem = encode(table.X, table.labels).problem
    trace = perceptron.online(problem, record=True, max_iter=3).history.trace
    for w, row in zip(trace.iterates(), trace.row, strict=False):
        assert problem.signs[row] * (problem.X[row] @ w[:2] + w[2]) <= 0


def test_a_run_without_mistakes_has_an_empty_trace():
    table = TABLES["two classes"]
    problem = encode(table.X, table.labels).problem
    start = perceptron.online(problem, max_iter=10_000).extended
    for solver in (perceptron.online, perceptron.batch):
        trace = solver(problem, start=start, record=True).history.trace
        assert len(trace) == 0
        assert [w.tolist() for w in trace.iterates()] == [start.tolist()]
