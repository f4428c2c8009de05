"""Options of a study of classes: what methods are ranked by, the class that is looked for, and class weights."""

import argparse
import shlex
from typing import Any

from separatrix.errors import OptionError
from separatrix.selection.measures.metrics import METRICS


def add_metric(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--metric", choices=METRICS, default="error", help="what classifiers are ranked by (default: error)"
    )
    parser.add_argument(
        "--positive", metavar="LABEL", help="the class that recall and f1 are of (default: 1, or the rarer of two)"
    )
    weights = parser.add_mutually_exclusive_group()
    weights.add_argument("--balanced", action="store_true", help="let every class count the same, however rare it is")
    weights.add_argument(
        "--class-weight",
        metavar="LABEL=WEIGHT",
        action="append",
        default=[],
        help="let rows of a class count so much; once for each class, 1 for the others",
    )


def class_options(arguments: argparse.Namespace, task: str) -> dict[str, Any]:
    """What a study is asked of classes; refused where it is about numbers or about rows alone."""
    given = metric_words(arguments)
    if task != "classification":
        if given:
            raise OptionError(f"{given[0]} is about classes, and this is a study of {task}: leave it out.")
        return {}
    weights: Any = "balanced" if arguments.balanced else None
    if arguments.class_weight:
        weights = dict(label_and_weight(text) for text in arguments.class_weight)
    return {"metric": arguments.metric, "positive": arguments.positive, "class_weight": weights}


def label_and_weight(text: str) -> tuple[str, float]:
    """A label and the weight of its rows, given as LABEL=WEIGHT."""
    label, sign, weight = text.rpartition("=")
    try:
        if sign and label:
            return label, float(weight)
    except ValueError:
        pass
    raise OptionError(f"--class-weight {text}: write LABEL=WEIGHT, such as fraud=20.")


def metric_words(arguments: argparse.Namespace) -> list[str]:
    """The words of a command line that ask the same again."""
    words = [] if arguments.metric == "error" else ["--metric", arguments.metric]
    words += [] if arguments.positive is None else ["--positive", shlex.quote(arguments.positive)]
    words += ["--balanced"] if arguments.balanced else []
    for text in arguments.class_weight:
        words += ["--class-weight", shlex.quote(text)]
    return words
