"""The pocket algorithm over blocks (Gallant, 1990): the perceptron in order, and the best plane of all that it met.

In memory each correction is compared on all rows. Here it is compared on the rows of its block, where the best of the
block goes on; after each pass over the blocks one more counts the errors of all of these on all rows, side by side.
One block gives what the algorithm gives in memory.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.planes import Planes
from separatrix.errors import OptionError
from separatrix.problem import Problem, Solution
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.rows import Vector
from separatrix.solvers.blocks.online import NO_RECORD, orders_of, separator
from separatrix.solvers.blocks.rows_in_order import OnePass, State, used_blocks
from separatrix.solvers.online import pocket as pocket_rule
from separatrix.solvers.online.best_so_far import ERRORS
from separatrix.solvers.online.run import NO_STOP
from separatrix.solvers.options import whole

MAX_CANDIDATES = 64  # whose errors are counted in a pass
REASON = "the plane in the pocket is the best that was seen; whether a better one exists is not known"


class BestOfBlocks(NamedTuple):
    """The state of the rule, and the best planes on the rows of each block that it came through."""

    state: State
    candidates: tuple[Vector, ...]


@dataclass(frozen=True)
class PocketBlock:
    """Builds the run of a block, whose pocket is compared on the rows of the block."""

    options: dict[str, Any]

    def __call__(self, block: Problem) -> pocket_rule.PocketRun:
        """The run of a block."""
        return pocket_rule.PocketRun(block, NO_STOP, **self.options)


@dataclass(frozen=True)
class PocketPass:
    """The task of a pass: the rule over each block, from where the last block ended."""

    presenting: OnePass

    def __call__(self, place: int, found: BestOfBlocks | None) -> BestOfBlocks:
        """The state after the rows of a block."""
        state, before = (None, ()) if found is None else found
        run: Any = self.presenting.presented(place, state)
        known = run.best.counts[ERRORS] <= run.problem.n_rows  # else no row of the block needed a correction
        run.streak = 0  # a pocket without errors on its block ends no more than that block
        return BestOfBlocks(State.of(run), (*before, run.best.planes.copy() if known else run.W.copy()))


def pocket(
    problem: BlockedProblem,
    *,
    learning_rate: Any = 1.0,
    patience: int = 1000,
    max_iter: int = 1000,
    record: bool = False,
    start: Any = None,
    rng: np.random.Generator | None = None,
    t: int = 0,
) -> Solution:
    """The options are those of `solvers.online.pocket.pocket`; it ends after a pass that brought nothing better.

    `patience` are corrections without better planes, as in memory, where a pass makes as many at least.
    """
    if record:
        raise OptionError(NO_RECORD)
    used, patient = used_blocks(problem), whole("patience", patience)
    how = {"learning_rate": learning_rate, "max_iter": whole("max_iter", max_iter), "start": start, "rng": rng, "t": t}
    if len(used) == 1:
        return pocket_rule.pocket(problem.load(used[0]), patience=patient, **how)
    make, orders = PocketBlock(how | {"n_rows": problem.n_rows}), orders_of(rng)
    state, best, least, at = None, None, np.inf, 0
    for number in range(max_iter):
        task = PocketPass(OnePass(problem.load, make, orders, orders.of_blocks(used, number), number))
        found = problem.runner.in_order(task, None if state is None else BestOfBlocks(state, ()), len(used))
        state = found.state
        candidates = spread(found.candidates)
        errors = problem.over(errors_fold(candidates))
        if errors.min() < least:
            least, best, at = int(errors.min()), candidates[int(np.argmin(errors))], state.mistakes
        if least == 0 or state.mistakes - at >= patient:
            break
    run: Any = make(problem.load(used[0]))
    if state is not None:
        run = state.into(run)
        run.best = run.best._replace(planes=best)
    return separator(problem, run, REASON)


def spread(candidates: tuple[Vector, ...]) -> list[Vector]:
    """At most so many of the candidates as are counted in a pass, the last among them."""
    places = np.linspace(len(candidates) - 1, 0, min(len(candidates), MAX_CANDIDATES)).astype(np.int64)
    return [candidates[place] for place in places]


def errors_fold(candidates: list[Vector]) -> Fold:
    """A pass that counts the rows that each of some planes [w..., b] misclassifies."""
    planes = [Planes(each[:, :-1], each[:, -1]) for each in candidates]
    return Fold(lambda block, first: np.array([each.errors(block) for each in planes]), np.add, np.asarray)
