"""`separatrix fit FILE MODEL`: fit one classifier to a file and store it."""

import argparse
import warnings
from typing import Any, Literal

from sklearn.pipeline import Pipeline

from separatrix.cli.options import (
    add_data,
    add_json,
    as_json,
    refuse_overwriting,
    remember_first_index,
    seed,
    target_of,
)
from separatrix.cli.streams import visible, write_answer, write_note
from separatrix.data.files.reading import read_columns
from separatrix.data.files.source import Block
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.text_column import TextColumn
from separatrix.errors import NotCertifiedWarning, OptionError, counted
from separatrix.estimators.algorithm import Algorithm
from separatrix.estimators.registry import algorithms
from separatrix.estimators.store.model_file import save
from separatrix.kernels import Spectrum, Tokens

NAME = "fit"
SUMMARY = "fit a classifier to a file and store it as JSON"
DESCRIPTION = (
    "Fit a classifier to the rows of FILE and write it to MODEL, a JSON file that holds the model, the "
    "certificate and what was done to the columns. Features are taken as they are, unless --scale is given; "
    "missing numbers become the median of their column and words columns of 0 and 1. --kernel fits the kernel SVM; "
    "tokens (words) and spectrum (substrings) are kernels of texts, for a FILE with one column of them."
)


def slug(algorithm: Algorithm) -> str:
    """An algorithm's name without blanks."""
    return algorithm.name.replace(",", "").replace("'", "").replace(" ", "-").lower()


def choices() -> dict[str, Algorithm]:
    """The classifiers of the registry by what they are called on the command line."""
    return {slug(algorithm): algorithm for algorithm in algorithms("classification")}


DEFAULT, OF_KERNEL = "linear-svm", "kernel-svm"
KERNELS = ("linear", "poly", "rbf", "sigmoid", "tokens", "spectrum")
EXAMPLES = """examples:
  separatrix fit patients.csv model.json --target disease
  separatrix fit -c 10 heart_scale model.json          LIBSVM text: labels in front, no target
  separatrix fit patients.csv model.json -t disease --kernel rbf --gamma 0.1 -c 10 --scale
  separatrix fit letters.csv model.json -t language --kernel spectrum --length 3
  separatrix fit -a gaussian-discriminant patients.csv model.json -t disease --scale
  separatrix fit patients.csv model.json -t disease --set loss=squared_hinge --set tol=1e-9"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.epilog = f"algorithms: {', '.join(choices())}\n\n{parser.epilog}"
    add_data(parser)
    parser.add_argument("model", metavar="MODEL", help="where to write the model")
    parser.add_argument("-a", "--algorithm", metavar="NAME", help=f"see below (default: {DEFAULT})")
    parser.add_argument("-c", "--cost", type=float, metavar="C", help="weight of the losses; inf for no slack at all")
    parser.add_argument("-e", "--tol", type=float, metavar="TOL", help="the error that the certificate must reach")
    add_kernel(parser)
    parser.add_argument("--seed", type=seed, default=0, help="for algorithms that draw random numbers (default: 0)")
    parser.add_argument("--balanced", action="store_true", help="let all classes weigh the same")
    parser.add_argument("--scale", action="store_true", help="bring numbers to mean 0 and standard deviation 1 first")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="any other parameter of the estimator"
    )
    add_json(parser)


def add_kernel(parser: argparse.ArgumentParser) -> None:
    """Add the options of kernels."""
    names = ", ".join(KERNELS)
    parser.add_argument("--kernel", metavar="NAME", help=f"fit the {OF_KERNEL} with this kernel: {names}")
    parser.add_argument(
        "--gamma", type=number_or_word, metavar="G", help="of poly, rbf, sigmoid: a number, scale, auto"
    )
    parser.add_argument("--degree", type=int, metavar="N", help="of poly (default: 3)")
    parser.add_argument("--coef0", type=float, metavar="NUMBER", help="of poly and sigmoid (default: 0)")
    parser.add_argument("--length", type=int, metavar="K", help="of the substrings of spectrum (default: 3)")


def number_or_word(text: str) -> float | str:
    """A number, or else the text as it is."""
    try:
        return float(text)
    except ValueError:
        return text


def run(arguments: argparse.Namespace) -> int:
    """Fit, store, and show the certificate."""
    refuse_overwriting(arguments.model, arguments.file)
    estimator = make_estimator(arguments)
    others: Literal["text", "guess"] = "text" if takes_texts(estimator) else "guess"
    if takes_texts(estimator) and arguments.scale:
        raise OptionError(
            f"--scale is for columns of numbers, and --kernel {arguments.kernel} takes texts: leave it out."
        )
    raw = read_columns(arguments.file, target_of(arguments), arguments.delimiter, others=others)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", NotCertifiedWarning)
        model, X = fit_pipeline(raw, estimator, scale=arguments.scale)
    save(model, arguments.model, data=(X, raw.labels))
    for warning in caught:
        write_note(f"separatrix: {warning.message}")
    write_answer(as_json(as_dict(model, X, raw)) if arguments.json else as_text(model, X, raw, arguments.model))
    return 0


def fit_pipeline(raw: Block, estimator: Any, scale: bool) -> tuple[Pipeline, Any]:
    """The preparation and the classifier, fitted to a file, and the features that were made of it."""
    target = raw.target or None
    preparation: Any = TextColumn(target) if takes_texts(estimator) else Preparation(target, scale=scale)
    X = preparation.fit(raw.X).transform(raw.X)
    remember_first_index(preparation, raw.first_index)
    estimator.fit(X, raw.labels)
    return Pipeline([("preparation", preparation), ("classifier", estimator)]), X


def make_estimator(arguments: argparse.Namespace) -> Any:
    """The classifier that was asked for."""
    name = arguments.algorithm or (DEFAULT if arguments.kernel is None else OF_KERNEL)
    algorithm = choices().get(name.lower())
    if algorithm is None:
        raise OptionError(f"There is no algorithm {name!r}. Choose one of {', '.join(choices())}.")
    known = algorithm.estimator._get_param_names()
    wanted = dict(setting(text) for text in arguments.set) | kernel_options(arguments)
    wanted |= {"C": arguments.cost} if arguments.cost is not None else {}
    wanted |= {"tol": arguments.tol} if arguments.tol is not None else {}
    wanted |= {"class_weight": "balanced"} if arguments.balanced else {}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise OptionError(f"{algorithm.name!r} has no parameter {unknown[0]!r}. It has {', '.join(known)}.")
    options = {"random_state": arguments.seed} if "random_state" in known else {}
    return algorithm.estimator(**{**algorithm.options, **options, **wanted})


def kernel_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The options of the kernel that were given."""
    kernel, length = arguments.kernel, arguments.length
    if kernel not in (None, *KERNELS):
        raise OptionError(f"There is no kernel {kernel!r} on the command line. Choose one of {', '.join(KERNELS)}.")
    if length is not None and kernel != "spectrum":
        raise OptionError(f"--length {length} is for --kernel spectrum alone: leave it out.")
    of_texts = {
        "tokens": Tokens(normalized=True),
        "spectrum": Spectrum(3 if length is None else length, normalized=True),
    }
    given = {name: getattr(arguments, name) for name in ("gamma", "degree", "coef0")}
    unused = [name for name, value in given.items() if value is not None and kernel in of_texts]
    if unused:
        raise OptionError(f"--{unused[0]} is for kernels of numbers, and --kernel {kernel} takes texts: leave it out.")
    given["kernel"] = of_texts.get(kernel, kernel)
    return {name: value for name, value in given.items() if value is not None}


def takes_texts(estimator: Any) -> bool:
    """Whether the rows of an estimator are texts."""
    return isinstance(getattr(estimator, "kernel", None), (Tokens, Spectrum))


def setting(text: str) -> tuple[str, Any]:
    """A parameter and its value from NAME=VALUE.

    Examples
    --------
    >>> from separatrix.cli.fit import setting
    >>> setting("max_iter=100"), setting("fit_intercept=false"), setting("loss=hinge")
    (('max_iter', 100), ('fit_intercept', False), ('loss', 'hinge'))
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise OptionError(f"--set takes NAME=VALUE, such as --set max_iter=100. Got {text!r}.")
    words = {"true": True, "false": False, "none": None}
    if value.lower() in words:
        return name, words[value.lower()]
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            pass
    return name, value


def training_errors(model: Pipeline, X: Any, raw: Block) -> int:
    """How many rows the model gets wrong."""
    return int((model[-1].predict(X) != raw.labels).sum())


def as_dict(model: Pipeline, X: Any, raw: Block) -> dict[str, Any]:
    """The result for programs."""
    certificate = model[-1].certificate_
    return {
        "file": raw.name,
        "rows": len(raw.labels),
        "features": n_features(X),
        "classes": model[-1].classes_,
        "estimator": type(model[-1]).__name__,
        "training_errors": training_errors(model, X, raw),
        "certificate": type(certificate).__name__,
        "error": certificate.stated,
        "proof": certificate.proof,
    }


def n_features(X: Any) -> int:
    """How many features rows have; a text is one."""
    return 1 if isinstance(X, list) else X.shape[1]


def as_text(model: Pipeline, X: Any, raw: Block, path: str) -> str:
    """The result for people."""
    wrong = training_errors(model, X, raw)
    what = "1 text" if isinstance(X, list) else counted(X.shape[1], "feature")
    size = f"{counted(len(raw.labels), 'row')} x {what}"
    first = f"{model[-1]} on {size}: {counted(wrong, 'row')} of them on the wrong side."
    last = f"Stored in {visible(path, keep='')}."
    return "\n".join([first, *model[0].notes_, "", str(model[-1].certificate_), "", last])
