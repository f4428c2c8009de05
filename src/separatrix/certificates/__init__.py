"""Why to believe a fit: claims whose error is recomputed from the problem alone."""

from separatrix.certificates.claims.certificate import Certificate
from separatrix.certificates.claims.collected import Collected
from separatrix.certificates.claims.duality_gap import DualityGap
from separatrix.certificates.claims.interior_overlap import InteriorOverlap
from separatrix.certificates.claims.minimum_errors import MinimumErrors
from separatrix.certificates.claims.nearest_point import NearestPoint
from separatrix.certificates.claims.overlap import Overlap
from separatrix.certificates.claims.separator import Separator
from separatrix.certificates.claims.stationary import Stationary
from separatrix.certificates.claims.unproved import Unproved
from separatrix.certificates.claims.weak_separator import WeakSeparator

# The certificates that a model file may hold, with the records that their fields are annotated with.
CERTIFICATES: tuple[type, ...] = (
    Collected,
    DualityGap,
    InteriorOverlap,
    MinimumErrors,
    NearestPoint,
    Overlap,
    Separator,
    Stationary,
    Unproved,
    WeakSeparator,
)

__all__ = [
    "CERTIFICATES",
    "Certificate",
    "Collected",
    "DualityGap",
    "InteriorOverlap",
    "MinimumErrors",
    "NearestPoint",
    "Overlap",
    "Separator",
    "Stationary",
    "Unproved",
    "WeakSeparator",
]
