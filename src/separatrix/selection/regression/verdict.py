"""The conclusions of a study of numbers in sentences."""

from typing import TYPE_CHECKING

from separatrix.selection.findings import certificate_sentence
from separatrix.selection.regression.comparison import MEAN, MEDIAN
from separatrix.selection.regression.table import in_units

if TYPE_CHECKING:
    from separatrix.selection.regression.study import RegressionStudy


def verdict(study: "RegressionStudy") -> list[str]:
    """How far off predictions and guesses are, choice of the regressor, its certificate: a sentence or two each."""
    entry, several = study.entry, len(study.comparison.ranked)
    best_of = ""
    if several > 1:
        best_of = f" As it was chosen out of {several:,} by these figures, expect slightly worse on new rows."
    return [
        answer(study),
        f"These are rows that {study.chosen} has not seen (95 % interval {in_units(entry.low)} to "
        f"{in_units(entry.high)}). {squares(study)}{best_of}",
        f"{study.why[:1].upper()}{study.why[1:]}",
        certificate_sentence(study.fitted.certificate_, study.n_rows),
    ]


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
    return (
        f"Predictions {what}are off by {in_units(entry.mean)} on average. Always saying the mean is off by "
        f"{in_units(of_mean.mean)}, the median by {in_units(of_median.mean)}."
    )


def squares(study: "RegressionStudy") -> str:
    """The root mean squared error against that of the mean, and how much of its square is explained."""
    entry, of_mean = study.entry, study.comparison.entry(MEAN)
    found = f"The root mean squared error is {in_units(entry.root_mean_square)}"
    if entry.r2 <= 0.0:
        return f"{found}, no better than {in_units(of_mean.root_mean_square)} of the mean."
    return (
        f"{found}, that of the mean {in_units(of_mean.root_mean_square)}: {100 * entry.r2:.3g} % of the variance is "
        f"explained (R² = {entry.r2:.3f})."
    )
