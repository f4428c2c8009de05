"""Maximum likelihood for logistic discrimination, also where there is none: on separated classes.

    overlap           the likelihood has a maximum, at finite planes
    complete          it grows for ever along the planes that separate; its limit is 1
    quasi-complete    it grows for ever along a direction that is zero on some rows; these alone decide what is finite

In the limit a row beside the direction's plane is of its side with probability 1. On the plane the finite part decides
(Albert and Anderson, 1984; Santner and Duffy, 1986).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from separatrix.certificates import DualityGap, Separator, WeakSeparator
from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.exact import IntegerVector
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.objectives import LogLoss
from separatrix.problem import History, Plane, Problem, Solution, Status
from separatrix.products import dense_rows, scores
from separatrix.rows import Vector, take
from separatrix.solvers.logistic.logistic import logistic
from separatrix.theory.divergence import directions_of_constancy, nonzero_entries, orthogonal_part
from separatrix.theory.joint_margin import joint_margin
from separatrix.theory.separability import Kind, Verdict, separability_verdict


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The planes of maximum likelihood, or the limit of those that approach its supremum.

    `infinite` marks the coefficients that diverge, with a row [w..., b] for each plane. `direction` is that of the
    limit, in integers, where only some rows are beside its plane, and `finite` the solution on the rows that are
    on it.
    """

    kind: Kind
    proved: bool
    solution: Solution
    infinite: np.ndarray
    direction: IntegerVector | None = None
    finite: Solution | None = None


def maximum_likelihood(
    problem: Problem, *, tol: float = 1e-8, max_iter: int = 1000, time_limit: float | None = None
) -> Likelihood:
    """Find the planes of maximum likelihood, or prove that there are none and find the limit of the likelihood.

    The options are those of `logistic`; the time limit is for the verdict on the classes and for the planes each.

    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [2.0, 1.0]])  # the second column is 1 in one class only
    >>> found = maximum_likelihood(Problem(X, np.array([0, 1, 0, 1])))
    >>> found.kind, found.infinite.tolist()
    ('quasi-complete', [[False, True, False]])
    """
    verdict = separability_verdict(problem, time_limit)
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "time_limit": time_limit}
    if verdict.kind in ("overlap", "undecided"):  # the gap that is certified proves the minimum, where there is one
        nowhere = np.zeros((problem.n_planes, problem.n_features + 1), dtype=bool)
        return Likelihood("overlap", verdict.proved, logistic(problem, C=np.inf, **options), nowhere)
    if verdict.kind == "complete":
        return limit_if_complete(problem, verdict)
    return limit_if_quasi_complete(problem, verdict, options)


def limit_if_complete(problem: Problem, verdict: Verdict) -> Likelihood:
    """Every separating plane is a direction of recession; descent converges to that of the largest margin."""
    certificate: Any = verdict.machine or verdict.certificate
    planes = certificate.planes(problem) if isinstance(certificate, WeakSeparator) else None
    w, b = (certificate.w, certificate.b) if planes is None else (planes.w, planes.b)
    if problem.n_classes > 2:
        certificate = joint_margin(problem) or certificate
        w, b = (certificate.w, certificate.b) if isinstance(certificate, Separator) else (w, b)
    w, b = scale_to_unit_margin(problem, np.atleast_2d(w), np.atleast_1d(b))
    issued = Separator.issue(problem, w[0], float(b[0])) if len(w) == 1 else Separator.issue(problem, w, b)
    certificate = issued if issued.proof else verdict.certificate
    solution = solution_of(w, b, certificate, Status.SEPARATED)
    columns = np.append(nonconstant_columns(problem), problem.fit_intercept)
    return Likelihood("complete", verdict.proved, solution, np.tile(columns, (len(w), 1)))


def scale_to_unit_margin(problem: Problem, w: Vector, b: Vector) -> tuple[Vector, Vector]:
    """Scale planes so that the least margin is 1; the mean of several planes is subtracted first."""
    if len(w) > 1:
        w, b = w - w.mean(axis=0), b - b.mean()
    scored = scores(problem.X, np.ascontiguousarray(w.T)) + b
    if len(w) == 1:
        least = float((problem.signs * scored[:, 0]).min())
    else:
        rows = np.arange(problem.n_rows)
        own = scored[rows, problem.y].copy()
        scored[rows, problem.y] = -np.inf
        least = float((own - scored.max(axis=1)).min())
    return (w / least, b / least) if least > 0.0 and np.isfinite(1.0 / least) else (w, b)


def nonconstant_columns(problem: Problem) -> np.ndarray:
    """Which columns are not constant, or without an offset not zero."""
    first = dense_rows(problem.X, np.arange(1)).ravel() if problem.fit_intercept else np.zeros(problem.n_features)
    into = np.zeros(problem.n_features, dtype=bool)
    for start in range(0, problem.n_rows, 4096):
        rows = dense_rows(problem.X, np.arange(start, min(start + 4096, problem.n_rows)))
        into |= (rows != first).any(axis=0)
    return into


LARGE_C = 1e10  # divided by the mean square of the rows, in place of an infinite C


def limit_if_quasi_complete(problem: Problem, verdict: Verdict, options: dict[str, Any]) -> Likelihood:
    """The rows on the plane determine the finite part; all other rows are classified by the direction."""
    certificate = verdict.certificate
    assert isinstance(certificate, WeakSeparator)
    inequalities, basis = Inequalities(problem), list(verdict.recession_basis)
    constancy = directions_of_constancy(inequalities, basis)
    infinite = infinite_coefficients(inequalities, orthogonal_part(basis, constancy))
    if problem.n_classes > 2:
        mean_square = float(problem.squares.mean()) or 1.0
        solution = logistic(problem, C=LARGE_C / mean_square, **options)
        solution = replace(solution, status=Status.WEAKLY_SEPARATED, certificate=certificate)
        return Likelihood("quasi-complete", verdict.proved, solution, infinite)
    direction = orthogonal_part([certificate.v], constancy)[0]
    values = inequalities.values(direction, np.arange(inequalities.n))
    planes = inequalities.planes(exact.rounded(direction))
    least = float(values[values > 0.0].min())
    finite = logistic(restrict_to_plane(problem, certificate), C=np.inf, **options)  # these rows overlap
    w, b = planes.w / least + finite.w, planes.b / least + finite.b
    solution = solution_of(w, b, certificate, Status.WEAKLY_SEPARATED)
    return Likelihood("quasi-complete", verdict.proved, solution, infinite, direction, finite)


def infinite_coefficients(inequalities: Inequalities, basis: list[IntegerVector]) -> np.ndarray:
    """Which entries of [w..., b] are not zero in some vector of a basis; of several planes, less their mean."""
    problem, block, k = inequalities.problem, inequalities.block, inequalities.problem.n_classes
    marked = np.zeros((problem.n_planes, problem.n_features + 1), dtype=bool)
    if k == 2:
        marked[0, nonzero_entries(basis)] = True
        return marked
    for v in basis:
        blocks = [*(v[c * block : (c + 1) * block] for c in range(k - 1)), [0] * block]
        totals = [sum(entries) for entries in zip(*blocks, strict=True)]
        for c, own in enumerate(blocks):
            marked[c, :block] |= [k * entry != total for entry, total in zip(own, totals, strict=True)]
    return marked


def restrict_to_plane(problem: Problem, certificate: WeakSeparator) -> Problem:
    """The problem of the rows that are on the plane."""
    on = certificate.on
    return Problem(take(problem.X, on), problem.y[on], 2, problem.cost[on], problem.fit_intercept)


def is_limit(
    problem: Problem, certificate: WeakSeparator, limit: tuple[IntegerVector, Vector, Any], finite: Any
) -> bool:
    """Whether a direction and a finite plane are the limit of the likelihood of classes that are separated weakly.

    The direction has no row on its wrong side and the same rows on its plane as the certificate, and the finite plane
    is the one whose gap on these rows `finite` states.
    """
    direction, w, b = limit
    if not isinstance(finite, DualityGap) or finite.objective != LogLoss(np.inf):
        return False
    if not (np.array_equal(finite.w, w) and np.array_equal(finite.b, b)):
        return False
    turned, inside = WeakSeparator.issue(problem, direction), finite.restated(restrict_to_plane(problem, certificate))
    same = turned.proof and np.array_equal(turned.on, certificate.on)
    return bool(same and inside.stated <= finite.stated + inside.rounding)


def solution_of(w: Vector, b: Vector, certificate: Any, status: Status) -> Solution:
    """An answer that took no iterations of its own."""
    return Solution(Plane.of(w, b), certificate, status, History(1, 1))


def sides(X: Any, direction: IntegerVector, fit_intercept: bool) -> Vector:
    """The side of the plane of a direction that each row is on, decided exactly: 0 only on the plane itself.

    >>> sides(np.array([[1.0], [2.0], [2.0 + 2**-51]]), [1, -2], True).tolist()
    [-1.0, 0.0, 1.0]
    """
    n = X.shape[0] if isinstance(X, np.ndarray) else X.indptr.size - 1
    inequalities = Inequalities(Problem(X, np.ones(n, dtype=int), 2, None, fit_intercept))  # type: ignore[arg-type]
    return np.sign(inequalities.values(direction, np.arange(n)))
