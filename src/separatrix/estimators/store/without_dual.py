"""Leave the dual variables of a model out of its file: a number for each support row, which predictions do not need.

Without them the plane, the objective that it reaches and the gap that was proved are still known. `verify` then
recomputes the objective from data, and cannot recompute the bound that no plane is below.
"""

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from separatrix.certificates import Collected, DualityGap
from separatrix.errors import OptionError, option

LEFT_OUT = "_dual_left_out"  # the attribute that says so
OF_ROWS = ("support_", "dual_coef_", "inside_margin_", "slacks_")  # attributes with an entry for each row, or each


def without_dual(model: Any) -> Any:
    """A copy of a fitted model, or of a pipeline, whose certificates and attributes hold nothing of single rows.

    A kernel machine, which predicts by its dual variables, is refused; a model that has none is returned as it is.

    >>> from separatrix import LinearSVM
    >>> model = LinearSVM().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    >>> without_dual(model).certificate_.alpha.size, model.certificate_.alpha.size
    (0, 4)
    """
    if type(model).__name__ == "Pipeline":
        whole = copy(model)
        whole.steps = [*model.steps[:-1], (model.steps[-1][0], without_dual(model.steps[-1][1]))]
        return whole
    if hasattr(model, "support_vectors_") or getattr(model, "kernel", None) is not None:
        raise OptionError(
            f"{type(model).__name__} predicts by its dual variables, so that they cannot be left out: "
            f"leave {option('dual', False)} out."
        )
    claim = getattr(model, "certificate_", None)
    if not has_dual(claim):
        return model
    short = copy(model)
    short.certificate_ = shortened(claim)
    for name in OF_ROWS:
        value = getattr(model, name, None)
        if isinstance(value, np.ndarray) and name in vars(model):
            setattr(short, name, value[..., :0])
    if hasattr(model, "estimators_"):
        short.estimators_ = [without_dual(each) for each in model.estimators_]
    setattr(short, LEFT_OUT, True)
    return short


def has_dual(claim: Any) -> bool:
    """Whether a certificate holds dual variables of rows."""
    if isinstance(claim, Collected):
        return any(map(has_dual, claim.parts))
    if not isinstance(claim, DualityGap) or claim.kernel is not None:
        return False
    return claim.support.size > 0 or (claim.rule is not None and claim.rule.support.size > 0)


def shortened(claim: Any) -> Any:
    """A certificate without the dual variables."""
    if isinstance(claim, Collected):
        return replace(claim, parts=tuple(map(shortened, claim.parts)))
    if not has_dual(claim):
        return claim
    return replace(claim, support=claim.support[:0], alpha=claim.alpha[:0], rule=None)
