"""A question of the lab: which method, with which options, is to learn which points."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from separatrix.data.table import shortened
from separatrix.errors import DataError, OptionError, counted
from separatrix.estimators.algorithm import Algorithm
from separatrix.lab.controls import as_option, controls_of
from separatrix.lab.limits import MAX_FIT_SECONDS, MAX_FRAMES
from separatrix.lab.menu import method_named
from separatrix.lab.points import Points, labels_in_order, numbers, points_of
from separatrix.report.charts.geometry import View
from separatrix.rows import Vector

MAX_SEED = 2**32 - 1


@dataclass(eq=False)
class Question:
    """Points and the method that learns them.

    Attributes
    ----------
    X : ndarray of shape (n, 2)
        The points.
    y : ndarray of int, shape (n,)
        The class of each: its place in `classes`, which are in the order of the estimator's `classes_`.
    weights : ndarray of shape (n,) or None
        What each point counts; None where all count the same.
    row : Algorithm
        The method.
    options : dict
        What differs from the method's defaults.
    seed : int
        Of the random numbers that the method draws.
    max_frames : int
        How many frames of the run are shown at most; 0: none.
    classes : tuple of str
        The names of the classes.
    names : tuple of str
        The names of both features.
    labels : ndarray of shape (n,)
        The class of each point as a file has it, which `fit` is given: text, or numbers where all names are numbers.
    codes : ndarray of int
        The number of each class on the page.
    points : Points
        The points as the page sent them.
    view : View or None
        What the page shows, if it said so.
    """

    X: Vector
    y: np.ndarray
    weights: Vector | None
    row: Algorithm
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    max_frames: int = MAX_FRAMES
    classes: tuple[str, ...] = ()
    names: tuple[str, str] = ("x1", "x2")
    labels: Any = None
    codes: Any = None
    points: Any = None
    view: View | None = None

    @property
    def weighted(self) -> bool:
        """Whether the points have weights that the method knows; others count every point once."""
        return self.weights is not None and has_fit_parameter(self.row.estimator, "sample_weight")

    @property
    def is_novelty(self) -> bool:
        """Whether the method learns from all points, whatever their class."""
        return self.row.task == "novelty"

    def estimator(self, **more: Any) -> Any:
        """The estimator with its options, not fitted; options of `more` that it does not have are left out."""
        known = self.row.estimator._get_param_names()
        wanted = {"random_state": self.seed, "time_limit": MAX_FIT_SECONDS, **self.options, **more}
        return self.row.estimator(**{**self.row.options, **{name: wanted[name] for name in wanted if name in known}})

    def fit(self, model: Any = None) -> Any:
        """Fit an estimator, by default that of the question, to the points."""
        model = self.estimator() if model is None else model
        weights = {"sample_weight": self.weights} if self.weighted else {}
        return model.fit(self.X, **weights) if self.is_novelty else model.fit(self.X, self.labels, **weights)

    @property
    def call(self) -> str:
        """How the estimator is made in Python, without what only the lab adds."""
        drawn = {"random_state": self.seed} if "random_state" in self.row.estimator._get_param_names() else {}
        given = {**self.row.options, **self.options, **drawn}
        return f"{self.row.estimator.__name__}({', '.join(f'{name}={literal(given[name])}' for name in given)})"


def literal(value: Any) -> str:
    """A value of an option in Python; infinity has no literal."""
    return f'float("{value}")' if isinstance(value, float) and not np.isfinite(value) else repr(value)


def question_of(message: Mapping[str, Any]) -> Question:
    """The question that a message asks; whatever is wrong with it is said in a sentence.

    >>> data = {"x": [0, 1], "y": [0, 1], "class": [0, 1]}
    >>> question = question_of({"data": data, "method": "linear SVM", "options": {"C": "inf"}})
    >>> question.call, question.classes, question.y.tolist()
    ('LinearSVM(C=float("inf"))', ('blue', 'orange'), [0, 1])
    >>> round(question.fit().margin_width_, 6)
    1.414214
    """
    row = method_named(message.get("method"))
    points = points_of(message.get("data"))
    check_number(points, row)
    present = points.present
    labels, order = labels_in_order([points.class_names[code] for code in present.tolist()])
    place = np.empty(int(present.max()) + 1, dtype=np.int64)
    place[present[order]] = np.arange(order.size)
    y = place[points.codes]
    return Question(
        X=points.X,
        y=y,
        weights=points.weights,
        row=row,
        options=options_of(message.get("options"), row),
        seed=whole_number("seed", message.get("seed", 0), MAX_SEED),
        max_frames=whole_number("max_frames", message.get("max_frames", MAX_FRAMES), MAX_FRAMES),
        classes=tuple(points.class_names[code] for code in present[order].tolist()),
        names=points.names,
        labels=labels[y],
        codes=present[order],
        points=points,
        view=view_from(message.get("view")),
    )


def check_number(points: Points, row: Algorithm) -> None:
    """Refuse too few points, or too few classes."""
    if not len(points.X):
        raise DataError("There are no points: draw some, load a toy set, or drop a CSV file.")
    if row.task == "novelty":
        if len(points.X) < 2:
            raise DataError(f"The method {row.name!r} needs two points or more, and there is 1: draw another.")
    elif points.present.size < 2:
        only = points.class_names[int(points.present[0])]
        raise DataError(
            f"The method {row.name!r} needs points of two classes, and all {counted(len(points.X), 'point')} are of "
            f"{only}: draw some of another class."
        )


def options_of(given: Any, row: Algorithm) -> dict[str, Any]:
    """The options of a message, as the estimator takes them; those at their default are left out."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise OptionError(f"'options' must hold the options by their names. Got {shortened(given)}.")
    controls = {control.name: control for control in controls_of(row)}
    unknown = next((name for name in given if name not in controls), None)
    if unknown is not None:
        raise OptionError(
            f"The method {row.name!r} has no option {shortened(unknown)} in the lab. It has {', '.join(controls)}."
        )
    found = {name: as_option(controls[name], value) for name, value in given.items()}
    return {name: value for name, value in found.items() if not same(value, controls[name].default)}


def same(value: Any, default: Any) -> bool:
    """Whether a value is the default of an option; True is not 1."""
    return bool(value == default) and isinstance(value, bool) == isinstance(default, bool)


def whole_number(name: str, value: Any, most: int) -> int:
    """A whole number from 0."""
    if type(value) is not int or not 0 <= value <= most:
        raise OptionError(f"{name!r} must be a whole number from 0 to {most:,}. Got {shortened(value)}.")
    return value


def view_from(given: Any) -> View | None:
    """The rectangle that a page shows; None where it does not say."""
    if given is None:
        return None
    sides = numbers("view", given)
    if sides.size != 4 or sides[0] >= sides[1] or sides[2] >= sides[3]:
        raise DataError(f"'view' must be [left, right, bottom, top] of a rectangle. Got {shortened(given)}.")
    return View(*sides.tolist())
