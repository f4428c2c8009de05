"""Read LIBSVM text: `label index:value index:value ...`, one row a line, zeros left out.

The format is that of SVMlight (Joachims, 1999) and LIBSVM (Chang and Lin, 2001). Indices count from 1 and
ascend within a line; `#` starts a comment. An index 0 anywhere makes the whole file count from 0, unless it is said
where it counts from, as a model of another file knows. The
loader of scikit-learn reads it where it can be trusted to; where it fails, or would read something into a
malformed file, a plain reader takes over, which also knows text labels and says which line is broken.
"""

import io
import math
import os
from array import array
from collections.abc import Iterator
from itertools import pairwise, repeat
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
import scipy.sparse

from separatrix.data.table import Table, is_finite_number, labels_from_text
from separatrix.errors import FormatError, OptionError

# scikit-learn reads 1_0 as 10 and drops qid: without a word.
MISREAD = (b"_", b"qid")
# One index with a digit too many would ask for the memory of billions of names: beyond this, n_features
# must say so.
LARGEST_UNASKED_INDEX = 2**24
LARGEST_INDEX = 2**31 - 2
EXACT_INTEGER = 2**53
BLOCK = 4 * 2**20  # bytes


class Entries(NamedTuple):
    """A file as it stands: indices still as written, and the line of each row if the plain reader read it."""

    labels: np.ndarray
    values: np.ndarray
    indices: np.ndarray
    starts: np.ndarray
    lines: list[int]


def read_svmlight(
    path: str | os.PathLike[str] | IO[bytes] | IO[str], *, n_features: int | None = None, first: int | None = None
) -> Table:
    r"""Read a file in LIBSVM text format into a sparse Table.

    Features are named x1, x2, ... in the order of their indices; in a file that uses the index 0, that is x1.
    Whole-number labels become integers. Labels may be text ("spam 3:1"), as long as all of them are.

    Parameters
    ----------
    path : path or open file
        What to read.
    n_features : int, optional
        How many columns to make, for files that do not use the last features; by default the largest index.
    first : {0, 1}, optional
        Where indices count from; by default from 1, unless there is an index 0.

    Returns
    -------
    Table
        X is a `scipy.sparse.csr_array`.

    Raises
    ------
    FormatError
        If a line is broken: an index that is no whole number, repeated, descending or too large, a value
        that is missing or not finite, a missing label, several labels, a `qid:`. The message names the
        line.

    Examples
    --------
    >>> import io
    >>> table = read_svmlight(io.StringIO("+1 1:0.5 3:2\n-1 2:4 # a comment\n"))
    >>> table.X.toarray().tolist(), table.labels.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 4.0, 0.0]], [1, -1])
    """
    return read_indexed(path, n_features=n_features, first=first)[0]


def read_indexed(
    path: str | os.PathLike[str] | IO[bytes] | IO[str], *, n_features: int | None = None, first: int | None = None
) -> tuple[Table, int]:
    r"""Read LIBSVM text as a table, and tell where the indices of the file count from.

    Examples
    --------
    >>> import io
    >>> read_indexed(io.StringIO("+1 0:0.5 3:2\n-1 2:4\n"))
    (Table(2 rows x 4 features, 2 classes, sparse), 0)
    """
    if n_features is not None and not (isinstance(n_features, int) and 1 <= n_features <= LARGEST_INDEX):
        raise OptionError(f"n_features must be a whole number from 1 to {LARGEST_INDEX}. Got {n_features!r}.")
    content, name = _content(path)
    largest = LARGEST_UNASKED_INDEX if n_features is None else n_features
    entries = _read_fast(content, largest) or _read_plain(content, name, largest)
    if first is None:
        first = 0 if len(entries.indices) and entries.indices.min() == 0 else 1
    _check_first(entries, first, content, name)
    return _table(entries, name, n_features, first), first


def svmlight_blocks(
    stream: IO[bytes], name: str, n_features: int, block: int = BLOCK, first: int | None = None
) -> Iterator[tuple[scipy.sparse.csr_array, np.ndarray]]:
    r"""Read LIBSVM text some rows at a time, for files of any length.

    Parameters
    ----------
    stream : file open for bytes
        What to read.
    name : str
        For messages.
    n_features : int
        How many columns to make; what has a larger index is left out, as a model of so many features ignores it.
    block : int
        About how many bytes to read at a time.
    first : {0, 1}, optional
        Where indices count from; by default the first rows say so.

    Yields
    ------
    tuple of csr_array and ndarray
        Rows and their labels, which are integers, floats or text.

    Examples
    --------
    >>> import io
    >>> file = io.BytesIO(b"+1 1:0.5 3:2\n-1 2:4\n")
    >>> [labels.tolist() for X, labels in svmlight_blocks(file, "file", 2, block=1)]
    [[1], [-1]]
    """
    given, before = first, 0
    while lines := stream.readlines(block):
        content = b"".join(lines).removeprefix(b"" if before else b"\xef\xbb\xbf")
        entries = _read_fast(content, LARGEST_UNASKED_INDEX)
        entries = entries or _read_plain(content, name, LARGEST_UNASKED_INDEX, before)
        if given is not None:
            _check_first(entries, given, content, name, before)
        before += len(lines)
        zero = bool(len(entries.indices)) and int(entries.indices.min()) == 0
        if first is None and len(entries.indices):
            first = 0 if zero else 1
        elif zero and first == 1:
            problem = f"an index 0 up to line {before:,}, after rows that count from 1"
            raise FormatError(f"{name}: {problem}. Count from 1 in all lines, or put a row with index 0 first.")
        if len(entries.labels):
            X = _csr(entries, 1 if first is None else first, max(n_features, int(entries.indices.max(initial=0)) + 1))
            yield X[:, :n_features], _whole(entries.labels)


def _content(path: str | os.PathLike[str] | IO[bytes] | IO[str]) -> tuple[bytes, str]:
    if isinstance(path, (str, os.PathLike)):
        content: bytes | str = Path(path).read_bytes()
        name: object = os.fspath(path)
    else:
        content, name = path.read(), getattr(path, "name", None)
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return data.removeprefix(b"\xef\xbb\xbf"), name if isinstance(name, str) else "<stream>"


def _check_first(entries: Entries, first: int, content: bytes, name: str, before: int = 0) -> None:
    """Refuse an index 0 where 1 is the first, with its line, which the plain reader knows."""
    if first == 0 or not len(entries.indices) or entries.indices.min() > 0:
        return
    entries = _read_plain(content, name, LARGEST_INDEX, before)
    row = np.searchsorted(entries.starts, np.argmin(entries.indices), side="right") - 1
    problem = "an index 0, where 1 is the first in the rows of the fit: add 1 to all indices, or remove this one."
    raise FormatError.at(name, entries.lines[row], problem)


def _table(entries: Entries, name: str, n_features: int | None, first: int) -> Table:
    """Shift the indices to count from 0 and give the columns their names."""
    if not len(entries.labels):
        raise FormatError(f'{name}: the file is empty. Expected lines such as "+1 1:0.5 3:2".')
    if not len(entries.indices) and n_features is None:
        raise FormatError(f"{name}: no line has a feature. Write index:value after the labels, or give n_features.")
    columns = entries.indices - first
    width = n_features or int(columns.max()) + 1
    if len(columns) and columns.max() >= width:  # counted from 0, the index n_features is one too many
        row = np.searchsorted(entries.starts, np.argmax(columns), side="right") - 1
        raise FormatError.at(name, entries.lines[row], _too_large(width, width - 1))
    X = _csr(entries, first, width)
    return Table(X, _whole(entries.labels), tuple(f"x{j + 1}" for j in range(width)))


def _csr(entries: Entries, first: int, width: int) -> scipy.sparse.csr_array:
    """The rows, their indices shifted to count from 0."""
    small = np.int32 if len(entries.indices) < LARGEST_INDEX else np.int64  # LIBLINEAR takes 32-bit indices only
    columns, starts = (entries.indices - first).astype(small), entries.starts.astype(small)
    return scipy.sparse.csr_array((entries.values, columns, starts), shape=(len(entries.labels), width))


def _whole(labels: np.ndarray) -> np.ndarray:
    """Integers instead of floats where nothing is lost."""
    if labels.dtype.kind == "f" and np.all(labels == np.rint(labels)) and np.all(abs(labels) < EXACT_INTEGER):
        return labels.astype(np.int64)
    return labels


def _read_fast(content: bytes, largest: int) -> Entries | None:
    """What scikit-learn makes of the file, or nothing where that is an error or not to be trusted."""
    from sklearn.datasets import load_svmlight_file

    if any(word in content for word in MISREAD):
        return None
    try:
        X, labels = load_svmlight_file(io.BytesIO(content), zero_based=True)
    except Exception:  # whatever it is, the plain reader finds the line and says what is wrong with it
        return None
    sound = np.all(np.isfinite(X.data)) and np.all(abs(labels) < EXACT_INTEGER)
    if not sound or (X.nnz and X.indices.max() > largest - (X.indices.min() == 0)):
        return None
    return Entries(labels, X.data, X.indices, X.indptr, [])


def _read_plain(content: bytes, name: str, largest: int, before: int = 0) -> Entries:
    """Read in plain Python, with an error for the first line that is broken, as so many are before these."""
    labels: list[str] = []
    lines: list[int] = []
    values, indices, starts = array("d"), array("q"), array("q", [0])
    for number, tokens in _token_lines(content, before + 1):
        try:
            labels.append(_label(tokens[0], labels))
            row = list(map(_entry, tokens[1:], repeat(largest)))
            _check_ascending([index for index, _ in row])
        except FormatError as error:
            raise FormatError.at(name, number, str(error)) from None
        indices.extend(index for index, _ in row)
        values.extend(value for _, value in row)
        starts.append(len(values))
        lines.append(number)
    return Entries(labels_from_text(labels), np.array(values), np.array(indices), np.array(starts), lines)


def _token_lines(content: bytes, first: int) -> Iterator[tuple[int, list[bytes]]]:
    for number, line in enumerate(io.BytesIO(content), start=first):
        if tokens := line.partition(b"#")[0].split():
            yield number, tokens


def _label(token: bytes, earlier: list[str]) -> str:
    """The label, which is a finite number if the earlier ones are, and a word if they are."""
    text = token.decode("utf-8", "replace")
    if ":" in text:
        raise FormatError(f"the line starts with {_shown(token)}, so its label is missing: write it first.")
    if "," in text:
        raise FormatError(f"{_shown(token)} where one label was expected: keep one, or read as a delimited file.")
    if not text.isprintable() or "\ufffd" in text:
        raise FormatError(f"the label {_shown(token)} is no UTF-8 text: save the file as UTF-8 text.")
    if _is_infinite(text):
        raise FormatError(f"the label {_shown(token)} is not finite: write a finite number or a word.")
    if earlier and is_finite_number(text) != is_finite_number(earlier[0]):
        raise FormatError(
            f"the label {_shown(token)} after labels such as {earlier[0]!r}: use numbers only or words only."
        )
    return text


def _is_infinite(text: str) -> bool:
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def _entry(token: bytes, largest: int) -> tuple[int, float]:
    """An index and its value."""
    before, colon, after = token.partition(b":")
    if not colon:
        raise FormatError(f"{_shown(token)} where index:value was expected.")
    if before == b"qid":
        raise FormatError(f"{_shown(token)} groups rows for ranking, which no classifier uses: remove it.")
    if not before.removeprefix(b"+").isdigit():
        raise FormatError(f"{_shown(token)} where index:value was expected, with a whole number from 1 as index.")
    index = int(before) if len(before) < 20 else LARGEST_INDEX + 1
    if index > largest:
        raise FormatError(_too_large(before.decode(), largest))
    text = after.decode("utf-8", "replace")
    if not is_finite_number(text):
        raise FormatError(f"{_shown(token)} where index:value was expected, with a finite number as value.")
    return index, float(text)


def _check_ascending(indices: list[int]) -> None:
    for one, other in pairwise(indices):
        if one == other:
            raise FormatError(f"the index {one} appears twice: keep one of them.")
        if one > other:
            raise FormatError(f"the index {other} follows {one}: sort the indices of a line.")


def _too_large(index: object, largest: int) -> str:
    return (
        f"the index {index} is larger than {largest}, the largest that can be used: "
        "correct it, or raise n_features if it is right."
    )


def _shown(token: bytes, most: int = 60) -> str:
    text = token.decode("utf-8", "replace")
    return repr(text if len(text) <= most else text[:most] + "...")
