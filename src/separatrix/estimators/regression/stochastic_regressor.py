"""Stochastic gradient descent as a scikit-learn regressor."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np

from separatrix.estimators.base import check_flags
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.regression.linear_regressor import PlaneRegressor
from separatrix.estimators.stochastic import stochastic_options
from separatrix.estimators.store.fitted_attributes import COUNT, floats
from separatrix.objectives import Kind, Loss
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.rows import Vector
from separatrix.solvers.blocks import online as blocks
from separatrix.solvers.blocks.rows_in_order import RowMeasures
from separatrix.solvers.online.schedule import Decay, LearningRate
from separatrix.solvers.online.stochastic import stochastic
from separatrix.solvers.options import number


class StochasticRegressor(PlaneRegressor):
    """Go down the slope of a loss of the residual, one row or one mini-batch at a time.

    Comes near the minimum of l1 ||w||_1 + l2 ||w||^2 + the mean of loss(y - w.x - b); b is not penalized.

    Parameters
    ----------
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive", "squared"}
        Of the residual r: `max(0, |r| - epsilon)`, `max(0, r^2 - epsilon)` or `r^2 / 2`.
    epsilon : float
        What costs nothing.
    l1, l2 : float
        How much w is penalized. l1 moves each weight towards 0 by rho_t l1 at each step, and not past it.
    learning_rate : float, "inverse", Decay, function of t or "auto"
        rho_t; t counts steps from 1. "inverse" is 1/t and `Decay(c)` is c/t. "auto" suits the scale of the rows: it
        starts from 1 / (batch_size max ||[x, 1]||^2 + 2 l2), and falls with the root of the number of steps.
    batch_size : int
        How many rows make a step, by the sum of their slopes.
    averaged : bool
        Answer with the mean of all w; not with l1.
    replace : bool
        Draw rows with replacement; otherwise each pass has every row once.
    max_iter : int
        How often to go through the data.
    shuffle : bool
        Reshuffle the rows before each pass; otherwise they come in their own order.
    start : array or None
        [w..., b] to start from. None: zero.
    record : bool
        Keep the learning curve in `learning_curve_`.
    fit_intercept : bool
        Whether there is an offset b; if not, `start` holds [w...] alone.
    random_state : int, RandomState or None
        Decides the order of the rows.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        w.
    intercept_ : ndarray of shape (1,)
        b.
    certificate_ : Unproved
        Its error is the root of the mean squared residual on the training rows.
    n_iter_ : int
        Passes made.
    n_presentations_ : int
        Steps made.
    learning_rate_ : Decay
        With `learning_rate="auto"`: the rate.
    learning_curve_ : ndarray
        With `record=True`: mean loss of each pass, each row's taken before its step.

    Examples
    --------
    >>> from separatrix import StochasticRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0]
    >>> model = StochasticRegressor(loss="squared", max_iter=1000, random_state=0).fit(X, y)
    >>> model.coef_.round(2).tolist(), model.intercept_.round(2).tolist()
    ([2.0], [1.0])
    """

    intercept_: Vector
    _last: Vector
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "intercept_": floats("o", "finite"),
        "n_presentations_": COUNT,
        "_last": Vector | None,
        "learning_curve_?": floats("r", "any"),
        "learning_rate_?": float | Decay,
    }

    def __init__(
        self,
        *,
        loss: Literal["epsilon_insensitive", "squared_epsilon_insensitive", "squared"] = "epsilon_insensitive",
        epsilon: float = 0.1,
        l1: float = 0.0,
        l2: float = 0.0,
        learning_rate: LearningRate | Literal["auto"] = "auto",
        batch_size: int = 1,
        averaged: bool = False,
        replace: bool = False,
        max_iter: int = 100,
        shuffle: bool = True,
        start: Any = None,
        record: bool = False,
        fit_intercept: bool = True,
        random_state: Any = None,
        verbose: bool = False,
    ):
        self.loss = loss
        self.epsilon = epsilon
        self.l1 = l1
        self.l2 = l2
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.averaged = averaged
        self.replace = replace
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.start = start
        self.record = record
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Make all passes over the rows.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d), or Blocks
            The rows; blocks of rows hold their numbers as well, and are shown in order.
        y : array of n numbers
            What is to be predicted for them.

        Returns
        -------
        StochasticRegressor
            Itself.
        """
        return self._learn(X, y, first=True, start=self.start, max_iter=self.max_iter)

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Make one pass over some rows, from where the last call ended.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            Some rows.
        y : array of n numbers
            What is to be predicted for them.

        Returns
        -------
        StochasticRegressor
            Itself.
        """
        if not hasattr(self, "coef_"):
            return self._learn(X, y, first=True, start=self.start, max_iter=1, prove=False)
        ended = self._last if self.averaged else np.append(self.coef_, self.intercept_)
        start = ended if self.fit_intercept else ended[:-1]
        how = {"max_iter": 1, "t": self.n_presentations_, "prove": False}
        return self._learn(X, y, first=False, start=start, **how)

    def _learn(self, X: Any, y: Any, *, first: bool, t: int = 0, **how: Any) -> Self:
        check_flags(self, "shuffle", "record", "fit_intercept", "averaged", "replace")
        losses = self._losses()
        problem: Any = self._pose(X, y, first=first).problem
        in_blocks = isinstance(problem, BlockedProblem)
        rows: Any = RowMeasures.of(problem) if in_blocks else problem
        options = stochastic_options(self, losses, rows, t)
        del options["epsilon"]  # the loss holds it
        rng = self._generator() if self.shuffle else None
        solve: Any = blocks.stochastic if in_blocks else stochastic
        with progress_line(self, problem):
            solution = solve(problem, t=t, rng=rng, **options, **how)
        planes, run = solution.extended, solution.history
        if self.averaged and t:  # the mean over this call and those before it
            earlier = np.append(self.coef_, self.intercept_)
            planes = earlier + run.iterations / (t + run.iterations) * (planes - earlier)
        self.coef_, self.intercept_, self._last = planes[:-1], planes[-1:], np.asarray(run.last)
        self.n_iter_: int = run.passes + (0 if first else self.n_iter_)
        self.n_presentations_: int = t + run.iterations
        self.certificate_ = replace(solution.certificate, w=self.coef_.copy(), b=float(planes[-1]))
        self._keep("learning_curve_", run.curve)
        return self

    def _losses(self) -> dict[str, Loss]:
        epsilon = number("epsilon", self.epsilon, at_least=0.0)
        return {
            "epsilon_insensitive": Loss(Kind.EPSILON, epsilon),
            "squared_epsilon_insensitive": Loss(Kind.SQUARED_EPSILON, epsilon),
            "squared": Loss(Kind.SQUARED),
        }
