"""Several classes by two-class problems: one mechanism, a code and a decoder, for any classifier."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from separatrix.certificates import Collected
from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode import labels
from separatrix.estimators.algorithms.streaming import check_blocks
from separatrix.estimators.base import CertifiedClassifier, gathered, warn_not_certified
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.reduction.claims import Claims, claimed_within
from separatrix.estimators.reduction.codes.distance import n_corrected
from separatrix.estimators.reduction.side_by_side import Begun, Columns, fit_columns
from separatrix.estimators.reduction.subproblems import (
    certificate_of,
    check_classifier,
    check_fit_params,
    classes_with_weight,
    in_parts,
    is_plane,
    iterations_of,
    positive_score,
    seeded_copies,
    separation_of,
)
from separatrix.estimators.store.fitted_attributes import ArrayOf, FittedModels
from separatrix.problem import PlanesOfCode
from separatrix.rows import Vector

MAX_SCORES = 2**24  # of all columns that are held at once


class Reduction(MetaEstimatorMixin, CertifiedClassifier):
    """A classifier made of two-class ones: subclasses say by which code, and how the scores are decoded."""

    estimator: Any
    n_jobs: int | None
    verbose: bool
    random_state: Any
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"code_": ArrayOf("i", "kc"), "estimators_": FittedModels("c")}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self.estimator, "__sklearn_tags__"):
            inner = get_tags(self.estimator).input_tags  # rows are handed to it as they are
            tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> Self:
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
        check_blocks(self, X)
        check_classifier(self)
        classes, codes = labels(y, _num_samples(X))
        validate_data(self, X, reset=True, skip_check_array=True)
        X = X.tocsr() if sparse.issparse(X) else X  # some sparse formats cannot be taken apart by rows
        check_fit_params(self, fit_params, codes.size)
        self.classes_, codes = classes_with_weight(classes, codes, fit_params)
        self.code_ = self._code(self.classes_, lambda: separation_of(X, codes, self.classes_.size, fit_params))
        self._fit_columns(X, codes, fit_params)
        self.n_iter_ = max(iterations_of(model) for model in self.estimators_)
        return self

    def _fit_columns(self, X: Any, codes: np.ndarray, fit_params: dict[str, Any]) -> None:
        """Fit the two-class problems, and say once what was not certified."""
        n_columns, missed = self.code_.shape[1], list[str]()
        outer, begun = gathered.set(missed), Begun(n_columns)
        try:
            copies = seeded_copies(self.estimator, n_columns, self.random_state)
            with progress_line(self, begun):
                self.estimators_ = fit_columns(Columns(copies, self.code_, X, codes, fit_params), self.n_jobs, begun)
        finally:
            gathered.reset(outer)
        claims = tuple(map(certificate_of, self.estimators_))
        self.certificate_ = Collected(self.code_, claims).named(self.classes_)
        if missed:
            warn_not_certified(
                f"{len(missed)} of the {n_columns} two-class problems of {type(self).__name__} were not certified. "
                f"The first of them: {missed[0]}",
                depth=2,
            )

    @also_for_blocks
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
        check_is_fitted(self)
        X = X.tocsr() if sparse.issparse(X) else X
        if self.classes_.size == 2:
            return self._column_scores(X).ravel() * self.code_[1, 0]
        return self._class_scores(X)

    def indeterminate(self, X: Any) -> Claims:
        """Say which rows no class claims, and which several claim; `predict` decides all the same.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or whatever the estimator takes
            The rows.

        Returns
        -------
        Claims
            Which classes claim which rows. A class claims a row where the classifiers that know the class are for it,
            but for as many as the code corrects; one against the rest, where its own plane is.
        """
        check_is_fitted(self)
        return Claims(self._claimed(self._column_scores(X)), self.classes_)

    @property
    def coef_(self) -> Vector:
        """Normals of the two-class planes, one row for each problem, where the estimator has them."""
        return np.concatenate([model.coef_ for model in self.estimators_])

    @property
    def intercept_(self) -> Vector:
        """Offsets of the two-class planes, where the estimator has them."""
        return np.concatenate([np.atleast_1d(model.intercept_) for model in self.estimators_])

    def _code(self, classes: np.ndarray, separation: Callable[[], Vector]) -> np.ndarray:
        """The code for these classes; `separation` computes how far they are apart in the data."""
        raise NotImplementedError

    def _decode(self, scores: Vector) -> Vector:
        """Scores of the classes from those of the columns."""
        raise NotImplementedError

    def _claimed(self, scores: Vector) -> np.ndarray:
        """Which classes claim which rows, given the scores of the columns."""
        return claimed_within(scores, self.code_, n_corrected(self.code_))

    def _class_scores(self, X: Any) -> Vector:
        """Scores of the classes, of a part of the rows at a time where all scores of columns would be many."""
        count = _num_samples(X) * self.code_.shape[1] // MAX_SCORES
        return in_parts(lambda part: self._decode(self._column_scores(part)), X, count)

    def _column_scores(self, X: Any) -> Vector:
        """The scores of all two-class problems, a column each; those of planes are the same for every container."""
        check_is_fitted(self)
        if all(is_plane(model) for model in self.estimators_):
            return self.estimators_[0]._scores(X, PlanesOfCode(self.coef_, self.intercept_, self._decode))
        return np.column_stack([positive_score(model, X) for model in self.estimators_])
