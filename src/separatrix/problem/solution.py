"""What a solver answers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.problem.status import Status
from separatrix.rows import Vector


@dataclass(frozen=True, eq=False)
class Solution:
    """Planes, how they were found, and why to believe them.

    Parameters
    ----------
    w : ndarray of shape (d,), or (n_classes, d) for more than two classes
        Normal of the plane.
    b : float, or ndarray of shape (n_classes,)
        Offset: g(x) = w.x + b.
    status : Status
        How the solver ended.
    certificate : Certificate
        The claim, which `certificate.error(problem)` checks against the data.
    iterations : int
        Steps of the solver: presentations of a row, or batches.
    passes : int
        How often it went through the data.
    mistakes : int
        How often w changed for a row; for a perceptron, how often a row was found on the wrong side.
    last_mistakes : int
        How many of these were in the last pass.
    trace : object or None
        The recorded run, where that was asked for.
    curve : ndarray or None
        Mean loss of each pass, each row's before its step, where that was asked for.
    alpha : ndarray or None
        Dual variable of each row, or of each row and plane, where the solver has any.
    last : ndarray or None
        [w, b] where the rule itself ended; the answer may be an average, or the best of what it passed through.
    rank : int or None
        Rank of the system that was solved, where there is one and it is known.
    """

    w: Vector
    b: float | Vector
    status: Status
    certificate: Any
    iterations: int
    passes: int
    mistakes: int = 0
    last_mistakes: int = 0
    trace: Any = None
    curve: Vector | None = None
    alpha: Vector | None = None
    last: Vector | None = None
    rank: int | None = None

    @property
    def extended(self) -> Vector:
        """[w, b] in one array, as `start=` takes it."""
        return np.concatenate([self.w, np.expand_dims(self.b, -1)], axis=-1)
