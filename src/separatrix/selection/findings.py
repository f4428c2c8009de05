"""What all studies share: the table and what was done to it, the model fitted to all rows, and how to repeat it."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np
from sklearn.pipeline import Pipeline

from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.data.prepare.prepared_column import PreparedColumn
from separatrix.errors import counted
from separatrix.estimators.base import gathered

MAX_CERTIFIED_ERROR = 1e-3  # relative error beyond which a bound is no optimum

PACKAGES = ("separatrix", "numpy", "scipy", "scikit-learn", "numba", "python-flint")

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Findings:
    """The results of a study of any task."""

    name: str  # of the file
    target: str  # its column with the labels or numbers; empty where there is none
    columns: tuple[PreparedColumn, ...]  # the others, their kinds, and how each was prepared
    notes: list[str]  # sentences on how they were prepared
    feature_names: tuple[str, ...]
    X: Any  # the features that were made of the columns
    model: Pipeline  # the preparation and the chosen estimator, fitted to all rows
    why: str  # this estimator was chosen
    warnings: tuple[str, ...]  # of its fit
    seed: int
    seconds: float
    command: str  # that repeats the study
    check: str = ""  # the command that recomputes the certificate

    task: ClassVar[str]

    @property
    def fitted(self) -> Any:
        """The chosen estimator, fitted to the features."""
        return self.model[-1]

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return int(self.X.shape[0])

    @property
    def verdict(self) -> list[str]:
        """The conclusions in a few sentences."""
        raise NotImplementedError

    @property
    def size(self) -> str:
        """Rows and features, and what is to be predicted, in one line."""
        return f"{counted(self.n_rows, 'row')}, {counted(len(self.feature_names), 'feature')}"

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
        claim = self.fitted.certificate_
        return {
            "kind": type(claim).__name__,
            "error": claim.stated,
            "proof": claim.proof,
            "proves_fit": proves_fit(claim),
        }


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
    kind, rows = type(claim).__name__, counted(n_rows, "row")
    if proves_fit(claim):
        error = max(claim.stated, getattr(claim, "rounding", 0.0))
        if error > MAX_CERTIFIED_ERROR:
            return (
                f"Fitted to all {rows}, its answer is proved to be within {error:.2g} of the optimum ({kind}), and no "
                "nearer: more time may bring it closer."
            )
        return (
            f"Fitted to all {rows}, its answer is certified ({kind}, error at most {error:.2g}): anyone can recompute "
            "that from the data."
        )
    return f"Its fit to all {rows} carries no proof ({kind}); what is stated are facts about these rows."
