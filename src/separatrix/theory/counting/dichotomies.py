"""All dichotomies of some points that a plane can make, each decided in exact arithmetic.

Points are added one by one. A plane for the points so far puts the next one on one side, so that label needs no
further decision; for the other label either a plane is found or rows that cancel, which prove that there is none
(`solvers.separation.exact_simplex`). Dichotomies of the first points that are not separable are never extended, so
there are at most as many decisions as separable dichotomies of 1, 2, ..., n points, not 2^n.
"""

from collections.abc import Iterator

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.rows import Vector
from separatrix.solvers.separation.exact_simplex import origin_in_hull


def dichotomies(X: Vector, homogeneous: bool) -> Iterator[np.ndarray]:
    """All vectors of labels -1 and +1 for which a plane has every row of X strictly on its own side.

    >>> [labels.tolist() for labels in dichotomies(np.array([[0.0], [1.0], [2.0]]), True)]  # the origin is on no side
    []
    >>> sum(1 for _ in dichotomies(np.array([[0.0], [1.0], [2.0]]), False))  # 2 n
    6
    """
    Z = exact.scaled_integers(X if homogeneous else np.column_stack([X, np.ones(len(X))]))[0]
    if not any(Z[0]):
        return
    stack: list[tuple[list[int], IntegerVector]] = [([1], list(Z[0]))]
    while stack:
        labels, v = stack.pop()
        if len(labels) == len(Z):
            yield np.array(labels)
            yield -np.array(labels)
            continue
        stack += extensions(Z, labels, v)


def extensions(
    Z: list[IntegerVector], labels: list[int], v: IntegerVector
) -> Iterator[tuple[list[int], IntegerVector]]:
    """The labels of one point more that planes can make, each with a vector that is positive on all signed rows."""
    z = Z[len(labels)]
    side = sum(a * b for a, b in zip(z, v, strict=True))
    for label in (1, -1):
        longer = [*labels, label]
        if label * side > 0:
            yield longer, v
        else:
            found = separating_vector(Z, longer)
            if found is not None:
                yield longer, found


def separating_vector(Z: list[IntegerVector], labels: list[int]) -> IntegerVector | None:
    """An integer vector v with label <z, v> > 0 for each of the first rows of Z, or None where there is none.

    >>> separating_vector([[0, 1], [1, 1], [2, 1]], [1, -1, 1]) is None
    True
    """
    signed = [[label * k for k in row] for label, row in zip(labels, Z, strict=False)]
    return origin_in_hull(signed).v
