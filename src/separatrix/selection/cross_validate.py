"""One method on all folds: fitted to the training rows and tested with the others."""

import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from separatrix.certificates import Collected
from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.errors import counted
from separatrix.rows import Vector
from separatrix.selection.comparison import Proofs
from separatrix.selection.prepared_folds import PreparedRows
from separatrix.selection.regularization_path import last_step


class Trial(NamedTuple):
    """The results of a method on all folds; `predicted` has shape (repeats, n), or none where it failed."""

    predicted: np.ndarray
    errors: Vector
    fit_seconds: float
    predict_seconds: float
    proofs: Proofs | None
    warnings: tuple[str, ...]
    failure: str = ""


class FoldResult(NamedTuple):
    """What is predicted for the test rows of one fold (class codes or numbers), the times, and the fitted model."""

    predicted: np.ndarray
    fit_seconds: float
    predict_seconds: float
    model: Any


def cross_validate(estimator: Any, data: PreparedRows, proceed: Callable[[int], bool]) -> Trial | None:
    """Fit and test a method on all folds.

    `proceed` is called after each fold with the number of folds done; where it returns False before the last, the
    result is None. An exception of the method ends the trial and is its failure; KeyboardInterrupt is passed on.
    """
    results: list[FoldResult] = []
    caught: list[tuple[int, warnings.WarningMessage]] = []
    n_folds = len(data.folds)
    for k in range(n_folds):
        rows = data.rows(k)
        with warnings.catch_warnings(record=True) as messages:
            warnings.simplefilter("always")
            result = fit_fold(estimator, data, k, *rows)
        caught += [(k, message) for message in messages]
        if isinstance(result, str):
            failure = f"{result} (fold {k + 1} of {n_folds})"
            return Trial(np.empty((0, 0), int), np.empty(0), 0.0, 0.0, None, summarise(caught, n_folds), failure)
        results.append(result)
        if not proceed(k + 1) and k + 1 < n_folds:
            return None
    return combine(results, data, summarise(caught, n_folds))


def fit_fold(estimator: Any, data: PreparedRows, k: int, train: Any, test: Any) -> FoldResult | str:
    """Fit and test a method on fold k; returns the error message where it raises one."""
    try:
        start = time.perf_counter()
        model = clone(estimator).fit(train, data.y[data.folds[k].train])
        fitted = time.perf_counter()
        predicted = data.predicted(model, test)
        return FoldResult(predicted, fitted - start, time.perf_counter() - fitted, model)
    except Exception as problem:  # of any kind: one method that fails must not spoil the table
        return first_line(problem)


def first_line(problem: Exception) -> str:
    """The kind of an exception and the first line of its message."""
    return f"{type(problem).__name__}: {(str(problem).splitlines() or [''])[0]}"


def combine(results: list[FoldResult], data: PreparedRows, messages: tuple[str, ...]) -> Trial:
    """Predictions, errors, median times and proofs of all folds."""
    predicted = np.empty((data.repeats, data.y.size), dtype=results[0].predicted.dtype)
    for k, (fold, result) in enumerate(zip(data.folds, results, strict=True)):
        predicted[k * data.repeats // len(data.folds), fold.test] = result.predicted
    pairs = zip(data.folds, results, strict=True)
    return Trial(
        predicted,
        np.array([data.error(result.predicted, fold.test) for fold, result in pairs]),
        float(np.median([result.fit_seconds for result in results])),
        float(np.median([result.predict_seconds for result in results])),
        combine_proofs([certificate_of(result.model) for result in results]),
        messages,
    )


def certificate_of(model: Any) -> Any:
    """The certificate of a model, or of the last step of a pipeline."""
    return getattr(last_step(model), "certificate_", None)


def combine_proofs(certificates: list[Any]) -> Proofs | None:
    """The kinds of the certificates, how many of them prove the fit, and their largest error."""
    if any(certificate is None for certificate in certificates):
        return None
    parts = [part for each in certificates for part in (each.parts if isinstance(each, Collected) else (each,))]
    kinds = {type(part).__name__ for part in parts}
    proved = sum(map(proves_fit, certificates))
    worst = max(float(each.stated) for each in certificates)
    return Proofs(", ".join(sorted(kinds)), proved, len(certificates), worst)


def summarise(caught: list[tuple[int, warnings.WarningMessage]], n_folds: int) -> tuple[str, ...]:
    """The first warning of each category, and the number of folds with one."""
    folds: dict[str, set[int]] = {}
    first: dict[str, Any] = {}
    for k, warning in caught:
        category = warning.category.__name__
        folds.setdefault(category, set()).add(k)
        first.setdefault(category, warning.message)
    return tuple(f"{kind} in {len(folds[kind])} of {counted(n_folds, 'fold')}: {first[kind]}" for kind in first)
