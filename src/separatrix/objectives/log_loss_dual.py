"""The loss of planes and the value of their dual point, in one pass over the rows of two classes, else in two.

    loss   sum_i C c_i loss_i                         entropy        sum_i C c_i entropy(q_i)
    W      sum_i C c_i (e_i - q_i) x_i'               rival_weight   sum_i C c_i (1 - the own class's probability)

The names are those of `log_loss`; q is balanced, so that each class gains what it loses (Osborne, 1960). Of two classes
that takes one factor for the rows of each, and so W is a sum of two that are known before the factors are.
"""

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
from separatrix.objectives.log_loss_loops import ENTRIES_PER_LOSS, worth_compiling
from separatrix.problem import Problem
from separatrix.problem.scaled_rows import column_coordinates
from separatrix.products import cached_rows, product, row_parts
from separatrix.rows import CSR, Vector, n_entries
from separatrix.threads import parallel_map, row_chunks, summed


class PrimalSums(NamedTuple):
    """The loss of planes, their largest score, and the probabilities of the rivals.

    Of two classes there are also the gradient of the loss of each one's rows by w, in a column, and by b.
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


ChunkSums = tuple[float, float, Vector, Vector]


def primal_sums(problem: Problem, weights: Vector, w: Vector, b: Vector) -> PrimalSums:
    """Sums over the rows in one pass."""
    y, columns = problem.y, np.ascontiguousarray(w.T)
    rival_prob, two_classes = np.empty((problem.n_rows, problem.n_planes)), problem.n_planes == 1

    def sum_chunk(chunk: slice) -> ChunkSums:
        loss, largest, gradients, slopes = 0.0, 0.0, np.zeros((problem.n_features, 2)), np.zeros(2)
        for part, rows in row_parts(problem.X, chunk, cached_rows(problem.X)):
            scores, own = rows @ columns + b, y[part]
            slope, more = weighted_loss_gradient(rival_log_odds(scores, own), own, weights[part], rival_prob[part])
            loss, largest = loss + more, max(largest, float(np.abs(scores).max(initial=0.0)))
            if two_classes:
                each = slope * np.column_stack([own == 0, own == 1])
                gradients += product(centred(rows, problem).T, each)
                slopes += each.sum(axis=0)
        return loss, largest, gradients, slopes

    def sum_by_loop(chunk: slice) -> ChunkSums:
        plane = w[0], float(b[0])
        both, loss = binary_loss_and_gradient(problem.X, chunk, plane, y, weights, log_odds, rival_prob, by_class=True)
        slope, own = weights[chunk] * rival_prob[chunk, 0], y[chunk]
        slopes = np.array([slope @ (1.0 - own), -(slope @ own)])
        return loss, float(np.abs(log_odds[chunk]).max()), np.array([both[0] - both[1], both[1]]).T, slopes

    in_loop = two_classes and worth_compiling(problem.X) and not centre_is_subtracted(problem)
    log_odds = np.empty((problem.n_rows if in_loop else 0, 1))
    parts = list(parallel_map(sum_by_loop if in_loop else sum_chunk, chunks_of(problem, 2)))
    losses, scores, gradients, slopes = zip(*parts, strict=True)
    found = PrimalSums(sum(losses), max(scores), rival_prob)
    if not two_classes:
        return found
    return found._replace(class_gradients=np.sum(gradients, axis=0), class_slopes=np.sum(slopes, axis=0))


def dual_point(problem: Problem, weights: Vector, sums: PrimalSums) -> Dual:
    """The planes' own probabilities, balanced where there is an offset."""
    in_loop = worth_compiling(problem.X)
    if sums.class_gradients is None or sums.class_slopes is None:
        q = sums.rival_prob
        if problem.fit_intercept:
            q = balanced(q, problem.y, problem.cost, problem.n_classes)
        normal = normals(problem, -weights[:, None] * score_gradients(q, problem.y))
        return Dual(*entropy_and_weight(weights, q, in_loop), normal)
    factors = np.ones(2)
    if problem.fit_intercept:
        out, back = np.abs(sums.class_slopes).tolist()
        both = balancing_factors(np.array([[0.0, out], [back, 0.0]]))
        factors = np.array([both[0, 1], both[1, 0]])
    normal = -from_centre(sums.class_gradients, sums.class_slopes, problem) @ factors
    return Dual(*entropy_and_weight(weights, sums.rival_prob, in_loop, factors[problem.y]), normal[:, None])


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

    def sum_chunk(chunk: slice) -> tuple[Vector]:
        total = np.zeros((problem.n_features, U.shape[1]))
        for part, rows in row_parts(problem.X, chunk, cached_rows(problem.X)):
            total += product(centred(rows, problem).T, U[part])
        return (total,)

    return from_centre(summed(sum_chunk, chunks_of(problem, U.shape[1]))[0], U.sum(axis=0), problem)


def centred(rows: Any, problem: Problem) -> Any:
    """Some rows, less the centre where that must be subtracted first."""
    return rows - column_coordinates(problem).centre if centre_is_subtracted(problem) else rows


def from_centre(total: Vector, weight: Vector, problem: Problem) -> Vector:
    """The sum over rows from their centre, from the sum over rows as `centred` has them."""
    if not problem.fit_intercept or centre_is_subtracted(problem):
        return total
    return total - np.outer(column_coordinates(problem).centre, weight)


def centre_is_subtracted(problem: Problem) -> bool:
    """Whether rows are so far from the origin that a sum over them would have too few digits."""
    return problem.fit_intercept and not isinstance(problem.X, CSR) and column_coordinates(problem).is_far


def chunks_of(problem: Problem, vectors: int) -> list[slice]:
    """Chunks of row numbers, each worth a thread of its own and the memory of so many sums over rows."""
    made = vectors * problem.n_features
    return row_chunks(problem.n_rows, n_entries(problem.X) + ENTRIES_PER_LOSS * problem.n_rows, made)
