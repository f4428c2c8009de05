"""Rules that learn row by row, over blocks in order: what a run is between two blocks, and passes over all of them.

The state holds the weights and the counters, and is all that goes from block to block. With a random order the blocks
of each pass are shuffled, and the rows within each block: every order is a function of the seed, the number of the pass
and the number of the block, so that the answer does not depend on who works through them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix import rows
from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.rows import Vector
from separatrix.solvers.online.run import Run
from separatrix.solvers.online.shuffling import Passes, Shuffler
from separatrix.solvers.online.weights import Lazy


class State(NamedTuple):
    """What a run is between two blocks."""

    W: Vector
    lazy: Lazy | None
    t: int
    presented: int
    mistakes: int
    last_mistakes: int
    streak: int
    curve: tuple[float, ...]

    @classmethod
    def of(cls, run: Run) -> "State":
        """That of a run."""
        counters = run.t, run.presented, run.mistakes, run.last_mistakes, run.streak
        return cls(run.W, run.weights.lazy, *counters, tuple(run.curve))

    def into(self, run: Run) -> Run:
        """Let a run go on from here; the state itself stays as it is, for a task that has to be done again."""
        run.W[:] = self.W
        if self.lazy is not None:
            for mine, kept in zip(run.weights.lazy, self.lazy, strict=True):
                mine[:] = kept
        run.t, run.presented, run.mistakes, run.last_mistakes, run.streak, curve = self[2:]
        run.curve = list(curve)
        return run


@dataclass(frozen=True)
class Orders:
    """In which order blocks and their rows are presented; as they are where the seed is None."""

    seed: int | None
    replace: bool = False

    def of_blocks(self, blocks: list[int], number: int) -> list[int]:
        """The blocks of a pass."""
        if self.seed is None:
            return blocks
        return np.random.default_rng([self.seed, number]).permutation(blocks).tolist()

    def of_rows(self, n: int, number: int, block: int) -> Passes:
        """The rows of a block in a pass."""
        if self.seed is None:
            return Passes(np.arange(n)[None], np.zeros((1, 0), dtype=np.int64))
        passes = Passes(np.zeros((1, n), dtype=np.int64), np.zeros((1, n), dtype=np.int64))
        Shuffler(n, np.random.default_rng([self.seed, number, block]), self.replace).write_into(passes)
        return passes


@dataclass(frozen=True)
class OnePass:
    """The task of a pass: present the rows of a block to a run, which `make` builds, and that went on until here."""

    load: Callable[[int], Problem]
    make: Callable[[Problem], Run]
    orders: Orders
    blocks: list[int]
    number: int

    def __call__(self, place: int, state: State | None) -> State:
        """The state after the rows of a block."""
        return State.of(self.presented(place, state))

    def presented(self, place: int, state: State | None) -> Run:
        """The run after the rows of a block."""
        block = self.load(self.blocks[place])
        run = self.make(block) if state is None else state.into(self.make(block))
        if place and run.streak >= run.options.stop_after:
            return run
        passes = self.orders.of_rows(block.n_rows, self.number, self.blocks[place])
        for part in rows.chunks(block.X, run.reads_per_row()):
            begins = place == 0 and part.start == 0
            ends = place == len(self.blocks) - 1 and part.stop == block.n_rows
            run.present(passes.part(part), begins=begins, ends=ends)
            if run.streak >= run.options.stop_after:
                break
        return run


def run_in_order(problem: BlockedProblem, make: Callable[[Problem], Run], orders: Orders, max_iter: int) -> Run:
    """A run after its passes over all blocks; the problem of the run is the first block with rows."""
    used = used_blocks(problem)
    first, state = make(problem.load(used[0])), None
    for number in range(max_iter):
        task = OnePass(problem.load, make, orders, orders.of_blocks(used, number), number)
        state = problem.runner.in_order(task, state, len(used))
        if state.streak >= first.options.stop_after:
            break
    return first if state is None else state.into(first)


def used_blocks(problem: BlockedProblem) -> list[int]:
    """The numbers of the blocks that have rows."""
    return [block for block, size in enumerate(problem.census.sizes) if size]


class RowMeasures(NamedTuple):
    """What rates and steps of a rule depend on, by the names of a Problem: how many rows there are, and the longest.

    `squares` has ||x||^2 of the longest row, and no other.
    """

    n_rows: int
    n_features: int
    fit_intercept: bool
    squares: Vector

    @property
    def radius(self) -> float:
        """R, the norm of the longest row [x, 1], or x where there is no offset."""
        return float(np.sqrt(self.squares[0] + float(self.fit_intercept)))

    @classmethod
    def of(cls, problem: BlockedProblem) -> "RowMeasures":
        """Measure all rows, in one pass."""
        longest = problem.over(Fold(lambda block, first: float(block.squares.max()), max, float))
        return cls(problem.n_rows, problem.n_features, problem.fit_intercept, np.array([longest]))
