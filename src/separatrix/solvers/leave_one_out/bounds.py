"""Which rows may be wrong when they are left out, from the optimum of all rows alone: bounds of leave-one-out errors.

    support vectors   alpha_i > 0                                    a row with alpha = 0 changes nothing (Vapnik, 1995)
    xi-alpha          2 R^2 alpha_i + xi_i >= 1                      R^2 = max K_ii - min K_ij (Joachims, 2000)
    span              alpha_i S_i max(D, 1 / sqrt(c_i)) >= 1, or alpha_i = c_i             (Vapnik and Chapelle, 2000)

S_i is the distance of a free row from those combinations of the other free rows which could take over its alpha, and D
the diameter of a ball around all rows. As alpha_i falls to 0 the margin of row i falls by at most the squared distance
to any other free row a unit, which is at most 2 R^2 and at most D^2: hence the second bound. For the third, the dual
optimum loses at most alpha_i^2 S_i^2 / 2, and at least 1 / (2 D^2) if the row becomes wrong. Both need a free row
everywhere on the way, which determines b. Without an offset distances are those from the origin, and R^2 = max K_ii / 2
(Jaakkola and Haussler, 1999). Squared slacks are hard margins in the space of K + ridge. S_i is D where the combination
that is nearest to row i could not take over.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.kernels.tiles import slices
from separatrix.rows import Vector
from separatrix.solvers.leave_one_out.row_dual import RowDual

ROWS_AT_ONCE = 1024
ROUNDED_BOUND = 1e-9  # by which rounding may keep a row from a bound that it reaches


class Flagged(NamedTuple):
    """The rows that each bound counts."""

    support_vectors: np.ndarray
    xi_alpha: np.ndarray
    span: np.ndarray


class Geometry(NamedTuple):
    """2 R^2 of the range R of the kernel, and D^2 of the diameter D of a ball around all rows, both with the ridge."""

    twice_range: float
    diameter: float

    @classmethod
    def of(cls, rows: Any, support: np.ndarray, dual: RowDual) -> "Geometry":
        """Those of rows and some of them, the support rows; without an offset those of distances from the origin."""
        ridge = float(dual.ridge.max())
        largest = float(rows.diagonal.max())
        if not dual.fit_intercept or not support.size:
            return cls(largest + ridge, largest + ridge)
        everything, least, inside = np.arange(rows.diagonal.size), np.inf, 0.0
        sums: Vector = np.zeros(everything.size)
        for part in slices(support.size, ROWS_AT_ONCE):
            K = rows.between(support[part], everything)
            least, sums = min(least, float(K.min())), sums + K.sum(axis=0)
        inside = float(sums[support].sum()) / support.size**2
        squares = rows.diagonal - 2.0 * sums / support.size + inside  # of distances from the mean of the support rows
        return cls(2.0 * (largest - least + ridge), 4.0 * float(squares.max()) + 2.0 * ridge)


def flagged_variables(dual: RowDual, rows: Any, optimum: Any) -> Flagged:
    """The variables that each bound counts, at an optimum whose offset is determined on every way."""
    size = np.abs(optimum.beta)
    support = np.flatnonzero(size)
    square = Geometry.of(rows, support, dual)
    margins = np.where(optimum.beta > 0.0, 1.0, -1.0) * (optimum.scores + optimum.b)
    slack = np.zeros(size.size) if dual.ridge.any() else np.maximum(0.0, 1.0 - margins)
    xi_alpha = (size > 0.0) & (square.twice_range * size + slack >= 1.0 - ROUNDED_BOUND)
    span = size > 0.0
    if optimum.basis.size:
        bound = np.maximum(dual.upper, -dual.lower)[optimum.basis]
        factor = np.maximum(np.sqrt(square.diameter), 1.0 / np.sqrt(bound))
        spans = free_spans(dual, optimum, square.diameter)
        span[optimum.basis] = size[optimum.basis] * spans * factor >= 1.0 - ROUNDED_BOUND
    return Flagged(size > 0.0, xi_alpha, span)


def free_spans(dual: RowDual, optimum: Any, diameter: float) -> Vector:
    """S of each free row."""
    basis, T = optimum.basis, optimum.pivot.of_free()
    beta, own = optimum.beta[basis], T.diagonal()
    with np.errstate(divide="ignore", invalid="ignore"):
        others = beta[:, None] - T * (beta / own)  # of all free rows, without each
        low, high = np.minimum(dual.lower[basis], 0.0), np.maximum(dual.upper[basis], 0.0)
        inside = (others >= low[:, None] * (1.0 + ROUNDED_BOUND)) & (others <= high[:, None] * (1.0 + ROUNDED_BOUND))
        inside &= others * np.sign(beta)[:, None] >= -ROUNDED_BOUND * np.abs(beta).max()
        np.fill_diagonal(inside, True)
        squares = np.where(inside.all(axis=0) & (own > 0.0), 1.0 / own, diameter)
    return np.sqrt(np.minimum(squares, diameter))
