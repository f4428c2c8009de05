"""Read Parquet, Arrow and Feather files by pyarrow: rows in batches, or all of them a column at a time."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from separatrix.data.files.source import Block, Reading, Source
from separatrix.data.prepare.columns import Columns, Words, beside
from separatrix.data.prepare.frames import frame_columns, frame_labels
from separatrix.data.table import find_column
from separatrix.errors import DataError, FormatError


def columnar_blocks(source: Source, reading: Reading) -> Iterator[Block]:
    """Some rows at a time, with their labels where all are there."""
    words = {name for name, kind in reading.kinds.items() if kind == "text"}
    with _read_by_pyarrow(source):
        import pyarrow

        for batch in _batches(source, reading.rows_per_block):
            for start in range(0, batch.num_rows, reading.rows_per_block):
                rows = batch.slice(start, reading.rows_per_block)
                frame = _without_index(pyarrow.Table.from_batches([rows]))
                columns = frame_columns(frame, words)
                yield Block(columns.without(reading.target), _known_labels(frame, reading.target), name=source.name)


def read_columnar(source: Source, reading: Reading) -> Block:
    """All rows, a column at a time: decoding all columns at once takes several times the memory of the numbers."""
    words = {name for name, kind in reading.kinds.items() if kind == "text"}
    with _read_by_pyarrow(source):
        import pyarrow

        names = _column_names(source)
        chosen = find_column(names, -1 if reading.target is None else reading.target) if reading.labelled else None
        if len(names) == 1 and reading.labelled:
            problem = "is the only column: add at least one column of numbers or words."
            raise DataError(f"{source.name}: {names[0]!r} {problem}")
        parts, labels, n_rows = [], None, 0
        for j, frame in enumerate(_columns(source, names)):
            n_rows = len(frame)
            if j == chosen:
                labels = frame_labels(frame, names[j])
                continue
            (values,) = frame_columns(frame, words, numbers_only=reading.others == "number").values
            values = values if isinstance(values, Words) else values.copy()  # so that Arrow's memory is free again
            parts.append(Columns((names[j],), (values,), len(frame)))
        pyarrow.default_memory_pool().release_unused()
    if not n_rows:
        raise FormatError(f"{source.name}: the table has no rows: add at least one.")
    return Block(beside(parts), labels, "" if chosen is None else names[chosen], source.name)


def _known_labels(frame: Any, target: Any) -> Any:
    """The labels of a frame that is to be predicted, if all are there."""
    try:
        return frame_labels(frame, target) if target in frame.column_names else None
    except DataError:
        return None


@contextmanager
def _read_by_pyarrow(source: Source) -> Iterator[None]:
    """Say how to get pyarrow where it is missing, and which file it cannot read."""
    try:
        import pyarrow
    except ImportError as error:
        raise DataError(
            f"Reading {source.name} needs pyarrow, which is not installed: pip install separatrix[data]"
        ) from error
    try:
        yield
    except FileNotFoundError:
        raise
    except (pyarrow.ArrowException, OSError) as error:
        problem = " ".join(str(error).split())
        extension = os.path.splitext(source.name)[1].lower()
        raise FormatError(f"{source.name}: no {extension} file that pyarrow can read: {problem}") from error


def _is_parquet(source: Source) -> bool:
    return source.name.lower().endswith(".parquet")


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    """The reader of a file. Two layouts go by the name .arrow: with a table of contents at the end, and as a stream."""
    import pyarrow.ipc
    import pyarrow.parquet

    in_memory = isinstance(source.stream, io.BytesIO)
    if _is_parquet(source):
        with pyarrow.parquet.ParquetFile(source.stream if in_memory else source.name, pre_buffer=False) as file:
            yield file
        return
    content = pyarrow.BufferReader(source.stream.getvalue()) if in_memory else pyarrow.memory_map(source.name)
    with content:  # of a mapped file, only what is used is read
        try:
            file = pyarrow.ipc.open_file(content)
        except pyarrow.ArrowInvalid:
            content.seek(0)
            file = pyarrow.ipc.open_stream(content)
        yield file


def _column_names(source: Source) -> list[str]:
    """The names of the columns; two of one name are refused."""
    with _opened(source) as file:
        schema = file.schema_arrow if _is_parquet(source) else file.schema
    names = list(_without_index(schema.empty_table()).column_names)
    if len(set(names)) < len(names):
        repeated = next(name for place, name in enumerate(names) if name in names[:place])
        raise DataError(f"{source.name}: two columns have the name {repeated!r}: rename one of them.")
    return names


def _columns(source: Source, names: list[str]) -> Iterator[Any]:
    """The columns, one at a time, as Arrow tables of one column."""
    with _opened(source) as file:
        whole = None if _is_parquet(source) else file.read_all()
        for name in names:
            column = file.read(columns=[name], use_threads=False) if whole is None else whole.select([name])
            yield column.replace_schema_metadata()


def _batches(source: Source, rows: int) -> Iterator[Any]:
    with _opened(source) as file:
        if _is_parquet(source):
            yield from file.iter_batches(batch_size=rows)
        elif hasattr(file, "num_record_batches"):
            yield from map(file.get_batch, range(file.num_record_batches))
        else:
            yield from file


def _without_index(frame: Any) -> Any:
    """Drop the columns in which pandas stored its row index: row numbers are no feature."""
    stored = (frame.schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in stored if isinstance(name, str) and name in frame.column_names]
    return frame.drop_columns(index) if index else frame
