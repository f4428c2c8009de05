"""Declarations of fitted attributes, which model files check: made beside each class, merged here.

A class says by `_fitted_attributes` what `fit` adds to that of its bases: a mapping from the names of attributes, with
a "?" after those that may be missing, to a type annotation or to one of the descriptions below. Shapes are given by a
letter for each size, which is the same wherever it stands in one model: d features, k classes, p planes (one for two
classes, else k). Other letters mean nothing beyond the one model. A "*" after the letters allows columns besides.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Values = Literal["any", "not NaN", "finite"]


@dataclass(frozen=True)
class ArrayOf:
    """An array: the kinds of number it may hold, as `numpy.dtype.kind` has them, and its shape, any if not given."""

    kinds: str
    shape: str = ""
    optional: bool = False  # whether None will do
    values: Values = "any"


@dataclass(frozen=True)
class SizeOf:
    """A whole number that is itself a size."""

    letter: str


@dataclass(frozen=True)
class NotNegative:
    """A number of this type that is not below 0."""

    annotation: Any


@dataclass(frozen=True)
class Finite:
    """A number of this type that is neither NaN nor infinite."""

    annotation: Any


@dataclass(frozen=True)
class FittedModels:
    """A list of fitted models, as many as the letter says; without a letter one fitted model, or None if not needed."""

    letter: str = ""
    needed: bool = False


@dataclass(frozen=True)
class ArraysOf:
    """A list of arrays with numbers or texts of these kinds, as many as the letter says."""

    kinds: str
    letter: str


@dataclass(frozen=True)
class Transformers:
    """What a ColumnTransformer does to which columns: names, fitted models or words for none, and columns."""


@dataclass(frozen=True)
class RowsOf:
    """Rows of a kernel: numbers, dense or CSR, of this shape; texts or sets, one for each; or numbers of rows."""

    shape: str


COUNT = NotNegative(int)
FINITE = Finite(float)
LABELS = "biufUO"  # kinds of array that class labels may come in


def floats(shape: str = "", values: Values = "not NaN") -> ArrayOf:
    """An array of floats."""
    return ArrayOf("f", shape, values=values)


def fitted_attributes(estimator: type) -> Mapping[str, Any]:
    """All attributes that a fitted estimator has: those of its class and of its bases.

    Examples
    --------
    >>> from separatrix import LMSClassifier
    >>> from separatrix.estimators.store.fitted_attributes import fitted_attributes
    >>> fitted_attributes(LMSClassifier)["coef_"].shape
    'pd'
    """
    merged: dict[str, Any] = {}
    for base in reversed(estimator.__mro__):
        merged.update(vars(base).get("_fitted_attributes", {}))
    return merged
