"""How far from the least possible the log loss of planes is at most.

With a penalty, by the dual (`losses.logistic_loss`): the planes' own probabilities, scaled so that classes gain what
they lose, are a feasible point of it, and P - D bounds what any other planes could gain; ||W - W*||^2 <= 2 (P - D).

Without one, by the curvature of the objective itself (Bach, 2010). Along a change of V whose length in the metric of
the second derivatives H is s, the log odds of no row change by more than r s, r^2 = max z'H^-1 z, and then the loss is
at least

    F - lambda s + (exp(-r s) + r s - 1) / r^2,      lambda^2 = gradient' H^-1 gradient

Where lambda r < 1 this grows without bound, so that there is a finite maximum of the likelihood, and the loss there is
less than F by at most  lambda / r + (1 / r - lambda) log(1 - lambda r) / r,  which is lambda^2 / 2 to first order.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.certificates.arithmetic.curvature import Design, Factor, by_columns, gauged
from separatrix.certificates.arithmetic.logistic_dual import dual_point, look
from separatrix.certificates.claims.duality_gap import Values
from separatrix.errors import DataError, at_most
from separatrix.objectives import LogLoss
from separatrix.objectives.log_loss import score_gradients
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.products import score_size
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector, length, read_only

COARSE = 1e-3  # part of the primal from which on a gap is worth a look at the curvature
MOST_COEFFICIENTS = 1500
SAME = 1e-11  # part of the largest singular value that is nothing


@dataclass(frozen=True, eq=False, repr=False)
class LogisticGap:
    """The claim that no planes have a lower objective by more than the gap.

    Attributes
    ----------
    w, b : ndarray, float or ndarray
        The plane; for more than two classes a row of w and an entry of b for each.
    objective : LogLoss
        What is minimised: the log loss and C.
    values : Values
        The objective and its lower bound when the claim was made, and how far rounding may have moved them.
    n_rows : int
        How many rows the claim is about.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import LogisticGap
    >>> from separatrix.objectives import LogLoss
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]))
    >>> claim = LogisticGap.issue(problem, np.array([0.8]), -1.2, LogLoss(np.inf))
    >>> round(claim.primal - claim.dual, 4)  # in truth w = 0.908 and b = -1.362 are better by 0.0051
    0.0053
    """

    w: Vector
    b: float | Vector
    objective: LogLoss
    values: Values
    n_rows: int

    @classmethod
    def issue(
        cls,
        problem: Problem,
        w: Vector,
        b: float | Vector,
        objective: LogLoss,
        coordinates: Coordinates | None = None,
    ) -> "LogisticGap":
        """State the claim, with the figures that the problem gives it; `coordinates` are by columns, where known."""
        found = values(problem, objective, np.atleast_2d(w), np.atleast_1d(b), coordinates)
        kept = float(b) if np.ndim(b) == 0 else read_only(np.array(b))
        return cls(read_only(np.array(w)), kept, objective, found, problem.n_rows)

    @property
    def primal(self) -> float:
        """The objective of the planes, when the claim was made."""
        return self.values.primal

    @property
    def dual(self) -> float:
        """What no planes can be below."""
        return self.values.dual

    @property
    def stated(self) -> float:
        """The relative gap when the claim was made."""
        return self.values.relative

    @property
    def doubt(self) -> float:
        """How far rounding may move the relative gap."""
        return self.values.rounding / max(abs(self.primal), TINY)

    @property
    def distance(self) -> float:
        """How far w can be from the optimal one at most; unknown without a penalty."""
        return float(np.sqrt(2.0 * (self.values.gap + self.values.rounding))) if self.objective.penalised else np.inf

    @property
    def proof(self) -> bool:
        """Whether there is a bound at all; without a penalty that is to say, a finite maximum."""
        return bool(self.dual > -np.inf)

    def error(self, problem: Problem) -> float:
        """(P - D) / max(`|P|`, `|D|`), from the rows; infinite where nothing bounds the likelihood."""
        return self.restated(problem).stated

    def restated(self, problem: Problem) -> "LogisticGap":
        """The claim with figures from the problem."""
        planes = np.atleast_2d(self.w)
        expected = (problem.n_planes, problem.n_features), problem.n_rows, problem.n_classes
        if (planes.shape, self.n_rows, self.objective.n_classes) != expected:
            raise DataError(
                f"The certificate is for {self.n_rows} rows of {planes.shape[1]} features in "
                f"{self.objective.n_classes} classes, but the problem has {problem.shape} and {problem.n_classes} "
                "classes. Check it with the data that the model is for."
            )
        return LogisticGap.issue(problem, self.w, self.b, self.objective)

    def __repr__(self) -> str:
        return f"LogisticGap({self.n_rows} rows, stated={self.stated:.3g})"

    def __str__(self) -> str:
        how = "which no planes are below" if self.objective.penalised else "below which the curvature lets none be"
        lines = [
            f"LogisticGap: minimise {self.objective.formula}, over {self.n_rows:,} rows",
            f"  primal       {self.primal:.12g}, the objective of this fit",
            f"  lower bound  {self.dual:.12g}, {how}",
            f"  gap          at most {at_most(self.stated + self.doubt)} of it",
        ]
        if self.objective.penalised:
            near = f"within {self.distance:.2g} of the optimal one"
            lines.append(f"  w            {near}; ||w|| = {length(self.w):.4g}")
        return "\n".join([*lines, self.sentence])

    @property
    def sentence(self) -> str:
        """What the gap means."""
        if not self.proof:
            return "Nothing is proved: the fit is too far from a maximum of the likelihood, if there is one."
        most = at_most(self.stated + self.doubt)
        if self.objective.penalised:
            return f"No fit has a better objective by more than {most} of it; anyone can check it again from the data."
        return f"The likelihood has a finite maximum, and its deviance is less by at most {most} of this one."


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def values(
    problem: Problem, objective: LogLoss, w: Vector, b: Vector, coordinates: Coordinates | None = None
) -> Values:
    """Both values from the data."""
    coordinates = by_columns(problem) if coordinates is None else coordinates
    weights = objective.unit * problem.cost
    seen = look(problem, weights, w, b, coordinates)
    lost, wrong = seen.lost, seen.wrong
    largest = seen.largest + float(np.abs(b).max()) + max(score_size(problem.X, plane) for plane in w)
    if not objective.penalised:
        return Values(lost, lost - curvature_bound(spanning(problem), weights, wrong), 64.0 * UNIT_ROUNDOFF * lost)
    given, pulled, normal = dual_point(problem, weights, seen, coordinates)
    square, dual_square = float(np.sum(w * w)), float(np.sum(normal * normal))
    # a score is rounded by some units of the largest, and a unit of score costs what the wrong probabilities do
    of_scores = 64.0 * UNIT_ROUNDOFF * pulled * (1.0 + largest)
    rounding = 64.0 * UNIT_ROUNDOFF * (square + lost + dual_square) + of_scores
    primal, dual = 0.5 * square + lost, max(given - 0.5 * dual_square, 0.0)
    if primal - dual > COARSE * primal and w.size + b.size <= MOST_COEFFICIENTS:
        # where features are huge the dual drowns in rounding, and curvature, which holds with a penalty too, does not
        design = Design.of(problem)
        curved = primal - curvature_bound(design, weights, wrong, design.vectors(w, b))
        dual, rounding = (curved, 64.0 * UNIT_ROUNDOFF * primal + of_scores) if curved > dual else (dual, rounding)
    return Values(primal, dual, rounding)


def curvature_bound(design: Design, weights: Vector, wrong: Vector, V: Vector | None = None) -> float:
    """By how much the objective can be lower anywhere, at most; V are the planes, where they are penalised."""
    k, y = wrong.shape[1], design.problem.y
    H, gradient = design.hessian(weights, wrong), design.pull(weights[:, None] * score_gradients(wrong, y))
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
    rank = int(np.count_nonzero(sizes > SAME * sizes.max(initial=TINY)))
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
