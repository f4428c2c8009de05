"""Several solvers that share their passes: each says by a Fold what it wants to know of all rows.

A solver is a generator that yields folds, is sent their answers, and returns what it found. In each pass a block is
loaded once and tallied for every solver that is still at work, on its own two classes where there are more.
"""

from collections.abc import Generator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold

Answer = TypeVar("Answer")
Steps = Generator[Fold, Any, Answer]


class Finished(NamedTuple):
    """What a solver returned, and with how many passes over the rows."""

    answer: Any
    passes: int


def work_through(
    problem: BlockedProblem, solvers: Sequence[Steps], codes: Sequence[np.ndarray | None] = (None,)
) -> list[Finished]:
    """Run solvers to their ends, each on the dichotomy of its code; None: on the classes as they are.

    >>> from operator import add
    >>> from separatrix.data.blocks import read_blocks
    >>> def steps():
    ...     total = yield Fold(lambda block, first: block.n_rows, add, int)
    ...     ones = yield Fold(lambda block, first: int(block.y.sum()), add, int)
    ...     return ones / total
    >>> blocks = read_blocks([(np.ones((2, 1)), [0, 1]), (np.ones((2, 1)), [1, 1])])
    >>> work_through(blocks.encoded().problem, [steps()])
    [Finished(answer=0.75, passes=2)]
    """
    finished: dict[int, Finished] = {}
    asked: dict[int, Fold] = {}
    passes = 0

    def send(number: int, answer: Any) -> None:
        try:
            asked[number] = answer if isinstance(answer, Fold) else solvers[number].send(answer)
        except StopIteration as end:
            finished[number] = Finished(end.value, passes)

    for number in range(len(solvers)):
        send(number, None)
    while asked:
        folds, asked = asked, {}
        answers = problem.over(joined([(codes[number], fold) for number, fold in folds.items()]))
        passes += 1
        for number, answer in zip(folds, answers, strict=True):
            send(number, answer)
    return [finished[number] for number in range(len(solvers))]


def joined(folds: Sequence[tuple[np.ndarray | None, Fold]]) -> Fold:
    """One pass that makes several; its answer is a list of theirs, some of which may be folds."""

    def tally(block: Problem, first: int) -> list[Any]:
        sides = [block if code is None else block.dichotomy(code) for code, _ in folds]
        return [fold.tally(side, first) for side, (_, fold) in zip(sides, folds, strict=True)]

    def merge(one: list[Any], other: list[Any]) -> list[Any]:
        return [fold.merge(*pair) for (_, fold), pair in zip(folds, zip(one, other, strict=True), strict=True)]

    def verdict(found: list[Any]) -> list[Any]:
        return [fold.verdict(each) for (_, fold), each in zip(folds, found, strict=True)]

    return Fold(tally, merge, verdict)
