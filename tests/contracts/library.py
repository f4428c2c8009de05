"""Problems with known answers, for every solver to be held to."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from separatrix.data import encode, samples
from separatrix.problem import Problem


class Case(NamedTuple):
    name: str
    problem: Problem
    separable: bool


def posed(X, y, **how) -> Problem:
    return encode(X, y, **how).problem


def library() -> list[Case]:
    rng = np.random.default_rng(7)
    planted, _ = samples.planted_margin(200, 5, ratio=0.05, seed=1)
    wide = rng.standard_normal((12, 40))
    X, y = planted.X, planted.labels
    constant = np.column_stack([X, np.full(len(X), 3.0), np.zeros(len(X))])
    scaled = X[:60] * [16.0, 1.0, 1.0, 1 / 16, 1.0]
    worlds = np.column_stack([1e9 * (y + rng.uniform(-0.5, 0.5, len(y))), 1e-9 * rng.standard_normal(len(y))])
    g = X @ rng.standard_normal(5)
    mixed = np.column_stack([X, np.where(np.arange(len(X)) % 10 == 0, 1e12 * np.sign(g), 0.0)])[np.abs(g) > 0.3]
    g = g[np.abs(g) > 0.3]
    corners = np.array([[1, 1], [2, 2], [2, 1], [1, -1], [1, -2], [2, -2], [-1, 1], [-1, 2], [-2, 1]], dtype=float)
    line = np.arange(12.0)[:, None]
    return [
        Case("separable", posed(X, y), True),
        Case("separable, sparse", posed(sparse.csr_array(X), y), True),
        Case("separable, float32", posed(X.astype(np.float32), y), True),
        Case("separable, without offset", posed(corners[:6], [1] * 3 + [0] * 3, fit_intercept=False), True),
        Case("overlapping", posed(*split(samples.gaussian_pair(1.0, 100, seed=2))), False),
        Case("exclusive or", posed(*split(samples.logic_gate("XOR"))), False),
        Case("one dimension", posed([[0.0], [1.0], [2.0], [4.0]], [0, 0, 0, 1]), True),
        Case("one dimension, nested", posed([[0.0], [1.0], [2.0]], [0, 1, 0]), False),
        Case("more features than rows", posed(wide, [0, 1] * 6), True),
        Case("two rows", posed([[1.0, 2.0], [1.0, 2.5]], [0, 1]), True),
        Case("duplicated rows", posed(np.repeat(X[:50], 3, axis=0), np.repeat(y[:50], 3)), True),
        Case("one row, both labels", posed([[1.0, 2.0], [1.0, 2.0], [3.0, 1.0]], [0, 1, 1]), False),
        Case("constant columns", posed(constant, y), True),
        Case("badly scaled", posed(scaled, y[:60]), True),
        Case("columns 18 orders apart", posed(worlds, y), True),
        Case("rows 12 orders apart", posed(mixed, g > 0), True),
        Case("tiny margin", posed([[0.0], [2.0**-7]], [0, 1]), True),
        Case("touching", posed([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]), False),
        Case("all zero", posed(np.zeros((4, 3)), [0, 1, 0, 1]), False),
        Case("several classes", posed(corners, np.repeat([0, 1, 2], 3)), True),
        Case("several classes, in a row", posed(line, np.repeat([0, 1, 2], 4)), True),
        Case("several classes, nested", posed(line, np.tile([0, 1, 2], 4)), False),
    ]


def split(table) -> tuple[np.ndarray, np.ndarray]:
    return table.X, table.labels
