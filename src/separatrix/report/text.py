"""Tables for the terminal and for the README."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table as RichTable
from rich.text import Text

from separatrix.certificates import Collected, Separator
from separatrix.data.table import Table
from separatrix.estimators.registry import WRAPPERS, algorithms


class Fit(NamedTuple):
    """A fitted model and what it was fitted to."""

    data: str
    method: str
    model: Any
    table: Table


def fits_table(fits: Iterable[Fit]) -> RichTable:
    """Fitted models side by side: errors, margin, updates against their bound, certificate.

    >>> from separatrix import Perceptron
    >>> from separatrix.data import samples
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
    """Errors out of rows, distance of the nearest row, updates, and what bounds them; "-" where there is none."""
    wrong = np.count_nonzero(fit.model.predict(fit.table.X) != fit.table.labels)
    parts = certificates(fit.model)
    separators = [part for part in parts if isinstance(part, Separator)]
    nearest = min((part.examined.nearest for part in separators), default=0.0)
    bounded = len(parts) == len(separators) == 1 and parts[0].proof and parts[0].mistakes is not None
    models = getattr(fit.model, "estimators_", [fit.model])
    updates = sum(getattr(model, "n_updates_", 0) for model in models)
    return (
        f"{wrong}/{fit.table.n_rows}",
        f"{nearest:.2g}" if nearest > 0 else "-",
        readable(updates) if updates else "-",
        readable(parts[0].examined.bound) if bounded else "-",
    )


def readable(count: float) -> str:
    """A count in few characters.

    >>> readable(12_345), readable(89_850_000)
    ('12,345', '90M')
    """
    for size, letter in ((1e9, "G"), (1e6, "M")):
        if count >= size:
            return f"{count / size:,.0f}{letter}" if count >= 10 * size else f"{count / size:.1f}{letter}"
    return f"{count:,.0f}"


def certificates(model: Any) -> list[Any]:
    """The certificates that a model stands on, one or several."""
    certificate = model.certificate_
    return list(certificate.parts) if isinstance(certificate, Collected) else [certificate]


def verdict(model: Any) -> Text:
    """One line on what is proved."""
    parts = certificates(model)
    proved = sum(bool(part.proof) for part in parts)
    if proved == len(parts):
        return Text("proved", style="green")
    if proved:
        return Text(f"{proved} of {len(parts)} proved", style="yellow")
    claims = any(isinstance(part, Separator) for part in parts)
    return Text("not certified", style="yellow") if claims else Text("not proved", style="dim")


def algorithm_table() -> str:
    """The registry as a Markdown table.

    >>> print(algorithm_table().splitlines()[0])
    | algorithm | in Python | rule | several classes | certificate | source |
    """
    lines = [
        "| algorithm | in Python | rule | several classes | certificate | source |",
        "|---|---|---|---|---|---|",
    ]
    for row in algorithms():
        cells = (row.name, f"`{row.call}`", row.rule, row.several_classes, row.certificate, row.source)
        lines.append(f"| {' | '.join(cells)} |")
    for way in WRAPPERS:
        cells = (way.name, f"`{way.call}`", way.rule, "any classifier", way.certificate, way.source)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
