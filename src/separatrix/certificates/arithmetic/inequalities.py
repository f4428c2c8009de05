"""The linear inequalities <a, v> > 0 that a separating plane satisfies, one for each vector a.

Two classes have one for each row, a_i = y_i [x_i, 1], and v = [w, b]. With k classes a row of class c has one for
each rival j, with [x_i, 1] in block c and -[x_i, 1] in block j (Kesler; Nilsson, 1965). Adding the same vector to all
blocks changes nothing, so the last class has no block: its w and b are 0.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.problem import Problem, kesler
from separatrix.products import dense_rows
from separatrix.rows import TINY, Vector


@dataclass(frozen=True, eq=False)
class Inequalities:
    """The vectors a of a problem, numbered row by row and within a row by rival class.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.inequalities import Inequalities
    >>> from separatrix.problem import Problem
    >>> Inequalities(Problem(np.array([[2.0], [5.0]]), np.array([0, 1]))).vectors(np.array([0, 1])).tolist()
    [[-2.0, -1.0], [5.0, 1.0]]
    """

    problem: Problem

    @property
    def n(self) -> int:
        """Number of vectors."""
        return self.problem.n_rows * self.rivals

    @property
    def rivals(self) -> int:
        """Number of vectors of each row: one for each class but its own."""
        return self.problem.n_classes - 1

    @property
    def block(self) -> int:
        """Length of [w, b] of one class."""
        return self.problem.n_features + int(self.problem.fit_intercept)

    @property
    def dimension(self) -> int:
        """Length of each vector."""
        return self.block * self.rivals

    def row_of(self, index: np.ndarray) -> np.ndarray:
        """The rows that some vectors come from."""
        return np.asarray(index) // self.rivals

    def rival_of(self, index: np.ndarray) -> np.ndarray:
        """The rival classes of some vectors."""
        own, place = self.problem.y[self.row_of(index)], np.asarray(index) % self.rivals
        return place + (place >= own)

    def kesler(self, extended: Vector, index: np.ndarray) -> Vector:
        """Kesler's vectors with these numbers, from the rows [x, 1] that they come from, in any coordinates."""
        if self.rivals == 1:
            return extended * self.problem.signs[index][:, None]
        own, extended = self.problem.y[self.row_of(index)], np.asarray(extended, dtype=float)
        return kesler.blocks(extended, own, self.rival_of(index), self.rivals + 1)[:, :-1].reshape(len(index), -1)

    def vectors(self, index: np.ndarray) -> Vector:
        """The vectors with these numbers, exactly."""
        X = dense_rows(self.problem.X, self.row_of(index))
        return self.kesler(np.column_stack([X, np.ones(len(X))]) if self.problem.fit_intercept else X, index)

    def planes(self, v: Vector) -> Planes:
        """The plane, or one for each class, that a vector v stands for."""
        blocks = np.asarray(v, dtype=float).reshape(self.rivals, self.block)
        if self.rivals > 1:
            blocks = np.vstack([blocks, np.zeros(self.block)])
        w = np.ascontiguousarray(blocks[:, : self.problem.n_features])
        return Planes(w, blocks[:, -1].copy() if self.problem.fit_intercept else np.zeros(len(w)))

    def products(self, planes: Planes) -> tuple[Vector, Vector]:
        """<a, v> for each vector, and its rounding-error bound."""
        margins, bounds, _ = planes.margins(self.problem)
        if self.rivals > 1:
            others = np.arange(self.rivals + 1) != self.problem.y[:, None]
            margins, bounds = margins[others], bounds[others]
        return margins.ravel(), bounds.ravel()

    def values(self, v: IntegerVector, index: np.ndarray) -> Vector:
        """<a, v> for some vectors, rounded, but with its exact sign: 0 only where it is zero."""
        values, bounds = rounded_products(self, v)
        values, bounds = values[index], bounds[index]
        for part in exact_chunks(np.flatnonzero(~(np.abs(values) > bounds)), self.dimension):
            signs = np.sign([row[0] for row in exact.products(self.vectors(index[part]), [v])]).astype(float)
            values[part] = signs * np.maximum(np.abs(np.nan_to_num(values[part])), TINY)
        return values

    def not_orthogonal(self, index: np.ndarray, basis: list[IntegerVector]) -> np.ndarray:
        """Those of some vectors that are not orthogonal to all of a basis, decided exactly.

        A vector that is orthogonal to the basis is orthogonal to random combinations of it. Products with a few of
        these, in doubles, find most of the others; exact products decide the rest.
        """
        if not basis:
            return index[:0]
        rng, found = np.random.default_rng(0), np.zeros(index.size, dtype=bool)
        sizes = [max(map(abs, v)).bit_length() for v in basis]
        for _ in range(RANDOM_COMBINATIONS):
            coefficients = rng.integers(-LARGEST_COEFFICIENT, LARGEST_COEFFICIENT + 1, len(basis)).tolist()
            factors = [c << (max(sizes) - size) for c, size in zip(coefficients, sizes, strict=True)]
            values, bounds = rounded_products(self, exact.linear_combination(factors, basis))
            found |= np.abs(values[index]) > bounds[index]
        for part in exact_chunks(np.flatnonzero(~found), self.dimension):
            found[part] = [any(row) for row in exact.products(self.vectors(index[part]), basis)]
        return index[found]


def rounded_products(inequalities: Inequalities, v: IntegerVector) -> tuple[Vector, Vector]:
    """<a, v> for each vector, with v rounded, and its rounding-error bound; infinite where entries underflow."""
    rough = exact.rounded(v)
    values, bounds = inequalities.products(inequalities.planes(rough))
    vanishing = any(k and abs(entry) < TINY for k, entry in zip(v, rough.tolist(), strict=True))
    return values, np.full_like(bounds, np.inf) if vanishing else 2.0 * bounds  # twice, as v was rounded too


RANDOM_COMBINATIONS, LARGEST_COEFFICIENT = 3, 10**6  # of the basis, in `not_orthogonal`
EXACT_ENTRIES_PER_CHUNK = 2**18  # entries of vectors that are converted to integers at a time


def exact_chunks(index: np.ndarray, dimension: int) -> list[np.ndarray]:
    """Divide an index of vectors into chunks of moderate size for exact arithmetic."""
    return np.array_split(index, -(-index.size * max(1, dimension) // EXACT_ENTRIES_PER_CHUNK)) if index.size else []
