"""Frames of machines in the space of a kernel: pair steps of SMO, then Newton's rounds on the free rows.

    a pair step      the alphas of two rows move along y until one meets a bound, or the slope between them is 0
    a Newton round   one linear system gives alpha of all free rows; rows on the wrong side of a bound change their set

Where the kernel matrix has a low rank its factor is solved as a linear machine, whose alpha is that of the kernel's.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.errors import counted
from separatrix.estimators.kernel.one_class_svm import OneClassSVM
from separatrix.estimators.kernel.smallest_ball import SmallestBall
from separatrix.lab.frames.corrections import short
from separatrix.lab.frames.machine_steps import alphas, between, interior, of_program, polish
from separatrix.lab.frames.recording import Recording
from separatrix.lab.frames.setting import Setting
from separatrix.lab.frames.watched import Machine, Shown, expansion, recording, watch
from separatrix.objectives.enclosing_ball import squared_lengths
from separatrix.rows import Vector
from separatrix.solvers.kernel.dual.dual_optimum import shared_claim
from separatrix.solvers.kernel.dual.grouped_dual import Answer
from separatrix.solvers.kernel.enclosing_ball import Ball
from separatrix.solvers.kernel.one_class import threshold

BOUND_RTOL = 1e-12  # of its upper bound, within which an alpha is there


class Dual(NamedTuple):
    """An iterate of the dual: its kind, alpha of each variable, the offset of each group if known, and what was told.

    `machine` is the solver's `KernelMachine`; of a factor of low rank it is the one that its alpha is for.
    """

    kind: str
    alpha: Vector
    offsets: Vector | None
    machine: Any
    told: dict[str, Any]


def dual_steps(setting: Setting) -> Recording:
    """The recording of a kernel machine, for classes or for novelty."""
    end = "The answer; its certificate is computed from the rows, in double precision."
    return recording(setting, watch(setting, keep, nested=True), "step", show, end)


def keep(machine: Machine, event: str, told: dict[str, Any]) -> Dual | None:
    """Alpha after a step; SMO's blocks of some of the rows are left out, where there are too many for one block."""
    about = machine.about
    if event in ("direction", "program"):
        about.update({"factor": 1.0} | told if event == "program" else {"direction": told})
    elif event == "search":
        about["machine"], about["alpha"] = told["machine"], told["alpha"].copy()
        return Dual("start", about["alpha"], None, told["machine"], {}) if machine.number < 0 else None
    elif event == "pair" and told["alpha"].size == about["machine"].dual.y.size:
        before, about["alpha"] = about["alpha"], told["alpha"].copy()
        return Dual("pair", about["alpha"], None, about["machine"], {"before": before, "slopes": told["slopes"].copy()})
    elif event in ("round", "exact"):
        sets = told["sets"]
        counts = {"free": int(np.count_nonzero(sets.free)), "bounded": int(np.count_nonzero(sets.bounded))}
        return Dual(event, told["alpha"].copy(), told["offsets"].copy(), told["machine"], counts)
    elif event in ("interior", "polish") and "program" in about:
        return of_factor(machine, event, told)
    return None


def of_factor(machine: Machine, event: str, told: dict[str, Any]) -> Dual | None:
    """An iterate of the linear machine of a factor; None where it has other rows than the kernel machine."""
    program, problem = machine.about["program"], machine.problem
    space = machine.about["space"]
    if program.problem.objective != problem.objective or hasattr(program, "plane"):
        return None
    if program.problem.n_rows != space.merged(problem).n_rows or told["alpha"].size != program.problem.n_rows:
        return None
    linear = Machine(program.problem, 2, 0)
    linear.about = machine.about
    step = of_program(linear, event, told)
    assert step.alpha is not None
    return Dual(event, step.alpha, step.planes[0, -1:], None, step.told)


def claim_of(machine: Machine, step: Dual) -> DualityGap:
    """The certificate that alpha would have, with the best offset for it unless the step has one."""
    problem, space = machine.problem, machine.about["space"]
    distinct = space.merged(problem)
    if step.machine is None:
        assert step.offsets is not None
        claim = Answer(step.alpha, distinct.signs * step.alpha, float(step.offsets[0])).claim(distinct)
    else:
        grouped = step.machine.grouped
        alpha = np.clip(step.alpha, 0.0, grouped.dual.upper)
        offsets = step.offsets
        if offsets is None:
            beta = grouped.beta(alpha)
            support = np.flatnonzero(beta)
            offsets = grouped.offsets(step.machine.gram.exact_scores(np.arange(beta.size), support, beta[support]))
        claim = grouped.claim(alpha, offsets)
    return claim if space.distinct is None else shared_claim(problem, space, claim)


@np.errstate(all="ignore")  # an iterate far from the optimum may have no finite value
def show(setting: Setting, machine: Machine, speaks: bool, step: Dual, before: Dual | None) -> Shown:
    """What a step did to alpha, and the function that alpha makes."""
    claim = claim_of(machine, step)
    coefficients, alpha = (np.zeros(machine.problem.n_rows) for _ in range(2))
    coefficients[claim.support], alpha[claim.support] = claim.w, claim.alpha
    values: dict[str, Any] = {"primal": claim.primal, "dual": claim.dual, "gap": claim.primal - claim.dual}
    values |= {"barrier": step.told.get("mu"), "step": step.told.get("taken")}
    text = f"{sentence(setting, machine, step, before, values)} {between(claim)}"
    parts = {"values": values, "alpha": alphas(setting, machine, alpha), "rows": pair_rows(setting, machine, step)}
    return Shown(text, None, parts, function_of(setting, machine, claim, coefficients))


def function_of(
    setting: Setting, machine: Machine, claim: DualityGap, coefficients: Vector
) -> Callable[[Vector], Vector]:
    """g of any points, positive for the later class, or inside."""
    problem = machine.problem
    if isinstance(setting.estimator, OneClassSVM):
        return expansion(problem, coefficients, -threshold(problem, claim.support, claim.w))
    if not isinstance(setting.estimator, SmallestBall):
        return expansion(problem, coefficients, float(claim.b))
    scores = expansion(problem, coefficients, 0.0)(machine.X)
    square = max(float(coefficients @ scores), 0.0)
    distances = np.maximum(squared_lengths(problem) - 2.0 * scores + square, 0.0)
    radius = float(np.sqrt(problem.objective.best_square(problem, distances)))
    rows = problem.support_rows(claim.support)
    return Ball(problem.kernel, rows, coefficients[claim.support], square, radius).scores


def moved(step: Dual) -> np.ndarray:
    """The variables of a pair step, the one that moved along y first."""
    change = step.alpha - step.told["before"]
    pair = np.flatnonzero(change)
    return pair[np.argsort(-step.machine.dual.y[pair] * change[pair], kind="stable")]


def row_of(machine: Machine, step: Dual, variable: int) -> int:
    """The row of the machine's problem that a variable belongs to: the first of equal ones."""
    row, distinct = int(step.machine.dual.row[variable]), machine.about["space"].distinct
    return int(machine.index[row if distinct is None else distinct.first[row]])


def pair_rows(setting: Setting, machine: Machine, step: Dual) -> np.ndarray:
    """The rows that a step was for."""
    if step.kind != "pair":
        return np.empty(0, dtype=int)
    return setting.rows([row_of(machine, step, variable) for variable in moved(step).tolist()])


def sentence(setting: Setting, machine: Machine, step: Dual, before: Dual | None, values: dict[str, Any]) -> str:
    """What a step did and why."""
    if step.kind == "start":
        start = "alpha = 0 for every row, so that g is level" if not step.alpha.any() else "a feasible alpha"
        return f"The start: {start}. SMO then moves two alphas at a time."
    if step.kind == "pair":
        return pair_sentence(setting, machine, step, values)
    if step.kind in ("interior", "polish"):
        words = {"interior": interior, "polish": polish}[step.kind]
        first = None if before is None or before.kind != "interior" else before
        return f"The kernel matrix has a low rank, and its factor makes a linear machine. {words(machine, step, first)}"  # type: ignore[arg-type]
    free, bounded = counted(step.told["free"], "free row"), step.told["bounded"]
    if step.kind == "exact":
        return (
            f"A Newton round with residuals in double precision: {free}, {bounded:,} at the upper bound. Its alphas "
            "are those of the answer, but for rounding."
        )
    return (
        f"A Newton round: one linear system puts all {free} on the margin at once, with {bounded:,} at the bound. "
        "Rows that leave their bounds by it, or are on the wrong side of the margin, change their set."
    )


def pair_sentence(setting: Setting, machine: Machine, step: Dual, values: dict[str, Any]) -> str:
    """Which two alphas moved, and where they stopped."""
    pair, dual, unit = moved(step), step.machine.dual, step.machine.grouped.unit
    if pair.size != 2:
        return "SMO moved a pair by less than rounding shows."
    slopes = step.told["slopes"]
    values["violation"] = float(slopes[pair[0]] - slopes[pair[1]])
    told = []
    for variable in pair.tolist():
        was, now = (short(unit * float(alpha[variable])) for alpha in (step.told["before"], step.alpha))
        told.append(f"{setting.row(row_of(machine, step, variable))} from {was} to {now}")
    stopped = [at_bound(setting, machine, step, variable) for variable in pair.tolist()]
    where = " and ".join(filter(None, stopped)) or "the slope between the two was 0"
    kept = "so that the sum of y alpha stays" if np.ptp(dual.y) else "so that the sum of alpha stays"
    return (
        f"SMO chose the pair that gains most of those that violate the optimality conditions, here by "
        f"{short(values['violation'])}. Alpha of {told[0]} and of {told[1]}, {kept}. They stopped where {where}."
    )


def at_bound(setting: Setting, machine: Machine, step: Dual, variable: int) -> str:
    """At which bound the alpha of a variable is, if it is at one."""
    alpha, upper = float(step.alpha[variable]), float(step.machine.dual.upper[variable])
    row = f"row {setting.rows([row_of(machine, step, variable)])[0]}"
    if alpha == 0.0:
        return f"{row} came to 0"
    return f"{row} came to its upper bound" if alpha >= upper * (1.0 - BOUND_RTOL) else ""
