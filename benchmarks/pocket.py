"""The pocket: stopping the count of errors when it is decided, against counting all after each correction.

The naive pocket is the same rule, once compiled like ours and once with NumPy's matrix product; all end with the same
plane, which is checked.
"""

import numba
import numpy as np
from measuring import Row, in_turns, seconds, show

from separatrix import PocketPerceptron

ROWS, FEATURES, PASSES = 20_000, 20, 3
GOAL = 5.0


@numba.njit
def naive(X, y, passes):
    """Count all rows that are wrong after each correction."""
    n, d = X.shape
    w, kept = np.zeros(d + 1), np.zeros(d + 1)
    fewest = n
    for p in range(passes * n):
        i = p % n
        if y[i] * (X[i] @ w[:d] + w[d]) <= 0.0:
            w[:d] += y[i] * X[i]
            w[d] += y[i]
            errors = 0
            for k in range(n):
                score = w[d]
                for j in range(d):
                    score += X[k, j] * w[j]
                errors += y[k] * score <= 0.0
            if errors < fewest:
                fewest, kept = errors, w.copy()
    return kept


def with_numpy(X: np.ndarray, y: np.ndarray, passes: int) -> np.ndarray:
    w, kept, fewest = np.zeros(X.shape[1]), np.zeros(X.shape[1]), len(y)
    b = kept_b = 0.0
    for p in range(passes * len(y)):
        i = p % len(y)
        if y[i] * (X[i] @ w + b) <= 0.0:
            w, b = w + y[i] * X[i], b + y[i]
            errors = np.count_nonzero(y * (X @ w + b) <= 0.0)
            if errors < fewest:
                fewest, kept, kept_b = errors, w, b
    return np.append(kept, kept_b)


def noisy(noise: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, FEATURES))
    return X, np.where(X @ rng.standard_normal(FEATURES) + noise * rng.standard_normal(ROWS) > 0, 1.0, -1.0)


def run(quick: bool) -> None:
    rows = [row for noise in (3.0, 0.3) for row in compared(*noisy(noise), turns=1 if quick else 3)]
    show("The pocket algorithm", rows)


def compared(X: np.ndarray, y: np.ndarray, turns: int) -> list[Row]:
    model = PocketPerceptron(max_iter=PASSES, patience=10**9, shuffle=False)
    answers = [np.append(model.fit(X, y).coef_, model.intercept_), naive(X, y, PASSES), with_numpy(X, y, PASSES)]
    assert all(np.array_equal(answers[0], other) for other in answers[1:])
    jobs = {
        "ours": lambda: seconds(lambda: model.fit(X, y)),
        "compiled": lambda: seconds(lambda: naive(X, y, PASSES)),
        "NumPy": lambda: seconds(lambda: with_numpy(X, y, PASSES)),
    }
    taken = in_turns(jobs, turns)
    case = f"{ROWS:,} x {FEATURES}, {model.n_updates_:,} corrections, {1 - model.score(X, y):.0%} errors"
    goals = {"compiled": GOAL, "NumPy": None}
    return [Row(case, f"all counted, {name}", taken["ours"], taken[name], goal) for name, goal in goals.items()]
