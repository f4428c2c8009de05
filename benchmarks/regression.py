"""Regression, nu forms and novelty detection: ours to a certified gap of 1e-6, against peers.

Linear regression counts a peer where it comes within 1e-4 of its own optimum, which penalises the offset: tolerances
are tried from loose to tight, and the first that is enough is timed. Kernel machines of peers run at their defaults,
and the gap that they reached is recomputed from the rows in float64, by the same function as ours. Each fit has a
process of its own, which is killed when its time is over.
"""

import multiprocessing
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from kernel_svm import clusters
from measuring import Row, console, show

import separatrix
from separatrix.certificates import DualityGap
from separatrix.kernels import RBF
from separatrix.objectives import EpsilonInsensitive, NuMargin
from separatrix.problem import Problem

CLOSE = 1e-4
LADDER = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
QUICK_ROWS, ROWS = (100_000,), (100_000, 1_000_000)
LINEAR_GOAL, KERNEL_GOAL = 5.0, 2.0
EPSILON = 0.1  # in units of the spread of y
GAMMA = 0.05


class Fit(NamedTuple):
    """Seconds, what the fit reached, and a tolerance that was asked for."""

    seconds: float
    reached: float
    tol: float | None = None


def run(quick: bool, limit: float) -> None:
    for n in QUICK_ROWS if quick else ROWS:
        for raw in (False, True):
            linear(n, raw, limit)
    size = 2_500 if quick else 10_000
    kernel_regression(size)
    novelty(2 * size)
    free_margins(100_000, 200_000 if quick else 1_000_000)


def linear(n: int, raw: bool, limit: float) -> None:
    """Linear regression on rows as they were drawn, or in units of users."""
    ours = apart(linear_fit, "ours", n, raw, 1e-6)
    assert ours is not None
    case, rows = f"{n:,} x 20{', raw' if raw else ''}, C = 1", []
    for name in ("sklearn LinearSVR", "LIBLINEAR"):
        found = first_close(name, n, raw, limit)
        if found is None:
            console.print(f"{case}: {name} does not come within {CLOSE:g} of its optimum in {limit:g} s")
            continue
        remark = f"gap of ours {ours.reached:.0e}; peer off by {found.reached:.0e} at tol {found.tol:g}"
        rows.append(Row(case, name, ours.seconds, found.seconds, LINEAR_GOAL, remark))
    console.print(f"{case}: ours {ours.seconds:.2f} s")
    show("Linear support vector regression", rows)


def first_close(name: str, n: int, raw: bool, limit: float) -> Fit | None:
    """The loosest tolerance with which a peer comes near its own optimum, within a limit of seconds."""
    for tol in LADDER:
        found = apart(linear_fit, name, n, raw, tol, limit=limit)
        if found is None or found.reached <= CLOSE:
            return found
    return None


def linear_data(n: int, raw: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and numbers with heavy tails about a plane."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    y = X @ rng.standard_normal(20) + rng.standard_t(3, n)
    if not raw:
        return X, y
    return X * 10.0 ** np.linspace(-2, 3, 20) + 10.0 ** np.linspace(-2, 3, 20), 1e6 * (y + 10.0)


def linear_fit(name: str, n: int, raw: bool, tol: float) -> Fit:
    """One fit, and how far it is from its own optimum: for ours the gap."""
    warnings.simplefilter("ignore")
    X, y = linear_data(n, raw)
    epsilon = EPSILON * float(y.std())
    fit = {"ours": by_ours, "sklearn LinearSVR": by_scikit_learn, "LIBLINEAR": by_liblinear}[name]
    fit(X[:3000], y[:3000], epsilon, 1e-3)
    w, b, taken, gap = fit(X, y, epsilon, tol)
    return Fit(taken, gap if name == "ours" else off_optimum(X, y, epsilon, w, b), tol)


def by_ours(X: np.ndarray, y: np.ndarray, epsilon: float, tol: float) -> tuple[Any, float, float, float]:
    started = time.perf_counter()
    model: Any = separatrix.LinearSVR(C=1.0, epsilon=epsilon, tol=tol).fit(X, y)  # type: ignore[attr-defined]
    return model.coef_, float(model.intercept_[0]), time.perf_counter() - started, model.certificate_.stated


def by_scikit_learn(X: np.ndarray, y: np.ndarray, epsilon: float, tol: float) -> tuple[Any, float, float, float]:
    from sklearn.svm import LinearSVR

    started = time.perf_counter()
    model = LinearSVR(C=1.0, epsilon=epsilon, tol=tol, max_iter=10**7, random_state=0).fit(X, y)
    return model.coef_, float(np.ravel(model.intercept_)[0]), time.perf_counter() - started, np.nan


def by_liblinear(X: np.ndarray, y: np.ndarray, epsilon: float, tol: float) -> tuple[Any, float, float, float]:
    from liblinear.liblinear import problem
    from liblinear.liblinearutil import train

    rows = problem(y, X)
    started = time.perf_counter()
    w, b = train(rows, f"-s 13 -B 1 -c 1 -p {epsilon!r} -e {tol!r} -q").get_decfun()
    return np.array(w), b, time.perf_counter() - started, np.nan


def off_optimum(X: np.ndarray, y: np.ndarray, epsilon: float, w: np.ndarray, b: float) -> float:
    """By how much the objective with a penalised offset is above its optimum, as a part of it."""
    extended, plane = np.column_stack([X, np.ones(len(X))]), np.append(w, b)
    reached = 0.5 * plane @ plane + np.maximum(0.0, np.abs(y - extended @ plane) - epsilon).sum()
    model: Any = separatrix.LinearSVR(C=1.0, epsilon=epsilon, fit_intercept=False)  # type: ignore[attr-defined]
    best = model.fit(extended, y).certificate_.dual
    return float((reached - best) / best)


def kernel_regression(n: int) -> None:
    """RBF regression of a smooth function with noise."""
    kernel_table("Kernel regression", f"{n:,} x 20, RBF, C = 10", regression_fit, n, ["scikit-learn", "intelex"])


def novelty(n: int) -> None:
    """RBF novelty detection; intelex has none of its own."""
    kernel_table("Novelty detection", f"{n:,} x 20, RBF, nu = 0.1", novelty_fit, n, ["scikit-learn"])


def kernel_table(title: str, case: str, job: Callable[[str, int], Fit], n: int, peers: list[str]) -> None:
    """Compare one fit of ours with one of each peer that is installed."""
    ours, rows = apart(job, "ours", n), []
    assert ours is not None
    for name in peers:
        theirs = apart(job, name, n)
        if theirs is not None:
            remark = f"gaps {ours.reached:.0e}, {theirs.reached:.0e}"
            rows.append(Row(case, name, ours.seconds, theirs.seconds, KERNEL_GOAL, remark))
    show(f"{title}; the gap of ours, then that of the peer", rows)


def regression_fit(name: str, n: int) -> Fit:
    """One fit of kernel regression and its gap."""
    warnings.simplefilter("ignore")
    X, _ = clusters(n)
    y = np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2] + 0.2 * np.random.default_rng(0).standard_normal(n)
    options = {"C": 10.0, "epsilon": 0.1}
    make: Callable[[], Any]
    if name == "ours":
        make = lambda: separatrix.KernelSVR(RBF(GAMMA), **options)  # type: ignore[attr-defined]  # noqa: E731
    elif name == "scikit-learn":
        from sklearn.svm import SVR

        make = lambda: SVR(gamma=GAMMA, cache_size=2000, **options)  # noqa: E731
    else:
        from sklearnex import svm as intel

        make = lambda: intel.SVR(gamma=GAMMA, **options)  # noqa: E731
    problem = Problem.of_numbers(X, y)
    objective = EpsilonInsensitive(options["C"], options["epsilon"])
    return judged(make, X, y, Problem(problem.X, problem.y, 0, kernel=RBF(GAMMA), objective=objective))


def novelty_fit(name: str, n: int) -> Fit:
    """One fit of novelty detection and its gap."""
    warnings.simplefilter("ignore")
    X, _ = clusters(n)
    if name == "ours":
        make = lambda: separatrix.OneClassSVM(0.1, kernel=RBF(GAMMA))  # type: ignore[attr-defined]  # noqa: E731
    else:
        from sklearn.svm import OneClassSVM

        make = lambda: OneClassSVM(nu=0.1, gamma=GAMMA, cache_size=2000)  # noqa: E731
    rows = Problem(X, np.ones(n), 2, fit_intercept=False, kernel=RBF(GAMMA), objective=NuMargin(0.1))
    return judged(make, X, None, rows)


def judged(make: Callable[[], Any], X: np.ndarray, y: np.ndarray | None, problem: Problem) -> Fit:
    """The seconds of a fit, after a small one that compiles and imports, and its gap from the rows."""
    make().fit(X[:2100], None if y is None else y[:2100])
    started = time.perf_counter()
    model = make().fit(X, y)
    taken = time.perf_counter() - started
    order = np.argsort(model.support_)
    support, coefficients = np.asarray(model.support_)[order], np.asarray(model.dual_coef_)[0][order]
    b = 0.0 if y is None else float(model.intercept_[0])
    return Fit(taken, DualityGap.issue(problem, coefficients, b, coefficients, support).stated)


def free_margins(n: int, many: int) -> None:
    """The nu machine, which no peer solves at this size, and how soon an infeasible nu is refused."""
    for part in (0.7, 0.9):
        found = apart(nu_fit, n, part)
        assert found is not None
        console.print(f"NuSVM {n:,} x 20, nu = {part:g} nu_max: {found.seconds:.2f} s, gap {found.reached:.0e}")
    found = apart(refusal, many)
    assert found is not None
    console.print(f"NuSVM {many:,} x 20 with an infeasible nu: refused after {found.seconds:.2f} s\n")


def nu_data(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two classes that overlap; one row in three is of the rarer one."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 20))
    return X, X @ rng.standard_normal(20) + 2.0 * rng.standard_normal(n) > 2.0


def nu_fit(n: int, part: float) -> Fit:
    X, y = nu_data(n)
    nu = part * 2.0 * min(y.mean(), 1.0 - y.mean())
    model: Any = separatrix.NuSVM(nu)  # type: ignore[attr-defined]
    model.fit(X[:3000], y[:3000])
    started = time.perf_counter()
    model.fit(X, y)
    return Fit(time.perf_counter() - started, model.certificate_.stated)


def refusal(n: int) -> Fit:
    X, y = nu_data(n)
    model: Any = separatrix.NuSVM(0.99)  # type: ignore[attr-defined]
    for some in (3000, n):
        started = time.perf_counter()
        try:
            model.fit(X[:some], y[:some])
        except separatrix.OptionError:
            taken = time.perf_counter() - started
    return Fit(taken, 0.0)


def apart(job: Callable[..., Fit], *arguments: Any, limit: float = 3600.0) -> Fit | None:
    """What a job returns in a process of its own; None where its time is over, or what it needs is not installed."""
    pool = multiprocessing.get_context("spawn").Pool(1)
    try:
        return pool.apply_async(job, arguments).get(limit + 30.0)  # importing and judging take time, too
    except (ImportError, multiprocessing.TimeoutError):
        return None
    finally:
        pool.terminate()
