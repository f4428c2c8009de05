"""Tables for the terminal and for the README."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table as RichTable
from rich.text import Text

from separatrix.certificates import Collected, Separator
from separatrix.data.table import Table
from separatrix.estimators.registry import ALGORITHMS, WAYS


class Fit(NamedTuple):
    """A fitted model and what it was fitted to."""

    data: str
    method: str
    model: Any
    table: Table


def fits_table(fits: Iterable[Fit]) -> RichTable:
    """Fitted models side by side: errors, margin, updates against their bound, certificate.

    Examples
    --------
    >>> from separatrix import Perceptron
    >>> from separatrix.data import samples
    >>> from separatrix.report.text import Fit, fits_table
    >>> gate = samples.logic_gate("AND")
    >>> fit = Fit("AND", "perceptron", Perceptron(random_state=0).fit(gate.X, gate.labels), gate)
    >>> fits_table([fit]).row_count  # a heading and the fit
    2
    """
    grid = RichTable(header_style="bold", box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column("method", no_wrap=True)
    for heading in ("errors", "margin", "updates", "bound"):
        grid.add_column(heading, justify="right", no_wrap=True)
    grid.add_column("separation", no_wrap=True)
    previous = ""
    for fit in fits:
        if fit.data != previous:
            grid.add_row(Text(fit.data, style="bold cyan"))
        grid.add_row(f"  {fit.method}", *figures(fit), verdict(fit.model))
        previous = fit.data
    return grid


def figures(fit: Fit) -> tuple[str, str, str, str]:
    """Errors out of rows, distance of the nearest row, updates, and what bounds them."""
    wrong = np.count_nonzero(fit.model.predict(fit.table.X) != fit.table.labels)
    parts = certificates(fit.model)
    nearest = min(part.examined.nearest for part in parts)
    bound = max(part.examined.bound if part.mistakes is not None else np.inf for part in parts)
    updates = sum(model.n_updates_ for model in getattr(fit.model, "estimators_", [fit.model]))
    return (
        f"{wrong}/{fit.table.n_rows}",
        f"{nearest:.2g}" if nearest > 0 else "none",
        f"{updates:,}",
        f"{bound:,.0f}" if np.isfinite(bound) and len(parts) == 1 else "",
    )


def certificates(model: Any) -> list[Separator]:
    """The separators that a model stands on, one or several."""
    certificate = model.certificate_
    return list(certificate.parts) if isinstance(certificate, Collected) else [certificate]


def verdict(model: Any) -> Text:
    """One line on what is proved."""
    parts = certificates(model)
    proved = sum(part.stated == 0 for part in parts)
    if proved == len(parts):
        return Text("proved", style="green")
    return Text(f"{proved} of {len(parts)} proved" if proved else "not certified", style="yellow")


def algorithm_table() -> str:
    """The registry as a Markdown table.

    Examples
    --------
    >>> from separatrix.report.text import algorithm_table
    >>> print(algorithm_table().splitlines()[0])
    | algorithm | in Python | rule | several classes | certificate | source |
    """
    lines = [
        "| algorithm | in Python | rule | several classes | certificate | source |",
        "|---|---|---|---|---|---|",
    ]
    for row in ALGORITHMS:
        options = ", ".join(f"{name}={value!r}" for name, value in row.options.items())
        call = f"`{row.estimator.__name__}({options})`"
        cells = (row.name, call, row.rule, row.several_classes, row.certificate, row.source)
        lines.append(f"| {' | '.join(cells)} |")
    for way in WAYS:
        call = f"`{way.estimator.__name__}(estimator)`"
        lines.append(f"| {way.name} | {call} | {way.rule} | any classifier | one for each plane | {way.source} |")
    return "\n".join(lines)
