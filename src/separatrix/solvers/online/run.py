"""A run of a rule over rows: what all rules that learn row by row share around their loop."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypedDict

import numpy as np

from separatrix import rows
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem
from separatrix.rows import Vector, length
from separatrix.solvers.online.schedule import LearningRate, schedule
from separatrix.solvers.online.shuffling import Passes, passes_of
from separatrix.solvers.online.sweep import Options, sweep
from separatrix.solvers.online.trace import Log
from separatrix.solvers.online.weights import SCALE, SCALE_SUM, Lazy, Weights, apply_l1
from separatrix.solvers.options import check_finite, check_shrinking, first_planes, number, whole
from separatrix.solvers.watching import is_watched, tell

Random: TypeAlias = np.random.Generator | None
BeforePass: TypeAlias = Callable[[int], bool] | None
Counts: TypeAlias = tuple[int, int, int, int, int]
PlainLoop: TypeAlias = Callable[[rows.Rows, np.ndarray, Passes, Vector, Options], Counts]
NO_STOP = 2**62  # more rows than can be right in a row
WATCHED_PART = 32  # a watched run presents at once one in so many of the rows that it has seen, or a single one


class RunOptions(TypedDict, total=False):
    """Options that every rule hands on to its run."""

    start: Any  # [w..., b] to start from; None: zero
    rng: Random  # reshuffles the rows before each pass; None: they come in their own order
    t: int  # steps made before, in earlier calls; the learning rate depends on it


class Run:
    """A run in progress: the weights, the counters, and the log if there is one.

    The loss says how much of each row is added to w. The steps of row i are multiplied by factors[i]. With `stops` the
    run ends when n rows in a row needed no correction. t counts the steps, those of earlier calls among them. `record`
    keeps every correction, `curve` the mean loss of each pass. The rule's `plain` loop is taken where no option asks
    for the general one. Where the problem is a block of a larger one, `n_rows` are the rows of all.
    """

    rows_compared = 0  # how many other rows each correction may read; if any, it may copy the planes too

    def __init__(
        self,
        problem: Problem,
        loss: Loss,
        *,
        start: Any = None,
        learning_rate: LearningRate = 1.0,
        max_iter: int = 1000,
        rng: Random = None,
        stops: bool = False,
        factors: Vector | None = None,
        bias_step: float = 1.0,
        l2: float = 0.0,
        l1: float = 0.0,
        batch_size: int = 1,
        averaged: bool = False,
        record: bool = False,
        curve: bool = False,
        t: int = 0,
        plain: PlainLoop | None = None,
        n_rows: int | None = None,
    ):
        self.problem, self.record, self.with_curve, self.rng, self.plain = problem, record, curve, rng, plain
        self.max_iter, self.rates = whole("max_iter", max_iter), schedule(learning_rate)
        self.start, self.n_rows = first_planes(problem, start), problem.n_rows if n_rows is None else n_rows
        self.options = Options(
            loss=Loss(int(loss.kind), float(loss.parameter)),  # one type for compiled code
            factors=np.ones(1) if factors is None else factors,
            bias_step=float(bias_step) if problem.fit_intercept else 0.0,
            l2=number("l2", l2, at_least=0.0),
            l1=number("l1", l1, at_least=0.0),
            batch_size=min(whole("batch_size", batch_size), self.n_rows),
            stop_after=self.n_rows if stops else NO_STOP,
        )
        self.in_batches = self.options.batch_size > 1
        self.W = self.start.copy()
        lazy = None
        if averaged or self.in_batches or l2 or l1 or loss.kind == Kind.OJA:
            lazy = Lazy.of(self.W, averaged, self.in_batches, bool(l1))
        self.weights = Weights(self.W, np.arange(len(self.W)) if len(self.W) > 1 else None, lazy)
        self.t, self.t_before, self.presented, self.mistakes, self.last_mistakes, self.streak = t, t, 0, 0, 0, 0
        self.log, self.curve = list[tuple[Vector, ...]](), list[float]()

    def run(self, replace: bool = False, before_pass: BeforePass = None) -> "Run":
        """Make all passes, or end before: `before_pass` is told how many were made, and says whether to end."""
        n, X, reads = self.problem.n_rows, self.problem.X, self.reads_per_row()
        most = max(1, rows.ENTRIES_A_CALL // (max(n, rows.n_entries(X)) * reads)) if before_pass is None else 1
        most = 1 if is_watched() else most
        tell("problem", problem=self.problem, run=self)
        for passes in passes_of(n, self.rng, self.max_iter, most, replace):
            if before_pass is not None and before_pass(self.passes):
                return self
            for part in self.few_rows() if is_watched() else rows.chunks(X, reads * len(passes.order)):
                self.present(passes.part(part), begins=part.start == 0, ends=part.stop == n)
                tell("rows", run=self, rows=passes.order[0, part])
                if self.streak >= self.options.stop_after:
                    return self
        return self

    def few_rows(self) -> Iterator[slice]:
        """Parts of a pass for a watcher: one row each at first, and more of them the more were presented before."""
        first, n = 0, self.problem.n_rows
        while first < n:
            size = max(1, self.presented // WATCHED_PART)
            yield slice(first, min(first + size, n))
            first += size

    def reads_per_row(self) -> int:
        """How many times the entries of a row are read for it at most, or as many other numbers.

        Where w is multiplied out again, or copied, all entries of the planes are read too.
        """
        rescaled = min(1.0, float(self.rates(self.t + 1, 1)[0]) * self.options.l2)  # how often w is multiplied out
        n, entries = self.problem.n_rows, max(self.problem.n_rows, rows.n_entries(self.problem.X))
        whole_planes = int(n * self.problem.n_features * (1.0 if self.rows_compared else rescaled))
        return len(self.start) * (1 + self.rows_compared + whole_planes // entries)

    def present(self, passes: Passes, begins: bool, ends: bool) -> None:
        """Show the rule some rows in one compiled call; they begin a pass, or end one, or both."""
        size, n_passes = passes.order.size, len(passes.order)
        most = size * max(1, len(self.start) - 1)
        log = Log.of(most if self.record else 0, n_passes if self.with_curve else 0)
        steps_a_pass = -(-(size // n_passes) // self.options.batch_size)  # one more where a batch had begun before
        rates = self.rates(self.t + 1, n_passes * steps_a_pass + (not (begins and ends)))
        check_shrinking(self.options.l2, rates)
        rounding = rows.rounding_bound(self.problem.n_features + 1) * self.problem.radius
        options = self.options._replace(
            rates=rates,
            streak=self.streak,
            restarts=begins and self.rng is not None,
            ends_pass=ends,
            tie=2.0 * rounding * length(self.last_planes()),  # twice, for the difference of two scores
            tie_growth=rounding * self.problem.radius * max(1.0, self.options.bias_step),
        )
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what overflows is refused below
            steps, presented, mistakes, last, self.streak = self.loop(passes, options, log)
        check_finite(self.W, self.problem, rates)
        if self.record:
            self.keep(log, mistakes, passes.order)
        if self.with_curve and not begins:
            log.curve[0] += self.curve.pop()
        self.curve += log.curve.tolist()
        self.last_mistakes = last if begins else self.last_mistakes + last
        self.presented, self.mistakes, self.t = self.presented + presented, self.mistakes + mistakes, self.t + steps

    def loop(self, passes: Passes, options: Options, log: Log) -> Counts:
        """The compiled loop that presents the rows and changes W; returns as `sweep` does."""
        X, y = self.problem.X, self.problem.targets
        if self.plain is not None and self.is_plain:
            return self.plain(X, y, passes, self.W[0], options)
        return sweep(X, y, passes, self.weights, options, log)

    @property
    def is_plain(self) -> bool:
        """Whether one plane and one row at a time is all that is asked for: no penalty, no average and no log."""
        return len(self.start) == 1 and self.weights.lazy is None and not (self.record or self.with_curve)

    def keep(self, log: Log, mistakes: int, orders: np.ndarray) -> None:
        """Add what the loop logged: t, row, rival and rate of each correction."""
        t, presentation, rival, rate = (column[:mistakes] for column in log[:4])
        row = orders.ravel()[presentation]
        if len(self.start) == 1:
            rival = 1 - self.problem.y[row]
        self.log.append((self.t + 1 + t, row, rival, rate))

    @property
    def passes(self) -> int:
        """Passes begun."""
        return -(-self.presented // self.n_rows)

    def last_planes(self) -> Vector:
        """[w..., b] as the rule has them now."""
        lazy = self.weights.lazy
        if lazy is None:
            return self.W.copy()
        apply_l1(self.W, 0, lazy.l1_applied.size, lazy)
        return lazy.scalars[SCALE] * self.W

    def planes(self) -> Vector:
        """[w..., b] to answer with: the average or the last."""
        lazy = self.weights.lazy
        if lazy is not None and lazy.u.size and self.t > self.t_before:
            return (lazy.scalars[SCALE_SUM] * self.W + lazy.u) / (self.t - self.t_before)
        return self.last_planes()
