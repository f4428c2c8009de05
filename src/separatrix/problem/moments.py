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
from typing import NamedTuple

import numpy as np

from separatrix import rows, threads
from separatrix.errors import DataError, counted
from separatrix.problem.fused_sums import add_to_classes, worth_looping
from separatrix.problem.problem import Problem
from separatrix.products import as_matrix, dense_rows, parts, row_slice
from separatrix.rows import CSR, Rows, Vector
from separatrix.threads import cached_property, row_chunks, summed

ALL_ROWS = slice(None)
CACHED_ENTRIES = 2**18  # entries that stay in the cache while they are centred and squared
UNCHANGED_CACHED_ENTRIES = 2**17  # entries that stay there while they are used twice, unchanged
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
            kept["_moments"] = sparse_moments(problem) if mostly_empty(problem.X) else dense_moments(problem)
        return kept["_moments"]

    def merged(self, other: "Moments") -> "Moments":
        """Moments of the rows of both."""
        if self.offsets.shape != other.offsets.shape:
            raise DataError(f"Moments of shape {self.offsets.shape} and {other.offsets.shape} have no sum.")
        weight = self.weight + other.weight
        share = (other.weight / np.where(weight > 0.0, weight, 1.0))[:, None]
        theirs = (other.origin - self.origin) + other.offsets
        apart = theirs - self.offsets
        offsets = np.where(self.weight[:, None] > 0.0, self.offsets + share * apart, theirs)
        offsets = np.where(weight[:, None] > 0.0, offsets, 0.0)
        rooted = np.sqrt(self.weight[:, None] * share) * apart
        return Moments(weight, self.origin, offsets, self.within + other.within + rooted.T @ rooted)

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


def n_groups(problem: Problem) -> int:
    """Number of groups that moments tell apart: the classes, or one of all rows where targets are numbers."""
    return problem.n_classes or 1


def group_codes(problem: Problem, part: slice | np.ndarray = ALL_ROWS) -> np.ndarray:
    """Group of each of some rows: its class, or 0 where targets are numbers."""
    y = problem.y[part]
    return y if problem.n_classes else np.zeros(y.size, dtype=np.int32)


def dense_moments(problem: Problem) -> Moments:
    """Sum Z'Z over blocks, Z the rows less the estimated mean of their class, times the roots of their costs.

    Rows near the origin that all have cost 1 are their own Z: nothing is subtracted first, so nothing is copied.
    """
    sample = sample_rows(problem)
    estimate = estimated_class_means(problem, sample)
    even = bool((problem.cost == 1.0).all())
    plain = even and near_origin(problem, estimate, sample)
    loop, k, d = worth_looping(problem.X), n_groups(problem), problem.n_features

    def job(chunk: slice) -> tuple[Vector, Vector, Vector]:
        gram, product, sums, weight = np.zeros((d, d)), np.empty((d, d)), np.zeros((k, d)), np.zeros(k)
        space = np.empty((0 if plain else min(rows_at_once(d), chunk.stop - chunk.start), d))
        for part, Z in cached_blocks(problem.X, chunk=chunk):
            y, root = group_codes(problem, part), problem.cost[part] if even else np.sqrt(problem.cost[part])
            if not plain:
                means = np.take(estimate, y, axis=0, out=space[: y.size], mode="clip")  # other modes copy once more
                Z = np.subtract(Z, means, out=means)  # noqa: PLW2901
                if not even:
                    Z *= root[:, None]  # noqa: PLW2901
            gram += np.dot(Z.T, Z, out=product)
            sum_classes(Z, y, root, sums, weight, loop)
        return gram, sums, weight

    gram, sums, weight = summed(job, scatter_chunks(problem.X))
    return centred(weight, np.zeros((k, d)) if plain else estimate, sums, gram)


def sum_classes(Z: Vector, y: np.ndarray, root: Vector, sums: Vector, weight: Vector, loop: bool) -> None:
    """Add root z to the sum of each row's class, and root^2 to its weight."""
    if loop:
        add_to_classes(rows.read_only(Z), y, root, sums, weight)
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
    return centred(weight, np.broadcast_to(shift, (k, d)), sums, gram)


def centred(weight: Vector, estimate: Vector, sums: Vector, gram: Vector) -> Moments:
    """Moments from sums of rows less an estimate of their class's mean."""
    off = sums / np.where(weight > 0.0, weight, 1.0)[:, None]
    rooted = np.sqrt(weight)[:, None] * off
    within = gram - rooted.T @ rooted
    np.fill_diagonal(within, np.maximum(within.diagonal(), 0.0))
    origin = estimate[int(np.argmax(weight))]
    return Moments(weight, origin, np.where(weight[:, None] > 0.0, (estimate - origin) + off, 0.0), within)


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


def cached_blocks(X: Rows, entries: int = CACHED_ENTRIES, chunk: slice | None = None) -> Iterator[tuple[slice, Vector]]:
    """Slices of row numbers with these rows as a dense float64 array, small enough to stay in the cache.

    All rows, or those of a chunk.
    """
    first, last = (0, rows.n_rows(X)) if chunk is None else (chunk.start, chunk.stop)
    step = rows_at_once(rows.n_columns(X), entries)
    for place in range(first, last, step):
        part = slice(place, min(place + step, last))
        matrix = row_slice(X, part)
        yield part, matrix.toarray() if isinstance(X, CSR) else matrix
