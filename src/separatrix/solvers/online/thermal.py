"""The thermal perceptron (Frean, 1992): rows far on the wrong side are given up, the more so the colder it gets.

    w += rho (T / T_0) exp(-|g(x_i)| / T) y_i x_i      whenever row i is presented and y_i g(x_i) <= 0

The temperature T falls from T_0 to 0 in equal steps, one a pass. T_0 is in units of the median of ||[x, 1]||^2: by
so much does the score of a row change when it is corrected.
"""

from typing import Unpack

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.rows import row_dot, row_score_twice
from separatrix.solvers.online.plain_passes import Progress, fetched, make_passes
from separatrix.solvers.online.run import Run, RunOptions
from separatrix.solvers.online.schedule import schedule
from separatrix.solvers.online.solution import separator_or_unproved
from separatrix.solvers.online.weights import add_row
from separatrix.solvers.options import number


@inner
def sweep(X, y, rows, w, options, progress):
    """One pass over the rows of two classes at one temperature; changes w = [w..., b] in place.

    if m = y_i (<w, x_i> + b) <= 0:   w += rate exp(m / T) y_i x_i,   b alike
    """
    (presented, corrections, streak, tie), rate, T = progress, options.rates[0], options.loss.parameter
    for p in range(rows.order.size):
        i = fetched(X, rows, p)
        presented, streak = presented + 1, streak + 1
        margin = y[i] * (row_dot(X, i, w) + w[w.size - 1])
        if margin <= tie:  # a correction depends on the score itself, so it gets one in twice the precision
            margin = y[i] * row_score_twice(X, i, w)
        faded = np.exp(margin / T) if margin <= 0.0 else 0.0
        if faded > 0.0:
            add_row(rate * faded * y[i], X, i, w, options.bias_step)
            corrections, streak, tie = corrections + 1, 0, tie + rate * faded * options.tie_growth
        if streak >= options.stop_after:
            break
    return Progress(presented, corrections, streak, tie)


@compiled
def sweep_passes(X, y, passes, w, options):
    """Passes of `sweep`."""
    return make_passes(sweep, X, y, passes, w, options)


def thermal(
    problem: Problem,
    *,
    temperature: float = 1.0,
    learning_rate: float = 1.0,
    max_iter: int = 100,
    record: bool = False,
    **how: Unpack[RunOptions],
) -> Solution:
    """Correct as the perceptron does, by steps that fade with the distance of the row and with time.

    There are `max_iter` temperatures; a whole pass without a correction ends the run before. `record` keeps every
    update in `history.trace`.

    >>> problem = Problem(np.array([[0.0], [1.0], [2.0], [3.0], [90.0]]), np.array([0, 0, 1, 1, 0]))
    >>> thermal(problem).certificate.error(problem)  # the row at 90 is given up
    0.2
    """
    hottest = number("temperature", temperature, above=0.0) * float(np.median(problem.norms**2) or 1.0)
    rho = number("learning_rate", learning_rate, above=0.0)
    run = Run(
        problem, Loss(Kind.THERMAL, hottest), max_iter=max_iter, stops=True, record=record, plain=sweep_passes, **how
    )  # fmt: skip

    def cool(passes: int) -> bool:
        left = 1.0 - passes / run.max_iter
        run.options = run.options._replace(loss=run.options.loss._replace(parameter=hottest * left))
        run.rates = schedule(rho * left)
        return False

    reason = "annealing ends where the steps have faded; whether a better plane exists is not known"
    return separator_or_unproved(run.run(before_pass=cool), reason)
