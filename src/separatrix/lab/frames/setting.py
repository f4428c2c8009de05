"""What frames are made from: a problem, words for its rows and classes, and which of its rows are wrong."""

from typing import Any

import numpy as np

from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.separator import examine
from separatrix.errors import counted
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.decoding import votes
from separatrix.lab.frames.posed import Posed
from separatrix.report.charts.geometry import segment
from separatrix.rows import Vector

BORDER_RTOL = 1e-6  # of the largest score, within which a row is on the border of novelty


class Setting(Posed):
    """A question that is posed, and what sentences and marks need of it."""

    def rows(self, index: Any) -> np.ndarray:
        """The numbers by which the page knows rows of the problem, which has none of weight 0."""
        return self.encoded.kept[np.asarray(index, dtype=int)]

    def row(self, i: int) -> str:
        """A row and its class, in words."""
        number = f"row {self.encoded.kept[i]}"
        return number if self.is_novelty else f"{number} of {self.names[self.problem.y[i]]}"

    def n_wrong(self, planes: Vector) -> int:
        """How many rows are not strictly on their own side of planes [w, b], as a certificate counts them.

        Of planes of pairs, how many rows get most votes for another class.
        """
        planes = np.atleast_2d(planes)
        if self.in_pairs:
            return int(np.count_nonzero(~self.won(self.X @ planes[:, :-1].T + planes[:, -1])))
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
    """Something to be drawn over the rows.

    >>> mark("segment", [[0.0, 0.0], [1.0, 2.0]], "step")["at"]
    [[0.0, 0.0], [1.0, 2.0]]
    """
    return {"kind": kind, "at": np.atleast_2d(at).tolist(), "role": role, "label": label}
