"""The estimators that have a peer, each beside its peers, and how each is judged by its own objective.

A contestant measures a gap (ours by its certificate, a kernel machine by its own dual point), or the value of its own
objective, which is held against a lower bound that our certificate proves for that objective.
"""

import resource
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from logistic_peers import objective as logistic_objective
from logistic_peers import some_rows
from svm_judge import FREE, PENALIZED, extended
from svm_peers import MAX_SECONDS_TO_REPEAT, REPEATS

import separatrix

MAX_STEPS = 1_000_000
OUR_TOL, REFERENCE_TOL = 1e-6, 1e-8
TIGHT = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
ONCE = (1e-4,)  # of what has no tolerance, or does not depend on it

Fit = Callable[[Any, np.ndarray, float, float], Any]
Measure = Callable[[Any, np.ndarray, float, Any], float]


class Contestant(NamedTuple):
    """How it is fitted, what is measured, which lower bound that is held against ("": it is a gap), and tolerances."""

    fit: Fit
    measure: Measure
    bound: str = ""
    ladder: tuple[float, ...] = ONCE
    module: str = ""  # that it needs
    two_classes: bool = False


class Fitted(NamedTuple):
    """The least seconds by the clock and of all cores, what was measured, and memory above the level before."""

    seconds: float
    cpu: float
    measured: float
    megabytes: float
    remark: str = ""


def stated(X: Any, y: np.ndarray, C: float, model: Any) -> float:
    """The gap, or what is left of the equations, that our certificate states."""
    return float(model.certificate_.stated)


def lower_bound(X: Any, y: np.ndarray, C: float, model: Any) -> float:
    """What our certificates prove that no planes are below, added up over one-against-rest problems."""
    claim = model.certificate_
    return float(sum(part.dual for part in getattr(claim, "parts", (claim,))))


def svm_objective(bias: str, squared: bool, X: Any, y: np.ndarray, C: float, model: Any) -> float:
    """1/2 ||w||^2 + C sum of (squared) hinge losses, added up over one-against-rest problems."""
    W, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    targets = np.where(y[:, None] == (np.unique(y) if len(W) > 1 else np.array([y.max()])), 1.0, -1.0)
    losses = np.maximum(0.0, 1.0 - targets * (X @ W.T + b)) ** (2 if squared else 1)
    return float(0.5 * (np.sum(W * W) + (np.sum(b * b) if bias == PENALIZED else 0.0)) + C * losses.sum())


def softmax_objective(X: Any, y: np.ndarray, C: float, model: Any) -> float:
    """1/2 ||W||^2 + C sum of log losses."""
    return logistic_objective(X, y, np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_), C, FREE)


def ridge_objective(ours: bool, X: Any, y: np.ndarray, C: float, model: Any) -> float:
    """sum (t - w.x - b)^2 + ||w||^2 / C with the targets -1 and 1; of several classes ours has 0 and 1."""
    W, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    if ours and len(W) > 1:
        W, b = 2.0 * W, 2.0 * b - 1.0
    targets = np.where(y[:, None] == (np.unique(y) if len(W) > 1 else np.array([y.max()])), 1.0, -1.0)
    return float(np.sum((targets - X @ W.T - b) ** 2) + np.sum(W * W) / C)


def kernel_gap(X: Any, y: np.ndarray, C: float, model: Any) -> float:
    """(P - D) / P, the largest of all pairs, of scikit-learn's SVC from its own dual point."""
    labels, scores = model.classes_, model.decision_function(X)
    scores = scores.reshape(len(y), -1)
    ends = np.cumsum(model.n_support_)
    worst, pair = 0.0, 0
    for i in range(labels.size):
        for j in range(i + 1, labels.size):
            f = scores[:, pair] if labels.size > 2 else -scores[:, 0]  # positive for the first of the two
            b = model.intercept_[pair] * (1.0 if labels.size > 2 else -1.0)
            of_i, of_j = slice(ends[i] - model.n_support_[i], ends[i]), slice(ends[j] - model.n_support_[j], ends[j])
            rows = np.append(model.support_[of_i], model.support_[of_j])
            signs = np.append(np.ones(model.n_support_[i]), -np.ones(model.n_support_[j]))
            alpha = np.abs(np.append(model.dual_coef_[j - 1, of_i], model.dual_coef_[i if i < j else i - 1, of_j]))
            square = float(np.sum(signs * alpha * (f[rows] - b)))
            t = np.where(y == labels[i], 1.0, -1.0)
            slack = np.maximum(0.0, 1.0 - t * f)[(y == labels[i]) | (y == labels[j])].sum()
            primal = 0.5 * square + C * float(slack)
            worst, pair = max(worst, (primal - float(alpha.sum()) + 0.5 * square) / primal), pair + 1
    return worst


def fit_sklearn(name: str, options: dict[str, Any], X: Any, y: np.ndarray, C: float, tol: float) -> Any:
    """Fit a classifier of scikit-learn, or of scikit-learn-intelex, by its full name."""
    module, _, kind = name.rpartition(".")
    estimator = getattr(__import__(module, fromlist=[kind]), kind)
    return estimator(**{"C": C, "tol": tol, **options}).fit(X, y)


def fit_ridge(X: Any, y: np.ndarray, C: float, tol: float) -> Any:
    from sklearn.linear_model import RidgeClassifier

    return RidgeClassifier(alpha=1.0 / C, tol=tol).fit(X, y)


def fit_liblinear(kind: int, X: Any, y: np.ndarray, C: float, tol: float) -> Any:
    """Fit LIBLINEAR itself, one class against the rest, and hand its planes on in our order."""
    from types import SimpleNamespace

    from liblinear.liblinearutil import train

    model = train(y.astype(float), X, f"-s {kind} -B 1 -c {C!r} -e {tol!r} -q")
    labels = np.array(model.get_labels())
    planes = [model.get_decfun(k) for k in range(labels.size)] if labels.size > 2 else [model.get_decfun()]
    W, b = np.array([w for w, _ in planes]), np.array([b for _, b in planes])
    if labels.size == 2:
        sign = 1.0 if labels[0] == y.max() else -1.0
        return SimpleNamespace(coef_=sign * W, intercept_=sign * b)
    order = np.argsort(labels)
    return SimpleNamespace(coef_=W[order], intercept_=b[order])


def fit_ours(name: str, options: dict[str, Any], X: Any, y: np.ndarray, C: float, tol: float) -> Any:
    return getattr(separatrix, name)(**{"C": C, "tol": OUR_TOL, **options}).fit(X, y)


def fit_extended(loss: str, X: Any, y: np.ndarray, C: float, tol: float) -> Any:
    """Our machine with a penalised bias, the coefficient of a column of ones."""
    return separatrix.LinearSVM(C=C, loss=loss, tol=REFERENCE_TOL, fit_intercept=False).fit(extended(X), y)


def fit_least_squares(X: Any, y: np.ndarray, C: float, tol: float) -> Any:
    return separatrix.LeastSquaresClassifier(ridge=1.0 / C).fit(X, y)


def fit_separability(X: Any, y: np.ndarray, C: float, tol: float) -> Any:
    return separatrix.separability(X, y)


def fit_program(X: Any, y: np.ndarray, C: float, tol: float) -> Any:
    from separability import one_program

    return one_program(X, (y == y.max()).astype(int))


def svm_family(loss: str) -> dict[str, Contestant]:
    squared, dual = loss == "squared_hinge", {"loss": loss, "max_iter": MAX_STEPS, "random_state": 0, "dual": True}
    judged = partial(svm_objective, PENALIZED, squared)
    fit = partial(fit_sklearn, "sklearn.svm.LinearSVC", dual)
    return {
        "separatrix LinearSVM": Contestant(partial(fit_ours, "LinearSVM", {"loss": loss}), stated),
        "sklearn LinearSVC": Contestant(fit, judged, "penalized", TIGHT),
        "LIBLINEAR": Contestant(partial(fit_liblinear, 1 if squared else 3), judged, "penalized", TIGHT, "liblinear"),
        "penalized": Contestant(partial(fit_extended, loss), lower_bound),
    }


def logistic_family() -> dict[str, Contestant]:
    steps = {"max_iter": MAX_STEPS}
    peers = {
        f"{module} {solver}": Contestant(
            partial(fit_sklearn, f"{module}.linear_model.LogisticRegression", {"solver": solver} | steps),
            softmax_objective, "free", TIGHT, module,
        )
        for module, solver in (
            ("sklearn", "lbfgs"), ("sklearn", "newton-cg"), ("sklearn", "newton-cholesky"), ("sklearnex", "lbfgs")
        )
    }  # fmt: skip
    reference = partial(fit_ours, "LogisticClassifier", {"tol": REFERENCE_TOL})
    ours = Contestant(partial(fit_ours, "LogisticClassifier", {}), stated)
    return {"separatrix LogisticClassifier": ours, **peers, "free": Contestant(reference, lower_bound)}


FAMILIES: dict[str, dict[str, Contestant]] = {
    "hinge": svm_family("hinge"),
    "squared_hinge": svm_family("squared_hinge"),
    "logistic": logistic_family(),
    "least_squares": {
        "separatrix LeastSquaresClassifier": Contestant(fit_least_squares, stated),
        "sklearn RidgeClassifier": Contestant(fit_ridge, partial(ridge_objective, False), "free", TIGHT),
        "free": Contestant(fit_least_squares, partial(ridge_objective, True)),
    },
    "kernel": {
        "separatrix KernelSVM": Contestant(partial(fit_ours, "KernelSVM", {}), stated),
        "sklearn SVC": Contestant(
            partial(fit_sklearn, "sklearn.svm.SVC", {"cache_size": 1000, "decision_function_shape": "ovo"}),
            kernel_gap, "", TIGHT,
        ),
    },
    "separability": {
        "separatrix separability": Contestant(fit_separability, lambda X, y, C, found: 0.0 if found.proved else np.inf),
        "HiGHS, one program": Contestant(fit_program, lambda X, y, C, found: np.nan, two_classes=True),
    },
}  # fmt: skip
REFERENCES = "penalized", "free"
WITHOUT_C = ("separability",)


def peak_megabytes() -> float:
    """The largest memory of this process since `forget_peak`, or where the system does not say so far."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10
    except (OSError, StopIteration):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def forget_peak() -> None:
    """Count the largest memory from now on, where the system can do that: a child has the peak of its parent."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def serve(connection: Connection, name: str, X: Any, y: np.ndarray, C: float) -> None:
    """Fit to each tolerance that is asked for; compiling and importing are done on a few rows before."""
    warnings.simplefilter("ignore")
    family, _, who = name.partition("/")
    contestant = FAMILIES[family][who]
    contestant.fit(*some_rows(X, y), 1.0, 1e-2)
    forget_peak()
    level = peak_megabytes()
    connection.send("ready")
    while True:
        tol, times, loads = connection.recv(), list[float](), list[float]()
        while not times or (len(times) < REPEATS and times[0] < MAX_SECONDS_TO_REPEAT):
            began, busy = time.perf_counter(), time.process_time()
            model = contestant.fit(X, y, C, tol)
            times.append(time.perf_counter() - began)
            loads.append(time.process_time() - busy)
        megabytes = peak_megabytes() - level
        remark = str(getattr(model, "kind", ""))
        connection.send(Fitted(min(times), min(loads), contestant.measure(X, y, C, model), megabytes, remark))
