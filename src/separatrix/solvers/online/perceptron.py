"""The perceptron (Rosenblatt, 1958): correct w by each row that it misclassifies, until there is none.

    find w, b with  y_i (w.x_i + b) > 0  for every row i

    online        w += rho_t y_i x_i          whenever row i is presented and y_i (w.x_i + b) <= 0
    batch         w += rho_t sum y_i x_i      over all rows with y_i (w.x_i + b) <= 0, or over those of a mini-batch
    l2            w <- (1 - 2 rho_t l2) w     before each step; b is left alone
    normalized    x_i / ||[x_i, 1]||          in place of x_i
    averaged      the mean of all w           is the answer (Freund and Schapire, 1999)

If a plane with margin gamma exists, online makes at most (R / gamma)^2 corrections (Novikoff, 1962). With more than
two classes the same rules run on Kesler's construction: see `kesler`.
"""

from typing import Any, Literal, Unpack

import numpy as np

from separatrix.certificates.arithmetic.mistake_bound import ExtendedRows
from separatrix.compiling import compiled, inner
from separatrix.errors import OptionError
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.rows import row_dot, row_score_twice
from separatrix.solvers.online.plain_passes import Progress, fetched, make_passes
from separatrix.solvers.online.run import Run, RunOptions
from separatrix.solvers.online.schedule import LearningRate, is_rate
from separatrix.solvers.online.solution import separator, separator_or_unproved, unchecked, unproved
from separatrix.solvers.online.weights import add_row
from separatrix.solvers.options import number


@inner
def sweep(X, y, rows, w, options, progress):
    """One pass over the rows of two classes; changes w = [w..., b] in place, and ends when `stop_after` were right.

    if y_i (<w, x_i> + b) <= 0:   w += rate y_i x_i,   b += rate y_i bias_step
    """
    (presented, mistakes, streak, tie), rate = progress, options.rates[0]
    for p in range(rows.order.size):
        i = fetched(X, rows, p)
        presented, streak = presented + 1, streak + 1
        score = row_dot(X, i, w) + w[w.size - 1]
        if abs(score) <= tie:  # rounding hides its sign: compute it again in twice the precision
            score = row_score_twice(X, i, w)
        if y[i] * score <= 0.0:  # a tie is a mistake, or w = 0 would never move
            add_row(rate * y[i], X, i, w, options.bias_step)
            mistakes, streak, tie = mistakes + 1, 0, tie + rate * options.tie_growth
        if streak >= options.stop_after:
            break
    return Progress(presented, mistakes, streak, tie)


@compiled
def sweep_passes(X, y, passes, w, options):
    """Passes of `sweep`."""
    return make_passes(sweep, X, y, passes, w, options)


def online(
    problem: Problem,
    *,
    learning_rate: LearningRate = 1.0,
    l2: float = 0.0,
    averaged: bool = False,
    normalized: bool = False,
    bias_step: float | Literal["radius2"] = 1.0,
    batch_size: int = 1,
    max_iter: int = 1000,
    record: bool = False,
    prove: bool = True,
    **how: Unpack[RunOptions],
) -> Solution:
    """Present a row, or a mini-batch, at a time; stops when n in a row were right, or when reshuffled a whole pass.

    With `averaged` the last plane decides when to stop, and the mean is the answer. `bias_step` is what b moves by
    where w moves by a row. `record` keeps every update in `history.trace`; without `prove` the rows are not checked
    again for a certificate. All other options are those of `Perceptron`, and of `RunOptions`.

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
    run = Run(
        problem, Loss(Kind.PERCEPTRON), stops=not l2, learning_rate=learning_rate, bias_step=step, l2=l2,
        batch_size=batch_size, averaged=averaged, max_iter=max_iter, record=record, **how,
        factors=1.0 / np.where(lengths > 0, lengths, 1.0) if normalized else None,
        plain=sweep_passes if is_rate(learning_rate) and not normalized else None,
    ).run()  # fmt: skip
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
    """Go through all rows, sum the corrections, and make one step; stops when no row is misclassified.

    Parameters are those of `online`; a batch is all rows, in their own order.

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
