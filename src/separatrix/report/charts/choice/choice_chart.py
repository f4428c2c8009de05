"""A choice of options as a picture: the curve of one option, or the map of two, at the chosen values of all others."""

from typing import TYPE_CHECKING, Any

import numpy as np

from separatrix.errors import OptionError
from separatrix.report.charts import style
from separatrix.report.charts.error_curve import error_curve, open_frame
from separatrix.report.charts.error_map import error_map
from separatrix.rows import Vector
from separatrix.selection.choosing.choice import Choice
from separatrix.selection.choosing.choice_table import shown, value_text
from separatrix.selection.grid_errors import is_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MIN_RATIO_FOR_LOG = 20.0  # of the largest value to the smallest


def choice_chart(choice: Choice, ax: "Axes | None" = None, *, options: Any = None, title: str | None = None) -> "Axes":
    """Draw the cross-validated error over the options that were chosen: a curve of one, a map of two.

    Bands and outlines are one standard error.

    Parameters
    ----------
    choice : Choice
        What `choose` returned.
    ax : matplotlib Axes or None
        Where to draw; None makes a new figure, which is `ax.figure` of what is returned.
    options : name, pair of names, or None
        Which options to draw; the others have their chosen values. None: the first two that have several values.
    title : str or None
        None: the chosen setting and its error.

    Returns
    -------
    Axes
        Save it with `ax.figure.savefig("choice.png")`.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from separatrix import KernelSVM, choose
    >>> from separatrix.report import choice_chart
    >>> found = choose(KernelSVM(), *make_moons(200, noise=0.2, random_state=0), {"gamma": [0.01, 0.1, 1, 10]})
    >>> choice_chart(found).get_title(loc="left")
    'gamma = 10: error 3.12 %'
    """
    names = drawn_options(choice, options)
    if title is None:
        percent = " %" if choice.metric.in_percent else ""
        error = f"{choice.metric.title} {choice.metric.text(float(choice.grid.mean[choice.place]))}{percent}"
        title = style.plain(f"{shown(choice.parameters)}: {error}")
    draw = draw_curve if len(names) == 1 else draw_map
    return draw(choice, names, ax, title)


def drawn_options(choice: Choice, wanted: Any) -> list[str]:
    """One or two options to draw, as they are named or as there are several values of them."""
    known = choice.grid.options
    if wanted is None:
        return [name for name, values in known.items() if len(values) > 1][:2] or list(known)[:1]
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    strange = [name for name in names if name not in known]
    if strange or not 1 <= len(names) <= 2 or len(set(names)) < len(names):
        raise OptionError(f"'options' must be one or two of {', '.join(known)}. Got {wanted!r}.")
    return names


def section(choice: Choice, names: list[str]) -> tuple[Vector, Vector]:
    """Mean errors and their standard errors over some options, the others at their chosen values."""
    order = list(choice.grid.options)
    place = tuple(slice(None) if name in names else choice.place[axis] for axis, name in enumerate(order))
    found = choice.grid.mean[place], choice.grid.standard_error[place]
    return found if sorted(names, key=order.index) == names else (found[0].T, found[1].T)


def unit_of(choice: Choice) -> str | None:
    """What errors are measured in; None for the part of the rows that is wrong."""
    metric = choice.metric
    return None if metric.name == "error" else f"{metric.loss_title}, %" if metric.in_percent else metric.loss_title


def draw_curve(choice: Choice, names: list[str], ax: Any, title: str) -> "Axes":
    """The curve of one option, or points where its values are no numbers."""
    (mean, spread), (name,) = section(choice, names), names
    values, place = choice.grid.options[name], choice.place[list(choice.grid.options).index(name)]
    if not all(map(is_number, values)):
        return draw_points(choice, name, ax, title)
    factor = 100.0 if choice.metric.in_percent and choice.metric.name != "error" else 1.0
    at, there = np.array(values, dtype=np.float64), np.isfinite(mean)
    middle, low, high = (factor * each[there] for each in (mean, mean - spread, mean + spread))
    return error_curve(
        at[there], middle, low, high, float(at[place]), ax,
        name=name, unit=unit_of(choice), title=title, scale="log" if is_wide(at) else "linear",
    )  # fmt: skip


def draw_points(choice: Choice, name: str, ax: Any, title: str) -> "Axes":
    """A point with its standard error for each value, side by side; the chosen one larger."""
    mean, spread = section(choice, [name])
    values, chosen = choice.grid.options[name], choice.place[list(choice.grid.options).index(name)]
    factor = 100.0 if choice.metric.in_percent else 1.0
    with style.styled():
        ax = style.axes(ax)
        for place in range(len(values)):
            own = {"color": style.colour(int(place == chosen)), "markersize": 8 if place == chosen else 5}
            ax.errorbar(place, factor * mean[place], factor * spread[place], fmt="o", linewidth=1.6, capsize=4, **own)
        ax.set_xticks(range(len(values)), [style.plain(value_text(value)) for value in values])
        ax.set_xlim(-0.5, len(values) - 0.5)
        ax.set(xlabel=style.plain(name), ylabel=style.plain(unit_of(choice) or "error, %"))
        open_frame(ax)
        ax.set_title(title, loc="left")
    return ax


def is_wide(values: Vector) -> bool:
    """Whether values above 0 differ so much that only a logarithmic axis shows them.

    >>> is_wide(np.array([0.1, 1.0, 10.0])), is_wide(np.arange(20.0)), is_wide(np.arange(1.0, 10.0))
    (True, False, False)
    """
    finite = values[np.isfinite(values)]
    return bool(finite.size and finite.min() > 0 and finite.max() >= MIN_RATIO_FOR_LOG * finite.min())


def draw_map(choice: Choice, names: list[str], ax: Any, title: str) -> "Axes":
    """The map of two options; those that are no positive numbers are drawn side by side."""
    mean, spread = section(choice, names)
    factor = 100.0 if choice.metric.in_percent and choice.metric.name != "error" else 1.0
    values = [choice.grid.options[name] for name in names]
    plain = [is_on_log_axis(each) for each in values]
    at: list[Any] = [each if log else 10.0 ** np.arange(len(each)) for each, log in zip(values, plain, strict=True)]
    pair = (names[0], names[1])
    ax = error_map(at[0], at[1], factor * mean, factor * spread, ax, names=pair, unit=unit_of(choice), title=title)
    for axis, log, positions, each, name in zip((ax.yaxis, ax.xaxis), plain, at, values, names, strict=True):
        if not log:
            axis.set_ticks(positions, [style.plain(value_text(value)) for value in each])
            axis.set_label_text(style.plain(name))
    return ax


def is_on_log_axis(values: Any) -> bool:
    """Whether values are different finite numbers above 0."""
    if not all(map(is_number, values)):
        return False
    numbers = np.array(values, dtype=np.float64)
    return bool(np.isfinite(numbers).all() and (numbers > 0).all() and np.unique(numbers).size == numbers.size)
