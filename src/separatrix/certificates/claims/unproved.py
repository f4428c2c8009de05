"""No proof, and why there is none; perhaps with what others have proved."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Optional

import numpy as np

from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.certificate import Printed
from separatrix.errors import counted
from separatrix.problem import Problem
from separatrix.problem.fold import INFINITE, Fold, added
from separatrix.rows import Vector, length

if TYPE_CHECKING:
    from separatrix.certificates.claims.minimum_errors import MinimumErrors


class Errors(NamedTuple):
    """Of some rows: how many are wrong, or how long the vector of their residuals is, and what all weigh."""

    wrong: int
    residual: float
    weight: float

    def merged(self, other: "Errors") -> "Errors":
        """The errors of both sets of rows."""
        return added(self, other)._replace(residual=float(np.hypot(self.residual, other.residual)))

    def verdict(self) -> float:
        """The part that is wrong, or the root of the mean squared residual."""
        return self.wrong / self.weight + self.residual / float(np.sqrt(self.weight))


@dataclass(frozen=True, eq=False, repr=False)
class Unproved(Printed):
    """A model that makes no claim beyond the rows that it gets right; `stated` is its training error, if known.

    Attributes
    ----------
    reason : str
        Why nothing is proved.
    w, b : ndarray or None, float or ndarray
        The planes that errors are counted with.
    stated : float
        The training error when the model was fitted, if it is known.
    coefficients_of : ndarray of int or None
        In the space of a kernel, the rows whose coefficients w are.
    bound : MinimumErrors or None
        How few errors any plane can make on the same rows, where somebody has counted.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import Unproved
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 0, 1]))
    >>> Unproved("only one pass was made", w=np.array([1.0]), b=-1.5).error(problem)  # 3 is above 1.5
    0.25
    """

    reason: str
    w: Vector | None = None
    b: float | Vector = 0.0
    stated: float = np.inf
    bound: Optional["MinimumErrors"] = None
    coefficients_of: np.ndarray | None = None

    optional_fields: ClassVar[tuple[str, ...]] = ("coefficients_of",)
    proof: ClassVar[bool] = False
    about_model: ClassVar[bool] = True
    explanation: ClassVar[str] = (
        "This method does not claim to be the best of its kind, so there is nothing to prove about it. Its error "
        "in the table above was measured all the same."
    )

    def restated(self, problem: Problem) -> "Unproved":
        """The training error from the problem; why nothing is proved cannot be told from it."""
        error = self.error(problem)
        known = "nothing is known of its errors" if error == np.inf else f"its error on these rows is {error:.3g}"
        return replace(self, reason=f"the model claims no optimum; {known}", stated=error)

    def error(self, problem: Problem) -> float:
        """Training error, a fact about this problem; infinite without planes, or where the bound is false.

        For classes the part of the rows that is predicted wrong, where a tie goes to the class with the lowest number;
        for numbers the root of the mean squared residual, each row counted by its cost.
        """
        if self.w is None or (self.bound is not None and self.bound.error(problem) == np.inf):
            return np.inf
        if problem.kernel is not None and self.coefficients_of is not None:
            scores = problem.kernel.expansion(problem.support_rows(self.coefficients_of), self.w, problem.X) + self.b
            if not problem.n_classes:
                return float(np.sqrt(np.average(np.square(problem.y - scores), weights=problem.cost)))
            return float(np.mean((scores > 0.0) != (problem.signs > 0)))
        return self.fold().over([problem])

    def fold(self) -> Fold:
        """The training error from blocks of rows; a bound, which is about few rows, is not checked by it."""
        if self.w is None:
            return INFINITE
        planes = Planes.of(self.w, self.b)

        def tally(block: Problem, first: int) -> Errors:
            planes.fit_to(block)
            if block.n_classes:
                return Errors(planes.errors(block), 0.0, float(block.n_rows))
            residuals = block.y - planes.scores(block)[0][:, 0]
            return Errors(0, length(np.sqrt(block.cost) * residuals), float(block.cost.sum()))

        return Fold(tally, Errors.merged, Errors.verdict)

    def __repr__(self) -> str:
        return f"Unproved({self.reason!r})"

    def __str__(self) -> str:
        return f"Unproved: {self.reason}.{self.quotation}"

    @property
    def quotation(self) -> str:
        """What the bound says of this model."""
        if self.bound is None:
            return ""
        least, made = self.bound.lower, round(self.stated * self.bound.n_rows) if self.stated < np.inf else None
        proved = f"{counted(least, 'error')} {'is' if least == 1 else 'are'} proved to be necessary"
        if made is None:
            return f"\nAt least {proved}."
        return f"\nAt least {proved}, and this plane makes {'no more' if made <= least else f'{made:,}'}."
