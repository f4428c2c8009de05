"""Least mean squares (Widrow and Hoff, 1960), the rule of the adaline.

    min  E (y - w.x - b)^2

    w += rho_t (y_i - g(x_i)) x_i,      b += rho_t (y_i - g(x_i)),      y = -1 or +1

With rho_t = c / t it tends to the least squares solution; a constant rho keeps it alert, and is stable as long as no
row overshoots: rho < 2 / max ||[x, 1]||^2. Normalized, a step is divided by ||[x, 1]||^2 of its row, and rho < 2.
"""

from numbers import Real
from typing import Any, Literal

import numpy as np

from separatrix.errors import OptionError
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Regression, Solution
from separatrix.solvers.online.outcome import unchecked, unproved
from separatrix.solvers.online.presentation import Presentation
from separatrix.solvers.online.schedule import LearningRate

REASON = "steps of least mean squares come near the least squares solution; how near is not known"


def lms(
    problem: Problem | Regression,
    *,
    start: Any = None,
    learning_rate: LearningRate | Literal["auto"] = "auto",
    normalized: bool = False,
    max_iter: int = 100,
    rng: np.random.Generator | None = None,
    record: bool = False,
    t: int = 0,
    prove: bool = True,
) -> Solution:
    """Correct each score by a part of its residual; makes all passes.

    Parameters
    ----------
    problem : Problem or Regression
        Two classes, or numbers.
    start : ndarray or None
        [w..., b] to start from; None: zero.
    learning_rate : float, "inverse", Decay, function of t or "auto"
        rho_t, where t counts presentations; "auto": see `suited_rate`.
    normalized : bool
        Divide each step by ||[x, 1]||^2.
    max_iter : int
        How often to go through the data.
    rng : Generator or None
        Reshuffles the rows before each pass; None: they come in their own order.
    record : bool
        Keep the mean squared residual of each pass, halved and before each step, in `solution.curve`.
    t : int
        Presentations made before, in earlier calls.
    prove : bool
        Whether to look at all rows again for a certificate.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Regression
    >>> from separatrix.solvers.online.lms import lms
    >>> numbers = Regression(np.ones((4, 1)), np.array([3.0, 5.0, 4.0, 8.0]), fit_intercept=False)
    >>> lms(numbers, learning_rate="inverse", max_iter=1).w.tolist()  # their mean
    [5.0]
    """
    longest2 = longest_square(problem, normalized)
    rate: Any = learning_rate
    if isinstance(rate, str) and rate == "auto":
        rate = suited_rate(problem, normalized)
    if isinstance(rate, Real) and float(rate) >= 2.0 / longest2:
        row = "each step" if normalized else f"a row with ||[x, 1]||^2 = {longest2:.6g}"
        raise OptionError(
            f"The 'learning_rate' parameter must be below {2.0 / longest2:.6g}, or {row} overshoots and the weights "
            f"grow without bound. Got {learning_rate!r}. Lower it, scale the features, or use a Decay."
        )
    squares = problem.norms**2
    run = Presentation(
        problem, Loss(Kind.SQUARED), start=start, learning_rate=rate, max_iter=max_iter, curve=record, t=t,
        factors=1.0 / np.where(squares > 0, squares, 1.0) if normalized else None,
    ).run(rng)  # fmt: skip
    return unproved(run, REASON) if prove else unchecked(run)


def longest_square(problem: Problem | Regression, normalized: bool) -> float:
    """max ||[x, 1]||^2, or 1 where each step is divided by it."""
    return 1.0 if normalized else float(problem.squares.max()) + problem.fit_intercept or 1.0


def suited_rate(problem: Problem | Regression, normalized: bool) -> float:
    """A twentieth of what is stable at most."""
    return 0.1 / longest_square(problem, normalized)
