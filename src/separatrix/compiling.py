"""Loops compiled by numba, which is imported when the first of them is called.

Importing numba takes as long as many a fit, and whoever only imports the package should not wait for it. So what numba
has to know is noted here, and it is told all of it before it compiles. Without numba loops stay plain Python.
"""

import sys
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_noted: list[Callable[[Any], object]] = []  # what to do with numba.extending, once it is there
_telling = Lock()  # no thread may compile with half of what was noted


def compiled(function: Function) -> Function:
    """Compile a loop with numba, once for each type and kept on disk; without numba leave it plain Python.

    The loop runs outside the interpreter's lock and cannot be interrupted: keep a call below `rows.ENTRIES_A_CALL`.
    Arguments are given by place, not by name.
    """
    ready: Callable[..., Any] | None = None

    @wraps(function)
    def loop(*arguments: Any) -> Any:
        nonlocal ready
        if ready is None:
            numba = informed_numba()
            ready = function if numba is None else numba.njit(cache=True, nogil=True, _nrt=False)(function)
        return ready(*arguments)

    overload(loop, jit_options={"_nrt": False}, strict=False)(lambda *arguments: function)
    return loop  # type: ignore[return-value]


def inner(function: Function) -> Function:
    """Let compiled loops call a function, which they compile into themselves; called from Python it stays Python."""
    options = {"forceinline": True, "_nrt": False}
    overload(function, jit_options=options, strict=False)(lambda *arguments: function)
    return function


def overload(function: Callable[..., Any], **options: Any) -> Callable[[Function], Function]:
    """Say what compiled loops run in place of a function: numba's decorator of this name, with its options."""

    def note(choose: Function) -> Function:
        _noted.append(lambda extending: extending.overload(function, **options)(choose))
        return choose

    return note


def loaded() -> bool:
    """Whether numba is imported already, so that a compiled loop costs nothing but its own time."""
    return sys.modules.get("numba") is not None


def informed_numba() -> Any:
    """Import numba and tell it all that was noted; None where there is no numba."""
    try:
        import numba.extending
    except ImportError:
        return None
    with _telling:
        while _noted:  # an import in another thread may add to it
            _noted[0](numba.extending)
            del _noted[0]
    return numba
