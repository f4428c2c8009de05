"""What planes lose and what their dual point is worth, with one look at rows of two classes, else with two.

    lost   sum_i C c_i loss_i                         given    sum_i C c_i entropy(q_i)
    W      sum_i C c_i (e_i - q_i) x_i'               pulled   sum_i C c_i (1 - the own class's probability)

The names are those of `losses.logistic_loss`; q is balanced, so that each class gains what it loses (Osborne, 1960). Of
two classes that takes one factor for the rows of each, and so W is a sum of two that are known before the factors are.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from separatrix.objectives.log_loss import (
    balanced,
    balancing_factors,
    binary_loss_and_gradient,
    entropies,
    rival_log_odds,
    score_gradients,
    weighted_loss_gradient,
)
from separatrix.objectives.log_loss_curvature import SWEPT_AT_ONCE, is_far, sparse_rows_at_once
from separatrix.objectives.log_loss_loops import ENTRIES_PER_LOSS, worth_compiling
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.products import product, row_slice
from separatrix.rows import CSR, Vector, n_entries
from separatrix.threads import parallel_map, row_chunks, summed

Pair = tuple[float, float]


class Look(NamedTuple):
    """What the rows make of planes: how much they lose, the largest score, and the probabilities of rivals.

    Where it was seen at once, a column for each of two classes says how its rows pull at each feature, and how much in
    all.
    """

    lost: float
    largest: float
    wrong: Vector
    pulls: Vector | None = None
    weight: Vector | None = None


class Dual(NamedTuple):
    """The entropy of a dual point, how much it pulls in all, and its W, a column for each plane."""

    given: float
    pulled: float
    normal: Vector


def look(problem: Problem, weights: Vector, w: Vector, b: Vector, coordinates: Coordinates) -> Look:
    """Go through the rows once."""
    if problem.n_planes == 1 and worth_compiling(problem.X) and not is_subtracted(problem, coordinates):
        return look_by_loop(problem, weights, w[0], float(b[0]))
    y, columns = problem.y, np.ascontiguousarray(w.T)
    wrong, at_once = np.empty((problem.n_rows, problem.n_planes)), problem.n_planes == 1

    def part_of(chunk: slice) -> tuple[float, float, Vector, Vector]:
        lost, largest, pulls, weight = 0.0, 0.0, np.zeros((problem.n_features, 2)), np.zeros(2)
        for part, rows in few_at_once(problem, chunk):
            scored = rows @ columns + b
            pull, more = weighted_loss_gradient(rival_log_odds(scored, y[part]), y[part], weights[part], wrong[part])
            lost, largest = lost + more, max(largest, float(np.abs(scored).max(initial=0.0)))
            if at_once:
                each, moved = (pull[:, 0] * (y[part] == 0), pull[:, 0] * y[part]), near(rows, problem, coordinates)
                pulls += np.column_stack([product(moved.T, own) for own in each])
                weight += [own.sum() for own in each]
        return lost, largest, pulls, weight

    seen = together(list(parallel_map(part_of, chunks_of(problem, 2))), wrong)
    return seen if at_once else Look(*seen[:3])


def look_by_loop(problem: Problem, weights: Vector, w: Vector, b: float) -> Look:
    """One pass over rows of two classes by a compiled loop."""
    y, (ahead, wrong) = problem.y, np.empty((2, problem.n_rows, 1))

    def part_of(chunk: slice) -> tuple[float, float, Vector, Vector]:
        pulls, lost = binary_loss_and_gradient(problem.X, chunk, (w, b), y, weights, ahead, wrong, by_class=True)
        pull, own = weights[chunk] * wrong[chunk, 0], y[chunk]
        weight = np.array([pull @ (1.0 - own), -(pull @ own)])
        return lost, float(np.abs(ahead[chunk]).max()), np.array([pulls[0] - pulls[1], pulls[1]]).T, weight

    return together(list(parallel_map(part_of, chunks_of(problem, 2))), wrong)


def together(parts: list[tuple[float, float, Vector, Vector]], wrong: Vector) -> Look:
    """The sums of all chunks, added in order."""
    pulls, weight = np.sum([part[2] for part in parts], axis=0), np.sum([part[3] for part in parts], axis=0)
    return Look(sum(part[0] for part in parts), max(part[1] for part in parts), wrong, pulls, weight)


def dual_point(problem: Problem, weights: Vector, seen: Look, coordinates: Coordinates) -> Dual:
    """The planes' own probabilities, balanced where there is an offset."""
    quick = worth_compiling(problem.X)
    if seen.pulls is None or seen.weight is None:
        q = seen.wrong
        if problem.fit_intercept:
            q = balanced(q, problem.y, problem.cost, problem.n_classes)
        normal = normals(problem, -weights[:, None] * score_gradients(q, problem.y), coordinates)
        return Dual(*entropy(weights, q, quick), normal)
    factors = np.ones(2)
    if problem.fit_intercept:
        out, back = np.abs(seen.weight).tolist()
        both = balancing_factors(np.array([[0.0, out], [back, 0.0]]))
        factors = np.array([both[0, 1], both[1, 0]])
    normal = -from_centre(seen.pulls, seen.weight, problem, coordinates) @ factors
    return Dual(*entropy(weights, seen.wrong, quick, factors, problem.y), normal[:, None])


def entropy(
    weights: Vector, wrong: Vector, quick: bool, factors: Vector | None = None, y: np.ndarray | None = None
) -> Pair:
    """The weighted entropy of probabilities q, and their weighted sum; they are scaled by a factor for each class."""

    def part_of(part: slice) -> Pair:
        q = wrong[part] if factors is None or y is None else wrong[part] * factors[y[part]][:, None]
        return float(weights[part] @ entropies(q, quick)), float(weights[part] @ q.sum(axis=1))

    given, pulled = summed(part_of, row_chunks(len(wrong), ENTRIES_PER_LOSS * wrong.size))
    return given, pulled


def normals(problem: Problem, U: Vector, coordinates: Coordinates) -> Vector:
    """sum_i x_i u_i', measured from a centre where there is an offset: then the u_i add up to nothing."""

    def part_of(chunk: slice) -> tuple[Vector]:
        total = np.zeros((problem.n_features, U.shape[1]))
        for part, rows in few_at_once(problem, chunk):
            total += product(near(rows, problem, coordinates).T, U[part])
        return (total,)

    return from_centre(summed(part_of, chunks_of(problem, U.shape[1]))[0], U.sum(axis=0), problem, coordinates)


def near(rows: Any, problem: Problem, coordinates: Coordinates) -> Any:
    """Some rows, less the centre where that must be subtracted first."""
    return rows - coordinates.centre if is_subtracted(problem, coordinates) else rows


def from_centre(total: Vector, weight: Vector, problem: Problem, coordinates: Coordinates) -> Vector:
    """The sum over rows from their centre, from the sum over rows as `near` has them."""
    if not problem.fit_intercept or is_subtracted(problem, coordinates):
        return total
    return total - np.outer(coordinates.centre, weight)


def is_subtracted(problem: Problem, coordinates: Coordinates) -> bool:
    """Whether rows are so far from the origin that a sum over them would drown in rounding."""
    return problem.fit_intercept and not isinstance(problem.X, CSR) and is_far(coordinates)


def few_at_once(problem: Problem, chunk: slice) -> Iterator[tuple[slice, Any]]:
    """Slices of row numbers with these rows, which stay in the cache for their second use."""
    if isinstance(problem.X, CSR):
        step = sparse_rows_at_once(problem.X)
    else:
        step = max(256, SWEPT_AT_ONCE // problem.n_features)
    for first in range(chunk.start, chunk.stop, step):
        part = slice(first, min(first + step, chunk.stop))
        yield part, row_slice(problem.X, part)


def chunks_of(problem: Problem, vectors: int) -> list[slice]:
    """Slices of the row numbers, each worth a thread of its own, and so many sums over rows their memory."""
    made = vectors * problem.n_features
    return row_chunks(problem.n_rows, n_entries(problem.X) + ENTRIES_PER_LOSS * problem.n_rows, made)
