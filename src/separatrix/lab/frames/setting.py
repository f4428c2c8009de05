"""What frames are made from: the question as its estimator poses it, and words for its rows and classes."""

from dataclasses import dataclass, field
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
from separatrix.problem import Problem
from separatrix.report.charts.geometry import View, segment, view_of
from separatrix.rows import Vector

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
        labels = self.encoded.classes
        known = self.question.classes
        self.names = [str(known[int(c)]) if int(c) < len(known) else str(c) for c in labels.tolist()]
        self.view = wide_view(self.question.X)

    @property
    def data(self) -> tuple[Any, ...]:
        """What the estimator is fitted to."""
        weights = (self.question.weights,) if self.weighted else ()
        return self.question.X, self.question.y, *weights

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
        return f"row {self.encoded.kept[i]} of {self.names[self.problem.y[i]]}"

    def n_wrong(self, planes: Vector) -> int:
        """How many rows are not strictly on their own side of planes [w, b], as a certificate counts them."""
        planes = np.atleast_2d(planes)
        return examine(self.problem, Planes(planes[:, :-1], planes[:, -1])).n_wrong

    def outcome(self, n_wrong: int) -> str:
        """How many rows are wrong, as a sentence."""
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
