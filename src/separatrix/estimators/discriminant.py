"""Discriminant analysis as scikit-learn estimators, which learn from moments and so from rows in parts."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates.claims.discriminant_equations import FisherEquations, GaussianEquations
from separatrix.data.encode import Encoded
from separatrix.errors import OptionError
from separatrix.estimators.base import Probabilities, WeightedClassifier, in_class_order, warn_not_certified
from separatrix.estimators.fit_hash import record_hash
from separatrix.estimators.store.fitted_attributes import COUNT, NotNegative, floats
from separatrix.problem import Moments, Plane, Problem, Solution, Status
from separatrix.problem.moments import SUM_OF_MOMENTS
from separatrix.rows import Vector
from separatrix.solvers.options import whole
from separatrix.solvers.squares.discriminant import checked_priors, fisher_from, gaussian_from, ignored, settled
from separatrix.threads import threads_for

MEAN_TOLERANCE = 1e-9  # relative: sums in another order round otherwise


class MomentsClassifier(WeightedClassifier):
    """A classifier that asks nothing of the rows but the moments of their classes."""

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "moments_": Moments,
        "n_rows_": COUNT,
        "rank_": NotNegative(int | None),
        "ignored_": COUNT,
    }

    def _fit_posed(self, encoded: Encoded, start: None = None) -> None:
        with threads_for(0.0):
            moments = encoded.problem.over(SUM_OF_MOMENTS)
        self._learn(moments, encoded.classes, encoded.problem.n_rows, encoded.problem)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from some more rows. However rows are parted, the model is that of all of them, up to rounding.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            Some rows.
        y : array of n labels
            Their classes.
        classes : array or None
            All labels that may ever come; needed in the first call.
        sample_weight : array of n numbers or None
            Weights; a whole number counts the row so many times.

        Returns
        -------
        Self
            Itself.
        """
        first, known = not hasattr(self, "classes_"), self._classes_of_parts(classes)
        if isinstance(self.class_weight, str):
            raise OptionError(
                f"The 'class_weight' parameter must be a mapping or None for partial_fit, which sees some rows only. "
                f"Got {self.class_weight!r}."
            )
        encoded = self._pose(X, y, sample_weight, first=first, classes=known)
        with threads_for(0.0):
            moments = encoded.problem.over(SUM_OF_MOMENTS)
        before = 0 if first else self.n_rows_
        moments = moments if first else self.moments_.merged(moments)
        return self._learn(moments, encoded.classes, before + encoded.problem.n_rows)

    def _solve(self, moments: Moments, classes: np.ndarray, n_rows: int) -> Solution:
        raise NotImplementedError

    def _learn(self, moments: Moments, classes: np.ndarray, n_rows: int, problem: Problem | None = None) -> Self:
        with threads_for(0.0):
            solution = self._solve(moments, classes, n_rows)
            solution = solution if problem is None else settled(solution, problem)
        self._publish(solution, classes)
        self.moments_, self.n_rows_, self.rank_ = moments, n_rows, solution.history.rank
        self.ignored_ = 0 if solution.history.rank == moments.origin.size else ignored(moments)
        if solution.status is not Status.STATIONARY:
            warn_not_certified(f"{type(self).__name__} {missed(solution.certificate.stated)}", depth=2)
        return self


def missed(stated: float) -> str:
    """What is left of the equations, why, and what to do."""
    if not np.isfinite(stated):
        return "has no bound on what is left of its equations: features overflow or underflow. Scale them."
    return (
        f"left {stated:.2g} of its equations: columns nearly depend on each other. Leave some of them out, or use "
        "shrinkage."
    )


class FisherDiscriminant(ClassNamePrefixFeaturesOutMixin, TransformerMixin, MomentsClassifier):
    """The directions along which classes differ most, for their spread: a projection, and a classifier.

    Each direction v maximises J = v'S_b v / v'S_w v, the scatter between classes over that within classes, and is
    uncorrelated with those before it. `transform` gives scores with unit pooled covariance within classes; `predict`
    takes the class whose mean is nearest in these scores.

    Parameters
    ----------
    n_components : int or None
        Number of directions at most. None: one less than there are classes.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    scalings_ : ndarray of shape (d, n_directions)
        The directions, best first. The second of two classes is on the positive side; of more, the farthest class is.
    J_ : ndarray of shape (n_directions,)
        Fisher's J of each. For two classes it is n_1 n_2 / n times (m_1 - m_2)^2 / (s_1^2 + s_2^2), with means and
        scatters of the scores.
    mean_ : ndarray of shape (d,)
        Mean of the rows, where scores are 0.
    coef_, intercept_ : ndarray of shape (1, d) and (1,), or (n_classes, d) and (n_classes,)
        Planes of the classifier; of two classes the direction itself, and the middle between the means.
    rank_ : int
        Rank of the scatter within classes. Below d, directions are sought in its range; at 0, where classes do not
        vary at all, they join the means.
    ignored_ : int
        Number of directions in which classes differ although none of them varies. J is infinite there; they are not
        used. Where there are any, one of them tells some classes apart without error.
    moments_ : Moments
        Weights, means and scatter of the classes.
    certificate_ : Stationary
        The equations S_b v = J S_w v.
    n_rows_, n_iter_ : int
        Rows seen, and 1; of blocks, passes over them: one to count, one for moments, and for few rows two that sum
        exactly for the certificate.

    Notes
    -----
    The pooled covariance is divided by n - k, for n rows (the sum of their weights) and k classes. What classes
    differ by in directions in which none of them varies (`ignored_` counts these) is not used;
    `separatrix.separability` finds it.

    Examples
    --------
    >>> from separatrix import FisherDiscriminant
    >>> from separatrix.data import samples
    >>> iris = samples.builtin("iris")
    >>> model = FisherDiscriminant().fit(iris.X, iris.labels)
    >>> model.scalings_[:, 0].round(4).tolist(), model.transform(iris.X).shape
    ([0.8294, 1.5345, -2.2012, -2.8105], (150, 2))
    """

    _hashed = ("scalings_", "J_", "mean_")
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "scalings_": floats("dm", "finite"),
        "J_": floats("m"),
        "mean_": floats("d", "finite"),
        "_n_features_out": int,
        "_bound?": str,
    }

    def __init__(self, n_components: int | None = None):
        self.n_components = n_components

    def transform(self, X: Any) -> Vector:
        """Project rows.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n, n_directions)
            Scores with unit pooled covariance within classes.
        """
        check_is_fitted(self)
        return self._scores(X, Plane(self.scalings_.T, -(self.mean_ @ self.scalings_)))

    def _is_certified_by(self, certificate: Any, problem: Problem) -> bool:
        equations, mean = getattr(certificate, "equations", None), problem.over(SUM_OF_MOMENTS).mean
        return (
            isinstance(equations, FisherEquations)
            and np.array_equal(equations.directions, self.scalings_)
            and np.array_equal(equations.ratios, self.J_)
            and np.allclose(self.mean_, mean, rtol=MEAN_TOLERANCE, atol=MEAN_TOLERANCE * np.abs(mean).max(initial=0.0))
        )

    def _solve(self, moments: Moments, classes: np.ndarray, n_rows: int) -> Solution:
        if self.n_components is not None:
            whole("n_components", self.n_components)
        solution = fisher_from(moments, n_rows, self.n_components)
        equations = solution.certificate.equations
        self.scalings_, self.J_, self.mean_ = equations.directions, equations.ratios, moments.mean
        self._n_features_out = self.scalings_.shape[1]
        record_hash(self)
        return solution


class GaussianDiscriminant(Probabilities, MomentsClassifier):
    """Linear discriminant analysis: Gaussian classes with one covariance, told apart by their log-odds.

    Parameters
    ----------
    priors : None, "equal", array or mapping of label to number
        Probability of each class before its features are seen. None: its part of the rows.
    shrinkage : float
        From 0 to 1: how far the covariance S is moved towards trace(S)/d I.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows; "balanced" makes all classes weigh the same.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    coef_ : ndarray of shape (1, d) or (n_classes, d)
        S^-1 (m_1 - m_0), or S^-1 (m_c - m) for each of more classes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The decision function of two classes is the log-odds of `classes_[1]`; of more, differences of scores are.
    rank_ : int
        Rank of the covariance. Below d, its pseudoinverse is used; at 0, where classes do not vary at all, some
        multiple of I.
    ignored_ : int
        Number of directions in which classes differ although none of them varies, which a pseudoinverse does not use.
    moments_ : Moments
        Weights, means and scatter of the classes.
    certificate_ : Stationary
        The linear equations.
    n_rows_, n_iter_ : int
        Rows seen, and 1; of blocks, passes over them: one to count, one for moments, and for few rows two that sum
        exactly for the certificate.

    Notes
    -----
    The pooled covariance is divided by n - k, for n rows (the sum of their weights) and k classes.

    Examples
    --------
    >>> from separatrix import GaussianDiscriminant
    >>> model = GaussianDiscriminant().fit([[-1.0], [1.0], [3.0], [5.0]], ["a", "a", "b", "b"])
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()  # means 0 and 4, variance 2
    ([[2.0]], [-4.0])
    >>> model.predict_proba([[2.0], [3.0]]).round(3).tolist()
    [[0.5, 0.5], [0.119, 0.881]]
    """

    def __init__(self, priors: Any = None, *, shrinkage: float = 0.0, class_weight: Any = None):
        self.priors = priors
        self.shrinkage = shrinkage
        self.class_weight = class_weight

    def _solve(self, moments: Moments, classes: np.ndarray, n_rows: int) -> Solution:
        return gaussian_from(moments, n_rows, in_class_order("priors", "number", self.priors, classes), self.shrinkage)

    def _is_certified_by(self, certificate: Any, problem: Problem) -> bool:
        equations = getattr(certificate, "equations", None)
        priors = checked_priors(in_class_order("priors", "number", self.priors, self.classes_), self.classes_.size)
        return (
            isinstance(equations, GaussianEquations)
            and equations.shrinkage == self.shrinkage
            and np.array_equal(equations.priors, priors)  # type: ignore[arg-type]
        )
