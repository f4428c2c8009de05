"""The rows to choose with: their targets, groups and weights, checked once for all fits.

A part of them keeps all of these together, so that no fit, fold or test can mix them up.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

from separatrix.data.encode import features, labels, row_weights
from separatrix.data.task import check_numbers
from separatrix.errors import DataError, OptionError
from separatrix.estimators.base import Certified
from separatrix.rows import Vector
from separatrix.selection.grid_errors import Loss
from separatrix.selection.measures.judging import class_loss, number_loss
from separatrix.selection.measures.metrics import Judged, Metric, metric_of, scorer_metric
from separatrix.selection.prepared_folds import row_count, some_rows
from separatrix.selection.regularization_path import last_step
from separatrix.selection.splitting import checked_groups


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows X of any kind, and the label or number, the group and the weight of each.

    Attributes
    ----------
    X : rows
        Of numbers, sparse, a frame, or whatever the estimator takes; kernel values where `pairwise`.
    y : ndarray
        Labels, or numbers where `classes` is None.
    classes : ndarray or None
        All labels.
    groups, weights : ndarray or None
        Of each row.
    pairwise : bool
        Whether the columns of X are rows as well.
    """

    X: Any
    y: np.ndarray
    classes: np.ndarray | None
    groups: np.ndarray | None = None
    weights: Vector | None = None
    pairwise: bool = False

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> Self:
        """Check the data that an estimator is to be chosen with."""
        n = row_count(X)
        rows = X.tocsr() if sparse.issparse(X) else X
        if isinstance(model, Certified) and len(getattr(rows, "shape", ())) == 2:
            features(rows)  # an error names the row by the user's number, and not by that of a fold
        weights = None if sample_weight is None else row_weights(sample_weight, n)
        if weights is not None and not has_fit_parameter(last_step(model), "sample_weight"):
            raise OptionError(f"{type(last_step(model)).__name__} takes no sample_weight in fit. Leave it out.")
        if is_regressor(model):
            numbers, classes = check_numbers(y), None
            if numbers.size != n:
                raise DataError(f"X has {n} rows, but y has {numbers.size} numbers. Each row needs one.")
            target = numbers
        elif is_classifier(model):
            classes, codes = labels(y, n)
            target = classes[codes]
        else:
            raise OptionError(f"choose is for classifiers and regressors. Got {type(model).__name__}.")
        pairwise = bool(get_tags(model).input_tags.pairwise)
        return cls(rows, target, classes, checked_groups(groups, n), weights, pairwise)

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.y.size

    @property
    def codes(self) -> np.ndarray:
        """The class of each row, as a place in `classes`; all 0 where targets are numbers."""
        return np.zeros(self.n, dtype=np.intp) if self.classes is None else np.searchsorted(self.classes, self.y)

    def part(self, index: np.ndarray, columns: np.ndarray | None = None) -> Self:
        """Some rows; kernel values are those with some columns, by default with these rows."""
        rows = some_rows(self.X, index)
        if self.pairwise:
            rows = np.asarray(rows)[:, index if columns is None else columns]
        groups, weights = (None if each is None else each[index] for each in (self.groups, self.weights))
        return replace(self, X=rows, y=self.y[index], groups=groups, weights=weights)

    def metric(self, scoring: Any, positive: Any) -> Metric:
        """What is to be measured, by name, scorer or matrix of costs."""
        if self.classes is not None:
            return metric_of(scoring, self.classes, np.bincount(self.codes, minlength=self.classes.size), positive)
        return ABSOLUTE if scoring is None else scorer_metric(scoring)

    def loss(self, metric: Metric) -> Loss:
        """The metric as a function of a model, some of these rows, and their numbers."""
        if self.classes is None:
            return number_loss(self.y, metric, self.weights)
        return class_loss(self.codes, self.classes, metric, self.weights)


def absolute_error(judged: Judged) -> float:
    """The mean distance of predictions from the truth."""
    return judged.part(np.abs(judged.truth - judged.predicted))


ABSOLUTE = Metric("mean_absolute_error", "mean absolute error", "mean absolute error", absolute_error, in_percent=False)


def other_rows(sample: Sample, X: Any, y: Any) -> Sample:
    """Other rows to test with, which must have the features and labels of the sample."""
    n, target = row_count(X), np.asarray(y)
    if n != target.size or not n:
        raise DataError(
            f"'test' must be a pair (X, y) of as many rows as labels, at least one. Got {n} rows and {target.size}."
        )
    shapes: list[Any] = [getattr(each, "shape", ()) for each in (sample.X, X)]
    if all(len(shape) == 2 for shape in shapes) and shapes[0][1] != shapes[1][1]:
        raise DataError(f"The test rows have {shapes[1][1]} columns, and those to choose with {shapes[0][1]}.")
    if sample.classes is None:
        target = np.array(target, dtype=np.float64)
        if not np.isfinite(target).all():
            raise DataError("The targets of the test rows must be finite numbers.")
    elif not np.isin(target, sample.classes).all():
        strange = target[~np.isin(target, sample.classes)].tolist()[0]
        raise DataError(f"The test rows have the label {strange!r}, which no row to choose with has. Leave them out.")
    return Sample(X.tocsr() if sparse.issparse(X) else X, target, sample.classes)
