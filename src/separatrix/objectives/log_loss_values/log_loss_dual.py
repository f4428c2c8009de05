"""The loss of planes and the value of their dual point: one pass over many rows of two classes, else two.

    loss   sum_i C c_i loss_i                         entropy        sum_i C c_i entropy(q_i)
    W      sum_i C c_i (e_i - q_i) x_i'               rival_weight   sum_i C c_i (1 - the own class's probability)

The names are those of `log_loss`; q is balanced, so that each class gains what it loses (Osborne, 1960). Of two classes
that takes one factor for the rows of each, and so W is a sum of two that are known before the factors are.
"""

from typing import NamedTuple

import numpy as np

from separatrix.objectives.log_loss import (
    balanced,
    balancing_factors,
    binary_loss_and_gradient,
    entropies,
    losses_and_probabilities,
    rival_log_odds,
    score_gradients,
)
from separatrix.objectives.log_loss_loops import ENTRIES_PER_LOSS, worth_compiling
from separatrix.problem import Problem
from separatrix.problem.scaled_rows import ScaledRows, column_coordinates
from separatrix.products import cached_rows, combination, row_parts
from separatrix.rows import CSR, Vector, n_entries
from separatrix.threads import parallel_map, row_chunks, summed


class PrimalSums(NamedTuple):
    """The loss of planes, their largest score, and the probabilities of the rivals.

    From a compiled loop there are also the gradient of the loss of the rows of each class by w, in a column, and by b.
    """

    loss: float
    largest_score: float
    rival_prob: Vector
    class_gradients: Vector | None = None
    class_slopes: Vector | None = None


class Dual(NamedTuple):
    """The entropy of a dual point, the weighted sum of its probabilities, and its W, a column for each plane."""

    entropy: float
    rival_weight: float
    normal: Vector


def primal_sums(problem: Problem, weights: Vector, w: Vector, b: Vector) -> PrimalSums:
    """Sums over the rows in one pass."""
    if problem.n_planes == 1 and worth_compiling(problem.X) and not centre_is_subtracted(problem):
        return primal_sums_by_loop(problem, weights, (w[0], float(b[0])))
    y, columns, rival_prob = problem.y, np.ascontiguousarray(w.T), np.empty((problem.n_rows, problem.n_planes))

    def sum_chunk(chunk: slice) -> tuple[float, float]:
        loss, largest = 0.0, 0.0
        for part, rows in row_parts(problem.X, chunk, cached_rows(problem.X)):
            scores = rows @ columns + b
            losses, rival_prob[part] = losses_and_probabilities(rival_log_odds(scores, y[part]))
            loss, largest = loss + float(weights[part] @ losses), max(largest, float(np.abs(scores).max(initial=0.0)))
        return loss, largest

    losses, scores = zip(*parallel_map(sum_chunk, chunks_of(problem)), strict=True)
    return PrimalSums(sum(losses), max(scores), rival_prob)


def primal_sums_by_loop(problem: Problem, weights: Vector, plane: tuple[Vector, float]) -> PrimalSums:
    """Sums over the rows of two classes in one pass of a compiled loop."""
    X, y, (log_odds, rival_prob) = problem.X, problem.y, np.empty((2, problem.n_rows, 1))

    def sum_chunk(chunk: slice) -> tuple[Vector, Vector, float]:
        both, loss = binary_loss_and_gradient(X, chunk, plane, y, weights, log_odds, rival_prob, by_class=True)
        slope, own = weights[chunk] * rival_prob[chunk, 0], y[chunk]
        return np.array([both[0] - both[1], both[1]]).T, np.array([slope @ (1.0 - own), -(slope @ own)]), loss

    gradients, slopes, loss = summed(sum_chunk, chunks_of(problem))
    return PrimalSums(loss, float(np.abs(log_odds).max()), rival_prob, gradients, slopes)


def dual_point(problem: Problem, weights: Vector, sums: PrimalSums) -> Dual:
    """The planes' own probabilities, balanced where there is an offset."""
    in_loop, q = problem.n_planes == 1 and worth_compiling(problem.X), sums.rival_prob
    if sums.class_gradients is None or sums.class_slopes is None:
        if problem.fit_intercept:
            q = balanced(q, problem.y, problem.cost, problem.n_classes)
        normal = normals(problem, -weights[:, None] * score_gradients(q, problem.y))
        return Dual(*entropy_and_weight(weights, q, in_loop), normal)
    factors = np.ones(2)
    if problem.fit_intercept:
        out, back = np.abs(sums.class_slopes).tolist()
        both = balancing_factors(np.array([[0.0, out], [back, 0.0]]))
        factors = np.array([both[0, 1], both[1, 0]])
    normal = -from_centre(problem, sums.class_gradients, sums.class_slopes) @ factors
    return Dual(*entropy_and_weight(weights, q, in_loop, factors[problem.y]), normal[:, None])


def entropy_and_weight(
    weights: Vector, rival_prob: Vector, in_loop: bool, factors: Vector | None = None
) -> tuple[float, float]:
    """The weighted entropy of probabilities, each row's perhaps times a factor, and their weighted sum."""

    def sum_chunk(part: slice) -> tuple[float, float]:
        q = rival_prob[part] if factors is None else rival_prob[part] * factors[part, None]
        return float(weights[part] @ entropies(q, in_loop)), float(weights[part] @ q.sum(axis=1))

    entropy, weight = summed(sum_chunk, row_chunks(len(rival_prob), ENTRIES_PER_LOSS * rival_prob.size))
    return entropy, weight


def normals(problem: Problem, U: Vector) -> Vector:
    """sum_i x_i u_i', measured from a centre where there is an offset: then the u_i add up to nothing."""
    if not centre_is_subtracted(problem):
        return from_centre(problem, combination(problem.X, U), U.sum(axis=0))
    coordinates = column_coordinates(problem)
    return coordinates.scale[:, None] * ScaledRows(problem.X, coordinates).weighted_sum(U)[:-1]


def from_centre(problem: Problem, total: Vector, weight: Vector) -> Vector:
    """The sum over rows measured from their centre, where there is an offset, from that over rows themselves."""
    return total - np.outer(column_coordinates(problem).centre, weight) if problem.fit_intercept else total


def centre_is_subtracted(problem: Problem) -> bool:
    """Whether rows are so far from the origin that a sum over them would have too few digits."""
    return problem.fit_intercept and not isinstance(problem.X, CSR) and column_coordinates(problem).is_far


def chunks_of(problem: Problem) -> list[slice]:
    """Chunks of row numbers, each worth a thread of its own and the memory of a sum over rows for each class."""
    entries = n_entries(problem.X) + ENTRIES_PER_LOSS * problem.n_rows
    return row_chunks(problem.n_rows, entries, 2 * problem.n_features)
