"""Several solvers that share their passes: each says by a Fold what it wants to know of all rows.

A solver is a generator that yields folds, is sent their answers, and returns what it found. In each pass a block is
loaded once and tallied for every solver that is still at work, on its own two classes where there are more.
"""

from collections.abc import Generator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np

from separatrix.problem import Problem
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold, Question, as_it_is, joined

Answer = TypeVar("Answer")
Steps = Generator[Fold, Any, Answer]


class Finished(NamedTuple):
    """What a solver returned, and with how many passes over the rows."""

    answer: Any
    passes: int


def work_through(
    problem: BlockedProblem, solvers: Sequence[Steps], questions: Sequence[Question] = (as_it_is,)
) -> list[Finished]:
    """Run solvers to their ends, each on its own question about the blocks.

    >>> from operator import add
    >>> import numpy as np
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
        answers = problem.over(joined(list(folds.values()), [questions[number] for number in folds]))
        passes += 1
        for number, answer in zip(folds, answers, strict=True):
            send(number, answer)
    return [finished[number] for number in range(len(solvers))]


def against_the_rest(n_classes: int) -> np.ndarray:
    """The code of planes that tell each class from the rest, a column for each."""
    return 2 * np.eye(n_classes, dtype=np.int8) - 1


def questions_of(problem: BlockedProblem) -> list[Question]:
    """The two-class problem of each plane; of two classes or of numbers the one that there is."""
    if problem.n_planes == 1:
        return [as_it_is]
    return [partial(Problem.dichotomy, code=code) for code in against_the_rest(problem.n_classes).T]
