"""A plane in the space of the features: two of them, or the two directions in which scores vary most.

    x(c) = m + s * (V c),     c = V' ((x - m) / s)         m the means, s the standard deviations of the features

The directions V are the leading eigenvectors of

    mean over rows of G G',     G_j = (g(x + h s_j e_j) - g(x - h s_j e_j)) / 2h

(average derivatives: Samarov, 1993; active subspaces: Constantine, Dow and Wang, 2014).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from separatrix.errors import DataError, OptionError
from separatrix.report.charts import style
from separatrix.report.charts.coefficient_chart import deviations
from separatrix.report.charts.projection import RANK_RTOL
from separatrix.report.charts.scores import MAX_BLOCK_NUMBERS, MAX_KERNEL_VALUES, scores_of
from separatrix.rows import Vector

MAX_FEATURES = 500  # beyond, a slice would say little, and its directions would take minutes
GRADIENT_ROWS, GRADIENT_STEP = 200, 0.1  # rows at most; h, in standard deviations
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
        basis = np.zeros((2, d))
        basis[[0, 1], chosen] = 1.0
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


def feature_names(names: Sequence[Any] | None, d: int) -> list[str]:
    """A name for each feature."""
    if names is None:
        return ["x1", "x2"] if d == 2 else [f"x{j}" for j in range(d)]
    if isinstance(names, str) or len(names) != d:
        raise OptionError(f"The 'feature_names' parameter must hold {d} names, one for each column. Got {names!r}.")
    return list(map(str, names))
