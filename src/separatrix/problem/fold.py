"""Sums and maxima over blocks of rows: each block is tallied by itself, tallies are merged in any order.

    answer = verdict(merge(tally(block 1), merge(tally(block 2), ...)))

The blocks may come from a file that is larger than the memory, or lie on several machines. What needs the sums of all
rows first, such as how far a dual point is scaled to be feasible, is a further pass: then the verdict is its Fold.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.problem.problem import Problem
from separatrix.products import combination, parts
from separatrix.rows import CSR, Rows, Vector


class Fold(NamedTuple):
    """One pass: what a block amounts to, given the number of its first row in the whole data; two tallies; the answer.

    Examples
    --------
    >>> import numpy as np
    >>> from operator import add
    >>> from separatrix.problem import Problem
    >>> from separatrix.problem.fold import Fold
    >>> blocks = [Problem.of_numbers(np.ones((n, 1)), np.full(n, float(n))) for n in (1, 2, 3)]
    >>> total = Fold(lambda block, first: float(block.y.sum()), add, float)
    >>> total.over(blocks)
    14.0
    >>> total.then(lambda mean: Fold(lambda block, first: float(abs(block.y - mean / 6).max()), max, float)).over(
    ...     blocks
    ... )
    1.3333333333333335
    """

    tally: Callable[[Problem, int], Any]
    merge: Callable[[Any, Any], Any]
    verdict: Callable[[Any], Any]

    def over(self, blocks: Iterable[Problem]) -> Any:
        """The answer for blocks that follow each other; they are gone through again for each further pass."""
        found = self.verdict(reduce(self.merge, self.tallies(blocks)))
        return found.over(blocks) if isinstance(found, Fold) else found

    def tallies(self, blocks: Iterable[Problem]) -> Iterator[Any]:
        """The tally of each block, one after the other."""
        first = 0
        for block in blocks:
            yield self.tally(block, first)
            first += block.n_rows

    def then(self, follow: Callable[[Any], Any]) -> "Fold":
        """The fold with its answer put into a function, whose value may be the Fold of a further pass."""

        def verdict(tally: Any) -> Any:
            found = self.verdict(tally)
            return found.then(follow) if isinstance(found, Fold) else follow(found)

        return self._replace(verdict=verdict)


Question = Callable[[Problem], Problem]  # what is asked of a block, such as two classes of it


def joined(folds: Sequence[Fold], questions: Sequence[Question]) -> Fold:
    """One pass that makes the first of several; its answer is a list of theirs, some of which may be folds."""

    def tally(block: Problem, first: int) -> tuple[Any, ...]:
        return tuple(fold.tally(ask(block), first) for fold, ask in zip(folds, questions, strict=True))

    def merge(one: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(fold.merge(*pair) for fold, *pair in zip(folds, one, other, strict=True))

    def verdict(found: tuple[Any, ...]) -> list[Any]:
        return [fold.verdict(each) for fold, each in zip(folds, found, strict=True)]

    return Fold(tally, merge, verdict)


def side_by_side(folds: Sequence[Fold], questions: Sequence[Question]) -> Fold:
    """Several folds in the same passes, each over its own question about the blocks; the answer is a list of theirs.

    >>> block = Problem(np.ones((3, 1)), np.array([0, 1, 2]), 3)
    >>> upper = Fold(lambda block, first: int((block.y == 1).sum()), int.__add__, int)
    >>> codes = np.array([1, -1, -1]), np.array([-1, 1, 1])
    >>> side_by_side([upper, upper], [lambda block, code=code: block.dichotomy(code) for code in codes]).over([block])
    [1, 2]
    """

    def answered(answers: list[Any]) -> Any:
        waiting = [place for place, answer in enumerate(answers) if isinstance(answer, Fold)]
        if not waiting:
            return answers

        def filled(later: list[Any]) -> list[Any]:
            further = dict(zip(waiting, later, strict=True))
            return [further.get(place, answer) for place, answer in enumerate(answers)]

        return side_by_side([answers[k] for k in waiting], [questions[k] for k in waiting]).then(filled)

    return joined(folds, questions).then(answered)


def as_it_is(block: Problem) -> Problem:
    """The question about a block that is not divided."""
    return block


INFINITE = Fold(lambda block, first: np.inf, max, float)  # the error of a claim that fails whatever the rows are


def added(one: Any, other: Any) -> Any:
    """Two tallies that are named tuples as one: every field is added, or merged where it has its own way."""
    pairs = zip(one, other, strict=True)
    return type(one)(*(mine.merged(theirs) if hasattr(mine, "merged") else mine + theirs for mine, theirs in pairs))


class CentredSum(NamedTuple):
    """sum_i u_i (x_i - centre), the sum of u, and the centre, which is None where there are no rows.

    Where there is an offset all u of a dual point add up to 0, so that any centre gives the same sum; without one the
    centre is 0. Far from the origin a sum over rows as they are would have too few digits.
    """

    total: Vector
    weight: Any
    centre: Vector | None

    @classmethod
    def of(cls, problem: Problem, u: Vector, support: np.ndarray | None = None) -> "CentredSum":
        """The sum over the rows of a problem, or over some of them, with u of shape (n,) or (n, p)."""
        X, centre = problem.X, None
        if support is None:
            support = np.arange(problem.n_rows)
        elif support.size > 0.1 * problem.n_rows:  # one pass over all rows is quicker than a copy of so many
            weights = np.zeros((problem.n_rows, *u.shape[1:]))
            weights[support], u = u, weights
        else:
            X = rows.take(X, support)
        total, weight = combination(X, u), u.sum(axis=0)
        if not problem.fit_intercept or not support.size:
            return cls(total, weight, np.zeros(len(total)) if support.size else None)
        centre = centre_of(problem.X, support)
        max_score_of_centre = 1e3  # beyond, the centre is subtracted from each row first
        if isinstance(X, CSR) or float((np.abs(centre) @ np.abs(total)).max()) < max_score_of_centre:
            return cls(total - np.multiply.outer(centre, weight), weight, centre)
        return cls(sum((matrix - centre).T @ u[part] for part, matrix in parts(X)), weight, centre)

    def merged(self, other: "CentredSum") -> "CentredSum":
        """The sum over the rows of both, from the centre of the first that has rows."""
        if self.centre is None or other.centre is None:
            return self if other.centre is None else other
        moved = other.total + np.multiply.outer(other.centre - self.centre, other.weight)
        return CentredSum(self.total + moved, self.weight + other.weight, self.centre)


def centre_of(X: Rows, support: np.ndarray, most_rows: int = 100) -> Vector:
    """The mean of some of the rows: any point among them will do, and a mean has no row that is far from it."""
    some = rows.take(X, support[:: -(-support.size // most_rows)])
    return combination(some, np.full(rows.n_rows(some), 1.0 / rows.n_rows(some)))
