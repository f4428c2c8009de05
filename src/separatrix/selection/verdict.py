"""The conclusions of a study in sentences, and the rows that prove them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.errors import counted
from separatrix.selection import findings

if TYPE_CHECKING:
    from separatrix.selection.study import Study

MAX_ROWS_SHOWN, MAX_VALUES_SHOWN = 30, 8  # of the rows that prove a verdict


def verdict(study: "Study") -> list[str]:
    """Separability, error rate, choice of the classifier and its certificate, a sentence or two each."""
    entry, baseline = study.entry, study.comparison.baseline
    return [
        separability_sentence(study),
        f"On rows that it has not seen, {study.chosen} gets {percent(entry.mean)} wrong "
        f"(95 % interval {percent(entry.low)} to {percent(entry.high)}; as one of the best of "
        f"{len(study.comparison.ranked):,}, this is a little too good); always saying the most frequent class gets "
        f"{percent(baseline.mean)} wrong.",
        f"{study.why[:1].upper()}{study.why[1:]}",
        certificate_sentence(study),
    ]


def percent(part: float) -> str:
    """A fraction in percent with three digits."""
    return f"{100 * part:.3g} %" if part < 0.0995 else f"{100 * part:.1f} %"


def separability_sentence(study: "Study") -> str:
    """Whether planes separate the classes, and whether that is proved."""
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
        on = f"{found.on_plane.size:,} of {counted(study.n_rows, 'row')}"
        if two:
            what = (
                f"The classes are separable, but not strictly: any plane with no row on its wrong side has {on} on it."
            )
        else:
            what = f"The classes are separable only in part: planes with no row on a wrong side leave {on} undecided."
        return f"{what}{proved} The maximum likelihood of a logistic regression is not attained."
    if found.kind == "undecided" and not found.witness.size:
        return "Whether planes separate the classes is undecided: neither planes nor a proof were found in the time."
    none = "no plane" if two else "no set of planes, one for each class,"
    rows = counted(found.witness.size, "row")
    lead = "overlap" if found.proved else "are not separable"
    return f"The classes {lead}: {none} has every row on its own side; {rows} alone are enough to show it.{proved}"


def certificate_sentence(study: "Study") -> str:
    """What the certificate of the chosen classifier proves."""
    certificate = study.classifier.certificate_
    if certificate.proof and not proves_fit(certificate):
        none = "no plane separates the classes" if study.classes.size == 2 else "not all classes can be separated"
        return (
            f"Its certificate ({type(certificate).__name__}) proves of all {counted(study.n_rows, 'row')} that {none}; "
            "that its fit is the best of its kind is not proved."
        )
    return findings.certificate_sentence(certificate, study.n_rows)


def witness_table(study: "Study") -> tuple[str, list[dict[str, Any]]]:
    """A title, and the rows that prove the verdict: those that overlap, those on the plane, or those on the margin."""
    found = study.separability
    if found.kind in ("overlap", "undecided"):
        rows, weights, title = found.witness, found.weights, "The rows that prove the overlap"
    elif found.kind == "complete" and found.support.size:
        rows, weights, title = found.support, np.zeros(0), "The rows that hold the widest margin"
    elif found.kind == "complete":
        return "", []
    else:
        rows, weights, title = found.on_plane, np.zeros(0), "Rows on the plane"
    shown = rows[:MAX_ROWS_SHOWN]
    title += f" (the first {MAX_ROWS_SHOWN} of {rows.size:,})" if rows.size > MAX_ROWS_SHOWN else ""
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
    """The first features of a row by name; of a sparse row the first that are not 0."""
    X = found.problem.X
    if isinstance(X, np.ndarray):
        return {name: float(value) for name, value in zip(found.feature_names[:MAX_VALUES_SHOWN], X[row], strict=False)}
    own = slice(X.indptr[row], min(X.indptr[row + 1], X.indptr[row] + MAX_VALUES_SHOWN))
    return {found.feature_names[j]: float(v) for j, v in zip(X.indices[own], X.data[own], strict=True)}
