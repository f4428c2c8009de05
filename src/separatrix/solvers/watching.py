"""Watching a solver at work: whoever asks for it is told of the iterates while the solver passes through them.

A solver tells what it has at each step, by names; with nobody watching that costs one lookup. A watcher sees the
solver's own arrays, which change in place afterwards: what it keeps it copies, and it changes none of them. Solvers
that make many steps in one compiled call make them one by one while they are watched, with the same bits.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

from separatrix.threads import one_core

Watcher: TypeAlias = Callable[[str, dict[str, Any]], None]

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


def tell(event: str, /, **iterate: Any) -> None:
    """Tell the watcher, if there is one, of an event and of what the solver has then."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(event, iterate)


def is_watched() -> bool:
    """Whether somebody watches."""
    return _watcher.get() is not None


@contextmanager
def watched_by(watcher: Watcher) -> Iterator[None]:
    """Have a watcher told of all that solvers do meanwhile, one problem after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.squares.ho_kashyap import ho_kashyap
    >>> seen = []
    >>> with watched_by(lambda event, iterate: seen.append(event)):
    ...     solution = ho_kashyap(Problem(np.array([[0.0], [1.0]]), np.array([0, 1])))
    >>> seen
    ['problem', 'step']
    """
    token = _watcher.set(watcher)
    try:
        with one_core():
            yield
    finally:
        _watcher.reset(token)
