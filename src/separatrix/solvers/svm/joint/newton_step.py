"""Newton's step of the joint machine: the whole Hessian factored, or conjugate gradients.

    H step = -gradient,    H = diag(penalty) + sum_i h_i (diag(a_i) - a_i a_i' / |a_i|) (x) z_i z_i'

a_i marks the active classes of row i. Rows with fewer than two have no curvature, and most others have just two. Few
coefficients have H factored. Else conjugate gradients are preconditioned by the block of each class, factored, or with
very many columns by the diagonal of H. No loss knows a common shift of all planes, so that it is taken out.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix.objectives.log_loss_curvature import Factor, gauged
from separatrix.products import product, weighted_gram
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.joint.program import JointProgram
from separatrix.threads import parallel_map

MAX_FACTORED = 300  # coefficients of a Hessian that is factored at once
MAX_FACTORED_LATE = 3000  # and where conjugate gradients do not get far
MAX_BLOCK = 1000  # columns of the block of a class that is factored
MAX_PRODUCTS = 200  # of the Hessian for one step
RESIDUAL_RATIO = 0.1  # that a step leaves, in the norm of the preconditioner
OFFSET_FLOOR = 1e-8  # curvature by an offset, as part of that of all rows: keeps it where no row is active


class Curved(NamedTuple):
    """The rows that curve the objective: [z, 1], its transpose, which classes are active, how many, and h."""

    rows: Any
    turned: Any
    active: Vector
    n_active: Vector
    h: Vector
    penalty: Vector

    @classmethod
    def of(cls, program: JointProgram, prob: Vector, h: Vector) -> "Curved":
        """Those of a program, from p and h of all rows."""
        active = prob > 0.0
        count = active.sum(axis=1)
        some = np.flatnonzero(count > 1)
        rows, penalty = program.matrix[some], program.penalty.copy()
        penalty[program.offsets :] += OFFSET_FLOOR * float(h.sum()) / program.n_classes + TINY
        turned = rows.T if isinstance(rows, np.ndarray) else rows.T.tocsr()
        return cls(rows, turned, active[some].astype(np.float64), count[some].astype(np.float64), h[some], penalty)

    def times(self, V: Vector) -> Vector:
        """H V."""
        U = product(self.rows, V)
        U *= self.active
        U -= self.active * (U.sum(axis=1) / self.n_active)[:, None]
        U *= self.h[:, None]
        return self.penalty[:, None] * V + product(self.turned, U)

    def hessian(self) -> Vector:
        """H, the classes one after the other: a Gram matrix of the rows in which both of a pair are active."""
        width, k = self.penalty.size, self.active.shape[1]
        blocks, weights, active = np.zeros((k, width, k, width)), self.h / self.n_active, self.active > 0.0
        rows = self.rows if isinstance(self.rows, np.ndarray) else self.rows.toarray()
        for a in range(k):
            with_a = np.flatnonzero(active[:, a])
            for b in range(a):
                both = with_a[active[with_a, b]]
                if both.size:
                    gram = weighted_gram(rows[both], weights[both])
                    blocks[a, :, a] += gram
                    blocks[b, :, b] += gram
                    blocks[a, :, b] = blocks[b, :, a] = -gram
        H = gauged(blocks.reshape(k * width, k * width), k)
        H[np.diag_indices(len(H))] += np.tile(self.penalty, k)
        return H


def newton_step(program: JointProgram, prob: Vector, h: Vector, gradient: Vector, budget: Budget) -> Vector:
    """The step from p, h and the gradient."""
    curved = Curved.of(program, prob, h)
    if gradient.size > MAX_FACTORED:
        step, converged = conjugate_gradients(curved, gradient, budget)
        if converged or gradient.size > MAX_FACTORED_LATE or budget.left <= 0:
            return step
    return without_mean(-Factor(curved.hessian()).solve(gradient.T.ravel()).reshape(gradient.T.shape).T)


def conjugate_gradients(curved: Curved, gradient: Vector, budget: Budget) -> tuple[Vector, bool]:
    """The step by preconditioned conjugate gradients, and whether its residual is small enough."""
    precondition = by_blocks(curved) if curved.penalty.size <= MAX_BLOCK else by_diagonal(curved)
    residual, step = -gradient, np.zeros_like(gradient)
    scaled = precondition(residual)
    along, square = scaled, float(np.vdot(residual, scaled))
    goal = RESIDUAL_RATIO**2 * square
    for _ in range(MAX_PRODUCTS):
        image = curved.times(along)
        curvature = float(np.vdot(along, image))
        if not curvature > 0.0:
            return step, False
        step += square / curvature * along
        residual -= square / curvature * image
        scaled = precondition(residual)
        previous, square = square, float(np.vdot(residual, scaled))
        if square <= goal or budget.seconds <= 0.0:
            return step, True
        along = scaled + square / previous * along
    return step, False


def by_blocks(curved: Curved) -> Callable[[Vector], Vector]:
    """Solve with the block of H of each class."""
    dense = curved.rows if isinstance(curved.rows, np.ndarray) else curved.rows.toarray()
    weights = curved.h * (1.0 - 1.0 / curved.n_active)

    def factored(k: int) -> Factor:
        some = np.flatnonzero(curved.active[:, k])
        return Factor(weighted_gram(dense[some], weights[some]) + np.diag(curved.penalty))

    factors = list(parallel_map(factored, range(curved.active.shape[1])))

    def solve(R: Vector) -> Vector:
        R = without_mean(R)
        return without_mean(np.array([factor.solve(R[:, k]) for k, factor in enumerate(factors)]).T)

    return solve


def by_diagonal(curved: Curved) -> Callable[[Vector], Vector]:
    """Divide by the diagonal of H (Jacobi)."""
    weights = curved.active * (curved.h * (1.0 - 1.0 / curved.n_active))[:, None]
    diagonal = product(curved.turned * curved.turned, weights) + curved.penalty[:, None]
    return lambda R: without_mean(without_mean(R) / diagonal)


def without_mean(R: Vector) -> Vector:
    """A column for each class, less the mean of all columns."""
    return R - R.mean(axis=1, keepdims=True)
