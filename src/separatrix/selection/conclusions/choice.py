"""Which classifier of a comparison is chosen, with which C, and why."""

from typing import Any

import numpy as np

from separatrix.errors import counted
from separatrix.selection.comparison import Comparison, Entry
from separatrix.selection.conclusions.verdict import percent
from separatrix.selection.measures.metrics import Metric
from separatrix.selection.tuned import Tuned, n_settings
from separatrix.selection.validation_curve import ValidationCurve


def choose_classifier(comparison: Comparison, estimator: Any, path: ValidationCurve) -> tuple[Any, str]:
    """The chosen classifier, unfitted, and why; its C is changed only where that lessens the error clearly.

    One that has chosen its options itself keeps them.
    """
    entry = comparison.chosen
    best, others = comparison.best, [other for other in comparison.ranked if other is not comparison.best]
    similar = sum(not other.differs for other in others)
    tuned = " and ".join(each.name for each in comparison.ranked if isinstance(each.estimator, Tuned))
    options = f", {tuned} tuned and the others at their defaults" if tuned else " at their defaults"
    why = f"{best.name} has the {best_of(best.metric)} of {counted(1 + len(others), 'classifier')}{options}, "
    why += f"{value_of(best)}"
    why += f", but {similar:,} of the others are not shown to be worse." if similar else "."
    if entry is not best:
        name = f"{entry.name[:1].upper()}{entry.name[1:]}"
        why += f" {name}, {value_of(entry)}, is within one standard error of it, and its fits are proved."
    if isinstance(entry.estimator, Tuned):
        return estimator, f"{why} {tuning_sentence(entry.estimator, estimator)}"
    if not hasattr(estimator, "C"):
        return estimator, why
    at_best, at_default = int(np.argmin(path.mean)), int(np.argmin(np.abs(np.log(path.values / estimator.C))))
    standard_error = float(path.errors[at_best].std(ddof=1)) / np.sqrt(path.errors.shape[1])
    if path.mean[at_default] - path.mean[at_best] > standard_error:
        gain = "lessens its error" if entry.metric.name == "error" else f"improves its {entry.metric.title}"
        why += f" C = {path.best:g} instead of {estimator.C:g} {gain} by more than one standard error."
        estimator.C = path.best
    return estimator, why


def best_of(metric: Metric) -> str:
    """What the best classifier has."""
    return "least cross-validated error" if metric.name == "error" else f"best cross-validated {metric.title}"


def value_of(entry: Entry) -> str:
    """The metric of a classifier with its unit."""
    return percent(entry.score) if entry.metric.in_percent else entry.metric.text(entry.mean)


def tuning_sentence(tuned: Tuned, estimator: Any) -> str:
    """Which options were chosen, out of how many settings, and where."""
    grid = tuned.grid(np.eye(2))
    chosen = " and ".join(f"{name} = {getattr(estimator, name):.4g}" for name in grid)
    return (
        f"Its {chosen} err least of {n_settings(grid)} settings; in the comparison they were chosen within the "
        "training rows of each fold."
    )
