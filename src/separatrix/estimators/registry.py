"""Every algorithm of the package, one row each.

The README's table, the contract tests, the demonstration and the benchmarks are made from these rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from separatrix.estimators.multiclass import OneVsOne, OneVsRest
from separatrix.estimators.perceptron import Perceptron
from separatrix.problem import Problem, Solution
from separatrix.solvers import perceptron


@dataclass(frozen=True)
class Algorithm:
    """A row: how to solve, how to fit, and what a reader wants to know first."""

    name: str
    solver: Callable[..., Solution]
    estimator: Any
    options: Mapping[str, Any] = field(default_factory=dict)
    rule: str = ""
    several_classes: str = ""
    certificate: str = ""
    source: str = ""
    separates: bool = True  # whether it ends with a plane that separates wherever there is one

    def make(self, **wanted: Any) -> Any:
        """Build an estimator that uses this algorithm; of the wanted options it gets those that it has."""
        known = self.estimator._get_param_names()
        return self.estimator(**self.options, **{name: value for name, value in wanted.items() if name in known})

    def solve(self, problem: Problem, **how: Any) -> Solution:
        """Run the solver."""
        return self.solver(problem, **how)


@dataclass(frozen=True)
class Way:
    """A way to make several classes out of two."""

    name: str
    estimator: type
    rule: str
    source: str


ALGORITHMS = (
    Algorithm(
        name="perceptron, online",
        solver=perceptron.online,
        estimator=Perceptron,
        options={"update": "online"},
        rule="w += rho y x for each row x on the wrong side",
        several_classes="Kesler's construction",
        certificate="Separator",
        source="Rosenblatt 1958",
    ),
    Algorithm(
        name="perceptron, batch",
        solver=perceptron.batch,
        estimator=Perceptron,
        options={"update": "batch"},
        rule="w += rho sum y x over all rows on the wrong side",
        several_classes="Kesler's construction",
        certificate="Separator",
        source="Rosenblatt 1958",
    ),
)

WAYS = (
    Way("one against the rest", OneVsRest, "k planes, the largest score wins", "Nilsson 1965"),
    Way("one against one", OneVsOne, "k (k - 1) / 2 planes, most votes win", "Knerr et al. 1990"),
)


def estimators() -> list[Any]:
    """One unfitted instance of everything that can be fitted.

    Examples
    --------
    >>> from separatrix.estimators.registry import estimators
    >>> len(estimators())
    4
    """
    single = [algorithm.make() for algorithm in ALGORITHMS]
    return [*single, *(way.estimator(Perceptron()) for way in WAYS)]
