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
