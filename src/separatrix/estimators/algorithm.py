"""What the registry knows of an algorithm, and of what wraps any classifier, such as a reduction to two classes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from separatrix.estimators.fit_cost import UNKNOWN_COST, FitCost
from separatrix.estimators.reduction.against_the_rest import each_against_the_rest
from separatrix.estimators.reduction.in_pairs import each_against_each
from separatrix.problem import Problem, Solution

Task = Literal["classification", "regression", "transformation", "novelty"]


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
    task: Task = "classification"
    by_rest: bool = False  # whether the solver knows two classes only, and each is told from the rest
    by_pairs: bool = False  # whether the solver knows two classes only, and each is told from each other
    separates: bool = True  # whether it ends with a plane that separates wherever there is one
    without_offset: bool = True  # whether it can do without an offset
    cost: FitCost = UNKNOWN_COST  # on which sizes of data `compare` tries it, and with how many passes
    kernel: Any = None  # in whose space it solves problems that have none
    grid: Callable[[Any], Mapping[str, Any]] | None = None  # of options that a study chooses, for its training rows
    streams: bool = False  # whether the estimator learns from rows in blocks as well
    always: bool = False  # whether `compare` tries it whatever its time limit

    @property
    def call(self) -> str:
        """How an estimator of this algorithm is made, in Python."""
        return f"{self.estimator.__name__}({', '.join(f'{name}={value!r}' for name, value in self.options.items())})"

    @property
    def slug(self) -> str:
        """The name without blanks, as the command line has it."""
        return self.name.replace(",", "").replace("'", "").replace(" ", "-").lower()

    def make(self, **wanted: Any) -> Any:
        """Build an estimator that uses this algorithm; of the wanted options it gets those that it has."""
        known = self.estimator._get_param_names()
        return self.estimator(**self.options, **{name: value for name, value in wanted.items() if name in known})

    def makes(self, estimator: Any) -> bool:
        """Whether an estimator, with the options it has, is one of this algorithm."""
        same = (getattr(estimator, name, None) == value for name, value in self.options.items())
        return isinstance(estimator, self.estimator) and all(same)

    def posed(self, problem: Problem) -> Problem:
        """The problem that the solver is given: for a kernel machine, in the space of the row's kernel."""
        if self.kernel is None or problem.kernel is not None:
            return problem
        return replace(problem, kernel=self.kernel.resolved(problem.X, problem.y))

    def solve(self, problem: Problem, **how: Any) -> Solution:
        """Run the solver, for several classes perhaps once for each, or for each pair."""
        problem = self.posed(problem)
        if self.by_pairs:
            return each_against_each(problem, lambda part: self.solver(part, **how))
        if self.by_rest:
            return each_against_the_rest(problem, None, lambda part, _: self.solver(part, **how))
        return self.solver(problem, **how)


@dataclass(frozen=True)
class Wrapper:
    """A row: a classifier that is made of any other one."""

    name: str
    estimator: type
    rule: str
    source: str
    certificate: str = "that of the classifier"

    @property
    def call(self) -> str:
        """How it is made, in Python."""
        return f"{self.estimator.__name__}(estimator)"


@dataclass(frozen=True)
class Reduction(Wrapper):
    """A row: how several classes are reduced to two."""

    certificate: str = "one for each plane"
