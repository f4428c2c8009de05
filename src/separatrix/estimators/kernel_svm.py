"""The support vector machine in the space of a kernel, as a scikit-learn classifier."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from separatrix.certificates.claims.collected import names_of
from separatrix.data.encode import features
from separatrix.data.encode_kernel import EncodedKernel, encode_kernel, is_symbolic, some_rows
from separatrix.errors import DataError, OptionError
from separatrix.estimators.base import CertifiedClassifier, warn_not_certified
from separatrix.estimators.reduction.codes import one_vs_one, solve_columns, votes
from separatrix.estimators.reduction.in_pairs import (
    SUPPORT_ATTRIBUTES,
    by_pairs,
    check_stored_support,
    in_order_of_pairs,
    placed,
    rows_of,
)
from separatrix.kernels import Precomputed
from separatrix.kernels.gamma import resolved_gamma
from separatrix.kernels.kernel_of import kernel_of
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem, Solution, Status
from separatrix.rows import Vector, take
from separatrix.solvers.kernel.kernel_svm import kernel_svm
from separatrix.solvers.options import positive

LOSSES = ("hinge", "squared_hinge")


class KernelSVM(CertifiedClassifier):
    """The plane with the widest margin in the space of a kernel, where slack costs C a unit, to a stated gap.

    Minimises 1/2 ||w||^2 + C sum_i max(0, 1 - y_i (<w, phi(x_i)> + b)), or the sum of the squares, where
    <phi(x), phi(z)> is the kernel. Several classes are told apart in pairs, which vote.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "sigmoid" or "precomputed", a kernel of `separatrix.kernels`, or a function f(A, B).
    C : float
        What a unit of slack costs, times the weight of its row; `float("inf")` is the hard margin.
    gamma : float, "scale", "auto" or "nearest"
        Of "poly", "rbf" and "sigmoid". "nearest", for "rbf": sigma is the distance of the closest rows of different
        classes.
    degree, coef0 : int, float
        Of "poly", and coef0 of "sigmoid".
    loss : {"hinge", "squared_hinge"}
        Whether slacks count as they are, or squared.
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Blocks of rows and Newton rounds at most, for each pair of classes.
    time_limit : float or None
        Seconds at most, for each pair. When they end the best machine so far is returned, with its true gap.
    cache_mb : float or None
        Megabytes for kernel values and factors in the search; None: half of the memory that is free.
    low_rank : int or None
        How many rows span the space in which the plane is looked for: an approximation with so few support rows, for
        data beyond the time or the memory of all. The gap that is stated is that to the optimum of the whole space.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    support_ : ndarray of int
        The rows with alpha > 0, in order of their class.
    support_vectors_ : rows
        These rows, as they were given; for a precomputed kernel their numbers.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        y alpha of these rows; for more than two classes in scikit-learn's order of pairs.
    intercept_ : ndarray of shape (n_pairs,)
        b.
    n_support_ : ndarray of int
        How many of the support rows each class has.
    kernel_ : Kernel
        The kernel, with numbers in place of rules.
    certificate_ : DualityGap, or Collected of one for each pair
        The objective, the lower bound and the gap, from the rows in float64.
    n_iter_ : int
        Blocks and rounds, the most of any pair.

    Examples
    --------
    >>> from separatrix import KernelSVM
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # XOR
    >>> model = KernelSVM(kernel="poly", degree=2, coef0=1.0, gamma=1.0, C=100.0).fit(X, y)
    >>> model.predict(X).tolist(), model.certificate_.stated < 1e-6
    ([0, 1, 1, 0], True)
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = SUPPORT_ATTRIBUTES

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        C: float = 1.0,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        tol: float = 1e-6,
        max_iter: int = 100_000,
        time_limit: float | None = None,
        cache_mb: float | None = None,
        low_rank: int | None = None,
        class_weight: Any = None,
    ):
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_mb = cache_mb
        self.low_rank = low_rank
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, Precomputed) or self.kernel == "precomputed"
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the machine of each pair of classes.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or sequence of sets or texts
            The rows; for a precomputed kernel the square matrix of its values.
        y : array of n labels
            Their classes.
        sample_weight : array of n numbers or None
            What slack of each row costs, in units of C; a whole number counts the row so many times.

        Returns
        -------
        KernelSVM
            Itself.
        """
        encoded = self._problem(X, y, sample_weight)
        if is_symbolic(X):
            self.n_features_in_ = 1
        else:
            validate_data(self, X, reset=True, skip_check_array=True)
        problem, code = encoded.problem, one_vs_one(encoded.classes.size)
        machines, certificate = solve_columns(
            code, lambda _, side: self._solve(problem.dichotomy(side)), lambda each: each.certificate
        )
        self.classes_, self.kernel_ = encoded.classes, encoded.kernel
        self.certificate_ = certificate.parts[0] if len(machines) == 1 else certificate.named(encoded.classes)
        self.n_iter_ = max(machine.history.iterations for machine in machines)
        self._publish_support(machines, encoded, code)
        worst = max(machines, key=lambda machine: (machine.certificate.proof, machine.certificate.stated))
        if worst.certificate.proof and worst.certificate.stated > self.tol:
            self._warn(worst)
        return self

    def _problem(self, X: Any, y: Any, sample_weight: Any = None, **how: Any) -> EncodedKernel:
        if self.loss not in LOSSES:
            raise OptionError(f"The 'loss' parameter of KernelSVM must be one of {LOSSES}. Got {self.loss!r}.")
        kernel = kernel_of(self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0)
        how = {"class_weight": self.class_weight, **how}
        positive("C", self.C)
        encoded = encode_kernel(X, y, kernel, sample_weight=sample_weight, **how)
        return replace(encoded, problem=encoded.problem.posed(self._objective(encoded.classes)))

    def _solve(self, problem: Problem) -> Solution:
        return kernel_svm(
            problem,
            C=self.C,
            squared=self.loss == "squared_hinge",
            tol=self.tol,
            max_iter=self.max_iter,
            time_limit=self.time_limit,
            cache_mb=self.cache_mb,
            low_rank=self.low_rank,
        )

    def _objective(self, classes: np.ndarray) -> SoftMargin:
        return SoftMargin(self.C, self.loss == "squared_hinge")

    def _publish_support(self, machines: list[Solution], encoded: EncodedKernel, code: np.ndarray) -> None:
        """The support rows of all pairs, in order of their class, and their coefficients."""
        problem = encoded.problem
        found = placed([machine.certificate for machine in machines], problem, code)
        codes = problem.y[found.rows]
        self.intercept_ = np.array([float(machine.certificate.b) for machine in machines])
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
        rows = X
        if not is_symbolic(X):
            rows = features(X)
        self._check_features(X)
        coefficients = by_pairs(self.dual_coef_, self.n_support_)
        return self.kernel_.expansion(self.support_vectors_, coefficients.T, rows) + self.intercept_

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
                f"X has {values.shape[1]} features, but KernelSVM is expecting {self.n_features_in_} features as "
                f"input: the kernel values with all training rows, or the {self.support_.size} with the support rows."
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
        if not np.array_equal([each.b for each in parts], self.intercept_):
            return False
        if isinstance(self.kernel_, Precomputed):
            return are_numbered(self.support_, found.rows, self.n_features_in_ - problem.n_rows)
        theirs = self.kernel_.matrix(self.support_vectors_)
        ours = kernel_values(problem, found.rows)
        return bool(np.allclose(ours, theirs, rtol=1e-9, atol=1e-12 * max(1.0, np.abs(theirs).max())))

    def _warn(self, solution: Solution) -> None:
        advice = {
            Status.STOPPED: f"Raise max_iter={self.max_iter} or time_limit={self.time_limit}, or accept the gap by a "
            "larger tol.",
            Status.ROUNDED: "Scale the features, or accept the gap by a larger tol.",
        }[solution.status]
        warn_not_certified(
            f"KernelSVM reached a gap of {solution.certificate.stated:.2g} where tol={self.tol:g} was asked for. "
            f"{solution.status} {advice}",
            depth=2,
        )


def options_to_try(X: Any) -> dict[str, tuple[float, ...]]:
    """Values of C, and of gamma about that of "scale", for rows of numbers; the smoothest machine comes first.

    >>> options_to_try([[0.0], [2.0]])
    {'C': (1.0, 10.0, 100.0), 'gamma': (0.25, 1.0, 4.0)}
    """
    scale = resolved_gamma("scale", X)
    return {"C": (1.0, 10.0, 100.0), "gamma": (0.25 * scale, scale, 4.0 * scale)}


def are_numbered(support: np.ndarray, rows: np.ndarray, n_left_out: int) -> bool:
    """Whether numbers of training rows can be those of rows of a problem, which some of no weight were left out of."""
    skipped = (support - rows)[np.argsort(rows)]
    return bool((np.diff(np.concatenate([[0], skipped, [n_left_out]])) >= 0).all())


def kernel_values(problem: Problem, index: np.ndarray) -> Vector:
    """K of some rows of a problem with each other."""
    rows: Any = take(problem.X, index)
    return rows[:, index] if problem.kernel.rows_are_values else problem.kernel.matrix(rows)
