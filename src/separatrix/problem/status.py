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
    SPENT = "max_iter was spent while rows were still on the wrong side."
    PARTIAL = "One pass was made over these rows; more may follow."

    def __str__(self) -> str:
        return self.value
