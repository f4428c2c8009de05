"""Whether a plane computes a Boolean function: integer weights, or vertices that prove that there are none.

    f(x) = 1   exactly where   w.x >= t            x in {0, 1}^m,  w and t integers

If vertices with f = 1 and as many with f = 0, each perhaps several times, have the same sum, there are no such weights:
w.x would have to be larger, summed over the former, than over the latter. One of the two always exists (Elgot, 1961;
Chow, 1961), and both are checked by adding integers.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from separatrix.certificates.claims.certificate import Printed
from separatrix.errors import DataError, counted
from separatrix.rows import read_only
from separatrix.theory.counting.threshold_weights import BalancedVertices, VertexCounts, weights_or_balance
from separatrix.theory.units import zeros_and_ones

MAX_VARIABLES = 12

Weights: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdVerdict(Printed):
    """Whether a Boolean function is a threshold function, and the proof; true where it is one.

    Attributes
    ----------
    truth_table : ndarray of 2^m bool
        The function.
    weights : tuple of m int, or None
        Integer weights w for which f(x) = 1 exactly where w.x >= `threshold`.
    threshold : int or None
        The threshold t: the least w.x over the vertices with f = 1; 1 where there are none.
    least : bool
        Whether it is proved that no integer weights of this function have a smaller sum `|w_1| + ... + |w_m|`.
    true_vertices, false_vertices : dict of vertex to int
        Where there are no weights: vertices with f = 1 and as many with f = 0, counted as often as these numbers say,
        that have the same sum. Else empty.

    Examples
    --------
    >>> from separatrix import is_threshold_function
    >>> print(is_threshold_function([0, 0, 0, 1, 0, 1, 1, 1]))
    Threshold function of 3 variables: f(x) = 1 exactly where x1 + x2 + x3 >= 2.
    No integer weights have a smaller sum than 3.
    >>> print(is_threshold_function([0, 1, 1, 0]))
    No threshold function: these vertices have the same sum (1, 1), so no weights tell them apart.
      f = 1        (0, 1) + (1, 0)
      f = 0        (0, 0) + (1, 1)
    """

    truth_table: np.ndarray
    weights: Weights | None
    threshold: int | None
    least: bool
    true_vertices: VertexCounts
    false_vertices: VertexCounts

    @property
    def n_variables(self) -> int:
        """The number of variables m."""
        return int(self.truth_table.size).bit_length() - 1

    @property
    def chow_parameters(self) -> tuple[int, ...]:
        """The sums over all vertices of f, f x_1, ..., f x_m, with +1 for 1 and -1 for 0: m + 1 integers.

        No other function has the Chow parameters of a threshold function.
        """
        return chow_parameters(self.truth_table)

    @property
    def proved(self) -> bool:
        """Whether the proof holds."""
        return self.error() == 0

    def error(self) -> int:
        """Check the proof again in integers: how many vertices are wrong, or how far the sums differ; 0 if it holds.

        Returns
        -------
        int
            With weights, the number of vertices at which w.x >= t is not f. Without, the number of vertices that are
            on the wrong side or not counted at least once, and the sum of what is left of the sums' difference.
        """
        if self.weights is not None:
            values = vertices(self.n_variables).astype(object) @ np.array(self.weights, dtype=object)
            return int(((values >= self.threshold) != self.truth_table).sum())
        table = self.truth_table.reshape((2,) * self.n_variables)
        sides = (self.true_vertices, True), (self.false_vertices, False)
        wrong = sum(table[vertex] != side or count < 1 for own, side in sides for vertex, count in own.items())
        sums = [[sum(own.values()), *vertex_sum(own, self.n_variables)] for own, _ in sides]
        if not self.true_vertices:
            return int(wrong) + 1
        return int(wrong) + sum(abs(one - other) for one, other in zip(*sums, strict=True))

    def __bool__(self) -> bool:
        return self.weights is not None

    def __repr__(self) -> str:
        found = f"weights={self.weights}, threshold={self.threshold}" if self else "no weights"
        return f"ThresholdVerdict({self.n_variables} variables, {found})"

    def __str__(self) -> str:
        if self.weights is None:
            total = ", ".join(map(str, vertex_sum(self.true_vertices, self.n_variables)))
            head = f"No threshold function: these vertices have the same sum ({total}), so no weights tell them apart."
            both = zip((1, 0), (self.true_vertices, self.false_vertices), strict=True)
            return "\n".join([head, *(f"  f = {value}        {in_words(own)}" for value, own in both)])
        kind = f"Threshold function of {counted(self.n_variables, 'variable')}: f(x) = 1 exactly where"
        least = f"\nNo integer weights have a smaller sum than {sum(map(abs, self.weights))}." if self.least else ""
        return f"{kind} {weighted_sum(self.weights)} >= {self.threshold}.{least}"


def is_threshold_function(truth_table: Any) -> ThresholdVerdict:
    """Decide whether a plane separates the vertices at which a Boolean function is 1 from those at which it is 0.

    Parameters
    ----------
    truth_table : array of 2^m zeros and ones, or of shape (2, ..., 2)
        The values of f in the order of the binary numbers: f(0, ..., 0, 0), f(0, ..., 0, 1), f(0, ..., 1, 0), ..., as
        `itertools.product([0, 1], repeat=m)` has them, so that x1 is the highest digit. m is from 0 to 12.

    Returns
    -------
    ThresholdVerdict
        True where there are weights. Up to m = 7 these have the least sum `|w_1| + ... + |w_m|` that integer weights
        of the function can have, beyond wherever `least` says so. Otherwise vertices that prove that there are none.
        `error()` checks either in integers.

    Examples
    --------
    >>> from itertools import product
    >>> from separatrix import is_threshold_function
    >>> found = is_threshold_function([x1 and (x2 or x3) for x1, x2, x3 in product([0, 1], repeat=3)])
    >>> found.weights, found.threshold, found.error()
    ((2, 1, 1), 3, 0)
    >>> bool(is_threshold_function([1, 0, 0, 1])), is_threshold_function([1, 0, 0, 1]).error()  # XNOR
    (False, 0)
    """
    table = checked_table(truth_table)
    found = weights_or_balance(table, chow_parameters(table))
    if isinstance(found, BalancedVertices):
        return ThresholdVerdict(table, None, None, False, *found)
    values = vertices(len(found.weights)).astype(object) @ np.array(found.weights, dtype=object)
    threshold = int(min(values[table])) if table.any() else int(max(values)) + 1
    return ThresholdVerdict(table, found.weights, threshold, found.least, {}, {})


def checked_table(truth_table: Any) -> np.ndarray:
    """The values of a Boolean function as 2^m bool, or an error that says what they should be."""
    try:
        table = zeros_and_ones(truth_table)
    except DataError as problem:
        raise DataError(f"A truth table has 2^m values, each of them 0 or 1. {problem}") from None
    cube = table.ndim > 1 and set(table.shape) == {2}
    if (table.ndim != 1 and not cube) or table.size & (table.size - 1) or not table.size:
        raise DataError(
            f"A truth table has 2^m values, one for each vertex of the cube. Got {table.size:,} values"
            f"{'' if table.ndim == 1 else f' of shape {table.shape}'}."
        )
    if table.size > 1 << MAX_VARIABLES:
        raise DataError(f"A truth table has at most {1 << MAX_VARIABLES:,} values. Got {table.size:,}.")
    return read_only(table.ravel().astype(bool))


def vertices(m: int) -> np.ndarray:
    """All vertices of {0, 1}^m, in the order of the binary numbers."""
    return np.arange(1 << m)[:, None] >> np.arange(m)[::-1] & 1


def chow_parameters(table: np.ndarray) -> tuple[int, ...]:
    """The Chow parameters of a Boolean function.

    >>> chow_parameters(np.array([0, 0, 0, 1], dtype=bool))  # AND
    (-2, 2, 2)
    """
    signs, m = 2 * table.astype(int) - 1, table.size.bit_length() - 1
    return int(signs.sum()), *(signs @ (2 * vertices(m) - 1)).tolist()


def vertex_sum(own: VertexCounts, m: int) -> list[int]:
    """The sum of vertices, each as often as it counts."""
    return [sum(count * vertex[i] for vertex, count in own.items()) for i in range(m)]


def in_words(own: VertexCounts) -> str:
    """Vertices and how often they count, as a sum."""
    terms = (f"{f'{count} ' if count > 1 else ''}({', '.join(map(str, vertex))})" for vertex, count in own.items())
    return " + ".join(terms)


def weighted_sum(weights: Weights) -> str:
    """A sum of variables with integer weights, in words.

    >>> weighted_sum((2, -1, 0, 1)), weighted_sum((-3,)), weighted_sum((0, 0))
    ('2 x1 - x2 + x4', '-3 x1', '0')
    """
    terms = [
        f"{'-' if w < 0 else '+'} {f'{abs(w)} ' if abs(w) > 1 else ''}x{i + 1}" for i, w in enumerate(weights) if w
    ]
    text = " ".join(terms)
    return (f"-{text[2:]}" if text.startswith("-") else text[2:]) or "0"
