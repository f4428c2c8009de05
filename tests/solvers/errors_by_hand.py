"""The fewest errors of a plane by trying everything, in fractions, on sets of a few rows.

A set of rows cannot be separated exactly where some of them, at most one more than the dimension, cancel with positive
weights (Gordan; Caratheodory). All such sets are listed, by elimination, and all subsets of rows are tried as those to
be left out, the small ones first.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np


def extended(X, y, fit_intercept):
    rows = [[Fraction(float(value)) for value in row] + [Fraction(1)] * fit_intercept for row in X]
    return [[value if label else -value for value in row] for row, label in zip(rows, y, strict=True)]


def null_vector(vectors):
    """The weights with which vectors cancel, if they do in one way only; else None."""
    m, columns = len(vectors), [list(column) for column in zip(*vectors, strict=True)]
    pivots = []
    for j in range(m):
        pivot = next((row for row in columns[len(pivots) :] if row[j] != 0), None)
        if pivot is None:
            continue
        columns.remove(pivot)
        pivot = [value / pivot[j] for value in pivot]
        columns = [[a - row[j] * b for a, b in zip(row, pivot, strict=True)] for row in columns]
        columns.insert(len(pivots), pivot)
        pivots.append(j)
    free = [j for j in range(m) if j not in pivots]
    if len(free) != 1:
        return None
    weights = [Fraction(0)] * m
    weights[free[0]] = Fraction(1)
    for row, j in zip(columns, pivots, strict=False):
        weights[j] = -row[free[0]]
    return weights


def conflicts(X, y, fit_intercept=True):
    vectors = extended(X, y, fit_intercept)
    found = []
    for size in range(1, len(vectors[0]) + 2):
        for chosen in combinations(range(len(vectors)), size):
            weights = null_vector([vectors[i] for i in chosen])
            if weights is not None and (min(weights) > 0 or max(weights) < 0):
                found.append(set(chosen))
    return found


def fewest(X, y, fit_intercept=True):
    listed = conflicts(X, y, fit_intercept)
    for size in range(len(y) + 1):
        if any(all(each & set(out) for each in listed) for out in combinations(range(len(y)), size)):
            return size
    raise AssertionError("all rows left out leave no conflict")


def fewest_through_rows(X, y):
    """The same for many rows in general position: the best plane can be moved until it goes through d rows.

    None of the other rows changes its side on the way, and the d rows can all be made right by a last small move.
    """
    Z = np.column_stack([X, np.ones(len(X))]) * (2 * y - 1)[:, None]
    chosen = np.array(list(combinations(range(len(X)), X.shape[1])))
    normals = np.linalg.svd(Z[chosen])[2][:, -1]
    scores = normals @ Z.T
    np.put_along_axis(scores, chosen, 0.0, axis=1)
    return int(min(np.count_nonzero(side < 0.0, axis=1).min() for side in (scores, -scores)))


def small_set(seed):
    """Whole numbers with ties, or Gaussian ones; copies, some of the other class; one to three features."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(4, 11)), int(rng.integers(1, 4))
    X = rng.standard_normal((n, d)) if seed % 2 else rng.integers(-1, 2, (n, d)).astype(float)
    if seed % 3 == 0:
        X[-2:] = X[:2]
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return X, y
