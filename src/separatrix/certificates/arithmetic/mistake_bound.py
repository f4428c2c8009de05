"""How many corrections a perceptron can make at most (Novikoff, 1962).

From zero, at a constant rate and in any order, on rows z_i that a plane through the origin separates with margin gamma:

    corrections <= (R / gamma)^2,        R = max ||z_i||,        gamma = min y_i <v, z_i> / ||v||

The rows are z = [x, 1], as b moves by 1 where w moves by x. Where b moves by another step c, it is the same rule on
the rows z = (x, sqrt(c)), with v = (w, b / sqrt(c)); normalised, it is the rule on z / ||z||. More than two classes
have the vectors of Kesler's construction for rows (Nilsson, 1965): each holds z twice, and v is all planes in one.
"""

from dataclasses import dataclass

import numpy as np

from separatrix import rows
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.threads import cached_property

MIN_SQUARE = 1e-280  # of the length of a row, below which underflow takes digits


@dataclass(frozen=True, eq=False)
class ExtendedRows:
    """The rows z that a perceptron's corrections add: (x, sqrt(bias_step)), as they are or at unit length.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.mistake_bound import ExtendedRows
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[3.0], [-3.0]]), np.array([1, 0]))
    >>> [round(ExtendedRows(problem, step).radius ** 2) for step in (1.0, 9.0)]  # [3, 1] and (3, 3)
    [10, 18]
    """

    problem: Problem
    bias_step: float = 1.0
    normalized: bool = False

    @property
    def step(self) -> float:
        """What b moves by: nothing where there is no offset."""
        return self.bias_step if self.problem.fit_intercept else 0.0

    @property
    def offset(self) -> float:
        """The entry of z that x does not have."""
        return float(np.sqrt(self.step))

    @cached_property
    def lengths(self) -> Vector:
        """||z|| of each row, before any is brought to unit length."""
        squares = self.problem.squares + self.step
        lengths = np.sqrt(squares)
        for i in np.flatnonzero(squares < MIN_SQUARE).tolist():
            lengths[i] = rows.length(np.append(rows.dense_row(self.problem.X, i), self.offset))
        return lengths

    @property
    def radius(self) -> float:
        """R, the length of the longest row, or of the longest vector of Kesler's construction, rounded up."""
        rounded = 1.0 + rows.rounding_bound(self.problem.n_features + 8)
        longest = 1.0 if self.normalized else float(self.lengths.max()) * rounded
        return longest if self.problem.n_classes == 2 else longest * float(np.sqrt(2.0))

    @np.errstate(all="ignore")  # what is not a number has no margin
    def margin(self, planes: Planes, margins: Vector) -> float:
        """Find gamma from y (w.x + b) of each row and rival class, rounded down; 0 where they are not all positive."""
        shares = margins / self.lengths[:, None] if self.normalized else margins
        b = planes.b / self.offset if self.step else np.zeros_like(planes.b)
        gamma = float(shares.min() / rows.length(np.column_stack([planes.w, b])))
        return gamma / (1.0 + rows.rounding_bound(2 * planes.w.size + 16)) if gamma > 0.0 else 0.0

    def mistake_bound(self, planes: Planes, margins: Vector) -> float:
        """(R / gamma)^2 from margins less their rounding-error bounds; infinite where they are not positive."""
        gamma = self.margin(planes, margins)
        return self.bound_of(gamma) if gamma > 0.0 else np.inf

    def bound_of(self, gamma: float) -> float:
        """(R / gamma)^2, rounded up: the roundings in R, gamma and their quotient must not make it too small."""
        n_terms = (self.problem.n_features + 1) * (self.problem.n_classes + 1) + 16
        with np.errstate(over="ignore"):
            square = np.square(np.float64(self.radius) / gamma)
        return float(square * (1.0 + rows.rounding_bound(n_terms)))
