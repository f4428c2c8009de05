"""What a solver answers."""

from dataclasses import dataclass
from typing import Any

from separatrix.problem.status import Status
from separatrix.rows import Vector


@dataclass(frozen=True, eq=False)
class History:
    """The record of a run; what only some solvers have is 0 or None elsewhere."""

    iterations: int  # steps of the solver: presentations of a row, or batches
    passes: int  # over the data
    mistakes: int = 0  # how often w changed for a row; for a perceptron, how often a row was on the wrong side
    last_mistakes: int = 0  # of these, how many were in the last pass
    trace: Any = None  # the recorded run, where that was asked for
    curve: Vector | None = None  # mean loss of each pass, each row's before its step, where that was asked for
    last: Vector | None = None  # [w, b] where the rule itself ended; the answer may be an average, or the best so far
    residuals: Vector | None = None  # what each row is off its target at the end, where a solver finds the targets too
    rank: int | None = None  # of the system that was solved, where there is one and it is known


@dataclass(frozen=True, eq=False)
class Solution:
    """A model, why to believe it, how the solver ended and how it got there.

    Parameters
    ----------
    model : Plane or Expansion
        What predicts.
    certificate : Certificate
        The claim, which `certificate.error(problem)` checks against the data.
    status : Status
        How the solver ended.
    history : History
        The record of the run.
    """

    model: Any
    certificate: Any
    status: Status
    history: History

    @property
    def w(self) -> Vector:
        """Normal of the plane, or one row for each of several."""
        return self.model.w

    @property
    def b(self) -> Any:
        """Offset of the plane, or of each of several."""
        return self.model.b

    @property
    def extended(self) -> Vector:
        """[w, b] in one array, as `start=` takes it."""
        return self.model.extended
