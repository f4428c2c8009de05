"""The results of a comparison of regressors: one entry for each method, in the order of their mean absolute errors.

off by     the mean over folds of the mean absolute error on the fold, in the units of y
rms        the root of the mean squared error over all rows, each predicted when it was left out
R^2        1 - (rms / rms of the mean)^2, where the mean is that of the training rows
"""

from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np

from separatrix.rows import Vector
from separatrix.selection.comparison import Proofs, finite
from separatrix.selection.measures.metrics import Metric
from separatrix.selection.ranked import Ranked

MEAN, MEDIAN = "the mean", "the median"


def significant(error: float) -> float:
    """An error without rounding errors, in any units: to twelve digits.

    >>> significant(0.1 + 0.2), significant(1e-20 / 3) > 0
    (0.3, True)
    """
    return float(f"{error:.12g}")


@dataclass(frozen=True, eq=False)
class RegressionEntry:
    """A method and its results in cross-validation, in the units of the target.

    Attributes
    ----------
    name : str
        Its name.
    estimator : object
        The unfitted estimator with its options; those of the registry take theirs in units of the spread of y.
    errors : ndarray
        Its mean absolute error in each fold; the negative of a scorer where one was asked for.
    mean, low, high : float
        Their mean, and a 95 % interval for it. NaN where it failed.
    r2 : float
        The part of the squared error of the mean that it removes.
    p : float
        The p-value of its difference to the best, corrected for the number of methods.
    differs : bool
        Whether p is below 0.05: the difference to the best is significant.
    fit_seconds, predict_seconds : float or None
        Median over the folds of the seconds of a fit, and of predicting the test rows.
    proofs : Proofs or None
        A summary of its certificates; None where it has none.
    warnings : tuple of str
        The first of each kind of warning, and in how many folds there was one.
    failure : str
        Why there is no result; empty where there is.
    truth : ndarray of shape (n,)
        The number of each row.
    predicted : ndarray of shape (repeats, n)
        The number that was predicted when the row was among the test rows.
    """

    name: str
    estimator: Any
    position: int
    errors: Vector
    plain_errors: Vector
    mean: float
    low: float
    high: float
    fit_seconds: float | None
    predict_seconds: float | None
    proofs: Proofs | None
    warnings: tuple[str, ...]
    failure: str
    truth: Vector = field(repr=False)
    predicted: Vector = field(repr=False)
    r2: float = np.nan
    p: float = np.nan
    differs: bool = False
    baseline: bool = False

    @property
    def predictions(self) -> Vector:
        """The number that was predicted for each row when it was among the test rows; of the first repeat."""
        return self.predicted[0] if self.predicted.size else np.empty(0)

    @property
    def root_mean_square(self) -> float:
        """The root of the mean squared error of all rows and repeats."""
        if not self.predicted.size:
            return np.nan
        residuals = (self.truth - self.predicted)[np.isfinite(self.predicted)]
        largest = float(np.abs(residuals).max()) or 1.0  # whose square may be beyond the largest number
        return largest * float(np.sqrt(np.mean((residuals / largest) ** 2)))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists, ready for JSON; None stands for what is not there."""
        proofs = self.proofs
        return {
            "name": self.name,
            "baseline": self.baseline,
            "errors": self.errors.tolist(),
            "mean": finite(self.mean),
            "low": finite(self.low),
            "high": finite(self.high),
            "root_mean_square": finite(self.root_mean_square),
            "r2": finite(self.r2),
            "p": finite(self.p),
            "differs": self.differs,
            "fit_seconds": self.fit_seconds,
            "predict_seconds": self.predict_seconds,
            "certificate": None if proofs is None else asdict(proofs) | {"worst": finite(proofs.worst)},
            "warnings": list(self.warnings),
            "failure": self.failure,
        }


@dataclass(frozen=True, eq=False, repr=False)
class RegressionComparison(Ranked[RegressionEntry]):
    """A table of regressors, the best first. Two tables are equal if they differ in nothing but seconds.

    Made by `compare(X, y, task="regression")`. `print` it for the table; `rich.print` gives it colours.

    Attributes
    ----------
    rows : tuple of RegressionEntry
        By their mean absolute error and then as in the registry: never by time. Then those that failed, last the
        baselines, which always say the mean or the median of the training rows.
    left_out : dict
        Methods that were not tried, each with the reason.
    notes : tuple of str
        Rows left out, fewer folds, how the features were prepared.
    n_folds, repeats : int
        How the rows were divided.
    index : ndarray
        The rows of the data that took part.
    spread : float
        The standard deviation of y over these rows.
    preparation : object or None
        The unfitted transformer that was fitted anew to each training set.
    metric : Metric or None
        The scorer that methods are ranked by; None for the mean absolute error.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from separatrix import compare
    >>> X, y = np.arange(10.0)[:, None], 3.0 * np.arange(10.0) + [0, 1] * 5
    >>> found = compare(X, y, algorithms={"least squares": LinearRegression()}, task="regression")
    >>> found.best.name, round(found.best.mean, 2), round(found.baseline.mean, 1), round(found.best.r2, 3)
    ('least squares', 0.6, 8.0, 0.996)
    """

    rows: tuple[RegressionEntry, ...]
    left_out: dict[str, str]
    notes: tuple[str, ...]
    n_folds: int
    repeats: int
    index: np.ndarray
    spread: float
    preparation: Any = None
    metric: Metric | None = None

    step: ClassVar[str] = "regressor"

    @staticmethod
    def rounded(error: float) -> float:
        """An error without rounding errors, in any units."""
        return significant(error)

    @property
    def baseline(self) -> RegressionEntry:
        """The better of both guesses, the mean and the median."""
        return min((entry for entry in self.rows if entry.baseline), key=lambda entry: entry.mean)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, texts and lists, ready for JSON."""
        return {
            "rows": [entry.to_dict() for entry in self.rows],
            "best": self.best.name,
            "chosen": self.chosen.name,
            "left_out": dict(self.left_out),
            "notes": list(self.notes),
            "n_folds": self.n_folds,
            "repeats": self.repeats,
            "n_rows": int(self.index.size),
            "spread": self.spread,
        }

    def __repr__(self) -> str:
        methods = sum(not entry.baseline for entry in self.rows)
        measured = f"off by {self.best.mean:.4g}"
        if self.metric is not None:
            measured = f"{self.metric.title} {self.metric.text(self.best.mean)}"
        return f"RegressionComparison({methods} methods, best: {self.best.name!r}, {measured})"

    def to_frame(self) -> Any:
        """The table as a frame of pandas, one row for each method, the best first."""
        from separatrix.selection.frames import regression_frame

        return regression_frame(self)

    def _repr_html_(self) -> str:
        from separatrix.selection.frames import comparison_html

        return comparison_html(self)

    def __str__(self) -> str:
        from separatrix.selection.regression.table import as_text

        return as_text(self)

    def __rich__(self) -> Any:
        from separatrix.selection.regression.table import as_rich

        return as_rich(self)
