"""Codewords out of a BCH code (Hocquenghem, 1959; Bose and Ray-Chaudhuri, 1960), for many classes.

The words c of length n = 2^m - 1 over GF(2) are those with

    c(a^i) = sum_t c_t a^(i t) = 0        for i = b, ..., b + delta - 2,       a a primitive element of GF(2^m),

so that any two of them differ in at least delta places. Of b = 0 and 1 and all delta that leave enough words, the
largest delta is taken. The codewords of the classes are drawn from these words; columns that tell nothing apart, or ask
what another one asks, give way to random ones.
"""

import numpy as np

from separatrix.estimators.reduction.codes.random_code import least_distance, random_code, told_apart
from separatrix.estimators.reduction.codes.validity import useful_columns

# Primitive polynomials of degree m over GF(2), the coefficient of x^i in bit i.
PRIMITIVE = {2: 0x7, 3: 0xB, 4: 0x13, 5: 0x25, 6: 0x43, 7: 0x83, 8: 0x11D, 9: 0x211, 10: 0x409}
DRAWS = 64  # of codewords for the classes, of which the best are taken


def bch_code(n_classes: int, length: int, random: np.random.Generator) -> np.ndarray:
    """Codewords of so many classes, drawn from a BCH code and cut to a length.

    >>> from separatrix.estimators.reduction.codes.distance import minimum_distance
    >>> minimum_distance(bch_code(10, 15, np.random.default_rng(0)))  # no ten words of length 15 are farther apart
    8.0
    """
    m = max(2, length.bit_length())  # n >= length
    spanning = spanning_words(m, nonzeros(m, (n_classes - 1).bit_length()))
    others = random_code(n_classes, length, random)
    codes = [
        useful_columns(np.hstack([2 * distinct_words(n_classes, spanning, random) - 1, others]))[:, :length]
        for _ in range(DRAWS)
    ]
    best = max(codes, key=least_distance)
    return best if least_distance(best) > 0.0 else told_apart(best, random)


def nonzeros(m: int, dimension: int) -> list[int]:
    """Exponents i at which words may have c(a^i) != 0, of the BCH code with the largest delta of this dimension.

    >>> len(nonzeros(4, 5)), len(nonzeros(4, 4))  # the codes with 2^5 words, delta = 7, and 2^4 words, delta = 8
    (5, 4)
    """
    n, best, largest = 2**m - 1, set(range(2**m - 1)), 1
    for b in (0, 1):
        left, delta = set(range(n)), 1
        while len(fewer := left - conjugates(b + delta - 1, m)) >= dimension:
            left, delta = fewer, delta + 1
        best, largest = (left, delta) if delta > largest else (best, largest)
    return sorted(best)


def conjugates(i: int, m: int) -> set[int]:
    """Exponents j with c(a^j) = 0 wherever c(a^i) = 0, since c(x)^2 = c(x^2) over GF(2)."""
    return {i * 2**s % (2**m - 1) for s in range(m)}


def spanning_words(m: int, exponents: list[int]) -> np.ndarray:
    """Words whose sums are all words that vanish at other powers of a: c_t is a bit of a^(-i t)."""
    n, powers = 2**m - 1, powers_of_primitive_element(m)
    at = -np.array(exponents)[:, None] * np.arange(n) % n
    return (powers[at][:, None, :] >> np.arange(m)[:, None] & 1).reshape(-1, n)


def powers_of_primitive_element(m: int) -> np.ndarray:
    """The powers 1, a, a^2, ... of a root a of the primitive polynomial, as numbers with m bits.

    >>> powers_of_primitive_element(3).tolist()  # a^3 = a + 1
    [1, 2, 4, 3, 6, 7, 5]
    """
    found = [1]
    for _ in range(2**m - 2):
        shifted = found[-1] << 1
        found.append(shifted ^ PRIMITIVE[m] if shifted >> m else shifted)
    return np.array(found)


def distinct_words(n: int, spanning: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Different random sums of words, a row each."""
    found: dict[bytes, np.ndarray] = {}
    while len(found) < n:
        for word in random.integers(2, size=(n - len(found), len(spanning))) @ spanning % 2:
            found.setdefault(word.tobytes(), word)
    return np.array(list(found.values()))
