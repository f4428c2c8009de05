"""Two points in the space of a kernel, as combinations of rows: their distance, and the scores along a direction.

d = p - q = sum_i y_i a_i phi(x_i),    <d, phi(x)> = sum_i y_i a_i K(x_i, x),    ||d||^2 = sum_i y_i a_i <d, phi(x_i)>
"""

from typing import NamedTuple

import numpy as np

from separatrix.problem import Problem
from separatrix.rows import TINY, Vector, rounding_bound

KERNEL_ROUNDINGS = 8  # of a kernel value, in units of the last place of the largest one


class KernelPoints(NamedTuple):
    """The scores of all rows along w, ||w||, ||p - q||^2 and its rounding-error bound.

    `longest` is the length of the longest row in the space of the kernel.
    """

    scores: Vector
    steepness: float
    square: float
    rounding: float
    longest: float

    @classmethod
    def of(cls, problem: Problem, support: np.ndarray, shares: Vector, w: Vector) -> "KernelPoints":
        """Measure the points that the shares of the support rows make, and the direction that their w make."""
        both = np.column_stack([problem.signs[support] * shares, w])
        scores = problem.kernel.expansion(problem.support_rows(support), both, problem.X)
        squares = np.maximum(np.sum(both * scores[support], axis=0), 0.0)
        largest = max(float(problem.kernel.diagonal(problem.X).max(initial=0.0)), 0.0)
        roundings = rounding_bound(KERNEL_ROUNDINGS + 2 * int(np.sqrt(support.size)))
        rounding = roundings * largest * float(np.abs(both[:, 0]).sum()) ** 2
        return cls(scores[:, 1], float(np.sqrt(squares[1])), float(squares[0]), rounding, float(np.sqrt(largest)))


def kernel_bisector(problem: Problem, support: np.ndarray, shares: Vector) -> tuple[Vector, float]:
    """Coefficients of w and the offset: w.x + b is 1 at the point of class 1 and -1 at that of class 0."""
    signed = problem.signs[support] * shares
    scores = problem.kernel.expansion(problem.support_rows(support), signed, problem.X)[support]
    square = float(signed @ scores)
    scale = 2.0 / square if square > TINY else 0.0  # the points are the same but for rounding
    return signed * scale, -0.5 * scale * float(shares @ scores)
