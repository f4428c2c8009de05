"""`separatrix separable FILE`: decide whether the classes are linearly separable, with proof."""

import argparse
from dataclasses import replace
from typing import Any

from separatrix.analysis.separability import Separability, separability
from separatrix.cli.options import add_data, add_json, as_json, read_file
from separatrix.cli.rows_of_file import refuse_many_classes, rows_by_line
from separatrix.cli.streams import visible, write_answer
from separatrix.data.files.source import Block
from separatrix.data.prepare.preparation import Preparation

NAME = "separable"
MAX_ROWS_SHOWN = 10
SUMMARY = "say whether a plane separates the classes, with proof"
DESCRIPTION = (
    "Say whether planes separate the classes of FILE: completely, only with rows on the plane (quasi-complete), "
    "or not at all (overlap); with the rows that prove it. What cannot be proved in half a minute is undecided. The "
    "proof is about the numbers as they are, nothing is scaled."
)
EXAMPLES = """examples:
  separatrix separable patients.csv --target disease
  separatrix separable patients.csv --target disease --json
  separatrix separable mushrooms.svm --check && echo "a plane separates them\""""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data(parser)
    parser.add_argument("--no-intercept", action="store_true", help="only planes through the origin")
    parser.add_argument("--check", action="store_true", help="exit with 1 unless the classes are completely separable")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Decide, and show the proof."""
    raw = read_file(arguments)
    offset = not arguments.no_intercept
    refuse_many_classes(raw)
    with rows_by_line(raw):
        preparation = Preparation(raw.target or None, scale=False, reference=offset).fit(raw.X)
        found = separability(preparation.transform(raw.X), raw.labels, fit_intercept=offset)
    found = replace(found, feature_names=preparation.feature_names_out_)
    if arguments.json:
        write_answer(as_json(as_dict(found, raw)))
    else:
        write_answer("\n".join([str(found), *preparation.notes_, *lines_of_rows(found, raw)]))
    return 1 if arguments.check and found.kind != "complete" else 0


def lines_of_rows(found: Separability, raw: Block) -> list[str]:
    """Where the rows that the verdict names stand in the file, whose lines count from 1."""
    rows = named_rows(found)
    if raw.lines is None or not rows:
        return []
    shown = ", ".join(f"{row} on line {raw.lines[row]}" for row in rows[:MAX_ROWS_SHOWN])
    more = ", ..." if len(rows) > MAX_ROWS_SHOWN else ""
    return [f"Rows count from 0; in {visible(raw.name, keep='')} row {shown}{more}."]


def named_rows(found: Separability) -> list[int]:
    """The rows that support a plane, or that prove that there is none."""
    rows = found.support if found.support is not None and len(found.support) else found.witness
    return [] if rows is None else [int(row) for row in rows]


def as_dict(found: Separability, raw: Block) -> dict[str, Any]:
    """The verdict for programs."""
    lines = None if raw.lines is None else [raw.lines[row] for row in named_rows(found)]
    return {
        "file": raw.name,
        "kind": found.kind,
        "proved": found.proved,
        "rows": found.problem.n_rows,
        "features": found.problem.n_features,
        "classes": found.classes,
        "margin": found.margin,
        "support": found.support,
        "witness": found.witness,
        "lines": lines,
        "weights": found.weights,
        "on_plane": found.on_plane.size,
        "coef": found.coef,
        "intercept": found.intercept,
    }
