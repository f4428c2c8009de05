"""One door for every kind of file: the extension says how to read it, and the first line where that is open.

Delimited text (.csv, .tsv, .tab), LIBSVM text (.svm, .libsvm, .svmlight), and the columnar formats Parquet
and Arrow (.parquet, .arrow, .feather), which need pyarrow. Anything else is LIBSVM text if it looks like
that, and delimited text with a header if not.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from separatrix.data.files.delimited import read_delimited
from separatrix.data.files.svmlight import read_svmlight
from separatrix.data.prepare.frames import from_frame
from separatrix.data.table import Table
from separatrix.errors import DataError, FormatError, OptionError

DELIMITED = frozenset({".csv", ".tsv", ".tab"})
SVMLIGHT = frozenset({".svm", ".libsvm", ".svmlight"})
COLUMNAR = frozenset({".parquet", ".arrow", ".feather"})
UNKNOWN = frozenset({".xlsx", ".xls", ".ods", ".json", ".npy", ".npz", ".pkl", ".zip", ".gz", ".bz2", ".xz"})
# A label, then a first index:value; commas and the like would make it a line of a delimited file.
SVMLIGHT_LINE = re.compile(rb"\s*[^\s:,;|]+\s+(?:[+-]?\d+|qid):[^\s,;|]*(?:\s|$)")


def read_table(
    path: str | os.PathLike[str],
    target: str | int | None = None,
    *,
    delimiter: str | None = None,
    n_features: int | None = None,
) -> Table:
    r"""Read a data file of any kind that the package knows.

    Parameters
    ----------
    path : path
        A file of delimited text with a header, LIBSVM text, Parquet, Arrow or Feather.
    target : str or int, optional
        The column that holds the labels: its name, or its number counted from 0, or from the end if negative;
        the last one by default. LIBSVM text has its labels in front and no column names, so there it must be left out.
    delimiter : str, optional
        What separates the cells of delimited text; guessed by default.
    n_features : int, optional
        How many features LIBSVM text has; the largest index in the file by default. Give it for files to predict.

    Returns
    -------
    Table
        Dense, or sparse if the file is LIBSVM text.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "people.csv")
    ...     _ = file.write_text("age,ill\n30,no\n40,yes\n")
    ...     read_table(file)
    Table(2 rows x 1 feature, 2 classes, dense)
    """
    extension = Path(path).suffix.lower()
    if extension in COLUMNAR:
        return _read_columnar(path, extension, -1 if target is None else target)
    if extension in SVMLIGHT or (extension not in DELIMITED and _looks_like_svmlight(path)):
        if target is not None:
            raise OptionError(
                f"{os.fspath(path)} is LIBSVM text, which has its labels in front and no column names. "
                f"Got the target {target!r}: leave it out."
            )
        return read_svmlight(path, n_features=n_features)
    if extension in UNKNOWN:
        raise FormatError(f"{os.fspath(path)}: {extension} files are not read. Save the table as CSV or Parquet.")
    return read_delimited(path, -1 if target is None else target, delimiter=delimiter)


def _looks_like_svmlight(path: str | os.PathLike[str]) -> bool:
    with open(path, "rb") as stream:
        for line in stream:
            text = line.removeprefix(b"\xef\xbb\xbf").strip()
            if text and not text.startswith(b"#"):
                return SVMLIGHT_LINE.match(text) is not None
    return False


def _read_columnar(path: str | os.PathLike[str], extension: str, target: str | int) -> Table:
    with _read_by_pyarrow(path):
        frame = _parquet(path) if extension == ".parquet" else _arrow(path)
    return from_frame(_without_index(frame), target)


@contextmanager
def _read_by_pyarrow(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say how to get pyarrow where it is missing, and which file it cannot read."""
    try:
        import pyarrow
    except ImportError as error:
        raise DataError(
            f"Reading {os.fspath(path)} needs pyarrow, which is not installed: pip install separatrix[data]"
        ) from error
    try:
        yield
    except FileNotFoundError:
        raise
    except (pyarrow.ArrowException, OSError) as error:
        extension = Path(path).suffix.lower()
        problem = " ".join(str(error).split())
        raise FormatError(f"{os.fspath(path)}: no {extension} file that pyarrow can read: {problem}") from error


def columnar_batches(path: str | os.PathLike[str], rows: int) -> Iterator[Any]:
    """The rows of a Parquet, Arrow or Feather file, so many at a time, as Arrow tables.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow, pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "people.parquet")
    ...     pyarrow.parquet.write_table(pyarrow.table({"age": [30, 40, 50]}), file)
    ...     [len(batch) for batch in columnar_batches(file, 2)]
    [2, 1]
    """
    with _read_by_pyarrow(path):
        import pyarrow

        for batch in _parquet_batches(path, rows) if Path(path).suffix.lower() == ".parquet" else _arrow_batches(path):
            for start in range(0, batch.num_rows, rows):
                yield _without_index(pyarrow.Table.from_batches([batch.slice(start, rows)]))


def columnar_names(path: str | os.PathLike[str]) -> list[str]:
    """The names of the columns of a Parquet, Arrow or Feather file; two of one name are refused.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow, pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "people.parquet")
    ...     pyarrow.parquet.write_table(pyarrow.table({"age": [30, 40], "ill": ["no", "yes"]}), file)
    ...     columnar_names(file)
    ['age', 'ill']
    """
    with _read_by_pyarrow(path):
        import pyarrow.parquet

        if Path(path).suffix.lower() == ".parquet":
            schema = pyarrow.parquet.read_schema(os.fspath(path))
        else:
            schema = _arrow(path).schema
    names = list(_without_index(schema.empty_table()).column_names)
    if len(set(names)) < len(names):
        repeated = next(name for place, name in enumerate(names) if name in names[:place])
        raise DataError(f"{os.fspath(path)}: two columns have the name {repeated!r}: rename one of them.")
    return names


def columnar_columns(path: str | os.PathLike[str]) -> Iterator[Any]:
    """The columns of a Parquet, Arrow or Feather file, one at a time, as Arrow tables of one column.

    Decoding all columns of a Parquet file at once takes several times the memory that the numbers need.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pyarrow, pyarrow.parquet
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "people.parquet")
    ...     pyarrow.parquet.write_table(pyarrow.table({"age": [30, 40], "ill": ["no", "yes"]}), file)
    ...     [column.column_names for column in columnar_columns(file)]
    [['age'], ['ill']]
    """
    with _read_by_pyarrow(path):
        import pyarrow

        yield from _parquet_columns(path) if Path(path).suffix.lower() == ".parquet" else _arrow_columns(path)
        pyarrow.default_memory_pool().release_unused()


def _parquet_columns(path: str | os.PathLike[str]) -> Iterator[Any]:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(os.fspath(path), pre_buffer=False) as file:
        for name in _without_index(file.schema_arrow.empty_table()).column_names:
            yield file.read(columns=[name], use_threads=False).replace_schema_metadata()


def _arrow_columns(path: str | os.PathLike[str]) -> Iterator[Any]:
    frame = _without_index(_arrow(path))
    for name in frame.column_names:
        yield frame.select([name])


def _parquet_batches(path: str | os.PathLike[str], rows: int) -> Iterator[Any]:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(os.fspath(path), pre_buffer=False) as file:
        yield from file.iter_batches(batch_size=rows)


def _arrow_batches(path: str | os.PathLike[str]) -> Iterator[Any]:
    import pyarrow.ipc

    with pyarrow.OSFile(os.fspath(path)) as source:
        try:
            file = pyarrow.ipc.open_file(source)
        except pyarrow.ArrowInvalid:
            source.seek(0)
            yield from pyarrow.ipc.open_stream(source)
            return
        for number in range(file.num_record_batches):
            yield file.get_batch(number)


def _parquet(path: str | os.PathLike[str]) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(os.fspath(path))


def _arrow(path: str | os.PathLike[str]) -> Any:
    """Both layouts go by the name .arrow: with a table of contents at the end, and as a stream."""
    import pyarrow.ipc

    with pyarrow.memory_map(os.fspath(path)) as source:  # what is not looked at is not read
        try:
            return pyarrow.ipc.open_file(source).read_all()
        except pyarrow.ArrowInvalid:
            source.seek(0)
            return pyarrow.ipc.open_stream(source).read_all()


def _without_index(frame: Any) -> Any:
    """Drop the columns in which pandas stored its row index: row numbers are no feature."""
    stored = (frame.schema.pandas_metadata or {}).get("index_columns", [])
    index = [name for name in stored if isinstance(name, str) and name in frame.column_names]
    return frame.drop_columns(index) if index else frame
