"""Rows on which linear support vector machines are compared, and the values of C that go with them."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from perceptrons import scattered

DENSE_GOAL, SPARSE_GOAL = 5.0, 1.0
HARD = 1e6  # the C that stands for infinity with peers that have no hard margin

Sample = tuple[Any, np.ndarray]


class Case(NamedTuple):
    """Rows by the function that draws them, the values of C, and how many times as fast as a peer we want to be."""

    name: str
    draw: Callable[[], Sample]
    values: tuple[float, ...]
    goal: float


def noisy(n: int, d: int, noise: float = 0.5) -> Sample:
    """Draw a planted plane off the origin, behind noise that puts arctan(noise) / pi of the rows on the wrong side."""
    rng = np.random.default_rng(0)
    X, direction = rng.standard_normal((n, d)), rng.standard_normal(d)
    scores = X @ (direction / np.linalg.norm(direction)) + 0.3
    return X, np.where(scores + noise * rng.standard_normal(n) > 0, 1.0, -1.0)


def separable(n: int = 100_000, d: int = 50, margin: float = 0.01) -> Sample:
    """Draw two classes, each moved by the margin away from the plane between them."""
    rng = np.random.default_rng(0)
    X, direction = rng.standard_normal((n, d)), rng.standard_normal(d)
    direction /= np.linalg.norm(direction)
    y = np.where(X @ direction + 0.3 > 0, 1.0, -1.0)
    return X + margin * np.outer(y, direction), y


def sparse_rows() -> Sample:
    """Draw 200,000 rows with 80 numbers each, in 50,000 columns."""
    X, positive = scattered(200_000, 50_000)
    return X, np.where(positive, 1.0, -1.0)


QUICK_CASES = (
    Case("100,000 x 20", lambda: noisy(100_000, 20), (0.01, 1.0), DENSE_GOAL),
    Case("20,000 x 100", lambda: noisy(20_000, 100), (1.0,), DENSE_GOAL),
    Case("100,000 x 50, separable", separable, (np.inf,), DENSE_GOAL),
)
CASES = (
    Case("100,000 x 20", lambda: noisy(100_000, 20), (0.01, 1.0, 100.0), DENSE_GOAL),
    Case("20,000 x 500", lambda: noisy(20_000, 500), (1.0, 100.0), DENSE_GOAL),
    Case("1,000,000 x 20", lambda: noisy(1_000_000, 20), (1.0,), DENSE_GOAL),
    Case("100,000 x 50, separable", separable, (np.inf,), DENSE_GOAL),
    Case("200,000 x 50,000, sparse", sparse_rows, (1.0, 100.0), SPARSE_GOAL),
)
