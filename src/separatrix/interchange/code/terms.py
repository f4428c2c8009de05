"""What a linear model adds up, in the units of its columns: the preparation is part of the coefficients.

    g(x) = b + sum over numbers of c x + sum over words of the coefficient of the word

Of a column that was brought to (x - m) / s the coefficient is w / s, and b is less by w m / s.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.prepared_column import MISSING, OTHER, PRESENT, PreparedColumn
from separatrix.errors import OptionError
from separatrix.estimators.base import LinearClassifier
from separatrix.estimators.regression.linear_regressor import PlaneRegressor


class Number(NamedTuple):
    """A column of numbers: its name, a coefficient for each plane, and what stands for a missing value, if any can."""

    name: str
    weights: np.ndarray
    median: float | None


class Word(NamedTuple):
    """A column of words: its name, and coefficients for each plane of each word, of all others and of a missing one."""

    name: str
    weights: Mapping[str, np.ndarray]
    other: np.ndarray
    missing: np.ndarray


class Presence(NamedTuple):
    """A column of which only matters whether it has a value: coefficients of both."""

    name: str
    present: np.ndarray
    missing: np.ndarray


class Terms(NamedTuple):
    """All that is added up for each plane, the labels (None: a number is predicted), and whether rows are tables."""

    offsets: np.ndarray
    columns: list[Number | Word | Presence]
    labels: list[Any] | None
    named: bool

    @property
    def n_planes(self) -> int:
        """How many scores there are: one for two classes or a number, else one for each class."""
        return self.offsets.size


def terms_of(model: Any) -> Terms:
    """What a fitted linear model, or a pipeline of a Preparation and one, adds up."""
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]
    final = steps[-1]
    check_is_fitted(final)
    by_planes = isinstance(final, LinearClassifier) and final._scores_by_planes()
    if not (by_planes or isinstance(final, PlaneRegressor)):
        raise OptionError(
            f"{type(final).__name__} does not predict by w.x + b alone, so it has no plain code. Linear models have; "
            "to_onnx takes kernel machines."
        )
    W, b = np.atleast_2d(final.coef_), np.atleast_1d(final.intercept_)
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        raise OptionError("This model has infinite coefficients, which plain code does not hold.")
    labels = None if isinstance(final, PlaneRegressor) else final.classes_.tolist()
    if len(steps) == 1:
        names = getattr(final, "feature_names_in_", None)
        known = [f"x{j + 1}" for j in range(W.shape[1])] if names is None else [str(name) for name in names]
        columns: list[Any] = [Number(name, w, None) for name, w in zip(known, W.T, strict=True)]
        return Terms(b, columns, labels, names is not None)
    preparation = steps[0]
    if len(steps) > 2 or not isinstance(preparation, Preparation) or not preparation.columns_ or preparation.dates_:
        raise OptionError(
            "Plain code is made of a linear model, or of a Preparation of numbers and words, without dates, and one. "
            f"Got {', '.join(type(step).__name__ for step in steps)}."
        )
    return prepared_terms(preparation, W, b, labels)


def prepared_terms(preparation: Preparation, W: np.ndarray, b: np.ndarray, labels: list[Any] | None) -> Terms:
    """What the planes of prepared columns add up, in the units of the columns."""
    columns: list[Any] = []
    offsets, first = b.copy(), 0
    for column in preparation.columns_:
        own = W[:, first : first + len(column.features)]
        first += len(column.features)
        if column.kind == "number":
            weights = own[:, 0] / column.scale
            offsets = offsets - weights * column.centre
            columns.append(Number(column.name, weights, column.median))
        elif column.kind == "text":
            columns.append(word_terms(column, own))
        elif column.kind == "presence":
            known = dict(zip(column.categories, own.T, strict=True))
            nothing = np.zeros(len(W))
            columns.append(Presence(column.name, known.get(PRESENT, nothing), known.get(MISSING, nothing)))
    return Terms(offsets, columns, labels, True)


def word_terms(column: PreparedColumn, own: np.ndarray) -> Word:
    """The coefficients of the words of a column."""
    known, nothing = dict(zip(column.categories, own.T, strict=True)), np.zeros(len(own))
    words = {word_of(name): weights for name, weights in known.items() if name not in (MISSING, OTHER)}
    return Word(column.name, words, known.get(OTHER, nothing), known.get(MISSING, nothing))


def word_of(category: str) -> str:
    """The word of a category, which is in quotes where it reads like the category of missing or of other words.

    >>> word_of("blue"), word_of("'(other)'")
    ('blue', '(other)')
    """
    quoted = category.startswith("'") and category.strip("'") in (MISSING, OTHER)
    return category[1:-1] if quoted else category
