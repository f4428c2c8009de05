"""What a plane has to meet to separate: <a, v> > 0 for each of these vectors a.

Two classes have one for each row, a_i = y_i [x_i, 1], and v = [w, b]. With k classes a row of class c has one for
each rival j, with [x_i, 1] in block c and -[x_i, 1] in block j (Kesler; Nilsson, 1965). Adding the same vector to all
blocks changes nothing, so the last class has no block: its w and b are 0.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import Whole
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.problem import Problem, kesler
from separatrix.products import dense_rows
from separatrix.rows import TINY, Vector

EXACT_AT_ONCE = 2**18  # entries of vectors
SUMS, COARSE = 3, 10**6  # sums of a basis that are tried, and the size of their coefficients


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
        """Number of vectors that a row has."""
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
        """The classes that they are held against."""
        own, place = self.problem.y[self.row_of(index)], np.asarray(index) % self.rivals
        return place + (place >= own)

    def number_of(self, row: int, rival: int) -> int:
        """The vector of a row against a rival class."""
        return row * self.rivals + rival - int(rival > self.problem.y[row])

    def spread(self, extended: Vector, index: np.ndarray) -> Vector:
        """The vectors with these numbers, from the rows [x, 1] that they come from, in whatever coordinates."""
        if self.rivals == 1:
            return extended * self.problem.signs[index][:, None]
        own, extended = self.problem.y[self.row_of(index)], np.asarray(extended, dtype=float)
        return kesler.blocks(extended, own, self.rival_of(index), self.rivals + 1)[:, :-1].reshape(len(index), -1)

    def vectors(self, index: np.ndarray) -> Vector:
        """The vectors with these numbers, exactly."""
        X = dense_rows(self.problem.X, self.row_of(index))
        return self.spread(np.column_stack([X, np.ones(len(X))]) if self.problem.fit_intercept else X, index)

    def planes(self, v: Vector) -> Planes:
        """The plane, or one for each class, that a vector v stands for."""
        blocks = np.asarray(v, dtype=float).reshape(self.rivals, self.block)
        if self.rivals > 1:
            blocks = np.vstack([blocks, np.zeros(self.block)])
        w = np.ascontiguousarray(blocks[:, : self.problem.n_features])
        return Planes(w, blocks[:, -1].copy() if self.problem.fit_intercept else np.zeros(len(w)))

    def products(self, planes: Planes) -> tuple[Vector, Vector]:
        """<a, v> for each vector, and how far rounding may have moved it."""
        margins, doubts, _ = planes.margins(self.problem)
        if self.rivals > 1:
            others = np.arange(self.rivals + 1) != self.problem.y[:, None]
            margins, doubts = margins[others], doubts[others]
        return margins.ravel(), doubts.ravel()

    def values(self, v: Whole, among: np.ndarray) -> Vector:
        """<a, v> for some vectors, to rounding, but with its exact sign: 0 only where it is zero."""
        values, doubts = self.products(self.planes(exact.rounded(v)))
        values, doubts = values[among], 2.0 * doubts[among]  # twice, as v was rounded too
        for part in split(np.flatnonzero(~(np.abs(values) > doubts)), self.dimension):
            signs = np.sign([row[0] for row in exact.products(self.vectors(among[part]), [v])]).astype(float)
            values[part] = signs * np.maximum(np.abs(np.nan_to_num(values[part])), TINY)
        return values

    def escaping(self, among: np.ndarray, basis: list[Whole]) -> np.ndarray:
        """Those of some vectors that are not orthogonal to all of a basis, exactly.

        A vector that is orthogonal to all is so to sums of them; most of the others are told by that.
        """
        if not basis:
            return among[:0]
        rng, out = np.random.default_rng(0), np.zeros(among.size, dtype=bool)
        sizes = [max(map(abs, v)).bit_length() for v in basis]
        for _ in range(SUMS):
            parts = rng.integers(-COARSE, COARSE + 1, len(basis)).tolist()
            factors = [part << (max(sizes) - size) for part, size in zip(parts, sizes, strict=True)]
            values, doubts = self.products(self.planes(exact.rounded(exact.combined(factors, basis))))
            out |= np.abs(values[among]) > 2.0 * doubts[among]
        for part in split(np.flatnonzero(~out), self.dimension):
            out[part] = [any(row) for row in exact.products(self.vectors(among[part]), basis)]
        return among[out]


def split(index: np.ndarray, dimension: int) -> list[np.ndarray]:
    """Parts of an index, each little enough for exact work at once."""
    return np.array_split(index, -(-index.size * max(1, dimension) // EXACT_AT_ONCE)) if index.size else []
