"""Wolfe's method (1976) with upper bounds on the weights, for the nearest points of two reduced convex hulls.

    minimise  ||sum_i y_i a_i x_i||    over    0 <= a_i <= u_i,     with a sum of 1 in each class

The rows of the corral are free; all others keep their weights, most of them 0 or u_i. A minor cycle moves towards the
nearest points of the affine hulls of the free rows and what the others add, and whenever a weight reaches a bound keeps
it there and starts again. A major cycle then takes the rows by which the distance can still be made shorter: of each
class the lowest along d that is below its upper bound, and the highest that has weight. Weight goes from the one to the
other as in MDM's steps, so that the distance falls also where free rows at their bounds would block every change, and
both are freed. If they are equally high, the points are the nearest ones (Karush, Kuhn and Tucker). It is an active-set
method whose linear systems are those of `wolfe`.
"""

import numpy as np

from separatrix.certificates.arithmetic.reduced_hull import extreme_values
from separatrix.products import combination, dense_rows, scores
from separatrix.rows import TINY, Rows, Vector, length, n_columns, n_entries, rounding_bound
from separatrix.solvers.hulls.wolfe import ERROR_TOLERANCE, MAX_INITIAL_CORRAL, MAX_STALLED_CORRALS, MAX_WORK, Corral

BOUND_RTOL = 1e-13  # of its bound: a weight as near to it as this is there


def bounded_wolfe(X: Rows, y: np.ndarray, upper: Vector, weights: Vector) -> tuple[Vector, Vector]:
    """Weights of the nearest points, and the direction from one to the other, from initial weights.

    Where the hulls meet, the direction is 0 but for rounding. The best weights so far are returned if the method takes
    too long.

    >>> X, y = np.array([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0], [3.0, 0.0]]), np.array([-1, 1, 1, 1])
    >>> a, direction = bounded_wolfe(X, y, np.array([1.0, 0.4, 0.4, 0.4]), np.array([1.0, 0.4, 0.2, 0.4]))
    >>> a.round(9).tolist(), direction.round(9).tolist()
    ([1.0, 0.4, 0.4, 0.2], [2.2, 0.0])
    """
    corral = BoundedCorral(X, y, upper, weights)
    best, least, shortest, stalled = (weights, np.zeros(n_columns(X))), np.inf, np.inf, 0
    while corral.work < MAX_WORK and stalled < MAX_STALLED_CORRALS:
        v = minimise_with_bounds(corral)
        distance = corral.measure_again()
        s = scores(X, v)
        low, high = extreme_values(s, (y > 0).astype(int), upper)
        error = 1.0 - (low - high) / max(length(v) * distance, TINY) if distance > corral.rounding else 0.0
        stalled = 0 if error < least or distance < shortest * (1.0 - ERROR_TOLERANCE) else stalled + 1
        shortest = min(shortest, distance)
        if error < least:
            best, least = (corral.weights.copy(), v), error
        if error <= ERROR_TOLERANCE or not corral.free(corral.violators(y * s)):
            break
        corral.work += 2.0 * n_entries(X)
    return best


def minimise_with_bounds(corral: "BoundedCorral") -> Vector:
    """Minor cycle: minimise over the free rows, which become fewer; returns the direction between their points."""
    while True:
        change, v = corral.affine_step()
        u = corral.upper[corral.index]
        room = np.where(change < 0.0, corral.a, u - corral.a)
        blocked = np.flatnonzero((change != 0.0) & (np.abs(change) >= room))
        if not blocked.size:
            corral.a += change
            return v
        parts = room[blocked] / np.abs(change[blocked])
        first = int(blocked[np.argmin(parts)])
        corral.a = np.clip(corral.a + min(float(parts.min()), 1.0) * change, 0.0, u)
        corral.a[first] = 0.0 if change[first] < 0.0 else u[first]
        corral.leave(first)


class BoundedCorral(Corral):
    """The free rows with their weights, and what all other rows add to p - q."""

    def __init__(self, X: Rows, y: np.ndarray, upper: Vector, weights: Vector, outside: Vector | None = None):
        self.upper, self.weights, self.fixed = upper, weights.copy(), np.zeros(n_columns(X))
        self.outside = np.zeros(n_columns(X)) if outside is None else outside  # what rows that are not in X add
        super().__init__(X, y, initial_corral(X, y, upper, weights), weights)
        self.measure_again()

    @property
    def room(self) -> Vector:
        """How far the weight of each row is from the nearer of its bounds."""
        return np.minimum(self.a, self.upper[self.index] - self.a)

    @property
    def difference(self) -> Vector:
        """The difference p - q of the two points."""
        return self.fixed + (self.y * self.a) @ self.X

    @property
    def rounding(self) -> float:
        """A length of p - q within rounding error, also in the certificate."""
        return 0.25 * rounding_bound(int(np.count_nonzero(self.weights)) + 4) * self.size

    def normalize(self) -> None:
        """Leave the weights as they are: their changes add up to 0."""

    def measure_again(self) -> float:
        """Compute what the other rows add to p - q from the rows, as updates accumulate rounding; returns ||p - q||."""
        self.weights[self.index] = self.a
        others = self.signs * self.weights
        others[self.index] = 0.0
        share = float((self.y * self.a).sum())  # of the free rows; that of all rows is 0
        self.fixed = combination(self.all, others) + self.outside + share * self.origin
        self.size = length(np.abs(self.X).max(axis=0)) + length(self.fixed)
        return length(self.difference)

    def free(self, pairs: list[tuple[int, int]]) -> bool:
        """Move weight within each pair of rows, and free them; False if nothing changes."""
        moved = [self.exchange(*pair) for pair in pairs]
        entered = [self.enter(i) for pair in pairs for i in pair]
        return any(moved) or any(entered)

    def exchange(self, low: int, high: int) -> bool:
        """Move as much weight from the highest row of a class to the lowest as makes p - q shortest; False if none."""
        ends = dense_rows(self.all, np.array([low, high])) - self.origin
        edge = self.signs[low] * (ends[0] - ends[1])
        self.weights[self.index] = self.a
        steepest = -float(self.difference @ edge) / max(float(edge @ edge), TINY)
        step = min(steepest, self.weights[high], self.upper[low] - self.weights[low])
        if not step > 0.0:
            return False
        for i, end, change in ((low, ends[0], step), (high, ends[1], -step)):
            self.weights[i] = min(max(self.weights[i] + change, 0.0), self.upper[i])
            place = np.flatnonzero(self.index == i)
            if place.size:
                self.a[place[0]] = self.weights[i]
            else:
                self.fixed = self.fixed + self.signs[i] * change * end
        return True

    def violators(self, s: Vector) -> list[tuple[int, int]]:
        """Of each class the lowest row along d that may have more weight, and the highest that may have less.

        None of a class where these are equally high.
        """
        self.weights[self.index] = self.a
        below, above = self.weights < self.upper * (1.0 - BOUND_RTOL), self.weights > self.upper * BOUND_RTOL
        found: list[tuple[int, int]] = []
        for side in (-1, 1):
            low = np.where((self.signs == side) & below, s, np.inf)
            high = np.where((self.signs == side) & above, s, -np.inf)
            pair = int(np.argmin(low)), int(np.argmax(high))
            found += [pair] if low[pair[0]] < high[pair[1]] else []
        return found

    def keep(self, order: np.ndarray) -> None:
        """Reorder the rows; those that are not in the order keep their weights from now on."""
        gone = np.setdiff1d(np.arange(self.a.size), order)
        self.weights[self.index[gone]] = self.a[gone]
        self.fixed = self.fixed + (self.y[gone] * self.a[gone]) @ self.X[gone]
        super().keep(order)

    def enter(self, i: int) -> bool:
        """Free a row with the weight that it has; False if it is free, or depends on the free rows."""
        if not super().enter(i):
            return False
        self.a[-1] = self.weights[i]
        self.fixed = self.fixed - self.y[-1] * self.a[-1] * self.X[-1]
        return True


def initial_corral(X: Rows, y: np.ndarray, upper: Vector, weights: Vector) -> np.ndarray:
    """The rows furthest from their bounds, one of each class at least, at most as many as can be independent."""
    room = np.minimum(weights, upper - weights)
    order = np.argsort(-room, kind="stable")[: np.count_nonzero(room > BOUND_RTOL * upper)]
    firsts = [int(np.argmax(np.where(y == side, room, -1.0))) for side in (-1, 1)]
    return np.union1d(firsts, order[: min(n_columns(X) + 2, MAX_INITIAL_CORRAL)]).astype(int)
