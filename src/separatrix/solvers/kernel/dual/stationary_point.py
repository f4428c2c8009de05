"""A stationary point of a kernel machine without Mercer's condition, where the dual bounds nothing.

    max of slopes that may rise <= b_g <= min of slopes that may fall, within every group g        (`block_smo`)

Pairs of alphas are improved until none can be by more than a tolerance.
"""

from dataclasses import replace

import numpy as np

from separatrix.certificates import Unproved
from separatrix.problem import Expansion, History, Problem, Solution, Status
from separatrix.rows import Vector
from separatrix.solvers.kernel.block_smo import Point, Violation, block_smo
from separatrix.solvers.kernel.dual.free_sets import netted
from separatrix.solvers.kernel.dual.grouped_dual import GroupedDual
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.kernel.newton_rounds import KernelMachine

STATIONARY_VIOLATION = 1e-3  # of the optimality conditions, where nothing is proved


def stationary_point(problem: Problem, space: KernelSpace, machine: KernelMachine) -> Solution:
    """Where no pair of alphas can be improved, with the training error instead of a proof."""
    grouped, point = machine.grouped, Point(machine.alpha, machine.scores())
    tol = STATIONARY_VIOLATION * grouped.size(grouped.offsets(point.scores))
    block_smo(machine.gram, machine.dual, point, tol, machine.budget)
    answer = grouped.answers(netted(point.alpha, grouped.mirror), stationary_offsets(grouped, point))[0]
    coefficients, b = space.shared(problem, answer.coefficients), answer.b
    support = np.flatnonzero(coefficients)
    why = "the kernel matrix of these rows is not positive semidefinite, or not known to be"
    reason = f"{why}, so that the dual bounds nothing; this is a stationary point"
    claim = replace(Unproved(reason, coefficients[support], b, np.inf), coefficients_of=support)
    claim = replace(claim, stated=claim.error(problem))
    model = Expansion(problem.kernel, problem.support_rows(support), coefficients[support], b)
    steps = max(machine.budget.used, 1)
    return Solution(model, claim, Status.ENDED, History(steps, steps))


def stationary_offsets(grouped: GroupedDual, point: Point) -> Vector:
    """The mean of what free variables say of the offset of each group, or the middle of what the others allow."""
    dual, slopes = grouped.dual, point.slopes(grouped.dual)
    free = (point.alpha > 0.0) & (point.alpha < dual.upper)
    violation = Violation.of(dual, point.alpha, slopes)
    offsets = np.zeros(grouped.totals.size)
    for g in range(offsets.size):
        own = dual.group == g
        up, down = slopes[own & violation.up], slopes[own & violation.down]
        ends = [each for each in (up.max(initial=-np.inf), down.min(initial=np.inf)) if np.isfinite(each)]
        offsets[g] = slopes[own & free].mean() if (own & free).any() else float(np.mean(ends or [0.0]))
    return offsets
