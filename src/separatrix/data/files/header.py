"""The names of the columns of a file: whether the first line has them, and one name for each column."""

from collections.abc import Sequence

from separatrix.data.files.number_style import MIN_NUMERIC_SHARE
from separatrix.data.files.source import Reading
from separatrix.data.prepare.columns import Words
from separatrix.data.prepare.dates import date_format
from separatrix.data.table import is_finite_number
from separatrix.errors import FormatError, option

MIN_ROWS_TO_COMPARE = 4  # with which a first line of words is compared


def checked_header(
    header: list[str], rows: Sequence[Sequence[str]], place: tuple[str, int, str], reading: Reading
) -> tuple[list[str], list[str]]:
    """The names of the columns, each of its own, and what is to be said of them.

    `place` are the file, the line and the delimiter. A first line that looks like a row is an error, unless the user
    says whether it is one.
    """
    name, line, delimiter = place
    columns = [column.strip() for column in header]
    least = 2 if reading.labelled else 1
    if len(columns) < least:
        problem = (
            f"{columns[0]!r} is the only column (delimiter {delimiter!r}): the labels need at least one "
            f"column of numbers beside them. Give {option('delimiter')} if the cells are separated by something else."
        )
        raise FormatError.at(name, line, problem)
    if reading.dialect.header is False:
        return [f"x{j + 1}" for j in range(len(columns))], []
    if "" in columns:
        problem = (
            f"column {columns.index('') + 1} has no name: name it, or remove it if it only numbers the rows "
            "(pandas leaves it out with index=False)."
        )
        raise FormatError.at(name, line, problem)
    if reading.dialect.header is None and (doubt := like_a_row(columns, rows)):
        advice = f"add a line with the names of the columns, or say {option('header', False)} if there are none"
        raise FormatError.at(name, line, f"{doubt}: {advice}, {option('header', True)} if these are the names.")
    return distinct(columns)


def like_a_row(columns: list[str], rows: Sequence[Sequence[str]]) -> str:
    """Why the first line of a file looks like a row; empty if it does not."""
    numbers = [column for column in columns if is_finite_number(column)]
    fraction = next((column for column in numbers if not column.isdigit()), None)
    if len(numbers) == len(columns):
        return f"the first line holds only numbers ({', '.join(columns[:5])})"
    if len(columns) > 2 and len(numbers) == len(columns) - 1 and fraction is not None:
        return f"the first line looks like a row, as it holds {fraction}"
    if len(rows) < MIN_ROWS_TO_COMPARE or len(columns) < 2:
        return ""
    below = zip(columns, zip(*rows, strict=True), strict=True)
    alike = [name for name, cells in below if stands_below(name, cells)]
    if fraction in alike:
        return f"the first line looks like a row, as it holds {fraction} above numbers"
    word = next((name for name in alike if not is_finite_number(name)), None)
    if word is not None and 2 * len(alike) >= len(columns):
        return f"the first line looks like a row, as it holds {word!r} where rows below do"
    return ""


def stands_below(name: str, cells: Sequence[str]) -> bool:
    """Whether a name is like the cells below it: a number or date among such, or a word that comes again."""
    there = [cell.strip() for cell in cells if cell.strip()]
    if is_finite_number(name):
        return sum(map(is_finite_number, there)) > MIN_NUMERIC_SHARE * len(there)
    return name in there or date_format(Words.of([name, *there])) is not None


def distinct(columns: list[str]) -> tuple[list[str], list[str]]:
    """Names of which none comes twice, as pandas makes them, and what was renamed.

    >>> distinct(["a", "b", "a", "a.1"])
    (['a', 'b', 'a.2', 'a.1'], ["of several columns 'a' the others are called 'a.2'"])
    """
    taken, names, renamed = set(columns), [], dict[str, list[str]]()
    seen: dict[str, int] = {}
    for column in columns:
        seen[column] = seen.get(column, -1) + 1
        own = column
        while seen[column] and own in taken:
            own = f"{column}.{seen[column]}"
            seen[column] += own in taken
        if own != column:
            renamed.setdefault(column, []).append(own)
        taken.add(own)
        names.append(own)
    notes = [
        f"of several columns {column!r} the others are called {', '.join(map(repr, others[:5]))}"
        for column, others in renamed.items()
    ]
    return names, notes
