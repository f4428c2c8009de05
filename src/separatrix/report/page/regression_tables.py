"""The tables of a study of numbers: regressors with their errors, the target, and the rows that are farthest off."""

from typing import TYPE_CHECKING

import numpy as np

from separatrix.report.page.markup import duration, number, sentence, table, text
from separatrix.report.page.tables import (
    axis_end,
    bar,
    comparison_table,
    failed_rows,
    method_row,
    proof_cell,
    remarks,
    scale,
)
from separatrix.selection.regression.table import in_units

if TYPE_CHECKING:
    from separatrix.selection.regression.comparison import RegressionEntry
    from separatrix.selection.regression.study import RegressionStudy

MAX_ROWS_FAR_OFF = 10


def signed(value: float) -> str:
    """A number in the units of the target, with seven digits and a minus sign that is one.

    >>> signed(-513683.27), signed(0.5)
    ('−513,683.3', '0.5')
    """
    return f"{value:,.7g}".replace("-", "−")


def regressors(study: "RegressionStudy") -> str:
    """Regressors by their mean absolute error, each with its interval as a bar; those that failed last."""
    rows = list(study.comparison.rows)
    done = [row for row in rows if not row.failure]
    worst = max(row.mean for row in done if row.baseline)
    limit = axis_end(done, most=np.inf, least=1e-6 * worst)
    ticks = "".join(f'<i style="left:{100 * part:g}%">{in_units(part * limit)}</i>' for part in (0, 0.5, 1))
    headings = (
        ("", "regressor"), ("n", "off by"), ("range", scale(ticks)), ("n", "rms"), ("n", "R²"), ("n", "fit"),
        ("", "proved"),
    )  # fmt: skip
    body = "".join(regressor_row(row, row.name == study.chosen, limit) for row in done)
    units = (
        "<p><small>Off by: the mean absolute error of rows that were left out, in the units of the target, with its "
        "95 % interval. rms: the root of their mean squared error. R²: the part of the squared error of the mean that "
        "is removed.</small></p>"
    )
    return comparison_table(headings, body + failed_rows(rows, len(headings))) + units + remarks(study)


def regressor_row(row: "RegressionEntry", chosen: bool, limit: float) -> str:
    """One regressor."""
    interval = f"{in_units(row.low)} to {in_units(row.high)}"
    r2 = f"{row.r2:.3f}".replace("-", "−")
    cells = (
        ("n error", in_units(row.mean)),
        ("range", f'{bar(row, limit)}<b class="unseen">{interval}</b>'),
        ("n extra", f'<span class="only-narrow">rms </span>{in_units(row.root_mean_square)}'),
        ("n extra", f'<span class="only-narrow">R² </span>{r2}'),
        ("n time", duration(row.fit_seconds)),
        ("proof", proof_cell(row)),
    )
    return method_row(row, chosen, cells)


def target_facts(study: "RegressionStudy") -> str:
    """The range of the target, its mean, median and standard deviation."""
    y = study.y
    facts = (
        ("least", y.min()), ("median", np.median(y)), ("mean", y.mean()), ("largest", y.max()),
        ("standard deviation", y.std()), ("different values", np.unique(y).size),
    )  # fmt: skip
    headings = ["target", *(name for name, _ in facts)]
    row = [text(study.target or "the target"), *(signed(float(value)) for _, value in facts[:-1]), number(facts[-1][1])]
    return table(headings, [row], range(1, len(headings)), "The target")


def far_off(study: "RegressionStudy") -> str:
    """The rows whose prediction was farthest off when they were left out."""
    unseen = study.unseen
    if not unseen.rows.size:
        return ""
    residuals = unseen.truth - unseen.predicted
    order = np.argsort(-np.abs(residuals), kind="stable")[:MAX_ROWS_FAR_OFF]
    rows = [
        [
            number(study.line_of(int(unseen.rows[i])) or int(unseen.rows[i])),
            signed(unseen.truth[i]),
            signed(unseen.predicted[i]),
            signed(residuals[i]),
        ]
        for i in order
    ]
    headings = [
        "row" if study.lines is None else "line",
        f"true {sentence(study.target or 'value', 40)}",
        "predicted",
        "residual",
    ]
    note = f"<p>{sentence(study.counting)} Each was predicted by a fit that had not seen it.</p>"
    return table(headings, rows, range(4), "Rows that are farthest off") + note
