"""The plane between the nearest points of the reduced convex hulls of two classes: the geometry of the nu-SVM.

    minimise  ||p - q||   over   p in R(X+, mu),  q in R(X-, mu),          w = 2 (p - q) / ||p - q||^2

w has the direction of the nu-SVM with nu = 2 / (mu W), W the weight of all rows (Crisp and Burges, 1999; Bennett and
Bredensteiner, 2000). Two offsets are in use. The bisector's goes through the middle of the two points. That of the
optimality conditions of the nu-SVM is halfway between the levels at which the rows of either class are free,

    b = -(l+ + l-) / 2,      l+ = <w, x_i> where 0 < a_i < mu c_i,  i in class 1,     l- likewise in class 0

A row below the level of its class has as much weight as it may have, and a row above it has none.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from separatrix.certificates import NearestPoint
from separatrix.certificates.arithmetic.reduced_hull import MASS_RTOL
from separatrix.certificates.claims.nearest_point import plane_scores
from separatrix.errors import OptionError
from separatrix.problem import History, Problem, Solution
from separatrix.rows import Vector
from separatrix.solvers.hulls.gilbert import gilbert
from separatrix.solvers.hulls.mdm import mdm
from separatrix.solvers.hulls.mu import candidate_mus, feasible_mu
from separatrix.solvers.hulls.nearest_points import model_of
from separatrix.solvers.hulls.schlesinger_kozinec import schlesinger_kozinec

ALGORITHMS: dict[str, Callable[..., Solution]] = {
    "gilbert": gilbert,
    "mdm": mdm,
    "schlesinger_kozinec": schlesinger_kozinec,
}
OFFSETS = ("bisector", "kkt")
FREE_RTOL = 1e-9  # of its bound, by which the weight of a free row is away from 0 and from the bound


def reduced_hulls(
    problem: Problem,
    *,
    mu: Any = "auto",
    algorithm: str = "mdm",
    offset: str = "bisector",
    tol: float = 1e-6,
    max_iter: int = 100_000,
) -> Solution:
    """Find the plane between the reduced hulls of two classes; w = 0 and b = 0 where they meet.

    `mu="auto"` takes the first of `candidate_mus` with which they are apart.

    >>> problem = Problem(np.array([[0.0], [1.0], [3.0], [5.0], [9.0]]), np.array([0, 0, 1, 1, 1]))
    >>> found = reduced_hulls(problem, mu=0.5)  # the hulls are 0.5 and [4, 7]
    >>> round(found.certificate.distance, 9), round(float(found.w[0]), 9), round(found.b, 9)
    (3.5, 0.571428571, -1.285714286)
    """
    if algorithm not in ALGORITHMS:
        raise OptionError(f"The 'algorithm' parameter must be one of {tuple(ALGORITHMS)}. Got {algorithm!r}.")
    if offset not in OFFSETS:
        raise OptionError(f"The 'offset' parameter must be one of {OFFSETS}. Got {offset!r}.")
    steps = 0
    for value in mus_of(problem, mu):
        found = ALGORITHMS[algorithm](problem, mu=value, tol=tol, max_iter=max_iter)
        steps += found.history.iterations
        if found.certificate.proof:
            break
    claim = found.certificate
    if offset == "kkt":
        claim = claim.with_offset(problem, offset_of(problem, claim, offset))
    return Solution(model_of(problem, claim), claim, found.status, History(steps, steps))


def mus_of(problem: Problem, mu: Any) -> list[float]:
    """The values of mu to try: the one that is given, or those of "auto"."""
    if isinstance(mu, str):
        if mu != "auto":
            raise OptionError(f"The 'mu' parameter must be a number above 0 or 'auto'. Got {mu!r}.")
        return candidate_mus(problem)
    return [feasible_mu(problem, mu)]


def offset_of(problem: Problem, claim: NearestPoint, offset: str) -> float:
    """The offset of a plane between reduced hulls by either rule, from the weights of the rows and w; 0 where w is."""
    if claim.distance == 0.0:
        return 0.0
    weights, scores = np.zeros(problem.n_rows), scores_along(problem, claim)
    weights[claim.support] = claim.weights
    if offset == "bisector":
        return -0.5 * float(weights @ scores)
    upper = float(claim.mu or 1.0) * problem.cost
    one, other = problem.y == 1, problem.y == 0
    upper_level = level(scores[one], weights[one], upper[one])
    return -0.5 * (upper_level - level(-scores[other], weights[other], upper[other]))


def level(scores: Vector, weights: Vector, upper: Vector) -> float:
    """The score at which weights go from their bounds to 0: that of free rows, else the middle of its interval.

    A bound of 1 or more bounds nothing, as the weights add up to 1: such a row is free.

    >>> level(np.array([1.0, 2.0, 3.0]), np.array([0.4, 0.4, 0.2]), np.full(3, 0.4))
    3.0
    >>> level(np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.5, 0.0]), np.full(3, 0.5))
    2.5
    """
    has_weight = weights > FREE_RTOL * np.minimum(upper, 1.0)
    has_room = (weights < (1.0 - FREE_RTOL) * upper) | (upper >= 1.0 - MASS_RTOL)
    free = has_weight & has_room
    if free.any():
        return float(scores[free].mean())
    highest = float(scores[has_weight].max())
    return 0.5 * (highest + float(scores[has_room].min())) if has_room.any() else highest


def scores_along(problem: Problem, claim: NearestPoint) -> Vector:
    """<w, x> of each row, without an offset."""
    if claim.kernel is not None:
        return problem.kernel.expansion(problem.support_rows(claim.support), claim.w, problem.X)
    return plane_scores(problem, claim.w, claim.b) - claim.b
