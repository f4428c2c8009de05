"""A comparison as a frame of pandas, and as HTML for notebooks."""

from html import escape
from typing import TYPE_CHECKING, Any

from separatrix.errors import OptionError

if TYPE_CHECKING:
    from separatrix.selection.comparison import Comparison
    from separatrix.selection.regression.comparison import RegressionComparison


def frame_of(records: list[dict[str, Any]]) -> Any:
    """Records as a frame; pandas is needed for it, and only for it."""
    try:
        import pandas
    except ImportError:
        raise OptionError("to_frame needs pandas, which is not installed: pip install pandas.") from None
    return pandas.DataFrame.from_records(records)


def common_columns(entry: Any) -> dict[str, Any]:
    """What classifiers and regressors have in common."""
    proofs = entry.proofs
    return {
        "p": entry.p,
        "differs": entry.differs,
        "fit_seconds": entry.fit_seconds,
        "predict_seconds": entry.predict_seconds,
        "proved": None if proofs is None else proofs.all_proved,
        "bound": None if proofs is None else proofs.worst,
        "baseline": entry.baseline,
        "failure": entry.failure,
    }


def comparison_frame(comparison: "Comparison") -> Any:
    """Classifiers, the best first: the metric with its interval, the error rate, the recall of each class."""
    metric = comparison.metric
    records = []
    for entry in comparison.rows:
        low, high = sorted((metric.shown(entry.low), metric.shown(entry.high)))
        shown = {"algorithm": entry.name, metric.name: entry.score, "low": low, "high": high}
        shown |= {} if metric.name == "error" else {"error": entry.error_rate}
        found = {f"recall of {label}": part for label, part in zip(entry.classes, entry.recall, strict=True)}
        records.append(shown | found | common_columns(entry))
    return frame_of(records)


def regression_frame(comparison: "RegressionComparison") -> Any:
    """Regressors, the best first: the mean absolute error, or a scorer, with its interval, and R squared."""
    metric = comparison.metric
    records = []
    for entry in comparison.rows:
        ends = (entry.low, entry.high) if metric is None else (metric.shown(entry.high), metric.shown(entry.low))
        name = "mean_absolute_error" if metric is None else metric.name
        value = entry.mean if metric is None else metric.shown(entry.mean)
        shown = {"algorithm": entry.name, name: value, "low": ends[0], "high": ends[1]}
        shown |= {"root_mean_square": entry.root_mean_square, "r2": entry.r2}
        records.append(shown | common_columns(entry))
    return frame_of(records)


def comparison_html(comparison: Any) -> str:
    """The table for a notebook, with the remarks below it."""
    if hasattr(comparison, "classes"):
        from separatrix.selection import table
    else:
        from separatrix.selection.regression import table  # type: ignore[no-redef]
    head = "".join(f"<th>{escape(heading)}</th>" for heading in table.headings(comparison))
    rows = [
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
        for cells in table.table_cells(comparison)
    ]
    remarks = "".join(f"<li>{escape(remark)}</li>" for remark in table.remarks(comparison))
    return (
        f"<table><caption>{escape(table.title(comparison))}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table><ul>{remarks}</ul>"
    )
