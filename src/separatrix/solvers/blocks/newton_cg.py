"""Newton's method over blocks of rows where a Hessian would fill the memory: steps by conjugate gradients.

    H step = -gradient,      V += t step              H P = sum_i z_i (S_i P'z_i)' + penalty P,   a pass for each P

H is known by its products alone, in which S_i is the curvature of the loss of row i by its scores. They are few, as the
blocks of H for each plane, added up over a sample of the rows and factored, are near those of all rows. A step is
solved the more closely, the nearer the optimum is (Dembo, Eisenstat and Steihaug, 1982).
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.fold import Fold, added
from separatrix.problem.scaled_rows import ScaledRows
from separatrix.rows import TINY, Vector
from separatrix.solvers.blocks.newton import MAX_HESSIAN_ENTRIES
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.preconditioners import without_mean

MAX_PRODUCTS = 50  # for a step
FIRST_RESIDUAL = 0.1  # part of the gradient that the first step may leave
SHARE_OF_TOL = 0.1  # of the gap, to which the gradient is made small: the certificate adds rounding
DESCENT = 1e-4  # part of the predicted decrease that a step must reach (Armijo, 1966)
MAX_CUTS = 30  # halvings of a step
ROUNDED_DECREASE = 1e-15  # predicted decrease, as part of F, below which a step is rounding

Product = Callable[[Vector], Vector]


class Evaluation(NamedTuple):
    """The loss of all rows at V, and its gradient."""

    loss: float
    gradient: Vector


class Objective:
    """F and its derivatives at planes V, each by a pass over the blocks."""

    def __init__(self, problem: BlockedProblem, loss: Any, coordinates: Coordinates, budget: Budget) -> None:
        self.problem, self.loss, self.coordinates, self.budget = problem, loss, coordinates, budget
        self.penalty = coordinates.penalties[:, None]

    def at(self, V: Vector) -> tuple[float, Vector]:
        """F and its gradient."""
        self.budget.used += 1
        found = self.problem.over(evaluation_fold(self.loss, self.coordinates, V))
        value = found.loss + 0.5 * float(np.vdot(self.penalty * V, V))
        return value, without_mean(found.gradient + self.penalty * V)

    def product(self, V: Vector, P: Vector) -> Vector:
        """The Hessian at V times P."""
        self.budget.used += 1
        return without_mean(self.problem.over(product_fold(self.loss, self.coordinates, V, P)) + self.penalty * P)

    def gap(self, gradient: Vector) -> float:
        """What the dual point of planes is below their objective, about: half the squared gradient by w."""
        penalised = self.coordinates.penalties > 0.0
        return 0.5 * float(np.sum(gradient[penalised] ** 2 / self.penalty[penalised]))


def evaluation_fold(loss: Any, coordinates: Coordinates, V: Vector) -> Fold:
    """The loss and its gradient at V."""

    def tally(block: Problem, first: int) -> Evaluation:
        rows = ScaledRows(block.X, coordinates)
        found = loss.respond(block, scores_of(rows, block, V))
        return Evaluation(found.loss, rows.weighted_sum(found.gradient))

    return Fold(tally, added, lambda found: found)


def product_fold(loss: Any, coordinates: Coordinates, V: Vector, P: Vector) -> Fold:
    """The Hessian of the loss at V, times P."""

    def tally(block: Problem, first: int) -> Vector:
        rows = ScaledRows(block.X, coordinates)
        both = scores_of(rows, block, np.hstack([V, P]))
        curvature = loss.respond(block, both[:, : V.shape[1]]).curvature
        return rows.weighted_sum(loss.product(block, curvature, both[:, V.shape[1] :]))

    return Fold(tally, lambda one, other: one + other, lambda found: found)


def scores_of(rows: ScaledRows, block: Problem, planes: Vector) -> Vector:
    """The scores of the rows of a block."""
    scores = np.empty((block.n_rows, planes.shape[1]))
    for part, z in rows.blocks():
        scores[part] = z @ planes
    return scores


def newton_cg(objective: Objective, few: Problem, V: Vector, tol: float) -> Vector:
    """Planes whose gap is about a tenth of tol, from planes that are optimal for a sample.

    The sample's costs stand for those of all rows.
    """
    value, gradient = objective.at(V)
    gap, before = objective.gap(gradient), np.inf
    while gap > (goal := SHARE_OF_TOL * tol * abs(value)) and objective.budget.left > 0:
        precondition = sampled_inverse(objective, few, V)
        size = float(np.vdot(gradient, precondition(gradient)))
        nearer = min(FIRST_RESIDUAL, float(np.sqrt(size / before)))  # of the gradient, whose square is the gap
        residual, before = max(nearer, 0.5 * float(np.sqrt(goal / gap))), size
        step = conjugate_gradients(partial(objective.product, V), gradient, precondition, residual)
        slope = float(np.vdot(gradient, step))
        if not -slope > ROUNDED_DECREASE * abs(value):
            break
        for cut in range(MAX_CUTS):
            t = 0.5**cut
            candidate = objective.at(V + t * step)
            if candidate[0] <= value + DESCENT * t * slope or -t * slope <= 1e-12 * abs(value):
                break
        V, (value, gradient) = V + t * step, candidate
        gap = objective.gap(gradient)
    return V


def conjugate_gradients(product: Product, gradient: Vector, precondition: Product, residual: float) -> Vector:
    """A step whose residual is a part of the gradient at most, both measured by the preconditioner."""
    step, left = np.zeros_like(gradient), -gradient
    solved = precondition(left)
    direction, size = solved, float(np.vdot(left, solved))
    target = residual**2 * size
    for _ in range(MAX_PRODUCTS):
        if not size > target:
            break
        curved = product(direction)
        curvature = float(np.vdot(direction, curved))
        if not curvature > 0.0:
            break
        step = step + (size / curvature) * direction
        left = left - (size / curvature) * curved
        solved = precondition(left)
        before, size = size, float(np.vdot(left, solved))
        direction = solved + (size / before) * direction
    return step


def sampled_inverse(objective: Objective, few: Problem, V: Vector) -> Product:
    """The product with the inverse of each plane's block of the Hessian on a sample, or of its diagonal."""
    rows = ScaledRows(few.X, objective.coordinates)
    curvature = objective.loss.respond(few, scores_of(rows, few, V)).curvature
    weights = objective.loss.weights(few, curvature)
    planes, width = V.shape[1], V.shape[0]
    penalty = np.maximum(objective.penalty[:, 0], TINY)
    if planes * width**2 > MAX_HESSIAN_ENTRIES:
        squares = np.zeros((width, planes))
        for part, z in rows.blocks():
            squares += (z * z).T @ weights[part]
        diagonal = squares + penalty[:, None]
        return lambda R: without_mean(without_mean(R) / diagonal)
    factors = []
    for k in range(planes):
        H = rows.gram(weights[:, k])
        H[np.diag_indices(width)] += penalty + 1e-12 * np.trace(H) / width  # a sample may lack a direction
        factors.append(cho_factor(H, lower=True))

    def solve(R: Vector) -> Vector:
        centred = without_mean(R)
        return without_mean(np.column_stack([cho_solve(each, centred[:, k]) for k, each in enumerate(factors)]))

    return solve
