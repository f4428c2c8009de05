"""The menu of the lab: every method of the registry that draws something, with its options as controls.

Nothing is listed here by hand but the families, which follow from where a method's solver is: a row that is added to
the registry, also for a time by `register`, is on the menu.
"""

from typing import Any

from separatrix.data.table import shortened
from separatrix.errors import OptionError
from separatrix.estimators.algorithm import Algorithm
from separatrix.estimators.registry import algorithms
from separatrix.lab.controls import MAIN, controls_of

FAMILIES = {  # by the package of the solver, or its module
    "online": "Perceptrons",
    "stochastic": "Stochastic",
    "lms": "Stochastic",
    "squares": "Least squares and discriminants",
    "logistic": "Least squares and discriminants",
    "svm": "Support vector machines",
    "hulls": "Hulls",
    "kernel": "Kernels",
}
OTHER_FAMILY = "Others"


def rows() -> list[Algorithm]:
    """The rows that the lab can draw: classifiers and detectors of novel points."""
    return [*algorithms("classification"), *algorithms("novelty")]


def method_named(name: Any) -> Algorithm:
    """The row with a name; any other name is refused.

    >>> method_named("pocket").call
    'PocketPerceptron()'
    """
    found = next((row for row in rows() if row.name == name), None)
    if found is None:
        raise OptionError(f"There is no method {shortened(name)} in the lab. Choose one from its menu.")
    return found


def family_of(row: Algorithm) -> str:
    """The family that a method is shown under.

    >>> family_of(method_named("least mean squares")), family_of(method_named("reduced hulls"))
    ('Stochastic', 'Hulls')
    """
    if row.task == "novelty":
        return "Novelty"
    module = str(getattr(getattr(row.solver, "func", row.solver), "__module__", ""))
    places = [place for place in reversed(module.split(".")) if place in FAMILIES]
    return FAMILIES[places[0]] if places and module.startswith("separatrix.solvers") else OTHER_FAMILY


def method(row: Algorithm) -> dict[str, Any]:
    """A method as the page is sent it."""
    controls = controls_of(row)
    names = [control.name for control in controls]
    return {
        "name": row.name,
        "family": family_of(row),
        "call": row.call,
        "rule": row.rule,
        "source": row.source,
        "certificate": row.certificate,
        "several_classes": row.several_classes,
        "task": row.task,
        "two_classes_only": not row.several_classes,
        "main": next((name for name in MAIN if name in names), None),
        "controls": [control.to_message() for control in controls],
    }


def methods() -> list[dict[str, Any]]:
    """All methods as the page is sent them."""
    return [method(row) for row in rows()]
