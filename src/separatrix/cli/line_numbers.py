"""The lines on which the rows of a text file start, for people who look them up in an editor."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from separatrix.data.files.opening import DELIMITERS
from separatrix.data.files.source import EXTENSIONS

MAX_BYTES = 500_000_000  # of a file that is read once more


def line_numbers(path: str | None, n_rows: int, delimiter: str | None) -> np.ndarray | None:
    """The first line of each row, from 1; None for what is no text file, or where rows were left out in reading."""
    if path is None or path == "-":
        return None
    file = Path(path)
    if EXTENSIONS.get(file.suffix.lower(), "delimited") != "delimited" or file.stat().st_size > MAX_BYTES:
        return None
    starts = list(starting_lines(file, delimiter))[1:]  # without the header
    return np.array(starts) if len(starts) == n_rows else None


def starting_lines(file: Path, delimiter: str | None) -> Iterator[int]:
    """The line on which each record starts, the header included; blank lines are none."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            yield from records(stream, delimiter or ("\t" if file.suffix.lower() in (".tsv", ".tab") else None))
    except (UnicodeDecodeError, csv.Error):  # a file that another reader made sense of
        return


def records(stream: IO[str], delimiter: str | None) -> Iterator[int]:
    """The line on which each record of delimited text starts."""
    header = next((line for line in stream if line.strip()), "")
    stream.seek(0)
    reader = csv.reader(stream, delimiter=delimiter or max(DELIMITERS, key=header.count))
    start = 1
    for fields in reader:
        if any(field.strip() for field in fields) or len(fields) > 1:
            yield start
        start = reader.line_num + 1
