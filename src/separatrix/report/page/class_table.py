"""The classes of a study: how many rows each has, how many are found when left out, and which are missed."""

from typing import TYPE_CHECKING

from separatrix.report.page.markup import class_mark, percent, sentence, table, text
from separatrix.selection.conclusions.class_table import MAX_CLASSES_SHOWN, class_table

if TYPE_CHECKING:
    from separatrix.selection.study import Study


def found_of_classes(study: "Study") -> str:
    """Rows of each class, the part of them that is found, and the part of what is predicted that is right."""
    rows = class_table(study)
    total = sum(row.rows for row in rows)
    body = [
        [
            f'<span class="class">{class_mark(row.code)}{text(row.label, 24)}</span>',
            f"{row.rows:,} <small>{percent(row.rows / max(total, 1))}</small>",
            bar(row.found / max(row.rows, 1), row.code),
            f"<small>{row.found:,}</small> {row.recall}",
            f"{row.predicted:,}",
            row.precision,
        ]
        for row in rows[:MAX_CLASSES_SHOWN]
    ]
    headings = ["class", "rows", "", "found", "predicted", "of these right"]
    more = len(rows) - MAX_CLASSES_SHOWN
    note = f"<p>And {more:,} more classes, of which more is found.</p>" if more > 0 else ""
    words = "<p><small>Of rows that the fit had not seen. Found: the recall; of these right: the precision.</small></p>"
    return table(headings, body, (1, 3, 4, 5), "What is found of each class") + note + words


def bar(part: float, code: int) -> str:
    """The part that is found, as a bar."""
    return f'<span class="found"><span style="width:{100 * part:.2f}%;background:var(--c{code % 7 + 1})"></span></span>'


def missed_rows(study: "Study") -> str:
    """Some rows that are missed, folded: the rarest class first."""
    rows = list(getattr(study, "missed", ()))
    if not rows:
        return ""
    lines = rows[0].get("line") is not None
    body = [
        [f"{row['line'] if lines else row['row']:,}", text(row["class"], 24), text(row["predicted"], 24)]
        for row in rows
    ]
    total = int(study.confusion.sum() - study.confusion.trace())
    few = (
        f"The first {len(rows):,} of {total:,} rows that it misses" if total > len(rows) else "The rows that it misses"
    )
    headings = ["line" if lines else "row", "class", "predicted"]
    shown = table(headings, body, (0,), "Rows that are missed")
    return f"<details><summary>{few}</summary>{shown}<p>{sentence(study.counting)}</p></details>"
