"""The perceptron (Rosenblatt, 1958): correct w by the rows that it gets wrong, until it gets none wrong.

    find w, b with  y_i (w.x_i + b) > 0  for every row i

    online    w += rho_t y_i x_i          whenever row i is presented and y_i (w.x_i + b) <= 0
    batch     w += rho_t sum y_i x_i      over all rows with y_i (w.x_i + b) <= 0

If a plane with margin gamma exists, online makes at most (R / gamma)^2 corrections (Novikoff, 1962). With more than
two classes the same rules run on Kesler's construction: see `kesler`.
"""

from collections.abc import Callable

import numpy as np

from separatrix.problem import Problem, Solution
from separatrix.rows import chunks, compiled, row_dot, row_prefetch, row_score_twice
from separatrix.solvers import kesler
from separatrix.solvers.presentation import Presentation, arranged
from separatrix.solvers.schedule import LearningRate, schedule
from separatrix.solvers.trace import move, note


@compiled
def sweep(X, y, orders, w, into, rates, bias_step, doubt, growth, streak, afresh, enough, log):
    """Present the rows pass by pass, until `enough` of them were right in a row; changes `into` in place.

        if y_i (<w, x_i> + b) <= 0:   w += rate y_i x_i,   b += rate y_i bias_step

    A tie is a mistake, or w = 0 would never move. A margin within `doubt`, the rounding error of the quick sum, is
    computed again in twice the precision, so that every storage of the rows gives the same answer. Returns how many
    rows were presented, how many were mistakes, how many of these in the last pass, and how many rows were right in a
    row at the end, which `afresh` counts by the pass.
    """
    t = mistakes = before = 0
    for order in orders:
        before = mistakes
        streak = 0 if afresh else streak
        for p in range(order.size):
            i = order[p]
            row_prefetch(X, order, p)
            streak += 1
            margin = y[i] * (row_dot(X, i, w) + w[w.size - 1])
            if margin <= doubt and (margin <= -doubt or y[i] * row_score_twice(X, i, w) <= 0.0):
                rate = rates[min(t, rates.size - 1)]
                move(rate * y[i], X, i, into, bias_step)
                doubt += rate * growth
                note(log, mistakes, 2 * t)
                mistakes += 1
                streak = 0
            t += 1
            if streak >= enough:
                return t, mistakes, mistakes - before, streak
    return t, mistakes, mistakes - before, streak


def online(
    problem: Problem,
    *,
    start: np.ndarray | None = None,
    learning_rate: LearningRate = 1.0,
    max_iter: int = 1000,
    rng: np.random.Generator | None = None,
    record: bool = False,
    bias_step: float = 1.0,
    t: int = 0,
    prove: bool = True,
) -> Solution:
    """Present one row at a time and correct at once.

    Stops when n presentations in a row were right in cyclic order, or one whole pass when reshuffled.

    Parameters
    ----------
    problem : Problem
        Two or more classes.
    start : ndarray or None
        [w..., b] to start from; None: zero.
    learning_rate : float, "inverse" or function of t
        rho_t, where t counts presentations.
    max_iter : int
        How often to go through the data at most.
    rng : Generator or None
        Reshuffles the rows before each pass; None: they come in their own order.
    record : bool
        Keep every update in `solution.trace`.
    bias_step : float
        What b moves by where w moves by a row.
    t : int
        Presentations made before, in earlier calls.
    prove : bool
        Whether to look at all rows again for a certificate.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers import perceptron
    >>> X, y = np.array([[-1.0, 0], [0, 1], [0, -1], [1, 0]]), np.array([1, 1, 0, 0])
    >>> solution = perceptron.online(Problem(X, y))
    >>> solution.extended.tolist(), solution.mistakes, solution.iterations
    ([-1.0, 1.0, 0.0], 2, 7)
    """
    rates = schedule(learning_rate)
    run = Presentation(problem, rule(problem), start, max_iter, record, bias_step, t)
    for orders in arranged(problem.n_rows, rng, max_iter, run.passes_a_call):
        for part in chunks(problem.X, run.n_planes * len(orders)):
            shown = np.ascontiguousarray(orders[:, part])
            whole_passes = rng is not None and part.start == 0
            run.present(shown, rates(run.t + 1, shown.size), run.w, begins=part.start == 0, afresh=whole_passes)
            if run.streak >= problem.n_rows:
                return run.solution(learning_rate, prove)
    return run.solution(learning_rate, prove)


def batch(
    problem: Problem,
    *,
    start: np.ndarray | None = None,
    learning_rate: LearningRate = 1.0,
    max_iter: int = 1000,
    record: bool = False,
    bias_step: float = 1.0,
    t: int = 0,
    prove: bool = True,
) -> Solution:
    """Go through all rows, sum the corrections, and make one step; stops when no row is wrong.

    Parameters are those of `online`; t counts steps.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers import perceptron
    >>> problem = Problem(np.array([[0.4, 0.05], [-0.2, 0.75]]), np.array([1, 0]))
    >>> step = perceptron.batch(problem, start=np.array([1, 1, -0.5]), learning_rate=0.7, max_iter=1)
    >>> step.extended.round(12).tolist()
    [1.42, 0.51, -0.5]
    """
    rates = schedule(learning_rate)
    run = Presentation(problem, rule(problem), start, max_iter, record, bias_step, t, at_once=True)
    for orders in arranged(problem.n_rows, None, max_iter, 1):
        run.t += 1
        rate, step = rates(run.t, 1), np.zeros_like(run.w)
        for part in chunks(problem.X, run.n_planes):
            run.present(orders[:, part], rate, step, begins=part.start == 0, afresh=True)
        run.w += step
        if run.last_mistakes == 0:
            break
    return run.solution(learning_rate, prove)


def rule(problem: Problem) -> Callable:
    """The loop for two classes or for more."""
    return sweep if problem.n_classes == 2 else kesler.sweep
