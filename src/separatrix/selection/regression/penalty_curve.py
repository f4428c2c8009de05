"""The mean absolute error of a regressor as a function of its penalty, C, ridge or l1, on the folds of a comparison.

    for C in ascending order:   e(C) = the mean over folds of the mean absolute error on the fold

C and l1 are taken in units of the spread of y, a ridge in units of the number of rows, all of the training rows of each
fold: so values of one place on the curve mean the same in every fold, and in the fit to all rows.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from separatrix.errors import SeparatrixError, counted
from separatrix.estimators.registry import StochasticRegressor
from separatrix.rows import TINY, Vector
from separatrix.selection.differences import loss_interval
from separatrix.selection.prepared_folds import Split
from separatrix.selection.regression.folds import NumberFolds
from separatrix.selection.regression.units import in_units, powers, spread_of
from separatrix.selection.regularization_path import fitted_along
from separatrix.selection.trials import TimeBudget, thinned

MIN_VALUES = 3  # of a curve
MULTIPLES = {  # of the unit of each penalty, ascending
    "C": tuple(float(f"{10.0**exponent:.4g}") for exponent in np.arange(-3.0, 3.1, 0.5)),
    "ridge": tuple(float(f"{10.0**exponent:.4g}") for exponent in np.arange(-6.0, 2.1, 1.0)),
    "l1": tuple(float(f"{10.0**exponent:.4g}") for exponent in np.arange(-4.0, 1.1, 0.5)),
}


@dataclass(frozen=True, eq=False, repr=False)
class PenaltyCurve:
    """Mean absolute errors for values of a penalty.

    Attributes
    ----------
    option : {"C", "ridge", "l1"}
        The penalty.
    values : ndarray
        Its values for all rows, ascending.
    errors : ndarray of shape (n_values, n_folds)
        The error of each fold.
    mean, low, high : ndarray
        Their means, and 95 % intervals.
    notes : tuple of str
        Values that were not tried.
    """

    option: str
    values: Vector
    errors: Vector
    mean: Vector
    low: Vector
    high: Vector
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> float:
        """The value with the least mean error."""
        return float(self.values[int(self.mean.argmin())])

    @property
    def standard_error(self) -> float:
        """That of the least mean error, as if folds were independent."""
        errors = self.errors[int(self.mean.argmin())]
        return float(errors.std(ddof=1)) / float(np.sqrt(errors.size))

    def __repr__(self) -> str:
        return f"PenaltyCurve({counted(self.values.size, 'value')} of {self.option}, best {self.best:g})"


def penalty_of(model: Any) -> str | None:
    """The penalty that a regressor has and is proved to minimise with: C, or else a ridge, or l1."""
    known = {} if isinstance(model, StochasticRegressor) else model.get_params(deep=False)
    return next((option for option in MULTIPLES if option in known), None)


def penalty_curve(
    split: Split[NumberFolds], model: Any, budget: TimeBudget, fit_seconds: float = 0.0
) -> PenaltyCurve | None:
    """Compute the curve of a regressor whose options are meant for a target of standard deviation 1.

    None where it has no penalty, where no value could be fitted, or where fits that each take `fit_seconds` leave no
    time for at least three values.
    """
    option, data = penalty_of(model), split.data
    affordable = budget.seconds / max(fit_seconds * len(data.folds), TINY)
    if option is None or affordable < MIN_VALUES:
        return None
    multiples = thinned(np.array(MULTIPLES[option]), affordable)
    errors: list[list[float]] = []
    paths = []
    for k, fold in enumerate(data.folds):
        train, y = data.rows(k)[0], data.y[fold.train]
        own = in_units(model, train, y)
        paths.append(fitted_along(own, train, y, option, multiples * unit(model, option, y), None))
    for _ in multiples:
        found = fold_errors(paths, data)
        if found is None:
            break
        errors.append(found)
    if not errors:
        return None
    values = multiples[: len(errors)] * unit(model, option, data.y)
    left = len(multiples) - len(errors)
    notes = (f"{counted(left, 'larger value')} of {option} could not be fitted.",) if left else ()
    low, high = np.transpose(
        [loss_interval(np.array(each), None, data.test_train_ratio, (0.0, np.inf)) for each in errors]
    )
    table = np.array(errors)
    return PenaltyCurve(option, values, table, table.mean(axis=1), low, high, notes)


def unit(model: Any, option: str, y: Vector) -> float:
    """What a multiple of a penalty is a multiple of."""
    if option == "ridge":
        return float(y.size)
    return spread_of(y) ** powers(model).get(option, 0)


def fold_errors(paths: list[Any], data: NumberFolds) -> list[float] | None:
    """The error of each fold for the next value of its path; None where a fit fails."""
    errors = []
    for k, path in enumerate(paths):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a gap above tol does not change the errors that are measured here
                errors.append(data.judge(k).judge(next(path), data.rows(k)[1]).loss)
        except SeparatrixError:  # a curve is worth drawing as far as it goes
            return None
    return errors


def with_penalty(model: Any, option: str, value: float) -> Any:
    """A clone with another penalty."""
    return clone(model).set_params(**{option: value})
