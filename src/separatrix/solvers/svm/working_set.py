"""Decomposition (Boser, Guyon and Vapnik, 1992; Osuna, Freund and Girosi, 1997): few rows decide.

A row far from its margin has alpha = 0 beyond it and alpha = upper (or, squared, a slack that surely costs) short of
it. From a plane that is nearly right, those rows are settled; only a band around the margin enters the program. Then
all rows are looked at, those that were settled on the wrong side join the band, and so on until there are none: the
optimum of the band is then the optimum of all.

The plane that is nearly right comes from a sample: for the hinge by Newton's method (`smoothed_newton`), which then
takes some steps with all rows and narrows the band (`narrowing`), else by interior points, and from a sample of the
sample. Squared hinges need no band unless rounding asks for it: Newton's method takes all rows (`finite_newton`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from separatrix import rows
from separatrix.compiling import loaded
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.fused_sums import class_sums, worth_looping
from separatrix.products import combination, dense_rows
from separatrix.rows import Vector, measured_rows, read_only
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.band import ROUNDING, deciding, narrowed_optimum, shared
from separatrix.solvers.svm.finite_newton import Bend, finite_newton
from separatrix.solvers.svm.interior_point import interior_point
from separatrix.solvers.svm.program import Nearly, Program, Shortfalls, mean_penalty
from separatrix.solvers.svm.smoothed_newton import LEAST, WIDE, smoothed_newton, width
from separatrix.threads import cached_property

FACTOR = 8.0  # times sqrt(n d): how many rows a band holds
FEW_ROWS = 2000  # which are taken all at once
ROWS_A_FEATURE = 200  # from which on a sample says enough about all
ROUGH = 1e-2  # gap at which the plane of a sample is good enough
FEW_WRONG = 0.1  # rows that a band has left out wrongly, as part of it
SAMPLE = 12  # one row of so many
FEWEST, MOST_SAMPLED = 500, 50_000  # rows of a class in a sample, where it has them
FAR = 100.0  # distance of the centre from the origin, in units of the spread
MANY = 4.0  # times the rows that decide: more are worth a look that leaves most of them out
IN_CACHE = 2**16  # numbers that stay in the cache from one operation to the next
FEW_NEAR = 0.125  # part of the rows, too near to tell their side, that is few enough

Solve = Callable[..., tuple[Vector, Vector]]  # of a program and a budget


@dataclass
class Decomposition:
    """A problem, its objective, and the coordinates to solve it in."""

    problem: Problem
    coordinates: Coordinates
    budget: Budget
    known: Bend | None = None  # of rows that fall short, each by its cost: where squares begin, and then where they end

    @property
    def objective(self) -> SoftMargin:
        """What is minimised."""
        return self.problem.objective

    @staticmethod
    def size(n: int, d: int) -> int:
        """How many rows at most, or nearly, are in a program at once."""
        return int(min(n, max(wanted(n, d), FEW_ROWS, ROWS_A_FEATURE * d)))

    def solve(self, v: Vector | None = None) -> tuple[Vector, Vector]:
        """v and alpha of all rows; a v that is nearly right saves the sample."""
        n, d = self.problem.n_rows, self.coordinates.scale.size
        if self.objective.boxed:
            return self.solve_hinge(v)
        found = self.solve_squares(v) if self.objective.squared else None
        if found is not None:
            return found
        if n <= FEW_ROWS:
            return self.solved(self.program(np.arange(n), np.arange(0)), optimum)
        few = narrow(n, d)
        found = None if v is None else self.exactly(self.short(v), 3.0 * few, widen=False)
        return found or self.unaided()

    def unaided(self) -> tuple[Vector, Vector]:
        """v and alpha of all rows without a warm start, by interior points alone."""
        few = narrow(self.problem.n_rows, self.coordinates.scale.size)
        tol = min(ROUGH, 10.0 * (few / self.problem.n_rows) ** 2)  # a gap goes with the square of slacks
        return self.exactly(self.roughly(tol)[1], few)  # type: ignore[return-value]

    def solve_hinge(self, v: Vector | None) -> tuple[Vector, Vector]:
        """v and alpha of all rows for the hinge: Newton's method on a smoothed hinge finds the working set."""
        n, d = self.problem.n_rows, self.coordinates.scale.size
        near, short = None, np.empty(0) if v is None else self.short(v)
        if v is not None and self.worth(v, short):
            near = self.around(v, short)
        if n <= FEW_ROWS:
            return self.solved(self.program(np.arange(n), np.arange(0)), partial(optimum, start=near))
        if n <= (ROWS_A_FEATURE * d if near is None else MANY * deciding(d)):
            return self.solved(self.program(np.arange(n), np.arange(0)), partial(narrowed_optimum, start=near))
        near = near or self.of_sample()
        if near is None:
            return self.unaided()
        if near.v is not v:
            near = near if self.far else self.looked(near)
            short = self.short(near.v)
        n_wide = max(float(np.count_nonzero(np.abs(short) <= WIDE * near.h)), deciding(d))
        return self.exactly(short, n_wide, near)  # type: ignore[return-value]

    def solve_squares(self, v: Vector | None) -> tuple[Vector, Vector] | None:
        """v and alpha of all rows for squared hinges, by Newton's method; None where rounding keeps it from the end."""
        n = self.problem.n_rows
        if n > FEW_ROWS and self.far:
            return None
        if v is not None and not self.worth(v, self.short(v)):
            v = None
        program: Shortfalls = AllRows(self)
        if n <= FEW_ROWS:
            program = self.program(np.arange(n), np.arange(0)).in_units(self.unit)
        if v is None and n > max(FEW_ROWS, ROWS_A_FEATURE * self.coordinates.scale.size):
            index, cost = sample_of(self.problem)
            sample = finite_newton(self.posed(self.rows(index), cost).in_units(self.unit), None, self.budget)
            v = None if sample is None else sample.v
        price, bend = 2.0 * self.objective.C / self.unit, self.known
        found = finite_newton(program, v, self.budget, bend and bend._replace(matrix=price * bend.matrix))
        if found is None:
            return None
        self.known = found.bend._replace(matrix=found.bend.matrix / price)
        return found.v, self.unit * found.alpha

    def worth(self, v: Vector, short: Vector) -> bool:
        """Whether a plane costs less than none: a start that does not is farther from the optimum than nothing."""
        square = float(v @ self.H @ v)
        losses = float(self.objective.losses(1.0 - short, self.problem.cost).sum())
        return 0.5 * square + losses < self.objective.C * float(self.problem.cost.sum())

    def of_sample(self) -> Nearly | None:
        """A plane that is nearly right, from some of the rows by Newton's method."""
        index, cost = sample_of(self.problem)
        program = self.posed(self.rows(index), cost)
        few = deciding(self.coordinates.scale.size)
        return smoothed_newton(program.in_units(self.unit), None, few, self.budget)

    def looked(self, near: Nearly) -> Nearly:
        """A plane that is nearer, by steps with all rows until most of them are on a side for sure."""
        few = deciding(self.coordinates.scale.size)
        return smoothed_newton(AllRows(self), near, few, self.budget, FEW_NEAR * self.problem.n_rows) or near

    def roughly(self, tol: float = ROUGH) -> tuple[Vector, Vector]:
        """A plane that is nearly right, and how short it leaves each row; from a sample's if there are many rows."""
        n, d = self.problem.n_rows, self.coordinates.scale.size
        n_wanted, short = float(n), None
        if n > max(FEW_ROWS, ROWS_A_FEATURE * d):
            sample = Decomposition(sampled(self.problem), self.coordinates, self.budget)
            n_wanted, short = wanted(n, d), self.short(sample.roughly()[0])
        while True:
            settled = self.settled(short, n_wanted)
            v, _, short, wrong = self.round(*settled, partial(interior_point, tol=tol))
            few = np.count_nonzero(wrong) <= FEW_WRONG * np.count_nonzero(settled[0])
            if few or self.budget.left <= 0:
                return v, short
            n_wanted *= 4.0

    def exactly(
        self, short: Vector | None, n_wanted: float, near: Nearly | None = None, widen: bool = True
    ) -> tuple[Vector, Vector] | None:
        """From a plane that is nearly right to the one that is; None if it is not that near.

        The band begins with about so many rows and is widened where it proves too narrow.
        """
        band, full = self.settled(short, n_wanted)
        start = near
        while True:
            solve = optimum if start is None else partial(narrowed_optimum, start=start)
            v, alpha, left, wrong = self.round(band, full, solve)
            if not wrong.any() or self.budget.left <= 0:
                return v, alpha
            if np.count_nonzero(wrong) <= np.count_nonzero(band):
                band, full = band | wrong, full & ~wrong
                start = start and self.around(v, left)
            elif widen:
                return self.exactly(short, 4.0 * n_wanted, near)
            else:
                return None

    def around(self, v: Vector, short: Vector) -> Nearly:
        """A plane, and how near the rows are that decide, if it is the right one."""
        d = self.coordinates.scale.size
        n_near = min(deciding(d), d + 1 + 0.1 * self.problem.n_rows)  # the right plane has up to d + 1 on the margin
        return Nearly(v, max(width(np.abs(short), n_near), LEAST))

    def round(self, band: np.ndarray, full: np.ndarray, solve: Solve) -> tuple[Vector, Vector, Vector, np.ndarray]:
        """The optimum for the band: v; of all rows alpha, how short they fall, and which were settled wrongly."""
        inside, settled = np.flatnonzero(band), np.flatnonzero(full)
        program = self.program(inside, settled)
        v, inner = self.solved(program, solve)
        short = self.short(v)
        wrong = (full & (short < -ROUNDING)) | (~(band | full) & (short > ROUNDING))
        if self.objective.hard and program.short(v, 0.0).max() >= 1.0:  # no plane separates even these
            wrong[:] = False
        return v, self.alpha(short, settled, inside, inner), short, wrong

    def solved(self, program: Program, solve: Solve) -> tuple[Vector, Vector]:
        """v and alpha of a program, found in units in which squares neither overflow nor vanish."""
        unit = self.unit_for(program.H)
        v, alpha = solve(program.in_units(unit), budget=self.budget)
        return v, unit * alpha

    @cached_property
    def H(self) -> Vector:  # noqa: N802
        """The matrix of 1/2 v'Hv = 1/2 ||w||^2."""
        return read_only(self.coordinates.penalty())

    @cached_property
    def unit(self) -> float:
        """A size of alpha that is neither far from what is expected nor from its bounds."""
        return self.unit_for(self.H)

    def unit_for(self, H: Vector) -> float:
        """The size of alpha to expect where v is penalised by 1/2 v'Hv."""
        expected = mean_penalty(H)
        price = expected if self.objective.hard else self.objective.C * float(self.problem.cost.max())
        size = np.sqrt(expected) * np.sqrt(price)  # alpha is of the one size or the other, so between the two
        return float(2.0 ** np.round(np.log2(size)))  # a power of two leaves every digit as it is

    def settled(self, short: Vector | None, n_wanted: float) -> tuple[np.ndarray, np.ndarray]:
        """Which rows are in a band of about so many around the margin, and which fall short for sure."""
        if short is None or n_wanted >= self.problem.n_rows:
            everything = np.ones(self.problem.n_rows, dtype=bool)
            return everything, ~everything
        distance = -short if self.objective.hard else np.abs(short)
        band = distance <= max(width(distance, n_wanted), ROUNDING)
        falls_short = short > 0.0
        for side in (-1, 1):  # rows of one class alone would send the offset away
            own = self.problem.signs == side
            if not np.any(own & (band | falls_short)):
                band[np.argmax(np.where(own, short, -np.inf))] = True
        return band, ~band & falls_short

    def program(self, band: np.ndarray, full: np.ndarray) -> Program:
        """The program of the rows in the band, and of what the rows that fall short for sure amount to."""
        cost = self.problem.cost[band]
        if not full.size:
            return self.posed(self.rows(band), cost)
        sums, weights = self.totals(full)
        if not self.objective.squared:
            return self.posed(self.rows(band, sums / weights[:, None]), np.append(cost, weights))
        program = self.posed(self.rows(band), cost)
        return program._replace(H=program.H + self.bend(full), f=2.0 * self.objective.C * sums.sum(axis=0))

    def posed(self, A: Vector, cost: Vector) -> Program:
        """The program of rows a_i and what slack of each costs."""
        zero = np.zeros(len(self.H))
        return Program(A, np.ones(len(A)), self.objective.upper(cost), self.objective.give(cost), self.H, zero)

    def totals(self, full: np.ndarray) -> tuple[Vector, Vector]:
        """sum_i cost_i a_i and sum_i cost_i over some rows of each class that has any.

        Their mean, as one row, counts for all of them: while every one falls short its loss is the same as theirs,
        and otherwise less (Jensen, 1906), so that the program always has an optimum.
        """
        if self.far:
            return self.totals_measured(full)
        sums, counts = class_sums(self.problem, full)
        pulls = np.array([self.coordinates.pull(sums[side], counts[side]) for side in range(2)])
        there = counts > 0.0
        return (pulls * [[-1.0], [1.0]])[there], counts[there]

    @property
    def far(self) -> bool:
        """Whether rows are so far from the origin that a sum over them would drown in rounding."""
        coordinates = self.coordinates
        return coordinates.basis is None and bool(np.any(np.abs(coordinates.centre) > FAR * coordinates.scale))

    def totals_measured(self, full: np.ndarray) -> tuple[Vector, Vector]:
        """The sums of `totals` with each row measured from the centre first, some thousand rows at a time."""
        cost, sides = self.problem.cost, (full[self.problem.y[full] == side] for side in range(2))
        there = [own for own in sides if own.size]
        pieces = [np.array_split(own, -(-own.size // 8192)) for own in there]
        pulls = [sum(cost[part] @ self.rows(part) for part in each) for each in pieces]
        return np.array(pulls), np.array([cost[own].sum() for own in there])

    def rows(self, index: np.ndarray, more: Vector | None = None) -> Vector:
        """a_i = y_i [z_i, 1] of some rows, and more rows of this kind."""
        problem, coordinates = self.problem, self.coordinates
        if coordinates.basis is not None:
            A = coordinates.rows(dense_rows(problem.X, index), problem.signs[index])
            return A if more is None else np.vstack([A, more])
        d, n_more = coordinates.scale.size, 0 if more is None else len(more)
        A = np.empty((index.size + n_more, d + coordinates.offset))
        signs, factor = problem.signs[index].astype(np.float64), 1.0 / coordinates.scale
        if loaded() or worth_looping(problem.X):
            measured_rows(problem.X, index, problem.signs, coordinates.centre, factor, A)
        else:  # the same operations, and so the same bits
            step = max(1, IN_CACHE // max(1, d))
            for first in range(0, index.size, step):
                some = slice(first, first + step)
                z = dense_rows(problem.X, index[some])
                z -= coordinates.centre
                z *= factor
                np.multiply(z, signs[some, None], out=A[: index.size, :d][some])
        if coordinates.offset:
            A[: index.size, -1] = signs
        if n_more:
            A[index.size :] = more
        return A

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
        return 1.0 - self.problem.margins(*self.coordinates.plane(v))

    def alpha(self, short: Vector, full: np.ndarray, band: np.ndarray, inner: Vector) -> Vector:
        """alpha of every row, from those of the band and of the means of the rows that fall short for sure."""
        settled = self.objective.C * self.problem.cost[full]
        if self.objective.squared:
            settled *= 2.0 * short[full]
        else:
            signs = self.problem.signs[full]
            sides = [own for own in (signs < 0, signs > 0) if own.any()]
            for own, of_all in zip(sides, inner[band.size :], strict=True):
                if of_all < (1.0 - ROUNDING) * float(settled @ own):
                    settled[own] = shared(of_all, settled[own])
        alpha = np.zeros(self.problem.n_rows)
        alpha[full], alpha[band] = settled, inner[: band.size]
        return alpha


class AllRows:
    """The program of all rows, which are looked at where they are."""

    def __init__(self, work: Decomposition) -> None:
        self.work, self.reach, self.H = work, 1.0, work.H / work.unit
        self.upper = work.objective.upper(work.problem.cost) / work.unit
        self.give, self.f = work.objective.give(work.problem.cost) * work.unit, np.zeros(len(self.H))

    def short(self, v: Vector, _: float) -> Vector:
        """By how much each row falls short."""
        return self.work.short(v)

    def pull(self, v: Vector, alpha: Vector) -> Vector:
        """A'alpha - Hv."""
        signed = alpha * self.work.problem.signs
        total = combination(self.work.problem.X, signed)
        return self.work.coordinates.pull(total, float(signed.sum())) - self.H @ v

    def rows(self, index: np.ndarray) -> Vector:
        """Some of the a_i."""
        return self.work.rows(index)


def narrow(n: int, d: int) -> float:
    """How many rows should be in a band around a plane that is nearly right."""
    return max(4.0 * d + 500.0, 0.1 * wanted(n, d))


def wanted(n: int, d: int) -> float:
    """How many rows should be in a band: those that a sample could not settle, most likely."""
    return max(500.0, 4.0 * d, FACTOR * np.sqrt(n * d))


def spread_out(n: int, most: int) -> np.ndarray:
    """Numbers of some rows, from the first to the last."""
    return np.arange(min(n, most)) * n // min(n, most)


def sample_of(problem: Problem) -> tuple[np.ndarray, Vector]:
    """The numbers of some rows of each class, and what they cost, as they count for the others too."""
    rng = np.random.default_rng(0)  # any sample leads to the same answer
    chosen, weights = [], []
    for side in range(2):
        own = np.flatnonzero(problem.signs == 2 * side - 1)
        size = min(own.size, max(min(own.size // SAMPLE, MOST_SAMPLED), FEWEST))
        places = (np.arange(size) + rng.random(size)) * (own.size / size)  # one of every few, but not every so many
        chosen.append(own[places.astype(np.int64)])
        weights.append(problem.cost[chosen[-1]] * (own.size / size))
    return np.concatenate(chosen), np.concatenate(weights)


def sampled(problem: Problem) -> Problem:
    """These rows as a problem of their own."""
    index, cost = sample_of(problem)
    return replace(problem, X=rows.take(problem.X, index), y=problem.y[index], cost=cost)
