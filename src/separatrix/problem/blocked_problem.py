"""A problem whose rows come in blocks, which may lie in files, or on other machines, and are never all in memory.

Solvers see it through folds: each block is loaded, tallied and forgotten, and the tallies are merged in a fixed order.
Loading is a pure function of the number of a block, so that it can be done anywhere, and again where it failed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import counted
from separatrix.problem.fold import Fold
from separatrix.problem.problem import Problem
from separatrix.problem.runner import CountingRunner, LocalRunner, Runner


class Census(NamedTuple):
    """What one pass over all blocks found.

    The number of rows with a weight in each block, the number of features, and the sum of the weights and the number
    of rows of each class; of all rows where the targets are numbers.
    """

    sizes: tuple[int, ...]
    n_features: int
    weights: tuple[float, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class BlockedProblem:
    """Rows in blocks, their targets and weights: as a `Problem`, but for the rows themselves.

    Parameters
    ----------
    load : function of int
        Makes block k, as a Problem without an objective. Pure, and fit for pickling.
    census : Census
        What is known of all rows.
    n_classes, fit_intercept, objective
        As for Problem.
    runner : Runner
        Who works through the blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from operator import add
    >>> from separatrix.data.blocks import read_blocks
    >>> from separatrix.problem.fold import Fold
    >>> blocks = read_blocks([(np.ones((2, 1)), ["a", "b"]), (np.ones((3, 1)), ["b", "b", "a"])])
    >>> problem = blocks.encoded().problem
    >>> problem, problem.over(Fold(lambda block, first: int(block.y.sum()), add, int))
    (BlockedProblem(5 rows x 1 feature, 2 classes, 2 blocks), 3)
    """

    load: Callable[[int], Problem]
    census: Census
    n_classes: int = 2
    fit_intercept: bool = True
    objective: Any = None
    runner: Runner = LocalRunner()  # noqa: RUF009, which has no state

    def __repr__(self) -> str:
        targets = counted(self.n_classes, "class", "classes") if self.n_classes else "numbers"
        return f"BlockedProblem({self.shape}, {targets}, {counted(self.n_blocks, 'block')})"

    @property
    def n_rows(self) -> int:
        """Number of rows, n."""
        return sum(self.census.sizes)

    @property
    def n_features(self) -> int:
        """Number of features, d."""
        return self.census.n_features

    @property
    def shape(self) -> str:
        """How many rows and features, in words."""
        return f"{counted(self.n_rows, 'row')} x {counted(self.n_features, 'feature')}"

    @property
    def weighted(self) -> bool:
        """Whether rows have weights other than 1, as far as their sums tell."""
        return any(weight != count for weight, count in zip(self.census.weights, self.census.counts, strict=True))

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.census.sizes)

    @property
    def n_planes(self) -> int:
        """Number of planes: one for two classes or for numbers, else one for each class."""
        return self.n_classes if self.n_classes > 2 else 1

    def posed(self, objective: Any) -> "BlockedProblem":
        """Ask for the minimum of an objective over these rows."""
        return replace(self, objective=objective)

    def counting(self) -> tuple["BlockedProblem", CountingRunner]:
        """The problem with its passes counted, and what counts them."""
        runner = CountingRunner(self.runner)
        return replace(self, runner=runner), runner

    def dichotomy(self, code: np.ndarray) -> "BlockedProblem":
        """Pose a two-class problem with this objective: code[c] is +1 or -1 for each class."""
        code, load = np.asarray(code), self.load
        sides = [np.flatnonzero(code < 0), np.flatnonzero(code > 0)]
        weights = tuple(sum(self.census.weights[c] for c in side) for side in sides)
        counts = tuple(sum(self.census.counts[c] for c in side) for side in sides)
        census = self.census._replace(weights=weights, counts=counts)
        return replace(self, load=lambda block: load(block).dichotomy(code), census=census, n_classes=2)

    def over(self, fold: Fold) -> Any:
        """The answer of a fold over the blocks that have rows; where that is a Fold, of another pass."""
        used = [block for block, size in enumerate(self.census.sizes) if size]
        firsts = np.cumsum((0, *self.census.sizes)).tolist()
        load, objective, tally = self.load, self.objective, fold.tally

        def task(place: int) -> Any:
            return tally(load(used[place]).posed(objective), firsts[used[place]])

        found = fold.verdict(self.runner.run(task, fold.merge, len(used)))
        return self.over(found) if isinstance(found, Fold) else found
