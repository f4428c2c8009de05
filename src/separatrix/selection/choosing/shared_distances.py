"""Squared distances of all rows, computed once for all folds, all gamma and all C of a search.

    K(x, z) = k(||x - z||^2):    D of all n rows once, then k(D) of the rows of each fold and gamma

An inner product of many columns costs more than to read its value, and the folds have most pairs of rows in common: for
5,000 rows of 784 columns a search over ten C is three times as fast. Values of few columns are as quickly computed as
read, so that there is nothing to share.
"""

from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from separatrix.data.encode import features
from separatrix.data.folds import Fold
from separatrix.data.prepare.frames import is_frame
from separatrix.estimators.kernel.kernel_machine import KernelMachine
from separatrix.kernels.precomputed import Tabulated
from separatrix.kernels.rows_of import as_rows
from separatrix.kernels.tiles import kernel_matrix
from separatrix.memory import available_bytes
from separatrix.rows import Vector
from separatrix.threads import cores

MIN_COLUMNS = 200  # whose inner products are dearer than to read their values; with 100 there is no difference
MAX_PART_OF_MEMORY = 0.5  # for the distances and the values of the folds in work
BYTES_OF_A_FOLD = 20.0  # of each pair of rows: values in float64 twice, and in float32


class FoldValues(NamedTuple):
    """A machine over given kernel values, and these values of the training rows and the test rows of a fold."""

    model: Any
    train: Vector
    test: Vector


class SharedDistances:
    """The squared distances of all rows that are fitted to."""

    shift_invariant = True

    def __init__(self, X: Any) -> None:
        self.X = X
        self.distances = kernel_matrix(self, as_rows(X))

    @classmethod
    def of(cls, estimator: Any, X: Any) -> Self | None:
        """Distances for the fits of an estimator; None where these have no use for them, or no memory."""
        if not (isinstance(estimator, KernelMachine) and hasattr(estimator, "_fit_posed")):
            return None
        wide = is_frame(X) or isinstance(X, np.ndarray) or sparse.issparse(X)
        if not wide or len(X.shape) != 2 or X.shape[1] < MIN_COLUMNS:
            return None
        needed = X.shape[0] ** 2 * (8.0 + BYTES_OF_A_FOLD * cores())
        asked = getattr(estimator, "cache_mb", None)
        limit = MAX_PART_OF_MEMORY * available_bytes() if asked is None else 1e6 * asked
        return cls(features(X)) if needed <= limit else None

    def of_distances(self, D: Vector) -> Vector:
        """Distances as they are."""
        return D

    def on(self, fold: Fold, model: Any, y: np.ndarray) -> FoldValues | None:
        """The kernel values of a fold, whose gamma is that of the training rows; None for another kind of kernel."""
        kernel = model._asked_kernel()
        if not (kernel.by_products and kernel.shift_invariant and kernel.positive_definite):
            return None
        settled = kernel.resolved(self.X[fold.train], y[fold.train])
        train, test = (settled.of_distances(self.distances[np.ix_(index, fold.train)]) for index in fold)
        return FoldValues(model.set_params(kernel=Tabulated()), train, test)
