"""Keeping the best planes that a rule has passed through (Gallant, 1990), whatever the rule.

Errors are counted only until there are as many as with the best planes. Candidates meet a copy of the rows in half
the precision, which is put in order now and then, rows that are often wrong first: worse planes soon show themselves.
What that precision leaves in doubt is settled by the rows themselves.
"""

from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.compiling import inner
from separatrix.problem import Problem
from separatrix.rows import TILE, Rows, Vector
from separatrix.solvers.online.error_counts import count_errors

SOONEST, RAREST = 8, 1024  # how many times the rows are read before they are put in order again
ERRORS, FRUITLESS, READ, ENOUGH = range(4)


class Best(NamedTuple):
    """The best planes so far, and the rows in the order in which candidates meet them.

    `counts` are: the errors of the best planes, the steps without better ones since, the rows read since they were
    put in order, and how many to read until they are again. `tiles` are the rows over `unit`, with their targets;
    `order` says which rows they are, `tally` how often each was wrong of late. A score there is in doubt within
    `coarseness` times the length of the planes. `planes32` and `scores` are for work in progress.
    """

    planes: np.ndarray
    counts: np.ndarray
    patience: int
    unit: float
    coarseness: float
    tiles: Rows
    targets: np.ndarray
    order: np.ndarray
    tally: np.ndarray
    planes32: np.ndarray
    scores: np.ndarray

    @classmethod
    def of(cls, planes: Vector, problem: Problem, patience: int) -> "Best":
        """Begin with planes of which nothing is known, so that any are better."""
        n = problem.n_rows
        unit = 2.0 ** np.ceil(np.log2(problem.radius or 1.0))
        targets = problem.targets.astype(np.float32 if len(planes) == 1 else np.int32)
        return cls(
            planes=planes.copy(),
            counts=np.array([n + 1, 0, 0, SOONEST * n]),
            patience=patience,
            unit=unit,
            coarseness=(problem.n_features + 6) * 2.0**-22,  # twice what float32 can lose, for a difference of scores
            tiles=rows.tiled(problem.X, 1.0 / unit),
            targets=targets,
            order=np.arange(n),
            tally=np.zeros(n, dtype=np.int32),
            planes32=np.empty(planes.shape, dtype=np.float32),
            scores=np.empty((len(planes), TILE), dtype=np.float32),
        )

    def in_order(self, X: Rows) -> "Best":
        """Put the rows in order again if it is time."""
        if self.counts[READ] < self.counts[ENOUGH]:
            return self
        places = np.argsort(-self.tally, kind="stable")
        self.counts[READ], self.counts[ENOUGH] = 0, min(4 * self.counts[ENOUGH], RAREST * places.size)
        targets, order, tally = self.targets[places], self.order[places], self.tally[places] // 2
        tiles = rows.tiled(rows.take(X, order), 1.0 / self.unit)
        return self._replace(tiles=tiles, targets=targets, order=order, tally=tally)


@inner
def consider(X, W, rivals, best):
    """Keep the planes if they get fewer rows wrong than the best so far; returns whether to end the run."""
    errors, read = count_errors(X, W, rivals, best, best.counts[ERRORS])
    best.counts[READ] += read
    if errors < best.counts[ERRORS]:
        best.counts[ERRORS] = errors
        best.counts[FRUITLESS] = 0
        for j in range(W.shape[0]):
            for k in range(W.shape[1]):
                best.planes[j, k] = W[j, k]
        return errors == 0
    best.counts[FRUITLESS] += 1
    return best.counts[FRUITLESS] >= best.patience
