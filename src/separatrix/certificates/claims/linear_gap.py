"""The gap between the mean slack of a plane and what no plane can be below: linear programming duality.

    primal    P = sum_i c_i slack_i,     slack_i = max(0, 1 - y_i (w.x_i + b)),     sum of c_i = 1 in each class
    dual      D = sum_i alpha_i  <=  min P

    0 <= alpha_i <= c_i,     sum_i alpha_i y_i x_i = 0,     sum_i alpha_i y_i = 0 where there is an offset

The sums must vanish, so alpha is corrected first, on the rows whose alpha is inside of its bounds. What rounding
leaves of the sums is priced by the plane: to second order, P changes by w.r + b r_0 (Dantzig, 1963). Where no
correction makes them vanish, alpha = 0 is used, which says that P is not below 0.

Whether the value is 0 at all is not left to rounding: either a plane separates, or rows prove that none does.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import lsqr

from separatrix import rows
from separatrix.certificates.claims.duality_gap import Values
from separatrix.certificates.claims.overlap import Overlap
from separatrix.certificates.claims.separator import Separator
from separatrix.errors import DataError, counted
from separatrix.problem import Problem
from separatrix.problem.scaling import Scaling
from separatrix.products import as_matrix, combination, dense_rows, parts, scores
from separatrix.rows import CSR, TINY, UNIT_ROUNDOFF, Vector, read_only

CORRECTIONS = 3
VANISHED = 16.0 * UNIT_ROUNDOFF  # of the sizes of what is summed
MOST_ENTRIES = 2**24  # of a dense matrix for the correction


@dataclass(frozen=True, eq=False, repr=False)
class LinearGap:
    """The claim that no plane has a mean slack, summed over both classes, lower by more than the gap.

    Attributes
    ----------
    w, b : ndarray, float
        The plane.
    support, alpha : ndarray
        The rows with a part in the dual point, and their dual variables.
    values : Values
        Primal and dual value when the claim was made, and how far rounding may have moved them.
    n_rows : int
        How many rows the claim is about.
    separator, overlap : Separator or None, Overlap or None
        The proof that the value is 0, or that it is not.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import LinearGap
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 0]))
    >>> claim = LinearGap.issue(problem, np.array([0.0]), 1.0, np.array([0.5, 1.0, 0.5]))
    >>> claim.primal, claim.dual, claim.error(problem)  # the row of class 1 is in the middle: no plane helps
    (2.0, 2.0, 0.0)
    """

    w: Vector
    b: float
    support: np.ndarray
    alpha: Vector
    values: Values
    n_rows: int
    separator: Separator | None = None
    overlap: Overlap | None = None

    about_model: ClassVar[bool] = True
    same_length: ClassVar[tuple[str, ...]] = ("support", "alpha")
    plain: ClassVar[str] = "Two numbers are compared: the slack of this plane, and a bound that no plane can be below."

    @classmethod
    def issue(cls, problem: Problem, w: Vector, b: float, alpha: Vector) -> "LinearGap":
        """State the claim, with the figures that the problem gives it; alpha has one number a row."""
        alpha = balanced(problem, alpha)
        found = linear_values(problem, w, b, alpha)
        separator = Separator.issue(problem, w, b) if found.primal == 0.0 else None
        support = np.flatnonzero(alpha)
        kept = read_only(np.array(w)), float(b), read_only(support), read_only(alpha[support])
        return cls(*kept, found, problem.n_rows, separator)

    @property
    def primal(self) -> float:
        """The mean slacks of both classes, added, when the claim was made."""
        return self.values.primal

    @property
    def dual(self) -> float:
        """What no plane can be below."""
        return self.values.dual

    @property
    def stated(self) -> float:
        """The relative gap when the claim was made."""
        return self.values.relative if self.separator is None or self.separator.proof else np.inf

    @property
    def doubt(self) -> float:
        """How far rounding may move the relative gap."""
        return self.values.rounding / max(self.primal, TINY) if self.primal > 0.0 else 0.0

    @property
    def proof(self) -> bool:
        """Whether there is a bound at all."""
        return self.stated < np.inf

    def error(self, problem: Problem) -> float:
        """(P - D) / P, from the rows; infinite where the classes are not separable, or are, against the claim."""
        fresh, facts = self.restated(problem), (self.separator, self.overlap)
        return np.inf if any(fact is not None and fact.error(problem) > 0.0 for fact in facts) else fresh.stated

    def restated(self, problem: Problem) -> "LinearGap":
        """The claim with figures from the problem."""
        if self.w.shape != (problem.n_features,) or self.n_rows != problem.n_rows or problem.n_planes != 1:
            raise DataError(
                f"The certificate is for {self.n_rows} rows of {self.w.size} features in two classes, but the problem "
                f"has {problem.shape} and {problem.n_classes} classes. Check it with the data that the plane is for."
            )
        alpha = np.zeros(problem.n_rows)
        alpha[self.support] = self.alpha
        overlap = None if self.overlap is None else self.overlap.restated(problem)
        return replace(LinearGap.issue(problem, self.w, self.b, alpha), overlap=overlap)

    def __repr__(self) -> str:
        return f"LinearGap({self.n_rows} rows, stated={self.stated:.3g})"

    def __str__(self) -> str:
        lines = [
            f"LinearGap: minimise the mean slack of each class, added, over {self.n_rows:,} rows",
            f"  primal  {self.primal:.12g}, the value of this plane",
            f"  dual    {self.dual:.12g}, which no plane is below",
        ]
        if self.overlap is not None and self.overlap.proof:
            lines.append(
                f"  above 0 {counted(self.overlap.rows.size, 'row')} prove that no plane separates the classes"
            )
        return "\n".join([*lines, self.sentence])

    @property
    def sentence(self) -> str:
        """What the gap means."""
        if self.separator is not None and self.separator.proof:
            return "Every row lies strictly on its own side, with no slack; anyone can check it again from the data."
        if not self.proof:
            return "Nothing is proved: the plane does not keep every row on its own side."
        most = f"{self.stated + self.doubt:.1g}"
        return f"No plane has a lower value by more than {most} of it; anyone can check it again from the data."


def shares(problem: Problem) -> Vector:
    """c_i: what slack of each row costs, as its part of what its class costs."""
    cost = problem.cost / problem.cost.max()
    return cost / np.bincount(problem.y, cost, minlength=2)[problem.y]


@np.errstate(over="ignore", invalid="ignore")
def linear_values(problem: Problem, w: Vector, b: float, alpha: Vector) -> Values:
    """Both values from the data, for an alpha that is balanced."""
    cost = shares(problem)
    margins = problem.margins(w, b, again=True)
    primal = float(cost @ np.maximum(0.0, 1.0 - margins))
    primal = primal if primal == primal else np.inf
    sizes = rows.take(problem.X, np.flatnonzero(alpha)) if alpha.any() else None
    reach = 0.0 if sizes is None else float(alpha[alpha > 0.0] @ (score_sizes(sizes, w) + abs(b) + 1.0))
    return Values(primal, float(alpha.sum()), 64.0 * UNIT_ROUNDOFF * (primal + reach))


def score_sizes(X: rows.Rows, w: Vector) -> Vector:
    """sum_j |x_ij w_j| of each row, which rounding errors of its score are a part of."""
    positive = CSR(np.abs(X.data), *X[1:]) if isinstance(X, CSR) else np.abs(X)
    return scores(positive, np.abs(w))


def balanced(problem: Problem, alpha: Vector) -> Vector:
    """The alpha next to this one that is within bounds and whose sums vanish but for rounding; else 0."""
    upper, signs = shares(problem), problem.signs
    scaling = Scaling.of(problem.X, upper, problem.fit_intercept)
    alpha = np.clip(np.nan_to_num(alpha, nan=0.0), 0.0, upper)
    for _ in range(CORRECTIONS):
        residual, sizes = sums(problem, scaling, alpha)
        if (np.abs(residual) <= 0.25 * VANISHED * sizes).all():
            return alpha
        inside = np.flatnonzero((alpha > 0.0) & (alpha < upper))
        if not inside.size:
            break
        step = correction(problem, scaling, inside, residual) * signs[inside]
        alpha[inside] = np.clip(alpha[inside] - step, 0.0, upper[inside])
    residual, sizes = sums(problem, scaling, alpha)
    return alpha if (np.abs(residual) <= VANISHED * sizes).all() else np.zeros(alpha.size)


def sums(problem: Problem, scaling: Scaling, alpha: Vector) -> tuple[Vector, Vector]:
    """sum_i alpha_i y_i [z_i, 1] for the scaled and centred rows z, and the size that rounding is a part of."""
    signed, far = alpha * problem.signs, np.abs(scaling.centre / scaling.unit)
    total = float(signed.sum()) * problem.fit_intercept
    if isinstance(problem.X, CSR):
        residual = (combination(problem.X, signed) - total * scaling.centre) / scaling.unit
        sizes = alpha.sum() * (2.0 + far)
    else:  # centred row by row, so that nothing cancels where rows are far from the origin
        spread = ((matrix - scaling.centre).T @ signed[part] for part, matrix in parts(problem.X))
        residual, sizes = sum(spread) / scaling.unit, np.full(far.shape, 2.0 * alpha.sum())
    return np.append(residual, total), np.append(sizes, alpha.sum())


def correction(problem: Problem, scaling: Scaling, inside: np.ndarray, residual: Vector) -> Vector:
    """The shortest change of y alpha, on some rows, that makes up for the sums."""
    offset = np.full((inside.size, 1), float(problem.fit_intercept))
    taken = scaling.scaled(rows.take(problem.X, inside))
    if isinstance(taken, CSR) and inside.size * problem.n_features > MOST_ENTRIES:
        Z = sparse.hstack([as_matrix(taken), offset]).tocsr()
        uncentred = np.append(residual[:-1] + residual[-1] * scaling.centre / scaling.unit, residual[-1])
        return lsqr(Z.T, uncentred, atol=1e-15, btol=1e-15)[0]
    Z = (dense_rows(problem.X, inside) - scaling.centre) / scaling.unit
    return np.linalg.lstsq(np.column_stack([Z, offset]).T, residual, rcond=None)[0]
