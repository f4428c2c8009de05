"""A code that is adapted to the data: classes that are easily confused get codewords that are far apart.

Two Gaussian classes with independent features of one variance each are told apart at best with the error

    e_rs = Phi(-D_rs / 2),        D_rs^2 = sum_j (m_rj - m_sj)^2 / v_j,

where m_r are the means of a class and v the variances within classes. As features are seldom independent, all D are
divided by one number, such that the median pair of classes has an error of 10 %. The local search makes a code in which
each pair matters by its error, and q is that of bits with the median error: after the data-driven
codes of Zhou, Peng and Suen (2008), who choose columns by how well they can be learnt, with the errors of pairs of
classes in place of those of columns.
"""

import numpy as np
from scipy.special import ndtr, ndtri

from separatrix.estimators.reduction.codes.local_search import far_apart
from separatrix.rows import Vector

MEDIAN_ERROR = 0.1
LOG_Q = float(np.log(2.0 * np.sqrt(MEDIAN_ERROR * (1.0 - MEDIAN_ERROR))))
MIN_ERROR = 1e-3  # so that no pair is taken for one that cannot be confused
MIN_WITHIN = 1e-4  # of the whole variance of a feature: within classes, a feature is never taken to vary less
DIGITS = 9  # of D that count: the order of the rows is no reason for another code


def adapted_code(separation: Vector, length: int, random: np.random.Generator) -> np.ndarray:
    """A code of this length for classes whose means are D_rs apart.

    >>> from separatrix.estimators.reduction.codes.distance import distances
    >>> separation = np.full((10, 10), 4.0)
    >>> separation[0, 1] = separation[1, 0] = 0.5  # these two are easily confused
    >>> apart = distances(adapted_code(separation, 15, np.random.default_rng(0)))
    >>> bool(apart[0, 1] > apart[0, 2:].max())
    True
    """
    pairs = separation[np.triu_indices(len(separation), 1)]
    middle = float(np.median(pairs)) or 1.0
    relative = (separation / middle).round(DIGITS)
    error = np.maximum(ndtr(ndtri(MEDIAN_ERROR) * relative), MIN_ERROR)
    return far_apart(np.log(error), LOG_Q, length, random)


def class_separation(sums: Vector, squares: Vector, weights: Vector) -> Vector:
    """D of all pairs of classes, from the sums and the sums of squares of their features, and their weights.

    >>> sums, squares = np.array([[0.0], [16.0]]), np.array([[8.0], [72.0]])  # of rows -2, 0, 0, 2 and 2, 4, 4, 6
    >>> class_separation(sums, squares, np.array([4.0, 4.0])).round(3).tolist()
    [[0.0, 2.828], [2.828, 0.0]]
    """
    means, n = sums / weights[:, None], weights.sum()
    within = np.maximum((squares - weights[:, None] * means**2).sum(axis=0), 0.0) / n
    whole = np.maximum(squares.sum(axis=0) / n - (sums.sum(axis=0) / n) ** 2, 0.0)
    variance = np.maximum(within, MIN_WITHIN * whole)
    scaled = means / np.sqrt(np.where(variance > 0.0, variance, np.inf))
    return np.sqrt(np.array([((scaled - own) ** 2).sum(axis=1) for own in scaled]))
