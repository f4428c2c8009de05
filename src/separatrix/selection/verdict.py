"""What a study says: the answer in plain sentences, and the rows that prove it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.errors import counted

if TYPE_CHECKING:
    from separatrix.selection.study import Study

MOST_ROWS, MOST_VALUES = 30, 8  # shown of the rows that prove a verdict


def verdict(study: "Study") -> list[str]:
    """The answer, the most important first."""
    entry, baseline = study.entry, study.comparison.baseline
    return [
        separated(study),
        f"On rows that it has not seen, {study.chosen} gets {percent(entry.mean)} wrong "
        f"(95 % interval {percent(entry.low)} to {percent(entry.high)}; as one of the best of "
        f"{len(study.comparison.ranked):,}, this is a little too good); always saying the most frequent class gets "
        f"{percent(baseline.mean)} wrong.",
        f"{study.why[:1].upper()}{study.why[1:]}",
        claim(study),
    ]


def percent(part: float) -> str:
    """A part as it is read aloud."""
    return f"{100 * part:.3g} %" if part < 0.0995 else f"{100 * part:.1f} %"


def separated(study: "Study") -> str:
    """Whether planes separate the classes, in a sentence."""
    found, two = study.separability, study.classes.size == 2
    if found.proved:
        proved = " This is proved in exact arithmetic."
    elif found.certificate.proof:
        proved = " This is proved; whether a plane does it with rows on it was not settled in the time."
    else:
        proved = " This is what floating point suggests."
    if found.kind == "complete":
        what = "a plane" if two else "planes, one for each class,"
        said = f"The classes are linearly separable: {what} can have every row on its own side.{proved}"
        if found.margin is not None:  # that of more than two classes is not known
            said += f" The widest margin there is, {found.margin:.4g}, is held by {counted(found.support.size, 'row')}."
        return said
    if found.kind == "quasi-complete":
        on, off = (
            f"{found.on_plane.size:,} of {counted(study.n_rows, 'row')}",
            "A logistic regression runs off to infinity.",
        )
        if two:
            what = (
                f"The classes are separable, but not strictly: any plane with no row on its wrong side has {on} on it."
            )
        else:
            what = f"The classes are separable only in part: planes with no row on a wrong side leave {on} undecided."
        return f"{what}{proved} {off}"
    none = "no plane" if two else "no set of planes, one for each class,"
    rows = counted(found.witness.size, "row")
    return f"The classes overlap: {none} has every row on its own side; {rows} alone are enough to show it.{proved}"


def claim(study: "Study") -> str:
    """What the certificate of the chosen classifier is worth, in a sentence."""
    certificate = study.classifier.certificate_
    kind = type(certificate).__name__
    if proves_fit(certificate):
        most = max(certificate.stated, getattr(certificate, "doubt", 0.0))
        return (
            f"Fitted to all {counted(study.n_rows, 'row')}, its answer is certified ({kind}, error at most "
            f"{most:.2g}): anyone can recompute that from the data."
        )
    rows = counted(study.n_rows, "row")
    if certificate.proof:
        none = "no plane separates the classes" if study.classes.size == 2 else "not all classes can be separated"
        return (
            f"Its certificate ({kind}) proves of all {rows} that {none}; that its fit is the best of its kind is not "
            "proved."
        )
    return f"Its fit to all {rows} carries no proof ({kind}); what is stated are facts about these rows."


def witness_table(study: "Study") -> tuple[str, list[dict[str, Any]]]:
    """A title, and the rows that prove the verdict: those that overlap, those on the plane, or those on the margin."""
    found = study.separability
    if found.kind == "overlap":
        rows, weights, title = found.witness, found.weights, "The rows that prove the overlap"
    elif found.kind == "complete" and found.support.size:
        rows, weights, title = found.support, np.zeros(0), "The rows that hold the widest margin"
    elif found.kind == "complete":
        return "", []
    else:
        rows, weights, title = found.on_plane, np.zeros(0), "Rows on the plane"
    shown = rows[:MOST_ROWS]
    title += f" (the first {MOST_ROWS} of {rows.size:,})" if rows.size > MOST_ROWS else ""
    return title, [
        {
            "row": int(row),
            "class": str(study.y[row]),
            "weight": float(weights[i]) if weights.size else None,
            "values": values_of(found, int(np.flatnonzero(found.rows == row)[0])),
        }
        for i, row in enumerate(shown)
    ]


def values_of(found: Any, row: int) -> dict[str, float]:
    """The first features of a row, of a sparse one those that are not 0."""
    X = found.problem.X
    if isinstance(X, np.ndarray):
        return {name: float(value) for name, value in zip(found.feature_names[:MOST_VALUES], X[row], strict=False)}
    own = slice(X.indptr[row], min(X.indptr[row + 1], X.indptr[row] + MOST_VALUES))
    return {found.feature_names[j]: float(v) for j, v in zip(X.indices[own], X.data[own], strict=True)}
