"""Margins of rows to a plane in the space of a kernel, with bounds on their rounding errors.

    g(x) = sum_j c_j K(x, x_j) + b,       ||w||^2 = sum_ij c_i c_j K(x_i, x_j)       x_j: some rows of the problem

Kernels bound the errors of their own values (`kernels.enclosed_values`). Values that are given are taken as they are;
of those of other kernels nothing is known, and no sign is decided.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.enclosures import Enclosed, Interval, enclosed_dot
from separatrix.enclosures.elementwise import shifted
from separatrix.enclosures.interval import root
from separatrix.problem import Problem
from separatrix.rows import Vector


@dataclass(frozen=True, eq=False)
class PlaneOfRows:
    """A plane in the space of a problem's kernel: coefficients of some of its rows, and an offset.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.expansions import PlaneOfRows
    >>> from separatrix.kernels import Polynomial
    >>> problem = Problem(np.array([[0.0], [1.0], [-2.0]]), np.array([0, 1, 1]), kernel=Polynomial(2))
    >>> plane = PlaneOfRows(np.array([1.0]), -0.5, np.array([1]))  # g(x) = x^2 - 1/2
    >>> margins, length = plane.margins(problem)
    >>> margins.value.tolist(), bool((margins.radius < 1e-10).all()), length.low <= 1.0 <= length.high
    ([0.5, 0.5, 3.5], True, True)
    """

    coefficients: Vector
    b: float
    support: np.ndarray

    @property
    def finite(self) -> bool:
        """Whether all coefficients are finite."""
        return bool(np.isfinite(self.coefficients).all() and np.isfinite(self.b))

    @np.errstate(over="ignore", invalid="ignore")
    def margins(self, problem: Problem) -> tuple[Enclosed, Interval]:
        """Margin y g(x) of each row, and ||w||, which turns it into a distance; 0 where the kernel gives it none."""
        found = problem.kernel.enclosed_expansion(problem.X, self.support, self.coefficients[:, None])
        known = problem.kernel.positive_definite or problem.kernel.rows_are_values
        scores = Enclosed(found.value[:, 0], found.radius[:, 0] if known else np.full(problem.n_rows, np.inf))
        own, radii = scores.value[self.support], scores.radius[self.support]
        square = enclosed_dot(self.coefficients, own, np.abs(self.coefficients) * radii)
        moved = shifted(scores, self.b)
        return Enclosed(problem.signs * moved.value, moved.radius), root(square)

    def mistake_bound(self, problem: Problem, least: float, length: Interval) -> float:
        """(R / gamma)^2 of the vectors (phi(x), 1), or phi(x) without offset; infinite where it is not known.

        `least` is a lower end of the smallest margin.
        """
        if not (least > 0.0 and problem.kernel.positive_definite):
            return np.inf
        own = problem.kernel.enclosed_diagonal(problem.X)
        longest = Interval.of(float((own.value + own.radius).max())) + float(problem.fit_intercept)
        square = length.square() + Interval.of(self.b).square()
        return (longest * square / Interval.of(least).square()).high
