"""The style of figures: colours that the colour-blind can tell apart (Okabe and Ito, 2008), a marker for each class.

Nothing here changes matplotlib's settings for anyone else, and matplotlib is loaded only when a figure is drawn.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from separatrix.errors import OptionError
from separatrix.report.charts.geometry import View, borders

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")  # one more than colours, so that 56 classes differ in one of the two
INK, FAINT, RULE = "#1A1A1A", "#8C8C8C", "#CCCCCC"
TINT = 0.13  # opacity of the region of a class
LEGEND_WIDTH = 2.1  # inches beside the axes

SETTINGS: dict[Any, Any] = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.labelsize": 11,
    "axes.axisbelow": True,
    "axes.formatter.limits": (-3, 5),
    "axes.formatter.use_mathtext": True,
    "axes.grid": False,
    "axes.spines.top": True,
    "axes.spines.right": True,
    "font.size": 10,
    "hatch.linewidth": 0.6,
    "legend.fontsize": 10,
    "legend.frameon": True,
    "legend.framealpha": 0.92,
    "legend.edgecolor": RULE,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def need_matplotlib() -> None:
    """Raise an ImportError that says how to install matplotlib, where it is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as missing:
        raise ImportError(
            'Figures need matplotlib, which is not installed. Use: pip install "separatrix[plot]"'
        ) from missing


def styled() -> AbstractContextManager[Any]:
    """A context with our settings of matplotlib."""
    need_matplotlib()
    import matplotlib

    return matplotlib.rc_context(SETTINGS)


def axes(ax: Any, width: float = 5.0, height: float = 3.9) -> Any:
    """The axes to draw on: the user's, or those of a new figure that no global state knows of."""
    if ax is not None:
        return ax
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width + LEGEND_WIDTH, height + 0.7), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def axes_for(ax: Any, view: View, names: tuple[str, str]) -> Any:
    """Axes that show exactly a view, to scale where that is possible, with the names of the features."""
    width, height = view.size
    ax = axes(ax, height=min(4.6, max(2.6, 4.6 * height / width)) if view.to_scale else 3.9)
    ax.set_xlim(view.left, view.right)
    ax.set_ylim(view.bottom, view.top)
    ax.set_aspect("equal" if view.to_scale else "auto")
    ax.locator_params(nbins=6)
    ax.set_xlabel(plain(names[0]))
    ax.set_ylabel(plain(names[1]))
    return ax


def legend(ax: Any, beside: bool) -> None:
    """Add a legend, beside the axes in a figure of ours, else where matplotlib finds room."""
    ax.legend(**({"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0} if beside else {}))


def colour(number: int) -> str:
    """The colour of a class."""
    return COLOURS[number % len(COLOURS)]


def marker(number: int) -> str:
    """The marker of a class."""
    return MARKERS[number % len(MARKERS)]


def plain(text: Any) -> str:
    r"""A label escaped for matplotlib, which reads $ as mathematics and hides labels that begin with _.

    >>> print(plain("5$ to 9$"), plain("_none"))
    5\$ to 9\$  _none
    """
    return (" " if str(text).startswith("_") else "") + str(text).replace("$", r"\$")


def short(text: Any, most: int = 24) -> str:
    r"""A label on one line of at most `most` characters, without unprintable ones.

    >>> short("mean of the\nfractal dimension", 20)
    'mean of th…dimension'
    """
    kept = "".join(sign if sign.isprintable() else " " for sign in str(text))
    words = " ".join(kept.split())
    if len(words) <= most:
        return words
    start = most // 2
    return words[:start] + "…" + words[len(words) - (most - start - 1) :]


def distinct(names: Sequence[Any], most: int = 24) -> list[str]:
    """Names cut short; what all begin and end with gives way first, where else they would look the same.

    >>> distinct([f"concentration of metabolite {j} in plasma, fasting" for j in (3, 14)], 16)
    ['… 3 in plasma, …', '… 14 in plasma,…']
    """
    whole = [short(name, 10_000) for name in names]
    cut = [short(name, most) for name in whole]
    if len(set(cut)) == len(set(whole)) or len(set(whole)) < 2:
        return cut
    low, high = min(whole), max(whole)  # what these two begin with, all do
    same = next(place for place, (a, b) in enumerate(zip(low + "\0", high + "\1", strict=False)) if a != b)
    start = max(low[:same].rfind(" "), 0)
    ends = [name[start : start + most - 1] for name in whole]
    return [f"…{end}" if name.endswith(end) else f"…{end[:-1]}…" for name, end in zip(whole, ends, strict=True)]


def axis_names(given: Sequence[str] | None, found: Any) -> tuple[str, str]:
    """Names of two features: the user's, else those that the model was fitted with, else x1 and x2."""
    names = given if given is not None else found
    if names is None:
        return "x1", "x2"
    if isinstance(names, str) or len(names) != 2:
        raise OptionError(f"The 'feature_names' parameter must hold two names. Got {given!r}.")
    return str(names[0]), str(names[1])


def scatter(ax: Any, points: np.ndarray, codes: np.ndarray, classes: Sequence[Any], size: float | None = None) -> None:
    """The rows, with a colour and a marker for each class, of an area in square points that suits their number."""
    size = float(np.clip(6000 / max(len(points), 1), 14, 56)) if size is None else size
    for number, label in enumerate(classes):
        own = points[codes == number]
        ax.scatter(
            own[:, 0], own[:, 1], s=size, c=colour(number), marker=marker(number), label=plain(label),
            edgecolors="white", linewidths=0.5, zorder=3,
        )  # fmt: skip


def tint(ax: Any, polygons: Sequence[np.ndarray]) -> list[Any]:
    """Fill the region of each class with a light tone of its colour."""
    from matplotlib.patches import Polygon

    fills = [
        Polygon(polygon, closed=True, facecolor=colour(number), alpha=TINT, linewidth=0, zorder=0)
        for number, polygon in enumerate(polygons)
        if len(polygon)
    ]
    return [ax.add_patch(fill) for fill in fills]


def boundaries(ax: Any, polygons: Sequence[np.ndarray], view: View) -> None:
    """The lines between the regions of several classes."""
    for edge in borders(polygons, view):
        ax.plot(*edge.T, color=INK, linewidth=1.4, solid_capstyle="round", zorder=2)


def note(ax: Any, text: str) -> Any:
    """A remark at the top of the picture."""
    box = {"facecolor": "white", "edgecolor": RULE, "boxstyle": "round,pad=0.3"}
    return ax.text(0.5, 0.96, text, transform=ax.transAxes, ha="center", va="top", bbox=box, zorder=6)


def ring(ax: Any, points: np.ndarray, label: str) -> Any:
    """Open circles around some rows."""
    return ax.scatter(
        points[:, 0], points[:, 1], s=150, facecolors="none", edgecolors=INK, linewidths=1.4, zorder=4, label=label
    )


def palette(n_classes: int) -> list[int]:
    """The palette of a figure of `n_classes` classes as red, green, blue, with mixtures for antialiased edges."""
    inks = np.array([[int(text[place : place + 2], 16) for place in (1, 3, 5)] for text in (INK, FAINT, *COLOURS)])
    ink, faint, *own = inks[: 2 + min(n_classes, len(COLOURS))].astype(float)
    white = np.full(3, 255.0)
    shades = [white, *between(ink, white, 8), *between(faint, white, 3)]
    for tone in own:
        light = white + TINT * (tone - white)
        shades += [light, *between(tone, white, 4), *between(ink, light, 4), *between(tone, light, 3)]
    return np.array(shades).round().astype(int).ravel().tolist()


def between(one: np.ndarray, other: np.ndarray, steps: int) -> list[np.ndarray]:
    """Mixtures from one colour towards another, the first included."""
    return [one + part * (other - one) for part in np.arange(steps) / steps]
