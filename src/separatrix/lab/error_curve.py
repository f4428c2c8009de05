"""The error over an option, on the points that are learnt and on points that are not: the curve behind a slider.

    training(v)  the part of all points that the method gets wrong, fitted to all of them with the value v
    cv(v)        the mean over five folds of the part of the fold that it gets wrong, fitted to the other four

Folds are stratified and drawn from the seed, and the same for all values. Of a detector of novel points the error is
the part that it calls novel.
"""

import warnings
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np

from separatrix.data.folds import Fold, shuffled_folds, stratified_folds, usable_folds
from separatrix.data.table import shortened
from separatrix.errors import DataError, OptionError, SeparatrixError
from separatrix.estimators.progress_line import no_progress_lines
from separatrix.lab.controls import SLIDERS, Control, controls_of
from separatrix.lab.question import Question
from separatrix.rows import Vector
from separatrix.selection.regularization_path import path_models

FOLDS = 5
VALUES = 13  # half decades of six decades: a curve that is seen while it is drawn
CURVE_SECONDS = 10.0  # for all fits of a curve: later values are left out
FIT_SECONDS = 1.0  # for one of them
SHARED = ("C", "ridge")  # whose fits share their work and are feasible for every value


def error_curve(question: Question, parameter: Any) -> Iterator[dict[str, Any]]:
    """The curve so far, each time another value is done; the last message says so."""
    control, start = curved_control(question, parameter), perf_counter()
    values, found = values_of(question, control), []
    with warnings.catch_warnings(), no_progress_lines():
        warnings.simplefilter("ignore")
        for value, errors in zip(values.tolist(), all_errors(question, control.name, values), strict=True):
            over = perf_counter() - start > CURVE_SECONDS
            if errors is not None:
                found.append((value, *errors))
            last = over or value == float(values[-1])
            if errors is not None or last:
                yield message(control.name, found, last)
            if last:
                return


def message(parameter: str, found: list[Any], last: bool) -> dict[str, Any]:
    """The points of a curve as a page is sent them: all so far, in ascending order of the option."""
    columns = [list(column) for column in zip(*found, strict=True)] or [[], [], [], []]
    names = ("values", "training", "cv", "error_of_cv")
    return {"kind": "curve", "parameter": parameter, **dict(zip(names, columns, strict=True)), "last": last}


def curved_control(question: Question, parameter: Any) -> Control:
    """The control of the option that is varied."""
    able = {control.name: control for control in controls_of(question.row) if control.curve}
    if not isinstance(parameter, str) or parameter not in able:
        these = f"It has one over {', '.join(able)}." if able else "It has none: take another method."
        raise OptionError(f"The method {question.row.name!r} has no curve over {shortened(parameter)}. {these}")
    return able[parameter]


def values_of(question: Question, control: Control) -> Vector:
    """The values of an option that are tried, ascending: of a weight in a hull, from the smallest that is possible."""
    slider = SLIDERS[control.name]
    least, most = control.least or slider.least, control.most or slider.most
    if control.name == "mu":
        least = 1.0 / float(np.bincount(question.y).min())
    if control.scale == "linear":
        return np.round(np.linspace(max(least, 0.0), most, VALUES), 4)
    return np.array([float(f"{value:.4g}") for value in np.geomspace(least, most, VALUES)])


def all_errors(question: Question, option: str, values: Vector) -> Iterator[tuple[float, float, float] | None]:
    """The errors for each value: training, cross-validated, and one standard error of that; None where none can be."""
    everything = np.arange(len(question.X))
    folds = folds_of(question)
    fits = [Fold(everything, everything), *folds]
    runs = [models(question, option, values, fold.train) for fold in fits]
    for _ in values:
        errors = [error_of(question, next(run), fold.test) for run, fold in zip(runs, fits, strict=True)]
        known = [error for error in errors if error is not None]
        if len(known) < len(errors):
            yield None
            continue
        spread = float(np.std(known[1:], ddof=1)) / float(np.sqrt(len(folds)))
        yield known[0], float(np.mean(known[1:])), spread


def folds_of(question: Question) -> tuple[Fold, ...]:
    """The folds; as many as the rarest class has points, where these are fewer."""
    if question.is_novelty:
        return shuffled_folds(len(question.X), min(FOLDS, len(question.X)), 1, question.seed)
    number = usable_folds(question.y, np.array(question.classes), FOLDS)
    if number < 2:
        raise DataError("Cross-validation needs two points of each class or more: draw more.")
    return stratified_folds(question.y, number, 1, question.seed)


def models(question: Question, option: str, values: Vector, rows: np.ndarray) -> Iterator[Any]:
    """The model of each value, fitted to some rows; None where the method has none."""
    estimator = question.estimator(time_limit=FIT_SECONDS)
    weights = question.weights[rows] if question.weighted and question.weights is not None else None
    y = None if question.is_novelty else question.labels[rows]
    if option in SHARED:
        yield from path_models(estimator, question.X[rows], y, option, values, weights)
        return
    for value in values:
        one = path_models(estimator, question.X[rows], y, option, np.array([value]), weights)
        try:
            yield next(one)
        except SeparatrixError:  # such as a nu that is too large for these rows
            yield None


def error_of(question: Question, model: Any, rows: np.ndarray) -> float | None:
    """The part of some rows that a model gets wrong."""
    if model is None:
        return None
    predicted = model.predict(question.X[rows])
    wrong = predicted < 0 if question.is_novelty else predicted != question.labels[rows]
    return float(np.mean(wrong))
