"""L-BFGS for log losses: each step costs one pass over the rows (Liu and Nocedal, 1989).

    step = -(inverse Hessian from the last few steps and gradient changes, on top of a preconditioner) gradient

On well-conditioned rows it needs no more passes than Newton's method needs steps and Hessian products together. The
full step is tried first; where the derivative of F there is not small, a line search uses the stored log-odds.
"""

from collections import deque

import numpy as np

from separatrix.rows import Vector
from separatrix.solvers.logistic.newton import MIN_RELATIVE_DECREASE, line_search
from separatrix.solvers.logistic.preconditioners import MakePreconditioner, Preconditioner
from separatrix.solvers.logistic.scaled_objective import Point, ScaledObjective
from separatrix.solvers.logistic.stopping import Stopping

MAX_STALLED_STEPS = 12  # that lowered neither the gap nor F

Correction = tuple[Vector, Vector, float]  # a step, the change of the gradient along it, and their product


def lbfgs(
    objective: ScaledObjective,
    point: Point,
    make_preconditioner: MakePreconditioner,
    stopping: Stopping,
    max_steps: float = np.inf,
    check_every: int = 6,
) -> tuple[Point, bool]:
    """The best point found, and whether its gap is the one asked for.

    After every `check_every` steps their progress is extrapolated; where max_steps would be far too few, it gives
    up. It also ends after some steps that lowered neither the gap nor F.
    """
    memory, least, lowest, stalled = deque[Correction](maxlen=10), np.inf, np.inf, 0
    best, precondition, gap_before, steps = point, make_preconditioner(point), np.inf, 0
    while True:
        stalled = 0 if point.gap < 0.9 * least or point.value < (1.0 - 1e-9) * lowest else stalled + 1
        lowest = min(lowest, point.value)
        best, least = point.or_better(best), min(least, point.gap)
        max_steps -= 1
        if steps % check_every == 0:
            if out_of_reach(gap_before, least, stopping.tol * point.value, max_steps / check_every):
                return best, False
            gap_before = least
        steps += 1
        if stopping.reached(point) or stalled >= MAX_STALLED_STEPS or max_steps < 0 or stopping.budget.spent():
            return best, stopping.reached(best) or (stalled >= MAX_STALLED_STEPS and stopping.certified(best))
        step = -inverse_hessian_product(point.gradient, memory, precondition)
        slope = float(np.sum(point.gradient * step))
        if not -slope > MIN_RELATIVE_DECREASE * point.value:
            return best, stopping.reached(best)
        following = stepped(objective, point, step, slope)
        moved, change = following.V - point.V, following.gradient - point.gradient
        curvature = float(np.sum(moved * change))
        if curvature > 0.0:
            memory.append((moved, change, curvature))
        point = following


def out_of_reach(gap_before: float, gap: float, target: float, rounds: float) -> bool:
    """Whether rounds of steps that lower the gap by the same factor as the last one would be twice too few."""
    if not np.isfinite(gap_before + rounds) or gap <= target:
        return False
    gained = float(np.log(gap_before / gap))
    return gained <= 0.0 or float(np.log(gap / target)) / gained > 2.0 * max(rounds, 1.0 / 6.0)


def stepped(objective: ScaledObjective, point: Point, step: Vector, slope: float) -> Point:
    """The point after a full step where the derivative has fallen to half or less, else after a line search."""
    full = Point(objective, point.V + step)
    if abs(float(np.sum(full.gradient * step))) <= 0.5 * abs(slope):
        return full
    change = full.log_odds - point.log_odds
    change[~np.isfinite(change)] = 0.0  # the own class
    t = line_search(objective, point, step, change)
    return Point(objective, point.V + t * step, point.log_odds + t * change)


def inverse_hessian_product(gradient: Vector, memory: deque[Correction], precondition: Preconditioner) -> Vector:
    """The gradient times the inverse of the approximate Hessian, by the two-loop recursion (Nocedal, 1980)."""
    rest, parts = gradient.copy(), []
    for moved, change, curvature in reversed(memory):
        part = float(np.sum(moved * rest)) / curvature
        rest -= part * change
        parts.append(part)
    found = precondition(rest)
    if memory:  # curvature is not what it was when the preconditioner was made
        _, change, curvature = memory[-1]
        found *= curvature / float(np.sum(change * precondition(change)))
    for (moved, change, curvature), part in zip(memory, reversed(parts), strict=True):
        found += (part - float(np.sum(change * found)) / curvature) * moved
    return found
