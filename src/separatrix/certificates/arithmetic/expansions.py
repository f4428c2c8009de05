"""Margins of rows to a plane in the space of a kernel, with bounds on their rounding errors.

    g(x) = sum_j c_j K(x, x_j) + b,       ||w||^2 = sum_ij c_i c_j K(x_i, x_j)       x_j: some rows of the problem

Two errors are bounded: that of the sum, and those of the kernel values. A value of a kernel that is positive
semidefinite by theory is wrong by a small multiple of sqrt(K(x, x) K(z, z)). Values that are given are taken as they
are. Of the values of other kernels nothing is known, and no sign is decided.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix import rows
from separatrix.problem import Problem
from separatrix.rows import Vector, rounding_bound

BLOCK_ENTRIES = 2**24  # kernel values that are held at once
# How much a kernel enlarges the error of the product or distance that it is made of, at most: a Gaussian by 2^11 / e,
# as distances are computed again where more than ten bits cancel; a polynomial by its degree; a product of kernels by
# the sum of theirs.
ENLARGEMENT = 2.0**12


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
    >>> margins, bounds, length = plane.margins(problem)
    >>> margins.tolist(), bool((bounds < 1e-10).all()), length
    ([0.5, 0.5, 3.5], True, 1.0)
    """

    coefficients: Vector
    b: float
    support: np.ndarray

    @property
    def finite(self) -> bool:
        """Whether all coefficients are finite."""
        return bool(np.isfinite(self.coefficients).all() and np.isfinite(self.b))

    def margins(self, problem: Problem) -> tuple[Vector, Vector, float]:
        """Margin y g(x) of each row, its rounding-error bound, and ||w||, which turns it into a distance.

        ||w|| is not a number where the kernel matrix gives it a negative square.
        """
        n, size = problem.n_rows, np.abs(self.coefficients)
        scores, sizes = np.empty(n), np.empty(n)
        step = max(64, BLOCK_ENTRIES // max(1, self.support.size))
        for first in range(0, n, step):
            part = np.arange(first, min(first + step, n))
            values = kernel_values(problem, part, self.support)
            scores[part], sizes[part] = values @ self.coefficients, np.abs(values) @ size
        bounds = rounding_bound(self.support.size + 1) * (sizes + abs(self.b)) + self.errors_of_values(problem)
        with np.errstate(invalid="ignore"):
            length = float(np.sqrt(self.coefficients @ scores[self.support]))
        return problem.signs * (scores + self.b), bounds, length

    def errors_of_values(self, problem: Problem) -> Any:
        """What errors of kernel values can make of each score."""
        if problem.kernel.rows_are_values:
            return 0.0
        if not problem.kernel.positive_definite:
            return np.inf
        lengths = np.sqrt(np.maximum(problem.kernel.diagonal(problem.X), 0.0))
        total = float(np.abs(self.coefficients) @ lengths[self.support])
        return ENLARGEMENT * rounding_bound(problem.n_features + 8) * lengths * total

    def mistake_bound(self, problem: Problem, least: float, length: float) -> float:
        """(R / gamma)^2 of the vectors (phi(x), 1), or phi(x) without offset; infinite where it is not known.

        `least` is the smallest margin less its rounding-error bound.
        """
        if not (least > 0.0 and problem.kernel.positive_definite):
            return np.inf
        longest = float(problem.kernel.diagonal(problem.X).max()) + float(problem.fit_intercept)
        n_terms = problem.n_features + self.support.size + 16
        with np.errstate(over="ignore", invalid="ignore"):
            square = np.square(np.sqrt(longest) * (np.hypot(length, self.b) / least))
            bound = float(square * (1.0 + ENLARGEMENT * rounding_bound(n_terms)))
        return bound if bound == bound else np.inf


def kernel_values(problem: Problem, some: np.ndarray, others: np.ndarray) -> Vector:
    """K of some rows of a problem with others."""
    if problem.kernel.rows_are_values:
        return np.asarray(rows.take(problem.X, some))[:, others]
    return problem.kernel.values_between(rows.take(problem.X, others), rows.take(problem.X, some)).T
