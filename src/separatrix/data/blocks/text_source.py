"""Blocks of text files: parts of delimited text or of LIBSVM text, each read by itself.

How delimited text is written is found once, at the beginning of each file, and holds for all of its parts.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from separatrix.data.blocks.frame_roles import FrameRoles
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.blocks.text_parts import Part, parts_of_text
from separatrix.data.files.block_of_cells import block_of_cells
from separatrix.data.files.cells import MIN_BYTES_FOR_LOOPS, cells_of, load_loops
from separatrix.data.files.opening import Opening, opening_of
from separatrix.data.files.roles import roles_of
from separatrix.data.files.source import Block, Reading, Source, opened
from separatrix.data.files.svmlight import svmlight_extent, svmlight_part
from separatrix.data.prepare.columns import below
from separatrix.data.prepare.numeric_columns import matrix_of
from separatrix.errors import DataError, FormatError, OptionError
from separatrix.threads import parallel_map

BYTES_PER_ROW_OF_LIBSVM = 128


class Head(NamedTuple):
    """What the beginning of a file of delimited text tells, where its rows begin, and how to read it."""

    opening: Opening
    start: int
    reading: Reading
    row_bytes: float


class DelimitedSource:
    """Parts of files of delimited text; labels are text, as they are written."""

    labels_as_written = True

    def __init__(self, parts: Sequence[Part], heads: dict[str, Head], roles: FrameRoles) -> None:
        self.parts, self.heads, self.roles = list(parts), heads, roles
        self.feature_names = roles.features
        self.size = sum(part.stop - part.start for part in self.parts)

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.parts)

    def read(self, block: int) -> RawBlock:
        """The rows of a part."""
        part = self.parts[block]
        opening, _, reading, _ = self.heads[part.path]
        content = content_of(part, self.place(block))
        load_loops(self.size)
        source = Source(io.BytesIO(content), part.path, "delimited")
        opening = opening._replace(pending=source.stream.read(MIN_BYTES_FOR_LOOPS), next_line=part.line)
        roles = roles_of(opening.columns, reading, part.path, opening.line)
        cells = cells_of(source, opening, reading.rows_per_block)
        return stacked((block_of_cells(own, opening, roles, reading, part.path) for own in cells), self.roles)

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return f"{self.parts[block].path}, from line {self.parts[block].line:,} on"

    def with_kinds(self, kinds: Mapping[str, str]) -> Self:
        """A source of the same blocks as columns of these kinds; with no kinds, each block has its own."""
        heads = {
            path: head._replace(reading=reading_of_kinds(head.reading, kinds)) for path, head in self.heads.items()
        }
        return type(self)(self.parts, heads, self.roles._replace(kinds=kinds))


class LibsvmSource:
    """Parts of files of LIBSVM text."""

    feature_names: tuple[str, ...] = ()

    def __init__(self, parts: Sequence[Part], reading: Reading) -> None:
        self.parts, self.reading = list(parts), reading

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.parts)

    def read(self, block: int) -> RawBlock:
        """The rows of a part."""
        part = self.parts[block]
        found = svmlight_part(content_of(part, self.place(block)), part.path, self.reading, part.line - 1)
        return RawBlock(found.X, found.labels)

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return f"{self.parts[block].path}, from line {self.parts[block].line:,} on"

    def with_kinds(self, kinds: Mapping[str, str]) -> Self:
        """Itself: its rows are numbers."""
        return self

    @property
    def first_index(self) -> int | None:
        """Where indices count from."""
        return self.reading.first_index


def reading_of_kinds(reading: Reading, kinds: Mapping[str, str]) -> Reading:
    """How to read columns of these kinds; with no kinds, those that each block has."""
    return reading._replace(kinds=kinds, others="text" if kinds else "either")


def content_of(part: Part, place: str) -> bytes:
    """The bytes of a part, which must be there still."""
    try:
        content = part.content()
    except OSError as error:
        raise DataError(f"{place}: the file can be read no more: {error.strerror}.") from error
    if len(content) < part.stop - part.start:
        raise DataError(f"{place}: the file has become shorter since the fit began. Do not change it meanwhile.")
    return content


def stacked(blocks: Iterable[Block], roles: FrameRoles) -> RawBlock:
    """Blocks of a file as one, its features in the order of the first file."""
    given = list(blocks)
    if not given:
        return RawBlock(np.empty((0, len(roles.features))), np.empty(0, dtype=np.str_))
    X: Any = np.concatenate([matrix_of(own.X, roles.features) for own in given]) if roles.kinds is None else None
    if X is None:
        X = below([own.X for own in given], mixed=not roles.kinds)
    labels = None if given[0].labels is None else [label for own in given for label in own.labels]
    y = None if labels is None else np.array(labels, dtype=np.str_) if labels else np.empty(0, dtype=np.str_)
    weights = None if roles.weights is None else np.concatenate([np.asarray(own.weights) for own in given])
    lines = None if given[0].lines is None else np.concatenate([np.asarray(own.lines) for own in given])
    return RawBlock(X, y, weights, lines, "line")


def head_of(path: str, reading: Reading) -> Head:
    """Find out how a file is written; its text must be UTF-8, which alone can be cut."""
    with opened(path, encoding=reading.dialect.encoding) as source:
        if source.stream.__class__ is io.BytesIO:
            raise OptionError(f"{path}: only text in UTF-8 is read in blocks. Convert it to UTF-8.")
        opening = opening_of(source, reading)
        start = source.stream.tell() - len(opening.pending)
    lines = opening.pending.count(b"\n") or 1
    return Head(opening._replace(pending=b""), start, reading, len(opening.pending) / lines)


def heads_of(paths: Sequence[str], reading: Reading) -> tuple[dict[str, Head], FrameRoles]:
    """The heads of all files, and the roles of the columns, which are those of the first file in any order."""
    first = head_of(paths[0], reading)
    roles = FrameRoles.of_names(tuple(first.opening.columns), reading, paths[0])
    named = reading._replace(target=roles.target, weights=roles.weights, drop=())
    heads = {}
    for path in paths:
        head = first if path == paths[0] else head_of(path, named)
        names = tuple(head.opening.columns)
        try:
            roles.check(names)
        except DataError as refusal:
            raise FormatError(f"{path}: {refusal}") from None
        dropped = tuple(name for name in roles.dropped if name in names)
        heads[path] = head._replace(reading=named._replace(drop=dropped))
    return heads, roles


def delimited_source(paths: Sequence[str], reading: Reading) -> DelimitedSource | None:
    """Parts of files of delimited text; None where their quotes do not allow to cut them."""
    heads, roles = heads_of(paths, reading)
    found: list[Part] = []
    for path, (opening, start, _, row_bytes) in heads.items():
        size = int(reading.rows_per_block * row_bytes)
        parts = parts_of_text(path, start, opening.next_line, size, opening.delimiter)
        if parts is None:
            return None
        found += parts
    return DelimitedSource(found, heads, roles)


def libsvm_source(paths: Sequence[str], reading: Reading) -> LibsvmSource:
    """Parts of files of LIBSVM text; unless it is known, all of it is read for the first and the last index."""
    check_libsvm(paths[0], reading)
    size = reading.rows_per_block * BYTES_PER_ROW_OF_LIBSVM
    parts = [part for path in paths for part in parts_of_text(path, 0, 1, size, None) or ()]
    extents = parallel_map(lambda part: svmlight_extent(part.content(), part.path, part.line - 1), parts)
    return LibsvmSource(parts, with_extent(paths[0], reading, list(extents)))


def check_libsvm(path: str, reading: Reading) -> None:
    """Refuse columns by names, which LIBSVM text does not have."""
    for value, name in ((reading.target, "target"), (reading.weights, "sample_weight"), (reading.drop or None, "drop")):
        if value is not None:
            raise OptionError(
                f"{path} is LIBSVM text, which has its labels in front and no column names. Got {name}={value!r}: "
                "leave it out."
            )


def with_extent(path: str, reading: Reading, extents: list[tuple[int, int]]) -> Reading:
    """How to read LIBSVM text whose parts have these smallest and largest indices."""
    first = reading.first_index
    if first is None:
        first = 0 if any(low == 0 for low, _ in extents) else 1
    width = reading.n_features or max((high - first + 1 for low, high in extents if low <= high), default=0)
    if not width:
        raise FormatError(f"{path}: no line has a feature. Write index:value after the labels, or give n_features.")
    return reading._replace(first_index=first, n_features=width)
