"""The error of a classifier as a function of its C, by cross-validation on the folds of `compare`.

    for C in ascending order:   e(C) = the mean over folds of the error rate on the fold

The fits of each fold are a regularization path. Two values of C are chosen: that of the least error, and the smallest
whose error is within one standard error of it, which is simpler and not distinguishably worse (Breiman, Friedman,
Olshen and Stone, 1984).
"""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from separatrix.errors import OptionError, counted
from separatrix.rows import Vector
from separatrix.selection.candidates import predicted_seconds
from separatrix.selection.cross_validate import first_line
from separatrix.selection.differences import loss_interval
from separatrix.selection.measures.metrics import ERROR, Metric
from separatrix.selection.prepared_folds import PreparedFolds, Split, split_data
from separatrix.selection.ranked import rounded
from separatrix.selection.regularization_path import path_models
from separatrix.selection.trials import TimeBudget, thinned
from separatrix.solvers.options import number

MIN_VALUES = 3  # of a curve over the default values of C
DEFAULT_C = tuple(float(f"{10.0**exponent:.4g}") for exponent in np.arange(-3.0, 3.1, 0.5))


@dataclass(frozen=True, eq=False, repr=False)
class ValidationCurve:
    """Error rates for values of C.

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
        Rows left out, fewer folds, how the features were prepared, values that were not tried.
    metric : Metric
        What the errors are: its losses.
    """

    values: Vector
    errors: Vector
    mean: Vector
    low: Vector
    high: Vector
    best: float
    one_standard_error: float
    notes: tuple[str, ...]
    metric: Metric = ERROR

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists, ready for JSON."""
        arrays = {name: getattr(self, name).tolist() for name in ("values", "errors", "mean", "low", "high")}
        chosen = {"best": self.best, "one_standard_error": self.one_standard_error}
        return arrays | chosen | {"notes": list(self.notes)}

    def __repr__(self) -> str:
        return f"ValidationCurve({counted(self.values.size, 'value')} of C, best {self.best:g})"

    def __str__(self) -> str:
        marks = {self.one_standard_error: "within one standard error of the best", self.best: "best"}
        lines = [f"{'C':>10}  error %  95 % interval"]
        for C, mean, low, high in zip(self.values, self.mean, self.low, self.high, strict=True):
            interval = f"{100 * low:.1f} to {100 * high:.1f}"
            lines.append(f"{C:>10.4g}  {100 * mean:>7.2f}  {interval:>13}  {marks.get(float(C), '')}".rstrip())
        return "\n".join([*lines, *self.notes])


def validation_curve(
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
) -> ValidationCurve:
    """Cross-validate a classifier for several values of C.

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
        Seconds that fits may be predicted to take: fewer values are tried, at least one.

    Returns
    -------
    ValidationCurve
        The errors with their intervals, and two choices of C.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from separatrix import LogisticClassifier
    >>> from separatrix.selection.validation_curve import validation_curve
    >>> data = load_breast_cancer(return_X_y=True)
    >>> curve = validation_curve(LogisticClassifier(), *data, values=[0.001, 0.1, 10])
    >>> curve.best, curve.one_standard_error, curve.mean.round(4).tolist()
    (10.0, 0.1, [0.1037, 0.0281, 0.0246])
    """
    model = estimator() if isinstance(estimator, type) else clone(estimator)
    budget, values = TimeBudget(time_limit), ascending(values)
    name_of_C(model)  # refuses an estimator without C before the data are divided
    split = split_data(X, y, cv=cv, repeats=repeats, preparation=preparation, sample=sample, random_state=random_state)
    return curve_on(split, model, values, budget)


def curve_on(
    split: Split[PreparedFolds], model: Any, values: Iterable[float] | None, budget: TimeBudget
) -> ValidationCurve:
    """Compute the curve on folds that are there already.

    How many values the time is for follows from what a fit is predicted to cost, where that is known.
    """
    option, every = name_of_C(model).split("__")[-1], ascending(values)
    data = split.data
    predicted = len(data.folds) * predicted_seconds(model, data.size)
    known = bool(np.isfinite(predicted))
    affordable = max(1, int(min(budget.seconds / predicted, every.size))) if known else every.size
    tried = thinned(every, max(affordable, MIN_VALUES)) if values is None else every[:affordable]
    errors: list[list[float]] = []
    paths = [
        path_models(model, data.rows(k)[0], data.y[fold.train], option, tried) for k, fold in enumerate(data.folds)
    ]
    for C in tried:
        if errors and not known and budget.exhausted:
            break
        errors.append(fold_errors(paths, data, float(C)))
    notes, tried = list(split.notes), tried[: len(errors)]
    if tried.size < every.size:
        left = ", ".join(f"{C:g}" for C in np.setdiff1d(every, tried))
        notes.append(f"Not tried, to keep to the time limit of {budget.seconds:g} s: C = {left}.")
    return summarise(tried, np.array(errors), split.data, tuple(notes))


def name_of_C(model: Any) -> str:  # noqa: N802
    """The name of the parameter C of a classifier, or of a step of a pipeline."""
    names = [name for name in model.get_params(deep=True) if name.split("__")[-1] == "C"]
    own = [name for name in names if name == "C"] or names
    if len(own) != 1:
        found = f"several: {', '.join(own)}" if own else "none"
        raise OptionError(f"validation_curve needs an estimator with one option C. {type(model).__name__} has {found}.")
    return own[0]


def ascending(values: Iterable[float] | None) -> Vector:
    """Check values of C, and sort them without repetitions."""
    given = list(DEFAULT_C if values is None else values)
    if not given:
        raise OptionError("'values' is empty. Give at least one value of C, or None for 13 from 0.001 to 1000.")
    return np.unique([number("values", value, above=0.0) for value in given])


def fold_errors(paths: list[Iterator[Any]], data: PreparedFolds, C: float) -> list[float]:
    """The error rate of each fold for the next C of its path."""
    errors = []
    for k, path in enumerate(paths):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a gap above tol does not change the errors that are counted here
                errors.append(data.judge(k).judge(next(path), data.rows(k)[1]).loss)
        except Exception as problem:
            raise OptionError(f"No error for C={C:g}. {first_line(problem)}") from problem
    return errors


def summarise(values: Vector, errors: Vector, data: PreparedFolds, notes: tuple[str, ...]) -> ValidationCurve:
    """Mean errors, their intervals, and the two choices of C."""
    mean = np.array([rounded(value) for value in np.nanmean(errors, axis=1)])
    rows, metric = data.metric.trials(data.codes), data.metric
    n = None if rows is None else int(np.count_nonzero(rows))
    low, high = np.transpose([loss_interval(each, n, data.test_train_ratio, metric.bounds) for each in errors])
    best = int(mean.argmin())
    standard_error = float(errors[best].std(ddof=1) / np.sqrt(errors.shape[1]))
    within = int(np.flatnonzero(mean <= rounded(mean[best] + standard_error))[0])
    chosen = float(values[best]), float(values[within])
    return ValidationCurve(values, errors, mean, low, high, *chosen, notes, metric)
