"""A plane that separates two classes, or the rows that prove that none does.

    either   y_i (w.x_i + b) > 0  for all rows i
    or       sum_i u_i y_i [x_i, 1] = 0,   u >= 0,   u not zero

Exactly one of the two holds (Gordan, 1873). Up to a moderate dimension it is decided in integers. Beyond that, weights
u that a numerical method found are claimed as they are, and their certificate states how far the sum is from zero.
"""

import numpy as np

from separatrix.certificates import Overlap
from separatrix.certificates.arithmetic.exact import integer_direction, rounded
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.overlap import Balance
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.separation.gordan import MAX_EXACT_DIMENSION, alternative
from separatrix.solvers.separation.quotient_space import QuotientSpace


def plane_or_overlap(
    problem: Problem, weights: Vector | None = None, *, among: np.ndarray | None = None
) -> Planes | Overlap | None:
    """Decide which of the two holds, for all rows or those `among` them.

    Where the dimension is too large for exact arithmetic, weights u for which the sum nearly vanishes are claimed as an
    overlap, if they are given; else the answer is None.

    >>> X = np.array([[1.0], [2.0], [3.0]])
    >>> plane_or_overlap(Problem(X, np.array([0, 1, 0])))  # half of 1 and half of 3 is 2
    Overlap(not strictly, 3 of 3 rows, stated=0)
    >>> plane = plane_or_overlap(Problem(X, np.array([0, 0, 1])))
    >>> (X @ plane.w[0] + plane.b[0] > 0.0).tolist()
    [False, False, True]
    """
    inequalities = Inequalities(problem)
    if inequalities.dimension > MAX_EXACT_DIMENSION:
        return None if weights is None else approximate_overlap(problem, weights)
    found = alternative(QuotientSpace(inequalities, np.arange(problem.n_rows) if among is None else among))
    return Overlap.issue(problem, found) if isinstance(found, Balance) else inequalities.planes(rounded(found))


def approximate_overlap(problem: Problem, weights: Vector) -> Overlap:
    """Claim that the rows with positive weights cancel; `stated` is the length of what remains of their sum."""
    index = np.flatnonzero(weights > 0.0)
    return Overlap.issue(problem, Balance(index, integer_direction(weights[index])))
