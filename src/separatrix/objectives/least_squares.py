"""The objective of least squares with a target for each class, or for each row (Legendre, 1805; Gauss, 1809).

    minimise  sum_i c_i ||t_i - W'x_i - b||^2 + ridge ||W||^2            b is not penalised

Its optimum is where the normal equations hold, which a certificate recomputes from the rows: `normal_equations`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.errors import OptionError
from separatrix.rows import Vector


@dataclass(frozen=True)
class LeastSquares:
    """The objective: the penalty, and the target of each class, a row of numbers; none where rows have their own.

    Examples
    --------
    >>> from separatrix.objectives import LeastSquares
    >>> LeastSquares.of(0.5, None, n_classes=2)
    LeastSquares(ridge=0.5, targets=((-1.0,), (1.0,)))
    >>> LeastSquares.of(0.5, [-1, 1], n_classes=2).formula
    'minimise sum c (t - w.x - b)^2 + 0.5 ||w||^2'
    >>> LeastSquares(0.0).formula  # numbers y
    'minimise sum c (y - w.x - b)^2'
    """

    ridge: float
    targets: tuple[tuple[float, ...], ...] = ()

    @classmethod
    def of(cls, ridge: float, targets: Any, n_classes: int) -> "LeastSquares":
        """The objective with these targets; None: -1 and 1, or for more classes 1 for the own one and 0 for others."""
        return cls(ridge, tuple(map(tuple, checked_targets(targets, n_classes).tolist())))

    @property
    def formula(self) -> str:
        """What is minimised, as text for people."""
        penalty = f" + {self.ridge:g} ||w||^2" if self.ridge else ""
        return f"minimise sum c ({'t' if self.targets else 'y'} - w.x - b)^2{penalty}"


def checked_targets(targets: Any, n_classes: int) -> Vector:
    """One row of targets for each class, no two alike; no row where there are no classes."""
    if not n_classes:
        if targets is not None:
            raise OptionError(f"The 'targets' parameter is for classes, and these rows have numbers. Got {targets!r}.")
        return np.empty((0, 1))
    if targets is None:
        return np.array([[-1.0], [1.0]]) if n_classes == 2 else np.eye(n_classes)
    try:
        given = np.array(targets, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    given = given[:, None] if given.ndim == 1 else given
    if given.ndim != 2 or len(given) != n_classes or not np.isfinite(given).all():
        raise OptionError(
            "The 'targets' parameter must hold a finite number, or a row of them, for each of the "
            f"{n_classes} classes. Got {targets!r}."
        )
    if len(np.unique(given, axis=0)) < n_classes:
        raise OptionError(f"The 'targets' parameter must hold a target of its own for each class. Got {targets!r}.")
    return given
