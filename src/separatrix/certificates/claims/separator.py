"""A plane that separates the classes strictly.

    y_i (w.x_i + b) > 0  for every row i,          or with more classes    (w_c - w_j).x_i + b_c - b_j > 0

Floating point decides where its rounding error cannot matter, exact fractions decide the rest. For the perceptron
the certificate also holds the number of mistakes, which every plane that separates bounds: see `mistakes`.

In the space of a kernel w = sum_j c_j phi(x_j), and the claim holds the coefficients c_j and the rows x_j that they are
of. There are no exact fractions there: a row whose sign rounding may have decided counts as wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from separatrix.certificates.arithmetic.expansions import PlaneOfRows
from separatrix.certificates.arithmetic.mistake_bound import ExtendedRows
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.certificates.claims.certificate import Printed, names_rows_once
from separatrix.enclosures import Enclosed, Interval
from separatrix.enclosures.interval import down
from separatrix.errors import OptionError, at_least, at_most
from separatrix.kernels import Kernel
from separatrix.problem import Problem
from separatrix.problem.fold import Fold
from separatrix.rows import TINY, UNIT_ROUNDOFF, Vector, read_only, rounding_bound

TIE = 1e-300  # a row that is on the wrong side by less is on the plane


class Examination(NamedTuple):
    """What the data say of planes.

    How wrong they are at most, how many rows are wrong or undecided, the distance of the nearest row at least, what
    bounds the mistakes of a perceptron, and how many margins were settled in exact fractions.
    """

    error: float
    n_wrong: int
    nearest: float
    bound: float
    n_exact: int

    def merged(self, other: "Examination") -> "Examination":
        """What the rows of both blocks say; a bound on mistakes is one of all rows at once."""
        error, nearest = max(self.error, other.error), min(self.nearest, other.nearest)
        return Examination(error, self.n_wrong + other.n_wrong, nearest, np.inf, self.n_exact + other.n_exact)


@dataclass(frozen=True, eq=False, repr=False)
class Separator(Printed):
    """The claim that a plane, or one for each class, has every row strictly on its own side.

    Attributes
    ----------
    w, b : ndarray
        The plane; for more than two classes a row of w and an entry of b for each.
    mistakes : int or None
        Corrections that a perceptron made, where a bound on them is known.
    examined : Examination
        What the rows said when the claim was made: the error, how many were wrong, the distance of the nearest,
        the bound on mistakes, and how many margins were settled in exact fractions.
    n_rows : int
        How many rows the claim is about.
    kernel : Kernel or None
        In whose space the plane is; w are then coefficients of rows.
    coefficients_of : ndarray of int or None
        These rows.

    Examples
    --------
    >>> from separatrix.certificates import Separator
    >>> from separatrix.problem import Problem
    >>> import numpy as np
    >>> problem = Problem(np.array([[1.0], [3.0]]), np.array([0, 1]))
    >>> Separator.issue(problem, w=np.array([1.0]), b=-2.0).error(problem)  # 2 is between 1 and 3
    0.0
    >>> Separator.issue(problem, w=np.array([1.0]), b=-4.0).error(problem)  # 3 is 1 short of 4
    1.0
    """

    w: Vector
    b: Vector
    mistakes: int | None
    examined: Examination
    n_rows: int
    kernel: Any = None
    coefficients_of: np.ndarray | None = None

    about_model: ClassVar[bool] = True
    field_types: ClassVar[Mapping[str, Any]] = {"kernel": Kernel | None}  # what files may hold
    optional_fields: ClassVar[tuple[str, ...]] = ("kernel", "coefficients_of")
    explanation: ClassVar[str] = (
        "A plane was found, and every row was put into it once more: each lies strictly on its own side. Rounding"
        " is bounded, and where the bound leaves doubt the sum is done in exact fractions. This is a proof, not "
        "an estimate."
    )

    @classmethod
    def issue(
        cls,
        problem: Problem,
        w: Vector,
        b: float | Vector,
        mistakes: int | None = None,
        coefficients_of: np.ndarray | None = None,
    ) -> "Separator":
        """State the claim with the figures that the problem gives it.

        `mistakes` is for a perceptron with a constant rate from a zero start, to which the bound applies. In the space
        of a kernel w are the coefficients of some rows.
        """
        kept = read_only(np.array(w)), read_only(np.array(b)), mistakes
        if problem.kernel is None:
            return cls(*kept, examine(problem, Planes.of(w, b)), problem.n_rows)
        rows = np.zeros(0, dtype=np.int64) if coefficients_of is None else np.array(coefficients_of)
        examined = examine_in_space_of_kernel(problem, PlaneOfRows(w, float(b), rows))
        return cls(*kept, examined, problem.n_rows, problem.kernel, read_only(rows))

    @property
    def stated(self) -> float:
        """The error when the claim was made."""
        return self.examined.error

    @property
    def proof(self) -> bool:
        """Whether the claim was proved when it was made."""
        return self.stated == 0.0

    @property
    def shortfall(self) -> str:
        """How many rows were wrong when the claim was made, and by how much, in words."""
        rows = f"{self.examined.n_wrong:,} of {self.n_rows:,} rows"
        if self.stated == np.inf:
            same = "w is 0" if self.w.ndim == 1 else "two classes have the same w"
            same = "the kernel gives w no length, or its values no bound" if self.kernel is not None else same
            return f"{rows} are on the wrong side, at no distance that can be told, as {same}"
        worst = "lies on the plane itself" if self.stated < TIE else f"by {at_most(self.stated, 3)}"
        return f"{rows} are on the wrong side, the worst {worst}"

    def restated(self, problem: Problem) -> "Separator":
        """The claim with figures from the problem; rows do not tell how many mistakes a perceptron made."""
        return Separator.issue(problem, self.w, self.b, coefficients_of=self.coefficients_of)

    def error(self, problem: Problem) -> float:
        """How far the worst row is on the wrong side at most, 0.0 if every row is strictly on its own."""
        if problem.kernel != self.kernel:
            return np.inf
        return self.fold().over([problem]) if self.kernel is None else self.restated(problem).stated

    def fold(self) -> Fold:
        """The error from blocks of rows: the largest of theirs."""
        if self.kernel is not None:
            raise OptionError("A plane in the space of a kernel is made of rows of all blocks. Check all rows at once.")
        return self.examination(self.w, self.b).then(lambda found: found.error)

    @staticmethod
    def examination(w: Vector, b: float | Vector) -> Fold:
        """What blocks of rows say of planes."""
        planes = Planes.of(w, b)
        return Fold(lambda block, first: examine(block, planes), Examination.merged, lambda found: found)

    def __repr__(self) -> str:
        return f"Separator({'proved' if self.proof else 'not proved'}, {self.n_rows} rows, stated={self.stated:.3g})"

    def __str__(self) -> str:
        nearest, bound, n_exact = self.examined[2:]
        if not self.proof:
            return (
                f"Separator: not proved\n  {self.shortfall}\nThe classes may overlap, so that no plane separates them."
            )
        formula = "y (w.x + b)" if self.w.ndim == 1 else "(w_c - w_j).x + b_c - b_j"
        space = ""
        if self.kernel is not None:
            formula, space = "y (sum_j c_j K(x, x_j) + b)", f" in the space of {self.kernel!r}, by {self.w.size:,} rows"
        lines = [
            f"Separator: {formula} > 0 on all {self.n_rows:,} rows",
            f"  nearest row  {at_least(nearest, 3)} from the plane{space}",
            f"  checked      with rounding bounds{f', {n_exact} row(s) in exact fractions' if n_exact else ''}",
        ]
        if self.mistakes is not None and self.mistakes <= bound:
            vectors = "the rows" if self.w.ndim == 1 else "Kesler's vectors of the rows"
            # b of a plane with an offset may be 0 too, so that a stored claim cannot tell
            extended = "[x, 1]" if np.any(self.b) else "[x, 1], or x without an offset"
            extended = extended if self.kernel is None else extended.replace("x", "phi(x)")
            lines.insert(2, f"  mistakes     {self.mistakes:,} <= (R/gamma)^2 = {bound:,.0f} for {vectors} {extended}")
        return "\n".join([*lines, "Every row lies strictly on its own side; anyone can check it again from the data."])


@np.errstate(all="ignore")  # infinities and NaN are undecided, and settled exactly
def examine(problem: Problem, planes: Planes) -> Examination:
    """Hold planes against every row of a problem, exactly where rounding-error bounds leave it undecided."""
    planes.fit_to(problem)
    if not planes.finite:
        return Examination(np.inf, problem.n_rows, -np.inf, np.inf, 0)
    margins, rounding, lengths = planes.margins(problem)
    wrong = margins < -rounding
    undecided = ~wrong & ~(margins > rounding)
    n_exact = 0
    if not wrong.any():  # otherwise the claim is false, whatever undecided rows would say
        for i, j in np.argwhere(undecided):
            margins[i, j], rounding[i, j], undecided[i, j] = planes.exact_margin(problem, i, j), 0.0, False
            n_exact += 1
            if margins[i, j] <= 0:  # the claim is false; the rows still undecided are within their rounding
                break
        wrong = margins < -rounding
    bad = wrong | undecided
    violations = Enclosed(-margins / lengths, rounding / lengths)
    error = worst_row(problem, planes, violations, bad) if bad.any() else 0.0
    nearest = (
        nearest_row(problem, planes, Enclosed(margins / lengths, rounding / lengths)) if not bad.any() else -np.inf
    )
    bound = ExtendedRows(problem).mistake_bound(planes, margins - rounding)
    return Examination(error, int(np.count_nonzero(bad.any(axis=1))), nearest, bound, n_exact)


MAX_EXACT_ENTRIES = 2**12  # of rows whose distance is computed in fractions


def nearest_row(problem: Problem, planes: Planes, distances: Enclosed) -> float:
    """How far the nearest row is from its planes at least: in fractions, where few rows may be the nearest."""
    rounded = rounding_bound(problem.n_features + 16)  # of lengths and quotients, relative to both
    radius = distances.radius * (1.0 + rounded) + rounded * np.abs(distances.value)
    low, high = distances.value - radius, distances.value + radius
    near = np.argwhere(low <= np.nanmin(high))
    if len(near) * problem.n_features > MAX_EXACT_ENTRIES:
        return max(float(np.nanmin(low)), 0.0)
    return min((planes.exact_distance(problem, i, j).low for i, j in near.tolist()), default=0.0)


def worst_row(problem: Problem, planes: Planes, violations: Enclosed, bad: np.ndarray) -> float:
    """How far the worst of some rows is on the wrong side at most: in fractions, where few may be the worst."""
    places = np.argwhere(bad)
    rounded = rounding_bound(problem.n_features + 16)  # of lengths and quotients, relative to both
    value, radius = violations.value[bad], violations.radius[bad]
    radius = radius * (1.0 + rounded) + rounded * np.abs(value)
    low, high = value - radius, np.nan_to_num(value + radius, nan=np.inf, posinf=np.inf)
    near = places[high >= low.max()]
    if not (high.max() < np.inf and low.max() > 0.0) or len(near) * problem.n_features > MAX_EXACT_ENTRIES:
        return max(float(high.max()), TINY)
    return max(TINY, *(planes.exact_distance(problem, i, j).high for i, j in near.tolist()))


@np.errstate(all="ignore")  # what is not a number is not decided
def examine_in_space_of_kernel(problem: Problem, plane: PlaneOfRows) -> Examination:
    """Hold a plane against every row of a problem; what rounding leaves undecided is wrong."""
    if not (
        plane.finite
        and names_rows_once(plane.support, problem.n_rows)
        and plane.support.shape == plane.coefficients.shape
    ):
        return Examination(np.inf, problem.n_rows, -np.inf, np.inf, 0)
    (margins, rounding), length = plane.margins(problem)
    wrong = ~(margins > rounding)
    violation = (rounding - margins)[wrong] / (length.low * (1.0 - 8.0 * UNIT_ROUNDOFF))
    error = float(np.nan_to_num(violation, nan=np.inf, posinf=np.inf).max(initial=TINY)) if violation.size else 0.0
    least = down(float((margins - rounding).min()))
    bound = plane.mistake_bound(problem, least, length)
    return Examination(error, int(np.count_nonzero(wrong)), (Interval.of(least) / length).low, bound, 0)
