"""Decomposition (Boser, Guyon and Vapnik, 1992; Osuna, Freund and Girosi, 1997): few rows decide.

A row far from its margin has alpha = 0 beyond it and alpha = upper (or, squared, a slack that surely costs) short of
it. From a plane that is nearly right, those rows are settled; only a band around the margin enters the program. Then
all rows are looked at, those that were settled on the wrong side join the band, and so on until there are none: the
optimum of the band is then the optimum of all.

The plane that is nearly right comes from a sample, which is solved in the same way.
"""

from dataclasses import dataclass

import numpy as np

from separatrix import rows
from separatrix.losses import SoftMargin
from separatrix.problem import Problem
from separatrix.products import combination, dense_rows, scores
from separatrix.rows import Vector
from separatrix.solvers.active_set import polish
from separatrix.solvers.budget import Budget
from separatrix.solvers.coordinates import Coordinates
from separatrix.solvers.interior_point import interior_point
from separatrix.solvers.program import Program

FACTOR = 6.0  # times sqrt(n d): how many rows a band holds
SAMPLE = 8  # one row of so many
FEWEST = 500  # rows of a class in a sample, where it has them
ROUNDING = 1e-11  # slacks this small are rounding


@dataclass
class Decomposition:
    """A problem, its objective, and the coordinates to solve it in."""

    problem: Problem
    objective: SoftMargin
    coordinates: Coordinates
    budget: Budget

    @staticmethod
    def size(n: int, d: int) -> int:
        """How many rows at most, or nearly, are in a program at once."""
        return n if n <= direct(d) else int(min(n, wanted(n, d)))

    def solve(self, v: Vector | None = None, *, roughly: bool = False) -> tuple[Vector, Vector]:
        """v and alpha of all rows; roughly, where the answer is only a start for something else."""
        problem = self.problem
        everything = np.arange(problem.n_rows)
        if problem.n_rows <= direct(self.coordinates.scale.size):
            return self.optimum(self.program(everything, everything[:0]), roughly)
        if v is None:
            sample = Decomposition(sampled(problem), self.objective, self.coordinates, self.budget)
            v, _ = sample.solve(roughly=True)
        return self.refine(v, roughly)

    def refine(self, v: Vector, roughly: bool) -> tuple[Vector, Vector]:
        """From a plane that is nearly right to the one that is."""
        short = self.short(v)
        near = width(short, self.coordinates.scale.size, self.objective)
        band = np.abs(short) <= near if not self.objective.hard else short >= -near
        full = ~band & (short > 0.0)
        for side in range(2):  # rows of one class alone would send the offset away
            own = np.flatnonzero(self.problem.y == side)
            if not (band[own] | full[own]).any():
                band[own[np.argmax(short[own])]] = True
        while True:
            inside = np.flatnonzero(band)
            program = self.program(inside, np.flatnonzero(full))
            v, inner = self.optimum(program, roughly)
            if self.objective.hard and program.short(v, 0.0).max() >= 1.0:  # no plane separates even these
                return v, self.alpha(short, full, inside, inner)
            short = self.short(v)
            wrong = ~band & np.where(full, short < -ROUNDING, short > ROUNDING)
            if roughly or not wrong.any() or self.budget.left <= 0:
                return v, self.alpha(short, full, inside, inner)
            band, full = band | wrong, full & ~wrong

    def optimum(self, program: Program, roughly: bool) -> tuple[Vector, Vector]:
        """v and alpha of a program, found in units in which squares neither overflow nor vanish."""
        price = program.unit if self.objective.hard else self.objective.C * float(self.problem.cost.max())
        size = np.sqrt(program.unit) * np.sqrt(price)  # alpha is of the one size or the other, so between the two
        unit = float(2.0 ** np.round(np.log2(size)))  # a power of two leaves every digit as it is
        program = program.in_units(unit)
        v, alpha = interior_point(program, tol=1e-3 if roughly else 1e-9, budget=self.budget)
        if not roughly:
            v, alpha = polish(program, v, alpha)
        return v, unit * alpha

    def program(self, band: np.ndarray, full: np.ndarray) -> Program:
        """The program of the rows in the band, and of what the rows that fall short for sure amount to."""
        A, cost = self.rows(band), self.problem.cost[band]
        H, f = self.coordinates.penalty(), np.zeros(A.shape[1])
        if full.size and self.objective.squared:
            H, f = H + self.bend(full), self.total(full) * 2.0
        elif full.size:
            sides = [full[self.problem.y[full] == side] for side in range(2)]
            merged = [self.merged(side) for side in sides if side.size]
            A = np.vstack([A, *(row for row, _ in merged)])
            cost = np.append(cost, [weight for _, weight in merged])
        upper, give = self.objective.upper(cost), self.objective.give(cost)
        return Program(A, np.ones(len(A)), upper, give, H, f)

    def merged(self, full: np.ndarray) -> tuple[Vector, float]:
        """Rows as one that counts for all: while every one falls short, their losses and its are the same.

        Beyond that its loss is less than theirs (Jensen, 1906), so that the program always has an optimum.
        """
        weight = float(self.problem.cost[full].sum())
        return self.total(full) / (self.objective.C * weight), weight

    def total(self, full: np.ndarray) -> Vector:
        """sum_i c_i a_i over some rows."""
        weights = np.zeros(self.problem.n_rows)
        weights[full] = self.objective.C * self.problem.cost[full] * self.problem.signs[full]
        return self.coordinates.pull(combination(self.problem.X, weights), float(weights.sum()))

    def rows(self, index: np.ndarray) -> Vector:
        """a_i = y_i [z_i, 1] of some rows."""
        return self.coordinates.rows(dense_rows(self.problem.X, index), self.problem.signs[index])

    def bend(self, full: np.ndarray) -> Vector:
        """sum_i 2 c_i a_i a_i' over rows that fall short for sure, some thousand rows at a time."""
        total = np.zeros((self.coordinates.scale.size + self.coordinates.offset,) * 2)
        for part in np.array_split(full, -(-full.size // 8192)):
            A = self.rows(part)
            A *= np.sqrt(2.0 * self.objective.C * self.problem.cost[part])[:, None]
            total += A.T @ A
        return total

    def short(self, v: Vector) -> Vector:
        """1 - y g(x) of every row."""
        w, b = self.coordinates.plane(v)
        return 1.0 - self.problem.signs * (scores(self.problem.X, w) + b)

    def alpha(self, short: Vector, full: np.ndarray, band: np.ndarray, inner: Vector) -> Vector:
        """alpha of every row."""
        upper = self.objective.C * self.problem.cost
        alpha = (
            np.where(full, 2.0 * upper * short if self.objective.squared else upper, 0.0)
            if full.any()
            else np.zeros(full.size)
        )
        alpha[band] = inner[: band.size]
        return alpha


def direct(d: int) -> int:
    """How many rows are few enough to take them all."""
    return max(2000, 5 * d)


def wanted(n: int, d: int) -> float:
    """How many rows should be in a band: those that a sample could not settle, most likely."""
    return max(500.0, 4.0 * d, FACTOR * np.sqrt(n * d))


def width(short: Vector, d: int, objective: SoftMargin) -> float:
    """How wide the band must be."""
    n = short.size
    some = short[spread_out(n, 20000)]
    distance = np.abs(some) if not objective.hard else -some
    return max(float(np.quantile(distance, min(1.0, wanted(n, d) / n))), ROUNDING)


def spread_out(n: int, most: int) -> np.ndarray:
    """Numbers of some rows, from the first to the last."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


def sampled(problem: Problem) -> Problem:
    """Some rows of each class, which count for the others too."""
    rng = np.random.default_rng(0)  # any sample leads to the same answer
    chosen, weight = [], np.empty(2)
    for side in range(2):
        own = np.flatnonzero(problem.y == side)
        size = min(own.size, max(own.size // SAMPLE, FEWEST))
        chosen.append(np.sort(rng.choice(own, size, replace=False)))
        weight[side] = own.size / size
    index = np.concatenate(chosen)
    cost = problem.cost[index] * weight[problem.y[index]]
    return Problem(rows.take(problem.X, index), problem.y[index], 2, cost, problem.fit_intercept)
