"""The linear nu machine as a scikit-learn classifier."""

from collections.abc import Mapping
from functools import partial
from itertools import combinations
from operator import attrgetter
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from sklearn.utils.validation import check_is_fitted

from separatrix.certificates.claims.collected import names_of
from separatrix.data.blocks.predicting import also_for_blocks
from separatrix.data.encode import Encoded
from separatrix.errors import OptionError, TrivialFitWarning
from separatrix.estimators.base import CertifiedClassifier, warn_missed
from separatrix.estimators.progress_line import progress_line
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.columns import solve_columns
from separatrix.estimators.reduction.decoding import votes
from separatrix.estimators.reduction.in_pairs import in_order_of_pairs, offsets_by_pairs
from separatrix.estimators.store.fitted_attributes import ArrayOf, floats
from separatrix.objectives import NuMargin
from separatrix.objectives.nu_margin import largest_nu
from separatrix.options import number
from separatrix.problem import Plane, PlanesOfCode, Problem, Solution, Status
from separatrix.products import scores
from separatrix.rows import Vector, length
from separatrix.solvers.svm.nu_svm import nu_svm
from separatrix.solvers.svm.smallest_nu import smallest_nu

MARGIN_ATOL = 1e-9  # by which rounding may keep a row on the margin from a score of 1
BOUND_RTOL = 1e-9  # distance of alpha from its bound, relative to it, within which it is there
INTERVAL_SECONDS = 0.5  # for nu_min where a nu is refused
INTERVAL_RTOL = 1e-6  # nu_min and nu_max that are nearer are printed alike
FOR_EMPTY_INTERVAL = "give rows of the rarer class a larger sample_weight, or other features"


class NuSVM(CertifiedClassifier):
    """The plane with the widest margin that leaves at most a part nu of the rows short of it, to a stated gap.

    Minimises 1/2 ||w||^2 - nu W rho + sum_i c_i max(0, rho - y_i (w.x_i + b)) over w, b and rho >= 0, where c_i are the
    weights of the rows and W their sum. Of the rows a part of at most nu is within the margin or wrong, and at least a
    part nu supports the plane. `LinearSVM(C=equivalent_C_)` is the same machine. Several classes are told apart in
    pairs, which vote.

    Parameters
    ----------
    nu : float
        Above 0, and at most nu_max = 2 min(W+, W-) / W, twice the part of the rarer class: more is infeasible, and
        refused with the interval; in pairs of more than two classes it counts as nu_max of the pair. At or below
        nu_min, which is 0 for classes that a plane separates, the optimum is w = 0, with a TrivialFitWarning. Weights
        of rows change both; there is no `class_weight`, but rows of a rare class may have a larger `sample_weight`.
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Iterations of the solver at most, for each plane.
    time_limit : float or None
        Seconds at most, for each plane. When they end the best plane so far is returned, with its true gap.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    coef_, intercept_ : ndarray of shape (n_pairs, d), ndarray of shape (n_pairs,)
        w and b divided by rho, so that rows on the margin have a score of 1 or -1, as scikit-learn's NuSVC has them;
        for more than two classes with its sign: positive for the first class of a pair.
    nu_min_, nu_max_ : float, or ndarray of shape (n_pairs,) for more than two classes
        The interval (nu_min, nu_max] of nu that makes sense for these rows.
    equivalent_C_ : float or ndarray
        The C of the LinearSVM with the same plane; infinite where w = 0.
    rho_ : float or ndarray
        rho in the scale in which alpha is at most 1 / W times the weight of its row, and adds up to nu.
    margin_width_ : float or ndarray
        2 rho / ||w||, the distance between the two lines of the margin.
    margin_error_rate_, support_rate_ : float or ndarray
        Parts of the rows, by weight: `margin_error_rate_ <= nu <= support_rate_`.
    support_ : ndarray of int
        The rows with alpha > 0, in order of their class.
    dual_coef_ : ndarray of shape (n_classes - 1, n_support)
        y alpha of these rows, divided by rho: for two classes `coef_ = dual_coef_ @ X[support_]`.
    n_support_ : ndarray of int
        How many of them each class has.
    certificate_ : DualityGap, or Collected of one for each pair
        The objective, the lower bound and the gap.
    n_iter_ : int
        Iterations of the solver, the most of any pair.

    Examples
    --------
    >>> from separatrix import LinearSVM, NuSVM
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 1, 0, 1, 1]
    >>> model = NuSVM(nu=0.8).fit(X, y)
    >>> round(model.nu_min_, 6), model.nu_max_, model.margin_error_rate_ <= 0.8 <= model.support_rate_
    (0.444444, 1.0, True)
    >>> bool(abs(LinearSVM(C=model.equivalent_C_).fit(X, y).coef_ - model.coef_).max() < 1e-7)
    True
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "coef_": floats("md", "finite"),
        "intercept_": floats("m", "finite"),
        "support_": ArrayOf("i", "s"),
        "dual_coef_": floats("rs"),
        "n_support_": ArrayOf("i", "k"),
        **dict.fromkeys(("nu_min_", "nu_max_", "equivalent_C_", "rho_", "margin_width_"), float | Vector),
        **dict.fromkeys(("margin_error_rate_", "support_rate_"), float | Vector),
    }

    def __init__(
        self,
        nu: float = 0.5,
        *,
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        verbose: bool = False,
    ):
        self.nu = nu
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Find the plane of each pair of classes.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.
        y : array of n labels
            Their classes.
        sample_weight : array of n numbers or None
            What slack of each row costs; a whole number counts the row so many times.

        Returns
        -------
        NuSVM
            Itself.
        """
        encoded = self._pose(X, y, sample_weight)
        check_nu(self, encoded)
        problem, code = encoded.problem, one_vs_one(encoded.classes.size)
        parts = [problem.dichotomy(side) for side in code.T]
        with progress_line(self, problem):
            machines, certificate = solve_columns(
                code, lambda pair, _: self._solve(parts[pair]), attrgetter("certificate")
            )
        self.classes_ = encoded.classes
        self.certificate_: Any = certificate.parts[0] if len(parts) == 1 else certificate.named(encoded.classes)
        self.n_iter_ = max(machine.history.iterations for machine in machines)
        self._publish_planes(parts, machines)
        self._publish_support(encoded, code, machines)
        self._warn(machines)
        return self

    @also_for_blocks
    def decision_function(self, X: Any) -> Vector:
        """Compute g(x): for two classes positive where `classes_[1]` is predicted, else the votes for each class.

        Parameters
        ----------
        X : array, scipy.sparse matrix or frame of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            The scores.
        """
        check_is_fitted(self)
        k = self.classes_.size
        if k == 2:
            return self._scores(X, Plane.of(self.coef_, self.intercept_))
        decode = partial(votes, code=one_vs_one(k))
        return decode(self._scores(X, PlanesOfCode(-self.coef_, -self.intercept_, decode)))

    def _scores_by_planes(self) -> bool:
        return self.classes_.size == 2

    def _objective(self, classes: np.ndarray) -> NuMargin:
        return NuMargin(number("nu", self.nu, above=0.0, most=1.0))

    def _solve(self, problem: Problem) -> Solution:
        return nu_svm(problem, nu=self.nu, tol=self.tol, max_iter=self.max_iter, time_limit=self.time_limit)

    def _publish_planes(self, parts: list[Problem], machines: list[Solution]) -> None:
        """The planes with scikit-learn's signs, and what nu says of the rows of each pair."""
        sign = 1.0 if len(parts) == 1 else -1.0
        self.coef_ = sign * np.array([machine.w for machine in machines]) + 0.0
        self.intercept_ = offsets_by_pairs(np.array([float(machine.b) for machine in machines])) + 0.0
        rows = [figures(part, machine) for part, machine in zip(parts, machines, strict=True)]
        for name in rows[0]:
            values = np.array([row[name] for row in rows])
            setattr(self, name, float(values[0]) if len(rows) == 1 else values)

    def _publish_support(self, encoded: Encoded, code: np.ndarray, machines: list[Solution]) -> None:
        problem, k = encoded.problem, encoded.classes.size
        coefficients = np.zeros((len(machines), problem.n_rows))
        for pair, (side, machine) in enumerate(zip(code.T, machines, strict=True)):
            own, claim = np.flatnonzero(side[problem.y]), machine.certificate
            rows, rho = own[claim.support], margin_of(problem.dichotomy(side), machine)
            coefficients[pair, rows] = side[problem.y[rows]] * claim.alpha / (rho if rho > 0.0 else 1.0)
        used = np.flatnonzero(coefficients.any(axis=0))
        used = used[np.argsort(problem.y[used], kind="stable")]
        codes = problem.y[used]
        self.support_ = encoded.kept[used].astype(np.int32)
        self.n_support_ = np.bincount(codes, minlength=k).astype(np.int32)
        self.dual_coef_ = in_order_of_pairs(coefficients[:, used], codes, k)

    def _warn(self, machines: list[Solution]) -> None:
        trivial = [not machine.w.any() and machine.status is Status.SOLVED for machine in machines]
        if any(trivial):
            least, most = (np.atleast_1d(value) for value in (self.nu_min_, self.nu_max_))
            pair = int(np.argmax(trivial))
            use = f"Use a nu in ({least[pair]:.6g}, {most[pair]:.6g}]."
            if is_empty(least[pair], most[pair]):
                use = f"No nu is larger and feasible: {FOR_EMPTY_INTERVAL}."
            warn(
                f"The optimum is w = 0, which tells no row from another: nu={self.nu:g} is at most nu_min="
                f"{least[pair]:.6g}, where the reduced hulls of {named_pair(self.classes_, pair)} meet. {use}",
                TrivialFitWarning,
                stacklevel=3,
            )
        worst = max(machines, key=lambda machine: machine.certificate.stated)
        if worst.status is not Status.SOLVED:
            warn_missed(self, worst, depth=2)

    def _concerns(self, certificate: Any, problem: Problem) -> bool:
        """Whether a certificate is about these planes, classes and nu."""
        code = one_vs_one(self.classes_.size)
        parts = getattr(certificate, "parts", (certificate,))
        if len(parts) != len(self.coef_) or not np.array_equal(getattr(certificate, "code", code), code):
            return False
        if getattr(certificate, "names", None) not in (None, names_of(self.classes_)):
            return False
        sign = 1.0 if len(parts) == 1 else -1.0
        planes = all(np.array_equal(part.w, sign * w) for part, w in zip(parts, self.coef_, strict=True))
        offsets = np.array_equal([part.b for part in parts], offsets_by_pairs(self.intercept_))
        return planes and offsets and all(getattr(part, "objective", None) == problem.objective for part in parts)


def margin_of(problem: Problem, machine: Solution) -> float:
    """rho in the scale of alpha, in which w = sum_i alpha_i y_i x_i; the machine's own plane has rho = 1."""
    size, claim = length(machine.w), machine.certificate
    return float(np.sqrt(-2.0 * claim.dual)) / size if size > 0.0 and claim.dual < 0.0 else 0.0


def figures(problem: Problem, machine: Solution) -> dict[str, float]:
    """What nu says of the rows of two classes, by the names of attributes."""
    claim, cost, weight = machine.certificate, problem.cost, float(problem.cost.sum())
    size, rho = length(machine.w), margin_of(problem, machine)
    margins = problem.signs * (scores(problem.X, machine.w) + machine.b)
    short = np.zeros(problem.n_rows, dtype=bool)
    if rho > 0.0:  # rows on the margin are within rounding of it, and only alpha tells on which side
        short[claim.support] = claim.alpha >= (1.0 - BOUND_RTOL) * cost[claim.support]
        short &= margins < 1.0 - MARGIN_ATOL
    return {
        "nu_min_": smallest_nu(problem).nu,
        "nu_max_": largest_nu(problem),
        "equivalent_C_": 1.0 / rho if rho > 0.0 else np.inf,
        "rho_": rho / weight,
        "margin_width_": 2.0 / size if size > 0.0 else 0.0,
        "margin_error_rate_": float(cost[short].sum()) / weight,
        "support_rate_": float(cost[claim.support].sum()) / weight,
    }


def check_nu(estimator: Any, encoded: Encoded) -> None:
    """Refuse a nu that is infeasible for two classes, and name the interval; nothing is solved for nu before."""
    if encoded.classes.size > 2:
        return
    nu, most = float(estimator.nu), largest_nu(encoded.problem)
    if nu > most * (1.0 + 1e-14):
        least = smallest_nu(encoded.problem, INTERVAL_SECONDS).nu
        use = "Use a smaller nu, or give rows of the rarer class a larger sample_weight."
        if is_empty(least, most):
            least, use = 0.0, f"A smaller nu is not known to give more than w = 0: {FOR_EMPTY_INTERVAL}."
        raise OptionError(
            f"The 'nu' parameter of {type(estimator).__name__} must be in ({least:.6g}, {most:.6g}] for these classes. "
            f"Got {nu:g}. {use}"
        )


def is_empty(least: float, most: float) -> bool:
    """Whether nu_min is nu_max up to rounding, so that no feasible nu has an optimum other than w = 0."""
    return least >= most * (1.0 - INTERVAL_RTOL)


def named_pair(classes: np.ndarray, pair: int) -> str:
    """The two classes of a pair, in words; of two classes there is one pair only."""
    if classes.size == 2:
        return "these classes"
    first, second = list(combinations(classes.tolist(), 2))[pair]
    return f"the classes {first!r} and {second!r}"
