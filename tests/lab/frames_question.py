"""Questions for tests of frames: toy sets, and a question that knows no more than frames ask of it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from separatrix.estimators.registry import algorithms

CLASSES = ("blue", "orange", "green")


@dataclass
class Question:
    X: np.ndarray
    y: np.ndarray
    row: Any
    weights: Any = None
    options: dict = field(default_factory=dict)
    seed: int = 0
    max_frames: int = 60
    classes: tuple = CLASSES

    def estimator(self):
        return self.row.make(random_state=self.seed).set_params(**self.options)


def blobs(n_classes, apart, n=12, seed=1):
    """Round clouds, so far apart from the middle."""
    rng, angles = np.random.default_rng(seed), np.arange(n_classes) * 2.0 * np.pi / n_classes
    y = np.repeat(np.arange(n_classes), n)
    return apart * np.column_stack([np.cos(angles), np.sin(angles)])[y] + rng.normal(size=(y.size, 2)) + [0.3, 0.1], y


SETS = {"separable": blobs(2, 3.0), "overlapping": blobs(2, 0.8), "three": blobs(3, 1.5)}
ROWS = {row.name: row for row in [*algorithms("classification"), *algorithms("novelty")]}


def ask(name, data="separable", **how):
    """A question to a row of the registry, about a toy set."""
    X, y = SETS[data] if isinstance(data, str) else data
    return Question(X, y, ROWS[name], **how)
