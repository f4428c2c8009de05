"""Logistic discrimination: ours to a certified gap of 1e-6, against the quickest fit of each peer that comes as near.

Each peer is judged by the objective that it minimizes itself, against the lower bound of our certificate. A peer's
tolerance says little about where it ends, so each goes down a ladder of tolerances until it is within 1e-6; a fit that
does not get there in time sets no goal.

`python benchmarks/run.py logistic --limit 20 --small` gives each fit 20 seconds, and draws a tenth of the rows.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from linear_svm import duration, headed
from logistic_peers import CLOSE, CONTESTANTS, OURS, PEERS, Trial, least, trials
from measuring import console
from sklearn.datasets import load_digits
from svm_data import noisy, separable, sparse_rows

LIMIT = 60.0
OURS_LIMIT = 300.0

Sample = tuple[Any, np.ndarray]


def digits() -> Sample:
    return load_digits(return_X_y=True)


def cases(part: int) -> list[tuple[str, Callable[[], Sample], float]]:
    """Name, rows and C; `part` says by how much the large ones are cut."""
    sparse = f"{200_000 // part:,} x 50,000, sparse"
    return [
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


def run(limit: float = LIMIT, small: bool = False) -> None:
    warnings.simplefilter("ignore")
    for title, draw, C in cases(10 if small else 1):
        compare(f"{title}, C = {C:g}", *draw(), C, limit)


def compare(title: str, X: Any, y: np.ndarray, C: float, limit: float) -> None:
    """One table: who came within 1e-6 in what time."""
    bound = cache(lambda bias: least(X, y, C, bias))
    ours = trials(OURS, X, y, C, OURS_LIMIT, bound)[-1]
    table = headed(title, ("", "tol", "time", "of optimum", "ratio"), "all fits: tolerance, time, of optimum")
    table.add_row(OURS, f"{CLOSE:g}", duration(ours.seconds), f"{ours.excess:.0e}", "", "")
    for name in PEERS:
        if np.unique(y).size > 2 and not CONTESTANTS[name].several:
            continue
        made = trials(name, X, y, C, limit, bound)
        counting = min((fit for fit in made if fit.close), key=lambda fit: fit.seconds, default=None)
        table.add_row(name, *figures(counting, ours), "; ".join(brief(fit, limit) for fit in made))
    console.print(table)


def figures(theirs: Trial | None, ours: Trial) -> tuple[str, str, str, str]:
    """Tolerance, time, excess and ratio of the fit that counts, if there is one."""
    if theirs is None:
        return "", "-", f"> {CLOSE:g}", ""
    ratio = theirs.seconds / ours.seconds
    colour = "green" if ratio >= 1.0 else "red"
    return f"{theirs.tol:g}", duration(theirs.seconds), f"{theirs.excess:.0e}", f"[{colour}]{ratio:.1f}x[/]"


def brief(fit: Trial, limit: float) -> str:
    """One fit in a few words."""
    if np.isinf(fit.seconds):
        return f"{fit.tol:g}: not in {limit:g} s"
    return f"{fit.tol:g}: {duration(fit.seconds)}, {fit.excess:.0e}"
