"""L-BFGS for log losses: each step costs one look at the rows (Liu and Nocedal, 1989).

    step = -(matrix made of the last few steps and changes of the gradient, on top of a preconditioner) gradient

Where the rows are well behaved it needs no more looks than Newton's method needs steps and products together. The full
step is tried first; where the derivative of F there is not small, the right length is found on stored scores.
"""

from collections import deque

import numpy as np

from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.newton import FLOOR, Point, Precondition, Prepare, Task, how_far

MEMORY = 10
STRETCH, HOPE = 6, 2.0  # steps from whose progress the rest is foreseen; how many times too many are hopeless
TRUSTED = 0.5  # part of the first derivative that may be left after a step
STALE, NOTHING = 12, 1e-9  # steps that bring nothing, and what part of F that is

Pair = tuple[Vector, Vector, float]


def limited_memory(
    task: Task,
    V: Vector,
    prepare: Prepare,
    enough: float,
    budget: Budget,
    patience: float = np.inf,
    stretch: int = STRETCH,
) -> tuple[Point, bool]:
    """Planes, and whether the gap that they leave is within a part `enough` of F, after so many steps at most.

    After every `stretch` of them the rest is foreseen from their progress, and left where it would be far too many.
    """
    point, memory, least, lowest, stale = Point(task, V), deque[Pair](maxlen=MEMORY), np.inf, np.inf, 0
    steps = 0
    best, precondition, before = point, prepare(point), np.inf
    while True:
        stale = 0 if point.gap < 0.9 * least or point.value < (1.0 - NOTHING) * lowest else stale + 1
        lowest = min(lowest, point.value)
        best, least = (point, point.gap) if point.gap < least else (best, least)
        patience -= 1
        if steps % stretch == 0:
            if hopeless(before, least, enough * point.value, patience / stretch):
                return best, False
            before = least
        steps += 1
        if point.gap <= enough * point.value or stale >= STALE or patience < 0 or budget.spent():
            return best, least <= enough * best.value
        step = -direction(point.gradient, memory, precondition)
        slope = float(np.sum(point.gradient * step))
        if not -slope > FLOOR * point.value:
            return best, least <= enough * best.value
        following = stepped(task, point, step, slope)
        moved, change = following.V - point.V, following.gradient - point.gradient
        curvature = float(np.sum(moved * change))
        if curvature > 0.0:
            memory.append((moved, change, curvature))
        point = following


def hopeless(before: float, now: float, target: float, stretches: float) -> bool:
    """Whether stretches of steps that bring as much as the last would be far too many."""
    if not np.isfinite(before + stretches) or now <= target:
        return False
    gained = float(np.log(before / now))
    return gained <= 0.0 or float(np.log(now / target)) / gained > HOPE * max(stretches, 1.0 / STRETCH)


def stepped(task: Task, point: Point, step: Vector, slope: float) -> Point:
    """The point after a full step, or after as much of it as is good."""
    full = Point(task, point.V + step)
    left = float(np.sum(full.gradient * step))
    if abs(left) <= TRUSTED * abs(slope):
        return full
    along = full.ahead - point.ahead
    along[~np.isfinite(along)] = 0.0  # a row against itself
    t = how_far(task, point, step, along)
    return Point(task, point.V + t * step, point.ahead + t * along)


def direction(gradient: Vector, memory: deque[Pair], precondition: Precondition) -> Vector:
    """The gradient times the inverse of the second derivatives, as far as they are known."""
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
