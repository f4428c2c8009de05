"""Data that are legal and hard on floating point: extreme scales, far offsets, ties, duplicates, extreme weights."""

from typing import NamedTuple

import numpy as np


class Case(NamedTuple):
    """Rows, two classes, numbers to predict, weights or None, and what kind of data they are."""

    kind: str
    X: np.ndarray
    y: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray | None


def mixed_scales(rng, n, d):
    return rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-95, 95, d)


def moderate_scales(rng, n, d):
    return rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-8, 8, d)


def far_offset(rng, n, d):
    return rng.standard_normal((n, d)) + 10.0 ** rng.uniform(4, 12, d)


def timestamps(rng, n, d):
    return rng.integers(0, 8, (n, d)) + 1.7e12


def integers(rng, n, d):
    return rng.integers(-2, 3, (n, d)).astype(float)


def nearly_equal_columns(rng, n, d):
    first = rng.standard_normal((n, 1))
    return np.hstack([first * (1.0 + 2.0**-40 * rng.integers(-3, 4, (n, 1))) for _ in range(d)])


def outlier(rng, n, d):
    X = rng.standard_normal((n, d))
    X[rng.integers(n)] *= 10.0 ** rng.uniform(3, 12)
    return X


def tiny_separation(rng, n, d):
    X = np.repeat(rng.standard_normal((1, d)), n, axis=0)
    return X + 2.0**-45 * rng.integers(-4, 5, (n, d))


def duplicates(rng, n, d):
    return rng.standard_normal((3, d))[rng.integers(0, 3, n)]


def huge(rng, n, d):
    return rng.standard_normal((n, d)) * 10.0 ** rng.uniform(60, 95)


def tiny(rng, n, d):
    return rng.standard_normal((n, d)) * 10.0 ** rng.uniform(-95, -60)


KINDS = [
    mixed_scales, moderate_scales, far_offset, timestamps, integers, nearly_equal_columns, outlier, tiny_separation,
    duplicates, huge, tiny,
]  # fmt: skip


def strips(rng, n, d):
    return np.column_stack([rng.integers(0, 50, n) + 1e-9 * rng.integers(-3, 4, n) for _ in range(d)])


def opposite_scales(rng, n, d):
    return rng.standard_normal((n, d)) * 10.0 ** rng.choice([-99.0, -90.0, -40.0, 0.0, 40.0, 90.0, 99.0], d)


def constant_columns(rng, n, d):
    X = rng.standard_normal((n, d))
    X[:, rng.random(d) < 0.5] = rng.choice([0.0, 1.0, 0.1, -1e9])
    return X


def duplicate_columns(rng, n, d):
    return np.repeat(rng.standard_normal((n, 1)), d, axis=1) * rng.choice([1.0, -1.0, 3.0], d)


def plain(rng, n, d):
    return rng.standard_normal((n, d))


def single_precision(rng, n, d):
    return rng.standard_normal((n, d)).astype(np.float32).astype(float)


def mostly_zero(rng, n, d):
    return rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.4)


def denormals(rng, n, d):
    return rng.integers(-3, 4, (n, d)) * np.where(rng.random(d) < 0.5, 5e-324, 1.0)


MORE_KINDS = [
    strips, opposite_scales, constant_columns, duplicate_columns, plain, single_precision, mostly_zero, denormals,
]  # fmt: skip


class Data(NamedTuple):
    """Rows, their classes, numbers or None, weights or None, and what kind of data they are."""

    kind: str
    X: np.ndarray
    y: np.ndarray | None
    weights: np.ndarray | None


def hostile_weights(rng, n):
    """Weights that are extreme, whole or 0, or none."""
    if rng.random() < 0.6:
        return None
    weights = 10.0 ** rng.uniform(-6, 6, n) if rng.random() < 0.5 else rng.integers(1, 4, n).astype(float)
    if rng.random() < 0.4:
        weights[rng.random(n) < 0.2] = 0.0
    return weights


def hostile_problem(rng, task):
    """Data for a task: classes, two, several, numbers or rows; all kinds in turn."""
    kind = [*KINDS, *MORE_KINDS][int(rng.integers(len(KINDS) + len(MORE_KINDS)))]
    n, d = int(rng.integers(2, 14)), int(rng.integers(1, 5))
    if rng.random() < 0.05:
        n, d = int(rng.integers(14, 41)), int(rng.integers(1, 9))
    k = 2 if task == "two" or (task == "classes" and rng.random() < 0.8) else int(rng.integers(3, 5))
    n = max(n, k)
    X = kind(rng, n, d)
    side = X @ rng.standard_normal(d) if rng.random() < 0.5 else rng.standard_normal(n)
    weights = hostile_weights(rng, n)
    if task == "rows":
        return Data(kind.__name__, X, None, weights)
    if task == "numbers":
        y = side * (10.0 ** rng.uniform(-3, 6) if np.abs(side).max() < 1e90 else 1.0) + rng.standard_normal(n)
        return Data(kind.__name__, X, y, weights)
    y = np.argsort(np.argsort(side)) * k // n
    y[rng.permutation(n)[:k]] = np.arange(k)
    if weights is not None:
        for c in range(k):
            weights[np.flatnonzero(y == c)[0]] = 1.0
    return Data(kind.__name__, X, y, weights)


def hostile_case(seed):
    """One case, which a seed alone decides."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    n, d = int(rng.integers(2, 14)), int(rng.integers(1, 5))
    X = kind(rng, n, d)
    side = X @ rng.standard_normal(d) if rng.random() < 0.5 else rng.standard_normal(n)
    y = (side > np.median(side)).astype(int)
    y[0], y[-1] = 0, 1
    weights = None
    if rng.random() < 0.3:
        weights = 10.0 ** rng.uniform(-6, 6, n) if rng.random() < 0.5 else rng.integers(1, 4, n).astype(float)
    numbers = side * (10.0 ** rng.uniform(-3, 6) if np.abs(side).max() < 1e100 else 1.0) + rng.standard_normal(n)
    return Case(kind.__name__, X, y, numbers, weights)
