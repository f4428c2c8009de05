"""What classifiers in the space of a kernel share: options of the kernel, pairs of classes, support rows."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates.claims.collected import names_of
from separatrix.data.encode import features
from separatrix.data.encode_kernel import EncodedKernel, encode_kernel, is_symbolic, some_rows, symbols
from separatrix.errors import DataError
from separatrix.estimators.base import CertifiedClassifier
from separatrix.estimators.reduction.codes import one_vs_one, solve_columns, votes
from separatrix.estimators.reduction.in_pairs import (
    SUPPORT_ATTRIBUTES,
    by_pairs,
    check_stored_support,
    in_order_of_pairs,
    offsets_by_pairs,
    placed,
    rows_of,
)
from separatrix.estimators.store.fitted_attributes import floats
from separatrix.kernels import Precomputed
from separatrix.kernels.kernel_of import kernel_of
from separatrix.problem import Problem, Solution
from separatrix.rows import Vector, take

MAX_ROWS_FOR_A_CORE = 5000  # of a pair of classes: more are worth all cores


class KernelClassifier(CertifiedClassifier):
    """A classifier by expansions over support rows, one for each pair of classes, which vote.

    Subclasses have the options of the kernel and solve the problem of a pair.
    """

    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    _fitted_attributes: ClassVar[Mapping[str, Any]] = {**SUPPORT_ATTRIBUTES, "support_loss_?": floats("m", "finite")}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, Precomputed) or self.kernel == "precomputed"
        return tags

    def _problem(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> EncodedKernel:
        kernel = kernel_of(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        how = {"class_weight": self.class_weight, **how}
        encoded = encode_kernel(X, y, kernel, sample_weight=sample_weight, **how)
        return replace(encoded, problem=encoded.problem.posed(self._objective(encoded.classes)))

    def _pose(self, X: Any, y: Any, sample_weight: Any = None, *, first: bool = True, **how: Any) -> Any:
        if not is_symbolic(X):
            return super()._pose(X, y, sample_weight, first=first, **how)
        encoded = self._problem(X, y, sample_weight, **how)
        self.n_features_in_ = 1
        self._keep("feature_names_in_", None)
        return encoded

    def _fit_pairs(
        self, encoded: EncodedKernel, solve: Callable[[int, Problem], Solution], parallel: bool = False
    ) -> list[Solution]:
        """Solve the problem of each pair of classes and publish the machines, which are returned too."""
        problem, code = encoded.problem, one_vs_one(encoded.classes.size)
        few = 2 * int(np.bincount(problem.y).max()) <= MAX_ROWS_FOR_A_CORE
        machines, certificate = solve_columns(
            code,
            lambda pair, side: solve(pair, problem.dichotomy(side)),
            lambda each: each.certificate,
            parallel and few,
        )
        self.classes_, self.kernel_ = encoded.classes, encoded.kernel
        self.certificate_: Any = certificate.parts[0] if len(machines) == 1 else certificate.named(encoded.classes)
        self._publish_support(machines, encoded, code)
        self._keep("support_loss_", None)  # of `fewer_support_rows`, after an earlier fit
        return machines

    def _publish_support(self, machines: list[Solution], encoded: EncodedKernel, code: np.ndarray) -> None:
        """The support rows of all pairs, in order of their class, and their coefficients."""
        problem = encoded.problem
        found = placed([machine.certificate for machine in machines], problem, code)
        codes = problem.y[found.rows]
        self.intercept_ = offsets_by_pairs(np.array([float(machine.certificate.b) for machine in machines]))
        self.support_ = encoded.kept[found.rows].astype(np.int32)
        precomputed = isinstance(encoded.kernel, Precomputed)
        self.support_vectors_ = self.support_ if precomputed else some_rows(encoded.rows, found.rows)
        self.n_support_ = np.bincount(codes, minlength=encoded.classes.size).astype(np.int32)
        self.dual_coef_ = in_order_of_pairs(found.coefficients, codes, encoded.classes.size)

    def _check_stored(self) -> None:
        """Refuse attributes that contradict each other, which no `fit` can have made."""
        check_stored_support(self)

    def decision_function(self, X: Any) -> Vector:
        """Compute g(x): for two classes positive where `classes_[1]` is predicted, else the votes for each class.

        Parameters
        ----------
        X : as for fit
            The rows; for a precomputed kernel their values with all training rows, or with the support rows alone.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            The scores.
        """
        scores = self._pair_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else votes(scores, one_vs_one(self.classes_.size))

    def _pair_scores(self, X: Any) -> Vector:
        """The score of each pair of classes, positive where the later one is predicted."""
        check_is_fitted(self)
        rows = symbols(X) if is_symbolic(X) else features(X)
        self._check_features(X)
        coefficients = by_pairs(self.dual_coef_, self.n_support_)
        return self.kernel_.expansion(self.support_vectors_, coefficients.T, rows) + offsets_by_pairs(self.intercept_)

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

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        """Whether a certificate is about the kernel, support rows and coefficients that predictions come from."""
        k = self.classes_.size
        parts, code = getattr(certificate, "parts", (certificate,)), one_vs_one(k)
        if len(parts) != code.shape[1] or not np.array_equal(getattr(certificate, "code", code), code):
            return False
        if getattr(certificate, "names", None) not in (None, names_of(self.classes_)):
            return False
        if any(each.w is None or rows_of(each) is None for each in parts):
            return False
        found = placed(parts, problem, code)
        inner = self.kernel_.over if self.kernel_.by_products else Precomputed()
        own = by_pairs(self.dual_coef_, self.n_support_)
        if inner != problem.kernel or not np.array_equal(found.coefficients, own):
            return False
        if not np.array_equal([each.b for each in parts], offsets_by_pairs(self.intercept_)):
            return False
        if isinstance(self.kernel_, Precomputed):
            return are_numbered(self.support_, found.rows, self.n_features_in_ - problem.n_rows)
        theirs = self.kernel_.matrix(self.support_vectors_)
        ours = kernel_values(problem, found.rows)
        return bool(np.allclose(ours, theirs, rtol=1e-9, atol=1e-12 * np.abs(theirs).max(initial=1.0)))


def are_numbered(support: np.ndarray, rows: np.ndarray, n_left_out: int) -> bool:
    """Whether numbers of training rows can be those of rows of a problem, which some of no weight were left out of."""
    skipped = (support - rows)[np.argsort(rows)]
    return bool((np.diff(np.concatenate([[0], skipped, [n_left_out]])) >= 0).all())


def kernel_values(problem: Problem, index: np.ndarray) -> Vector:
    """K of some rows of a problem with each other."""
    rows: Any = take(problem.X, index)
    return rows[:, index] if problem.kernel.rows_are_values else problem.kernel.matrix(rows)
