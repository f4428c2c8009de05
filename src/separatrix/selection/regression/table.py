"""A comparison of regressors as a table: plain text, or with colours."""

import textwrap
from typing import Any, NamedTuple

from separatrix.errors import counted
from separatrix.selection.measures.metrics import Metric
from separatrix.selection.regression.comparison import RegressionComparison, RegressionEntry
from separatrix.selection.table import MAX_NAME_WIDTH, TEXT_WIDTH, not_tried, seconds

HEADINGS = ("#", "algorithm", "off by", "95 % ±", "rms", "R^2", "worse?", "fit", "proved")
LESS_NEEDED = ("fit", "rms")  # columns that give way, in this order, where the text would be too wide
LEFT = ("algorithm", "worse?", "proved")  # columns aligned to the left


class Cells(NamedTuple):
    """The texts of a row of the table."""

    rank: str
    name: str
    error: str
    half_interval: str
    rms: str
    r2: str
    worse: str
    fit: str
    proved: str


def in_units(value: float) -> str:
    """A number in the units of the target, with four digits.

    >>> in_units(12345.6), in_units(0.0123456), in_units(1234567890.0)
    ('12,350', '0.01235', '1.235e+09')
    """
    shown = float(f"{value:.4g}")
    return f"{shown:,.0f}" if 1000 <= abs(shown) < 1e7 else f"{shown:.4g}"


def cells(entry: RegressionEntry, rank: int | None, best: RegressionEntry, metric: Metric | None = None) -> Cells:
    """The texts of an entry that has a result."""
    verdict = "best" if entry is best else ("yes" if entry.mean > best.mean else "no") if entry.differs else "unsure"
    return Cells(
        "" if rank is None else str(rank),
        entry.name,
        in_units(entry.mean) if metric is None else metric.text(entry.mean),
        in_units(entry.high - entry.mean),
        in_units(entry.root_mean_square),
        f"{entry.r2:.3f}",
        verdict,
        seconds(entry.fit_seconds),
        "" if entry.baseline else "no" if entry.proofs is None else entry.proofs.answer,
    )


def title(comparison: RegressionComparison) -> str:
    """The heading of the table: folds, repeats and rows."""
    times = f", {counted(comparison.repeats, 'time')}" if comparison.repeats > 1 else ""
    rows = counted(comparison.index.size, "row")
    return f"{comparison.n_folds}-fold cross-validation{times}: {rows}, errors in the units of the target"


def table_cells(comparison: RegressionComparison) -> list[Cells]:
    """The texts of all entries that have a result."""
    ranks = {id(entry): rank for rank, entry in enumerate(comparison.ranked, start=1)}
    shown = [entry for entry in comparison.rows if not entry.failure]
    return [cells(entry, ranks.get(id(entry)), comparison.best, comparison.metric) for entry in shown]


def headings(comparison: RegressionComparison) -> tuple[str, ...]:
    """The headings of the columns; a scorer has its own name."""
    own = "off by" if comparison.metric is None else comparison.metric.title
    return tuple(own if heading == "off by" else heading for heading in HEADINGS)


def remarks(comparison: RegressionComparison) -> list[str]:
    """The sentences below the table: failures, methods that were not tried, notes."""
    failed = [f"Failed: {entry.name}. {entry.failure}" for entry in comparison.rows if entry.failure]
    return [*failed, *not_tried(comparison.left_out), *comparison.notes]


def as_text(comparison: RegressionComparison) -> str:
    """The table in lines of 80 characters, if they suffice: seconds give way, and then the root mean squares."""
    rows = [Cells(*headings(comparison)), *table_cells(comparison)]
    rows = [row._replace(name=clipped(row.name)) for row in rows]
    columns = dict(zip(HEADINGS, zip(*rows, strict=True), strict=True))
    lines = in_columns(columns)
    for heading in LESS_NEEDED:
        if max(map(len, lines)) > TEXT_WIDTH:
            del columns[heading]
            lines = in_columns(columns)
    below = [textwrap.fill(remark, TEXT_WIDTH) for remark in remarks(comparison)]
    return "\n".join([title(comparison), "", *lines, "", *below])


def clipped(name: str) -> str:
    """A name that is not too long for a table."""
    return name if len(name) <= MAX_NAME_WIDTH else name[: MAX_NAME_WIDTH - 1] + "…"


def in_columns(columns: dict[str, tuple[str, ...]]) -> list[str]:
    """Lines with the cells of columns, each as wide as its widest."""
    widths = {heading: max(map(len, cells)) for heading, cells in columns.items()}
    aligned = [
        [f"{cell:<{widths[heading]}}" if heading in LEFT else f"{cell:>{widths[heading]}}" for cell in cells]
        for heading, cells in columns.items()
    ]
    return ["  ".join(cells).rstrip() for cells in zip(*aligned, strict=True)]


def as_rich(comparison: RegressionComparison) -> Any:
    """The table with colours, for `rich.print`."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    grid = Table(
        title=title(comparison), title_justify="left", header_style="bold", box=SIMPLE_HEAD, pad_edge=False,
        padding=(0, 1, 0, 0),
    )  # fmt: skip
    for heading in headings(comparison):
        grid.add_column(heading, justify="left" if heading in LEFT else "right", no_wrap=heading != "algorithm")
    colours = {"best": "bold green", "unsure": "", "yes": "dim", "no": "green"}
    for row in table_cells(comparison):
        grid.add_row(*map(Text, row), style=colours[row.worse] if row.rank else "dim")
    return Group(grid, *(Text(remark, style="dim") for remark in remarks(comparison)))
