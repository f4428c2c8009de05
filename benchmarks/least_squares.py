"""Least squares and discriminant analysis against scikit-learn's, and against the one product X'X behind them all.

All get the same rows in float64 and one thread of linear algebra, because on a shared machine threads wait for one
another. Seconds are those that the core worked for them, which others on the machine do not lengthen by much. A peer
that takes more than `LIMIT` seconds is measured once. What each answer leaves of the normal equations is said beside
it, in the unit of our certificate. Solvers that stop early are measured as they come, and with tighter tolerances until
they leave no more than `EQUAL`, as ours does; the goal is for the quickest of those that do.
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
ITERATIVE = "lsqr", "sparse_cg"
LADDER = (1e-8, 1e-10, 1e-11, 1e-12)  # tolerances, after their default of 1e-4
EQUAL = 2e-12
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
    ridge = {f"RidgeClassifier, {name}": [RidgeClassifier(1.0, solver=name)] for name in solvers}
    for name in ITERATIVE:
        ridge[f"RidgeClassifier, {name}"] += [RidgeClassifier(1.0, solver=name, tol=tol) for tol in LADDER]
    lda = {f"LDA, {name}": [LinearDiscriminantAnalysis(solver=name)] for name in LDA_SOLVERS}
    ours = f", which leaves {left_by(LeastSquaresClassifier(1.0).fit(X, y), X, y):.0e}"
    show(f"Least squares, {case}{ours}", table(case, taken["least squares"], ridge, X, y))
    show(f"Discriminant analysis, {case}", table(case, taken["Gaussian"], lda, X, y))


def table(case: str, ours: float, peers: dict[str, list[Any]], X: np.ndarray, y: np.ndarray) -> list[Row]:
    """Each peer's time beside ours, as it comes and as accurate as ours; the quickest of these sets the goal."""
    found: list[tuple[str, float, float]] = []
    for peer, models in peers.items():
        for i, model in enumerate(models):
            spent, left = peers_time(model, X, y), left_by(model, X, y)
            if i == 0 or left <= EQUAL:
                found.append((f"{peer}, tol={model.tol:g}" if i else peer, spent, left))
            if left <= EQUAL:
                break
    quickest = min((spent for _, spent, left in found if left <= EQUAL), default=0.0)
    return [
        Row(case, peer, ours, spent, GOAL if spent == quickest else None, f"leaves {left:.0e}" if left else "")
        for peer, spent, left in found
    ]


def peers_time(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Median time of a fit, of one only where that is long."""
    first = seconds(lambda: model.fit(X, y))
    return first if first > LIMIT else float(np.median([seconds(lambda: model.fit(X, y)) for _ in range(REPEATS)]))


def left_by(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """What a fitted ridge leaves of the normal equations; 0 of others, which are not asked."""
    if isinstance(model, LinearDiscriminantAnalysis):
        return 0.0
    targets = np.array([[-1.0], [1.0]])
    return residual(Problem(X, y), targets, np.reshape(model.coef_, (-1, 1)), np.ravel(model.intercept_), 1.0).error
