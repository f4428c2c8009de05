"""The perceptron, stochastic gradient descent, least mean squares and the pocket, over blocks in order.

The rules are those of `solvers.online`, row by row. One block in its own order gives the bits of the rule in memory.
The pocket compares candidates on all rows: here these are the planes at the ends of blocks, which are counted side by
side in one pass for each pass of the rule, and the best of all is kept.
"""

import dataclasses
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any

import numpy as np

from separatrix.certificates import Separator, Unproved
from separatrix.certificates.arithmetic.mistake_bound import ExtendedRows
from separatrix.errors import OptionError
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.problem.fold import Fold
from separatrix.rows import read_only
from separatrix.solvers.blocks.rows_in_order import Orders, RowMeasures, run_in_order
from separatrix.solvers.online import lms as lms_rule
from separatrix.solvers.online import perceptron as perceptron_rule
from separatrix.solvers.online import stochastic as stochastic_rule
from separatrix.solvers.online.run import Run
from separatrix.solvers.online.schedule import is_rate
from separatrix.solvers.online.solution import planes_of, solution_of
from separatrix.solvers.options import number, whole

NO_RECORD = "The rows of blocks are not kept, so that no run over them can be recorded. Use record=False."


def perceptron(
    problem: BlockedProblem,
    *,
    learning_rate: Any = 1.0,
    l2: float = 0.0,
    averaged: bool = False,
    normalized: bool = False,
    bias_step: Any = 1.0,
    batch_size: int = 1,
    max_iter: int = 1000,
    record: bool = False,
    start: Any = None,
    rng: np.random.Generator | None = None,
    t: int = 0,
) -> Solution:
    """The options are those of `solvers.online.perceptron.online`.

    >>> from separatrix.data.blocks import read_blocks
    >>> blocks = read_blocks([(np.array([[0.0], [1.0]]), [0, 0]), (np.array([[3.0], [4.0]]), [1, 1])])
    >>> solution = perceptron(blocks.encoded().problem)
    >>> solution.status.name, solution.certificate.proof
    ('SEPARATED', True)
    """
    if record:
        raise OptionError(NO_RECORD)
    step = bias_step if not isinstance(bias_step, str) else perceptron_rule.offset_step(measured(problem), bias_step)
    options = {
        "learning_rate": learning_rate, "l2": l2, "averaged": averaged, "bias_step": step, "batch_size": batch_size,
        "max_iter": max_iter, "start": start, "rng": rng, "t": t, "n_rows": problem.n_rows,
    }  # fmt: skip
    plain = perceptron_rule.sweep_passes if is_rate(learning_rate) and not normalized else None
    make = PerceptronRun(options, plain, normalized, bool(number("l2", l2, at_least=0.0)))
    run = run_in_order(problem, make, orders_of(rng), whole("max_iter", max_iter))
    if run.options.l2:
        return unproved(problem, run, "with l2 > 0 the plane shrinks at every step, and the rule has no end")
    return separator(problem, run, "the average of the planes passed through does not separate" if averaged else "")


@dataclass(frozen=True)
class PerceptronRun:
    """Builds the run of a perceptron for a block."""

    options: dict[str, Any]
    plain: Any
    normalized: bool
    shrinks: bool

    def __call__(self, block: Problem) -> Run:
        """The run of a block."""
        step = perceptron_rule.offset_step(block, self.options["bias_step"])
        factors = None
        if self.normalized:
            lengths = ExtendedRows(block, step).lengths
            factors = 1.0 / np.where(lengths > 0, lengths, 1.0)
        options = self.options | {"bias_step": step}
        return Run(block, Loss(Kind.PERCEPTRON), stops=not self.shrinks, factors=factors, plain=self.plain, **options)


def stochastic(
    problem: BlockedProblem,
    *,
    loss: Loss = stochastic_rule.HINGE,
    learning_rate: Any = "auto",
    l2: float = 0.0,
    l1: float = 0.0,
    batch_size: int = 1,
    averaged: bool = False,
    replace: bool = False,
    max_iter: int = 100,
    record: bool = False,
    start: Any = None,
    rng: np.random.Generator | None = None,
    t: int = 0,
) -> Solution:
    """The options are those of `solvers.online.stochastic.stochastic`; `replace` draws from the rows of each block."""
    if averaged and number("l1", l1, at_least=0.0):
        raise OptionError(f"The average is not kept with l1={l1!r}. Use averaged=False or l1=0.")
    rate = learning_rate
    if isinstance(rate, str) and rate == "auto":
        rows: Any = measured(problem)
        rate = stochastic_rule.suited_rate(rows, loss, number("l2", l2, at_least=0.0), whole("batch_size", batch_size))
    make = partial(
        Run, loss=loss, learning_rate=rate, max_iter=max_iter, l2=l2, l1=l1, batch_size=batch_size, averaged=averaged,
        curve=record, plain=stochastic_rule.sweep_passes, start=start, rng=rng, t=t, n_rows=problem.n_rows,
    )  # fmt: skip
    run = run_in_order(problem, make, orders_of(rng, replace), whole("max_iter", max_iter))
    return unproved(problem, run, "stochastic steps come near the minimum of the objective; how near is not known")


def lms(
    problem: BlockedProblem,
    *,
    learning_rate: Any = "auto",
    normalized: bool = False,
    max_iter: int = 100,
    record: bool = False,
    start: Any = None,
    rng: np.random.Generator | None = None,
    t: int = 0,
) -> Solution:
    """The options are those of `solvers.online.lms.lms`."""
    rate, rows = learning_rate, measured(problem)
    if isinstance(rate, str) and rate == "auto":
        rate = lms_rule.suited_rate(rows, normalized)
    check_rate(problem, rows, rate, normalized)
    make = LmsRun(
        {"learning_rate": rate, "max_iter": max_iter, "curve": record, "start": start, "rng": rng, "t": t,
         "n_rows": problem.n_rows},
        lms_rule.sweep_passes if is_rate(rate) and not normalized else None,
        normalized,
    )  # fmt: skip
    run = run_in_order(problem, make, orders_of(rng), whole("max_iter", max_iter))
    reason = "steps of least mean squares come near the least squares solution; how near is not known"
    return unproved(problem, run, reason)


@dataclass(frozen=True)
class LmsRun:
    """Builds the run of least mean squares for a block."""

    options: dict[str, Any]
    plain: Any
    normalized: bool

    def __call__(self, block: Problem) -> Run:
        """The run of a block."""
        squares = block.norms**2
        factors = 1.0 / np.where(squares > 0, squares, 1.0) if self.normalized else None
        return Run(block, Loss(Kind.SQUARED), factors=factors, plain=self.plain, **self.options)


def check_rate(problem: BlockedProblem, rows: Any, rate: Any, normalized: bool) -> None:
    """Refuse a constant rate at which the weights diverge, whatever the order of the rows."""
    if lms_rule.overshoots(rows, rate, normalized):
        fold = Fold(lambda block, first: lms_rule.log_volume(block, rate, normalized), add, float)
        lms_rule.refuse_growth(rows, rate, normalized, problem.over(fold))


def measured(problem: BlockedProblem) -> Any:
    """The number of rows and the longest, which stand for a Problem where only these count."""
    return RowMeasures.of(problem)


def orders_of(rng: np.random.Generator | None, replace: bool = False) -> Orders:
    """Orders that depend on a random number; the rows' own where there is none."""
    return Orders(None if rng is None else int(rng.integers(2**63)), replace)


def separator(problem: BlockedProblem, run: Run, otherwise: str = "") -> Solution:
    """Claim that the planes separate if they do, from a pass over all rows; or nothing, for a reason."""
    w, b = planes_of(run)
    examined = problem.over(Separator.examination(w, b))
    claim = Separator(read_only(np.array(w)), read_only(np.array(b)), None, examined, problem.n_rows)
    if otherwise and not claim.proof:
        return unproved(problem, run, otherwise)
    return solution_of(run, claim, Status.SEPARATED if claim.proof else Status.SPENT)


def unproved(problem: BlockedProblem, run: Run, reason: str) -> Solution:
    """Claim nothing but the training error, from a pass over all rows."""
    claim = Unproved(reason, *planes_of(run))
    return solution_of(run, dataclasses.replace(claim, stated=problem.over(claim.fold())), Status.ENDED)
