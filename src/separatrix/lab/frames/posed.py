"""The problem that an estimator makes of a question of the lab, and its fit."""

from itertools import combinations
from typing import Any

import numpy as np

from separatrix.data.encode import Encoded
from separatrix.lab.drawing.field import around
from separatrix.lab.fitting import fitted
from separatrix.lab.frames.grid import CELLS
from separatrix.lab.question import Question
from separatrix.problem import Problem
from separatrix.rows import Vector

MAX_GRID_SCORES = 250_000  # of all frames together: some 3 MB of text


class Posed:
    """A question, its estimator, the problem that this makes of it, and how many frames are shown at most."""

    def __init__(self, question: Question) -> None:
        self.question, self.estimator, self.warnings = question, question.estimator(), list[str]()
        labels = None if question.is_novelty else question.labels
        weights = (question.weights,) if question.weighted else ()
        self.encoded: Encoded = self.estimator._problem(question.X, labels, *weights)
        self.problem: Problem = self.encoded.problem
        self.names = ["the rows outside", "the rows inside"]
        if not question.is_novelty:
            _, first = np.unique(self.problem.y, return_index=True)
            self.names = [question.classes[c] for c in question.y[self.encoded.kept[first]].tolist()]
        self.view = question.view or around(question.X)
        self.most = max(2, question.max_frames)
        if self.problem.kernel is not None:
            columns = len(self.names) if self.in_pairs else 1
            self.most = max(2, min(self.most, MAX_GRID_SCORES // (CELLS * CELLS * columns)))

    @property
    def X(self) -> Vector:  # noqa: N802
        """The rows of the problem, which are dense."""
        return np.asarray(self.problem.X)

    @property
    def is_novelty(self) -> bool:
        """Whether all rows are of one class, and the unlike ones are looked for."""
        return self.question.is_novelty

    @property
    def in_pairs(self) -> bool:
        """Whether several classes are told apart in pairs."""
        return len(self.names) > 2 and self.question.row.by_pairs

    @property
    def pairs(self) -> list[tuple[int, int]] | None:
        """The pairs of classes that machines are of, if they are of pairs."""
        return list(combinations(range(len(self.names)), 2)) if self.in_pairs else None

    def fit(self, **options: Any) -> Any:
        """Fit the estimator, with further options; what it warns of is kept."""
        found = fitted(self.question, self.estimator.set_params(**options))
        self.warnings[:] = found.warnings
        return found.model

    @property
    def note(self) -> str:
        """That weights do not count where they do not."""
        weights = self.question.weights
        if weights is None or self.question.weighted or np.ptp(weights) == 0.0:
            return ""
        return "This rule knows no weights, so that every row counts once, whatever its size."
