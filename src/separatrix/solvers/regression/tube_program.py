"""Sparse regression with a tube as a program in scaled units.

    minimise  sum_j penalty_j |w_j| + sum_i share_i max(0, r_i^2 - half^2),      r_i = t_i - z_i.w - b

Columns z have length 1, and t is y in units of its own size, both less their means where rows are dense and there is an
offset: the same numbers come out whatever the units of features and of y are. Columns that do not vary are left out.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.problem import Problem
from separatrix.problem.moments import cached_blocks, mostly_empty
from separatrix.products import as_matrix, combination, parts, scores, weighted_gram
from separatrix.rows import CSR, UNIT_ROUNDOFF, Vector

CONSTANT = 128.0 * UNIT_ROUNDOFF  # a column that varies by no more than this part of its size does not vary


@dataclass(frozen=True, eq=False, repr=False)
class TubeProgram:
    """The program, and how its solution is turned into one in the user's units."""

    Z: Any  # scaled columns that vary: an array, or a sparse one
    t: Vector
    share: Vector  # c_i / W
    penalty: Vector  # of each column
    half: float  # half the width of the tube, sqrt(epsilon)
    offset: bool
    used: np.ndarray  # which columns of the problem these are
    centre: Vector  # of these columns
    unit: Vector  # of these columns
    middle: float  # of y
    size: float  # of y

    @classmethod
    def of(cls, problem: Problem) -> "TubeProgram":
        """The program of a problem whose objective is SparseTube."""
        share, offset, y = problem.cost / problem.cost.sum(), problem.fit_intercept, problem.y
        middle = float(share @ y) if offset else 0.0
        size = float(np.sqrt(share @ (y - middle) ** 2)) or 1.0
        centre, unit, varies = measured_columns(problem, share)
        used = np.flatnonzero(varies)
        centre, unit = centre[used], unit[used]
        penalty = problem.objective.l1 / unit / size
        half = float(np.sqrt(problem.objective.epsilon)) / size
        Z = scaled_columns(problem, used, centre, unit)
        return cls(Z, (y - middle) / size, share, penalty, half, offset, used, centre, unit, middle, size)

    @property
    def is_wide(self) -> bool:
        """Whether systems of the rows are smaller than those of the columns."""
        return self.Z.shape[1] > self.Z.shape[0]

    def residuals(self, w: Vector, b: float) -> Vector:
        """t - Z w - b."""
        return self.t - self.times(w) - b

    def times(self, w: Vector) -> Vector:
        """Z w."""
        return self.Z @ w if sparse.issparse(self.Z) else scores(self.Z, w)

    def transposed(self, u: Vector) -> Vector:
        """Z'u."""
        return self.Z.T @ u if sparse.issparse(self.Z) else combination(self.Z, u)

    def gram(self, weights: Vector) -> Vector:
        """Z' diag(weights) Z."""
        if sparse.issparse(self.Z):
            return (self.Z.T @ self.Z.multiply(weights[:, None]).tocsr()).toarray()
        return weighted_gram(self.Z, weights)

    def row_gram(self, weights: Vector) -> Vector:
        """Z diag(weights) Z'."""
        if sparse.issparse(self.Z):
            return (self.Z.multiply(weights[None]).tocsr() @ self.Z.T).toarray()
        rooted = self.Z * np.sqrt(weights)
        return rooted @ rooted.T

    def columns(self, taken: np.ndarray, index: np.ndarray) -> Vector:
        """Some columns of some rows, as an array."""
        if sparse.issparse(self.Z):
            return self.Z[index][:, taken].toarray()
        return self.Z[np.ix_(index, taken)]

    def primal(self, w: Vector, b: float) -> float:
        """The objective."""
        losses = np.maximum(0.0, self.residuals(w, b) ** 2 - self.half**2)
        return float(self.penalty @ np.abs(w) + self.share @ losses)

    def restored(self, w: Vector, b: float, beta: Vector, n_features: int) -> tuple[Vector, float, Vector]:
        """w, b and beta in the user's units."""
        full = np.zeros(n_features)
        full[self.used] = w / self.unit * self.size
        b = float(self.middle + self.size * b - self.centre @ full[self.used]) if self.offset else 0.0
        return full, b, beta * self.size


def measured_columns(problem: Problem, share: Vector) -> tuple[Vector, Vector, np.ndarray]:
    """The centre of each column, 0 for sparse ones, its size around that, and whether that is more than rounding."""
    X, mean, squares = problem.X, np.zeros(problem.n_features), np.zeros(problem.n_features)
    if mostly_empty(X):
        squares = sum((share[part] @ (matrix * matrix) for part, matrix in parts(X)), squares)
    else:
        mean = combination(X, share) if problem.fit_intercept else mean
        squares = sum((share[part] @ (matrix - mean) ** 2 for part, matrix in cached_blocks(X)), squares)
    return mean, np.sqrt(squares), np.sqrt(squares) > CONSTANT * np.abs(mean)


def scaled_columns(problem: Problem, used: np.ndarray, centre: Vector, unit: Vector) -> Any:
    """The columns that vary, in their units; sparse ones are not centred."""
    X = problem.X
    if isinstance(X, CSR) and mostly_empty(X):
        return (as_matrix(X)[:, used] @ sparse.diags_array(1.0 / unit)).tocsr()
    Z = np.empty((problem.n_rows, used.size))
    for part, matrix in cached_blocks(X):
        Z[part] = (matrix[:, used] - centre) / unit
    return Z
