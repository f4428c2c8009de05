"""Compiled loops over the bytes of delimited text: where the cells are, and which numbers they hold.

Both loops know the plain cases, which nearly all cells are, and say which others are left to Python: unbalanced quotes,
lines of another length, words, numbers of more than 19 digits. Numbers are rounded as the standard asks, to the nearest
double, by the algorithm of Eisel and Lemire (Lemire, 2021, Number parsing at a gigabyte per second).
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from separatrix.compiling import compiled, inner

MAX_CELL_BYTES = 131_072  # as Python's csv module has it
MIN_POWER, MAX_POWER = -342, 308  # of 10, beyond which a double is 0 or infinite
MAX_DIGITS = 19  # of a whole number that 64 bits always hold

PLAIN, QUOTED, DOUBLED = 0, 1, 2  # how a cell is written: as it is, in quotes, with doubled quotes in these
COMPLETE, ODD, CUT = 0, 1, 2  # how a scan ends: at the end of a row, at what only Python can judge, at that of bytes
QUOTE, LINE_FEED, RETURN, BLANK, TAB = 34, 10, 13, 32, 9
PLUS, MINUS, ZERO, NINE = 43, 45, 48, 57


@cache
def powers_of_ten() -> tuple[np.ndarray, np.ndarray]:
    """The leading 128 bits of 10^q for all q that doubles have, as two arrays of 64 bits.

    They are rounded down, but up for negative q, as the algorithm asks.
    """
    high, low = [], []
    for q in range(MIN_POWER, MAX_POWER + 1):
        if q >= 0:
            value = 10**q
            length = value.bit_length()
            value = value << (128 - length) if length <= 128 else value >> (length - 128)
        else:
            divisor = 10**-q
            shift = divisor.bit_length() + 127
            value = (1 << shift) // divisor + 1
            value >>= value.bit_length() - 128
        high.append(value >> 64)
        low.append(value & (2**64 - 1))
    return np.array(high, dtype=np.uint64), np.array(low, dtype=np.uint64)


class Bounds(NamedTuple):
    """The cells of rows: where each begins and ends, how it is written, and on which line each row begins."""

    starts: np.ndarray
    ends: np.ndarray
    kinds: np.ndarray
    lines: np.ndarray

    @classmethod
    def empty(cls, n_rows: int, n_columns: int) -> "Bounds":
        """Room for so many cells."""
        places = np.empty((2, n_rows, n_columns), dtype=np.int64)
        kinds = np.empty((n_rows, n_columns), dtype=np.uint8)
        return cls(places[0], places[1], kinds, np.empty(n_rows, dtype=np.int64))


@compiled
def find_cells(text, at, line, last, delimiter, bounds):
    """Find the cells of the next rows, as many as the bounds have room for, which are set in place.

    Returns the rows found, the place after them, the number of the line there, and whether an odd row follows. `last`
    says that no bytes follow these, so that a row may end without a line end. Blank lines are passed over.
    """
    starts, ends, kinds, lines = bounds
    n_rows, n_columns = starts.shape
    row = 0
    while row < n_rows and at < text.size:
        state, place, line_after, found = find_row(text, at, delimiter, starts[row], ends[row], kinds[row], line)
        if state == CUT and not last:
            return row, at, line, COMPLETE
        if state == ODD or (state == CUT and place < text.size):  # a quote that is never closed
            return row, at, line, ODD
        blank = found == 1 and kinds[row, 0] == PLAIN and is_blank(text, starts[row, 0], ends[row, 0])
        if not blank and found != n_columns:
            return row, at, line, ODD
        if not blank:
            lines[row] = line
            row += 1
        at, line = place, line_after
    return row, at, line, COMPLETE


@inner
def find_row(text, at, delimiter, starts, ends, kinds, line):
    """Find the cells of one row: how it ends, the place after it, the line there, and how many cells there are.

    It is CUT where the bytes end first; the place is -1 if that is within quotes.
    """
    column = 0
    while column < starts.size:
        quoted = at < text.size and text[at] == QUOTE
        first, kind = at + quoted, PLAIN
        if quoted:
            end, kind, line_breaks = quoted_end(text, first)
            if end < 0:
                return (CUT if end == -1 else ODD), -1, line, column
            line += line_breaks
            at = end + 1
        else:
            at = end = plain_end(text, first, delimiter)
        if end - first > MAX_CELL_BYTES:
            return ODD, at, line, column
        starts[column], ends[column], kinds[column] = first, end, kind
        column += 1
        if at == text.size:
            return CUT, at, line, column
        if text[at] == LINE_FEED:
            return COMPLETE, at + 1, line + 1, column
        if text[at] == RETURN and at + 1 == text.size:
            return CUT, at, line, column
        if text[at] == RETURN and text[at + 1] == LINE_FEED:
            return COMPLETE, at + 2, line + 1, column
        if text[at] != delimiter:  # a lone return, a NUL byte, or something after a closing quote
            return ODD, at, line, column
        at += 1
    return ODD, at, line, column


@inner
def plain_end(text, at, delimiter):
    """The end of a cell without quotes; a NUL byte ends it, too."""
    while at < text.size and text[at] != delimiter and text[at] != LINE_FEED and text[at] != RETURN and text[at] != 0:
        at += 1
    return at


@inner
def quoted_end(text, at):
    """The place of the closing quote, how the cell is written, and how many lines end in it; -1: none, -2: odd."""
    kind, line_breaks = QUOTED, 0
    while at < text.size:
        if text[at] == QUOTE and at + 1 < text.size and text[at + 1] == QUOTE:
            kind = DOUBLED
            at += 1
        elif text[at] == QUOTE:
            return at, kind, line_breaks
        elif text[at] == LINE_FEED:
            line_breaks += 1
        elif text[at] == RETURN or text[at] == 0:
            return -2, kind, line_breaks
        at += 1
    return -1, kind, line_breaks


@inner
def is_blank(text, at, end):
    """Whether there are only blanks between two places."""
    while at < end and (text[at] == BLANK or text[at] == TAB):
        at += 1
    return at == end


@compiled
def parse_numbers(text, bounds, marks, powers, bits, left):
    """Read cells as numbers, whose bits are set in place; an empty cell is NaN. `left` marks what is left to Python.

    `bounds` are the starts and ends of the cells, and `marks` the decimal mark and what stands between thousands, or 0.
    """
    starts, ends = bounds
    decimal, thousands = marks
    nan = np.uint64(0x7FF8000000000000)
    for i in range(starts.size):
        at, end = starts[i], ends[i]
        while at < end and (text[at] == BLANK or text[at] == TAB):
            at += 1
        while end > at and (text[end - 1] == BLANK or text[end - 1] == TAB):
            end -= 1
        if at == end:
            bits[i], left[i] = nan, False
            continue
        negative = text[at] == MINUS
        if text[at] == MINUS or text[at] == PLUS:
            at += 1
        known, digits, exponent = decimal_digits(text, at, end, decimal, thousands)
        left[i] = not known
        if known:
            known, found = nearest_double(digits, exponent, powers)
            left[i] = not known
            bits[i] = found | (np.uint64(negative) << np.uint64(63))


@inner
def decimal_digits(text, at, end, decimal, thousands):
    """Whether bytes are a plain number without a sign, its digits as a whole number, and its power of ten."""
    digits, count, exponent = np.uint64(0), 0, 0
    seen, group, grouped, point = 0, 0, False, False
    while at < end:
        sign = text[at]
        if ZERO <= sign <= NINE:
            if count > 0 or sign > ZERO:
                count += 1
            if count > MAX_DIGITS:
                return False, digits, 0
            digits = digits * np.uint64(10) + np.uint64(sign - ZERO)
            seen += 1
            group += 1
            exponent -= point
        elif sign == decimal and not point:
            if grouped and group != 3:
                return False, digits, 0
            point = True
        elif sign == thousands and thousands != 0 and not point:
            if group == 0 or group > 3 or (grouped and group != 3):
                return False, digits, 0
            grouped, group = True, 0
        else:
            break
        at += 1
    if seen == 0 or (grouped and not point and group != 3):
        return False, digits, 0
    if at == end:
        return True, digits, exponent
    if text[at] != 69 and text[at] != 101:  # E and e
        return False, digits, 0
    at += 1
    negative = at < end and text[at] == MINUS
    if at < end and (text[at] == MINUS or text[at] == PLUS):
        at += 1
    if at == end or end - at > 4:
        return False, digits, 0
    power = 0
    while at < end:
        if not ZERO <= text[at] <= NINE:
            return False, digits, 0
        power = 10 * power + (text[at] - ZERO)
        at += 1
    return True, digits, exponent + (-power if negative else power)


@inner
def nearest_double(digits, exponent, powers):
    """Whether the nearest double of digits 10^exponent could be decided, and its bits."""
    if digits == np.uint64(0):
        return True, np.uint64(0)
    if exponent < MIN_POWER or exponent > MAX_POWER:
        return False, np.uint64(0)
    shift = leading_zeros(digits)
    digits <<= shift
    high_power, low_power = powers
    high, low = product(digits, high_power[exponent - MIN_POWER])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF):
        carry, _ = product(digits, low_power[exponent - MIN_POWER])
        low += carry
        if low < carry:
            high += np.uint64(1)
    if low == np.uint64(0xFFFFFFFFFFFFFFFF) and not -27 <= exponent <= 55:
        return False, np.uint64(0)
    upper = high >> np.uint64(63)
    mantissa = high >> (upper + np.uint64(9))
    binary = ((217706 * exponent) >> 16) + 63 + 1023 + np.int64(upper) - np.int64(shift)
    if binary <= 0 or binary >= 2046:  # too small for all its bits, or perhaps infinite
        return False, np.uint64(0)
    tie = low <= np.uint64(1) and -4 <= exponent <= 23 and mantissa & np.uint64(3) == np.uint64(1)
    if tie and mantissa << (upper + np.uint64(9)) == high:
        mantissa &= ~np.uint64(1)
    mantissa = (mantissa + (mantissa & np.uint64(1))) >> np.uint64(1)
    if mantissa >= np.uint64(1) << np.uint64(53):
        mantissa = np.uint64(1) << np.uint64(52)
        binary += 1
    mantissa &= ~(np.uint64(1) << np.uint64(52))
    return True, mantissa | (np.uint64(binary) << np.uint64(52))


@inner
def leading_zeros(number):
    """How many of the 64 bits of a number above 0 come before its first 1."""
    zeros, step = np.uint64(0), np.uint64(32)
    while step > np.uint64(0):
        if number >> (np.uint64(64) - step) == np.uint64(0):
            number <<= step
            zeros += step
        step >>= np.uint64(1)
    return zeros


@inner
def product(one, other):
    """The upper and the lower 64 bits of a product of 64-bit numbers."""
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b, c, d = one >> half, one & mask, other >> half, other & mask
    low = b * d
    middle = a * d + (low >> half)
    cross = b * c + (middle & mask)
    return a * c + (middle >> half) + (cross >> half), (cross << half) | (low & mask)


def parsed_numbers(text: np.ndarray, bounds: Any, decimal: str, thousands: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers in cells, and the places of the cells that are left to Python.

    >>> text = np.frombuffer(b"1.5,-2e3,1/2", dtype=np.uint8)
    >>> parsed_numbers(text, (np.array([0, 4, 9]), np.array([3, 8, 12])), ".", "")[0][:2].tolist()
    [1.5, -2000.0]
    """
    n = bounds[0].size
    bits, left = np.empty(n, dtype=np.uint64), np.empty(n, dtype=np.bool_)
    marks = ord(decimal), ord(thousands) if thousands else 0
    parse_numbers(text, bounds, marks, powers_of_ten(), bits, left)
    return bits.view(np.float64), np.flatnonzero(left)
