"""The losses of planes and the value of their dual point, by one pass over rows of two classes, else by two.

    loss   sum_i C c_i loss_i                         entropy  sum_i C c_i entropy(q_i)
    W      sum_i C c_i (e_i - q_i) x_i'               rivals   sum_i C c_i (1 - the own class's probability)

The names are those of `log_loss`; q is balanced, so that each class gains what it loses (Osborne, 1960). Of
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
from separatrix.objectives.log_loss_curvature import CACHED_SWEEP_ENTRIES, is_far, sparse_rows_at_once
from separatrix.objectives.log_loss_loops import ENTRIES_PER_LOSS, worth_compiling
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.products import product, row_slice
from separatrix.rows import CSR, Vector, n_entries
from separatrix.threads import parallel_map, row_chunks, summed

Pair = tuple[float, float]


class Pass(NamedTuple):
    """What a pass over the rows finds: their loss, the largest score, and the probabilities of rivals.

    Of two classes it also finds the gradient by w of the losses of each class, a column each, and that by b.
    """

    loss: float
    largest: float
    rival_prob: Vector
    gradients: Vector | None = None
    weight: Vector | None = None


class Dual(NamedTuple):
    """The entropy of a dual point, the weighted probabilities of rivals, and its W, a column for each plane."""

    entropy: float
    rivals: float
    normal: Vector


def loss_pass(problem: Problem, weights: Vector, w: Vector, b: Vector, coordinates: Coordinates) -> Pass:
    """Go through the rows once."""
    if problem.n_planes == 1 and worth_compiling(problem.X) and not is_subtracted(problem, coordinates):
        return pass_by_loop(problem, weights, w[0], float(b[0]))
    y, columns = problem.y, np.ascontiguousarray(w.T)
    rival_prob, at_once = np.empty((problem.n_rows, problem.n_planes)), problem.n_planes == 1

    def part_of(chunk: slice) -> tuple[float, float, Vector, Vector]:
        loss, largest, gradients, weight = 0.0, 0.0, np.zeros((problem.n_features, 2)), np.zeros(2)
        for part, rows in few_at_once(problem, chunk):
            scored = rows @ columns + b
            slopes, more = weighted_loss_gradient(
                rival_log_odds(scored, y[part]), y[part], weights[part], rival_prob[part]
            )
            loss, largest = loss + more, max(largest, float(np.abs(scored).max(initial=0.0)))
            if at_once:
                each, moved = (slopes[:, 0] * (y[part] == 0), slopes[:, 0] * y[part]), near(rows, problem, coordinates)
                gradients += np.column_stack([product(moved.T, own) for own in each])
                weight += [own.sum() for own in each]
        return loss, largest, gradients, weight

    seen = together(list(parallel_map(part_of, chunks_of(problem, 2))), rival_prob)
    return seen if at_once else Pass(*seen[:3])


def pass_by_loop(problem: Problem, weights: Vector, w: Vector, b: float) -> Pass:
    """One pass over rows of two classes by a compiled loop."""
    y, (log_odds, rival_prob) = problem.y, np.empty((2, problem.n_rows, 1))

    def part_of(chunk: slice) -> tuple[float, float, Vector, Vector]:
        gradients, loss = binary_loss_and_gradient(
            problem.X, chunk, (w, b), y, weights, log_odds, rival_prob, by_class=True
        )
        slopes, own = weights[chunk] * rival_prob[chunk, 0], y[chunk]
        weight = np.array([slopes @ (1.0 - own), -(slopes @ own)])
        return (
            loss,
            float(np.abs(log_odds[chunk]).max()),
            np.array([gradients[0] - gradients[1], gradients[1]]).T,
            weight,
        )

    return together(list(parallel_map(part_of, chunks_of(problem, 2))), rival_prob)


def together(parts: list[tuple[float, float, Vector, Vector]], rival_prob: Vector) -> Pass:
    """The sums of all chunks, added in order."""
    gradients, weight = np.sum([part[2] for part in parts], axis=0), np.sum([part[3] for part in parts], axis=0)
    return Pass(sum(part[0] for part in parts), max(part[1] for part in parts), rival_prob, gradients, weight)


def dual_point(problem: Problem, weights: Vector, seen: Pass, coordinates: Coordinates) -> Dual:
    """The planes' own probabilities, balanced where there is an offset."""
    quick = worth_compiling(problem.X)
    if seen.gradients is None or seen.weight is None:
        q = seen.rival_prob
        if problem.fit_intercept:
            q = balanced(q, problem.y, problem.cost, problem.n_classes)
        normal = normals(problem, -weights[:, None] * score_gradients(q, problem.y), coordinates)
        return Dual(*entropy(weights, q, quick), normal)
    factors = np.ones(2)
    if problem.fit_intercept:
        out, back = np.abs(seen.weight).tolist()
        both = balancing_factors(np.array([[0.0, out], [back, 0.0]]))
        factors = np.array([both[0, 1], both[1, 0]])
    normal = -from_centre(seen.gradients, seen.weight, problem, coordinates) @ factors
    return Dual(*entropy(weights, seen.rival_prob, quick, factors, problem.y), normal[:, None])


def entropy(
    weights: Vector, rival_prob: Vector, quick: bool, factors: Vector | None = None, y: np.ndarray | None = None
) -> Pair:
    """The weighted entropy of probabilities q, and their weighted sum; they are scaled by a factor for each class."""

    def part_of(part: slice) -> Pair:
        q = rival_prob[part] if factors is None or y is None else rival_prob[part] * factors[y[part]][:, None]
        return float(weights[part] @ entropies(q, quick)), float(weights[part] @ q.sum(axis=1))

    total, rivals = summed(part_of, row_chunks(len(rival_prob), ENTRIES_PER_LOSS * rival_prob.size))
    return total, rivals


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
        step = max(256, CACHED_SWEEP_ENTRIES // problem.n_features)
    for first in range(chunk.start, chunk.stop, step):
        part = slice(first, min(first + step, chunk.stop))
        yield part, row_slice(problem.X, part)


def chunks_of(problem: Problem, vectors: int) -> list[slice]:
    """Slices of the row numbers, each worth a thread of its own, and so many sums over rows their memory."""
    made = vectors * problem.n_features
    return row_chunks(problem.n_rows, n_entries(problem.X) + ENTRIES_PER_LOSS * problem.n_rows, made)
