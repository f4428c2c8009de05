"""How a solver ended. The value of each member is the sentence that a user reads."""

from enum import Enum


class Status(Enum):
    """How a solver ended, in words.

    Examples
    --------
    >>> from separatrix.problem import Status
    >>> print(Status.SEPARATED)
    Every row lies strictly on its own side.
    """

    SEPARATED = "Every row lies strictly on its own side."
    WEAKLY_SEPARATED = "No row lies on the wrong side, and some lie on every plane that has none there."
    SOLVED = "The gap to what no plane can be below is within tol."
    STOPPED = "The iterations or the time that were allowed ended before the gap was within tol."
    ROUNDED = "Rounding errors keep the gap from coming within tol."
    SPANNED = "The plane is one in the span of as few rows as low_rank allows, and its gap is above tol."
    OVERLAPPING = "Rows that cancel prove that no plane separates the classes."
    STATIONARY = "The equations hold that only the optimum fulfils."
    UNSOLVED = "More is left of the equations than tol allows."
    SPENT = "All passes that max_iter allows were made, and rows are still on the wrong side."
    ENDED = "The rule made its passes; it makes no claim beyond the rows that it gets right."
    UNCHECKED = "The rows were not checked again, so nothing is claimed of them."

    def __str__(self) -> str:
        return self.value
