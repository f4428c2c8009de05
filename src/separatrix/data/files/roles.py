"""Which columns of a file are what: features, the target, weights, and those that are dropped or carried through."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from separatrix.data.files.source import Reading
from separatrix.data.table import find_column
from separatrix.errors import DataError, FormatError


class Roles(NamedTuple):
    """Columns by their places."""

    features: list[int]
    target: int | None = None
    carried: tuple[int, ...] = ()
    weights: int | None = None


def roles_of(columns: Sequence[str], reading: Reading, name: str, line: int | None = None) -> Roles:
    """What each column of a file is; a column that is named and not there is an error.

    The target is the last column that has no other role where none is named. A target that need not be there is the
    column of that name, if any.

    >>> roles_of(["id", "age", "ill", "w"], Reading(drop=("id",), weights="w"), "file")
    Roles(features=[1], target=2, carried=(), weights=3)
    """

    def place(column: Any) -> int:
        try:
            return find_column(columns, column)
        except DataError as error:
            raise (
                FormatError(f"{name}: {error}") if line is None else FormatError.at(name, line, str(error))
            ) from None

    every = reading.carry == "all"
    carried = tuple(range(len(columns))) if every else tuple(place(column) for column in reading.carry)
    weights = None if reading.weights is None else place(reading.weights)
    no_features = {place(column) for column in reading.drop} | {weights} | (set() if every else set(carried))
    left = [j for j in range(len(columns)) if j not in no_features]
    target: int | None = None
    if reading.labelled:
        if reading.target is None and not left:
            raise FormatError(f"{name}: no column is left for the target.")
        target = left[-1] if reading.target is None else place(reading.target)
    elif reading.target in columns:
        target = list(columns).index(str(reading.target))
    features = [j for j in left if j != target]
    if not features:
        raise FormatError(f"{name}: no column is left beside the target: drop fewer of them.")
    return Roles(features, target, carried, weights)
