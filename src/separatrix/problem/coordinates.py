"""Coordinates in which rows are of moderate size, whatever the units of the features.

    z = (x - centre) basis / scale,     v = [scale basis'w, b + w.centre],     w.x + b = v.[z, 1]

The objective stays the user's: ||w||^2 = sum_j (v_j / scale_j)^2. Centre and scale may come from some of the rows, as
any will do; they only keep rounding errors small. Where there are more features than rows, the basis spans the rows.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from separatrix.rows import Vector


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

    def rows(self, X: Vector, signs: np.ndarray) -> Vector:
        """y_i [z_i, 1] for dense rows x_i."""
        spread = X - self.centre if self.offset else X
        into = np.empty((len(X), self.scale.size + self.offset))
        np.divide(spread if self.basis is None else spread @ self.basis, self.scale, out=into[:, : self.scale.size])
        if self.offset:
            into[:, -1] = 1.0
        into *= signs[:, None]
        return into

    def penalty(self) -> Vector:
        """The matrix H of 1/2 v'Hv = 1/2 ||w||^2."""
        return np.diag(np.append(self.scale**-2.0, np.zeros(int(self.offset))))

    def plane(self, v: Vector) -> tuple[Vector, float]:
        """w and b."""
        scaled = v[: self.scale.size] / self.scale
        w = scaled if self.basis is None else self.basis @ scaled
        return w, float(v[-1] - w @ self.centre) if self.offset else 0.0

    def vector(self, w: Vector, b: float) -> Vector:
        """The v of a plane, as near as the basis can get."""
        inside = w if self.basis is None else self.basis.T @ w
        return np.append(self.scale * inside, [b + w @ self.centre] * self.offset)

    def weighted_sum(self, total: Vector, weight: float) -> Vector:
        """sum_i u_i [z_i, 1] from sum_i u_i x_i and sum_i u_i."""
        spread = total - weight * self.centre
        inside = spread if self.basis is None else spread @ self.basis
        return np.append(inside / self.scale, [weight] * self.offset)


def span(spread: Vector) -> Vector:
    """An orthonormal basis of what the rows span."""
    q, r, _ = qr(spread.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(r))
    rank = int(np.count_nonzero(diagonal > 1e-14 * diagonal.max(initial=0.0)))
    return np.ascontiguousarray(q[:, : max(rank, 1)])


def spread_out(n: int, most: int) -> np.ndarray:
    """Numbers of at most so many of n rows, evenly from the first to the last."""
    return np.arange(min(n, most)) * n // min(n, most)
