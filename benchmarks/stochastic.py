"""Stochastic gradient descent and least mean squares, by the pass, against scikit-learn's SGDClassifier.

Both make the same steps: the same loss, penalty and constant rate, rows reshuffled before each pass.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from measuring import QUICK_TURNS, Row, in_turns, per_pass, show
from perceptrons import TURNS, dense, scattered
from sklearn.linear_model import SGDClassifier

from separatrix import LMSClassifier, StochasticClassifier

GOAL = 2.0
RATE, L2 = 1e-3, 1e-4  # theirs is alpha / 2 ||w||^2, ours l2 ||w||^2
CASES = {
    "hinge": (StochasticClassifier(loss="hinge", l2=L2, learning_rate=RATE), {"loss": "hinge"}),
    "logistic": (StochasticClassifier(loss="logistic", l2=L2, learning_rate=RATE), {"loss": "log_loss"}),
    "hinge, averaged": (
        StochasticClassifier(loss="hinge", l2=L2, learning_rate=RATE, averaged=True),
        {"loss": "hinge", "average": True},
    ),
    "hinge, no penalty": (StochasticClassifier(loss="hinge", learning_rate=RATE), {"loss": "hinge", "penalty": None}),
    "LMS": (LMSClassifier(learning_rate=RATE), {"loss": "squared_error", "penalty": None}),
}


def ours(model: Any, X: Any, y: np.ndarray) -> Callable[[], float]:
    return lambda: per_pass(lambda passes: model.set_params(max_iter=passes, random_state=0).fit(X, y))


def theirs(options: dict[str, Any], X: Any, y: np.ndarray) -> Callable[[], float]:
    peer = SGDClassifier(alpha=2 * L2, learning_rate="constant", eta0=RATE, tol=None, random_state=0, **options)
    return lambda: per_pass(lambda passes: peer.set_params(max_iter=passes).fit(X, y))


def run(quick: bool) -> None:
    warnings.simplefilter("ignore")
    rows, turns = [], QUICK_TURNS if quick else TURNS
    for X, y in (dense(), scattered()):
        shape = f"{X.shape[0]:,} x {X.shape[1]:,}"
        for name, (model, options) in CASES.items():
            taken = in_turns({"ours": ours(model, X, y), "theirs": theirs(options, X, y)}, turns)
            goal = GOAL if name in ("hinge", "logistic", "LMS") else None
            rows.append(Row(f"{name}, {shape}", "SGDClassifier", taken["ours"], taken["theirs"], goal))
    show("A pass of stochastic gradient descent", rows)
