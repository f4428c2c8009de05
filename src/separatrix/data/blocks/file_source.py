"""Blocks of files: which files a path, a glob or a folder means, and whether they can be read in parts.

Files that cannot, such as compressed ones, are read in order.
"""

import glob
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from separatrix.data.blocks.batches import BatchSource
from separatrix.data.blocks.block_source import BlockSource
from separatrix.data.blocks.columnar_source import columnar_source
from separatrix.data.blocks.frame_roles import FrameRoles
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.blocks.text_source import (
    BYTES_PER_ROW_OF_LIBSVM,
    check_libsvm,
    delimited_source,
    libsvm_source,
    reading_of_kinds,
    stacked,
    with_extent,
)
from separatrix.data.files.compressed import COMPRESSED
from separatrix.data.files.reading import BLOCKS
from separatrix.data.files.source import EXTENSIONS, Block, Format, Reading, Source, opened
from separatrix.data.files.svmlight import svmlight_extent, svmlight_part
from separatrix.data.prepare.columns import Columns
from separatrix.errors import DataError, FormatError, OptionError


def file_source(paths: Sequence[Any], reading: Reading) -> BlockSource:
    """The blocks of files, folders and globs."""
    files = files_of(paths)
    formats = {path: format_of(path, reading) for path in files}
    different = next((path for path in files if formats[path] != formats[files[0]]), None)
    if different is not None:
        raise DataError(f"{files[0]} and {different} are not written in the same format. Read them one by one.")
    compressed = any(Path(path).suffix.lower() in COMPRESSED for path in files)
    source: BlockSource | None = None
    if formats[files[0]] == "svmlight":
        check_libsvm(files[0], reading)
        source = None if compressed else libsvm_source(files, reading)
    elif formats[files[0]] == "columnar":
        source = None if compressed else columnar_source(files, reading)
    elif formats[files[0]] == "delimited":
        source = None if compressed else delimited_source(files, reading)
    return source or source_in_order(files, formats[files[0]], reading)


def files_of(paths: Sequence[Any]) -> list[str]:
    """The files that paths, globs and folders mean, those of each in the order of their names."""
    found: list[str] = []
    for path in map(os.fspath, paths):
        if path == "-":
            raise OptionError("The standard input can be read once only, and a fit makes several passes. Give a file.")
        if glob.has_magic(path) and not os.path.exists(path):
            matching = sorted(glob.glob(path, recursive=True))
            if not matching:
                raise DataError(f"{path}: no file has a name like that.")
            found += [file for each in matching for file in files_in(each)]
        else:
            found += files_in(path)
    return found


def files_in(path: str) -> list[str]:
    """The files with rows in a folder and in those below it, by their extensions; a file is itself."""
    if not os.path.isdir(path):
        if os.path.exists(path) and not stat.S_ISREG(os.stat(path).st_mode):
            raise OptionError(f"{path} can be read once only, and a fit makes several passes. Give a file.")
        return [path]
    found = []
    for folder, inner, names in os.walk(path):
        inner[:] = sorted(name for name in inner if not name.startswith((".", "_")))
        divided = next((name for name in inner if "=" in name), None)
        if divided is not None:
            raise DataError(
                f"{os.path.join(folder, divided)}: a column that is written as names of folders is not read. Store it "
                "in the files, or give the folders one by one."
            )
        found += [os.path.join(folder, name) for name in sorted(names) if has_rows(name)]
    if not found:
        raise DataError(f"{path}: no file in this folder has an extension of those that are read, such as .parquet.")
    return found


def has_rows(name: str) -> bool:
    """Whether the name of a file in a folder is one of a file with rows."""
    inner = Path(name).stem if Path(name).suffix.lower() in COMPRESSED else name
    return not name.startswith((".", "_")) and Path(inner).suffix.lower() in EXTENSIONS


def format_of(path: str, reading: Reading) -> Format:
    """How a file is written."""
    extension = Path(path).suffix.lower()
    if extension in EXTENSIONS:
        os.stat(path)  # an error where there is no file
        return EXTENSIONS[extension]
    with opened(path, encoding=reading.dialect.encoding) as source:
        return source.format


class FileBatches(NamedTuple):
    """Makes an iterator of the rows of files, in order; can be pickled."""

    paths: tuple[str, ...]
    reading: Reading
    roles: FrameRoles | None  # None for LIBSVM text, which has no names of columns

    def __call__(self) -> Iterator[RawBlock]:  # noqa: D102, the class says it
        for path in self.paths:
            with opened(path, encoding=self.reading.dialect.encoding) as source:
                yield from self._libsvm(source) if self.roles is None else self._columns(source, self.roles)

    def _libsvm(self, source: Source) -> Iterator[RawBlock]:
        for content, before in contents(source, self.reading):
            found = svmlight_part(content, source.name, self.reading, before)
            yield RawBlock(found.X, found.labels)

    def _columns(self, source: Source, roles: FrameRoles) -> Iterator[RawBlock]:
        waiting: list[Block] = []
        for block in BLOCKS[source.format](source, self.reading):
            waiting.append(with_labels(block) if roles.target is not None else block)
            if sum(len(own.X) for own in waiting) >= self.reading.rows_per_block:
                yield stacked(waiting, roles)
                waiting = []
        if waiting:
            yield stacked(waiting, roles)


def contents(source: Source, reading: Reading) -> Iterator[tuple[bytes, int]]:
    """Lines of LIBSVM text, some at a time, and how many were before them."""
    before = 0
    while lines := source.stream.readlines(reading.rows_per_block * BYTES_PER_ROW_OF_LIBSVM):
        yield b"".join(lines), before
        before += len(lines)


def with_labels(block: Block) -> Block:
    """The rows of a block that have a label."""
    there = np.array([label is not None for label in block.labels], dtype=bool)
    if there.all():
        return block
    kept = np.flatnonzero(there)
    weights = None if block.weights is None else block.weights[kept]
    labels = [block.labels[i] for i in kept.tolist()]
    lines = None if block.lines is None else block.lines[kept]
    return block._replace(X=block.X.rows(kept), labels=labels, weights=weights, lines=lines)


class OrderedFiles(BatchSource):
    """Files that are read in order."""

    def __init__(self, batches: FileBatches, labels_as_written: bool) -> None:
        super().__init__(batches.__call__, name=f"{', '.join(batches.paths[:3])}, part")
        self.labels_as_written, self.roles = labels_as_written, batches.roles

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return () if self.roles is None else self.roles.features

    def with_kinds(self, kinds: Mapping[str, str]) -> "OrderedFiles":
        """A source of the same blocks as columns of these kinds; with no kinds, each block has its own."""
        if self.roles is None:
            return self
        files: FileBatches = self.batches.__self__  # type: ignore[attr-defined]
        roles, reading = self.roles._replace(kinds=kinds), reading_of_kinds(files.reading, kinds)
        found = OrderedFiles(FileBatches(files.paths, reading, roles), self.labels_as_written)
        found.known_count = self.known_count
        return found

    @property
    def first_index(self) -> int | None:
        """Where indices of LIBSVM text count from."""
        return self.batches.__self__.reading.first_index  # type: ignore[attr-defined]


def source_in_order(paths: Sequence[str], format_: Format, reading: Reading) -> OrderedFiles:
    """Files read in order; the first rows say which columns there are, and all LIBSVM text, which its indices are."""
    if format_ == "svmlight":
        extents = []
        for path in paths:
            with opened(path) as source:
                pairs = contents(source, reading)
                extents += [svmlight_extent(content, path, before) for content, before in pairs]
        return OrderedFiles(FileBatches(tuple(paths), with_extent(paths[0], reading, extents), None), False)
    carrying = Reading(dialect=reading.dialect, others="either", labelled=False, rows_per_block=64)
    with opened(paths[0], encoding=reading.dialect.encoding) as source:
        first: Block | None = next(iter(BLOCKS[format_](source, carrying)), None)
    if first is None or not isinstance(first.X, Columns):
        raise FormatError(f"{paths[0]}: there are no rows: add at least one.")
    names = first.X.names
    roles = FrameRoles.of_names(names, reading, paths[0])
    named = reading._replace(target=roles.target, weights=roles.weights, drop=roles.dropped)
    return OrderedFiles(FileBatches(tuple(paths), named, roles), format_ in ("delimited", "spreadsheet"))
