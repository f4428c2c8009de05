"""The best planes so far of the pocket algorithm, and a copy of the rows on which candidates are compared with them.

Errors are counted only until there are as many as with the best planes. The copy is in single precision, and it is
sorted now and then, those often misclassified first, so that worse planes are rejected after few rows. Rows whose side
that precision cannot tell are counted in twice the precision of float64.
"""

from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.problem import Problem
from separatrix.rows import TILE, Rows, Vector

MIN_READS, MAX_READS = 8, 1024  # how many times each row is read on average before the rows are sorted again
ERRORS, UNIMPROVED, READ, SORT_AT = range(4)


class Best(NamedTuple):
    """The best planes so far, and the rows in the order in which candidates are compared on them.

    `counts` are: the errors of the best planes, the corrections without better ones since, the rows read since they
    were sorted, and after how many they are sorted again. `tiles` are the rows over `unit`, with their targets;
    `order` says which rows they are, `n_errors` how often each was misclassified of late. Scores there have a rounding
    error of at most `relative_rounding` times the length of the planes. `planes32` and `scores` are work space.
    """

    planes: np.ndarray
    counts: np.ndarray
    patience: int
    unit: float
    relative_rounding: float
    tiles: Rows
    targets: np.ndarray
    order: np.ndarray
    n_errors: np.ndarray
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
            counts=np.array([n + 1, 0, 0, MIN_READS * n]),
            patience=patience,
            unit=unit,
            relative_rounding=(problem.n_features + 6) * 2.0**-22,  # float32, two scores
            tiles=rows.tiled(problem.X, 1.0 / unit),
            targets=targets,
            order=np.arange(n),
            n_errors=np.zeros(n, dtype=np.int32),
            planes32=np.empty(planes.shape, dtype=np.float32),
            scores=np.empty((len(planes), TILE), dtype=np.float32),
        )

    def in_order(self, X: Rows) -> "Best":
        """Sort the rows again, by how often they were misclassified, if enough were read."""
        if self.counts[READ] < self.counts[SORT_AT]:
            return self
        places = np.argsort(-self.n_errors, kind="stable")
        self.counts[READ], self.counts[SORT_AT] = 0, min(4 * self.counts[SORT_AT], MAX_READS * places.size)
        targets, order, n_errors = self.targets[places], self.order[places], self.n_errors[places] // 2
        tiles = rows.tiled(rows.take(X, order), 1.0 / self.unit)
        return self._replace(tiles=tiles, targets=targets, order=order, n_errors=n_errors)
