"""What all estimators share: they encode, solve, publish, and predict by planes."""

import warnings
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import log_expit, log_softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from separatrix.certificates import Certificate, Collected
from separatrix.data.blocks import Blocks
from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode import Encoded, as_rows, encode, features
from separatrix.errors import DataError, NotCertifiedWarning, OptionError
from separatrix.estimators.algorithms.streaming import (
    check_blocks,
    check_feature_names,
    encoded_blocks,
    passes_of,
    remember_features,
)
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.store.fitted_attributes import COUNT, LABELS, ArrayOf, SizeOf, floats
from separatrix.problem import Model, Plane, Problem, Solution, Status
from separatrix.rows import Vector


class ShownWithCertificate:
    """An estimator that notebooks show with the certificate of its fit."""

    @property
    def _repr_html_(self) -> Any:
        """The diagram of scikit-learn, and below it the certificate of a fitted model."""
        diagram = super()._repr_html_  # type: ignore[misc]  # no attribute where texts are asked for

        def page() -> str:
            claim = getattr(self, "certificate_", None)
            return diagram() + ("" if claim is None else claim._repr_html_())

        return page


class Certified(ShownWithCertificate):
    """A scikit-learn estimator whose `certificate_` says why to believe it: its question, data and random numbers."""

    random_state: Any
    fit_intercept: bool = True  # of an estimator without the option
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "n_features_in_": SizeOf("d"),
        "feature_names_in_?": ArrayOf("O", "d"),
        "n_iter_": COUNT,
        "certificate_": Certificate,
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = True
        return tags

    def _problem(self, X: Any, y: Any, sample_weight: Any = None) -> Encoded:
        """The whole question that the options ask of data: `fit` solves it, and `verify` checks the claim by it."""
        raise NotImplementedError

    def _asked_objective(self, classes: np.ndarray) -> Any:
        """What the options ask to minimise; there are no classes where numbers are predicted."""
        return None

    def _fitted_problem(self, X: Any, y: Any, sample_weight: Any = None) -> Problem | None:
        """The question that a fitted model answers, posed again; None where these data cannot be the same."""
        return self._problem(X, y, sample_weight).problem

    def _is_certified_by(self, certificate: Any, problem: Problem) -> bool:
        """Whether a certificate is about what the problem asks to minimise, and about all that predictions come from.

        Planes are compared by `verify`; an estimator that predicts by more compares the rest.
        """
        return getattr(certificate, "objective", None) == problem.objective

    def _pose(self, X: Any, y: Any, sample_weight: Any = None, *, first: bool = True, **how: Any) -> Encoded:
        """Make the problem of training data and remember their features; unless `first`, they must be known ones."""
        check_blocks(self, X)
        encoded = self._problem(X, y, sample_weight, **how)
        if isinstance(X, Blocks):
            if first:
                remember_features(self, X, encoded.problem.n_features)
            self._check_features(X)
        elif first and type(X) is np.ndarray:  # which has no names
            self.n_features_in_ = X.shape[1]
            self._keep("feature_names_in_", None)
        else:
            validate_data(self, X, reset=first, skip_check_array=True)
        return encoded

    def _check_features(self, X: Any) -> None:
        """Refuse rows with other names or another number of features than those of the fit."""
        if isinstance(X, Blocks):
            check_feature_names(self, X)
        else:
            validate_data(self, X, reset=False, skip_check_array=True)

    def _know_features_of(self, other: Any) -> None:
        """Remember the features that another estimator was given."""
        self.n_features_in_ = other.n_features_in_
        self._keep("feature_names_in_", getattr(other, "feature_names_in_", None))

    def _scores(self, X: Any, model: Model) -> Vector:
        """The scores of rows to predict, with the names and the number of features seen in fit."""
        matrix = features(X, checked=False)
        validate_data(self, X, reset=False, skip_check_array=True)
        with np.errstate(over="ignore", invalid="ignore"):
            found = model.scores(as_rows(matrix))
        if not np.isfinite(found).all():  # NaN and infinities come through every product, whatever w is
            features(X)
        return found

    def _generator(self) -> np.random.Generator:
        """Random numbers that follow `random_state` as everywhere in scikit-learn."""
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return np.random.default_rng(seed)

    def _keep(self, name: str, value: Any) -> None:
        """Set an attribute that only some fits have; None removes what an earlier fit left."""
        if value is not None:
            setattr(self, name, value)
        elif hasattr(self, name):
            delattr(self, name)


class CertifiedClassifier(ClassifierMixin, Certified, BaseEstimator):
    """A scikit-learn classifier whose `certificate_` says why to believe it."""

    class_weight: Any = None  # of a classifier without the option
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"classes_": ArrayOf(LABELS, "k")}

    def _objective(self, classes: np.ndarray) -> Any:
        """What the options ask to minimise for these classes; None where the rule minimises nothing that is proved."""
        return None

    def _asked_objective(self, classes: np.ndarray) -> Any:
        return self._objective(classes)

    def _problem(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> Encoded:
        check_flags(self, "fit_intercept")
        how = {"class_weight": self.class_weight, "fit_intercept": bool(self.fit_intercept), **how}
        if isinstance(X, Blocks):
            encoded: Any = encoded_blocks(X, y, sample_weight, **how)
        else:
            encoded = encode(X, y, sample_weight=sample_weight, **how)
        return replace(encoded, problem=encoded.problem.posed(self._objective(encoded.classes)))

    def _classes_of_parts(self, classes: Any) -> Any:
        """All classes of rows that come in parts: those named in the first call, and the same in every other one."""
        if not hasattr(self, "classes_"):
            if classes is None:
                raise DataError("classes must be passed on the first call to partial_fit: y may not hold all of them.")
            return classes
        if classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise DataError(
                f"classes={list(classes)} differs from the classes of the first call, {self.classes_.tolist()}."
            )
        return self.classes_

    def _fitted_problem(self, X: Any, y: Any, sample_weight: Any = None) -> Problem | None:
        weights = self.class_weight
        if isinstance(weights, Mapping):  # of a class whose rows all had a weight of 0 nothing was fitted
            known = self.classes_.tolist()
            weights = {label: weight for label, weight in weights.items() if label in known}
        encoded = self._problem(X, y, sample_weight, classes=self.classes_, class_weight=weights)
        return encoded.problem if np.array_equal(encoded.classes, self.classes_) else None

    @also_for_blocks
    def predict(self, X: Any) -> np.ndarray:
        """Predict the class of each row.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d), Blocks or dask collection
            The rows. What is predicted for a dask collection is one, too, and lazy.

        Returns
        -------
        ndarray of shape (n,)
            Labels out of `classes_`.
        """
        scores = self.decision_function(X)
        best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[best]


class LinearClassifier(CertifiedClassifier):
    """A classifier by planes: `coef_` and `intercept_`."""

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "coef_": floats("pd", "finite"),
        "intercept_": floats("p"),  # b of a class that was never seen is -inf
    }

    @also_for_blocks
    def decision_function(self, X: Any) -> Vector:
        """Compute g(x) = w.x + b: for two classes positive where `classes_[1]` is predicted, else one for each class.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            The scores.
        """
        check_is_fitted(self)
        return self._scores(X, Plane.of(self.coef_, self.intercept_))

    def _scores_by_planes(self) -> bool:
        """Whether `decision_function` is w.x + b of the public planes, and nothing else."""
        return type(self).decision_function is LinearClassifier.decision_function

    def _publish(self, solution: Solution, classes: np.ndarray) -> Self:
        """Make the answer public under scikit-learn's names."""
        self.classes_ = classes
        self.coef_ = np.array(solution.w, ndmin=2)
        self.intercept_ = np.array(solution.b, ndmin=1)
        self.n_iter_ = solution.history.passes
        claim = solution.certificate
        self.certificate_: Any = claim.named(classes) if isinstance(claim, Collected) else claim
        return self


class WeightedClassifier(LinearClassifier):
    """A classifier by planes whose rows have weights: `fit` poses the problem, and `_fit_posed` solves it."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the planes.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d), or Blocks
            The rows; blocks of rows hold their classes and weights as well.
        y : array of n labels
            Their classes.
        sample_weight : array of n numbers or None
            What the loss of each row counts; a whole number counts the row so many times.

        Returns
        -------
        self
            The fitted classifier.
        """
        encoded = self._pose(X, y, sample_weight)
        with progress_line(self, encoded.problem):
            self._fit_posed(encoded, self._start(encoded.problem))
        self.n_iter_ = passes_of(encoded.problem) or self.n_iter_
        return self

    def _start(self, problem: Problem) -> Any:
        """What the options say to start from."""
        return None

    def _fit_posed(self, encoded: Encoded, start: Any = None) -> Any:
        """Solve and publish; returns what a fit of the same rows with another penalty may start from."""
        raise NotImplementedError


class Probabilities:
    """A classifier with `predict_log_proba`, and so with probabilities."""

    @also_for_blocks
    def predict_proba(self, X: Any) -> Vector:
        """Compute the probability of each class.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Columns in the order of `classes_`.
        """
        return np.exp(self.predict_log_proba(X))

    @also_for_blocks
    def predict_log_proba(self, X: Any) -> Vector:
        """Compute the logarithm of the probability of each class, also where that is too small for a number.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Columns in the order of `classes_`; minus infinity for what is impossible.
        """
        return self._log_probabilities(self.decision_function(X))  # type: ignore[attr-defined]

    def _log_probabilities(self, scores: Vector) -> Vector:
        if scores.ndim == 1:
            return np.column_stack([log_expit(-scores), log_expit(scores)])
        return log_softmax(scores, axis=1)


def in_class_order(option: str, noun: str, given: Any, classes: np.ndarray) -> Any:
    """What an option gives for each class, in their order, where it is a mapping of labels."""
    if not isinstance(given, Mapping):
        return given
    missing = [label for label in classes.tolist() if label not in given]
    if missing:
        raise OptionError(f"The {option!r} parameter has no {noun} for the class {missing[0]!r}.")
    return [given[label] for label in classes.tolist()]


def check_flags(estimator: Any, *names: str) -> None:
    """Refuse options that are neither True nor False where they must be."""
    for name in names:
        value = getattr(estimator, name)
        if not isinstance(value, (bool, np.bool_)):
            kind = type(estimator).__name__
            raise OptionError(f"The {name!r} parameter of {kind} must be True or False. Got {value!r}.")


# Where a fit is part of a larger one, which gathers the warnings of its parts and says them once.
gathered: ContextVar[list[str] | None] = ContextVar("gathered", default=None)


def warn_not_certified(message: str, depth: int = 1) -> None:
    """Warn once, pointing at the user's line, which is `depth` calls above the caller of this function."""
    messages = gathered.get()
    if messages is None:
        warnings.warn(message, NotCertifiedWarning, stacklevel=2 + depth)
    else:
        messages.append(message)


def warn_missed(estimator: Any, solution: Solution, depth: int) -> None:
    """Warn that the gap is larger than the tol that was asked for, and say what to do; `depth` as above."""
    claim = solution.certificate
    advice = {
        Status.STOPPED: f"Raise max_iter={estimator.max_iter} or time_limit={estimator.time_limit}",
        Status.SPANNED: f"Raise low_rank={getattr(estimator, 'low_rank', None)}",
    }.get(solution.status, "Scale the features")
    reached = f"a gap of {claim.stated:.2g}" if claim.proof else "no plane with every row on its own side"
    accept = "accept the gap by a larger tol" if claim.proof else "use a finite C"
    warn_not_certified(
        f"{type(estimator).__name__} reached {reached} where tol={estimator.tol:g} was asked for. {solution.status} "
        f"{advice}, or {accept}.",
        depth + 1,
    )
