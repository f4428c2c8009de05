"""One pass on a Dask cluster: its tasks, how many there are at a time, and what ends it early."""

import time
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple
from weakref import WeakSet

from separatrix.errors import ClusterError, counted

TASKS_PER_THREAD = 4  # that tally blocks, submitted ahead, so that no worker waits for the client
MIN_TASKS_AHEAD = 16
SECONDS_BETWEEN_CHECKS = 0.5  # of the limits, and of how many workers there are


class Limits(NamedTuple):
    """How often a task is tried again, the seconds of a pass, and those without any worker."""

    retries: int
    time_limit: float | None
    patience: float


class DaskPass:
    """The tasks of one pass; what is not done at the end of its `with` block, after Ctrl-C too, is cancelled.

    Parameters
    ----------
    client : distributed.Client
        Who is connected to the cluster.
    functions : bytes
        What every task is given first.
    limits : Limits
        What ends the pass.
    done : function of int, or None
        Called with a number of blocks when so many more are done.
    """

    def __init__(
        self, client: Any, functions: bytes, limits: Limits, done: Callable[[int], None] | None = None
    ) -> None:
        self.client, self.limits, self.done = client, limits, done
        self.address = getattr(client.scheduler, "address", "the scheduler")
        self.finished: SimpleQueue[Any] = SimpleQueue()  # tasks that are followed, as they end in whatever way
        self.unfinished: dict[str, tuple[Any, int]] = {}  # with the blocks that each is about
        self.futures: WeakSet[Any] = WeakSet()  # all that are not forgotten
        self.n_finished, self.ahead = 0, MIN_TASKS_AHEAD
        self.began = self.checked = self.last_worker = time.monotonic()
        self.functions = client.submit(unchanged, functions, pure=False, retries=limits.retries)
        self.futures.add(self.functions)

    def __enter__(self) -> "DaskPass":
        return self

    def __exit__(self, *_: Any) -> None:
        for future in list(self.futures):  # what nobody wants is not begun; `cancel` would break off the connection
            future.release()
        self.unfinished.clear()

    def submit(self, function: Callable[..., Any], *arguments: Any, priority: int = 0) -> Any:
        """The result that a function will have, given the functions of the pass and these arguments."""
        future = self.client.submit(
            function, self.functions, *arguments, pure=False, retries=self.limits.retries, priority=priority
        )
        self.futures.add(future)
        return future

    def follow(self, future: Any, blocks: int = 0) -> Any:
        """Have the end of a task, and of how many blocks it is, known; its result is returned as it was given."""
        self.unfinished[future.key] = future, blocks
        future.add_done_callback(self.finished.put)
        return future

    def wait_for_room(self) -> None:
        """Wait until fewer tasks are followed than the cluster is to have ahead."""
        while len(self.unfinished) >= self.ahead:
            self.wait()

    def result(self, future: Any) -> Any:
        """What a task came to, fetched."""
        while not self.is_done(future):
            self.wait()
        return self.fetched(future)

    def is_done(self, future: Any) -> bool:
        """Whether a task that is followed has ended."""
        return future.key not in self.unfinished

    def wait(self) -> None:
        """Wait for the next task that ends, or until it is time to look at the limits."""
        try:
            future = self.finished.get(timeout=SECONDS_BETWEEN_CHECKS)
        except Empty:
            self.check()
            return
        _, blocks = self.unfinished.pop(future.key, (None, 0))
        self.n_finished += 1
        if blocks and self.done is not None:
            self.done(blocks)
        if future.status in ("error", "cancelled"):  # what is lost with a worker is computed again
            self.fetched(future)
        if time.monotonic() > self.checked + SECONDS_BETWEEN_CHECKS:
            self.check()

    def fetched(self, future: Any) -> Any:
        """The value of a task that ended, or the error that it raised."""
        from distributed import KilledWorker

        while True:
            if future.status == "cancelled":
                raise ClusterError(connection_lost(self.address, self.n_finished))
            try:
                return future.result(timeout=self.seconds_to_wait())
            except KilledWorker as problem:
                raise ClusterError(
                    f"Workers died one after the other over the same task, most likely for want of memory: {problem} "
                    "Make blocks of fewer rows, or give the workers more memory."
                ) from None
            except TimeoutError:
                if future.status == "error":
                    raise
                self.check()

    def check(self) -> None:
        """End the pass if it took too long, or if nobody works on it; find how many workers there are."""
        now = self.checked = time.monotonic()
        limit, patience = self.limits.time_limit, self.limits.patience
        if limit is not None and now - self.began > limit:
            raise ClusterError(
                f"The pass is not done after {limit:g} seconds: {counted(self.n_finished, 'task')} ended, "
                f"{counted(len(self.unfinished), 'task')} did not. Is a worker stopped, or a disk slow? Raise "
                "time_limit, or remove the worker and fit again; a checkpoint keeps the passes before."
            )
        if self.client.status not in ("running", "connecting"):
            raise ClusterError(connection_lost(self.address, self.n_finished))
        threads = sum(self.client.nthreads().values()) if self.client.status == "running" else 0
        if threads:
            self.last_worker, self.ahead = now, max(MIN_TASKS_AHEAD, TASKS_PER_THREAD * threads)
        elif now - self.last_worker > patience:
            raise ClusterError(
                f"There has been no worker for {patience:g} seconds: {counted(self.n_finished, 'task')} of this pass "
                "ended before. Start workers and fit again; a checkpoint keeps the passes before."
            )

    def seconds_to_wait(self) -> float:
        """How long a result may be on its way before the limits are looked at."""
        if self.limits.time_limit is None:
            return self.limits.patience
        return max(0.1, min(self.limits.patience, self.began + self.limits.time_limit - time.monotonic()))


def connection_lost(address: str, n_finished: int) -> str:
    """Say that the scheduler is gone."""
    return (
        f"The connection to {address} was lost, or the tasks were cancelled there, after "
        f"{counted(n_finished, 'task')} of this pass. Connect and fit again; a checkpoint keeps the passes before."
    )


def unchanged(functions: bytes) -> bytes:
    """The functions of a pass, as the result of a task, which every other task of the pass is given."""
    return functions
