"""Stochastic (sub)gradient descent (Robbins and Monro, 1951): one row, or one mini-batch, at a time.

    min  l1 ||w||_1 + l2 ||w||^2 + mean of loss(g(x_i), y_i),      g(x) = w.x + b

    w <- (1 - 2 rho_t l2) w - rho_t slope(g(x_i), y_i) x_i,      b <- b - rho_t slope(g(x_i), y_i)

b is not penalized. A mini-batch sums its slopes. l1 moves each weight towards 0 by rho_t l1, and not past it.
"""

from typing import Any, Literal, Unpack

from separatrix.compiling import compiled, inner
from separatrix.errors import OptionError
from separatrix.objectives import Kind, Loss
from separatrix.objectives.loss import distance_to_kink, slope
from separatrix.problem import Problem, Solution
from separatrix.rows import row_dot, row_score_twice
from separatrix.solvers.online.plain_passes import Progress, fetched, make_passes
from separatrix.solvers.online.run import Run, RunOptions
from separatrix.solvers.online.schedule import Decay, LearningRate
from separatrix.solvers.online.solution import unchecked, unproved
from separatrix.solvers.online.weights import add_row
from separatrix.solvers.options import number, whole

HINGE = Loss(Kind.HINGE)


@inner
def sweep(X, y, rows, w, options, progress):
    """One pass over the rows; changes w = [w..., b] in place.

    w -= rate_t slope(g(x_i), y_i) x_i,   b -= rate_t slope(g(x_i), y_i) bias_step
    """
    (t, corrections, streak, tie), loss = progress, options.loss
    for p in range(rows.order.size):
        i, rate = fetched(X, rows, p), options.rates[min(t, options.rates.size - 1)]
        score = row_dot(X, i, w) + w[w.size - 1]
        if distance_to_kink(loss, score, y[i]) <= tie:  # rounding hides on which side: compute it more precisely
            score = row_score_twice(X, i, w)
        downhill = -slope(loss, score, y[i])
        if downhill != 0.0:
            add_row(rate * downhill, X, i, w, options.bias_step)
            corrections, tie = corrections + 1, tie + abs(rate * downhill) * options.tie_growth
        t += 1
    return Progress(t, corrections, streak, tie)


@compiled
def sweep_passes(X, y, passes, w, options):
    """Passes of `sweep`."""
    return make_passes(sweep, X, y, passes, w, options)


def stochastic(
    problem: Problem,
    *,
    loss: Loss = HINGE,
    learning_rate: LearningRate | Literal["auto"] = "auto",
    l2: float = 0.0,
    l1: float = 0.0,
    batch_size: int = 1,
    averaged: bool = False,
    replace: bool = False,
    max_iter: int = 100,
    record: bool = False,
    prove: bool = True,
    **how: Unpack[RunOptions],
) -> Solution:
    """Go down the slope of the loss of one row, or one mini-batch, after the other; makes all passes.

    The rate "auto" is `suited_rate`. With `averaged` the mean of all w is the answer, which l1 rules out. `replace`
    draws rows with replacement. `record` keeps the mean loss of each pass, before each step, in `history.curve`;
    without `prove` the rows are not checked again for a certificate.

    >>> import numpy as np
    >>> problem = Problem(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1, 0]))
    >>> stochastic(problem, l2=0.1, learning_rate=0.1, max_iter=1).w.round(3).tolist()  # 0.98 0.1 + 0.1
    [0.198, 0.0]
    """
    if averaged and number("l1", l1, at_least=0.0):
        raise OptionError(f"The average is not kept with l1={l1!r}. Use averaged=False or l1=0.")
    rate: Any = learning_rate
    if isinstance(rate, str) and rate == "auto":
        rate = suited_rate(problem, loss, number("l2", l2, at_least=0.0), whole("batch_size", batch_size))
    run = Run(
        problem, loss, learning_rate=rate, max_iter=max_iter, l2=l2, l1=l1, batch_size=batch_size, averaged=averaged,
        curve=record, plain=sweep_passes, **how,
    ).run(replace)  # fmt: skip
    reason = "stochastic steps come near the minimum of the objective; how near is not known"
    return unproved(run, reason) if prove else unchecked(run)


def suited_rate(problem: Problem, loss: Loss, l2: float = 0.0, batch_size: int = 1) -> Decay:
    """A rate for rows of this length: 1 / R^2 at first, half of it after 3 n more steps, and so on.

    A step of 1 / R^2 changes the score of the longest row by its slope, and a batch sums as many. The slope of the
    exponential loss has no bound, and steps that overshoot make it explode, so that it starts from a tenth.
    """
    first = 0.1 if loss.kind == Kind.EXPONENTIAL else 1.0
    rows = min(batch_size, problem.n_rows)
    scale = rows * problem.radius**2 + 2.0 * l2
    return Decay(first / scale if scale else first, power=0.5, delay=float(problem.n_rows))
