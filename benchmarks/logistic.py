"""Logistic discrimination: ours to a certified gap of 1e-6, against the quickest fit of each peer that comes as near.

Each peer is judged by the objective that it minimizes itself, against the lower bound of our certificate. A tolerance
does not tell how accurate a peer is, so each goes down a ladder of tolerances until it is within 1e-6; a fit that does
not get there in time sets no goal.

`python benchmarks/run.py logistic --limit 20` gives each fit 20 seconds. The quick set has a tenth of the rows, no
sparse ones, and the peers that were the quickest in the full set.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from linear_svm import duration, headed, mean
from logistic_peers import CLOSE, CONTESTANTS, OURS, PEERS, QUICK_PEERS, Trial, lower_bound, trials
from measuring import console
from sklearn.datasets import load_digits
from svm_data import noisy, separable, sparse_rows

OURS_LIMIT = 300.0

Sample = tuple[Any, np.ndarray]


def digits() -> Sample:
    return load_digits(return_X_y=True)


def cases(part: int) -> list[tuple[str, Callable[[], Sample], float]]:
    """Name, rows and C; `part` says by how much the large ones are cut."""
    sparse = f"{200_000 // part:,} x 50,000, sparse"
    return [
        ("10,000 x 20", lambda: noisy(10_000, 20), 1.0),
        (f"{100_000 // part:,} x 20", lambda: noisy(100_000 // part, 20), 1.0),
        (f"{1_000_000 // part:,} x 20", lambda: noisy(1_000_000 // part, 20), 1.0),
        (f"{20_000 // part:,} x 500", lambda: noisy(20_000 // part, 500), 1.0),
        ("digits raw, 1,797 x 64, 10 classes", digits, 1.0),
        (f"{100_000 // part:,} x 50, separable", lambda: separable(100_000 // part), 100.0),
        (sparse, lambda: first_rows(sparse_rows(), part), 1.0),
        (sparse, lambda: first_rows(sparse_rows(), part), 100.0),
    ]


def first_rows(sample: Sample, part: int) -> Sample:
    X, y = sample
    return X[: X.shape[0] // part], y[: X.shape[0] // part]


def run(quick: bool, limit: float) -> None:
    warnings.simplefilter("ignore")
    chosen = [case for case in cases(10 if quick else 1) if not (quick and "sparse" in case[0])]
    for title, draw, C in chosen:
        compare(f"{title}, C = {C:g}", *draw(), C, limit, QUICK_PEERS if quick else PEERS)


def compare(title: str, X: Any, y: np.ndarray, C: float, limit: float, chosen: Sequence[str]) -> None:
    """One table: who came within 1e-6 in what time. Ours is timed before and after the peers."""
    bound = cache(lambda bias: lower_bound(X, y, C, bias))
    before = trials(OURS, X, y, C, OURS_LIMIT, bound)[-1]
    peers = [name for name in chosen if CONTESTANTS[name].several or np.unique(y).size == 2]
    made = {name: trials(name, X, y, C, limit, bound) for name in peers}
    ours = mean([before, trials(OURS, X, y, C, OURS_LIMIT, bound)[-1]])
    headings = ("", "tol", "time", "cpu", "of optimum", "ratio", "by cpu")
    table = headed(title, headings, "all fits: tolerance, time, of optimum")
    table.add_row(OURS, f"{CLOSE:g}", duration(ours.seconds), duration(ours.cpu), f"{ours.excess:.0e}", "", "", "")
    for name, fits in made.items():
        counting = min((fit for fit in fits if fit.close), key=lambda fit: fit.seconds, default=None)
        table.add_row(name, *figures(counting, ours), "; ".join(brief(fit, limit) for fit in fits))
    console.print(table)


def figures(theirs: Trial | None, ours: Trial) -> tuple[str, ...]:
    """Tolerance, time by the clock and of all cores, excess and ratios of the fit that counts, if there is one."""
    if theirs is None:
        return "", "-", "", f"> {CLOSE:g}", "", ""
    ratio, work = theirs.seconds / ours.seconds, f"{theirs.cpu / ours.cpu:.1f}x"
    colour = "green" if ratio >= 1.0 else "red"
    times = duration(theirs.seconds), duration(theirs.cpu)
    return f"{theirs.tol:g}", *times, f"{theirs.excess:.0e}", f"[{colour}]{ratio:.1f}x[/]", work


def brief(fit: Trial, limit: float) -> str:
    """One fit in a few words."""
    if np.isinf(fit.seconds):
        return f"{fit.tol:g}: {fit.failure or f'not in {limit:g} s'}"
    return f"{fit.tol:g}: {duration(fit.seconds)}, {fit.excess:.0e}"
