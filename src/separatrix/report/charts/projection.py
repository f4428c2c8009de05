"""A projection of rows with any number of features to two dimensions that keeps distances from the plane.

Two classes.     x -> ( g(x) / ||w||,  v.x )      v orthogonal to w, with the largest variance of the rows drawn
Several classes. x -> A'(s(x) - mean)             s the scores of the classes, A the two directions of Fisher for them

Signed distances from the plane are exact; so are all predictions, where the scores have only two dimensions, as those
of three classes do. Features enter by products with rows only, so sparse ones stay sparse (Hotelling, 1933;
Fisher, 1936).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from separatrix import products
from separatrix.analysis.margins import class_codes, planes_behind
from separatrix.data.encode import as_rows, features
from separatrix.rows import TINY, Vector, length

MAX_POINTS = 1500
BLOCK_SIZE, POWER_ITERATIONS = 4, 40
RANK_RTOL = 1e-10  # relative size below which a length or a variance is rounding


@dataclass(frozen=True, eq=False)
class Projection:
    """Some rows as points of the plane, with their classes and those to be marked; counts are of all rows."""

    points: Vector
    rows: np.ndarray
    codes: np.ndarray
    wrong: np.ndarray
    ringed: np.ndarray
    margin: float | None  # of two classes: how far the lines of the margin are from the plane
    planes: tuple[Vector, Vector] | None  # of several: scores as functions of the point, if two dimensions hold them
    has_plane: bool  # so that the first coordinate of two classes is a distance, not a score
    jittered: bool  # the second coordinate only keeps points apart
    n_rows: int
    n_wrong: int
    n_ringed: int
    classes: np.ndarray


def project(model: Any, X: Any, y: Any, ringed: Any = None, most: int = MAX_POINTS) -> Projection:
    """Project rows to two dimensions, and choose at most `most` to draw; the options are those of `separation_view`.

    >>> from separatrix import LinearSVM
    >>> X, y = [[0, 0], [0, 3], [2, 0], [2, 3], [4, 1]], ["a", "a", "b", "b", "b"]
    >>> found = project(LinearSVM(C=float("inf")).fit(X, y), X, y)
    >>> found.points[:, 0].round(6).tolist(), round(found.margin, 6)  # the plane is x = 1
    ([-1.0, -1.0, 1.0, 1.0, 3.0], 1.0)
    """
    matrix = features(X)
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    codes = class_codes(model, y, len(scores))
    two = scores.ndim == 1
    wrong = ((scores > 0) != (codes == 1)) if two else scores.argmax(axis=1) != codes
    planes = planes_behind(model, X, scores)
    w = planes[0][0] if two and planes is not None else None
    size = length(w) if w is not None else 1.0
    distance = scores / size if two and size > 0 else scores
    marked = row_mask(ringed, len(codes)) if ringed is not None else support(model, distance, wrong)
    rows = drawn_rows(codes, wrong | marked, most)
    drawn = matrix[rows]
    if two:
        points, jittered = along_plane(distance[rows], drawn, w, codes[rows])
        exact = None
    else:
        points, exact, jittered = discriminant_plane(scores, codes, rows, planes is not None)
    margin = margin_of(model, distance, wrong, size) if two and size > 0 else None
    kept = points, rows, codes[rows], wrong[rows], marked[rows]
    counts = len(codes), int(wrong.sum()), int(marked.sum())
    return Projection(*kept, margin, exact, w is not None and size > 0, jittered, *counts, model.classes_)


def row_mask(rows: Any, n: int) -> np.ndarray:
    """A boolean mask of n rows from row numbers."""
    mask = np.zeros(n, dtype=bool)
    mask[np.asarray(rows, dtype=np.intp)] = True
    return mask


def support(model: Any, distance: Vector, wrong: np.ndarray) -> np.ndarray:
    """The rows that hold the one plane: support rows, else the nearest where every row is right."""
    held = getattr(model, "support_", None)
    if distance.ndim > 1 or (held is None and wrong.any()):
        return np.zeros(len(wrong), dtype=bool)
    if held is not None:
        return row_mask(held, len(wrong))
    return np.abs(distance) <= np.abs(distance).min() * (1 + 1e-6)


def margin_of(model: Any, distance: Vector, wrong: np.ndarray, size: float) -> float | None:
    """The distance of g = 1 for a support vector machine, of the nearest row if every row is right, else None."""
    if hasattr(model, "support_"):
        return 1.0 / size
    return None if wrong.any() else float(np.abs(distance).min())


def drawn_rows(codes: np.ndarray, preferred: np.ndarray, most: int = MAX_POINTS) -> np.ndarray:
    """The numbers of the rows to draw, in order: all, or preferred ones if few, and some of each class by its share.

    >>> codes = np.repeat([0, 1], [900, 100])
    >>> drawn = drawn_rows(codes, np.arange(1000) < 3, most=103)
    >>> len(drawn), drawn[:3].tolist(), int((codes[drawn] == 1).sum())
    (103, [0, 1, 2], 10)
    """
    if len(codes) <= most:
        return np.arange(len(codes))
    random = np.random.default_rng(0)
    if 3 * preferred.sum() > most:  # they would hide what is usual
        preferred = np.zeros_like(preferred)
    first = np.flatnonzero(preferred)
    others = stratified(codes, np.flatnonzero(~preferred), most - len(first), random)
    return np.sort(np.concatenate([first, others]))


def stratified(codes: np.ndarray, rows: np.ndarray, count: int, random: np.random.Generator) -> np.ndarray:
    """A stratified sample of `count` rows, with at least one row of each class if count allows it."""
    if len(rows) <= count:
        return rows
    shuffled = random.permutation(rows)
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    sizes = np.bincount(codes[order])
    place = np.concatenate([(np.arange(size) + 0.5) / size for size in sizes if size])
    rank = np.concatenate([np.arange(size) for size in sizes if size])
    first = np.lexsort((place, rank > 0)) if np.count_nonzero(sizes) <= count else np.argsort(place, kind="stable")
    return order[first[:count]]


def along_plane(distance: Vector, drawn: Any, w: Vector | None, codes: np.ndarray) -> tuple[Vector, bool]:
    """Distances from the plane and the direction of largest variance along it; strips where there is none."""
    along = None if drawn.shape[1] < 2 else widest(drawn, w)
    if along is None:
        return np.column_stack([distance, strips(codes)]), True
    return np.column_stack([distance, along]), False


def widest(drawn: Any, w: Vector | None) -> Vector | None:
    """Rows along the direction of their largest variance that is orthogonal to w; None if they do not vary there."""
    rows = as_rows(drawn)
    n = drawn.shape[0]
    unit = w / length(w) if w is not None and length(w) > 0 else np.zeros(drawn.shape[1])
    random = np.random.default_rng(0)
    basis = random.standard_normal((n, min(BLOCK_SIZE, n)))
    for _ in range(POWER_ITERATIONS):
        basis, _ = np.linalg.qr(basis - basis.mean(axis=0))
        along = products.combination(rows, basis)
        along -= np.outer(unit, unit @ along)
        basis = products.scores(rows, along)
    basis -= basis.mean(axis=0)
    directions = along[:, np.argmax([length(column) for column in basis.T])]
    if not length(directions) > RANK_RTOL * float(abs(drawn).max()) * np.sqrt(n):
        return None
    found = products.scores(rows, directions / length(directions))
    found -= found.mean()
    return found * (np.sign(found[np.abs(found).argmax()]) or 1.0)


def strips(codes: np.ndarray) -> Vector:
    """A strip for each class, its points evenly apart in an order that makes no pattern (golden ratio)."""
    rank = np.zeros(len(codes))
    for code in np.unique(codes):
        own = codes == code
        rank[own] = np.arange(own.sum()) * 0.6180339887498949 % 1.0
    return codes + 0.15 + 0.7 * rank


def discriminant_plane(
    scores: Vector, codes: np.ndarray, rows: np.ndarray, linear: bool
) -> tuple[Vector, tuple[Vector, Vector] | None, bool]:
    """Points of the rows to draw, the planes of their scores if these have rank 2, and whether points are jittered."""
    centred = scores - scores.mean(axis=1, keepdims=True)  # a constant added to all scores changes no prediction
    middle = centred.mean(axis=0)
    basis = fisher_directions(centred - middle, codes)
    points = (centred[rows] - middle) @ basis
    if basis.shape[1] < 2:
        column = points[:, 0] if basis.shape[1] else np.zeros(len(rows))
        return np.column_stack([column, strips(codes[rows])]), None, True
    planes = np.linalg.lstsq(points, centred[rows] - middle, rcond=None)[0].T
    left = np.abs(points @ planes.T - (centred[rows] - middle)).max()
    exact = linear and left <= 1e-9 * np.abs(centred).max()
    return points, (planes, middle) if exact else None, False


def fisher_directions(scores: Vector, codes: np.ndarray) -> Vector:
    """The two Fisher directions, or fewer: between-class over within-class variance is largest there."""
    counts = np.bincount(codes, minlength=codes.max() + 1)
    member = sparse.csr_array((np.ones(len(codes)), (codes, np.arange(len(codes)))))
    means = (member @ scores) / np.maximum(counts, 1)[:, None]
    inside = scores - means[codes]
    within = inside.T @ inside / len(codes)
    whole = scores.T @ scores / len(codes)
    if np.trace(within) <= RANK_RTOL * np.trace(whole):
        within = whole
    values, vectors = np.linalg.eigh(within)
    kept = values > RANK_RTOL * max(values[-1], TINY)
    whiten = vectors[:, kept] / np.sqrt(values[kept])
    between = (means.T * counts) @ means / len(codes)
    ratios, turned = np.linalg.eigh(whiten.T @ between @ whiten)
    return whiten @ turned[:, ::-1][:, : min(2, len(ratios))]
