"""`separatrix export MODEL OUTPUT`: a stored model as an ONNX graph, a file of LIBLINEAR or LIBSVM, or plain code."""

import argparse
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from separatrix.cli.options import refuse_overwriting
from separatrix.cli.streams import visible, write_answer
from separatrix.data.prepare.preparation import Preparation
from separatrix.errors import OptionError
from separatrix.estimators.store.model_file import load
from separatrix.interchange.code.export import to_code
from separatrix.interchange.libsvm.liblinear_file import write_liblinear
from separatrix.interchange.libsvm.libsvm_file import write_libsvm
from separatrix.interchange.onnx.export import to_onnx

NAME = "export"
SUMMARY = "write a model as ONNX, as a file of LIBLINEAR or LIBSVM, or as code in Python, SQL or C"
DESCRIPTION = (
    "Write the model that MODEL holds in a form that others read, and that predicts the same. The ending of OUTPUT "
    "says which (.onnx, .py, .sql, .c, .liblinear, .libsvm), or --to. ONNX takes all models of numbers and words; code "
    "in Python and SQL linear models, with the preparation of their columns, code in C those of numbers. Files of "
    "LIBLINEAR and LIBSVM take models whose columns are numbers as they are, without --scale."
)
EXAMPLES = """examples:
  separatrix export model.json model.onnx
  separatrix export model.json score.sql
  separatrix export model.json model --to liblinear"""

WRITERS: Mapping[str, Callable[[Any, str], Any]] = {
    "onnx": to_onnx,
    "python": lambda model, path: to_code(model, "python", path),
    "sql": lambda model, path: to_code(model, "sql", path),
    "c": lambda model, path: to_code(model, "c", path),
    "liblinear": lambda model, path: write_liblinear(as_it_is(model), path),
    "libsvm": lambda model, path: write_libsvm(as_it_is(model), path),
}
ENDINGS = {".onnx": "onnx", ".py": "python", ".sql": "sql", ".c": "c", ".liblinear": "liblinear", ".libsvm": "libsvm"}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    parser.add_argument("output", metavar="OUTPUT", help="the file to write")
    parser.add_argument("--to", choices=tuple(WRITERS), help="the form (default: by the ending of OUTPUT)")


def run(arguments: argparse.Namespace) -> int:
    """Read, write, and say so."""
    kind = arguments.to or ENDINGS.get(Path(arguments.output).suffix.lower())
    if kind is None:
        raise OptionError(
            f"{arguments.output}: the ending says no form. Use one of {', '.join(ENDINGS)}, or --to one of "
            f"{', '.join(WRITERS)}."
        )
    refuse_overwriting(arguments.output, arguments.model)
    WRITERS[kind](load(arguments.model), os.fspath(arguments.output))
    write_answer(f"Stored in {visible(arguments.output, keep='')}.")
    return 0


def as_it_is(model: Any) -> Any:
    """The estimator of a pipeline whose preparation leaves every column as it is."""
    if not isinstance(model, Pipeline):
        return model
    preparation = model.steps[0][1]
    plain = isinstance(preparation, Preparation) and all(
        column.kind == "number" and (column.centre, column.scale) == (0.0, 1.0) for column in preparation.columns_
    )
    if not plain or len(model.steps) != 2:
        raise OptionError(
            "Files of LIBLINEAR and LIBSVM hold no preparation of columns, and this model has one. Fit it to numbers "
            "without --scale, or export it as ONNX."
        )
    return model.steps[1][1]
