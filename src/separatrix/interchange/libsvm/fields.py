"""What both formats share: a header of names and values, labels that are whole numbers, and doubles as text.

svm_type c_svc
kernel_type rbf
...
SV                      or  w
1 1:0.5 3:-2            the lines of the body
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import FormatError, OptionError

MAX_LABEL = 2**31 - 1  # both programs read labels as int


class ModelText(NamedTuple):
    """A file: its name, the values of its header by their names, and the lines of its body with their numbers."""

    name: str
    header: Mapping[str, list[str]]
    body: list[tuple[int, str]]

    def one(self, field: str) -> str:
        """The only value of a field that must be there."""
        values = self.header.get(field, [])
        if len(values) != 1:
            raise FormatError(f"{self.name}: expected one value of {field!r}, found {len(values)}.")
        return values[0]

    def whole(self, field: str, least: int) -> int:
        """A whole number that must be there."""
        return whole_of(self.one(field), f"{self.name}: {field}", least)

    def numbers(self, field: str, count: int) -> np.ndarray:
        """So many numbers that must be there."""
        values = self.header.get(field, [])
        if len(values) != count:
            raise FormatError(f"{self.name}: expected {count} values of {field!r}, found {len(values)}.")
        return np.array([number_of(value, f"{self.name}: {field}") for value in values])


def read_text(path: Any, kinds: tuple[str, ...], last: str) -> ModelText:
    """Read the header up to its last line, and the lines below."""
    name = os.fspath(path)
    try:
        lines = Path(name).read_text(encoding="ascii").splitlines()
    except UnicodeDecodeError as problem:
        raise FormatError(
            f"{name}: byte {problem.start} is no ASCII, so this is no model file of {kinds[0]}."
        ) from None
    header: dict[str, list[str]] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words == [last]:
            body = [(k, each) for k, each in enumerate(lines[number:], number + 1) if each.strip()]
            return ModelText(name, header, body)
        if words:
            header[words[0]] = words[1:]
        if number > MAX_HEADER_LINES or (number == 1 and words[:1] != [kinds[1]]):
            break
    raise FormatError(
        f"{name}: this is no model file of {kinds[0]}, which begins with {kinds[1]!r} and has a line {last!r}."
    )


MAX_HEADER_LINES = 40  # either format has about ten


def entries(text: ModelText, line: tuple[int, str], n_values: int) -> tuple[list[float], list[tuple[int, float]]]:
    """The numbers at the beginning of a line, and its pairs of an index from 1 and a value."""
    number, content = line
    words, place = content.split(), f"{text.name}:{line[0]}"
    if len(words) < n_values:
        raise FormatError(f"{text.name}:{number}: expected {n_values} numbers, found {len(words)}.")
    pairs = []
    for word in words[n_values:]:
        index, colon, value = word.partition(":")
        if not colon:
            raise FormatError(f"{place}: expected INDEX:VALUE, found {word!r}.")
        pairs.append((whole_of(index, place, 0), number_of(value, place)))
    return [number_of(word, place) for word in words[:n_values]], pairs


def number_of(word: str, place: str) -> float:
    """A finite number."""
    try:
        value = float(word)
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise FormatError(f"{place}: expected a finite number, found {word!r}.")
    return value


def whole_of(word: str, place: str, least: int) -> int:
    """A whole number that is not too small."""
    try:
        value = int(word)
    except ValueError:
        value = least - 1
    if value < least:
        raise FormatError(f"{place}: expected a whole number of at least {least}, found {word!r}.")
    return value


def whole_labels(classes: np.ndarray, program: str) -> list[int]:
    """Labels as whole numbers, as both programs have them; of words their place in the alphabet, from 0."""
    if classes.dtype.kind in "OUSb":
        return list(range(classes.size))
    values = classes.astype(np.float64)
    if not ((values == np.rint(values)) & (np.abs(values) <= MAX_LABEL)).all():
        raise OptionError(f"Labels of {program} are whole numbers below 2^31. Got {classes.tolist()[:5]}.")
    return [int(value) for value in values]


def written(lines: Iterator[str], path: Any) -> Path:
    """Write lines to a file, which is there as a whole or as it was before."""
    target = Path(path)
    draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
    try:
        with draft.open("w", encoding="ascii", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(draft, target)
    finally:
        draft.unlink(missing_ok=True)
    return target


def text_of(value: float) -> str:
    """A double with all its digits."""
    return repr(float(value)).removesuffix(".0")
