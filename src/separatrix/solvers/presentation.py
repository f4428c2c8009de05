"""Presenting rows to a rule that corrects w: what all perceptrons share around their loop."""

from collections.abc import Callable, Iterator

import numpy as np

from separatrix import rows
from separatrix.certificates import Separator, Unproved
from separatrix.errors import DataError, OptionError
from separatrix.problem import Problem, Solution, Status
from separatrix.rows import Vector, length
from separatrix.solvers.schedule import LearningRate
from separatrix.solvers.trace import Trace

PLACES_A_CALL = 2**18  # row numbers to hold for several passes; longer passes use the same memory again


class Presentation:
    """A run in progress: the weights [w..., b], the counters, and the log if there is one."""

    def __init__(
        self,
        problem: Problem,
        rule: Callable,
        start: np.ndarray | None,
        max_iter: int,
        record: bool,
        bias_step: float,
        t: int,
        at_once: bool = False,
    ):
        if not isinstance(max_iter, (int, np.integer)) or isinstance(max_iter, bool) or max_iter < 1:
            raise OptionError(f"The 'max_iter' parameter must be a whole number of at least 1. Got {max_iter!r}.")
        self.problem, self.rule, self.record, self.at_once = problem, rule, record, at_once
        self.bias_step = float(bias_step) if problem.fit_intercept else 0.0
        self.w = first_weights(problem, start)
        self.start = self.w.copy()
        self.n_planes = 1 if self.w.ndim == 1 else len(self.w)
        self.targets = problem.signs if self.w.ndim == 1 else problem.y
        self.t = t
        self.presented = self.mistakes = self.last_mistakes = self.streak = 0
        self.log: list[tuple[Vector, ...]] = []

    @property
    def passes_a_call(self) -> int:
        """How many passes a compiled call makes, so that small problems do not wait for Python after each."""
        work = max(self.problem.n_rows, rows.n_entries(self.problem.X)) * self.n_planes
        return max(1, min(rows.ENTRIES_A_CALL // work, PLACES_A_CALL // self.problem.n_rows))

    def present(self, orders: np.ndarray, rates: Vector, into: Vector, *, begins: bool, afresh: bool) -> None:
        """Let the rule see some rows, in one compiled call; `begins` says that they are the first of a pass."""
        log = np.empty(orders.size * max(1, self.n_planes - 1) if self.record else 0, dtype=np.int64)
        rounding = rows.rounding_bound(self.problem.n_features + 1) * self.problem.radius
        growth = 0.0 if self.at_once else rounding * self.problem.radius * max(1.0, self.bias_step)
        doubt = 2.0 * rounding * length(self.w)  # twice, for the difference of two scores
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is refused below
            seen, mistakes, last, self.streak = self.rule(
                self.problem.X, self.targets, orders, self.w, into, rates, self.bias_step, doubt, growth,
                self.streak, afresh, self.problem.n_rows, log,
            )  # fmt: skip
        if not np.isfinite(into).all():
            raise DataError(
                f"The weights overflowed: rows are as long as {self.problem.radius:.3g} and the learning rate is "
                f"{rates[-1]:.3g}. Scale the features or lower the learning rate."
            )
        if self.record:
            self.keep(log[:mistakes], orders.ravel(), rates)
        self.last_mistakes = last if begins else self.last_mistakes + last
        self.presented += seen
        self.mistakes += mistakes
        self.t += 0 if self.at_once else seen

    def keep(self, log: np.ndarray, order: np.ndarray, rates: Vector) -> None:
        """Add what the rule logged, as t, row, rival and rate."""
        position, rival = np.divmod(log, max(2, self.n_planes))
        if self.w.ndim == 1:
            rival = 1 - self.problem.y[order[position]]
        t = np.full(position.size, self.t) if self.at_once else self.t + 1 + position
        self.log.append((t, order[position], rival, rates[np.minimum(position, rates.size - 1)]))

    @property
    def passes(self) -> int:
        """Passes made, the last of them perhaps not to its end."""
        return -(-self.presented // self.problem.n_rows)

    def solution(self, learning_rate: LearningRate, prove: bool) -> Solution:
        """Wrap up: the certificate looks at all rows again, and the status is what it finds."""
        w, b = self.w[..., :-1].copy(), self.w[..., -1].copy()
        certificate, status = self.proof(w, b, learning_rate) if prove else unproved(w, b)
        return Solution(
            w=w,
            b=float(b) if b.ndim == 0 else b,
            status=status,
            certificate=certificate,
            iterations=self.passes if self.at_once else self.presented,
            passes=self.passes,
            mistakes=self.mistakes,
            last_mistakes=self.last_mistakes,
            trace=self.trace() if self.record else None,
        )

    def proof(self, w: Vector, b: Vector, learning_rate: LearningRate) -> tuple[Separator, Status]:
        """Hold the planes against all rows; mistakes from zero at a constant rate are bounded."""
        bounded = not (callable(learning_rate) or isinstance(learning_rate, str) or self.at_once)
        bounded = bounded and not self.start.any() and self.bias_step in (0.0, 1.0)
        certificate = Separator.issue(self.problem, w, b, self.mistakes if bounded else None)
        return certificate, Status.SEPARATED if certificate.proof else Status.SPENT

    def trace(self) -> Trace:
        """The log as one recorded run."""
        t, row, rival, rate = (np.concatenate(parts) for parts in zip(*self.log, strict=True))
        return Trace(self.problem, self.start, t, row, rival, rate, self.bias_step, self.at_once)


def unproved(w: Vector, b: Vector) -> tuple[Unproved, Status]:
    """Claim nothing of rows that were not looked at again."""
    return Unproved("each row was looked at once; call fit for a certificate on all rows", w, b), Status.UNCHECKED


def first_weights(problem: Problem, start: np.ndarray | None) -> Vector:
    """[w..., b] to start from: zero, or the user's, with an offset of 0 added where there is none."""
    shape = (problem.n_features + 1,) if problem.n_classes == 2 else (problem.n_classes, problem.n_features + 1)
    if start is None:
        return np.zeros(shape)
    expected = (*shape[:-1], shape[-1] - (not problem.fit_intercept))
    try:
        given = np.array(start, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape != expected or not np.isfinite(given).all():
        per_plane = "[w..., b]" if problem.fit_intercept else "[w...]"
        raise OptionError(
            f"The 'start' parameter must hold {per_plane} as finite numbers of shape {expected}. Got {start!r}."
        )
    return given if problem.fit_intercept else np.concatenate([given, np.zeros((*given.shape[:-1], 1))], axis=-1)


def arranged(n: int, rng: np.random.Generator | None, max_iter: int, most: int) -> Iterator[np.ndarray]:
    """Blocks of passes, each a row of row numbers in the order to present them: 1 pass, then 1, 2, 4, up to `most`.

    How passes are grouped does not change their order. The memory of a block is used again for the next one.
    """
    orders, done = np.arange(n)[None], 0
    while done < max_iter:
        passes = min(max(1, done), most, max_iter - done)
        if passes != len(orders):
            orders = np.repeat(orders[-1:], passes, axis=0)
        for row in range(passes if rng is not None else 0):
            if passes > 1:
                orders[row] = orders[row - 1]  # the first goes on from the last of the block before
            shuffle(orders[row], rng.integers(0, 2**32, n, dtype=np.uint32))  # type: ignore[union-attr]
        yield orders
        done += passes


@rows.compiled
def shuffle(order, bits):
    """Put row numbers in random order, in place (Fisher and Yates, 1938), with 32 random bits for each."""
    for p in range(order.size - 1, 0, -1):
        q = (np.int64(bits[p]) * (p + 1)) >> 32  # a whole number below p + 1
        order[p], order[q] = order[q], order[p]
