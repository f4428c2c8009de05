"""Whether points are in general position, decided exactly, with rows that are not.

    affine         no m + 2 points lie in a flat of dimension m < d: any d + 1 of the rows [x, 1] are independent
    homogeneous    any d of the rows x are linearly independent

of fewer rows than that, all of them together. The two differ: the points (1, 0), (2, 0) and (0, 1) are a triangle, but
two of them are on one line through the origin.

A first row is eliminated from all that follow it, which leaves the same question in one dimension less; in the plane,
two rows are dependent if their ratios are equal. That takes C(n, r - 2) eliminations for rows of length r instead of
C(n, r) determinants. It is done modulo a prime: rows that are independent there are independent. Rows that are not are
examined in integers, and another prime is taken if they turn out to be independent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.errors import DataError, counted
from separatrix.rows import Vector

MAX_ELIMINATIONS = 10**6  # some minutes
MAX_SHOWN = 10**6  # the largest coefficient that is written out


@dataclass(frozen=True, eq=False)
class GeneralPosition:
    """Whether points are in general position; true where they are.

    Attributes
    ----------
    holds : bool
        Whether they are.
    rows : tuple of int
        Where they are not, rows that are dependent, while any of them but one are independent.
    coefficients : tuple of int
        One for each of these rows, none of them 0: the rows [x, 1], or x if `homogeneous`, sum to 0 with them.
    n_points, n_features : int
        What was examined.
    homogeneous : bool
        Whether planes go through the origin.

    Examples
    --------
    >>> from separatrix import in_general_position
    >>> print(in_general_position([[0, 0], [1, 1], [5, 0], [3, 3]]))
    Not in general position: rows 0, 1 and 3 are on one line.
    2 row 0 - 3 row 1 + row 3 = 0, and these coefficients sum to 0.
    """

    holds: bool
    rows: tuple[int, ...]
    coefficients: tuple[int, ...]
    n_points: int
    n_features: int
    homogeneous: bool

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        points = f"{counted(self.n_points, 'point')} of dimension {self.n_features}"
        if self.holds:
            kind = "any d rows are independent" if self.homogeneous else "no d + 1 of them are on one hyperplane"
            return f"In general position: {points}, d = {self.n_features}; {kind}."
        verdict = f"Not in general position: {self.relation}."
        if max(map(abs, self.coefficients)) > MAX_SHOWN:
            return f"{verdict}\n`coefficients` are integers with which they cancel exactly."
        tail = "" if self.homogeneous else ", and these coefficients sum to 0"
        return f"{verdict}\n{signed_sum(self.coefficients, self.rows)} = 0{tail}."

    @property
    def relation(self) -> str:
        """What the dependent rows have in common, in words."""
        names, size = [f"{row}" for row in self.rows], len(self.rows)
        if size == 1:
            return f"row {names[0]} is the origin"
        named = f"rows {', '.join(names[:-1])} and {names[-1]}"
        if self.homogeneous:
            return f"{named} are linearly dependent" if size > 2 else f"{named} are on one line through the origin"
        flats = {2: "are the same point", 3: "are on one line", 4: "are in one plane"}
        return f"{named} {flats.get(size, f'are in one flat of dimension {size - 2}')}"


def signed_sum(coefficients: tuple[int, ...], rows: tuple[int, ...]) -> str:
    """Rows with integer coefficients, in words.

    >>> signed_sum((1, -2, 1), (0, 3, 4))
    'row 0 - 2 row 3 + row 4'
    """
    terms = (f"{'+' if c > 0 else '-'} {f'{abs(c)} ' if abs(c) > 1 else ''}row {i}"
             for c, i in zip(coefficients, rows, strict=True))  # fmt: skip
    text = " ".join(terms)
    return text.removeprefix("+ ") if text.startswith("+") else f"-{text[2:]}"


def general_position(X: Vector, homogeneous: bool) -> GeneralPosition:
    """Decide exactly whether the rows of X are in general position.

    >>> general_position(np.array([[0.0, 0.0], [0.1, 0.3], [1.0, 3.0]]), False).holds  # 0.3 is not 3 times 0.1
    True
    """
    n, d = X.shape
    Z = exact.scaled_integers(X if homogeneous else np.column_stack([X, np.ones(n)]))[0]
    found = dependent_rows(Z)
    return GeneralPosition(found is None, *(found or ((), ())), n, d, homogeneous)


def dependent_rows(Z: list[IntegerVector]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Integer rows that are dependent while all but any one of them are not, and their coefficients, or None."""
    n, r = len(Z), len(Z[0])
    if n <= r:
        return None if exact.rank_lower_bound(Z) == n else relation_of(Z, range(n))
    eliminations = comb(n, max(0, r - 2))
    search = first_dependent if eliminations <= MAX_ELIMINATIONS else parallel_rows
    for prime in primes():
        V = np.array([[k % prime for k in row] for row in Z], dtype=np.int64)
        found = search(V, list(range(n)), prime)
        if found is None and search is first_dependent:
            return None
        if found is None and exact.rank_lower_bound(Z) == r:
            refuse(n, r, eliminations)
        relation = relation_of(Z, found or range(r))  # if all rows together are dependent, any r of them are
        if relation is not None:
            return relation
    raise AssertionError  # there are more primes than divisors of any determinant


def refuse(n: int, r: int, eliminations: int) -> None:
    """Say that there are too many sets of rows."""
    raise DataError(
        f"Whether any {r} of {n:,} rows are independent takes {eliminations:,} eliminations, and at most "
        f"{MAX_ELIMINATIONS:,} are made. No two rows are dependent, nor are all of them together. Take fewer rows, or "
        "fewer columns."
    )


def primes() -> Iterator[int]:
    """Primes below 2^31, the largest first, so that products fit into 64-bit integers."""
    from flint import fmpz

    return (number for number in range(2**31 - 1, 2, -2) if fmpz(number).is_prime())


def relation_of(Z: list[IntegerVector], rows: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Those of some rows that sum to zero with integer coefficients, and these, or None where they are independent.

    A vector of the basis is zero on all columns without a pivot but one, so no fewer rows are dependent.
    """
    basis = exact.integer_null_space([list(column) for column in zip(*(Z[i] for i in rows), strict=True)])
    if not basis:
        return None
    kept = [(i, c) for i, c in zip(rows, basis[0], strict=True) if c]
    return tuple(i for i, _ in kept), tuple(c for _, c in kept)


def first_dependent(V: np.ndarray, rows: list[int], prime: int) -> list[int] | None:
    """The first rows of V that are dependent modulo a prime, at most as many as it has columns, or None.

    V has at least as many rows as columns.
    """
    k, r = V.shape
    zero = np.flatnonzero(~V.any(axis=1))
    if zero.size:
        return [rows[zero[0]]]
    if r < 3:
        return parallel_rows(V, rows, prime) if r == 2 else None
    for i in range(k - r + 1):
        found = first_dependent(eliminated(V[i:], prime), rows[i + 1 :], prime)
        if found is not None:
            return [rows[i], *found]
    return None


def eliminated(V: np.ndarray, prime: int) -> np.ndarray:
    """All rows but the first modulo the first, in one column less."""
    pivot = int(V[0].argmax())  # not 0, and any other would do
    factors = V[1:, pivot] * pow(int(V[0, pivot]), -1, prime) % prime
    rest = (V[1:] - factors[:, None] * V[0]) % prime
    return np.delete(rest, pivot, axis=1)


def parallel_rows(V: np.ndarray, rows: list[int], prime: int) -> list[int] | None:
    """Two rows that are multiples of each other modulo a prime, or a row that is zero; None where there are none."""
    first = (V != 0).argmax(axis=1)
    leading = V[np.arange(len(V)), first]
    if not leading.all():
        return [rows[int(np.flatnonzero(leading == 0)[0])]]
    normal = V * inverses(leading, prime)[:, None] % prime
    if V.shape[1] == 2:
        _, group = np.unique(normal[:, 0] * prime + normal[:, 1], return_inverse=True)  # one number for each is faster
    else:
        _, group = np.unique(normal, axis=0, return_inverse=True)
    group = group.ravel()
    shared = np.flatnonzero(np.bincount(group)[group] > 1)
    return [rows[i] for i in shared[group[shared] == group[shared[0]]][:2]] if shared.size else None


def inverses(values: np.ndarray, prime: int) -> np.ndarray:
    """The inverses of numbers modulo a prime, by Fermat's theorem."""
    power, found, exponent = values.copy(), np.ones_like(values), prime - 2
    while exponent:
        if exponent & 1:
            found = found * power % prime
        power, exponent = power * power % prime, exponent >> 1
    return found
