"""Keeping the best planes that a rule has passed through (Gallant, 1990), whatever the rule."""

from typing import NamedTuple

import numpy as np

from separatrix.rows import Vector, inner, row_prefetch, row_score_twice
from separatrix.solvers.kesler import precise_lead
from separatrix.solvers.weights import plane_score


class Best(NamedTuple):
    """The best planes so far, how many rows they get wrong, and how many steps brought nothing better since.

    `hard` is the order in which candidates meet the rows: those that the last candidate got wrong come first, so
    that a worse one soon shows itself.
    """

    planes: np.ndarray
    errors: np.ndarray
    fruitless: np.ndarray
    patience: int
    hard: np.ndarray

    @classmethod
    def of(cls, planes: Vector, n_rows: int, patience: int) -> "Best":
        """Begin with planes of which nothing is known, so that any are better."""
        return cls(planes.copy(), np.array([n_rows + 1]), np.array([0]), patience, np.arange(n_rows))


@inner
def consider(X, y, W, rivals, doubt, best):
    """Keep the planes if they get fewer rows wrong than the best so far; returns whether to end the run."""
    errors = count_errors(X, y, W, rivals, doubt, best.hard, best.errors[0])
    if errors < best.errors[0]:
        best.errors[0] = errors
        best.fruitless[0] = 0
        for j in range(W.shape[0]):
            for k in range(W.shape[1]):
                best.planes[j, k] = W[j, k]
        return errors == 0
    best.fruitless[0] += 1
    return best.fruitless[0] >= best.patience


@inner
def count_errors(X, y, W, rivals, doubt, hard, limit):
    """Rows on the wrong side or on the plane, up to a limit at which counting is given up; puts them first."""
    errors = 0
    for p in range(hard.size):
        i = hard[p]
        row_prefetch(X, hard, p)
        if is_wrong(X, i, y[i], W, rivals, doubt):
            hard[p], hard[errors] = hard[errors], i
            errors += 1
            if errors >= limit:
                break
    return errors


@inner
def is_wrong(X, i, target, W, rivals, doubt):
    """Whether a row is on the wrong side or on the plane, in twice the precision where rounding could decide."""
    if rivals is None:
        score = plane_score(X, i, W[0], None)
        return (score if abs(score) > doubt else row_score_twice(X, i, W[0])) * target <= 0.0
    own = plane_score(X, i, W[target], None)
    for j in rivals:
        if j != target:
            lead = own - plane_score(X, i, W[j], None)
            if (lead if abs(lead) > doubt else precise_lead(X, i, W, target, j, None)) <= 0.0:
                return True
    return False
