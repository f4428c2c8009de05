"""What all machines in the space of a kernel share: options of the kernel, support rows, and what a claim is about."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from separatrix.data.blocks import Blocks
from separatrix.data.encode import features
from separatrix.data.encode_kernel import EncodedKernel, is_symbolic, some_rows, symbols
from separatrix.errors import DataError, TrivialFitWarning
from separatrix.estimators.base import Certified, warn_missed
from separatrix.estimators.reduction.in_pairs import SUPPORT_ATTRIBUTES
from separatrix.kernels import Precomputed
from separatrix.kernels.kernel_of import kernel_of
from separatrix.kernels.rows_of import as_rows, row_count
from separatrix.kernels.settled import settled_expansion
from separatrix.problem import Problem, Solution
from separatrix.products import dense_rows
from separatrix.rows import Vector, n_columns, n_rows, take


class KernelMachine(Certified):
    """An estimator by expansions over support rows: rows of numbers, sets, texts, or values of a kernel."""

    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    n_features_in_: int
    _fitted_attributes: ClassVar[Mapping[str, Any]] = SUPPORT_ATTRIBUTES

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, Precomputed) or self.kernel == "precomputed"
        return tags

    def _asked_kernel(self) -> Any:
        """The kernel that the options ask for, before it is settled by the training rows."""
        return kernel_of(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0)

    def _pose(self, X: Any, y: Any, sample_weight: Any = None, *, first: bool = True, **how: Any) -> Any:
        if isinstance(X, Blocks) or not is_symbolic(X):
            return super()._pose(X, y, sample_weight, first=first, **how)
        encoded = self._problem(X, y, sample_weight, **how)
        self.n_features_in_ = 1
        self._keep("feature_names_in_", None)
        return encoded

    def _publish_rows(self, encoded: EncodedKernel, rows: np.ndarray) -> None:
        """Make the kernel public, and the support rows: by their numbers in the problem."""
        self.kernel_ = encoded.kernel
        self.support_ = encoded.kept[rows].astype(np.int32)
        precomputed = isinstance(encoded.kernel, Precomputed)
        self.support_vectors_: Any = self.support_ if precomputed else some_rows(encoded.rows, rows)

    def _expanded(self, X: Any, coefficients: Vector, b: Vector | float = 0.0) -> Vector:
        """The sum of coefficients of the support rows times their kernel values, and b, for each row of X."""
        rows = symbols(X) if is_symbolic(X) else features(X)
        self._check_features(X)
        if not self.support_.size:  # w = 0
            return np.zeros((row_count(rows), *coefficients.shape[1:])) + b
        return settled_expansion(self.kernel_, self.support_vectors_, coefficients, rows, b)

    def _check_features(self, X: Any) -> None:
        """Refuse other features; a precomputed kernel has values with all training rows, or with the support rows."""
        if is_symbolic(X):
            return
        if not isinstance(self.kernel_, Precomputed):
            super()._check_features(X)
            return
        values = features(X, checked=False)
        if values.shape[1] not in (self.n_features_in_, self.support_.size):
            raise DataError(
                f"X has {values.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                f"features as input: the kernel values with all training rows, or the {self.support_.size} with the "
                "support rows."
            )

    def _has_rows_of(self, problem: Problem, rows: np.ndarray) -> bool:
        """Whether predictions come from the kernel of a problem and from these rows of it."""
        if (self.kernel_.over if self.kernel_.by_products else Precomputed()) != problem.kernel:
            return False
        if self.support_.shape != rows.shape:
            return False
        if isinstance(self.kernel_, Precomputed):
            return are_numbered(self.support_, rows, self.n_features_in_ - problem.n_rows)
        if not rows.size:
            return True
        if self.kernel_.over is self.kernel_ and self.kernel_.by_products:  # kernel values forget where rows are
            return same_rows(as_rows(self.support_vectors_), take(problem.X, rows))
        theirs = self.kernel_.matrix(self.support_vectors_)
        ours = kernel_values(problem, rows)
        return bool(np.allclose(ours, theirs, rtol=1e-9, atol=1e-12 * np.abs(theirs).max(initial=1.0)))


def same_rows(one: Any, other: Any) -> bool:
    """Whether rows have the same numbers, however they are stored."""
    if n_columns(one) != n_columns(other) or n_rows(one) != n_rows(other):
        return False
    everything = np.arange(n_rows(one))
    return np.array_equal(dense_rows(one, everything), dense_rows(other, everything))


def are_numbered(support: np.ndarray, rows: np.ndarray, n_left_out: int) -> bool:
    """Whether numbers of training rows can be those of rows of a problem, which some of no weight were left out of."""
    skipped = (support - rows)[np.argsort(rows)]
    return bool((np.diff(np.concatenate([[0], skipped, [n_left_out]])) >= 0).all())


def kernel_values(problem: Problem, index: np.ndarray) -> Vector:
    """K of some rows of a problem with each other."""
    rows: Any = take(problem.X, index)
    return rows[:, index] if problem.kernel.rows_are_values else problem.kernel.matrix(rows)


def limits_of(model: Any) -> dict[str, Any]:
    """How far, how long and with how much memory a solver goes on, by the options of an estimator."""
    return {name: getattr(model, name) for name in ("tol", "max_iter", "time_limit", "cache_mb")}


def warn_if_above_tol(model: Any, solutions: list[Solution]) -> None:
    """Warn of the worst gap of a fit where that is above tol, from `_fit_posed`, which `fit` calls."""
    gaps = [each for each in solutions if hasattr(each.certificate, "values")]
    worst = max(gaps, key=lambda each: each.certificate.stated, default=None)
    if worst is None or worst.certificate.stated <= model.tol:
        return
    warn_missed(model, worst, depth=3)


def warn_trivial_fit(message: str) -> None:
    """Warn of an optimum of w = 0, from `_fit_posed`, which `fit` calls."""
    warnings.warn(message, TrivialFitWarning, stacklevel=4)
