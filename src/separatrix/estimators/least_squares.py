"""Least squares as a scikit-learn classifier."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.data.encode import Encoded
from separatrix.errors import OptionError
from separatrix.estimators.base import WeightedClassifier, in_class_order, warn_not_certified
from separatrix.estimators.store.fitted_attributes import NotNegative
from separatrix.objectives import LeastSquares
from separatrix.problem import Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.rows import Vector
from separatrix.solvers.blocks import least_squares as blocks
from separatrix.solvers.options import number
from separatrix.solvers.squares.least_squares import least_squares
from separatrix.solvers.squares.leave_one_out import LeaveOneOut, leave_one_out


class LeastSquaresClassifier(WeightedClassifier):
    """The planes with the least sum of squared errors to a target for each class.

    Minimises sum_i c_i (t_i - w.x_i - b)^2 + ridge ||w||^2; b is never penalised, and features need no scaling. Two
    classes have the targets -1 and 1; of more, each class has a plane with the target 1 for its own rows and 0 for the
    others, and the largest score wins.

    Parameters
    ----------
    ridge : float
        How much ||w||^2 costs. 0: least squares as such; where columns depend on each other the least w is taken, which
        is the limit of ridge -> 0.
    targets : mapping of label to target, array with one target for each of `classes_`, or None
        A target is a number or a row of numbers. The class with the nearest target is predicted.
    tol : float
        What may be left of the normal equations. Dense rows are solved up to rounding, or where their columns are
        hundreds and nearly uncorrelated to 1e-12 and tol / 10,000.
    max_iter : int
        Iterations at most, for sparse rows of thousands of columns; others need few or none.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows; "balanced" makes all classes weigh the same.
    fit_intercept : bool
        Whether the planes have an offset b.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    coef_ : ndarray of shape (1, d) or (n_classes, d)
        w; with `targets`, of the planes that choose the nearest target.
    intercept_ : ndarray of shape (1,) or (n_classes,)
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
    >>> from separatrix import LeastSquaresClassifier
    >>> X = [[0.2, 0.7], [0.3, 0.3], [0.4, 0.5], [0.6, 0.5], [0.1, 0.4]]
    >>> X += [[0.4, 0.6], [0.6, 0.2], [0.7, 0.4], [0.8, 0.6], [0.7, 0.5]]
    >>> model = LeastSquaresClassifier().fit(X, [1] * 5 + [-1] * 5)
    >>> model.coef_.round(3).tolist(), model.intercept_.round(3).tolist()
    ([[-3.218, 0.241]], [1.431])
    >>> model.certificate_.stated < 1e-14
    True
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"rank_": NotNegative(int | None)}

    def __init__(
        self,
        ridge: float = 0.0,
        *,
        targets: Any = None,
        tol: float = 1e-8,
        max_iter: int = 10_000,
        class_weight: Any = None,
        fit_intercept: bool = True,
    ):
        self.ridge = ridge
        self.targets = targets
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept

    def _fit_posed(self, encoded: Encoded, start: None = None) -> None:
        solve: Any = blocks.least_squares if isinstance(encoded.problem, BlockedProblem) else least_squares
        solution = solve(
            encoded.problem,
            ridge=self.ridge,
            targets=None if self.targets is None else encoded.problem.objective.targets,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self._publish(solution, encoded.classes)
        self.n_iter_, self.rank_ = solution.history.iterations, solution.history.rank
        if solution.status is not Status.STATIONARY:
            direct = "Features are far from 0 for how little they vary, or nearly depend on each other: subtract their "
            direct += "means, or use a ridge"
            advice = direct if self.n_iter_ == 1 else f"Raise max_iter={self.max_iter}, use a larger ridge"
            warn_not_certified(
                f"LeastSquaresClassifier left {solution.certificate.stated:.2g} of its equations where "
                f"tol={self.tol:g} was asked for. {advice}, or accept it by a larger tol.",
                depth=2,
            )

    def posterior(self, X: Any) -> Vector:
        """Estimate the probability of each class given a row, by least mean squared error.

        It adds up to 1 over the classes, but may leave [0, 1]: the estimate is linear in x. Hence there is no
        `predict_proba`.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            The estimates, one column for each of `classes_`.

        Examples
        --------
        >>> from separatrix import LeastSquaresClassifier
        >>> model = LeastSquaresClassifier().fit([[0.0], [1.0], [2.0], [4.0]], ["a", "a", "b", "b"])
        >>> model.posterior([[1.0], [9.0]]).round(3).tolist()
        [[0.714, 0.286], [-1.571, 2.571]]
        """
        check_is_fitted(self)
        if self.targets is not None or not self.fit_intercept:
            raise OptionError(
                f"posterior needs targets=None and fit_intercept=True: other fits estimate no probabilities. Got "
                f"targets={self.targets!r} and fit_intercept={self.fit_intercept!r}."
            )
        scores = self.decision_function(X)
        return np.column_stack([0.5 - 0.5 * scores, 0.5 + 0.5 * scores]) if scores.ndim == 1 else scores

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
            A row is left out with all its weight; weights of classes stay what they are with it.

        Returns
        -------
        LeaveOneOut
            `squares` and `errors` for each ridge, the `best` of them, and the `residuals`.
        """
        problem = self._problem(X, y, sample_weight).problem
        return leave_one_out(problem, np.array(problem.objective.targets), tried_penalties(self.ridge, ridges))

    def _objective(self, classes: np.ndarray) -> LeastSquares:
        return LeastSquares.of(self.ridge, in_class_order("targets", "target", self.targets, classes), classes.size)


def tried_penalties(ridge: float, ridges: Any) -> Vector:
    """The penalties to leave rows out with: those that are given, or that of the estimator alone."""
    tried = np.array([ridge] if ridges is None else ridges, dtype=object).ravel()
    if not tried.size:
        raise OptionError("'ridges' must hold at least one number. Got none.")
    return np.array([number("ridges", each, at_least=0.0) for each in tried.tolist()])
