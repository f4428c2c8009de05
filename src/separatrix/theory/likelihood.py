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
from separatrix.certificates.arithmetic.exact import Whole
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.objectives import LogLoss
from separatrix.problem import Problem, Solution, Status
from separatrix.products import dense_rows, scores
from separatrix.rows import Vector, take
from separatrix.solvers.logistic.logistic import logistic
from separatrix.theory.divergence import idle, involved, without
from separatrix.theory.joint_margin import joint_margin
from separatrix.theory.separability import Kind, Verdict, judged

NEARLY = 1e10  # C, times the mean square of the rows, that is nearly infinite


@dataclass(frozen=True, eq=False)
class Likelihood:
    """The planes of maximum likelihood, or where it runs off to.

    `infinite` marks the coefficients that run off, with a row [w..., b] for each plane. `direction` is that of the
    limit, in whole numbers, where only some rows are beside its plane, and `finite` the solution on the rows that are
    on it.
    """

    kind: Kind
    proved: bool
    solution: Solution
    infinite: np.ndarray
    direction: Whole | None = None
    finite: Solution | None = None


def maximum_likelihood(
    problem: Problem, *, tol: float = 1e-8, max_iter: int = 1000, time_limit: float | None = None
) -> Likelihood:
    """Find the planes of maximum likelihood, or prove that there are none and find where they run off to.

    Parameters
    ----------
    problem : Problem
        Two classes or more.
    tol : float
        Relative gap to reach where the classes overlap.
    max_iter : int
        Steps of Newton's method at most.
    time_limit : float or None
        Seconds at most, for the verdict on the classes and for the planes each.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.problem import Problem
    >>> from separatrix.theory.likelihood import maximum_likelihood
    >>> X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [2.0, 1.0]])  # the second column is 1 in one class only
    >>> found = maximum_likelihood(Problem(X, np.array([0, 1, 0, 1])))
    >>> found.kind, found.infinite.tolist()
    ('quasi-complete', [[False, True, False]])
    """
    verdict = judged(problem, time_limit)
    how: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "time_limit": time_limit}
    if verdict.kind == "overlap":
        nowhere = np.zeros((problem.n_planes, problem.n_features + 1), dtype=bool)
        return Likelihood("overlap", verdict.proved, logistic(problem, C=np.inf, **how), nowhere)
    if verdict.kind == "complete":
        return separated(problem, verdict)
    return weakly_separated(problem, verdict, how)


def separated(problem: Problem, verdict: Verdict) -> Likelihood:
    """Every plane that separates is a direction of growth; that of the largest margin is where descent turns to."""
    certificate: Any = verdict.machine or verdict.certificate
    planes = certificate.planes(problem) if isinstance(certificate, WeakSeparator) else None
    w, b = (certificate.w, certificate.b) if planes is None else (planes.w, planes.b)
    if problem.n_classes > 2:
        certificate = joint_margin(problem) or certificate
        w, b = (certificate.w, certificate.b) if isinstance(certificate, Separator) else (w, b)
    w, b = at_one(problem, np.atleast_2d(w), np.atleast_1d(b))
    issued = Separator.issue(problem, w[0], float(b[0])) if len(w) == 1 else Separator.issue(problem, w, b)
    certificate = issued if issued.proof else verdict.certificate
    solution = solution_of(w, b, certificate, Status.SEPARATED)
    columns = np.append(varying(problem), problem.fit_intercept)
    return Likelihood("complete", verdict.proved, solution, np.tile(columns, (len(w), 1)))


def at_one(problem: Problem, w: Vector, b: Vector) -> tuple[Vector, Vector]:
    """Planes scaled so that the nearest row has a margin of 1, and of several the mean taken off."""
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


def varying(problem: Problem) -> np.ndarray:
    """Which columns are of any use: not all the same, or without an offset not all zero."""
    first = dense_rows(problem.X, np.arange(1)).ravel() if problem.fit_intercept else np.zeros(problem.n_features)
    into = np.zeros(problem.n_features, dtype=bool)
    for start in range(0, problem.n_rows, 4096):
        rows = dense_rows(problem.X, np.arange(start, min(start + 4096, problem.n_rows)))
        into |= (rows != first).any(axis=0)
    return into


def weakly_separated(problem: Problem, verdict: Verdict, how: dict[str, Any]) -> Likelihood:
    """The rows on the plane of every direction decide what is finite; the rest follow the direction."""
    certificate = verdict.certificate
    assert isinstance(certificate, WeakSeparator)
    inequalities, free = Inequalities(problem), list(verdict.free)
    nothing = idle(inequalities, free)
    marked = running_off(inequalities, without(nothing, free))
    if problem.n_classes > 2:
        near = logistic(problem, C=NEARLY / typical(problem), **how)
        solution = replace(near, status=Status.WEAKLY_SEPARATED, certificate=certificate)
        return Likelihood("quasi-complete", verdict.proved, solution, marked)
    direction = without(nothing, [certificate.v])[0]
    values = inequalities.values(direction, np.arange(inequalities.n))
    planes = inequalities.planes(exact.rounded(direction))
    least, finite = float(values[values > 0.0].min()), on_the_plane(problem, certificate, how)
    w, b = planes.w / least + finite.w, planes.b / least + finite.b
    solution = solution_of(w, b, certificate, Status.WEAKLY_SEPARATED)
    return Likelihood("quasi-complete", verdict.proved, solution, marked, direction, finite)


def running_off(inequalities: Inequalities, basis: list[Whole]) -> np.ndarray:
    """Which entries of [w..., b] are not zero in all vectors of a space; of several planes, less their mean."""
    problem, block, k = inequalities.problem, inequalities.block, inequalities.problem.n_classes
    marked = np.zeros((problem.n_planes, problem.n_features + 1), dtype=bool)
    if k == 2:
        marked[0, involved(basis)] = True
        return marked
    for v in basis:
        blocks = [*(v[c * block : (c + 1) * block] for c in range(k - 1)), [0] * block]
        totals = [sum(entries) for entries in zip(*blocks, strict=True)]
        for c, own in enumerate(blocks):
            marked[c, :block] |= [k * entry != total for entry, total in zip(own, totals, strict=True)]
    return marked


def typical(problem: Problem) -> float:
    """The mean square of the rows, or 1."""
    return float(problem.squares.mean()) or 1.0


def on_the_plane(problem: Problem, certificate: WeakSeparator, how: dict[str, Any]) -> Solution:
    """The finite part: maximum likelihood on the rows on the plane, which overlap."""
    return logistic(rows_on(problem, certificate), C=np.inf, **how)


def rows_on(problem: Problem, certificate: WeakSeparator) -> Problem:
    """The problem of the rows on the plane."""
    on = certificate.on
    return Problem(take(problem.X, on), problem.y[on], 2, problem.cost[on], problem.fit_intercept)


def is_limit(problem: Problem, certificate: WeakSeparator, limit: tuple[Whole, Vector, Any], finite: Any) -> bool:
    """Whether a direction and a finite plane are the limit of the likelihood of classes that are separated weakly.

    The direction has no row on its wrong side and the same rows on its plane as the certificate, and the finite plane
    is the one whose gap on these rows `finite` states.
    """
    direction, w, b = limit
    if not isinstance(finite, DualityGap) or finite.objective != LogLoss(np.inf):
        return False
    if not (np.array_equal(finite.w, w) and np.array_equal(finite.b, b)):
        return False
    turned, inside = WeakSeparator.issue(problem, direction), finite.restated(rows_on(problem, certificate))
    same = turned.proof and np.array_equal(turned.on, certificate.on)
    return bool(same and inside.stated <= finite.stated + inside.doubt)


def solution_of(w: Vector, b: Vector, certificate: Any, status: Status) -> Solution:
    """An answer that took no iterations of its own."""
    one = Solution(w=w, b=b, status=status, certificate=certificate, iterations=1, passes=1)
    return one if len(w) > 1 else replace(one, w=w[0], b=float(b[0]))


def sides(X: Any, direction: Whole, fit_intercept: bool) -> Vector:
    """On which side of the plane of a direction rows are, exactly: 0 only on the plane itself.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.theory.likelihood import sides
    >>> sides(np.array([[1.0], [2.0], [2.0 + 2**-51]]), [1, -2], True).tolist()
    [-1.0, 0.0, 1.0]
    """
    n = X.shape[0] if isinstance(X, np.ndarray) else X.indptr.size - 1
    inequalities = Inequalities(Problem(X, np.ones(n, dtype=int), 2, None, fit_intercept))  # type: ignore[arg-type]
    return np.sign(inequalities.values(direction, np.arange(n)))
