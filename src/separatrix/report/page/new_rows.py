"""The section of a page on test rows: what was measured on them, beside the cross-validation, and the threshold."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.report.page.markup import percent, sentence, table
from separatrix.report.page.sections import section
from separatrix.selection.conclusions.left_out import left_out_loss
from separatrix.selection.conclusions.verdict import class_name, shown
from separatrix.selection.findings import model_words
from separatrix.selection.held_out.threshold import Outcome, Wish
from separatrix.selection.regression.table import in_units

if TYPE_CHECKING:
    from separatrix.selection.regression.study import RegressionStudy
    from separatrix.selection.study import Study

BELIEVE = (
    "Believe the figures of the test rows, which had no part in any choice; those of the cross-validation were chosen "
    "by, so that they are likely too good."
)


def class_test(study: "Study") -> str:
    """What to expect of new rows: the metric on test rows and in cross-validation, and what the threshold does."""
    test, threshold = study.test, study.threshold
    words = f"<p>{BELIEVE} {sentence(model_words(study))}</p>" if test is not None else ""
    parts = [] if test is None else [figures(study)]
    parts += [] if threshold is None else [outcomes(study)]
    return section("test", "What to expect of new rows", "\n  ".join([*parts, words])) if parts else ""


def side_by_side(columns: dict[str, list[str]], names: list[str], label: str) -> str:
    """A table with a column for each set of rows, which is narrow enough for any page."""
    return table(["", *columns], list(zip(names, *columns.values(), strict=True)), range(1, len(columns) + 1), label)


def figures(study: "Study") -> str:
    """The metric of test rows and of the cross-validation, with their intervals."""
    test, entry, metric = study.test, study.entry, study.entry.metric
    assert test is not None

    def interval(low: float, high: float) -> str:
        return metric.interval(low, high) + (" %" if metric.in_percent else "") if np.isfinite(low) else "–"

    moved = study.threshold is not None and metric.by_predictions  # the interval is that without the threshold
    columns = {
        "test rows": [
            f"{test.n_rows:,}", shown(study, test.loss), interval(*test.interval), shown(study, test.guess),
        ],
        "cross-validated": [
            f"{study.comparison.index.size:,}",
            shown(study, left_out_loss(study)),
            "–" if moved else interval(entry.low, entry.high),
            shown(study, study.comparison.baseline.mean),
        ],
    }  # fmt: skip
    names = ["rows", sentence(metric.title, 40), "95 % interval", "by guessing"]
    return side_by_side(columns, names, "Test and cross-validation")


def outcomes(study: "Study") -> str:
    """What the threshold does to test rows and to cross-validated rows."""
    threshold = study.threshold
    assert threshold is not None
    given = {"test rows": threshold.test, "cross-validated": threshold.left_out}
    columns = {name: cells(own, threshold.wish) for name, own in given.items() if own is not None}
    name = sentence(class_name(study, threshold.code), 40)
    names = [f"found of {name}", "right when called", "false alarms", "missed"]
    names += [] if threshold.wish.recall is not None else ["cost"]
    words = f"<p>With a threshold of {threshold.value:.4g}, for {sentence(threshold.wish.words)}:</p>".replace(
        " %", "\u00a0%"
    )
    return words + side_by_side(columns, names, "What the threshold does")


def cells(own: Outcome, wish: Wish) -> list[str]:
    """The figures of a threshold on some rows."""
    parts = [percent(part) if np.isfinite(part) else "–" for part in (own.recall, own.precision)]
    counts = [f"{own.false_alarms:,} of {own.n_others:,}", f"{own.misses:,} of {own.hits + own.misses:,}"]
    cost = wish.false_alarm * own.false_alarms + wish.miss * own.misses
    return [*parts, *counts] if wish.recall is not None else [*parts, *counts, f"{cost:,g}"]


def number_test(study: "RegressionStudy") -> str:
    """What to expect of new rows: how far off predictions of test rows are, and those of the cross-validation."""
    test, entry = study.test, study.entry
    if test is None:
        return ""

    def figures_of(n: int, mean: float, ends: Any, others: tuple[float, float]) -> list[str]:
        interval = f"{in_units(ends[0])} to {in_units(ends[1])}" if np.isfinite(ends[0]) else "–"
        return [f"{n:,}", in_units(mean), interval, in_units(others[0]), f"{others[1]:.3f}".replace("-", "−")]

    columns = {
        "test rows": figures_of(test.n_rows, test.mean, test.interval, (test.root_mean_square, test.r2)),
        "cross-validated": figures_of(
            study.comparison.index.size, entry.mean, (entry.low, entry.high), (entry.root_mean_square, entry.r2)
        ),
    }
    names = ["rows", "off by", "95 % interval", "root mean square", "R²"]
    found = side_by_side(columns, names, "Test and cross-validation")
    return section("test", "What to expect of new rows", f"{found}\n  <p>{BELIEVE} {sentence(model_words(study))}</p>")
