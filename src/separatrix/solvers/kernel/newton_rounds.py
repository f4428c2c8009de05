"""Newton rounds on the free variables: a primal-dual active set method (Hintermueller, Ito and Kunisch, 2002).

    free F:       y_p (sum_q K_pq beta_q + ridge_p beta_p + b_g) = required_p          beta = y alpha, p in group g
    bounded U:    alpha_p = upper_p                                                    others: alpha_p = 0
    sum over each group of beta_p = total_g

One linear system gives alpha of the free variables and the offsets. Variables whose alpha leaves its bounds, or that
are on the wrong side of what is required, change their set, and again until none does. Block SMO gives the first sets.
Scores in float32 lead to the last ones, and residuals in float64, from the rows, to alpha and the offsets on them.
"""

from collections.abc import Iterator

import numpy as np
from scipy.linalg import LinAlgError

from separatrix.certificates import DualityGap
from separatrix.problem import Problem
from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget, TimeOverError
from separatrix.solvers.kernel.block_smo import Point, block_smo
from separatrix.solvers.kernel.dual.free_sets import Sets, netted
from separatrix.solvers.kernel.dual.grouped_dual import GroupedDual, margin_dual
from separatrix.solvers.kernel.gram import Gram
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.watching import tell
from separatrix.threads import threads_for

NEXT_VIOLATION = 0.1  # times the violation at which Newton rounds begin, where they do not converge
MIN_VIOLATION = 1e-5  # which float32 can tell; this and other tolerances of scores count in units of `size`
MIN_INITIAL_SIZE = 1e-2  # of scores, where there is no better estimate yet
MARGIN_TOL = 1e-6  # of float32 scores: variables closer to what is required keep their set
EXACT_MARGIN_TOL = 1e-10
MAX_ROUNDS = 30
MAX_EXACT_ROUNDS = 8
MIN_PROGRESS = 0.7  # part of the violators that may be left after a round
FEW_VIOLATORS, MAX_STALLED_ROUNDS = 10, 5  # with so few, rounds without progress may go on
MAX_REFINEMENTS = 12
MIN_CONTRACTION = 0.5  # part of the residual that may be left after a refinement
IMBALANCE_RTOL = 1e-12  # part of all alpha by which the sum of a group may differ from its total
RESIDUAL_TOL = 1e-12  # of the scores of free variables, and of the balance of alpha
RESIDUAL_PER_TOL = 1e-3  # of the gap that is asked for, where there are many rows


class KernelMachine:
    """A problem in the space of a kernel on its way to the optimum: alpha, and the offset of each group."""

    def __init__(
        self, problem: Problem, space: KernelSpace, budget: Budget, grouped: GroupedDual | None = None
    ) -> None:
        self.problem, self.gram, self.budget = problem, space.gram, budget
        self.grouped = margin_dual(problem) if grouped is None else grouped
        self.dual = self.grouped.dual
        ridge = np.zeros(problem.n_rows)
        ridge[self.dual.row] = self.dual.ridge
        self.system = space.system(ridge, bool(self.grouped.totals.size))
        self.system.interrupted = budget.check_time
        self.alpha, self.residual_tol = self.grouped.initial(), RESIDUAL_TOL
        self.offsets: Vector = np.zeros(self.grouped.totals.size)
        self.initial: Sets | None = None  # known from a fit of another C
        self.insistent = False  # whether to go on where another form seems to have the optimum

    def start(self, alpha: Vector, offsets: Vector, upper: Vector) -> None:
        """Begin with the answer for other upper bounds: variables that were at theirs begin at the new ones."""
        self.initial = Sets.of(self.dual._replace(upper=upper), alpha, self.grouped.mirror)
        self.alpha, self.offsets = np.clip(self.initial.held(self.dual, alpha), 0.0, self.dual.upper), offsets

    def solve(self, tol: float) -> DualityGap | None:
        """Search in float32, then rounds in float64 until the gap is within tol; None where the search is given up."""
        claims: list[DualityGap] = []
        if not self.gram.is_exact:
            self.residual_tol = max(RESIDUAL_TOL, RESIDUAL_PER_TOL * tol)
        with threads_for(0.0):
            if self.initial is not None and not self.initial.bounded.any():  # no bound mattered: it may be the answer
                claims.append(self.claim())
            if claims and claims[0].stated <= tol:
                return claims[0]
            try:
                found = self.search()
                if found is None:
                    return None
                claims += self.exact_rounds(tol) if found else [self.claim()]
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

    def search(self) -> bool | None:
        """Find the sets of variables, alpha and the offsets, with scores in float32; whether they were found.

        None where the alternative of the dual seems to have the optimum.
        """
        scores = self.scores()
        self.offsets = self.grouped.offsets(scores)
        if self.initial is not None:
            if self.rounds(self.initial, scores):
                return True
            self.alpha = self.grouped.balanced(self.alpha)
            scores = self.scores()
        point, violation = Point(self.alpha.copy(), scores), self.grouped.initial_violation
        tol = violation * max(self.grouped.size(self.offsets), MIN_INITIAL_SIZE)
        while True:
            tell("search", machine=self, alpha=point.alpha)
            left = block_smo(self.gram, self.dual, point, tol, self.budget)
            self.alpha, self.offsets = netted(point.alpha, self.grouped.mirror), self.grouped.offsets(point.scores)
            asked = violation * self.grouped.size(self.offsets)
            if asked < left <= tol and self.budget.left > 0:  # the size was overestimated
                tol = max(asked, NEXT_VIOLATION * tol)
                continue
            if not self.insistent and self.grouped.cancels(point.alpha, self.offsets, tol):
                return None
            sets = Sets.of(self.dual, self.alpha, self.grouped.mirror)
            if self.rounds(sets, point.scores.copy()):
                return True
            if left > tol or violation <= MIN_VIOLATION or self.budget.left <= 0:
                return False
            violation *= NEXT_VIOLATION
            tol = violation * self.grouped.size(self.offsets)

    def scores(self) -> Vector:
        """The scores of all rows without offsets, in float32."""
        scores = np.zeros(self.problem.n_rows)
        add_scores(self.gram, self.grouped.beta(self.alpha), scores)
        return scores

    def rounds(self, sets: Sets, scores: Vector) -> bool:
        """Newton rounds with scores in float32, in place; whether they end with none on the wrong side."""
        alpha, offsets, before, stalled = self.alpha.copy(), self.offsets, np.inf, 0
        for _ in range(MAX_ROUNDS):
            if self.budget.spent():
                return False
            try:
                sets, offsets = self.round(sets, alpha, offsets, scores)
            except LinAlgError:
                return False
            violation = self.grouped.violations(scores, offsets)
            tell("round", machine=self, alpha=alpha, offsets=offsets, sets=sets)
            sets, violators = sets.changed(self.dual, alpha, violation, MARGIN_TOL * self.grouped.size(offsets))
            if not violators:
                self.alpha, self.offsets = np.clip(alpha, 0.0, self.dual.upper), offsets
                return True
            stalled += violators > MIN_PROGRESS * before
            if stalled > (MAX_STALLED_ROUNDS if violators <= FEW_VIOLATORS else 0):
                return False
            before = violators
        return False

    def round(self, sets: Sets, alpha: Vector, offsets: Vector, scores: Vector) -> tuple[Sets, Vector]:
        """alpha of these sets, unclipped, and scores of all rows, both in place; returns sets and offsets."""
        dual, held = self.dual, sets.held(self.dual, alpha)
        add_scores(self.gram, self.grouped.beta(held - alpha), scores)
        alpha[:] = held
        sets = opened(self.grouped, sets, held, scores)
        free = sets.variables(dual)
        residual = (dual.y * self.grouped.violations(scores, offsets))[free] - (dual.y * dual.ridge * held)[free]
        missing = self.grouped.totals - self.grouped.group_sums(held)
        change, shift = self.system.solve(dual.row[free], residual, missing, dual.group[free])
        self.gram.add_rows(dual.row[free], change, scores)
        alpha[free] += dual.y[free] * change
        decided = np.isin(np.arange(offsets.size), dual.group[free])
        offsets = offsets + shift
        return sets, offsets if decided.all() else np.where(decided, offsets, self.grouped.offsets(scores))

    def exact_round(self, every: bool) -> bool:
        """A round in float64: residuals refine alpha, each may change its set by its violation; whether it moved."""
        alpha, offsets = self.alpha, self.offsets
        sets, violation = Sets.of(self.dual, alpha, self.grouped.mirror), np.zeros(alpha.size)
        tol = EXACT_MARGIN_TOL * self.grouped.size(offsets)
        if every:
            violation = self.grouped.violations(self.exact_scores(alpha), offsets)
        for _ in range(MAX_ROUNDS):
            sets, _ = sets.changed(self.dual, alpha, violation, tol)
            try:
                alpha, offsets = self.refined(sets, sets.held(self.dual, alpha), offsets)
            except LinAlgError:
                return False
            if not (sets.free & ((alpha <= 0.0) | (alpha >= self.dual.upper))).any():
                break
            violation = np.where(sets.free, 0.0, violation)  # only alpha decides now
        alpha = np.clip(alpha, 0.0, self.dual.upper)
        moved = not np.array_equal(alpha, self.alpha)
        tell("exact", machine=self, alpha=alpha, offsets=offsets, sets=sets)
        self.alpha, self.offsets = alpha, offsets
        return moved

    def refined(self, sets: Sets, alpha: Vector, offsets: Vector) -> tuple[Vector, Vector]:
        """alpha and offsets of these sets by corrections with residuals of the free variables in float64."""
        dual, grouped = self.dual, self.grouped
        free, before, sizes = sets.variables(dual), np.inf, grouped.size(offsets)
        rows, y = dual.row[free], dual.y[free]
        for _ in range(MAX_REFINEMENTS if free.size else 0):
            beta = grouped.beta(alpha)
            support = np.flatnonzero(beta)
            scores = self.gram.exact_scores(rows, support, beta[support])
            turns = y * dual.required[free] - scores - y * dual.ridge[free] * alpha[free]
            residual = turns - (offsets[dual.group[free]] if offsets.size else 0.0)
            missing = grouped.totals - grouped.group_sums(alpha)
            imbalance = float(np.abs(missing).max(initial=0.0)) / max(float(alpha.sum()), TINY)
            left = max(float(np.abs(residual).max()) / sizes, imbalance)
            if left <= self.residual_tol or self.budget.seconds <= 0.0:
                break
            if left > MIN_CONTRACTION * before and not self.system.use_double_precision():
                break
            change, shift = self.system.solve(rows, residual, missing, dual.group[free])
            alpha[free] += y * change
            offsets, before = offsets + shift, left
        decided = np.isin(np.arange(offsets.size), dual.group[free])
        if not decided.all():
            offsets = np.where(decided, offsets, grouped.offsets(self.exact_scores(alpha)))
        return alpha, offsets

    def exact_scores(self, alpha: Vector) -> Vector:
        """The scores of all rows without offsets, in float64."""
        beta = self.grouped.beta(alpha)
        support = np.flatnonzero(beta)
        return self.gram.exact_scores(np.arange(beta.size), support, beta[support])

    def claim(self) -> DualityGap:
        """The certificate of alpha and the offsets, from the rows."""
        return self.grouped.claim(self.alpha, self.offsets)


def add_scores(gram: Gram, beta: Vector, scores: Vector) -> None:
    """Add the scores that beta of each row gives to all rows, in float32, in place."""
    moved = np.flatnonzero(beta)
    gram.add_rows(moved, beta[moved], scores)


def opened(grouped: GroupedDual, sets: Sets, held: Vector, scores: Vector) -> Sets:
    """Sets with a free variable in every group whose sum is not its total: the one nearest to what is required."""
    group, totals = grouped.dual.group, grouped.totals
    missing = np.abs(totals - grouped.group_sums(held)) > IMBALANCE_RTOL * float(held.sum())
    without = missing & ~np.isin(np.arange(totals.size), group[sets.free])
    if not without.any():
        return sets
    distance, free = np.abs(grouped.violations(scores, grouped.offsets(scores))), sets.free.copy()
    for g in np.flatnonzero(without):
        free[np.argmin(np.where(group == g, distance, np.inf))] = True
    return Sets(free, sets.bounded & ~free, sets.mirror)
