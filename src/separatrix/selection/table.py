"""A comparison as a table: plain text of 80 columns, or with colours."""

import textwrap
from typing import Any, NamedTuple

from separatrix.errors import counted
from separatrix.selection.comparison import Comparison, Entry

TEXT_WIDTH, MAX_NAME_WIDTH = 80, 25  # characters
HEADINGS = ("#", "algorithm", "error %", "95 % interval", "worse?", "fit", "proved")
MAX_HEADING_WIDTH = 10  # of what methods are ranked by


class Cells(NamedTuple):
    """The texts of a row of the table."""

    rank: str
    name: str
    error: str
    interval: str
    worse: str
    fit: str
    proved: str


def cells(entry: Entry, rank: int | None, best: Entry) -> Cells:
    """The texts of an entry that has a result."""
    verdict = "best" if entry is best else ("yes" if entry.mean > best.mean else "no") if entry.differs else "unsure"
    return Cells(
        "" if rank is None else str(rank),
        entry.name,
        entry.metric.text(entry.mean),
        entry.metric.interval(entry.low, entry.high),
        verdict,
        seconds(entry.fit_seconds) if entry.metric.name == "error" else f"{100 * entry.error_rate:.2f}",
        "" if entry.baseline else "no" if entry.proofs is None else entry.proofs.answer,
    )


def seconds(value: float | None) -> str:
    """A time with its unit.

    >>> seconds(0.00314), seconds(0.25), seconds(12.3), seconds(None)
    ('3 ms', '0.25 s', '12.3 s', '')
    """
    if value is None:
        return ""
    if value < 0.0995:
        return f"{1000 * value:.0f} ms" if value >= 0.0005 else "<1 ms"
    return f"{value:.2f} s" if value < 9.995 else f"{value:.1f} s" if value < 99.95 else f"{value:.0f} s"


def title(comparison: Comparison) -> str:
    """The heading of the table: folds, repeats, rows and classes."""
    times = f", {counted(comparison.repeats, 'time')}" if comparison.repeats > 1 else ""
    rows, classes = counted(comparison.index.size, "row"), counted(comparison.classes.size, "class", "classes")
    return f"{comparison.n_folds}-fold cross-validation{times}: {rows}, {classes}"


def headings(comparison: Comparison) -> Cells:
    """The headings of the columns; the error rate takes the place of the seconds where another metric ranks."""
    metric = comparison.metric
    if metric.name == "error":
        return Cells(*HEADINGS)
    title = f"{metric.title} %" if metric.in_percent else metric.title
    short = title if len(title) <= MAX_HEADING_WIDTH else f"{metric.name} %"
    return Cells(*HEADINGS)._replace(error=short, fit="error %")


def table_cells(comparison: Comparison) -> list[Cells]:
    """The texts of all entries that have a result."""
    ranks = {id(entry): rank for rank, entry in enumerate(comparison.ranked, start=1)}
    shown = [entry for entry in comparison.rows if not entry.failure]
    return [cells(entry, ranks.get(id(entry)), comparison.best) for entry in shown]


def remarks(comparison: Comparison) -> list[str]:
    """The sentences below the table: failures, methods that were not tried, notes."""
    failed = [f"Failed: {entry.name}. {entry.failure}" for entry in comparison.rows if entry.failure]
    return [*failed, *not_tried(comparison.left_out), *comparison.notes]


def not_tried(left_out: dict[str, str]) -> list[str]:
    """A sentence for each reason, with the names of the methods that it kept from being tried."""
    names: dict[str, list[str]] = {}
    for name, reason in left_out.items():
        names.setdefault(reason, []).append(name)
    return [f"Not tried: {'; '.join(own)}: {reason}." for reason, own in names.items()]


def as_text(comparison: Comparison) -> str:
    """The table in lines of at most 80 characters."""
    width = min(MAX_NAME_WIDTH, max(len("algorithm"), *(len(entry.name) for entry in comparison.rows)))
    top = headings(comparison)
    lines = [line(each, width, max(len(top.error), 7)) for each in (top, *table_cells(comparison))]
    below = [textwrap.fill(remark, TEXT_WIDTH) for remark in remarks(comparison)]
    return "\n".join([title(comparison), "", *lines, "", *below])


def line(row: Cells, width: int, value: int) -> str:
    """A row in columns of fixed width."""
    text = row.name if len(row.name) <= width else row.name[: width - 1] + "…"
    return (
        f"{row.rank:>2} {text:<{width}} {row.error:>{value}}  {row.interval:>13}  {row.worse:<6} {row.fit:>6}  "
        f"{row.proved}"
    ).rstrip()


def as_rich(comparison: Comparison) -> Any:
    """The table with colours, for `rich.print`."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    grid = Table(
        title=title(comparison), title_justify="left", header_style="bold", box=SIMPLE_HEAD, pad_edge=False,
        padding=(0, 1, 0, 0),
    )  # fmt: skip
    for name, heading in zip(Cells._fields, headings(comparison), strict=True):
        right = name in ("rank", "error", "interval", "fit")
        grid.add_column(heading, justify="right" if right else "left", no_wrap=name != "name")
    colours = {"best": "bold green", "unsure": "", "yes": "dim", "no": "green"}
    for row in table_cells(comparison):
        grid.add_row(*map(Text, row), style=colours[row.worse] if row.rank else "dim")
    return Group(grid, *(Text(remark, style="dim") for remark in remarks(comparison)))
