"""Exact arithmetic for the few rows whose side rounding leaves in doubt.

A double is a fraction with a power of two below the line. Sums of products of such fractions are computed by
python-flint without any rounding, so their sign is a proof. A number written as 0.1 means the double nearest to it.
"""

from typing import Any

from separatrix.rows import Vector


def fraction(value: float) -> Any:
    """The fraction that a double is."""
    from flint import fmpq  # loaded on first need: most certificates never are in doubt

    return fmpq(*float(value).as_integer_ratio())


def exact_score(x: Vector, w: Vector, b: float) -> Any:
    """w.x + b as an exact fraction.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.exact import exact_score
    >>> exact_score(np.array([1e16, 1.0, 1e16]), np.array([1.0, 1.0, -1.0]), 0.0)  # floats say 0
    1
    """
    pairs = ((x[j], w[j]) for j in x.nonzero()[0])
    return sum((fraction(value) * fraction(weight) for value, weight in pairs), fraction(b))
