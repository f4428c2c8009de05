"""Least squares as a scikit-learn regressor."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from separatrix.data.encode import Encoded
from separatrix.estimators.base import warn_not_certified
from separatrix.estimators.least_squares import tried_penalties
from separatrix.estimators.regression.linear_regressor import LinearRegressor
from separatrix.estimators.store.fitted_attributes import NotNegative
from separatrix.objectives import LeastSquares
from separatrix.problem import Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.solvers.blocks import least_squares as blocks
from separatrix.solvers.squares.least_squares import least_squares
from separatrix.solvers.squares.leave_one_out import LeaveOneOut, leave_one_out


class LeastSquaresRegressor(LinearRegressor):
    """The plane with the least sum of squared residuals.

    Minimises sum_i c_i (y_i - w.x_i - b)^2 + ridge ||w||^2; b is never penalised, and neither features nor y need
    scaling.

    Parameters
    ----------
    ridge : float
        How much ||w||^2 costs. 0: least squares as such; where columns depend on each other the least w is taken, which
        is the limit of ridge -> 0.
    tol : float
        What may be left of the normal equations. Dense rows are solved up to rounding, or where their columns are
        hundreds and nearly uncorrelated to 1e-12 and tol / 10,000.
    max_iter : int
        Iterations at most, for sparse rows of thousands of columns; others need few or none.
    fit_intercept : bool
        Whether the plane has an offset b.

    Attributes
    ----------
    coef_ : ndarray of shape (d,)
        w.
    intercept_ : float
        b.
    rank_ : int or None
        Rank of the columns, less their means where there is an offset; with a ridge the number of columns that vary.
        None where it was not computed, with sparse rows of thousands of columns.
    certificate_ : Stationary
        The normal equations: that residuals are orthogonal to every column.
    n_iter_ : int
        Iterations; 1 where the equations were solved directly. Of blocks, passes over them: one to count, one for
        moments, two or more for refinement (where columns depend on others one before it), and one for the certificate.

    Notes
    -----
    Features in float32 are not copied to float64, but chunk by chunk, so that the answer is as accurate as for the same
    numbers in float64.

    Examples
    --------
    >>> from separatrix import LeastSquaresRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 4.0, 8.0]
    >>> model = LeastSquaresRegressor().fit(X, y)
    >>> model.coef_.round(6).tolist(), round(model.intercept_, 6)
    ([2.2], 0.7)
    >>> model.certificate_.stated < 1e-13
    True
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"rank_": NotNegative(int | None)}

    def __init__(self, ridge: float = 0.0, *, tol: float = 1e-8, max_iter: int = 10_000, fit_intercept: bool = True):
        self.ridge = ridge
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept

    def leave_one_out(self, X: Any, y: Any, ridges: Any = None, sample_weight: Any = None) -> LeaveOneOut:
        """Compute what every row's residual would be without that row, for one ridge or many, from one decomposition.

        The model need not be fitted, and is not changed.

        Parameters
        ----------
        X, y : as for fit
            The rows.
        ridges : array or None
            Penalties to try. None: `ridge` alone.
        sample_weight : as for fit
            A row is left out with all its weight. Rows of weight 0 have no residual.

        Returns
        -------
        LeaveOneOut
            `residuals` of each ridge, the sum of their `squares`, the `errors`, which are roots of their means, and the
            `best` ridge.

        Examples
        --------
        >>> from separatrix import LeastSquaresRegressor
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 4.0, 8.0]
        >>> found = LeastSquaresRegressor().leave_one_out(X, y, ridges=[0.0, 1.0])
        >>> found.residuals[0].round(3).tolist()  # without row 0, the plane through the others has g(0) = 0
        [1.0, 0.143, -1.571, 2.333]
        >>> found.errors.round(3).tolist(), found.best
        ([1.495, 1.82], 0.0)
        """
        problem = self._problem(X, y, sample_weight).problem
        return leave_one_out(problem, np.empty((0, 1)), tried_penalties(self.ridge, ridges))

    def _objective(self) -> LeastSquares:
        return LeastSquares(self.ridge)

    def _fit_posed(self, encoded: Encoded, start: None = None) -> None:
        solve: Any = blocks.least_squares if isinstance(encoded.problem, BlockedProblem) else least_squares
        solution = solve(encoded.problem, ridge=self.ridge, tol=self.tol, max_iter=self.max_iter)
        self._publish(solution)
        self.n_iter_, self.rank_ = solution.history.iterations, solution.history.rank
        if solution.status is not Status.STATIONARY:
            direct = "Features or y are far from 0 for how little they vary, or features nearly depend on each other: "
            direct += "subtract their means, or use a ridge"
            advice = direct if self.n_iter_ == 1 else f"Raise max_iter={self.max_iter}, use a larger ridge"
            warn_not_certified(
                f"LeastSquaresRegressor left {solution.certificate.stated:.2g} of its equations where "
                f"tol={self.tol:g} was asked for. {advice}, or accept it by a larger tol.",
                depth=2,
            )
