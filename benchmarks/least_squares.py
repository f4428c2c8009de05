"""Least squares and discriminant analysis against scikit-learn's, and against the one product X'X behind them all.

All get the same rows in float64 and one thread of linear algebra, because on a shared machine threads wait for one
another. Seconds are those that the core worked for them, which others on the machine do not lengthen by much. A peer
that takes more than `LIMIT` seconds is measured once. What its answer misses of the normal equations is said beside
it, in the unit of our certificate.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from measuring import Row, console, in_turns, show
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier
from threadpoolctl import threadpool_limits

from separatrix import FisherDiscriminant, GaussianDiscriminant, LeastSquaresClassifier
from separatrix.certificates.normal_equations import residual
from separatrix.problem import Moments, Problem

SIZES = (1_000_000, 50), (100_000, 500)
RIDGE_SOLVERS = "cholesky", "svd", "lsqr", "sparse_cg"
STOCHASTIC = "sag", "saga"  # minutes for 50 columns already: for no more than these
LDA_SOLVERS = "svd", "lsqr", "eigen"
GOAL = 3.0
LIMIT = 3.0
REPEATS = 3


def run() -> None:
    with threadpool_limits(1, user_api="blas"):
        for n, d in SIZES:
            compare(*rows(n, d))


def seconds(job: Callable[[], object]) -> float:
    """Time that the core works for one call."""
    started = time.process_time()
    job()
    return time.process_time() - started


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    X += rng.uniform(-2.0, 2.0, d)
    y = (X @ rng.standard_normal(d) + np.sqrt(d) * rng.standard_normal(n) > 0).astype(int)
    return X, y


def compare(X: np.ndarray, y: np.ndarray) -> None:
    case, problem = f"{len(X):,} x {X.shape[1]}", Problem(X, y)
    parts: dict[str, Callable[[], object]] = {
        "bare X'X": lambda: X.T @ X,
        "moments": lambda: Moments.of(problem),
        "least squares": lambda: LeastSquaresClassifier(1.0).fit(X, y),
        "leave one out": lambda: LeastSquaresClassifier(1.0).leave_one_out(X, y),
        "Gaussian": lambda: GaussianDiscriminant().fit(X, y),
        "Fisher": lambda: FisherDiscriminant().fit(X, y),
    }
    taken = in_turns({name: partial(seconds, job) for name, job in parts.items()}, REPEATS)
    bare = taken["bare X'X"]
    ratios = ", ".join(f"{name} {spent / bare:.2f}" for name, spent in taken.items() if spent is not bare)
    console.print(f"[bold]{case}[/]: X'X takes {1e3 * bare:.0f} ms; in units of it: {ratios}")
    solvers = RIDGE_SOLVERS + (STOCHASTIC if X.shape[1] <= 50 else ())
    ridge = {f"RidgeClassifier, {name}": RidgeClassifier(1.0, solver=name) for name in solvers}
    lda = {f"LDA, {name}": LinearDiscriminantAnalysis(solver=name) for name in LDA_SOLVERS}
    show(f"Least squares, {case}", table(case, "least squares", taken, ridge, X, y))
    show(f"Discriminant analysis, {case}", table(case, "Gaussian", taken, lda, X, y))


def table(
    case: str, name: str, taken: dict[str, float], peers: dict[str, Any], X: np.ndarray, y: np.ndarray
) -> list[Row]:
    """Each peer's time beside ours; the quickest of them sets the goal."""
    times = {peer: peers_time(model, X, y) for peer, model in peers.items()}
    quickest = min(times, key=lambda peer: times[peer])
    return [
        Row(case, peer, taken[name], spent, GOAL if peer == quickest else None, left_by(peers[peer], X, y))
        for peer, spent in times.items()
    ]


def peers_time(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Median time of a fit, of one only where that is long."""
    first = seconds(lambda: model.fit(X, y))
    return first if first > LIMIT else float(np.median([seconds(lambda: model.fit(X, y)) for _ in range(REPEATS)]))


def left_by(model: Any, X: np.ndarray, y: np.ndarray) -> str:
    """What a fitted ridge leaves of the normal equations."""
    if not isinstance(model, RidgeClassifier):
        return ""
    targets = np.array([[-1.0], [1.0]])
    left = residual(Problem(X, y), targets, np.reshape(model.coef_, (-1, 1)), np.ravel(model.intercept_), 1.0).error
    return f"leaves {left:.1g}"
