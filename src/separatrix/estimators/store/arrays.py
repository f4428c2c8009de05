"""Arrays and numbers as JSON, without loss.

A float is written with the shortest digits that give the same float again; infinities and NaN are text. Arrays are flat
lists with their type and shape; where most entries are zero, only the others with their indices. Long arrays of numbers
are not for people to read: their little-endian bytes are compressed (zlib) and written as base64. Nothing is allocated
for a shape before the file has been seen to hold as many values as it needs.
"""

import base64
import binascii
import math
import re
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from separatrix.errors import OptionError

NON_FINITE = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan, "-nan": math.copysign(np.nan, -1.0)}
INTEGER_TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOAT_TYPES = ("float16", "float32", "float64")
TEXT_TYPE = re.compile(r"U([1-9][0-9]{0,8})")
PLAIN_TYPES = frozenset({bool, int, float, str, type(None)})
MAX_INTEGER_BITS = 8192  # beyond, whole numbers are text: Python reads more decimal digits only if told to
MIN_ENTRIES_FOR_INDEX = 32  # in smaller arrays zeros are written out
# Zeros or blanks that a file may leave out, and how many more for each value that it holds: a short file cannot ask for
# much memory.
MAX_IMPLIED_ENTRIES = 2**16
MAX_BLANK_CHARACTERS = 2**20
MAX_IMPLIED_PER_VALUE = 1000
MIN_ENTRIES_TO_COMPRESS = 1024  # shorter arrays are lists of numbers
MAX_COMPRESSION = 1100  # of zlib, as a ratio of bytes
BASE64_PER_LINE = 100


class UnfitError(ValueError):
    """A file holds a value that is not allowed where it stands; the message says which."""


def write_number(value: float | int) -> Any:
    """A Python number as JSON."""
    if isinstance(value, int):
        return value if value.bit_length() <= MAX_INTEGER_BITS else {"int": f"{value:x}"}
    return value if math.isfinite(value) else {"float": non_finite_word(value)}


def non_finite_word(value: float) -> str:
    """The word for a number that JSON does not have."""
    sign = "-" if math.copysign(1.0, value) < 0.0 else ""
    return sign + ("nan" if value != value else "inf")


def read_integer(text: Any) -> int:
    """A whole number of many digits."""
    if not isinstance(text, str) or not re.fullmatch("-?[0-9a-f]+", text):
        raise UnfitError(f"hexadecimal digits are expected, not {shown(text)}")
    return int(text, 16)


def read_non_finite(text: Any) -> float:
    """A number that JSON does not have."""
    if not isinstance(text, str) or text not in NON_FINITE:
        raise UnfitError(f"one of {', '.join(NON_FINITE)} is expected, not {shown(text)}")
    return NON_FINITE[text]


def write_scalar(value: np.generic) -> dict[str, Any]:
    """A NumPy scalar."""
    if isinstance(value, np.str_):
        return {"scalar": "str", "value": str(value)}
    return {"scalar": type_name(np.dtype(type(value)), value), "value": entries(np.atleast_1d(value))[0]}


def read_scalar(tree: Mapping[str, Any]) -> Any:
    """A NumPy scalar again."""
    name, value = tree["scalar"], tree["value"]
    if name == "str" and isinstance(value, str):
        return np.str_(value)
    if name not in INTEGER_TYPES + FLOAT_TYPES:
        raise UnfitError(f"the scalar type {shown(name)} is not known")
    return read_values(name, [value])[0]


def write_array(array: np.ndarray) -> dict[str, Any]:
    """An array with its type, its shape, and its order in memory where that is by columns."""
    tree: dict[str, Any] = {"array": type_name(array.dtype, array), "shape": list(array.shape)}
    by_columns = array.flags.f_contiguous and not array.flags.c_contiguous  # sums in another order round otherwise
    if by_columns:
        tree["order"] = "F"
    flat = array.ravel(order="F" if by_columns else "C")
    if array.dtype.kind in "fiu" and flat.size >= MIN_ENTRIES_FOR_INDEX:
        there = np.flatnonzero((flat != 0) | np.signbit(flat))
        if 2 * there.size < flat.size <= MAX_IMPLIED_ENTRIES + MAX_IMPLIED_PER_VALUE * there.size:
            long = there.size >= MIN_ENTRIES_TO_COMPRESS
            tree["index"], flat = compressed(there.astype(np.int64)) if long else there.tolist(), flat[there]
    long = array.dtype.kind in "fiu" and flat.size >= MIN_ENTRIES_TO_COMPRESS
    tree["values"] = compressed(flat) if long else entries(flat)
    return tree


def compressed(flat: np.ndarray) -> dict[str, Any]:
    """The numbers of a flat array as compressed bytes; whole numbers by their differences, which are small."""
    numbers = np.diff(flat, prepend=flat.dtype.type(0)) if flat.dtype.kind in "iu" else flat
    content = np.ascontiguousarray(numbers, dtype=flat.dtype.newbyteorder("<")).tobytes()
    text = base64.b64encode(zlib.compress(content, 6)).decode("ascii")
    lines = [text[at : at + BASE64_PER_LINE] for at in range(0, len(text), BASE64_PER_LINE)]
    return {"zlib": lines, "size": int(flat.size)}


def decompressed(name: Any, tree: Mapping[str, Any]) -> np.ndarray:
    """The numbers of a flat array again."""
    dtype = read_type(name)
    lines, size = tree.get("zlib"), tree.get("size")
    if set(tree) != {"zlib", "size"} or type(size) is not int or dtype.kind not in "fiu":
        raise UnfitError(f"compressed numbers have 'zlib' and 'size', not {shown(tree)}")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise UnfitError("compressed numbers are lines of base64")
    try:
        content = base64.b64decode("".join(lines), validate=True)
        if not 0 <= size * dtype.itemsize <= MAX_COMPRESSION * len(content):
            raise UnfitError(f"{len(content)} compressed bytes are too few for {size} numbers")
        reader = zlib.decompressobj()
        flat = np.frombuffer(reader.decompress(content, size * dtype.itemsize + 1), dtype=dtype.newbyteorder("<"))
    except (binascii.Error, zlib.error, ValueError) as problem:
        if isinstance(problem, UnfitError):
            raise
        raise UnfitError(f"compressed numbers are damaged: {problem}") from None
    if flat.size != size or reader.unconsumed_tail or not reader.eof:
        raise UnfitError(f"compressed numbers must be {size}, and there are others")
    with np.errstate(over="ignore"):
        return np.cumsum(flat, dtype=dtype) if dtype.kind in "iu" else flat.astype(dtype)


def read_array(tree: Mapping[str, Any]) -> np.ndarray:
    """An array again."""
    name, shape, values = tree["array"], tree["shape"], tree["values"]
    if not isinstance(shape, list) or not all(type(size) is int and size >= 0 for size in shape) or len(shape) > 32:
        raise UnfitError(f"a shape is a list of sizes, not {shown(shape)}")
    if not isinstance(values, (list, dict)):
        raise UnfitError(f"the values of an array are a list, not {shown(values)}")
    flat = read_values(name, values) if isinstance(values, list) else decompressed(name, values)
    order = tree.get("order", "C")
    if order not in ("C", "F"):
        raise UnfitError(f"the order of an array is C or F, not {shown(order)}")
    size = math.prod(shape)
    if "index" not in tree and size != flat.size:
        raise UnfitError(f"an array of the shape {shape} needs {size} values, and there are {flat.size}")
    if "index" in tree:
        flat = scatter(flat, tree["index"], size)
    try:
        return flat.reshape(shape, order=order)
    except (OverflowError, ValueError):
        raise UnfitError(f"an array of the shape {shape} cannot be") from None


def scatter(values: np.ndarray, index: Any, size: int) -> np.ndarray:
    """An array of zeros but for the values at an index."""
    if values.dtype.kind not in "fiu" or not size <= MAX_IMPLIED_ENTRIES + MAX_IMPLIED_PER_VALUE * values.size:
        raise UnfitError(f"{values.size} values are too few for an array of {size}")
    if isinstance(index, dict):
        places = decompressed("int64", index)
    else:
        places = read_values("int64", index if isinstance(index, list) else [index])
    inside = places.size == 0 or (places[0] >= 0 and places[-1] < size and bool((np.diff(places) > 0).all()))
    if places.size != values.size or not inside:
        raise UnfitError(f"the index of an array must hold {values.size} ascending places below {size}")
    into = np.zeros(size, dtype=values.dtype)
    into[places] = values
    return into


def write_csr(matrix: sparse.csr_array) -> dict[str, Any]:
    """A sparse matrix by its compressed rows."""
    parts = {name: write_array(getattr(matrix, name)) for name in ("data", "indices", "indptr")}
    return {"csr": list(matrix.shape), **parts}


def read_csr(tree: Mapping[str, Any]) -> sparse.csr_array:
    """A sparse matrix again, with finite numbers and ascending columns in each row."""
    shape, names = tree["csr"], ("data", "indices", "indptr")
    if not isinstance(shape, list) or len(shape) != 2 or not all(type(size) is int and size >= 0 for size in shape):
        raise UnfitError(f"the shape of a sparse matrix is two sizes, not {shown(shape)}")
    if not all(isinstance(tree[name], dict) and "array" in tree[name] for name in names):
        raise UnfitError("the parts of a sparse matrix are arrays")
    data, indices, indptr = parts = [read_array(tree[name]) for name in names]
    if [part.dtype.kind for part in parts] != ["f", "i", "i"] or not np.isfinite(data).all():
        raise UnfitError("the parts of a sparse matrix are finite numbers and their places")
    try:
        matrix = sparse.csr_array((data, indices, indptr), shape=tuple(shape))
        matrix.check_format(full_check=True)
    except (OverflowError, ValueError) as problem:
        raise UnfitError(f"the parts of a sparse matrix do not fit: {problem}") from None
    if indptr[-1] != data.size or not matrix.has_canonical_format:
        raise UnfitError("the columns of a sparse matrix must ascend in each row")
    return matrix


def type_name(dtype: np.dtype, value: Any) -> str:
    """The name of a type that arrays in files may have."""
    if dtype.kind == "U" and is_mostly_text(width := max(dtype.itemsize // 4, 1), np.ravel(value).tolist()):
        return f"U{width}"
    if dtype.kind == "O" and set(map(type, np.ravel(value).tolist())) <= PLAIN_TYPES:
        return "object"
    if dtype.name in INTEGER_TYPES + FLOAT_TYPES:
        return dtype.name
    raise OptionError(f"an array of {dtype.name}")


def read_type(name: Any) -> np.dtype:
    """The type of a name."""
    if name not in (*INTEGER_TYPES, *FLOAT_TYPES):
        raise UnfitError(f"the type {shown(name)} is not known")
    return np.dtype(name)


def entries(flat: np.ndarray) -> list[Any]:
    """The values of a flat array as JSON."""
    found = flat.tolist()
    if flat.dtype.kind == "O":
        return [write_number(value) if type(value) in (int, float) else value for value in found]
    if flat.dtype.kind == "f" and not np.isfinite(flat).all():
        return [value if math.isfinite(value) else non_finite_word(value) for value in found]
    return found


def read_values(name: Any, values: list[Any]) -> np.ndarray:
    """A flat array of the type of that name."""
    text = TEXT_TYPE.fullmatch(name) if isinstance(name, str) else None
    if text:
        return text_array(int(text[1]), values)
    if name == "object":
        return object_array(values)
    dtype = read_type(name)
    expected = {"b": bool, "f": float}.get(dtype.kind, int)
    if dtype.kind == "f":
        values = [NON_FINITE.get(value, value) if isinstance(value, str) else value for value in values]
    strange = next((value for value in values if type(value) is not expected), None)
    if strange is not None or None in values:
        raise UnfitError(f"an array of {name} cannot hold {shown(strange)}")
    if dtype.kind in "iu" and values and not np.iinfo(dtype).min <= min(values) <= max(values) <= np.iinfo(dtype).max:
        raise UnfitError(f"an array of {name} cannot hold numbers from {min(values)} to {max(values)}")
    with np.errstate(over="ignore"):
        array = np.array(values, dtype=dtype)
    if dtype.kind == "f" and dtype.name != "float64" and not np.array_equal(array, np.array(values), equal_nan=True):
        raise UnfitError(f"an array of {name} cannot hold numbers of more digits")
    return array


def text_array(width: int, values: list[Any]) -> np.ndarray:
    """A flat array of text, none of it longer than the width."""
    strange = next((value for value in values if not isinstance(value, str) or len(value) > width), None)
    if strange is not None or None in values:
        raise UnfitError(f"an array of texts of {width} characters cannot hold {shown(strange)}")
    if not is_mostly_text(width, values):
        raise UnfitError(f"{len(values)} texts of {width} characters are mostly blank")
    return np.array(values, dtype=f"U{width}")


def is_mostly_text(width: int, values: list[str]) -> bool:
    """Whether texts of this width hold enough characters: a short file must not ask for much memory."""
    return width * len(values) <= MAX_BLANK_CHARACTERS + MAX_IMPLIED_PER_VALUE * sum(map(len, values))


def object_array(values: list[Any]) -> np.ndarray:
    """A flat array of Python's own numbers and texts."""
    array = np.empty(len(values), dtype=object)
    array[:] = [read_plain(value) for value in values]
    return array


def read_plain(value: Any) -> Any:
    """A number or text again, as `write_number` has it."""
    if isinstance(value, dict) and len(value) == 1:
        tag = next(iter(value))
        value = read_integer(value[tag]) if tag == "int" else read_non_finite(value[tag]) if tag == "float" else value
    if type(value) not in PLAIN_TYPES:
        raise UnfitError(f"an array of objects cannot hold {shown(value)}")
    return value


def shown(value: Any) -> str:
    """A value in at most 60 characters, for a message."""
    if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:  # which Python would not turn into digits
        return f"a whole number of {value.bit_length()} bits"
    text = f"a {type(value).__name__} of {len(value)}" if isinstance(value, (list, dict)) else repr(value)
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
