"""Why to believe a fit: claims whose error is recomputed from the problem alone."""

from typing import Any, Protocol

from separatrix.certificates.claims.collected import Collected
from separatrix.certificates.claims.duality_gap import DualityGap
from separatrix.certificates.claims.nearest_point import NearestPoint
from separatrix.certificates.claims.overlap import Overlap
from separatrix.certificates.claims.separator import Separator
from separatrix.certificates.claims.stationary import Stationary
from separatrix.certificates.claims.unproved import Unproved
from separatrix.certificates.claims.weak_separator import WeakSeparator
from separatrix.problem import Problem


class Certificate(Protocol):
    """What every certificate can do."""

    @property
    def proof(self) -> bool:
        """Whether it proves something; if not, its text says why."""

    @property
    def stated(self) -> float:
        """The error when the claim was made, on the problem it was made for."""

    def error(self, problem: Problem) -> float:
        """How wrong the claim can be at most, from the problem alone."""

    def restated(self, problem: Problem) -> Any:
        """The claim with every figure that its text shows computed from the problem, whatever it said before."""


__all__ = [
    "Certificate",
    "Collected",
    "DualityGap",
    "NearestPoint",
    "Overlap",
    "Separator",
    "Stationary",
    "Unproved",
    "WeakSeparator",
]
