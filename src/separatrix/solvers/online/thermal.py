"""The thermal perceptron (Frean, 1992): rows far on the wrong side are given up, the more so the colder it gets.

    w += rho (T / T_0) exp(-|g(x_i)| / T) y_i x_i      whenever row i is presented and y_i g(x_i) <= 0

The temperature T falls from T_0 to 0 in equal steps, one a pass. T_0 is in units of the median of ||[x, 1]||^2: by
so much does the score of a row change when it is corrected.
"""

from typing import Any

import numpy as np

from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.solvers.online.run import Run
from separatrix.solvers.online.schedule import schedule
from separatrix.solvers.online.solution import separator_or_unproved
from separatrix.solvers.options import number

REASON = "annealing ends where the steps have faded; whether a better plane exists is not known"


def thermal(
    problem: Problem,
    *,
    start: Any = None,
    temperature: float = 1.0,
    learning_rate: float = 1.0,
    max_iter: int = 100,
    rng: np.random.Generator | None = None,
    record: bool = False,
) -> Solution:
    """Correct as the perceptron does, by steps that fade with the distance of the row and with time.

    Stops early when a whole pass needed no correction.

    Parameters
    ----------
    problem : Problem
        Two or more classes.
    start : ndarray or None
        [w..., b] to start from; None: zero.
    temperature : float
        T_0, in units of the median of ||[x, 1]||^2.
    learning_rate : float
        rho.
    max_iter : int
        How often to go through the data: the number of temperatures.
    rng : Generator or None
        Reshuffles the rows before each pass; None: they come in their own order.
    record : bool
        Keep every update in `history.trace`.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.online.thermal import thermal
    >>> problem = Problem(np.array([[0.0], [1.0], [2.0], [3.0], [90.0]]), np.array([0, 0, 1, 1, 0]))
    >>> thermal(problem).certificate.error(problem)  # the row at 90 is given up
    0.2
    """
    hottest = number("temperature", temperature, above=0.0) * float(np.median(problem.norms**2) or 1.0)
    rho = number("learning_rate", learning_rate, above=0.0)
    run = Run(
        problem, Loss(Kind.THERMAL, hottest), start=start, max_iter=max_iter, stops=True, record=record
    )  # fmt: skip

    def cool(passes: int) -> bool:
        left = 1.0 - passes / run.max_iter
        run.options = run.options._replace(loss=run.options.loss._replace(parameter=hottest * left))
        run.rates = schedule(rho * left)
        return False

    return separator_or_unproved(run.run(rng, before_pass=cool), REASON)
