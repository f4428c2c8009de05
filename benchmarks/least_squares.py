"""Least squares and discriminant analysis against scikit-learn's, and against the one product X'X behind them all.

All get the same rows in float64 and as many threads as they take by themselves. Seconds are those of the clock, medians
of contestants that take turns; the seconds that the cores worked are shown beside them. A peer that takes more than
`LIMIT` seconds is measured once. The residual of the normal equations of each answer is shown, too, in the unit of our
certificate. Solvers that stop early are measured as they come, and with tighter tolerances until they leave no more
than `EQUAL`, as ours does; the goal is for the quickest of those that do.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from measuring import Row, console, show
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import RidgeClassifier

from separatrix import FisherDiscriminant, GaussianDiscriminant, LeastSquaresClassifier
from separatrix.certificates.claims.normal_equations import residual
from separatrix.problem import Moments, Problem
from separatrix.threads import threads_for

SIZES = (1_000_000, 50), (100_000, 500)
QUICK_SIZES = (200_000, 50), (50_000, 200)
RIDGE_SOLVERS = "cholesky", "svd", "lsqr", "sparse_cg"
ITERATIVE = "lsqr", "sparse_cg"
LADDER = (1e-8, 1e-10, 1e-11, 1e-12)  # tolerances, after their default of 1e-4
EQUAL = 2e-12
STOCHASTIC = "sag", "saga"  # which take minutes for 50 columns, so that they are measured on no more than these
LDA_SOLVERS = "svd", "lsqr", "eigen"
GOAL = 3.0
LIMIT = 3.0
REPEATS = 5


class Spent(NamedTuple):
    """Seconds by the clock, and of all cores together."""

    clock: float
    cores: float


class Peer(NamedTuple):
    """A fitted peer, what its first fit took, and what it leaves of the normal equations."""

    name: str
    model: Any
    first: Spent
    left: float


def run(quick: bool) -> None:
    for n, d in QUICK_SIZES if quick else SIZES:
        compare(*rows(n, d), RIDGE_SOLVERS + (STOCHASTIC if d <= 50 and not quick else ()))


def spent(job: Callable[[], object]) -> Spent:
    """What one call takes."""
    clock, cores = time.perf_counter(), time.process_time()
    job()
    return Spent(time.perf_counter() - clock, time.process_time() - cores)


def in_turns(jobs: dict[str, Callable[[], object]]) -> dict[str, Spent]:
    """Medians of what each job takes, the jobs taking turns; the first turn warms up."""
    turns = [{name: spent(job) for name, job in jobs.items()} for _ in range(REPEATS + 1)][1:]
    return {
        name: Spent(*(statistics.median(turn[name][k] for turn in turns) for k in range(len(Spent._fields))))
        for name in jobs
    }


def rows(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    X += rng.uniform(-2.0, 2.0, d)
    y = (X @ rng.standard_normal(d) + np.sqrt(d) * rng.standard_normal(n) > 0).astype(int)
    return X, y


def compare(X: np.ndarray, y: np.ndarray, solvers: tuple[str, ...]) -> None:
    case, problem = f"{len(X):,} x {X.shape[1]}", Problem(X, y)
    squares, gaussian = LeastSquaresClassifier(1.0), GaussianDiscriminant()
    taken = in_turns(
        {
            "bare X'X": lambda: X.T @ X,
            "moments": threads_for(0.0)(lambda: Moments.of(problem)),
            "least squares": lambda: squares.fit(X, y),
            "leave one out": lambda: squares.leave_one_out(X, y),
            "Gaussian": lambda: gaussian.fit(X, y),
            "Fisher": lambda: FisherDiscriminant().fit(X, y),
        }
    )
    bare = taken["bare X'X"]
    ratios = ", ".join(f"{name} {each.clock / bare.clock:.2f}" for name, each in taken.items() if each is not bare)
    console.print(f"[bold]{case}[/]: X'X takes {1e3 * bare.clock:.0f} ms; in units of it: {ratios}")
    ridge = {f"RidgeClassifier, {name}": [RidgeClassifier(1.0, solver=name)] for name in solvers}
    for name in ITERATIVE:
        ridge[f"RidgeClassifier, {name}"] += [RidgeClassifier(1.0, solver=name, tol=tol) for tol in LADDER]
    lda = {f"LDA, {name}": [LinearDiscriminantAnalysis(solver=name)] for name in LDA_SOLVERS}
    ours = f", which leaves {left_by(squares, X, y):.0e}"
    show(f"Least squares, {case}{ours}", table(case, squares, ridge, X, y))
    show(f"Discriminant analysis, {case}", table(case, gaussian, lda, X, y))


def table(case: str, ours: Any, models: dict[str, list[Any]], X: np.ndarray, y: np.ndarray) -> list[Row]:
    """Each peer's time beside ours, as it comes and as accurate as ours; the quickest of these sets the goal."""
    peers = [peer for name, ladder in models.items() for peer in climbed(name, ladder, X, y)]
    short = {peer.name: partial(peer.model.fit, X, y) for peer in peers if peer.first.clock <= LIMIT}
    taken = {peer.name: peer.first for peer in peers} | in_turns({"ours": partial(ours.fit, X, y), **short})
    mine = taken["ours"]
    quickest = min((taken[peer.name].clock for peer in peers if peer.left <= EQUAL), default=0.0)
    return [
        Row(
            case,
            peer.name,
            mine.clock,
            taken[peer.name].clock,
            GOAL if taken[peer.name].clock == quickest else None,
            f"cores {1e3 * mine.cores:.0f} and {1e3 * taken[peer.name].cores:.0f} ms"
            + (f", leaves {peer.left:.0e}" if peer.left else ""),
        )
        for peer in peers
    ]


def climbed(name: str, ladder: list[Any], X: np.ndarray, y: np.ndarray) -> list[Peer]:
    """A peer as it comes, and with the first tolerance for which it is as accurate as ours."""
    found = []
    for i, model in enumerate(ladder):
        peer = Peer(f"{name}, tol={model.tol:g}" if i else name, model, spent(partial(model.fit, X, y)), 0.0)
        peer = peer._replace(left=left_by(model, X, y))
        if i == 0 or peer.left <= EQUAL:
            found.append(peer)
        if peer.left <= EQUAL:
            break
    return found


def left_by(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """What a fitted ridge leaves of the normal equations; 0 of others, which are not asked."""
    if isinstance(model, LinearDiscriminantAnalysis):
        return 0.0
    targets = np.array([[-1.0], [1.0]])
    return residual(
        Problem(X, y), targets, np.reshape(model.coef_, (-1, 1)), np.ravel(model.intercept_), 1.0
    ).error.high
