"""Check that values are what a class declares, by its annotations or its fitted attributes."""

import sys
import types
from collections.abc import Callable, Mapping
from functools import cache
from numbers import Number
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from scipy import sparse

from separatrix.certificates import Certificate, MinimumErrors
from separatrix.estimators.store.arrays import UnfitError, shown
from separatrix.estimators.store.classes import MARKS, OUTPUT, model_class, record_fields, records, stored_models
from separatrix.estimators.store.fitted_attributes import (
    ArrayOf,
    ArraysOf,
    Finite,
    FittedModels,
    NotNegative,
    RowsOf,
    SizeOf,
    Transformers,
)

# Fields of records that are never below 0, whichever record has them.
NOT_NEGATIVE = frozenset(
    {"n_rows", "n_wrong", "n_exact", "mistakes", "rounding", "stated", "tol", "lower", "upper", "copies", "sizes"}
    | {"missing"}
)

ADDED_PARAMETERS = {"multi_class", "n_jobs", "verbose"}  # which earlier files lack; their defaults hold


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is what an annotation says; whole numbers will do for floats, truth values for no number.

    Examples
    --------
    >>> from separatrix.estimators.store.checks import fits
    >>> fits(1, float), fits(True, float), fits([1, 2], list[int]), fits([1, 2.5], list[int]), fits(None, int | None)
    (True, False, True, False, True)
    """
    hint = without_alias(hint)
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is Certificate:
        return is_certificate(value)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    if origin is Callable or hint is Callable:
        return callable(value)
    if np.ndarray in (origin, hint):
        kinds = np.dtype(get_args(parts[1])[0]).kind if parts else "iu"  # an array of no stated type holds row numbers
        return isinstance(value, np.ndarray) and value.dtype.kind in kinds
    if origin in (list, tuple, dict):
        return isinstance(value, origin) and holds(value, parts)
    if hint in (int, float):
        kinds = (int, np.integer) if hint is int else (int, float, np.integer, np.floating)
        plain = isinstance(value, kinds) and not isinstance(value, (bool, MinimumErrors))
        return plain and (hint is float or -(2**63) < value < 2**63)  # a count that NumPy can hold
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    return value is None if hint in (None, types.NoneType) else isinstance(value, origin or hint)


def without_alias(hint: Any) -> Any:
    """The type behind an alias: from NumPy 2.5 on, NDArray is an alias that typing does not resolve."""
    alias = get_origin(hint)
    return alias.__value__[get_args(hint)] if hasattr(alias, "__value__") else hint


def holds(value: Any, parts: tuple[Any, ...]) -> bool:
    """Whether the entries of a list, tuple or dict are what its annotation says."""
    if isinstance(value, dict):
        return all(fits(key, parts[0]) and fits(entry, parts[1]) for key, entry in value.items())
    if parts == (int,):  # whole numbers of any length, which vectors in exact arithmetic have
        return all(type(entry) is int for entry in value)
    if isinstance(value, list) or parts[-1] is Ellipsis:
        return all(fits(entry, parts[0]) for entry in value)
    return len(value) == len(parts) and all(map(fits, value, parts))


def is_certificate(value: Any) -> bool:
    """Whether a value is a certificate of a class that files may hold."""
    kind = type(value)
    return records().get(kind.__name__) is kind and hasattr(kind, "proof") and hasattr(kind, "restated")


@cache
def parameter_hints(model: type) -> Mapping[str, Any]:
    """The annotations of the parameters of a constructor."""
    return get_type_hints(model.__init__)  # type: ignore[misc]


def check_record(name: str, values: Mapping[str, Any]) -> None:
    """Refuse fields that a record cannot have."""
    record = records()[name]
    hints = record_fields(record)
    check_names(values, set(hints) - set(getattr(record, "optional_fields", ())), set(hints))
    sizes: dict[str, int] = {}
    for field, value in values.items():
        if not matches(value, hints[field], sizes) or (field in NOT_NEGATIVE and is_negative(value)):
            raise UnfitError(f"{field!r} of {name} cannot be {described(value)}")


def check_parameters(name: str, values: Mapping[str, Any]) -> None:
    """Refuse parameters of a type that a constructor does not take; the next fit checks the range of numbers."""
    model = model_class(name)
    known = set(model._get_param_names())  # type: ignore[attr-defined]
    check_names(values, set() if stored_models()[name].foreign else known - ADDED_PARAMETERS, known)
    hints = parameter_hints(model)
    for parameter, value in values.items():
        number = value is None or isinstance(value, (Number, np.generic))
        if not number and not fits(value, hints.get(parameter, Any)):
            raise UnfitError(f"the {parameter!r} parameter of {name} cannot be {shown(value)}")


def check_names(given: Mapping[str, Any], required: set[str], allowed: set[str]) -> None:
    """Refuse names that are missing or too many."""
    missing, surplus = sorted(required - given.keys()), sorted(given.keys() - required - allowed)
    if missing:
        raise UnfitError(f"{missing[0]!r} is missing")
    if surplus:
        raise UnfitError(f"{shown(surplus[0])} is not known there")


def check_fitted(name: str, values: Mapping[str, Any]) -> None:
    """Refuse fitted attributes that a model cannot have, or that do not fit each other."""
    table = stored_models()[name].fitted
    expected = {each.removesuffix("?"): what for each, what in table.items()}
    check_names(values, {each for each in table if not each.endswith("?")}, {*expected, *MARKS})
    sizes: dict[str, int] = {}
    for each, value in values.items():
        what = MARKS.get(each) or expected[each]
        if not matches(value, what, sizes):
            raise UnfitError(f"{each!r} of {name} cannot be {described(value)}")
    if "k" in sizes and (sizes["k"] < 2 or sizes.get("p", planes(sizes["k"])) != planes(sizes["k"])):
        raise UnfitError(f"{name} cannot have {sizes['k']} classes and {sizes.get('p', 'such')} planes")


def planes(n_classes: int) -> int:
    """How many planes tell so many classes apart."""
    return 1 if n_classes == 2 else n_classes


def matches(value: Any, what: Any, sizes: dict[str, int]) -> bool:
    """Whether a value is what its description says, with the sizes seen before; new sizes are added."""
    if isinstance(what, FittedModels):
        if not what.letter:
            return (value is None and not what.needed) or is_fitted(value)
        return isinstance(value, list) and all(map(is_fitted, value)) and has_sizes(sizes, what.letter, (len(value),))
    if isinstance(what, SizeOf):
        return type(value) is int and value >= 0 and has_sizes(sizes, what.letter, (value,))
    if isinstance(what, RowsOf):
        return are_rows(value, what, sizes)
    if isinstance(what, ArraysOf):
        arrays = isinstance(value, list) and all(isinstance(own, np.ndarray) and own.ndim == 1 for own in value)
        return (
            arrays
            and all(own.dtype.kind in what.kinds for own in value)
            and has_sizes(sizes, what.letter, (len(value),))
        )
    if isinstance(what, Transformers):
        return isinstance(value, list) and all(map(is_transformer, value))
    if isinstance(what, NotNegative):
        return fits(value, what.annotation) and not is_negative(value)
    if isinstance(what, Finite):
        return fits(value, what.annotation) and bool(abs(value) <= sys.float_info.max)
    if not isinstance(what, ArrayOf):
        return fits(value, what)
    if value is None:
        return what.optional
    if not isinstance(value, np.ndarray) or value.dtype.kind not in what.kinds:
        return False
    if what.values == "not NaN" and np.isnan(value).any():
        return False
    if what.values == "finite" and not np.isfinite(value).all():
        return False
    return has_sizes(sizes, what.shape, value.shape)


def are_rows(value: Any, what: RowsOf, sizes: dict[str, int]) -> bool:
    """Whether a value is rows that a kernel takes: finite numbers, numbers of rows, texts, or sets."""
    if sparse.issparse(value):
        return has_sizes(sizes, what.shape, value.shape)
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return bool(np.isfinite(value).all()) and has_sizes(sizes, what.shape, value.shape)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
        return has_sizes(sizes, what.shape[0], value.shape)
    rows = value.tolist() if isinstance(value, np.ndarray) and value.dtype.kind in "OU" else value
    if not isinstance(rows, list) or not has_sizes(sizes, what.shape[0], (len(rows),)):
        return False
    texts = all(isinstance(row, str) for row in rows)
    return texts or (isinstance(rows[0], (set, frozenset)) and not any(isinstance(row, str) for row in rows))


def is_transformer(entry: Any) -> bool:
    """Whether this is a name, a fitted model or a word for none, and columns by their names or numbers."""
    if not isinstance(entry, tuple) or len(entry) != 3 or not isinstance(entry[0], str):
        return False
    columns = entry[2].tolist() if isinstance(entry[2], np.ndarray) else entry[2]
    places = columns if isinstance(columns, list) else [columns]
    known = all(isinstance(place, (str, int, slice)) for place in places)
    return known and (entry[1] in ("drop", "passthrough") if isinstance(entry[1], str) else is_fitted(entry[1]))


def is_negative(value: Any) -> bool:
    """Whether a number, or one of several, is below 0 or no number at all."""
    if isinstance(value, tuple):
        return any(map(is_negative, value))
    return value is not None and not value >= 0


def has_sizes(sizes: dict[str, int], letters: str, shape: tuple[int, ...]) -> bool:
    """Whether a shape has the sizes that the letters stand for; a "*" at their end allows columns besides."""
    if not letters:
        return True
    if letters.endswith("*"):
        letters = letters[:-1]
        shape = shape[: len(letters)] if len(shape) <= len(letters) + 1 else shape
    if len(letters) != len(shape):
        return False
    return all(sizes.setdefault(letter, size) == size for letter, size in zip(letters, shape, strict=True))


def is_fitted(model: Any) -> bool:
    """Whether a model of a known class has been fitted; a pipeline, all its steps."""
    name = type(model).__name__
    if not is_known(model):
        return False
    if name == "Pipeline":
        return all(step in (None, "passthrough") or is_fitted(step) for _, step in model.steps)
    return bool(vars(model).keys() - set(model._get_param_names()) - {OUTPUT})


def check_widths(model: Any) -> None:
    """Refuse a pipeline whose preparation makes another number of features than the next step takes."""
    if type(model).__name__ != "Pipeline" or type(model[0]).__name__ != "Preparation" or len(model.steps) < 2:
        return
    made, taken = len(model[0].feature_names_out_), getattr(model[1], "n_features_in_", None)
    if taken not in (None, made):
        raise UnfitError(f"{type(model[1]).__name__} takes {taken} features, but Preparation makes {made}")


def is_known(model: Any) -> bool:
    """Whether the class of a model is one that files may hold, and not just one of the same name."""
    name = type(model).__name__
    return name in stored_models() and type(model) is model_class(name)


def described(value: Any) -> str:
    """A value as messages have it; of an array, its type and shape."""
    return f"{value.dtype} of shape {value.shape}" if isinstance(value, np.ndarray) else shown(value)
