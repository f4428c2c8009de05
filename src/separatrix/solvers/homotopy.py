"""The path of a support vector machine as C grows or shrinks (Hastie, Rosset, Tibshirani and Zhu, 2004).

    Hv = t p + sum_{free} alpha_i a_i,      a_i.v = reach_i on free rows,      p = f + sum_{full} upper_i a_i

is linear in t as long as no row changes its set, so that v and the alpha of free rows are, too:

    | -H_l  L' | | dv_l   |     | p_l          |     l: variables with little penalty or none; L: theirs in free rows A
    |  L    K  | | dalpha | = - | A_s H_s^-1 p |     s: the others; K = A_s H_s^-1 A_s'

Along these lines one goes from the optimum for one t to the next t at which an alpha comes to a bound, or a row comes
to what it is to reach. There one row joins the free ones or leaves them, and the inverse of the matrix is corrected by
a product of two vectors. Between neighbouring values of C few rows do.

With all but the offset among s the matrix would be smallest, but where penalties are of very unlike size, K would lose
what the largest say.
"""

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dger

from separatrix.rows import TINY, Vector
from separatrix.solvers.active_set import optimal, polish, solved
from separatrix.solvers.budget import Budget
from separatrix.solvers.program import Program

SLOW = 1e-10  # part of the speed of v, below which a row moves by rounding only
DEPENDENT = 1e-13  # part of a row's length that the free rows do not make up
LITTLE = 0.1  # part of the mean penalty
TRUSTED = 1e-9  # part of a row's square that may be missed


@np.errstate(divide="ignore", invalid="ignore")  # what does not move never comes
def follow(
    program: Program, v: Vector, alpha: Vector, side: Vector, t: float, most: int, budget: Budget
) -> tuple[Vector, Vector] | None:
    """The optimum of a program, from its optimum for bounds t upper and a pull t f.

    Parameters
    ----------
    program : Program
        The question; alpha must be bounded, and H diagonal.
    v, alpha : ndarray
        The optimum for the bounds t upper.
    side : ndarray
        1 for rows at the upper bound, -1 for those at 0, 0 for free ones.
    t : float
        Where the path begins; it ends at 1.
    most : int
        So many rows may change their set.
    budget : Budget
        Counts them.

    Returns
    -------
    tuple of ndarray, or None
        v and alpha; None where rows depend on each other, or more change their set than may.
    """
    free = np.flatnonzero(side == 0.0)
    if not int(program.H[-1, -1] == 0.0) <= free.size <= v.size:
        return None
    path = Path(program, v, alpha, side, free, t)
    for _ in range(most):
        if path.lost or budget.spent():
            return None
        if path.advance():
            found = path.end(program)
            if optimal(program, *found):
                return found
            found = polish(program, *found)
            return found if optimal(program, *found) else None
    return None


class Path:
    """A point of the path. Free rows have a place each in the matrix, after the loose variables; other places are 0.

    `state` has the room that is left before something happens, not below 0 but for rounding: of each row, before it
    comes to what it is to reach; at each place, before alpha comes to 0, and before it comes to its bound. What cannot
    happen has infinite room. At its end is v. `closing` is how fast all that shrinks as t goes ahead.
    """

    def __init__(self, program: Program, v: Vector, alpha: Vector, side: Vector, free: np.ndarray, t: float) -> None:
        penalties, n, k = program.H.diagonal(), len(side), v.size
        self.A, self.upper, self.side, self.t = program.A, program.upper, side.copy(), t
        self.ahead = 1.0 if t < 1.0 else -1.0
        self.pull = self.ahead * (program.f + (side > 0.0) * self.upper @ self.A)
        self.farther = -side[:, None] * self.A  # how v takes each row away from what it is to reach
        little = LITTLE * program.unit
        self.loose, self.largest = np.flatnonzero(penalties < little), 1.0 / little
        self.penalty, q = penalties[self.loose], self.loose.size
        self.fewest = int(penalties[-1] == 0.0)  # free rows, that hold the offset
        self.soft = np.where(penalties < little, 0.0, 1.0 / penalties)  # 1 / H of the others
        self.places = [-1] * q + free.tolist() + [-1] * (k - free.size)  # the row at each place
        self.fading, (self.rows, self.soft_rows) = np.zeros(q + k), np.zeros((2, q + k, k))
        self.state, self.closing = np.full(n + 2 * (q + k) + k, np.inf), np.zeros(n + 2 * (q + k) + k)
        self.short, self.v, self.back = self.state[:n], self.state[-k:], self.closing[-k:]
        self.alpha, self.left = self.state[n:-k].reshape(2, q + k)
        there = slice(q, q + free.size)
        self.v[:], self.short[side != 0.0] = v, (side * program.short(v, 0.0))[side != 0.0]
        self.alpha[there], self.rows[there] = alpha[free], self.A[free]
        self.left[there] = t * self.upper[free] - alpha[free]
        self.fading[there] = -self.ahead * self.upper[free]  # how fast bounds come nearer
        np.multiply(self.rows, self.soft, out=self.soft_rows)
        self.soft_rows[np.arange(q), self.loose] = 1.0
        self.inverse = np.zeros((q + k, q + k))
        self.n_free, self.lost = free.size, not self.inverted()

    def inverted(self) -> bool:
        """Invert the matrix of the free rows, if they do not depend on each other."""
        q = self.loose.size
        used = np.array([*range(q), *(place for place, row in enumerate(self.places) if row >= 0)], dtype=np.intp)
        rows = self.rows[used]
        matrix = self.soft_rows[used] @ rows.T
        matrix[:, :q] = rows[:, self.loose]
        matrix.ravel()[: q * (len(rows) + 1) : len(rows) + 1] = -self.penalty
        try:
            self.inverse[used[:, None], used] = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            return False
        return bool(np.isfinite(self.inverse).all())

    def rest_of(self, a: Vector) -> tuple[Vector, float, bool]:
        """How much of each free row is in a row, how much square is left of it, and whether that can be trusted."""
        right = self.soft_rows.dot(a)
        weights = self.inverse.dot(right)
        rest, loose = a - weights.dot(self.rows), weights[: self.loose.size]
        left = float((self.soft * rest).dot(rest) + self.penalty.dot(loose * loose))
        whole, part = float((self.soft * a).dot(a)), float(right.dot(weights))
        # the two would add up to the whole, had rounding not spoilt the inverse
        return weights, left, abs(whole - part - left) <= TRUSTED * max(whole, abs(part))

    def advance(self) -> bool:
        """Go to where a row changes its set, and change it; or to the end, which is then so."""
        weights, q, n, k = self.inverse.dot(self.soft_rows.dot(self.pull)), self.loose.size, len(self.side), self.v.size
        moving = self.n_free < k
        if moving:  # else this is a corner, where only alpha can move
            np.multiply(self.soft, weights.dot(self.rows) - self.pull, out=self.back)
            self.back[self.loose] = weights[:q]
            np.dot(self.farther, self.back, out=self.closing[:n])
        weights[:q] = 0.0
        self.closing[n : n + weights.size] = weights
        np.subtract(self.fading, weights, out=self.closing[n + weights.size : -k])
        first = self.next_event(0 if moving else n)
        closing, end = float(self.closing[first]), abs(1.0 - self.t)
        until = float(self.state[first]) / closing if closing > 0.0 else np.inf
        step, changed = max(0.0, min(until, end)), slice(None) if moving else slice(n, -k)
        self.state[changed] -= step * self.closing[changed]
        self.t += self.ahead * step
        if end <= until:
            return True
        if first < n:
            self.enter(first)
        else:
            self.leave((first - n) % weights.size, -1.0 if first < n + weights.size else 1.0)
        return False

    def next_event(self, begin: int) -> int:
        """Where room ends first."""
        k, n = self.v.size, len(self.side)
        speed = self.closing[begin:-k] / np.abs(self.state[begin:-k])
        first = int(speed.argmax()) + begin
        slow = SLOW * float(self.back.dot(self.back)) ** 0.5
        if first < n and not self.closing[first] > slow:  # rows without room may seem to move
            speed[:n][~(self.closing[:n] > slow)] = -1.0
            first = int(speed.argmax())
        return first

    def enter(self, row: int) -> None:
        """Make a row free that came to what it is to reach."""
        a, q, most = self.A[row], self.loose.size, self.t * self.upper[row]
        weights, left, trusted = self.rest_of(a)
        if not trusted and self.inverted():
            weights, left, _ = self.rest_of(a)
        self.lost = not left > DEPENDENT**2 * self.largest * float(a.dot(a)) or self.n_free == self.v.size
        if self.lost:
            return
        place = self.places.index(-1, q)
        weights[place] = -1.0
        self.add(weights, 1.0 / left)
        self.places[place], self.n_free = row, self.n_free + 1
        self.rows[place], self.soft_rows[place], self.fading[place] = a, self.soft * a, -self.ahead * self.upper[row]
        full = self.side[row] > 0.0
        self.alpha[place], self.left[place] = (most, 0.0) if full else (0.0, most)
        if full:
            self.pull -= self.ahead * self.upper[row] * a
        self.side[row] = self.farther[row] = self.closing[row] = 0.0
        self.short[row] = np.inf

    def leave(self, place: int, side: float) -> None:
        """Let a free row go whose alpha came to a bound."""
        row, column = self.places[place], self.inverse[place].copy()
        self.lost = not abs(column[place]) > TINY or self.n_free == self.fewest
        if self.lost:
            return
        self.add(column, -1.0 / column[place])
        self.inverse[place] = self.inverse[:, place] = self.rows[place] = self.soft_rows[place] = 0.0
        self.alpha[place] = self.left[place] = np.inf
        self.fading[place] = self.short[row] = 0.0
        self.places[place], self.n_free, self.side[row] = -1, self.n_free - 1, side
        self.farther[row] = -side * self.A[row]
        if side > 0.0:
            self.pull += self.ahead * self.upper[row] * self.A[row]

    def add(self, u: Vector, factor: float) -> None:
        """Add factor u u' to the inverse, in place: it is its own transpose, which is as BLAS wants it."""
        dger(factor, u, u, a=self.inverse.T, overwrite_a=1)

    def end(self, program: Program) -> tuple[Vector, Vector]:
        """v and alpha of every row, without the rounding of the way."""
        places = np.flatnonzero(np.array(self.places) >= 0)
        free, alpha = np.array(self.places)[places], np.where(self.side > 0.0, self.upper, 0.0)
        alpha[free] = self.alpha[places]
        try:
            v, alpha = solved(program, self.v, alpha, free)
        except LinAlgError:
            return self.v, alpha
        return v, program.clipped(alpha)
