"""The question of regression: rows, and a number for each to be predicted by g(x) = w.x + b."""

from dataclasses import dataclass

import numpy as np

from separatrix import rows
from separatrix.errors import DataError
from separatrix.problem.problem import Measured
from separatrix.rows import Rows, Vector


@dataclass(frozen=True, eq=False, repr=False)
class Regression(Measured):
    """Numbers that solvers may trust and cannot change.

    Parameters
    ----------
    X : ndarray of shape (n, d) or CSR
        The rows, float32 or float64.
    y : ndarray of float
        What is to be predicted for each row.
    fit_intercept : bool
        Whether g has an offset b.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Regression
    >>> Regression(np.array([[1.0], [2.0], [3.0]]), np.array([2.5, 5.0, 7.5]))
    Regression(3 rows x 1 feature, dense)
    """

    X: Rows
    y: Vector
    fit_intercept: bool = True

    def __post_init__(self) -> None:
        """Check that the parts fit together, and lock them."""
        if np.shape(self.y) != (rows.n_rows(self.X),):
            raise DataError(f"There are {rows.n_rows(self.X)} rows, but the targets have the shape {np.shape(self.y)}.")
        object.__setattr__(self, "X", rows.locked(self.X))
        object.__setattr__(self, "y", rows.read_only(np.asarray(self.y, dtype=np.float64)))

    def __repr__(self) -> str:
        return f"Regression({self.shape}, {self.storage})"

    @property
    def n_planes(self) -> int:
        """One plane."""
        return 1

    @property
    def targets(self) -> Vector:
        """What rules are shown of each row: its number."""
        return self.y
