"""Some rows of a file as columns of numbers, words and dates, with their labels and weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from separatrix.data.files.cells import Cells, as_words
from separatrix.data.files.mistakes import no_dates, no_numbers
from separatrix.data.files.number_style import NumberStyle
from separatrix.data.files.opening import Opening
from separatrix.data.files.roles import Roles
from separatrix.data.files.source import Block, Reading
from separatrix.data.prepare.columns import Column, Columns, Words, beside
from separatrix.data.prepare.dates import DATE, date_columns, days_of_words

# A label that is missing among numbers may be one among words: "None" for a class, "-" beside "+".
MISSING_LABELS = frozenset({"", "NA", "NaN", "nan", "?", "null"})


class NotNumbersError(Exception):
    """Columns taken for numbers hold words."""

    def __init__(self, columns: list[str]) -> None:
        super().__init__(columns)
        self.columns = columns


def block_of_cells(cells: Cells, opening: Opening, roles: Roles, reading: Reading, name: str) -> Block:
    """The rows of a block; those without a label are left out where labels are needed."""
    n, names, style = len(cells.lines), opening.columns, opening.style
    target = "" if roles.target is None else names[roles.target]
    labels = None if roles.target is None else labels_of(cells.texts(roles.target), style)
    parts: list[Columns] = []
    words: list[str] = []
    for j in roles.features:
        kind = reading.kinds.get(names[j], reading.others)
        if kind.startswith(DATE):
            parts.append(dates_of(cells, j, (names[j], kind, name), style))
            continue
        values = column_of(cells, j, kind, (names[j], name), style, reading.known.get(names[j], frozenset()))
        if values is None:
            words.append(names[j])
        else:
            parts.append(Columns((names[j],), (values,), n))
    if words:
        raise NotNumbersError(words)
    carried = [(names[j], Words.of(cells.texts(j))) for j in roles.carried]
    block = Block(
        beside(parts),
        labels,
        target,
        name,
        lines=np.asarray(cells.lines),
        carried=Columns(tuple(own for own, _ in carried), tuple(own for _, own in carried), n) if carried else None,
        weights=None if roles.weights is None else weights_of(cells, roles.weights, names[roles.weights], style, name),
    )
    return labelled_rows(block) if reading.labelled else block


def column_of(
    cells: Cells, j: int, kind: str, place: tuple[str, str], style: NumberStyle, known: frozenset[str]
) -> Column | None:
    """A column of words or of numbers; None where a guess was wrong. `place` are the names of column and file."""
    if kind == "text":
        return as_words(cells.texts(j), style, known)
    values, strange = cells.numbers(j, style, kind == "number")
    if not strange:
        return values
    if kind == "either":
        return as_words(cells.texts(j), style, known)
    if kind != "number":
        return None
    raise no_numbers(place[1], place[0], strange, first_line(cells, j, strange[0]))


def dates_of(cells: Cells, j: int, place: tuple[str, str, str], style: NumberStyle) -> Columns:
    """The columns that one of dates becomes; `place` are the name of the column, its kind, and the file."""
    column, kind, name = place
    days, strange = days_of_words(as_words(cells.texts(j), style), kind.removeprefix(DATE))
    if strange:
        raise no_dates(name, column, strange, first_line(cells, j, strange[0]), kind.removeprefix(DATE))
    return date_columns(column, days, kind.removeprefix(DATE))


def weights_of(cells: Cells, j: int, column: str, style: NumberStyle, name: str) -> np.ndarray:
    """The weights of rows, none of them missing."""
    values, strange = cells.numbers(j, style, False)
    missing = np.flatnonzero(np.isnan(values))
    if strange or missing.size:
        cell = strange[0] if strange else cells.texts(j)[int(missing[0])]
        raise no_numbers(name, column, [cell], first_line(cells, j, cell))
    return values


def first_line(cells: Cells, j: int, cell: str) -> int:
    """The line of the first row that holds a cell."""
    texts = cells.texts(j)
    return int(cells.lines[next(i for i, own in enumerate(texts) if own == cell or own.strip() == cell)])


def labels_of(texts: Sequence[str], style: NumberStyle) -> list[Any]:
    """Labels without blanks around them, None where one is missing; numbers as Python writes them."""
    usual = MISSING_LABELS | (style.missing - NumberStyle().missing)
    labels = {
        cell: None if cell.strip() in usual or cell.strip().lower() in usual else cell.strip() for cell in set(texts)
    }
    if style.decimal != "." or style.thousands or any("%" in cell for cell in labels):
        values = {cell: style.value(cell) for cell, label in labels.items() if label is not None}
        if all(value is not None and np.isfinite(value) for value in values.values()):
            labels |= {cell: plain_number(value) for cell, value in values.items() if value is not None}
    return [labels[cell] for cell in texts]


def plain_number(value: float) -> str:
    """A number as Python writes it, a whole one without a fraction."""
    return str(int(value)) if value == value // 1 else repr(value)


def labelled_rows(block: Block) -> Block:
    """The rows of a block that have a label, and how many have none."""
    kept = np.flatnonzero([label is not None for label in block.labels])
    skipped = len(block.labels) - kept.size
    if not skipped:
        return block
    return block._replace(
        X=block.X.rows(kept),
        labels=[block.labels[i] for i in kept.tolist()],
        lines=block.lines[kept],
        carried=None if block.carried is None else block.carried.rows(kept),
        weights=None if block.weights is None else block.weights[kept],
        skipped=skipped,
    )
