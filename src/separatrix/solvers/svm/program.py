"""One convex program that serves every linear support vector machine.

    minimise over v    1/2 v'Hv - f.v + sum_i loss_i(reach_i - a_i.v)

    loss_i(t) = max over 0 <= alpha <= upper_i of  alpha t - give_i alpha^2 / 2

    optimal where      Hv = f + A'alpha,     alpha_i = 0        where a_i.v is beyond reach_i
                                             alpha_i = upper_i  where it falls short (give_i = 0)
                                             in between         where it just reaches

Rows a_i = y_i [x_i, 1], reach 1 and H = 1 but for the offset, which is not penalised, make the classifier. Residuals
a_i = +-[x_i, 1] with reach +-y_i - epsilon make regression; a free variable rho with f_rho = nu makes the nu form.
Rows whose alpha is known in advance need not be among the a_i: they add to f, or to H where losses are squared.
"""

from typing import NamedTuple, Protocol

import numpy as np

from separatrix.rows import TINY, Vector


class Nearly(NamedTuple):
    """A v that is nearly right: slacks larger than h are on the right side of 0, most likely."""

    v: Vector
    h: float


class Shortfalls(Protocol):
    """What Newton's methods ask of a program, whose rows may be anywhere."""

    @property
    def reach(self) -> Vector | float: ...  # noqa: D102
    @property
    def upper(self) -> Vector: ...  # noqa: D102
    @property
    def give(self) -> Vector: ...  # noqa: D102
    @property
    def H(self) -> Vector: ...  # noqa: D102, N802
    @property
    def f(self) -> Vector: ...  # noqa: D102

    def short(self, v: Vector, alpha: float) -> Vector:
        """By how much each row falls short."""
        ...

    def pull(self, v: Vector, alpha: Vector) -> Vector:
        """f + A'alpha - Hv."""
        ...

    def rows(self, index: np.ndarray) -> Vector:
        """Some of the a_i."""
        ...


class Program(NamedTuple):
    """The numbers of the program; n rows and k variables."""

    A: Vector
    reach: Vector
    upper: Vector
    give: Vector
    H: Vector
    f: Vector

    @property
    def boxed(self) -> bool:
        """Whether alpha is bounded above."""
        return bool(self.upper.size) and bool(np.isfinite(self.upper[0]))

    @property
    def hard(self) -> bool:
        """Whether every row must reach."""
        return not (self.boxed or self.give.any())

    @property
    def unit(self) -> float:
        """A size of alpha to be expected: the geometric mean of what w is penalised with."""
        return mean_penalty(self.H)

    def in_units(self, unit: float) -> "Program":
        """Count alpha in other units; v stays as it is."""
        return self._replace(upper=self.upper / unit, give=self.give * unit, H=self.H / unit, f=self.f / unit)

    def rows(self, index: np.ndarray) -> Vector:
        """Some of the a_i."""
        return self.A[index]

    def pull(self, v: Vector, alpha: Vector) -> Vector:
        """f + A'alpha - Hv, zero at the optimum: what still moves v."""
        return self.f + alpha @ self.A - self.H @ v

    def short(self, v: Vector, alpha: Vector | float) -> Vector:
        """By how much each row falls short of what it is to reach, beyond the slack that its alpha buys."""
        return self.reach - self.A @ v - self.give * alpha

    def clipped(self, alpha: Vector) -> Vector:
        """The nearest alpha within bounds."""
        return np.clip(alpha, 0.0, self.upper)

    def gap(self, v: Vector, alpha: Vector) -> float:
        """How far v and an alpha within bounds are from optimal, in the units of the objective.

        The losses minus what alpha makes of them, and half the pull squared in the metric of H. A variable without
        penalty has to be pulled by nothing: its pull counts as it is.
        """
        short = self.reach - self.A @ v
        losses = self.losses(short, alpha)
        given = alpha * short - 0.5 * self.give * alpha * alpha
        return float((losses - given).sum()) + gap_of(self.pull(v, alpha), self.H.diagonal())

    def losses(self, short: Vector, alpha: Vector) -> Vector:
        """What each row costs that falls short by so much; one that must not is priced by the largest alpha.

        At such a price no row is short at the optimum either (Pietrzykowski, 1969), and no gap is below 0.
        """
        slack = np.maximum(0.0, short)
        if self.boxed:
            return self.upper * slack
        return 0.5 * slack**2 / self.give if self.give.any() else float(alpha.max(initial=0.0)) * slack

    def size(self, v: Vector, alpha: Vector) -> float:
        """How large the objective is, to measure gaps by."""
        return float(0.5 * (v @ (self.H @ v)) + alpha @ self.reach) + TINY


def mean_penalty(H: Vector) -> float:
    """The geometric mean of what variables are penalised with."""
    penalties = H.diagonal()
    penalties = penalties[penalties > 0.0]
    return float(np.exp(np.log(penalties).sum() / penalties.size)) if penalties.size else 1.0


def gap_of(pull: Vector, penalties: Vector) -> float:
    """Half the pull squared in the metric of H; what pulls a variable without penalty counts as it is."""
    gaps = np.abs(pull)
    np.divide(0.5 * pull * pull, penalties, out=gaps, where=penalties > 0.0)
    return float(gaps.sum())
