"""The linear support vector machine as a scikit-learn classifier."""

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar, Literal

import numpy as np

from separatrix.certificates import DualityGap
from separatrix.data.encode import Encoded
from separatrix.errors import DataError, NotSeparableError, OptionError
from separatrix.estimators.base import WeightedClassifier, warn_not_certified
from separatrix.estimators.reduction.against_the_rest import each_against_the_rest
from separatrix.estimators.reduction.support_rows import (
    Support,
    support_of_joint,
    support_of_plane,
    support_of_planes,
    widths,
)
from separatrix.estimators.store.fitted_attributes import ArrayOf, floats
from separatrix.objectives import JointMargin, SoftMargin
from separatrix.problem import Problem, Solution, Status
from separatrix.problem.blocked_problem import BlockedProblem
from separatrix.rows import Vector
from separatrix.solvers.blocks.finite_newton import squared_hinge
from separatrix.solvers.blocks.hinge import solve as hinge
from separatrix.solvers.options import positive
from separatrix.solvers.svm.joint.joint_svm import JointStart, joint_svm
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.outcome import not_separable
from separatrix.solvers.svm.route import side_by_side
from separatrix.solvers.svm.warm_start import WarmStart

LOSSES = ("hinge", "squared_hinge")
MULTI_CLASS = ("rest", "crammer_singer")
MARGIN_ATOL = 1e-9  # by which rounding may keep a row on the margin from a score of 1


class LinearSVM(WeightedClassifier):
    """The plane with the widest margin, where slack costs C a unit; on data as it comes, to a stated gap.

    Minimises 1/2 ||w||^2 + C sum_i max(0, 1 - y_i (w.x_i + b)), or the sum of the squares. The offset b is never
    penalised, features need no scaling, and `certificate_` bounds how far the objective is from the least possible.
    More than two classes are told apart by one plane each, against the rest, or by planes that are fitted jointly.

    Parameters
    ----------
    C : float
        What a unit of slack costs, times the weight of its row. `float("inf")` is the hard margin: no slack at all, and
        NotSeparableError where no plane separates the classes.
    loss : {"hinge", "squared_hinge"}
        Whether slacks count as they are, or squared.
    multi_class : {"rest", "crammer_singer"}
        How k > 2 classes are told apart: by a plane for each against the rest, or by one joint machine (Crammer and
        Singer, 2001), which minimises 1/2 sum_k `||w_k||^2` + C sum_i max(0, 1 - (g_y(x_i) - largest other g_k(x_i)))
        for a finite C and loss="hinge". Two classes have one plane, that of the other way for twice the C.
    tol : float
        The relative gap between the objective and its lower bound that the certificate must reach.
    max_iter : int
        Iterations of the solver at most, for each plane.
    time_limit : float or None
        Seconds at most, for each plane. When they end the best plane so far is returned, with its true gap.
    start : array, fitted LinearSVM or None
        [w..., b] to start from, for k > 2 classes one such row for each class, or a model of similar rows. It saves
        time and does not change the answer; most is saved by a model of the same rows with another C. A fitted model
        which itself started from one is kept as a copy without that. A model that is not fitted, as in clones, is no
        start.
    class_weight : dict, "balanced" or None
        Weights of the classes, which multiply those of the rows; "balanced" makes all classes weigh the same.
    fit_intercept : bool
        Whether the plane has an offset b.
    verbose : bool
        Whether to say on the standard error after two seconds that the fit goes on, as it does on a terminal anyway.

    Attributes
    ----------
    classes_ : ndarray
        The labels; `classes_[1]` is predicted where the decision function is positive.
    coef_ : ndarray of shape (1, d) or (n_classes, d)
        w.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        b; the middle of its interval where it is not unique.
    certificate_ : DualityGap, or Collected of one for each class against the rest
        The objective, the lower bound and the gap; recomputed from the data by `certificate_.error` and `verify`.
    support_ : ndarray of int
        The rows with alpha > 0, which make w. A row on the margin may have alpha = 0, and is then not among them. A
        joint machine has an alpha for each row and rival class.
    inside_margin_ : ndarray of int
        The rows that meet or violate the margin of a plane: y (w.x + b) <= 1, within rounding; all of `support_` are.
        In a joint machine they lead every other class by at most 1.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        y alpha of these rows: `w = dual_coef_ @ X[support_]`. In a joint machine alpha of a rival class counts -1 for
        it and 1 for the row's own class.
    n_support_ : ndarray of int
        How many of them each class has.
    slacks_ : ndarray of shape (n,) or (n, n_classes)
        max(0, 1 - y (w.x + b)) of each row; in a joint machine one number a row, by how much its lead is below 1.
    margin_width_ : float or ndarray of shape (n_classes,)
        2 / `||w||`, the distance between the two lines of the margin; in a joint machine the smallest
        2 / `||w_k - w_j||` of each class k and another class j.
    n_iter_ : int
        Iterations of the solver, the most of any plane; of a joint machine all Newton steps and passes together. Of
        blocks, passes over them: one to count, one for the start, a Newton step each for all planes (four or five from
        the optimum of a sample), and two for the certificate.

    Notes
    -----
    With squared hinges and a finite C `fit` takes rows in blocks (`read_blocks`). Then nothing is published that has a
    number for each row or support row: `support_`, `inside_margin_`, `dual_coef_`, `n_support_` and `slacks_`.
    Rows of weight 0 are left out. Features in float32 are not copied to float64: sums are, so that the gap is as small
    as for the same numbers in float64; `predict` then works in float64 as well.

    Examples
    --------
    >>> from separatrix import LinearSVM
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, 1, -1, -1]
    >>> model = LinearSVM(C=float("inf")).fit(X, y)
    >>> (model.coef_.round(6) + 0.0).tolist(), round(model.margin_width_, 6), model.support_.tolist()
    ([[1.0, 0.0]], 2.0, [0, 1, 2, 3])
    >>> model.certificate_.stated < 1e-9  # no plane has a wider margin
    True
    """

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {
        "support_?": ArrayOf("i", "s"),  # fits of blocks have none of those of rows
        "inside_margin_?": ArrayOf("i"),  # files of before have none
        "dual_coef_?": floats("ps"),
        "n_support_?": ArrayOf("i", "k"),
        "slacks_?": floats(),
        "margin_width_": float | Vector,
    }

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: Literal["hinge", "squared_hinge"] = "hinge",
        multi_class: Literal["rest", "crammer_singer"] = "rest",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        start: Any = None,
        class_weight: Any = None,
        fit_intercept: bool = True,
        verbose: bool = False,
    ):
        self.C = C
        self.loss = loss
        self.multi_class = multi_class
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.start = start
        self.class_weight = class_weight
        self.fit_intercept = fit_intercept
        self.verbose = verbose

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, without_start(value) if name == "start" else value)

    def _fit_posed(self, encoded: Encoded, start: Any = None) -> Any:
        problem = encoded.problem
        if isinstance(problem, BlockedProblem):
            return self._fit_blocks(encoded, start)
        if isinstance(problem.objective, JointMargin):
            solution = joint_svm(problem, C=self.C, start=start, **self._goal())
            start, support = JointStart.of(solution.certificate), support_of_joint(problem, solution.certificate)
        else:
            start, solution = self._plane_or_planes(encoded, start)
            claims = getattr(solution.certificate, "parts", (solution.certificate,))
            single = len(claims) == 1
            support = support_of_plane(problem, *claims) if single else support_of_planes(problem, claims)
        self._publish(solution, encoded.classes)
        self._publish_support(support, encoded)
        if solution.status is not Status.SOLVED:
            self._warn(solution)
        return start

    def _fit_blocks(self, encoded: Any, start: Any) -> None:
        """Solve over blocks of rows; what has a number for each row or support row is not published."""
        problem = encoded.problem
        if problem.objective.squared and not problem.objective.hard:
            solution = squared_hinge(problem, C=self.C, start=planes_of(start), **self._goal())
        else:
            solution = hinge(problem, **self._goal())
        self._publish(solution, encoded.classes)
        for name in ("support_", "inside_margin_", "dual_coef_", "n_support_", "slacks_"):
            self._keep(name, None)
        margins = widths(self.coef_)
        self.margin_width_ = float(margins[0]) if len(margins) == 1 else margins
        if solution.status is not Status.SOLVED:
            self._warn(solution)

    def _goal(self) -> dict[str, Any]:
        """The options that all solvers have."""
        return {"tol": self.tol, "max_iter": self.max_iter, "time_limit": self.time_limit}

    def _plane_or_planes(self, encoded: Encoded, start: Any) -> tuple[Any, Solution]:
        """The plane of two classes, or of each against the rest; and what a fit for another C may start from."""
        problem = encoded.problem
        if start is None:
            start = WarmStart() if problem.n_planes == 1 else [WarmStart() for _ in range(problem.n_planes)]
        try:
            return start, each_against_the_rest(problem, start, self._solve, parallel=side_by_side(problem))
        except NotSeparableError as refusal:
            raise not_separable(refusal.overlap, encoded.kept) from None

    def _solve(self, problem: Problem, start: Any) -> Solution:
        objective = problem.objective
        return linear_svm(problem, C=objective.C, squared=objective.squared, start=start, **self._goal())

    def _objective(self, classes: np.ndarray) -> SoftMargin | JointMargin:
        for name, known in (("loss", LOSSES), ("multi_class", MULTI_CLASS)):
            if getattr(self, name) not in known:
                raise OptionError(
                    f"The {name!r} parameter of LinearSVM must be one of {known}. Got {getattr(self, name)!r}."
                )
        squared, joint = self.loss == "squared_hinge", self.multi_class == "crammer_singer"
        if squared and joint:
            raise OptionError(
                "LinearSVM has no joint machine with squared slacks. Got loss='squared_hinge' and "
                "multi_class='crammer_singer'; use one of them."
            )
        if joint:
            C = positive("C", self.C)
            return JointMargin(C) if len(classes) > 2 else SoftMargin(2.0 * C)
        return SoftMargin(self.C, squared)

    def _start(self, problem: Problem) -> Any:
        """[w..., b] from what the user gave, or the optimum of each plane of a model, which knows alpha as well."""
        if not hasattr(self.start, "coef_"):
            return None if isinstance(self.start, LinearSVM) else self.start
        planes = np.column_stack([self.start.coef_, self.start.intercept_])
        planes = planes if problem.fit_intercept else planes[:, :-1]
        if planes.shape[1] != problem.n_features + problem.fit_intercept or len(planes) != problem.n_planes:
            raise DataError(
                f"'start' is a model with {self.start.coef_.shape[1]} features and {len(planes)} plane(s), but these "
                f"rows have {problem.n_features} features and need {problem.n_planes}. Start from a model of such rows."
            )
        claim: Any = getattr(self.start, "certificate_", None)
        claims = [each for each in getattr(claim, "parts", (claim,)) if isinstance(each, DualityGap)]
        joint = isinstance(problem.objective, JointMargin)
        if joint and isinstance(getattr(claim, "objective", None), JointMargin):
            return JointStart.of(claim)
        if joint or len(claims) != len(planes):
            return planes[0] if len(planes) == 1 else planes
        starts = [WarmStart.of(each) for each in claims]
        return starts[0] if len(starts) == 1 else starts

    def _publish_support(self, support: Support, encoded: Encoded) -> None:
        violations, single = support.violations, len(support.widths) == 1
        meeting: np.ndarray = np.any(violations >= -MARGIN_ATOL, axis=0)
        meeting[support.rows] = True
        slack = np.zeros((len(violations), encoded.n_given))
        slack[:, encoded.kept] = np.maximum(0.0, violations)
        self.dual_coef_, self.n_support_ = support.coefficients, support.counts.astype(np.int32)
        self.support_ = encoded.kept[support.rows].astype(np.int32)
        self.inside_margin_ = encoded.kept[meeting].astype(np.int32)
        self.slacks_ = slack[0] if len(slack) == 1 else np.ascontiguousarray(slack.T)
        self.margin_width_ = float(support.widths[0]) if single else support.widths

    def _warn(self, solution: Solution) -> None:
        advice = {
            Status.STOPPED: f"Raise max_iter={self.max_iter} or time_limit={self.time_limit}, or accept the gap by a "
            "larger tol.",
            Status.ROUNDED: "Scale the features, or accept the gap by a larger tol.",
        }[solution.status]
        warn_not_certified(
            f"LinearSVM reached a gap of {solution.certificate.stated:.2g} where tol={self.tol:g} was asked for. "
            f"{solution.status} {advice}",
            depth=3,
        )


def planes_of(start: Any) -> Any:
    """[w..., b] of what a fit in memory may start from, or a row for each of several."""
    if isinstance(start, list):
        return np.array([planes_of(each) for each in start])
    if not isinstance(start, WarmStart):
        return start
    return None if start.w is None else np.append(start.w, start.b)


def without_start(start: Any) -> Any:
    """A fitted model without the model that it started from: else every model holds all that came before it."""
    if not (isinstance(start, LinearSVM) and hasattr(start, "coef_") and isinstance(start.start, LinearSVM)):
        return start
    start = copy(start)
    start.start = None
    return start
