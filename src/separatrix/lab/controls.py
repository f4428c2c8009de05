"""The options of a method as controls of a page: sliders, choices and flags, made of the estimator's parameters.

What an option is follows from its annotation and its default, and what it means from the estimator's docstring. The
table below adds what neither says: over which values people move an option.
"""

import inspect
import re
import typing
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, Literal

from separatrix.data.table import shortened
from separatrix.errors import OptionError
from separatrix.estimators.algorithm import Algorithm

Kind = Literal["number", "whole", "choice", "flag"]

# What only makes sense in a program: data of other calls, speed, and who is told what.
LEFT_OUT = frozenset({
    "cache_mb", "class_weight", "low_rank", "n_components", "n_jobs", "priors", "random_state", "record", "start",
    "targets", "time_limit", "verbose",
})  # fmt: skip
KERNELS = ("rbf", "poly", "linear", "sigmoid")
WITH_KERNEL = {
    "gamma": ["rbf", "poly", "sigmoid"],
    "degree": ["poly"],
    "coef0": ["poly", "sigmoid"],
}
MAX_DEGREE, MAX_ITERATIONS = 12, 100_000


@dataclass(frozen=True)
class Control:
    """How a page shows an option: a slider from `least` to `most`, a choice, or a flag.

    `words` are values that stand beside the numbers: "inf" at the right end of a slider, "0" at the left end of a
    logarithmic one. `needs` names the values of other options for which this one matters.
    """

    name: str
    label: str
    text: str
    kind: Kind
    default: Any
    least: float | None = None
    most: float | None = None
    scale: Literal["log", "linear"] | None = None
    choices: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    curve: bool = False
    needs: dict[str, list[Any]] | None = None

    def to_message(self) -> dict[str, Any]:
        """The control as the page is sent it."""
        default = "inf" if self.default == float("inf") else self.default
        return {**asdict(self), "default": default, "choices": list(self.choices), "words": list(self.words)}


@dataclass(frozen=True)
class Slider:
    """Over which values an option is moved, and what stands beside the numbers."""

    label: str
    least: float
    most: float
    scale: Literal["log", "linear"] = "log"
    words: tuple[str, ...] = ()
    curve: bool = False


SLIDERS = {
    "C": Slider("C, the price of slack", 1e-3, 1e4, words=("inf",), curve=True),
    "nu": Slider("nu, a part of the rows", 0.01, 1.0, "linear", curve=True),
    "mu": Slider("mu, the largest weight in a hull", 1e-3, 1.0, curve=True),
    "gamma": Slider("gamma of the kernel", 1e-3, 1e3, curve=True),
    "degree": Slider("degree of the polynomial", 1, 8, "linear", curve=True),
    "coef0": Slider("coef0 of the kernel", -2.0, 5.0, "linear"),
    "learning_rate": Slider("rho, the size of a step", 1e-3, 10.0, curve=True),
    "temperature": Slider("temperature at the start", 1e-2, 10.0, curve=True),
    "margin": Slider("margin to reach", 1e-2, 10.0),
    "relaxation": Slider("relaxation, part of the way", 0.1, 2.0, "linear"),
    "l2": Slider("l2, the price of w", 1e-6, 1.0, words=("0",), curve=True),
    "ridge": Slider("ridge, the price of w", 1e-6, 1e4, words=("0",), curve=True),
    "shrinkage": Slider("shrinkage of the covariance", 0.0, 1.0, "linear", curve=True),
    "tol": Slider("tol, the error to reach", 1e-12, 1e-1),
    "max_iter": Slider("passes or steps at most", 1, 10_000),
    "patience": Slider("patience, in corrections", 1, 10_000),
    "batch_size": Slider("rows in a batch", 1, 256),
    "bias_step": Slider("step of the offset", 1e-2, 1e2),
}
MAIN = ("C", "nu", "mu", "ridge", "shrinkage", "learning_rate", "temperature", "margin", "gamma")


def controls_of(row: Algorithm) -> tuple[Control, ...]:
    """The controls of a method, in the order of the estimator's parameters.

    >>> from separatrix.lab.menu import method_named
    >>> [control.name for control in controls_of(method_named("linear SVM"))]
    ['C', 'loss', 'multi_class', 'tol', 'max_iter', 'fit_intercept']
    """
    found = []
    for name, parameter in inspect.signature(row.estimator).parameters.items():
        if name in LEFT_OUT or name in row.options or unused(name, row):
            continue
        control = control_of(name, parameter, row.estimator)
        if control is not None:
            found.append(control)
    return tuple(found)


def unused(name: str, row: Algorithm) -> bool:
    """Whether an option makes no difference with those that the row has set."""
    only_choice = {  # of an option, where another one is set
        "batch_size": row.options.get("update", "minibatch") != "minibatch",
        "loss": row.options.get("multi_class") == "crammer_singer",
        "multi_class": row.options.get("loss") == "squared_hinge",
    }
    return only_choice.get(name, False)


def control_of(name: str, parameter: inspect.Parameter, estimator: Any) -> Control | None:
    """The control of one parameter; None where a page can do nothing with it."""
    literals, kinds = literals_and_kinds(annotation_of(parameter, estimator))
    text, default = described(estimator).get(name, ""), parameter.default
    if name == "kernel":
        known = tuple(each for each in KERNELS if f'"{each}"' in text) or KERNELS
        if "positive semidefinite" in text:
            known = tuple(each for each in known if each != "sigmoid")
        return Control(name, name, text, "choice", default, choices=known)
    needs = {"kernel": WITH_KERNEL[name]} if name in WITH_KERNEL else None
    if bool in kinds or isinstance(default, bool):
        return Control(name, name.replace("_", " "), text, "flag", bool(default), needs=needs)
    if literals and not kinds & {int, float}:
        return Control(name, name.replace("_", " "), text, "choice", default, choices=literals, needs=needs)
    if name == "gamma":
        literals = tuple(
            each for each in ("scale", "auto", "nearest") if f'"{each}"' in signature_line(estimator, name)
        )
    if not kinds & {int, float} and name not in SLIDERS:
        return None
    whole = kinds & {int, float} == {int}
    slider = SLIDERS.get(name) or guessed_slider(name, default)
    if "between 0 and 1" in text:
        slider = replace(slider, least=0.05, most=1.0, scale="linear")
    words = (*literals, *(word for word in slider.words if word != "inf" or 'float("inf")' in text))
    return Control(
        name, slider.label, text, "whole" if whole else "number", default, slider.least,
        max(slider.most, default) if isinstance(default, (int, float)) else slider.most, slider.scale,
        words=words, curve=slider.curve and name != "degree", needs=needs,
    )  # fmt: skip


def annotation_of(parameter: inspect.Parameter, estimator: Any) -> Any:
    """The annotation of a parameter, also where its module has them as text."""
    try:
        return typing.get_type_hints(estimator.__init__).get(parameter.name, Any)
    except (NameError, TypeError):
        return parameter.annotation


def literals_and_kinds(annotation: Any) -> tuple[tuple[str, ...], set[Any]]:
    """The words that an annotation allows, and the types."""
    if typing.get_origin(annotation) is Literal:
        return tuple(each for each in typing.get_args(annotation) if isinstance(each, str)), set()
    parts = typing.get_args(annotation) if typing.get_origin(annotation) is not None else ()
    if not parts:
        return (), {annotation} if isinstance(annotation, type) else set()
    both = [literals_and_kinds(part) for part in parts]
    return tuple(word for words, _ in both for word in words), {kind for _, kinds in both for kind in kinds}


def guessed_slider(name: str, default: Any) -> Slider:
    """A slider of three decades to each side of a positive default, for an option that the table does not have."""
    label = name.replace("_", " ")
    if isinstance(default, (int, float)) and default > 0:
        return Slider(label, default / 1e3 if isinstance(default, float) else 1, default * 1000)
    return Slider(label, 0.0, 1.0, "linear")


@cache
def described(estimator: Any) -> dict[str, str]:
    """What an estimator's docstring says of each parameter, as one paragraph.

    >>> from separatrix import LinearSVM
    >>> described(LinearSVM)["loss"]
    'Whether slacks count as they are, or squared.'
    """
    found: dict[str, str] = {}
    names: list[str] = []
    for line in parameter_lines(estimator):
        if line.startswith("    "):
            for name in names:
                found[name] = f"{found[name]} {line.strip()}".strip()
        elif " : " in line:
            names = [name.strip() for name in line.partition(" : ")[0].split(",")]
            found.update(dict.fromkeys(names, ""))
    return {name: text.replace("``", "").replace("`", "") for name, text in found.items()}


def parameter_lines(estimator: Any) -> list[str]:
    """The lines of the docstring under the heading Parameters."""
    text = inspect.getdoc(estimator) or ""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[^\n]*\n-+\n|\Z)", text, re.MULTILINE | re.DOTALL)
    return [] if section is None else section[1].splitlines()


def signature_line(estimator: Any, name: str) -> str:
    """The line of the docstring that says what a parameter may be."""
    heads = [line for line in parameter_lines(estimator) if " : " in line and not line.startswith(" ")]
    return next((line for line in heads if name in line.partition(" : ")[0].split(", ")), "")


def as_option(control: Control, value: Any) -> Any:
    """What a page sent for an option, as the estimator takes it.

    >>> from separatrix.lab.menu import method_named
    >>> C, loss, *_ = controls_of(method_named("linear SVM"))
    >>> as_option(C, "inf"), as_option(C, 2), as_option(loss, "squared_hinge")
    (inf, 2.0, 'squared_hinge')
    >>> as_option(C, "much")
    Traceback (most recent call last):
    separatrix.errors.OptionError: The 'C' parameter must be a number or one of inf. Got 'much'.
    """
    if control.kind == "flag":
        if not isinstance(value, bool):
            raise OptionError(f"The {control.name!r} parameter must be true or false. Got {shortened(value)}.")
        return value
    if control.kind == "choice":
        if value not in control.choices or not isinstance(value, str):
            raise OptionError(
                f"The {control.name!r} parameter must be one of {', '.join(control.choices)}. Got {shortened(value)}."
            )
        return value
    if isinstance(value, str) and value in control.words:
        return float(value) if value in ("inf", "0") else value
    return number_of(control, value)


def number_of(control: Control, value: Any) -> Any:
    """A number that a page sent; the estimator refuses those that make no sense to it."""
    if type(value) not in (int, float) or not abs(value) < float("inf"):
        words = f" or one of {', '.join(control.words)}" if control.words else ""
        raise OptionError(f"The {control.name!r} parameter must be a number{words}. Got {shortened(value)}.")
    if control.kind == "number":
        return float(value)
    if value != int(value):
        raise OptionError(f"The {control.name!r} parameter must be a whole number. Got {value!r}.")
    most = MAX_DEGREE if control.name == "degree" else max(MAX_ITERATIONS, control.default or 0)
    if not 0 <= value <= most:
        raise OptionError(f"The {control.name!r} parameter must be from 0 to {most:,} in the lab. Got {value!r}.")
    return int(value)
