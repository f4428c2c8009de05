"""One convex program that serves every linear support vector machine.

    minimise over v    1/2 v'Hv - f.v + sum_i loss_i(required_i - a_i.v)

    loss_i(t) = max over 0 <= alpha <= upper_i of  alpha t - ridge_i alpha^2 / 2

    optimal where      Hv = f + A'alpha,     alpha_i = 0        where a_i.v exceeds required_i
                                             alpha_i = upper_i  where it violates it (ridge_i = 0)
                                             in between         where it is equal

Rows a_i = y_i [x_i, 1], required 1 and H = 1 but for the offset, which is not penalised, make the classifier. Residuals
a_i = +-[x_i, 1] with required +-y_i - epsilon make regression; a free variable rho with f_rho = nu makes the nu form.
Rows whose alpha is known in advance need not be among the a_i: they add to f, or to H where losses are squared.
"""

from typing import NamedTuple, Protocol

import numpy as np

from separatrix.rows import TINY, Vector


class Approximation(NamedTuple):
    """A v near the optimum: violations larger than h have the sign that they have there, most likely."""

    v: Vector
    h: float


class RowProgram(Protocol):
    """What Newton's methods and the working set ask of a program, wherever its rows are stored."""

    @property
    def required(self) -> Vector | float: ...  # noqa: D102
    @property
    def upper(self) -> Vector: ...  # noqa: D102
    @property
    def ridge(self) -> Vector: ...  # noqa: D102
    @property
    def H(self) -> Vector: ...  # noqa: D102, N802
    @property
    def f(self) -> Vector: ...  # noqa: D102
    @property
    def sides(self) -> np.ndarray: ...  # noqa: D102

    def violations(self, v: Vector) -> Vector:
        """required - Av: positive where a row violates what is required of it."""
        ...

    def residual(self, v: Vector, alpha: Vector) -> Vector:
        """f + A'alpha - Hv."""
        ...

    def rows(self, index: np.ndarray) -> Vector:
        """Some of the a_i."""
        ...

    def restricted(self, band: np.ndarray, groups: list[np.ndarray]) -> "Program":
        """The program of some rows, in which each group of violators counts as a whole."""
        ...


class Program(NamedTuple):
    """The numbers of the program; n rows and k variables."""

    A: Vector
    required: Vector
    upper: Vector
    ridge: Vector
    H: Vector
    f: Vector

    @property
    def boxed(self) -> bool:
        """Whether alpha is bounded above."""
        return bool(self.upper.size) and bool(np.isfinite(self.upper[0]))

    @property
    def hard(self) -> bool:
        """Whether no violation is allowed."""
        return not (self.boxed or self.ridge.any())

    @property
    def unit(self) -> float:
        """A size of alpha to be expected: the geometric mean of what w is penalised with."""
        return mean_penalty(self.H)

    @property
    def sides(self) -> np.ndarray:
        """On which side of a free offset each row is."""
        return self.A[:, -1] > 0.0 if self.H[-1, -1] == 0.0 else np.ones(len(self.A), dtype=bool)

    def rows(self, index: np.ndarray) -> Vector:
        """Some of the a_i."""
        return self.A[index]

    def restricted(self, band: np.ndarray, groups: list[np.ndarray]) -> "Program":
        """The program of some rows, in which each group of violators counts as one row, their weighted mean."""
        weights = [self.upper[group] for group in groups]
        shares = [weight / weight.sum() for weight in weights]
        pairs = list(zip(shares, groups, strict=True))
        return self._replace(
            A=np.vstack([self.A[band], *(share @ self.A[group] for share, group in pairs)]),
            required=np.append(self.required[band], [share @ self.required[group] for share, group in pairs]),
            upper=np.append(self.upper[band], [weight.sum() for weight in weights]),
            ridge=np.append(self.ridge[band], np.zeros(len(groups))),
        )

    def residual(self, v: Vector, alpha: Vector) -> Vector:
        """f + A'alpha - Hv, zero at the optimum: the negative gradient of the Lagrangian."""
        return self.f + alpha @ self.A - self.H @ v

    def violations(self, v: Vector, alpha: Vector | float = 0.0) -> Vector:
        """required - Av, less the slack ridge alpha."""
        violation = self.required - self.A @ v
        return violation - self.ridge * alpha if np.ndim(alpha) else violation

    def clipped(self, alpha: Vector) -> Vector:
        """The nearest alpha within bounds."""
        return np.clip(alpha, 0.0, self.upper)

    def gap(self, v: Vector, alpha: Vector) -> float:
        """Duality gap of v and an alpha within bounds.

        The losses minus what alpha makes of them, and half the residual squared in the metric of H. The residual of a
        variable without penalty has to vanish: it counts as it is.
        """
        violation = self.violations(v)
        slack = np.maximum(0.0, violation)
        if self.boxed:
            losses = self.upper * slack
        else:  # a hard margin is priced by the largest alpha, at which there is no violation (Pietrzykowski, 1969)
            losses = 0.5 * slack**2 / self.ridge if self.ridge.any() else float(alpha.max(initial=0.0)) * slack
        conjugate = alpha * violation - 0.5 * self.ridge * alpha * alpha
        return float((losses - conjugate).sum()) + residual_gap(self.residual(v, alpha), self.H.diagonal())

    def size(self, v: Vector, alpha: Vector) -> float:
        """Size of the objective, to measure gaps by."""
        return float(0.5 * (v @ (self.H @ v)) + abs(alpha @ self.required)) + TINY


def mean_penalty(H: Vector) -> float:
    """The geometric mean of what variables are penalised with."""
    penalties = H.diagonal()
    penalties = penalties[penalties > 0.0]
    return float(np.exp(np.log(penalties).sum() / penalties.size)) if penalties.size else 1.0


def residual_gap(residual: Vector, penalties: Vector) -> float:
    """Half the residual squared in the metric of H; that of a variable without penalty counts as it is."""
    gaps = np.abs(residual)
    np.divide(0.5 * residual * residual, penalties, out=gaps, where=penalties > 0.0)
    return float(gaps.sum())
