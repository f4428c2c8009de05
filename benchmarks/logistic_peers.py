"""Other logistic regressions, each judged by the objective that it minimizes itself.

    P(W, b) = 1/2 ||W||^2 + C sum_i log loss of row i,    with or without 1/2 b^2

All but LIBLINEAR leave the bias out of the norm, as we do. What is known of each optimum is the lower bound that our
own certificate proves.
"""

import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp
from svm_judge import FREE, PENALIZED, extended
from svm_peers import MAX_SECONDS_TO_REPEAT, OVER, REPEATS, Bench, Measured

import separatrix

CLOSE = 1e-6  # a peer counts when it comes as near to its own optimum
LADDER = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)
MAX_STEPS = 100_000
OURS = "separatrix"

Planes = tuple[np.ndarray, np.ndarray]
Fit = Callable[[Any, np.ndarray, float, float], Planes]


def fit_ours(X: Any, y: np.ndarray, C: float, tol: float) -> Planes:
    model = separatrix.LogisticClassifier(C=C, tol=CLOSE).fit(X, y)
    return model.coef_, model.intercept_


def fit_sklearn(solver: str, X: Any, y: np.ndarray, C: float, tol: float) -> Planes:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=C, solver=solver, tol=tol, max_iter=MAX_STEPS, random_state=0).fit(X, y)
    return model.coef_, model.intercept_


def fit_intelex(solver: str, X: Any, y: np.ndarray, C: float, tol: float) -> Planes:
    from sklearnex.linear_model import LogisticRegression

    model = LogisticRegression(C=C, solver=solver, tol=tol, max_iter=MAX_STEPS).fit(X, y)
    return model.coef_, model.intercept_


class Contestant(NamedTuple):
    """How a model is fitted, what it does with the bias, and whether it knows more than two classes."""

    fit: Fit
    bias: str = FREE
    several: bool = True


SOLVERS = ("lbfgs", "newton-cholesky", "newton-cg", "sag", "saga")
CONTESTANTS = {
    OURS: Contestant(fit_ours),
    **{f"sklearn {solver}": Contestant(partial(fit_sklearn, solver)) for solver in SOLVERS},
    "sklearn liblinear": Contestant(partial(fit_sklearn, "liblinear"), PENALIZED, several=False),
    "sklearnex lbfgs": Contestant(partial(fit_intelex, "lbfgs")),
    "sklearnex newton-cg": Contestant(partial(fit_intelex, "newton-cg")),
}
PEERS = [name for name in CONTESTANTS if name != OURS]
QUICK_PEERS = ["sklearn lbfgs", "sklearn newton-cholesky", "sklearnex lbfgs"]


class Trial(NamedTuple):
    """One fit: its tolerance, what it took, and how far above the lower bound of its own objective it ended."""

    tol: float
    seconds: float
    cpu: float
    excess: float
    failure: str = ""

    @property
    def close(self) -> bool:
        """Whether it came near enough to count."""
        return self.excess <= CLOSE


def objective(X: Any, y: np.ndarray, W: np.ndarray, b: np.ndarray, C: float, bias: str) -> float:
    """P(W, b)."""
    scores, own = X @ W.T + b, np.unique(y, return_inverse=True)[1]
    if len(W) == 1:
        losses = np.logaddexp(0.0, np.where(own == 1, -1.0, 1.0) * scores[:, 0])
    else:
        losses = logsumexp(scores, axis=1) - scores[np.arange(len(y)), own]
    return float(0.5 * (np.sum(W * W) + (np.sum(b * b) if bias == PENALIZED else 0.0)) + C * losses.sum())


def lower_bound(X: Any, y: np.ndarray, C: float, bias: str) -> float:
    """The lower bound on the objective that our certificate proves."""
    rows, offset = (X, True) if bias == FREE else (extended(X), False)
    return separatrix.LogisticClassifier(C=C, tol=1e-8, fit_intercept=offset).fit(rows, y).certificate_.dual


def some_rows(X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    """Some rows of each class, to warm up with."""
    chosen = np.sort(np.concatenate([np.flatnonzero(y == label)[:50] for label in np.unique(y)]))
    return X[chosen], y[chosen]


def serve(connection: Connection, name: str, X: Any, y: np.ndarray, C: float) -> None:
    """Fit to each tolerance that is asked for, and answer with seconds and P(W, b)."""
    warnings.simplefilter("ignore")
    peer = CONTESTANTS[name]
    peer.fit(*some_rows(X, y), 1.0, 1e-2)
    if name == OURS:
        peer.fit(X, y, C, 1e-2)  # many rows take loops that few do not, and these are compiled first
    connection.send("ready")
    while True:
        tol, times, loads = connection.recv(), list[float](), list[float]()
        while not times or (len(times) < REPEATS and times[0] < MAX_SECONDS_TO_REPEAT):
            began, busy = time.perf_counter(), time.process_time()
            W, b = peer.fit(X, y, C, tol)
            times.append(time.perf_counter() - began)
            loads.append(time.process_time() - busy)
        value = objective(X, y, W, b, C, peer.bias)
        connection.send(Measured(statistics.median(times), statistics.median(loads), value))


def trials(name: str, X: Any, y: np.ndarray, C: float, limit: float, bound: Callable[[str], float]) -> list[Trial]:
    """Fit to tighter and tighter tolerances until the optimum is near, time is over, or nothing more comes of it."""
    peer, made = CONTESTANTS[name], list[Trial]()
    with Bench(name, X, y, C, limit, serve) as bench:
        for tol in LADDER[:1] if name == OURS else LADDER:
            measured = bench.fit(tol)
            if measured == OVER:
                made.append(Trial(tol, np.inf, np.inf, np.inf, bench.failure))
                break
            below = bound(peer.bias)
            made.append(Trial(tol, measured.seconds, measured.cpu, (measured.objective - below) / below))
            if made[-1].close:
                break
    return made
