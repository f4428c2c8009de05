"""Regular self-dual Boolean functions, one for each class of threshold functions (Muroga, Toda and Takasu, 1961).

A threshold function of m variables is the restriction to x_0 = +1 of exactly one self-dual threshold function of
n = m + 1 variables over {-1, +1}: sign(w.x + b) becomes sign(w.x + b x_0), which is odd. Signs and the order of the n
variables can be changed without leaving the class of threshold functions. A threshold function is told from all other
functions by its Chow parameters c_i = sum_x f(x) x_i (Chow, 1961), and these change along with the variables. So every
orbit has exactly one member with c_1 >= ... >= c_n >= 0, and has as many members as (c_1, ..., c_n) has images:

    2^(number of c_i that are not 0)  n! / product of (how often each value occurs)!

Weights of that member can be chosen with w_1 >= ... >= w_n >= 0. So it is regular: true points stay true where a
variable becomes +1, and where a +1 moves to an earlier variable. Regular functions are the up-sets of that order.

Sets of vertices are integers: bit s is for vertex s, whose highest binary digit is the first variable, 1 for +1.
"""

from collections import Counter
from collections.abc import Iterator
from math import factorial, prod


def covers(n: int, vertex: int) -> list[int]:
    """The vertices just above a vertex in the order of regular functions: a 1 moves up a place, or the last 0 is 1."""
    above = [vertex + (1 << k) for k in range(n - 1) if vertex >> k & 3 == 1]
    return above if vertex & 1 else [*above, vertex + 1]


def up_sets(n: int) -> list[int]:
    """For each vertex the set of all that are not below it: those that are true if it is."""
    above = [0] * (1 << n)
    for vertex in reversed(range(1 << n)):
        above[vertex] = 1 << vertex
        for cover in covers(n, vertex):
            above[vertex] |= above[cover]
    return above


def regular_self_dual(n: int) -> Iterator[int]:
    """All regular self-dual functions of n variables, each as the set of its true vertices.

    Of a vertex and its opposite one is true. Where they are comparable it is the upper one. The others are decided one
    by one with all that follows from it, and no choice is ever in vain: where neither a vertex nor its opposite has
    been decided, nothing above the vertex is false, as the opposite of that would have made the other true.

    >>> [sum(1 for _ in regular_self_dual(n)) for n in range(1, 8)]
    [1, 1, 2, 3, 7, 21, 135]
    """
    above, last = up_sets(n), (1 << n) - 1
    below = [int(f"{above[last - vertex]:0{1 << n}b}"[::-1], 2) for vertex in range(1 << n)]
    everything = (1 << (1 << n)) - 1
    true = false = 0
    for vertex in range(1 << n):
        if above[last - vertex] >> vertex & 1:
            true, false = true | above[vertex], false | below[last - vertex]
    stack = [(true, false)]
    while stack:
        true, false = stack.pop()
        free = everything & ~(true | false)
        if not free:
            yield true
            continue
        vertex = free.bit_length() - 1
        stack.append((true | above[last - vertex], false | below[vertex]))
        stack.append((true | above[vertex], false | below[last - vertex]))


def variable_sets(n: int) -> list[int]:
    """For each variable the set of vertices at which it is +1."""
    return [sum(1 << vertex for vertex in range(1 << n) if vertex >> (n - 1 - i) & 1) for i in range(n)]


def orbit_size(true: int, variables: list[int]) -> int:
    """How many functions the signs and the order of the variables make of a regular self-dual threshold function.

    >>> orbit_size(0b11101000, variable_sets(3))  # the majority of three: any of 8 signs
    8
    >>> orbit_size(0b11110000, variable_sets(3))  # the first of three, or its opposite
    6
    """
    n = len(variables)
    half = 1 << (n - 2) if n > 1 else 0  # of the true vertices, where a variable has no influence
    counts = Counter((true & variable).bit_count() for variable in variables)
    return 2 ** (n - counts[half]) * factorial(n) // prod(map(factorial, counts.values()))
