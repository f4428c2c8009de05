"""Integer weights of a Boolean function with the least sum, or vertices that prove that there are none.

The function of m variables becomes a self-dual one of m + 1 (x_0 is the constant input), and signs and order of its
variables are changed until its Chow parameters are c_1 >= ... >= c_n >= 0. A threshold function is then regular (see
`regular_functions`). Where it is not, two true and two false vertices with the same sum prove that there are no weights
(Winder, 1962). Where it is, a linear program decides (`regular_program`), with |w_1| + ... + |w_m| as its objective:

    minimise  w_1 + ... + w_m   subject to   w.s + w_0 s_0 >= 1 at the minimal true points,   w_i in order and >= 0

Integer weights w and t satisfy it with w_0 = w_1 + ... + w_m - 2 t + 1, so none have a sum below its optimum. Where
the optimum is integral, it is the least: for every function of up to seven variables, as all their classes show.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple, TypeAlias

import numpy as np

from separatrix.certificates.arithmetic.exact import divide_by_gcd
from separatrix.solvers.separation.exact_simplex import origin_in_hull
from separatrix.solvers.separation.integer_simplex import solve_program
from separatrix.theory.counting.regular_program import minimal_vertices, partial_sums

VertexCounts: TypeAlias = dict[tuple[int, ...], int]


class LeastWeights(NamedTuple):
    """Integer weights, and whether they are proved to have the least sum of absolute values."""

    weights: tuple[int, ...]
    least: bool


class BalancedVertices(NamedTuple):
    """Vertices at which a function is 1 and as many at which it is 0, with how often each counts, of the same sum."""

    true: VertexCounts
    false: VertexCounts


class Canonical(NamedTuple):
    """A self-dual function with Chow parameters in order: truth values of shape (2, ..., 2), and how it was made.

    Variable i of it is variable order[i] of the original, 0 for the constant one, negated where `negated` says so.
    """

    true: np.ndarray
    order: list[int]
    negated: list[bool]

    def vertex(self, own: tuple[int, ...]) -> tuple[int, ...]:
        """The vertex (x_0, x_1, ..., x_m) of the original for one of the canonical function."""
        original = [0] * len(own)
        for digit, variable, negated in zip(own, self.order, self.negated, strict=True):
            original[variable] = digit ^ negated
        return tuple(original)


def canonical(table: np.ndarray, chow: tuple[int, ...]) -> Canonical:
    """Change signs and order of the variables of a function's self-dual extension so that c_1 >= ... >= c_n >= 0.

    Of equal parameters that of x_0 comes first: its weight may be the largest of theirs and costs nothing.
    """
    n = len(chow)
    extended = np.concatenate([~table[::-1], table]).reshape((2,) * n)
    order = sorted(range(n), key=lambda i: -abs(chow[i]))
    negated = [chow[i] < 0 for i in order]
    true = np.flip(extended.transpose(order), tuple(axis for axis in range(n) if negated[axis]))
    return Canonical(np.ascontiguousarray(true), order, negated)


def descents(true: np.ndarray) -> Iterator[tuple[np.ndarray, list[int], list[int], list[int]]]:
    """For each step down of the order: where the step leads from true to false and back, its axes and digits.

    A step down turns a last 1 into 0, or moves a 1 from a variable to the next.
    """
    n = true.ndim
    for axis in range(n):
        axes, high, low = ([axis], [1], [0]) if axis == n - 1 else ([axis, axis + 1], [1, 0], [0, 1])
        upper, lower = (np.moveaxis(true, axes, range(len(axes)))[tuple(digits)] for digits in (high, low))
        yield upper.astype(int) - lower.astype(int), axes, high, low


def irregularity(form: Canonical) -> list[tuple[int, ...]] | None:
    """Four true vertices of the canonical function that cancel over {-1, +1}, or None where the function is regular.

    If a step down makes a false vertex true, another along the same variables makes a true one false: else the Chow
    parameters would be in the other order. Both vertices that are true, and the opposites of those that are false,
    cancel.
    """
    for change, axes, high, low in descents(form.true):
        if change.min(initial=0) >= 0:
            continue
        rests = [np.unravel_index(place, change.shape) for place in (change.argmin(), change.argmax())]
        pairs = [[joined(rest, axes, digits) for digits in (high, low)] for rest in rests]
        (false, true), (also_true, also_false) = pairs
        return [true, also_true, *(tuple(1 - digit for digit in vertex) for vertex in (false, also_false))]
    return None


def joined(rest: tuple[np.intp, ...], axes: list[int], digits: list[int]) -> tuple[int, ...]:
    """A vertex from the digits at some neighbouring axes and those at the others."""
    others = [int(digit) for digit in rest]
    return (*others[: axes[0]], *digits, *others[axes[0] :])


def weights_or_balance(table: np.ndarray, chow: tuple[int, ...]) -> LeastWeights | BalancedVertices:
    """Integer weights w with w.x larger wherever the function is 1 than where it is 0, or why there are none."""
    form = canonical(table, chow)
    four = irregularity(form)
    if four is not None:
        return balance_of(Counter(form.vertex(vertex) for vertex in four))
    A = partial_sums(len(chow))[minimal_vertices(form.true.reshape(1, -1))[0]]
    solved = solve_program(A, np.cumsum([variable > 0 for variable in form.order]))
    if solved.numerators is None:
        return cancelling_vertices(table)
    sums = list(accumulate(reversed(solved.numerators)))[::-1]
    own = [w for w, variable in zip(sums, form.order, strict=True) if variable > 0]
    integral = all(w % solved.denominator == 0 for w in own)
    own = [w // solved.denominator for w in own] if integral else divide_by_gcd(own)
    return LeastWeights(restored(form, own), integral)


def restored(form: Canonical, own: list[int]) -> tuple[int, ...]:
    """The weights of x_1, ..., x_m in their own order and with their own signs."""
    signed = zip(form.order, form.negated, strict=True)
    variables = [(variable, -1 if negated else 1) for variable, negated in signed if variable > 0]
    placed = {variable: sign * w for (variable, sign), w in zip(variables, own, strict=True)}
    return tuple(placed[variable] for variable in sorted(placed))


def cancelling_vertices(table: np.ndarray) -> BalancedVertices:
    """Vertices of a regular function that is no threshold function: those whose signed rows [1, x] cancel."""
    vertices = np.argwhere(np.ones((2,) * (table.size.bit_length() - 1), dtype=bool))
    rows = np.where(table, 1, -1)[:, None] * np.column_stack([np.ones(table.size, dtype=int), vertices])
    found = origin_in_hull(rows.tolist())
    sides: tuple[VertexCounts, VertexCounts] = ({}, {})
    for row, weight in zip(found.rows, found.weights, strict=True):
        sides[not table[row]][tuple(vertices[row].tolist())] = weight
    return BalancedVertices(*sides)


def balance_of(cancelling: Counter[tuple[int, ...]]) -> BalancedVertices:
    """True vertices of the self-dual extension that cancel, as vertices of the function itself.

    Where x_0 is 1 the function is 1 at x; where x_0 is 0 it is 0 at the opposite of x.
    """
    true = {vertex[1:]: times for vertex, times in sorted(cancelling.items()) if vertex[0]}
    false = {tuple(1 - digit for digit in x): times for (x_0, *x), times in cancelling.items() if not x_0}
    return BalancedVertices(true, dict(sorted(false.items())))
