"""Read LIBSVM text: `label index:value index:value ...`, one row a line, zeros left out.

The format is that of SVMlight (Joachims, 1999) and LIBSVM (Chang and Lin, 2001). Indices count from 1 and ascend within
a line; `#` starts a comment. An index 0 anywhere makes the whole file count from 0, unless the reader is told where it
counts from, as a model of another file knows. Whole-number labels become integers; labels may be text ("spam 3:1"), as
long as all of them are. The loader of scikit-learn reads what it reads correctly. Where it fails, or would accept a
malformed file, a plain reader takes over, which also knows text labels and says which line is broken.
"""

import io
import math
from array import array
from collections.abc import Iterator
from itertools import pairwise, repeat
from typing import NamedTuple

import numpy as np
import scipy.sparse

from separatrix.data.files.source import BYTE_ORDER_MARK, Block, Reading, Source
from separatrix.data.table import is_finite_number, labels_from_text, shortened
from separatrix.errors import FormatError, OptionError

# scikit-learn reads 1_0 as 10 and drops qid: without a word.
MISREAD = (b"_", b"qid")
# One index with a digit too many would ask for the memory of billions of names: beyond this, n_features
# must say so.
MAX_INDEX_BY_DEFAULT = 2**24
MAX_INDEX = 2**31 - 2
MAX_EXACT_INTEGER = 2**53
BYTES_PER_BLOCK = 4 * 2**20


class Entries(NamedTuple):
    """A file as it stands: indices still as written, and the line of each row if the plain reader read it."""

    labels: np.ndarray
    values: np.ndarray
    indices: np.ndarray
    starts: np.ndarray
    lines: list[int]


def read_svmlight(source: Source, reading: Reading) -> Block:
    """All rows at once: only the whole file tells where its indices count from, and how many features it has."""
    name, first, n_features = source.name, reading.first_index, reading.n_features
    if reading.target is not None:
        problem = "is LIBSVM text, which has its labels in front and no column names"
        raise OptionError(f"{name} {problem}. Got the target {reading.target!r}: leave it out.")
    if n_features is not None and not (isinstance(n_features, int) and 1 <= n_features <= MAX_INDEX):
        raise OptionError(f"n_features must be a whole number from 1 to {MAX_INDEX}. Got {n_features!r}.")
    content = source.stream.read().removeprefix(BYTE_ORDER_MARK)
    largest = MAX_INDEX_BY_DEFAULT if n_features is None else n_features
    entries = _read_fast(content, largest) or _read_plain(content, name, largest)
    if first is None:
        first = 0 if _has_index_0(entries) else 1
    _check_first(entries, first, content, name)
    if not len(entries.labels):
        raise FormatError(f'{name}: the file is empty. Expected lines such as "+1 1:0.5 3:2".')
    if not len(entries.indices) and n_features is None:
        raise FormatError(f"{name}: no line has a feature. Write index:value after the labels, or give n_features.")
    width = n_features or int(entries.indices.max()) - first + 1
    if len(entries.indices) and entries.indices.max() - first >= width:  # from 0, the index n_features is one too many
        entries = _read_plain(content, name, MAX_INDEX)
        raise FormatError.at(name, _line_of(entries, np.argmax(entries.indices)), _too_large(width, width - 1))
    labels = _whole(entries.labels) if reading.labelled else None
    return Block(_csr(entries, first, width), labels, "", name, first)


def svmlight_blocks(source: Source, reading: Reading, block_bytes: int = BYTES_PER_BLOCK) -> Iterator[Block]:
    """Some rows at a time; what has an index above `n_features` is left out, as a model of so many ignores it.

    Where it is not given where indices count from, the first rows say so.
    """
    first, before, width = reading.first_index, 0, int(reading.n_features or 0)
    while lines := source.stream.readlines(block_bytes):
        content = b"".join(lines).removeprefix(b"" if before else BYTE_ORDER_MARK)
        entries = _read_fast(content, MAX_INDEX_BY_DEFAULT)
        entries = entries or _read_plain(content, source.name, MAX_INDEX_BY_DEFAULT, before)
        if reading.first_index is not None:
            _check_first(entries, reading.first_index, content, source.name, before)
        before += len(lines)
        if first is None and len(entries.indices):
            first = 0 if _has_index_0(entries) else 1
        elif first == 1 and _has_index_0(entries):
            problem = f"an index 0 up to line {before:,}, after rows that count from 1"
            raise FormatError(f"{source.name}: {problem}. Count from 1 in all lines, or put a row with index 0 first.")
        if len(entries.labels):
            X = _csr(entries, 1 if first is None else first, max(width, int(entries.indices.max(initial=0)) + 1))
            yield Block(X[:, :width], _whole(entries.labels), "", source.name, first)


def svmlight_extent(content: bytes, name: str, before: int = 0) -> tuple[int, int]:
    """The smallest and the largest index in some lines, which `before` lines precede; (1, 0) where there is none."""
    entries = _read_fast(content, MAX_INDEX) or _read_plain(content, name, MAX_INDEX, before)
    return (int(entries.indices.min()), int(entries.indices.max())) if len(entries.indices) else (1, 0)


def svmlight_part(content: bytes, name: str, reading: Reading, before: int = 0) -> Block:
    """The rows of some lines, which `before` lines precede; where indices count from and their number are known."""
    first, width = reading.first_index, reading.n_features
    assert first is not None
    assert width is not None
    entries = _read_fast(content, MAX_INDEX) or _read_plain(content, name, MAX_INDEX, before)
    _check_first(entries, first, content, name, before)
    if len(entries.indices) and entries.indices.max() - first >= width:
        entries = _read_plain(content, name, MAX_INDEX, before)
        raise FormatError.at(name, _line_of(entries, np.argmax(entries.indices)), _too_large(width, width - 1 + first))
    labels = _whole(entries.labels) if reading.labelled else None
    return Block(_csr(entries, first, width), labels, "", name, first)


def _has_index_0(entries: Entries) -> bool:
    return bool(len(entries.indices)) and int(entries.indices.min()) == 0


def _line_of(entries: Entries, place: np.integer) -> int:
    """The line of an entry, which the plain reader knows."""
    return entries.lines[np.searchsorted(entries.starts, place, side="right") - 1]


def _check_first(entries: Entries, first: int, content: bytes, name: str, before: int = 0) -> None:
    """Refuse an index 0 where 1 is the first, with its line."""
    if first == 0 or not _has_index_0(entries):
        return
    entries = _read_plain(content, name, MAX_INDEX, before)
    problem = "an index 0, where 1 is the first in the rows of the fit: add 1 to all indices, or remove this one."
    raise FormatError.at(name, _line_of(entries, np.argmin(entries.indices)), problem)


def _csr(entries: Entries, first: int, width: int) -> scipy.sparse.csr_array:
    """The rows, their indices shifted to count from 0."""
    small = np.int32 if len(entries.indices) < MAX_INDEX else np.int64  # LIBLINEAR takes 32-bit indices only
    columns, starts = (entries.indices - first).astype(small), entries.starts.astype(small)
    return scipy.sparse.csr_array((entries.values, columns, starts), shape=(len(entries.labels), width))


def _whole(labels: np.ndarray) -> np.ndarray:
    """Whole numbers as integers, where all labels are whole."""
    if labels.dtype.kind == "f" and np.all(labels == np.rint(labels)) and np.all(abs(labels) < MAX_EXACT_INTEGER):
        return labels.astype(np.int64)
    return labels


def _read_fast(content: bytes, largest: int) -> Entries | None:
    """The entries as scikit-learn reads them; None where it fails or may misread the file."""
    from sklearn.datasets import load_svmlight_file

    if any(word in content for word in MISREAD):
        return None
    try:
        X, labels = load_svmlight_file(io.BytesIO(content), zero_based=True)
    except Exception:  # whatever it is, the plain reader finds the line and says what is wrong with it
        return None
    sound = np.all(np.isfinite(X.data)) and np.all(abs(labels) < MAX_EXACT_INTEGER)
    if not sound or (X.nnz and X.indices.max() > largest - (X.indices.min() == 0)):
        return None
    return Entries(labels, X.data, X.indices, X.indptr, [])


def _read_plain(content: bytes, name: str, largest: int, before: int = 0) -> Entries:
    """Read in plain Python, with an error for the first broken line; `before` lines precede the content."""
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
    index = int(before) if len(before) < 20 else MAX_INDEX + 1
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


def _shown(token: bytes) -> str:
    return shortened(token.decode("utf-8", "replace"))
