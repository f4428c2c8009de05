"""Stretches of rows side by side, one on each core.

NumPy and SciPy each bring a BLAS with threads of its own. Between small products in turn from both, the threads of one
wait busily while those of the other work: two cores are then slower than one. So linear algebra gets one thread in a
fit, and the cores get stretches of the rows. How these are cut depends on the rows alone, and their sums are added in
order, so that the answer is the same on any number of cores, unless single products are so large that linear algebra
keeps its threads.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import cache
from threading import Lock, get_ident
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

LARGE = 2e10  # operations of a product from which on threads of its own are worth it
ENTRIES = 2**18  # numbers in a stretch, some tenths of a millisecond of work
FEWEST = 4  # stretches that are worth waking threads for
MOST = 32  # stretches
ROOM = 2**24  # numbers that stretches may make together, unless the rows have more

Part = TypeVar("Part")
Found = TypeVar("Found")

_cores = ContextVar[int | None]("cores", default=None)  # that a job may use, where that is settled


@cache
def libraries() -> list[Any]:
    """The libraries that have threads; looking for them takes some milliseconds."""
    return ThreadpoolController().select(user_api="blas").lib_controllers


class Limit:
    """The limit of one thread for linear algebra, which holds for the whole process.

    Where fits overlap in time, the thread that set it gives the others back when it ends: OpenBLAS lets no other thread
    do so. A fit that goes on after that is none the worse but for threads that wait.
    """

    def __init__(self) -> None:
        self.lock, self.owner, self.depth = Lock(), 0, 0
        self.before: list[int] = []  # threads of each library

    def __enter__(self) -> None:
        with self.lock:
            if not self.depth:
                self.owner, self.before = get_ident(), counts()
                set_counts([1] * len(self.before))
            self.depth += self.owner == get_ident()

    def __exit__(self, *_: object) -> None:
        with self.lock:
            if self.depth and self.owner == get_ident():
                self.depth -= 1
                if not self.depth:
                    set_counts(self.before)

    def cores(self) -> int:
        """How many threads there are, or were before they were limited."""
        with self.lock:
            return max(self.before if self.depth else counts(), default=1)


_limit = Limit()


def counts() -> list[int]:
    """How many threads each library may use now."""
    return [library.num_threads or 1 for library in libraries()]


def set_counts(threads: list[int]) -> None:
    """Let each library use so many threads."""
    for library, count in zip(libraries(), threads, strict=True):
        library.set_num_threads(count)


def cores() -> int:
    """How many threads linear algebra may use, or could before it was limited to one."""
    settled = _cores.get()
    return _limit.cores() if settled is None else settled


@contextmanager
def threads_for(operations: float) -> Iterator[None]:
    """Limit linear algebra to one thread, unless its products take so many operations each that more are quicker."""
    if operations >= LARGE:
        yield
        return
    with _limit:
        yield


def stretches(n: int, entries: int, made: int = 1) -> list[slice]:
    """Slices of n rows with so many numbers in all, each worth a thread of its own, and the numbers made of it memory.

    Examples
    --------
    >>> from separatrix.threads import stretches
    >>> stretches(100, 2_000)
    [slice(0, 100, None)]
    >>> stretches(100, 4 * 2**18)
    [slice(0, 25, None), slice(25, 50, None), slice(50, 75, None), slice(75, 100, None)]
    """
    count = min(MOST, n, entries // ENTRIES, max(entries, ROOM) // max(1, made))
    return cut(n, count // FEWEST * FEWEST if count >= FEWEST else 1)  # so that two or four cores end together


def cut(n: int, count: int) -> list[slice]:
    """Slices of n rows, so many and of about one size.

    Examples
    --------
    >>> from separatrix.threads import cut
    >>> cut(10, 3)
    [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    """
    return [slice(n * i // count, n * (i + 1) // count) for i in range(count)]


def side_by_side(job: Callable[[Part], Found], parts: Iterable[Part]) -> Iterator[Found]:
    """What a job makes of each part, in order; on several cores they are worked on at the same time.

    The calling thread works too, so that nothing waits for another to wake up, or for one that is busy elsewhere.
    """
    parts = list(parts)
    crew = min(cores(), len(parts)) if len(parts) > 1 else 1
    if crew < 2:
        yield from map(job, parts)
        return
    settings, left, found = np.geterr(), deque(range(len(parts))), dict[int, Found]()

    def work() -> None:
        with np.errstate(**settings):  # before NumPy 2 every thread has its own
            for place in taken(left):
                found[place] = job(parts[place])

    with threads_for(0.0):
        before = _cores.set(1)  # a job has one core
        try:
            helpers = [pool(crew - 1).submit(copy_context().run, work) for _ in range(crew - 1)]
            copy_context().run(work)
            for helper in [each for each in helpers if not each.cancel()]:  # one that has not begun is not needed
                helper.result()
        finally:
            left.clear()
            _cores.reset(before)
    yield from (found[place] for place in range(len(parts)))


def taken(left: deque[int]) -> Iterator[int]:
    """What is left, one after the other, until all is taken by this thread or by others."""
    with suppress(IndexError):
        while True:
            yield left.popleft()


def summed(job: Callable[[Part], tuple[Any, ...]], parts: Iterable[Part]) -> tuple[Any, ...]:
    """The sums, over all parts, of the numbers or arrays that a job makes of each.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.threads import stretches, summed
    >>> X = np.ones((300_000, 10))
    >>> total, count = summed(lambda part: (X[part].sum(axis=0), len(X[part])), stretches(len(X), X.size))
    >>> total[0], count
    (np.float64(300000.0), 300000)
    """
    parts = list(parts)
    if len(parts) == 1:
        return job(parts[0])
    found = side_by_side(job, parts)
    total = next(found)
    for more in found:
        total = tuple(sum_ + part for sum_, part in zip(total, more, strict=True))
    return total


@cache
def pool(size: int) -> ThreadPoolExecutor:
    """Threads that wait for work, and are not started anew each time."""
    return ThreadPoolExecutor(size, thread_name_prefix="separatrix")


def after_fork() -> None:
    """Forget the threads, which do not live on in a copy of the process, and a lock that one of them may hold."""
    pool.cache_clear()
    _limit.lock = Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)
