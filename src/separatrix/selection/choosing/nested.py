"""The error of the whole procedure: options are chosen anew within the other rows of every outer fold.

    for each outer fold:   choose by inner folds of the other rows, fit to all of those, test on the fold

No row that measures had a part in the choice that it measures (Varma and Simon, 2006). The mean is that of the
procedure on somewhat fewer rows, not of one model.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from separatrix.data.folds import Fold
from separatrix.rows import Vector
from separatrix.selection.differences import Interval, loss_interval
from separatrix.selection.measures.metrics import Metric


@dataclass(frozen=True, eq=False)
class NestedError:
    """The errors of outer folds, and what was chosen for each.

    Attributes
    ----------
    errors : ndarray of shape (n_outer_folds,)
        The loss of the choice on each outer fold.
    parameters : tuple of dict
        The options that were chosen within the other rows.
    interval : Interval
        95 % for the mean, corrected for training rows that folds have in common.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from separatrix import LinearSVM, choose
    >>> found = choose(LinearSVM(), *load_iris(return_X_y=True), {"C": [0.001, 1.0]}, nested=True, test=None).nested
    >>> [chosen["C"] for chosen in found.parameters], found.mean < 0.1
    ([1.0, 1.0, 1.0, 1.0, 1.0], True)
    """

    errors: Vector
    parameters: tuple[dict[str, Any], ...]
    interval: Interval

    @property
    def mean(self) -> float:
        """The mean loss over the outer folds."""
        return float(self.errors.mean())

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, as if folds were independent."""
        return float(self.errors.std(ddof=1) / np.sqrt(self.errors.size))


def nested_error(
    errors: list[float], parameters: list[dict[str, Any]], folds: tuple[Fold, ...], metric: Metric
) -> NestedError:
    """The errors of outer folds with the interval of their mean."""
    losses = np.array(errors)
    n = sum(fold.test.size for fold in folds)
    ratio = n / sum(fold.train.size for fold in folds)
    rows = int(np.unique(np.concatenate([fold.test for fold in folds])).size) if metric.name == "error" else None
    return NestedError(losses, tuple(parameters), loss_interval(losses, rows, ratio, metric.bounds))
