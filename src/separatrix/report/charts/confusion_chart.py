"""The confusion matrix: counts of rows by true class and by predicted class."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.errors import DataError
from separatrix.report.charts import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RIGHT, WRONG = style.COLOURS[0], style.COLOURS[1]
MAX_CLASSES_NUMBERED = 15  # beyond these a cell has no room for its number
MAX_CLASSES_NAMED = 30
MAX_OPACITY = 0.55  # text on it can still be read


def confusion_chart(
    counts: Any, classes: Sequence[Any], ax: "Axes | None" = None, *, title: str | None = None
) -> "Axes":
    """Draw a confusion matrix, each cell with its count and its fraction of the true class.

    Parameters
    ----------
    counts : array of shape (k, k)
        Rows of class i that were taken for class j.
    classes : k labels
        Their names.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    title : str or None
        None: how many rows are right.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("confusion.png")`.

    Examples
    --------
    >>> from separatrix.report import confusion_chart
    >>> ax = confusion_chart([[9, 1], [0, 10]], ["ill", "well"])
    >>> [text.get_text() for text in ax.texts]
    ['9', '90%', '1', '10%', '10', '100%']
    >>> ax.get_title(loc="left")
    '19 of 20 rows right'
    """
    table = np.asarray(counts)
    k = len(classes)
    if table.shape != (k, k):
        raise DataError(f"A confusion matrix of {k} classes has {k} rows and columns. Got an array of {table.shape}.")
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    with style.styled():
        ax = style.axes(ax, height=3.4)
        draw_cells(ax, shares)
        if k <= MAX_CLASSES_NUMBERED:
            write_numbers(ax, table, shares)
        name_classes(ax, classes)
        right = f"{int(np.trace(table)):,} of {int(table.sum()):,} rows right"
        ax.set_title(right if title is None else title, loc="left")
    return ax


def draw_cells(ax: Any, shares: np.ndarray) -> None:
    """A tile for each cell that is not empty, with an opacity that grows with its fraction of the true class."""
    from matplotlib.patches import Rectangle

    k = len(shares)
    gap = 0.03 if k <= MAX_CLASSES_NUMBERED else 0.0
    for i, j in np.argwhere(shares > 0).tolist():
        tone = RIGHT if i == j else WRONG
        depth = 0.06 + (MAX_OPACITY - 0.06) * np.sqrt(shares[i, j])  # one row of a thousand is still to be seen
        corner = j - 0.5 + gap, i - 0.5 + gap
        size = 1 - 2 * gap
        ax.add_patch(Rectangle(corner, size, size, facecolor=tone, alpha=depth, linewidth=0, zorder=1))
    ax.set_xlim(-0.5, k - 0.5)
    ax.set_ylim(k - 0.5, -0.5)
    for side in ax.spines.values():
        side.set_color(style.RULE)


def write_numbers(ax: Any, table: np.ndarray, shares: np.ndarray) -> None:
    """The count of each cell that is not empty, and below it the fraction of the true class."""
    k = len(table)
    large, small = (12, 9) if k <= 4 else (10, 7.5) if k <= 7 else (8, 6)
    for i, j in np.argwhere(table > 0).tolist():
        share = shares[i, j]
        words = f"{share:.0%}" if share == 1 or 0.01 <= share < 0.995 else f"{share:.1%}" if share > 0.5 else "<1%"
        for line, size, up in ((f"{table[i, j]:,}", large, 1.5), (words, small, -small - 1.0)):
            ax.annotate(line, (j, i), (0, up), textcoords="offset points", ha="center", va="baseline", fontsize=size)


def name_classes(ax: Any, classes: Sequence[Any]) -> None:
    """The names of the classes along both axes."""
    k = len(classes)
    longest = 14 if k <= 7 else 10
    names = [style.plain(style.short(label, longest)) for label in classes]
    if k > MAX_CLASSES_NAMED:
        ax.set_xticks([])
        ax.set_yticks([])
    else:
        turned = max(map(len, names)) * k > 44
        size = 10 if k <= 7 else 8 if k <= MAX_CLASSES_NUMBERED else 6
        ax.set_xticks(range(k), names, rotation=90 if turned else 0, fontsize=size)
        ax.set_yticks(range(k), names, fontsize=size)
    ax.tick_params(length=0)
    ax.set_xlabel("predicted")
    ax.set_ylabel("true class")
