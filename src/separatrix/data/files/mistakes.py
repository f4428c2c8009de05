"""Cells that are no numbers where numbers are expected: all spellings of a column in one message."""

import numpy as np

from separatrix.data.files.number_style import MIN_NUMERIC_SHARE
from separatrix.data.files.source import Block
from separatrix.data.prepare.columns import Words
from separatrix.data.table import is_finite_number, shortened
from separatrix.errors import FormatError, option

MAX_SPELLINGS = 10


def listed(spellings: list[str]) -> str:
    """Spellings for a message.

    >>> listed(["a"]), listed(["a", "b", "c"])
    ("'a', which is no number", "'a', 'b' and 'c', which are no numbers")
    """
    shown = [shortened(spelling.strip()) for spelling in spellings[:MAX_SPELLINGS]]
    if len(spellings) == 1:
        return f"{shown[0]}, which is no number"
    more = f" and {len(spellings) - MAX_SPELLINGS} other spellings" if len(spellings) > MAX_SPELLINGS else ""
    words = ", ".join(shown) + more if more else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{words}, which are no numbers"


def no_numbers(name: str, column: str, spellings: list[str], line: int) -> FormatError:
    """The error for cells where only numbers may be, the first of them on a line."""
    problem = (
        f"column {column!r} holds {listed(spellings)}: write a number, NA if it is missing ({option('missing')} names "
        "other words for that), or turn the column into numbers first."
    )
    return FormatError.at(name, line, problem)


def no_dates(name: str, column: str, spellings: list[str], line: int, how: str) -> FormatError:
    """The error for cells where only dates may be."""
    shown = ", ".join(shortened(spelling) for spelling in spellings[:MAX_SPELLINGS])
    problem = f"column {column!r} held dates in fit ({how}), and holds {shown} now: write dates, NA if one is missing."
    return FormatError.at(name, line, problem)


def refuse_mistakes(whole: Block, numeric: set[str], guessed: set[str]) -> None:
    """Refuse columns of words that must be numbers, and guessed ones nearly all cells of which are."""
    for column, values in zip(whole.X.names, whole.X.values, strict=True):
        if not isinstance(values, Words) or column not in numeric | guessed:
            continue
        numbers = np.array([is_finite_number(word) for word in values.words], dtype=bool)
        strange = [word for word, number in zip(values.words, numbers.tolist(), strict=True) if not number]
        known, total = values.counts[numbers].sum(), values.counts.sum()
        if not strange or (column not in numeric and known <= MIN_NUMERIC_SHARE * total):
            continue
        line = int(whole.lines[np.argmax(values.codes == values.words.index(strange[0]))])
        if column in numeric:
            raise no_numbers(whole.name, column, strange, line)
        raise FormatError.at(whole.name, line, mistakes(column, strange, known, total))


def mistakes(column: str, strange: list[str], known: int, total: int) -> str:
    """Say that few cells of a column are no numbers, while most are."""
    return (
        f"column {column!r} holds {listed(strange)}, while {known:,} of its {total:,} cells are: correct "
        f"{'it' if len(strange) == 1 else 'them'}, write NA for what is missing, or say "
        f"{option('missing', ','.join(strange[:3]))}."
    )
