"""Data divided into stratified folds, with features that are prepared within each of them.

What `compare` and `validation_curve` find of the same data with the same seed, they find on the same folds.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import check_random_state

from separatrix.data.encode import features, labels
from separatrix.data.folds import Fold, stratified_folds, stratified_sample, usable_folds
from separatrix.data.prepare.frames import frame_rows, is_frame
from separatrix.errors import DataError, OptionError, counted
from separatrix.estimators.fit_cost import Size
from separatrix.selection.measures.judging import ClassJudge
from separatrix.selection.measures.metrics import ERROR, Metric, metric_of
from separatrix.selection.splitting import checked_groups, is_count, layers_of, splits_of, splitting_note
from separatrix.solvers.options import whole

MAX_CACHED_BYTES = 1e9  # prepared rows of all folds: five of 50,000 rows with 500 features


class PreparedRows(ABC):
    """The training and test rows of every fold, prepared by a transformer fitted to the training rows alone.

    The transformer is fitted once for each fold, and the prepared rows are kept for all methods. Only rows of all
    folds that would exceed MAX_CACHED_BYTES are prepared again whenever they are asked for. A subclass says how
    predictions are judged.
    """

    def __init__(self, X: Any, y: np.ndarray, folds: tuple[Fold, ...], preparation: Any, n_classes: int = 2) -> None:
        self.X, self.y, self.folds, self.preparation = X, y, folds, preparation
        self.layers = layers_of(folds, y.size)
        self.repeats = max(self.layers) + 1
        self.cache: dict[int, tuple[Any, Any]] = {}
        train, test = self.prepare(0)
        self.size = size_of(train, n_classes)
        self.caches = preparation is not None and (n_bytes(train) + n_bytes(test)) * len(folds) <= MAX_CACHED_BYTES
        if self.caches:
            self.cache[0] = train, test

    @property
    def test_train_ratio(self) -> float:
        """The number of test rows divided by the number of training rows."""
        return sum(fold.test.size for fold in self.folds) / sum(fold.train.size for fold in self.folds)

    def rows(self, k: int) -> tuple[Any, Any]:
        """Prepared training rows and test rows of fold k."""
        if not self.caches:
            return self.prepare(k)
        if k not in self.cache:
            self.cache[k] = self.prepare(k)
        return self.cache[k]

    def prepare(self, k: int) -> tuple[Any, Any]:
        """Fit the preparation to the training rows of fold k, and transform these and the test rows."""
        train, test = (some_rows(self.X, index) for index in self.folds[k])
        if self.preparation is None:
            return train, test
        fitted = clone(self.preparation)
        return fitted.fit_transform(train, self.y[self.folds[k].train]), fitted.transform(test)

    @abstractmethod
    def judge(self, k: int) -> Any:
        """What judges a model by the test rows of fold k; it can be sent to another process."""


class PreparedFolds(PreparedRows):
    """Folds of rows that have classes: predictions are class codes, errors are rates or those of another metric."""

    def __init__(
        self,
        X: Any,
        codes: np.ndarray,
        classes: np.ndarray,
        folds: tuple[Fold, ...],
        preparation: Any,
        metric: Metric = ERROR,
    ) -> None:
        self.codes, self.classes, self.metric = codes, classes, metric
        super().__init__(X, classes[codes], folds, preparation, classes.size)

    def judge(self, k: int) -> ClassJudge:
        """The classes of the test rows of fold k, and the metric."""
        return ClassJudge(self.codes[self.folds[k].test], self.classes, self.metric)


def n_bytes(rows: Any) -> float:
    """The memory of prepared rows, approximately."""
    return 8.0 * (2 * rows.nnz if sparse.issparse(rows) else np.prod(getattr(rows, "shape", 0)))


def size_of(X: Any, n_classes: int) -> Size:
    """The numbers that the cost of a fit depends on."""
    if not hasattr(X, "shape") or len(X.shape) != 2:
        raise DataError(
            f"The prepared rows must be an array, a sparse matrix or a frame with columns. Got {type(X).__name__}. "
            "Give a preparation whose transform returns one."
        )
    n, d = X.shape
    stored = X.nnz / max(n, 1) if sparse.issparse(X) else float(d)
    return Size(n, d, stored, n_classes, sparse.issparse(X))


Folds = TypeVar("Folds", bound=PreparedRows)


@dataclass(frozen=True, eq=False)
class Split(Generic[Folds]):
    """The folds with their rows, the rows of the data that are in them, and sentences on what was done."""

    data: Folds
    index: np.ndarray
    n_folds: int
    seed: int
    notes: list[str]


def split_data(
    X: Any,
    y: Any,
    *,
    cv: Any,
    repeats: int,
    preparation: Any,
    sample: int | None,
    random_state: Any,
    groups: Any = None,
    scoring: Any = None,
    positive: Any = None,
) -> Split[PreparedFolds]:
    """Divide data into folds, stratified unless a splitter divides them; the options are those of `compare`.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> split = split_data(X, y, cv=5, repeats=1, preparation=None, sample=100, random_state=0)
    >>> split.index.size, split.data.size.rows, len(split.data.folds)
    (100, 80, 5)
    """
    classes, codes = labels(y, row_count(X))
    metric = metric_of(scoring, classes, np.bincount(codes, minlength=classes.size), positive)
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    whole("repeats", repeats)
    own = checked_groups(groups, codes.size)
    stratified = is_count(cv) and own is None
    n_folds = usable_folds(codes, classes, whole("cv", cv, least=2)) if stratified else 2
    notes = [] if n_folds == cv or not stratified else [fewer_folds_note(codes, classes, n_folds, cv)]
    rows, transformer, preparation_note = choose_preparation(X, preparation)
    index = np.arange(codes.size)
    if sample is not None and (stratified or is_count(cv)):  # a splitter of the user's own names rows of all data
        index = stratified_sample(codes, whole("sample", sample), n_folds, seed)
    if index.size < codes.size:
        notes.append(f"A stratified sample of {index.size:,} out of {codes.size:,} rows was used (sample={sample}).")
        rows, codes = some_rows(rows, index), codes[index]
    if stratified:
        folds = stratified_folds(codes, n_folds, repeats, seed)
    else:
        own = None if own is None else own[index]
        folds = splits_of(cv, classes[codes], own, seed, classes=True)
        n_folds = len(folds)
        notes += splitting_note(cv, own)
    data = PreparedFolds(rows, codes, classes, folds, transformer, metric)
    return Split(data, index, n_folds, seed, [*notes, preparation_note])


def row_count(X: Any) -> int:
    """The number of rows of data of any kind."""
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and shape:
        return int(shape[0])
    try:
        return len(X)
    except TypeError:
        raise DataError(
            f"X must be an array, a sparse matrix, a frame, or have len and a method rows(index). Got "
            f"{type(X).__name__}."
        ) from None


def has_rows_method(X: Any) -> bool:
    """Whether X selects rows by a method `rows(index)`; that of a polars frame means something else."""
    return not is_frame(X) and callable(getattr(X, "rows", None))


def some_rows(X: Any, index: np.ndarray) -> Any:
    """Select rows of data of any kind: by their own method `rows`, of a frame, an array, a sparse matrix or a list.

    >>> some_rows(["a", "b", "c"], np.array([0, 2]))
    ['a', 'c']
    """
    if has_rows_method(X):
        return X.rows(index)
    if is_frame(X):
        return frame_rows(X, index)
    if hasattr(X, "iloc"):  # a single column of pandas, whose brackets mean labels
        return X.iloc[index]
    if isinstance(X, (list, tuple)):
        return [X[i] for i in index]
    return X[index]


def fewer_folds_note(codes: np.ndarray, classes: np.ndarray, n_folds: int, requested: int) -> str:
    """Why there are fewer folds than requested."""
    rarest = classes.tolist()[int(np.bincount(codes).argmin())]
    return f"{n_folds} folds in place of {requested}, as the class {rarest!r} has {counted(n_folds, 'row')} only."


def choose_preparation(X: Any, preparation: Any) -> tuple[Any, Any, str]:
    """The rows, the transformer to fit in each fold or None, and a sentence on it."""
    if preparation is not None and not isinstance(preparation, str):
        if isinstance(preparation, type) or not (hasattr(preparation, "fit") and hasattr(preparation, "transform")):
            raise OptionError(
                f"The 'preparation' parameter must be an unfitted transformer, 'none' or None. Got {preparation!r}."
            )
        rows = X.tocsr() if sparse.issparse(X) else X
        kind = type(preparation).__name__
        name = "The preparation" if kind == "Preparation" else kind
        return rows, preparation, f"{name} was fitted to the training rows of each fold alone."
    if preparation not in (None, "none"):
        raise OptionError(f"The 'preparation' parameter must be a transformer, 'none' or None. Got {preparation!r}.")
    if has_rows_method(X):
        raise DataError(
            f"X is a {type(X).__name__}, whose rows only a 'preparation' can turn into numbers. Give one: a "
            "transformer with fit and transform that takes such objects."
        )
    matrix = features(X)
    if preparation == "none" or sparse.issparse(matrix):
        return matrix, None, "The features were used as they come."
    from sklearn.preprocessing import StandardScaler

    return matrix, StandardScaler(), "Columns were standardised by the training rows of each fold."
