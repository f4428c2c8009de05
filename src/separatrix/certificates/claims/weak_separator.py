"""Weak separation: a plane that has no row on the wrong side, but may have some on the plane itself.

    <a_i, v> >= 0  for all i,   and > 0  for some,      a_i = y_i [x_i, 1],   v = [w, b]

Rounded to doubles, such a plane has rows on the wrong side, so v is in integers, up to a positive factor. Where it is
zero on a row it is so exactly. Where other rows prove that no plane separates strictly, the separation is
quasi-complete: the logistic likelihood has no maximum, as it still grows along v (Albert and Anderson, 1984). As an
Overlap is part of that claim, it is checked on all rows at once and has no `fold`.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.certificate import Printed
from separatrix.certificates.claims.overlap import Overlap
from separatrix.errors import DataError, at_most, counted
from separatrix.problem import Problem
from separatrix.rows import TINY, length, read_only


@dataclass(frozen=True, eq=False, repr=False)
class WeakSeparator(Printed):
    """The claim that a plane has no row on the wrong side, and not all rows on the plane.

    Attributes
    ----------
    v : list of int
        [w..., b] in integers, up to a positive factor; with k > 2 classes k - 1 such blocks.
    on : ndarray of int
        The rows that lie on the plane.
    overlap : Overlap or None
        The proof that no plane separates strictly, if it was found.
    stated : float
        The error when the claim was made.
    n_rows : int
        Number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import WeakSeparator
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[1.0], [2.0], [2.0], [3.0]]), np.array([0, 0, 1, 1]))
    >>> claim = WeakSeparator.issue(problem, [1, -2])  # x - 2 is zero on both rows at 2
    >>> claim.error(problem), claim.on.tolist()
    (0.0, [1, 2])
    >>> WeakSeparator.issue(problem, [1, -3]).stated  # the row at 2 of the class above is 1 below 3
    1.0
    """

    v: IntegerVector
    on: np.ndarray
    overlap: Overlap | None
    stated: float
    n_rows: int

    about_model: ClassVar[bool] = False
    explanation: ClassVar[str] = (
        "A plane has no row on its wrong side, but some rows lie exactly on it, and other rows prove that no "
        "plane does better. Both were checked without rounding."
    )

    @classmethod
    def issue(cls, problem: Problem, v: IntegerVector, overlap: Overlap | None = None) -> "WeakSeparator":
        """Make the claim, with its error on the problem."""
        inequalities = Inequalities(problem)
        values = inequalities.values(v, np.arange(inequalities.n))
        on = read_only(np.unique(inequalities.row_of(np.flatnonzero(values == 0.0))))
        claim = cls(v, on, overlap, np.inf, problem.n_rows)
        return cls(v, on, overlap, claim.error(problem), problem.n_rows)

    @property
    def proof(self) -> bool:
        """Whether the claim was proved when it was made."""
        return self.stated == 0.0

    def planes(self, problem: Problem) -> Planes:
        """The plane rounded to doubles."""
        return Inequalities(problem).planes(exact.rounded(self.v))

    def restated(self, problem: Problem) -> "WeakSeparator":
        """The claim with its error recomputed from the problem."""
        overlap = None if self.overlap is None else self.overlap.restated(problem)
        return WeakSeparator.issue(problem, self.v, overlap)

    def error(self, problem: Problem) -> float:
        """How far the worst row is on the wrong side, 0.0 if none is; infinite where the claim fails otherwise."""
        inequalities = Inequalities(problem)
        if len(self.v) != inequalities.dimension or problem.n_rows != self.n_rows:
            raise DataError(
                f"The certificate is for {counted(self.n_rows, 'row')} and a vector of {len(self.v)} numbers, but the "
                f"problem has {problem.shape} and asks for {inequalities.dimension}. Check it with the data that the "
                "verdict is for."
            )
        values = inequalities.values(self.v, np.arange(inequalities.n))
        if not (values > 0.0).any():
            return np.inf
        on = np.unique(inequalities.row_of(np.flatnonzero(values == 0.0)))
        if not np.array_equal(on, self.on) or (self.overlap is not None and self.overlap.error(problem) > 0.0):
            return np.inf
        worst = -float(values.min())
        if worst <= 0.0:
            return 0.0
        planes = self.planes(problem)
        return max(worst / max(length(planes.w), TINY), TINY)

    def __repr__(self) -> str:
        return f"WeakSeparator({self.on.size} of {self.n_rows} rows on the plane, stated={self.stated:.3g})"

    def __str__(self) -> str:
        if not self.proof:
            return f"WeakSeparator: not proved\n  the worst row is {at_most(self.stated, 3)} on the wrong side"
        weak = f"Every row lies on its own side or on the plane, {self.on.size:,} of {self.n_rows:,} on it."
        strict = "Every row lies strictly on its own side."
        lines = [
            "WeakSeparator: <a_i, v> >= 0 on all rows, in whole numbers",
            f"  on the plane {counted(self.on.size, 'row')}, exactly",
            "  checked      with rounding bounds, and without rounding where these leave doubt",
            weak if self.on.size else strict,
        ]
        return "\n".join([*lines, *([self.overlap.sentence] if self.overlap is not None else [])])
