"""One method on all folds: fitted to the training rows, tested with the others, with all that happens written down."""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone

from separatrix.certificates import Collected
from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.data.prepare.frames import is_frame
from separatrix.errors import DataError, counted
from separatrix.estimators.fit_cost import Size
from separatrix.rows import Vector
from separatrix.selection.comparison import Proofs
from separatrix.selection.folds import Fold

MOST_KEPT = 3e7  # bytes of prepared rows of all folds


def has_rows(X: Any) -> bool:
    """Whether some rows are to be had by a method `rows(index)`; that of a frame of polars means something else."""
    return not is_frame(X) and callable(getattr(X, "rows", None))


def some_rows(X: Any, index: np.ndarray) -> Any:
    """Some rows of data of any kind: by their own method `rows`, of a frame, an array, a sparse matrix or a list.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.selection.trials import some_rows
    >>> some_rows(["a", "b", "c"], np.array([0, 2]))
    ['a', 'c']
    """
    if has_rows(X):
        return X.rows(index)
    if is_frame(X):
        import narwhals as nw

        return nw.to_native(nw.from_native(X)[index])
    if hasattr(X, "iloc"):  # a single column of pandas, whose brackets mean labels
        return X.iloc[index]
    if isinstance(X, (list, tuple)):
        return [X[i] for i in index]
    return X[index]


class Prepared:
    """The rows of every fold, prepared by what was fitted to its training rows alone.

    They are kept for the next method, or prepared anew for it where all of them would not fit into memory.
    """

    def __init__(
        self, X: Any, codes: np.ndarray, classes: np.ndarray, folds: tuple[Fold, ...], preparation: Any
    ) -> None:
        self.X, self.codes, self.classes, self.folds, self.preparation = X, codes, classes, folds, preparation
        self.y = classes[codes]
        self.repeats = sum(fold.test.size for fold in folds) // codes.size
        self.kept: dict[int, tuple[Any, Any]] = {}
        self.keeps = preparation is not None
        first = self.rows(0)
        self.size = size_of(first[0], classes.size)
        if self.keeps and bytes_of(first) * len(folds) > MOST_KEPT:
            self.keeps, self.kept = False, {}

    @property
    def ratio(self) -> float:
        """Rows tested with for each row learnt from."""
        return sum(fold.test.size for fold in self.folds) / sum(fold.train.size for fold in self.folds)

    def rows(self, number: int) -> tuple[Any, Any]:
        """Training rows and test rows of a fold."""
        if number in self.kept:
            return self.kept[number]
        train, test = (some_rows(self.X, index) for index in self.folds[number])
        found = train, test
        if self.preparation is not None:
            fitted = clone(self.preparation)
            found = fitted.fit_transform(train, self.y[self.folds[number].train]), fitted.transform(test)
        if self.keeps:
            self.kept[number] = found
        return found


def bytes_of(rows: tuple[Any, Any]) -> float:
    """What prepared rows take, roughly."""
    return sum(8.0 * (part.nnz * 2 if sparse.issparse(part) else np.prod(part.shape)) for part in rows)


def size_of(X: Any, classes: int) -> Size:
    """What the cost of a fit depends on."""
    if not hasattr(X, "shape") or len(X.shape) != 2:
        raise DataError(
            f"The prepared rows must be an array, a sparse matrix or a frame with columns. Got {type(X).__name__}. "
            "Give a preparation whose transform returns one."
        )
    n, d = X.shape
    stored = X.nnz / max(n, 1) if sparse.issparse(X) else float(d)
    return Size(n, d, stored, classes, sparse.issparse(X))


class Trial(NamedTuple):
    """What a method did; `predicted` is by repeat and row, and empty where the method failed or was not finished."""

    predicted: np.ndarray
    errors: Vector
    fit_seconds: float
    predict_seconds: float
    proofs: Proofs | None
    warnings: tuple[str, ...]
    failure: str = ""


class Tested(NamedTuple):
    """What a method did with one fold."""

    predicted: np.ndarray
    fit_seconds: float
    predict_seconds: float
    model: Any


def run(estimator: Any, data: Prepared, go_on: Callable[[int], bool]) -> Trial | None:
    """Try a method on all folds; `go_on` is asked after each, with their number; None where it says no before the end.

    Whatever the method raises ends the trial and is its failure; only an interruption by the user is passed on.
    """
    tested: list[Tested] = []
    said: list[tuple[int, warnings.WarningMessage]] = []
    for number in range(len(data.folds)):
        rows = data.rows(number)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            outcome = attempt(estimator, data, number, *rows)
        said += [(number, message) for message in heard]
        if isinstance(outcome, str):
            failure = f"{outcome} (fold {number + 1} of {len(data.folds)})"
            return Trial(np.empty((0, 0), int), np.empty(0), 0.0, 0.0, None, gathered(said, len(data.folds)), failure)
        tested.append(outcome)
        if not go_on(number + 1) and number + 1 < len(data.folds):
            return None
    return summed_up(tested, data, gathered(said, len(data.folds)))


def attempt(estimator: Any, data: Prepared, number: int, train: Any, test: Any) -> Tested | str:
    """One fold, or why it failed."""
    try:
        return fitted_and_tested(estimator, train, data.y[data.folds[number].train], test, data.classes)
    except Exception as problem:  # of any kind: one method that fails must not spoil the table
        first_line = (str(problem).splitlines() or [""])[0]
        return f"{type(problem).__name__}: {first_line}"


def summed_up(tested: list[Tested], data: Prepared, said: tuple[str, ...]) -> Trial:
    """All folds together."""
    predicted = np.empty((data.repeats, data.codes.size), dtype=np.intp)
    for number, (fold, found) in enumerate(zip(data.folds, tested, strict=True)):
        predicted[number * data.repeats // len(data.folds), fold.test] = found.predicted
    errors = [np.mean(found.predicted != data.codes[fold.test]) for fold, found in zip(data.folds, tested, strict=True)]
    return Trial(
        predicted,
        np.array(errors),
        float(np.median([found.fit_seconds for found in tested])),
        float(np.median([found.predict_seconds for found in tested])),
        proofs_of([certificate_of(found.model) for found in tested]),
        said,
    )


def fitted_and_tested(estimator: Any, train: Any, y: np.ndarray, test: Any, classes: np.ndarray) -> Tested:
    """Fit, predict, and look whether what is predicted are classes."""
    start = time.perf_counter()
    model = clone(estimator).fit(train, y)
    between = time.perf_counter()
    labels = np.asarray(model.predict(test))
    end = time.perf_counter()
    if labels.shape != (test.shape[0],):
        raise DataError(f"predict gave an array of shape {labels.shape} for {counted(test.shape[0], 'row')}.")
    found = np.minimum(np.searchsorted(classes, labels), classes.size - 1)
    strange = labels[classes[found] != labels]
    if strange.size:
        raise DataError(f"predict gave the label {strange.tolist()[0]!r}, which is none of the classes.")
    return Tested(found, between - start, end - between, model)


def certificate_of(model: Any) -> Any:
    """The certificate of a model, or of the last step of a pipeline."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    return getattr(last, "certificate_", None)


def proofs_of(certificates: list[Any]) -> Proofs | None:
    """What the certificates of all folds say together."""
    if any(certificate is None for certificate in certificates):
        return None
    parts = [part for each in certificates for part in (each.parts if isinstance(each, Collected) else (each,))]
    kinds = dict.fromkeys(type(part).__name__ for part in parts)
    proved = sum(map(proves_fit, certificates))
    worst = max(float(each.stated) for each in certificates)
    return Proofs(", ".join(sorted(kinds)), proved, len(certificates), worst)


def gathered(said: list[tuple[int, warnings.WarningMessage]], n_folds: int) -> tuple[str, ...]:
    """The first warning of each kind, and in how many folds it was said."""
    kinds = dict.fromkeys(message.category.__name__ for _, message in said)
    texts = []
    for kind in kinds:
        same = [(number, message) for number, message in said if message.category.__name__ == kind]
        often = len({number for number, _ in same})
        texts.append(f"{kind} in {often} of {counted(n_folds, 'fold')}: {same[0][1].message}")
    return tuple(texts)
