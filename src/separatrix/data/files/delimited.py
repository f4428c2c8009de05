"""Read a CSV or TSV file: columns of numbers, of words and of dates, labels in one of them.

The format is RFC 4180 (2005) with any one-character delimiter; `opening` finds out how a file is written. Rows are
converted a block at a time and a column at a time.

What kind a column is may be given. Otherwise a column is of words if any cell of it is neither a number nor missing,
unless nearly all are numbers: then these cells are mistakes, and the message names them all. A column of words that are
all dates, written in one way, is one of dates. Rows without a label are left out, and counted.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

import numpy as np

from separatrix.data.files.block_of_cells import NotNumbersError, block_of_cells
from separatrix.data.files.cells import Cells, cells_of
from separatrix.data.files.mistakes import refuse_mistakes
from separatrix.data.files.opening import Opening, opening_of
from separatrix.data.files.roles import roles_of
from separatrix.data.files.source import Block, Reading, Source
from separatrix.data.prepare.columns import below
from separatrix.data.prepare.dates import with_dates
from separatrix.data.table import labels_from_text
from separatrix.errors import FormatError, counted, option

ROWS_PER_CALL = 2**16  # of compiled loops, where a file is read whole


def delimited_blocks(source: Source, reading: Reading, rows_per_call: int = 0) -> Iterator[Block]:
    """Some rows at a time; NotNumbersError where a column that was guessed to hold numbers holds words."""
    opening = opening_of(source, reading)
    cells = cells_of(source, opening, reading.rows_per_block, rows_per_call)
    yield from blocks_of_cells(source, opening, cells, reading)


def read_delimited(source: Source, reading: Reading) -> Block:
    """All rows; a column that turns out to be of words is read again from the start, as it is written."""

    def blocks(now: Reading) -> Iterator[Block]:
        source.stream.seek(0)
        return delimited_blocks(source, now, ROWS_PER_CALL)

    return whole_of_blocks(source.name, blocks, reading)


def blocks_of_cells(source: Source, opening: Opening, blocks: Iterable[Cells], reading: Reading) -> Iterator[Block]:
    """Blocks of columns and labels from blocks of cells."""
    roles = roles_of(opening.columns, reading, source.name, opening.line)
    notes, empty = (*source.notes, *opening.notes), True
    for cells in blocks:
        block = block_of_cells(cells, opening, roles, reading, source.name)
        yield block._replace(notes=notes if empty else ())
        empty = False
    if empty and reading.labelled:
        raise FormatError.at(source.name, opening.line, "there are no rows below the header: add at least one.")


def whole_of_blocks(name: str, blocks: Callable[[Reading], Iterator[Block]], reading: Reading) -> Block:
    """All rows of a source, which `blocks` reads from its start."""
    kinds = {column: kind for column, kind in reading.kinds.items() if kind != "number"}
    others: Literal["text", "guess"] = "text" if reading.others == "text" else "guess"
    while True:
        try:
            whole = joined(blocks(reading._replace(kinds=kinds, others=others)), name)
            break
        except NotNumbersError as found:
            kinds |= dict.fromkeys(found.columns, "text")
    if whole.skipped and not len(whole.X):
        raise FormatError(
            f"{name}: no row has a label in the column {whole.target!r}. {option('target')} names another one."
        )
    numeric = {column for column, kind in reading.kinds.items() if kind == "number"}
    unknown = set(whole.X.names) - set(reading.kinds)
    refuse_mistakes(whole, numeric | (unknown if reading.others == "number" else set()), unknown - numeric)
    labels = None if whole.labels is None else labels_from_text(whole.labels, apart=True)
    if reading.others == "guess":
        whole = whole._replace(X=with_dates(whole.X, unknown))
        fractions = labels is not None and labels.dtype.kind == "f"
        labels = np.array(whole.labels) if fractions else labels  # commands take 0.5 for a name
    left_out = (f"{counted(whole.skipped, 'row')} without a label left out",) if whole.skipped else ()
    return whole._replace(labels=labels, notes=(*whole.notes, *left_out))


def joined(blocks: Iterator[Block], name: str) -> Block:
    """Blocks of which there must be at least one, one below the other."""
    first = next(blocks, None)
    if first is None:  # which is an error only of those who need rows
        raise FormatError(f"{name}: there are no rows below the header: add at least one.")
    parts = [first, *blocks]
    notes = tuple(note for part in parts for note in part.notes)
    labels = None if first.labels is None else [label for part in parts for label in part.labels]
    lines = np.concatenate([part.lines for part in parts])
    carried = None if first.carried is None else below([part.carried for part in parts])
    weights = None if first.weights is None else np.concatenate([part.weights for part in parts])
    skipped, columns = sum(part.skipped for part in parts), [part.X for part in parts]
    del parts
    first = first._replace(X=None, labels=labels, lines=lines, carried=carried, weights=weights, notes=notes)
    return first._replace(X=below(columns), skipped=skipped)
