"""A point where equations hold that only the optimum fulfils.

The equations are recomputed from the rows, and what is left of them is divided by the size of their terms: an error of
1e-16 is rounding. Least squares has its normal equations, discriminant analysis a linear system or an eigenproblem.

The error is enclosed: the true one, in real numbers over the doubles as stored, is no larger than what is stated. Where
it has no bound, or one above the tolerance, nothing is proved.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from separatrix.certificates.claims.bound import quoted
from separatrix.certificates.claims.certificate import Printed, about_all_rows, check_shape
from separatrix.certificates.claims.discriminant_equations import FisherEquations, GaussianEquations
from separatrix.certificates.claims.normal_equations import NormalEquations
from separatrix.enclosures import Interval
from separatrix.enclosures.interval import interval
from separatrix.problem import Problem
from separatrix.problem.fold import Fold
from separatrix.rows import Vector, read_only

Equations = NormalEquations | GaussianEquations | FisherEquations
SMALL = 1e-8  # an error above this is no solution, unless a larger one was asked for


@dataclass(frozen=True, eq=False, repr=False)
class Stationary(Printed):
    """The claim that planes come from the solution of equations, up to the stated error.

    Attributes
    ----------
    w, b : ndarray, float or ndarray
        The plane; for more than two classes a row of w and an entry of b for each.
    equations : object
        What must hold; its `formula` is in the text, its `fold` computes what is left of them.
    stated : float
        What the error was at most when the claim was made, rounding included.
    n_rows : int
        How many rows the claim is about.
    tol : float
        The error up to which it counts as a solution.
    rounding : float
        By how much the error may be smaller.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix import LeastSquaresClassifier, encode
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], [-1, -1, 1, 1]
    >>> claim = LeastSquaresClassifier().fit(X, y).certificate_
    >>> claim.error(encode(X, y).problem) < 1e-14
    True
    >>> round(claim.error(encode([[0.0], [1.0], [2.0], [9.0]], y).problem), 2)  # another row
    1.31
    """

    w: Vector
    b: float | Vector
    equations: Equations
    stated: float
    n_rows: int
    tol: float = SMALL
    rounding: float = 0.0

    about_model: ClassVar[bool] = True
    optional_fields: ClassVar[tuple[str, ...]] = ("rounding",)
    explanation: ClassVar[str] = (
        "The best fit is the one that solves certain equations. This fit was put into them, and what is left over"
        " is rounding."
    )

    @classmethod
    def of(
        cls, w: Vector, b: Vector, equations: Equations, error: Interval, n_rows: int, tol: float = SMALL
    ) -> "Stationary":
        """State the claim about planes of shape (planes, d), with an error that is enclosed already."""
        offset = float(b[0]) if len(w) == 1 else read_only(np.array(b))
        plane = read_only(np.array(w[0] if len(w) == 1 else w)), offset
        return cls(*plane, equations, error.high, n_rows, tol, width_of(error))

    @property
    def objective(self) -> Any:
        """What is minimised where the equations hold, if anything is."""
        return getattr(self.equations, "objective", None)

    @property
    def proof(self) -> bool:
        """Whether the equations held when the claim was made."""
        return bool(self.stated <= self.tol)

    def restated(self, problem: Problem) -> "Stationary":
        """The claim with figures from the problem, held to the tolerance of this module."""
        check_shape(self, problem)
        return self.restating_fold().over([problem])

    def error(self, problem: Problem) -> float:
        """What is left of the equations at most, without a unit; infinite where something else is minimised."""
        return self.enclosed_error(problem).high

    def enclosed_error(self, problem: Problem) -> Interval:
        """Enclose what is left of the equations, from the rows."""
        check_shape(self, problem)
        return self.enclosed_fold().over([problem])

    def fold(self) -> Fold:
        """The error from blocks of rows: of sums over all of them."""
        return self.enclosed_fold().then(lambda error: error.high)

    def restating_fold(self) -> Fold:
        """The claim with figures from blocks of rows, held to the tolerance of this module."""
        return self.enclosed_fold().then(
            lambda error: replace(self, stated=error.high, rounding=width_of(error), tol=SMALL)
        )

    def enclosed_fold(self) -> Fold:
        """Enclose the error, from blocks of rows."""
        fold = self.equations.fold(np.atleast_2d(self.w), np.atleast_1d(self.b))
        return about_all_rows(self, fold).then(interval)

    def __repr__(self) -> str:
        return f"Stationary({self.n_rows} rows, stated={self.stated:.3g})"

    def __str__(self) -> str:
        return "\n".join(
            [
                f"Stationary: {self.equations.formula}, over {self.n_rows:,} rows",
                f"  left of the equations  at most {quoted(self)} of their terms, rounding included",
                self.sentence,
            ]
        )

    @property
    def sentence(self) -> str:
        """What the error means."""
        if not self.stated < np.inf:
            return "Not proved: numbers overflow or rounding hides them, so that nothing bounds what is left."
        if not self.proof:
            return f"Not solved: more than {self.tol:g} of the terms is left."
        return "The equations of the optimum hold; anyone can check it again from the data."


def width_of(error: Interval) -> float:
    """By how much an error may be smaller than its bound, 0 where it has none."""
    return error.high - error.low if error.high < np.inf else 0.0
