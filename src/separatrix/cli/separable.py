"""`separatrix separable FILE`: decide whether the classes are linearly separable, with proof."""

import argparse
from dataclasses import replace
from typing import Any

from separatrix.analysis.separability import Separability, separability
from separatrix.cli.options import add_data, add_json, as_json, read_file
from separatrix.cli.streams import write_answer
from separatrix.data.prepare.preparation import Preparation

NAME = "separable"
SUMMARY = "say whether a plane separates the classes, with proof"
DESCRIPTION = (
    "Say whether planes separate the classes of FILE: completely, only with rows on the plane (quasi-complete), "
    "or not at all (overlap); with the rows that prove it. The proof is about the numbers as they are, nothing is "
    "scaled."
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
    preparation = Preparation(raw.target or None, scale=False, reference=offset).fit(raw.X)
    found = separability(preparation.transform(raw.X), raw.labels, fit_intercept=offset)
    found = replace(found, feature_names=preparation.feature_names_out_)
    if arguments.json:
        write_answer(as_json(as_dict(found, raw.name)))
    else:
        write_answer("\n".join([str(found), *preparation.notes_]))
    return 1 if arguments.check and found.kind != "complete" else 0


def as_dict(found: Separability, name: str) -> dict[str, Any]:
    """The verdict for programs."""
    return {
        "file": name,
        "kind": found.kind,
        "proved": found.proved,
        "rows": found.problem.n_rows,
        "features": found.problem.n_features,
        "classes": found.classes,
        "margin": found.margin,
        "support": found.support,
        "witness": found.witness,
        "weights": found.weights,
        "on_plane": found.on_plane.size,
        "coef": found.coef,
        "intercept": found.intercept,
    }
