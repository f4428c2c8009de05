"""The robust linear program, from raw data."""

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import _num_samples

from separatrix.data.encode import Encoded, encode
from separatrix.errors import DataError
from separatrix.estimators.base import warn_not_certified
from separatrix.solvers.options import flag
from separatrix.solvers.separation.robust_lp import RobustPlane, robust_lp

MAX_GAP = 1e-6  # relative; above it the plane is not taken for optimal


def robust_linear_program(X: Any, y: Any, *, sample_weight: Any = None, fit_intercept: bool = True) -> RobustPlane:
    """Find the plane with the least mean slack of one class plus mean slack of the other.

    The value is 0 exactly where a plane separates the classes strictly, and then this one does. Otherwise the plane is
    the best by a measure that a large class cannot outvote a small one in (Bennett and Mangasarian, 1992). The plane
    w = 0 has the value 2.

    Parameters
    ----------
    X : array, scipy.sparse matrix or frame of shape (n, d)
        The rows.
    y : array of n labels
        Their classes, two of them.
    sample_weight : array of n numbers or None
        Weights in the mean of each class: a weight of 2 is the same as the row twice, 0 the same as no such row.
    fit_intercept : bool
        Whether the plane has an offset.

    Returns
    -------
    RobustPlane
        The plane `w`, `b`, its `value`, the `slacks` of the rows (0 for those of no weight), the number of `errors`,
        and a `certificate` that bounds the value of every other plane.

    Notes
    -----
    Where several planes are optimal, the one with the shortest w is returned, each column in units of its own size.
    The solver is that of `LinearSVM` with C so large that the penalty decides only that.

    Examples
    --------
    >>> from separatrix import robust_linear_program
    >>> plane = robust_linear_program([[0], [1], [2], [3], [4], [5]], list("aababb"))
    >>> round(plane.value, 9), plane.errors, plane.certificate.proof
    (0.888888889, 2, True)
    >>> robust_linear_program([[0, 0], [1, 1], [0, 1], [1, 0]], list("aabb")).value  # no plane helps
    2.0
    """
    encoded = two_classes(X, y, fit_intercept, "robust_linear_program", sample_weight)
    plane = robust_lp(encoded.problem)
    if not plane.certificate.stated <= MAX_GAP:
        warn_not_certified(
            f"robust_linear_program reached a gap of {plane.certificate.stated:.2g}, where {MAX_GAP:g} is usual: the "
            f"value is {plane.value:.6g} and may be as low as {plane.certificate.dual:.6g}. Rounding hides whether the "
            "classes touch; scale the features or look for columns that nearly repeat others."
        )
    slacks = np.zeros(_num_samples(y))
    slacks[encoded.kept] = plane.slacks
    return replace(plane, slacks=slacks)


def two_classes(X: Any, y: Any, fit_intercept: Any, name: str, sample_weight: Any = None) -> Encoded:
    """Encode data of two classes for a function of the given name."""
    encoded = encode(X, y, sample_weight=sample_weight, fit_intercept=flag("fit_intercept", fit_intercept))
    if encoded.classes.size != 2:
        raise DataError(
            f"{name} puts one plane between two classes, but y holds {encoded.classes.size}: "
            f"{encoded.classes.tolist()[:5]}. Take two at a time, or one against the rest, as y == label."
        )
    return encoded
