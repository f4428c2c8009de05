"""Passes over blocks by the workers of a Dask cluster.

Every block is one task, a pure function of its number; neighbours are merged by further tasks along the tree of
`Merger`, whose arguments are here results that are still to come. The client fetches the result of each group of tasks
and merges these in the same way, so that it never holds more than their logarithm. The answer has the bits that it has
on one machine, and Dask computes again what was lost with a worker. Nothing is scattered or pinned. The functions of a
pass are the result of a task too: they can be had again if the worker that holds them dies.
"""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from separatrix.data.runners.dask_pass import DaskPass, Limits
from separatrix.data.runners.tasks import merge_tallies, step_block, tally_blocks
from separatrix.errors import DataError, OptionError
from separatrix.options import number, whole
from separatrix.problem.merging import Merger
from separatrix.problem.runner import LocalRunner
from separatrix.threads import one_core

MAX_TASKS = 8192  # of one pass that tally blocks: the scheduler takes about a millisecond for each with its merging
TASKS_PER_GROUP = 256  # a power of two; a worker that dies loses no result of a group that has come to the client
MAX_BYTES_OF_FUNCTIONS = 2**26


@dataclass(frozen=True, eq=False)
class DaskRunner:
    """The workers of a Dask cluster, which may come, go and be killed during a pass.

    Parameters
    ----------
    client : distributed.Client
        Who is connected to the cluster.
    retries : int
        How often a task that raised an error is tried again; tasks of workers that died are done again anyway.
    time_limit : float or None
        Seconds that a pass may take. None: any number.
    patience : float
        Seconds to wait for a worker where there is none.
    done : function of int, or None
        Called with a number of blocks when so many more are done.
    """

    client: Any
    retries: int = 3
    time_limit: float | None = None
    patience: float = 60.0
    done: Callable[[int], None] | None = None

    def __post_init__(self) -> None:
        whole("retries", self.retries, least=0)
        number("patience", self.patience, above=0.0)
        if self.time_limit is not None:
            number("time_limit", self.time_limit, above=0.0)
        if getattr(self.client, "asynchronous", False):
            raise OptionError("The client is asynchronous, and a fit waits for results. Make it by Client(address).")

    def __reduce__(self) -> tuple[Any, ...]:
        return LocalRunner, ()  # on a worker, its own cores

    def run(self, task: Callable[[int], Any], merge: Callable[[Any, Any], Any], count: int) -> Any:
        """What a task makes of the blocks 0 to count - 1, merged as `Merger` does."""
        merger: Merger[Any] = Merger(merge)
        with self.one_pass(task, merge) as run, one_core():
            under_way: deque[Any] = deque()
            for group in groups_of_tasks(count):
                tree: Merger[Any] = Merger(lambda one, other: run.submit(merge_tallies, one, other, priority=1))
                for first, last in group:
                    run.wait_for_room()
                    tree.add(run.follow(run.submit(tally_blocks, first, last), last - first))
                under_way.append(run.follow(tree.result()))
                while under_way and run.is_done(under_way[0]):
                    merger.add(run.result(under_way.popleft()))
            while under_way:
                merger.add(run.result(under_way.popleft()))
        return merger.result()

    def in_order(self, task: Callable[[int, Any], Any], state: Any, count: int) -> Any:
        """What a task makes of a state, block by block; the state is here between two blocks."""
        with self.one_pass(task) as run:
            for block in range(count):
                state = run.result(run.follow(run.submit(step_block, block, state), 1))
        return state

    def one_pass(self, *functions: Callable[..., Any]) -> DaskPass:
        """Begin a pass with these functions."""
        import cloudpickle

        content = cloudpickle.dumps(functions)
        if len(content) > MAX_BYTES_OF_FUNCTIONS:
            raise DataError(
                f"Every worker would be sent {len(content) / 2**20:,.0f} MB with each pass: the rows are in the memory "
                f"here. Give files or a dask collection, which workers read by themselves, or client=LocalRunner()."
            )
        limits = Limits(self.retries, self.time_limit, self.patience)
        return DaskPass(self.client, content, limits, self.done)


def groups_of_tasks(count: int) -> Iterator[list[tuple[int, int]]]:
    """The tasks of a pass over so many blocks, each by its first and last block, in groups that come to the client.

    >>> list(groups_of_tasks(3))
    [[(0, 1), (1, 2), (2, 3)]]
    """
    step = blocks_per_task(count)
    starts = range(0, count, step)
    for group in range(0, len(starts), TASKS_PER_GROUP):
        yield [(first, min(first + step, count)) for first in starts[group : group + TASKS_PER_GROUP]]


def blocks_per_task(count: int) -> int:
    """How many neighbours one task tallies: a power of two, or the sums would be merged by another tree.

    >>> blocks_per_task(8000), blocks_per_task(60_000)
    (1, 8)
    """
    step = 1
    while count > MAX_TASKS * step:
        step *= 2
    return step
