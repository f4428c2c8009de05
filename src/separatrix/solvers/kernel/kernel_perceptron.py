"""The perceptron in its dual form (Aizerman, Braverman and Rozonoer, 1964), in the space of a kernel.

    find alpha, b with  y_i g(x_i) > 0  for every row i,        g(x) = sum_j alpha_j y_j K(x_j, x) + b

    alpha_i += 1,   b += y_i bias_step      whenever row i is presented and y_i g(x_i) <= 0

alpha_i counts how often row i was on the wrong side, and w = sum_i alpha_i y_i phi(x_i) is never written down. If a
plane through the origin separates the vectors (phi(x), 1) with margin gamma, there are at most (R / gamma)^2 mistakes
(Novikoff, 1962), where R^2 = max K(x, x) + 1.
"""

from dataclasses import replace
from typing import Any, Literal, NamedTuple, cast

import numpy as np

from separatrix.certificates import Separator, Unproved
from separatrix.compiling import compiled
from separatrix.errors import OptionError
from separatrix.problem import Expansion, History, Problem, Solution, Status
from separatrix.solvers.kernel.dual_passes import DualVariables, blocks_of
from separatrix.solvers.kernel.kernel_space import kept_bytes
from separatrix.solvers.online.shuffling import passes_of
from separatrix.solvers.options import number, whole
from separatrix.solvers.watching import tell

NO_VALUES = np.empty((0, 0))


class Progress(NamedTuple):
    """Rows presented, mistakes made, the streak of rows without one, and the offset."""

    presented: int = 0
    mistakes: int = 0
    streak: int = 0
    b: float = 0.0


@compiled
def sweep(K, y, alpha, scores, bias_step, stop_after, progress):
    """One pass over the rows of a block; changes alpha and scores in place, and ends when `stop_after` were right.

    if y_i (sum_j alpha_j y_j K_ij + b) <= 0:   alpha_i += 1,   b += y_i bias_step
    """
    presented, mistakes, streak, b = progress
    for i in range(y.size):
        presented, streak = presented + 1, streak + 1
        if y[i] * (scores[i] + b) <= 0.0:  # a tie is a mistake, or alpha = 0 would never move
            alpha[i] += 1.0
            b += y[i] * bias_step
            mistakes, streak = mistakes + 1, 0
            for j in range(y.size):
                scores[j] += y[i] * K[i, j]
        if streak >= stop_after:
            break
    return presented, mistakes, streak, b


def kernel_perceptron(
    problem: Problem,
    *,
    bias_step: float | Literal["radius2"] = 1.0,
    max_iter: int = 1000,
    rng: np.random.Generator | None = None,
    cache_mb: float | None = None,
) -> Solution:
    """Correct two classes row by row; stops when n in a row were right, or when reshuffled by rng a whole pass.

    `bias_step` is what b moves by at a mistake, "radius2" the largest K(x, x). `cache_mb` are megabytes for kernel
    values; None: half of the memory that is free.

    >>> from separatrix.kernels import Polynomial
    >>> gate = Problem(np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]), kernel=Polynomial(2, 1.0))
    >>> solution = kernel_perceptron(gate)  # XOR
    >>> solution.certificate.error(gate), solution.history.mistakes, solution.model.coefficients.tolist()
    (0.0, 25, [-8.0, 6.0, 6.0, -5.0])
    """
    run = Run(problem, offset_step(problem, bias_step), kept_bytes(cache_mb))
    claim = run.passes(whole("max_iter", max_iter), rng)
    return run.solution(claim, max_iter)


def offset_step(problem: Problem, bias_step: float | str) -> float:
    """What b moves by; "radius2" is max K(x, x), which makes b as quick as w on rows of any scale."""
    if isinstance(bias_step, str) and bias_step == "radius2":
        step = float(problem.kernel.diagonal(problem.X).max())
        step = step if step > 0.0 else 1.0
    elif isinstance(bias_step, str):
        raise OptionError(f"The 'bias_step' parameter must be a positive number or 'radius2'. Got {bias_step!r}.")
    else:
        step = number("bias_step", bias_step, above=0.0)
    return step if problem.fit_intercept else 0.0


class Run:
    """A run in progress: alpha, the offset and the counts."""

    def __init__(self, problem: Problem, bias_step: float, max_bytes: float) -> None:
        self.problem, self.bias_step = problem, bias_step
        self.point = DualVariables(problem, max_bytes)
        tell("problem", problem=problem, bias_step=bias_step)
        self.progress, self.earlier_mistakes = Progress(), 0  # in all passes but the last

    def passes(self, max_iter: int, rng: np.random.Generator | None) -> Separator:
        """Make passes until every row is right; returns what is then claimed of the rows, be it true or not."""
        for orders in passes_of(self.problem.n_rows, rng, max_iter, 1):
            self.earlier_mistakes = self.progress.mistakes
            if rng is not None:
                self.progress = self.progress._replace(streak=0)
            if any(map(self.ends_within, blocks_of(orders.order[0]))):
                break
        return self.claim()

    def ends_within(self, block: np.ndarray) -> bool:
        """Present a block of rows; whether all rows are right before its end.

        Scores that were summed up step by step are then computed again. Where rounding hid a mistake, it goes on.
        """
        while block.size:
            before = self.progress.presented
            self.point.change(block, self.present)
            if self.progress.streak < self.problem.n_rows:
                return False
            self.point.refresh()
            if not self.mistaken(np.arange(self.problem.n_rows)).any():
                return True
            self.progress = self.progress._replace(streak=0)
            block = block[self.progress.presented - before :]
        return False

    def present(self, block: np.ndarray, alpha: np.ndarray, scores: np.ndarray) -> None:
        """Present a block of rows to the rule; kernel values are needed where it makes a mistake."""
        K = self.point.gram.tile(block, block) if self.mistaken(block).any() else NO_VALUES
        limit, y, before = self.problem.n_rows, self.point.y[block], alpha.copy()
        self.progress = Progress(*sweep(K, y, alpha, scores, self.bias_step, limit, self.progress))
        tell("mistakes", rows=block[alpha != before])

    def mistaken(self, rows: np.ndarray) -> np.ndarray:
        """Which of some rows are not on their own side."""
        return self.point.y[rows] * (self.point.scores[rows] + self.progress.b) <= 0.0

    def claim(self) -> Separator:
        """State that every row is on its own side; the bound on mistakes is for a step of 1, and Mercer's kernels."""
        bounded = self.bias_step in (0.0, 1.0) and self.problem.kernel.positive_definite
        mistakes = self.progress.mistakes if bounded else None
        return Separator.issue(self.problem, self.point.coefficients, self.progress.b, mistakes, self.point.support)

    def solution(self, claim: Separator, max_iter: int) -> Solution:
        """The expansion with its certificate: that it separates, or how many rows are wrong."""
        problem, b, support = self.problem, float(claim.b), self.point.support
        status, certificate = Status.SEPARATED, cast(Any, claim)
        if not claim.proof:
            status, reason = Status.SPENT, f"after {max_iter:,} passes {claim.shortfall}"
            if self.progress.streak >= problem.n_rows:
                status = Status.ENDED
                reason = "no row is on the wrong side, but some by less than rounding may have moved the kernel values"
            unproved = Unproved(reason, claim.w, b, coefficients_of=support)
            certificate = replace(unproved, stated=unproved.error(problem))
        model = Expansion(problem.kernel, problem.support_rows(support), claim.w, b)
        presented, mistakes = self.progress.presented, self.progress.mistakes
        history = History(presented, -(-presented // problem.n_rows), mistakes, mistakes - self.earlier_mistakes)
        return Solution(model, certificate, status, history)
