"""What a linear support vector machine publishes of its support rows, for one plane, several, or all jointly."""

from typing import NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.objectives.joint_margin import largest_violations
from separatrix.objectives.log_loss import score_gradients
from separatrix.problem import Plane, Problem
from separatrix.products import product, scores
from separatrix.rows import Vector, length
from separatrix.threads import threads_for


class Support(NamedTuple):
    """The support rows, their coefficients by planes, and how many each class has; then of each row 1 - its margin.

    The violations have a row for each plane, or one in all where a row has one margin.
    """

    rows: np.ndarray
    coefficients: Vector
    counts: np.ndarray
    violations: Vector
    widths: Vector


def support_of_plane(problem: Problem, claim: DualityGap) -> Support:
    """Of the one plane between two classes."""
    rows, signed = claim.support, claim.alpha * problem.signs[claim.support]
    upper = np.count_nonzero(signed > 0.0)
    violations = 1.0 - problem.margins(claim.w, float(claim.b))
    return Support(rows, signed[None], np.array([rows.size - upper, upper]), violations[None], widths(claim.w[None]))


def support_of_planes(problem: Problem, claims: tuple[DualityGap, ...]) -> Support:
    """Of planes for each class against the rest."""
    W, b = np.array([claim.w for claim in claims]), np.array([claim.b for claim in claims])
    alpha = np.array([dual_variables(claim) for claim in claims])  # one row for each plane
    signs, rows = 2 * (problem.y == np.arange(len(alpha))[:, None]) - 1, np.flatnonzero(alpha.any(axis=0))
    with threads_for(0.0):
        violations = 1.0 - (scores(problem.X, W.T).T + b[:, None]) * signs
    coefficients = alpha.take(rows, axis=1) * signs.take(rows, axis=1)
    return Support(rows, coefficients, counts(problem, rows), violations, widths(W))


@np.errstate(divide="ignore")
def support_of_joint(problem: Problem, claim: DualityGap) -> Support:
    """Of the planes of a joint machine: a row has one margin, between its own class and the best of the others."""
    rows, W = claim.support, claim.w
    with threads_for(0.0):
        violations, gram = largest_violations(Plane(W, claim.b).scores(problem.X), problem.y), product(W, W.T)
    coefficients = np.ascontiguousarray(-score_gradients(claim.alpha, problem.y[rows]).T)
    squares = np.add.outer(np.diag(gram), np.diag(gram)) - 2.0 * gram  # ||w_k - w_j||^2
    between = 2.0 / np.sqrt(np.maximum(squares.max(axis=1), 0.0))
    return Support(rows, coefficients, counts(problem, rows), violations[None], between)


def counts(problem: Problem, rows: np.ndarray) -> np.ndarray:
    """How many of some rows are of each class."""
    return np.bincount(problem.y[rows], minlength=problem.n_classes)


def widths(W: Vector) -> Vector:
    """2 / ||w|| of each row w."""
    return np.array([2.0 / size if size > 0.0 else np.inf for size in map(length, W)])
