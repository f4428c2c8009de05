"""Vectors a_i modulo the span of some of them, as floats to search with and as whole numbers to prove with.

Vectors that cancel with positive weights have <a_i, v> = 0 for every v that is nowhere negative. Then only the v with
this property remain in question. They are the span of a basis of whole vectors, and all that matters of another
vector is its product with each of these.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import Whole
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.products import dense_rows
from separatrix.rows import Vector
from separatrix.threads import cached_property

SOME = 400  # rows that tell the units
FINE = (0, 3, 8, 16, 30, 52)  # bits of the coefficients of a basis that are tried, so that v stays short


@dataclass(frozen=True, eq=False)
class Quotient:
    """The vectors in question, and a basis of the v in question; None: all v are.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates.arithmetic.inequalities import Inequalities
    >>> from separatrix.problem import Problem
    >>> from separatrix.solvers.separation.quotient import Quotient
    >>> X = np.array([[1.0, 0.0], [1.0, 0.0], [4.0, 3.0]])
    >>> rows = Quotient(Inequalities(Problem(X, np.array([0, 1, 1]))), np.arange(3)).settled(np.array([0, 1]))
    >>> rows.basis, rows.among.tolist()  # the first two rows cancel: w_1 = -b, and the third is left in question
    ([[0, 1, 0], [1, 0, -1]], [2])
    """

    inequalities: Inequalities
    among: np.ndarray
    basis: list[Whole] | None = None

    @property
    def dimension(self) -> int:
        """How many directions are in question."""
        return self.inequalities.dimension if self.basis is None else len(self.basis)

    def settled(self, index: np.ndarray) -> "Quotient":
        """What remains in question when v is known to be zero on these vectors."""
        basis = exact.null_space(self.inequalities.vectors(index))
        return Quotient(self.inequalities, self.inequalities.escaping(self.among, basis), basis)

    @cached_property
    def units(self) -> tuple[Vector, Vector]:
        """Centre and scale of the features, by some of the rows: floats do best on numbers of moderate size."""
        problem = self.inequalities.problem
        some = np.unique(self.inequalities.row_of(self.among[:: max(1, self.among.size // SOME)]))
        X = dense_rows(problem.X, some)
        centre = X.mean(axis=0) if problem.fit_intercept else np.zeros(X.shape[1])
        scale = np.sqrt(np.mean((X - centre) ** 2, axis=0))
        scale = np.where(scale > 1e-12 * np.abs(centre), scale, np.abs(centre))
        return centre, np.where(scale > 0.0, scale, 1.0)

    @cached_property
    def directions(self) -> Vector | None:
        """Orthonormal columns that span the basis, in those units."""
        if self.basis is None:
            return None
        centre, scale = self.units
        columns = []
        for v in self.basis:
            planes = self.inequalities.planes(exact.rounded(v))
            w, b = planes.w[: self.inequalities.rivals], planes.b[: self.inequalities.rivals]
            parts = [w * scale, (b + w @ centre)[:, None]] if self.inequalities.problem.fit_intercept else [w * scale]
            columns.append(np.hstack(parts).ravel())
        matrix = np.array(columns).T
        return np.linalg.qr(matrix / np.linalg.norm(matrix, axis=0))[0]

    def floats(self, index: np.ndarray) -> Vector:
        """Vectors in those units, by their products with the directions."""
        problem, (centre, scale) = self.inequalities.problem, self.units
        X = (dense_rows(problem.X, self.inequalities.row_of(index)) - centre) / scale
        extended = np.column_stack([X, np.ones(len(X))]) if problem.fit_intercept else X
        vectors = self.inequalities.spread(extended, index)
        return vectors if self.directions is None else vectors @ self.directions

    def exactly(self, index: np.ndarray) -> list[Whole]:
        """Vectors in whole numbers, by their products with the basis, each coordinate times a number of its own."""
        vectors = self.inequalities.vectors(index)
        return exact.whole(vectors)[0] if self.basis is None else exact.products(vectors, self.basis)

    def candidates(self, v: Vector) -> list[Whole]:
        """Whole vectors for a v in the coordinates of `floats`, from coarse to fine."""
        if self.directions is not None:
            v = self.directions @ v
        (centre, scale), offset = self.units, self.inequalities.problem.fit_intercept
        blocks = v.reshape(self.inequalities.rivals, -1)
        w = blocks[:, : scale.size] / scale
        v = np.column_stack([w, blocks[:, -1] - w @ centre]).ravel() if offset else w.ravel()
        if self.basis is None:
            return [exact.direction(v)]
        return [exact.near(v, self.basis, bits) for bits in (FINE if len(self.basis) > 1 else FINE[:1])]

    def vector(self, v: Whole, index: np.ndarray) -> Whole:
        """The user's v for one in the coordinates of `exactly`, for the same vectors."""
        if self.basis is not None:
            return exact.combined(v, self.basis)
        e = exact.whole(self.inequalities.vectors(index))[1]
        return exact.primitive_direction([k << int(e.max() - power) for k, power in zip(v, e, strict=True)])

    def short(self, v: Whole) -> tuple[np.ndarray, Vector]:
        """The vectors on which v is not positive, exactly, and about how much it is there."""
        values = self.inequalities.values(v, self.among)
        places = np.flatnonzero(values <= 0.0)
        return self.among[places], values[places]
