"""What all studies share: the table and what was done to it, the model fitted to all rows, and how to repeat it."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from separatrix.certificates.claims.bound import bound_of, quoted
from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.data.prepare.prepared_column import PreparedColumn
from separatrix.data.suspects import SuspectColumn
from separatrix.errors import counted, first_few
from separatrix.estimators.base import gathered
from separatrix.estimators.calibration.threshold import without_threshold

MAX_CERTIFIED_ERROR = 1e-3  # relative error beyond which a bound is no optimum

PACKAGES = ("separatrix", "numpy", "scipy", "scikit-learn", "numba", "python-flint")

Progress = Callable[[int, int, str], None]


class WholeFit(NamedTuple):
    """What a sample of rows has chosen, fitted to all of them: the pipeline, their number, and what was done."""

    model: Pipeline
    n_rows: int
    sentence: str


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FittedRows:
    """The rows of a study and the model that was fitted to them; where they are a sample, the fit to all rows too."""

    X: Any  # the features that were made of the columns
    model: Pipeline  # the preparation and the chosen estimator, fitted to these rows
    whole: WholeFit | None = None  # to all rows, where these are a sample of them

    @property
    def fitted(self) -> Any:
        """The chosen estimator, fitted to the features; of one with a threshold of its own, the one inside."""
        return without_threshold(self.model[-1])

    @property
    def stored(self) -> Pipeline:
        """The preparation and the chosen estimator as they are stored: fitted to all rows."""
        return self.model if self.whole is None else self.whole.model

    @property
    def certified(self) -> Any:
        """The estimator that is stored, with the certificate of its fit to all rows."""
        return without_threshold(self.stored[-1])

    @property
    def n_fitted(self) -> int:
        """How many rows the model that is stored was fitted to."""
        return self.n_rows if self.whole is None else self.whole.n_rows

    @property
    def n_rows(self) -> int:
        """How many rows were compared on."""
        return int(self.X.shape[0])


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Findings(FittedRows):
    """The results of a study of any task."""

    name: str  # of the file
    target: str  # its column with the labels or numbers; empty where there is none
    columns: tuple[PreparedColumn, ...]  # the others, their kinds, and how each was prepared
    notes: list[str]  # sentences on rows that were held out, and on how columns were prepared
    feature_names: tuple[str, ...]
    why: str  # this estimator was chosen
    warnings: tuple[str, ...]  # of its fit
    seed: int
    seconds: float
    command: str = ""  # that repeats the study
    check: str = ""  # the command that recomputes the certificate
    use: tuple[str, ...] = ()  # the commands that predict new rows, and that score predictions of rows with labels
    suspects: tuple[SuspectColumn, ...] = ()  # columns that look like identifiers, or that alone decide the target
    test: Any = None  # of the choice, on rows that had no part in it; None where there were none
    lines: np.ndarray | None = None  # the lines of the rows in the file that they came from

    task: ClassVar[str]

    @property
    def verdict(self) -> list[str]:
        """The conclusions in a few sentences."""
        raise NotImplementedError

    @property
    def size(self) -> str:
        """Rows and features, and what is to be predicted, in one line."""
        sampled = "" if self.whole is None else f"{self.n_rows:,} of "
        return f"{sampled}{counted(self.n_fitted, 'row')}, {counted(len(self.feature_names), 'feature')}"

    @property
    def suspicions(self) -> list[str]:
        """Sentences on columns that look like identifiers, or that alone decide the target; one for each reason."""
        return suspicions(self.suspects)

    def line_of(self, row: int) -> int | None:
        """The line of a row in its file; None where the rows came from elsewhere."""
        return None if self.lines is None else int(self.lines[row])

    def row_name(self, row: int) -> str:
        """What a row is called: by its line, or by its number from 0."""
        line = self.line_of(row)
        return f"row {row:,}" if line is None else f"line {line:,}"

    @property
    def counting(self) -> str:
        """A sentence on how rows are numbered."""
        if self.lines is None:
            return "Rows are counted from 0." if self.whole is None else "Rows are counted from 0 in the sample."
        where = f"Rows are named by their lines in {self.name}, in which the header comes first"
        return f"{where}; certificates count them from 0."

    @property
    def versions(self) -> dict[str, str]:
        """The versions of Python and of the packages that were used."""
        return {"python": platform.python_version()} | {name: version(name) for name in PACKAGES}

    @property
    def table(self) -> Any:
        """The table to show on a terminal: what `str` and rich know how to write."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The findings in plain values."""
        raise NotImplementedError

    @property
    def certificate(self) -> dict[str, Any]:
        """The certificate of the fit in plain values."""
        claim = self.certified.certificate_
        return {
            "kind": type(claim).__name__,
            "error": claim.stated,
            "bound": bound_of(claim),
            "proof": claim.proof,
            "proves_fit": proves_fit(claim),
        }


def prepared_fields(prepared: Any, note: str) -> dict[str, Any]:
    """The fields of a study on its columns, and a note on the rows that were held out, if there is one."""
    return {
        "columns": prepared.columns_,
        "notes": [*filter(None, [note]), *prepared.notes_],
        "feature_names": prepared.feature_names_out_,
    }


def sampled_fields(found: Findings) -> dict[str, Any]:
    """How many rows there are and what was done, where those that were compared on are a sample."""
    return {} if found.whole is None else {"all_rows": found.whole.n_rows, "sampled": found.whole.sentence}


def model_words(found: Findings) -> str:
    """To which rows the model was fitted, and whether the test figures are about that very model."""
    rows = counted(found.n_fitted, "row")
    if found.whole is not None:
        tested = (
            "" if found.test is None else " The test figures are those of the same choice fitted to the sample alone."
        )
        return f"{found.whole.sentence}{tested}"
    if found.test is None:
        return f"The model was fitted to all {rows}."
    if found.test.source:
        return f"The model was fitted to all {rows}, and the test figures are those of this very model."
    return (
        f"The model was in the end fitted to all {rows}, the test rows among them. The test figures are those of the "
        f"same choice fitted to the other {found.test.n_train:,}, and likely a little worse than its own."
    )


SEVERAL_SUSPECTS = {
    "identifier": "look like identifiers, of which nothing holds for other rows: leave them out (--drop), or carry "
    "them through to the predictions (--id).",
    "decides the target": "each decide the target alone. If they are known only after the target is, every figure here "
    "is too good: leave them out (--drop).",
}


def suspicions(suspects: tuple[SuspectColumn, ...]) -> list[str]:
    """A sentence for each reason to suspect columns; one column has its own.

    >>> twins = tuple(SuspectColumn(name, "identifier", "...") for name in ("id", "nr"))
    >>> suspicions(twins)[0][:28]
    "'id', 'nr' look like identif"
    """
    found = []
    for reason, words in SEVERAL_SUSPECTS.items():
        own = [each for each in suspects if each.reason == reason]
        names = first_few([repr(each.name) for each in own], most=4)
        found += [own[0].sentence] if len(own) == 1 else [f"{names} {words}"] if own else []
    return found


def fit_and_collect_warnings(estimator: Any, X: Any, y: np.ndarray | None) -> tuple[str, ...]:
    """Fit an estimator, to rows alone where there is no y; returns its warnings."""
    messages: list[str] = []
    token = gathered.set(messages)
    try:
        if y is None:
            estimator.fit(X)
        else:
            estimator.fit(X, y)
    finally:
        gathered.reset(token)
    return tuple(messages)


def certificate_sentence(claim: Any, n_rows: int) -> str:
    """What the certificate of a fit to all rows proves."""
    rows = counted(n_rows, "row")
    if proves_fit(claim):
        if bound_of(claim) > MAX_CERTIFIED_ERROR:
            return (
                f"Fitted to all {rows}, it is proved to be within {quoted(claim)} of the best fit of its kind, and no "
                "nearer: more time may bring it closer."
            )
        to = f" to {quoted(claim)} of its objective" if bound_of(claim) else ""
        return f"Fitted to all {rows}, it is proved to be the best fit of its kind{to}; anyone can check that again."
    return f"That its fit to all {rows} is the best of its kind is not proved."
