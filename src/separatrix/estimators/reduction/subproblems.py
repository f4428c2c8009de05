"""Two-class problems of any classifier: what may be wrapped, copies of it, fits to parts of the rows, scores."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone, is_regressor
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.validation import _num_samples, has_fit_parameter

from separatrix.certificates import Certificate, Unproved
from separatrix.data.encode import check_several, features, row_weights
from separatrix.data.prepare.frames import frame_rows, is_frame
from separatrix.errors import DataError, OptionError
from separatrix.estimators.reduction.codes.adapted import class_separation
from separatrix.rows import Vector
from separatrix.threads import cut


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


def weights_of(fit_params: dict[str, Any], n: int) -> Vector:
    """The weights of the rows among what is passed on, or ones; of several the last, which is of the last step."""
    given = [value for name, value in fit_params.items() if name.split("__")[-1] == "sample_weight"]
    return row_weights(given[-1] if given else None, n)


def separation_of(X: Any, codes: np.ndarray, n_classes: int, fit_params: dict[str, Any]) -> Vector:
    """How many standard deviations the means of the classes are apart, as a matrix; rows with the number -1 are out."""
    matrix, weights = features(X), weights_of(fit_params, codes.size)
    kept = np.flatnonzero((codes >= 0) & (weights > 0))
    matrix, member = matrix[kept].astype(np.float64), np.zeros((kept.size, n_classes))
    member[np.arange(kept.size), codes[kept]] = weights[kept]
    if sparse.issparse(matrix):
        sums, squares = (matrix.T @ member).T, (matrix.power(2).T @ member).T
    else:
        matrix = matrix - weights[kept] @ matrix / weights[kept].sum()  # so that squares of large numbers do not cancel
        sums, squares = member.T @ matrix, member.T @ matrix**2
    return class_separation(sums, squares, member.sum(axis=0))


def fit_side(model: Any, X: Any, side: np.ndarray, fit_params: dict[str, Any]) -> Any:
    """Fit a model to the rows that a column of the code puts on a side; `side` is 0 for the others."""
    kept = np.flatnonzero(side)
    part = X if kept.size == side.size else some_rows(X, kept)
    return model.fit(part, side[kept], **some_values(fit_params, kept))


def some_rows(X: Any, index: np.ndarray) -> Any:
    """Rows of data of any kind, by their numbers."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        return X[index]
    return frame_rows(X, index) if is_frame(X) else _safe_indexing(X, index)


def in_parts(scores: Callable[[Any], Vector], X: Any, count: int) -> Vector:
    """Scores of rows of any kind, computed for so many parts of them one after the other, or at once."""
    n = _num_samples(X)
    if count < 2:
        return scores(X)
    return np.concatenate([scores(some_rows(X, np.arange(n)[part])) for part in cut(n, min(count, n))])


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


def is_plane(model: Any) -> bool:
    """Whether a fitted two-class model scores rows by its one public plane, and by nothing else."""
    by_planes = getattr(model, "_scores_by_planes", None)
    return by_planes is not None and by_planes() and model.coef_.shape[0] == 1


def iterations_of(model: Any) -> int:
    """The most iterations that a fitted model took for anything, 1 where it does not count them."""
    counts = np.atleast_1d(getattr(model, "n_iter_", None) or 1)
    return int(counts.max())


def certificate_of(model: Any) -> Certificate:
    """The certificate of a fitted model, or that it has none."""
    return getattr(model, "certificate_", None) or Unproved(f"{type(model).__name__} gives no certificate")
