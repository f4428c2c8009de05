"""The best dual variables of each row near a guess: a projection onto the simplex (Michelot, 1986).

    p_i = argmax over the simplex of  p.t_i - width_i ||p - guess_i||^2 / 2,        t_ik = 1 + g_k(x_i) for rivals k
        = max(0, guess_i + t_i / width_i - threshold),    where they sum to 1       t_ik = g_k(x_i) for the own class

Of row i, c_i p_ik is the dual variable q_ik of rival k, and p_iy of the own class y is what is left of 1. Classes
with p_ik > 0 are active: only rows with two or more of them curve the objective.
"""

from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.rows import Vector
from separatrix.threads import row_chunks, summed

ENTRIES_PER_CLASS = 8  # what a class of a row costs, in entries of rows that are read


class Held(NamedTuple):
    """The losses of rows, held near a guess of p: classes, costs, the guess, and how firmly p is held to it."""

    y: np.ndarray
    cost: Vector
    guess: Vector
    width: Vector


class Response(NamedTuple):
    """What rows respond to their scores: p, and the derivative c_i (p_i - e_y) of their losses by the scores.

    Then sums over rows: the losses; what p leaves of them, c_i (the largest t_ik less p_i.t_i); and c_i p_ik of rivals.
    """

    prob: Vector
    slopes: Vector
    losses: float
    left: float
    rivals: float


@inner
def threshold(targets):
    """What is taken from each target, so that those above 0 sum to 1."""
    largest, second, total = -np.inf, -np.inf, 0.0
    for k in range(targets.size):
        total += targets[k]
        if targets[k] > largest:
            largest, second = targets[k], largest
        elif targets[k] > second:
            second = targets[k]
    if largest - second >= 1.0:  # as of most rows
        return largest - 1.0
    level, count = (total - 1.0) / targets.size, targets.size
    while True:
        total, above = 0.0, 0
        for k in range(targets.size):
            if targets[k] > level:
                total += targets[k]
                above += 1
        if above >= count or above == 0:  # more only by rounding
            return level
        level, count = (total - 1.0) / above, above


@compiled
def respond_rows(scores, held, prob, slopes, first, last):
    """Fill in p and the slopes of some rows; returns sums as a Response has them."""
    y, cost, guess, width = held
    losses, left, rivals = 0.0, 0.0, 0.0
    for i in range(first, last):
        own, firmness, targets = y[i], 1.0 / width[i], prob[i]
        base, largest = scores[i, own] - 1.0, 0.0
        for k in range(targets.size):
            t = scores[i, k] - base
            if k == own:
                t = 0.0
            largest = max(largest, t)
            slopes[i, k] = t
            targets[k] = guess[i, k] + t * firmness
        level = threshold(targets)
        reached = 0.0
        for k in range(targets.size):
            p = max(targets[k] - level, 0.0)
            targets[k] = p
            reached += p * slopes[i, k]
            slopes[i, k] = cost[i] * p
        rivals += cost[i] - slopes[i, own]
        slopes[i, own] -= cost[i]
        losses += cost[i] * largest
        left += cost[i] * (largest - reached)
    return losses, left, rivals


@compiled
def slope_of_rows(scores, along, step, held, first, last, targets):
    """The derivative of the held losses of some rows along a line of scores; targets is room for one row."""
    y, cost, guess, width = held
    total = 0.0
    for i in range(first, last):
        own, firmness = y[i], 1.0 / width[i]
        base = scores[i, own] + step * along[i, own] - 1.0
        for k in range(targets.size):
            targets[k] = guess[i, k] + (scores[i, k] + step * along[i, k] - base) * firmness
        targets[own] = guess[i, own]
        level = threshold(targets)
        change = -along[i, own]
        for k in range(targets.size):
            if targets[k] > level:
                change += (targets[k] - level) * along[i, k]
        total += cost[i] * change
    return total


def respond(scores: Vector, held: Held) -> Response:
    """The response of all rows.

    >>> held = Held(np.array([0]), np.ones(1), np.array([[1.0, 0.0, 0.0]]), np.array([2.0]))
    >>> found = respond(np.array([[0.0, 1.0, 0.0]]), held)  # t = 0, 2, 1
    >>> found.prob.tolist(), found.losses, found.left
    ([[0.5, 0.5, 0.0]], 2.0, 1.0)
    """
    prob, slopes = np.empty_like(scores), np.empty_like(scores)

    def job(part: slice) -> tuple[float, float, float]:
        return respond_rows(scores, held, prob, slopes, part.start, part.stop)

    return Response(prob, slopes, *summed(job, chunks(scores)))


def slope_along(scores: Vector, along: Vector, step: float, held: Held) -> float:
    """The derivative of the held losses at scores + step along, by the step."""

    def job(part: slice) -> tuple[float]:
        room = np.empty(scores.shape[1])
        return (slope_of_rows(scores, along, step, held, part.start, part.stop, room),)

    return float(summed(job, chunks(scores))[0])


def chunks(scores: Vector) -> list[slice]:
    """Chunks of rows, each worth a thread of its own."""
    return row_chunks(len(scores), ENTRIES_PER_CLASS * scores.size)
