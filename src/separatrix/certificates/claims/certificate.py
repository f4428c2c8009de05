"""What every certificate can do.

A certificate is a frozen dataclass whose annotations say what its fields are: model files hold it by them. Two class
attributes tell files more, where there is need: `same_length` names arrays that have as many entries as each other,
`added_later` names fields that files of earlier versions do not have.
"""

from typing import Any, Protocol

from separatrix.problem import Problem


class Certificate(Protocol):
    """A claim about a fit, whose error is recomputed from the problem alone."""

    @property
    def proof(self) -> bool:
        """Whether it proves something; if not, its text says why."""

    @property
    def about_model(self) -> bool:
        """Whether the claim is about the planes that were fitted, not about the classes alone."""

    @property
    def plain(self) -> str:
        """What the claim means, in plain words for a reader of a report."""

    @property
    def stated(self) -> float:
        """The error when the claim was made, on the problem it was made for."""

    def error(self, problem: Problem) -> float:
        """How wrong the claim can be at most, from the problem alone."""

    def restated(self, problem: Problem) -> Any:
        """The claim with every figure that its text shows computed from the problem, whatever it said before."""
