"""Chunks of rows in parallel, one on each core.

NumPy and SciPy each bring a BLAS with threads of its own. Between small products in turn from both, the threads of one
wait busily while those of the other work: two cores are then slower than one. So linear algebra gets one thread in a
fit, and the cores get chunks of the rows. How these are cut depends on the rows alone, and their sums are added in
order, so that the answer is the same on any number of cores, unless single products are so large that linear algebra
keeps its threads.
"""

import functools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar, copy_context
from functools import cache, partial
from queue import SimpleQueue
from threading import Lock, Thread, local
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

MIN_OPERATIONS_FOR_BLAS_THREADS = 2e10  # of one product; with fewer, one thread for each chunk of rows is quicker
ENTRIES_PER_CHUNK = 2**18  # some tenths of a millisecond of work
MIN_CHUNKS = 4  # fewer are not worth waking threads for
MAX_CHUNKS = 32
MAX_ENTRIES_MADE = 2**24  # numbers that all chunks may make together, unless the rows have more

Part = TypeVar("Part")
Found = TypeVar("Found")
Outcome = tuple[int, Any, BaseException | None]  # place of a part, what was made of it, or why nothing was

_cores = ContextVar[int | None]("cores", default=None)  # that a job may use, where that is settled


@cache
def libraries(per_thread: bool | None = None) -> list[Any]:
    """The libraries that have threads, or those of them that do or do not have a number of threads for each thread.

    Looking for them takes some milliseconds.
    """
    if per_thread is None:
        return ThreadpoolController().select(user_api="blas").lib_controllers
    return [library for library in libraries() if counts_per_thread(library) is per_thread]


def counts_per_thread(library: Any) -> bool:
    """Whether threadpoolctl sets the threads of a library for the calling thread alone; earlier versions never do."""
    return hasattr(library, "clear_controlling_thread") and library.threading_layer == "openmp"


class Count:
    """How many fits hold some libraries at one thread, and the threads that each of these had before the first."""

    depth = 0
    before: list[int] = []  # noqa: RUF012, replaced and never changed

    def enter(self, held: list[Any]) -> None:
        """Begin a fit."""
        if not self.depth:
            self.before = counts(held)
            for library in held:
                set_count(library, 1)
        self.depth += 1

    def leave(self, held: list[Any], fits: int) -> None:
        """End so many fits; the last gives the threads back, unless somebody else changed them meanwhile."""
        self.depth = max(0, self.depth - fits)
        if not self.depth:
            for library, count in zip(held, self.before, strict=False):
                if library.num_threads == 1:
                    set_count(library, count)
            self.before = []


class OwnCount(Count, local):
    """The count of each thread for itself."""


class Limit:
    """The limit of one thread for linear algebra, while any fit runs.

    Most libraries have one number of threads for the whole process: the first of the fits that overlap in time limits
    it and the last gives it back, whatever their threads. OpenBLAS on OpenMP has one for each thread.
    """

    def __init__(self) -> None:
        self.lock, self.shared, self.own = Lock(), Count(), OwnCount()

    def __enter__(self) -> None:
        with self.lock:
            self.shared.enter(libraries(False))
            self.own.enter(libraries(True))

    def __exit__(self, *_: object) -> None:
        with self.lock:
            self.leave(1)

    def leave(self, fits: int) -> None:
        """End so many fits of this thread."""
        self.shared.leave(libraries(False), fits)
        self.own.leave(libraries(True), fits)

    def cores(self) -> int:
        """How many threads there are, or were before they were limited."""
        with self.lock:
            shared = self.shared.before or counts(libraries(False))
            return max(shared + (self.own.before or counts(libraries(True))), default=1)

    def after_fork(self) -> None:
        """Give the threads back in a copy of the process, where no fit runs, whoever held the lock."""
        self.lock = Lock()
        if self.shared.before or self.own.before:
            self.leave(max(self.shared.depth, self.own.depth))


_limit = Limit()


def counts(held: list[Any]) -> list[int]:
    """How many threads each library may use now."""
    return [library.num_threads or 1 for library in held]


def set_count(library: Any, count: int) -> None:
    """Let a library use so many threads.

    threadpoolctl lets one Python thread set those of OpenBLAS and ignores all others until that one is done. Fits of
    several threads have one limit together, so each of them takes that right and gives it up.
    """
    release = getattr(library, "clear_controlling_thread", lambda force: None)
    release(force=True)
    library.set_num_threads(count)
    release(force=True)


def cores() -> int:
    """How many threads linear algebra may use, or could before it was limited to one."""
    settled = _cores.get()
    return _limit.cores() if settled is None else settled


@contextmanager
def threads_for(operations: float) -> Iterator[None]:
    """Limit linear algebra to one thread, unless its products take so many operations each that more are quicker."""
    if operations >= MIN_OPERATIONS_FOR_BLAS_THREADS:
        yield
        return
    with _limit:
        yield


def row_chunks(n: int, entries: int, made: int = 1) -> list[slice]:
    """Slices of n rows with so many entries in all, each worth a thread of its own, and the memory of what it makes.

    >>> row_chunks(100, 2_000)
    [slice(0, 100, None)]
    >>> row_chunks(100, 4 * 2**18)
    [slice(0, 25, None), slice(25, 50, None), slice(50, 75, None), slice(75, 100, None)]
    """
    count = min(MAX_CHUNKS, n, entries // ENTRIES_PER_CHUNK, max(entries, MAX_ENTRIES_MADE) // max(1, made))
    # a multiple of four, so that two or four cores end together
    return cut(n, count // MIN_CHUNKS * MIN_CHUNKS if count >= MIN_CHUNKS else 1)


def cut(n: int, count: int) -> list[slice]:
    """Slices of n rows, so many and of about one size.

    >>> cut(10, 3)
    [slice(0, 3, None), slice(3, 6, None), slice(6, 10, None)]
    """
    return [slice(n * i // count, n * (i + 1) // count) for i in range(count)]


def parallel_map(job: Callable[[Part], Found], parts: Iterable[Part]) -> Iterator[Found]:
    """The results of a job for each part, in order; parts are processed in parallel on several cores.

    The calling thread works too, so that nothing waits for another to wake up, or for one that is busy elsewhere.
    """
    parts = list(parts)
    n_workers = min(cores(), len(parts)) if len(parts) > 1 else 1
    if n_workers < 2:
        yield from map(job, parts)
        return
    settings, left, finished = np.geterr(), deque(range(len(parts))), SimpleQueue[Outcome]()

    @np.errstate(**settings)  # before NumPy 2 every thread has its own
    def work() -> None:
        for place in taken(left):
            try:
                finished.put((place, job(parts[place]), None))
            except BaseException as failure:
                left.clear()
                finished.put((place, None, failure))

    with threads_for(0.0):
        before = _cores.set(1)  # a job has one core
        try:
            _workers.help([partial(copy_context().run, work) for _ in range(n_workers - 1)])
            copy_context().run(work)
            found = in_order(finished, len(parts))
        finally:
            left.clear()
            _cores.reset(before)
    yield from found


@contextmanager
def one_core() -> Iterator[None]:
    """Work as a part of `parallel_map` does: linear algebra has one thread, and chunks of rows have one core."""
    with threads_for(0.0):
        before = _cores.set(1)
        try:
            yield
        finally:
            _cores.reset(before)


def in_order(finished: SimpleQueue[Outcome], count: int) -> list[Any]:
    """What so many parts came to, or the first failure; helpers that took no part are not waited for."""
    found = {}
    for _ in range(count):
        place, value, failure = finished.get()
        if failure is not None:
            raise failure
        found[place] = value
    return [found[place] for place in range(count)]


def taken(left: deque[int]) -> Iterator[int]:
    """What is left, one after the other, until all is taken by this thread or by others."""
    with suppress(IndexError):
        while True:
            yield left.popleft()


def summed(job: Callable[[Part], tuple[Any, ...]], parts: Iterable[Part]) -> tuple[Any, ...]:
    """The sums over all parts of the numbers or arrays that a job returns for each, in parallel.

    >>> X = np.ones((300_000, 10))
    >>> total, count = summed(lambda part: (X[part].sum(axis=0), len(X[part])), row_chunks(len(X), X.size))
    >>> total[0], count
    (np.float64(300000.0), 300000)
    """
    parts = list(parts)
    if len(parts) == 1:
        return job(parts[0])
    found = parallel_map(job, parts)
    total = next(found)
    for more in found:
        total = tuple(sum_ + part for sum_, part in zip(total, more, strict=True))
    return total


class Workers:
    """Threads that wait for tasks and are not started anew each time; none of them keeps the process from its end."""

    def __init__(self) -> None:
        self.lock, self.tasks, self.size = Lock(), SimpleQueue[Callable[[], None]](), 0

    def help(self, tasks: list[Callable[[], None]]) -> None:
        """Take on tasks, which must not raise, as threads come free; there is one for each of them at least."""
        with self.lock:
            while self.size < len(tasks):
                Thread(target=self.serve, daemon=True, name=f"separatrix_{self.size}").start()
                self.size += 1
        for task in tasks:
            self.tasks.put(task)

    def serve(self) -> None:
        """Do tasks, one after the other, with one thread for linear algebra."""
        for library in libraries(True):
            set_count(library, 1)
        while True:
            self.tasks.get()()


_workers = Workers()


def after_fork() -> None:
    """Forget the threads, which do not live on in a copy of the process, and what they held."""
    _workers.__init__()  # type: ignore[misc]
    _limit.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)


class cached_property(functools.cached_property[Found]):  # noqa: N801
    """An attribute that is computed once, as functools has it from Python 3.12 on.

    Before, all objects of a class had one lock for it: fits in several threads waited for each other, and a copy of the
    process for a thread that it does not have.
    """

    def __init__(self, compute: Callable[[Any], Found]) -> None:
        super().__init__(compute)
        self.lock = nullcontext()
