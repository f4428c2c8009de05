"""The path of a support vector machine as C grows or shrinks (Hastie, Rosset, Tibshirani and Zhu, 2004).

    Hv = t p + sum_{free} alpha_i a_i,      a_i.v = reach_i on free rows,      p = f + sum_{full} upper_i a_i

is linear in t as long as no row changes its set, so that v and the alpha of free rows are, too:

    | 0   e' | | db     |     | p_b      |     e: what the offset has in the free rows A
    | e   K  | | dalpha | = - | A H^-1 p |     K = A H^-1 A', over what is penalised

Along these lines one goes from the optimum for one t to the next t at which an alpha comes to a bound, or a row comes
to what it is to reach. There one row joins the free ones or leaves them, and the inverse of the matrix is corrected by
a product of two vectors. Between neighbouring values of C few rows do.
"""

import numpy as np
from scipy.linalg import LinAlgError
from scipy.linalg.blas import dger

from separatrix.rows import Vector
from separatrix.solvers.active_set import optimal, polish, solved
from separatrix.solvers.budget import Budget
from separatrix.solvers.program import Program

SLOW = 1e-10  # part of the speed of v, below which a row moves by rounding only
DEPENDENT = 1e-13  # part of a row's square that the free rows do not make up


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
            found = found if optimal(program, *found) else polish(program, *found)
            return found if optimal(program, *found) else None
    return None


class Path:
    """A point of the path. Free rows have a place each in the matrix, after the offset's; other places are 0.

    `room` is what is left before something happens, never below 0: of each row that is not free, before it comes to
    what it is to reach; at each place, before alpha comes to 0, and before it comes to its bound.
    """

    def __init__(self, program: Program, v: Vector, alpha: Vector, side: Vector, free: np.ndarray, t: float) -> None:
        penalties, n, k = program.H.diagonal(), len(side), v.size
        self.A, self.upper, self.v, self.side, self.t = program.A, program.upper, v.copy(), side.copy(), t
        self.ahead = 1.0 if t < 1.0 else -1.0
        self.offset = penalties[-1] == 0.0
        self.soft = np.divide(1.0, penalties, out=np.zeros(k), where=penalties > 0.0)  # H^-1; the offset's is 0
        self.pull = self.ahead * (program.f + (side > 0.0) * self.upper @ self.A)
        self.towards = -side[:, None] * self.A  # how v brings each row nearer to what it is to reach
        self.places = [-1, *free.tolist()] + [-1] * (k - free.size)  # the row at each place
        self.bound, self.rows = np.zeros(k + 1), np.zeros((k + 1, k))
        self.room, self.rate, self.least = np.zeros((3, n + 2 * (k + 1)))
        self.short, self.alpha, self.left = np.split(self.room, [n, n + k + 1])
        there = slice(1, free.size + 1)
        self.short[:] = side * program.short(v, 0.0)
        self.alpha[there], self.bound[there], self.rows[there] = alpha[free], self.upper[free], self.A[free]
        self.left[there] = t * self.bound[there] - self.alpha[there]
        self.inverse = np.zeros((k + 1, k + 1))
        self.n_free, self.lost = free.size, not self.inverted(slice(0 if self.offset else 1, free.size + 1))

    def inverted(self, used: slice) -> bool:
        """Invert the matrix of the free rows, if they do not depend on each other."""
        rows = self.rows[used]
        matrix = (rows * self.soft) @ rows.T
        if self.offset:
            matrix[0, 1:] = matrix[1:, 0] = rows[1:, -1]
        try:
            self.inverse[used, used] = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            return False
        return bool(np.isfinite(self.inverse).all())

    def rates(self) -> tuple[Vector, Vector]:
        """How v and, at each place, the alpha of a free row change as t goes ahead."""
        right = self.rows @ (self.soft * -self.pull)
        right[0] = -self.pull[-1] if self.offset else 0.0
        change = self.inverse @ right
        if self.n_free == self.v.size:  # a corner: only alpha can move
            dv = np.zeros(self.v.size)
        else:
            dv = self.soft * (self.pull + change @ self.rows)
            if self.offset:
                dv[-1] = change[0]
        change[0] = 0.0
        return dv, change

    def advance(self) -> bool:
        """Go to where a row changes its set, and change it; or to the end, which is then so."""
        dv, change = self.rates()
        n, places = len(self.side), change.size
        np.dot(self.towards, dv, out=self.rate[:n])
        self.rate[n : n + places] = change
        np.subtract(self.ahead * self.bound, change, out=self.rate[n + places :])
        self.least[:n] = -SLOW * float(dv @ dv) ** 0.5
        until = self.room / -self.rate
        until[self.rate >= self.least] = np.inf
        first, end = int(until.argmin()), abs(1.0 - self.t)
        step = max(0.0, min(until[first], end))
        self.v += step * dv
        self.room += step * self.rate
        self.t += self.ahead * step
        if end <= until[first]:
            return True
        if first < n:
            self.enter(first)
        else:
            self.leave((first - n) % places, -1.0 if first < n + places else 1.0)
        return False

    def enter(self, row: int) -> None:
        """Make a row free that came to what it is to reach."""
        a = self.A[row]
        column = self.rows @ (self.soft * a)
        column[0] = a[-1] if self.offset else 0.0
        weights = self.inverse @ column
        square = float((self.soft * a) @ a)
        left = square - float(column @ weights)
        self.lost = not left > DEPENDENT * square or self.n_free == self.v.size
        if self.lost:
            return
        place, most = self.places.index(-1, 1), self.t * self.upper[row]
        weights[place] = -1.0
        self.add(weights, 1.0 / left)
        self.places[place], self.n_free = row, self.n_free + 1
        self.rows[place], self.bound[place] = a, self.upper[row]
        full = self.side[row] > 0.0
        self.alpha[place], self.left[place] = (most, 0.0) if full else (0.0, most)
        if full:
            self.pull -= self.ahead * self.upper[row] * a
        self.side[row] = self.towards[row] = self.short[row] = 0.0

    def leave(self, place: int, side: float) -> None:
        """Let a free row go whose alpha came to a bound."""
        row, column = self.places[place], self.inverse[place].copy()
        self.lost = not abs(column[place]) > np.finfo(float).tiny or self.n_free == int(self.offset)
        if self.lost:
            return
        self.add(column, -1.0 / column[place])
        self.inverse[place] = self.inverse[:, place] = self.rows[place] = 0.0
        self.alpha[place] = self.left[place] = self.bound[place] = 0.0
        self.places[place], self.n_free, self.side[row] = -1, self.n_free - 1, side
        self.towards[row] = -side * self.A[row]
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
