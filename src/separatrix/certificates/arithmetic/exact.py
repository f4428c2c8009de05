"""Exact arithmetic: for the few rows whose side rounding leaves in doubt, and for weights that balance rows.

A double is a whole number times a power of two. Sums of products of such numbers, and linear equations between them,
are computed by python-flint without any rounding, so what comes out is a proof. A number written as 0.1 means the
double nearest to it.

A vector that only has to be known up to its length is kept in whole numbers.
"""

from math import gcd, lcm
from typing import Any

import numpy as np

from separatrix.rows import Vector

Whole = list[int]  # a vector of whole numbers, as long as they need to be

PRIME = 2**61 - 1  # a rank modulo any prime is never above the true one


def fraction(value: float) -> Any:
    """The fraction that a double is."""
    from flint import fmpq  # loaded on first need: most certificates never are in doubt

    return fmpq(*float(value).as_integer_ratio())


def exact_score(x: Vector, w: Vector, b: float) -> Any:
    """w.x + b as an exact fraction.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.exact import exact_score
    >>> exact_score(np.array([1e16, 1.0, 1e16]), np.array([1.0, 1.0, -1.0]), 0.0)  # floats say 0
    1
    """
    pairs = ((x[j], w[j]) for j in x.nonzero()[0])
    return sum((fraction(value) * fraction(weight) for value, weight in pairs), fraction(b))


def whole(A: Vector) -> tuple[list[Whole], np.ndarray]:
    """A matrix as whole numbers Z and an exponent for each column: A = Z 2^e.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.exact import whole
    >>> Z, e = whole(np.array([[0.75, 6.0], [0.5, 0.0]]))
    >>> Z, e.tolist()
    ([[3, 3], [2, 0]], [-2, 1])
    """
    fractions, exponents = np.frexp(np.asarray(A, dtype=np.float64))
    digits = np.ldexp(fractions, 53).astype(np.int64)
    low = np.frexp((digits & -digits).astype(np.float64))[1] - 1  # the place of the last bit that is set
    low = np.where(digits == 0, 0, low)
    digits, exponents = digits >> low, exponents - 53 + low
    least = np.where(digits == 0, np.iinfo(np.int32).max, exponents).min(axis=0, initial=np.iinfo(np.int32).max)
    least = np.where(least == np.iinfo(np.int32).max, 0, least)
    shifts = np.where(digits == 0, 0, exponents - least)
    if int(shifts.max(initial=0)) <= 9:  # 53 bits and these make 62
        return (digits << shifts).tolist(), least
    return [
        [k << s for k, s in zip(*row, strict=True)] for row in zip(digits.tolist(), shifts.tolist(), strict=True)
    ], least


def direction(v: Vector) -> Whole:
    """Doubles as the smallest whole numbers in the same proportion.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.exact import direction
    >>> direction(np.array([0.75, -0.5]))
    [3, -2]
    """
    return primitive_direction([row[0] for row in whole(np.asarray(v)[:, None])[0]])


def null_space(A: Vector) -> list[Whole]:
    """Whole vectors v that span all solutions of A v = 0.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.exact import null_space
    >>> null_space(np.array([[0.5, 1.0, 0.0], [0.0, 1.0, 0.25]]))
    [[2, -1, 4]]
    """
    Z, e = whole(A)
    most = int(e.max(initial=0))
    ways = null_space_of(Z) if Z else [[int(i == j) for i in range(e.size)] for j in range(e.size)]
    return [primitive([k << int(most - power) for k, power in zip(way, e, strict=True)]) for way in ways]


def null_space_of(Z: list[Whole]) -> list[Whole]:
    """The same for a matrix of whole numbers, which has a row at least."""
    from flint import fmpz_mat

    basis, nullity = fmpz_mat(Z).nullspace()
    return [primitive([int(basis[i, k]) for i in range(len(Z[0]))]) for k in range(int(nullity))]


def primitive(v: Whole) -> Whole:
    """The same direction in the smallest whole numbers, its first entry that is not zero positive."""
    v = primitive_direction(v)
    return v if next((k for k in v if k), 1) > 0 else [-k for k in v]


def primitive_direction(v: Whole) -> Whole:
    """The same direction in the smallest whole numbers."""
    divisor = gcd(*v)
    return [k // divisor for k in v] if divisor else v


def in_proportion(values: list[Any]) -> Whole:
    """Fractions as the smallest whole numbers in the same proportion."""
    common = lcm(*(int(value.q) for value in values))
    return primitive_direction([int(value.p) * (common // int(value.q)) for value in values])


def combined(factors: Whole, basis: list[Whole]) -> Whole:
    """A sum of whole vectors, in the smallest numbers of that direction."""
    columns = zip(*basis, strict=True)
    return primitive_direction([sum(k * c for k, c in zip(factors, column, strict=True)) for column in columns])


def near(v: Vector, basis: list[Whole], bits: int = 52) -> Whole:
    """A whole vector near a multiple of v, within the span of a basis; fewer bits make it shorter and less near.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.exact import near
    >>> near(np.array([0.34, 0.33, 0.66]), [[1, 1, 0], [0, 0, 1]], bits=1)
    [1, 1, 2]
    """
    columns = np.array([rounded(column) for column in basis]).T
    sizes = np.maximum(np.abs(v), np.abs(columns).max(axis=1))  # lest large entries hide the others
    sizes = np.where(sizes > 0.0, sizes, 1.0)
    c = np.linalg.lstsq(columns / sizes[:, None], v / sizes, rcond=None)[0]
    c = np.round(c / (np.abs(c).max() or 1.0) * 2.0**bits).tolist()
    lengths = [max(map(abs, column)).bit_length() for column in basis]  # each was divided by its own power of two
    shifted = [int(part) << (max(lengths) - size) for part, size in zip(c, lengths, strict=True)]
    return combined(shifted, basis)


def products(A: Vector, vectors: list[Whole]) -> list[Whole]:
    """A v for each row of A and each v, all times the same positive number.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.exact import products
    >>> products(np.array([[1e16, 1.0, 1e16]]), [[1, 1, -1]])
    [[1]]
    """
    from flint import fmpz_mat

    used = [j for j in range(A.shape[1]) if any(v[j] for v in vectors)]
    if not used or not vectors or not len(A):
        return [[0] * len(vectors) for _ in range(len(A))]
    Z, e = whole(A[:, used])
    least = int(e.min())
    V = fmpz_mat([[v[j] << int(e[k] - least) for v in vectors] for k, j in enumerate(used)])
    return [[int(k) for k in row] for row in (fmpz_mat(Z) * V).tolist()]


def combination(A: Vector, weights: Whole) -> Whole:
    """sum_i weights_i a_i, each entry times a positive number of its own; zero exactly where the sum is zero."""
    from flint import fmpz_mat

    return [int(k) for k in (fmpz_mat([weights]) * fmpz_mat(whole(A)[0])).entries()] if len(A) else []


def rank(A: Vector) -> int:
    """The rank of a matrix of doubles, exactly.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.exact import rank
    >>> rank(np.array([[1.0, 1.0], [1.0, 1.0 + 2.0**-52]]))
    2
    """
    from flint import fmpz_mat

    return int(fmpz_mat(whole(A)[0]).rank()) if len(A) else 0


def least_rank(Z: list[Whole]) -> int:
    """A rank that whole rows have at least; it is the rank, unless a prime is unlucky."""
    from flint import nmod_mat

    return int(nmod_mat(len(Z), len(Z[0]), [k % PRIME for row in Z for k in row], PRIME).rank()) if Z else 0


def rounded(v: Whole) -> Vector:
    """Whole numbers as doubles, all divided by the same power of two so that the largest is near 1."""
    shift = max((abs(k).bit_length() for k in v), default=0)
    return np.array([k / (1 << shift) for k in v])  # Python divides whole numbers with one rounding
