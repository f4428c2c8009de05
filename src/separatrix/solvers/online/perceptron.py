"""The perceptron (Rosenblatt, 1958): correct w by the rows that it gets wrong, until it gets none wrong.

    find w, b with  y_i (w.x_i + b) > 0  for every row i

    online        w += rho_t y_i x_i          whenever row i is presented and y_i (w.x_i + b) <= 0
    batch         w += rho_t sum y_i x_i      over all rows with y_i (w.x_i + b) <= 0, or over those of a mini-batch
    l2            w <- (1 - 2 rho_t l2) w     before each step; b is left alone
    normalized    x_i / ||[x_i, 1]||          in place of x_i
    averaged      the mean of all w           is the answer (Freund and Schapire, 1999)

If a plane with margin gamma exists, online makes at most (R / gamma)^2 corrections (Novikoff, 1962). With more than
two classes the same rules run on Kesler's construction: see `kesler`.
"""

from typing import Any, Literal

import numpy as np

from separatrix.certificates.arithmetic.mistake_bound import ExtendedRows
from separatrix.compiling import compiled, inner
from separatrix.errors import OptionError
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.rows import row_axpy, row_dot, row_prefetch, row_score_twice
from separatrix.solvers.online.run import Counts, Run
from separatrix.solvers.online.schedule import LearningRate
from separatrix.solvers.online.shuffling import Passes
from separatrix.solvers.online.solution import separator, separator_or_unproved, unchecked, unproved
from separatrix.solvers.online.sweep import Options
from separatrix.solvers.online.trace import Log
from separatrix.solvers.options import number


@inner
def sweep(X, y, order, ahead, w, options, state):
    """One pass over the rows in the given order, for two classes; changes w = [w..., b] in place.

        if y_i (<w, x_i> + b) <= 0:   w += rate y_i x_i,   b += rate y_i bias_step

    `state` is how many rows in a row were right before, the pass ends when that is `stop_after`, and the bound on the
    rounding error of a score. Returns the rows presented, the mistakes and the new state.
    """
    presented = mistakes = 0
    (streak, tie), rate, last = state, options.rates[0], w.size - 1
    for i in order:
        if ahead.size:
            row_prefetch(X, ahead[presented])
        presented += 1
        score = row_dot(X, i, w) + w[last]
        if abs(score) <= tie:  # rounding hides its sign: compute it again in twice the precision
            score = row_score_twice(X, i, w)
        streak += 1
        if y[i] * score <= 0.0:  # a tie is a mistake, or w = 0 would never move
            row_axpy(rate * y[i], X, i, w)
            w[last] += rate * y[i] * options.bias_step
            mistakes, streak, tie = mistakes + 1, 0, tie + rate * options.tie_growth
        if streak >= options.stop_after:
            break
    return presented, mistakes, (streak, tie)


@compiled
def sweep_passes(X, y, passes, w, options):
    """Make passes until `stop_after` rows in a row were right; returns as the general `sweep.sweep` does."""
    presented = mistakes = made = 0
    streak, tie = options.streak, options.tie
    for q in range(passes.order.shape[0]):
        streak = 0 if options.restarts else streak
        seen, made, (streak, tie) = sweep(X, y, passes.order[q], passes.ahead[q], w, options, (streak, tie))
        presented += seen
        mistakes += made
        if streak >= options.stop_after:
            break
    return presented, presented, mistakes, made, streak


class PerceptronRun(Run):
    """A run that takes the plain loop where no option asks for the general one."""

    def loop(self, passes: Passes, options: Options, log: Log) -> Counts:
        """Present the rows."""
        if not self.is_plain:
            return super().loop(passes, options, log)
        return sweep_passes(self.problem.X, self.problem.targets, passes, self.W[0], options)


def online(
    problem: Problem,
    *,
    start: Any = None,
    learning_rate: LearningRate = 1.0,
    l2: float = 0.0,
    averaged: bool = False,
    normalized: bool = False,
    bias_step: float | Literal["radius2"] = 1.0,
    batch_size: int = 1,
    max_iter: int = 1000,
    rng: np.random.Generator | None = None,
    record: bool = False,
    t: int = 0,
    prove: bool = True,
) -> Solution:
    """Present a row, or a mini-batch, at a time; stops when n in a row were right, or when reshuffled a whole pass.

    Parameters
    ----------
    problem : Problem
        Two or more classes.
    start : ndarray or None
        [w..., b] to start from; None: zero.
    learning_rate : float, "inverse", Decay or function of t
        rho_t, where t counts steps: presentations, or mini-batches.
    l2 : float
        How much w shrinks.
    averaged : bool
        Answer with the mean of all w; the last one decides when to stop.
    normalized : bool
        Correct by rows of length 1.
    bias_step : float or "radius2"
        What b moves by where w moves by a row; "radius2" is max ||x||^2.
    batch_size : int
        How many rows are summed for a step.
    max_iter : int
        How often to go through the data at most.
    rng : Generator or None
        Reshuffles the rows before each pass; None: they come in their own order.
    record : bool
        Keep every update in `history.trace`.
    t : int
        Steps made before, in earlier calls.
    prove : bool
        Whether to check all rows again for a certificate.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.online import perceptron
    >>> X, y = np.array([[-1.0, 0], [0, 1], [0, -1], [1, 0]]), np.array([1, 1, 0, 0])
    >>> solution = perceptron.online(Problem(X, y))
    >>> solution.extended.tolist(), solution.history.mistakes, solution.history.iterations
    ([-1.0, 1.0, 0.0], 2, 7)
    """
    if record and number("l2", l2, at_least=0.0):
        raise OptionError(f"record=True keeps corrections, but with l2={l2!r} w changes at every step. Drop one.")
    step = offset_step(problem, bias_step)
    lengths = ExtendedRows(problem, step).lengths
    factors = 1.0 / np.where(lengths > 0, lengths, 1.0) if normalized else None
    run = PerceptronRun(
        problem, Loss(Kind.PERCEPTRON), start=start, learning_rate=learning_rate, max_iter=max_iter, stops=not l2,
        factors=factors, bias_step=step, l2=l2, batch_size=batch_size, averaged=averaged, record=record, t=t,
    ).run(rng)  # fmt: skip
    if not prove:
        return unchecked(run)
    return certified(run, run.mistakes if is_bounded(run, learning_rate, normalized) else None, averaged)


def certified(run: Run, mistakes: int | None, averaged: bool) -> Solution:
    """Claim what the run can: with l2 nothing, of an average that it separates if it does."""
    if run.options.l2:
        reason = "with l2 > 0 the plane shrinks at every step, and the rule has no end at which it separates"
        return unproved(run, reason)
    if averaged:
        reason = "the average of the planes passed through does not separate the classes"
        return separator_or_unproved(run, reason, mistakes)
    return separator(run, mistakes)


def is_bounded(run: Run, learning_rate: LearningRate, normalized: bool) -> bool:
    """Whether Novikoff's bound for the rows [x, 1], or x, holds: from zero, row by row, at a constant rate."""
    as_they_are = run.options.bias_step in (0.0, 1.0) and not normalized
    return as_they_are and isinstance(learning_rate, (int, float)) and not (run.start.any() or run.in_batches)


def batch(problem: Problem, **how: Any) -> Solution:
    """Go through all rows, sum the corrections, and make one step; stops when no row is wrong.

    Parameters are those of `online`; a batch is all rows, in their own order.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.online import perceptron
    >>> problem = Problem(np.array([[0.4, 0.05], [-0.2, 0.75]]), np.array([1, 0]))
    >>> step = perceptron.batch(problem, start=np.array([1, 1, -0.5]), learning_rate=0.7, max_iter=1)
    >>> step.extended.round(12).tolist()
    [1.42, 0.51, -0.5]
    """
    return online(problem, batch_size=problem.n_rows, **how)


def offset_step(problem: Problem, bias_step: float | str) -> float:
    """What b moves by; "radius2" is max ||x||^2, which makes b as quick as w on rows of any scale."""
    if isinstance(bias_step, str) and bias_step == "radius2":
        return float(problem.squares.max()) or 1.0
    if isinstance(bias_step, str):
        raise OptionError(f"The 'bias_step' parameter must be a positive number or 'radius2'. Got {bias_step!r}.")
    return number("bias_step", bias_step, above=0.0)
