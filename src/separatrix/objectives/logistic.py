"""The objective of logistic discrimination, and how far from its least value planes are at most.

    1/2 ||W||^2 + C sum_i c_i loss_i,     loss_i = -log of the probability of the row's own class

With a penalty, by the dual (`log_loss_dual`): the planes' own probabilities, scaled so that classes gain what they
lose, are a feasible point of it, and P - D bounds what any other planes could gain.

Without one, by the curvature of the objective itself (Bach, 2010). Along a change of V whose length in the metric of
the Hessian H is s, the log odds of no row change by more than r s, r^2 = max z'H^-1 z, and then the loss is at least

    F - lambda s + (exp(-r s) + r s - 1) / r^2,      lambda^2 = gradient' H^-1 gradient

Where lambda r < 1 this grows without bound, so that there is a finite maximum of the likelihood, and the loss there is
less than F by at most  lambda / r + (1 / r - lambda) log(1 - lambda r) / r,  which is lambda^2 / 2 to first order.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.errors import OptionError
from separatrix.objectives.log_loss import score_gradients
from separatrix.objectives.log_loss_curvature import Design, Factor, by_columns, gauged
from separatrix.objectives.log_loss_dual import dual_point, loss_pass
from separatrix.objectives.log_loss_fold import log_loss_fold
from separatrix.objectives.values import NO_DUAL_POINT, ROUNDING, DualPoint, Values
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.fold import Fold
from separatrix.products import score_size
from separatrix.rows import TINY, Vector

MAX_GAP_FROM_DUAL = 1e-3  # part of the primal: beyond, the curvature may bound the gap better than the dual
MAX_COEFFICIENTS = 1500  # of a Hessian that is made for that
RANK_TOLERANCE = 1e-11  # part of the largest singular value


@dataclass(frozen=True)
class LogLoss:
    """The objective: C, infinite for maximum likelihood, where nothing is penalised.

    Examples
    --------
    >>> from separatrix.objectives import LogLoss
    >>> LogLoss(2.0).formula
    '1/2 ||w||^2 + 2 sum log(1 + exp(-y (w.x + b)))'
    """

    C: float = 1.0
    n_classes: int = 2

    @property
    def penalised(self) -> bool:
        """Whether there is a 1/2 ||W||^2."""
        return np.inf > self.C

    @property
    def unit(self) -> float:
        """What a unit of loss costs: C, or 1 where nothing else counts."""
        return self.C if self.penalised else 1.0

    @property
    def formula(self) -> str:
        """The objective as text, for people."""
        loss = "log(1 + exp(-y (w.x + b)))" if self.n_classes == 2 else "-log softmax(W x + b)_y"
        if not self.penalised:
            return f"sum {loss}"
        return f"1/2 ||{'w' if self.n_classes == 2 else 'W'}||^2 + {self.C:g} sum {loss}"

    @property
    def unproved(self) -> str:
        """What to say where nothing is proved."""
        return "Nothing is proved: the fit is too far from a maximum of the likelihood, if there is one."

    def conclusion(self, most: str) -> str:
        """What a relative gap of at most so much means, for people."""
        if self.penalised:
            return f"No fit has a better objective by more than {most} of it; anyone can check it again from the data."
        return f"The likelihood has a finite maximum, and its deviance is less by at most {most} of this one."

    def separates(self, values: Values) -> bool:
        """Whether every row must be on its own side: never."""
        return False

    def values(self, problem: Problem, w: Vector, b: float | Vector, dual: DualPoint = NO_DUAL_POINT) -> Values:
        """The objective of planes and a lower bound of it, from the rows; the dual point is that of the planes."""
        return log_loss_values(problem, self, np.atleast_2d(w), np.atleast_1d(b))

    def fold(self, w: Vector, b: float | Vector, dual: DualPoint = NO_DUAL_POINT) -> Fold:
        """The objective of planes and its lower bound by the dual, from blocks of rows.

        Without a penalty the curvature at all rows bounds the objective, which is no sum over blocks.
        """
        if not self.penalised:
            raise OptionError("A maximum likelihood is bounded by the curvature at all rows. Check it on all at once.")
        return log_loss_fold(self.C, np.atleast_2d(w), np.atleast_1d(b))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def log_loss_values(problem: Problem, objective: LogLoss, w: Vector, b: Vector) -> Values:
    """The objective of planes and a lower bound of it, from the rows."""
    coordinates = by_columns(problem)
    weights = objective.unit * problem.cost
    seen = loss_pass(problem, weights, w, b, coordinates)
    loss, rival_prob = seen.loss, seen.rival_prob
    largest = seen.largest + float(np.abs(b).max()) + max(score_size(problem.X, plane) for plane in w)
    if not objective.penalised:
        return Values(loss, loss - curvature_bound(spanning(problem), weights, rival_prob), ROUNDING * loss)
    entropy, rivals, normal = dual_point(problem, weights, seen, coordinates)
    square, dual_square = float(np.sum(w * w)), float(np.sum(normal * normal))
    # a score is rounded by some units of the largest, and a unit of score costs what the probabilities of rivals do
    of_scores = ROUNDING * rivals * (1.0 + largest)
    rounding = ROUNDING * (square + loss + dual_square) + of_scores
    primal, dual = 0.5 * square + loss, max(entropy - 0.5 * dual_square, 0.0)
    if primal - dual > MAX_GAP_FROM_DUAL * primal and w.size + b.size <= MAX_COEFFICIENTS:
        # where features are huge the dual drowns in rounding, and curvature, which holds with a penalty too, does not
        design = Design.of(problem)
        curved = primal - curvature_bound(design, weights, rival_prob, design.vectors(w, b))
        dual, rounding = (curved, ROUNDING * primal + of_scores) if curved > dual else (dual, rounding)
    return Values(primal, dual, rounding)


def curvature_bound(design: Design, weights: Vector, rival_prob: Vector, V: Vector | None = None) -> float:
    """By how much the objective can be lower anywhere, at most; V are the planes, where they are penalised."""
    k, y = rival_prob.shape[1], design.problem.y
    H = design.hessian(weights, rival_prob)
    gradient = design.combination(weights[:, None] * score_gradients(rival_prob, y))
    if V is not None:
        penalty = design.penalty()
        H[np.diag_indices(len(H))] += np.tile(penalty, k)
        gradient = gradient + penalty[:, None] * V
    factor, flat = Factor(gauged(H, k)), gradient.T.ravel()
    decrement = float(np.sqrt(np.maximum(flat @ factor.solve(flat), 0.0)))
    reach = widest(design, factor, k)
    product = decrement * reach
    if not product < 1.0:
        return np.inf
    if product < 1e-4:  # the formula would round; this is a little more than its series
        return decrement**2 * (0.5 + product)
    return decrement / reach + (1.0 / reach - decrement) * float(np.log1p(-product)) / reach


def spanning(problem: Problem) -> Design:
    """Coordinates in which no direction is idle: as many as the rows have dimensions, each of moderate size."""
    design = Design.of(problem)
    coordinates = design.coordinates
    triangle = np.zeros((0, coordinates.scale.size))
    for part, rows in Design(problem, coordinates).blocks():
        moderate = rows if not design.raw else coordinates.rows(rows, np.ones(part.stop - part.start))
        triangle = qr_triangle(np.vstack([triangle, moderate[:, : coordinates.scale.size]]))
    _, sizes, axes = np.linalg.svd(triangle, full_matrices=False)
    rank = int(np.count_nonzero(sizes > RANK_TOLERANCE * sizes.max(initial=TINY)))
    if rank == coordinates.scale.size:
        return design
    least = 0 if coordinates.offset else 1  # something must be left to move
    inside = axes[: max(rank, least)].T / coordinates.scale[:, None]
    basis = inside if coordinates.basis is None else coordinates.basis @ inside
    return Design(problem, Coordinates(coordinates.centre, np.ones(basis.shape[1]), basis, coordinates.offset))


def qr_triangle(rows: Vector) -> Vector:
    """The triangle of rows, which has the same singular values."""
    return np.asarray(np.linalg.qr(rows, mode="r"))


def widest(design: Design, factor: Factor, k: int) -> float:
    """r: the most that the log odds of a row can change, for a change of V of length 1 in the metric of H."""
    p, largest = design.width, 0.0  # of squares
    inverse = factor.solve(np.eye(k * p)).reshape(k, p, k, p)
    pairs = [(a, b) for a in range(k) for b in range(a)]
    forms = [inverse[a, :, a] + inverse[b, :, b] - inverse[a, :, b] - inverse[b, :, a] for a, b in pairs]
    for part, rows in design.blocks():
        z = rows if not design.raw else design.coordinates.rows(rows, np.ones(part.stop - part.start))
        for form in forms or [inverse[0, :, 0]]:
            largest = max(largest, float(np.einsum("ij,ij->i", z @ form, z).max()))
    return float(np.sqrt(largest))
