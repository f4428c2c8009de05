"""Least mean squares (Widrow and Hoff, 1960), the rule of the adaline.

    min  E (y - w.x - b)^2

    w += rho_t (y_i - g(x_i)) x_i,      b += rho_t (y_i - g(x_i)),      y = -1 or +1

With rho_t = c / t it tends to the least squares solution. A constant rho follows changes in the rows; the weights stay
bounded where no row overshoots, rho < 2 / max ||[x, 1]||^2. Above that they may stay bounded or not: see `check_rate`.
Normalized, a step is divided by ||[x, 1]||^2 of its row, and the limit is 2.
"""

from numbers import Real
from typing import Any, Literal, Unpack

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.errors import OptionError
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.rows import row_dot
from separatrix.solvers.online.plain_passes import Progress, fetched, make_passes
from separatrix.solvers.online.run import Run, RunOptions
from separatrix.solvers.online.schedule import LearningRate, is_rate
from separatrix.solvers.online.solution import unchecked, unproved
from separatrix.solvers.online.weights import add_row


@inner
def sweep(X, y, rows, w, options, progress):
    """One pass over the rows at a constant rate; changes w = [w..., b] in place.

    w += rate (y_i - <w, x_i> - b) x_i,   b += rate (y_i - <w, x_i> - b) bias_step
    """
    (presented, corrections, streak, tie), rate = progress, options.rates[0]
    for p in range(rows.order.size):
        i = fetched(X, rows, p)
        residual = y[i] - (row_dot(X, i, w) + w[w.size - 1])
        if residual != 0.0:
            add_row(rate * residual, X, i, w, options.bias_step)
            corrections += 1
    return Progress(presented + rows.order.size, corrections, streak, tie)


@compiled
def sweep_passes(X, y, passes, w, options):
    """Passes of `sweep`."""
    return make_passes(sweep, X, y, passes, w, options)


def lms(
    problem: Problem,
    *,
    learning_rate: LearningRate | Literal["auto"] = "auto",
    normalized: bool = False,
    max_iter: int = 100,
    record: bool = False,
    prove: bool = True,
    **how: Unpack[RunOptions],
) -> Solution:
    """Correct each score by a part of its residual; makes all passes.

    The rate "auto" is `suited_rate`. `record` keeps the mean squared residual of each pass, halved and before each
    step, in `history.curve`; without `prove` the rows are not checked again for a certificate.

    >>> numbers = Problem.of_numbers(np.ones((4, 1)), np.array([3.0, 5.0, 4.0, 8.0]), fit_intercept=False)
    >>> lms(numbers, learning_rate="inverse", max_iter=1).w.tolist()  # their mean
    [5.0]
    """
    rate: Any = learning_rate
    if isinstance(rate, str) and rate == "auto":
        rate = suited_rate(problem, normalized)
    check_rate(problem, rate, normalized)
    squares = problem.norms**2
    run = Run(
        problem, Loss(Kind.SQUARED), learning_rate=rate, max_iter=max_iter, curve=record, **how,
        factors=1.0 / np.where(squares > 0, squares, 1.0) if normalized else None,
        plain=sweep_passes if is_rate(rate) and not normalized else None,
    ).run()  # fmt: skip
    reason = "steps of least mean squares come near the least squares solution; how near is not known"
    return unproved(run, reason) if prove else unchecked(run)


def longest_square(problem: Problem, normalized: bool) -> float:
    """max ||[x, 1]||^2, or 1 where each step is divided by it."""
    return 1.0 if normalized else float(problem.squares.max()) + problem.fit_intercept or 1.0


def suited_rate(problem: Problem, normalized: bool) -> float:
    """A twentieth of the rate below which no row overshoots."""
    return 0.1 / longest_square(problem, normalized)


def overshoots(problem: Problem, rate: Any, normalized: bool) -> bool:
    """Whether a constant rate is so large that some row overshoots, and nothing bounds the weights."""
    return isinstance(rate, Real) and float(rate) >= 2.0 / longest_square(problem, normalized)


def check_rate(problem: Problem, rate: Any, normalized: bool) -> None:
    """Refuse a constant rate at which the weights diverge, whatever the order of the rows.

    A row z = [x, 1] multiplies w by I - rho z z', whose determinant is 1 - rho ||z||^2, so a pass multiplies volumes by
    the product of these over the rows. From 1 on no pass contracts, and above 1 the weights grow without bound from
    almost every start.
    """
    if overshoots(problem, rate, normalized):
        refuse_growth(problem, rate, normalized, log_volume(problem, rate, normalized))


def log_volume(problem: Problem, rate: Any, normalized: bool) -> float:
    """The logarithm of what a pass multiplies volumes by."""
    squares = np.ones(problem.n_rows) if normalized else problem.squares + problem.fit_intercept
    with np.errstate(divide="ignore"):
        return float(np.log(np.abs(1.0 - float(rate) * squares)).sum())


def refuse_growth(problem: Problem, rate: Any, normalized: bool, volume: float) -> None:
    """Refuse a rate at which the logarithm of what a pass multiplies volumes by is not below 0."""
    if volume >= 0.0:
        longest2 = longest_square(problem, normalized)
        row = "each step" if normalized else f"a row with ||[x, 1]||^2 = {longest2:.6g}"
        raise OptionError(
            f"The 'learning_rate' parameter must be below {2.0 / longest2:.6g}, or {row} overshoots. Got {rate!r}, so "
            "large that the weights cannot settle in any order of the rows: the product of |1 - rho ||[x, 1]||^2| over "
            "the rows is not below 1. Lower it, scale the features, or use a Decay."
        )
