"""The objective of logistic discrimination, and how far from its least value planes are at most.

    1/2 ||W||^2 + C sum_i c_i loss_i,     loss_i = -log of the probability of the row's own class

With a penalty, by the dual (`log_loss_dual`): the planes' own probabilities, scaled so that classes gain what they
lose, are a feasible point of it, and P - D bounds what any other planes could gain. Without one, by the curvature of
the objective itself (`log_loss_curvature`).
"""

from dataclasses import dataclass

import numpy as np

from separatrix.errors import OptionError
from separatrix.enclosures import Interval
from separatrix.objectives.log_loss_curvature import spanning_coordinates
from separatrix.objectives.log_loss_decrease import most_decrease
from separatrix.objectives.log_loss_sums import log_loss_fold, log_loss_sums
from separatrix.objectives.values import NO_DUAL_POINT, DualPoint, Values
from separatrix.problem import Problem
from separatrix.problem.fold import Fold
from separatrix.problem.scaled_rows import moderate_coordinates
from separatrix.rows import Vector

MAX_GAP_FROM_DUAL = 1e-3  # part of the primal: beyond, the curvature may bound the gap better than the dual
MAX_COEFFICIENTS = 1500  # of a Hessian that is made for that


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
        return log_loss_fold(self, (np.atleast_2d(w), np.atleast_1d(b)))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def log_loss_values(problem: Problem, objective: LogLoss, w: Vector, b: Vector) -> Values:
    """The objective of planes and a lower bound of it, from the rows."""
    known, scored, values = log_loss_sums(objective, problem, (w, b))
    if objective.penalised and (values.gap <= MAX_GAP_FROM_DUAL * values.primal or w.size + b.size > MAX_COEFFICIENTS):
        return values
    # where features are huge the dual has no digits left; the losses alone are a lower bound, and curvature has
    coordinates = moderate_coordinates(problem) if objective.penalised else spanning_coordinates(problem)
    decrease = most_decrease(problem, coordinates, objective.unit * problem.cost, scored)
    curved = Values.of(known.primal, known.sums.losses - Interval(0.0, decrease))
    return curved if curved.dual > values.dual else values
