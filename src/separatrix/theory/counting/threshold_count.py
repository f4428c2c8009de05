"""How many Boolean functions a plane can compute, exactly and by bounds (001, appendix 60.B; Muroga, 1971).

The functions are counted by classes: `regular_functions` has one member of each and the size of its class. Up to eight
variables every regular function is a threshold function (Muroga, Tsuboi and Baugh, 1970), so up to m = 7, with its
m + 1 = 8 variables, none has to be examined. For m = 8 each of 319,124 classes is decided by `regular_program`.
"""

from collections.abc import Iterator
from itertools import islice
from math import comb
from typing import NamedTuple

import numpy as np

from separatrix.errors import OptionError
from separatrix.options import whole
from separatrix.theory.counting.regular_functions import orbit_size, regular_self_dual, variable_sets
from separatrix.theory.counting.regular_program import threshold_classes

MAX_REGULAR_VARIABLES = 8  # up to which every regular function is a threshold function
MAX_VARIABLES = 8  # nine variables have 1,214,554,343 classes, which would take hours
CLASSES_A_BATCH = 2**14  # a tenth of a second, after which Ctrl-C is heard


def count_threshold_functions(m: int) -> int:
    """Count the Boolean functions of m variables that are linearly separable.

    These are the functions f on {0, 1}^m for which a plane has all vertices of the cube with f = 1 strictly on one
    side, and those with f = 0 on the other; the two constant functions are among them.

    Parameters
    ----------
    m : int
        The number of variables, from 0 to 8.

    Returns
    -------
    int
        The count. Up to m = 7 it takes milliseconds, for m = 8 some seconds.

    Notes
    -----
    A function of m variables is one of m + 1 that changes its value with the signs of all its inputs, and those fall
    into classes by the order and the signs of their variables. One member of each class is regular, and its Chow
    parameters tell how large the class is. For m = 8 a linear program in integers decides whether a class is
    separable, and weights or a proof that there are none are checked in integers.

    Examples
    --------
    >>> from separatrix import count_threshold_functions
    >>> [count_threshold_functions(m) for m in range(1, 8)]
    [4, 14, 104, 1882, 94572, 15028134, 8378070864]
    >>> count_threshold_functions(2)  # all of 16 but XOR and XNOR
    14
    """
    if whole("m", m, least=0) > MAX_VARIABLES:
        raise OptionError(
            f"The 'm' parameter must be at most {MAX_VARIABLES}: nine variables have a billion classes of functions. "
            f"Got {m!r}. `threshold_function_bounds` has upper bounds for any m."
        )
    variables = variable_sets(m + 1)
    classes = regular_self_dual(m + 1) if m < MAX_REGULAR_VARIABLES else regular_threshold_functions(m + 1)
    return sum(orbit_size(true, variables) for true in classes)


def regular_threshold_functions(n: int) -> Iterator[int]:
    """Those of the regular self-dual functions of n variables that are threshold functions, each decided and checked.

    >>> sum(1 for _ in regular_threshold_functions(6))  # all of them
    21
    """
    classes = regular_self_dual(n)
    while batch := list(islice(classes, CLASSES_A_BATCH)):
        found = threshold_classes(truth_values(batch, n))
        yield from (true for true, one in zip(batch, found.tolist(), strict=True) if one)


def truth_values(batch: list[int], n: int) -> np.ndarray:
    """Sets of vertices as rows of 2^n truth values.

    >>> truth_values([0b1000, 0b0110], 2).astype(int).tolist()
    [[0, 0, 0, 1], [0, 1, 1, 0]]
    """
    size = -(-(1 << n) // 8)
    octets = np.frombuffer(b"".join(true.to_bytes(size, "little") for true in batch), dtype=np.uint8)
    bits = np.unpackbits(octets.reshape(-1, size), axis=1, bitorder="little")
    return np.ascontiguousarray(bits[:, : 1 << n], dtype=bool)


class ThresholdBounds(NamedTuple):
    """Upper bounds on the number of linearly separable Boolean functions of m variables.

    Attributes
    ----------
    cover : int
        2 sum_(i <= m) C(2^m - 1, i): as many dichotomies as 2^m points have at most.
    exponential : int
        2 (e (2^m - 1) / m)^m, rounded up: larger than `cover`, as sum_(i <= L) C(N, i) < (e N / L)^L where N >= L.
    power : int
        2^(m^2): larger than `cover` for m >= 2, and than `exponential` for m >= 3.

    Examples
    --------
    >>> from separatrix import count_threshold_functions, threshold_function_bounds
    >>> count_threshold_functions(4), *threshold_function_bounds(4)
    (1882, 3882, 21594, 65536)
    """

    cover: int
    exponential: int
    power: int


def threshold_function_bounds(m: int) -> ThresholdBounds:
    """Bound the number of linearly separable Boolean functions of m variables from above.

    Parameters
    ----------
    m : int
        The number of variables, from 1 to 64.

    Returns
    -------
    ThresholdBounds
        `cover`, `exponential` and `power`.

    Examples
    --------
    >>> from separatrix import threshold_function_bounds
    >>> threshold_function_bounds(2)  # there are 14
    ThresholdBounds(cover=14, exponential=34, power=16)
    """
    from flint import arb, ctx

    if whole("m", m) > MAX_BOUNDED:
        raise OptionError(f"The 'm' parameter must be at most {MAX_BOUNDED}. Got {m!r}.")
    vertices = 2**m
    cover = 2 * sum(comb(vertices - 1, i) for i in range(m + 1))
    with ctx.workprec(2 * m * m + 64):
        ratio = arb(1).exp() * (vertices - 1) / m
        exponential = int((2 * ratio**m).ceil().unique_fmpz())
    return ThresholdBounds(cover, exponential, 2 ** (m * m))


MAX_BOUNDED = 64  # variables; the bounds then have 4096 bits
