"""Relaxation (Agmon, 1954; Motzkin and Schoenberg, 1954): project w onto one half-space after the other.

    find w, b with  y_i (w.x_i + b) >= margin  for every row i

    w += relaxation max(0, margin - y_i g(x_i)) / ||[x_i, 1]||^2 y_i x_i,      b alike

With relaxation 1 the step ends on the boundary of the half-space, below 1 before it, up to 2 beyond it. Every step
brings w closer to all solutions. A margin above 0 is needed for steps of at most 1 to end inside of the open cone;
with margin 0 only a relaxation of 2 is sure to.
"""

from typing import Unpack

import numpy as np

from separatrix.certificates.arithmetic.planes import Planes
from separatrix.compiling import compiled, inner
from separatrix.errors import OptionError
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector, dense_row, row_dot
from separatrix.solvers.online.plain_passes import Progress, fetched, make_passes
from separatrix.solvers.online.run import Run, RunOptions
from separatrix.solvers.online.solution import separator
from separatrix.solvers.online.weights import add_row
from separatrix.solvers.options import number


@inner
def sweep(X, y, rows, w, options, progress):
    """One pass over the rows of two classes; changes w = [w..., b] in place.

    w += rate max(0, margin - y_i (<w, x_i> + b)) / ||[x_i, 1]||^2 y_i x_i,   b alike
    """
    (presented, projections, streak, tie), rate, margin = progress, options.rates[0], options.loss.parameter
    for p in range(rows.order.size):
        i = fetched(X, rows, p)
        slack = margin - y[i] * (row_dot(X, i, w) + w[w.size - 1])
        if slack > 0.0:
            add_row(slack * rate * options.factors[i] * y[i], X, i, w, options.bias_step)
            projections += 1
    return Progress(presented + rows.order.size, projections, streak, tie)


@compiled
def sweep_passes(X, y, passes, w, options):
    """Passes of `sweep`."""
    return make_passes(sweep, X, y, passes, w, options)


def relaxation(
    problem: Problem,
    *,
    margin: float = 1.0,
    relaxation: float = 1.0,
    max_iter: int = 1000,
    record: bool = False,
    **how: Unpack[RunOptions],
) -> Solution:
    """Project onto the half-space of each row that is not satisfied; stops when every row is on its own side.

    `record` keeps every update in `history.trace`.

    >>> problem = Problem(np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]]), np.array([1, 1, 0, 0]))
    >>> relaxation(problem).certificate.error(problem)
    0.0
    """
    wanted, share = number("margin", margin, at_least=0.0), number("relaxation", relaxation, above=0.0, most=2.0)
    squares = problem.norms**2 * (1.0 if problem.n_planes == 1 else 2.0)  # Kesler's vectors hold each row twice
    run = Run(
        problem, Loss(Kind.SQUARED_HINGE, wanted), learning_rate=share, max_iter=max_iter, record=record,
        plain=sweep_passes, **how, factors=1.0 / np.where(squares > 0, squares, np.inf),
    )  # fmt: skip
    if wanted == 0.0 and (share <= 1.0 or not run.start.any()):
        raise OptionError(
            "With margin=0 relaxation can end only if it projects beyond the boundary, from a start other than zero. "
            f"Got relaxation={relaxation!r} and start={how.get('start')!r}: raise the margin, or use relaxation=2 and "
            "a start."
        )
    witness = Witness(problem)
    return separator(run.run(before_pass=lambda passes: witness.has_none(run.last_planes())))


class Witness:
    """The row that was farthest on the wrong side at the last check of all rows; it is checked first at the next."""

    def __init__(self, problem: Problem):
        self.problem, self.row = problem, 0

    def has_none(self, planes: Vector) -> bool:
        """Whether every row is on its own side, as far as floating point can tell."""
        x, c = np.append(dense_row(self.problem.X, self.row), 1.0), self.problem.y[self.row]
        scores = planes @ x
        if (scores[0] * (2 * c - 1) if len(planes) == 1 else scores[c] - np.delete(scores, c).max()) <= 0.0:
            return False
        margins, rounding, _ = Planes(planes[:, :-1], planes[:, -1]).margins(self.problem)
        self.row = int((margins - rounding).min(axis=1).argmin())
        return bool((margins > rounding).all())
