"""Exact arithmetic: the signs of scores that rounding leaves undecided, and linear equations over the integers.

A double is an integer times a power of two. Sums of products of such numbers, and linear equations between them, are
computed by python-flint without any rounding, so the result is a proof. A number written as 0.1 means the double
nearest to it.

A vector that matters only up to a positive factor is kept in integers.
"""

from fractions import Fraction
from math import gcd, inf, isqrt, lcm, ldexp, nextafter
from sys import float_info
from typing import Any

import numpy as np

from separatrix.enclosures import Interval
from separatrix.rows import Vector

IntegerVector = list[int]  # of unbounded size


def fraction(value: float) -> Any:
    """Convert a double to a fraction, without rounding."""
    from flint import fmpq  # imported on first need: most certificates do without

    return fmpq(*float(value).as_integer_ratio())


def exact_score(x: Vector, w: Vector, b: float) -> Any:
    """Compute w.x + b as an exact fraction.

    >>> exact_score(np.array([1e16, 1.0, 1e16]), np.array([1.0, 1.0, -1.0]), 0.0)  # floats say 0
    1
    """
    pairs = ((x[j], w[j]) for j in x.nonzero()[0])
    return sum((fraction(value) * fraction(weight) for value, weight in pairs), fraction(b))


def scaled_integers(A: Vector) -> tuple[list[IntegerVector], np.ndarray]:
    """Write a matrix of doubles as an integer matrix Z and an exponent for each column: A = Z 2^e.

    >>> Z, e = scaled_integers(np.array([[0.75, 6.0], [0.5, 0.0]]))
    >>> Z, e.tolist()
    ([[3, 3], [2, 0]], [-2, 1])
    """
    fractions, exponents = np.frexp(np.asarray(A, dtype=np.float64))
    digits = np.ldexp(fractions, 53).astype(np.int64)
    zeros = np.frexp((digits & -digits).astype(np.float64))[1] - 1  # how many trailing bits are zero
    zeros = np.where(digits == 0, 0, zeros)
    digits, exponents = digits >> zeros, exponents - 53 + zeros
    least = np.where(digits == 0, np.iinfo(np.int32).max, exponents).min(axis=0, initial=np.iinfo(np.int32).max)
    least = np.where(least == np.iinfo(np.int32).max, 0, least)
    shifts = np.where(digits == 0, 0, exponents - least)
    if int(shifts.max(initial=0)) <= 9:  # 53 bits and these make 62, so int64 holds them
        return (digits << shifts).tolist(), least
    return [
        [k << s for k, s in zip(*row, strict=True)] for row in zip(digits.tolist(), shifts.tolist(), strict=True)
    ], least


def integer_direction(v: Vector) -> IntegerVector:
    """The smallest integer vector that is a positive multiple of a vector of doubles.

    >>> integer_direction(np.array([0.75, -0.5]))
    [3, -2]
    """
    return divide_by_gcd([row[0] for row in scaled_integers(np.asarray(v)[:, None])[0]])


def null_space(A: Vector) -> list[IntegerVector]:
    """A basis, in integers, of the null space of a matrix of doubles: of all v with A v = 0.

    >>> null_space(np.array([[0.5, 1.0, 0.0], [0.0, 1.0, 0.25]]))
    [[2, -1, 4]]
    """
    Z, e = scaled_integers(A)
    largest = int(e.max(initial=0))
    basis = integer_null_space(Z) if Z else [[int(i == j) for i in range(e.size)] for j in range(e.size)]
    return [primitive([k << int(largest - power) for k, power in zip(v, e, strict=True)]) for v in basis]


def integer_null_space(Z: list[IntegerVector]) -> list[IntegerVector]:
    """A basis, in integers, of the null space of an integer matrix that has at least one row."""
    from flint import fmpz_mat

    basis, nullity = fmpz_mat(Z).nullspace()
    return [primitive([int(basis[i, k]) for i in range(len(Z[0]))]) for k in range(int(nullity))]


def primitive(v: IntegerVector) -> IntegerVector:
    """The primitive vector of a line: without a common divisor, its first nonzero entry positive."""
    v = divide_by_gcd(v)
    return v if next((k for k in v if k), 1) > 0 else [-k for k in v]


def divide_by_gcd(v: IntegerVector) -> IntegerVector:
    """Divide an integer vector by the greatest common divisor of its entries."""
    divisor = gcd(*v)
    return [k // divisor for k in v] if divisor else v


def clear_denominators(values: list[Any]) -> IntegerVector:
    """The smallest integer vector that is a positive multiple of a vector of fractions."""
    common = lcm(*(int(value.q) for value in values))
    return divide_by_gcd([int(value.p) * (common // int(value.q)) for value in values])


def linear_combination(factors: IntegerVector, basis: list[IntegerVector]) -> IntegerVector:
    """Combine integer vectors with these factors, and divide by the greatest common divisor."""
    columns = zip(*basis, strict=True)
    return divide_by_gcd([sum(k * c for k, c in zip(factors, column, strict=True)) for column in columns])


def round_to_span(v: Vector, basis: list[IntegerVector], bits: int = 52) -> IntegerVector:
    """Round a multiple of v to an integer vector in the span of a basis, with coefficients of so many bits.

    >>> round_to_span(np.array([0.34, 0.33, 0.66]), [[1, 1, 0], [0, 0, 1]], bits=1)
    [1, 1, 2]
    """
    columns = np.array([rounded(column) for column in basis]).T
    sizes = np.maximum(np.abs(v), np.abs(columns).max(axis=1))  # else large entries would dominate the residual
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    c = np.linalg.lstsq(columns / sizes[:, None], v / sizes, rcond=None)[0]
    c = np.round(c / (np.abs(c).max() or 1.0) * 2.0**bits).tolist()
    sizes_in_bits = [max(map(abs, column)).bit_length() for column in basis]  # `rounded` divided each by its own
    shifted = [int(factor) << (max(sizes_in_bits) - size) for factor, size in zip(c, sizes_in_bits, strict=True)]
    return linear_combination(shifted, basis)


def products(A: Vector, vectors: list[IntegerVector]) -> list[IntegerVector]:
    """Compute A v for each row of A and each v, all times one positive factor.

    >>> products(np.array([[1e16, 1.0, 1e16]]), [[1, 1, -1]])
    [[1]]
    """
    from flint import fmpz_mat

    used = [j for j in range(A.shape[1]) if any(v[j] for v in vectors)]
    if not used or not vectors or not len(A):
        return [[0] * len(vectors) for _ in range(len(A))]
    Z, e = scaled_integers(A[:, used])
    lowest = int(e.min())
    V = fmpz_mat([[v[j] << int(e[k] - lowest) for v in vectors] for k, j in enumerate(used)])
    return [[int(k) for k in row] for row in (fmpz_mat(Z) * V).tolist()]


def row_combination(A: Vector, weights: IntegerVector) -> IntegerVector:
    """Compute sum_i weights_i a_i with each entry times its own positive factor, so that zeros are exact."""
    from flint import fmpz_mat

    return [int(k) for k in (fmpz_mat([weights]) * fmpz_mat(scaled_integers(A)[0])).entries()] if len(A) else []


def rank(A: Vector) -> int:
    """The exact rank of a matrix of doubles.

    >>> rank(np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52]]))
    2
    """
    from flint import fmpz_mat

    return int(fmpz_mat(scaled_integers(A)[0]).rank()) if len(A) else 0


def rank_lower_bound(Z: list[IntegerVector]) -> int:
    """The rank of an integer matrix modulo a large prime, which never exceeds its rank and nearly always equals it."""
    from flint import nmod_mat

    prime = 2**61 - 1
    return int(nmod_mat(len(Z), len(Z[0]), [k % prime for row in Z for k in row], prime).rank()) if Z else 0


def rounded(v: IntegerVector) -> Vector:
    """Convert an integer vector to doubles, divided by the power of two that makes the largest entry about 1."""
    shift = max((abs(k).bit_length() for k in v), default=0)
    return np.array([k / (1 << shift) for k in v])  # Python divides integers with one rounding


MIN_NORMAL_EXPONENT = -1020  # below which doubles have fewer digits


def enclosed_root(square: Fraction, exponent: int) -> Interval:
    """The doubles on both sides of sqrt(square) 2^exponent, which are one where it is a double.

    >>> enclosed_root(Fraction(9, 4), 1), enclosed_root(Fraction(2), 0).low
    (Interval(low=3.0, high=3.0), 1.414213562373095)
    """
    if square <= 0:
        return Interval(0.0, 0.0)
    shift = 64 - (square.numerator.bit_length() - square.denominator.bit_length()) // 2
    scaled = square * Fraction(4) ** shift
    root = isqrt(scaled.numerator // scaled.denominator)
    dropped = root.bit_length() - 53
    low = root >> dropped
    high = low if (low << dropped) ** 2 == scaled else low + 1
    power = dropped - shift + exponent
    if power + 53 >= float_info.max_exp:
        return Interval(ldexp(float(low), power) if power + 53 == float_info.max_exp else float_info.max, inf)
    ends = ldexp(float(low), power), ldexp(float(high), power)
    if power < MIN_NORMAL_EXPONENT - 53:
        return Interval(nextafter(ends[0], 0.0), nextafter(ends[1], inf))
    return Interval(*ends)
