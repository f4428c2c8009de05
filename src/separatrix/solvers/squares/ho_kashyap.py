"""Least squares whose targets are found along with the plane (Ho and Kashyap, 1965).

    minimise  sum_i c_i (<a_i, v> - t_i)^2   over v and over targets t > 0,      a_i = y_i [x_i, 1],  v = [w, b]

    e = A v - t,      t += 2 rho max(e, 0),      v = the least-squares solution for these t

Targets only grow, and only where the plane already exceeds them. Either all rows come to their own side, or e comes to
have no positive entry. As A'Ce = 0 at every step, -e are then weights with which the rows cancel: no plane separates
them. That is the claim of Gordan's theorem, which `plane_or_overlap` proves in whole numbers.

Where double precision makes no further progress, as margins are of the size of their rounding errors,
`plane_or_overlap` decides. A plane that it finds is the least-squares solution for its own margins as targets, with
e = 0.
"""

import numpy as np

from separatrix.certificates import Overlap, Separator
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.problem.coordinates import Coordinates, spread_out
from separatrix.products import combination, dense_rows
from separatrix.rows import Vector
from separatrix.solvers.options import number, whole
from separatrix.solvers.separation.plane_or_overlap import plane_or_overlap
from separatrix.solvers.watching import tell

ROWS_PER_BLOCK = 8192  # of the Gram matrix, so that rows are made dense a few at a time


class Squares:
    """Least squares for any targets, from one decomposition of the Gram matrix in coordinates of moderate size."""

    def __init__(self, problem: Problem) -> None:
        self.problem, n = problem, problem.n_rows
        some = np.arange(n) if problem.n_features > n else spread_out(n, 2000)
        self.coordinates = Coordinates.of(dense_rows(problem.X, some), problem.fit_intercept)
        self.cost = problem.cost / problem.cost.max()
        values, self.vectors = np.linalg.eigh(self.gram())
        kept = values > 1e-12 * values.max()  # smaller ones are rounding
        self.inverse = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)

    def gram(self) -> Vector:
        """A'CA, by blocks of rows."""
        total = np.zeros((self.coordinates.scale.size + self.coordinates.offset,) * 2)
        for first in range(0, self.problem.n_rows, ROWS_PER_BLOCK):
            index = np.arange(first, min(first + ROWS_PER_BLOCK, self.problem.n_rows))
            A = self.coordinates.rows(dense_rows(self.problem.X, index), self.problem.signs[index])
            total += (A * self.cost[index, None]).T @ A
        return total

    def solve(self, t: Vector) -> Vector:
        """The least-squares v of minimum norm for targets t."""
        u = self.cost * t * self.problem.signs
        right = self.coordinates.weighted_sum(combination(self.problem.X, u), float(u.sum()))
        return self.vectors @ (self.inverse * (self.vectors.T @ right))

    def margins(self, v: Vector) -> Vector:
        """A v."""
        w, b = self.coordinates.plane(v)
        return self.problem.margins(w, b)


@np.errstate(over="ignore", invalid="ignore")
def ho_kashyap(problem: Problem, *, learning_rate: float = 0.9, tol: float = 1e-6, max_iter: int = 1000) -> Solution:
    """Find a plane for two classes and its targets, or the evidence that there is none; the history has the errors e.

    >>> gate = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> ho_kashyap(Problem(gate, np.array([0, 0, 0, 1]))).certificate
    Separator(proved, 4 rows, stated=0)
    >>> ho_kashyap(Problem(gate, np.array([0, 1, 1, 0]))).history.residuals  # no error is positive: XOR
    array([-1., -1., -1., -1.])
    """
    rho = number("learning_rate", learning_rate, above=0.0, most=1.0)
    nothing, most = number("tol", tol, above=0.0, most=1.0), whole("max_iter", max_iter)
    squares, t = Squares(problem), np.ones(problem.n_rows)
    tell("problem", problem=problem)
    checked, decided = 0, False  # the step of the last check that failed; whether Gordan's alternative was settled
    for step in range(1, most + 1):
        v = squares.solve(t)
        margins = squares.margins(v)
        e = margins - t
        tell("step", plane=(v, squares.coordinates), targets=t, e=e)
        separates = margins.min() > 0.0
        if separates and step >= 2 * checked:  # exact checks that fail become rare: they cost more than steps
            claim, checked = Separator.issue(problem, *squares.coordinates.plane(v)), step
            if claim.proof:
                return ended(problem, claim.w, float(claim.b), e, step, Status.SEPARATED, claim)
        if not decided and (separates or e.max() <= nothing * np.abs(e).max()):
            weights = None if separates else np.maximum(-(e * problem.cost), 0.0)
            decided, found = True, plane_or_overlap(problem, weights)
            if isinstance(found, Overlap):
                return ended(problem, *squares.coordinates.plane(v), e, step, Status.OVERLAPPING, found)
            if found is not None and (claim := Separator.issue(problem, found.w[0], found.b[0])).proof:
                return ended(problem, claim.w, float(claim.b), np.zeros_like(t), step, Status.SEPARATED, claim)
        t += 2.0 * rho * np.maximum(e, 0.0)
        t /= t.max()  # only their proportions matter, and they would grow without bound
    w, b = squares.coordinates.plane(v)
    return ended(problem, w, b, e, most, Status.SPENT, Separator.issue(problem, w, b))


def ended(
    problem: Problem, w: Vector, b: float, e: Vector, step: int, status: Status, certificate: Separator | Overlap
) -> Solution:
    """The solution with its count of errors."""
    wrong = int(np.count_nonzero(problem.margins(w, b) <= 0.0))
    return Solution(Plane(w, b), certificate, status, History(step, step, wrong, wrong, residuals=e))
