"""Additive moments of classes: all that least squares and discriminant analysis ask of the rows.

    n_c = sum c_i,     m_c = sum c_i x_i / n_c                         over the rows i of class c, with costs c_i
    S_w = sum c_i (x_i - m_c)(x_i - m_c)'                              over all rows, each from the mean of its class
    S_b = sum_c n_c (m_c - m)(m_c - m)',     S_t = S_w + S_b           m: the mean of all rows

Moments of two sets of rows add up to those of both (Chan, Golub and LeVeque, 1983), so rows may come in parts. An
estimate of its class's mean is subtracted from every row before it is squared, so that no digits are lost far from
the origin.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from separatrix import rows, threads
from separatrix.enclosures import Enclosed
from separatrix.enclosures.elementwise import (
    column,
    difference,
    divided,
    exactly,
    mean_of_two,
    multiplied,
    roots,
    summed_with,
)
from separatrix.errors import DataError, counted
from separatrix.problem.fold import Fold
from separatrix.problem.fused_sums import ROWS_PER_SUM, add_to_classes, worth_looping
from separatrix.problem.moment_bounds import (
    MomentBounds,
    bounds_of_merged,
    bounds_of_sums,
    digits_are_lost,
)
from separatrix.problem.problem import Problem
from separatrix.products import as_matrix, dense_rows, parts, row_slice
from separatrix.rows import CSR, TINY, Rows, Vector
from separatrix.threads import cached_property, row_chunks, summed

ALL_ROWS = slice(None)
CACHED_ENTRIES = 2**18  # entries that stay in the cache while they are centred and squared
UNCHANGED_CACHED_ENTRIES = 2**17  # entries that stay there while they are used twice, unchanged
MAX_PART_OF_MEAN = 2.0**-46  # of a column, up to which it counts as constant
MAX_ENTRIES_MADE_DENSE = 2**24  # of sparse rows whose sums lose digits
MAX_FEATURES = 30_000  # a scatter matrix of 7 GB


class Sample(NamedTuple):
    """Some rows, as a dense array, and their classes."""

    X: Vector
    y: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Moments:
    """Weight and mean of each class, and the scatter of rows around the mean of their class.

    The origin is a point among the rows of the largest class. It is subtracted from means, so that their differences
    have all their digits. A class that no row has been seen of has the weight and the offset 0.

    >>> X, y = np.array([[1.0], [3.0], [10.0], [14.0]]), np.array([0, 0, 1, 1])
    >>> first, last = (Moments.of(Problem(X[part], y[part])) for part in (slice(0, 3), slice(3, 4)))
    >>> whole = first.merged(last)
    >>> whole.means.ravel().tolist(), whole.within.round(9).tolist(), whole.between.round(9).tolist()
    ([2.0, 12.0], [[10.0]], [[100.0]])
    """

    weight: Vector  # n_c, the sum of the costs of each class
    origin: Vector
    offsets: Vector  # m_c - origin, of shape (k, d)
    within: Vector  # S_w, of all classes together
    weight_radius: Vector | None = None  # how far rounding may have moved n_c; None: that is not known
    offset_radius: Vector | None = None  # and m_c - origin
    within_squares: Vector | None = None  # e_j^2 of each column: entries of S_w are off by e_j e_k at most

    optional_fields: ClassVar[tuple[str, ...]] = ("weight_radius", "offset_radius", "within_squares")

    @classmethod
    def of(cls, problem: Problem) -> "Moments":
        """Sum over the rows of a problem, in one pass; the problem keeps them for other objectives."""
        if problem.n_features > MAX_FEATURES:
            raise DataError(
                f"The scatter of {counted(problem.n_features, 'feature')} is a matrix of so many rows and columns: too "
                f"large above {MAX_FEATURES:,}. Use fewer features, or a method that needs no such matrix."
            )
        kept = problem.__dict__
        if "_moments" not in kept:
            kept["_moments"] = moments_of(problem)
        return kept["_moments"]

    @np.errstate(over="ignore", invalid="ignore")
    def merged(self, other: "Moments") -> "Moments":
        """Moments of the rows of both."""
        if self.offsets.shape != other.offsets.shape:
            raise DataError(f"Moments of shape {self.offsets.shape} and {other.offsets.shape} have no sum.")
        weight = summed_with(weights_of(self), weights_of(other))
        share = divided(column(weights_of(other)), column(weight))
        shift = difference(exactly(other.origin), exactly(self.origin))
        theirs = summed_with(shift, offsets_of(other))
        apart = difference(theirs, offsets_of(self))
        offsets = mean_of_two(offsets_of(self), theirs, share)
        ours, any_row = self.weight[:, None] > 0.0, weight.value[:, None] > 0.0
        offsets = Enclosed(
            *(np.where(ours, both, np.where(any_row, alone, 0.0)) for both, alone in zip(offsets, theirs, strict=True))
        )
        share = Enclosed(*(np.where(any_row, each, 0.0) for each in share))
        rooted = multiplied(roots(multiplied(column(weights_of(self)), share)), apart)
        within = self.within + other.within + rooted.value.T @ rooted.value
        parts = weight.radius, offsets.radius, within.diagonal()
        bounds = bounds_of_merged(parts, rooted, (self.bounds, other.bounds))
        return Moments(weight.value, self.origin, offsets.value, within, *bounds)

    @property
    def bounds(self) -> MomentBounds:
        """How far rounding may have moved all of these."""
        if self.weight_radius is None or self.offset_radius is None or self.within_squares is None:
            return MomentBounds.unknown(*self.offsets.shape)
        return MomentBounds(self.weight_radius, self.offset_radius, self.within_squares)

    @property
    def means(self) -> Vector:
        """m_c of each class that is seen."""
        return np.where(self.weight[:, None] > 0.0, self.origin + self.offsets, 0.0)

    @property
    def n_seen(self) -> int:
        """Number of classes that rows have been seen of."""
        return int(np.count_nonzero(self.weight))

    @cached_property
    def total_weight(self) -> float:
        """The sum of all costs, n."""
        return float(self.weight.sum())

    @cached_property
    def middle(self) -> Vector:
        """Mean of all rows, less the origin."""
        return self.weight / self.total_weight @ self.offsets

    @cached_property
    def mean(self) -> Vector:
        """Mean of all rows, m."""
        return self.origin + self.middle

    @cached_property
    def apart(self) -> Vector:
        """m_c - m of each class, 0 for one that is not seen."""
        return np.where(self.weight[:, None] > 0.0, self.offsets - self.middle, 0.0)

    @cached_property
    def between(self) -> Vector:
        """S_b."""
        rooted = np.sqrt(self.weight)[:, None] * self.apart
        return rooted.T @ rooted

    @cached_property
    def total(self) -> Vector:
        """S_t."""
        return self.within + self.between

    def __repr__(self) -> str:
        return f"Moments({self.origin.size} features, weights {self.weight.tolist()})"


SUM_OF_MOMENTS = Fold(lambda block, first: Moments.of(block), Moments.merged, lambda moments: moments)


def weights_of(moments: Moments) -> Enclosed:
    """n_c of each class, enclosed."""
    return Enclosed(moments.weight, moments.bounds.weight)


def offsets_of(moments: Moments) -> Enclosed:
    """m_c - origin of each class, enclosed."""
    return Enclosed(moments.offsets, moments.bounds.offsets)


def n_groups(problem: Problem) -> int:
    """Number of groups that moments tell apart: the classes, or one of all rows where targets are numbers."""
    return problem.n_classes or 1


def group_codes(problem: Problem, part: slice | np.ndarray = ALL_ROWS) -> np.ndarray:
    """Group of each of some rows: its class, or 0 where targets are numbers."""
    y = problem.y[part]
    return y if problem.n_classes else np.zeros(y.size, dtype=np.int32)


def moments_of(problem: Problem) -> Moments:
    """Sum over the rows; once more, from the means that were found, where those of a sample were far from them."""
    found = sparse_moments(problem) if mostly_empty(problem.X) else dense_moments(problem)
    total = max(found.total_weight, TINY)
    limit = total * (MAX_PART_OF_MEAN * np.abs(found.means).max(axis=0)) ** 2
    if not digits_are_lost(found.within.diagonal(), found.bounds, limit):
        return found
    if isinstance(problem.X, CSR) and problem.n_rows * problem.n_features > MAX_ENTRIES_MADE_DENSE:
        return found
    return dense_moments(problem, np.where(found.weight[:, None] > 0.0, found.means, 0.0))


def dense_moments(problem: Problem, estimate: Vector | None = None) -> Moments:
    """Sum Z'Z over blocks, Z the rows less the estimated mean of their class, times the roots of their costs.

    Rows near the origin that all have cost 1 are their own Z: nothing is subtracted first, so nothing is copied. Means
    are estimated from a sample where no estimate is given.
    """
    even, plain = bool((problem.cost == 1.0).all()), False
    if estimate is None:
        sample = sample_rows(problem)
        estimate = estimated_class_means(problem, sample)
        plain = even and near_origin(problem, estimate, sample)
    means_of_classes = estimate
    loop, k, d = worth_looping(problem.X), n_groups(problem), problem.n_features

    def job(chunk: slice) -> tuple[Vector, Vector, Vector]:
        gram, product, sums, weight = np.zeros((d, d)), np.empty((d, d)), np.zeros((k, d)), np.zeros(k)
        space = np.empty((0 if plain else min(rows_at_once(d), chunk.stop - chunk.start), d))
        for part, Z in cached_blocks(problem.X, chunk=chunk, most=ROWS_PER_SUM):
            y, root = group_codes(problem, part), problem.cost[part] if even else np.sqrt(problem.cost[part])
            if not plain:
                means = np.take(means_of_classes, y, axis=0, out=space[: y.size], mode="clip")  # others copy once more
                Z = np.subtract(Z, means, out=means)  # noqa: PLW2901
                if not even:
                    Z *= root[:, None]  # noqa: PLW2901
            add_scatter(Z, product, gram)
            sum_classes(Z, y, root, sums, weight, loop)
        return gram, sums, weight

    cuts = scatter_chunks(problem.X)
    gram, sums, weight = summed(job, cuts)
    n_rows = min(rows_at_once(d), ROWS_PER_SUM)
    few, blocks = rows_per_product(d), 2 * (problem.n_rows // n_rows + len(cuts))
    n_terms = min(problem.n_rows, few) + n_rows // few + blocks, min(problem.n_rows, n_rows) + blocks
    return centred(problem, (weight, np.zeros((k, d)) if plain else estimate, sums, gram), n_terms)


def add_scatter(Z: Vector, product: Vector, gram: Vector) -> None:
    """Add Z'Z to a matrix: products of few rows are added up, as rounding errors grow with the length of a sum."""
    step, d = rows_per_product(Z.shape[1]), Z.shape[1]
    whole = len(Z) - len(Z) % step
    if whole:
        blocks = Z[:whole].reshape(-1, step, d)
        gram += np.dot(Z[:whole].T, Z[:whole], out=product) if len(blocks) == 1 else products_of(blocks)
    gram += np.dot(Z[whole:].T, Z[whole:], out=product)


def products_of(blocks: Vector) -> Vector:
    """The sum of Z'Z of blocks of rows."""
    return np.matmul(blocks.transpose(0, 2, 1), blocks).sum(axis=0)


def rows_per_product(d: int) -> int:
    """How many rows linear algebra adds in whatever order it likes: as few as cost little more time."""
    return 256 if d <= 128 else 1024


def sum_classes(Z: Vector, y: np.ndarray, root: Vector, sums: Vector, weight: Vector, loop: bool) -> None:
    """Add root z to the sum of each row's class, and root^2 to its weight."""
    if loop:
        own, of_own = np.zeros_like(sums), np.zeros_like(weight)
        add_to_classes(rows.read_only(Z), y, root, own, of_own)
        sums += own
        weight += of_own
        return
    members = (y == np.arange(len(sums), dtype=y.dtype)[:, None]) * root
    sums += np.dot(members, Z) if len(sums) > 4 else [np.dot(each, Z) for each in members]
    weight += members @ root


def scatter_chunks(X: Rows) -> list[slice]:
    """Chunks of rows, each worth a thread and a matrix of its own; only one where matrices would fill the memory."""
    n, d = rows.n_rows(X), max(1, rows.n_columns(X))
    max_chunks = n // (8 * d) if d <= 2048 else 1
    return row_chunks(n, min(rows.n_entries(X), max_chunks * threads.ENTRIES_PER_CHUNK))


def sparse_moments(problem: Problem) -> Moments:
    """Sum products of sparse rows; only columns stored in full can be far from the origin, and are centred first."""
    X, k, d = problem.X, n_groups(problem), problem.n_features
    assert isinstance(X, CSR)
    shift = full_columns(X)
    gram, sums = np.zeros((d, d)), np.zeros((k, d))
    classes = np.arange(k)[:, None]
    for part, matrix in parts(X):
        cost = problem.cost[part]
        moved = matrix.copy() if shift.any() else matrix
        if shift.any():
            moved.data = matrix.data - shift[matrix.indices]
        gram += (moved.T @ moved.multiply(cost[:, None]).tocsr()).toarray()
        sums += ((group_codes(problem, part) == classes) * cost) @ moved
    weight: Vector = np.bincount(group_codes(problem), problem.cost, minlength=k).astype(np.float64)
    return centred(problem, (weight, np.broadcast_to(shift, (k, d)), sums, gram), (problem.n_rows, problem.n_rows))


def centred(problem: Problem, found: tuple[Vector, Vector, Vector, Vector], n_terms: tuple[int, int]) -> Moments:
    """Moments from weights, an estimate of each class's mean, and sums of rows less that, and of their products.

    A term of a product and of a sum of rows goes through so many additions.
    """
    weight, estimate, sums, gram = found
    off = sums / np.where(weight > 0.0, weight, 1.0)[:, None]
    rooted = np.sqrt(weight)[:, None] * off
    within = gram - rooted.T @ rooted
    np.fill_diagonal(within, np.maximum(within.diagonal(), 0.0))
    origin = estimate[int(np.argmax(weight))]
    offsets = np.where(weight[:, None] > 0.0, (estimate - origin) + off, 0.0)
    subtracted = np.sum(rooted**2, axis=0)
    bounds = bounds_of_sums(problem, (weight, estimate, offsets), gram.diagonal(), subtracted, n_terms)
    return Moments(weight, origin, offsets, within, *bounds)


def sample_rows(problem: Problem) -> Sample:
    """One to two thousand rows, evenly spaced, and their classes; all 0 where targets are numbers."""
    taken = np.arange(0, problem.n_rows, max(1, problem.n_rows // 1024))
    return Sample(dense_rows(problem.X, taken), group_codes(problem, taken))


def estimated_class_means(problem: Problem, sample: Sample | None = None) -> Vector:
    """Means of the classes in a sample; of a class that is not in it, its first row."""
    X, y = sample_rows(problem) if sample is None else sample
    counts = np.bincount(y, minlength=n_groups(problem))
    members = (y == np.arange(n_groups(problem))[:, None]).astype(np.float64)
    estimate = members @ X / np.maximum(counts, 1)[:, None]
    for c in np.flatnonzero(counts == 0):
        found = group_codes(problem) == c
        estimate[c] = rows.dense_row(problem.X, int(found.argmax())) if found.any() else 0.0
    return estimate


def near_origin(problem: Problem, estimate: Vector, sample: Sample | None = None) -> bool:
    """Whether no mean is more than 3 deviations from 0 in a sample: then squares lose no more than a digit."""
    X, y = sample_rows(problem) if sample is None else sample
    share = np.bincount(y, minlength=len(estimate)) / len(y)
    variance = np.einsum("ij,ij->j", X, X) / len(y) - share @ estimate**2  # far too small where digits are lost
    return bool((np.abs(estimate) <= 3.0 * np.sqrt(np.maximum(variance, 0.0))).all())


def estimated_mean(problem: Problem, estimate: Vector | None = None) -> Vector:
    """Mean of all rows, as a sample has it."""
    estimate = estimated_class_means(problem) if estimate is None else estimate
    return np.bincount(group_codes(problem), minlength=n_groups(problem)) / problem.n_rows @ estimate


def reference_point(problem: Problem) -> Vector:
    """The point to subtract from rows in sums over them: 0, which saves copies, or where that is far, their mean."""
    sample = sample_rows(problem)
    estimate = estimated_class_means(problem, sample)
    near = near_origin(problem, estimate, sample)
    return np.zeros(problem.n_features) if near else estimated_mean(problem, estimate)


def mostly_empty(X: Rows) -> bool:
    """Whether rows are stored sparse with less than a tenth of their entries; others are made dense block by block."""
    return isinstance(X, CSR) and X.data.size < 0.1 * rows.n_rows(X) * X.n_columns


def full_columns(X: CSR) -> Vector:
    """Mean of each column that has no missing entry, 0 for the others."""
    counts = np.bincount(X.indices, minlength=X.n_columns)
    full = counts == max(1, rows.n_rows(X))
    if not full.any():
        return np.zeros(X.n_columns)
    sums = np.asarray(as_matrix(X).sum(axis=0), dtype=np.float64).ravel()
    return np.where(full, sums / np.maximum(counts, 1), 0.0)


def rows_at_once(d: int, entries: int = CACHED_ENTRIES) -> int:
    """How many rows of d columns to take in a block: they stay in the cache, and are worth a call."""
    return max(2 * min(d, 512), entries // max(1, d), 1)


def cached_blocks(
    X: Rows, entries: int = CACHED_ENTRIES, chunk: slice | None = None, most: int = 2**62
) -> Iterator[tuple[slice, Vector]]:
    """Slices of row numbers with these rows as a dense float64 array, small enough to stay in the cache.

    All rows, or those of a chunk, so many at a time at most.
    """
    first, last = (0, rows.n_rows(X)) if chunk is None else (chunk.start, chunk.stop)
    step = min(rows_at_once(rows.n_columns(X), entries), most)
    for place in range(first, last, step):
        part = slice(place, min(place + step, last))
        matrix = row_slice(X, part)
        yield part, matrix.toarray() if isinstance(X, CSR) else matrix
