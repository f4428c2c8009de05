"""Ho and Kashyap's least squares as a scikit-learn classifier."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from separatrix.data.encode import Encoded
from separatrix.errors import counted
from separatrix.estimators.base import WeightedClassifier, warn_not_certified
from separatrix.estimators.fit_hash import record_hash
from separatrix.estimators.reduction.against_the_rest import each_against_the_rest
from separatrix.estimators.store.fitted_attributes import floats
from separatrix.problem import Problem, Solution, Status
from separatrix.solvers.squares.ho_kashyap import ho_kashyap


class HoKashyapClassifier(WeightedClassifier):
    """Least squares that finds its targets too: it ends with a plane that separates, or with the proof that none does.

    Targets begin at 1 and grow where the plane exceeds them. More than two classes are told apart by one plane each,
    against the rest.

    Parameters
    ----------
    learning_rate : float
        How much of the way targets go, between 0 and 1.
    tol : float
        A positive error this small, as part of the largest error, counts as none: then the rows seem to cancel, which
        is proved before it is claimed.
    max_iter : int
        Steps at most, for each plane.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows.
    fit_intercept : bool
        Whether the plane has an offset b.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    coef_ : ndarray of shape (1, d) or (n_classes, d)
        w.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b.
    certificate_ : Separator or Overlap, or Collected of one for each class
        That every row is on its own side, or the rows that no plane separates. The latter says nothing of the plane of
        this model, but `verify` tells whether it is still the one that was fitted.
    error_vector_ : ndarray of shape (n,) or (n_classes, n)
        y (w.x + b) less its target. Where no entry is positive and not all are zero, no plane separates the classes.
    n_iter_ : int
        Steps made, the most of any plane.

    Notes
    -----
    The step costs two products with X, after one decomposition of X'X. Where the margin is small against the spread of
    the rows many steps are needed: `separability` and `LinearSVM(C=float("inf"))` are quicker by far.

    Examples
    --------
    >>> from separatrix import HoKashyapClassifier
    >>> gate = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> HoKashyapClassifier().fit(gate, [0, 0, 0, 1]).certificate_  # AND
    Separator(proved, 4 rows, stated=0)
    >>> HoKashyapClassifier().fit(gate, [0, 1, 1, 0]).certificate_  # XOR
    Overlap(not strictly, 4 of 4 rows, stated=0)
    """

    _hashed = ("coef_", "intercept_")
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"error_vector_": floats(), "_bound?": str}

    def __init__(
        self,
        *,
        learning_rate: float = 0.9,
        tol: float = 1e-6,
        max_iter: int = 1000,
        class_weight: Any = None,
        fit_intercept: bool = True,
        verbose: bool = False,
    ):
        self.learning_rate = learning_rate
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.verbose = verbose

    def _fit_posed(self, encoded: Encoded, start: None = None) -> None:
        solution = each_against_the_rest(encoded.problem, None, self._solve)
        self._publish(solution, encoded.classes)
        errors = np.array(solution.history.residuals, ndmin=2)
        into = np.zeros((len(errors), encoded.n_given))
        into[:, encoded.kept] = errors
        self.error_vector_ = into[0] if len(errors) == 1 else into
        record_hash(self)
        if solution.status is Status.SPENT:
            warn_not_certified(
                f"HoKashyapClassifier made {counted(self.max_iter, 'step')} (max_iter) without an end: "
                f"{counted(solution.history.last_mistakes, 'row')} on the wrong side, and positive errors too. Raise "
                "max_iter, or ask separatrix.separability(X, y), which tells at once whether there is a plane.",
                depth=2,
            )

    def _solve(self, problem: Problem, start: Any) -> Solution:
        return ho_kashyap(problem, learning_rate=self.learning_rate, tol=self.tol, max_iter=self.max_iter)
