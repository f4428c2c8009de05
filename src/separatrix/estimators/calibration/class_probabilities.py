"""Probabilities of several classes from those of the two-class questions of a code."""

from collections.abc import Sequence

import numpy as np

from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
from separatrix.rows import Vector
from separatrix.solvers.calibration.bradley_terry import bradley_terry
from separatrix.solvers.calibration.pairwise_coupling import pairwise_coupling


def class_probabilities(found: Sequence[Vector], code: np.ndarray) -> Vector:
    """Probabilities of the classes; `found` has for each column those of its negative and its positive side.

    Those of each class against the rest are divided by their sum, pairs are coupled, and those of any other code are
    explained by the most likely distribution.

    >>> sides = [np.array([[0.4, 0.6]]), np.array([[0.7, 0.3]]), np.array([[0.9, 0.1]])]
    >>> class_probabilities(sides, one_vs_rest(3)).round(9).tolist()
    [[0.6, 0.3, 0.1]]
    """
    k = len(code)
    if k == 2:
        return found[0]
    if np.array_equal(code, one_vs_rest(k)):
        return normalized(np.column_stack([both[:, 1] for both in found]))
    if not np.array_equal(code, one_vs_one(k)):
        return bradley_terry(np.column_stack([both[:, 1] for both in found]), code)
    pairs = np.zeros((len(found[0]), k, k))
    for both, side in zip(found, code.T, strict=True):
        i, j = int(side.argmin()), int(side.argmax())
        pairs[:, i, j], pairs[:, j, i] = both.T
    return pairwise_coupling(pairs)


def normalized(shares: Vector) -> Vector:
    """Rows divided by their sums; one that is all 0 says nothing, so that all classes are equally probable.

    >>> normalized(np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.0], [0.0, 0.0, 0.0]])).round(3).tolist()
    [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0], [0.333, 0.333, 0.333]]
    """
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, shares, 1.0) / np.where(total > 0.0, total, shares.shape[1])
