"""The conclusions of a study of numbers in sentences."""

from typing import TYPE_CHECKING

import numpy as np

from separatrix.errors import counted
from separatrix.selection.findings import certificate_sentence
from separatrix.selection.regression.comparison import MEAN, MEDIAN
from separatrix.selection.regression.table import in_units

if TYPE_CHECKING:
    from separatrix.selection.regression.study import RegressionStudy


def verdict(study: "RegressionStudy") -> list[str]:
    """How far off predictions and guesses are, choice of the regressor, its certificate: a sentence or two each."""
    return [
        answer(study),
        left_out_sentence(study) if study.test is None else tested_sentence(study),
        f"{study.why[:1].upper()}{study.why[1:]}",
        certificate_sentence(study.certified.certificate_, study.n_fitted),
    ]


def left_out_sentence(study: "RegressionStudy") -> str:
    """The interval of the cross-validated error, and the part of the variance that is explained."""
    entry, several = study.entry, len(study.comparison.ranked)
    best_of = ""
    if several > 1:
        best_of = f" As it was chosen out of {several:,} by these figures, expect slightly worse on new rows."
    return (
        f"These are rows that {study.chosen} has not seen (95 % interval {in_units(entry.low)} to "
        f"{in_units(entry.high)}). {squares(study)}{best_of}"
    )


def tested_sentence(study: "RegressionStudy") -> str:
    """The interval of the test error, and beside it what the cross-validation gave that chose."""
    test, several = study.test, len(study.comparison.ranked)
    interval = f" (95 % interval {in_units(test.interval.low)} to {in_units(test.interval.high)})"
    out_of = f", by which it was chosen out of {several:,}," if several > 1 else ""
    others = (
        f"the other {study.comparison.index.size:,}" if test.index.size else f"{study.comparison.index.size:,} rows"
    )
    return (
        f"These are {counted(test.n_rows, 'test row')} that had no part in any choice"
        f"{interval if np.isfinite(test.interval.low) else ''}. Cross-validation of {others}{out_of} gives "
        f"{in_units(study.entry.mean)}. {squares(study)}"
    )


def answer(study: "RegressionStudy") -> str:
    """How far off a prediction is on average, and guesses are."""
    entry, of_mean, of_median = study.entry, study.comparison.entry(MEAN), study.comparison.entry(MEDIAN)
    what = f"of {study.target} " if study.target else ""
    guess = study.comparison.baseline
    if not (guess.differs and guess.mean > entry.mean):
        return (
            f"No regressor is shown to predict {study.target or 'the target'} better than always saying "
            f"{guess.name}. Predictions are off by {in_units(entry.mean)} on average, saying {guess.name} by "
            f"{in_units(guess.mean)}."
        )
    if study.test is not None:
        test = study.test
        return (
            f"Predictions {what}are off by {in_units(test.mean)} on average. Always saying the mean is off by "
            f"{in_units(test.of_mean)}, the median by {in_units(test.of_median)}."
        )
    return (
        f"Predictions {what}are off by {in_units(entry.mean)} on average. Always saying the mean is off by "
        f"{in_units(of_mean.mean)}, the median by {in_units(of_median.mean)}."
    )


def squares(study: "RegressionStudy") -> str:
    """The root mean squared error against that of the mean, and how much of its square is explained."""
    entry, of_mean = study.entry, study.comparison.entry(MEAN).root_mean_square
    rms, r2 = entry.root_mean_square, entry.r2
    if study.test is not None and np.isfinite(study.test.r2):
        rms, r2 = study.test.root_mean_square, study.test.r2
        of_mean = rms / np.sqrt(1.0 - r2) if r2 < 1.0 else of_mean
    found = f"The root mean squared error is {in_units(rms)}"
    if r2 <= 0.0:
        return f"{found}, no better than {in_units(of_mean)} of the mean."
    return (
        f"{found}, that of the mean {in_units(of_mean)}: {100 * r2:.3g} % of the variance is explained (R² = {r2:.3f})."
    )
