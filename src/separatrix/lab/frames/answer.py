"""Frames of what has no iterates to show: before the fit, and the fitted model."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from separatrix.lab.frames.grid import field_of
from separatrix.lab.frames.recording import Frame, Recording, frame
from separatrix.lab.frames.setting import Setting


def answer(setting: Setting) -> Recording:
    """The recording of a fit with nothing between its start and its answer."""
    model = setting.fit()
    return Recording("step", 1, two_frames(setting, model), model, setting.note, setting.warnings)


def two_frames(setting: Setting, model: Any) -> Iterator[Frame]:
    """The rows alone, and the fitted model."""
    yield frame(0, "The rows, before anything was learnt.")
    yield fitted_frame(setting, model, 1, "The answer.")


def fitted_frame(setting: Setting, model: Any, number: int, text: str, **parts: Any) -> Frame:
    """A frame of a fitted model: its planes, or the field of its scores."""
    planes = shown_planes(setting, model)
    if planes is None:
        parts["field"] = field_of(setting.view, model.decision_function)
    by_scores = planes is None or setting.is_novelty
    n_wrong = n_mistaken(setting, model) if by_scores else setting.n_wrong(planes)
    values = {"wrong": n_wrong, **parts.pop("values", {})}
    return frame(number, f"{text} {setting.outcome(n_wrong)}", planes, pairs=setting.pairs, values=values, **parts)


def certified_values(model: Any, place: int = 0) -> dict[str, Any]:
    """The values that a model's certificate compares; of several machines, those of one of them."""
    claim: Any = model.certificate_
    claims = getattr(claim, "parts", (claim,))
    claim = claims[place] if place < len(claims) else claims[0]
    if hasattr(claim, "primal"):
        return {"primal": claim.primal, "dual": claim.dual, "gap": claim.primal - claim.dual}
    if hasattr(claim, "distance") and hasattr(claim, "bound"):
        return {"distance": claim.distance, "lower": max(0.0, claim.bound)}
    return {}


def shown_planes(setting: Setting, model: Any) -> Any:
    """[w, b] of each plane of a fitted model; None where it has none.

    Planes of pairs have the later class where g is positive; `coef_` has the earlier one there.
    """
    if not hasattr(model, "coef_"):
        return None
    planes = np.column_stack([model.coef_, model.intercept_])
    return -planes if setting.in_pairs else planes


def n_mistaken(setting: Setting, model: Any) -> int:
    """How many rows of the problem a fitted model predicts wrongly."""
    rows = setting.encoded.kept
    if setting.is_novelty:
        return int(np.count_nonzero(model.predict(setting.question.X[rows]) < 0))
    wrong = model.predict(setting.question.X[rows]) != setting.encoded.classes[setting.problem.y]
    return int(np.count_nonzero(wrong))
