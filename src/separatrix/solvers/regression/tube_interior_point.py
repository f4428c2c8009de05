"""A primal-dual interior-point method for sparse regression with a tube (Mehrotra, 1992).

With k = half the width of the tube and slack s_i >= 0 beyond it, max(0, r^2 - k^2) is the least s^2 + 2 k s:

    minimise    sum_j penalty_j (w+_j + w-_j) + sum_i share_i (s_i^2 + 2 k s_i)              w = w+ - w-
    subject to  f_i = k + s_i - r_i >= 0,   h_i = k + s_i + r_i >= 0,   s_i, w+_j, w-_j >= 0

    duals       a_i of f_i,  c_i of h_i,  z_i of s_i:   a_i + c_i + z_i = 2 share_i (s_i + k),     beta = a - c
                penalty_j - (Z'beta)_j of w+_j,  penalty_j + (Z'beta)_j of w-_j,     sum_i beta_i = 0 with an offset

A point with all of these equations is known, and steps keep to them, so that the sum of all products of a variable and
its dual is the gap. A Newton step is a system of the columns, or where these are more, of the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from separatrix.rows import TINY, Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.regression.tube_program import TubeProgram

STEP_TO_BORDER = 0.995  # part of the way to the border that a step goes at most
CLOSEST = 1e-2  # part of the gap that is looked for, at which a point is close whatever rounding left of equations
MAX_STALLED = 8  # steps that do not lower the gap
MAX_INITIAL_WEIGHT = 1e3  # of w+ and w-, in scaled units


@dataclass(eq=False)
class Point:
    """All variables; those of a step have the same names."""

    w: Vector
    b: float
    s: Vector
    f: Vector
    h: Vector
    a: Vector
    c: Vector
    z: Vector
    upper: Vector  # w+
    lower: Vector  # w-
    of_upper: Vector  # its dual
    of_lower: Vector

    @property
    def pairs(self) -> list[tuple[Vector, Vector]]:
        """Each variable with a bound of 0, and its dual."""
        return [
            (self.f, self.a), (self.h, self.c), (self.s, self.z),
            (self.upper, self.of_upper), (self.lower, self.of_lower),
        ]  # fmt: skip

    @property
    def beta(self) -> Vector:
        """The dual variables of the residuals."""
        return self.a - self.c

    @property
    def gap(self) -> float:
        """The sum of all products, by which the primal value exceeds the dual one."""
        return float(sum(variable @ dual for variable, dual in self.pairs))

    @property
    def n_products(self) -> int:
        """How many products there are."""
        return 3 * self.s.size + 2 * self.w.size

    def moved(self, step: "Point", size: float) -> "Point":
        """The point after so much of a step."""
        return Point(*(getattr(self, each.name) + size * getattr(step, each.name) for each in fields(Point)))

    def longest(self, step: "Point") -> float:
        """The largest part of a step, of at most 1, that leaves all variables positive."""
        longest = 1.0
        for (variable, dual), (change, other) in zip(self.pairs, step.pairs, strict=True):
            for value, delta in ((variable, change), (dual, other)):
                falling = delta < 0.0
                longest = min(longest, float((-value[falling] / delta[falling]).min(initial=np.inf)))
        return longest


class Products(NamedTuple):
    """What a step is to change of the product of each variable and its dual, in the order of `Point.pairs`."""

    f: Vector
    h: Vector
    s: Vector
    upper: Vector
    lower: Vector


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # a step that is no number ends the search
def interior_point(program: TubeProgram, tol: float, budget: Budget) -> tuple[Point, Point]:
    """Follow the central path until the gap is tol of the objective, or no step lowers it.

    Returns the point with the smallest gap, which tells best which variables are 0, and that where the gap and what
    rounding left of the equations are smallest together.
    """
    nearest = best = point = first_point(program)
    least, lowest, stalled = np.inf, np.inf, 0
    while stalled < MAX_STALLED:
        left, primal = equations_left(program, point), max(program.primal(point.w, point.b), TINY)
        error = point.gap / primal + left.relative_to(program.penalty)
        stalled = 0 if point.gap < 0.9 * lowest else stalled + 1
        nearest, lowest = (point, point.gap) if point.gap < lowest else (nearest, lowest)
        best, least = (point, error) if error < least else (best, least)
        is_near = error <= tol or point.gap <= CLOSEST * tol * primal  # closer than that, rounding only grows
        if is_near or not error < np.inf or budget.spent():
            break
        mean = point.gap / point.n_products
        step_for = newton(program, point, left)
        if step_for is None:
            break
        plain = step_for(Products(*(-variable * dual for variable, dual in point.pairs)))
        ahead = point.moved(plain, point.longest(plain))
        target = mean * (max(ahead.gap, 0.0) / point.gap) ** 3
        second = (change * other for change, other in plain.pairs)
        wanted = [target - variable * dual - term for (variable, dual), term in zip(point.pairs, second, strict=True)]
        step = step_for(Products(*wanted))
        point = point.moved(step, min(1.0, STEP_TO_BORDER * point.longest(step)))
    return nearest, best


def first_point(program: TubeProgram) -> Point:
    """w = 0 and beta = 0 with slack for every row, which fulfils all equations."""
    t, k, d = program.t, program.half, program.Z.shape[1]
    s = np.abs(t) + 1.0
    third = 2.0 * program.share * (s + k) / 3.0
    f, h = k + s - t, k + s + t
    mean = float((third * (f + h + s)).mean()) / 3.0
    weight = np.minimum(mean / program.penalty, MAX_INITIAL_WEIGHT)
    duals = third, third.copy(), third.copy()
    return Point(
        np.zeros(d), 0.0, s, f, h, *duals, weight, weight.copy(), program.penalty.copy(), program.penalty.copy()
    )


def newton(program: TubeProgram, point: Point, left: "EquationsLeft") -> Callable[[Products], Point] | None:
    """The Newton step as a function of what the products are to change by; None where its system cannot be factored."""
    of_f, of_h, of_s = point.a / point.f, point.c / point.h, point.z / point.s
    uneven, total = of_f - of_h, 2.0 * program.share + of_f + of_h + of_s
    curvature = (4.0 * of_f * of_h + (of_f + of_h) * (2.0 * program.share + of_s)) / total
    give = point.upper / point.of_upper + point.lower / point.of_lower  # how far w moves for a unit of Z'beta
    solve = (row_system if program.is_wide else column_system)(program, curvature, give)
    if solve is None:
        return None

    def step_for(wanted: Products) -> Point:
        both = wanted.f / point.f, wanted.h / point.h
        sums = both[0] + both[1] + wanted.s / point.s
        of_upper, of_lower = wanted.upper - point.upper * left.upper, wanted.lower - point.lower * left.lower
        shift = of_upper / point.of_upper - of_lower / point.of_lower + left.w
        w, b, change, moved = solve((both[0] - both[1]) - uneven * sums / total, shift, left)
        s = (sums - uneven * moved) / total
        f, h = s + moved, s - moved
        a, c = both[0] - of_f * f, both[1] - of_h * h
        upper = (of_upper + point.upper * change) / point.of_upper
        lower = (of_lower - point.lower * change) / point.of_lower
        duals = left.upper - change, left.lower + change
        return Point(w, b, s, f, h, a, c, wanted.s / point.s - of_s * s, upper, lower, *duals)

    return step_for


class EquationsLeft(NamedTuple):
    """What rounding has left of w = w+ - w-, of the duals of w+ and w-, of the sum of beta, and of the residuals."""

    w: Vector
    upper: Vector
    lower: Vector
    total: float
    scores: Vector

    def relative_to(self, penalty: Vector) -> float:
        """The largest part of its bound that rounding moved Z'beta by, which the dual value loses, or all of it."""
        return min(1.0, float((np.abs(self.upper) / penalty).max(initial=0.0)))


def equations_left(program: TubeProgram, point: Point) -> EquationsLeft:
    """What the next step has to correct besides the products."""
    gradient, beta = program.transposed(point.beta), point.beta
    return EquationsLeft(
        point.upper - point.lower - point.w,
        program.penalty - gradient - point.of_upper,
        program.penalty + gradient - point.of_lower,
        float(beta.sum()) if program.offset else 0.0,
        0.5 * (point.h - point.f) - program.residuals(point.w, point.b),
    )


def column_system(program: TubeProgram, curvature: Vector, give: Vector) -> Callable | None:
    """Solve (Z'CZ + 1/give) w + Z'C b = Z'u + shift / give,  C'Z w + C b = sum u;  C: the curvature of each row.

    What is left of equations is added to their right sides. The solver returns w, b, the change of Z'beta that belongs
    to w, which rounding would not give again, and Z w + b.
    """
    d = program.Z.shape[1]
    matrix = np.zeros((d + program.offset, d + program.offset))
    matrix[:d, :d] = program.gram(curvature)
    matrix[np.arange(d), np.arange(d)] += 1.0 / give
    if program.offset:
        matrix[d, :d] = matrix[:d, d] = program.transposed(curvature)
        matrix[d, d] = curvature.sum()
    solve_matrix = cholesky(matrix)
    if solve_matrix is None:
        return None

    def solve(u: Vector, shift: Vector, left: EquationsLeft) -> tuple[Vector, float, Vector, Vector]:
        u = u - curvature * left.scores
        right = program.transposed(u) + shift / give
        found = solve_matrix(np.append(right, u.sum() + left.total) if program.offset else right)
        w, b = found[:d], float(found[d]) if program.offset else 0.0
        return w, b, (w - shift) / give, program.times(w) + b + left.scores

    return solve


def row_system(program: TubeProgram, curvature: Vector, give: Vector) -> Callable | None:
    """Solve (1/C + Z give Z') beta + b = u / C - Z shift,  sum beta = 0;  then w = shift + give Z'beta.

    The solver returns what that of `column_system` does. Rows on the border have a large curvature, and beta gives
    their Z w + b with more digits than w does.
    """
    matrix = program.row_gram(give)
    matrix[np.arange(len(matrix)), np.arange(len(matrix))] += 1.0 / curvature
    solve_matrix = cholesky(matrix)
    if solve_matrix is None:
        return None
    of_ones = solve_matrix(np.ones(len(matrix))) if program.offset else np.zeros(len(matrix))

    def solve(u: Vector, shift: Vector, left: EquationsLeft) -> tuple[Vector, float, Vector, Vector]:
        beta, b = solve_matrix(u / curvature - left.scores - program.times(shift)), 0.0
        if program.offset:
            b = float((beta.sum() + left.total) / of_ones.sum())
            beta = beta - b * of_ones
        change = program.transposed(beta)
        w = shift + give * change
        scores = program.times(w) + b + left.scores
        moved = (u - beta) / curvature
        is_sharper = np.abs(u) + np.abs(beta) < curvature * np.abs(scores).max(initial=0.0)
        return w, b, change, np.where(is_sharper, moved, scores)

    return solve


def cholesky(matrix: Vector) -> Callable[[Vector], Vector] | None:
    """How systems with a positive definite matrix are solved, scaled to a diagonal of 1; None where it is not."""
    scale = 1.0 / np.sqrt(np.maximum(matrix.diagonal(), TINY))
    scaled = matrix * scale * scale[:, None]
    if not np.isfinite(scaled).all():
        return None
    for ridge in (0.0, 1e-14, 1e-11):
        try:
            factor = cho_factor(scaled + ridge * np.eye(len(scaled)) if ridge else scaled, lower=True)
        except LinAlgError:
            continue
        return lambda right: scale * cho_solve(factor, scale * right, check_finite=False)  # a nan ends the search
    return None
