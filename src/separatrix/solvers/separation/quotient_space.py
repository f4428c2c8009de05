"""The quotient space of vectors a_i modulo the span of some of them, in doubles for search and in integers for proof.

If some vectors cancel with positive weights, every v with <a_i, v> >= 0 on all vectors has <a_i, v> = 0 on these. Such
v form a subspace, kept as a basis of integer vectors. In the quotient space another vector is represented by its
products with the basis.
"""

from dataclasses import dataclass

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.products import dense_rows
from separatrix.rows import Vector
from separatrix.threads import cached_property

BITS_TRIED = 0, 3, 8, 16, 30, 52  # of the coefficients of a basis, in `integer_candidates`


@dataclass(frozen=True, eq=False)
class QuotientSpace:
    """The vectors that are not zero in the quotient space, and a basis of the v that vanish on the others; None: all v.

    >>> from separatrix.problem import Problem
    >>> X = np.array([[1.0, 0.0], [1.0, 0.0], [4.0, 3.0]])
    >>> rows = QuotientSpace(Inequalities(Problem(X, np.array([0, 1, 1]))), np.arange(3)).modulo(np.array([0, 1]))
    >>> rows.basis, rows.index.tolist()  # the first two rows cancel: w_1 = -b, and the third remains
    ([[0, 1, 0], [1, 0, -1]], [2])
    """

    inequalities: Inequalities
    index: np.ndarray
    basis: list[IntegerVector] | None = None

    @property
    def dimension(self) -> int:
        """Dimension of the space of v."""
        return self.inequalities.dimension if self.basis is None else len(self.basis)

    def modulo(self, index: np.ndarray) -> "QuotientSpace":
        """The quotient space modulo the span of these vectors, and the vectors that are not zero in it."""
        basis = exact.null_space(self.inequalities.vectors(index))
        return QuotientSpace(self.inequalities, self.inequalities.not_orthogonal(self.index, basis), basis)

    @cached_property
    def scaling(self) -> tuple[Vector, Vector]:
        """Mean and standard deviation of the features over some of the rows: doubles work best on moderate numbers."""
        problem = self.inequalities.problem
        rows_for_scaling = 400
        some = np.unique(self.inequalities.row_of(self.index[:: max(1, self.index.size // rows_for_scaling)]))
        X = dense_rows(problem.X, some)
        centre = X.mean(axis=0) if problem.fit_intercept else np.zeros(X.shape[1])
        scale = np.sqrt(np.mean((X - centre) ** 2, axis=0))
        scale = np.where(scale > 1e-12 * np.abs(centre), scale, np.abs(centre))
        return centre, np.where(scale > 0.0, scale, 1.0)

    @cached_property
    def orthonormal_basis(self) -> Vector | None:
        """Orthonormal columns that span the basis, for scaled features."""
        if self.basis is None:
            return None
        centre, scale = self.scaling
        columns = []
        for v in self.basis:
            planes = self.inequalities.planes(exact.rounded(v))
            w, b = planes.w[: self.inequalities.rivals], planes.b[: self.inequalities.rivals]
            parts = [w * scale, (b + w @ centre)[:, None]] if self.inequalities.problem.fit_intercept else [w * scale]
            columns.append(np.hstack(parts).ravel())
        matrix = np.array(columns).T
        return np.linalg.qr(matrix / np.linalg.norm(matrix, axis=0))[0]

    def float_vectors(self, index: np.ndarray) -> Vector:
        """Vectors of the scaled features, by their products with the orthonormal basis."""
        problem, (centre, scale) = self.inequalities.problem, self.scaling
        X = (dense_rows(problem.X, self.inequalities.row_of(index)) - centre) / scale
        extended = np.column_stack([X, np.ones(len(X))]) if problem.fit_intercept else X
        vectors = self.inequalities.kesler(extended, index)
        return vectors if self.orthonormal_basis is None else vectors @ self.orthonormal_basis

    def integer_vectors(self, index: np.ndarray) -> list[IntegerVector]:
        """Vectors in integers, by their products with the basis, each coordinate times its own positive factor."""
        vectors = self.inequalities.vectors(index)
        return exact.scaled_integers(vectors)[0] if self.basis is None else exact.products(vectors, self.basis)

    def integer_candidates(self, v: Vector) -> list[IntegerVector]:
        """Integer vectors near a v in the coordinates of `float_vectors`, with more and more bits; few keep v short."""
        if self.orthonormal_basis is not None:
            v = self.orthonormal_basis @ v
        (centre, scale), offset = self.scaling, self.inequalities.problem.fit_intercept
        blocks = v.reshape(self.inequalities.rivals, -1)
        w = blocks[:, : scale.size] / scale
        v = np.column_stack([w, blocks[:, -1] - w @ centre]).ravel() if offset else w.ravel()
        if self.basis is None:
            return [exact.integer_direction(v)]
        bits_tried = BITS_TRIED if len(self.basis) > 1 else BITS_TRIED[:1]
        return [exact.round_to_span(v, self.basis, bits) for bits in bits_tried]

    def lift(self, v: IntegerVector, index: np.ndarray) -> IntegerVector:
        """The v in the original coordinates for one in those of `integer_vectors(index)`."""
        if self.basis is not None:
            return exact.linear_combination(v, self.basis)
        e = exact.scaled_integers(self.inequalities.vectors(index))[1]
        return exact.divide_by_gcd([k << int(e.max() - power) for k, power in zip(v, e, strict=True)])

    def violations(self, v: IntegerVector) -> tuple[np.ndarray, Vector]:
        """The vectors on which v is not positive, decided exactly, and its values there, rounded."""
        values = self.inequalities.values(v, self.index)
        places = np.flatnonzero(values <= 0.0)
        return self.index[places], values[places]
