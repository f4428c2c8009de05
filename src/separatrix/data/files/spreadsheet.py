"""Read the first sheet of an .xlsx file by openpyxl: its cells become those of delimited text, dates in the ISO way."""

import datetime
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from separatrix.data.files.cells import Cells, ListedCells
from separatrix.data.files.delimited import blocks_of_cells, whole_of_blocks
from separatrix.data.files.header import checked_header
from separatrix.data.files.opening import SAMPLE_ROWS, Opening
from separatrix.data.files.source import Block, Reading, Source
from separatrix.errors import DataError, FormatError

Row = tuple[int, list[str]]


def spreadsheet_blocks(source: Source, reading: Reading) -> Iterator[Block]:
    """Some rows at a time."""
    source.stream.seek(0)
    rows, notes = sheet_rows(source)
    line, header = next(rows, (1, []))
    if not header:
        raise FormatError(f"{source.name}: the sheet is empty. Expected a row with the column names, then rows.")
    sample = list(islice(rows, SAMPLE_ROWS))
    place = (source.name, line, "cells")
    if reading.dialect.header is False:
        sample = [(line, header), *sample]
    names, renamed = checked_header(header, [padded(cells, len(header)) for _, cells in sample], place, reading)
    style = reading.dialect.style._replace(decimal=reading.dialect.decimal or ".")
    opening = Opening(names, line, "", style, notes=(*notes, *renamed))
    yield from blocks_of_cells(source, opening, blocks(sample, rows, len(names), reading.rows_per_block), reading)


def read_spreadsheet(source: Source, reading: Reading) -> Block:
    """All rows."""
    return whole_of_blocks(source.name, lambda now: spreadsheet_blocks(source, now), reading)


def sheet_rows(source: Source) -> tuple[Iterator[Row], tuple[str, ...]]:
    """The rows of the first sheet that are not empty, with their numbers, and which sheet it is."""
    try:
        import openpyxl
    except ImportError as error:
        raise DataError(
            f"Reading {source.name} needs openpyxl, which is not installed: pip install separatrix[xlsx]"
        ) from error
    try:
        book = openpyxl.load_workbook(source.stream, read_only=True, data_only=True)
    except Exception as error:  # of zip files, XML and their contents
        problem = " ".join(str(error).split())
        raise FormatError(f"{source.name}: no .xlsx file that openpyxl can read: {problem}") from None
    sheet = book.worksheets[0]
    more = f", the first of {len(book.worksheets)}" if len(book.worksheets) > 1 else ""
    texts = ([cell_text(cell) for cell in row] for row in sheet.iter_rows(values_only=True))
    rows = ((number, trimmed(row)) for number, row in enumerate(texts, start=1) if any(row))
    return rows, (f"sheet {sheet.title!r}{more}",) if more else ()


def cell_text(value: Any) -> str:
    """A cell as it would stand in delimited text."""
    if value is None:
        return ""
    if isinstance(value, datetime.datetime) and not (value.hour or value.minute or value.second):
        return value.date().isoformat()
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    return str(int(value)) if isinstance(value, float) and value == value // 1 else str(value)


def trimmed(row: list[str]) -> list[str]:
    """A row without empty cells at its end."""
    last = max((j for j, cell in enumerate(row) if cell), default=-1)
    return row[: last + 1]


def padded(row: list[str], width: int) -> list[str]:
    """A row of a width; cells beyond it are left out."""
    return (row + [""] * (width - len(row)))[:width]


def blocks(sample: list[Row], rows: Iterator[Row], width: int, rows_per_block: int) -> Iterator[Cells]:
    """Blocks of rows: those that were read already, then all others."""
    while block := sample or list(islice(rows, rows_per_block)):
        yield ListedCells(np.array([line for line, _ in block]), [padded(cells, width) for _, cells in block])
        sample = []
