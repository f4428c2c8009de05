"""The fewest rows that a plane can get wrong: a plane that gets as few wrong, and why none gets fewer wrong.

    upper    a plane has y (w.x + b) > 0 on all rows but these
    lower    conflicts: sets of rows that no plane separates, as they cancel with positive weights (Gordan, 1873).
             Whatever a plane gets wrong meets each of them, so it weighs as much as their lightest hitting set.

Rows of one class in the same place are copies: a plane gets all of them wrong or none, so each row of a conflict weighs
as many rows as there are copies of it. Both bounds are checked without rounding but for one thing: where conflicts
share rows, the lightest hitting set is the optimum of an integer program, for which HiGHS is trusted. Conflicts are few
rows by their numbers, so that there is no `fold` over blocks.
"""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from separatrix import rows
from separatrix.certificates.arithmetic.hitting_set import proves_lower_bound
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.certificate import Printed
from separatrix.certificates.claims.overlap import Balance
from separatrix.certificates.claims.separator import Separator
from separatrix.certificates.claims.unproved import Unproved
from separatrix.errors import DataError, OptionError, counted
from separatrix.problem import Problem
from separatrix.problem.distinct import Distinct
from separatrix.rows import Vector, read_only


class MinimumErrors(Printed, int):
    """How few rows a plane can get wrong; as a number, what the best plane known gets wrong.

    A row is right where y (w.x + b) > 0; a row on the plane itself is wrong.

    Attributes
    ----------
    lower, upper : int
        No plane makes fewer errors than `lower`, and `plane` makes `upper`.
    proved : bool
        Whether both are the same.
    rows : ndarray of int
        The rows that the plane gets wrong. Without them the others are separable.
    plane : tuple of ndarray and float
        w and b.
    conflicts : list of lists of int
        Sets of rows that no plane separates, which prove the lower bound.
    copies : tuple of tuples of int
        For each row of each conflict, how many rows of its class are in its place, itself among them: what a plane pays
        for having it wrong. Empty in files of earlier versions.

    Examples
    --------
    >>> from separatrix import minimum_errors
    >>> found = minimum_errors([[0], [1], [2], [3]], list("abab"))
    >>> found == 1, found.proved, found.rows.size
    (True, True, 1)
    >>> print(found)
    MinimumErrors: 1 of 4 rows, proved
      wrong        row ...; a plane has every other row strictly on its own side
      at least 1   by 1 set of rows that no plane separates: ...
    No plane makes fewer errors. Plane and sets were checked without rounding; anyone can do it again.
    """

    lower: int
    rows: np.ndarray
    plane: tuple[Vector, float]
    balances: tuple[Balance, ...]
    n_rows: int
    fit_intercept: bool
    copies: tuple[tuple[int, ...], ...] = ()

    about_model: ClassVar[bool] = False
    optional_fields: ClassVar[tuple[str, ...]] = ("copies",)
    explanation: ClassVar[str] = (
        "A plane was found that gets only so many rows wrong, and sets of rows prove that no plane gets fewer wrong."
    )

    @classmethod
    def issue(
        cls,
        problem: Problem,
        plane: tuple[Vector, float],
        wrong: np.ndarray,
        lower: int,
        conflicts: list[Balance],
    ) -> Self:
        """State the claim that a plane gets only some rows wrong, and that no plane gets fewer than `lower` wrong."""
        claim = cls(wrong.size)
        claim.lower, claim.rows, claim.balances = lower, read_only(np.sort(wrong)), tuple(conflicts)
        claim.plane = read_only(np.array(plane[0])), float(plane[1])
        claim.n_rows, claim.fit_intercept = problem.n_rows, problem.fit_intercept
        claim.copies = count_copies(Distinct.of(problem), claim.balances)
        return claim

    @property
    def upper(self) -> int:
        """Errors of the plane."""
        return int(self)

    @property
    def proved(self) -> bool:
        """Whether no plane makes fewer errors than this one."""
        return self.lower == self.upper

    @property
    def proof(self) -> bool:
        """Whether the count is proved; every certificate has a `proof`."""
        return self.proved

    @property
    def stated(self) -> float:
        """How many errors fewer a plane may make, at most, as far as is known."""
        return float(self.upper - self.lower)

    @property
    def conflicts(self) -> list[list[int]]:
        """Sets of rows that no plane separates."""
        return [balance.index.tolist() for balance in self.balances]

    def error(self, problem: Problem) -> float:
        """How many errors fewer a plane may make, at most, from the rows; infinite where the claim fails."""
        if self.plane[0].shape != (problem.n_features,) or self.n_rows != problem.n_rows or problem.n_classes != 2:
            raise DataError(
                f"The count is for {self.n_rows:,} rows of {self.plane[0].size} features in two classes, but the "
                f"problem has {problem.shape} and {problem.n_classes} classes. Check it with the data that it is for."
            )
        others = np.setdiff1d(np.arange(problem.n_rows), self.rows)
        if others.size != problem.n_rows - self.upper:
            return np.inf
        if others.size and not Separator.issue(restrict(problem, others), *self.plane).proof:
            return np.inf
        inequalities = Inequalities(problem)
        if any(balance.residual(inequalities) > 0.0 for balance in self.balances):
            return np.inf
        distinct = Distinct.of(problem)
        if self.copies and self.copies != count_copies(distinct, self.balances):
            return np.inf
        sets = [distinct.group[balance.index] for balance in self.balances]
        return float(self.upper - self.lower) if proves_lower_bound(sets, distinct.counts, self.lower) else np.inf

    def quoted_by(self, model: Any) -> Unproved:
        """Let the certificate of a fitted model, which proves nothing itself, quote the lower bound.

        Parameters
        ----------
        model : fitted classifier
            Of two classes, such as a PocketPerceptron that was fitted to the same rows. Its `certificate_` is replaced
            by one that says the same and quotes the bound.

        Returns
        -------
        Unproved
            The new certificate; its `bound` is this count.

        Examples
        --------
        >>> from separatrix import PocketPerceptron, minimum_errors
        >>> X, y = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
        >>> model = PocketPerceptron(random_state=0).fit(X, y)
        >>> print(minimum_errors(X, y).quoted_by(model))
        Unproved: the plane in the pocket is the best that was seen; whether a better one exists is not known.
        At least 1 error is proved to be necessary, and this plane makes no more.
        """
        certificate = getattr(model, "certificate_", None)
        if not isinstance(certificate, Unproved) or certificate.w is None:
            raise OptionError(
                f"A bound is quoted by models whose certificate is Unproved. Got {type(model).__name__} with "
                f"{type(certificate).__name__}."
            )
        offset = bool(getattr(model, "fit_intercept", True))
        if np.shape(certificate.w) != self.plane[0].shape or (offset and not self.fit_intercept):
            raise DataError(
                f"The bound is for planes {'with' if self.fit_intercept else 'without'} an offset and "
                f"{counted(self.plane[0].size, 'feature')}, but the model has coef_ of shape {np.shape(model.coef_)} "
                f"and fit_intercept={offset}. Count errors for the data that the model is for."
            )
        made = certificate.stated * self.n_rows
        if made < np.inf and (abs(made - round(made)) > 1e-6 or (offset and round(made) < self.lower)):
            raise DataError(
                f"The model gets {certificate.stated:.3g} of its rows wrong, which cannot be of these {self.n_rows:,}, "
                f"of which any plane gets at least {self.lower:,} wrong. Count errors for its own rows."
            )
        model.certificate_ = replace(certificate, bound=self)
        return model.certificate_

    def to_dict(self) -> dict[str, Any]:
        """The claim in plain numbers, as JSON has them.

        The weights of each conflict prove that no plane separates its rows; `copies`, one number for each of the rows,
        are what a plane pays for getting them wrong.
        """
        w, b = self.plane
        copies: list[Any] = [list(own) for own in self.copies] or [None] * len(self.balances)
        return {
            "lower": self.lower,
            "upper": self.upper,
            "proved": self.proved,
            "rows": self.rows.tolist(),
            "plane": {"w": w.tolist(), "b": b},
            "conflicts": [
                {"rows": balance.index.tolist(), "weights": list(balance.weights), "copies": own}
                for balance, own in zip(self.balances, copies, strict=True)
            ],
            "n_rows": self.n_rows,
            "fit_intercept": self.fit_intercept,
        }

    def __repr__(self) -> str:
        return f"MinimumErrors({self.upper}{'' if self.proved else f', not below {self.lower}'})"

    def __format__(self, specification: str) -> str:
        return format(int(self), specification)

    def __str__(self) -> str:
        known = f"{self.upper:,}" if self.proved else f"{self.lower:,} to {self.upper:,}"
        lines = [f"MinimumErrors: {known} of {counted(self.n_rows, 'row')}{', proved' * self.proved}"]
        if self.rows.size:
            label = "wrong" if self.proved else f"at most {self.upper:,}"
            named = f"row{'s' * (self.rows.size > 1)} {listed(self.rows)}"
            lines.append(f"  {label:<12} {named}; a plane has every other row strictly on its own side")
        if self.balances:
            label, sets = f"at least {self.lower:,}", counted(len(self.balances), "set")
            lines.append(f"  {label:<12} by {sets} of rows that no plane separates{costs_in_words(self)}")
        return "\n".join([*lines, conclusion(self)])


def conflict_costs(claim: MinimumErrors) -> list[int]:
    """The least number of errors in each conflict: the copies of that of its rows that has the fewest."""
    return [min(copies) for copies in claim.copies] or [1] * len(claim.balances)


def disjoint_conflicts_suffice(claim: MinimumErrors) -> bool:
    """Whether no row is in two conflicts and their costs add up to the lower bound, so that no program is needed."""
    index = [row for conflict in claim.conflicts for row in conflict]
    return len(set(index)) == len(index) and sum(conflict_costs(claim)) >= claim.lower


def costs_in_words(claim: MinimumErrors) -> str:
    """What the conflicts cost, in words that let a reader add up the lower bound."""
    costs = conflict_costs(claim)
    if len(costs) == 1:
        shown = f": {listed(claim.balances[0].index)}"
        return shown if costs == [1] else f"{shown}, each of them there {costs[0]:,} times or more"
    if max(map(max, claim.copies), default=1) == 1:
        return ", each of which loses one"
    if disjoint_conflicts_suffice(claim):
        return f", which lose {listed(np.array(costs))}, as rows in one place count together"
    return ", each of which loses a row and all that are in its place"


def conclusion(claim: MinimumErrors) -> str:
    """What is proved, in words."""
    if not claim.proved:
        return "The search ended before the bounds met; allow more time to bring them together."
    if claim.upper == 0:
        return "A plane has every row strictly on its own side; anyone can check it again from the data."
    checked = "No plane makes fewer errors. Plane and sets were checked without rounding; anyone can do it again."
    trusted = "\nThat no fewer rows meet all of these sets is the answer of an integer program (HiGHS)."
    return checked + ("" if disjoint_conflicts_suffice(claim) else trusted)


def restrict(problem: Problem, index: np.ndarray) -> Problem:
    """The problem of some of the rows."""
    return Problem(rows.take(problem.X, index), problem.y[index], 2, problem.cost[index], problem.fit_intercept)


def count_copies(distinct: Distinct, conflicts: tuple[Balance, ...]) -> tuple[tuple[int, ...], ...]:
    """Count for each row of each conflict the rows of its class that equal it, itself among them."""
    return tuple(tuple(distinct.counts[distinct.group[each.index]].tolist()) for each in conflicts)


def listed(index: np.ndarray) -> str:
    """Write numbers of rows, only the first of them if there are many."""
    max_shown = 8
    return ", ".join(f"{row}" for row in index[:max_shown].tolist()) + (", ..." if index.size > max_shown else "")
