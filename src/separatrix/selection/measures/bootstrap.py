"""The interval of a loss on test rows that is no part of them, by a bootstrap (Efron, 1979).

It is from the 2.5 % to the 97.5 % quantile of the losses on rows drawn with replacement, as many as there are.
"""

from collections.abc import Callable

import numpy as np

from separatrix.rows import Vector
from separatrix.theory.exact_interval import CONFIDENCE, Interval

MAX_DRAWS, MIN_DRAWS, MAX_DRAWN_ROWS = 500, 100, 1e7  # so that it takes a few seconds at most


def bootstrap_interval(loss: float, loss_of: Callable[[np.ndarray], float], n: int, seed: int = 0) -> Interval:
    """The interval around a loss, from the losses of draws of n row numbers; NaN where none of them is known.

    >>> errors = np.array([0.0, 0.0, 1.0, 1.0] * 25)
    >>> low, high = bootstrap_interval(0.5, lambda index: float(errors[index].mean()), errors.size)
    >>> 0.38 < low < 0.42, 0.58 < high < 0.62
    (True, True)
    """
    rng = np.random.default_rng(seed)
    draws = int(np.clip(MAX_DRAWN_ROWS / n, MIN_DRAWS, MAX_DRAWS))
    losses: Vector = np.array([loss_of(rng.integers(n, size=n)) for _ in range(draws)])
    known = losses[np.isfinite(losses)]
    if not known.size:
        return Interval(np.nan, np.nan)
    tail = (1.0 - CONFIDENCE) / 2.0
    low, high = np.quantile(known, [tail, 1.0 - tail]).tolist()
    return Interval(min(low, loss), max(high, loss))
