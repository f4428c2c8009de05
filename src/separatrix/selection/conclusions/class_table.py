"""What is found of each class when its rows are left out: rows, recall and precision."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from separatrix.selection.conclusions.verdict import percent

if TYPE_CHECKING:
    from separatrix.selection.study import Study

MAX_CLASSES_SHOWN, MAX_LABEL_WIDTH = 12, 24


class ClassRow(NamedTuple):
    """A class, how many of its rows were tested, how many were found, and how often it was predicted."""

    code: int
    label: str
    rows: int
    found: int
    predicted: int

    @property
    def recall(self) -> str:
        """The part of its rows that is found."""
        return percent(self.found / self.rows) if self.rows else "-"

    @property
    def precision(self) -> str:
        """The part of the rows predicted as this class that is of it."""
        return percent(self.found / self.predicted) if self.predicted else "never predicted"


def class_table(study: "Study") -> list[ClassRow]:
    """The classes, those of which least is found first if they are many."""
    table = study.confusion
    rows = [
        ClassRow(code, str(label), int(table[code].sum()), int(table[code, code]), int(table[:, code].sum()))
        for code, label in enumerate(study.classes.tolist())
    ]
    if len(rows) > MAX_CLASSES_SHOWN:
        order = np.argsort([row.found / max(row.rows, 1) for row in rows], kind="stable")
        rows = [rows[place] for place in order]
    return rows


def class_lines(study: "Study") -> list[str]:
    """The table as lines of text."""
    rows = class_table(study)
    names = ["class", *(row.label[:MAX_LABEL_WIDTH] for row in rows[:MAX_CLASSES_SHOWN])]
    width = max(map(len, names))
    lines = [f"{names[0]:<{width}}  {'rows':>7}  {'found':>7}  right when predicted"]
    for name, row in zip(names[1:], rows, strict=False):
        lines.append(f"{name:<{width}}  {row.rows:>7,}  {row.recall:>7}  {row.precision}")
    if len(rows) > MAX_CLASSES_SHOWN:
        lines.append(f"and {len(rows) - MAX_CLASSES_SHOWN} more, of which more is found")
    return lines
