"""Read Parquet, Arrow and Feather files by pyarrow: rows in batches, or all of them a column at a time."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.data.files.roles import Roles, roles_of
from separatrix.data.files.source import Block, Reading, Source
from separatrix.data.prepare.columns import Columns, Words, beside
from separatrix.data.prepare.dates import DATE
from separatrix.data.prepare.frames import frame_columns, frame_labels
from separatrix.errors import DataError, FormatError, counted


def columnar_blocks(source: Source, reading: Reading) -> Iterator[Block]:
    """Some rows at a time, with their labels where there are any."""
    with _read_by_pyarrow(source):
        import pyarrow

        roles = None
        for batch in _batches(source, reading.rows_per_block):
            for start in range(0, batch.num_rows, reading.rows_per_block):
                frame = without_index(pyarrow.Table.from_batches([batch.slice(start, reading.rows_per_block)]))
                roles = roles or roles_of(frame.column_names, reading, source.name)
                yield _block(frame, roles, reading, source.name)


def _block(frame: Any, roles: Roles, reading: Reading, name: str) -> Block:
    """The rows of an Arrow table."""
    words = {column for column, kind in reading.kinds.items() if kind == "text"}
    dates = {column: kind.removeprefix(DATE) for column, kind in reading.kinds.items() if kind.startswith(DATE)}
    numbers = {column for column, kind in reading.kinds.items() if kind == "number"}
    columns = frame_columns(frame.select(roles.features), words, dates=dates, numbers=numbers)
    labels = None
    if roles.target is not None:
        labels = _optional_labels(frame, frame.column_names[roles.target])
    carried = None if not roles.carried else frame_columns(frame.select(roles.carried), EVERY)
    target = "" if roles.target is None else frame.column_names[roles.target]
    return Block(columns, labels, target, name, carried=carried, weights=_weights(frame, roles.weights))


def read_columnar(source: Source, reading: Reading) -> Block:
    """All rows, a column at a time: decoding all columns at once takes several times the memory of the numbers."""
    words = {name for name, kind in reading.kinds.items() if kind == "text"}
    dates = {name: kind.removeprefix(DATE) for name, kind in reading.kinds.items() if kind.startswith(DATE)}
    with _read_by_pyarrow(source):
        import pyarrow

        names = _column_names(source)
        if len(names) == 1 and reading.labelled:
            problem = "is the only column: add at least one column of numbers or words."
            raise DataError(f"{source.name}: {names[0]!r} {problem}")
        roles = roles_of(names, reading, source.name)
        parts, carried, labels, weights, n_rows = [], [], None, None, 0
        for j, frame in enumerate(_columns(source, names)):
            n_rows = len(frame)
            if j == roles.target:
                kept = labelled_places(frame, names[j])
                labels = frame_labels(frame.take(kept), names[j])
            if j in roles.carried:
                carried.append(frame_columns(frame, EVERY))
            if j == roles.weights:
                weights = _weights(frame, 0)
            if j in roles.features:
                known = None if names[j] not in reading.kinds else dates
                own = frame_columns(frame, words, reading.others == "number", known, set(reading.kinds))
                parts.append(_copied(own))
        pyarrow.default_memory_pool().release_unused()
    if not n_rows:
        raise FormatError(f"{source.name}: the table has no rows: add at least one.")
    target = "" if roles.target is None else names[roles.target]
    block = Block(beside(parts), labels, target, source.name, weights=weights, notes=source.notes)
    block = block._replace(carried=beside(carried) if carried else None)
    return block if labels is None or len(kept) == n_rows else _rows_with_labels(block, kept, n_rows)


class Every:
    """A container that has all names."""

    def __contains__(self, name: object) -> bool:
        return True


EVERY = Every()


def _copied(columns: Columns) -> Columns:
    """Columns in memory of their own, so that Arrow's is free again."""
    values = tuple(own if isinstance(own, Words) else own.copy() for own in columns.values)
    return replace(columns, values=values)


def _rows_with_labels(block: Block, kept: Any, n_rows: int) -> Block:
    """The rows that have a label, and how many have none."""
    skipped = n_rows - len(kept)
    if not len(kept):
        raise FormatError(f"{block.name}: no row has a label in the column {block.target!r}: name another target.")
    return block._replace(
        X=block.X.rows(kept),
        carried=None if block.carried is None else block.carried.rows(kept),
        weights=None if block.weights is None else block.weights[kept],
        skipped=skipped,
        notes=(*block.notes, f"{counted(skipped, 'row')} without a label left out"),
    )


def labelled_places(frame: Any, name: str) -> np.ndarray:
    """The numbers of the rows that have a label."""
    import pyarrow.compute

    column = frame.column(name)
    missing = pyarrow.compute.is_null(column, nan_is_null=True)
    return np.flatnonzero(~np.asarray(missing.to_numpy(zero_copy_only=False), dtype=bool))


def _optional_labels(frame: Any, name: str) -> list[Any]:
    """The labels of a frame that is to be predicted, None where one is missing."""
    kept = labelled_places(frame, name)
    labels: list[Any] = [None] * len(frame)
    for row, label in zip(kept.tolist(), frame_labels(frame.take(kept), name).tolist(), strict=True):
        labels[row] = label
    return labels


def _weights(frame: Any, place: int | None) -> np.ndarray | None:
    """The weights of rows."""
    if place is None:
        return None
    (values,) = frame_columns(frame.select([place]), numbers_only=True).values
    return np.asarray(values, dtype=np.float64)


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
    return ".parquet" in Path(source.name.lower()).suffixes[-2:]


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
    names = list(without_index(schema.empty_table()).column_names)
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


def without_index(frame: Any) -> Any:
    """Drop the columns in which pandas stored its row index: row numbers are no feature."""
    stored = (frame.schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in stored if isinstance(name, str) and name in frame.column_names]
    return frame.drop_columns(index) if index else frame
