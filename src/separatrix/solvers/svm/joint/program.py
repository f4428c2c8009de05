"""The joint machine in coordinates where rows are of moderate size, as Newton's method takes it.

    minimise over V    1/2 sum_j penalty_j ||V_j||^2 + sum_i cost_i max over k of t_ik,        g(x_i) = V'z_i

V has a column [v..., b] for each class, and z_i is a row [z, 1]. Rows most of whose entries are zeros stay sparse.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack

from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.scaled_rows import orthogonal_coordinates
from separatrix.products import as_matrix, combination, dense_rows, product, scores
from separatrix.rows import CSR, TINY, Rows, Vector
from separatrix.solvers.svm.joint.simplex_projection import Held
from separatrix.solvers.svm.route import MAX_ENTRIES, is_mostly_zeros, without_zeros

CURVATURE_A_ROW = 30.0  # of the held loss of a row, in units of the penalty, at a width of 1 and for large costs


class JointProgram(NamedTuple):
    """The rows [z, 1] and, if they are sparse, their transpose; then classes, costs, penalties and widths.

    Lengths are ||x - centre||^2. The width of a row is that of its held loss before all are scaled: where its cost is
    large, the loss is held about as firmly as the penalty holds the planes.
    """

    matrix: Any
    turned: Any
    y: np.ndarray
    cost: Vector
    penalty: Vector
    lengths: Vector
    coordinates: Coordinates
    n_classes: int

    @classmethod
    def of(cls, problem: Problem) -> "JointProgram":
        """The program of a problem; what depends on the rows alone is shared between problems over them."""
        sparse = is_sparse(problem)
        name = f"joint rows, {'sparse' if sparse else 'dense'}"
        matrix, turned, coordinates = problem.shared(name, lambda: sparse_rows(problem) if sparse else rows_of(problem))
        cost, penalty = problem.objective.C * problem.cost, coordinates.penalties
        lengths = (matrix * matrix) @ inverse(penalty)
        return cls(matrix, turned, problem.y, cost, penalty, lengths, coordinates, problem.n_classes)

    @property
    def widths(self) -> Vector:
        """The width of each row."""
        return 1.0 + self.cost * self.lengths / CURVATURE_A_ROW

    @property
    def sparse(self) -> bool:
        """Whether the rows are sparse."""
        return not isinstance(self.matrix, np.ndarray)

    @property
    def width(self) -> int:
        """How many coordinates there are, the 1 of the offsets among them."""
        return self.penalty.size

    @property
    def offsets(self) -> int:
        """Where the offsets are among the coordinates: none, or the last one."""
        return self.width - int(self.coordinates.offset)

    def held(self, guess: Vector, width: float) -> Held:
        """The losses held near a guess, with all widths scaled."""
        return Held(self.y, self.cost, guess, width * self.widths)

    def scores(self, V: Vector) -> Vector:
        """g of each row and class."""
        return scores(self.matrix, V) if isinstance(self.matrix, np.ndarray) else product(self.matrix, V)

    def weighted_sum(self, U: Vector) -> Vector:
        """sum_i z_i u_i'."""
        return combination(self.matrix, U) if isinstance(self.matrix, np.ndarray) else product(self.turned, U)


def is_sparse(problem: Problem) -> bool:
    """Whether the rows are left sparse: where most entries are zeros, or all of them would not fit."""
    too_large = isinstance(problem.X, CSR) and problem.n_rows * problem.n_features > MAX_ENTRIES
    return too_large or is_mostly_zeros(problem)


def unscaled_rows(problem: Problem) -> tuple[Rows, Coordinates]:
    """The rows in the units of the features, where ||w||^2 is the penalty, and the coordinates that they are from."""
    if is_sparse(problem):
        return without_zeros(problem), as_features(problem)
    program = JointProgram.of(problem)
    scale = program.coordinates.scale
    return program.matrix[:, : scale.size] * scale, program.coordinates


def rows_of(problem: Problem) -> tuple[Vector, Vector, Coordinates]:
    """Dense rows [z, 1], their transpose, and their coordinates."""
    coordinates = orthogonal_coordinates(problem)
    rows = coordinates.rows(dense_rows(problem.X, np.arange(problem.n_rows)))
    return rows, rows.T, coordinates


def sparse_rows(problem: Problem) -> tuple[Any, Any, Coordinates]:
    """Sparse rows [x, 1], their transpose, and their coordinates, which are the features."""
    X = without_zeros(problem)
    rows = as_matrix(X) if isinstance(X, CSR) else csr_array(X)
    if problem.fit_intercept:
        rows = hstack([rows, np.ones((problem.n_rows, 1))], format="csr")
    return rows, rows.T.tocsr(), as_features(problem)


def as_features(problem: Problem) -> Coordinates:
    """The features themselves as coordinates."""
    d = problem.n_features
    return Coordinates(np.zeros(d), np.ones(d), None, problem.fit_intercept)


def inverse(penalty: Vector) -> Vector:
    """1 / penalty, and 0 for what is not penalised."""
    return np.where(penalty > 0.0, 1.0 / np.maximum(penalty, TINY), 0.0)
