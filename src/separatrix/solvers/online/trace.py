"""A recorded run: every change of w, so that it can be watched again."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner
from separatrix.errors import counted
from separatrix.problem import Problem
from separatrix.rows import Vector
from separatrix.solvers.online.weights import add_row


class Log(NamedTuple):
    """What a compiled loop logs of each correction, where there is room, and the loss of each pass."""

    t: np.ndarray
    presentation: np.ndarray
    rival: np.ndarray
    rate: np.ndarray
    curve: np.ndarray

    @classmethod
    def of(cls, n_corrections: int, n_passes: int) -> "Log":
        """An empty log with room for so many corrections and passes."""
        t, presentation, rival = (np.empty(n_corrections, dtype=np.int64) for _ in range(3))
        return cls(t, presentation, rival, np.empty(n_corrections), np.zeros(n_passes))


@inner
def log_correction(log, example, k, rival, rate):
    """Log correction number k of this call, which an example made, if there is room for it."""
    if k < log.t.size:
        log.t[k] = example.t
        log.presentation[k] = example.presented
        log.rival[k] = rival
        log.rate[k] = rate


class Updates(NamedTuple):
    """Updates of a run in their order: t, row, rival and rate of each."""

    t: np.ndarray
    row: np.ndarray
    rival: np.ndarray
    rate: np.ndarray


@inner
def empty_batch(batch, W):
    """W += the sum of a batch, which is 0 then."""
    for c in range(W.shape[0]):
        for d in range(W.shape[1]):
            W[c, d] += batch[c, d]
            batch[c, d] = 0.0


@compiled
def repeat_updates(X, y, updates, bias_step, batch, W, span):
    """Repeat the updates from span[0] to span[1], in place on W.

    Where they were applied together, the sum of each batch is made in `batch`, which is empty otherwise.
    """
    at_once, k = batch.shape[0] > 0, span[0]
    into = batch if at_once else W
    while k < span[1]:
        i, rate = updates.row[k], updates.rate[k]
        if W.shape[0] == 1:
            add_row(rate * y[i], X, i, into[0], bias_step)
        else:
            add_row(rate, X, i, into[y[i]], bias_step)
            add_row(-rate, X, i, into[updates.rival[k]], bias_step)
        k += 1
        if at_once and (k == span[1] or updates.t[k] != updates.t[k - 1]):
            empty_batch(batch, W)


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The updates of a run in the order in which they came.

    Parameters
    ----------
    problem : Problem
        The rows that were presented.
    start : ndarray
        [w, b] before the first update.
    t : ndarray of int
        The presentation (or batch) at which each update was made, from 1.
    row : ndarray of int
        The row that was on the wrong side.
    rival : ndarray of int
        The class that row was taken for; only with more than two classes is there a choice.
    rate : ndarray of float
        How much of the row was added to w: the learning rate, over the row's length where rows are normalized.
    bias_step : float
        What the offset moves by where w moves by a row.
    at_once : bool
        Whether updates with the same t were summed first and applied together, as a batch.
    """

    problem: Problem
    start: Vector
    t: np.ndarray
    row: np.ndarray
    rival: np.ndarray
    rate: Vector
    bias_step: float = 1.0
    at_once: bool = False

    def __repr__(self) -> str:
        return f"Trace({counted(len(self), 'update')} on {self.problem!r})"

    def __len__(self) -> int:
        return self.row.size

    def iterates(self) -> Iterator[Vector]:
        """[w, b] at the start and after each update (each batch), to the last bit as they were.

        Examples
        --------
        >>> import numpy as np
        >>> from separatrix.problem import Problem
        >>> from separatrix.solvers.online import perceptron
        >>> problem = Problem(np.array([[1.0], [3.0]]), np.array([0, 1]))
        >>> solution = perceptron.online(problem, record=True)
        >>> [iterate.tolist() for iterate in solution.history.trace.iterates()][-1] == solution.extended.tolist()
        True
        """
        w = self.start.copy()
        yield w.copy()
        for group in self.groups():
            into = np.zeros_like(w) if self.at_once else w
            for k in group:
                self.apply(k, into)
            if self.at_once:
                w += into
            yield w.copy()

    def edges(self) -> np.ndarray:
        """Where the updates begin that were applied together, and the end of all."""
        if not self.at_once:
            return np.arange(len(self) + 1)
        inner = np.flatnonzero(np.diff(self.t)) + 1
        return np.unique(np.concatenate([[0], inner, [len(self)]]))

    def advance(self, planes: Vector, first: int, last: int) -> None:
        """Repeat updates first to last - 1, in place on planes [w..., b], one a row."""
        updates, span = Updates(self.t, self.row, self.rival, self.rate), np.array([first, last])
        batch = np.zeros(planes.shape if self.at_once else (0, 0))
        repeat_updates(self.problem.X, self.problem.targets, updates, self.bias_step, batch, planes, span)

    def groups(self) -> list[np.ndarray]:
        """Numbers of the updates that were applied together."""
        everything = np.arange(len(self))
        edges = np.flatnonzero(np.diff(self.t)) + 1 if self.at_once else everything[1:]
        return np.split(everything, edges) if len(self) else []

    def apply(self, k: int, into: Vector) -> None:
        """Repeat update k, in place on [w..., b]."""
        X, i, rate = self.problem.X, self.row[k], self.rate[k]
        if into.ndim == 1:
            add_row(rate * self.problem.signs[i], X, i, into, self.bias_step)
            return
        add_row(rate, X, i, into[self.problem.y[i]], self.bias_step)
        add_row(-rate, X, i, into[self.rival[k]], self.bias_step)
