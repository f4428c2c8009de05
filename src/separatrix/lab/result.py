"""What a fit found, as a page draws it: planes or scores, support rows, wrong rows, the certificate and its meaning."""

from typing import Any

import numpy as np

from separatrix.certificates.claims.bound import quoted
from separatrix.errors import counted
from separatrix.lab import snippets
from separatrix.lab.drawing import page_order
from separatrix.lab.drawing.field import field
from separatrix.lab.drawing.hulls import hulls
from separatrix.lab.drawing.support import support
from separatrix.lab.fitting import Fit
from separatrix.lab.question import Question
from separatrix.rows import Vector

SCORES_OF_THE_MARGIN = 1.0  # of every machine that has a margin, that of nu divided by its rho


def result(question: Question, fit: Fit) -> dict[str, Any]:
    """The fit as a page is sent it."""
    model, claim = fit.model, fit.model.certificate_
    wrong = wrong_rows(question, model)
    return {
        "kind": "result",
        "call": question.call,
        "seconds": fit.seconds,
        "n_iter": int(np.max(getattr(model, "n_iter_", 0))),
        "classes": page_order.codes(question),
        **drawing(question, model),
        "margin": SCORES_OF_THE_MARGIN if has_margin(model) else None,
        "support": support(question, model),
        "wrong": wrong.tolist(),
        "errors": int(wrong.size),
        "accuracy": None if question.is_novelty else 1.0 - wrong.size / len(question.X),
        "proof": bool(claim.proof),
        "certificate": {
            "name": type(claim).__name__,
            "lines": str(claim),
            "sentence": claim.explanation,
            "error": finite(claim.stated),
        },
        "warning": " ".join(fit.warnings) or None,
        "status": status(question, wrong.size, claim),
        "stopped": stopped(claim),
        "note": note(question),
        "hulls": hulls(question, model),
        "python": snippets.python(question),
        "command": snippets.command(question),
    }


def drawing(question: Question, model: Any) -> dict[str, Any]:
    """Planes of the classes, or of pairs of them, or scores on a grid where there are none."""
    nothing: dict[str, Any] = {"planes": None, "pairs": None, "field": None}
    if not hasattr(model, "coef_") or question.is_novelty:
        return nothing | {"field": field(question, model.decision_function)}
    w, b = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    k = len(question.classes)
    if k == 2 or not by_pairs(model):
        return nothing | {"planes": page_order.planes(question, w, b)}
    return nothing | page_order.pairs(question, -w, -b)  # scikit-learn's signs are positive for the first of a pair


def by_pairs(model: Any) -> bool:
    """Whether a model of several classes has a plane for each two of them, which vote."""
    k = model.classes_.size
    return k > 2 and len(model.coef_) == k * (k - 1) // 2 and hasattr(model, "n_support_") and not has_rest(model)


def has_rest(model: Any) -> bool:
    """Whether a model has a plane for each class, although there are as many pairs as classes."""
    return hasattr(model, "multi_class")


def has_margin(model: Any) -> bool:
    """Whether rows are to be beyond the scores -1 and 1, as those of support vector machines and hulls are."""
    trivial = hasattr(model, "coef_") and not np.any(model.coef_)
    return hasattr(model, "dual_coef_") and hasattr(model, "classes_") and hasattr(model, "tol") and not trivial


def wrong_rows(question: Question, model: Any) -> np.ndarray:
    """The rows that the model predicts wrongly; of a detector, those that it calls novel."""
    predicted = model.predict(question.X)
    return np.flatnonzero(predicted < 0 if question.is_novelty else predicted != question.labels)


def status(question: Question, n_wrong: int, claim: Any) -> str:
    """What came out, in a sentence."""
    n, proved = counted(len(question.X), "point"), "Proved." if claim.proof else "Not proved."
    if question.is_novelty:
        return f"{n_wrong:,} of {n} outside. {proved}"
    if not n_wrong:
        return f"All {n} are on their own side. {proved}"
    return f"{n_wrong:,} of {n} {'is' if n_wrong == 1 else 'are'} on the wrong side. {proved}"


def stopped(claim: Any) -> str:
    """Why the method stopped where it did, by what its certificate claims."""
    parts = getattr(claim, "parts", None) or (claim,)
    kind = type(max(parts, key=lambda part: (not part.proof, part.stated))).__name__
    if not claim.proof:
        reason = next((part.reason for part in parts if hasattr(part, "reason")), "")
        reason = reason or next((part.shortfall for part in parts if hasattr(part, "shortfall")), "")
        reason = reason or "its claim is not proved"
        return f"It stopped without a proof: {reason}."
    told = {
        "Separator": "every row is on its own side, so that nothing is left to correct",
        "Overlap": "some rows prove that no plane separates the classes",
        "InteriorOverlap": "some rows prove that no plane separates the classes",
        "DualityGap": f"no other answer is better by more than {quoted(claim)} of its objective, which is proved",
        "NearestPoint": f"the two points are proved to be the nearest, within {quoted(claim)} of their distance",
        "Stationary": f"the equations of the optimum hold, within {quoted(claim)}",
        "WeakSeparator": "no row is on the wrong side, and no plane has them all strictly on their own",
    }
    return f"It stopped because {told.get(kind, 'its certificate holds')}."


def note(question: Question) -> str | None:
    """What a reader must know besides."""
    if question.weights is None or question.weighted:
        return None
    return "This rule knows no weights, so that every point counts once, whatever its size."


def finite(value: Any) -> float | None:
    """A number as JSON has it; None for what is not finite."""
    return float(value) if np.isfinite(value) else None


def score_of(model: Any, X: Vector) -> Vector:
    """The scores of points."""
    return np.asarray(model.decision_function(X), dtype=np.float64)
