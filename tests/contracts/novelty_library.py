"""Small problems of rows without targets, for every solver of novelty to be held to."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from separatrix.data.encode import as_rows, features
from separatrix.problem import Problem


class NoveltyCase(NamedTuple):
    name: str
    problem: Problem


def posed(X, weights=None) -> Problem:
    rows = as_rows(features(X))
    n = X.shape[0]
    return Problem(rows, np.ones(n), 2, np.ones(n) if weights is None else weights, fit_intercept=False)


def novelty_library() -> list[NoveltyCase]:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((60, 3))
    cases = {
        "plain": posed(X),
        "sparse": posed(sparse.random(60, 12, density=0.2, random_state=3, format="csr")),
        "float32": posed(X.astype(np.float32)),
        "weights": posed(X, rng.uniform(0.3, 3.0, 60)),
        "two clusters": posed(np.concatenate([X[:40] - 4.0, X[40:] + 4.0])),
        "an outlier": posed(np.concatenate([X, [[30.0, 0.0, 0.0]]])),
        "more features than rows": posed(rng.standard_normal((10, 40))),
        "duplicated rows": posed(np.repeat(X[:20], 3, axis=0)),
        "columns in other units": posed(X * [1e4, 1.0, 1e-4] + [0.0, 1e3, 0.0]),
        "constant columns": posed(np.column_stack([X, np.full(60, 3.0)])),
        "all zero": posed(np.zeros((5, 3))),
        "one row": posed(X[:1]),
        "two rows": posed(X[:2]),
    }
    return [NoveltyCase(*case) for case in cases.items()]
