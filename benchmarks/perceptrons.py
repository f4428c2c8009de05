"""Every registered perceptron, by the pass, against scikit-learn's Perceptron.

The classes overlap, so that no rule can stop early. The limit is the memory: a pass reads every stored number once.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from measuring import QUICK_TURNS, Row, in_turns, memory_speed, per_pass, show
from scipy import sparse
from sklearn.linear_model import Perceptron as Peer

from separatrix import Perceptron
from separatrix.estimators.algorithm import Algorithm
from separatrix.estimators.registry import algorithms

GOALS = {"dense": 4.0, "sparse": 2.0}  # for the online rule, both with their default, reshuffled order
TURNS = 7
PERCEPTRONS = [algorithm for algorithm in algorithms() if issubclass(algorithm.estimator, Perceptron)]


def dense(n: int = 200_000, d: int = 50) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + 3.0 * rng.standard_normal(n) > 0


def scattered(n: int = 100_000, d: int = 20_000, entries: int = 80) -> tuple[sparse.csr_matrix, np.ndarray]:
    rng = np.random.default_rng(0)
    columns = np.sort(rng.integers(0, d, (n, entries)), axis=1).ravel().astype(np.int32)
    parts = rng.standard_normal(n * entries), columns, np.arange(0, n * entries + 1, entries, dtype=np.int32)
    X = sparse.csr_matrix(parts, shape=(n, d))
    X.sum_duplicates()
    return X, X @ rng.standard_normal(d) + 3.0 * rng.standard_normal(n) > 0


def ours(algorithm: Algorithm, X: Any, y: np.ndarray, shuffle: bool) -> Callable[[], float]:
    return lambda: per_pass(lambda passes: algorithm.make(max_iter=passes, shuffle=shuffle, random_state=0).fit(X, y))


def theirs(X: Any, y: np.ndarray, shuffle: bool) -> Callable[[], float]:
    return lambda: per_pass(lambda passes: Peer(max_iter=passes, tol=None, shuffle=shuffle, random_state=0).fit(X, y))


def run(quick: bool) -> None:
    warnings.simplefilter("ignore")
    speed = memory_speed()
    rows = []
    for storage, (X, y) in (("dense", dense()), ("sparse", scattered())):
        size = X.nbytes if storage == "dense" else X.data.nbytes + X.indices.nbytes
        shape = f"{X.shape[0]:,} x {X.shape[1]:,}"
        for algorithm in PERCEPTRONS:
            for order in ("reshuffled", "cyclic") if algorithm.name.endswith("online") else ("cyclic",):
                jobs = {
                    "ours": ours(algorithm, X, y, order == "reshuffled"),
                    "theirs": theirs(X, y, order == "reshuffled"),
                }
                taken = in_turns(jobs, QUICK_TURNS if quick else TURNS)
                goal = GOALS[storage] if order == "reshuffled" else None
                remark = f"{size / taken['ours'] / 1e9:.1f} of {speed / 1e9:.1f} GB/s"
                case = f"{algorithm.name}, {order}, {shape}"
                rows.append(Row(case, "scikit-learn", taken["ours"], taken["theirs"], goal, remark))
    show("A pass of the perceptron", rows)
