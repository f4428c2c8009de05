"""The distance of the convex hulls of two classes: a point of each, and a plane between them.

    distance   ||p - q||,    p = sum_i a_i x_i over class 1,    q = sum_i a_i x_i over class 0,    a >= 0, sums of 1
    bound      (min_i <w, x_i> over class 1 - max_i <w, x_i> over class 0) / ||w||,     for whatever w

No two points of the hulls are nearer than the bound, because along w the two classes are that far apart. The best w is
p - q (Gilbert, 1966), and then both figures are the width of the largest margin. It is kept as a vector of its own:
where p and q are long and near to each other, their difference has too few digits left. Both figures are the outer ends
of enclosures (`reach`).

Of reduced hulls R(X, mu) the weights are a_i <= mu c_i, and the bound is from the extreme points of both along w in
place of single rows. In the space of a kernel w = sum_i y_i a_i phi(x_i), up to a factor.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from separatrix import rows
from separatrix.certificates.arithmetic.reduced_hull import MASS_RTOL, extreme_values
from separatrix.certificates.claims.bound import quoted
from separatrix.certificates.claims.certificate import Printed, names_rows_once
from separatrix.certificates.claims.reach import NOWHERE, Mixture, Reach, reach_of
from separatrix.compiling import compiled
from separatrix.errors import DataError, at_least, at_most
from separatrix.kernels import Kernel
from separatrix.objectives.bounds.mercer import satisfies_mercer
from separatrix.problem import Problem
from separatrix.products import dense_rows
from separatrix.rows import TINY, Vector, read_only, rounding_bound, row_score_twice


class Mixtures(NamedTuple):
    """The points q and p, and their difference p - q, as computed."""

    points: Vector
    between: Vector


@dataclass(frozen=True, eq=False, repr=False)
class NearestPoint(Printed):
    """The claim that the convex hulls of two classes, or reduced ones, are so far apart.

    Attributes
    ----------
    support, weights : ndarray
        The rows that the two points are convex combinations of, and their weights, which add up to 1 in each class.
    w, b : ndarray, float
        The plane w.x + b = 0 in the middle; of reduced hulls with whatever offset was chosen, which nothing is claimed
        of. In the space of a kernel w are coefficients of the support rows. 0 where reduced hulls meet.
    reached : Reach
        The distance, its lower bound and its rounding-error bound when the claim was made.
    sizes : tuple of int
        Number of rows with positive weight in each class.
    n_rows : int
        Number of rows.
    mu : float or None
        For reduced hulls, the largest weight of a row in units of its own weight; None: whole hulls.
    kernel : Kernel or None
        In whose space the points are.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.certificates import NearestPoint
    >>> from separatrix.problem import Problem
    >>> problem = Problem(np.array([[0.0, 0.0], [2.0, 1.0], [2.0, -1.0]]), np.array([0, 1, 1]))
    >>> claim = NearestPoint.issue(problem, np.array([1.0, 0.5, 0.5]))
    >>> claim.distance, claim.bound, claim.error(problem)  # (0, 0) and (2, 0) are the nearest points
    (2.0, 2.0, 0.0)
    >>> NearestPoint.issue(problem, np.array([1.0, 1.0, 0.0])).stated > 0.1  # (0, 0) and (2, 1) are not
    True
    >>> four = Problem(np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([0, 0, 1, 1]))
    >>> NearestPoint.issue(four, np.full(4, 0.5), mu=0.5).distance  # each reduced hull is the mean of its class
    3.0
    """

    support: np.ndarray
    weights: Vector
    w: Vector
    b: float
    reached: Reach
    sizes: tuple[int, int]
    n_rows: int
    mu: float | None = None
    kernel: Any = None

    field_types: ClassVar[Mapping[str, Any]] = {"kernel": Kernel | None}  # what files may hold
    optional_fields: ClassVar[tuple[str, ...]] = ("mu", "kernel")
    about_model: ClassVar[bool] = True
    equal_lengths: ClassVar[tuple[str, ...]] = ("support", "weights")
    explanation: ClassVar[str] = (
        "The distance that was reached is compared with a bound that no other pair of points can be below."
    )

    @classmethod
    def issue(
        cls, problem: Problem, weights: Vector, direction: Vector | None = None, mu: float | None = None
    ) -> "NearestPoint":
        """Make the claim, with its figures on the problem, from one weight for each row.

        w is a multiple of `direction`; None: of p - q as computed. With `mu` the claim is about reduced hulls, and its
        plane is the bisector of the two points; in the space of a kernel there is one about reduced hulls only.
        """
        support = np.flatnonzero(weights > 0.0)
        shares, sides = normalized_weights(problem, support, weights[support])
        sizes = int(np.count_nonzero(sides == 0)), int(np.count_nonzero(sides))
        if mu is not None:
            return reduced_claim(cls, problem, (support, shares, sizes), direction, mu)
        mixed = mixtures(problem, support, shares, sides)
        w = mixed.between if direction is None else np.array(direction, dtype=np.float64)
        w, b = midway_plane(problem, w, -0.5 * float(w @ mixed.points.sum(axis=0)))
        kept = read_only(support), read_only(shares), read_only(w), b
        return cls(*kept, reach_of(problem, Mixture(support, shares, w, b)), sizes, problem.n_rows)

    def with_offset(self, problem: Problem, b: float) -> "NearestPoint":
        """The claim about the plane with another offset, which changes nothing but the plane."""
        return replace(self, b=float(b)).restated(problem)

    @property
    def distance(self) -> float:
        """The distance of the two points when the claim was made, rounded up; 0.0 where the hulls meet to rounding."""
        return self.reached.distance

    @property
    def bound(self) -> float:
        """The lower bound on the distance of any two points of the hulls."""
        return self.reached.bound

    @property
    def stated(self) -> float:
        """The relative error at most, rounding included, when the claim was made."""
        return self.reached.error(self.distance)

    @property
    def rounding(self) -> float:
        """How much of the relative error may be rounding; for reduced hulls also of that of a distance of 0."""
        if self.distance == 0.0:
            return self.reached.rounding / max(self.reached.longest, TINY) if self.mu is not None else 0.0
        return self.reached.rounding / self.distance if self.distance < np.inf else np.inf

    @property
    def proof(self) -> bool:
        """Whether the hulls were proved to be disjoint."""
        return self.bound > 0.0

    def points(self, problem: Problem) -> Vector:
        """The two points, that of class 0 first."""
        shares, sides = normalized_weights(problem, self.support, self.weights)
        return mixtures(problem, self.support, shares, sides).points

    def error(self, problem: Problem) -> float:
        """The largest relative error that the distance can have, recomputed from the problem.

        For a distance of 0 it is the distance of the two points at most, relative to the longest row.
        """
        if problem.kernel != self.kernel or (problem.kernel is not None and not satisfies_mercer(problem)):
            return np.inf
        return self.restated(problem).reached.error(self.distance)

    def restated(self, problem: Problem) -> "NearestPoint":
        """The claim with its figures recomputed from the problem."""
        n_features = problem.n_features if self.kernel is not None else self.w.size
        if n_features != problem.n_features or self.n_rows != problem.n_rows or problem.n_classes != 2:
            raise DataError(
                f"The certificate is for {self.n_rows} rows of {n_features} features in two classes, but the problem "
                f"has {problem.shape} and {problem.n_classes} classes. Check it with the data that the claim is for."
            )
        shares, sides = normalized_weights(problem, self.support, self.weights)
        sizes = int(np.count_nonzero(sides == 0)), int(np.count_nonzero(sides))  # without one, there are no two points
        if min(sizes) == 0 or not is_feasible(problem, self.support, shares, self.mu):
            return replace(self, weights=shares, reached=NOWHERE, sizes=sizes)
        mixture = Mixture(self.support, shares, self.w, self.b, self.mu)
        return replace(self, weights=shares, reached=reach_of(problem, mixture), sizes=sizes)

    def __repr__(self) -> str:
        return f"NearestPoint({self.n_rows} rows, distance={self.distance:.6g}, stated={self.stated:.3g})"

    def __str__(self) -> str:
        digits, mixed = 12, f"mixtures of {self.sizes[0]:,} and {self.sizes[1]:,} rows"
        hulls = "the convex hulls" if self.mu is None else f"the reduced convex hulls with mu = {self.mu:.6g}"
        if self.distance == 0.0:
            return (
                f"NearestPoint: {hulls} meet or touch, to rounding, over {self.n_rows:,} rows\n"
                f"  distance     at most {at_most(self.reached.raw, 2)} between {mixed}, as rounding leaves it\n"
                f"  longest row  {self.reached.longest:.4g}\n"
                + (
                    "A gap too narrow for floating point would look the same: this is no proof that no plane separates."
                    if self.mu is None
                    else "No direction leads from the one to the other, so w = 0: a smaller mu makes the hulls smaller."
                )
            )
        lines = [
            f"NearestPoint: minimise ||p - q|| over {hulls} of two classes, {self.n_rows:,} rows",
            f"  distance     {at_most(self.distance, digits)}, between {mixed}",
            f"  lower bound  {at_least(self.bound, digits)}, which no two points of the hulls are below",
        ]
        if not self.proof:
            sides = "all rows on their own side" if self.mu is None else "each hull on its own side"
            return "\n".join([*lines, f"Nothing is proved: no plane was found with {sides}."])
        most = quoted(self)
        lines.append(f"  gap          at most {most} of it")
        if self.mu is None:
            lines.append(f"  margin       {at_least(self.bound / 2, digits)} on each side of the plane in the middle")
        return "\n".join(
            [*lines, f"No two points are nearer by more than {most} of it; anyone can check it again from the data."]
        )


def reduced_claim(
    cls: type[NearestPoint],
    problem: Problem,
    points: tuple[np.ndarray, Vector, tuple[int, int]],
    direction: Vector | None,
    mu: float,
) -> NearestPoint:
    """The claim about reduced hulls: w.x + b is 1 at the point of class 1, -1 at that of class 0; 0 where they meet."""
    (support, shares, sizes), sides = points, problem.y[points[0]]
    if problem.kernel is not None:
        w, b = kernel_bisector(problem, support, shares)
    else:
        mixed = mixtures(problem, support, shares, sides)
        w = np.array(mixed.between if direction is None else direction, dtype=np.float64)
        across = float(w @ mixed.between)
        w = w * (2.0 / across) if across > 0.0 else np.zeros_like(w)
        b = -0.5 * float(w @ mixed.points.sum(axis=0))
        b -= 0.5 * float(shares @ plane_scores(problem, w, b)[support])  # the rounding error of b: w may be long
    reached = reach_of(problem, Mixture(support, shares, w, b, mu))
    if reached.distance == 0.0:
        w, b = np.zeros_like(w), 0.0
    kept = read_only(support), read_only(shares), read_only(w), b
    return cls(*kept, reached, sizes, problem.n_rows, float(mu), problem.kernel)


def is_feasible(problem: Problem, support: np.ndarray, shares: Vector, mu: float | None) -> bool:
    """Whether weights are those of points of the hulls but for rounding, each row named once."""
    if not names_rows_once(support, problem.n_rows):
        return False
    upper = 1.0 if mu is None else mu * problem.cost[support]
    return bool(np.all((shares >= 0.0) & (shares <= upper * (1.0 + MASS_RTOL))))


def normalized_weights(problem: Problem, support: np.ndarray, weights: Vector) -> tuple[Vector, np.ndarray]:
    """Weights that add up to 1 in each class but for rounding, as those that do are left; and the class of each row."""
    sides = problem.y[support]
    totals = np.maximum(np.bincount(sides, weights, minlength=2), TINY)
    totals[np.abs(totals - 1.0) <= rounding_bound(support.size)] = 1.0
    return weights / totals[sides], sides


def mixtures(problem: Problem, support: np.ndarray, shares: Vector, sides: np.ndarray) -> Mixtures:
    """Compute both points, as differences from one of the rows: rows far from the origin would cost digits."""
    centre = rows.dense_row(problem.X, int(support[np.argmax(shares)]))
    mixing = np.zeros((2, support.size))
    mixing[sides, np.arange(support.size)] = shares
    points = np.zeros((2, problem.n_features))
    for part, centred in centred_chunks(problem, support, centre):
        points += mixing[:, part] @ centred
    return Mixtures(points + centre, points[1] - points[0])


MAX_ENTRIES_AT_ONCE = 2**20  # of the rows that are copied at a time


def centred_chunks(problem: Problem, index: np.ndarray, centre: Vector) -> Iterator[tuple[slice, Vector]]:
    """Yield some rows minus a centre, a chunk of them at a time."""
    size = max(1, MAX_ENTRIES_AT_ONCE // max(1, problem.n_features))
    for first in range(0, index.size, size):
        part = slice(first, min(first + size, index.size))
        yield part, dense_rows(problem.X, index[part]) - centre


def midway_plane(problem: Problem, w: Vector, b: float) -> tuple[Vector, float]:
    """The plane with this normal halfway between the classes, scaled so that the nearest rows have w.x + b = -+1."""
    low, high = facing_scores(problem, w, b)
    gap = low - high
    if not gap > 0.0:
        return w, b
    return w * (2.0 / gap), (b - 0.5 * (low + high)) * (2.0 / gap)


def facing_scores(problem: Problem, w: Vector, b: float, mu: float | None = None) -> tuple[float, float]:
    """The least w.x + b of class 1 and the greatest of class 0, over its rows or over its reduced hull."""
    scores = plane_scores(problem, w, b)
    if mu is not None:
        return extreme_values(scores, problem.y, mu * problem.cost)
    return float(scores[problem.y == 1].min()), float(scores[problem.y == 0].max())


def plane_scores(problem: Problem, w: Vector, b: float) -> Vector:
    """w.x + b of each row in twice the precision: b may cancel all digits."""
    extended, scores = np.append(w, b), np.empty(problem.n_rows)
    for part in rows.chunks(problem.X):
        precise_scores(problem.X, extended, part.start, part.stop, scores)
    return scores


@compiled
def precise_scores(X, w, first, last, into):
    """<x_i, w> + b in twice the working precision, w = [w..., b], for the rows from first to last."""
    for i in range(first, last):
        into[i] = row_score_twice(X, i, w)


def kernel_bisector(problem: Problem, support: np.ndarray, shares: Vector) -> tuple[Vector, float]:
    """Coefficients of w and the offset: w.x + b is 1 at the point of class 1 and -1 at that of class 0."""
    signed = problem.signs[support] * shares
    scores = problem.kernel.expansion(problem.support_rows(support), signed, problem.X)[support]
    square = float(signed @ scores)
    scale = 2.0 / square if square > TINY else 0.0  # the points are the same but for rounding
    return signed * scale, -0.5 * scale * float(shares @ scores)
