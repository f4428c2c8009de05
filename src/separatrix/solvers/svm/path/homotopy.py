"""The path of a support vector machine as C grows or shrinks (Hastie, Rosset, Tibshirani and Zhu, 2004).

    Hv = t p + sum_{free} alpha_i a_i,      a_i.v = reach_i on free rows,      p = f + sum_{full} upper_i a_i

is linear in t as long as no row changes its set, so that v and the alpha of free rows are, too (`free_rows`). Along
these lines one goes from the optimum for one t to the next t at which an alpha comes to a bound, or a row comes to what
it is to reach. There one row joins the free ones or leaves them. Between neighbouring values of C few rows do.
"""

import numpy as np

from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.path.free_rows import FreeRows
from separatrix.solvers.svm.program import Program

SLOW = 1e-10  # part of the speed of v, below which a row moves by rounding only


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
            return path.end(program)
    return None


class Path(FreeRows):
    """A point of the path.

    `state` has the room that is left before something happens, not below 0 but for rounding: of each row, before it
    comes to what it is to reach; at each place, before alpha comes to 0, and before it comes to its bound. What cannot
    happen has infinite room. At its end is v. `closing` is how fast all that shrinks as t goes ahead.
    """

    def __init__(self, program: Program, v: Vector, alpha: Vector, side: Vector, free: np.ndarray, t: float) -> None:
        super().__init__(program, free)
        n, k, q = len(side), v.size, self.loose.size
        self.side, self.t = side.copy(), t
        self.ahead = 1.0 if t < 1.0 else -1.0
        self.pull = self.ahead * (program.f + (side > 0.0) * self.upper @ self.A)
        self.farther = -side[:, None] * self.A  # how v takes each row away from what it is to reach
        self.state, self.closing = np.full(n + 2 * (q + k) + k, np.inf), np.zeros(n + 2 * (q + k) + k)
        self.short, self.v, self.back = self.state[:n], self.state[-k:], self.closing[-k:]
        self.alpha, self.left = self.state[n:-k].reshape(2, q + k)
        self.fading, there = np.zeros(q + k), slice(q, q + free.size)
        self.v[:], self.short[side != 0.0] = v, (side * program.short(v, 0.0))[side != 0.0]
        self.alpha[there], self.left[there] = alpha[free], t * self.upper[free] - alpha[free]
        self.fading[there] = -self.ahead * self.upper[free]  # how fast bounds come nearer

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
        place, most = self.join(row), self.t * self.upper[row]
        if self.lost:
            return
        self.fading[place] = -self.ahead * self.upper[row]
        full = self.side[row] > 0.0
        self.alpha[place], self.left[place] = (most, 0.0) if full else (0.0, most)
        if full:
            self.pull -= self.ahead * self.upper[row] * self.A[row]
        self.side[row] = self.farther[row] = self.closing[row] = 0.0
        self.short[row] = np.inf

    def leave(self, place: int, side: float) -> None:
        """Let a free row go whose alpha came to a bound."""
        row = self.part(place)
        if self.lost:
            return
        self.alpha[place] = self.left[place] = np.inf
        self.fading[place] = self.short[row] = 0.0
        self.side[row], self.farther[row] = side, -side * self.A[row]
        if side > 0.0:
            self.pull += self.ahead * self.upper[row] * self.A[row]
