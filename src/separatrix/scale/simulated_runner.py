"""A cluster that is simulated event by event, while its arithmetic is real: what passes cost when workers fail.

The tasks of a pass are those of `DaskRunner`: one for some blocks, and merges along the tree of `Merger`, in groups
whose results come to the client. A worker does one task at a time and keeps the result until it is merged. One that
dies loses what it does and what it keeps; what is needed again is worked out again from the blocks, as Dask does. Times
between failures are drawn from an exponential distribution, and those of tasks vary.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count as numbers
from typing import Any, NamedTuple

import numpy as np

from separatrix.data.runners.dask_runner import groups_of_tasks
from separatrix.problem.merging import Merger

CLIENT = -1  # who does not die


class SimulatedCluster(NamedTuple):
    """How many workers there are, the seconds of a task and of a merge, and how often workers fail.

    `between_failures` is the mean time between two failures of one worker, `away` how long another takes to replace it,
    `spread` the standard deviation of the logarithm of the seconds of a task.
    """

    n_workers: int
    task: float = 1.0
    merge: float = 0.01
    between_failures: float = np.inf
    away: float = 30.0
    spread: float = 0.2


class PassRecord(NamedTuple):
    """What a pass took: its seconds, the tasks that it has, those that were repeated, and the workers that died."""

    seconds: float
    n_tasks: int
    n_repeated: int
    n_deaths: int


@dataclass(eq=False)
class Node:
    """A task: what it needs and who needs it; its worker and value while it has one."""

    first: int
    last: int
    parts: tuple["Node", ...] = ()
    user: "Node | None" = None
    holder: int | None = None
    value: Any = None
    wanted: bool = True  # and not yet done, or lost
    waiting: bool = False  # for a worker, or being done


@dataclass
class SimulatedRunner:
    """A runner whose cluster is simulated; `passes` has a record of each pass.

    Examples
    --------
    >>> from operator import add
    >>> from separatrix.scale import SimulatedCluster, SimulatedRunner
    >>> runner = SimulatedRunner(SimulatedCluster(100, between_failures=300.0), seed=0)
    >>> runner.run(lambda block: block, add, 1000), sum(range(1000))
    (499500, 499500)
    >>> runner.passes[0].n_deaths > 0, runner.passes[0].n_repeated > 0
    (True, True)
    """

    cluster: SimulatedCluster
    seed: int = 0
    passes: list[PassRecord] = field(default_factory=list)

    def run(self, task: Callable[[int], Any], merge: Callable[[Any, Any], Any], count: int) -> Any:
        """What a task makes of the blocks 0 to count - 1, merged as `Merger` does."""
        roots = []
        for group in groups_of_tasks(count):
            tree: Merger[Node] = Merger(merged_node)
            for first, last in group:
                tree.add(Node(first, last))
            roots.append(tree.result())

        def done(node: Node, values: list[Any]) -> Any:
            if values:
                return merge(*values)
            parts: Merger[Any] = Merger(merge)
            for block in range(node.first, node.last):
                parts.add(task(block))
            return parts.result()

        simulated = SimulatedPass(self.cluster, np.random.default_rng([self.seed, len(self.passes)]), done)
        self.passes.append(simulated.run(roots))
        whole: Merger[Any] = Merger(merge)
        for root in roots:
            whole.add(root.value)
        return whole.result()

    def in_order(self, task: Callable[[int, Any], Any], state: Any, count: int) -> Any:
        """What a task makes of a state, block by block: one worker at a time, and the state is with the client."""
        random = np.random.default_rng([self.seed, len(self.passes)])
        seconds, n_repeated = 0.0, 0
        for block in range(count):
            needed = self.cluster.task * random.lognormal(0.0, self.cluster.spread)
            while (alive := random.exponential(self.cluster.between_failures)) < needed:
                seconds, n_repeated = seconds + alive, n_repeated + 1
            seconds, state = seconds + needed, task(block, state)
        self.passes.append(PassRecord(seconds, count, n_repeated, n_repeated))
        return state


def merged_node(one: Node, other: Node) -> Node:
    """The task that merges the results of two."""
    node = Node(one.first, other.last, (one, other))
    one.user = other.user = node
    return node


class SimulatedPass:
    """Events of one pass in the order of their times.

    Parameters
    ----------
    cluster : SimulatedCluster
        Who works.
    random : Generator
        Draws failures and times.
    done : function of Node and values
        The result of a task, given those of its parts.
    """

    def __init__(
        self, cluster: SimulatedCluster, random: np.random.Generator, done: Callable[[Node, list[Any]], Any]
    ) -> None:
        self.cluster, self.random, self.done = cluster, random, done
        self.order = numbers()
        self.events: list[tuple[float, int, str, int, Any]] = []
        self.ready: list[tuple[bool, int, int, Node]] = []  # merges first, as they free memory
        self.lives = [0] * cluster.n_workers  # how often each worker died
        self.free = list(range(cluster.n_workers))[::-1]
        self.working: dict[int, tuple[Node, list[Any]]] = {}
        self.kept: list[set[Node]] = [set() for _ in range(cluster.n_workers)]
        self.n_begun = self.n_deaths = self.n_nodes = 0

    def run(self, roots: list[Node]) -> PassRecord:
        """Work until the client has the result of each group."""
        for root in roots:
            self.want(root)
            self.n_nodes += self.count(root)
        for worker in range(self.cluster.n_workers):
            self.plan_failure(0.0, worker)
        now = 0.0
        while any(root.holder is None for root in roots):
            self.begin_tasks(now)
            now, _, what, worker, life = heappop(self.events)
            if life != self.lives[worker]:
                continue
            if what == "done":
                self.end_task(worker)
            elif what == "dies":
                self.die(now, worker)
            else:
                self.free.append(worker)
                self.plan_failure(now, worker)
        return PassRecord(now, self.n_nodes, self.n_begun - self.n_nodes, self.n_deaths)

    def count(self, node: Node) -> int:
        """How many tasks a result needs."""
        return 1 + sum(self.count(part) for part in node.parts)

    def want(self, node: Node) -> None:
        """Have a result worked out, and first those that it needs."""
        node.wanted = True
        missing = [part for part in node.parts if part.holder is None]
        for part in missing:
            if not part.waiting:
                self.want(part)
        if not missing and not node.waiting:
            node.waiting = True
            heappush(self.ready, (not node.parts, node.first, next(self.order), node))  # as Dask: what came first

    def begin_tasks(self, now: float) -> None:
        """Give free workers what can be begun."""
        while self.free and self.ready:
            leaf, *_, node = heappop(self.ready)
            if any(part.holder is None for part in node.parts):  # lost while the task waited
                node.waiting = False
                self.want(node)
                continue
            worker = self.free.pop()
            self.working[worker] = node, [part.value for part in node.parts]
            self.n_begun += 1
            mean = self.cluster.task if leaf else self.cluster.merge
            end = now + mean * self.random.lognormal(0.0, self.cluster.spread)
            heappush(self.events, (end, next(self.order), "done", worker, self.lives[worker]))

    def end_task(self, worker: int) -> None:
        """Keep the result of a task, drop what it was made of, and begin what needed it."""
        node, values = self.working.pop(worker)
        node.value, node.wanted, node.waiting = self.done(node, values), False, False
        node.holder = CLIENT if node.user is None else worker
        if node.user is not None:
            self.kept[worker].add(node)
        self.free.append(worker)
        for part in node.parts:
            if part.holder is not None:
                self.kept[part.holder].discard(part)
            part.holder = part.value = None
        user = node.user
        if user is not None and user.wanted and all(part.holder is not None for part in user.parts):
            self.want(user)

    def die(self, now: float, worker: int) -> None:
        """Lose what a worker does and keeps, and have it worked out again."""
        self.lives[worker] += 1
        self.n_deaths += 1
        lost = list(self.kept[worker])
        self.kept[worker].clear()
        for node in lost:
            node.holder = node.value = None
        if worker in self.working:
            node, _ = self.working.pop(worker)
            node.waiting = False
            lost.append(node)
        else:
            self.free.remove(worker)
        for node in lost:
            if node.user is None or (node.user.wanted and not self.is_being_done(node.user)):
                self.want(node)
        heappush(self.events, (now + self.cluster.away, next(self.order), "returns", worker, self.lives[worker]))

    def is_being_done(self, node: Node) -> bool:
        """Whether a worker has fetched all that a task needs."""
        return any(node is each for each, _ in self.working.values())

    def plan_failure(self, now: float, worker: int) -> None:
        """Draw when a worker dies."""
        if np.isfinite(self.cluster.between_failures):
            end = now + self.random.exponential(self.cluster.between_failures)
            heappush(self.events, (end, next(self.order), "dies", worker, self.lives[worker]))
