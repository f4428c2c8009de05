"""Who works through the blocks of a problem: the cores of this machine, or workers elsewhere that do the same."""

from collections.abc import Callable
from typing import Any, Protocol

from separatrix.problem.merging import Merger
from separatrix.threads import cores, parallel_map


class Runner(Protocol):
    """A pass over blocks by pure tasks, which may be done anywhere, and again where one failed."""

    def run(self, task: Callable[[int], Any], merge: Callable[[Any, Any], Any], count: int) -> Any:
        """What a task makes of the blocks 0 to count - 1, merged as `Merger` does."""

    def in_order(self, task: Callable[[int, Any], Any], state: Any, count: int) -> Any:
        """What a task makes of a state, block by block."""


class CountingRunner:
    """A runner that counts its passes.

    Examples
    --------
    >>> from operator import add
    >>> from separatrix.problem.runner import CountingRunner, LocalRunner
    >>> runner = CountingRunner(LocalRunner())
    >>> runner.run(lambda block: block, add, 3), runner.passes
    (3, 1)
    """

    def __init__(self, runner: Runner) -> None:
        self.runner, self.passes = runner, 0

    def run(self, task: Callable[[int], Any], merge: Callable[[Any, Any], Any], count: int) -> Any:
        """What a task makes of the blocks 0 to count - 1, merged as `Merger` does."""
        self.passes += 1
        return self.runner.run(task, merge, count)

    def in_order(self, task: Callable[[int, Any], Any], state: Any, count: int) -> Any:
        """What a task makes of a state, block by block."""
        self.passes += 1
        return self.runner.in_order(task, state, count)


class LocalRunner:
    """The cores of this machine; as many blocks as there are cores are in memory at a time.

    Examples
    --------
    >>> from operator import add
    >>> from separatrix.problem.runner import LocalRunner
    >>> LocalRunner().run(lambda block: block * block, add, 4)
    14
    """

    def run(self, task: Callable[[int], Any], merge: Callable[[Any, Any], Any], count: int) -> Any:
        """What a task makes of the blocks 0 to count - 1, merged as `Merger` does."""
        merger: Merger[Any] = Merger(merge)
        step = max(1, cores())
        for first in range(0, count, step):
            for found in parallel_map(task, range(first, min(first + step, count))):
                merger.add(found)
        return merger.result()

    def in_order(self, task: Callable[[int, Any], Any], state: Any, count: int) -> Any:
        """What a task makes of a state, block by block."""
        for block in range(count):
            state = task(block, state)
        return state
