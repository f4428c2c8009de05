"""Support vector regression in the space of a kernel, solved to a duality gap from the rows in float64.

    epsilon-insensitive   min 1/2 ||w||^2 + C sum_i c_i max(0, |y_i - <w, phi(x_i)> - b| - epsilon)^p     (Vapnik, 1995)
    nu                    min 1/2 ||w||^2 + C (nu W epsilon + sum_i c_i max(0, |y_i - <w, phi(x_i)> - b| - epsilon))

w = sum_i beta_i phi(x_i); the nu form (Schoelkopf, Smola, Williamson and Bartlett, 2000) minimises over epsilon >= 0
too. Its dual bounds the sum of all |beta| by C nu W. Where less is enough, the tube is closed: epsilon = 0.
"""

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import OptionError
from separatrix.objectives import EpsilonInsensitive, NuInsensitive
from separatrix.problem import Expansion, History, Problem, Solution, Status
from separatrix.solvers.kernel.dual.dual_optimum import Limits, dual_optimum
from separatrix.solvers.kernel.dual.tube_dual import TubeDual
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.options import flag, number


def kernel_svr(
    problem: Problem,
    *,
    C: float = 1.0,
    epsilon: float = 0.1,
    squared: bool = False,
    tol: float = 1e-6,
    max_iter: int = 100_000,
    time_limit: float | None = None,
    cache_mb: float | None = None,
    space: KernelSpace | None = None,
    start: DualityGap | None = None,
) -> Solution:
    """Minimise the epsilon-insensitive loss of numbers in the space of the problem's kernel to a relative gap of tol.

    `space` is what an earlier fit of the same rows found out about them, and `start` its certificate for another C or
    epsilon.

    >>> import numpy as np
    >>> from dataclasses import replace
    >>> from separatrix.kernels import Polynomial
    >>> numbers = Problem.of_numbers(
    ...     np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0]]), np.array([4.0, 1.0, 0.0, 1.0, 4.0])
    ... )
    >>> solution = kernel_svr(replace(numbers, kernel=Polynomial(2, 1.0)), C=100.0, epsilon=0.25)
    >>> solution.model.scores(numbers.X).round(4).tolist()  # a flatter parabola, nowhere off by more
    [3.75, 1.125, 0.25, 1.125, 3.75]
    """
    width = number("epsilon", epsilon, at_least=0.0)
    objective = EpsilonInsensitive(number("C", C, above=0.0), width, flag("squared", squared))
    posed, limits = problem.posed(objective), Limits(tol, max_iter, time_limit, cache_mb)
    return tube_optimum(posed, limits, space, start)


def kernel_nu_svr(
    problem: Problem,
    *,
    C: float = 1.0,
    nu: float = 0.5,
    tol: float = 1e-6,
    max_iter: int = 100_000,
    time_limit: float | None = None,
    cache_mb: float | None = None,
    space: KernelSpace | None = None,
    start: DualityGap | None = None,
) -> Solution:
    """Minimise the nu form of the loss of numbers in the space of the problem's kernel to a relative gap of tol.

    The width of the tube is `problem.objective.best_epsilon` of the residuals.

    >>> import numpy as np
    >>> from dataclasses import replace
    >>> from separatrix.kernels import Linear
    >>> X, y = np.arange(5.0)[:, None], np.array([0.0, 1.0, 2.0, 3.0, 9.0])
    >>> solution = kernel_nu_svr(replace(Problem.of_numbers(X, y), kernel=Linear()), C=10.0, nu=0.3)
    >>> residuals = y - solution.model.scores(X)
    >>> residuals.round(6).tolist()  # with fewer than a third of the rows outside, epsilon is 1.875
    [1.875, 0.625, -0.625, -1.875, 1.875]
    """
    if not problem.fit_intercept:
        raise OptionError("The nu form of regression is solved with an offset. Use fit_intercept=True, or epsilon.")
    objective = NuInsensitive(number("C", C, above=0.0), number("nu", nu, above=0.0, most=1.0))
    posed, limits = problem.posed(objective), Limits(tol, max_iter, time_limit, cache_mb)
    return tube_optimum(posed, limits, space, start)


def tube_optimum(problem: Problem, limits: Limits, space: KernelSpace | None, start: DualityGap | None) -> Solution:
    """The optimum of an objective with a tube: w = 0 where a tube around one number holds all targets."""
    middle = 0.5 * float(problem.y.min()) + 0.5 * float(problem.y.max()) if problem.fit_intercept else 0.0
    if float(np.abs(problem.y - middle).max()) > getattr(problem.objective, "epsilon", 0.0):
        return dual_optimum(problem, lambda distinct, _: TubeDual.of(distinct), limits, space, start)
    limits.budget(), limits.accuracy()
    nothing, nowhere = np.zeros(0), np.zeros(0, dtype=np.int64)
    claim = DualityGap.issue(problem, nothing, middle, nothing, nowhere)
    model = Expansion(problem.kernel, problem.support_rows(nowhere), nothing, middle)
    return Solution(model, claim, Status.SOLVED, History(1, 1))
