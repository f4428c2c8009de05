"""Real data: every estimator that has a peer beside its peers, with time, gap and memory.

`python benchmarks/real.py FILE_OR_FOLDER ...` adds sets to those of scikit-learn. Each contestant has a process of its
own, which is killed when its time is over. A peer's tolerance is tightened until its own objective is within 1e-4 of
its optimum, and that fit counts; ours is asked for a certified gap of 1e-6. Memory is the peak of the process during
the fits above its level before them, when the data were there and a few rows fitted.
"""

import argparse
import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from measuring import console
from real_fits import FAMILIES, REFERENCES, WITHOUT_C, Contestant, Fitted, serve
from real_sets import BUILT_IN, RealSet, built_in, files_of, read, reduced
from rich.box import SIMPLE_HEAD
from rich.table import Table
from svm_peers import CLOSE, OVER, Bench

FULL_LIMIT, QUICK_LIMIT = 30.0, 3.0  # seconds for each fit
QUICK_SETS = "iris", "breast cancer"
REFERENCE_PATIENCE = 3.0  # times the limit that a lower bound may take


class Line(NamedTuple):
    """A line of the table: seconds are infinite where the time was over, and the gap NaN where none is known."""

    set: str
    size: str
    data_megabytes: float
    family: str
    C: float | None
    contestant: str
    seconds: float
    cpu: float
    gap: float
    megabytes: float
    tol: float | None
    remark: str

    @property
    def counts(self) -> bool:
        """Whether it came near enough to the optimum, in time."""
        return bool(np.isfinite(self.seconds) and (np.isnan(self.gap) or self.gap <= CLOSE))


def run(quick: bool, limit: float | None = None) -> None:
    """Measure the built-in sets, for `run.py`."""
    sets = [built_in(name) for name in (QUICK_SETS if quick else BUILT_IN)]
    limit = min(limit or FULL_LIMIT, QUICK_LIMIT if quick else FULL_LIMIT)
    show(list(measured([reduced(each, None, scale=False) for each in sets], list(FAMILIES), (1.0,), limit)))


def measured(sets: list[RealSet], families: list[str], values: tuple[float, ...], limit: float) -> Iterator[Line]:
    """A line for each set, family, C and contestant."""
    for given in sets:
        for family in families:
            for C in values[:1] if family in WITHOUT_C else values:
                yield from family_lines(given, family, C, limit)


def family_lines(given: RealSet, family: str, C: float, limit: float) -> Iterator[Line]:
    """A line for each contestant of a family that is installed and knows as many classes."""
    bounds: dict[str, float] = {}
    for name, contestant in FAMILIES[family].items():
        several = np.unique(given.y).size > 2
        if name in REFERENCES or (contestant.two_classes and several) or not is_installed(contestant):
            continue
        yield contestant_line(given, family, name, C, limit, bounds)


def is_installed(contestant: Contestant) -> bool:
    return not contestant.module or find_spec(contestant.module) is not None


def contestant_line(given: RealSet, family: str, name: str, C: float, limit: float, bounds: dict[str, float]) -> Line:
    """Fit to tighter and tighter tolerances until the optimum is near, time is over, or nothing more comes of it."""
    contestant, made = FAMILIES[family][name], list[tuple[float, Fitted, float]]()
    with Bench(f"{family}/{name}", given.X, given.y, C, limit, serve) as bench:
        for tol in contestant.ladder:
            answer: Any = bench.fit(tol)
            if answer == OVER:
                break
            made.append((tol, answer, gap_of(given, family, contestant, C, limit, answer, bounds)))
            if made[-1][2] <= CLOSE or not np.isfinite(made[-1][2]) or stalled(made):
                break
        failure = bench.failure
    head = given.name, given.size, given.megabytes, family, None if family in WITHOUT_C else C, name
    if not made:
        return Line(*head, np.inf, np.inf, np.nan, np.nan, None, failure or f"not in {limit:g} s")
    tol, answer, gap = made[-1]
    near = np.isnan(gap) or gap <= CLOSE
    remark = answer.remark if near else f"{answer.remark} not within {CLOSE:g} in {limit:g} s".strip()
    return Line(
        *head, answer.seconds, answer.cpu, gap, answer.megabytes, tol if len(contestant.ladder) > 1 else None, remark
    )


def stalled(made: list[tuple[float, Fitted, float]]) -> bool:
    """Whether two tighter tolerances in a row have improved nothing."""
    return len(made) > 2 and made[-1][2] > 0.8 * made[-3][2]


def gap_of(
    given: RealSet,
    family: str,
    contestant: Contestant,
    C: float,
    limit: float,
    answer: Fitted,
    bounds: dict[str, float],
) -> float:
    """The gap that was measured, or (P - P*) / P* from the lower bound for the objective; NaN where there is none."""
    if not contestant.bound:
        return answer.measured
    if contestant.bound not in bounds:
        reference = f"{family}/{contestant.bound}"
        with Bench(reference, given.X, given.y, C, REFERENCE_PATIENCE * limit, serve) as bench:
            found: Any = bench.fit(1e-8)
        bounds[contestant.bound] = np.nan if found == OVER else found.measured
    below = bounds[contestant.bound]
    return (answer.measured - below) / below


def show(lines: list[Line]) -> None:
    """Print one table; times that do not count are dim."""
    title = "Real data: time, relative gap of the own objective, peak memory of the fit"
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for heading in ("set", "family", "C", "contestant"):
        table.add_column(heading, no_wrap=True)
    for heading in ("time", "gap", "memory"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    known = None
    for line in lines:
        if line.set != known:
            console.print(f"[bold]{line.set}[/]: {line.size}, {line.data_megabytes:.1f} MB")
            table.add_section()
        time = f"{1e3 * line.seconds:,.1f} ms" if np.isfinite(line.seconds) else "-"
        gap = "-" if np.isnan(line.gap) else f"{line.gap:.0e}" if np.isfinite(line.gap) else "none"
        memory = "-" if np.isnan(line.megabytes) else f"{line.megabytes:,.0f} MB"
        style = "" if line.counts else "dim"
        C = "" if line.C is None else f"{line.C:g}"
        first, known = line.set if line.set != known else "", line.set
        table.add_row(first, line.family, C, line.contestant, time, gap, memory, line.remark, style=style)
    console.print(table)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", metavar="path", help="files or folders: LIBSVM text, CSV, .npz, also .gz")
    parser.add_argument("--no-built-in", action="store_true", help="leave out the sets of scikit-learn")
    parser.add_argument("--families", nargs="+", choices=list(FAMILIES), default=list(FAMILIES))
    parser.add_argument("--C", nargs="+", type=float, default=[1.0], metavar="C", help="values of C (default: 1)")
    parser.add_argument(
        "--limit", type=float, default=FULL_LIMIT, help=f"seconds for each fit (default: {FULL_LIMIT:g})"
    )
    parser.add_argument("--max-rows", type=int, metavar="N", help="draw at most so many rows of each set")
    parser.add_argument("--scale", action="store_true", help="bring dense columns to mean 0 and deviation 1")
    parser.add_argument("--json", metavar="FILE", help="write all lines to a file, too")
    options = parser.parse_args(arguments)
    sets = [] if options.no_built_in else [built_in(name) for name in BUILT_IN]
    sets += [read(file) for path in options.paths for file in files_of(path)]
    sets = [reduced(each, options.max_rows, options.scale) for each in sets]
    lines = list(measured(sets, options.families, tuple(options.C), options.limit))
    show(lines)
    if options.json:
        Path(options.json).write_text(json.dumps([as_plain(line) for line in lines], indent=1) + "\n")


def as_plain(line: Line) -> dict[str, Any]:
    """A line for JSON, which has no infinities."""
    plain = line._asdict()
    return {key: None if isinstance(value, float) and not np.isfinite(value) else value for key, value in plain.items()}


if __name__ == "__main__":
    main()
