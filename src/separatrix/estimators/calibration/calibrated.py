"""Probabilities for any classifier, by a map of its scores that is fitted to rows it has not seen."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from separatrix.certificates import Certificate
from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode import labels, remaining
from separatrix.errors import OptionError
from separatrix.estimators.algorithms.streaming import check_blocks
from separatrix.estimators.base import ShownWithCertificate, gathered, warn_not_certified
from separatrix.estimators.calibration.class_probabilities import class_probabilities
from separatrix.estimators.calibration.column_scores import (
    at_last_step,
    code_of,
    column_scores,
    last_step,
    use_code_of,
)
from separatrix.estimators.calibration.cross_fitting import Sample, divided, out_of_fold_scores
from separatrix.estimators.reduction.subproblems import (
    certificate_of,
    check_classifier,
    check_fit_params,
    iterations_of,
    seeded_copies,
    weights_of,
)
from separatrix.estimators.store.fitted_attributes import COUNT, LABELS, ArrayOf, FittedModels, SizeOf
from separatrix.rows import Vector
from separatrix.solvers.calibration.pool_adjacent_violators import IsotonicMap, pool_adjacent_violators
from separatrix.solvers.calibration.sigmoid_calibration import SigmoidMap, sigmoid_calibration

METHODS: Mapping[str, Callable[..., SigmoidMap | IsotonicMap]] = {
    "sigmoid": sigmoid_calibration,
    "isotonic": pool_adjacent_violators,
}


class Calibrated(ShownWithCertificate, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier with probabilities: one model of all rows, and maps of its scores fitted by cross-fitting.

    Each fold's model scores the rows that it has not seen, and the maps are fitted to the scores of all folds. The
    scores that they are applied to are those of one more model, `estimator_`, fitted to all rows: what predicts is one
    model with one certificate, not an average of several.

    Of two classes there is one map. A classifier that tells several classes apart in pairs, such as KernelSVM and
    OneVsOne, has a map for each pair, which are coupled (Wu, Lin and Weng, 2004); ErrorCorrectingCode has one for each
    column, and the probabilities are those that make what the columns say most likely (Huang, Weng and Lin, 2006). Any
    other one has a map for each class against the rest, and the probabilities are divided by their sum.

    Parameters
    ----------
    estimator : classifier
        Any classifier: of this package, of scikit-learn, or a pipeline.
    method : {"sigmoid", "isotonic"}
        The map: Platt's sigmoid, which has two numbers; or any function that does not decrease, for a thousand rows or
        more, which may also give the probabilities 0 and 1.
    folds : int or splitter
        How many stratified folds, at most as many as the rarest class has rows; or a splitter of scikit-learn.
    random_state : int, RandomState or None
        Divides the rows and seeds the copies of the estimator. None divides the rows in the same way each time, and
        leaves the copies as the estimator is.

    Attributes
    ----------
    classes_ : ndarray
        The labels.
    estimator_ : classifier
        Fitted to all rows.
    maps_ : tuple of SigmoidMap or IsotonicMap
        From scores to probabilities: for two classes one, else one for each class, each pair or each column of a code.
    n_folds_ : int
        How many folds were used.
    certificate_ : Certificate
        That of `estimator_`, or of the last step of a pipeline. It is about that model, not about probabilities.
    n_iter_ : int
        That of `estimator_`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import Calibrated, LinearSVM, verify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = Calibrated(LinearSVM()).fit(X, y)
    >>> model.predict_proba(X[3:5]).round(2).tolist(), verify(model, X, y).proved
    ([[0.75, 0.25], [1.0, 0.0]], True)
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "n_features_in_?": SizeOf("d"),
        "feature_names_in_?": ArrayOf("O", "d"),
        "classes_": ArrayOf(LABELS, "k"),
        "estimator_": FittedModels(),
        "maps_": tuple[SigmoidMap | IsotonicMap, ...],
        "n_folds_": COUNT,
    }

    def __init__(
        self,
        estimator: Any,
        method: Literal["sigmoid", "isotonic"] = "sigmoid",
        *,
        folds: Any = 5,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.method = method
        self.folds = folds
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator).input_tags
            tags.input_tags.sparse, tags.input_tags.pairwise = inner.sparse, inner.pairwise
            tags.input_tags.allow_nan = inner.allow_nan
        return tags

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
        """Fit a model to each fold, the maps to the scores of the rows left out, and one model to all rows.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or whatever the estimator takes
            The rows.
        y : array of n labels
            Their classes.
        **fit_params : arrays of n values
            Passed on to the estimator's `fit`, each with the rows of its fold. `sample_weight`, also of a step of a
            pipeline, counts in the maps too; an estimator that takes none refuses it.

        Returns
        -------
        Calibrated
            Itself.
        """
        check_blocks(self, X)
        check_classifier(self)
        if self.method not in tuple(METHODS):
            raise OptionError(
                f"The 'method' parameter of Calibrated must be one of {tuple(METHODS)}. Got {self.method!r}."
            )
        classes, codes = labels(y, _num_samples(X))
        validate_data(self, X, reset=True, skip_check_array=True)
        if sparse.issparse(X):
            X = X.tocsr()  # some sparse formats cannot be taken apart by rows
        elif not hasattr(X, "__getitem__"):
            X = np.asarray(X)
        check_fit_params(self, fit_params, codes.size)
        weights = weights_of(fit_params, codes.size)
        kept = np.flatnonzero(weights)
        left, own = remaining(classes, codes[kept])
        by_pairs = get_tags(self.estimator).input_tags.pairwise
        sample = Sample(X, kept, own, left, fit_params, by_pairs)
        missed: list[str] = []
        outer = gathered.set(missed)
        try:
            self._fit_parts(sample, weights[kept], classes[codes])
        finally:
            gathered.reset(outer)
        if missed:
            warn_not_certified(
                f"{len(missed)} of the {self.n_folds_ + 1} fits of {type(self).__name__}, one for each fold and one of "
                f"all rows, were not certified. The first of them: {missed[0]}"
            )
        return self

    def _fit_parts(self, sample: Sample, weights: Vector, y: np.ndarray) -> None:
        """Fit the model of all rows first, which names a faulty row by its number; then models of folds, and maps."""
        random_state = self.random_state
        seed = 0 if random_state is None else int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
        folds = divided(sample, self.folds, seed)
        whole, *models = seeded_copies(self.estimator, len(folds) + 1, random_state)
        if sample.by_pairs or sample.kept.size == y.size:  # a precomputed kernel leaves rows of weight 0 out itself
            whole.fit(sample.X, y, **sample.fit_params)
        else:
            sample.fit(whole, np.arange(sample.kept.size))
        for model in models:
            use_code_of(whole, model)
        scores, tested = out_of_fold_scores(models, sample, folds)
        sides = code_of(whole, sample.classes.size)[sample.codes[tested]]
        weights = weights[tested]
        self.maps_ = tuple(
            METHODS[self.method](column[side != 0], side[side != 0] > 0, weights[side != 0])
            for column, side in zip(scores.T, sides.T, strict=True)
        )
        self.classes_, self.estimator_, self.n_folds_ = sample.classes, whole, len(folds)

    @also_for_blocks
    def predict_proba(self, X: Any) -> Vector:
        """Compute the probability of each class.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or whatever the estimator takes
            The rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Columns in the order of `classes_`.
        """
        check_is_fitted(self, "estimator_")
        k = self.classes_.size
        columns = column_scores(self.estimator_, X, k).T
        found = [each.both(column) for each, column in zip(self.maps_, columns, strict=True)]
        return class_probabilities(found, code_of(self.estimator_, k))

    @also_for_blocks
    def predict_log_proba(self, X: Any) -> Vector:
        """Compute the logarithm of the probability of each class.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or whatever the estimator takes
            The rows.

        Returns
        -------
        ndarray of shape (n, n_classes)
            Columns in the order of `classes_`; minus infinity where the probability is 0.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @also_for_blocks
    def decision_function(self, X: Any) -> Vector:
        """Compute by how much `classes_[1]` is more probable than the other, or of several classes the probabilities.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or whatever the estimator takes
            The rows.

        Returns
        -------
        ndarray of shape (n,) for two classes, else (n, n_classes)
            The largest wins; those of two classes are positive where `classes_[1]` is predicted.
        """
        probabilities = self.predict_proba(X)
        return probabilities[:, 1] - probabilities[:, 0] if self.classes_.size == 2 else probabilities

    @also_for_blocks
    def predict(self, X: Any) -> np.ndarray:
        """Predict the most probable class of each row, of equally probable ones the first.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or whatever the estimator takes
            The rows.

        Returns
        -------
        ndarray of shape (n,)
            Labels out of `classes_`.
        """
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]

    @property
    def certificate_(self) -> Certificate:
        """The certificate of the model of all rows."""
        return certificate_of(last_step(self.estimator_))

    @property
    def n_iter_(self) -> int:
        """The most iterations that the model of all rows took for anything."""
        return iterations_of(last_step(self.estimator_))

    def _claimant(self, X: Any) -> tuple[Any, Any]:
        """The model that the certificate is about, and the rows as it sees them."""
        check_is_fitted(self, "estimator_")
        return at_last_step(self.estimator_, X)

    def _check_stored(self) -> None:
        """Refuse parts that do not fit together, as a file may hold them."""
        if self.estimator_ is None or not np.array_equal(getattr(self.estimator_, "classes_", ()), self.classes_):
            raise ValueError("'estimator_' must be a fitted classifier of the same classes")
        if len(self.maps_) != code_of(self.estimator_, self.classes_.size).shape[1]:
            raise ValueError(f"'maps_' cannot be {len(self.maps_)} for {self.classes_.size} classes")
