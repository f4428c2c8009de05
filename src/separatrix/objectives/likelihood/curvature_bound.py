"""By how much log losses can be less than at some planes, at most: by their curvature, with bounds on all rounding.

The bound is that of Bach (2010). Let y_ia be vectors for which every change of the planes moves the score of class a on
row i by <theta, y_ia>, with some theta, and let H = sum_i C c_i sum_a p_ia (y_ia - y_i)(y_ia - y_i)', y_i = sum_a p_ia
y_ia, be the Hessian. Where H >= (1 - e) I, along a theta of length s the sum of losses is at least

    F - lambda s + (exp(-r s) + r s - 1) / r^2,       lambda = ||gradient|| / sqrt(1 - e)
                                                      r      = max ||y_ia - y_ib|| / sqrt(1 - e)

Where lambda r < 1 this grows without bound, so that there is a finite minimum, and the losses there are less than F by
at most  lambda / r + (1 / r - lambda) log(1 - lambda r) / r,  which is lambda^2 / 2 to first order.

Here y is an affine function of x whose coefficients are doubles, and which makes H nearly I: it comes from a Cholesky
factor of a computed H, and where that is not enough, from a second one of the H that it leads to (Rump, 2009). All that
is proved of it is computed afterwards: with Z the rows whose Gram matrix H is and E what rounding may have changed them
by, e <= ||Z'Z - I|| + 2 ||Z|| ||E|| + ||E||^2. Errors of lambda and r count by their squares, so that plain bounds do.
That H is not singular proves besides that theta has all the directions which y has; `score_rank` proves that planes
have no others.
"""

from collections.abc import Callable
from functools import partial, reduce
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from separatrix.enclosures import Enclosed
from separatrix.enclosures.exact_sums import exact_affine
from separatrix.objectives.likelihood.dual_sums import Scored
from separatrix.objectives.likelihood.score_rank import rank_bound
from separatrix.objectives.log_loss_curvature import Factor, hessian, multinomial_hessian
from separatrix.problem import Problem
from separatrix.problem.coordinates import Coordinates
from separatrix.problem.scaled_rows import BLOCK_ENTRIES, ScaledRows
from separatrix.products import dense_rows, product, row_slice
from separatrix.rows import CSR, UNIT_ROUNDOFF, Vector, rounding_bound
from separatrix.threads import parallel_map, row_chunks

MAX_ROUNDS = 3  # of whitening, each of which gains as many digits as a double has
GOOD, ENOUGH = 0.1, 0.9  # e from which on there is no further round, and above which nothing is proved
MAX_EXACT_PRODUCTS = 2**18  # for y with one rounding
MAX_ROUNDING = 1e-11  # part of all weights that may be rounding, before it is worth that
ROUNDED_UP = 1.0 + 1e-12  # covers the few roundings of numbers that are sums of positive ones


class Whitening(NamedTuple):
    """y_a = (x - centre) W_a + v_a of every class but the first, for which y is 0: W has shape (classes - 1, d, m)."""

    centre: Vector
    W: Vector
    v: Vector

    def followed_by(self, R: Vector) -> "Whitening":
        """The function with its values multiplied by a matrix."""
        return Whitening(self.centre, self.W @ R, self.v @ R)


class Decrease(NamedTuple):
    """By how much losses can be less, at most, how much of that is rounding, and e."""

    most: float
    rounding: float
    error: float


class RowSums(NamedTuple):
    """Sums over rows, or maxima: Z'Z, the gradient, ||E||^2, the error of the gradient, and r."""

    gram: Vector
    gradient: Vector
    gram_error: float
    gradient_error: float
    reach: float

    def merged(self, other: "RowSums") -> "RowSums":
        """The sums over the rows of both."""
        return RowSums(
            self.gram + other.gram,
            self.gradient + other.gradient,
            self.gram_error + other.gram_error,
            self.gradient_error + other.gradient_error,
            float(np.maximum(self.reach, other.reach)),
        )


class Probabilities(NamedTuple):
    """The probability of each class, shape (n, classes), and how far each may be off, relative to itself."""

    value: Vector
    relative: Vector

    @classmethod
    def of(cls, scores: Enclosed) -> "Probabilities":
        """Those of planes whose scores have shape (n, planes)."""
        value, ones = scores.value, np.ones(scores.value.shape[1])
        if value.shape[1] == 1:
            value = np.hstack([np.zeros_like(value), value])
        below = value - value.max(axis=1, keepdims=True)
        off = 4.0 * (scores.radius @ ones) - 4.0 * UNIT_ROUNDOFF * (below @ np.ones(value.shape[1]))
        relative = np.expm1(np.minimum(off, 1.0)) + (16 + value.shape[1]) * UNIT_ROUNDOFF
        odds = np.exp(below)
        return cls(odds / (odds @ np.ones(value.shape[1]))[:, None], np.where(off < 1.0, relative, np.inf))


@np.errstate(over="ignore", invalid="ignore", divide="ignore", under="ignore")
def most_decrease(
    problem: Problem, coordinates: Coordinates, weights: Vector, scored: Scored, penalised: Vector | None = None
) -> Decrease:
    """By how much the weighted losses can be lower anywhere, at most; infinite where nothing is proved.

    With penalised planes w, by how much losses and 1/2 ||w||^2 together can be lower, of several planes the square of
    their differences from their mean. Coordinates must then be those of all columns.
    """
    bound = rank_bound(problem, coordinates.width)
    if bound == 0:
        return Decrease(0.0, 0.0, 0.0)
    if bound > coordinates.width:
        return Decrease(np.inf, np.inf, np.inf)
    prob = Probabilities.of(scored.scores)
    whitening = first_whitening(problem, coordinates, weights, scored.rival_prob, penalised is not None)

    def bound_from(rows: Callable[[slice], Enclosed]) -> tuple[RowSums, Decrease]:
        sums = row_sums(problem, rows, weights, prob)
        sums = sums if penalised is None else sums.merged(penalty_sums(whitening, penalised))
        return sums, decrease_by_curvature(sums, (problem.n_rows + problem.n_features) * problem.n_classes)

    for _ in range(MAX_ROUNDS):
        sums, found = bound_from(partial(whitened_rows, problem, whitening))
        if found.error <= GOOD or not np.isfinite(sums.gram).all():
            break
        whitening = whitening.followed_by(inverse_factor(sums.gram))
    exact = problem.n_rows * problem.n_features * whitening.v.size <= MAX_EXACT_PRODUCTS
    if exact and found.rounding > MAX_ROUNDING * float(weights.sum()):
        return bound_from(partial(exact_rows, problem, whitening))[1]
    return found


def decrease_by_curvature(sums: RowSums, n_terms: int) -> Decrease:
    """The bound from lambda and r."""
    error = distance_from_identity(sums, n_terms)
    if not error < ENOUGH:
        return Decrease(np.inf, np.inf, error)
    scale = 1.0 / np.sqrt((1.0 - error) * (1.0 - 1e-12)) * ROUNDED_UP
    length = float(np.linalg.norm(sums.gradient))
    most = decrease((length + sums.gradient_error) * scale, sums.reach * scale)
    exactly = decrease(length, sums.reach)  # what it would be for e = 0, whatever coordinates rounding has led to
    return Decrease(most, most - exactly if most < np.inf else np.inf, error)


def decrease(decrement: float, reach: float) -> float:
    """The bound for lambda and r, rounded up."""
    both = decrement * reach * ROUNDED_UP
    if not both < 1.0:
        return np.inf
    if both < 1e-4:  # the formula would round; this is a little more than its series
        return decrement**2 * (0.5 + both)
    return (both + (1.0 - both) * float(np.log1p(-both))) / reach**2 * (1.0 + 1e-9)


def distance_from_identity(sums: RowSums, n_terms: int) -> float:
    """A bound on e."""
    m = len(sums.gram)
    trace = float(np.trace(sums.gram))
    computed = float(np.linalg.norm(sums.gram - np.eye(m))) + (rounding_bound(n_terms) + 1e-15) * (trace + m) + 1e-200
    off = np.sqrt(sums.gram_error)
    return float(computed + (2.0 * np.sqrt(1.0 + computed) + off) * off) * ROUNDED_UP


def first_whitening(
    problem: Problem, coordinates: Coordinates, weights: Vector, rival_prob: Vector, penalised: bool
) -> Whitening:
    """The function that a computed Hessian gives, with the plane of the first of several classes held."""
    k = problem.n_planes
    H = hessian_of(ScaledRows(problem.X, coordinates), weights, rival_prob, problem.y)
    if penalised:
        held = max(k - 1, 1)
        between = np.eye(held) - 1.0 / k if k > 1 else np.eye(1)
        H = H + np.kron(between, np.diag(coordinates.penalties))
    return whitening_of(H, coordinates)


def hessian_of(rows: ScaledRows, weights: Vector, rival_prob: Vector, y: np.ndarray) -> Vector:
    """H of the planes, of several without that of the first class."""
    p = rows.coordinates.width
    if rival_prob.shape[1] == 1:
        return hessian(rows.gram, weights, rival_prob, y)
    return multinomial_hessian(rows, weights, rival_prob, y)[p:, p:]


def whitening_of(H: Vector, coordinates: Coordinates) -> Whitening:
    """The function that makes H nearly the identity."""
    held = len(H) // coordinates.width
    R = inverse_factor(H).reshape(held, coordinates.width, -1)
    W = R[:, : coordinates.scale.size] / coordinates.scale[:, None]
    W = W if coordinates.basis is None else coordinates.basis @ W
    return Whitening(coordinates.centre, W, R[:, -1] if coordinates.offset else np.zeros((held, R.shape[2])))


def inverse_factor(H: Vector) -> Vector:
    """R with R R' = the inverse of H, but for rounding."""
    factor = Factor(H)
    return factor.scale[:, None] * solve_triangular(
        factor.factor[0], np.eye(len(H)), trans="T", lower=True, check_finite=False
    )


def row_sums(
    problem: Problem,
    rows: Callable[[slice], Enclosed],
    weights: Vector,
    prob: Probabilities,
    n_all: int | None = None,
) -> RowSums:
    """Sums over all rows, a few at a time, from a function that computes y of some rows, and radii of its length.

    Where the rows are a block of more, `n_all` says of how many.
    """
    n_all = problem.n_rows if n_all is None else n_all
    k, d = max(1, problem.n_planes - 1), problem.n_features
    m = rows(slice(0, 1)).value.shape[2]
    step = max(16, 2 * BLOCK_ENTRIES // max(1, d, (k + 1) * m))

    def sum_chunk(chunk: slice) -> RowSums:
        total = RowSums(np.zeros((m, m)), np.zeros(m), 0.0, 0.0, 0.0)
        for first in range(chunk.start, chunk.stop, step):
            part = slice(first, min(first + step, chunk.stop))
            own = Probabilities(prob.value[part], prob.relative[part])
            total = total.merged(block_sums(rows(part), weights[part], problem.y[part], own, n_all))
        return total

    chunks = row_chunks(problem.n_rows, 4 * problem.n_rows * (k + 1) * m, m * m)
    return reduce(RowSums.merged, parallel_map(sum_chunk, chunks))


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")  # in every thread
def whitened_rows(problem: Problem, whitening: Whitening, part: slice) -> Enclosed:
    """y of some rows, shape (n, classes - 1, m), and how far each vector may be off."""
    k, d, m = whitening.W.shape
    matrix = row_slice(problem.X, part)
    X = matrix.toarray() if isinstance(problem.X, CSR) else matrix
    X = X - whitening.centre if problem.fit_intercept else X
    columns = whitening.W.transpose(1, 0, 2).reshape(d, k * m)
    sizes = np.linalg.norm(whitening.W, axis=2).T, np.linalg.norm(whitening.v, axis=1)
    radius = rounding_bound(d + 3) * (np.abs(X) @ sizes[0] + sizes[1]) + 1e-300
    return Enclosed(product(X, columns).reshape(-1, k, m) + whitening.v, radius)


def exact_rows(problem: Problem, whitening: Whitening, part: slice) -> Enclosed:
    """What `whitened_rows` computes, with one rounding of each entry: for terms that are much larger than their sum."""
    k, _, m = whitening.W.shape
    X = dense_rows(problem.X, np.arange(part.start, part.stop))
    both, index = np.hstack([X, np.tile(whitening.centre, (len(X), 1))]), np.arange(len(X))
    plus, times = np.zeros(len(X)), np.ones(len(X))
    Y, radius = np.empty((2, len(X), k, m))
    for a in range(k):
        for j in range(m):
            w = np.concatenate([whitening.W[a, :, j], -whitening.W[a, :, j]])
            found = exact_affine(both, index, (w, float(whitening.v[a, j])), plus, times)
            Y[:, a, j], radius[:, a, j] = found
    return Enclosed(Y, ROUNDED_UP * np.linalg.norm(radius, axis=2) + 1e-300)


def penalty_sums(whitening: Whitening, w: Vector) -> RowSums:
    """What 1/2 ||w||^2 adds to the sums: theta moves the plane of class a by W_a theta."""
    W, m = whitening.W, whitening.W.shape[2]
    sizes, planes = np.linalg.norm(W, axis=2), np.abs(w)
    if len(w) == 1:
        Z, gradient, off = W[0], product(w[0], W[0]), 0.0
    else:
        from_mean = w - w.mean(axis=0)
        Z = np.concatenate([np.zeros((1, *W.shape[1:])), W])
        Z = (Z - Z.mean(axis=0)).reshape(-1, m)
        gradient = product(from_mean[1:].ravel(), W.reshape(-1, m))
        off = rounding_bound(2 * len(w) + 4) * float(np.linalg.norm(W)) * len(w)
        planes = planes[1:] + planes.mean(axis=0)
    error = rounding_bound(2 * w.size + 8) * float(np.sum(sizes * planes))
    return RowSums(product(Z.T, Z), gradient, off * off, error, 0.0)


@np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore")  # in every thread
def block_sums(found: Enclosed, weights: Vector, y: np.ndarray, prob: Probabilities, n_all: int) -> RowSums:
    """Sums over some rows, from y of every class but the first, and how far from it the computed y may be.

    With t_a the error of y_a - y_b, where b is the most probable class, the rows of Z that a row has are off by no more
    than the root of 14 C c sum_a p_a t_a^2 together. Differences are rounded by less than y itself.
    """
    m, classes = found.value.shape[2], prob.value.shape[1]
    relative = 1.01 * prob.relative + (m + 16) * UNIT_ROUNDOFF
    terms = relative + rounding_bound(2 * n_all * classes + 8)
    if classes == 2:
        return two_class_sums(
            Enclosed(found.value[:, 0], found.radius[:, 0]), weights, y, prob.value, (relative, terms)
        )
    rows, p = np.arange(len(y)), prob.value
    top = p.argmax(axis=1)
    rest, slopes = p.copy(), p.copy()
    rest[rows, top] = slopes[rows, y] = 0.0
    D, radius = from_most_probable(found, top)
    size = np.sqrt(np.einsum("ikm,ikm->ik", D, D))
    gram_error = 14.0 * weights @ np.einsum("ik,ik->i", rest, (radius + 2.0 * relative[:, None] * size) ** 2)
    apart = size + size[rows, y][:, None]
    error = radius + radius[rows, y][:, None] + terms[:, None] * apart
    gradient_error = 1.01 * weights @ np.einsum("ik,ik->i", slopes, error)
    slopes[rows, y] = -(slopes @ np.ones(classes))
    gradient = product((weights[:, None] * slopes).ravel(), D.reshape(-1, m))
    reach = float(2.0 * np.max(size + radius)) * (1.0 + (m + 16) * 2.0 * UNIT_ROUNDOFF)
    D -= np.einsum("ik,ikm->im", rest, D)[:, None]
    D *= np.sqrt(weights[:, None] * p)[:, :, None]
    Z = D.reshape(-1, m)
    return RowSums(product(Z.T, Z), gradient, float(gram_error), float(gradient_error), reach)


def from_most_probable(found: Enclosed, top: np.ndarray) -> Enclosed:
    """y of every class less that of the most probable one: nothing cancels where the others are improbable."""
    n, k, m = found.value.shape
    D, radius, rows = np.zeros((n, k + 1, m)), np.zeros((n, k + 1)), np.arange(n)
    D[:, 1:], radius[:, 1:] = found
    D -= D[rows, top][:, None]
    return Enclosed(D, radius + radius[rows, top][:, None])


def two_class_sums(
    found: Enclosed, weights: Vector, y: np.ndarray, p: Vector, relative: tuple[Vector, Vector]
) -> RowSums:
    """What `block_sums` adds up, where there is one y for each row and Z has one row for it."""
    Y, radius = found
    size = np.sqrt(np.einsum("im,im->i", Y, Y))
    smaller, wrong = np.minimum(p[:, 0], p[:, 1]), np.where(y == 0, p[:, 1], p[:, 0])
    gram_error = 14.0 * (weights * smaller) @ (radius + 2.0 * relative[0] * size) ** 2
    gradient_error = 1.01 * (weights * wrong) @ (radius + relative[1] * size)
    gradient = product(weights * wrong * (1.0 - 2.0 * y), Y)
    reach = float(np.max(size + radius)) * (1.0 + (Y.shape[1] + 16) * 2.0 * UNIT_ROUNDOFF)
    Z = np.sqrt(weights * p[:, 0] * p[:, 1])[:, None] * Y
    return RowSums(product(Z.T, Z), gradient, float(gram_error), float(gradient_error), reach)
