"""Timing on a shared machine: contestants take turns, and medians are compared within one run."""

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

QUICK_TURNS = 3  # of the contestants in the quick set

console = Console(width=120)


class Row(NamedTuple):
    """One comparison: seconds of ours and of a peer, the ratio that is the goal, and a remark."""

    case: str
    peer: str
    ours: float
    theirs: float
    goal: float | None
    remark: str = ""

    @property
    def ratio(self) -> float:
        """How many times as fast we are."""
        return self.theirs / self.ours


def seconds(job: Callable[[], object]) -> float:
    """Time one call."""
    started = time.perf_counter()
    job()
    return time.perf_counter() - started


def in_turns(jobs: dict[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Median of what each job measures, the jobs taking turns; the first turn warms up."""
    taken: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(repeats + 1):
        for name, job in jobs.items():
            taken[name].append(job())
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


def per_pass(fit: Callable[[int], object], few: int = 1, many: int = 11) -> float:
    """Seconds that one more pass costs: what `many` passes take beyond `few`, so that validation does not count."""
    started = seconds(lambda: fit(few))
    return max(seconds(lambda: fit(many)) - started, 1e-9) / (many - few)


def memory_speed() -> float:
    """Bytes a second that one core reads, from summing an array far larger than the caches."""
    array = np.ones(2**24)
    best = min(seconds(array.sum) for _ in range(7))
    return array.nbytes / best


def show(title: str, rows: list[Row]) -> None:
    """Print comparisons, and say where a goal is missed."""
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading, side in (("case", "left"), ("peer", "left"), ("ours", "right"), ("peer's", "right")):
        table.add_column(heading, justify=side, no_wrap=True)  # type: ignore[arg-type]
    for heading in ("ratio", "goal"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    for row in rows:
        style = "" if row.goal is None else "green" if row.ratio >= row.goal else "red"
        goal = "" if row.goal is None else f"{row.goal:g}x"
        times = f"{1e3 * row.ours:.1f} ms", f"{1e3 * row.theirs:.1f} ms"
        table.add_row(
            row.case,
            row.peer,
            *times,
            f"[{style}]{row.ratio:.1f}x[/]" if style else f"{row.ratio:.1f}x",
            goal,
            row.remark,
        )
    console.print(table)
