"""Logistic discrimination as a scikit-learn classifier."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates import Certificate, Separator, WeakSeparator
from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode import Encoded, as_rows, features
from separatrix.estimators.base import Probabilities, WeightedClassifier, warn_not_certified
from separatrix.estimators.fit_hash import record_hash
from separatrix.estimators.logistic_summary import in_the_limit, inference, separated_text, table
from separatrix.estimators.store.fitted_attributes import COUNT, ArrayOf, floats
from separatrix.objectives import LogLoss
from separatrix.objectives.log_loss import losses_and_probabilities, rival_log_odds
from separatrix.problem import Plane, Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.rows import Vector
from separatrix.solvers.blocks import logistic as blocks
from separatrix.solvers.logistic.logistic import logistic
from separatrix.solvers.options import positive
from separatrix.theory.likelihood import Likelihood, is_limit, maximum_likelihood, sides
from separatrix.theory.likelihood_of_blocks import maximum_likelihood_of_blocks


class LogisticClassifier(Probabilities, WeightedClassifier):
    """Logistic discrimination: log odds that are linear in the features, on data as it comes, to a stated gap.

    Minimises 1/2 ||W||^2 + C sum_i log loss of row i. The offsets are never penalised, features need no scaling, and
    `certificate_` bounds how far the objective is from the least possible. More than two classes are one multinomial
    model, with planes that add up to zero.

    Parameters
    ----------
    C : float
        What a unit of loss costs, times the weight of its row. `float("inf")` is maximum likelihood, which is proved to
        be finite, or not to exist: then the classes are separated, and a warning names the coefficients that are
        infinite.
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Steps of Newton's method at most.
    time_limit : float or None
        Seconds at most. When they end the best planes so far are returned, with their true gap. For maximum likelihood
        the verdict on separation may take as long again.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows; "balanced" makes all classes weigh the same.
    fit_intercept : bool
        Whether the planes have an offset b.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    coef_ : ndarray of shape (1, d) or (n_classes, d)
        w: log odds for each unit of a feature. Where classes are separated and C is infinite, the direction in which
        the likelihood grows, scaled so that the nearest row has a margin of 1: for two classes that of the largest
        margin. Where they are separated weakly, besides it the finite coefficients.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b.
    infinite_ : ndarray of bool, of the shape of `coef_`
        Which coefficients have no finite maximum likelihood; none where C is finite.
    infinite_intercept_ : ndarray of bool, of the shape of `intercept_`
        The same for the offsets.
    separation_ : {"complete", "quasi-complete", "overlap"}
        How the classes are separated, where C is infinite.
    certificate_ : DualityGap, or Separator or WeakSeparator
        The objective, its lower bound and the gap; for separated classes the proof that they are.
    standard_errors_, intercept_standard_errors_ : ndarray, of the shapes of `coef_` and `intercept_`
        From the curvature of the likelihood, where C is infinite and the classes overlap; NaN where a column depends on
        others.
    log_likelihood_, deviance_, aic_ : float
        Of the fitted rows and their weights, by the probabilities of `predict_proba`: where C is infinite and the
        classes are separated, the limits. Akaike's criterion only for a maximum of the likelihood.
    n_iter_ : int
        Steps that the solver took. Of blocks, passes over them: one to count, one for the start, a Newton step each
        (three or four from the optimum of a sample), and two for the certificate.

    Notes
    -----
    `fit` takes rows in blocks (`read_blocks`) where C is finite. Rows of weight 0 are left out. Features in float32 are
    not copied to float64: sums are. Where the separation is quasi-complete, `decision_function` of two classes is
    infinite beside the plane, as the log odds are.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import LogisticClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticClassifier(C=100).fit(X, y)  # features as they come
    >>> model.certificate_.stated < 1e-9, model.score(X, y) > 0.98
    (True, True)
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]], ["no", "yes", "no", "yes"]
    >>> print(LogisticClassifier(C=float("inf")).fit(X, y).summary())
    LogisticClassifier: maximum likelihood on 4 rows, 'yes' against 'no'
                     coefficient  standard error        z         p
      x0                  0.9082           1.085    0.837     0.403
      (intercept)          -2.27           2.934   -0.774     0.439
    deviance 4.695, log-likelihood -2.347, AIC 8.695
    """

    _hashed = ("coef_", "intercept_", "_limit")
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "infinite_": ArrayOf("b", "pd"),
        "infinite_intercept_": ArrayOf("b", "p"),
        "separation_?": Literal["complete", "quasi-complete", "overlap"],
        "finite_certificate_?": Certificate,
        "standard_errors_?": floats("pd", "any"),
        "intercept_standard_errors_?": floats("p"),
        "log_likelihood_?": float,
        "deviance_?": float,
        "aic_?": float,
        "_limit?": tuple[list[int], Vector, float | Vector],
        "_n_rows": COUNT,
        "_bound?": str,
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        tol: float = 1e-6,
        max_iter: int = 1000,
        time_limit: float | None = None,
        class_weight: Any = None,
        fit_intercept: bool = True,
        verbose: bool = False,
    ):
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.verbose = verbose

    def _fit_posed(self, encoded: Encoded, start: Plane | None = None) -> Plane:
        how: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter, "time_limit": self.time_limit}
        problem, found = encoded.problem, None
        in_blocks = isinstance(problem, BlockedProblem)
        if positive("C", self.C) < np.inf:
            solve: Any = blocks.logistic if in_blocks else logistic
            solution = solve(problem, C=self.C, start=start, **how)
        else:
            maximum: Any = maximum_likelihood_of_blocks if in_blocks else maximum_likelihood
            found = maximum(problem, **how)
            solution = found.solution
        self._publish(solution, encoded.classes)
        self._publish_likelihood(problem, found)
        record_hash(self)
        if found is not None and found.kind != "overlap":
            warn_not_certified(f"{separated_text(self, found.kind)} Use a finite C, or fewer features.", depth=2)
        elif solution.status is not Status.SOLVED:
            self._warn(solution)
        return solution.model

    def _objective(self, classes: np.ndarray) -> LogLoss:
        return LogLoss(self.C, classes.size)

    def _is_certified_by(self, certificate: Any, problem: Problem) -> bool:
        kind, limit = getattr(self, "separation_", "overlap"), getattr(self, "_limit", None)
        if kind == "overlap":
            return limit is None and super()._is_certified_by(certificate, problem)
        if np.inf > self.C or not isinstance(certificate, (Separator, WeakSeparator)):
            return False
        strict = isinstance(certificate, Separator) or not certificate.on.size
        if limit is None or isinstance(certificate, Separator):
            return limit is None and strict == (kind == "complete")
        finite = getattr(self, "finite_certificate_", None)
        return kind == "quasi-complete" and is_limit(problem, certificate, limit, finite)

    @also_for_blocks
    def decision_function(self, X: Any) -> Vector:
        """Compute the log odds of `classes_[1]` for two classes, else the score of each class.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            Positive where `classes_[1]` is predicted; of several, the largest wins. Infinite beside the plane where two
            classes are separated weakly and C is infinite.
        """
        check_is_fitted(self)
        limit = getattr(self, "_limit", None)
        if limit is None:
            return super().decision_function(X)
        direction, w, b = limit
        scores = self._scores(X, Plane(w, b))
        beside = sides(as_rows(features(X)), direction, bool(self.fit_intercept))
        return np.where(beside == 0.0, scores, np.copysign(np.inf, beside))

    def _scores_by_planes(self) -> bool:
        return getattr(self, "_limit", None) is None

    def _log_probabilities(self, scores: Vector) -> Vector:
        if getattr(self, "separation_", "overlap") == "complete":
            return limits(scores)
        each = scores[:, None] if scores.ndim == 1 else scores
        columns = [-losses_of(each, np.full(len(each), c)) for c in range(self.classes_.size)]
        return np.column_stack(columns)

    def summary(self) -> str:
        """Write the coefficients as a table, with standard errors where they exist, or why they do not.

        Returns
        -------
        str
            For `print`.
        """
        check_is_fitted(self)
        return table(self)

    @property
    def feature_names_(self) -> list[str]:
        """The names of the features, "x0" and so on where they have none."""
        names = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(name) for name in names]

    def _publish_likelihood(self, problem: Problem, found: Likelihood | None) -> None:
        """What is known of the likelihood."""
        infinite = np.zeros((len(self.coef_), problem.n_features + 1), bool) if found is None else found.infinite
        self.infinite_, self.infinite_intercept_ = infinite[:, :-1], infinite[:, -1]
        finite = None if found is None else found.finite
        if found is None or found.kind == "overlap":
            known = inference(problem, self.certificate_, errors=found is not None)
        else:
            known = in_the_limit(problem, found)
        limit = None if found is None or found.direction is None or finite is None else found.direction
        self._keep("separation_", None if found is None else found.kind)
        self._keep("_limit", None if limit is None or finite is None else (limit, finite.w, finite.b))
        self._keep("finite_certificate_", None if finite is None else finite.certificate)
        self._keep("standard_errors_", known.errors)
        self._keep("intercept_standard_errors_", known.intercept_errors)
        self._keep("log_likelihood_", known.log_likelihood)
        self._keep("deviance_", known.deviance)
        self._keep("aic_", known.aic)
        self._n_rows = problem.n_rows

    def _warn(self, solution: Solution) -> None:
        advice = {
            Status.STOPPED: f"Raise max_iter={self.max_iter} or time_limit={self.time_limit}, or accept the gap by a "
            "larger tol.",
            Status.ROUNDED: "Scale the features, or accept the gap by a larger tol.",
        }[solution.status]
        warn_not_certified(
            f"LogisticClassifier reached a gap of {solution.certificate.stated:.2g} where tol={self.tol:g} was asked "
            f"for. {solution.status} {advice}",
            depth=3,
        )


def losses_of(scores: Vector, y: np.ndarray) -> Vector:
    """The log loss of each row if it were of class y; infinite scores are limits."""
    with np.errstate(invalid="ignore"):
        return losses_and_probabilities(rival_log_odds(scores, y))[0]


def limits(scores: Vector) -> Vector:
    """Log probabilities where scores are multiplied by infinity: the classes that are best share what there is."""
    each = np.column_stack([-scores, scores]) if scores.ndim == 1 else scores
    best = each == each.max(axis=1, keepdims=True)
    return np.where(best, -np.log(best.sum(axis=1, keepdims=True)), -np.inf)
