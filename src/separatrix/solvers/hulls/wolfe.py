"""Wolfe's method (1976) for the nearest points of two convex hulls, from where another algorithm came near them.

    minimise  ||sum_i y_i a_i x_i||    over the weights a of some rows, the corral, with a sum of 1 in each class

Without a >= 0 these are the nearest points of two flats, which is least squares. Go towards them, and whenever a weight
reaches 0 leave its row out and start again, until they are reached with all weights positive. Then let in the rows
that are nearer to the other class than those of the corral; if there are none, its nearest points are those of the
hulls. The distance falls each time, so that no corral comes twice and the method ends by itself.
"""

import numpy as np
from scipy.linalg import qr, qr_delete, solve_triangular

from separatrix.products import dense_rows, scores
from separatrix.rows import Rows, Vector, dense_row, length, n_columns, n_entries, rounding_bound

INDEPENDENT = 1e-13  # part of the way from one row to another that is outside of the flats
SHARP = 1e-14  # relative error that is rounding
LARGEST = 1000  # rows of the first corral
PATIENCE = 30  # corrals in a row that bring nothing: rounding decides
MOST_WORK = 2e10  # numbers looked at, after which it should be tried from nearer by
NEVER = np.finfo(float).tiny


def wolfe(X: Rows, y: np.ndarray, weights: Vector) -> tuple[Vector, Vector]:
    """Weights of the nearest points, and the direction from one to the other, from weights that come near them.

    Where the hulls meet, the direction is 0 but for rounding. What was best comes back if the method takes too long.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.solvers.hulls.wolfe import wolfe
    >>> X, y = np.array([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0]]), np.array([-1, 1, 1])
    >>> a, direction = wolfe(X, y, np.array([1.0, 0.9, 0.1]))
    >>> a.round(9).tolist(), direction.round(9).tolist()
    ([1.0, 0.5, 0.5], [2.0, 0.0])
    """
    corral = Corral(X, y, heaviest(X, y, weights), weights)
    best, least, shortest, since = (weights, np.zeros(n_columns(X))), np.inf, np.inf, 0
    while corral.work < MOST_WORK and since < PATIENCE:
        v = settle(corral)
        s = y * scores(X, v)
        lowest = [int(np.argmin(np.where(y == side, s, np.inf))) for side in (-1, 1)]
        distance = length(corral.between)
        error = 1.0 - float(s[lowest].sum()) / max(length(v) * distance, NEVER) if distance > corral.rounding else 0.0
        since = 0 if error < least or distance < shortest else since + 1
        shortest = min(shortest, distance)
        if error < least:
            best, least = (corral.among(y.size), v), error
        entered = [corral.enter(i) for i in lowest]
        if error <= SHARP or not any(entered):
            break
        corral.work += n_entries(X)
    return best


def settle(corral: "Corral") -> Vector:
    """Go to the nearest points of a corral, leaving rows out on the way; returns the direction between the points."""
    while True:
        change, v = corral.towards_flats()
        falling = np.flatnonzero(corral.a + change <= 0.0)
        if not falling.size:
            corral.a += change
            return v
        parts = corral.a[falling] / np.maximum(-change[falling], NEVER)
        corral.a = np.maximum(corral.a + min(float(parts.min()), 1.0) * change, 0.0)
        corral.leave(int(falling[np.argmin(parts)]))


def heaviest(X: Rows, y: np.ndarray, weights: Vector) -> np.ndarray:
    """The rows with the largest weights, at least one of each class, as many as may be of use."""
    order = np.argsort(-weights, kind="stable")[: np.count_nonzero(weights > 0.0)]
    firsts = [order[np.argmax(y[order] == side)] for side in (-1, 1)]
    return np.union1d(firsts, order[: min(n_columns(X) + 2, LARGEST)])


class Corral:
    """Rows in play with their weights, and an orthonormal basis Q of the two flats through them.

    Of each class one row is first, and the others are reached from it: Q R are the ways, each of unit length. Rows
    are measured from one of them, so that what they have in common costs no digits. All that methods do is in place.
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
    def between(self) -> Vector:
        """From one point to the other, p - q."""
        return (self.y * self.a) @ self.X

    @property
    def rounding(self) -> float:
        """A length of p - q that is rounding for sure, also in the certificate, which measures from another row."""
        return 0.25 * rounding_bound(self.a.size + 4) * length(np.abs(self.X).max(axis=0))

    def among(self, n: int) -> Vector:
        """The weights among those of all rows."""
        a = np.zeros(n)
        a[self.index] = self.a
        return a

    def factor(self) -> None:
        """Make the heaviest rows the first ones, and the basis anew, without rows that add nothing to it."""
        firsts = [int(np.argmax(np.where(self.y == side, self.a, -1.0))) for side in (-1, 1)]
        others = np.setdiff1d(np.argsort(-self.a, kind="stable"), firsts, assume_unique=True)
        self.keep(np.concatenate([firsts, others]).astype(int))
        while True:
            ways, self.lengths = self.ways(self.X[2:], self.y[2:])
            n, d = ways.shape
            self.Q, self.R = qr(ways.T, mode="economic") if n else (np.zeros((d, 0)), np.zeros((0, 0)))
            self.work += ways.size * float(min(n, d))
            outside = np.zeros(n)
            outside[: min(n, d)] = np.abs(np.diag(self.R))
            if (outside > INDEPENDENT).all():
                break
            self.keep(np.concatenate([[0, 1], 2 + np.flatnonzero(outside > INDEPENDENT)]))
        for side in (-1, 1):
            self.a[self.y == side] /= self.a[self.y == side].sum()

    def keep(self, order: np.ndarray) -> None:
        """Put rows into this order, and leave out those that are not in it."""
        self.index, self.y, self.X, self.a = (part[order] for part in (self.index, self.y, self.X, self.a))

    def ways(self, X: Vector, y: Vector) -> tuple[Vector, Vector]:
        """How d = p - q moves with the weight of each row, as unit vectors, and their lengths."""
        ways = y[:, None] * (X - self.X[(y > 0).astype(int)])
        lengths = np.maximum(np.linalg.norm(ways, axis=1), NEVER)
        return ways / lengths[:, None], lengths

    def towards_flats(self) -> tuple[Vector, Vector]:
        """How weights have to change for the nearest points of the flats, and the direction between these.

        It is what of p - q is outside of the flats, and is made orthogonal to them twice: once leaves errors of the
        size of what is taken away, which may be much more than what is left.
        """
        change, v = np.zeros(self.a.size), self.between
        for _ in range(2):
            parts = self.Q.T @ v
            v = v - self.Q @ parts
            change[2:] -= solve_triangular(self.R, parts) / self.lengths if parts.size else parts
        for side in range(2):
            change[side] = -change[2:][self.y[2:] == self.y[side]].sum()
        self.work += 4.0 * self.Q.size
        return change, v

    def enter(self, i: int) -> bool:
        """Let a row in, without weight yet; False if it is in, or adds nothing to the basis."""
        if i in self.index or self.Q.shape[1] >= self.Q.shape[0]:
            return False
        x, y = dense_row(self.all, i)[None] - self.origin, self.signs[i : i + 1].astype(np.float64)
        (way,), size = self.ways(x, y)
        parts = self.Q.T @ way
        rest = way - self.Q @ parts
        more = self.Q.T @ rest
        rest -= self.Q @ more
        outside = length(rest)
        if outside <= INDEPENDENT:
            return False
        k = parts.size
        self.R = np.block([[self.R, (parts + more)[:, None]], [np.zeros((1, k)), np.array([[outside]])]])
        self.Q = np.column_stack([self.Q, rest / outside])
        self.lengths, self.a = np.append(self.lengths, size), np.append(self.a, 0.0)
        self.index, self.y, self.X = np.append(self.index, i), np.append(self.y, y), np.vstack([self.X, x])
        return True

    def leave(self, place: int) -> None:
        """Take a row out; if the others of its class are reached from it, they need another one."""
        self.keep(np.delete(np.arange(self.a.size), place))
        if place < 2:
            self.factor()
            return
        k = self.lengths.size - 1
        Q, R = qr_delete(self.Q, self.R, place - 2, which="col", check_finite=False)
        self.Q, self.R, self.lengths = Q[:, :k], R[:k, :k], np.delete(self.lengths, place - 2)
