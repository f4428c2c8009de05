"""Each class against all others, for any classifier."""

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.estimators.reduction import codes
from separatrix.estimators.reduction.reduction import Reduction
from separatrix.rows import Vector


class OneVsRest(Reduction):
    """Each class against all others; the class with the largest score wins.

    Parameters
    ----------
    estimator : classifier
        Any two-class classifier: of this package, of scikit-learn, or a pipeline.
    n_jobs : int or None
        None fits classifiers of this package in threads on all cores, and others one after the other. A number fits the
        others in so many processes, -1 in one for each core; 1 fits all one after the other.
    verbose : bool
        Whether to say after some seconds how far a fit is where there is no terminal, too.
    random_state : int, RandomState or None
        Seeds the copies of the estimator, each differently; None leaves them as the estimator is.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    code_ : ndarray of shape (n_classes, n_problems)
        Which side each class is on in each problem.
    estimators_ : list
        The fitted copies, one for each problem.
    certificate_ : Collected
        Their certificates; its error is the worst of theirs.
    n_iter_ : int
        The most iterations that any of them took.
    coef_, intercept_ : ndarray
        Their planes, where they have any.

    Examples
    --------
    >>> from separatrix import OneVsRest, Perceptron
    >>> X, y = [[0, 0], [0, 1], [5, 0], [5, 1], [0, 5], [1, 5]], ["a", "a", "b", "b", "c", "c"]
    >>> model = OneVsRest(Perceptron(random_state=0)).fit(X, y)
    >>> model.predict([[6, 0]]).item(), model.certificate_.stated
    ('b', 0.0)
    >>> model.indeterminate([[6, 0], [6, 6], [2, 2]])  # between the classes all planes may be negative
    Claims(1 of 3 rows by one class, 2 by none, 0 by several)
    """

    def __init__(self, estimator: Any, *, n_jobs: int | None = None, verbose: bool = False, random_state: Any = None):
        self.estimator = estimator
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.random_state = random_state

    def _code(self, classes: np.ndarray, separation: Callable[[], Vector]) -> np.ndarray:
        return codes.one_vs_rest(classes.size)

    def _decode(self, scores: Vector) -> Vector:
        return scores

    def _claimed(self, scores: Vector) -> np.ndarray:
        return scores > 0 if self.classes_.size > 2 else super()._claimed(scores)

    def _check_stored(self) -> None:
        if not np.array_equal(self.code_, codes.one_vs_rest(self.classes_.size)):
            raise ValueError("'code_' is not that of each class against the rest")
