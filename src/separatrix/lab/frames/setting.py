"""What frames are made from: the question as its estimator poses it, and words for its rows and classes."""

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Protocol
from warnings import catch_warnings, simplefilter

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.separator import examine
from separatrix.data.encode import Encoded
from separatrix.errors import NotCertifiedWarning, TrivialFitWarning, counted
from separatrix.estimators.algorithm import Algorithm
from separatrix.estimators.base import gathered
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.decoding import votes
from separatrix.lab.frames.grid import CELLS
from separatrix.problem import Problem
from separatrix.report.charts.geometry import View, segment, view_of
from separatrix.rows import Vector

MAX_GRID_SCORES = 400_000  # of all frames together: some megabytes of text
BORDER_RTOL = 1e-6  # of the largest score, within which a row is on the border of novelty
WIDER = 0.6  # of the width of the points, on each side: how far lines and fields are drawn


class Asked(Protocol):
    """The question that frames answer; `separatrix.lab.question` has one."""

    X: Vector
    y: np.ndarray
    weights: Vector | None
    row: Algorithm
    max_frames: int
    classes: Any

    def estimator(self) -> Any:
        """An unfitted estimator with its options."""


@dataclass(eq=False)
class Setting:
    """A question, its estimator, and the problem that this makes of it."""

    question: Asked
    estimator: Any
    weighted: bool  # whether the rows have weights that the estimator knows
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, question: Asked) -> "Setting":
        """The setting of a question."""
        estimator = question.estimator()
        weighted = question.weights is not None and has_fit_parameter(estimator, "sample_weight")
        return cls(question, estimator, weighted)

    def __post_init__(self) -> None:
        """Pose the problem."""
        self.encoded: Encoded = self.estimator._problem(*self.data)
        self.problem: Problem = self.encoded.problem
        known, labels = self.question.classes, self.encoded.classes.tolist()
        self.names = [str(known[int(c)]) if int(c) < len(known) else str(c) for c in labels]
        if self.is_novelty:
            self.names = ["the rows outside", "the rows inside"]
        self.view, self.most = wide_view(self.question.X), self.question.max_frames
        if self.problem.kernel is not None:
            columns = len(self.names) if self.in_pairs else 1
            self.most = max(2, min(self.most, MAX_GRID_SCORES // (CELLS * CELLS * columns)))

    @property
    def is_novelty(self) -> bool:
        """Whether all rows are of one class, and the unlike ones are looked for."""
        return self.question.row.task == "novelty"

    @property
    def data(self) -> tuple[Any, ...]:
        """What the estimator is fitted to."""
        weights = (self.question.weights,) if self.weighted else ()
        return self.question.X, None if self.is_novelty else self.question.y, *weights

    def fit(self) -> Any:
        """Fit the estimator; what it warns of is kept, and not shown."""
        token = gathered.set(self.warnings)
        try:
            with catch_warnings():
                simplefilter("ignore", NotCertifiedWarning)
                simplefilter("ignore", TrivialFitWarning)
                return self.estimator.fit(*self.data)
        finally:
            gathered.reset(token)

    @property
    def note(self) -> str:
        """That weights do not count where they do not."""
        if self.question.weights is None or self.weighted or np.ptp(self.question.weights) == 0.0:
            return ""
        return "This rule knows no weights, so that every row counts once, whatever its size."

    def rows(self, index: Any) -> np.ndarray:
        """The numbers by which the page knows rows of the problem, which has none of weight 0."""
        return self.encoded.kept[np.asarray(index, dtype=int)]

    def row(self, i: int) -> str:
        """A row and its class, in words."""
        number = f"row {self.encoded.kept[i]}"
        return number if self.is_novelty else f"{number} of {self.names[self.problem.y[i]]}"

    @property
    def in_pairs(self) -> bool:
        """Whether several classes are told apart in pairs."""
        return len(self.names) > 2 and self.question.row.by_pairs

    @property
    def pairs(self) -> list[tuple[int, int]] | None:
        """The pairs of classes that machines are of, if they are of pairs."""
        return list(combinations(range(len(self.names)), 2)) if self.in_pairs else None

    def n_wrong(self, planes: Vector) -> int:
        """How many rows are not strictly on their own side of planes [w, b], as a certificate counts them.

        Of planes of pairs, how many rows get most votes for another class.
        """
        planes = np.atleast_2d(planes)
        if self.in_pairs:
            return int(np.count_nonzero(~self.won(self.problem.X @ planes[:, :-1].T + planes[:, -1])))
        return examine(self.problem, Planes(planes[:, :-1], planes[:, -1])).n_wrong

    def won(self, scores: Vector) -> np.ndarray:
        """Which rows of the problem the machines' scores, one column each, tell right."""
        y = self.problem.y
        if self.is_novelty:  # rows on the border count as inside, whatever rounding makes of their scores
            return scores[:, 0] >= -BORDER_RTOL * np.abs(scores).max(initial=0.0)
        if self.in_pairs:
            return votes(scores, one_vs_one(len(self.names))).argmax(axis=1) == y
        return scores[:, 0] * (2 * y - 1) > 0.0

    def outcome(self, n_wrong: int) -> str:
        """How many rows are wrong, as a sentence."""
        if self.is_novelty:
            return f"{counted(n_wrong, 'row')} of {self.problem.n_rows:,} {'is' if n_wrong == 1 else 'are'} outside."
        if n_wrong == 0:
            return "Every row is on its own side."
        return f"{n_wrong:,} of {counted(self.problem.n_rows, 'row')} {'is' if n_wrong == 1 else 'are'} wrong."

    def line(self, plane: Vector, role: str, label: str) -> list[dict[str, Any]]:
        """The line of a plane [w, b] within a wide view, as a mark; none where it makes no line there."""
        ends = segment(plane[:2], float(plane[2]), self.view)
        return [] if ends is None else [mark("segment", ends, role, label)]


def mark(kind: str, at: Any, role: str, label: str = "") -> dict[str, Any]:
    """Something to be drawn over the rows."""
    return {"kind": kind, "at": np.atleast_2d(at).tolist(), "role": role, "label": label}


def wide_view(points: Vector) -> View:
    """The rectangle around the points, and as much on each side as a reader may move to."""
    view = view_of(points)
    across, up = (WIDER * size for size in view.size)
    return View(view.left - across, view.right + across, view.bottom - up, view.top + up)
