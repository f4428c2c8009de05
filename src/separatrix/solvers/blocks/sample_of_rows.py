"""A sample of the rows of all blocks, which depends on their numbers alone, not on how they are cut into blocks."""

import numpy as np

from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem, Census
from separatrix.problem.fold import Fold
from separatrix.rows import Vector
from separatrix.solvers.blocks.gathered_rows import GatheredRows

MIN_SHARE = 0.25  # part of what would be its due, were all alike, that a class has at least, where it has so many rows
MAX_ROWS, MIN_ROWS, MAX_ENTRIES = 20_000, 2_000, 2**23  # of a sample; all rows where these are no more


def uniform_numbers(first: int, count: int, seed: int) -> Vector:
    """A number from 0 to 1 for each of `count` rows from number `first` on (splitmix64: Steele, Lea and Flood, 2014).

    >>> bool((uniform_numbers(0, 5, 7)[2:] == uniform_numbers(2, 3, 7)).all())
    True
    """
    with np.errstate(over="ignore"):
        z = np.arange(first + 1, first + count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z += np.uint64((seed * 0xD1342543DE82EF95) % 2**64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) * 2.0**-53


def sample_rates(census: Census, size: int) -> Vector:
    """Which part of each class to take, for a sample of about so many rows."""
    counts = np.array(census.counts, dtype=np.float64)
    if counts.sum() <= size:
        return np.ones(counts.size)
    wanted = np.maximum(size * counts / counts.sum(), MIN_SHARE * size / counts.size)
    return np.minimum(1.0, wanted / np.maximum(counts, 1.0))


def sample_fold(problem: BlockedProblem, size: int, seed: int = 0) -> Fold:
    """A pass that gathers about `size` rows of all classes, whose costs count for the rows that were left out.

    Each class keeps its total weight. The value of each row is how many rows it stands for. Numbers are of one class.
    """
    rates, weights = sample_rates(problem.census, size), np.array(problem.census.weights)
    counts = np.array(problem.census.counts, dtype=np.float64)

    def tally(block: Problem, first: int) -> GatheredRows:
        draws = uniform_numbers(first, block.n_rows, seed)
        index = np.flatnonzero(draws < rates[classes_of(block.y)])
        return GatheredRows.of(block, first, index, draws[index])

    def verdict(found: GatheredRows) -> GatheredRows:
        y = classes_of(found.y)
        drawn, number = np.bincount(y, found.cost, counts.size), np.bincount(y, minlength=counts.size)
        share = np.where(number < counts, weights / np.where(drawn > 0.0, drawn, 1.0), 1.0)
        return found._replace(cost=found.cost * share[y], value=(counts / np.maximum(number, 1))[y])

    return Fold(tally, GatheredRows.merged, verdict)


def classes_of(y: np.ndarray) -> np.ndarray:
    """The class of each row; numbers are of one class."""
    return y if y.dtype.kind == "i" else np.zeros(y.size, dtype=np.int64)


def sample(problem: BlockedProblem) -> Problem:
    """Some of the rows, as many as are worth it to begin with.

    >>> from separatrix.data.blocks import read_blocks
    >>> X = np.zeros((100_000, 50)) + np.arange(100_000)[:, None]
    >>> few = sample(read_blocks(X, X[:, 0] < 9.0).encoded().problem)  # nine rows of class 1
    >>> 19_000 < few.n_rows < 21_000, int(few.y.sum()), round(few.cost[few.y == 0].sum())
    (True, 9, 99991)
    """
    size = max(MIN_ROWS, min(MAX_ROWS, MAX_ENTRIES // (problem.n_features + 1)))
    found: GatheredRows = problem.over(sample_fold(problem, size))
    return found.problem(problem.fit_intercept, problem.objective, problem.n_classes)
