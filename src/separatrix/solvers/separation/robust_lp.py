"""The robust linear program (Bennett and Mangasarian, 1992): a plane also for classes that overlap.

    minimise    mean of the slacks of class 1  +  mean of the slacks of class 0

    y_i (w.x_i + b) >= 1 - slack_i,     slack_i >= 0

The value is 0 exactly where a plane separates the classes strictly. The plane w = 0 has the value 2, and is optimal
exactly where the classes have the same mean.

It is solved as a support vector machine that is penalised by 1/2 ||w||^2 / C. From some finite C on, that is the
solution of the linear program whose w is shortest, not only near it (Mangasarian and Meyer, 1979), so C is raised
until the duality gap of the linear program closes. Columns are in units of their own size. Whether the value is 0 is
decided in integers where floats do not find a separating plane.
"""

from dataclasses import dataclass, replace

import numpy as np

from separatrix.certificates import DualityGap, Overlap
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.enclosures.decisions import settled_scores
from separatrix.errors import DataError, NotSeparableError, counted
from separatrix.objectives.mean_slack.objective import MeanSlack, enclosed_slacks, primal_value
from separatrix.objectives.mean_slack.repair import balanced, shares
from separatrix.problem import Problem
from separatrix.problem.scaling import Scaling
from separatrix.rows import Vector, read_only
from separatrix.solvers.separation.exact_mean_slack import ROOM, exact_optimum, is_small, nearest_double
from separatrix.solvers.separation.plane_or_overlap import plane_or_overlap
from separatrix.solvers.svm.linear_svm import linear_svm


@dataclass(frozen=True, eq=False, repr=False)
class RobustPlane:
    """The plane of the robust linear program.

    Parameters
    ----------
    w : ndarray of shape (d,)
        Normal of the plane.
    b : float
        Offset: g(x) = w.x + b.
    value : float
        Mean slack of one class plus that of the other, with what rounding may add: 0 where the plane separates, never
        above 2.
    slacks : ndarray of shape (n,)
        max(0, 1 - y g(x)) of each row, with y = +1 for class 1 and -1 for class 0.
    errors : int
        Number of rows that are on the wrong side, or on the plane itself.
    certificate : DualityGap
        What no plane can be below, recomputed from the data.

    Examples
    --------
    >>> from separatrix import robust_linear_program
    >>> plane = robust_linear_program([[0], [1], [2], [3]], ["a", "a", "b", "b"])
    >>> plane.value, plane.w.round(9).tolist(), round(plane.b, 9)  # 1 and 2 have no slack
    (0.0, [2.0], -3.0)
    """

    w: Vector
    b: float
    value: float
    slacks: Vector
    errors: int
    certificate: DualityGap

    def __repr__(self) -> str:
        return f"RobustPlane(value={self.value:.6g}, {counted(self.errors, 'error')})"

    def __str__(self) -> str:
        wrong = f"{counted(self.errors, 'row')} of {self.certificate.n_rows:,} on the wrong side"
        return f"RobustPlane: value {self.value:.6g}, {wrong if self.errors else 'every row on its own side'}\n" + str(
            self.certificate
        )


SLACK_COSTS = 1e4, 1e6, 1e9, 1e12, np.inf  # C, for columns of unit size and costs that add to 1 in each class
MAX_RELATIVE_GAP = 1e-9  # above which C is raised


def robust_lp(problem: Problem) -> RobustPlane:
    """Find the plane with the least mean slack of two classes, added; costs are weights within each class.

    >>> problem = Problem(np.array([[0.0], [2.0], [1.0], [3.0]]), np.array([0, 0, 1, 1]))
    >>> plane = robust_lp(problem)
    >>> round(plane.value, 9), plane.certificate.error(problem) < 1e-9  # 2 and 1 are the wrong way round
    (1.333333333, True)
    """
    if problem.n_classes != 2:
        raise DataError(f"The robust linear program is for two classes. Got {problem.n_classes}.")
    problem, cost = problem.posed(MeanSlack()), shares(problem)
    scaling = Scaling.of(problem.X, cost, problem.fit_intercept)
    scaled = replace(problem, X=scaling.scaled(problem.X), cost=cost)
    claims: list[DualityGap] = []
    start = None
    for C in SLACK_COSTS:
        try:
            solution = linear_svm(scaled, C=C, tol=0.1 * MAX_RELATIVE_GAP, start=start)
        except NotSeparableError:
            break
        alpha = dual_variables(solution.certificate) / C  # 0 for the hard margin
        plane = scale_to_unit_margin(problem, solution.w / scaling.unit, solution.b)
        claims.append(DualityGap.issue(problem, *plane, balanced(problem, alpha)))
        if claims[-1].stated <= max(MAX_RELATIVE_GAP, claims[-1].rounding):
            break
        start = solution.extended if problem.fit_intercept else solution.w
    best = prove_value(problem, min(claims, key=lambda claim: claim.stated))
    return robust_plane(problem, refined_exactly(problem, best))


def refined_exactly(problem: Problem, claim: DualityGap) -> DualityGap:
    """The claim about the optimum in fractions, where the gap did not close and data are few."""
    if claim.stated <= MAX_RELATIVE_GAP or not is_small(problem):
        return claim
    optimum = exact_optimum(problem)
    if optimum is None:
        return claim
    alpha = np.array([nearest_double(value) for value in optimum.alpha])
    planes = [(claim.w, claim.b), *optimum.planes(problem), (np.zeros(problem.n_features), 0.0)]
    planes = [scale_to_unit_margin(problem, *plane) for plane in planes if np.isfinite(plane[0]).all()]
    nearest = min(planes, key=lambda plane: primal_value(problem, *plane).high)
    exact = replace(DualityGap.issue(problem, *nearest, alpha), overlap=claim.overlap)
    return exact if exact.stated < claim.stated else claim


def prove_value(problem: Problem, claim: DualityGap) -> DualityGap:
    """Prove that the optimal value is not 0, or replace the claim by that of a separating plane that floats missed.

    The rows with a positive alpha are tried alone first: if the classes overlap, these rows usually prove it.
    """
    if claim.primal == 0.0:
        return claim
    found = plane_or_overlap(problem, among=claim.support) if claim.support.size else None
    found = found if isinstance(found, Overlap) else plane_or_overlap(problem)
    if found is None:
        return claim
    if isinstance(found, Overlap):
        return replace(claim, overlap=found)
    zero = np.zeros(problem.n_rows)
    separating = DualityGap.issue(problem, *scale_to_unit_margin(problem, found.w[0], found.b[0]), zero)
    return separating if separating.primal == 0.0 else DualityGap.issue(problem, claim.w, claim.b, zero)


def scale_to_unit_margin(problem: Problem, w: Vector, offset: float | Vector) -> tuple[Vector, float]:
    """Scale a separating plane so that no row has slack for certain; others stay as they are."""
    b = float(offset)
    least = float((problem.signs * settled_scores(problem.X, w, b)).min())
    if not 0.0 < least < np.inf:
        return w, b
    power = float(np.ldexp(1.0, 2 - np.frexp(least)[1]))  # margins are multiplied without rounding
    for factor in (1.0, (1.0 + ROOM) / least, power):
        slack = enclosed_slacks(problem, factor * w, factor * b)
        if (slack.value <= -slack.radius).all():
            return factor * w, factor * b
    return w, b


def robust_plane(problem: Problem, claim: DualityGap) -> RobustPlane:
    """The plane of a claim with its slacks and errors."""
    margins = problem.signs * settled_scores(problem.X, claim.w, claim.b)
    slacks = read_only(np.maximum(0.0, enclosed_slacks(problem, claim.w, claim.b).value))
    return RobustPlane(claim.w, claim.b, claim.primal, slacks, int(np.count_nonzero(~(margins > 0.0))), claim)
