"""Relaxation (Agmon, 1954; Motzkin and Schoenberg, 1954): project w onto one half-space after the other.

    find w, b with  y_i (w.x_i + b) >= margin  for every row i

    w += relaxation max(0, margin - y_i g(x_i)) / ||[x_i, 1]||^2 y_i x_i,      b alike

With relaxation 1 the step ends on the boundary of the half-space, below 1 before it, up to 2 beyond it. Every step
brings w closer to all solutions. A margin above 0 is needed for steps of at most 1 to end inside of the open cone;
with margin 0 only a relaxation of 2 is sure to.
"""

from typing import Any

import numpy as np

from separatrix import rows
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.errors import OptionError
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector
from separatrix.solvers.online.run import Run
from separatrix.solvers.online.solution import separator
from separatrix.solvers.options import number


def relaxation(
    problem: Problem,
    *,
    start: Any = None,
    margin: float = 1.0,
    relaxation: float = 1.0,
    max_iter: int = 1000,
    rng: np.random.Generator | None = None,
    record: bool = False,
) -> Solution:
    """Project onto the half-space of each row that is not satisfied; stops when every row is on its own side.

    Parameters
    ----------
    problem : Problem
        Two or more classes.
    start : ndarray or None
        [w..., b] to start from; None: zero.
    margin : float
        What y g(x) is to reach.
    relaxation : float
        How much of the way to the boundary a step goes, above 0 and at most 2.
    max_iter : int
        How often to go through the data at most.
    rng : Generator or None
        Reshuffles the rows before each pass; None: they come in their own order.
    record : bool
        Keep every update in `history.trace`.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.online.relaxation import relaxation
    >>> problem = Problem(np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]), np.array([1, 1, 0, 0]))
    >>> relaxation(problem).certificate.error(problem)
    0.0
    """
    edge, share = number("margin", margin, at_least=0.0), number("relaxation", relaxation, above=0.0, most=2.0)
    squares = problem.norms**2 * (1.0 if problem.n_planes == 1 else 2.0)  # Kesler's vectors hold each row twice
    run = Run(
        problem, Loss(Kind.SQUARED_HINGE, edge), start=start, learning_rate=share, max_iter=max_iter, record=record,
        factors=1.0 / np.where(squares > 0, squares, np.inf),
    )  # fmt: skip
    witness = Witness(problem)
    if edge == 0.0 and (share <= 1.0 or not run.start.any()):
        raise OptionError(
            "With margin=0 relaxation can end only if it projects beyond the boundary, from a start other than zero. "
            f"Got relaxation={relaxation!r} and start={start!r}: raise the margin, or use relaxation=2 and a start."
        )
    return separator(run.run(rng, before_pass=lambda passes: witness.has_none(run.last_planes())))


class Witness:
    """The row that was farthest on the wrong side at the last check of all rows; it is checked first at the next."""

    def __init__(self, problem: Problem):
        self.problem, self.row = problem, 0

    def has_none(self, planes: Vector) -> bool:
        """Whether every row is on its own side, as far as floating point can tell."""
        x, c = np.append(rows.dense_row(self.problem.X, self.row), 1.0), self.problem.y[self.row]
        scores = planes @ x
        if (scores[0] * (2 * c - 1) if len(planes) == 1 else scores[c] - np.delete(scores, c).max()) <= 0.0:
            return False
        margins, rounding, _ = Planes(planes[:, :-1], planes[:, -1]).margins(self.problem)
        self.row = int((margins - rounding).min(axis=1).argmin())
        return bool((margins > rounding).all())
