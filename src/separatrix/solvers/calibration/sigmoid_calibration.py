"""The sigmoid of a score that is the most likely probability of a class, with targets that are never 0 or 1.

    minimise  sum_i c_i [-t_i log p_i - (1 - t_i) log(1 - p_i)],    p_i = 1 / (1 + exp(-(a s_i + b))),    a >= 0
    t_i = (N1 + 1) / (N1 + 2)  for rows of the class,    1 / (N0 + 2)  for the others

N1 and N0 are what the rows of the class and the others weigh. The targets are the posterior means of a uniform prior:
with them the minimum is finite also where the scores separate the classes (Platt, 1999). It is found by Newton's method
with a line search (Lin, Lin and Weng, 2007). With a >= 0 a larger score is never a smaller probability; where the
scores order the classes the wrong way round, a = 0 and p is the mean target.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, logit

from separatrix.rows import Vector

Pair: TypeAlias = tuple[float, float]  # of a and b

MAX_NEWTON_STEPS = 100  # about ten are taken
GRADIENT_TOL = 1e-13  # of the weight of all rows; scores are scaled to at most 1
MIN_SPREAD = 1e-300  # of scores; below it they are equal, or the slope would overflow
MIN_STEP = 1e-10  # of a Newton step, in the line search
SUFFICIENT_DECREASE = 1e-4  # of what the gradient promises


@dataclass(frozen=True)
class SigmoidMap:
    """The probability 1 / (1 + exp(-(slope (s - centre) + offset))) of a score s.

    The centre is a score in the middle of those that it was fitted to, so that large scores lose no digits.
    """

    slope: float
    centre: float
    offset: float

    def __post_init__(self) -> None:
        if not (np.isfinite([self.slope, self.centre, self.offset]).all() and self.slope >= 0.0):
            raise ValueError("a sigmoid map has finite numbers and a slope that is not negative")

    def both(self, scores: Vector) -> Vector:
        """Probabilities of the others and of the class, side by side; both are exact to the last digits.

        >>> SigmoidMap(1.0, 0.0, 0.0).both(np.array([0.0, np.log(3.0)])).round(12).tolist()
        [[0.5, 0.5], [0.25, 0.75]]
        """
        if self.slope == 0.0:  # an infinite score would be 0 times infinity
            scores = np.zeros(len(scores))
        with np.errstate(over="ignore"):
            log_odds = self.slope * (scores - self.centre) + self.offset
        return np.column_stack([expit(-log_odds), expit(log_odds)])


def platt_targets(positive: np.ndarray, weights: Vector) -> Vector:
    """The targets of all rows: close to 1 for those of the class and to 0 for the others, by how many there are.

    >>> platt_targets(np.array([True, True, False]), np.ones(3)).round(4).tolist()
    [0.75, 0.75, 0.3333]
    """
    n_positive, n_negative = float(weights[positive].sum()), float(weights[~positive].sum())
    return np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n_negative + 2.0))


def sigmoid_calibration(scores: Vector, positive: np.ndarray, weights: Vector) -> SigmoidMap:
    """Fit the sigmoid to finite scores of rows that are of the class or not, each with its weight.

    >>> found = sigmoid_calibration(np.array([-1.0, -1.0, 1.0, 1.0]), np.array([False, False, True, True]), np.ones(4))
    >>> found.both(np.array([1.0])).round(12).tolist()  # (2 + 1) / (2 + 2)
    [[0.25, 0.75]]
    """
    targets = platt_targets(positive, weights)
    constant = float(logit(weights @ targets / weights.sum()))
    centre = float(np.median(scores))
    scale = float(np.abs(scores - centre).max())
    if scale < MIN_SPREAD:
        return SigmoidMap(0.0, centre, constant)
    a, b = newton(PlattLoss((scores - centre) / scale, targets, weights), constant)
    return SigmoidMap(a / scale, centre, b) if a > 0.0 else SigmoidMap(0.0, centre, constant)


class PlattLoss(NamedTuple):
    """The objective as a function of a and b: s are scores, t targets, c weights."""

    s: Vector
    t: Vector
    c: Vector

    def value(self, a: float, b: float) -> float:
        """The weighted sum of log(1 + exp(g)) - t g, where g = a s + b."""
        g = a * self.s + b
        return float(self.c @ (np.logaddexp(0.0, g) - self.t * g))

    def gradient(self, a: float, b: float) -> Pair:
        """The derivatives by a and b."""
        residual = self.c * (expit(a * self.s + b) - self.t)
        return float(residual @ self.s), float(residual.sum())

    def newton_step(self, a: float, b: float) -> Pair:
        """The step to the minimum of the quadratic model: a weighted regression on scores less their mean."""
        g = a * self.s + b
        h = self.c * expit(g) * expit(-g)
        by_a, by_b = self.gradient(a, b)
        total = float(h.sum())
        mean = float(h @ self.s) / total
        spread = float(h @ (self.s - mean) ** 2)
        step = -(by_a - mean * by_b) / spread if spread > 0.0 else 0.0
        return step, -by_b / total - mean * step


def newton(loss: PlattLoss, b: float) -> Pair:
    """Newton's method from a = 0 and the given b."""
    a = 0.0
    for _ in range(MAX_NEWTON_STEPS):
        gradient = loss.gradient(a, b)
        if max(map(abs, gradient)) <= GRADIENT_TOL * loss.c.sum():
            break
        step = loss.newton_step(a, b)
        factor = line_search(loss, (a, b), step, gradient)
        a, b = a + factor * step[0], b + factor * step[1]
        if factor * max(map(abs, step)) <= np.finfo(float).eps * max(abs(a), abs(b)):
            break
    return a, b


def line_search(loss: PlattLoss, start: Pair, step: Pair, gradient: Pair) -> float:
    """The first of 1, 1/2, 1/4, ... of a step with which the loss falls enough, or 0 where rounding hides that."""
    value, factor = loss.value(*start), 1.0
    promised = gradient[0] * step[0] + gradient[1] * step[1]
    rounding = 8.0 * np.finfo(float).eps * abs(value)
    while factor >= MIN_STEP:
        found = loss.value(start[0] + factor * step[0], start[1] + factor * step[1])
        if found <= value + SUFFICIENT_DECREASE * factor * promised + rounding:
            return factor
        factor /= 2.0
    return 0.0
