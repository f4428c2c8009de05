"""The figures of a study of numbers, each with its finding as a heading, how to read it, and a legend."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from separatrix.errors import DataError, OptionError, counted
from separatrix.report.charts import style
from separatrix.report.charts.coefficient_chart import coefficient_chart, effects
from separatrix.report.charts.error_curve import error_curve
from separatrix.report.charts.error_map import at_edge, error_grid, error_map
from separatrix.report.charts.projection import MAX_POINTS
from separatrix.report.charts.regression.numbers import in_full, numbers_of
from separatrix.report.charts.regression.predicted_chart import predicted_chart
from separatrix.report.charts.regression.residual_chart import leans_clearly, residual_chart, running_medians
from separatrix.report.charts.regression.residual_histogram import residual_histogram
from separatrix.report.charts.regression.tube_chart import draw_tube, tube_of
from separatrix.report.page.figure import DASHES, FRAME, LINE, NARROW, WIDE, figure
from separatrix.report.page.markup import class_mark, legend, percent, swatch, text
from separatrix.report.page.svg import blank, inline_svg
from separatrix.selection.regression.table import in_units

if TYPE_CHECKING:
    from separatrix.selection.regression.study import RegressionStudy

BAND = swatch('<path d="M-7,-6H7V6H-7z" fill="var(--c1)" opacity="0.25"/>')
MEDIANS = swatch('<path d="M-7,0H7" stroke="var(--c2)" stroke-width="2"/><circle r="3" fill="var(--c2)"/>')
CLEAR_LEAN = 0.5  # of the mean absolute error: a median of residuals beyond it is worth a remark


def regression_pictures(study: "RegressionStudy") -> str:
    """The figures of a study of numbers as HTML."""
    drawn = (predicted, residuals, histogram, tube, coefficients, penalty, error_over_grid)
    return "".join(each for draw in drawn for each in draw(study))


def what(study: "RegressionStudy") -> str:
    """The name of the target."""
    return study.target or "target"


def sample_words(n: int) -> str:
    """That not all rows are drawn."""
    return f" {MAX_POINTS:,} of {n:,} rows are drawn, the largest errors among them." if n > MAX_POINTS else ""


def predicted(study: "RegressionStudy") -> Iterator[str]:
    """Predictions of rows that were left out, against the truth."""
    entry, rows = study.entry, study.unseen
    ax = predicted_chart(rows.truth, rows.predicted, blank(*WIDE), target=what(study), title="")
    off, r2 = (entry.mean, entry.r2) if study.test is None else (study.test.mean, study.test.r2)
    about = f"Predictions are off by {in_units(off)} on average; R² is {r2:.3f}."
    svg = inline_svg(ax, "predicted", "Predicted and true values", about)
    words = (
        "Each point is a row, predicted by a fit that had not seen it. On the line, prediction and truth are the same; "
        f"above it, the truth is larger.{sample_words(rows.truth.size)}"
    )
    marks = [(class_mark(0), "a row"), (LINE, "prediction = truth")]
    heading = f"Off by {in_units(off)} on average" + ("" if study.test is None else " on the test rows")
    yield figure("predicted", svg, heading, words, legend(marks), wide=True)


def residuals(study: "RegressionStudy") -> Iterator[str]:
    """Residuals over predictions."""
    entry, rows = study.entry, study.unseen
    found = numbers_of(rows.truth, rows.predicted)
    ax = residual_chart(rows.truth, rows.predicted, blank(*NARROW), target=what(study), title="")
    middle = running_medians(found)
    largest = float(np.abs(middle[:, 1]).max())
    leans = largest > CLEAR_LEAN * entry.mean and leans_clearly(found)
    heading = "What is left leans in places" if leans else "What is left shows no clear pattern"
    svg = inline_svg(
        ax, "residuals", "Residuals over predictions", f"{heading}: medians are up to {in_units(largest)} from 0."
    )
    words = (
        "What was predicted (across) and how far the truth is above it (up). A good fit leaves a level cloud: the "
        "medians of tenths of the rows stay near 0. A bend is a relation that the model cannot follow, a funnel errors "
        f"that grow with the prediction.{sample_words(rows.truth.size)}"
    )
    marks = [
        (class_mark(0), "a row"),
        *([(MEDIANS, f"medians of {counted(len(middle), 'part')}")] if len(middle) > 1 else []),
    ]
    yield figure("residuals", svg, heading, words, legend(marks))


def histogram(study: "RegressionStudy") -> Iterator[str]:
    """How often residuals of each size are."""
    rows = study.unseen
    ax = residual_histogram(rows.truth, rows.predicted, blank(*NARROW), tube=study.tube, title="")
    sizes = np.abs(rows.truth - rows.predicted)
    half, nine = np.quantile(sizes, [0.5, 0.9])
    heading = f"Half of the rows are within {in_units(float(half))}"
    svg = inline_svg(
        ax, "histogram", "Histogram of residuals", f"{heading}, nine of ten within {in_units(float(nine))}."
    )
    words = f"Residuals of rows that were left out; nine of ten are within {in_units(float(nine))}."
    marks = [(DASHES, f"the tube, ±{in_units(study.tube)}")] if study.tube is not None else []
    yield figure("histogram", svg, heading, words, legend(marks) if marks else "")


def tube(study: "RegressionStudy") -> Iterator[str]:
    """The tube of a fit that has one, with the rows outside of it."""
    if study.tube is None:
        return
    numbers = [column for column in study.columns if column.kind == "number"]
    alone = numbers[0] if len(numbers) == 1 and study.X.shape[1] == 1 else None
    centre, scale = (0.0, 1.0) if alone is None else (alone.centre, alone.scale)
    try:
        found = tube_of(study.fitted, study.X, study.y, centre=centre, scale=scale)
    except (DataError, OptionError):
        return
    feature = study.feature_names[0] if study.feature_names else "x"
    ax = draw_tube(found, blank(*WIDE), target=what(study), feature=feature, title="")
    outside, n = found.n_outside, found.truth.size
    heading = f"{outside:,} of {counted(n, 'row')} are outside the tube of ±{in_units(found.epsilon)}"
    across = (
        f"the only feature, {text(feature, 40)}"
        if found.over_feature
        else "the prediction, along which the fit is the diagonal"
    )
    words = (
        f"The fit to all rows. Across is {across}. Residuals within the tube cost nothing; only rows outside of it or "
        f"on its edge hold the fit in place.{sample_words(n)}"
    )
    marks = [
        (LINE, "the fit"),
        (BAND, f"the tube, ±{in_units(found.epsilon)}"),
        (class_mark(0), f"inside, {n - outside:,}"),
        (class_mark(1), f"outside, {outside:,}"),
    ]
    svg = inline_svg(ax, "tube", "The tube around the fit", heading)
    yield figure("tube", svg, heading, words, legend(marks), wide=True)


def coefficients(study: "RegressionStudy") -> Iterator[str]:
    """The effects of the features on the prediction."""
    weights = getattr(study.fitted, "coef_", None)
    if weights is None or np.size(weights) != study.X.shape[1]:
        return
    found = effects(study.fitted, study.X, study.feature_names)
    size = NARROW[0], 1.1 + 0.185 * len(found.names)
    ax = coefficient_chart(study.fitted, study.X, blank(*size), feature_names=study.feature_names, title="")
    ax.set_xlabel(style.plain(f"effect on {style.short(what(study), 32)}"))
    in_full(ax.xaxis)
    largest = ", ".join(found.names[:3])
    svg = inline_svg(ax, "effects", "Effects of the features", f"The largest effects are those of {largest}.")
    few = f" The {len(found.names)} largest of {found.n_features:,}." if len(found.names) < found.n_features else ""
    words = f"How much one standard deviation of a column moves the prediction, in the units of the target.{few}"
    heading = f"Largest effect: {text(found.names[0], 90)}" if found.values.any() else "No column has an effect"
    yield figure("effects", svg, heading, words)


def penalty(study: "RegressionStudy") -> Iterator[str]:
    """The error over the penalty of the chosen regressor."""
    curve = study.path
    if curve is None or curve.values.size < 2:
        return
    used = float(getattr(study.fitted, curve.option))
    columns = curve.values, curve.mean, curve.low, curve.high
    unit = f"mean absolute error of {what(study)}" if len(what(study)) <= 24 else "mean absolute error"
    ax = error_curve(*columns, used, blank(*NARROW), name=curve.option, unit=unit, title="")
    in_full(ax.yaxis)
    least = in_units(float(curve.mean.min()))
    svg = inline_svg(
        ax, "path", f"Error over {curve.option}", f"The least error is {least}, at {curve.option} = {curve.best:.3g}."
    )
    small = (
        "Small C holds the coefficients down, large C follows the rows."
        if curve.option == "C"
        else f"A large {curve.option} holds the coefficients down, a small one follows the rows."
    )
    words = (
        f"{small} The band is the interval of each error; where the curve is flat, the choice hardly matters. The "
        f"least error is {least}, at {curve.option} = {in_units(curve.best)}. {' '.join(curve.notes)}"
    )
    yield figure("path", svg, f"{curve.option} = {in_units(used)} is used", words.strip())


def error_over_grid(study: "RegressionStudy") -> Iterator[str]:
    """The error over two options, as a part of the error of the better guess, where the regressor was tuned."""
    given = study.grid
    if given is None or len(given.options) != 2:
        return
    (up, rows), (across, columns) = given.options.items()
    names = up, across
    guess = study.comparison.baseline
    deviations = given.standard_error / guess.mean if given.errors.shape[-1] > 1 else None
    try:
        found = error_grid(rows, columns, given.mean / guess.mean, deviations, names)
    except DataError:  # an option that is no number
        return
    parts = given.mean / guess.mean
    ax = error_map(rows, columns, parts, deviations, blank(*NARROW), names=names, title="", legend=False)
    i, j = found.best
    place = f"{names[0]} = {found.C[i]:.3g}, {names[1]} = {found.gamma[j]:.3g}"
    heading = f"Least error at {place}"
    words = (
        f"Cross-validated mean absolute error, in percent of that of saying {guess.name}: the deeper the tone, the "
        f"larger, from {percent(found.least)} to {percent(np.nanmax(found.error))}."
    )
    if at_edge(found):
        words += f" The least is at the edge of the grid: {at_edge(found)} may be better."
    marks = [(FRAME, "least error")]
    if found.within.any():
        marks.append((DASHES, f"{counted(int(found.within.sum()), 'pair')} within one standard error of it"))
    svg = inline_svg(ax, "grid", f"Error over {names[0]} and {names[1]}", f"The least error is at {place}.")
    yield figure("grid", svg, heading, words, legend(marks))
