"""Flows between classes, scaled so that each class gains what it loses."""

import numpy as np


def balance(flow: np.ndarray) -> np.ndarray:
    """Factors of at most 1 that make rows and columns add up to the same, one class at a time (Osborne, 1960)."""
    scale = np.ones(len(flow), "g")
    for _ in range(2 if len(flow) == 2 else 500):
        for c in range(len(flow)):
            gain, loss = flow[:, c] @ (1 / scale) * scale[c], flow[c] @ scale / scale[c]
            scale[c] *= np.sqrt(loss / gain) if gain > 0 < loss else 1
    factors = scale[None, :] / scale[:, None]
    return factors / factors[flow > 0].max(initial=0)
