"""One test of a fitted regressor on rows that had no part in its choice, in the units of the target."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from separatrix.rows import Vector
from separatrix.selection.comparison import finite
from separatrix.theory.exact_interval import CONFIDENCE, Interval


@dataclass(frozen=True, eq=False)
class NumberTest:
    """The results of a test.

    Attributes
    ----------
    source : str
        The file that the rows came from; empty where they were held out of the table.
    index : ndarray
        Which rows of the table they are; empty where they came from elsewhere.
    truth, predicted : arrays
        The number of each test row, and the one predicted for it.
    train : array
        The numbers of the rows that the model was fitted to, of whose mean and median the guesses are made.
    """

    source: str
    index: np.ndarray
    truth: Vector
    predicted: Vector
    train: Vector

    @property
    def n_rows(self) -> int:
        """How many test rows there are."""
        return self.truth.size

    @property
    def n_train(self) -> int:
        """How many rows the model was fitted to."""
        return self.train.size

    @property
    def mean(self) -> float:
        """The mean absolute error."""
        return float(np.abs(self.truth - self.predicted).mean())

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the mean absolute error, by the t distribution; NaN for one row."""
        errors = np.abs(self.truth - self.predicted)
        if errors.size < 2:
            return Interval(np.nan, np.nan)
        quantile = float(stdtrit(errors.size - 1, (1.0 + CONFIDENCE) / 2.0))
        half = quantile * float(errors.std(ddof=1)) / np.sqrt(errors.size)
        return Interval(max(0.0, self.mean - half), self.mean + half)

    @property
    def root_mean_square(self) -> float:
        """The root of the mean squared error."""
        return float(np.sqrt(np.mean((self.truth - self.predicted) ** 2)))

    @property
    def of_mean(self) -> float:
        """The mean absolute error of always saying the mean of the training rows."""
        return float(np.abs(self.truth - self.train.mean()).mean())

    @property
    def of_median(self) -> float:
        """The mean absolute error of always saying the median of the training rows."""
        return float(np.abs(self.truth - np.median(self.train)).mean())

    @property
    def r2(self) -> float:
        """The part of the squared error of the mean of the training rows that is removed."""
        of_mean = float(np.sum((self.truth - self.train.mean()) ** 2))
        return 1.0 - float(np.sum((self.truth - self.predicted) ** 2)) / of_mean if of_mean > 0.0 else np.nan

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists, ready for JSON."""
        return {
            "rows": self.n_rows,
            "source": self.source or "held out",
            "fitted_to_rows": self.n_train,
            "mean_absolute_error": finite(self.mean),
            "interval": [finite(end) for end in self.interval],
            "root_mean_square": finite(self.root_mean_square),
            "r2": finite(self.r2),
            "of_the_mean": finite(self.of_mean),
            "of_the_median": finite(self.of_median),
        }
