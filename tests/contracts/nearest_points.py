"""The contract of nearest points of reduced hulls: weights that make them, and a bound below, in long doubles."""

import numpy as np

from contracts.dense_rows import dense
from separatrix.certificates import Collected, NearestPoint
from separatrix.problem import Problem, Solution, Status


def lowest_of_hull(scores: np.ndarray, bounds: np.ndarray) -> np.longdouble:
    """The least score of a mixture whose weights are bounded: rows are filled one after the other, the lowest first."""
    left, total = np.longdouble(1), np.longdouble(0)
    for i in np.argsort(scores):
        share = min(left, bounds[i])
        total, left = total + share * scores[i], left - share
    return total + left * scores.max()  # what rounding of the bounds leaves


def true_distance_and_bound(problem: Problem, claim: NearestPoint) -> tuple[float, float, float]:
    """||p - q||, what no two points of the reduced hulls are below along w, and how far rounding may move them."""
    X, w = dense(problem).astype(np.longdouble), claim.w.astype(np.longdouble)
    a, bounds = np.zeros(problem.n_rows, "g"), np.longdouble(claim.mu) * problem.cost
    a[claim.support] = claim.weights
    assert (a >= 0).all(), "weights are not below 0"
    assert (a <= bounds * (1 + 1e-12)).all(), "no weight is above its bound"
    assert all(abs(a[problem.y == side].sum() - 1) < 1e-12 for side in (0, 1)), "weights add up to 1 in each class"
    sign = np.where(problem.y == 1, 1, -1)
    distance = np.sqrt((((a * sign) @ X) ** 2).sum())
    along, one, other = X @ w, problem.y == 1, problem.y == 0
    room = lowest_of_hull(along[one], bounds[one]) + lowest_of_hull(-along[other], bounds[other])
    size = np.abs(X - X[0]).max() * np.sqrt(X.shape[1]) + 1e-300
    return float(distance), float(max(room, 0) / (np.sqrt((w**2).sum()) or 1)), 1e-14 * problem.n_rows * float(size)


def check_nearest_points(problem: Problem, solution: Solution, tol: float) -> None:
    """Raise AssertionError unless every pair of points is in its hulls, and the distance and the bound are true."""
    certificate, k = solution.certificate, problem.n_classes
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    parts = certificate.parts if isinstance(certificate, Collected) else (certificate,)
    planes, offsets = np.atleast_2d(solution.w), np.atleast_1d(solution.b)
    assert len(parts) == len(pairs) == len(planes) == len(offsets)
    for claim, (i, j), w, b in zip(parts, pairs, planes, offsets, strict=True):
        own = np.flatnonzero((problem.y == i) | (problem.y == j))
        part = Problem(dense(problem)[own], problem.y[own] == j, 2, problem.cost[own])
        assert np.array_equal(claim.w, w), "the certificate speaks of another plane"
        assert claim.b == b, "the certificate speaks of another plane"
        distance, bound, rounding = true_distance_and_bound(part, claim)
        assert abs(claim.distance - distance) <= rounding + 1e-12 * distance, f"the distance is {distance}"
        assert abs(claim.error(part) - claim.stated) <= 1e-12 + claim.rounding, "the stated error is not from the rows"
        if claim.distance == 0.0:
            assert not np.any([*w, b]), "where hulls meet there is no direction"
            assert not claim.proof
            continue
        error = (distance - bound) / distance
        assert abs(claim.stated - error) <= (2 * rounding + 1e-12 * distance) / distance, f"the true error is {error}"
        assert claim.proof == (claim.bound > 0.0)
    assert abs(certificate.error(problem) - certificate.stated) <= 1e-12 + certificate.rounding
    assert certificate.stated == max(claim.stated for claim in parts)
    assert (solution.status is Status.SOLVED) == (certificate.stated <= tol), "the status is not what the error says"
