"""The proof that no plane separates the classes: rows that cancel with positive weights.

    sum_i u_i a_i = 0,  u > 0,      a_i = y_i [x_i, 1]

A plane that has these rows strictly on their own sides would make the sum positive, so there is none (Gordan, 1873).
For two classes the weights make a convex combination of the rows of each, and both are the same point: the convex
hulls meet there. At most d + 2 rows are needed (Caratheodory, 1911).

If the rows also span all others, a plane that has no row on its wrong side has every row on the plane itself: not
even a weak separation exists (Stiemke, 1915). At most 2 (d + 1) rows are needed (Steinitz, 1913).

Weights are integers, and the sum is computed without rounding. The rows are few and named, so that there is no `fold`:
whoever has these rows has the proof, but for the span of all others.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.exact_distance import combination_length
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.certificate import Printed
from separatrix.errors import DataError, at_most, counted
from separatrix.problem import Problem
from separatrix.rows import Vector, read_only


@dataclass(frozen=True, eq=False)
class Balance:
    """Vectors whose combination with positive integer weights is zero, by their numbers among the `Inequalities`."""

    index: np.ndarray
    weights: IntegerVector

    @property
    def shares(self) -> Vector:
        """The weights divided by their sum."""
        total = sum(self.weights)
        return np.array([weight / total for weight in self.weights])

    def residual(self, inequalities: Inequalities) -> float:
        """Length of the combination at most, at weights with the sum 2; 0.0 only where it is exactly zero."""
        if not self.weights or min(self.weights) <= 0 or len(set(self.index.tolist())) < len(self.weights):
            return np.inf
        return combination_length(inequalities.vectors(self.index), self.weights, Fraction(2, sum(self.weights))).high

    def spans(self, inequalities: Inequalities) -> bool:
        """Whether every vector of the problem is a linear combination of these, decided exactly."""
        vectors, all_vectors = inequalities.vectors(self.index), np.arange(inequalities.n)
        if exact.rank_lower_bound(exact.scaled_integers(vectors)[0]) == vectors.shape[1]:
            return True
        if inequalities.n <= vectors.shape[1]:
            return exact.rank(vectors) == exact.rank(inequalities.vectors(all_vectors))
        return not inequalities.not_orthogonal(all_vectors, exact.null_space(vectors)).size


@dataclass(frozen=True, eq=False, repr=False)
class Overlap(Printed):
    """The claim that no plane separates the classes; with `balance`, that none does even weakly.

    Attributes
    ----------
    hulls : Balance
        Rows and weights that cancel: of two classes, convex combinations that are the same point.
    balance : Balance or None
        Rows and weights that also span all others, so that not even a weak separation exists.
    stated : float
        The error when the claim was made.
    n_rows, rivals : int
        Number of rows, and number of classes less one.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import Overlap
    >>> from separatrix.certificates.claims.overlap import Balance
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[1.0], [2.0], [3.0]]), np.array([0, 1, 0]))
    >>> Overlap.issue(problem, Balance(np.arange(3), [1, 2, 1])).error(problem)  # 2 is the middle of 1 and 3
    0.0
    >>> Overlap.issue(problem, Balance(np.arange(3), [1, 4, 3])).error(problem)  # a quarter of 1 and 3/4 of 3 is 2.5
    0.5
    """

    hulls: Balance
    balance: Balance | None
    stated: float
    n_rows: int
    rivals: int

    about_model: ClassVar[bool] = False

    @classmethod
    def issue(cls, problem: Problem, hulls: Balance, balance: Balance | None = None) -> "Overlap":
        """Make the claim, with its error on the problem."""
        read_only(hulls.index)
        claim = cls(hulls, balance, np.inf, problem.n_rows, problem.n_classes - 1)
        return cls(hulls, balance, claim.error(problem), problem.n_rows, problem.n_classes - 1)

    @property
    def proof(self) -> bool:
        """Whether the claim was proved when it was made."""
        return self.stated == 0.0

    @property
    def not_even_weakly(self) -> bool:
        """Whether the claim is that no plane separates even weakly."""
        return self.balance is not None

    @property
    def rows(self) -> np.ndarray:
        """The rows that prove that no plane separates strictly."""
        return np.unique(self.hulls.index // self.rivals)

    @property
    def explanation(self) -> str:
        """What the claim means, in plain words."""
        if self.rivals > 1:
            return (
                "What some rows ask of the scores of the classes cancels when it is added up with the right weights, "
                "so no scores that are linear can give all of it. The sums were done in exact fractions."
            )
        return (
            "A mixture of some rows of one class is the very same point as a mixture of rows of the other. A plane "
            "would need that point on both of its sides, so there is no such plane. The sums were done in exact "
            "fractions."
        )

    def restated(self, problem: Problem) -> "Overlap":
        """The claim with its error recomputed from the problem."""
        return Overlap.issue(problem, self.hulls, self.balance)

    def error(self, problem: Problem) -> float:
        """Distance of the convex combinations of both classes, 0.0 if they are one point; inf if the claim fails."""
        inequalities = Inequalities(problem)
        largest = max((int(part.index.max(initial=0)) for part in (self.hulls, self.balance) if part), default=0)
        if inequalities.rivals != self.rivals or largest >= inequalities.n:
            raise DataError(
                f"The certificate is for {self.n_rows:,} rows of {self.rivals + 1} classes, but the problem has "
                f"{problem.shape} and {problem.n_classes} classes. Check it with the data that the verdict is for."
            )
        if self.balance is None:
            return self.hulls.residual(inequalities)
        if self.balance.residual(inequalities) > 0.0 or not self.balance.spans(inequalities):
            return np.inf
        return self.hulls.residual(inequalities)

    def mixtures(self, problem: Problem) -> list[tuple[int, list[tuple[int, float]]]]:
        """Each of two classes with its rows and their convex weights; these add up to 1 where there is an offset."""
        shares, y = self.hulls.shares, problem.y[self.hulls.index]
        sums = [float(shares[y == c].sum()) for c in (0, 1)]
        totals = sums if problem.fit_intercept else [max(sums)] * 2
        rows = [(self.hulls.index[y == c].tolist(), (shares[y == c] / totals[c]).tolist()) for c in (0, 1)]
        return [(c, list(zip(*rows[c], strict=True))) for c in (0, 1)]

    def __repr__(self) -> str:
        kind = "not even weakly" if self.balance is not None else "not strictly"
        return f"Overlap({kind}, {self.rows.size} of {self.n_rows} rows, stated={self.stated:.3g})"

    def __str__(self) -> str:
        if not self.proof:
            return (
                f"Overlap: not proved\n  the nearest mixtures of rows found are {at_most(self.stated, 3)} apart\n"
                "The classes seem to overlap, to rounding."
            )
        max_rows_shown = 6
        rows = [f"{row:,}" for row in self.rows[:max_rows_shown]]
        more = ", ..." if self.rows.size > max_rows_shown else ""
        lines = [
            "Overlap: sum u_i a_i = 0 with u > 0, where a plane would need <a_i, v> > 0",
            f"  rows         {', '.join(rows)}{more} ({self.rows.size} of {self.n_rows:,})",
        ]
        if self.balance is not None:
            n = np.unique(self.balance.index // self.rivals).size
            lines.append(f"  not weakly   {counted(n, 'row')} cancel and span all others")
        return "\n".join([*lines, "  checked      in whole numbers, without rounding", self.sentence])

    @property
    def sentence(self) -> str:
        """What is proved, in one sentence."""
        these = f"These {self.rows.size} rows prove" if self.rows.size > 1 else "This row proves"
        return f"{these} that no plane separates the classes{'' if self.balance is None else ', not even weakly'}."
