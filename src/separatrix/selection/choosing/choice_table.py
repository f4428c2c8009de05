"""The settings of a choice as a table: plain text of 80 columns, HTML for notebooks, or a frame of pandas."""

import textwrap
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.errors import counted
from separatrix.selection.regularization_path import last_step
from separatrix.selection.table import TEXT_WIDTH

if TYPE_CHECKING:
    from separatrix.selection.choosing.choice import Choice

MAX_SETTINGS_SHOWN = 10
MAX_VALUE_WIDTH = 24  # characters of the value of an option
MAX_REASONS_SHOWN = 3


def value_text(value: Any) -> str:
    """The value of an option as text."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= MAX_VALUE_WIDTH else text[: MAX_VALUE_WIDTH - 1] + "…"


def shown(options: dict[str, Any]) -> str:
    """Options as text.

    >>> shown({"C": 0.125, "kernel": "rbf"})
    'C = 0.125, kernel = rbf'
    """
    return ", ".join(f"{name} = {value_text(value)}" for name, value in options.items())


def title(choice: "Choice") -> str:
    """The estimator, the number of settings, and how they were compared."""
    tried, folds = int(np.isfinite(choice.grid.mean).sum()), choice.grid.errors.shape[-1]
    name = type(last_step(choice.model)).__name__
    return f"{name}: {counted(tried, 'setting')}, {counted(folds, 'fold')} of {counted(choice.n_rows, 'row')}"


def headings(choice: "Choice") -> list[str]:
    """The options, the metric, its standard error, and the mark."""
    metric = choice.metric
    return [*choice.grid.options, f"{metric.title} %" if metric.in_percent else metric.title, "± s.e.", ""]


def table_cells(choice: "Choice") -> list[list[str]]:
    """The texts of the best settings, the best first, and of the chosen one."""
    mean, spread, metric = choice.grid.mean, choice.grid.standard_error, choice.metric
    order = [place for place in np.argsort(mean, axis=None, kind="stable") if np.isfinite(mean.ravel()[place])]
    places = [tuple(int(i) for i in np.unravel_index(place, mean.shape)) for place in order]
    rows = []
    for rank, place in enumerate(places):
        chosen = place == choice.place
        if rank >= MAX_SETTINGS_SHOWN and not chosen:
            continue
        error = f"{100 * spread[place]:.2f}" if metric.in_percent else f"{spread[place]:.2g}"
        values = map(value_text, choice.grid.setting(place).values())
        rows.append([*values, metric.text(mean[place]), error, "chosen" if chosen else ""])
    return rows


def remarks(choice: "Choice") -> list[str]:
    """The sentences below the table."""
    more = int(np.isfinite(choice.grid.mean).sum()) - len(table_cells(choice))
    first = [f"And {counted(more, 'setting')} that did worse."] if more else []
    if choice.rule == "one_standard_error":
        first.append("The first setting within one standard error of the least was chosen.")
    return [*first, *failures(choice), *not_tried(choice), *choice.notes, *nested_words(choice), words_on_test(choice)]


def failures(choice: "Choice") -> list[str]:
    """A sentence on the settings that failed, with their reasons."""
    found = list(choice.grid.failures.items())
    words = [f"Failed: {shown(choice.grid.setting(place))}. {reason}" for place, reason in found[:MAX_REASONS_SHOWN]]
    more = len(found) - len(words)
    return [*words, f"And {counted(more, 'setting')} more failed: see grid.failures."] if more else words


def not_tried(choice: "Choice") -> list[str]:
    """A sentence on the settings that the time limit did not reach."""
    places = choice.grid.not_tried
    if not places:
        return []
    names = "; ".join(shown(choice.grid.setting(place)) for place in places[:MAX_REASONS_SHOWN])
    more = f"; and {len(places) - MAX_REASONS_SHOWN} more" if len(places) > MAX_REASONS_SHOWN else ""
    return [f"Not tried, as the time limit was used up: {names}{more}."]


def measured(choice: "Choice", loss: float, interval: Any) -> str:
    """A value of the metric with its interval."""
    metric = choice.metric
    percent = " %" if metric.in_percent else ""
    return f"{metric.title} {metric.text(loss)}{percent}, 95 % interval {metric.interval(*interval)}"


def nested_words(choice: "Choice") -> list[str]:
    """A sentence on the error of the whole procedure."""
    if choice.nested is None:
        return []
    n = counted(choice.nested.errors.size, "outer fold")
    return [f"The whole procedure, by {n}: {measured(choice, choice.nested.mean, choice.nested.interval)}."]


def words_on_test(choice: "Choice") -> str:
    """The sentence on the test, or on its absence."""
    if choice.test_error is None:
        return "No test rows: the error that was chosen by is too small to report."
    rows = counted(choice.n_test, "row")
    found = measured(choice, choice.test_error, choice.test_interval)
    return f"Tested once, on {rows} that had no part in the choice: {found}."


def as_text(choice: "Choice") -> str:
    """The table in lines of fixed columns, and remarks of at most 80 characters a line."""
    rows = [headings(choice), *table_cells(choice)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    below = [textwrap.fill(remark, TEXT_WIDTH) for remark in remarks(choice)]
    return "\n".join([title(choice), "", *lines, "", *below])


def as_html(choice: "Choice") -> str:
    """The table for a notebook, with the remarks below it."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings(choice))
    rows = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table_cells(choice)]
    below = "".join(f"<li>{escape(remark)}</li>" for remark in remarks(choice))
    return (
        f"<table><caption>{escape(title(choice))}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table><ul>{below}</ul>"
    )


def as_frame(choice: "Choice") -> Any:
    """All settings in the order of the grid, with the metric as people know it."""
    from separatrix.selection.frames import frame_of

    grid, metric = choice.grid, choice.metric
    mean, spread, records = grid.mean, grid.standard_error, []
    for place in np.ndindex(mean.shape):
        known = {metric.name: metric.shown(float(mean[place])), "standard_error": spread[place]}
        why = grid.failures.get(place, "not tried" if place in grid.not_tried else "")
        records.append({**grid.setting(place), **known, "chosen": place == choice.place, "failure": why})
    return frame_of(records)
