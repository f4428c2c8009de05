"""Separability with proof, against one linear program over all rows (HiGHS), which proves nothing.

The program maximises the least y (w.x + b) with every |w_j| and |b| at most 1: positive where the classes are
separable. Ours answers in whole numbers where rounding could matter, and for separable classes it also finds the
largest margin there is.
"""

import numpy as np
from measuring import Row, console, in_turns, seconds, show
from scipy import sparse
from scipy.optimize import linprog

from separatrix import separability

ROWS, FEATURES, MARGIN = 100_000, 20, 0.003
GOAL = 5.0


def run(quick: bool) -> None:
    cases, turns = {"separable, margin 0.003": MARGIN, "overlapping": None}, 1 if quick else 3
    show("Are the classes separable?", [compared(name, *dense(margin), turns) for name, margin in cases.items()])
    if not quick:
        text()


def dense(margin: float | None) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X, w = rng.standard_normal((ROWS, FEATURES)), rng.standard_normal(FEATURES)
    w /= np.linalg.norm(w)
    side = X @ w
    if margin is None:
        return X, (side + 0.5 * rng.standard_normal(ROWS) > 0).astype(int)
    return X + np.outer(margin * np.sign(side), w), (side > 0).astype(int)


def one_program(X: np.ndarray, y: np.ndarray) -> float:
    """The least margin of the best plane in the box, by one program over all rows."""
    signs = np.where(y == 1, 1.0, -1.0)[:, None]
    A = np.column_stack([X, np.ones(len(X))]) * signs
    bounds = [(-1.0, 1.0)] * A.shape[1] + [(None, None)]
    costs = np.append(np.zeros(A.shape[1]), -1.0)
    return -float(linprog(costs, np.column_stack([-A, np.ones(len(A))]), np.zeros(len(A)), bounds=bounds).fun)


def compared(name: str, X: np.ndarray, y: np.ndarray, turns: int) -> Row:
    found = separability(X, y)
    assert found.proved
    assert (found.kind == "complete") == (one_program(X, y) > 1e-9)
    jobs = {
        "ours": lambda: seconds(lambda: separability(X, y)),
        "HiGHS": lambda: seconds(lambda: one_program(X, y)),
    }
    taken = in_turns(jobs, turns)
    remark = f"margin {found.margin:.4g}" if found.margin else f"{found.witness.size} rows prove it"
    return Row(f"{ROWS:,} x {FEATURES}, {name}", "HiGHS, all rows", taken["ours"], taken["HiGHS"], GOAL, remark)


def text() -> None:
    """Rows like those of texts, few of many words: separable, as nearly always."""
    rng = np.random.default_rng(0)
    X = sparse.random(20_000, 5_000, density=0.016, random_state=0, format="csr")
    scores = X @ rng.standard_normal(X.shape[1])
    y = (scores > np.median(scores)).astype(int)
    found = separability(X, y)
    again = seconds(lambda: separability(X, y))
    console.print(f"20,000 x 5,000 sparse, 80 words a row: {found.kind}, proved: {found.proved}, in {again:.1f} s\n")
