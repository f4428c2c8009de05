"""The nu support vector machine in the space of a kernel, as a scikit-learn classifier."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from separatrix.data.encode_kernel import EncodedKernel, Targets
from separatrix.errors import OptionError
from separatrix.estimators.kernel.kernel_classifier import KernelClassifier
from separatrix.estimators.kernel.kernel_machine import limits_of, warn_if_above_tol, warn_trivial_fit
from separatrix.estimators.kernel.single_machine import (
    SCORE_RTOL,
    claim_or_unproved,
    score_rounding,
    training_scores,
    weighted_part,
)
from separatrix.estimators.nu_svm import named_pair
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.reduction.in_pairs import rows_of
from separatrix.objectives import NuMargin
from separatrix.objectives.nu_margin import largest_nu
from separatrix.problem import Problem, Solution, Status
from separatrix.rows import Vector
from separatrix.solvers.kernel.kernel_nu_svm import kernel_nu_svm, nu_min_of_equal_rows
from separatrix.solvers.options import number

FULL_RTOL = 1e-9  # relative distance of alpha from its bound up to which it is there
NU_RTOL = 1e-12  # by which nu may exceed the largest feasible one: what rounding makes of a ratio of weights


class Facts(NamedTuple):
    """What is known of the machine of a pair of classes, beside its coefficients."""

    nu_max_: float
    equivalent_C_: float  # noqa: N815  # C is the name of the parameter
    rho_: float
    margin_width_: float
    margin_error_rate_: float
    support_rate_: float


class KernelNuSVM(KernelClassifier):
    """The widest margin between two classes in the space of a kernel that a part nu of the rows may be inside of.

    Minimises 1/2 ||w||^2 - nu W rho + sum_i c_i max(0, rho - y_i (<w, phi(x_i)> + b)) over rho too, where c_i is the
    weight of a row and W the sum of all. Divided by rho, the machine is that of `KernelSVM` with C = `equivalent_C_`.
    Several classes are told apart in pairs, which vote.

    Parameters
    ----------
    kernel : str, Kernel or callable
        "linear", "poly", "rbf", "sigmoid" or "precomputed", a kernel of `separatrix.kernels`, or a function f(A, B).
    nu : float
        Above 0, and at most nu_max = 2 min(W+, W-) / W, twice the part of the rarer class: more is infeasible, and
        refused before any kernel value is computed; in pairs of more than two classes it counts as nu_max of the pair.
        At most this part of the rows is inside of the margin, and at least this part are support rows.
    gamma : float, "scale", "auto" or "nearest"
        Of "poly", "rbf" and "sigmoid". "nearest", for "rbf": sigma is the distance of the closest rows of different
        classes.
    degree, coef0 : int, float
        Of "poly", and coef0 of "sigmoid".
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Iterations of the solver at most, for each pair of classes.
    time_limit : float or None
        Seconds at most, for each pair. When they end the best machine so far is returned, with its true gap.
    cache_mb : float or None
        Megabytes for kernel values and factors in the search; None: half of the memory that is free.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    support_ : ndarray of int
        The rows with a coefficient, in order of their class.
    support_vectors_ : rows
        These rows, as they were given; for a precomputed kernel their numbers.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        y alpha / rho of these rows; for more than two classes in scikit-learn's order of pairs.
    intercept_ : ndarray of shape (n_pairs,)
        b / rho; for more than two classes with scikit-learn's sign, as in `dual_coef_`: positive for the first of a
        pair.
    n_support_ : ndarray of int
        How many of the support rows each class has.
    nu_max_ : float, or ndarray of shape (n_pairs,)
        The largest feasible nu; for more than two classes that of each pair, as all that follow.
    equivalent_C_ : float, or ndarray of shape (n_pairs,)
        1 / rho: `KernelSVM` with this C is the same machine. Infinite where w = 0.
    rho_ : float, or ndarray of shape (n_pairs,)
        rho / W: the margin in the scale in which alpha of n rows is at most 1/n.
    margin_width_ : float, or ndarray of shape (n_pairs,)
        2 rho / ||w||, the distance between the two sides of the margin in the space of the kernel; 0 where w = 0.
    margin_error_rate_ : float, or ndarray of shape (n_pairs,)
        The part of the rows, by their weights, that is inside of the margin; at most nu.
    support_rate_ : float, or ndarray of shape (n_pairs,)
        The part of the rows, by their weights, with alpha > 0; at least nu, or nu_max where that is less.
    kernel_ : Kernel
        The kernel, with numbers in place of rules.
    certificate_ : DualityGap, or Collected of one for each pair
        The objective, the lower bound and the gap, from the rows in float64. Of a kernel that is not positive
        semidefinite nothing is proved: Unproved.
    n_iter_ : int
        Iterations of the solver, the most of any pair.

    Warns
    -----
    TrivialFitWarning
        Where w = 0 is the optimum, because reduced hulls of the classes meet: a larger nu is needed.

    Notes
    -----
    There is no `class_weight`: weights of classes change which nu is feasible. Give `fit` a `sample_weight`.

    Examples
    --------
    >>> from separatrix import KernelNuSVM, KernelSVM
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]  # XOR
    >>> options = {"degree": 2, "coef0": 1.0, "gamma": 1.0}
    >>> model = KernelNuSVM("poly", nu=0.5, **options).fit(X, y)
    >>> model.predict(X).tolist(), model.nu_max_, model.margin_error_rate_ <= 0.5 <= model.support_rate_
    ([0, 1, 1, 0], 1.0, True)
    >>> same = KernelSVM("poly", C=model.equivalent_C_, **options).fit(X, y)
    >>> bool(abs(same.decision_function(X) - model.decision_function(X)).max() < 1e-6)
    True
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = dict.fromkeys(Facts._fields, float | Vector)

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        nu: float = 0.5,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-6,
        max_iter: int = 100_000,
        time_limit: float | None = None,
        cache_mb: float | None = None,
        verbose: bool = False,
    ):
        self.kernel = kernel
        self.nu = nu
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_mb = cache_mb
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the machine of each pair of classes.

        Parameters
        ----------
        X : array, scipy.sparse matrix, frame, or sequence of sets or texts
            The rows; for a precomputed kernel the square matrix of its values.
        y : array of n labels
            Their classes.
        sample_weight : array of n numbers or None
            What each row counts; a whole number counts the row so many times.

        Returns
        -------
        KernelNuSVM
            Itself.
        """

        def accept(targets: Targets) -> None:
            self._check_nu(targets.values, targets.weights)

        encoded = self._pose(X, y, sample_weight, accept=accept)
        with progress_line(self, encoded.problem):
            self._fit_posed(encoded)
        return self

    def _fit_posed(self, encoded: EncodedKernel, start: Any = None) -> None:
        """Solve and publish."""
        self._check_nu(encoded.problem.y, encoded.problem.cost)
        facts: dict[int, Facts] = {}
        trivial: dict[int, float] = {}

        def solve(pair: int, problem: Problem) -> Solution:
            found = kernel_nu_svm(problem, nu=problem.objective.nu, **limits_of(self))
            facts[pair] = facts_of(problem, found.certificate)
            if not found.certificate.w.any() and found.status is Status.SOLVED:
                trivial[pair] = nu_min_of_equal_rows(problem)
            claim = claim_or_unproved(problem, found.certificate, float(found.certificate.b))
            return found if claim is found.certificate else replace(found, certificate=claim, status=Status.ENDED)

        machines = self._fit_pairs(encoded, solve, parallel=True)
        self.n_iter_ = max(machine.history.iterations for machine in machines)
        for name, values in zip(Facts._fields, zip(*(facts[pair] for pair in sorted(facts)), strict=True), strict=True):
            setattr(self, name, values[0] if len(values) == 1 else np.array(values))
        warn_if_above_tol(self, machines)
        if trivial:
            pair = max(trivial, key=lambda each: trivial[each])
            warn_trivial_fit(self._trivial_message(pair, trivial[pair]))

    def _objective(self, classes: np.ndarray) -> NuMargin:
        return NuMargin(number("nu", self.nu, above=0.0, most=1.0))

    def _check_nu(self, codes: np.ndarray, costs: Vector) -> None:
        """Refuse a nu that is infeasible for two classes, by their weights alone."""
        weights = np.bincount(codes, costs)
        most = 2.0 * float(weights.min()) / float(weights.sum())
        if weights.size == 2 and number("nu", self.nu, above=0.0, most=1.0) > most * (1.0 + NU_RTOL):
            raise OptionError(
                f"The 'nu' parameter of KernelNuSVM must be in (0, {most:.6g}] for these classes. Got {self.nu!r}. Use "
                "a smaller nu, or give rows of the rarer class a larger sample_weight."
            )

    def _trivial_message(self, pair: int, nu_min: float) -> str:
        shared = f": rows that both of them have do so for every nu up to {nu_min:.6g}" if nu_min >= self.nu else ""
        return (
            f"KernelNuSVM found w = 0 for {named_pair(self.classes_, pair)}, which is the optimum for nu={self.nu:g}: "
            f"the reduced hulls of the classes meet{shared}. Use a larger nu, up to nu_max_, or a richer kernel."
        )

    def _check_stored(self) -> None:
        super()._check_stored()
        k = self.classes_.size
        for name in Facts._fields:
            values = np.atleast_1d(getattr(self, name))
            if values.shape != (k * (k - 1) // 2,) or not (values >= 0.0).all():
                raise ValueError(f"{name} is a number that is not negative for each pair of {k} classes")


def facts_of(problem: Problem, claim: Any) -> Facts:
    """What is known of the machine of a pair: y alpha is rho w, and adds up to nu W over both classes.

    A row is inside of the margin where its alpha is at its bound, and its margin below 1 by more than rounding.
    """
    weight, size = float(problem.cost.sum()), float(np.abs(claim.w).sum())
    if size == 0.0:
        return Facts(largest_nu(problem), np.inf, 0.0, 0.0, 0.0, weighted_part(problem, rows_of(claim)))
    rho, rows = problem.objective.total(problem) / size, rows_of(claim)
    full = rows[rho * np.abs(claim.w) >= (1.0 - FULL_RTOL) * problem.cost[rows]]
    scores = training_scores(problem, claim)
    margins = problem.signs * (scores + claim.b)
    rounding = score_rounding(problem, claim.w) + SCORE_RTOL * (1.0 + abs(claim.b))
    square = float(claim.w @ scores[rows])
    return Facts(
        largest_nu(problem),
        1.0 / rho,
        rho / weight,
        2.0 / float(np.sqrt(square)) if square > 0.0 else 0.0,
        weighted_part(problem, full[margins[full] < 1.0 - rounding]),
        weighted_part(problem, rows[claim.w != 0.0]),
    )
