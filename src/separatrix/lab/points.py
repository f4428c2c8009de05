"""The points that a page sends, checked: where they are, their classes and weights, and what these are called."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.data.files.number_style import MISSING
from separatrix.data.table import labels_from_text, shortened
from separatrix.errors import DataError, counted
from separatrix.lab.limits import MAX_CLASSES, MAX_POINTS
from separatrix.rows import Vector

CLASS_NAMES = ("blue", "orange", "green", "pink", "gold")[:MAX_CLASSES]  # in the order of the page's palette
FEATURE_NAMES = ("x1", "x2")
MAX_NAME = 60  # characters of the name of a class or an axis
MAX_COORDINATE = 1e100  # squares of larger ones are no doubles
MAX_WEIGHT = 1e6


@dataclass(frozen=True, eq=False)
class Points:
    """Points of the plane with their classes, as a page draws them.

    `codes` are the numbers of the classes on the page, `class_names` what they are called there; weights are None where
    all count the same.
    """

    X: Vector
    codes: np.ndarray
    weights: Vector | None
    names: tuple[str, str]
    class_names: tuple[str, ...]

    @property
    def present(self) -> np.ndarray:
        """The codes of the classes that have points, in ascending order."""
        return np.unique(self.codes)

    def to_message(self) -> dict[str, Any]:
        """The points as the page has them."""
        return {
            "x": self.X[:, 0].tolist(),
            "y": self.X[:, 1].tolist(),
            "class": self.codes.tolist(),
            "weight": None if self.weights is None else self.weights.tolist(),
            "names": list(self.names),
            "classes": list(self.class_names),
        }


def points_of(data: Any) -> Points:
    """The points of a message; whatever cannot be used is refused with a sentence.

    >>> points_of({"x": [0, 1], "y": [0.5, 2], "class": [0, 1]}).X.tolist()
    [[0.0, 0.5], [1.0, 2.0]]
    >>> points_of({"x": [0, 1], "y": [0.5], "class": [0, 1]})
    Traceback (most recent call last):
    separatrix.errors.DataError: There are 2 numbers in 'x' and 1 in 'y': give one of each for every point.
    """
    if not isinstance(data, Mapping):
        raise DataError(f"'data' must hold the points, with x, y and class. Got {shortened(data)}.")
    x, y = numbers("x", data.get("x")), numbers("y", data.get("y"))
    if x.size != y.size:
        raise DataError(
            f"There are {counted(x.size, 'number')} in 'x' and {y.size:,} in 'y': give one of each for every point."
        )
    class_names = texts("classes", data.get("classes"), CLASS_NAMES)
    codes = class_codes(data.get("class"), x.size, len(class_names))
    check_class_names([class_names[code] for code in np.unique(codes).tolist()])
    names = texts("names", data.get("names"), FEATURE_NAMES)
    if len(names) != 2 or names[0] == names[1]:
        raise DataError(f"'names' must hold two different names, one for each axis. Got {shortened(list(names))}.")
    return Points(np.column_stack([x, y]), codes, weights_of(data.get("weight"), x.size), names, class_names)


def numbers(name: str, given: Any, least: float = -MAX_COORDINATE, most: float = MAX_COORDINATE) -> Vector:
    """A list of finite numbers, as float64."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list):
        raise DataError(f"{name!r} must be a list of numbers, one for each point. Got {shortened(given)}.")
    if len(given) > MAX_POINTS:
        raise DataError(f"The lab takes {MAX_POINTS:,} points at most, and there are {len(given):,}: remove some.")
    strange = next((i for i, each in enumerate(given) if type(each) not in (int, float)), None)
    if strange is None:
        strange = next((i for i, each in enumerate(given) if not least <= each <= most), None)
    if strange is not None:
        raise DataError(
            f"{name!r} must be finite numbers from {least:g} to {most:g}. Point {strange} has "
            f"{shortened(given[strange])}: correct or remove it."
        )
    return np.array(given, dtype=np.float64)


def class_codes(given: Any, n_points: int, n_classes: int) -> np.ndarray:
    """The class of each point, as a number from 0."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list) or len(given) != n_points:
        what = counted(len(given), "class", "classes") if isinstance(given, list) else shortened(given)
        raise DataError(f"'class' must be a list with one class for each of {n_points:,} points. Got {what}.")
    strange = next((i for i, each in enumerate(given) if type(each) is not int or not 0 <= each < n_classes), None)
    if strange is not None:
        raise DataError(
            f"'class' must hold whole numbers from 0 to {n_classes - 1}, one for each class that has a name. Point "
            f"{strange} has {shortened(given[strange])}."
        )
    return np.array(given, dtype=np.int64)


def weights_of(given: Any, n_points: int) -> Vector | None:
    """The weight of each point; None where all are 1."""
    if given is None:
        return None
    found = numbers("weight", given, 0.0, MAX_WEIGHT)
    if found.size != n_points:
        raise DataError(f"'weight' must have one number for each of {n_points:,} points. Got {found.size:,}.")
    if not found.all():
        raise DataError(f"Weights must be above 0. Point {int(np.argmin(found))} has 0: remove the point instead.")
    return None if np.all(found == 1.0) else found


def texts(name: str, given: Any, usual: tuple[str, ...]) -> Any:
    """Some short names."""
    if given is None:
        return usual
    if not isinstance(given, (list, tuple)) or not all(isinstance(each, str) for each in given):
        raise DataError(f"{name!r} must be a list of names. Got {shortened(given)}.")
    long = next((each for each in given if not 0 < len(each) <= MAX_NAME or each != each.strip() or "\n" in each), None)
    if long is not None:
        raise DataError(
            f"{name!r} must hold names of 1 to {MAX_NAME} characters without blanks around them. Got {shortened(long)}."
        )
    if len(given) > MAX_CLASSES:
        raise DataError(f"The lab takes {MAX_CLASSES} {name} at most, and there are {len(given)}: leave some out.")
    return tuple(given)


def check_class_names(names: list[str]) -> None:
    """Refuse names that files cannot tell from one another, or from a missing label."""
    missing = next((name for name in names if name.strip().lower() in MISSING), None)
    if missing is not None:
        raise DataError(f"In a file the class name {missing!r} means that there is none: give the class another name.")
    if len(set(names)) != len(names):
        raise DataError(f"Two classes have the same name, of {', '.join(names)}: give each a name of its own.")


def labels_in_order(names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Labels as a file with these names gives them, sorted as classifiers sort them; and the places of the names.

    >>> labels, order = labels_in_order(["10", "9"])
    >>> labels.tolist(), order.tolist()  # numbers, not texts
    ([9, 10], [1, 0])
    """
    labels = labels_from_text(names, apart=True)
    order = np.argsort(labels, kind="stable")
    return labels[order], order
