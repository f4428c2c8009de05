"""Predictions for rows in blocks: those of Blocks one block after the other, those of dask collections lazily."""

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple, TypeVar

import numpy as np

from separatrix.data.blocks.blocks import Blocks
from separatrix.data.blocks.census import length
from separatrix.data.blocks.dask_source import is_dask, is_dask_array
from separatrix.errors import DataError, first_few

Method = TypeVar("Method", bound=Callable[..., Any])


def also_for_blocks(method: Method) -> Method:
    """Let a method that predicts for rows, `method(model, X)`, take Blocks and dask collections for X, too.

    Blocks give an array for all rows, a dask array a dask array, and a dask dataframe a dask series, or a dask
    dataframe where there are several numbers for a row.
    """

    @wraps(method)
    def predicted(model: Any, X: Any) -> Any:
        if type(X) is not np.ndarray:
            if isinstance(X, Blocks):
                return predicted_blocks(Prediction(model, method.__name__), X)
            if is_dask(X):
                return predicted_lazily(Prediction(model, method.__name__), X)
        return method(model, X)

    return predicted  # type: ignore[return-value]


class Prediction(NamedTuple):
    """A model and the name of one of its methods; can be pickled as the model can."""

    model: Any
    name: str

    def __call__(self, X: Any) -> Any:  # noqa: D102, the class says it
        return getattr(self.model, self.name)(X)


def predicted_blocks(prediction: Prediction, blocks: Blocks) -> np.ndarray:
    """What a model says of all rows, in their order."""
    check_names(prediction.model, blocks.feature_names)
    found = []
    with without_names():
        for block, raw in enumerate(blocks.rows()):
            if not length(raw):
                continue
            try:
                found.append(prediction(raw.X))
            except DataError as refusal:
                raise raw.located(refusal, blocks.source.place(block)) from None
    if not found:
        raise DataError("There are no rows in any block, so that there is nothing to predict.")
    return np.concatenate(found)


def check_names(model: Any, names: tuple[str, ...]) -> None:
    """Refuse features of other names than those of the fit."""
    known = getattr(model, "feature_names_in_", None)
    if known is not None and names and list(map(str, known)) != list(names):
        raise DataError(
            f"The blocks have the features {first_few(list(names))}, but {type(model).__name__} was fitted with "
            f"{first_few(list(map(str, known)))}. Give it the same, in this order."
        )


class without_names(warnings.catch_warnings):  # noqa: N801
    """Keep scikit-learn from warning of features without names, where these are known for all blocks."""

    def __enter__(self) -> Any:
        log = super().__enter__()
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return log


def predicted_lazily(prediction: Prediction, X: Any) -> Any:
    """What a model says of the rows of a dask collection, as one that is cut in the same way."""
    if not is_dask_array(X):
        sample = OfFrames(prediction)(X._meta_nonempty)
        return X.map_partitions(OfFrames(prediction), meta=sample.iloc[:0])
    X = X.rechunk({1: -1})
    with without_names():
        sample = prediction(np.zeros((1, X.shape[1])))
    each = OfArrays(prediction, sample[:0])
    if sample.ndim == 1:
        return X.map_blocks(each, drop_axis=1, dtype=sample.dtype, meta=sample[:0])
    chunks = X.chunks[0], (sample.shape[1],)
    return X.map_blocks(each, chunks=chunks, dtype=sample.dtype, meta=sample[:0])


class OfArrays(NamedTuple):
    """Predictions for a chunk of a dask array, which may have no rows."""

    prediction: Prediction
    none: np.ndarray

    def __call__(self, X: Any) -> np.ndarray:  # noqa: D102, the class says it
        if not X.shape[0]:
            return self.none
        with without_names():
            return np.asarray(self.prediction(X))


class OfFrames(NamedTuple):
    """Predictions for a partition of a dask dataframe, with its index."""

    prediction: Prediction

    def __call__(self, frame: Any) -> Any:  # noqa: D102, the class says it
        import pandas

        some = frame if len(frame) else pandas.DataFrame(np.zeros((1, frame.shape[1])), columns=frame.columns)
        found = np.asarray(self.prediction(some))[: len(frame)]
        if found.ndim == 1:
            return pandas.Series(found, index=frame.index)
        classes = getattr(self.prediction.model, "classes_", ())
        columns = list(classes) if len(classes) == found.shape[1] else range(found.shape[1])
        return pandas.DataFrame(found, index=frame.index, columns=columns)
