"""Loops compiled by numba, which is imported when the first of them is called.

Importing numba takes as long as many a fit, and whoever only imports the package should not wait for it. So what numba
has to know is noted here, and it is told all of it before it compiles. Without numba loops stay plain Python, and where
it cannot be loaded, as where memory is short, they do so with a warning.

Numba is imported, and compiles, in threads of their own. Ctrl-C raises KeyboardInterrupt at any line of the main
thread: there it would leave modules half imported, and locks of numba acquired for good.
"""

import logging  # noqa: F401, before a fork it takes a lock that imports need: imported here, it does so after us
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, wraps
from hashlib import sha256
from queue import SimpleQueue
from threading import RLock, Thread
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_noted: list[Callable[[Any], object]] = []  # what to do with numba.extending, once it is there
_telling = RLock()  # no thread may compile with half of what was noted
_failed: list[BaseException] = []  # why numba, which is installed, could not be loaded: it is not tried again
_held: list[Any] = []  # locks, while the process is copied
MAX_FORK_WAIT = 30.0  # seconds, for locks; what is compiled may need a lock that another module took for it


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
            ready = function if numba is None else compiling(numba, function)
        return ready(*arguments)

    overload(loop, jit_options={"_nrt": False}, strict=False)(lambda *arguments: function)
    return loop  # type: ignore[return-value]


def inner(function: Function) -> Function:
    """Let compiled loops call a function, which they compile into themselves; called from Python it stays Python."""
    options = {"forceinline": True, "_nrt": False}
    overload(function, jit_options=options, strict=False)(lambda *arguments: function)
    return function


def overload(function: Callable[..., Any], **options: Any) -> Callable[[Function], Function]:
    """Say what compiled loops run in place of a function: numba's decorator of this name, with its options.

    Only loops call it, so it needs no entry for C, which would take a few hundredths of the time of compiling.
    """
    options["jit_options"] = {"no_cfunc_wrapper": True} | options.get("jit_options", {})

    def note(choose: Function) -> Function:
        _noted.append(lambda extending: extending.overload(function, **options)(choose))
        return choose

    return note


def loaded() -> bool:
    """Whether numba is imported already, so that a compiled loop costs nothing but its own time."""
    return sys.modules.get("numba") is not None


def informed_numba() -> Any:
    """Import numba and tell it all that was noted; None where there is no numba."""
    return apart(told_numba) if _noted or not loaded() else told_numba()


def told_numba() -> Any:
    """Do so in the thread that calls."""
    with _telling:
        if _failed:
            return None
        try:
            import numba.extending
        except ModuleNotFoundError:
            return None
        except (ImportError, OSError, MemoryError) as failure:
            _failed.append(failure)
            warn_not_loaded(failure)
            return None
        while _noted:  # an import in another thread may add to it
            _noted[0](numba.extending)
            del _noted[0]
        return numba


def compiling(numba: Any, function: Callable[..., Any]) -> Any:
    """Numba's function that compiles itself for each type of arguments, and keeps what it compiled on disk."""
    with _telling:  # the first time numba makes its target, under a lock that a copy of the process would miss
        ready = numba.njit(nogil=True, _nrt=False)(function)
    compile_for = ready.compile
    ready.compile = lambda signature: apart(lambda: compile_for(signature))
    try:
        ready._cache = cache_class()(function)
    except (RuntimeError, OSError):  # there is no folder to write to
        warn_not_kept()
    return ready


def warn_not_loaded(failure: BaseException) -> None:
    """Say what it costs that numba cannot be loaded, as where memory is short."""
    warnings.warn(
        f"numba is installed but could not be loaded ({' '.join(str(failure).split())[:120]}), so loops run in plain "
        "Python, many times slower. It needs some 300 MB of address space: allow more memory (ulimit -v), or import "
        "numba before the data are loaded.",
        RuntimeWarning,
        stacklevel=2,
    )


@cache
def warn_not_kept() -> None:
    """Say once what it costs that compiled loops cannot be kept."""
    warnings.warn(
        "Compiled loops cannot be kept on disk, and every process compiles them anew: neither the folder of separatrix "
        "nor the cache of the user can be written to. Set NUMBA_CACHE_DIR to a folder that can.",
        RuntimeWarning,
        stacklevel=2,
    )


@cache
def cache_class() -> Any:
    """Define numba's cache of compiled loops so that files which are damaged, or cannot be written, do no harm."""
    from numba.core.caching import CompileResultCacheImpl, FunctionCache
    from numba.core.serialize import dumps

    class Sealed(CompileResultCacheImpl):
        """Machine code with a checksum: numba would run whatever a file holds."""

        def reduce(self, result: Any) -> tuple[bytes, bytes]:
            content = dumps(super().reduce(result))
            return sha256(content).digest(), content

        def rebuild(self, target: Any, sealed: Any) -> Any:
            checksum, content = sealed
            if sha256(content).digest() != checksum:
                raise ValueError("the checksum of a compiled loop does not fit")
            return super().rebuild(target, pickle.loads(content))

    class Cache(FunctionCache):
        """What cannot be read is compiled again and replaced; what cannot be written is not kept."""

        _impl_class = Sealed

        def load_overload(self, *signature: Any) -> Any:
            try:
                return super().load_overload(*signature)
            except Exception:  # unpickling what is damaged raises anything
                with suppress(OSError):
                    self.flush()

        def save_overload(self, *result: Any) -> None:
            with suppress(OSError):
                super().save_overload(*result)

    return Cache


def apart(call: Callable[[], Any]) -> Any:
    """What a call returns or raises in a thread of its own, which goes on where the wait for it is interrupted."""
    ended = SimpleQueue[tuple[Any, BaseException | None]]()

    def run() -> None:
        try:
            ended.put((call(), None))
        except BaseException as failure:
            ended.put((None, failure))

    try:
        Thread(target=run, daemon=True).start()
    except RuntimeError:  # no thread can be started, as at the end of the process
        return call()
    found, failure = ended.get()
    if failure is not None:
        raise failure
    return found


def before_fork() -> None:
    """Wait until no thread imports numba or compiles: a copy of the process has its locks, but not that thread."""
    _held.extend(lock for lock in locks() if lock.acquire(timeout=MAX_FORK_WAIT))


def locks() -> Iterator[Any]:
    """What a thread holds while it imports numba, and what one holds while it compiles, once numba is there."""
    yield _telling
    compiler = sys.modules.get("numba.core.compiler_lock")
    if compiler is not None:
        yield compiler.global_compiler_lock._lock


def after_fork() -> None:
    """Let threads compile again, in the process and in its copy."""
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=before_fork, after_in_parent=after_fork, after_in_child=after_fork)
