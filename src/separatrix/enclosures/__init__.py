"""Numbers that are computed with a proved bound on their rounding error: intervals, sums, products with rows."""

from separatrix.enclosures.interval import Interval
from separatrix.enclosures.products import Enclosed, enclosed_combination, enclosed_scores
from separatrix.enclosures.sums import enclosed_dot, enclosed_square, enclosed_sum

__all__ = [
    "Enclosed",
    "Interval",
    "enclosed_combination",
    "enclosed_dot",
    "enclosed_scores",
    "enclosed_square",
    "enclosed_sum",
]
