"""Which matrices are codes: every column asks something, no two ask the same, and all classes are told apart."""

from typing import Any

import numpy as np

from separatrix.errors import OptionError, counted
from separatrix.estimators.reduction.codes.distance import opposite


def check_code(given: Any, classes: np.ndarray) -> np.ndarray:
    """A code that a user gave, as an array of whole numbers; what makes it useless is named.

    >>> check_code([[1, 1], [1, -1], [-1, 1]], np.array(["a", "b", "c"])).shape
    (3, 2)
    """
    code = matrix_of_signs(given)
    if len(code) != classes.size:
        raise OptionError(
            f"The 'code' parameter of ErrorCorrectingCode has {counted(len(code), 'row')}, and there are "
            f"{classes.size} classes. It needs a row for each class that has rows, in the order of their labels."
        )
    fault = fault_of_columns(code) or fault_of_rows(code, classes)
    if fault:
        raise OptionError(f"The 'code' parameter of ErrorCorrectingCode {fault}")
    return code


def matrix_of_signs(given: Any) -> np.ndarray:
    """The entries as whole numbers."""
    try:
        code = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        code = np.empty(0)
    if code.ndim != 2 or not code.shape[1]:
        raise OptionError(
            "The 'code' parameter of ErrorCorrectingCode must be the name of a code, or a matrix with a row for each "
            f"class and a column for each two-class problem. Got {given!r}."
        )
    strange = code[~np.isin(code, (-1.0, 0.0, 1.0))]
    if strange.size:
        raise OptionError(
            f"The 'code' parameter of ErrorCorrectingCode must hold 1, -1 and 0 only. Got {strange[0]:g} in it."
        )
    return code.astype(int)


def fault_of_columns(code: np.ndarray) -> str:
    """What is wrong with a column, or with two; nothing if nothing is.

    >>> fault_of_columns(np.array([[1, 1, -1], [-1, 1, 1], [-1, -1, 1]]))
    'has complementary columns, 0 and 2: the second is the first with its sides exchanged. Leave one of them out.'
    """
    for side, name in ((1, "positive"), (-1, "negative")):
        empty = np.flatnonzero(~(code == side).any(axis=0))
        if empty.size:
            return (
                f"has no class on the {name} side of column {empty[0]}, so that there is nothing to tell apart. "
                "Each column needs a 1 and a -1."
            )
    first = repeated_column(code)
    if first is None:
        return ""
    one, other = first
    if np.array_equal(code[:, one], code[:, other]):
        return f"has equal columns, {one} and {other}: both ask the same. Leave one of them out."
    return (
        f"has complementary columns, {one} and {other}: the second is the first with its sides exchanged. Leave one of "
        "them out."
    )


def repeated_column(code: np.ndarray) -> tuple[int, int] | None:
    """The first two columns that are equal, or complementary; None if there are none."""
    seen: dict[bytes, int] = {}
    for number, column in enumerate(one_sign(code).T):
        if (before := seen.setdefault(column.tobytes(), number)) != number:
            return before, number
    return None


def useful_columns(code: np.ndarray) -> np.ndarray:
    """The columns that have both sides, and of those that ask the same the first.

    >>> useful_columns(np.array([[1, 1, 1, -1], [1, -1, -1, 1], [1, 1, -1, -1]])).tolist()  # the last is - the second
    [[1, 1], [-1, -1], [1, -1]]
    """
    kept = code[:, (code > 0).any(axis=0) & (code < 0).any(axis=0)]
    first: dict[bytes, int] = {}
    for number, column in enumerate(one_sign(kept).T):
        first.setdefault(column.tobytes(), number)
    return kept[:, list(first.values())]


def one_sign(code: np.ndarray) -> np.ndarray:
    """The columns with the first entry that is not 0 made positive, so that complementary ones are equal."""
    leading = np.take_along_axis(code, (code != 0).argmax(axis=0)[None], axis=0)
    return code * np.where(leading < 0, -1, 1)


def fault_of_rows(code: np.ndarray, classes: np.ndarray) -> str:
    """Which two classes no column tells apart; nothing if all are told apart."""
    apart = opposite(code)
    np.fill_diagonal(apart, 1.0)
    if apart.all():
        return ""
    one, other = np.argwhere(apart == 0.0)[0]
    names = classes.tolist()
    if np.array_equal(code[one], code[other]):
        return f"has equal rows, for the classes {names[one]!r} and {names[other]!r}: nothing tells them apart."
    return (
        f"has the classes {names[one]!r} and {names[other]!r} on opposite sides in no column, so that nothing tells "
        "them apart. Add a column with one of them on each side."
    )


def is_valid(code: np.ndarray) -> bool:
    """Whether every column asks something of its own and all classes are told apart.

    >>> from separatrix.estimators.reduction.codes import one_vs_rest
    >>> is_valid(one_vs_rest(4)), is_valid(np.array([[1], [1], [-1]]))
    (True, False)
    """
    return not (fault_of_columns(code) or fault_of_rows(code, np.arange(len(code))))
