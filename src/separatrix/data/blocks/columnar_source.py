"""Blocks of Parquet, Arrow and Feather files: row groups, or record batches, one or some that are small together."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

from separatrix.data.blocks.frame_roles import FrameRoles
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.files.columnar import labelled_places, without_index
from separatrix.data.files.source import Reading
from separatrix.errors import DataError, FormatError


class Groups(NamedTuple):
    """Row groups of a Parquet file, or record batches of an Arrow file, that follow each other."""

    path: str
    first: int
    stop: int
    unit: str

    def __str__(self) -> str:
        last = f" to {self.stop - 1}" if self.stop > self.first + 1 else ""
        return f"{self.path}, {self.unit}{'s' * bool(last)} {self.first}{last}"


class ColumnarSource:
    """Row groups and record batches of files with the columns of the first one."""

    def __init__(self, parts: Sequence[Groups], roles: FrameRoles) -> None:
        self.parts, self.roles = list(parts), roles
        self.feature_names = roles.features

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.parts)

    def read(self, block: int) -> RawBlock:
        """The rows of a block that have a label, where there are any."""
        part = self.parts[block]
        frame = readable_table(part, self.roles.used)
        target, numbers = self.roles.target, None
        if target is not None:
            kept = labelled_places(frame, target)
            if len(kept) < len(frame):
                frame, numbers = frame.take(kept), kept
        try:
            return self.roles.block(frame)._replace(numbers=numbers)
        except DataError as refusal:
            raise DataError(f"{part}: {refusal}") from None

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return str(self.parts[block])

    def with_kinds(self, kinds: Mapping[str, str]) -> Self:
        """A source of the same blocks as columns of these kinds; with no kinds, each block has its own."""
        return type(self)(self.parts, self.roles._replace(kinds=kinds))


def readable_table(part: Groups, names: Sequence[str]) -> Any:
    """Some columns of row groups, as an Arrow table; the error names the first group that cannot be read."""
    try:
        with readable(str(part)):
            return table_of(part, names)
    except FormatError:
        for k in range(part.first, part.stop):
            own = part._replace(first=k, stop=k + 1)
            with readable(str(own)):
                table_of(own, names)
        raise


def table_of(part: Groups, names: Sequence[str]) -> Any:
    """Some columns of row groups, as an Arrow table."""
    import pyarrow
    import pyarrow.ipc
    import pyarrow.parquet

    if part.unit == "row group":
        with pyarrow.parquet.ParquetFile(part.path, pre_buffer=False) as file:
            return file.read_row_groups(range(part.first, part.stop), columns=list(names), use_threads=False)
    with pyarrow.memory_map(part.path) as content:
        file = pyarrow.ipc.open_file(content)
        batches = [file.get_batch(k) for k in range(part.first, part.stop)]
        return pyarrow.Table.from_batches(batches).select(list(names))


@contextmanager
def readable(place: str) -> Iterator[None]:
    """Say which part of which file cannot be read, and how to get pyarrow where it is missing."""
    try:
        import pyarrow
    except ImportError as error:
        raise DataError(
            f"Reading {place} needs pyarrow, which is not installed: pip install separatrix[data]"
        ) from error
    try:
        yield
    except (pyarrow.ArrowException, OSError) as error:
        problem = " ".join(str(error).split()).rstrip(".")
        raise FormatError(f"{place}: cannot be read: {problem}. Write the file again, or leave it out.") from error


def columnar_source(paths: Sequence[str], reading: Reading) -> ColumnarSource | None:
    """The row groups and record batches of files; None where one is a stream of batches, which comes in order only."""
    found: list[Groups] = []
    roles: FrameRoles | None = None
    for path in paths:
        with readable(path):
            opened = names_and_groups(path, reading.rows_per_block)
        if opened is None:
            return None
        names, parts = opened
        try:
            roles = roles or FrameRoles.of_names(names, reading, path)
            roles.check(names)
        except FormatError:
            raise
        except DataError as refusal:
            raise FormatError(f"{path}: {refusal}") from None
        found += parts
    assert roles is not None
    return ColumnarSource(found, roles)


def names_and_groups(path: str, rows_per_block: int) -> tuple[tuple[str, ...], list[Groups]] | None:
    """The columns of a file and its parts; None for a stream."""
    import pyarrow
    import pyarrow.ipc
    import pyarrow.parquet

    if path.lower().endswith(".parquet"):
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False) as file:
            names = column_names(file.schema_arrow)
            sizes = [file.metadata.row_group(k).num_rows for k in range(file.num_row_groups)]
        return names, gathered(path, sizes, rows_per_block, "row group")
    with pyarrow.memory_map(path) as content:
        try:
            file = pyarrow.ipc.open_file(content)
        except pyarrow.ArrowInvalid:
            content.seek(0)
            pyarrow.ipc.open_stream(content)  # refuses what is neither
            return None
        sizes = [file.get_batch(k).num_rows for k in range(file.num_record_batches)]
        return column_names(file.schema), gathered(path, sizes, rows_per_block, "record batch")


def column_names(schema: Any) -> tuple[str, ...]:
    """The names of columns, without the row numbers that pandas stores; two of one name are refused."""
    names = tuple(schema.names)
    repeated = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if repeated is not None:
        raise DataError(f"two columns have the name {repeated!r}: rename one of them.")
    return tuple(without_index(schema.empty_table()).column_names)


def gathered(path: str, sizes: Sequence[int], rows_per_block: int, unit: str) -> list[Groups]:
    """Groups of these sizes, as many together as have at most so many rows; one that has more is alone.

    >>> [(part.first, part.stop) for part in gathered("file", [3, 3, 9, 2, 2, 2], 6, "row group")]
    [(0, 2), (2, 3), (3, 6)]
    """
    found, first, rows = [], 0, 0
    for k, size in enumerate(sizes):
        if k > first and rows + size > rows_per_block:
            found.append(Groups(path, first, k, unit))
            first, rows = k, 0
        rows += size
    return [*found, Groups(path, first, len(sizes), unit)] if len(sizes) > first else found
