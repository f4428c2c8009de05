"""The rows that v keeps at what they are to reach, as they join and leave: what a descent and a path have in common.

With a pull p on v, and free rows A that fall short by r, the step d of v and their alpha solve

    Hd = p + A'alpha,     Ad = r,     so     | -H_l  L' | | d_l   |   | -p_l              |
                                             |  L    K  | | alpha | = | r - A_s H_s^-1 p  |

    l: variables with little penalty or none; L: theirs in A;     s: the others; K = A_s H_s^-1 A_s'

A row that joins or leaves corrects the inverse of this matrix by a product of two vectors. With all but the offset
among s it would be smallest, but where penalties are of very unlike size, K would lose what the largest say.
"""

import numpy as np
from scipy.linalg.blas import dger

from separatrix.rows import TINY, Vector
from separatrix.solvers.svm.active_set import optimal, polish
from separatrix.solvers.svm.program import Program

DEPENDENT = 1e-13  # part of a row's length that the free rows do not make up
LITTLE = 0.1  # part of the mean penalty
TRUSTED = 1e-9  # part of a row's square that may be missed
REFINEMENTS = 2


class FreeRows:
    """Each free row has a place in the matrix, after the loose variables; other places are 0.

    `lost` is set where rows depend on each other, or none is left to hold the offset. Those who go some way have v, the
    side of each row, 1 where it falls short, -1 beyond and 0 where it is free, and alpha at each place.
    """

    v: Vector
    side: Vector
    alpha: Vector

    def __init__(self, program: Program, free: np.ndarray) -> None:
        penalties, k = program.H.diagonal(), len(program.H)
        self.A, self.upper = program.A, program.upper
        little = LITTLE * program.unit
        self.loose, self.largest = np.flatnonzero(penalties < little), 1.0 / little
        self.penalty, q = penalties[self.loose], self.loose.size
        self.fewest = int(penalties[-1] == 0.0)  # free rows, that hold the offset
        self.soft = np.where(penalties < little, 0.0, 1.0 / penalties)  # 1 / H of the others
        self.places = [-1] * q + free.tolist() + [-1] * (k - free.size)  # the row at each place
        self.rows, self.soft_rows = np.zeros((2, q + k, k))
        self.rows[q : q + free.size] = self.A[free]
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

    def weights(self, pull: Vector, short: Vector | float = 0.0) -> Vector:
        """The step of loose variables and the alpha of free rows, which then reach what they fall short of."""
        return self.inverse.dot(short - self.soft_rows.dot(pull))

    def step_of(self, weights: Vector, pull: Vector | float = 0.0) -> Vector:
        """The step of v that these make, and a pull."""
        step = self.soft * (pull + weights.dot(self.rows))
        step[self.loose] = weights[: self.loose.size]
        return step

    def rest_of(self, a: Vector) -> tuple[Vector, float, bool]:
        """How much of each free row is in a row, how much square is left of it, and whether that can be trusted."""
        right = self.soft_rows.dot(a)
        weights = self.inverse.dot(right)
        rest, loose = a - weights.dot(self.rows), weights[: self.loose.size]
        left = float((self.soft * rest).dot(rest) + self.penalty.dot(loose * loose))
        whole, part = float((self.soft * a).dot(a)), float(right.dot(weights))
        # the two would add up to the whole, had rounding not spoilt the inverse
        return weights, left, abs(whole - part - left) <= TRUSTED * max(whole, abs(part))

    def join(self, row: int) -> int:
        """Give a row a place among the free ones."""
        a = self.A[row]
        weights, left, trusted = self.rest_of(a)
        if not trusted and self.inverted():
            weights, left, _ = self.rest_of(a)
        self.lost = not left > DEPENDENT**2 * self.largest * float(a.dot(a)) or self.n_free == len(a)
        if self.lost:
            return -1
        place = self.places.index(-1, self.loose.size)
        weights[place] = -1.0
        self.correct(weights, 1.0 / left)
        self.places[place], self.n_free = row, self.n_free + 1
        self.rows[place], self.soft_rows[place] = a, self.soft * a
        return place

    def part(self, place: int) -> int:
        """Let the row at a place go."""
        row, column = self.places[place], self.inverse[place].copy()
        self.lost = not abs(column[place]) > TINY or self.n_free == self.fewest
        if self.lost:
            return -1
        self.correct(column, -1.0 / column[place])
        self.inverse[place] = self.inverse[:, place] = self.rows[place] = self.soft_rows[place] = 0.0
        self.places[place], self.n_free = -1, self.n_free - 1
        return row

    def end(self, program: Program) -> tuple[Vector, Vector] | None:
        """v and alpha of every row, if they are optimal without the rounding of the way."""
        short = np.zeros(len(self.rows))
        places = np.array([place for place, row in enumerate(self.places) if row >= 0], dtype=np.intp)
        free, v = np.array(self.places, dtype=np.intp)[places], self.v
        alpha = np.where(self.side > 0.0, self.upper, 0.0)
        alpha[free] = self.alpha[places]
        for _ in range(REFINEMENTS):
            short[places] = program.reach[free] - self.A[free].dot(v)
            pull = program.pull(v, alpha)
            weights = self.weights(pull, short)
            v = v + self.step_of(weights, pull)
            alpha[free] += weights[places]
        found = v, program.clipped(alpha)
        if optimal(program, *found):
            return found
        found = polish(program, *found)
        return found if optimal(program, *found) else None

    def correct(self, u: Vector, factor: float) -> None:
        """Add factor u u' to the inverse, in place: it is its own transpose, which is as BLAS wants it."""
        dger(factor, u, u, a=self.inverse.T, overwrite_a=1)
