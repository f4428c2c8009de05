"""Stochastic (sub)gradient descent (Robbins and Monro, 1951): one row, or one mini-batch, at a time.

    min  l1 ||w||_1 + l2 ||w||^2 + mean of loss(g(x_i), y_i),      g(x) = w.x + b

    w <- (1 - 2 rho_t l2) w - rho_t slope(g(x_i), y_i) x_i,      b <- b - rho_t slope(g(x_i), y_i)

b is not penalized. A mini-batch sums its slopes. l1 moves each weight towards 0 by rho_t l1, and not past it. What an
error on a row costs multiplies its slope, as if the row came so many times in expectation.
"""

from typing import Any, Literal

import numpy as np

from separatrix.errors import OptionError
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.solvers.online.run import Run
from separatrix.solvers.online.schedule import Decay, LearningRate
from separatrix.solvers.online.solution import unchecked, unproved
from separatrix.solvers.options import number, whole

REASON = "stochastic steps come near the minimum of the objective; how near is not known"
HINGE = Loss(Kind.HINGE)


def stochastic(
    problem: Problem,
    *,
    loss: Loss = HINGE,
    start: Any = None,
    learning_rate: LearningRate | Literal["auto"] = "auto",
    l2: float = 0.0,
    l1: float = 0.0,
    batch_size: int = 1,
    averaged: bool = False,
    replace: bool = False,
    max_iter: int = 100,
    rng: np.random.Generator | None = None,
    record: bool = False,
    t: int = 0,
    prove: bool = True,
) -> Solution:
    """Go down the slope of the loss of one row, or one mini-batch, after the other; makes all passes.

    Parameters
    ----------
    problem : Problem
        Two classes, or numbers.
    loss : Loss
        Says the slope.
    start : ndarray or None
        [w..., b] to start from; None: zero.
    learning_rate : float, "inverse", Decay, function of t or "auto"
        rho_t, where t counts steps; "auto": see `suited_rate`.
    l2, l1 : float
        The penalties.
    batch_size : int
        How many rows are summed for a step.
    averaged : bool
        Answer with the mean of all w; not with l1.
    replace : bool
        Draw rows with replacement instead of reshuffling them.
    max_iter : int
        How often to go through the data.
    rng : Generator or None
        Reshuffles or draws the rows; None: they come in their own order.
    record : bool
        Keep the mean loss of each pass, before each step, in `history.curve`.
    t : int
        Steps made before, in earlier calls.
    prove : bool
        Whether to check all rows again for a certificate.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.online.stochastic import stochastic
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
        problem, loss, start=start, learning_rate=rate, max_iter=max_iter, l2=l2, l1=l1, batch_size=batch_size,
        averaged=averaged, curve=record, t=t, factors=None if (problem.cost == 1.0).all() else problem.cost,
    ).run(rng, replace)  # fmt: skip
    return unproved(run, REASON) if prove else unchecked(run)


def check_drawing(replace: bool, shuffle: bool) -> None:
    """Refuse to draw rows at random in their own order."""
    if replace and not shuffle:
        raise OptionError("replace=True draws rows at random, which shuffle=False rules out. Use one of them.")


def suited_rate(problem: Problem, loss: Loss, l2: float = 0.0, batch_size: int = 1) -> Decay:
    """A rate for rows of this length: 1 / R^2 at first, half of it after 3 n more steps, and so on.

    R^2 is the largest ||[x, 1]||^2 times the cost of its row. A step of 1 / R^2 changes the score of that row by its
    slope, and a batch sums as many. The slope of the exponential loss has no bound, and steps that overshoot make it
    explode, so that it starts from a tenth.
    """
    first = 0.1 if loss.kind == Kind.EXPONENTIAL else 1.0
    rows = min(batch_size, problem.n_rows)
    scale = rows * float((problem.cost * problem.norms**2).max()) + 2.0 * l2
    return Decay(first / scale if scale else first, power=0.5, delay=float(problem.n_rows))
