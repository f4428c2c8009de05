"""Two classes that overlap, and small sets of whole numbers that may or may not."""

import numpy as np


def overlapping(seed, n=50, d=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.standard_normal((n, d)) + 0.8 * y[:, None], y


def tiny_integers(seed, d=2):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 9))
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return rng.integers(-2, 3, (n, d)).astype(float), y
