"""The columns of a file for a model that has no Preparation: a bare estimator, or a pipeline of other transformers.

A model that was fitted to a frame knows the names of its columns. One that knows only their number takes the columns of
numbers, in their order. Which columns hold words is told by what the transformers have learnt of them.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from separatrix.data.encode import features
from separatrix.data.prepare.columns import Column, Columns, Words
from separatrix.data.prepare.numeric_columns import feature_columns, missing_columns, numbers_of, quoted
from separatrix.errors import DataError


class ModelColumns:
    """Takes from the columns of a file those that a fitted model was given, in its order.

    Parameters
    ----------
    model : fitted estimator or Pipeline
        What predicts.
    """

    target: str | None = None
    first_index_: int | None = None
    dates_: Mapping[str, str] = MappingProxyType({})
    reading_: Mapping[str, tuple[str, ...]] = MappingProxyType({})

    def __init__(self, model: Any) -> None:
        first = first_step(model)
        self.n_features = int(first.n_features_in_)
        self.named = hasattr(first, "feature_names_in_")
        given = getattr(first, "feature_names_in_", [f"x{j + 1}" for j in range(self.n_features)])
        self.names = tuple(str(name) for name in given)
        self.kinds = column_kinds(first, self.n_features)

    @property
    def kinds_(self) -> dict[str, str]:
        """Which columns hold words and which numbers, by their names where these are known."""
        return dict(zip(self.names, self.kinds, strict=True))

    def with_names_of(self, X: Any, labels_last: bool = False) -> "ModelColumns":
        """A copy that has the names of a file for columns without any; they then hold for all its rows."""
        if self.named or not isinstance(X, Columns):
            return self
        known = copy(self)
        if "text" in self.kinds:
            names = X.names[:-1] if labels_last and len(X.names) == self.n_features + 1 else X.names
            if len(names) != self.n_features:
                raise DataError(
                    f"The model takes {self.n_features} columns and knows no names of them, but the table has "
                    f"{len(X.names)}: {quoted(X.names)}. Give the columns that it was fitted to, in their order."
                )
            known.names = names
        else:
            known.names = feature_columns(X, self.names, labels_last)
        return known

    def table(self, X: Any) -> Any:
        """The columns of the model, in its order."""
        if not isinstance(X, Columns):
            return X
        absent = [name for name in self.names if name not in X.names]
        if absent:
            raise DataError(f"{missing_columns(absent, 'the model takes')} The columns are {quoted(X.names)}.")
        given = dict(zip(X.names, X.values, strict=True))
        return Columns(self.names, tuple(given[name] for name in self.names), len(X))

    def transform(self, X: Any) -> Any:
        """What the model takes: numbers, or for a model of words too an array of objects."""
        if not isinstance(X, Columns):
            return features(X)
        pairs = zip(self.names, self.table(X).values, self.kinds, strict=True)
        columns = [as_objects(own) if kind == "text" else numbers_of(name, own) for name, own, kind in pairs]
        if "text" not in self.kinds:
            return np.column_stack(columns)
        whole = np.empty((len(X), len(columns)), dtype=object)
        for j, own in enumerate(columns):
            whole[:, j] = own
        return whole


def first_step(model: Any) -> Any:
    """The step of a pipeline that gets the rows first."""
    if not isinstance(model, Pipeline):
        return model
    return next((first_step(step) for _, step in model.steps if step not in (None, "passthrough")), model)


def column_kinds(step: Any, n: int) -> tuple[str, ...]:
    """Which of the columns that a fitted step was given hold words: its categories or fillings do, or those inside."""
    step = first_step(step)
    if hasattr(step, "transformers_"):
        kinds = ["unused"] * n
        for name, inner, _ in step.transformers_:
            places = step._transformer_to_input_indices[name]
            own = ("number",) * len(places) if isinstance(inner, str) else column_kinds(inner, len(places))
            for place, kind in zip(places, own, strict=True):
                used = not (isinstance(inner, str) and inner == "drop")
                kinds[place] = "text" if "text" in (kind, kinds[place]) and used else kind if used else kinds[place]
        return tuple("text" if kind == "unused" else kind for kind in kinds)
    learnt = getattr(step, "categories_", None)
    if learnt is None:
        filled = np.asarray(getattr(step, "statistics_", ()))
        learnt = [[value] for value in filled.tolist()] if filled.dtype.kind == "O" else [[]] * n
    return tuple("text" if any(isinstance(value, str) for value in values) else "number" for values in learnt)


def as_objects(column: Column) -> Sequence[Any]:
    """A column of words as pandas has it, NaN where one is missing; numbers as they would be written."""
    if not isinstance(column, Words):
        return [np.nan if value != value else f"{value:g}" for value in np.asarray(column).tolist()]
    words = np.array([*column.words, np.nan], dtype=object)
    return words[column.codes]


def by_place(model: Any) -> Any:
    """A model that takes columns by their places, where a ColumnTransformer in it goes by their names.

    >>> import pandas as pd
    >>> from sklearn.compose import make_column_transformer
    >>> from sklearn.preprocessing import StandardScaler
    >>> scaler = make_column_transformer((StandardScaler(), ["b"])).fit(pd.DataFrame({"a": [1, 2], "b": [3.0, 5.0]}))
    >>> by_place(scaler).transform(np.array([[0, 4.0]])).tolist()
    [[0.0]]
    """
    if isinstance(model, Pipeline):
        steps = [(name, step if step in (None, "passthrough") else by_place(step)) for name, step in model.steps]
        return Pipeline(steps)
    model = copy(model)
    vars(model).pop("feature_names_in_", None)
    if hasattr(model, "transformers_"):
        places = model._transformer_to_input_indices
        model.transformers_ = [
            (name, inner if isinstance(inner, str) else by_place(inner), places[name])
            for name, inner, _ in model.transformers_
        ]
    return model
