"""One door for every kind of file: rows a block at a time, or all of them.

Delimited text (.csv, .tsv, .tab), LIBSVM text (.svm, .libsvm, .svmlight), the columnar formats Parquet and Arrow
(.parquet, .arrow, .feather), which need pyarrow, and spreadsheets (.xlsx), which need openpyxl; compressed or not, from
a path, from the standard input, or from an open file.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from separatrix.data.files.columnar import columnar_blocks, read_columnar
from separatrix.data.files.delimited import delimited_blocks, read_delimited
from separatrix.data.files.source import Block, Dialect, Readable, Reading, Source, opened
from separatrix.data.files.spreadsheet import read_spreadsheet, spreadsheet_blocks
from separatrix.data.files.svmlight import read_svmlight, svmlight_blocks
from separatrix.data.prepare.columns import Columns
from separatrix.data.prepare.dates import DATE
from separatrix.data.table import Table

BLOCKS: Mapping[str, Any] = {
    "delimited": delimited_blocks,
    "svmlight": svmlight_blocks,
    "columnar": columnar_blocks,
    "spreadsheet": spreadsheet_blocks,
}
WHOLE: Mapping[str, Any] = {
    "delimited": read_delimited,
    "svmlight": read_svmlight,
    "columnar": read_columnar,
    "spreadsheet": read_spreadsheet,
}
ROWS_PER_BLOCK = 4096
USUAL = Dialect()


def read_table(
    path: Readable,
    target: str | int | None = None,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = (),
    header: bool | None = None,
    drop: Sequence[str | int] = (),
    n_features: int | None = None,
) -> Table:
    r"""Read a data file of any kind that the package knows.

    Labels of delimited text that are all whole numbers become integers, labels that are all numbers become floats, and
    any others stay text, as do 1 and 01, which are the same number, written differently. Rows without a label are left
    out. What was recognised, such as decimal commas, and what was left out is said in the `notes` of the table.

    Parameters
    ----------
    path : path, "-" for the standard input, or open file
        A file of delimited text, LIBSVM text, Parquet, Arrow, Feather or .xlsx; of one that ends in .gz, .bz2, .xz or
        .zip, what is inside.
    target : str or int, optional
        The column that holds the labels: its name, or its number counted from 0, or from the end if negative;
        the last one by default. LIBSVM text has its labels in front and no column names, so there it must be left out.
    delimiter : str, optional
        What separates the cells of delimited text. By default a tab for .tsv and .tab, else whichever of comma,
        semicolon, tab and bar the first lines have.
    decimal, thousands : str, optional
        The decimal mark of delimited text, and what stands between thousands; by default what the cells show.
    encoding : str, optional
        Of delimited text; by default UTF-8, or UTF-16 where the file begins with its byte order mark.
    missing : sequence of str
        Words for missing values beside the usual ones, in any case.
    header : bool, optional
        Whether the first line of delimited text has the names of the columns. By default it has, and a first line that
        looks like a row is refused.
    drop : sequence of str or int
        Columns that are left out.
    n_features : int, optional
        How many features LIBSVM text has; the largest index in the file by default. Give it for files to predict.

    Returns
    -------
    Table
        Dense, or sparse if the file is LIBSVM text.

    Raises
    ------
    FormatError
        If the file cannot be read; the message names the line.

    Examples
    --------
    >>> import io
    >>> read_table(io.StringIO("age,ill\n30,no\n40,yes\n"))
    Table(2 rows x 1 feature, 2 classes, dense)
    >>> table = read_table(io.StringIO("+1 1:0.5 3:2\n-1 2:4 # a comment\n"))
    >>> table.X.toarray().tolist(), table.labels.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 4.0, 0.0]], [1, -1])
    """
    dialect = Dialect(delimiter, decimal, thousands, encoding, tuple(missing), header)
    reading = Reading(target, dialect, others="number", n_features=n_features, drop=tuple(drop))
    with opened(path, rewindable=True, encoding=encoding) as source:
        return numeric_table(read_whole(source, reading))


def read_columns(
    path: Readable,
    target: str | int | None = None,
    dialect: Dialect = USUAL,
    *,
    words: frozenset[str] = frozenset(),
    others: Literal["text", "guess"] = "guess",
    labelled: bool = True,
    **how: Any,
) -> Block:
    r"""Read a whole file as columns of numbers and of words.

    Parameters
    ----------
    path, target
        As for `read_table`.
    dialect : Dialect
        How delimited text is written.
    words : frozenset of str
        Columns that are of words whatever they hold.
    others : {"guess", "text"}
        What the other columns are: numbers where all cells are, or words, too.
    labelled : bool
        Whether one of the columns is the target; if not, all are read, and there are no labels. Those of LIBSVM text,
        which cannot be without, are passed over.
    **how
        The rest of `Reading`: kinds, first_index, drop, carry, weights, known.

    Examples
    --------
    >>> import io
    >>> whole = read_columns(io.StringIO("age,sex,ill\n30,f,no\n,m,yes\n"), "ill")
    >>> whole.X, whole.labels.tolist()
    (Columns(2 rows: 1 column of numbers, 1 of words), ['no', 'yes'])
    """
    how["kinds"] = {**how.get("kinds", {}), **dict.fromkeys(words, "text")}
    reading = Reading(target, dialect, others=others, labelled=labelled, **how)
    with opened(path, rewindable=True, encoding=dialect.encoding) as source:
        return read_whole(source, reading)


def read_blocks(
    path: Readable,
    kinds: Mapping[str, str],
    target: str | None = None,
    dialect: Dialect = USUAL,
    rows: int = ROWS_PER_BLOCK,
    **how: Any,
) -> Iterator[Block]:
    r"""Read a file of any length a block of rows at a time, its columns of the kinds that a model knows.

    Parameters
    ----------
    path, dialect
        As for `read_columns`.
    kinds : mapping of name to "number", "text" or a kind of dates
        What the columns are; others are read as text, unless `others` says so otherwise. For LIBSVM text only their
        number matters.
    target : str or None
        The column that holds the labels, if there is one.
    rows : int
        How many rows a block has, at most. Blocks of LIBSVM text have about 4 MB.
    **how
        The rest of `Reading`: others, first_index, drop, carry, weights, known.

    Examples
    --------
    >>> import io
    >>> [len(block.X) for block in read_blocks(io.StringIO("age\n30\n40\n50\n"), {"age": "number"}, rows=2)]
    [2, 1]
    """
    reading = Reading(target, dialect, kinds, labelled=False, rows_per_block=rows, **{"others": "text", **how})
    reading = reading._replace(n_features=sum(not kind.startswith(DATE) for kind in kinds.values()))
    with opened(path, encoding=dialect.encoding) as source:
        yield from BLOCKS[source.format](source, reading)


def read_whole(source: Source, reading: Reading) -> Block:
    """All rows of a source."""
    return WHOLE[source.format](source, reading)


def numeric_table(whole: Block) -> Table:
    """Rows of numbers as a Table; features without a name are x1, x2 and so on."""
    if isinstance(whole.X, Columns):
        X = np.column_stack([np.asarray(column) for column in whole.X.values])
        return Table(X, whole.labels, whole.X.names, whole.target, whole.notes)
    return Table(whole.X, whole.labels, tuple(f"x{j + 1}" for j in range(whole.X.shape[1])), notes=whole.notes)
