"""What every certificate can do.

A certificate is a frozen dataclass whose annotations say what its fields are: model files hold it by them. Class
attributes tell files more, where there is need: `equal_lengths` names arrays that have as many entries as each other,
`with_columns` those of them that may have several columns, and `optional_fields` names fields that files of earlier
versions do not have.

A claim whose error is a sum or a maximum over rows has a `fold`, by which blocks of rows are checked one by one; its
`error(problem)` is that fold over one block.
"""

from html import escape
from typing import Any, Protocol

import numpy as np

from separatrix.errors import DataError
from separatrix.problem import Problem
from separatrix.problem.fold import Fold


class Printed:
    """A claim whose text a notebook shows in a box, with a mark where it is proved."""

    def _repr_html_(self) -> str:
        proved = bool(getattr(self, "proved", getattr(self, "proof", False)))
        return boxed(str(self), "proved" if proved else "not proved", proved)


def boxed(text: str, word: str, good: bool) -> str:
    """A text in a box for notebooks, with a word that says how it is to be taken."""
    tone = "#0a6b4c" if good else "#9a4300"
    return (
        f'<div style="border-left:4px solid {tone};padding:2px 0 2px 12px"><b style="color:{tone}">{word}</b>'
        f'<pre style="margin:2px 0;white-space:pre-wrap">{escape(text)}</pre></div>'
    )


class Certificate(Protocol):
    """A claim about a fit, whose error is recomputed from the problem alone."""

    @property
    def proof(self) -> bool:
        """Whether it proves something; if not, its text says why."""

    @property
    def about_model(self) -> bool:
        """Whether the claim is about the planes that were fitted, not about the classes alone."""

    @property
    def explanation(self) -> str:
        """What the claim means, in plain words for a reader of a report."""

    @property
    def stated(self) -> float:
        """The error when the claim was made, on the problem it was made for."""

    def error(self, problem: Problem) -> float:
        """How wrong the claim can be at most, from the problem alone."""

    def restated(self, problem: Problem) -> Any:
        """The claim with every figure that its text shows computed from the problem, whatever it said before."""


def about_all_rows(claim: Any, fold: Fold) -> Fold:
    """The fold of a claim about planes and a number of rows, which refuses blocks of other data."""

    def tally(block: Problem, first: int) -> tuple[int, Any]:
        check_shape(claim, block, claim.n_rows)
        if block.objective not in (None, claim.objective):
            return block.n_rows, None
        return block.n_rows, fold.tally(block, first)

    def merge(one: tuple[int, Any], other: tuple[int, Any]) -> tuple[int, Any]:
        known = one[1] is not None and other[1] is not None
        return one[0] + other[0], fold.merge(one[1], other[1]) if known else None

    def verdict(found: tuple[int, Any]) -> Any:
        if found[0] != claim.n_rows:
            raise DataError(f"The certificate is for {claim.n_rows} rows, but the blocks have {found[0]} in all.")
        return np.inf if found[1] is None else fold.verdict(found[1])

    return Fold(tally, merge, verdict)


def check_shape(claim: Any, problem: Problem, n_rows: int | None = None) -> None:
    """Refuse a problem with other planes, features or rows than a claim is about."""
    planes, asked = np.atleast_2d(claim.w).shape, (problem.n_planes, problem.n_features)
    if getattr(claim, "kernel", None) is not None:
        planes = asked  # the plane is made of rows
    if (*planes, claim.n_rows) != (*asked, problem.n_rows if n_rows is None else n_rows):
        raise DataError(
            f"The certificate is for {claim.n_rows} rows of {planes[1]} features and {planes[0]} plane(s), but the "
            f"problem has {problem.shape} and asks for {problem.n_planes}. Check it with the data that the model is "
            "for."
        )


def names_rows_once(support: np.ndarray, n_rows: int) -> bool:
    """Whether support rows are in order and among all rows: one named twice would have twice its bound."""
    return bool(np.all(np.diff(np.concatenate([[-1], support, [n_rows]])) > 0))
