"""A sample of the rows of all blocks, which depends on their numbers alone, not on how they are cut into blocks."""

import numpy as np

from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem, Census
from separatrix.problem.fold import Fold
from separatrix.rows import Vector
from separatrix.solvers.blocks.gathered_rows import GatheredRows

MIN_SHARE = 0.1  # of the sample that the smaller class has at least, where it has so many rows


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
    wanted = np.maximum(size * counts / counts.sum(), MIN_SHARE * size)
    return np.minimum(1.0, wanted / np.maximum(counts, 1.0))


def sample_fold(problem: BlockedProblem, size: int, seed: int = 0) -> Fold:
    """A pass that gathers about `size` rows of all classes, whose costs count for the rows that were left out.

    The value of each is how many rows it stands for.
    """
    rates, weights = sample_rates(problem.census, size), np.array(problem.census.weights)
    counts = np.array(problem.census.counts, dtype=np.float64)

    def tally(block: Problem, first: int) -> GatheredRows:
        draws = uniform_numbers(first, block.n_rows, seed)
        index = np.flatnonzero(draws < rates[block.y])
        return GatheredRows.of(block, first, index, draws[index])

    def verdict(found: GatheredRows) -> GatheredRows:
        drawn, number = np.bincount(found.y, found.cost, counts.size), np.bincount(found.y, minlength=counts.size)
        share, value = weights / np.where(drawn > 0.0, drawn, 1.0), counts / np.maximum(number, 1)
        return found._replace(cost=found.cost * share[found.y], value=value[found.y])

    return Fold(tally, GatheredRows.merged, verdict)
