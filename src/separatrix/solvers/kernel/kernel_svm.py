"""The support vector machine in the space of a kernel, solved to a duality gap from the rows in float64.

    min 1/2 ||w||^2 + C sum_i c_i max(0, 1 - y_i (<w, phi(x_i)> + b))^p,       w = sum_i alpha_i y_i phi(x_i)

Float32 finds the sets of free and bounded rows (`block_smo`), float64 gives the answer (`newton_rounds`). A kernel
matrix of low rank is factored instead, and its rows go to the linear machine.
"""

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError

from separatrix.certificates import DualityGap, Unproved
from separatrix.objectives import SoftMargin
from separatrix.objectives.kernel_margin import satisfies_mercer
from separatrix.problem import Expansion, History, Problem, Solution, Status
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.kernel.block_smo import Dual, Point, block_smo, violation
from separatrix.solvers.kernel.gram import Gram, gram_of
from separatrix.solvers.kernel.low_rank import low_rank_factor
from separatrix.solvers.kernel.newton_rounds import FreeSystem, Sets
from separatrix.solvers.options import number, positive, whole
from separatrix.solvers.svm.best_offset import best_offset
from separatrix.solvers.svm.linear_svm import linear_svm

INITIAL_VIOLATION = 0.3  # at which Newton rounds begin
NEXT_VIOLATION = 0.1  # times that, where they do not converge
MIN_VIOLATION = 1e-5  # which float32 can tell
MARGIN_TOL = 1e-6  # of float32 scores: rows closer to the margin keep their set
EXACT_MARGIN_TOL = 1e-10
MAX_ROUNDS = 30
MAX_EXACT_ROUNDS = 8
MIN_PROGRESS = 0.7  # part of the violators that may be left after a round
MAX_REFINEMENTS = 3
RESIDUAL_TOL = 1e-12  # of the scores of free rows, and of the balance of alpha
STATIONARY_VIOLATION = 1e-3  # of the optimality conditions, where nothing is proved
NEGLIGIBLE_ALPHA = 1e-14  # part of the largest alpha, below which one is rounding


def kernel_svm(
    problem: Problem,
    *,
    C: float = 1.0,
    squared: bool = False,
    tol: float = 1e-6,
    max_iter: int = 100_000,
    time_limit: float | None = None,
    cache_mb: float = 2000.0,
) -> Solution:
    """Minimise the objective of two classes in the space of the problem's kernel to a relative gap of tol.

    >>> from separatrix.kernels import Polynomial
    >>> gate = Problem(np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]), kernel=Polynomial(2, 1.0))
    >>> solution = kernel_svm(gate, C=100.0)  # XOR
    >>> solution.model.scores(gate.X).round(6).tolist(), solution.certificate.error(gate) < 1e-6
    ([-1.0, 1.0, 1.0, -1.0], True)
    """
    problem = problem.posed(SoftMargin(positive("C", C), squared))
    accuracy = number("tol", tol, above=0.0, most=1.0)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    budget = Budget(whole("max_iter", max_iter), seconds)
    gram = gram_of(problem.kernel, problem.X, 1e6 * number("cache_mb", cache_mb, above=0.0))
    machine = KernelMachine(problem, gram, budget)
    if not satisfies_mercer(problem):
        return stationary_point(machine)
    claim = by_low_rank(machine)
    if claim is None or (claim.stated > accuracy and budget.left > 0):
        claim = min(filter(None, (claim, machine.solve(accuracy))), key=lambda each: each.stated)
    solved, steps = claim.stated <= accuracy, max(budget.used, 1)
    status = Status.SOLVED if solved else Status.STOPPED if budget.left <= 0 else Status.ROUNDED
    model = Expansion(problem.kernel, problem.support_rows(claim.support), claim.w, claim.b)
    return Solution(model, claim, status, History(steps, steps))


def stationary_point(machine: "KernelMachine") -> Solution:
    """Where no pair of alphas can be improved: without Mercer's condition the dual bounds nothing."""
    problem, dual = machine.problem, machine.dual
    point = Point(machine.alpha, np.zeros(machine.alpha.size))
    machine.gram.prepare()
    block_smo(machine.gram, dual, point, STATIONARY_VIOLATION, machine.budget)
    support = np.flatnonzero(point.alpha)
    coefficients, b = (dual.y * point.alpha)[support], offset_of_free_rows(dual, point)
    why = "the kernel matrix of these rows is not positive semidefinite, or not known to be"
    claim = Unproved(f"{why}, so that the dual bounds nothing; this is a stationary point", coefficients, b, np.inf)
    claim = replace(claim, coefficients_of=support)
    claim = replace(claim, stated=claim.error(problem))
    model = Expansion(problem.kernel, problem.support_rows(support), coefficients, b)
    steps = max(machine.budget.used, 1)
    return Solution(model, claim, Status.ENDED, History(steps, steps))


def offset_of_free_rows(dual: Dual, point: Point) -> float:
    """The mean of what free rows say of the offset, or the middle of what the others allow."""
    slopes = point.slopes(dual)
    free = (point.alpha > 0.0) & (point.alpha < dual.upper)
    if free.any():
        return float(slopes[free].mean())
    _, up, down = violation(dual, point.alpha, slopes)
    return 0.5 * (float(slopes[up].max()) + float(slopes[down].min()))


def by_low_rank(machine: "KernelMachine") -> DualityGap | None:
    """The optimum of a kernel matrix of low rank, whose factor is a linear problem; None where it is not low."""
    problem = machine.problem
    factor = low_rank_factor(machine.gram)
    if factor is None:
        return None
    linear = Problem(factor, problem.y, 2, problem.cost, problem.fit_intercept)
    objective: Any = problem.objective
    left = None if machine.budget.seconds == np.inf else machine.budget.seconds
    found = linear_svm(linear, C=objective.C, squared=objective.squared, tol=1e-10, time_limit=left)
    machine.budget.used += found.history.iterations
    machine.alpha[found.certificate.support] = found.certificate.alpha
    machine.b = float(found.b)
    return machine.claim()


class KernelMachine:
    """A problem in the space of a kernel on its way to the optimum: alpha and b."""

    def __init__(self, problem: Problem, gram: Gram, budget: Budget) -> None:
        self.problem, self.gram, self.budget = problem, gram, budget
        y, cost = problem.signs.astype(np.float64), problem.cost
        self.dual = Dual(y, problem.objective.upper(cost), problem.objective.dual_ridge(cost))
        self.system = FreeSystem(gram, self.dual, problem.fit_intercept)
        self.alpha, self.b = np.zeros(y.size), 0.0

    def solve(self, tol: float) -> DualityGap:
        """Search in float32, then rounds in float64 until the gap is within tol."""
        self.search()
        if self.budget.left <= 0:
            return self.claim()
        claims = [] if self.gram.is_exact else [self.claim()]  # few rows are worth every digit
        for _ in range(MAX_EXACT_ROUNDS):
            if claims and (claims[-1].stated <= tol or self.budget.spent()):
                break
            moved = self.exact_round()
            claims.append(self.claim())
            if not moved:
                break
        return min(claims, key=lambda claim: claim.stated)

    def search(self) -> None:
        """Find the sets of rows, and alpha and b on them, with a matrix in float32."""
        point, tol = Point(self.alpha.copy(), np.zeros(self.alpha.size)), INITIAL_VIOLATION
        self.gram.prepare()
        started = np.flatnonzero(point.alpha)
        self.gram.add_rows(started, (self.dual.y * point.alpha)[started], point.scores)
        while True:
            block_smo(self.gram, self.dual, point, tol, self.budget)
            self.alpha, self.b = point.alpha.copy(), self.offset(point.scores)
            if self.budget.left <= 0 or self.rounds(Sets.of(self.dual, point.alpha)) or tol <= MIN_VIOLATION:
                return
            tol *= NEXT_VIOLATION

    def rounds(self, sets: Sets) -> bool:
        """Newton rounds with scores in float32; whether they end with no row on the wrong side."""
        before = np.inf
        for _ in range(MAX_ROUNDS):
            if self.budget.spent():
                return False
            try:
                alpha, b, scores = self.round(sets)
            except LinAlgError:
                return False
            sets, violators = changed(self.dual, sets, alpha, self.dual.y * (scores + b), MARGIN_TOL)
            if not violators:
                self.alpha, self.b = np.clip(alpha, 0.0, self.dual.upper), b
                return True
            if violators > MIN_PROGRESS * before:
                return False
            before = violators
        return False

    def round(self, sets: Sets) -> tuple[Vector, float, Vector]:
        """alpha and b of these sets, unclipped, and the scores of all rows without b."""
        free, bounded = np.flatnonzero(sets.free), np.flatnonzero(sets.bounded)
        y, scores, alpha = self.dual.y, np.zeros(self.alpha.size), np.where(sets.bounded, self.dual.upper, 0.0)
        self.gram.add_rows(bounded, (y * alpha)[bounded], scores)
        beta, b = self.system.solve(free, (y - scores)[free], -float((y * alpha)[bounded].sum()))
        self.gram.add_rows(free, beta, scores)
        alpha[free] = y[free] * beta
        return alpha, b if free.size else self.offset(scores), scores

    def exact_round(self) -> bool:
        """A round in float64: rows change their sets by exact margins, and residuals refine alpha; whether it moved."""
        y, (alpha, b) = self.dual.y, (self.alpha, self.b)
        sets, support = Sets.of(self.dual, alpha), np.flatnonzero(alpha)
        margins = y * (self.gram.exact_scores(np.arange(y.size), support, (y * alpha)[support]) + b)
        for _ in range(MAX_ROUNDS):
            sets, _ = changed(self.dual, sets, alpha, margins, EXACT_MARGIN_TOL)
            alpha = np.where(sets.bounded, self.dual.upper, np.where(sets.free, alpha, 0.0))
            try:
                alpha, b = self.refined(sets, alpha, b)
            except LinAlgError:
                return False
            outside = sets.free & ((alpha <= 0.0) | (alpha >= self.dual.upper))
            if not outside.any():
                break
            margins = np.where(sets.free, 1.0, margins)  # only alpha decides now
        alpha = np.clip(alpha, 0.0, self.dual.upper)
        moved = not np.array_equal(alpha, self.alpha)
        self.alpha, self.b = alpha, b
        return moved

    def refined(self, sets: Sets, alpha: Vector, b: float) -> tuple[Vector, float]:
        """alpha and b of these sets by corrections with residuals of the free rows in float64."""
        free, y, ridge = np.flatnonzero(sets.free), self.dual.y, self.dual.ridge
        if not free.size:
            support = np.flatnonzero(alpha)
            return alpha, self.offset(self.gram.exact_scores(np.arange(y.size), support, (y * alpha)[support]))
        for _ in range(MAX_REFINEMENTS):
            support = np.flatnonzero(alpha)
            scores = self.gram.exact_scores(free, support, (y * alpha)[support])
            residual = y[free] - scores - ridge[free] * (y * alpha)[free] - b
            imbalance = abs(float((y * alpha).sum())) / max(float(alpha.sum()), TINY) * self.problem.fit_intercept
            if max(float(np.abs(residual).max()), imbalance) <= RESIDUAL_TOL:
                break
            change, shift = self.system.solve(free, residual, -float((y * alpha).sum()))
            alpha[free] += y[free] * change
            b += shift
        return alpha, b

    def offset(self, scores: Vector) -> float:
        """The best offset for scores."""
        if not self.problem.fit_intercept:
            return 0.0
        return best_offset(scores, self.problem.signs, self.problem.cost, self.problem.objective.squared)

    def claim(self) -> DualityGap:
        """The certificate of alpha and b, from the rows."""
        support = np.flatnonzero(self.alpha > NEGLIGIBLE_ALPHA * self.alpha.max(initial=0.0))
        alpha = self.alpha[support]
        return DualityGap.issue(self.problem, self.dual.y[support] * alpha, self.b, alpha, support)


def changed(dual: Dual, sets: Sets, alpha: Vector, margins: Vector, tol: float) -> tuple[Sets, int]:
    """The sets that alpha and the margins ask for, and how many rows change."""
    below, above = sets.free & (alpha <= 0.0), sets.free & (alpha >= dual.upper)
    entering = (~sets.free & ~sets.bounded & (margins < 1.0 - tol)) | (sets.bounded & (margins > 1.0 + tol))
    free, bounded = (sets.free & ~below & ~above) | entering, (sets.bounded & ~entering) | above
    return Sets(free, bounded), int(np.count_nonzero(below | above | entering))
