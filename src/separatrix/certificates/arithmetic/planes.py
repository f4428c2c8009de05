"""Margins of rows to planes, with bounds on their rounding errors.

Two classes have one plane, and a row one margin, y (w.x + b). With more classes a row of class c has a margin against
every other class j, (w_c - w_j).x + b_c - b_j: Kesler's construction (Nilsson, 1965).
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from separatrix import rows
from separatrix.certificates.arithmetic.exact import enclosed_root, exact_score, fraction
from separatrix.enclosures import Interval
from separatrix.errors import DataError
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector, length


@dataclass(frozen=True, eq=False)
class Planes:
    """One plane (w of shape (1, d)) or one for each class (w of shape (k, d))."""

    w: Vector
    b: Vector

    @classmethod
    def of(cls, w: Vector, b: float | Vector) -> "Planes":
        """The planes of a solution, whose w has one dimension or two."""
        return cls(np.atleast_2d(np.asarray(w, dtype=float)), np.atleast_1d(np.asarray(b, dtype=float)))

    @property
    def finite(self) -> bool:
        """Whether all coefficients are finite."""
        return bool(np.isfinite(self.w).all() and np.isfinite(self.b).all())

    def fit_to(self, problem: Problem) -> None:
        """Refuse a problem with other features or classes than these planes are for."""
        expected = (problem.n_planes, problem.n_features)
        if self.w.shape != expected:
            raise DataError(
                f"The certificate is for {self.w.shape[1]} features and {len(self.w)} plane(s), but the problem has "
                f"{expected[1]} features and asks for {expected[0]}. Check it with the data that the model is for."
            )

    def scores(self, problem: Problem) -> tuple[Vector, Vector]:
        """g of each row and plane, and a bound on its rounding error; both of shape (n, planes)."""
        scores, sizes = (np.empty((len(self.w), problem.n_rows)) for _ in range(2))
        for plane, (w, b) in enumerate(zip(self.w, self.b, strict=True)):
            extended = np.append(w, b)
            for part in rows.chunks(problem.X):
                rows.scores_and_sizes(problem.X, extended, part.start, part.stop, scores[plane], sizes[plane])
        # a product that underflows loses at most the least denormal number
        lost = (problem.n_features + 2) * np.finfo(float).smallest_subnormal
        return scores.T, rows.rounding_bound(problem.n_features + 1) * sizes.T + lost

    def margins(self, problem: Problem) -> tuple[Vector, Vector, Vector]:
        """Margin of each row, its rounding-error bound, and the length of w that turns it into a distance."""
        scores, bounds = self.scores(problem)
        if len(self.w) == 1:
            return problem.signs[:, None] * scores, bounds, np.full_like(scores, length(self.w))
        own = np.arange(problem.n_rows), problem.y
        margins, bounds = scores[own][:, None] - scores, bounds[own][:, None] + bounds
        bounds += rows.UNIT_ROUNDOFF * np.abs(margins)  # the subtraction rounds too
        margins[own], bounds[own] = np.inf, 0.0
        return margins, bounds, distances(self.w)[problem.y]

    def margin_in_fractions(self, problem: Problem, i: int, j: int) -> Any:
        """Margin of row i against class j, without rounding."""
        x = rows.dense_row(problem.X, i)
        if len(self.w) == 1:
            return exact_score(x, self.w[0], self.b[0]) * int(problem.signs[i])
        own = problem.y[i]
        return exact_score(x, self.w[own], self.b[own]) - exact_score(x, self.w[j], self.b[j])

    def exact_distance(self, problem: Problem, i: int, j: int) -> Interval:
        """The distance of row i from the plane between its class and class j, on either side of it."""
        margin = self.margin_in_fractions(problem, i, j)
        other = np.zeros(self.w.shape[1]) if len(self.w) == 1 else self.w[j]
        w = self.w[0 if len(self.w) == 1 else problem.y[i]]
        differences = (fraction(u) - fraction(v) for u, v in zip(w.tolist(), other.tolist(), strict=True))
        square = sum((difference * difference for difference in differences), fraction(0.0))
        if square == 0:
            return Interval(0.0, np.inf)
        ratio = margin * margin / square
        return enclosed_root(Fraction(int(ratio.p), int(ratio.q)), 0)

    def exact_margin(self, problem: Problem, i: int, j: int) -> float:
        """Margin of row i against class j, rounded once and never to 0: a row on the plane has the margin -TINY."""
        margin = self.margin_in_fractions(problem, i, j)
        try:
            rounded = int(margin.p) / int(margin.q)
        except OverflowError:
            rounded = np.finfo(float).max
        return float(np.copysign(max(abs(rounded), TINY), 1 if margin > 0 else -1))

    def errors(self, problem: Problem) -> int:
        """Number of rows whose predicted class is wrong; a tie goes to the class with the lowest number."""
        scores, _ = self.scores(problem)
        predicted = (scores[:, 0] > 0).astype(int) if len(self.w) == 1 else scores.argmax(axis=1)
        return int(np.count_nonzero(predicted != problem.y))


def distances(w: Vector) -> Vector:
    """||w_c - w_j|| for all pairs of rows of w, one row at a time so that k^2 d numbers are never held."""
    largest = float(np.abs(w).max(initial=0.0))
    unit = 2.0 ** np.floor(np.log2(largest)) if 0.0 < largest < np.inf else 1.0  # else squares overflow or vanish
    return unit * np.array([np.linalg.norm((w - row) / unit, axis=1) for row in w])
