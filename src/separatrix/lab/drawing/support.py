"""Support rows of a machine: how much each counts, and whether it counts as much as it may."""

from typing import Any

import numpy as np

from separatrix.estimators.reduction.in_pairs import by_pairs
from separatrix.lab.question import Question
from separatrix.rows import Vector

BOUND_RTOL = 1e-6  # relative distance of alpha from its bound up to which a row counts as bounded


def support(question: Question, model: Any) -> dict[str, Any] | None:
    """The support rows with the largest alpha of each over all planes; None of a model that has no such rows."""
    if getattr(model, "dual_coef_", None) is None or not hasattr(model, "support_"):
        return None
    rows = np.asarray(model.support_)
    alpha = np.abs(coefficients(question, model))
    upper = bounds(question, model, rows)
    most = np.full(alpha.shape, np.inf) if upper is None else (1.0 - BOUND_RTOL) * upper
    bounded: np.ndarray = np.any(alpha >= most, axis=0)
    order = np.argsort(rows, kind="stable")
    return {
        "rows": rows[order].tolist(),
        "alpha": alpha.max(axis=0, initial=0.0)[order].tolist(),
        "bounded": bounded[order].tolist(),
    }


def coefficients(question: Question, model: Any) -> Vector:
    """The coefficients of the support rows, one row for each plane or pair."""
    pairs = getattr(question.row, "by_pairs", False) and len(question.classes) > 2 and not question.is_novelty
    return by_pairs(model.dual_coef_, model.n_support_) if pairs else np.atleast_2d(model.dual_coef_)


def bounds(question: Question, model: Any, rows: np.ndarray) -> Vector | None:
    """What alpha of each support row may be at most, for each plane or pair; None where nothing bounds it."""
    weights = question.weights[rows] if question.weighted and question.weights is not None else np.ones(rows.size)
    if question.is_novelty:
        total = float(question.weights.sum()) if question.weighted and question.weights is not None else len(question.X)
        scale = 1.0 / (model.nu * total) if hasattr(model, "radius_") else 1.0
        return scale * weights[None, :]
    if hasattr(model, "distance_"):
        distance, mu = np.atleast_1d(model.distance_), np.atleast_1d(model.mu_)
        if not distance.all():
            return None
        return (2.0 * mu / distance**2)[:, None] * weights
    most = getattr(model, "equivalent_C_", None)
    if most is None:
        if getattr(model, "loss", "hinge") != "hinge" or not hasattr(model, "C"):
            return None
        joint_pair = getattr(model, "multi_class", "rest") == "crammer_singer" and len(question.classes) == 2
        most = 2.0 * model.C if joint_pair else model.C
    most = np.atleast_1d(most)
    return most[:, None] * weights if np.isfinite(most).any() else None
