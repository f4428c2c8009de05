"""Descent over the kinks of the hinge (Barrodale and Roberts, 1973; Bartels, Conn and Sinclair, 1978).

    minimise over v    1/2 v'Hv - f.v + sum_i upper_i max(0, reach_i - a_i.v)

Some rows are free: v keeps them at what they are to reach, a kink of their loss. As long as no other row comes to its
kink the objective is a parabola, and Newton's step leads to where it is least (`free_rows`). The descent goes past
kinks on the way as long as the objective falls; the row at which it would begin to rise becomes free. Where there is
no way down, alpha tells: a free row whose alpha is out of its bounds is let go, the one by which most is gained, and
if there is none, this is the optimum.
"""

import numpy as np

from separatrix.rows import Vector
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import independent, optimum
from separatrix.solvers.svm.path.free_rows import FreeRows
from separatrix.solvers.svm.program import Nearly, Program
from separatrix.solvers.svm.smoothed_newton import smoothed_newton

SLOW = 1e-10  # part of the speed of v, below which a row moves by rounding only
OUTSIDE = 1e-10  # how far out of its bounds an alpha may be by rounding, as part of them
LOOKS, NEAR_A_COLUMN = 4, 3.0  # of Newton's method, to land among the rows that decide


def descended(program: Program, budget: Budget, start: Nearly, n_free: int, most: int) -> tuple[Vector, Vector]:
    """The optimum, with about so many free rows, where some steps lead there; else by interior points."""
    v, h = smoothed_newton(program, start, NEAR_A_COLUMN * start.v.size, budget, hasty=LOOKS) or start
    short = program.short(v, 0.0)
    alpha = program.upper * np.clip(0.5 + short * (0.5 / h), 0.0, 1.0)
    free = independent(program, v, alpha, np.abs(short) <= h, n_free)
    return descend(program, v, free, most, budget) or optimum(program, budget, start)


@np.errstate(divide="ignore", invalid="ignore")  # what has no penalty, or does not move
def descend(program: Program, v: Vector, free: np.ndarray, most: int, budget: Budget) -> tuple[Vector, Vector] | None:
    """The optimum of a program.

    Parameters
    ----------
    program : Program
        The question; alpha must be bounded, and H diagonal.
    v : ndarray
        Where to begin, about.
    free : ndarray of int
        Rows that are made to reach just what they are to, and do not depend on each other.
    most : int
        So many steps may be taken.
    budget : Budget
        Counts them.

    Returns
    -------
    tuple of ndarray, or None
        v and alpha; None where rows depend on each other, or more steps are needed.
    """
    if not int(program.H[-1, -1] == 0.0) <= free.size <= v.size:
        return None
    descent = Descent(program, v, free)
    for _ in range(most):
        if descent.lost or budget.spent():
            return None
        if descent.step():
            return descent.end(program)
    return None


class Descent(FreeRows):
    """A point on the way down: how far each row is from its kink, how v takes it there, and what pulls v."""

    def __init__(self, program: Program, v: Vector, free: np.ndarray) -> None:
        super().__init__(program, free)
        self.penalties, there = program.H.diagonal(), slice(self.loose.size, self.loose.size + free.size)
        self.bound, short = np.full(len(self.rows), np.inf), np.zeros(len(self.rows))
        self.bound[there], short[there] = self.upper[free], program.reach[free] - self.A[free].dot(v)
        self.v = v + self.step_of(self.inverse.dot(short))
        short = program.short(self.v, 0.0)
        self.side = np.where(short > 0.0, 1.0, -1.0)
        self.side[free] = 0.0
        self.room, self.towards = np.abs(short), self.side[:, None] * self.A
        self.pull = program.f - self.penalties * self.v + ((self.side > 0.0) * self.upper).dot(self.A)
        self.arrived = False  # where the parabola is least

    def step(self) -> bool:
        """Go down along one line as far as it goes; whether there is no way down."""
        self.alpha = self.weights(self.pull)
        if self.arrived or self.n_free == self.v.size:
            place, out = self.worst()
            if not out:
                return True
            column = self.inverse[place]
            ahead = self.step_of(column * (-out / column[place]))
            self.leave(place, out)
            if self.lost:
                return False
        else:
            ahead = self.step_of(self.alpha, self.pull)
        closing = self.towards.dot(ahead)
        slow = SLOW * float(ahead.dot(ahead)) ** 0.5
        coming = np.flatnonzero(closing > np.maximum(self.room, slow))
        length, stopping, self.arrived = 1.0, -1, not coming.size
        if coming.size:
            slope = float(self.pull.dot(ahead))
            self.lost = not slope > 0.0  # rounding has the last word
            if self.lost:
                return False
            length, coming, stopping = self.stop(coming, closing[coming], slope)
        self.v += length * ahead
        self.pull -= length * self.penalties * ahead
        self.room -= length * closing
        if coming.size:
            self.cross(coming)
        if stopping >= 0:
            self.enter(stopping)
        return False

    def worst(self) -> tuple[int, float]:
        """The place to let go of, by what that gains, and how far out of its bounds alpha is there."""
        over = self.alpha - self.bound
        out = np.maximum(over, -self.alpha)
        gain = out * out / self.inverse.diagonal()
        gain[~(out > OUTSIDE * self.bound)] = 0.0  # as are places without a row, whose bound is infinite
        place = int(gain.argmax())
        return place, float(over[place] if over[place] > 0.0 else self.alpha[place]) if gain[place] > 0.0 else 0.0

    def stop(self, coming: np.ndarray, closing: Vector, slope: float) -> tuple[float, np.ndarray, int]:
        """How long the step is, the rows whose kinks it goes past, and the row that it ends at, or -1."""
        when = self.room[coming] / closing
        order = when.argsort()
        when, bends = when[order], (self.upper[coming] * closing)[order].cumsum()
        past = int((slope * when + bends).searchsorted(slope))  # on the way down the slope becomes 0
        left = slope - float(bends[past - 1]) if past else slope
        if past < when.size and left > slope * float(when[past]):
            return float(when[past]), coming[order[:past]], int(coming[order[past]])
        return left / slope, coming[order[:past]], -1

    def cross(self, rows: np.ndarray) -> None:
        """Take rows to the other side of their kinks."""
        self.pull -= self.upper[rows].dot(self.towards[rows])
        self.side[rows] *= -1.0
        self.room[rows] *= -1.0
        self.towards[rows] *= -1.0

    def enter(self, row: int) -> None:
        """Make a row free that is at its kink."""
        place = self.join(row)
        if self.lost:
            return
        self.bound[place] = self.upper[row]
        if self.side[row] > 0.0:
            self.pull -= self.upper[row] * self.A[row]
        self.side[row] = self.towards[row] = self.room[row] = 0.0

    def leave(self, place: int, out: float) -> None:
        """Let a free row go, to the side that its alpha is out of bounds on."""
        row, side = self.part(place), 1.0 if out > 0.0 else -1.0
        if self.lost:
            return
        self.bound[place], self.room[row], self.side[row] = np.inf, 0.0, side
        self.towards[row] = side * self.A[row]
        if side > 0.0:
            self.pull += self.upper[row] * self.A[row]
