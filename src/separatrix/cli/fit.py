"""`separatrix fit FILE MODEL`: fit one estimator to a file and store it."""

import argparse
import inspect
import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from separatrix.cli.algorithms import (
    KERNELS,
    STEPS,
    TASKS,
    asked_task,
    choices,
    make_estimator,
    number_or_word,
    takes_texts,
)
from separatrix.cli.blocks.files import add_blocks, in_blocks
from separatrix.cli.blocks.fit import fit_in_blocks
from separatrix.cli.options import (
    add_data,
    add_json,
    add_task,
    add_weights,
    as_json,
    read_file,
    refuse_overwriting,
    remember_reading,
    seed,
)
from separatrix.cli.rows_of_file import rows_alone, rows_by_line, taken_for_classes, taken_for_numbers
from separatrix.cli.streams import visible, write_answer, write_note
from separatrix.data.files.source import Block
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.text_column import TextColumn
from separatrix.data.task import check_numbers, task_of
from separatrix.errors import NotCertifiedWarning, OptionError, counted
from separatrix.estimators.algorithm import Task
from separatrix.estimators.store.model_file import save
from separatrix.selection.regression.table import in_units
from separatrix.selection.regression.tube import half_width
from separatrix.selection.regression.units import powers

__all__ = ["NAME", "SUMMARY", "add_options", "choices", "run"]

NAME = "fit"
TUBE_RTOL = 1e-9  # rows on the edge of the tube are not outside of it
MIN_FLATNESS = 0.8  # of the error of the median: a fit that is so far off is hardly one
SUMMARY = "fit a classifier or a regressor to a file and store it as JSON"
DESCRIPTION = (
    "Fit an estimator to the rows of FILE and write it to MODEL, a JSON file that holds the model, the "
    "certificate and what was done to the columns. Features are taken as they are, unless --scale is given; "
    "missing numbers become the median of their column and words columns of 0 and 1. --kernel fits a kernel machine; "
    "tokens (words) and spectrum (substrings) are kernels of texts, for a FILE with one column of them. A target of "
    "more than 20 different numbers is predicted as a number if they have fractions or hardly repeat; any other one "
    "holds classes. --task says it otherwise, and novelty needs no target. A folder, a pattern of names and a file "
    "that is large for the memory are read in blocks, as often as the fit needs."
)
EXAMPLES = """examples:
  separatrix fit patients.csv model.json --target disease
  separatrix fit -c 10 heart_scale model.json          LIBSVM text: labels in front, no target
  separatrix fit patients.csv model.json -t disease --kernel rbf --gamma 0.1 -c 10 --scale
  separatrix fit letters.csv model.json -t language --kernel spectrum --length 3
  separatrix fit -a gaussian-discriminant patients.csv model.json -t disease --scale
  separatrix fit patients.csv model.json -t disease --set loss=squared_hinge --set tol=1e-9
  separatrix fit houses.csv model.json -t price --task regression --epsilon 5000 --scale
  separatrix fit machines.csv model.json --task novelty --nu 0.01 --scale
  separatrix fit 'big/*.parquet' model.json -t disease     more rows than fit into memory"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    lists = [f"algorithms for {task}: {', '.join(choices(task))}" for task in TASKS if choices(task)]
    parser.epilog = "\n".join([*lists, "", str(parser.epilog)])
    add_data(parser)
    parser.add_argument("model", metavar="MODEL", help="where to write the model")
    add_task(parser)
    add_estimator(parser)
    add_weights(parser)
    add_blocks(parser, checkpoint=True)
    parser.add_argument(
        "--no-dual",
        dest="dual",
        action="store_false",
        help="store no dual variables: a small file, of whose certificate verify cannot recompute a gap",
    )
    add_json(parser)


def add_estimator(parser: argparse.ArgumentParser) -> None:
    """Add the options that say which estimator is fitted, and with which parameters."""
    parser.add_argument("-a", "--algorithm", metavar="NAME", help="see below (default: linear-svm, linear-svr)")
    parser.add_argument("-c", "--cost", type=float, metavar="C", help="weight of the losses; inf for no slack at all")
    parser.add_argument("-e", "--tol", type=float, metavar="TOL", help="the error that the certificate must reach")
    parser.add_argument(
        "--epsilon", type=float, metavar="E", help="regression: half the width of the tube, in units of the target"
    )
    parser.add_argument("--nu", type=float, metavar="NU", help="the part of the rows that may be outside, 0 to 1")
    add_kernel(parser)
    parser.add_argument("--seed", type=seed, default=0, help="for algorithms that draw random numbers (default: 0)")
    parser.add_argument("--balanced", action="store_true", help="let all classes weigh the same")
    parser.add_argument("--scale", action="store_true", help="bring numbers to mean 0 and standard deviation 1 first")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="any other parameter of the estimator"
    )


def add_kernel(parser: argparse.ArgumentParser) -> None:
    """Add the options of kernels."""
    names = ", ".join(KERNELS)
    parser.add_argument("--kernel", metavar="NAME", help=f"fit a kernel machine with this kernel: {names}")
    parser.add_argument(
        "--gamma", type=number_or_word, metavar="G", help="of poly, rbf, sigmoid: a number, scale, auto"
    )
    parser.add_argument("--degree", type=int, metavar="N", help="of poly (default: 3)")
    parser.add_argument("--coef0", type=float, metavar="NUMBER", help="of poly and sigmoid (default: 0)")
    parser.add_argument("--length", type=int, metavar="K", help="of the substrings of spectrum (default: 3)")


def run(arguments: argparse.Namespace) -> int:
    """Fit, store, and show the certificate."""
    refuse_overwriting(arguments.model, arguments.file, arguments.checkpoint)
    if in_blocks(arguments):
        return fit_in_blocks(arguments)
    task = asked_task(arguments)
    estimator = make_estimator(arguments, task or "classification")
    if takes_texts(estimator) and arguments.scale:
        raise OptionError(
            f"--scale is for columns of numbers, and --kernel {arguments.kernel} takes texts: leave it out."
        )
    raw = read_rows(arguments, task, estimator)
    if task is None:
        task = task_of(raw.labels)
        if task == "regression":
            estimator = make_estimator(arguments, task)
        if note := taken_for_numbers(raw) if task == "regression" else taken_for_classes(raw):
            write_note(note)
    with warnings.catch_warnings(record=True) as caught, rows_by_line(raw):
        y = check_numbers(raw.labels, raw.name, raw.target) if task == "regression" else raw.labels
        warnings.simplefilter("always", NotCertifiedWarning)
        model, X = fit_pipeline(raw, y, estimator, task, arguments)
    save(model, arguments.model, data=(raw.X, None if task == "novelty" else y, raw.weights), dual=arguments.dual)
    for warning in caught:
        write_note(f"separatrix: {warning.message}")
    facts = FACTS[task](model, X, y)
    if task == "regression" and (hint := too_flat(model[-1], y, facts)):
        write_note(hint)
    write_answer(
        as_json(as_dict(model, X, raw.name, facts))
        if arguments.json
        else as_text(model, X, arguments.model, facts.sentence)
    )
    return 0


def read_rows(arguments: argparse.Namespace, task: Task | None, estimator: Any) -> Block:
    """The rows of the file, with their target unless the task has none."""
    others: Literal["text", "guess"] = "text" if takes_texts(estimator) else "guess"
    if task == "novelty":
        return rows_alone(arguments, others)
    return read_file(arguments, others=others)


def fit_pipeline(raw: Block, y: Any, estimator: Any, task: Task, arguments: argparse.Namespace) -> tuple[Pipeline, Any]:
    """The preparation and the estimator, fitted to a file, and the features that were made of it."""
    target = raw.target or None
    preparation: Any = TextColumn(target) if takes_texts(estimator) else Preparation(target, scale=arguments.scale)
    X = preparation.fit(raw.X).transform(raw.X)
    remember_reading(preparation, raw.first_index, arguments)
    weights = {} if raw.weights is None else {"sample_weight": raw.weights}
    if weights and "sample_weight" not in inspect.signature(estimator.fit).parameters:
        raise OptionError(f"--weights {arguments.weights}: {type(estimator).__name__} takes no weights. Leave it out.")
    if task == "novelty":
        estimator.fit(X, **weights)
    else:
        estimator.fit(X, y, **weights)
    return Pipeline([("preparation", preparation), (STEPS[task], estimator)]), X


class Facts(NamedTuple):
    """How a model fares on the rows that it was fitted to: for programs, and as the end of a sentence."""

    values: dict[str, Any]
    sentence: str


def facts_of_classes(model: Pipeline, X: Any, y: Any) -> Facts:
    """How many rows the model gets wrong."""
    wrong = int((model[-1].predict(X) != y).sum())
    return Facts({"training_errors": wrong}, f"{wrong:,} of them on the wrong side.")


def facts_of_numbers(model: Pipeline, X: Any, y: Any) -> Facts:
    """How far the rows are from what the model says of them."""
    residuals = np.abs(y - model[-1].predict(X))
    mean, rms = float(residuals.mean()), float(np.sqrt(np.mean(residuals**2)))
    values = {"task": "regression", "mean_absolute_residual": mean, "root_mean_squared_residual": rms}
    said = f"off by {in_units(mean)} on average, {in_units(rms)} by root mean square"
    tube = half_width(model[-1])
    if tube is None:
        return Facts(values, f"{said}.")
    outside = int((residuals > tube * (1.0 + TUBE_RTOL)).sum())
    return Facts(
        values | {"tube": tube, "rows_outside_tube": outside},
        f"{said}; {counted(outside, 'row')} outside the tube of ±{in_units(tube)}.",
    )


def too_flat(regressor: Any, y: np.ndarray, facts: Facts) -> str:
    """A line that names a better C where the penalty holds a fit down to little more than a guess; else empty."""
    guess, off = float(np.abs(y - np.median(y)).mean()), facts.values["mean_absolute_residual"]
    usual = powers(regressor)
    if off < MIN_FLATNESS * guess or "C" not in usual or np.std(y) <= regressor.C:
        return ""
    spread = float(f"{np.std(y):.2g}")
    tube = f" --epsilon {0.1 * spread:g}" if "epsilon" in usual else ""
    return (
        f"separatrix: C = {regressor.C:g} holds the fit down, which is hardly less off than always saying the median "
        f"({in_units(guess)}). For a target with a standard deviation of {in_units(float(np.std(y)))} try -c "
        f"{spread:g}{tube}."
    )


def facts_of_rows(model: Pipeline, X: Any, y: Any) -> Facts:
    """How many rows are outside."""
    outside, n = int((model[-1].predict(X) < 0).sum()), n_rows(X)
    values = {"task": "novelty", "rows_outside": outside, "nu": model[-1].nu}
    return Facts(values, f"{outside:,} of them outside ({outside / n:.2%}), where nu = {model[-1].nu:g}.")


FACTS: dict[Task, Callable[[Pipeline, Any, Any], Facts]] = {
    "classification": facts_of_classes,
    "regression": facts_of_numbers,
    "novelty": facts_of_rows,
}


def as_dict(model: Pipeline, X: Any, name: str, facts: Facts) -> dict[str, Any]:
    """The result for programs."""
    certificate = model[-1].certificate_
    return {
        "file": name,
        "rows": n_rows(X),
        "features": n_features(X),
        **({"classes": model[-1].classes_} if hasattr(model[-1], "classes_") else {}),
        "estimator": type(model[-1]).__name__,
        **facts.values,
        "certificate": type(certificate).__name__,
        "error": certificate.stated,
        "proof": certificate.proof,
    }


def n_rows(X: Any) -> int:
    """How many rows there are, of texts too."""
    return len(X) if isinstance(X, list) else X.shape[0]


def n_features(X: Any) -> int:
    """How many features rows have; a text is one."""
    return 1 if isinstance(X, list) else X.shape[1]


def as_text(model: Pipeline, X: Any, path: str, facts: str) -> str:
    """The result for people."""
    what = "1 text" if isinstance(X, list) else counted(X.shape[1], "feature")
    first = f"{model[-1]} on {counted(n_rows(X), 'row')} x {what}: {facts}"
    last = f"Stored in {visible(path, keep='')}."
    return "\n".join([first, *model[0].notes_, "", str(model[-1].certificate_), "", last])
