"""Functional and geometric margins: how far each row is from the decision boundary of another class.

    functional    y (w.x + b)                 several classes:   min_j  g_c(x) - g_j(x)
    geometric     y (w.x + b) / ||w||         several classes:   min_j (g_c(x) - g_j(x)) / ||w_c - w_j||

with c the row's own class. The geometric margin is a distance: scaling w and b leaves it as it is. A margin of 0 or
less is an error. The margin of a classifier is the smallest of its rows'; how good it is shows in all of them.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from separatrix import products
from separatrix.certificates.arithmetic.planes import distances
from separatrix.data.encode import as_rows, features, labels
from separatrix.enclosures import enclosed_scores
from separatrix.enclosures.exact_sums import exact_affine
from separatrix.errors import DataError, OptionError, counted
from separatrix.rows import Rows, Vector, length, n_entries

MIN_BINS, MAX_BINS, TEXT_BINS = 5, 40, 8
MAX_BAR_WIDTH = 32  # characters


class Smallest(NamedTuple):
    """The smallest margin and the first row that has it."""

    margin: float
    row: int


@dataclass(frozen=True, eq=False, repr=False)
class Margins:
    """The margins of rows; print it for a summary with a histogram.

    Parameters
    ----------
    functional : ndarray of shape (n,)
        By how much the score of a row's own class exceeds the best other one.
    geometric : ndarray of shape (n,)
        Distance of a row from the nearest plane behind which it would be taken for another class; below 0 where it is
        behind it already. NaN where there is no such plane.

    Examples
    --------
    >>> from separatrix import Perceptron, margins
    >>> X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    >>> found = margins(Perceptron(shuffle=False).fit(X, y), X, y)  # w = (-1, 1)
    >>> found.smallest_functional, found.n_wrong
    (Smallest(margin=1.0, row=0), 0)
    >>> print(found)
    Margins of 4 rows: every row is on its own side
      smallest functional 1 (row 0)
      smallest geometric  0.707 (row 0)
      0 to 1 ████████████████████████████████ 4
    """

    functional: Vector
    geometric: Vector

    @property
    def smallest_functional(self) -> Smallest:
        """The smallest functional margin, and its row."""
        return smallest(self.functional)

    @property
    def smallest_geometric(self) -> Smallest:
        """The smallest geometric margin, and its row; NaN and the first row that has none, where one has none."""
        return smallest(self.geometric)

    @property
    def n_wrong(self) -> int:
        """How many rows are on the wrong side, or on the plane itself: margin <= 0."""
        return int(np.count_nonzero(~(self.functional > 0)))

    def histogram(self, bins: Any = None) -> tuple[np.ndarray, Vector]:
        """Count the geometric margins in intervals, each without its lower end, so that 0 is with the errors.

        Parameters
        ----------
        bins : int, array of edges, name of a rule of numpy, or None
            As for `numpy.histogram`. None: some 2 n^(1/3) intervals between round numbers, one of which is 0 where
            there are errors, so that no interval holds right and wrong rows.

        Returns
        -------
        counts : ndarray of int
            How many margins are in each interval. NaN is in none.
        edges : ndarray
            The ends of the intervals, one more than there are counts.

        Examples
        --------
        >>> import numpy as np
        >>> from separatrix import Margins
        >>> margins = np.array([-0.3, 0.0, 0.1, 0.5, 0.6, 0.9])
        >>> counts, edges = Margins(margins, margins).histogram()
        >>> counts.tolist(), edges.round(12).tolist()
        ([1, 1, 1, 1, 1, 1], [-0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0])
        """
        measured = self.geometric[np.isfinite(self.geometric)]
        if measured.size == 0:
            raise DataError(
                "There are no geometric margins to count: the model has no planes of its own, or w is 0. "
                "Look at the functional margins."
            )
        if bins is None:
            n_bins = np.clip(np.ceil(2 * np.cbrt(measured.size)), MIN_BINS, MAX_BINS)
            bins = round_edges(float(measured.min()), float(measured.max()), int(n_bins))
        elif not isinstance(bins, (str, int, np.integer)):
            bins = np.asarray(bins, dtype=np.float64)
        turned = -bins[::-1] if isinstance(bins, np.ndarray) else bins
        counts, edges = np.histogram(-measured, turned)  # numpy's intervals are without their upper end
        return counts[::-1], -edges[::-1]

    def __repr__(self) -> str:
        return f"Margins({counted(self.functional.size, 'row')}, {self.n_wrong:,} on the wrong side)"

    def __str__(self) -> str:
        wrong = f"{self.n_wrong:,} on the wrong side" if self.n_wrong else "every row is on its own side"
        lines = [f"Margins of {counted(self.functional.size, 'row')}: {wrong}"]
        functional, geometric = self.smallest_functional, self.smallest_geometric
        lines.append(f"  smallest functional {functional.margin:.3g} (row {functional.row})")
        lines.append(f"  smallest geometric  {geometric.margin:.3g} (row {geometric.row})")
        measured = self.geometric[np.isfinite(self.geometric)]
        if measured.size == 0:
            return "\n".join([*lines[:2], "  no geometric margins: there is no plane to measure from"])
        edges = round_edges(float(measured.min()), float(measured.max()), TEXT_BINS)
        return "\n".join(lines + bars(*self.histogram(edges)))


def margins(model: Any, X: Any, y: Any) -> Margins:
    """Compute the functional and geometric margins of rows.

    Parameters
    ----------
    model : fitted classifier
        With `classes_` and `decision_function`. Geometric margins need scores that are g(x) = w.x + b with the w of
        `coef_` and the b of `intercept_`. Scores that are something else, such as the votes of OneVsOne or what a
        pipeline makes, have functional margins only, and NaN for the geometric ones.
    X : array, scipy.sparse matrix or frame of shape (n, d)
        Rows, of the training data or others.
    y : array of n labels
        Their classes, out of `classes_`.

    Returns
    -------
    Margins
        Functional and geometric margins, the smallest of each, their histogram. A geometric margin is NaN where there
        is no plane to measure from: w = 0; or, with several classes, a row is wrong by a class that has the same w as
        its own. A row that is right against such a class is measured from the others.

    Examples
    --------
    >>> from separatrix import Perceptron, margins
    >>> X, y = [[1, 1], [1, -1], [-1, 1], [-1, -1]], [1, 1, -1, -1]
    >>> model = Perceptron().fit(X, y)
    >>> model.coef_[:], model.intercept_[:] = [3, 0], 0
    >>> found = margins(model, X, y)
    >>> found.functional.tolist(), found.geometric.tolist()
    ([3.0, 3.0, 3.0, 3.0], [1.0, 1.0, 1.0, 1.0])
    """
    check_is_fitted(model)
    if not (hasattr(model, "decision_function") and hasattr(model, "classes_")):
        raise OptionError(
            f"Margins are made of the scores of a classifier, but {type(model).__name__} has no decision_function. "
            "Use a linear classifier."
        )
    scores = np.asarray(model.decision_function(X), dtype=np.float64)
    if scores.shape != (len(scores), *[len(model.classes_)] * (len(model.classes_) > 2)):
        raise OptionError(
            f"Margins need one score for each of the {len(model.classes_)} classes (of two classes: for the second). "
            f"{type(model).__name__} gives scores of shape {scores.shape}."
        )
    own = class_codes(model, y, len(scores))
    planes = planes_behind(model, X, scores)
    if planes is not None:
        scores = to_all_digits(as_rows(features(X)), planes, scores)
    if scores.ndim == 1:
        leads = np.where(own == 1, scores, -scores)[:, None]
        lengths = None if planes is None else np.full_like(leads, length(planes[0]))
    else:
        leads = scores[np.arange(own.size), own][:, None] - scores
        leads[np.arange(own.size), own] = np.inf
        lengths = None if planes is None else distances(planes[0])[own]
    functional = leads.min(axis=1)
    return Margins(functional, np.full(own.size, np.nan) if lengths is None else geometric_margins(leads, lengths))


def class_codes(model: Any, y: Any, n: int) -> np.ndarray:
    """The place of each of n labels in `classes_`, which need not be sorted."""
    return np.argsort(model.classes_)[labels(y, n, model.classes_)[1]]


def geometric_margins(leads: Vector, lengths: Vector) -> Vector:
    """The smallest lead / length of each row; NaN where all lengths are 0, or a negative lead has length 0."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        across = np.where(lengths > 0, leads / lengths, np.where(leads > 0, np.inf, np.nan))
    least = across.min(axis=1)
    return np.where(np.isfinite(least), least, np.nan)


def planes_behind(model: Any, X: Any, scores: Vector) -> tuple[Vector, Vector] | None:
    """W and b of a model, if its scores of these rows are W x + b to the last digits; None if it has no such planes."""
    W, b = getattr(model, "coef_", None), getattr(model, "intercept_", None)
    if W is None or b is None:
        return None
    W = np.atleast_2d(np.asarray(W.toarray() if sparse.issparse(W) else W, dtype=np.float64))
    matrix, b = features(X), np.atleast_1d(np.asarray(b, dtype=np.float64))
    if W.shape[1] != matrix.shape[1] or len(W) != (1 if scores.ndim == 1 else scores.shape[1]):
        return None
    gap = np.abs(products.scores(as_rows(matrix), W.T) + b - scores.reshape(len(scores), -1))
    sizes = products.scores(as_rows(abs(matrix)), np.abs(W.T)) + np.abs(b)
    rounding = 4 * (W.shape[1] + 2) * np.finfo(matrix.dtype).eps  # others may sum float32 rows in float32
    return (W, b) if bool((gap <= rounding * sizes).all()) else None


MAX_ROUNDING = 1e-12  # part of a score that may be rounding, before it is computed again
MAX_EXACT_ENTRIES = 2**20  # of rows whose scores are


def to_all_digits(X: Rows, planes: tuple[Vector, Vector], scores: Vector) -> Vector:
    """W x + b of each row, rounded once where the terms of a score cancel, for few rows: else as they are."""
    found = scores.reshape(len(scores), -1).copy()
    for plane, (w, b) in enumerate(zip(*planes, strict=True)):
        enclosed = enclosed_scores(X, w, float(b))
        index = np.flatnonzero(enclosed.radius > MAX_ROUNDING * np.abs(enclosed.value))
        if index.size * n_entries(X) <= MAX_EXACT_ENTRIES * len(scores):
            found[index, plane] = exact_affine(X, index, (w, float(b)), np.zeros(index.size), np.ones(index.size)).value
    return found.reshape(scores.shape)


def smallest(values: Vector) -> Smallest:
    """The smallest value and its place; NaN comes before everything."""
    row = int(np.argmin(values))
    return Smallest(float(values[row]), row)


def round_step(width: float) -> float:
    """The next of 1, 2, 2.5 and 5 times a power of ten.

    >>> [round_step(width) for width in (0.07, 1.0, 21.0)]
    [0.1, 1.0, 25.0]
    """
    power = 10.0 ** np.floor(np.log10(width))
    return float(power * min(step for step in (1.0, 2.0, 2.5, 5.0, 10.0) if step * power >= width * (1 - 1e-9)))


def round_edges(low: float, high: float, n_bins: int) -> Vector:
    """Edges of about n_bins bins, multiples of a round number, that cover low to high."""
    largest = max(abs(low), abs(high)) or 1.0
    width = round_step(largest if low == high else max(high - low, 1e-9 * largest) / n_bins)
    first = np.ceil(low / width) - 1
    edges = width * np.arange(first, max(np.ceil(high / width), first + 1) + 1)
    edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)  # a multiple may be rounded the wrong way
    return edges


def bars(counts: np.ndarray, edges: Vector) -> list[str]:
    """A histogram in block characters, one line for each interval."""
    digits = [d for d in range(6) if np.allclose(edges, edges.round(d), rtol=1e-12, atol=0)]
    plain = digits and np.abs(edges).max() < 1e6
    ends = [f"{edge:.{digits[0]}f}" if plain else f"{edge:.3g}" for edge in edges + 0.0]
    width = max(map(len, ends))
    lines = []
    for count, low, high in zip(counts, ends[:-1], ends[1:], strict=True):
        whole, eighths = divmod(round(8 * MAX_BAR_WIDTH * int(count) / int(counts.max())), 8)
        bar = "█" * whole + " ▏▎▍▌▋▊▉"[eighths].strip()
        bar = bar or ("▏" if count else "")  # one row of many is still to be seen
        lines.append(f"  {low:>{width}} to {high:>{width}} {bar}{' ' * bool(bar)}{count:,}")
    return lines
