"""The support rows of fitted kernel machines: what is published of them.

Support rows are in the order of their classes, and `dual_coef_` has their coefficients in scikit-learn's order of
pairs: row r holds those of the pair with the r-th other class.
"""

from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.problem import Problem
from separatrix.rows import Vector


class Placed(NamedTuple):
    """The support rows of all pairs in order of their class, and the coefficients of each pair."""

    rows: np.ndarray
    coefficients: Vector


def placed(certificates: Any, problem: Problem, code: np.ndarray) -> Placed:
    """Gather the support rows of the certificates of all pairs, without those whose coefficients are all 0."""
    numbers = [np.flatnonzero(side[problem.y]) for side in code.T]
    parts = [(own[rows_of(claim)], claim.w) for own, claim in zip(numbers, certificates, strict=True)]
    used = np.unique(np.concatenate([rows[w != 0.0] for rows, w in parts]))
    used = used[np.argsort(problem.y[used], kind="stable")]
    place = np.full(problem.n_rows, -1)
    place[used] = np.arange(used.size)
    coefficients = np.zeros((len(parts), used.size))
    for pair, (rows, w) in enumerate(parts):
        coefficients[pair, place[rows[w != 0.0]]] = w[w != 0.0]
    return Placed(used, coefficients)


def rows_of(claim: Any) -> Any:
    """The rows whose coefficients a claim is about."""
    return claim.support if isinstance(claim, DualityGap) else getattr(claim, "coefficients_of", None)


def in_order_of_pairs(coefficients: Vector, codes: np.ndarray, n_classes: int) -> Vector:
    """Coefficients of pairs as scikit-learn has them: row r is that of the pair with the r-th other class.

    There the first class of a pair is the positive one, but for two classes the second.
    """
    if n_classes == 2:
        return coefficients
    into = np.zeros((n_classes - 1, codes.size))
    pairs = [(i, j) for i in range(n_classes) for j in range(i + 1, n_classes)]
    for row, (i, j) in zip(-coefficients, pairs, strict=True):
        into[j - 1, codes == i], into[i, codes == j] = row[codes == i], row[codes == j]
    return into
