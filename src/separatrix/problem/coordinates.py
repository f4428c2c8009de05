"""Coordinates in which rows are of moderate size, whatever the units of the features.

    z = (x - centre) basis / scale,     v = [scale basis'w, b + w.centre],     w.x + b = v.[z, 1]

The objective stays the user's: ||w||^2 = sum_j (v_j / scale_j)^2. Centre and scale may come from some of the rows, as
any will do; they only keep rounding errors small. Where there are more features than rows, the basis spans the rows.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import qr

from separatrix.rows import Vector

MAX_CENTRE = 30.0  # distance of a centre from the origin, in units of the spread, beyond which it is subtracted first
MAX_MEAN = 100.0  # of a column in units of its spread, beyond which columns are nearly constant


class Coordinates(NamedTuple):
    """Centre, scale and basis of the coordinates, and whether there is an offset."""

    centre: Vector
    scale: Vector
    basis: Vector | None
    offset: bool

    @classmethod
    def of(cls, X: Vector, offset: bool) -> "Coordinates":
        """Coordinates for rows like these; columns that never change get no coordinate of their own."""
        centre = X.mean(axis=0) if offset else np.zeros(X.shape[1])
        spread = X - centre
        basis = span(spread) if X.shape[1] > X.shape[0] else None
        spread = spread if basis is None else spread @ basis
        scale = np.sqrt(np.einsum("ij,ij->j", spread, spread) / len(spread))
        return cls(centre, np.where(scale > 1e-150, scale, 1.0), basis, offset)

    @classmethod
    def turned(cls, X: Vector) -> "Coordinates":
        """Coordinates through the origin for rows far from it: one along their mean, the others across."""
        mean = X.mean(axis=0)
        across = mean / np.sqrt(mean @ mean)
        across[0] += 1.0 if across[0] >= 0.0 else -1.0
        basis = np.eye(mean.size) - np.outer(across, across) * (2.0 / (across @ across))  # Householder (1958)
        spread = X @ basis
        scale = np.sqrt(np.einsum("ij,ij->j", spread, spread) / len(spread))
        return cls(np.zeros(mean.size), np.where(scale > 1e-150, scale, 1.0), basis, False)

    def rows(self, X: Vector, signs: np.ndarray | None = None) -> Vector:
        """[z_i, 1] for dense rows x_i, or y_i [z_i, 1]."""
        spread = X - self.centre if self.offset else X
        into = np.empty((len(X), self.scale.size + self.offset))
        np.divide(spread if self.basis is None else spread @ self.basis, self.scale, out=into[:, : self.scale.size])
        if self.offset:
            into[:, -1] = 1.0
        return into if signs is None else np.multiply(into, signs[:, None], out=into)

    @property
    def width(self) -> int:
        """How many coordinates there are, the 1 of the offset among them."""
        return self.scale.size + self.offset

    @property
    def is_far(self) -> bool:
        """Whether the origin is so far from the rows that sums over x have too few digits for sums over z."""
        plain = self.offset and self.basis is None
        return bool(plain and np.any(np.abs(self.centre) > MAX_CENTRE * self.scale))

    @property
    def penalties(self) -> Vector:
        """The factor of each coordinate in 1/2 ||w||^2 = 1/2 sum_j penalty_j v_j^2."""
        return np.append(self.scale**-2.0, np.zeros(int(self.offset)))

    def penalty(self) -> Vector:
        """The matrix H of 1/2 v'Hv = 1/2 ||w||^2."""
        return np.diag(self.penalties)

    def plane(self, v: Vector) -> tuple[Vector, Any]:
        """w and b; of several v, one in each row, a row of w and an entry of b each."""
        scaled = v[..., : self.scale.size] / self.scale
        w = scaled if self.basis is None else scaled @ self.basis.T
        return w, v[..., -1] - w @ self.centre if self.offset else np.zeros(v.shape[:-1])[()]

    def vector(self, w: Vector, b: float | Vector) -> Vector:
        """The v of a plane, or of several, as near as the basis can get."""
        inside = w if self.basis is None else w @ self.basis
        offsets = [np.expand_dims(b + w @ self.centre, -1)] * self.offset
        return np.concatenate([self.scale * inside, *offsets], axis=-1)

    def weighted_sum(self, total: Vector, weight: float | Vector) -> Vector:
        """sum_i u_i [z_i, 1] from sum_i u_i x_i and sum_i u_i, or from several of both."""
        spread = total - np.multiply.outer(weight, self.centre)
        inside = spread if self.basis is None else spread @ self.basis
        return np.concatenate([inside / self.scale, *[np.expand_dims(weight, -1)] * self.offset], axis=-1)

    def gram(self, total: Vector, sums: Vector, weight: float) -> Vector:
        """sum_i u_i [z_i, 1] [z_i, 1]' from sum_i u_i x_i x_i', sum_i u_i x_i and sum_i u_i; there is no basis."""
        moved = total - np.outer(sums, self.centre) - np.outer(self.centre, sums - weight * self.centre)
        inside = moved / self.scale / self.scale[:, None]
        if not self.offset:
            return inside
        border = (sums - weight * self.centre) / self.scale
        return np.block([[inside, border[:, None]], [border, np.array([weight])]])


def span(spread: Vector) -> Vector:
    """An orthonormal basis of what the rows span."""
    q, r, _ = qr(spread.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int(np.count_nonzero(diagonal > 1e-14 * diagonal.max(initial=0.0)))
    return np.ascontiguousarray(q[:, : max(rank, 1)])


def far_from_origin(X: Vector) -> bool:
    """Whether columns are so far from 0 that without an offset they are nearly the same, or nearly constant."""
    mean = X.mean(axis=0)
    return bool((np.abs(mean) > MAX_MEAN * (X - mean).std(axis=0)).sum() > 1)


def spread_out(n: int, most: int) -> np.ndarray:
    """Numbers of at most so many of n rows, evenly from the first to the last."""
    return np.arange(min(n, most)) * n // min(n, most)
