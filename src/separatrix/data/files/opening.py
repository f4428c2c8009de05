"""The beginning of delimited text: what separates the cells, the names of the columns, and how numbers are written.

All of it is found in the first bytes, where the user does not say it. Lines above the names are passed over if they are
comments (# ...), or if they are a title: no cells, where the next lines have several.
"""

import io
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

from separatrix.data.files.header import checked_header
from separatrix.data.files.number_style import NumberStyle, checked_mark, found_style, percent_notes, style_notes
from separatrix.data.files.records import rows
from separatrix.data.files.source import BYTE_ORDER_MARK, Reading, Source, not_utf8
from separatrix.errors import FormatError, OptionError, counted

SAMPLE_BYTES = 2**18
SAMPLE_ROWS = 400
LINES_FOR_DELIMITER = 20
DELIMITERS = ",;\t|"
DELIMITER_HINT = re.compile(r'"?sep=([^"\w\s]|\t)"?', re.IGNORECASE)
TABBED = frozenset({".tsv", ".tab"})


class Opening(NamedTuple):
    """What the beginning of a file tells: the names of the columns and their line, and how all below is to be read."""

    columns: list[str]
    line: int
    delimiter: str
    style: NumberStyle
    pending: bytes = b""  # what was read of the rows already
    next_line: int = 2
    notes: tuple[str, ...] = ()


def opening_of(source: Source, reading: Reading) -> Opening:
    """Read the beginning of a file, up to the rows in `pending`."""
    dialect = reading.dialect
    if dialect.delimiter is not None and (len(dialect.delimiter) != 1 or dialect.delimiter in '"\r\n'):
        raise OptionError(f"delimiter must be one character, no quote and no line end. Got {dialect.delimiter!r}.")
    checked_mark("decimal", dialect.decimal)
    checked_mark("thousands", dialect.thousands)
    sample = sampled(source.stream)
    lines = list(io.StringIO(text_of(sample, source), newline=""))
    first = header_line(lines, source.name)
    hinted = DELIMITER_HINT.fullmatch(lines[first].strip())  # which Excel reads, and some programs write
    first += hinted is not None and len(lines) > first + 1
    delimiter = dialect.delimiter or (hinted[1] if hinted else delimiter_of(source.name, lines[first:]))
    header, below = lines[first].lstrip("# \t") if is_comment(lines[first]) else lines[first], lines[first + 1 :]
    line, cells = next(rows(chain([header], below), source.name, delimiter, first + 1), (1, [""]))
    taken = first if dialect.header is False else first + header_length(header, below, delimiter)
    body = lines[taken:]
    whole_lines = body if len(sample) < SAMPLE_BYTES else body[:-1]
    sample_rows = sampled_rows(whole_lines, delimiter, len(cells))
    names, notes = checked_header(cells, sample_rows, (source.name, line, delimiter), reading)
    columns = list(zip(*sample_rows, strict=True))
    style = found_style(columns, delimiter, source.name, dialect.style)
    skipped = sum(bool(each.strip()) for each in lines[:first])
    said = [f"{counted(skipped, 'line')} above the names of the columns skipped"] if skipped else []
    pending = sample[len(sample) - sum(len(each.encode("utf-8")) for each in body) - cut_bytes(sample) :]
    said += [*notes, *style_notes(style, dialect.style)]
    said += percent_notes(names, columns, source.name) if columns else []
    return Opening(names, line, delimiter, style, pending, taken + 1, tuple(said))


def sampled(stream: object) -> bytes:
    """The first bytes of a stream, with some whole lines, or all of it; the byte order mark is left out."""
    content: bytes = stream.read(SAMPLE_BYTES)  # type: ignore[attr-defined]
    while content.count(b"\n") < 3 and (more := stream.read(len(content) + 1)):  # type: ignore[attr-defined]
        content += more
    return content.removeprefix(BYTE_ORDER_MARK)


def cut_bytes(sample: bytes) -> int:
    """How many bytes of the last character are there, where a sample ends within it."""
    for size in range(1, min(4, len(sample) + 1)):
        lead = sample[-size]
        if lead >= 0xC0:
            return size if size < 2 + (lead >= 0xE0) + (lead >= 0xF0) else 0
        if lead < 0x80:
            return 0
    return 0


def text_of(sample: bytes, source: Source) -> str:
    """A sample as text, without a character at its end that is cut in two; what is no text is refused."""
    whole = sample[: len(sample) - cut_bytes(sample)]
    try:
        text = whole.decode("utf-8")
    except UnicodeDecodeError as error:
        raise not_utf8(source.stream, source.name, error) from error
    if "\0" in text:
        line = len(list(io.StringIO(text[: text.index("\0")] + ".", newline="")))
        raise FormatError.at(source.name, line, "a NUL byte: this is no text file. Save it as UTF-8 text.")
    return text


def is_comment(line: str) -> bool:
    """Whether a line begins with the sign of comments."""
    return line.lstrip().startswith("#")


def header_line(lines: list[str], name: str) -> int:
    """The place of the line with the names of the columns: the first that is no blank, no comment and no title."""
    there = [place for place, line in enumerate(lines) if line.strip()]
    for k, place in enumerate(there):
        after = [lines[other] for other in there[k + 1 : k + 3]]
        cells = [most_cells(line) for line in (lines[place], *after)]
        if is_comment(lines[place]) and after and not (cells[0] == cells[1] > 1 and not is_comment(after[0])):
            continue
        title = cells[0] == 1 and len(cells) == 3 and cells[1] == cells[2] > 1 and '"' not in lines[place]
        if title and re.search(r"[^\W\d]", after[0]) and " " in lines[place].strip():
            continue
        return place
    raise FormatError(f"{name}: the file is empty. Expected a header line with the column names, then rows.")


def most_cells(line: str) -> int:
    """How many cells a line has, by the delimiter that it has most of."""
    return 1 + max(unquoted(line).count(each) for each in DELIMITERS)


def unquoted(line: str) -> str:
    """A line without what is in quotes."""
    return re.sub(r'"[^"]*"', "", line)


def delimiter_of(name: str, lines: list[str]) -> str:
    """What separates cells: one that each of the first lines has as often, another than the comma first; else most."""
    path = Path(name)
    stem = Path(path.stem) if path.suffix.lower() in (".gz", ".bz2", ".xz", ".zip") else path
    if stem.suffix.lower() in TABBED:
        return "\t"
    there = [unquoted(line) for line in lines if line.strip()]
    counts = {each: [line.count(each) for line in there[:LINES_FOR_DELIMITER]] for each in DELIMITERS}
    steady = [each for each in DELIMITERS[1:] if counts[each][0] and len(set(counts[each])) == 1]
    most = max(DELIMITERS, key=lambda each: counts[each][0])  # a comma where there is none at all
    return steady[0] if steady and len(there) > 1 else most


def header_length(header: str, below: list[str], delimiter: str) -> int:
    """How many lines the names of the columns take, which may have line breaks in quotes."""
    taken = 0

    def counting() -> Iterator[str]:
        nonlocal taken
        for line in (header, *below):
            taken += 1
            yield line

    next(rows(counting(), "", delimiter), None)
    return taken


def sampled_rows(body: list[str], delimiter: str, width: int) -> list[list[str]]:
    """The first rows of the sample; one that is broken is left to the reader of all rows, which says so."""
    found: list[list[str]] = []
    with suppress(FormatError):
        for _, cells in islice(rows(iter(body), "", delimiter, width=width), SAMPLE_ROWS):
            found.append(cells)
    return found
