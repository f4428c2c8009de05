"""Newton rounds on the free rows: a primal-dual active set method (Hintermueller, Ito and Kunisch, 2002).

    free rows F:       sum_j K_ij beta_j + ridge_i beta_i + b = y_i          beta = y alpha
    bounded rows U:    alpha_i = upper_i                                     others: alpha_i = 0
    sum_i beta_i = 0

One linear system gives alpha and b of the free rows. Rows whose alpha leaves its bounds, or that are on the wrong side
of the margin, change their set, and again until none does. Block SMO gives the first sets. Scores in float32 lead to
the last ones, and residuals in float64, from the rows, to alpha and b on them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError

from separatrix.certificates import DualityGap
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget, TimeOverError
from separatrix.solvers.kernel.block_smo import Dual, Point, block_smo
from separatrix.solvers.kernel.grouped_dual import margin_dual
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.svm.best_offset import best_offset
from separatrix.threads import threads_for

INITIAL_VIOLATION = 0.5  # at which Newton rounds begin
NEXT_VIOLATION = 0.1  # times that, where they do not converge
MIN_VIOLATION = 1e-5  # which float32 can tell
MARGIN_TOL = 1e-6  # of float32 scores: rows closer to the margin keep their set
EXACT_MARGIN_TOL = 1e-10
MAX_ROUNDS = 30
MAX_EXACT_ROUNDS = 8
MIN_PROGRESS = 0.7  # part of the violators that may be left after a round
MAX_REFINEMENTS = 12
MIN_CONTRACTION = 0.5  # part of the residual that may be left after a refinement
RESIDUAL_TOL = 1e-12  # of the scores of free rows, and of the balance of alpha
RESIDUAL_PER_TOL = 1e-3  # of the gap that is asked for, where there are many rows
NEGLIGIBLE_ALPHA = 1e-14  # part of the largest alpha, below which one is rounding


@dataclass
class Sets:
    """Which rows are free and which are at their upper bound."""

    free: np.ndarray
    bounded: np.ndarray

    @classmethod
    def of(cls, dual: Dual, alpha: Vector) -> "Sets":
        """The sets of an alpha: within a billionth of a bound is at it."""
        size = np.minimum(dual.upper, max(float(alpha.max(initial=0.0)), 1e-300))
        bounded = alpha >= dual.upper * (1.0 - 1e-9)
        return cls((alpha > 1e-9 * size) & ~bounded, bounded)

    def held(self, dual: Dual, alpha: Vector) -> Vector:
        """Alpha at its bounds wherever a row is not free."""
        return np.where(self.bounded, dual.upper, np.where(self.free, alpha, 0.0))

    def changed(self, dual: Dual, alpha: Vector, margins: Vector, tol: float) -> tuple["Sets", int]:
        """The sets that alpha and the margins ask for, and how many rows change."""
        below, above = self.free & (alpha <= 0.0), self.free & (alpha >= dual.upper)
        entering = (~self.free & ~self.bounded & (margins < 1.0 - tol)) | (self.bounded & (margins > 1.0 + tol))
        free, bounded = (self.free & ~below & ~above) | entering, (self.bounded & ~entering) | above
        return Sets(free, bounded), int(np.count_nonzero(below | above | entering))


class KernelMachine:
    """A problem in the space of a kernel on its way to the optimum: alpha and b."""

    def __init__(self, problem: Problem, space: KernelSpace, budget: Budget) -> None:
        self.problem, self.gram, self.budget = problem, space.gram, budget
        y = problem.signs
        self.dual = margin_dual(problem).dual
        self.system = space.system(self.dual.ridge, problem.fit_intercept)
        self.system.interrupted = budget.check_time
        self.alpha, self.b, self.residual_tol = np.zeros(y.size), 0.0, RESIDUAL_TOL
        self.initial: Sets | None = None  # known from a fit of another C

    def start(self, alpha: Vector, b: float, upper: Vector) -> None:
        """Begin with the answer for other upper bounds: rows that were at theirs begin at the new ones."""
        self.initial = Sets.of(self.dual._replace(upper=upper), alpha)
        self.alpha, self.b = np.clip(self.initial.held(self.dual, alpha), 0.0, self.dual.upper), b

    def solve(self, tol: float) -> DualityGap:
        """Search in float32, then rounds in float64 until the gap is within tol."""
        claims: list[DualityGap] = []
        if not self.gram.is_exact:
            self.residual_tol = max(RESIDUAL_TOL, RESIDUAL_PER_TOL * tol)
        with threads_for(0.0):
            if self.initial is not None and not self.initial.bounded.any():  # no bound mattered: it may be the answer
                claims.append(self.claim())
            if claims and claims[0].stated <= tol:
                return claims[0]
            try:
                if self.search():
                    claims += self.exact_rounds(tol)
                else:
                    claims.append(self.claim())
            except TimeOverError:
                claims.append(self.claim())
        return min(claims, key=lambda claim: claim.stated)

    def exact_rounds(self, tol: float) -> Iterator[DualityGap]:
        """Yield the claim after each round in float64, until one is within tol or nothing moves."""
        every = self.gram.is_exact  # few rows are worth every digit
        for _ in range(MAX_EXACT_ROUNDS):
            moved = self.budget.left > 0 and self.exact_round(every)
            claim = self.claim()
            yield claim
            if claim.stated <= tol or self.budget.spent() or (every and not moved):
                return
            every = True

    def search(self) -> bool:
        """Find the sets of rows, and alpha and b on them, with scores in float32; whether they were found."""
        if self.initial is not None:
            scores = self.scores()
            self.b = self.offset(scores)
            if self.rounds(self.initial, scores):
                return True
            self.alpha = balanced(self.dual, self.alpha) if self.problem.fit_intercept else self.alpha
        point, tol = Point(self.alpha.copy(), self.scores()), INITIAL_VIOLATION
        while True:
            left = block_smo(self.gram, self.dual, point, tol, self.budget)
            self.alpha, self.b = point.alpha.copy(), self.offset(point.scores)
            if self.rounds(Sets.of(self.dual, self.alpha), point.scores.copy()):
                return True
            if left > tol or tol <= MIN_VIOLATION or self.budget.left <= 0:
                return False
            tol *= NEXT_VIOLATION

    def scores(self) -> Vector:
        """The scores of all rows without b, in float32."""
        scores, support = np.zeros(self.alpha.size), np.flatnonzero(self.alpha)
        self.gram.add_rows(support, (self.dual.y * self.alpha)[support], scores)
        return scores

    def rounds(self, sets: Sets, scores: Vector) -> bool:
        """Newton rounds with scores in float32, in place; whether they end with no row on the wrong side."""
        alpha, b, before = self.alpha.copy(), self.b, np.inf
        for _ in range(MAX_ROUNDS):
            if self.budget.spent():
                return False
            try:
                b = self.round(sets, alpha, b, scores)
            except LinAlgError:
                return False
            sets, violators = sets.changed(self.dual, alpha, self.dual.y * (scores + b), MARGIN_TOL)
            if not violators:
                self.alpha, self.b = np.clip(alpha, 0.0, self.dual.upper), b
                return True
            if violators > MIN_PROGRESS * before:
                return False
            before = violators
        return False

    def round(self, sets: Sets, alpha: Vector, b: float, scores: Vector) -> float:
        """alpha of these sets, unclipped, and scores of all rows without b, both in place; returns b."""
        y, held = self.dual.y, sets.held(self.dual, alpha)
        moved, free = np.flatnonzero(held != alpha), np.flatnonzero(sets.free)
        self.gram.add_rows(moved, (y * (held - alpha))[moved], scores)
        residual = y - scores - y * self.dual.ridge * held - b
        change, shift = self.system.solve(free, residual[free], -float(y @ held))
        self.gram.add_rows(free, change, scores)
        held[free] += y[free] * change
        alpha[:] = held
        return b + shift if free.size else self.offset(scores)

    def exact_round(self, every: bool) -> bool:
        """A round in float64: residuals refine alpha, every row may change its set by its margin; whether it moved."""
        y, (alpha, b) = self.dual.y, (self.alpha, self.b)
        sets, margins = Sets.of(self.dual, alpha), np.ones(y.size)
        if every:
            support = np.flatnonzero(alpha)
            margins = y * (self.gram.exact_scores(np.arange(y.size), support, (y * alpha)[support]) + b)
        for _ in range(MAX_ROUNDS):
            sets, _ = sets.changed(self.dual, alpha, margins, EXACT_MARGIN_TOL)
            try:
                alpha, b = self.refined(sets, sets.held(self.dual, alpha), b)
            except LinAlgError:
                return False
            if not (sets.free & ((alpha <= 0.0) | (alpha >= self.dual.upper))).any():
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
        before = np.inf
        for _ in range(MAX_REFINEMENTS):
            support = np.flatnonzero(alpha)
            scores = self.gram.exact_scores(free, support, (y * alpha)[support])
            residual = y[free] - scores - ridge[free] * (y * alpha)[free] - b
            imbalance = abs(float(y @ alpha)) / max(float(alpha.sum()), TINY) * self.problem.fit_intercept
            left = max(float(np.abs(residual).max()), imbalance)
            if left <= self.residual_tol or self.budget.seconds <= 0.0:
                break
            if left > MIN_CONTRACTION * before and not self.system.use_double_precision():
                break
            change, shift = self.system.solve(free, residual, -float(y @ alpha))
            alpha[free] += y[free] * change
            b, before = b + shift, left
        return alpha, b

    def offset(self, scores: Vector) -> float:
        """The best offset for scores."""
        if not self.problem.fit_intercept:
            return 0.0
        return best_offset(scores, self.problem.signs, self.problem.cost, self.problem.objective.squared)

    def claim(self) -> DualityGap:
        """The certificate of alpha and b, from the rows."""
        return claim_of(self.problem, self.alpha, self.b)


def balanced(dual: Dual, alpha: Vector) -> Vector:
    """Alpha with a sum of y alpha of 0: the heavier class is scaled down."""
    positive = dual.y > 0.0
    sides = np.array([float(alpha[~positive].sum()), float(alpha[positive].sum())])
    return alpha * (sides.min() / np.maximum(sides, TINY))[positive.view(np.int8)]


def claim_of(problem: Problem, alpha: Vector, b: float) -> DualityGap:
    """The certificate of an alpha of all rows and b."""
    support = np.flatnonzero(alpha > NEGLIGIBLE_ALPHA * alpha.max(initial=0.0))
    return DualityGap.issue(problem, problem.signs[support] * alpha[support], b, alpha[support], support)
