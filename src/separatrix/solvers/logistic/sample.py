"""A stratified sample of the rows, whose optimum is near that of all."""

from dataclasses import replace

import numpy as np

from separatrix.rows import TINY, take
from separatrix.solvers.logistic.design import Design
from separatrix.solvers.logistic.scaled_objective import ScaledObjective

SAMPLE_ROWS_A_COLUMN = 20  # rows of a sample for each column at least; of fewer the Hessian is too far from that of all


def subsample(F: ScaledObjective) -> ScaledObjective:
    """F on a stratified sample, in which each class keeps its total weight; of a rare class all rows are taken."""
    problem, columns = F.design.problem, F.columns
    n, k = problem.n_rows, problem.n_classes
    # a twentieth of the rows at least; 80 for each column, if these are a fifth of the rows at most
    size = min(n // 2, max(SAMPLE_ROWS_A_COLUMN * columns, n // 20, min(80 * columns, n // 5)))
    rng = np.random.default_rng(0)  # any sample leads to the same answer
    index, cost = [], []
    for c in range(k):
        own = np.flatnonzero(problem.y == c)
        count = min(own.size, max(size * own.size // n, size // (4 * k)))
        places = (np.arange(count) + rng.random(count)) * (own.size / max(count, 1))  # from all over the class
        taken = own[np.minimum(places.astype(np.int64), own.size - 1)]
        index.append(taken)
        cost.append(problem.cost[taken] * (problem.cost[own].sum() / max(problem.cost[taken].sum(), TINY)))
    rows, costs = np.concatenate(index), np.concatenate(cost)
    fewer = replace(problem, X=take(problem.X, rows), y=problem.y[rows], cost=costs)
    return ScaledObjective.of(Design(fewer, F.design.coordinates))
