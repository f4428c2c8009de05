"""The plane through the origin that has the largest margin on the rows a perceptron adds.

    maximise  gamma   subject to   y_i <v, z_i> >= gamma  for every row i,   ||v|| = 1

with z and v as in `certificates.arithmetic.mistake_bound`. Few rows are active, so it is found by a working set: solve
for some rows, keep the active ones, add those that violate the margin most, until none does. The margin on the working
set falls each time, so no working set comes twice.
"""

import numpy as np

from separatrix.certificates.arithmetic.mistake_bound import ExtendedRows
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.problem import Problem, kesler
from separatrix.products import dense_rows
from separatrix.rows import Vector
from separatrix.solvers.separation.least_distance import least_distance

MAX_ROUNDS = 200
MIN_PAIRS_ADDED = 50  # in each round; twice the number of active pairs, if that is more


def largest_margin(extended: ExtendedRows) -> tuple[Planes, Vector] | None:
    """Find the best plane, or the planes of all classes, and lower bounds on the margins y (w.x + b).

    The bounds allow for rounding. None: nothing was found that has all rows on their own side.

    >>> rows = ExtendedRows(Problem(np.array([[0.0], [3.0]]), np.array([0, 1])))
    >>> round(rows.margin(*largest_margin(rows)), 9)  # of 2/3 x - 1 it is 1 / sqrt(4/9 + 1)
    0.832050294
    """
    if not (extended.lengths > 0.0).all():
        return None  # a row of zeros is on no side of any plane
    chosen, best, reached = first_pairs(extended.problem), None, 0.0
    for _ in range(MAX_ROUNDS):
        solved = solve_for(extended, chosen)
        if solved is None:
            break
        planes, active = solved
        margins, bounds, _ = planes.margins(extended.problem)
        gamma = extended.margin(planes, margins - bounds)
        if gamma > reached:
            best, reached = (planes, margins - bounds), gamma
        worst = violated_pairs(extended, margins, max(MIN_PAIRS_ADDED, 2 * active.size))
        if np.isin(worst, chosen).all():  # there are none, or only by rounding
            break
        chosen = np.union1d(active, worst)
    return best


INITIAL_PAIRS = 200


def first_pairs(problem: Problem) -> np.ndarray:
    """Pairs to begin with, evenly spaced: numbers of rows, or with several classes k i + j for row i and rival j."""
    k = problem.n_planes
    n_pairs = problem.n_rows * k
    pairs = np.arange(0, n_pairs, max(1, n_pairs // INITIAL_PAIRS))
    return pairs if k == 1 else pairs[problem.y[pairs // k] != pairs % k]


def solve_for(extended: ExtendedRows, pairs: np.ndarray) -> tuple[Planes, np.ndarray] | None:
    """Find the best planes for some pairs alone, and the active pairs."""
    problem, k = extended.problem, extended.problem.n_planes
    distinct, place = np.unique(pairs // k, return_inverse=True)
    Z = np.column_stack([dense_rows(problem.X, distinct), np.full(distinct.size, extended.offset)])
    Z = Z / extended.lengths[distinct, None] if extended.normalized else Z
    # Planes are sums of the rows, so a few long rows need only the space that they span.
    basis, coordinates = np.linalg.qr(Z.T) if len(Z) < Z.shape[1] else (None, Z.T)
    vectors = kesler_vectors(coordinates.T[place], problem, pairs)
    shortest = least_distance(vectors)
    if shortest is None:
        return None
    v = shortest.v.reshape(k, -1)
    v = v if basis is None else v @ basis.T
    return Planes(np.ascontiguousarray(v[:, :-1]), v[:, -1] * extended.offset), pairs[shortest.weights > 0.0]


def kesler_vectors(Z: Vector, problem: Problem, pairs: np.ndarray) -> Vector:
    """y z for two classes; for more, z in the block of the row's own class and -z in that of the rival."""
    k = problem.n_classes
    if k == 2:
        return Z * problem.signs[pairs][:, None]
    return kesler.blocks(Z, problem.y[pairs // k], pairs % k, k).reshape(len(Z), -1)


MARGIN_TOLERANCE = 1e-9  # by which a margin may be below that of the active pairs, relative to it


def violated_pairs(extended: ExtendedRows, margins: Vector, most: int) -> np.ndarray:
    """Pairs with a margin below that of the active pairs, which is 1; the smallest margins, if there are many."""
    shares = (margins / extended.lengths[:, None] if extended.normalized else margins).ravel()
    near = np.flatnonzero(~(shares >= 1.0 - MARGIN_TOLERANCE))
    if near.size > most:
        near = near[np.argpartition(shares[near], most)[:most]]
    return near
