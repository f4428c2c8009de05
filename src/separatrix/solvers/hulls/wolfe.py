"""Wolfe's method (1976) for the nearest points of two convex hulls, from weights of another algorithm.

    minimise  ||sum_i y_i a_i x_i||    over the weights a of some rows, the corral, with a sum of 1 in each class

Without a >= 0 these are the nearest points of two affine hulls, a least-squares problem. A minor cycle moves towards
its solution, and whenever a weight reaches 0 removes that row and starts again, until the solution has only positive
weights. A major cycle then adds the rows that are nearer to the other class than those of the corral; if there are
none, the nearest points of the corral are those of the hulls. The distance falls each time, so that no corral comes
twice and the method is finite.
"""

import numpy as np
from scipy.linalg import qr, qr_delete, solve_triangular

from separatrix.products import dense_rows, scores
from separatrix.rows import TINY, Rows, Vector, dense_row, length, n_columns, n_entries, rounding_bound

ERROR_TOLERANCE = 1e-14  # relative error of the distance that is rounding
MAX_STALLED_CORRALS = 30  # in a row: no further progress in double precision
MAX_WORK = 2e10  # multiplications, about ten seconds; better initial weights need fewer


def wolfe(X: Rows, y: np.ndarray, weights: Vector) -> tuple[Vector, Vector]:
    """Weights of the nearest points, and the direction from one to the other, from initial weights.

    Where the hulls meet, the direction is 0 but for rounding. The best weights so far are returned if the method takes
    too long.

    >>> X, y = np.array([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0]]), np.array([-1, 1, 1])
    >>> a, direction = wolfe(X, y, np.array([1.0, 0.9, 0.1]))
    >>> a.round(9).tolist(), direction.round(9).tolist()
    ([1.0, 0.5, 0.5], [2.0, 0.0])
    """
    corral = Corral(X, y, initial_corral(X, y, weights), weights)
    best, least, shortest, stalled = (weights, np.zeros(n_columns(X))), np.inf, np.inf, 0
    while corral.work < MAX_WORK and stalled < MAX_STALLED_CORRALS:
        v = minimise_over_corral(corral)
        s = y * scores(X, v)
        lowest = [int(np.argmin(np.where(y == side, s, np.inf))) for side in (-1, 1)]
        distance = length(corral.difference)
        error = 1.0 - float(s[lowest].sum()) / max(length(v) * distance, TINY) if distance > corral.rounding else 0.0
        stalled = 0 if error < least or distance < shortest else stalled + 1
        shortest = min(shortest, distance)
        if error < least:
            best, least = (corral.full_weights(y.size), v), error
        entered = [corral.enter(i) for i in lowest]
        if error <= ERROR_TOLERANCE or not any(entered):
            break
        corral.work += n_entries(X)
    return best


def minimise_over_corral(corral: "Corral") -> Vector:
    """Minor cycle: minimise over a corral, which may lose rows; returns the direction between its nearest points."""
    while True:
        change, v = corral.affine_step()
        falling = np.flatnonzero(corral.a + change <= 0.0)
        if not falling.size:
            corral.a += change
            return v
        parts = corral.a[falling] / np.maximum(-change[falling], TINY)
        corral.a = np.maximum(corral.a + min(float(parts.min()), 1.0) * change, 0.0)
        corral.leave(int(falling[np.argmin(parts)]))


MAX_INITIAL_CORRAL = 1000  # rows


def initial_corral(X: Rows, y: np.ndarray, weights: Vector) -> np.ndarray:
    """The rows with the largest weights, at least one of each class, at most as many as can be affinely independent."""
    order = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights > 0.0)]
    firsts = [order[np.argmax(y[order] == side)] for side in (-1, 1)]
    return np.union1d(firsts, order[: min(n_columns(X) + 2, MAX_INITIAL_CORRAL)])


RANK_TOLERANCE = 1e-13  # distance of a row from the span of the others, relative to its edge


class Corral:
    """Rows with their weights, and an orthonormal basis Q of the directions of the two affine hulls through them.

    Of each class one row is first, and Q R are the edges from it to the others, each of unit length. One of the rows is
    subtracted from all, so that what they have in common costs no digits. Methods change the corral in place.
    """

    Q: Vector
    R: Vector

    def __init__(self, X: Rows, y: np.ndarray, index: np.ndarray, weights: Vector):
        self.all, self.signs, self.work = X, y, 0.0
        self.index, self.y, self.a = index, y[index].astype(np.float64), weights[index].copy()
        self.origin = dense_row(X, int(index[np.argmax(self.a)]))
        self.X = dense_rows(X, index) - self.origin
        self.factor()

    @property
    def difference(self) -> Vector:
        """The difference p - q of the two points."""
        return (self.y * self.a) @ self.X

    @property
    def rounding(self) -> float:
        """A length of p - q within rounding error, also in the certificate, which subtracts another row."""
        return 0.25 * rounding_bound(self.a.size + 4) * length(np.abs(self.X).max(axis=0))

    def full_weights(self, n: int) -> Vector:
        """The weights of all n rows."""
        a = np.zeros(n)
        a[self.index] = self.a
        return a

    def factor(self) -> None:
        """Make the rows of the largest weights the first ones, and factor anew, without rows that depend on others."""
        room = self.room
        firsts = [int(np.argmax(np.where(self.y == side, room, -1.0))) for side in (-1, 1)]
        others = np.setdiff1d(np.argsort(-room, kind="stable"), firsts, assume_unique=True)
        self.keep(np.concatenate([firsts, others]).astype(int))
        while True:
            edges, self.lengths = self.edges(self.X[2:], self.y[2:])
            n, d = edges.shape
            self.Q, self.R = qr(edges.T, mode="economic") if n else (np.zeros((d, 0)), np.zeros((0, 0)))
            self.work += edges.size * float(min(n, d))
            independent_part = np.zeros(n)
            independent_part[: min(n, d)] = np.abs(np.diag(self.R))
            if (independent_part > RANK_TOLERANCE).all():
                break
            self.keep(np.concatenate([[0, 1], 2 + np.flatnonzero(independent_part > RANK_TOLERANCE)]))
        self.normalize()

    @property
    def room(self) -> Vector:
        """How far the weight of each row is from its bounds: rows with more make better first ones."""
        return self.a

    def normalize(self) -> None:
        """Make the weights of each class add up to 1 again."""
        for side in (-1, 1):
            self.a[self.y == side] /= self.a[self.y == side].sum()

    def keep(self, order: np.ndarray) -> None:
        """Reorder the rows, and remove those that are not in the order."""
        self.index, self.y, self.X, self.a = (part[order] for part in (self.index, self.y, self.X, self.a))

    def edges(self, X: Vector, y: Vector) -> tuple[Vector, Vector]:
        """How d = p - q moves with the weight of each row, as unit vectors, and their lengths."""
        edges = y[:, None] * (X - self.X[(y > 0).astype(int)])
        lengths = np.maximum(np.linalg.norm(edges, axis=1), TINY)
        return edges / lengths[:, None], lengths

    def affine_step(self) -> tuple[Vector, Vector]:
        """The step of the weights to the nearest points of the affine hulls, and the direction between these points.

        The direction is the component of p - q that is orthogonal to the affine hulls. It is orthogonalised twice: once
        leaves errors of the size of what is subtracted, which may be much more than what remains.
        """
        change, v = np.zeros(self.a.size), self.difference
        for _ in range(2):
            parts = self.Q.T @ v
            v = v - self.Q @ parts
            change[2:] -= solve_triangular(self.R, parts) / self.lengths if parts.size else parts
        for side in range(2):
            change[side] = -change[2:][self.y[2:] == self.y[side]].sum()
        self.work += 4.0 * self.Q.size
        return change, v

    def enter(self, i: int) -> bool:
        """Add a row with weight 0; False if it is in the corral, or depends on its rows."""
        if i in self.index or self.Q.shape[1] >= self.Q.shape[0]:
            return False
        x, y = dense_row(self.all, i)[None] - self.origin, self.signs[i : i + 1].astype(np.float64)
        (edge,), size = self.edges(x, y)
        parts = self.Q.T @ edge
        rest = edge - self.Q @ parts
        more = self.Q.T @ rest
        rest -= self.Q @ more
        independent_part = length(rest)
        if independent_part <= RANK_TOLERANCE:
            return False
        k = parts.size
        self.R = np.block([[self.R, (parts + more)[:, None]], [np.zeros((1, k)), np.array([[independent_part]])]])
        self.Q = np.column_stack([self.Q, rest / independent_part])
        self.lengths, self.a = np.append(self.lengths, size), np.append(self.a, 0.0)
        self.index, self.y, self.X = np.append(self.index, i), np.append(self.y, y), np.vstack([self.X, x])
        return True

    def leave(self, place: int) -> None:
        """Remove a row; if it is the first of its class, factor anew."""
        self.keep(np.delete(np.arange(self.a.size), place))
        if place < 2:
            self.factor()
            return
        k = self.lengths.size - 1
        Q, R = qr_delete(self.Q, self.R, place - 2, which="col", check_finite=False)
        self.Q, self.R, self.lengths = Q[:, :k], R[:k, :k], np.delete(self.lengths, place - 2)
