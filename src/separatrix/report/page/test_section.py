"""The section of a page on test rows: what was measured on them, beside the cross-validation, and the threshold."""

from typing import TYPE_CHECKING, Any

from separatrix.errors import counted
from separatrix.report.page.markup import percent, sentence, table
from separatrix.report.page.sections import section
from separatrix.selection.conclusions.verdict import class_name, shown, threshold_sentence
from separatrix.selection.held_out.threshold import Outcome, Wish
from separatrix.selection.regression.table import in_units

if TYPE_CHECKING:
    from separatrix.selection.regression.study import RegressionStudy
    from separatrix.selection.study import Study

BELIEVE = "the figure to believe"


def class_test(study: "Study") -> str:
    """What to expect of new rows: the metric on test rows and in cross-validation, and what the threshold does."""
    test, threshold = getattr(study, "test", None), getattr(study, "threshold", None)
    parts = [] if test is None else [figures(study), f"<p>{sentence(study.model_words)}</p>"]
    parts += [] if threshold is None else [f"<p>{sentence(threshold_sentence(study))}</p>", outcomes(study)]
    return section("test", "What to expect of new rows", "\n  ".join(parts)) if parts else ""


def figures(study: "Study") -> str:
    """The metric of test rows and of the cross-validation, with their intervals."""
    test, entry, metric = study.test, study.entry, study.entry.metric
    assert test is not None
    guess = study.comparison.baseline

    def interval(low: float, high: float) -> str:
        return metric.interval(low, high).replace("nan to nan", "–") + (" %" if metric.in_percent else "")

    rows = [
        [
            f"test rows <b class='tag'>{BELIEVE}</b>",
            f"{test.n_rows:,}",
            shown(study, test.loss),
            interval(*test.interval),
            shown(study, test.guess),
        ],
        [
            "cross-validated <span class='tag plain'>chosen by it</span>",
            f"{study.comparison.index.size:,}",
            shown(study, study.left_out_loss),
            "–" if study.threshold is not None and metric.by_predictions else interval(entry.low, entry.high),
            shown(study, guess.mean),
        ],
    ]
    headings = ["", "rows", sentence(metric.title, 24), "95 % interval", "by guessing"]
    return table(headings, rows, range(1, 5), "Test and cross-validation")


def outcomes(study: "Study") -> str:
    """What the threshold does to cross-validated rows and to test rows."""
    threshold = study.threshold
    assert threshold is not None
    given = {"cross-validated, by which it was chosen": threshold.left_out, "test rows": threshold.test}
    rows = [[name, *cells(own, threshold.wish)] for name, own in given.items() if own is not None]
    name = sentence(class_name(study, threshold.code), 40)
    headings = ["", f"found of {name}", "right when called", "false alarms", "missed"]
    headings += [] if threshold.wish.recall is not None else ["cost"]
    return table(headings, rows, range(1, len(headings)), "What the threshold does")


def cells(own: Outcome, wish: Wish) -> list[str]:
    """The figures of a threshold on some rows."""
    parts = [percent(part) if part == part else "–" for part in (own.recall, own.precision)]
    counts = [f"{own.false_alarms:,} of {own.n_others:,}", f"{own.misses:,} of {own.hits + own.misses:,}"]
    cost = wish.false_alarm * own.false_alarms + wish.miss * own.misses
    return [*parts, *counts] if wish.recall is not None else [*parts, *counts, f"{cost:,g}"]


def number_test(study: "RegressionStudy") -> str:
    """What to expect of new rows: how far off predictions of test rows are, and those of the cross-validation."""
    test: Any = study.test
    if test is None:
        return ""
    entry = study.entry

    def line(name: str, n: int, mean: float, ends: Any, others: tuple[float, float]) -> list[str]:
        interval = f"{in_units(ends[0])} to {in_units(ends[1])}" if ends[0] == ends[0] else "–"
        return [name, f"{n:,}", in_units(mean), interval, in_units(others[0]), f"{others[1]:.3f}".replace("-", "−")]

    rows = [
        line(
            f"test rows <b class='tag'>{BELIEVE}</b>",
            test.n_rows,
            test.mean,
            test.interval,
            (test.root_mean_square, test.r2),
        ),
        line(
            "cross-validated <span class='tag plain'>chosen by it</span>",
            study.comparison.index.size,
            entry.mean,
            (entry.low, entry.high),
            (entry.root_mean_square, entry.r2),
        ),
    ]
    headings = ["", "rows", "off by", "95 % interval", "rms", "R²"]
    found = table(headings, rows, range(1, 6), "Test and cross-validation")
    source = f" They come from {sentence(test.source, 60)}." if test.source else ""
    words = (
        f"<p>{sentence(study.model_words)} {counted(test.n_rows, 'test row')} had no part in any choice.{source}</p>"
    )
    return section("test", "What to expect of new rows", f"{found}\n  {words}")
