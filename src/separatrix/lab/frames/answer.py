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
    planes = shown_planes(model)
    n_wrong = wrong_rows(setting, model).size
    values = {"wrong": n_wrong, **parts.pop("values", {})}
    if planes is None:
        parts["field"] = field_of(setting.view, model.decision_function)
    return frame(number, f"{text} {setting.outcome(n_wrong)}", planes, values=values, **parts)


def shown_planes(model: Any) -> Any:
    """[w, b] of each plane of a fitted model; None where it has none."""
    if not hasattr(model, "coef_"):
        return None
    return np.column_stack([model.coef_, model.intercept_])


def wrong_rows(setting: Setting, model: Any) -> np.ndarray:
    """The rows of the problem that a fitted model predicts wrongly."""
    rows = setting.encoded.kept
    return np.flatnonzero(model.predict(setting.question.X[rows]) != setting.encoded.classes[setting.problem.y])
