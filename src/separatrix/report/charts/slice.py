"""A slice of the space of the features by a plane: scores of a classifier on it, and rows projected to it.

    x(c) = m + s * (V c),     c = V' ((x - m) / s)         m the means, s the standard deviations of the features

Two features are drawn as they are. Of more, V holds two features that the user names, or the two directions in which
the scores vary most, the leading eigenvectors of

    mean over rows of G G',     G_j = (g(x + h s_j e_j) - g(x - h s_j e_j)) / 2h

(average derivatives: Samarov, 1993; active subspaces: Constantine, Dow and Wang, 2014). A slice is not a projection:
the score of a row depends also on the coordinates that are 0 on the slice. How often the slice shows the class that is
predicted for a row is counted.
"""

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from separatrix.analysis.margins import class_codes
from separatrix.data.encode import features
from separatrix.data.encode_kernel import is_symbolic
from separatrix.errors import DataError, OptionError
from separatrix.report.charts import style
from separatrix.report.charts.coefficient_chart import deviations
from separatrix.report.charts.geometry import View, view_of
from separatrix.report.charts.projection import MAX_POINTS, RANK_RTOL, drawn_rows, row_mask
from separatrix.rows import Vector

MAX_KERNEL_VALUES = 1e8  # of all rows, or of all points of the grid, with the support rows: some seconds
MIN_GRID, MAX_GRID = 60, 240  # points a side
MAX_GRID_OF_VOTES = 480  # scores of several classes may jump, so that contours are no finer than the grid
MAX_FEATURES = 500  # beyond, a slice would say little, and its directions would take minutes
GRADIENT_ROWS, GRADIENT_STEP = 200, 0.1  # rows at most; h, in standard deviations
MAX_BLOCK_NUMBERS = 2**22  # of rows that are scored at once
VARIANCE_SHARE = 1e-6  # of directions without effect on the scores, those in which rows vary come first
MAX_NAMED, MAX_NAME = 2, 18  # features of a direction that its label names, and characters of each


class Section(NamedTuple):
    """A plane in the space of the features: x = origin + c @ basis, c = (x - origin) @ dual.

    The labels say what its axes are; directions are `made_of` several features.
    """

    origin: Vector
    basis: Vector
    dual: Vector
    labels: tuple[str, str]
    made_of: tuple[str, str] = ("", "")


@dataclass(frozen=True, eq=False)
class Slice:
    """Scores on a grid of the plane, and some rows as points of it; counts are of all rows."""

    view: View
    across: Vector
    up: Vector
    scores: Vector  # of shape (up, across), or (up, across, classes)
    points: Vector
    rows: np.ndarray
    codes: np.ndarray
    wrong: np.ndarray
    ringed: np.ndarray
    labels: tuple[str, str]
    made_of: tuple[str, str]  # the main features of directions; empty where axes are features
    whole: bool  # there are only these two features
    has_margin: bool  # g = -1 and g = 1 are margins
    same_class: float  # the fraction of drawn rows at whose points the slice shows the class predicted for them
    n_features: int
    n_rows: int
    n_wrong: int | None  # None: too many rows to be scored
    n_ringed: int
    classes: np.ndarray


def cut(
    model: Any,
    X: Any,
    y: Any,
    *,
    pair: Sequence[Any] | None = None,
    names: Sequence[Any] | None = None,
    ringed: Any = None,
    most: int = MAX_POINTS,
) -> Slice:
    """Cut the space of the features by a plane; the options are those of `decision_surface`.

    >>> from separatrix import KernelSVM
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> found = cut(KernelSVM("poly", degree=2, coef0=1.0, C=100.0).fit(X, y), X, y)
    >>> found.labels, found.whole, found.n_wrong, found.ringed.tolist()
    (('x1', 'x2'), True, 0, [True, True, True, True])
    """
    check_model(model, X)
    matrix = features(X)
    n, d = matrix.shape
    codes = class_codes(model, y, n)
    marked = support(model, matrix) if ringed is None else row_mask(ringed, n)
    n_support = max(1, len(getattr(machine_of(model), "support_", ())))
    wrong = np.zeros(n, dtype=bool)
    all_scored = n * n_support <= MAX_KERNEL_VALUES
    if all_scored:
        wrong = predicted(scores_of(model, matrix)) != codes
    rows = drawn_rows(codes, wrong | marked, most)
    drawn = dense(matrix[rows])
    theirs = predicted(scores_of(model, drawn))
    wrong[rows] = theirs != codes[rows]
    section = section_of(model, matrix, drawn, pair, feature_names(names, d), n_support)
    points = (drawn - section.origin) @ section.dual
    view = view_of(points)
    shown = predicted(scores_of(model, section.origin + points @ section.basis))
    finest = MAX_GRID if len(model.classes_) == 2 else MAX_GRID_OF_VOTES
    side = int(np.clip(np.sqrt(MAX_KERNEL_VALUES / n_support), MIN_GRID, finest))
    across, up = np.linspace(view.left, view.right, side), np.linspace(view.bottom, view.top, side)
    grid = np.stack(np.meshgrid(across, up), axis=-1).reshape(-1, 2)
    scores = scores_of(model, grid, section)
    return Slice(
        view=view,
        across=across,
        up=up,
        scores=scores.reshape(side, side, *scores.shape[1:]),
        points=points,
        rows=rows,
        codes=codes[rows],
        wrong=wrong[rows],
        ringed=marked[rows],
        labels=section.labels,
        made_of=section.made_of,
        whole=d == 2,
        has_margin=scores.ndim == 1 and hasattr(machine_of(model), "support_"),
        same_class=float(np.mean(shown == theirs)),
        n_features=d,
        n_rows=n,
        n_wrong=int(wrong.sum()) if all_scored else None,
        n_ringed=int(marked.sum()),
        classes=model.classes_,
    )


def check_model(model: Any, X: Any) -> None:
    """Refuse what has no scores for points of a plane: other models, and rows that are no vectors."""
    if not (hasattr(model, "decision_function") and hasattr(model, "predict")):
        raise OptionError(
            f"A decision surface is made of the scores of a classifier, but {type(model).__name__} has no "
            "decision_function."
        )
    check_is_fitted(model)
    if not hasattr(model, "classes_"):
        raise OptionError(f"A decision surface needs classes_, which {type(model).__name__} has not.")
    if is_symbolic(X) or get_tags(model).input_tags.pairwise:
        kind = "sets or texts" if is_symbolic(X) else "values of a precomputed kernel"
        raise DataError(
            f"A decision surface is drawn over features, and these rows are {kind}. Draw model.decision_function(X)."
        )


def machine_of(model: Any) -> Any:
    """The classifier itself: the last step of a pipeline."""
    return model[-1] if isinstance(model, Pipeline) else model


def support(model: Any, matrix: Any) -> np.ndarray:
    """The support rows as a mask, if these are the rows of the fit."""
    machine, n = machine_of(model), matrix.shape[0]
    held, vectors = getattr(machine, "support_", None), getattr(machine, "support_vectors_", None)
    if held is None or (np.size(held) and np.max(held) >= n):
        return np.zeros(n, dtype=bool)
    if vectors is not None:
        rows = matrix[held]
        if machine is not model and len(model) > 1:
            with unnamed():
                rows = model[:-1].transform(rows)
        if not np.array_equal(dense(rows), dense(vectors)):
            return np.zeros(n, dtype=bool)
    return row_mask(held, n)


@contextmanager
def unnamed() -> Iterator[None]:
    """No warnings that rows have no names: they are made of numbers, in the order of the features."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        yield


def dense(matrix: Any) -> Any:
    """Rows as an array."""
    return matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix)


def scores_of(model: Any, points: Any, section: Section | None = None) -> Vector:
    """The scores of rows, or of points of a section, in blocks of bounded memory."""
    width = points.shape[1] if section is None else section.origin.size
    step = max(256, MAX_BLOCK_NUMBERS // max(1, width))
    found = []
    with unnamed():
        for first in range(0, points.shape[0], step):
            block = points[first : first + step]
            block = block if section is None else section.origin + block @ section.basis
            found.append(np.asarray(model.decision_function(block), dtype=np.float64))
    scores, k = np.concatenate(found), len(model.classes_)
    if scores.shape[1:] != ((k,) if k > 2 else ()):
        raise OptionError(
            f"A decision surface needs one score for each of the {k} classes (of two classes: for the second). "
            f"{type(model).__name__} gives scores of shape {scores.shape}."
        )
    return scores


def predicted(scores: Vector) -> np.ndarray:
    """The codes of the classes that scores stand for."""
    return (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)


def feature_names(names: Sequence[Any] | None, d: int) -> list[str]:
    """A name for each feature."""
    if names is None:
        return ["x1", "x2"] if d == 2 else [f"x{j}" for j in range(d)]
    if isinstance(names, str) or len(names) != d:
        raise OptionError(f"The 'feature_names' parameter must hold {d} names, one for each column. Got {names!r}.")
    return list(map(str, names))


def section_of(
    model: Any, matrix: Any, drawn: Vector, pair: Sequence[Any] | None, names: list[str], n_support: int
) -> Section:
    """The plane to draw: the two features there are, two that were asked for, or two directions."""
    d = matrix.shape[1]
    if d == 2 and pair is None:
        pair = (0, 1)
    mean = np.asarray(matrix.mean(axis=0, dtype=np.float64)).ravel()
    if pair is not None:
        chosen = columns_of(pair, names)
        basis = np.eye(d)[chosen]
        mean[chosen] = 0.0
        return Section(mean, basis, basis.T, (names[chosen[0]], names[chosen[1]]))
    spread = deviations(matrix)
    varying = np.flatnonzero(spread > RANK_RTOL * np.maximum(np.abs(mean), np.finfo(float).tiny))
    if not 2 <= varying.size <= MAX_FEATURES:
        raise DataError(
            f"A decision surface is drawn for 2 to {MAX_FEATURES} features that vary, and these rows have "
            f"{varying.size:,}. Name two by features=(i, j), or use separation_view."
        )
    V = directions(model, drawn, mean, spread, varying, n_support)
    basis, dual = np.zeros((2, d)), np.zeros((d, 2))
    basis[:, varying], dual[varying] = V.T * spread[varying], V / spread[varying, None]
    kept = [names[j] for j in varying]
    made_of = composition(V[:, 0], kept), composition(V[:, 1], kept)
    return Section(mean, basis, dual, ("first direction", "second direction"), made_of)


def columns_of(pair: Sequence[Any], names: list[str]) -> list[int]:
    """The numbers of two different features, which may be given by name."""
    known = {name: place for place, name in enumerate(names)}
    found = [] if isinstance(pair, str) else [known.get(each, each) for each in pair]
    whole = all(isinstance(each, (int, np.integer)) and 0 <= each < len(names) for each in found)
    if len(found) != 2 or not whole or found[0] == found[1]:
        raise OptionError(
            f"The 'features' parameter must hold two different features, by name or by number below {len(names)}. "
            f"Got {pair!r}."
        )
    return [int(each) for each in found]


def directions(model: Any, drawn: Vector, mean: Vector, spread: Vector, varying: np.ndarray, n_support: int) -> Vector:
    """The two orthonormal directions of standardised features in which the scores vary most, as columns.

    Where the scores vary in one direction only, as those of a plane do, the second is that in which rows vary most.
    """
    k = varying.size
    count = min(GRADIENT_ROWS, MAX_BLOCK_NUMBERS // (2 * k * k), int(MAX_KERNEL_VALUES / (2 * k * n_support)))
    sample = drawn[np.linspace(0, len(drawn) - 1, min(max(8, count), len(drawn))).astype(int)]
    outer = np.zeros((k, k))
    for row in sample.astype(np.float64):
        moved = np.tile(row, (2 * k, 1))
        step = GRADIENT_STEP * spread[varying]
        moved[np.arange(k), varying] += step
        moved[np.arange(k, 2 * k), varying] -= step
        scores = scores_of(model, moved).reshape(2, k, -1)
        slopes = scores[0] - scores[1]
        slopes -= slopes.mean(axis=1, keepdims=True) if slopes.shape[1] > 1 else 0.0
        outer += slopes @ slopes.T
    unit = (drawn[:, varying] - mean[varying]) / spread[varying]
    variance = unit.T @ unit
    size = float(np.trace(outer))
    total = variance / np.trace(variance)
    if size > 0:
        total = outer / size + VARIANCE_SHARE * total
    V = np.linalg.eigh(total)[1][:, :-3:-1]
    return V * np.where(V[np.abs(V).argmax(axis=0), [0, 1]] < 0, -1.0, 1.0)


def composition(weights: Vector, names: list[str]) -> str:
    """A direction by the features that it is made of most.

    >>> composition(np.array([0.1, -0.7, 0.7]), ["age", "height", "weight"])
    '−height, +weight, …'
    """
    order = np.argsort(-np.abs(weights).round(9), kind="stable")[:MAX_NAMED]
    few = style.distinct([names[j] for j in order], MAX_NAME)
    words = [f"{'+' if weights[j] > 0 else '−'}{name}" for j, name in zip(order, few, strict=True)]
    return ", ".join([*words, *(["…"] if len(names) > MAX_NAMED else [])])
