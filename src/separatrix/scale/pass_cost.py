"""The seconds of a pass over blocks of rows.

    tasks T = B / s          B blocks, s of them to a task, so that T is at most MAX_TASKS
    working = ceil(T / W) s (bytes of a block / read + operations of a block / operations a second + overhead)
    merging = (T / W + log2 T) (latency + u / network)         each merge fetches one result of u bytes
    sending = log2 W (latency + v / network)                   v bytes of functions and w reach W workers by doubling
    scheduling = 2 T (seconds of the scheduler for a task)     a task that tallies and one that merges

    seconds = sending + max(working + merging, scheduling)

The scheduler works while the workers do. What is left out: stragglers, and tasks that are repeated after failures; the
simulation has these.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from separatrix.data.runners.dask_runner import blocks_per_task


class Rows(NamedTuple):
    """How many rows there are, of how many numbers, each of so many bytes as stored, and how they are cut."""

    n_rows: int
    n_features: int
    rows_per_block: int
    bytes_per_number: int = 4

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return -(-self.n_rows // self.rows_per_block)

    @property
    def block_bytes(self) -> float:
        """Bytes of a block."""
        return float(self.bytes_per_number) * self.n_features * self.rows_per_block


class Work(NamedTuple):
    """What a pass does for d features: operations a row, and bytes of the result of a block and of what is sent."""

    operations: Callable[[int], float]
    bytes_up: Callable[[int], float]
    bytes_down: Callable[[int], float]


FUNCTIONS_BYTES = 4096.0  # of the pickled functions of a pass, without w
MOMENTS = Work(lambda d: 2.0 * d * d, lambda d: 8.0 * d * d, lambda d: FUNCTIONS_BYTES)
GRADIENT = Work(lambda d: 4.0 * d, lambda d: 16.0 * d, lambda d: FUNCTIONS_BYTES + 8.0 * d)
HESSIAN = Work(lambda d: 2.0 * d * d + 4.0 * d, lambda d: 8.0 * d * d + 16.0 * d, lambda d: FUNCTIONS_BYTES + 8.0 * d)


class Worker(NamedTuple):
    """What one worker does in a second, and what its cluster needs for a task.

    `read` are bytes of rows that come from the disk and are decoded and checked, `operations` those of sums over rows,
    `network` bytes between two workers; `overhead` and `latency` are seconds of a task and of a message, `scheduling`
    those of the scheduler for each task.
    """

    read: float = 2e8
    operations: float = 4e9
    network: float = 1e9
    overhead: float = 5e-3
    latency: float = 1e-3
    scheduling: float = 5e-4


class PassCost(NamedTuple):
    """The seconds of a pass, and of its parts; how many tasks tally blocks, and how many bytes workers fetch."""

    seconds: float
    working: float
    merging: float
    sending: float
    scheduling: float
    n_tasks: int
    bytes_merged: float


def pass_cost(rows: Rows, work: Work, n_workers: int, worker: Worker | None = None) -> PassCost:
    """Compute the cost of one pass by so many workers.

    >>> from separatrix.scale import MOMENTS, Rows, pass_cost
    >>> rows = Rows(10**9, 100, rows_per_block=2**18)
    >>> one, hundred = (pass_cost(rows, MOMENTS, n_workers).seconds for n_workers in (1, 100))
    >>> 50 < one / hundred < 100
    True
    """
    worker, d = worker or Worker(), rows.n_features
    step = blocks_per_task(rows.n_blocks)
    n_tasks = -(-rows.n_blocks // step)
    n_workers = min(n_workers, n_tasks)
    working = math.ceil(n_tasks / n_workers) * task_seconds(rows, work, worker)
    merging = (n_tasks / n_workers + math.log2(n_tasks)) * merge_seconds(rows, work, worker) if n_tasks > 1 else 0.0
    sending = math.log2(n_workers) * (worker.latency + work.bytes_down(d) / worker.network)
    scheduling = 2.0 * n_tasks * worker.scheduling
    seconds = sending + max(working + merging, scheduling)
    return PassCost(seconds, working, merging, sending, scheduling, n_tasks, (n_tasks - 1) * work.bytes_up(d))


def task_seconds(rows: Rows, work: Work, worker: Worker) -> float:
    """Seconds of a task that tallies blocks."""
    operations = work.operations(rows.n_features) * rows.rows_per_block / worker.operations
    own = rows.block_bytes / worker.read + operations + worker.overhead
    return blocks_per_task(rows.n_blocks) * own


def merge_seconds(rows: Rows, work: Work, worker: Worker) -> float:
    """Seconds of a task that merges two results, of which it fetches one."""
    return worker.latency + work.bytes_up(rows.n_features) / worker.network
