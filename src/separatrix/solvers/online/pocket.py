"""The pocket algorithm (Gallant, 1990): run the perceptron, and keep the best plane it passes through.

    if fewer rows are wrong with w than with the one in the pocket, put w into the pocket       after each correction

Where no plane separates, the perceptron wanders from good planes to bad ones; the pocket only changes for the better.
"""

from typing import Any

import numpy as np

from separatrix.certificates.arithmetic.planes import Planes
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.solvers.online.best_so_far import ERRORS
from separatrix.solvers.online.outcome import separated_or
from separatrix.solvers.online.presentation import Presentation
from separatrix.solvers.online.schedule import LearningRate
from separatrix.solvers.options import whole

REASON = "the plane in the pocket is the best that was seen; whether a better one exists is not known"


def pocket(
    problem: Problem,
    *,
    start: Any = None,
    learning_rate: LearningRate = 1.0,
    patience: int = 1000,
    max_iter: int = 1000,
    rng: np.random.Generator | None = None,
    record: bool = False,
) -> Solution:
    """Correct as the perceptron does, count the rows that are wrong after each correction, and keep the best plane.

    Stops when no row is wrong, or after `patience` corrections that brought nothing better.

    Parameters
    ----------
    problem : Problem
        Two or more classes.
    start : ndarray or None
        [w..., b] to start from; None: zero.
    learning_rate : float, "inverse", Decay or function of t
        rho_t, where t counts presentations.
    patience : int
        How many corrections in a row may bring nothing better.
    max_iter : int
        How often to go through the data at most.
    rng : Generator or None
        Reshuffles the rows before each pass; None: they come in their own order.
    record : bool
        Keep every update in `solution.trace`.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.online.pocket import pocket
    >>> problem = Problem(np.array([[0.0], [1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 0, 1, 1]))
    >>> pocket(problem).certificate.error(problem)  # one row in five is wrong with any plane
    0.2
    """
    run = Presentation(
        problem, Loss(Kind.PERCEPTRON), start=start, learning_rate=learning_rate, max_iter=max_iter, stops=True,
        patience=whole("patience", patience), record=record,
    )  # fmt: skip
    if run.best is not None and run.start.any():
        margins, _, _ = Planes(run.start[:, :-1], run.start[:, -1]).margins(problem)
        run.best.counts[ERRORS] = np.count_nonzero((margins <= 0).any(axis=1))
    return separated_or(run.run(rng), REASON)
