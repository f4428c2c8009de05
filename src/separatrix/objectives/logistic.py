"""The objective of logistic discrimination, and how far from its least value planes are at most.

    1/2 ||W||^2 + C sum_i c_i loss_i,     loss_i = -log of the probability of the row's own class

With a penalty, by the dual (`likelihood.dual_sums`): the planes' own probabilities, scaled so that classes gain what
they lose, are a feasible point of it, and P - D bounds what any other planes could gain. Without one, by the curvature
of the objective itself (`likelihood.curvature_bound`). Both hold for the doubles as stored, rounding included.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.enclosures import Enclosed, Interval, enclosed_square
from separatrix.objectives.likelihood.curvature_bound import most_decrease
from separatrix.objectives.likelihood.dual_sums import log_loss_fold, log_loss_sums
from separatrix.objectives.likelihood.maximum_fold import maximum_fold
from separatrix.objectives.log_loss_curvature import spanning_coordinates
from separatrix.objectives.soft_margin_sums import squared_length
from separatrix.objectives.values import NO_DUAL_POINT, DualPoint, Values
from separatrix.problem import Problem
from separatrix.problem.fold import Fold
from separatrix.problem.scaled_rows import moderate_coordinates
from separatrix.rows import Vector, rounding_bound

MAX_GAP_FROM_DUAL = 1e-3  # part of the primal: beyond, the curvature may bound the gap better than the dual
MAX_COEFFICIENTS = 1500  # of a Hessian that is made for that
SMALL_GAP, MAX_OPERATIONS_FOR_SMALL_GAPS = 1e-9, 1e5  # beyond which it is made where it costs next to nothing


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
        """The objective of planes and its lower bound, from blocks of rows: by the dual, or by the curvature."""
        planes = np.atleast_2d(w), np.atleast_1d(b)
        return log_loss_fold(self, planes) if self.penalised else maximum_fold(self, planes)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def log_loss_values(problem: Problem, objective: LogLoss, w: Vector, b: Vector) -> Values:
    """The objective of planes and a lower bound of it, from the rows."""
    known, scored, values = log_loss_sums(objective, problem, (w, b))
    if objective.penalised and not is_worth_curvature(problem, values):
        return values
    # where features are huge the dual has no digits left, and curvature, which holds with a penalty too, has
    coordinates = moderate_coordinates(problem) if objective.penalised else spanning_coordinates(problem)
    penalised = objective.penalised and coordinates.basis is None  # else some of w is outside of the coordinates
    weights = objective.unit * problem.cost
    decrease = most_decrease(problem, coordinates, weights, scored, w if penalised else None)
    inside = square_from_mean(w) if penalised else Interval(0.0, 0.0)
    curved = Values.of(known.primal, known.sums.losses + 0.5 * inside - decrease.most, decrease.rounding)
    return curved if curved.dual > values.dual else values


def is_worth_curvature(problem: Problem, values: Values) -> bool:
    """Whether the gap of a dual point is so large that a Hessian may give a better one at a moderate cost."""
    coefficients = problem.n_planes * (problem.n_features + 1)
    if problem.n_rows * float(coefficients) ** 2 <= MAX_OPERATIONS_FOR_SMALL_GAPS:
        return values.gap > SMALL_GAP * values.primal
    return values.gap > MAX_GAP_FROM_DUAL * values.primal and coefficients <= MAX_COEFFICIENTS


def square_from_mean(w: Vector) -> Interval:
    """Enclose ||W||^2, of several planes that of their differences from their mean, which changes no loss."""
    if len(w) == 1:
        return enclosed_square(w)
    mean, off = w.mean(axis=0), rounding_bound(len(w) + 2) * np.abs(w).mean(axis=0)
    return enclosed_square(w) - float(len(w)) * squared_length(Enclosed(mean, off))
