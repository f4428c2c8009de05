"""Dates as numbers that a plane can use: the year, the month, the weekday, and the days since 1970.

Words are dates where all of them are written in one of these ways; a day and a month with slashes between them need a
number above 12 that tells which is which.

    iso         2024-03-14, 2024/03/14, 2024-03-14 15:09, 2024-03-14T15:09:26Z
    dotted      14.3.2024, 14.03.2024 15:09
    day/month   14/03/2024, 14-03-2024
    month/day   03/14/2024, 03-14-2024
"""

import re
from collections.abc import Container, Mapping
from datetime import UTC, datetime
from types import MappingProxyType

import numpy as np

from separatrix.data.prepare.columns import Columns, Words, beside

SECONDS_PER_DAY = 86_400
EPOCH = datetime(1970, 1, 1)
PARTS = ("year", "month", "weekday", "days")
DATE = "date "  # how the kind of a column of dates begins, before its format
TYPED = "typed"  # the format of dates that are no text
CLOCK = r"(?:[ T](\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?))?"
PATTERNS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "iso": re.compile(rf"(?P<year>\d{{4}})([-/])(?P<month>\d{{1,2}})\2(?P<day>\d{{1,2}}){CLOCK}"),
        "dotted": re.compile(rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}){CLOCK}"),
        "day/month": re.compile(rf"(?P<day>\d{{1,2}})([-/])(?P<month>\d{{1,2}})\2(?P<year>\d{{4}}){CLOCK}"),
        "month/day": re.compile(rf"(?P<month>\d{{1,2}})([-/])(?P<day>\d{{1,2}})\2(?P<year>\d{{4}}){CLOCK}"),
    }
)


def part_names(name: str) -> tuple[str, ...]:
    """The names of the columns that a column of dates becomes.

    >>> part_names("visit")
    ('visit (year)', 'visit (month)', 'visit (weekday)', 'visit (days)')
    """
    return tuple(f"{name} ({part})" for part in PARTS)


def date_format(words: Words) -> str | None:
    """In which way the words of a column are dates; None where they are none, or may be read in two ways.

    >>> date_format(Words.of(["2024-03-14", None])), date_format(Words.of(["1/2/2024", "3/14/2024"]))
    ('iso', 'month/day')
    >>> print(date_format(Words.of(["1/2/2024"])))
    None
    """
    counts = words.counts
    there = [word for word, count in zip(words.words, counts.tolist(), strict=True) if count]
    if not there:
        return None
    possible = [name for name in PATTERNS if all(day_of(word, name) is not None for word in there)]
    return possible[0] if len(possible) == 1 else None


def day_of(word: str, name: str) -> float | None:
    """The days since 1970 of a word, in UTC where it has a time zone; None where it is no date of this format."""
    found = PATTERNS[name].fullmatch(word)
    if found is None:
        return None
    try:
        when = datetime(int(found["year"]), int(found["month"]), int(found["day"]))
        if clock := found[found.re.groups]:
            hour = clock if clock[1] != ":" else f"0{clock}"
            when = datetime.fromisoformat(f"{when.date().isoformat()}T{hour}")
    except ValueError:
        return None
    if when.tzinfo is not None:
        when = when.astimezone(UTC).replace(tzinfo=None)
    return (when - EPOCH).total_seconds() / SECONDS_PER_DAY


def days_of_words(words: Words, name: str) -> tuple[np.ndarray, list[str]]:
    """The days since 1970 of a column of words, NaN where one is missing, and the words that are no such dates.

    The ways that leave no doubt, iso and dotted, are read whatever the way of the fit was.
    """
    ways = [way for way in (name, "iso", "dotted") if way in PATTERNS]
    known = [next((day for way in ways if (day := day_of(word, way)) is not None), None) for word in words.words]
    strange = [word for word, day in zip(words.words, known, strict=True) if day is None]
    days = np.array([np.nan if day is None else day for day in known] + [np.nan])
    return days[words.codes], strange


def date_parts(days: np.ndarray) -> tuple[np.ndarray, ...]:
    """The year, month (1 to 12), weekday (Monday is 0) and days since 1970 of each day; NaN where it is missing.

    >>> [part.tolist() for part in date_parts(np.array([19796.5, np.nan]))]  # Thursday, 14 March 2024, at noon
    [[2024.0, nan], [3.0, nan], [3.0, nan], [19796.5, nan]]
    """
    there = ~np.isnan(days)
    whole = np.floor(np.where(there, days, 0.0)).astype("datetime64[D]")
    years, months = whole.astype("datetime64[Y]").astype(np.int64), whole.astype("datetime64[M]").astype(np.int64)
    weekdays = (whole.astype(np.int64) + 3) % 7  # 1 January 1970 was a Thursday
    parts = (years + 1970, months % 12 + 1, weekdays)
    return (*(np.where(there, part, np.nan) for part in parts), days)


def date_columns(name: str, days: np.ndarray, how: str) -> Columns:
    """The columns that one of dates becomes."""
    return Columns(part_names(name), date_parts(days), len(days), {name: how})


def with_dates(columns: Columns, names: Container[str]) -> Columns:
    """Columns in which those of words that are dates have become their parts; only some names are tried.

    >>> with_dates(Columns(("day", "x"), (Words.of(["2024-03-14"]), np.ones(1)), 1), {"day"}).names
    ('day (year)', 'day (month)', 'day (weekday)', 'day (days)', 'x')
    """
    parts = []
    for name, values in zip(columns.names, columns.values, strict=True):
        how = date_format(values) if isinstance(values, Words) and name in names else None
        if how is None or not isinstance(values, Words):
            parts.append(Columns((name,), (values,), len(columns)))
        else:
            parts.append(date_columns(name, days_of_words(values, how)[0], how))
    if all(len(part.names) == 1 for part in parts):
        return columns
    found = beside(parts)
    return Columns(found.names, found.values, len(columns), {**columns.dates, **found.dates})
