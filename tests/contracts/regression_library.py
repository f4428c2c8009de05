"""Small regression problems, for every solver of the task to be held to."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from separatrix.data.encode import encode_numbers
from separatrix.problem import Problem


class RegressionCase(NamedTuple):
    name: str
    problem: Problem


def posed(X, y, **how) -> Problem:
    return encode_numbers(X, y, **how).problem


def regression_library() -> list[RegressionCase]:
    rng = np.random.default_rng(11)
    X = rng.standard_normal((60, 4))
    y = X @ [1.5, -2.0, 0.0, 0.25] + 3.0 + 0.3 * rng.standard_normal(60)
    outliers = y + np.where(np.arange(60) % 9 == 0, 20.0, 0.0)
    wide, few = rng.standard_normal((12, 40)), rng.standard_normal(12)
    thin = sparse.random(60, 15, density=0.08, random_state=3, format="csr")
    constant = np.column_stack([X, np.full(60, 3.0), np.zeros(60)])
    units = X * [1e4, 1.0, 1e-4, 1.0] + [0.0, 1e3, 0.0, 0.0]
    weights = rng.integers(0, 4, 60) * 0.5
    cases = {
        "plain": posed(X, y),
        "sparse": posed(sparse.csr_array(X), y),
        "mostly empty": posed(thin, y),
        "float32": posed(X.astype(np.float32), y),
        "weights": posed(X, y, sample_weight=weights),
        "without offset": posed(X, y, fit_intercept=False),
        "without offset, sparse": posed(thin, y, fit_intercept=False),
        "outliers": posed(X, outliers),
        "more features than rows": posed(wide, few),
        "dependent columns": posed(np.column_stack([X, X[:, 0] - X[:, 1]]), y),
        "constant columns": posed(constant, y),
        "duplicated rows": posed(np.repeat(X[:20], 3, axis=0), np.repeat(y[:20], 3)),
        "columns in other units": posed(units, y),
        "y of 1e6": posed(X, 1e6 * y),
        "y of 1e-6": posed(X, 1e-6 * y),
        "constant y": posed(X, np.full(60, 2.5)),
        "y of 0": posed(X, np.zeros(60)),
        "an exact plane": posed(X, X @ [1.0, 2.0, 3.0, 4.0] - 1.0),
        "all zero": posed(np.zeros((5, 3)), [1.0, 2.0, 3.0, 4.0, 9.0]),
        "one column": posed(X[:, :1], y),
        "one row": posed(X[:1], y[:1]),
        "two rows": posed(X[:2], y[:2]),
    }
    return [RegressionCase(*case) for case in cases.items()]
