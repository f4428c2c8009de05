"""Columns in units of their own size.

    x_j = centre_j + unit_j z_j,     |z_j| < 2 or so,     unit_j a power of two

A power of two changes no digit, so a plane found for rows in these units is as exact in the user's.
"""

from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.products import combination, parts
from separatrix.rows import CSR, Rows, Vector


class Scaling(NamedTuple):
    """Centre of each column, and its unit, a power of two.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem.scaling import Scaling
    >>> scaling = Scaling.of(np.array([[1000.0, 0.1], [1006.0, 0.2]]), np.ones(2))
    >>> scaling.centre.round(9).tolist(), scaling.unit.tolist()  # 3 reaches past 2, 0.05 past 1/32
    ([1003.0, 0.15], [2.0, 0.03125])
    """

    centre: Vector
    unit: Vector

    @classmethod
    def of(cls, X: Rows, weights: Vector, centred: bool = True) -> "Scaling":
        """Mean of each column, the rows weighted, or 0; and the power of two next below how far it reaches."""
        centre = combination(X, weights / weights.sum()) if centred else np.zeros(rows.n_columns(X))
        reach = np.zeros(centre.size)
        if isinstance(X, CSR):
            np.maximum.at(reach, X.indices, np.abs(X.data - centre[X.indices]))
            stored = np.bincount(X.indices, minlength=centre.size)
            reach = np.where(stored < rows.n_rows(X), np.maximum(reach, np.abs(centre)), reach)
        else:
            for _, matrix in parts(X):
                np.maximum(reach, np.abs(matrix - centre).max(axis=0, initial=0.0), out=reach)
        still = ~(reach > 0.0)
        _, exponent = np.frexp(np.where(still, 1.0, reach))
        return cls(centre, np.where(still, 1.0, np.ldexp(1.0, exponent - 1)))

    def scaled(self, X: Rows) -> Rows:
        """The rows in these units, not centred: zeros stay zeros."""
        if isinstance(X, CSR):
            return CSR(X.data / self.unit[X.indices], X.indices, X.indptr, X.n_columns)
        return X / self.unit
