"""A run of a rule over rows: what all rules that learn row by row share around their loop."""

from collections.abc import Callable
from typing import Any, TypeAlias, cast

import numpy as np

from separatrix import rows
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Regression
from separatrix.rows import Vector, length
from separatrix.solvers.online.best_so_far import Best
from separatrix.solvers.online.order import Orders, arranged
from separatrix.solvers.online.planes import SCALE, SHARE, Extras, settle_all
from separatrix.solvers.online.schedule import LearningRate, schedule
from separatrix.solvers.online.sweep import Manner, sweep
from separatrix.solvers.online.trace import Log
from separatrix.solvers.options import check_finite, check_shrinking, first_planes, number, whole

Random: TypeAlias = np.random.Generator | None
BeforePass: TypeAlias = Callable[[int], bool] | None
NEVER = 2**62  # more rows than can be right in a row


class Presentation:
    """A run in progress: the weights, the counters, and the log if there is one.

    The loss says how much of each row is added to w. The steps of row i are multiplied by factors[i]. With `stops` the
    run ends when n rows in a row needed no correction; with `patience` it keeps the best planes, and ends after so
    many steps without better ones. t counts the steps, those of earlier calls among them.
    """

    def __init__(
        self,
        problem: Problem | Regression,
        loss: Loss,
        *,
        start: Any = None,
        learning_rate: LearningRate = 1.0,
        max_iter: int = 1000,
        stops: bool = False,
        factors: Vector | None = None,
        bias_step: float = 1.0,
        l2: float = 0.0,
        l1: float = 0.0,
        batch_size: int = 1,
        averaged: bool = False,
        patience: int | None = None,
        record: bool = False,
        curve: bool = False,
        t: int = 0,
    ):
        self.problem, self.record, self.with_curve = problem, record, curve
        self.loss = Loss(int(loss.kind), float(loss.parameter))  # one type for compiled code
        self.max_iter, self.rates = whole("max_iter", max_iter), schedule(learning_rate)
        self.start = first_planes(problem, start)
        self.manner = Manner(
            bias_step=float(bias_step) if problem.fit_intercept else 0.0,
            l2=number("l2", l2, at_least=0.0),
            l1=number("l1", l1, at_least=0.0),
            batch_size=min(whole("batch_size", batch_size), problem.n_rows),
            enough=problem.n_rows if stops else NEVER,
        )
        self.at_once = self.manner.batch_size > 1
        self.W = self.start.copy()
        self.rivals = np.arange(len(self.W)) if len(self.W) > 1 else None
        self.extras = None
        if averaged or self.at_once or l2 or l1 or loss.kind == Kind.OJA:
            self.extras = Extras.of(self.W, averaged, self.at_once, bool(l1))
        self.factors = np.ones(1) if factors is None else factors
        self.best = None if patience is None else Best.of(self.W, cast(Problem, problem), patience)
        self.t, self.before, self.presented, self.mistakes, self.last_mistakes, self.streak = t, t, 0, 0, 0, 0
        self.log, self.curve = list[tuple[Vector, ...]](), list[float]()

    def run(self, rng: Random = None, replace: bool = False, before_pass: BeforePass = None) -> "Presentation":
        """Make all passes, or end before: `before_pass` is told how many were made, and says whether to end."""
        n, X, work = self.problem.n_rows, self.problem.X, self.work_a_row()
        most = max(1, rows.ENTRIES_A_CALL // (max(n, rows.n_entries(X)) * work)) if before_pass is None else 1
        for orders in arranged(n, rng, self.max_iter, most, replace):
            if before_pass is not None and before_pass(self.passes):
                return self
            for part in rows.chunks(X, work * len(orders.order)):
                self.present(orders.part(part), part.start == 0, part.stop == n, rng is not None)
                if self.streak >= self.manner.enough:
                    return self
        return self

    def work_a_row(self) -> int:
        """How many times the entries of a row are read for it at most, or as many others."""
        n, X, k = self.problem.n_rows, self.problem.X, len(self.start)
        shrinking = min(1.0, float(self.rates(self.t + 1, 1)[0]) * self.manner.l2)  # how often w is multiplied out
        whole_planes = n * self.problem.n_features * (shrinking if self.best is None else 1.0)
        counted = 0 if self.best is None else n // (4 if isinstance(X, np.ndarray) else 1)
        return k * (1 + counted + int(whole_planes) // max(n, rows.n_entries(X)))

    def present(self, orders: Orders, begins: bool, ends: bool, shuffled: bool) -> None:
        """Show the rule some rows in one compiled call; they begin a pass, or end one, or both."""
        self.best = self.best and self.best.in_order(self.problem.X)
        size, passes = orders.order.size, len(orders.order)
        most = size * max(1, len(self.start) - 1)
        log = Log.of(most if self.record else 0, passes if self.with_curve else 0)
        steps_a_pass = -(-(size // passes) // self.manner.batch_size)  # one more where a batch began before this call
        rates = self.rates(self.t + 1, passes * steps_a_pass + (not (begins and ends)))
        check_shrinking(self.manner.l2, rates)
        rounding = rows.rounding_bound(self.problem.n_features + 1) * self.problem.radius
        growth = rounding * self.problem.radius * max(1.0, self.manner.bias_step)
        doubt = 2.0 * rounding * length(self.last_planes())  # twice, for the difference of two scores
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # what overflows is refused below
            steps, seen, mistakes, last, self.streak = sweep(
                self.problem.X, self.problem.targets, orders, self.loss, self.W, self.rivals, self.extras, self.manner,
                rates, self.factors, doubt, growth, self.streak, begins and shuffled, ends, log, self.best,
            )  # fmt: skip
        check_finite(self.W, self.problem, rates)
        if self.record:
            self.keep(log, mistakes, orders.order)
        if self.with_curve and not begins:
            log.curve[0] += self.curve.pop()
        self.curve += log.curve.tolist()
        self.last_mistakes = last if begins else self.last_mistakes + last
        self.presented, self.mistakes, self.t = self.presented + seen, self.mistakes + mistakes, self.t + steps

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
        return -(-self.presented // self.problem.n_rows)

    def last_planes(self) -> Vector:
        """[w..., b] as the rule has them now."""
        if self.extras is None:
            return self.W.copy()
        settle_all(self.W, self.extras)
        return self.extras.numbers[SCALE] * self.W

    def planes(self) -> Vector:
        """[w..., b] to answer with: the best, the average or the last."""
        if self.best is not None:
            return self.best.planes.copy()
        if self.extras is not None and self.extras.u.size and self.t > self.before:
            return (self.extras.numbers[SHARE] * self.W + self.extras.u) / (self.t - self.before)
        return self.last_planes()
