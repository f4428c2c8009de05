"""The kernel adatron (Friess, Cristianini and Campbell, 1998): gradient ascent of the dual, one alpha at a time.

    max sum_i alpha_i - 1/2 sum_ij alpha_i alpha_j y_i y_j K_ij,      0 <= alpha_i <= C c_i,      sum_i y_i alpha_i = 0

    alpha_i <- clip(alpha_i + eta_i (1 - y_i g(x_i)), 0, C c_i),      g(x) = sum_j alpha_j y_j K(x_j, x) + b

eta_i = rate / K_ii, where a rate of 1 goes to the top along alpha_i. Without an offset that is all: b = 0, and alpha
need not be balanced. With one, b is the multiplier of sum_i y_i alpha_i = 0. It moves with each alpha as that of a
perceptron does, b += s y_i (change of alpha_i), and by s times the imbalance that is left after a pass: the method of
multipliers (Hestenes, 1969; Powell, 1969) with the step s = mean K(x, x), in place of the authors' secant steps. Along
alpha_i the curvature is then K_ii + s. The squared hinge adds alpha_i / (2 C c_i) to the slack of row i.
"""

from typing import NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.compiling import compiled
from separatrix.errors import OptionError
from separatrix.objectives import SoftMargin
from separatrix.objectives.bounds.mercer import satisfies_mercer
from separatrix.problem import Expansion, History, Problem, Solution, Status
from separatrix.rows import Vector
from separatrix.solvers.kernel.dual_passes import DualVariables, blocks_of
from separatrix.solvers.kernel.kernel_space import kept_bytes
from separatrix.solvers.options import number, positive, whole
from separatrix.solvers.svm.best_offset import best_offset, widest_offset

GROWTH = 1.3  # of the number of passes from one check of the gap to the next: a check costs as much as several passes


class Ascent(NamedTuple):
    """Of each row the sign, the bound and the ridge of its alpha, and eta; and the step of the offset."""

    y: Vector
    upper: Vector
    ridge: Vector
    rates: Vector
    bias_step: float

    def part(self, block: np.ndarray) -> "Ascent":
        """That of some rows."""
        return Ascent(self.y[block], self.upper[block], self.ridge[block], self.rates[block], self.bias_step)


@compiled
def sweep(K, ascent, b, alpha, scores):
    """One pass over the rows of a block; changes alpha and scores in place, and returns the offset.

    alpha_i <- clip(alpha_i + eta_i (1 - y_i (f_i + b)), 0, upper_i)
    """
    y, upper, ridge, rates, bias_step = ascent
    for i in range(y.size):
        slope = 1.0 - y[i] * (scores[i] + b) - ridge[i] * alpha[i]
        change = min(max(alpha[i] + rates[i] * slope, 0.0), upper[i]) - alpha[i]
        if change != 0.0:
            alpha[i] += change
            b += y[i] * change * bias_step
            for j in range(y.size):
                scores[j] += y[i] * change * K[i, j]
    return b


def adatron(
    problem: Problem,
    *,
    C: float = 1.0,
    squared: bool = False,
    rate: float = 1.0,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    cache_mb: float | None = None,
) -> Solution:
    """Ascend the dual of two classes in passes over the rows until the relative gap is within tol.

    `rate` is eta_i K_ii, above 0 and below 2. The gap of the Solution is recomputed from the rows.

    >>> from separatrix.kernels import Polynomial
    >>> gate = Problem(np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]), kernel=Polynomial(2, 1.0))
    >>> solution = adatron(gate, C=100.0)  # XOR
    >>> solution.model.scores(gate.X).round(3).tolist(), solution.certificate.error(gate) <= 1e-6
    ([-1.0, 1.0, 1.0, -1.0], True)
    """
    problem = problem.posed(SoftMargin(positive("C", C), squared))
    if not satisfies_mercer(problem):
        raise OptionError(
            f"The adatron needs a positive semidefinite kernel, which {problem.kernel!r} is not on these rows, or is "
            "not known to be. Use kernel_svm."
        )
    if not 0.0 < number("rate", rate) < 2.0:
        raise OptionError(f"The 'rate' parameter must be above 0 and below 2, or alpha diverges. Got {rate!r}.")
    accuracy, most = number("tol", tol, above=0.0, most=1.0), whole("max_iter", max_iter)
    ascending = Adatron(problem, rate, kept_bytes(cache_mb))
    claim, passes, moving = ascending.passes(accuracy, most)
    status = Status.SOLVED if claim.stated <= accuracy else Status.STOPPED if moving else Status.ROUNDED
    model = Expansion(problem.kernel, problem.support_rows(claim.support), claim.w, claim.b)
    return Solution(model, claim, status, History(passes * problem.n_rows, passes))


class Adatron:
    """An ascent in progress: alpha, the offset b, and the multiplier that it is made of."""

    def __init__(self, problem: Problem, rate: float, max_bytes: float) -> None:
        self.problem, self.point = problem, DualVariables(problem, max_bytes)
        diagonal, objective = problem.kernel.diagonal(problem.X), problem.objective
        step = float(diagonal.mean()) * problem.fit_intercept
        ridge = objective.dual_ridge(problem.cost)
        curvature = diagonal + ridge + step
        rates = rate / np.where(curvature > 0.0, curvature, 1.0)
        self.ascent = Ascent(self.point.y, objective.upper(problem.cost), ridge, rates, step)
        self.b, self.multiplier = 0.0, 0.0

    def passes(self, tol: float, max_iter: int) -> tuple[DualityGap, int, bool]:
        """Passes until the gap is within tol; returns the best claim, how many there were, and whether alpha moved."""
        best, made, check, moved = self.claim(), 0, 1, True
        while made < max_iter and moved and best.stated > tol:
            made, moved = made + 1, self.one_pass()
            if made >= check or made == max_iter or not moved:
                check = int(GROWTH * made) + 1
                best = min(best, self.claim(), key=lambda claim: claim.stated)
        return best, made, moved

    def one_pass(self) -> bool:
        """Present all rows, and move the multiplier by the imbalance; whether anything changed."""
        before = self.point.alpha.copy()
        for block in blocks_of(np.arange(before.size)):
            self.point.change(block, self.present)
        imbalance = self.ascent.bias_step * float(self.point.y @ self.point.alpha)
        self.multiplier += imbalance
        self.b = self.multiplier + imbalance
        return not np.array_equal(before, self.point.alpha)

    def present(self, block: np.ndarray, alpha: Vector, scores: Vector) -> None:
        """Let the rows of a block ascend."""
        self.b = sweep(self.point.gram.tile(block, block), self.ascent.part(block), self.b, alpha, scores)

    def claim(self) -> DualityGap:
        """The gap of alpha, with the best offset for it, from the rows."""
        problem, point, b = self.problem, self.point, 0.0
        point.refresh()
        if problem.fit_intercept and problem.objective.hard:
            b = widest_offset(point.scores, problem.signs)
        elif problem.fit_intercept:
            b = best_offset(point.scores, problem.signs, problem.cost, problem.objective.squared)
        return DualityGap.issue(problem, point.coefficients, b, point.alpha[point.support], point.support)
