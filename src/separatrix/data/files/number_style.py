"""How numbers are written in delimited text: decimal mark, thousands separator, per cent signs, words for missing.

The usual style has a decimal point and no separators. Others are recognised where cells leave no doubt:

    1,5         a decimal comma, unless three digits follow, which may be thousands
    1.234,5     a decimal comma and points between thousands
    1,234.5     commas between thousands; so do 1,234,567 and 1 234 567 and 1'234
    1,234       either; commas between thousands where cells are separated by commas, or others have a decimal point
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from separatrix.errors import FormatError, OptionError, option

MISSING = frozenset({"", "na", "n/a", "#n/a", "#na", "<na>", "nan", "null", "none", "?", "-"})  # in any case
MIN_NUMERIC_SHARE = 0.9  # of the cells of a column: where more are numbers, the others are mistakes
THOUSANDS = ",.'’ \u00a0\u202f"  # what may stand between groups of three digits
NUMERIC = re.compile(rf"[+-]?[\d{THOUSANDS}]*\d[\d{THOUSANDS}]*([eE][+-]?\d+)?\s*%?")  # to people
DECIMAL_COMMA = re.compile(r"[+-]?\d*,(\d{1,2}|\d{4,})([eE][+-]?\d+)?|[+-]?0,\d+|[+-]?\d{1,3}(\.\d{3})+,\d*")
DECIMAL_POINT = re.compile(r"[+-]?\d*\.(\d{1,2}|\d{4,})([eE][+-]?\d+)?|[+-]?0?\.\d+|[+-]?\d{1,3}(,\d{3})+\.\d*")
COMMA_OR_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
TRUTH = {"true": 1.0, "false": 0.0}


class NumberStyle(NamedTuple):
    """The decimal mark, what stands between thousands, if anything, and words for missing numbers, in lower case.

    Examples
    --------
    >>> from separatrix.data.files.number_style import NumberStyle
    >>> style = NumberStyle(decimal=",", thousands=".")
    >>> [style.value(cell) for cell in ("1.234,5", "-0,5", "12,5 %", "n/a", "1.5", "spam")]
    [1234.5, -0.5, 12.5, nan, None, None]
    """

    decimal: str = "."
    thousands: str = ""
    missing: frozenset[str] = MISSING

    def is_missing(self, cell: str) -> bool:
        """Whether a cell says that there is no value."""
        return cell.strip().lower() in self.missing

    def value(self, cell: str) -> float | None:
        """The number in a cell, NaN if it is missing, None if it is neither. A per cent sign changes nothing."""
        text = cell.strip()
        if text.lower() in self.missing:
            return math.nan
        text = text.removesuffix("%").rstrip() if len(text) > 1 else text
        if self.thousands and self.thousands in text:
            mark, point = re.escape(self.thousands), re.escape(self.decimal)
            if not re.fullmatch(rf"[+-]?\d{{1,3}}({mark}\d{{3}})+({point}\d*)?", text):
                return None
            text = text.replace(self.thousands, "")
        if self.decimal != ".":
            if "." in text:
                return None
            text = text.replace(self.decimal, ".")
        try:
            return None if "_" in text else float(text)  # Python reads "1_000" as a number, no other program does
        except ValueError:
            return None

    def values(self, cells: Sequence[str], truth: bool = False) -> tuple[np.ndarray, list[str]]:
        """The numbers in cells, and the different cells that hold none; with `truth`, true is 1 and false is 0."""
        if self.decimal == "." and "_" not in "".join(cells):
            try:
                return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells)), []
            except ValueError:
                pass
        known: dict[str, float | None] = {cell: self.value(cell) for cell in set(cells)}
        if truth:
            known |= {cell: TRUTH[low] for cell in known if (low := cell.strip().lower()) in TRUTH}
        strange = [cell for cell in dict.fromkeys(cells) if known[cell] is None]
        numbers = np.array([math.nan if (value := known[cell]) is None else value for cell in cells], dtype=np.float64)
        return numbers, strange


def checked_mark(name: str, mark: str | None) -> None:
    """Refuse a decimal mark or thousands separator that can be none."""
    if mark is not None and (len(mark) != 1 or mark.isalnum() or mark in '+-"\r\n%'):
        raise OptionError(f"{option(name)} must be one character, such as a comma. Got {mark!r}.")


def found_style(columns: Iterable[Sequence[str]], delimiter: str, name: str, given: NumberStyle | None) -> NumberStyle:
    """The style that the cells of columns are written in, some rows of a file; the usual one where nothing is unusual.

    `given` has what the user says, "" for what is not said; what cells leave open is an error that names the options.
    """
    decimal, thousands, missing = given or NumberStyle("", "")
    cells = [cell for column in columns for cell in numeric_cells(column, missing)]
    if not decimal:
        decimal = found_decimal(cells, delimiter, name, thousands)
    if not thousands:
        thousands = found_thousands(cells, decimal)
    return NumberStyle(decimal, thousands, missing)


def numeric_cells(column: Sequence[str], missing: frozenset[str]) -> list[str]:
    """The cells of a column that is one of numbers to people, without per cent signs; of any other none."""
    texts = [cell.strip() for cell in column]
    there = [text for text in texts if text.lower() not in missing]
    numeric = [text for text in there if NUMERIC.fullmatch(text)]
    return [text.rstrip("% ") for text in numeric] if len(numeric) > MIN_NUMERIC_SHARE * len(there) else []


def found_decimal(cells: list[str], delimiter: str, name: str, thousands: str) -> str:
    """The decimal mark of numbers."""
    comma = next((cell for cell in cells if DECIMAL_COMMA.fullmatch(cell)), None)
    point = next((cell for cell in cells if DECIMAL_POINT.fullmatch(cell)), None)
    if comma is not None and point is not None and "," != thousands != ".":
        raise FormatError(
            f"{name}: numbers have decimal commas in some cells ({comma!r}) and decimal points in others ({point!r}): "
            f"write them in one way, or say {option('decimal')} which one it is."
        )
    if comma is not None and thousands != ",":
        return ","
    open_cell = next((cell for cell in cells if COMMA_OR_THOUSANDS.fullmatch(cell)), None)
    if open_cell is not None and not (thousands or point or delimiter == ","):
        raise FormatError(
            f"{name}: {open_cell!r} may have a decimal comma or be a whole number of thousands. Say which: "
            f"{option('decimal', ',')} or {option('thousands', ',')}."
        )
    return "."


def found_thousands(cells: list[str], decimal: str) -> str:
    """What stands between thousands; "" for nothing."""
    for mark in THOUSANDS:
        if mark == decimal:
            continue
        grouped = re.compile(rf"[+-]?\d{{1,3}}({re.escape(mark)}\d{{3}})+({re.escape(decimal)}\d*)?")
        if any(grouped.fullmatch(cell) for cell in cells if mark in cell):
            return mark
    return ""


def percent_notes(names: Sequence[str], columns: Sequence[Sequence[str]], name: str) -> list[str]:
    """Which columns have per cent signs, for people; one that has them in some rows only is refused."""
    found = []
    for column, cells in zip(names, columns, strict=True):
        numbers = [text for cell in cells if any(map(str.isdigit, text := cell.strip())) and NUMERIC.fullmatch(text)]
        signed = [text for text in numbers if text.endswith("%")]
        if signed and len(numbers) > MIN_NUMERIC_SHARE * sum(bool(cell.strip()) for cell in cells):
            found.append(column)
            if len(signed) < len(numbers):
                other = next(text for text in numbers if not text.endswith("%"))
                raise FormatError(
                    f"{name}: column {column!r} has a per cent sign in some rows ({signed[0]!r}) and none in others "
                    f"({other!r}): write all of them in one way."
                )
    return [f"{', '.join(map(repr, found))} in per cent, whose signs are left out"] if found else []


def style_notes(style: NumberStyle, given: NumberStyle | None) -> list[str]:
    """What was recognised, for people."""
    names = {" ": "blanks", "\u00a0": "blanks", "\u202f": "blanks", ",": "commas", ".": "points"}
    found = []
    if style.decimal == "," and not (given and given.decimal):
        found.append("numbers have a decimal comma")
    if style.thousands and not (given and given.thousands):
        found.append(f"{names.get(style.thousands, style.thousands)} between thousands are left out")
    return found
