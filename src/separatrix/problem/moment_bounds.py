"""How far rounding may have moved the moments of classes.

    |n_c|,  |m_c - origin|     each by its radius               |S_w - computed|_jk  <=  e_j e_k

By the inequality of Cauchy and Schwarz e_j^2 is a multiple of sum_i c_i z_ij^2, for the rows z less an estimate of
their class's mean: the diagonal of what is summed up anyway. So bounds cost nothing, and they add up as the moments do:
for two parts of the rows e_j^2 is the sum of theirs.
"""

from typing import NamedTuple

import numpy as np

from separatrix.enclosures import Enclosed
from separatrix.enclosures.elementwise import INFLATED
from separatrix.problem.problem import Problem
from separatrix.rows import CSR, SMALLEST, TINY, UNIT_ROUNDOFF, Rows, Vector, rounding_bound


class MomentBounds(NamedTuple):
    """Radii of weights (k,) and of offsets (k, d), and e_j^2 of the columns (d,)."""

    weight: Vector
    offsets: Vector
    squares: Vector

    @classmethod
    def unknown(cls, k: int, d: int) -> "MomentBounds":
        """Those of moments of which no bounds are known."""
        return cls(np.full(k, np.inf), np.full((k, d), np.inf), np.full(d, np.inf))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def bounds_of_sums(
    problem: Problem,
    means: tuple[Vector, Vector, Vector],
    diagonal: Vector,
    subtracted: Vector,
    n_terms: tuple[int, int],
) -> MomentBounds:
    """Bounds of moments from sums over rows z less an estimate of their class's mean, each of so many terms at most.

    Given are the weights of classes, the estimates and the offsets of their means, the diagonal of sum c z z', and what
    was subtracted from it for the means.

    With g the bounds on sums, products of rows are off by g sqrt(A_j A_k) for A_j = sum c z_j^2, and a mean, times the
    root of its class's weight, by 3.2 g sqrt(A_j). What is subtracted for them is off by 8 g sqrt(A_j A_k), or with
    p for the largest part of sqrt(A_j) that the subtracted means are, by 16 p g sqrt(A_j A_k).
    """
    weight, estimate, offsets = means
    of_products, relative = (0.5 * rounding_bound(each + len(weight) + 8) for each in n_terms)
    n, seen = problem.n_rows + float(weight.sum()), weight > 0.0
    lost = np.full(diagonal.shape, 8.0 * n * SMALLEST)
    lost[still_columns(problem, estimate, np.flatnonzero(diagonal == 0.0))] = 0.0  # sums of 0, without any rounding
    A = diagonal * (1.0 + 4.0 * relative) + lost
    part = np.sqrt(np.max(subtracted / np.maximum(A, TINY), initial=0.0)) + 16.0 * relative
    per_row = np.where(seen, 1.0 / np.where(seen, weight, 1.0), 0.0)[:, None]
    moved = np.abs(estimate - estimate[int(np.argmax(weight))])
    of_offsets = 3.0 * relative * np.sqrt(per_row * A) + per_row * lost * (1.0 + n)
    of_offsets = of_offsets + 2.0 * UNIT_ROUNDOFF * (moved + np.abs(offsets))
    squares = (1.01 * of_products + min(8.0, 16.0 * float(part)) * relative) * A + lost
    return MomentBounds(2.0 * relative * weight, np.where(seen[:, None], INFLATED * of_offsets, 0.0), squares)


def still_columns(problem: Problem, estimate: Vector, candidates: np.ndarray) -> np.ndarray:
    """Those columns, among some, whose entries all are the estimate of their class; of sparse rows of all classes."""
    if not candidates.size:
        return candidates
    X: Rows = problem.X
    y = problem.y if problem.n_classes else np.zeros(problem.n_rows, dtype=np.int32)
    if isinstance(X, CSR):
        codes = np.repeat(y, np.diff(X.indptr))
        moves = np.bincount(X.indices[X.data != estimate[codes, X.indices]], minlength=X.n_columns) > 0
        full = np.bincount(X.indices, minlength=X.n_columns) == problem.n_rows
        moves |= ~full & (estimate != 0.0).any(axis=0)
        return candidates[~moves[candidates]]
    return candidates[[bool((X[:, j] == estimate[y, j]).all()) for j in candidates]]


def bounds_of_merged(
    parts: tuple[Vector, Vector, Vector], rooted: Enclosed, bounds: tuple[MomentBounds, MomentBounds]
) -> MomentBounds:
    """Bounds of the moments of two parts, given those of the weights and offsets of both, and the merged diagonal.

    `rooted` are the differences of means, whose products are added: r_j d_k + d_j r_k <= (l r_j + d_j / l)(l r_k +
    d_k / l) for differences r with radii d, whatever l.
    """
    weight, offsets, diagonal = parts
    r, d = np.linalg.norm(rooted.value, axis=0), np.linalg.norm(rooted.radius, axis=0)
    unit = np.where(diagonal > 0.0, 1.0 / np.sqrt(np.maximum(diagonal, TINY)), 0.0)
    part = float(np.max(d * unit)) / max(float(np.max(r * unit)), TINY)
    share = np.sqrt(min(max(part, rounding_bound(len(rooted.value) + 4)), 1.0))
    new = (share * r + d / share) ** 2
    squares = bounds[0].squares + bounds[1].squares
    squares = (1.0 + 1e-10) * (squares + new) + 16.0 * UNIT_ROUNDOFF * (diagonal + squares + new)
    return MomentBounds(weight, offsets, squares)


def digits_are_lost(within: Vector, bounds: MomentBounds, limit: Vector) -> bool:
    """Whether bounds are a part of the scatter of a column that varies: then rows should be centred once more."""
    max_part_of_scatter = 1e-10
    wide = bounds.squares > max_part_of_scatter * within
    return bool((wide & (bounds.squares / max_part_of_scatter > limit)).any())
