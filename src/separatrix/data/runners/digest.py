"""A hash of what a pass asks: of its functions and all that they hold, equal in every process.

Pickles of functions differ from one process to the next. So functions are hashed by their names and what they were
given; arrays by their numbers; files by their size and the time of their last change; other objects by their class
and attributes, but for those that are private or computed once. An object that has a `fingerprint` is hashed by that.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

MAX_BYTES_HASHED = 2**24  # of one array; of a larger one, as many in pieces from all over it
PIECES = 64


def digest(value: Any) -> str:
    """The hash of a value.

    >>> from separatrix.data.runners.digest import digest
    >>> def scaled(by):
    ...     return lambda block: by * block
    >>> digest(scaled(2.0)) == digest(scaled(2.0)), digest(scaled(2.0)) == digest(scaled(3.0))
    (True, False)
    """
    whole = hashlib.sha256()
    for part in pieces(value, ()):
        whole.update(len(part).to_bytes(8, "little"))
        whole.update(part)
    return whole.hexdigest()


def pieces(value: Any, around: tuple[int, ...]) -> Iterator[bytes]:
    """What is hashed of a value: its type, then its parts; what is among its own parts is hashed once."""
    yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
    if id(value) in around or isinstance(value, ModuleType):
        return
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, type)):
        yield value.__qualname__.encode() if isinstance(value, type) else repr(value).encode()
    elif isinstance(value, np.memmap) and value.filename is not None:
        yield repr((value.shape, value.dtype, value.offset)).encode()
        yield from pieces(Path(value.filename), around)
    elif isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        yield from array_pieces(np.asarray(value))
    elif isinstance(value, Path):
        yield str(value).encode("utf-8", "surrogateescape")
        if value.is_file():
            yield repr((value.stat().st_size, value.stat().st_mtime_ns)).encode()
    else:
        for part in parts(value):
            yield from pieces(part, (*around, id(value)))


def array_pieces(array: np.ndarray) -> Iterator[bytes]:
    """The type, the shape and the numbers of an array; of a long one, some from all over it."""
    yield repr((array.dtype, array.shape)).encode()
    flat = array.reshape(-1)
    step = flat.size // PIECES if array.nbytes > MAX_BYTES_HASHED else 0
    size = MAX_BYTES_HASHED // PIECES // max(1, array.itemsize)
    for first in range(0, flat.size, step) if step else [0]:
        yield np.ascontiguousarray(flat[first : first + size] if step else flat).tobytes()


def parts(value: Any) -> list[Any]:
    """What an object holds."""
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, np.ndarray):
        return value.ravel().tolist()
    if isinstance(value, dict):
        return [part for pair in value.items() for part in pair]
    if isinstance(value, (set, frozenset)):
        return sorted(map(digest, value))
    if isinstance(value, FunctionType):
        return function_parts(value)
    if isinstance(value, MethodType):
        return [value.__func__, value.__self__]
    if isinstance(value, partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, Callable) and hasattr(value, "__name__"):  # type: ignore[arg-type]
        return [getattr(value, "__module__", ""), value.__name__]
    if hasattr(value, "fingerprint"):
        return [value.fingerprint]
    if is_dataclass(value):
        return [part for each in fields(value) for part in (each.name, getattr(value, each.name))]
    held = getattr(value, "__dict__", {})
    return [part for name in sorted(held) if not name.startswith("_") for part in (name, held[name])]


def function_parts(function: FunctionType) -> list[Any]:
    """The name of a function, its bytecode, its default values, and the variables around it that it uses."""
    cells = [cell.cell_contents for cell in function.__closure__ or () if cell_is_full(cell)]
    code = function.__code__
    return [
        function.__module__,
        function.__qualname__,
        code.co_code,
        code.co_names,
        [each for each in code.co_consts if isinstance(each, (int, float, str, bytes, tuple, type(None)))],
        function.__defaults__,
        function.__kwdefaults__,
        cells,
    ]


def cell_is_full(cell: Any) -> bool:
    """Whether a variable around a function has a value yet."""
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
