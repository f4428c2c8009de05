"""The error of a classifier over its C, by cross-validation on the folds of `compare`.

    for C in ascending order:   e(C) = the mean over folds of the part of the fold that is wrong

Where an estimator takes a `start`, each fit begins with the plane of the C before. Beside the C of the least error
there is the smallest whose error is within one standard error of it, which is simpler and as good as can be told
(Breiman, Friedman, Olshen and Stone, 1984).
"""

import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from separatrix.errors import OptionError, counted
from separatrix.rows import Vector
from separatrix.selection.comparison import rounded
from separatrix.selection.differences import error_interval
from separatrix.selection.division import divide
from separatrix.selection.trials import Prepared, attempt
from separatrix.solvers.options import number

VALUES = tuple(float(f"{10.0**exponent:.4g}") for exponent in np.arange(-3.0, 3.1, 0.5))


@dataclass(frozen=True, eq=False, repr=False)
class ErrorPath:
    """Error rates over C.

    Attributes
    ----------
    values : ndarray
        C, ascending.
    errors : ndarray of shape (n_values, n_folds)
        The error rate of each fold.
    mean, low, high : ndarray
        Their means, and 95 % intervals.
    best : float
        The C of the least mean error; of several the smallest.
    one_standard_error : float
        The smallest C whose mean error is at most one standard error above the least.
    notes : tuple of str
        What a reader must know.
    """

    values: Vector
    errors: Vector
    mean: Vector
    low: Vector
    high: Vector
    best: float
    one_standard_error: float
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists, ready for JSON."""
        arrays = {name: getattr(self, name).tolist() for name in ("values", "errors", "mean", "low", "high")}
        chosen = {"best": self.best, "one_standard_error": self.one_standard_error}
        return arrays | chosen | {"notes": list(self.notes)}

    def __repr__(self) -> str:
        return f"ErrorPath({counted(self.values.size, 'value')} of C, best {self.best:g})"

    def __str__(self) -> str:
        marks = {self.one_standard_error: "within one standard error of the best", self.best: "best"}
        lines = [f"{'C':>10}  error %  95 % interval"]
        for C, mean, low, high in zip(self.values, self.mean, self.low, self.high, strict=True):
            interval = f"{100 * low:.1f} to {100 * high:.1f}"
            lines.append(f"{C:>10.4g}  {100 * mean:>7.2f}  {interval:>13}  {marks.get(float(C), '')}".rstrip())
        return "\n".join([*lines, *self.notes])


def error_over_C(  # noqa: N802
    estimator: Any,
    X: Any,
    y: Any,
    values: Iterable[float] | None = None,
    *,
    cv: int = 5,
    repeats: int = 1,
    preparation: Any = None,
    sample: int | None = 50_000,
    time_limit: float | None = None,
    random_state: Any = 0,
) -> ErrorPath:
    """Cross-validate a classifier for a row of values of C.

    Parameters
    ----------
    estimator : unfitted classifier, its class, or pipeline
        With an option C of its own or of one of its steps.
    X, y : rows and labels
        As for `compare`.
    values : iterable of positive numbers or None
        Values of C; None: 13 from 0.001 to 1000.
    cv, repeats, preparation, sample, random_state
        As for `compare`: the same ones give the same folds.
    time_limit : float or None
        Seconds after which no further C is begun; at least one is tried.

    Returns
    -------
    ErrorPath
        The error over C with its intervals, and two choices of C.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import LogisticClassifier
    >>> from separatrix.selection.error_path import error_over_C
    >>> path = error_over_C(LogisticClassifier(), *load_breast_cancer(return_X_y=True), values=[0.001, 0.1, 10])
    >>> path.best, path.one_standard_error, path.mean.round(4).tolist()
    (10.0, 0.1, [0.1037, 0.0281, 0.0246])
    """
    model = estimator() if isinstance(estimator, type) else clone(estimator)
    option, wanted = name_of_C(model), checked(values)
    seconds = np.inf if time_limit is None else number("time_limit", time_limit, above=0.0)
    deadline = time.perf_counter() + seconds
    division = divide(X, y, cv=cv, repeats=repeats, preparation=preparation, sample=sample, random_state=random_state)
    errors: list[list[float]] = []
    before: list[Any] = [None] * len(division.data.folds)
    for C in wanted:
        if errors and time.perf_counter() >= deadline:
            break
        model.set_params(**{option: float(C)})
        errors.append(fold_errors(model, option, division.data, before))
    late = [] if len(errors) == wanted.size else [too_late(wanted[len(errors) :], seconds)]
    return summary(wanted[: len(errors)], np.array(errors), division.data, (*division.notes, *late))


def name_of_C(model: Any) -> str:  # noqa: N802
    """The option of a classifier, or of a step of a pipeline, that is called C."""
    names = [name for name in model.get_params(deep=True) if name.split("__")[-1] == "C"]
    own = [name for name in names if name == "C"] or names
    if len(own) != 1:
        found = f"several: {', '.join(own)}" if own else "none"
        raise OptionError(f"error_over_C needs an estimator with one option C. {type(model).__name__} has {found}.")
    return own[0]


def checked(values: Iterable[float] | None) -> Vector:
    """Values of C, ascending, each once."""
    given = list(VALUES if values is None else values)
    if not given:
        raise OptionError("'values' is empty. Give at least one value of C, or None for 13 from 0.001 to 1000.")
    return np.unique([number("values", value, above=0.0) for value in given])


def fold_errors(model: Any, option: str, data: Prepared, before: list[Any]) -> list[float]:
    """The error of each fold; `before` holds the models of the C before, and is changed to those of this one."""
    place = option.removesuffix("C") + "start"
    starts = place in model.get_params(deep=True)
    found = []
    for k, fold in enumerate(data.folds):
        if starts:
            model.set_params(**{place: None if before[k] is None else planes(before[k])})
        rows = data.rows(k)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a gap is not reached does not change what is counted here
            tested = attempt(model, data, k, *rows)
        if isinstance(tested, str):
            raise OptionError(f"No error for C={model.get_params()[option]:g}. {tested}")
        before[k] = tested.model
        found.append(float(np.mean(tested.predicted != data.codes[fold.test])))
    return found


def planes(model: Any) -> Vector:
    """[w..., b] of a classifier, or of the last step of a pipeline, a row for each plane."""
    last = model.steps[-1][1] if hasattr(model, "steps") else model
    offset = [last.intercept_] if getattr(last, "fit_intercept", True) else []
    found = np.column_stack([last.coef_, *offset])
    return found[0] if len(found) == 1 else found


def too_late(values: Vector, seconds: float) -> str:
    """What there was no time for."""
    left = ", ".join(f"{value:g}" for value in values)
    return f"Not tried, as the time limit of {seconds:g} s was used up: C = {left}."


def summary(values: Vector, errors: Vector, data: Prepared, notes: tuple[str, ...]) -> ErrorPath:
    """Means, intervals and choices."""
    mean = np.array([rounded(value) for value in errors.mean(axis=1)])
    low, high = np.transpose([error_interval(each, data.codes.size, data.ratio) for each in errors])
    best = int(mean.argmin())
    standard = float(errors[best].std(ddof=1) / np.sqrt(errors.shape[1]))
    within = int(np.flatnonzero(mean <= rounded(mean[best] + standard))[0])
    return ErrorPath(values, errors, mean, low, high, float(values[best]), float(values[within]), notes)
