"""Figures, replays of recorded runs, and the page of a study.

The names below are imported when they are first used, so that `import separatrix.report` stays quick; matplotlib is
loaded only when a figure is drawn.
"""

from importlib import import_module
from typing import Any

MODULES = {
    "Replay": "animation.replay",
    "calibration_chart": "charts.thresholds.calibration_chart",
    "choice_chart": "charts.choice.choice_chart",
    "claims_chart": "charts.claims_chart",
    "coefficient_chart": "charts.coefficient_chart",
    "confusion_chart": "charts.confusion_chart",
    "convergence": "charts.convergence",
    "decision_line": "charts.decision_line",
    "decision_surface": "charts.decision_surface",
    "error_curve": "charts.error_curve",
    "error_map": "charts.error_map",
    "hull_chart": "charts.reduced_hulls",
    "inline_svg": "page.svg",
    "margin_histogram": "charts.margin_histogram",
    "path_curves": "charts.path_curves",
    "precision_recall_chart": "charts.thresholds.precision_recall_chart",
    "predicted_chart": "charts.regression.predicted_chart",
    "replay": "animation.replay",
    "report_page": "page.page",
    "residual_chart": "charts.regression.residual_chart",
    "residual_histogram": "charts.regression.residual_histogram",
    "roc_chart": "charts.thresholds.roc_chart",
    "score_histogram": "charts.novelty.score_histogram",
    "separation_view": "charts.separation_view",
    "tube_chart": "charts.regression.tube_chart",
}
__all__ = list(MODULES)


def __getattr__(name: str) -> Any:
    """Import the module that defines a public name of this package (PEP 562)."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *MODULES])
