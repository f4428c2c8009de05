"""A stratified sample of rows in blocks, in memory: each task chooses rows by the number of its first row alone."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from separatrix import rows
from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.products import as_matrix, dense_rows
from separatrix.rows import CSR, TINY, Vector

MAX_ROWS, MIN_ROWS, MAX_ENTRIES = 20_000, 2_000, 2**23  # of a sample; all rows where these are no more


class Chosen(NamedTuple):
    """Some rows, their classes and costs."""

    X: Any
    y: np.ndarray
    cost: Vector

    def merged(self, other: "Chosen") -> "Chosen":
        """The rows of both, sparse where all of them are."""
        y, cost = np.append(self.y, other.y), np.append(self.cost, other.cost)
        if not (isinstance(self.X, CSR) and isinstance(other.X, CSR)):
            return Chosen(np.vstack([dense_rows(X, np.arange(rows.n_rows(X))) for X in (self.X, other.X)]), y, cost)
        both = sparse.vstack([as_matrix(self.X), as_matrix(other.X)], format="csr")
        return Chosen(CSR(both.data, both.indices, both.indptr, both.shape[1]), y, cost)


def sample(problem: BlockedProblem) -> Problem:
    """Some of the rows, in which each class keeps its total weight; of a rare class all rows are taken.

    >>> from separatrix.data.blocks import read_blocks
    >>> X = np.zeros((100_000, 50)) + np.arange(100_000)[:, None]
    >>> few = sample(read_blocks(X, X[:, 0] < 9.0).encoded().problem)  # nine rows of class 1
    >>> 19_000 < few.n_rows < 21_000, int(few.y.sum()), round(few.cost[few.y == 0].sum())
    (True, 9, 99991)
    """
    counts = np.array(problem.census.counts, dtype=np.float64)
    size = max(MIN_ROWS, min(MAX_ROWS, MAX_ENTRIES // (problem.n_features + 1)))
    wanted = np.maximum(size * counts / max(problem.n_rows, 1), size / (4.0 * counts.size))
    share = np.ones(counts.size) if problem.n_rows <= size else wanted / np.maximum(counts, 1.0)

    def choose(block: Problem, first: int) -> Chosen:
        rng = np.random.default_rng([0, first])  # any sample leads to the same answer
        index = np.flatnonzero(rng.random(block.n_rows) < share[block.y])
        return Chosen(rows.take(block.X, index), block.y[index], block.cost[index])

    found = problem.over(Fold(choose, Chosen.merged, lambda chosen: chosen))
    cost = found.cost
    if (share < 1.0).any():
        chosen = np.bincount(found.y, cost, counts.size)
        cost = cost * (np.array(problem.census.weights) / np.maximum(chosen, TINY))[found.y]
    return Problem(found.X, found.y, problem.n_classes, cost, problem.fit_intercept, problem.objective)
