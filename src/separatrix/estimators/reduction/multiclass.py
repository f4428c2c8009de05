"""Several classes by two-class problems: one mechanism, a code and a decoder, for any classifier."""

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import _safe_indexing, check_random_state, get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted, has_fit_parameter, validate_data

from separatrix.certificates import Certificate, Unproved
from separatrix.data.encode import check_several, labels, row_weights
from separatrix.data.prepare.frames import frame_rows, is_frame
from separatrix.errors import DataError, OptionError
from separatrix.estimators.base import CertifiedClassifier, WeightedClassifier, gathered, warn_not_certified
from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest, solve_columns, votes
from separatrix.estimators.store.fitted_attributes import ArrayOf, FittedModels
from separatrix.rows import Vector


class Reduction(MetaEstimatorMixin, CertifiedClassifier):
    """A classifier made of two-class ones: subclasses say by which code, and how the scores are decoded."""

    estimator: Any
    random_state: Any
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"code_": ArrayOf("i", "kc"), "estimators_": FittedModels("c")}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator).input_tags  # rows are handed to it as they are
            tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit one copy of the estimator to each two-class problem.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or whatever the estimator takes
            The rows.
        y : array of n labels
            Their classes.
        **fit_params : arrays of n values
            Passed on to the estimator's `fit`, each with the rows of its problem: `sample_weight`, for example.

        Returns
        -------
        Reduction
            Itself.
        """
        check_classifier(self)
        classes, codes = labels(y, _num_samples(X))
        validate_data(self, X, reset=True, skip_check_array=True)
        X = X.tocsr() if sparse.issparse(X) else X  # some sparse formats cannot be taken apart by rows
        check_fit_params(self, fit_params, codes.size)
        self.classes_, codes = classes_with_weight(classes, codes, fit_params)
        self.code_ = self._code(self.classes_.size)
        missed: list[str] = []
        outer = gathered.set(missed)
        try:
            copies = seeded_copies(self.estimator, self.code_.shape[1], self.random_state)
            self.estimators_, certificate = solve_columns(
                self.code_,
                lambda number, side: fit_side(copies[number], X, np.append(side, 0)[codes], fit_params),
                certificate_of,
                parallel=isinstance(self.estimator, WeightedClassifier),  # whose loops leave the interpreter to others
            )
        finally:
            gathered.reset(outer)
        self.n_iter_ = max(iterations_of(model) for model in self.estimators_)
        self.certificate_ = certificate.named(self.classes_)
        if missed:
            warn_not_certified(
                f"{len(missed)} of the {len(self.estimators_)} two-class problems of {type(self).__name__} were not "
                f"certified. The first of them: {missed[0]}"
            )
        return self

    def decision_function(self, X: Any) -> Vector:
        """Score each class, or with two classes the second of them.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or whatever the estimator takes
            The rows.

        Returns
        -------
        ndarray of shape (n,) for two classes, else (n, n_classes)
            The largest wins.
        """
        scores = self._column_scores(X)
        return scores.ravel() if self.classes_.size == 2 else self._decode(scores)

    @property
    def coef_(self) -> Vector:
        """Normals of the two-class planes, one row for each problem, where the estimator has them."""
        return np.concatenate([model.coef_ for model in self.estimators_])

    @property
    def intercept_(self) -> Vector:
        """Offsets of the two-class planes, where the estimator has them."""
        return np.concatenate([np.atleast_1d(model.intercept_) for model in self.estimators_])

    def _code(self, n_classes: int) -> np.ndarray:
        raise NotImplementedError

    def _decode(self, scores: Vector) -> Vector:
        raise NotImplementedError

    def _column_scores(self, X: Any) -> Vector:
        """The scores of all two-class problems, a column each."""
        check_is_fitted(self)
        return np.column_stack([positive_score(model, X) for model in self.estimators_])


class OneVsRest(Reduction):
    """Each class against all others; the class with the largest score wins.

    Parameters
    ----------
    estimator : classifier
        Any two-class classifier: of this package, of scikit-learn, or a pipeline.
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
    """

    def __init__(self, estimator: Any, *, random_state: Any = None):
        self.estimator = estimator
        self.random_state = random_state

    def _code(self, n_classes: int) -> np.ndarray:
        return one_vs_rest(n_classes)

    def _decode(self, scores: Vector) -> Vector:
        return scores


class OneVsOne(Reduction):
    """Each class against each other one; the class that wins most often wins.

    Parameters
    ----------
    estimator : classifier
        Any two-class classifier: of this package, of scikit-learn, or a pipeline.
    decision : {"vote"}
        How the answers become one class: each problem votes, and the larger sum of scores settles a tie.
    random_state : int, RandomState or None
        Seeds the copies of the estimator, each differently; None leaves them as the estimator is.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    code_ : ndarray of shape (n_classes, n_problems)
        Which side each class is on in each problem, 0 where it is left out.
    estimators_ : list
        The fitted copies, one for each pair of classes.
    certificate_ : Collected
        Their certificates; its error is the worst of theirs.
    n_iter_ : int
        The most iterations that any of them took.
    coef_, intercept_ : ndarray
        Their planes, where they have any.

    Examples
    --------
    >>> from separatrix import OneVsOne, Perceptron
    >>> X, y = [[0, 0], [0, 1], [5, 0], [5, 1], [9, 0], [9, 1]], ["a", "a", "b", "b", "c", "c"]
    >>> model = OneVsOne(Perceptron(random_state=0)).fit(X, y)  # b is between a and c: no plane for it alone
    >>> model.predict([[5, 0]]).item(), model.certificate_.stated
    ('b', 0.0)
    """

    def __init__(self, estimator: Any, *, decision: Literal["vote"] = "vote", random_state: Any = None):
        self.estimator = estimator
        self.decision = decision
        self.random_state = random_state

    def _code(self, n_classes: int) -> np.ndarray:
        if self.decision != "vote":
            raise OptionError(f"The 'decision' parameter of OneVsOne must be 'vote'. Got {self.decision!r}.")
        return one_vs_one(n_classes)

    def _decode(self, scores: Vector) -> Vector:
        return votes(scores, self.code_)

    def _pair_scores(self, X: Any) -> Vector:
        """The score of each pair of classes, positive where the later one is predicted."""
        return self._column_scores(X)


def check_classifier(wrapper: Any) -> None:
    """Refuse to wrap what is no classifier."""
    if not hasattr(wrapper.estimator, "fit") or is_regressor(wrapper.estimator):
        kind = type(wrapper).__name__
        raise OptionError(f"The 'estimator' of {kind} must be a classifier. Got {wrapper.estimator!r}.")


def check_fit_params(wrapper: Any, fit_params: dict[str, Any], n: int) -> None:
    """Refuse what the estimator inside of a wrapper does not take, or what has not one value for each row."""
    for name, value in fit_params.items():
        if not takes(wrapper.estimator, name):
            base, kind = type(wrapper.estimator).__name__, type(wrapper).__name__
            raise OptionError(f"{base}.fit takes no {name!r}, so {kind}.fit cannot pass it on.")
        if value is not None and np.shape(value) != (n,):
            raise DataError(f"{name} must hold one value for each of the {n} rows. Got shape {np.shape(value)}.")


def seeded_copies(estimator: Any, n: int, random_state: Any) -> list[Any]:
    """Unfitted copies of an estimator; a `random_state` gives each its own random numbers."""
    copies = [clone(estimator) for _ in range(n)]
    if random_state is not None:
        seeds = check_random_state(random_state)
        for copy in copies:
            names = [name for name in copy.get_params() if name.split("__")[-1] == "random_state"]
            copy.set_params(**{name: seeds.randint(np.iinfo(np.int32).max) for name in names})
    return copies


def takes(estimator: Any, name: str) -> bool:
    """Whether the estimator's `fit` has a parameter of that name, or passes any on, as pipelines do."""
    kinds = {parameter.kind for parameter in signature(estimator.fit).parameters.values()}
    return has_fit_parameter(estimator, name) or Parameter.VAR_KEYWORD in kinds


def classes_with_weight(
    classes: np.ndarray, codes: np.ndarray, fit_params: dict[str, Any]
) -> tuple[np.ndarray, np.ndarray]:
    """The classes with rows whose weight is not 0, and the number of each row's class; rows of the others get -1.

    Rows of weight 0 in a class that is left are for the estimator to leave out.
    """
    counting = np.full(codes.size, True)
    for name, value in fit_params.items():
        if name.split("__")[-1] == "sample_weight" and value is not None:  # also of a step of a pipeline
            counting &= np.asarray(value) != 0
    if not counting.any():
        row_weights(np.zeros(codes.size), codes.size)  # which refuses them
    there = np.bincount(codes[counting], minlength=classes.size) > 0
    check_several(classes[there], int(np.count_nonzero(counting)))
    return classes[there], np.where(there, np.cumsum(there) - 1, -1)[codes]


def fit_side(model: Any, X: Any, side: np.ndarray, fit_params: dict[str, Any]) -> Any:
    """Fit a model to the rows that a column of the code puts on a side; `side` is 0 for the others."""
    kept = np.flatnonzero(side)
    part = X if kept.size == side.size else some_rows(X, kept)
    return model.fit(part, side[kept], **some_values(fit_params, kept))


def some_rows(X: Any, index: np.ndarray) -> Any:
    """Rows of data of any kind, by their numbers."""
    return frame_rows(X, index) if is_frame(X) else _safe_indexing(X, index)


def some_values(fit_params: dict[str, Any], index: np.ndarray) -> dict[str, Any]:
    """What is passed on for rows with these numbers."""
    return {name: None if value is None else np.asarray(value)[index] for name, value in fit_params.items()}


def positive_score(model: Any, X: Any) -> Vector:
    """How much a two-class model is for the positive side: above 0 where it predicts it."""
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)[:, 1] - 0.5
    return model.predict(X).astype(np.float64)


def iterations_of(model: Any) -> int:
    """The most iterations that a fitted model took for anything, 1 where it does not count them."""
    counts = np.atleast_1d(getattr(model, "n_iter_", None) or 1)
    return int(counts.max())


def certificate_of(model: Any) -> Certificate:
    """The certificate of a fitted model, or that it has none."""
    return getattr(model, "certificate_", None) or Unproved(f"{type(model).__name__} gives no certificate")
