"""Results of passes as text and arrays, and back: reading runs no code, whatever the file holds.

Numbers, text and lists are JSON; arrays stand beside it and are named there by their number; tuples, named tuples and
objects of classes of this package are written as their class and their fields. A value that is made of anything else
has no such form.
"""

import importlib
import json
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np

PACKAGE = "separatrix"


class UnstorableError(TypeError):
    """A value is of a type that has no plain form."""


class DamagedError(ValueError):
    """Text and arrays do not make a value."""


def taken_apart(value: Any) -> tuple[str, list[np.ndarray]]:
    """The text of a value, and its arrays.

    >>> from separatrix.data.runners.plain_values import put_together, taken_apart
    >>> text, arrays = taken_apart((1.5, {"sums": np.arange(2)}))
    >>> text
    '{"tuple": [1.5, {"dict": [["sums", {"array": 0}]]}]}'
    >>> put_together(text, arrays)
    (1.5, {'sums': array([0, 1])})
    """
    arrays: list[np.ndarray] = []
    return json.dumps(tree_of(value, arrays)), arrays


def put_together(text: str, arrays: list[np.ndarray]) -> Any:
    """The value of a text and its arrays."""
    try:
        return value_of(json.loads(text), arrays)
    except (LookupError, TypeError, ValueError, AttributeError, ImportError) as problem:
        raise DamagedError(str(problem)) from None


def tree_of(value: Any, arrays: list[np.ndarray]) -> Any:
    """The tree of JSON for a value, whose arrays are added to the list."""
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is float:
        return value if np.isfinite(value) else {"float": value.hex() if value == value else "nan"}
    if kind is int:
        return value if abs(value) < 2**53 else {"int": f"{value:x}"}
    if kind is Fraction:
        return {"fraction": [f"{value.numerator:x}", f"{value.denominator:x}"]}
    if isinstance(value, (np.ndarray, np.generic)):
        if value.dtype.hasobject or value.dtype.fields:
            raise UnstorableError(f"an array of {value.dtype}")
        arrays.append(np.asarray(value))
        return {"array" if isinstance(value, np.ndarray) else "scalar": len(arrays) - 1}
    if kind is list:
        return [tree_of(each, arrays) for each in value]
    if kind is tuple:
        return {"tuple": [tree_of(each, arrays) for each in value]}
    if kind is frozenset:
        return {"set": [tree_of(each, arrays) for each in sorted(value)]}
    if kind is dict:
        return {"dict": [[tree_of(key, arrays), tree_of(each, arrays)] for key, each in value.items()]}
    names = fields_of(kind)
    return {
        "class": f"{kind.__module__}:{kind.__qualname__}",
        "fields": [tree_of(getattr(value, n), arrays) for n in names],
    }


def value_of(tree: Any, arrays: list[np.ndarray]) -> Any:
    """The value of a tree of JSON."""
    if isinstance(tree, list):
        return [value_of(each, arrays) for each in tree]
    if not isinstance(tree, dict):
        return tree
    tag, content = next(iter(tree.items()))
    match tag:
        case "float":
            return float.fromhex(content)
        case "int":
            return int(content, 16)
        case "fraction":
            return Fraction(*(int(each, 16) for each in content))
        case "array":
            return arrays[content]
        case "scalar":
            return arrays[content][()]
        case "tuple":
            return tuple(value_of(each, arrays) for each in content)
        case "set":
            return frozenset(value_of(each, arrays) for each in content)
        case "dict":
            return {value_of(key, arrays): value_of(each, arrays) for key, each in content}
        case "class":
            return object_of(content, [value_of(each, arrays) for each in tree["fields"]])
    raise DamagedError(f"an object of the kind {tag!r:.60}")


def fields_of(kind: type) -> list[str]:
    """The fields of a named tuple or a dataclass of this package."""
    if kind.__module__.partition(".")[0] != PACKAGE or "<" in kind.__qualname__:
        raise UnstorableError(f"an object of {kind.__module__}.{kind.__qualname__}")
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return list(kind._fields)
    if is_dataclass(kind):
        return [each.name for each in fields(kind)]
    raise UnstorableError(f"an object of {kind.__module__}.{kind.__qualname__}, which has no list of fields")


def object_of(name: str, values: list[Any]) -> Any:
    """An object of a class of this package, with these fields; neither its class nor anything else is called."""
    module, _, path = name.partition(":")
    if module.partition(".")[0] != PACKAGE:
        raise DamagedError(f"an object of {name!r:.60}")
    kind: Any = importlib.import_module(module)
    for part in path.split("."):
        kind = getattr(kind, part)
    if not isinstance(kind, type):
        raise DamagedError(f"{name!r:.60} is no class")
    names = fields_of(kind)
    if issubclass(kind, tuple):
        return tuple.__new__(kind, values)
    made = object.__new__(kind)
    for field, value in zip(names, values, strict=True):
        object.__setattr__(made, field, value)
    return made
