"""Questions for tests of frames, about toy sets."""

import numpy as np

from separatrix.estimators.registry import algorithms
from separatrix.lab.question import Question

CLASSES = ("blue", "green", "orange")


def blobs(n_classes, apart, n=12, seed=1):
    """Round clouds, so far apart from the middle."""
    rng, angles = np.random.default_rng(seed), np.arange(n_classes) * 2.0 * np.pi / n_classes
    y = np.repeat(np.arange(n_classes), n)
    return apart * np.column_stack([np.cos(angles), np.sin(angles)])[y] + rng.normal(size=(y.size, 2)) + [0.3, 0.1], y


SETS = {"separable": blobs(2, 3.0), "overlapping": blobs(2, 0.8), "three": blobs(3, 1.5)}
ROWS = {row.name: row for row in [*algorithms("classification"), *algorithms("novelty")]}


def ask(name, data="separable", weights=None, **how):
    """A question to a row of the registry, about a toy set."""
    X, y = SETS[data]
    how.setdefault("max_frames", 60)
    labels = np.array(CLASSES)[y]
    return Question(X, y, weights, ROWS[name], classes=CLASSES[: y.max() + 1], labels=labels, **how)
