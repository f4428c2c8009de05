"""The perceptron as a scikit-learn classifier."""

from typing import Any, Literal, Self

import numpy as np

from separatrix.errors import DataError, OptionError, counted
from separatrix.estimators.base import LinearClassifier, check_flags, warn_not_certified
from separatrix.problem import Problem, Solution, Status
from separatrix.solvers import perceptron
from separatrix.solvers.schedule import LearningRate


class Perceptron(LinearClassifier):
    """Correct the plane by each row that is on the wrong side, until none is.

    Ends with a plane that separates the training rows, if there is one and `max_iter` allows, and proves it: see
    `certificate_`. More than two classes are told apart by one plane each, by Kesler's construction.

    Parameters
    ----------
    update : {"online", "batch"}
        Correct at once, one row at a time, or by the sum over all rows that are wrong.
    learning_rate : float, "inverse" or function of t
        rho_t in w += rho_t y x. "inverse" is 1/t; t counts presentations (online) or steps (batch) from 1.
    max_iter : int
        How often to go through the data at most.
    shuffle : bool
        Online: reshuffle the rows before each pass, and stop after a pass without mistakes. Otherwise the rows come
        in their own order, and it stops when as many presentations in a row were right as there are rows.
    start : array or None
        [w..., b] to start from; for k > 2 classes one such row for each class. None: zero.
    record : bool
        Keep every update in `trace_`.
    fit_intercept : bool
        Whether the plane has an offset b; if not, `start` holds [w...] alone.
    random_state : int, RandomState or None
        Decides the order of the rows where `shuffle` is True.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    coef_ : ndarray of shape (1, d) or (n_classes, d)
        w.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b.
    certificate_ : Separator
        Says, and proves from the data, on which side the rows are.
    n_iter_ : int
        Passes made.
    n_presentations_ : int
        Rows presented (online) or steps made (batch).
    n_updates_ : int
        Corrections of w by a row.
    trace_ : Trace
        With `record=True`: the run, update by update; of `partial_fit` the last call.

    Notes
    -----
    The rule knows no weights, so `fit` takes none. Rows that are not to count can be left out.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    >>> model = Perceptron(shuffle=False).fit(X, y)
    >>> model.coef_.tolist(), model.intercept_.tolist(), model.n_updates_
    ([[-1.0, 1.0]], [0.0], 2)
    >>> print(model.certificate_)
    Separator: y (w.x + b) > 0 on all 4 rows
      nearest row  0.707 from the plane
      mistakes     2 <= (R/gamma)^2 = 4 for the rows [x, 1]
      checked      with rounding bounds
    Every row lies strictly on its own side; anyone can check it again from the data.
    """

    def __init__(
        self,
        *,
        update: Literal["online", "batch"] = "online",
        learning_rate: LearningRate = 1.0,
        max_iter: int = 1000,
        shuffle: bool = True,
        start: Any = None,
        record: bool = False,
        fit_intercept: bool = True,
        random_state: Any = None,
    ):
        self.update = update
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.start = start
        self.record = record
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Find planes that put every row on its own side.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.
        y : array of n labels
            Their classes.

        Returns
        -------
        Perceptron
            Itself. If `max_iter` was spent first, with a NotCertifiedWarning and the last planes.
        """
        encoded = self._pose(X, y, fit_intercept=bool(self.fit_intercept))
        solution = self._solve(encoded.problem, self.start, self.max_iter)
        self._publish_run(solution, encoded.classes)
        if solution.status is Status.SPENT:
            warn_not_certified(
                f"Perceptron reached max_iter={self.max_iter} with {counted(solution.last_mistakes, 'mistake')} in its "
                f"last pass, so its plane is not certified: {solution.certificate.shortfall}. The classes may overlap, "
                "so that no plane separates them. Raise max_iter, scale the features, or use a classifier that is made "
                "for overlapping classes. (To silence this: warnings.simplefilter('ignore', NotCertifiedWarning).)"
            )
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Make one pass (online) or one step (batch) over some rows, from where the last call ended.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            Some rows.
        y : array of n labels
            Their classes.
        classes : array or None
            All labels that may ever come; needed in the first call.

        Returns
        -------
        Perceptron
            Itself, unproved: rows of earlier calls are not looked at again.
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            raise DataError("classes must be passed on the first call to partial_fit: y may not hold all of them.")
        if not first and classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise DataError(
                f"classes={list(classes)} differs from the classes of the first call, {self.classes_.tolist()}."
            )
        known = classes if first else self.classes_
        encoded = self._pose(X, y, first=first, fit_intercept=bool(self.fit_intercept), classes=known)
        start = self.start if first else self._extended()
        made = 0 if first else self.n_presentations_
        solution = self._solve(encoded.problem, start, 1, t=made, prove=False)
        before = (0, 0, 0) if first else (self.n_iter_, self.n_presentations_, self.n_updates_)
        self._publish_run(solution, encoded.classes, before)
        return self

    def _solve(self, problem: Problem, start: Any, max_iter: int, **how: Any) -> Solution:
        check_flags(self, "shuffle", "record", "fit_intercept")
        options = {
            "start": start,
            "learning_rate": self.learning_rate,
            "max_iter": max_iter,
            "record": self.record,
        }
        if self.update == "batch":
            return perceptron.batch(problem, **options, **how)
        if self.update == "online":
            rng = self._generator() if self.shuffle else None
            return perceptron.online(problem, rng=rng, **options, **how)
        raise OptionError(f"The 'update' parameter of Perceptron must be 'online' or 'batch'. Got {self.update!r}.")

    def _publish_run(self, solution: Solution, classes: np.ndarray, before: tuple[int, ...] = (0, 0, 0)) -> None:
        self._publish(solution, classes)
        made = solution.passes, solution.iterations, solution.mistakes
        self.n_iter_, self.n_presentations_, self.n_updates_ = map(sum, zip(before, made, strict=True))
        if self.record:
            self.trace_ = solution.trace
        elif hasattr(self, "trace_"):
            del self.trace_

    def _extended(self) -> np.ndarray:
        """[w..., b] as `start` takes it."""
        planes = np.column_stack([self.coef_, self.intercept_]) if self.fit_intercept else self.coef_
        return planes[0] if len(planes) == 1 else planes
