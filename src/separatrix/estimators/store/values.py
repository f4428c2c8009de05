"""Values of models as trees of JSON, and back: numbers, text, containers, arrays, and the classes that files may hold.

In a tree, numbers, text, true, false, null and lists stand for themselves; every object says by its first key what it
stands for. No object names anything to import or to call but those classes.
"""

from collections import UserList
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.errors import OptionError
from separatrix.estimators.store import arrays
from separatrix.estimators.store.arrays import UnfitError, shown
from separatrix.estimators.store.checks import (
    check_fitted,
    check_names,
    check_parameters,
    check_record,
    is_known,
)
from separatrix.estimators.store.classes import (
    EARLIER_RECORDS,
    ENUMS,
    LEFT_OUT,
    MARKS,
    model_class,
    record_fields,
    records,
    stored_models,
)
from separatrix.kernels import Function
from separatrix.rows import read_only

Tree = dict[str, Any]
HELD = "Model files hold numbers, text, arrays and models of known classes, no code."


def write_value(value: Any, place: str) -> Any:
    """A value as a tree; `place` says in messages what it is."""
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind in (int, float):
        return arrays.write_number(value)
    if kind is list:
        return [write_value(each, place) for each in value]
    if kind is tuple:
        return {"tuple": [write_value(each, place) for each in value]}
    if isinstance(value, UserList):  # in which some versions of scikit-learn keep columns
        return [write_value(each, place) for each in value]
    if kind is slice:
        return {"slice": [write_value(each, place) for each in (value.start, value.stop, value.step)]}
    if kind in (set, frozenset):
        found = [(repr(each), write_value(each, place)) for each in value]
        return {kind.__name__: [tree for _, tree in sorted(found, key=lambda pair: pair[0])]}
    if isinstance(value, Mapping):
        return {"dict": [[write_value(key, place), write_value(each, place)] for key, each in value.items()]}
    if kind.__name__ in ENUMS and kind is ENUMS[kind.__name__]:
        return {"enum": kind.__name__, "member": value.name}
    if records().get(kind.__name__) is kind:
        return write_record(value)
    if hasattr(value, "get_params") and not isinstance(value, type):
        return write_model(value, place)
    return write_numpy(value, place)


def write_numpy(value: Any, place: str) -> Any:
    """What NumPy has: arrays, scalars, types. Anything else is refused."""
    try:
        if isinstance(value, np.generic):
            return arrays.write_scalar(value)
        if type(value) in (np.ndarray, np.memmap):
            return arrays.write_array(np.asarray(value))
        if type(value) is sparse.csr_array:
            return arrays.write_csr(value)
        if is_number_type(value):
            return {"dtype": np.dtype(value).name}
    except OptionError as problem:
        raise OptionError(f"{place} cannot be stored: it is {problem}. {HELD}") from None
    if isinstance(value, Function) or (callable(value) and "'kernel'" in place):
        raise OptionError(
            f"{place} cannot be stored: {shown(value)} is Python code, and model files hold none. Use a kernel of "
            "separatrix.kernels, or fit to the matrix of its values with kernel='precomputed'."
        )
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        raise OptionError(f"{place} cannot be stored: {shown(value)}. Use a whole number or None for random numbers.")
    raise OptionError(f"{place} cannot be stored: {shown(value)}, of the type {type(value).__name__}. {HELD}")


def is_number_type(value: Any) -> bool:
    """Whether a value is a type of numbers of NumPy, as such or by its class."""
    known = isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic))
    return known and np.dtype(value).name in arrays.INTEGER_TYPES + arrays.FLOAT_TYPES


def write_record(record: Any) -> Tree:
    """A dataclass or named tuple, by its fields."""
    name = type(record).__name__
    values = {each: getattr(record, each) for each in record_fields(records()[name])}
    return {
        "class": name,
        "fields": {each: write_value(value, f"{each!r} of {name}") for each, value in values.items()},
    }


def write_model(model: Any, place: str) -> Tree:
    """A model: the parameters of its constructor, and what fit made of it."""
    name = type(model).__name__
    if not is_known(model):
        known = ", ".join(sorted(stored_models()))
        raise OptionError(f"{place} cannot be stored: {shown(model)}, a class that files do not know. Known: {known}.")
    parameters = model.get_params(deep=False)
    found = {each: value for each, value in vars(model).items() if each not in parameters and each not in LEFT_OUT}
    table = stored_models()[name].fitted
    strange = [each for each in found if each not in table and f"{each}?" not in table and each not in MARKS]
    if strange:
        raise OptionError(f"{name} has an attribute {strange[0]!r} that model files do not know: delete it first.")
    tree: Tree = {"class": name}
    tree["parameters"] = {
        each: write_value(value, f"The {each!r} parameter of {name}") for each, value in parameters.items()
    }
    if found:
        tree["fitted"] = {each: write_value(value, f"{each!r} of {name}") for each, value in found.items()}
    return tree


def read(tree: Any) -> Any:
    """The value that a tree stands for."""
    if isinstance(tree, list):
        return [read(each) for each in tree]
    if not isinstance(tree, dict):
        return tree
    tag = next(iter(tree.keys() & READERS.keys()), None)
    if tag is None:
        raise UnfitError(f"an object says by its key what it is, but this one has only {shown(', '.join(tree))}")
    reader, required, allowed = READERS[tag]
    check_names(tree, {tag, *required.split()}, set(allowed.split()))
    return reader(tree)


def read_class(tree: Tree) -> Any:
    """A record or a model."""
    name = tree["class"]
    if not isinstance(name, str) or not any(name in known for known in (records(), EARLIER_RECORDS, stored_models())):
        raise UnfitError(f"the class {shown(name)} is not known; a newer separatrix may know it")
    if name not in stored_models():
        check_names(tree, {"class", "fields"}, set())
        today, lacking = EARLIER_RECORDS.get(name, (name, {}))
        return read_record(today, {**read_part(name, "fields", tree["fields"]), **lacking})
    check_names(tree, {"class", "parameters"}, {"fitted"})
    model = read_model(name, read_part(name, "parameters", tree["parameters"]))
    if "fitted" in tree:
        found = read_part(name, "fitted", tree["fitted"])
        check_fitted(name, found)
        vars(model).update(found)
        try:
            getattr(model, "_check_stored", lambda: None)()
        except ValueError as problem:
            raise UnfitError(f"{name}: {problem}") from None
    return model


def read_part(name: str, part: str, trees: Any) -> dict[str, Any]:
    """The values of all names in a part of a class; a message says at which name the problem is."""
    if not isinstance(trees, dict):
        raise UnfitError(f"the {part} of {name} are an object, not {shown(trees)}")
    values = {}
    for each, tree in trees.items():
        try:
            values[each] = read(tree)
        except UnfitError as problem:
            raise UnfitError(f"{name}.{each}: {problem}" if len(str(problem)) < 300 else str(problem)) from None
    return values


def read_record(name: str, values: dict[str, Any]) -> Any:
    """A dataclass or named tuple; its arrays are read-only, because it is a claim."""
    check_record(name, values)
    values = {each: with_read_only_arrays(value) for each, value in values.items()}
    upper = values.pop("upper", None)
    try:
        record = records()[name](**values) if upper is None else records()[name](upper)
    except ValueError as problem:
        raise UnfitError(f"{name}: {problem}") from None
    if upper is not None:  # a number with attributes
        vars(record).update(values)
    return record


def with_read_only_arrays(value: Any) -> Any:
    """A value with read-only arrays, also in tuples."""
    if type(value) is tuple:
        return tuple(with_read_only_arrays(each) for each in value)
    return read_only(value) if type(value) is np.ndarray else value


def read_model(name: str, parameters: dict[str, Any]) -> Any:
    """A model as its constructor makes it."""
    check_parameters(name, parameters)
    try:
        model: Any = model_class(name)(**parameters)
        if stored_models()[name].foreign:
            model._validate_params()
        if name == "Pipeline":
            model._validate_steps()
    except (TypeError, ValueError) as problem:
        raise UnfitError(f"{name}: {problem}") from None
    return model


def read_list(tag: str) -> Callable[[Tree], list[Any]]:
    """Make a reader of the entries of a list under a key."""

    def entries(tree: Tree) -> list[Any]:
        if not isinstance(tree[tag], list):
            raise UnfitError(f"a {tag} is a list, not {shown(tree[tag])}")
        return read(tree[tag])

    return entries


def read_set(tag: str, kind: type) -> Callable[[Tree], Any]:
    """Make a reader of a set of either kind."""

    def elements(tree: Tree) -> Any:
        found = read_list(tag)(tree)
        try:
            made = kind(found)
        except TypeError as problem:
            raise UnfitError(f"a set cannot hold such an element: {problem}") from None
        if len(made) < len(found):
            raise UnfitError("a set has an element twice")
        return made

    return elements


def read_dict(tree: Tree) -> dict[Any, Any]:
    """A dict, from a list of pairs."""
    pairs = read_list("dict")(tree)
    if not all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
        raise UnfitError("a dict is a list of pairs")
    try:
        found = dict(pairs)
    except TypeError as problem:
        raise UnfitError(f"a dict cannot have such a key: {problem}") from None
    if len(found) < len(pairs):
        raise UnfitError("a dict has a key twice")
    return found


def read_slice(tree: Tree) -> slice:
    """A slice of columns, by numbers or names."""
    parts = read_list("slice")(tree)
    if len(parts) != 3 or not all(part is None or type(part) in (int, str) for part in parts):
        raise UnfitError(f"a slice has three numbers or names, not {shown(parts)}")
    return slice(*parts)


def read_enum(tree: Tree) -> Any:
    """A member of an enumeration, by its name."""
    name, member = tree["enum"], tree["member"]
    members = ENUMS[name].__members__ if isinstance(name, str) and name in ENUMS else {}  # type: ignore[attr-defined]
    if not isinstance(member, str) or member not in members:
        raise UnfitError(f"{shown(member)} is no member of {shown(name)}")
    return members[member]


# The key that says what an object is, how it is read, and its other keys: those it must have and those it may.
READERS: Mapping[str, tuple[Callable[[Tree], Any], str, str]] = {
    "class": (read_class, "", "parameters fitted fields"),
    "array": (arrays.read_array, "shape values", "order index"),
    "csr": (arrays.read_csr, "data indices indptr", ""),
    "scalar": (arrays.read_scalar, "value", ""),
    "float": (lambda tree: arrays.read_non_finite(tree["float"]), "", ""),
    "int": (lambda tree: arrays.read_integer(tree["int"]), "", ""),
    "tuple": (lambda tree: tuple(read_list("tuple")(tree)), "", ""),
    "slice": (read_slice, "", ""),
    "set": (read_set("set", set), "", ""),
    "frozenset": (read_set("frozenset", frozenset), "", ""),
    "dict": (read_dict, "", ""),
    "enum": (read_enum, "member", ""),
    "dtype": (lambda tree: arrays.read_type(tree["dtype"]), "", ""),
}
