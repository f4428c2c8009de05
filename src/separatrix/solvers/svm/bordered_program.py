"""The program of regression and of nu forms in coordinates of moderate size; rows stay where they are stored.

    v = [z..., t, b]        a_p = [s_p z_p, border, s_p]

The variables p of `objectives.form` are its rows, t is there where the form has a border, b where there is an offset.
Some thousand rows at a time are copied when a solver asks for them; alpha is counted in units of a moderate size.
"""

from dataclasses import replace

import numpy as np

from separatrix import rows
from separatrix.objectives.form import Form
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.products import combination, dense_rows, scores
from separatrix.rows import TINY, Vector
from separatrix.solvers.svm.problem_program import add_missing_side, is_far, parts, sample_of
from separatrix.solvers.svm.program import Program, mean_penalty

FEASIBLE_RATIO = 1.5  # what the bounds of a band must add up to, times what its alpha has to


class BorderedProgram:
    """A RowProgram over the dual variables of a problem's objective."""

    def __init__(self, problem: Problem, coordinates: Coordinates) -> None:
        self.problem, self.coordinates = problem, coordinates
        self.form: Form = problem.objective.form(problem)
        self.n_rows, self.has_border = self.form.signs.size, self.form.border != 0.0
        penalties = coordinates.penalties
        self.place = self.n_columns = coordinates.scale.size  # the number of t
        if self.has_border:
            penalties = np.insert(penalties, self.place, 0.0)
        H = np.diag(penalties)
        largest = self.form.upper if np.isfinite(self.form.upper[0]) else 0.5 / np.maximum(self.form.ridge, TINY)
        self.unit = float(2.0 ** np.round(np.log2(np.sqrt(mean_penalty(H)) * np.sqrt(float(largest.max())))))
        self.H, self.f = H / self.unit, np.zeros(len(H))
        if self.has_border:
            self.f[self.place] = self.form.total / self.unit
        self.hard, self.is_far = False, is_far(coordinates)
        self.price = 2.0 * getattr(problem.objective, "C", 1.0) / self.unit  # of half the square of an excess
        self.required, self.sides = self.form.required, self.form.signs > 0.0
        self.upper, self.ridge = self.form.upper / self.unit, self.form.ridge * self.unit

    def plane(self, v: Vector) -> tuple[Vector, float, float]:
        """w, b and t."""
        t = float(v[self.place]) if self.has_border else 0.0
        inner = np.delete(v, self.place) if self.has_border else v
        w, b = self.coordinates.plane(inner)
        return w, float(b), t

    def violations(self, v: Vector) -> Vector:
        """required - Av."""
        w, b, t = self.plane(v)
        g = scores(self.problem.X, w)
        g += b
        if self.n_rows > g.size:
            g = np.concatenate([g, -g])
        else:
            g *= self.form.signs
        np.subtract(self.required, g, out=g)
        if self.has_border:
            g -= self.form.border * t
        return g

    def beta(self, alpha: Vector) -> Vector:
        """sum of s alpha over the variables of each row."""
        signed = self.form.signs * alpha
        n = self.problem.n_rows
        return signed[:n] + signed[n:] if self.n_rows > n else signed

    def residual(self, v: Vector, alpha: Vector) -> Vector:
        """f + A'alpha - Hv."""
        return self.f + self.weighted_sum(alpha) - self.H @ v

    def weighted_sum(self, alpha: Vector) -> Vector:
        """A'alpha."""
        beta = self.beta(alpha)
        inner = self.coordinates.weighted_sum(combination(self.problem.X, beta), float(beta.sum()))
        return np.insert(inner, self.place, self.form.border * float(alpha.sum())) if self.has_border else inner

    def restricted(self, band: np.ndarray, groups: list[np.ndarray]) -> Program:
        """The program of some variables, to which each group of violators adds one, their mean, or a quadratic."""
        A, form = self.rows(band), self.form
        required, upper, ridge = form.required[band], self.upper[band], self.ridge[band]
        if not groups:
            return Program(A, required, upper, ridge, self.H, self.f)
        if form.ridge.any():
            weights = [1.0 / self.ridge[group] for group in groups]
            H, f = self.H.copy(), self.f.copy()
            for group, weight in zip(groups, weights, strict=True):
                H += self.gram(group, weight)
                f += self.group_sum(group, weight * form.required[group])
            return Program(A, required, upper, ridge, H, f)
        totals = np.array([self.upper[group].sum() for group in groups])
        sums = [self.group_sum(group, self.upper[group]) for group in groups]
        means = [float(self.upper[group] @ form.required[group]) for group in groups]
        return Program(
            np.vstack([A, np.array(sums) / totals[:, None]]),
            np.append(required, np.array(means) / totals),
            np.append(upper, totals),
            np.append(ridge, np.zeros(len(groups))),
            self.H,
            self.f,
        )

    def group_sum(self, group: np.ndarray, weights: Vector) -> Vector:
        """sum_p weights_p a_p over some variables."""
        if self.is_far:  # each row is measured from the centre first
            places = np.split(np.arange(group.size), np.cumsum([part.size for part in parts(group)])[:-1])
            return sum(weights[place] @ self.rows(group[place]) for place in places)  # type: ignore[return-value]
        alpha = np.zeros(self.n_rows)
        alpha[group] = weights
        return self.weighted_sum(alpha)

    def gram(self, group: np.ndarray, weights: Vector) -> Vector:
        """sum_p weights_p a_p a_p' over some variables."""
        total, done = np.zeros(self.H.shape), 0
        for part in parts(group):
            A = self.rows(part) * np.sqrt(weights[done : done + part.size])[:, None]
            total += A.T @ A
            done += part.size
        return total

    def rows(self, index: np.ndarray) -> Vector:
        """a_p of some variables."""
        signs = self.form.signs[index]
        dense = dense_rows(self.problem.X, index % self.problem.n_rows)
        A = self.coordinates.rows(dense, signs)
        return np.insert(A, self.place, self.form.border, axis=1) if self.has_border else A

    def sample(self) -> "BorderedProgram":
        """The program of some rows, which count for the others too."""
        index, cost = sample_of(self.problem)
        X, y = rows.take(self.problem.X, index), self.problem.y[index]
        return BorderedProgram(replace(self.problem, X=X, y=y, cost=cost), self.coordinates)

    def make_feasible(self, band: np.ndarray, violators: np.ndarray, violation: Vector) -> None:
        """Add variables to a band, in place, until those inside can have the alpha that the border asks for.

        With too few the program of the band would have no optimum.
        """
        if not self.has_border:
            add_missing_side(self.sides, band, violators, violation)
            return
        sides = [self.sides == side for side in ((False, True) if self.problem.fit_intercept else (True,))]
        wanted = FEASIBLE_RATIO * abs(self.form.total) / self.unit / len(sides)
        for own in sides:
            missing = wanted - float(self.upper[own & (band | violators)].sum())
            others = np.flatnonzero(own & ~band & ~violators)
            if missing > 0.0:
                order = others[np.argsort(-violation[others], kind="stable")]
                band[order[: int(np.searchsorted(np.cumsum(self.upper[order]), missing)) + 1]] = True
