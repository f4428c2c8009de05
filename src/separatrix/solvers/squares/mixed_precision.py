"""Least squares by corrections from a rough copy of the rows, two bytes a number.

    x_ij = a_j + u_j q_ij + rounding,     q_ij whole and at most 32,767,     a_j and u_j from a sample of the rows

    (S~ + ridge I) step = left,     S~ = sum_i c_i u(q_i - m)(u(q_i - m))',     left: of the equations, from the rows

With hundreds of columns the matrix S costs as much as many looks at the rows, and a look at the copy a third of one at
the rows, which come from memory. S~ is never made: conjugate gradients need only products with it (Hestenes and
Stiefel, 1952). Roundings nearly cancel over many rows: a correction gains four digits (Wilkinson, 1963). Numbers are so
small that few lie beyond the largest, where tails are long. A sample shows whether columns are so little correlated
that gradients need few looks.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from separatrix.compiling import compiled, overload
from separatrix.problem import Problem
from separatrix.problem.fused_sums import long_chunks, pieces, worth_looping
from separatrix.problem.moments import Sample, sampled
from separatrix.rows import TINY, Vector
from separatrix.threads import summed

FEWEST_COLUMNS, ROWS_A_COLUMN = 250, 50  # from which on S costs more than some looks at the rows
SPREAD = 0.1  # variance of the eigenvalues of correlations, up to which looks are few
OUTSTANDING, MOST_OUTSTANDING = 1.2, 8  # eigenvalues beyond what chance gives by this factor take a look each
EVERY = 8  # rows of the sample, of which one is enough for that
LARGEST, DEVIATION = 32767.0, 1024.0  # number of a copy, and the one that stands for a standard deviation
COARSE = 1e-4  # what conjugate gradients leave of the copy's equations, which are hardly more exact
UNSEEN = 1e-6  # part of the diagonal's that S~ has in a way which single precision cannot tell from none
MOST_LOOKS = 20  # for a correction

Single = NDArray[np.float32]


@dataclass(frozen=True, eq=False, repr=False)
class RoughCopy:
    """Rows as whole numbers q.

    Parameters
    ----------
    numbers : ndarray of int16, shape (n, d)
        q_i of each row.
    cost : ndarray of float32, shape (n,)
        Cost of each row, as part of the mean cost.
    mean_cost : float
        The mean cost.
    unit : ndarray of shape (d,)
        u: what 1 stands for in each column.
    middle : ndarray of shape (d,)
        m: the mean of the numbers.
    mean : ndarray of shape (d,)
        The mean of the rows, as the copy has it.
    squares : ndarray of shape (d,)
        The diagonal of S, in units of the numbers and of the mean cost.
    rounded : ndarray of shape (d,)
        And what it has more than that of S~.
    right : ndarray of shape (d, p)
        The right side of the equations: sum_i c_i (t_i - t)(q_i - m) for targets with the mean t.
    target : ndarray of shape (p,)
        The lengths of the targets, from their mean.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.squares.mixed_precision import RoughCopy
    >>> X = np.random.default_rng(0).standard_normal((2000, 5)) @ np.diag([1.0, 10.0, 100.0, 1e3, 1e4])
    >>> copy = RoughCopy.of(Problem(X, X[:, 0] > 0.0), np.array([[-1.0], [1.0]]))
    >>> rounding = (X - X.mean(axis=0)) / copy.unit - (copy.numbers - copy.middle)
    >>> copy.numbers.dtype, bool(np.abs(rounding).max() < 0.6)
    (dtype('int16'), True)
    """

    numbers: NDArray[np.int16]
    cost: Single
    mean_cost: float
    unit: Vector
    middle: Vector
    mean: Vector
    squares: Vector
    rounded: Vector
    right: Vector
    target: Vector

    @classmethod
    def of(cls, problem: Problem, targets: Vector, sample: Sample | None = None) -> "RoughCopy | None":
        """Copy dense rows; None where a column does not vary in a sample of them."""
        X, n, d = problem.X, problem.n_rows, problem.n_features
        assert isinstance(X, np.ndarray)
        seen = (sampled(problem) if sample is None else sample).X
        centre, deviation = seen[::EVERY].mean(axis=0), seen[::EVERY].std(axis=0)
        furthest = np.maximum(seen.max(axis=0) - centre, centre - seen.min(axis=0))
        unit = np.maximum(deviation / DEVIATION, furthest / LARGEST)
        if not (unit > TINY).all():
            return None
        mean_cost = float(problem.cost.sum()) / n
        cost = problem.cost / mean_cost
        weight = np.bincount(problem.y, cost, problem.n_classes)
        apart = targets - weight @ targets / n
        pulls = np.column_stack([cost, cost[:, None] * apart[problem.y]]).astype(np.float32)
        numbers = np.empty((n, d), np.int16)

        def job(chunk: slice) -> tuple[Vector, Vector]:
            pulled, squares = np.zeros((pulls.shape[1], d), np.float32), np.zeros((2, d), np.float32)
            for part in pieces(X, chunk):
                copy_rows(X, pulls, centre, 1.0 / unit, part.start, part.stop, numbers, pulled, squares)
            return pulled.astype(np.float64), squares.astype(np.float64)

        pulled, (squares, rounded) = summed(job, long_chunks(X))
        middle, rest = pulled[0] / n, pulls[:, 1:].sum(axis=0, dtype=np.float64)
        right = pulled[1:].T - np.outer(middle, rest)
        squares, mean = squares + rounded - n * middle**2, centre + unit * middle
        if not (squares > 0.0).all():
            return None
        target = np.sqrt(weight @ apart**2)
        return cls(numbers, pulls[:, 0].copy(), mean_cost, unit, middle, mean, squares, rounded, right, target)

    def first(self, ridge: float, enough: float) -> tuple[Vector, int]:
        """W of the copy's own equations, and the looks that were needed."""
        return self.solved(self.right, ridge, enough)

    def correction(self, left: Vector, ridge: float, enough: float) -> tuple[Vector, int]:
        """What W is short of, by what the rows leave of the equations, and the looks that were needed."""
        return self.solved(left / self.unit[:, None] / self.mean_cost, ridge, enough)

    def solved(self, right: Vector, ridge: float, enough: float) -> tuple[Vector, int]:
        """Conjugate gradients, until little is left of a right side, or of any equation no more than half of enough."""
        penalty = (ridge / self.mean_cost / self.unit**2)[:, None]
        scale = self.squares[:, None] + penalty
        lengths = np.sqrt(scale)
        V, left = np.zeros_like(right), right
        way, square = left / scale, np.sum(left**2 / scale, axis=0)
        goal = np.maximum(COARSE * np.abs(right / lengths).max(axis=0), 0.5 * enough * self.target)
        made = 0
        while made < MOST_LOOKS and (np.abs(left / lengths) > goal).any():
            image = self.product(way) + (penalty + self.rounded[:, None]) * way
            made, bent = made + 1, np.sum(way * image, axis=0)
            if not (bent > UNSEEN * np.sum(scale * way**2, axis=0)).all():
                break
            V, left = V + square / bent * way, left - square / bent * image
            before, square = square, np.sum(left**2 / scale, axis=0)
            way = left / scale + square / np.maximum(before, TINY) * way
        return V / self.unit[:, None], made

    def product(self, V: Vector) -> Vector:
        """S~ V, in units of the numbers."""
        size = np.maximum(np.abs(V).max(axis=0), TINY)
        ways = np.ascontiguousarray((V / size).T, dtype=np.float32)
        base = (ways @ self.middle).astype(np.float32)

        def job(chunk: slice) -> tuple[Vector]:
            total = np.zeros(ways.shape, np.float32)
            for part in pieces(self.numbers, chunk):
                add_images(self.numbers, self.cost, ways, base, part.start, part.stop, total)
            return (total.astype(np.float64),)

        (total,) = summed(job, long_chunks(self.numbers))
        return total.T * size


def worth_copying(problem: Problem) -> bool:
    """Whether a copy may pay: many dense rows with hundreds of columns."""
    n, d, X = problem.n_rows, problem.n_features, problem.X
    if d < FEWEST_COLUMNS or n < ROWS_A_COLUMN * d or not problem.fit_intercept:
        return False
    return isinstance(X, np.ndarray) and worth_looping(X)


def spread_in(sample: Sample) -> float:
    """Variance of the eigenvalues of the correlations, less what the smallness of the sample adds to it.

    A few that are beyond what chance makes of equal ones are left out (Marchenko and Pastur, 1967).
    """
    Z = sample.X[::EVERY] - sample.X[::EVERY].mean(axis=0)
    lengths = np.linalg.norm(Z, axis=0)
    Z = Z[:, lengths > 0.0] / lengths[lengths > 0.0]
    m, d = len(Z) - 1, Z.shape[1]  # the mean is one of their degrees of freedom
    if d == 0:
        return np.inf
    values = np.linalg.eigvalsh(Z @ Z.T)
    usual = values[values <= OUTSTANDING * (1.0 + np.sqrt(d / m)) ** 2]
    if values.size - usual.size > MOST_OUTSTANDING:
        return np.inf
    mean = float(usual.sum()) / d
    return float(np.sum(usual**2)) / d / mean**2 - 1.0 - d / m


@compiled
def copy_rows(X, pulls, centre, per_unit, first, last, numbers, pulled, squares):
    """Copy the rows from first to last; add their pulls times q, c q^2, and what rounding took from that."""
    largest = np.float32(LARGEST)
    for i in range(first, last):
        cost = pulls[i, 0]
        for k in range(X.shape[1]):
            z = np.float32((X[i, k] - centre[k]) * per_unit[k])
            q = min(max(np.rint(z), -largest), largest)
            numbers[i, k] = np.int16(np.int32(q))
            squares[0, k] += cost * (q * q)
            squares[1, k] += cost * ((z - q) * (z + q))
        for r in range(pulls.shape[1]):
            pull = pulls[i, r]
            for k in range(X.shape[1]):
                pulled[r, k] += pull * np.float32(numbers[i, k])


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
