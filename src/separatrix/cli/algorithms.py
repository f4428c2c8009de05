"""Estimators by their names on the command line, with the options that were given there."""

import argparse
import ast
import re
from typing import Any

from separatrix.errors import OptionError
from separatrix.estimators.algorithm import Algorithm, Task
from separatrix.estimators.registry import algorithms
from separatrix.kernels import Spectrum, Tokens

TASKS: tuple[Task, ...] = ("classification", "regression", "novelty")
KERNELS = ("linear", "poly", "rbf", "sigmoid", "tokens", "spectrum")
STEPS: dict[Task, str] = {"classification": "classifier", "regression": "regressor", "novelty": "detector"}
# Which algorithm a task gets where none is named: the first of these, then any other, that has the options given.
DEFAULTS: dict[Task, tuple[str, ...]] = {
    "classification": ("linear-svm", "kernel-svm", "nu-svm", "kernel-nu-svm"),
    "regression": ("linear-svr", "kernel-svr", "nu-svr", "kernel-nu-svr"),
    "novelty": (),
}


def choices(task: Task = "classification") -> dict[str, Algorithm]:
    """The estimators of the registry for a task, by what they are called on the command line."""
    return {algorithm.slug: algorithm for algorithm in algorithms(task)}


def all_choices() -> dict[str, Algorithm]:
    """The estimators of every task."""
    return {name: algorithm for task in TASKS for name, algorithm in choices(task).items()}


def asked_task(arguments: argparse.Namespace) -> Task | None:
    """The task that the command line asks for; None where the target decides.

    An algorithm that is named has its task, and options may be those of one task alone.
    """
    if arguments.algorithm is not None:
        task = named_algorithm(arguments.algorithm).task
        if arguments.task not in (None, task):
            raise OptionError(f"--algorithm {arguments.algorithm} is for {task}, not for --task {arguments.task}.")
        return task
    if arguments.task is not None:
        return arguments.task
    given = given_options(arguments)
    possible: list[Task] = [task for task in ("classification", "regression") if default_algorithm(task, given)]
    return None if len(possible) == 2 else possible[0] if possible else "classification"


def named_algorithm(name: str) -> Algorithm:
    """The row of the registry with this name on the command line."""
    known = all_choices()
    if name.lower() not in known:
        raise OptionError(f"There is no algorithm {name!r}. Choose one of {', '.join(known)}.")
    return known[name.lower()]


def default_algorithm(task: Task, given: dict[str, Any]) -> Algorithm | None:
    """The algorithm that a task gets where none is named; None where no one has all the options given."""
    known = choices(task)
    order = [known[name] for name in DEFAULTS[task] if name in known]
    order += [row for row in known.values() if row not in order] if task != "classification" else []
    for row in order:
        has = row.estimator._get_param_names()
        kernel_unasked = "kernel" in has and "kernel" not in given and task != "novelty"
        if not kernel_unasked and all(name in has for name in given):
            return row
    return None


def make_estimator(arguments: argparse.Namespace, task: Task) -> Any:
    """The estimator that was asked for, or else the usual one of a task."""
    given = given_options(arguments)
    if arguments.algorithm is not None:
        algorithm = named_algorithm(arguments.algorithm)
    else:
        kernel = {name: value for name, value in given.items() if name == "kernel"}
        found = default_algorithm(task, given) or default_algorithm(task, kernel) or default_algorithm(task, {})
        if found is None:
            raise OptionError(f"There is no algorithm for --task {task}.")
        algorithm = found
    known = algorithm.estimator._get_param_names()
    unknown = [name for name in given if name not in known]
    if unknown:
        raise OptionError(f"{algorithm.name!r} has no parameter {unknown[0]!r}. It has {', '.join(known)}.")
    options = {"random_state": arguments.seed} if "random_state" in known else {}
    return algorithm.estimator(**{**algorithm.options, **options, **given})


def given_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The parameters of an estimator that were given."""
    given = dict(setting(text) for text in arguments.set) | kernel_options(arguments)
    flags = {"C": arguments.cost, "tol": arguments.tol, "epsilon": arguments.epsilon, "nu": arguments.nu}
    given |= {name: value for name, value in flags.items() if value is not None}
    return given | ({"class_weight": "balanced"} if arguments.balanced else {})


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
    >>> from separatrix.cli.algorithms import setting
    >>> setting("max_iter=100"), setting("fit_intercept=false"), setting("loss=hinge")
    (('max_iter', 100), ('fit_intercept', False), ('loss', 'hinge'))
    >>> setting('class_weight={"yes": 5, "no": 1}')
    ('class_weight', {'yes': 5, 'no': 1})
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
    return name, literal(name, value) if value[:1] in ("{", "[", "(") else value


def literal(name: str, value: str) -> Any:
    """A mapping, list or tuple as Python or JSON writes it; names in it may go without quotes, as shells drop them."""
    quoted = re.sub(r"(?<![\w\"'.+-])([^\W\d][\w-]*)(?![\w\"'-])", r"'\1'", value)
    for text in (value, quoted):
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError):
            pass
    raise OptionError(
        f"--set {name}={value}: this is no mapping or list that can be read. Write it in quotes, such as "
        f'--set \'{name}={{"yes": 5, "no": 1}}\'.'
    )


def number_or_word(text: str) -> float | str:
    """A number, or else the text as it is."""
    try:
        return float(text)
    except ValueError:
        return text
