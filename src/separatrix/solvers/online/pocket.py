"""The pocket algorithm (Gallant, 1990): run the perceptron, and keep the best plane it passes through.

    if w misclassifies fewer rows than the one in the pocket, put w into the pocket      after each correction

Where no plane separates, the perceptron wanders from good planes to bad ones; the pocket only changes for the better.
"""

from typing import Any, Unpack

import numpy as np

from separatrix.certificates.arithmetic.planes import Planes
from separatrix.compiling import compiled, inner
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector
from separatrix.solvers.online.best_so_far import ERRORS, READ, UNIMPROVED, Best
from separatrix.solvers.online.error_counts import count_errors
from separatrix.solvers.online.plain_passes import fetched
from separatrix.solvers.online.run import Counts, Run, RunOptions
from separatrix.solvers.online.schedule import LearningRate
from separatrix.solvers.online.shuffling import Passes
from separatrix.solvers.online.solution import separator_or_unproved
from separatrix.solvers.online.sweep import Example, Options, present
from separatrix.solvers.online.trace import Log
from separatrix.solvers.options import whole


@inner
def update_pocket(X, W, classes, best):
    """Put W into the pocket if it misclassifies fewer rows; returns whether to end the run."""
    errors, read = count_errors(X, W, classes, best, best.counts[ERRORS])
    best.counts[READ] += read
    if errors < best.counts[ERRORS]:
        best.counts[ERRORS] = errors
        best.counts[UNIMPROVED] = 0
        for j in range(W.shape[0]):
            for k in range(W.shape[1]):
                best.planes[j, k] = W[j, k]
        return errors == 0
    best.counts[UNIMPROVED] += 1
    return best.counts[UNIMPROVED] >= best.patience


@compiled
def sweep(X, y, passes, weights, options, best, log):
    """Present the rows, and update the pocket after each correction; returns as the general `sweep.sweep` does."""
    presented = corrections = before = 0
    streak, tie = options.streak, options.tie
    for q in range(passes.order.shape[0]):
        rows = Passes(passes.order[q], passes.ahead[q])
        before = corrections
        streak = 0 if options.restarts else streak
        for p in range(rows.order.size):
            i, rate = fetched(X, rows, p), options.rates[min(presented, options.rates.size - 1)]
            example = Example(i, y[i], rate, tie, corrections, presented, presented, q)
            made, moved = present(X, example, weights, weights.classes, options, log)
            corrections += made
            presented += 1
            tie += moved * options.tie_growth
            streak = 0 if made else streak + 1
            if made > 0 and update_pocket(X, weights.W, weights.classes, best):
                streak = options.stop_after
            if streak >= options.stop_after:
                return presented, presented, corrections, corrections - before, streak
    return presented, presented, corrections, corrections - before, streak


class PocketRun(Run):
    """A run that keeps the best planes, and ends after `patience` corrections without better ones."""

    def __init__(self, problem: Problem, patience: int, **how: Any):
        super().__init__(problem, Loss(Kind.PERCEPTRON), stops=True, **how)
        self.best = Best.of(self.W, problem, patience)
        # each correction may compare all rows, four of a dense table in the time of one
        self.rows_compared = problem.n_rows // 4 if isinstance(problem.X, np.ndarray) else problem.n_rows
        if self.start.any():
            margins, _, _ = Planes(self.start[:, :-1], self.start[:, -1]).margins(problem)
            self.best.counts[ERRORS] = np.count_nonzero((margins <= 0).any(axis=1))

    def loop(self, passes: Passes, options: Options, log: Log) -> Counts:
        """Present the rows."""
        self.best = self.best.in_order(self.problem.X)
        return sweep(self.problem.X, self.problem.targets, passes, self.weights, options, self.best, log)

    def planes(self) -> Vector:
        """[w..., b] in the pocket."""
        return self.best.planes.copy()


def pocket(
    problem: Problem,
    *,
    learning_rate: LearningRate = 1.0,
    patience: int = 1000,
    max_iter: int = 1000,
    record: bool = False,
    **how: Unpack[RunOptions],
) -> Solution:
    """Correct as the perceptron does, count the misclassified rows after each correction, and keep the best plane.

    Stops when no row is misclassified, or after `patience` corrections that brought nothing better. `record` keeps
    every update in `history.trace`.

    >>> problem = Problem(np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 0, 1, 1]))
    >>> pocket(problem).certificate.error(problem)  # any plane misclassifies one row in five
    0.2
    """
    run = PocketRun(
        problem, whole("patience", patience), learning_rate=learning_rate, max_iter=max_iter, record=record, **how
    ).run()
    reason = "the plane in the pocket is the best that was seen; whether a better one exists is not known"
    return separator_or_unproved(run, reason)
