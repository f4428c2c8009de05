"""Least squares by iterative refinement with a quantized copy of the rows, two bytes a number.

    x_ij = a_j + u_j q_ij + rounding,     q_ij whole and at most 32,767,     a_j and u_j from a sample of the rows

    (S~ + ridge I) step = left,     S~ = sum_i c_i u(q_i - m)(u(q_i - m))',     left: of the equations, from the rows

With hundreds of columns the matrix S costs as much as many passes over the rows, and a pass over the copy a third of
one over the rows, which come from memory. S~ is never made: conjugate gradients need only products with it (Hestenes
and Stiefel, 1952). Rounding errors nearly cancel over many rows: a correction gains four digits (Wilkinson, 1963).
Units are so coarse that few numbers are clipped where tails are long. A sample shows whether columns are so little
correlated that conjugate gradients need few passes: then it is 2 to 3 times as fast as S from 500 columns on.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from separatrix.certificates.claims.normal_equations import problem_mean
from separatrix.certificates.claims.normal_sums import row_targets
from separatrix.compiling import compiled, overload
from separatrix.problem import Problem
from separatrix.problem.fused_sums import call_parts, long_chunks, worth_looping
from separatrix.problem.moments import Sample, sample_rows
from separatrix.rows import TINY, Vector
from separatrix.threads import summed

MIN_COLUMNS, MIN_ROWS_A_COLUMN = 250, 50  # with fewer, S costs no more than a few passes over the rows
MAX_EIGENVALUE_VARIANCE = 0.1  # of correlations, up to which conjugate gradients need few passes
SAMPLE_STEP = 8  # one in so many rows of the sample is enough for estimates of correlations and deviations
LARGEST_NUMBER = 32767.0  # of int16
NUMBER_OF_DEVIATION = 1024.0  # the number that stands for a standard deviation
MAX_PASSES = 20  # for a correction

Single = NDArray[np.float32]


@dataclass(frozen=True, eq=False, repr=False)
class QuantizedRows:
    """Rows as whole numbers q of two bytes.

    >>> X = np.random.default_rng(0).standard_normal((2000, 5)) @ np.diag([1.0, 10.0, 100.0, 1e3, 1e4])
    >>> copy = QuantizedRows.of(Problem(X, X[:, 0] > 0.0), np.array([[-1.0], [1.0]]))
    >>> rounding = (X - X.mean(axis=0)) / copy.unit - (copy.numbers - copy.middle)
    >>> copy.numbers.dtype, bool(np.abs(rounding).max() < 0.6)
    (dtype('int16'), True)
    """

    numbers: NDArray[np.int16]  # q, of shape (n, d)
    cost: Single  # of each row, as part of the mean cost
    mean_cost: float
    unit: Vector  # u: what 1 stands for in each column
    middle: Vector  # m: the mean of the numbers
    mean: Vector  # of the rows, as the copy has it
    squares: Vector  # the diagonal of S, in units of the numbers and of the mean cost
    rounded: Vector  # by how much the diagonal of S exceeds that of S~
    right: Vector  # sum_i c_i (t_i - t)(q_i - m) for targets with the mean t, of shape (d, p)
    target: Vector  # the lengths of the targets, from their mean

    @classmethod
    def of(cls, problem: Problem, targets: Vector, sample: Sample | None = None) -> "QuantizedRows | None":
        """Copy dense rows; None where a column does not vary in a sample of them."""
        X, n, d = problem.X, problem.n_rows, problem.n_features
        assert isinstance(X, np.ndarray)
        seen = (sample_rows(problem) if sample is None else sample).X
        centre, deviation = seen[::SAMPLE_STEP].mean(axis=0), seen[::SAMPLE_STEP].std(axis=0)
        furthest = np.maximum(seen.max(axis=0) - centre, centre - seen.min(axis=0))
        unit = np.maximum(deviation / NUMBER_OF_DEVIATION, furthest / LARGEST_NUMBER)
        if not (unit > TINY).all():
            return None
        mean_cost = float(problem.cost.sum()) / n
        cost = problem.cost / mean_cost
        deviations = row_targets(problem, targets) - problem_mean(problem, targets)
        size = np.maximum(np.abs(deviations).max(axis=0), TINY)  # of numbers, which float32 may be too narrow for
        coefficients = np.column_stack([cost, cost[:, None] * (deviations / size)]).astype(np.float32)
        numbers, grid = np.empty((n, d), np.int16), Grid(centre, 1.0 / unit)

        def job(chunk: slice) -> tuple[Vector, Vector]:
            into = np.zeros((coefficients.shape[1], d), np.float32), np.zeros((2, d), np.float32)
            for part in call_parts(X, chunk):
                quantize_rows(X, coefficients, grid, part.start, part.stop, numbers, into)
            return into[0].astype(np.float64), into[1].astype(np.float64)

        sums, (squares, rounded) = summed(job, long_chunks(X))
        middle, total = sums[0] / n, coefficients[:, 1:].sum(axis=0, dtype=np.float64)
        right = (sums[1:].T - np.outer(middle, total)) * size
        squares, mean = squares + rounded - n * middle**2, centre + unit * middle
        if not (squares > 0.0).all():
            return None
        target = np.sqrt(cost @ deviations**2)
        return cls(numbers, coefficients[:, 0].copy(), mean_cost, unit, middle, mean, squares, rounded, right, target)

    def solve(self, ridge: float, tol: float, residual: Vector | None = None) -> tuple[Vector, int]:
        """W of the copy's own equations, or its correction for a residual of those of the rows, and the passes made.

        Conjugate gradients end where 1e-4 of the right side is left, as the copy has no more digits, or half of tol.
        """
        right = self.right if residual is None else residual / self.unit[:, None] / self.mean_cost
        penalty = (ridge / self.mean_cost / self.unit**2)[:, None]
        scale = self.squares[:, None] + penalty
        lengths = np.sqrt(scale)
        V, residual = np.zeros_like(right), right
        direction, square = residual / scale, np.sum(residual**2 / scale, axis=0)
        goal = np.maximum(1e-4 * np.abs(right / lengths).max(axis=0), 0.5 * tol * self.target)
        passes = 0
        while passes < MAX_PASSES and (np.abs(residual / lengths) > goal).any():
            image = self.product(direction) + (penalty + self.rounded[:, None]) * direction
            passes, curvature = passes + 1, np.sum(direction * image, axis=0)
            if not (curvature > 1e-6 * np.sum(scale * direction**2, axis=0)).all():  # single precision cannot tell it
                break
            V, residual = V + square / curvature * direction, residual - square / curvature * image
            before, square = square, np.sum(residual**2 / scale, axis=0)
            direction = residual / scale + square / np.maximum(before, TINY) * direction
        return V / self.unit[:, None], passes

    def product(self, V: Vector) -> Vector:
        """S~ V, in units of the numbers."""
        size = np.maximum(np.abs(V).max(axis=0), TINY)
        vectors = np.ascontiguousarray((V / size).T, dtype=np.float32)
        base = (vectors @ self.middle).astype(np.float32)

        def job(chunk: slice) -> tuple[Vector]:
            total = np.zeros(vectors.shape, np.float32)
            for part in call_parts(self.numbers, chunk):
                add_images(self.numbers, self.cost, vectors, base, part.start, part.stop, total)
            return (total.astype(np.float64),)

        (total,) = summed(job, long_chunks(self.numbers))
        return total.T * size


def worth_quantizing(problem: Problem) -> bool:
    """Whether a copy may pay: many dense rows with hundreds of columns."""
    n, d, X = problem.n_rows, problem.n_features, problem.X
    if d < MIN_COLUMNS or n < MIN_ROWS_A_COLUMN * d or not problem.fit_intercept:
        return False
    return isinstance(X, np.ndarray) and worth_looping(X)


def eigenvalue_variance(sample: Sample) -> float:
    """Variance of the eigenvalues of the correlations, less what the size of the sample adds to it.

    Eigenvalues beyond what chance makes of equal ones (Marchenko and Pastur, 1967) take conjugate gradients a pass
    each: up to eight are left out, with more the variance is infinite.
    """
    Z = sample.X[::SAMPLE_STEP] - sample.X[::SAMPLE_STEP].mean(axis=0)
    lengths = np.linalg.norm(Z, axis=0)
    Z = Z[:, lengths > 0.0] / lengths[lengths > 0.0]
    m, d = len(Z) - 1, Z.shape[1]  # the mean is one of their degrees of freedom
    if d == 0:
        return np.inf
    values = np.linalg.eigvalsh(Z @ Z.T)
    usual = values[values <= 1.2 * (1.0 + np.sqrt(d / m)) ** 2]
    if values.size - usual.size > 8:
        return np.inf
    mean = float(usual.sum()) / d
    return float(np.sum(usual**2)) / d / mean**2 - 1.0 - d / m


class Grid(NamedTuple):
    """The centre of each column, and how many units of its numbers make 1."""

    centre: Vector
    per_unit: Vector


@compiled
def quantize_rows(X, coefficients, grid, first, last, numbers, into):
    """Quantize the rows from first to last; add coefficients times q, c q^2, and what rounding took from that."""
    largest = np.float32(LARGEST_NUMBER)
    centre, per_unit = grid
    sums, squares = into
    for i in range(first, last):
        cost = coefficients[i, 0]
        for k in range(X.shape[1]):
            z = np.float32((X[i, k] - centre[k]) * per_unit[k])
            q = min(max(np.rint(z), -largest), largest)
            numbers[i, k] = np.int16(np.int32(q))
            squares[0, k] += cost * (q * q)
            squares[1, k] += cost * ((z - q) * (z + q))
        for r in range(coefficients.shape[1]):
            c = coefficients[i, r]
            for k in range(X.shape[1]):
                sums[r, k] += c * np.float32(numbers[i, k])


def two_dots(Q, i, j, v):
    """<q_i, v> and <q_j, v>, in whatever order of summation is fastest."""
    a = b = np.float32(0.0)
    for k in range(v.size):
        a += np.float32(Q[i, k]) * v[k]
        b += np.float32(Q[j, k]) * v[k]
    return a, b


dots_loop = two_dots
overload(two_dots, jit_options={"fastmath": {"reassoc", "contract"}, "forceinline": True})(lambda Q, i, j, v: dots_loop)


@compiled
def add_images(Q, cost, V, base, first, last, into):
    """Add c (q.v - base) q of the rows from first to last, for each v in V."""
    for i in range(first, last, 2):
        j = min(i + 1, last - 1)  # an odd row at the end is paired with nothing
        for r in range(V.shape[0]):
            a, b = two_dots(Q, i, j, V[r])
            a, b = cost[i] * (a - base[r]), cost[j] * np.float32(j - i) * (b - base[r])
            for k in range(Q.shape[1]):
                into[r, k] += a * np.float32(Q[i, k]) + b * np.float32(Q[j, k])
