"""Which task a target asks for: classes to tell apart, or numbers to predict.

A target is taken for numbers (regression) if all of its values are finite numbers, more than 20 of them are different,
and they have fractions, or else hardly repeat: fewer than two rows for each value on average. Any other target is taken
for classes.
"""

from typing import Any, Literal

import numpy as np

from separatrix.data.table import is_finite_number, shortened
from separatrix.errors import DataError, counted
from separatrix.rows import Vector

MAX_DISTINCT_CLASSES = 20  # so many different numbers may still be classes
MIN_ROWS_A_CLASS = 2.0  # on average; fewer cannot be both learnt from and tested with


def task_of(labels: Any) -> Literal["classification", "regression"]:
    """The task that a target asks for, by the rule above.

    Parameters
    ----------
    labels : array of n values
        The target: numbers, or texts that may be numbers, as files hold them.

    Returns
    -------
    {"classification", "regression"}
        What the values look like.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.data.task import task_of
    >>> prices = np.linspace(0.5, 9.5, 100)
    >>> task_of(prices), task_of(prices.astype(str)), task_of(prices > 5), task_of(np.arange(100) % 10)
    ('regression', 'regression', 'classification', 'classification')
    >>> task_of(np.arange(100)), task_of(np.arange(100) % 40)  # whole numbers: hardly any repeats, most do
    ('regression', 'classification')
    """
    numbers = as_numbers(labels)
    if numbers is None:
        return "classification"
    distinct = np.unique(numbers)
    if distinct.size <= MAX_DISTINCT_CLASSES:
        return "classification"
    fractions = bool((distinct != np.rint(distinct)).any())
    hardly_repeat = numbers.size < MIN_ROWS_A_CLASS * distinct.size
    return "regression" if fractions or hardly_repeat else "classification"


def as_numbers(labels: Any) -> Vector | None:
    """The values of a target as floats; None where one of them is no finite number."""
    values = np.asarray(labels)
    if values.dtype.kind in "iuf":
        numbers = values.astype(np.float64)
        return numbers if np.isfinite(numbers).all() else None
    if values.dtype.kind not in "UO" or not all(is_number(value) for value in values.tolist()):
        return None
    return values.astype(np.float64)


def is_number(value: Any) -> bool:
    """Whether a value of a target is a finite number, perhaps written as text; truth values are none."""
    if isinstance(value, str):
        return is_finite_number(value)
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool) and bool(np.isfinite(value))


def check_numbers(labels: Any, name: str = "y", target: str = "") -> Vector:
    """The values of a target as floats, at least two of them different; a DataError says what is wrong with it.

    `name` is that of the file, `target` that of its column.

    >>> check_numbers(["1.5", "2"]).tolist()
    [1.5, 2.0]
    >>> check_numbers(["1.5", "cheap"], "houses.csv", "price")
    Traceback (most recent call last):
    separatrix.errors.DataError: houses.csv: the target 'price' holds 'cheap' in row 1 (from 0), which is no finite ...
    """
    what = f"{name}: the target {target!r}" if target else f"{name}: the target"
    numbers = as_numbers(labels)
    if numbers is None:
        values = np.asarray(labels).tolist()
        row, value = next((row, value) for row, value in enumerate(values) if not is_number(value))
        raise DataError(
            f"{what} holds {shortened(value)} in row {row} (from 0), which is no finite number: correct or remove "
            "it, or take the values for classes (task classification)."
        )
    if numbers.size < 2 or (numbers == numbers[0]).all():
        value = f"{numbers[0]:g} in all {counted(numbers.size, 'row')}" if numbers.size else "empty"
        raise DataError(f"{what} is {value}: there is nothing to predict. Give rows with different values.")
    return numbers
