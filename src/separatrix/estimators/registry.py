"""Every algorithm of the package, one row each.

The README's table, the contract tests, the demonstration and the benchmarks are made from these rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from separatrix.estimators.discriminant import FisherDiscriminant, GaussianDiscriminant
from separatrix.estimators.ho_kashyap import HoKashyapClassifier
from separatrix.estimators.least_squares import LeastSquaresClassifier
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.lms import LMSClassifier
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.estimators.multiclass import OneVsOne, OneVsRest
from separatrix.estimators.perceptron import Perceptron
from separatrix.estimators.pocket import PocketPerceptron
from separatrix.estimators.regression import StochasticRegressor
from separatrix.estimators.relaxation import RelaxationClassifier
from separatrix.estimators.rest import each_against_the_rest
from separatrix.estimators.stochastic import LOSSES, StochasticClassifier
from separatrix.estimators.thermal import ThermalPerceptron
from separatrix.problem import Problem, Solution
from separatrix.solvers.logistic.logistic import logistic
from separatrix.solvers.online import perceptron
from separatrix.solvers.online.lms import lms
from separatrix.solvers.online.pocket import pocket
from separatrix.solvers.online.relaxation import relaxation
from separatrix.solvers.online.stochastic import stochastic
from separatrix.solvers.online.thermal import thermal
from separatrix.solvers.squares.discriminant import fisher, gaussian
from separatrix.solvers.squares.ho_kashyap import ho_kashyap
from separatrix.solvers.squares.least_squares import least_squares
from separatrix.solvers.svm.linear_svm import linear_svm


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
    by_rest: bool = False  # whether the solver itself knows two classes only
    separates: bool = True  # whether it ends with a plane that separates wherever there is one
    without_offset: bool = True  # whether it can do without an offset

    def make(self, **wanted: Any) -> Any:
        """Build an estimator that uses this algorithm; of the wanted options it gets those that it has."""
        known = self.estimator._get_param_names()
        return self.estimator(**self.options, **{name: value for name, value in wanted.items() if name in known})

    def solve(self, problem: Problem, **how: Any) -> Solution:
        """Run the solver, for several classes perhaps once for each."""
        if self.by_rest:
            return each_against_the_rest(problem, None, lambda part, _: self.solver(part, **how))
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
    Algorithm(
        name="perceptron, mini-batch",
        solver=partial(perceptron.online, batch_size=32),
        estimator=Perceptron,
        options={"update": "minibatch"},
        rule="w += rho sum y x over the rows of a batch on the wrong side",
        several_classes="Kesler's construction",
        certificate="Separator",
        source="Sayed 2022",
    ),
    Algorithm(
        name="perceptron, averaged",
        solver=partial(perceptron.online, averaged=True),
        estimator=Perceptron,
        options={"averaged": True},
        rule="the mean of all w that the perceptron passes through",
        several_classes="Kesler's construction",
        certificate="Separator if it separates, else Unproved",
        source="Freund and Schapire 1999",
        separates=False,
    ),
    Algorithm(
        name="pocket",
        solver=pocket,
        estimator=PocketPerceptron,
        rule="the best w that the perceptron passes through",
        several_classes="Kesler's construction",
        certificate="Separator if it separates, else Unproved",
        source="Gallant 1990",
        separates=False,
    ),
    Algorithm(
        name="thermal perceptron",
        solver=thermal,
        estimator=ThermalPerceptron,
        rule="w += rho (T/T_0) exp(-abs(g)/T) y x for each row x on the wrong side, T falling to 0",
        several_classes="Kesler's construction",
        certificate="Separator if it separates, else Unproved",
        source="Frean 1992",
        separates=False,
    ),
    Algorithm(
        name="relaxation",
        solver=relaxation,
        estimator=RelaxationClassifier,
        rule="project w onto the half-space y (w.x + b) >= margin of each row",
        several_classes="Kesler's construction",
        certificate="Separator",
        source="Agmon 1954; Motzkin and Schoenberg 1954",
    ),
    *(
        Algorithm(
            name=f"stochastic, {loss}",
            solver=partial(stochastic, loss=LOSSES[loss]),
            estimator=StochasticClassifier,
            options={"loss": loss},
            rule=rule,
            several_classes="each against the rest",
            certificate="Unproved",
            source=source,
            separates=False,
        )
        for loss, rule, source in (
            ("hinge", "w <- (1 - 2 rho l2) w + rho y x where the margin is at most 1", "Robbins and Monro 1951"),
            ("logistic", "w <- (1 - 2 rho l2) w + rho y x / (1 + exp(margin))", "Robbins and Monro 1951"),
            ("exponential", "w <- (1 - 2 rho l2) w + rho y x exp(-margin)", "Robbins and Monro 1951"),
            ("perceptron", "w <- (1 - 2 rho l2) w + rho y x where the margin is at most 0", "Robbins and Monro 1951"),
        )
    ),
    Algorithm(
        name="least mean squares",
        solver=lms,
        estimator=LMSClassifier,
        rule="w += rho (y - g) x",
        several_classes="each against the rest",
        certificate="Unproved",
        source="Widrow and Hoff 1960",
        separates=False,
    ),
    Algorithm(
        name="Ho-Kashyap",
        solver=ho_kashyap,
        estimator=HoKashyapClassifier,
        rule="w by least squares for targets t, t += 2 rho max(0, margin - t)",
        several_classes="each against the rest",
        certificate="Separator, or Overlap",
        source="Ho and Kashyap 1965",
        by_rest=True,
        separates=False,  # several classes only where each is separable from the rest
    ),
    Algorithm(
        name="least squares",
        solver=least_squares,
        estimator=LeastSquaresClassifier,
        rule="minimise sum (t - w.x - b)^2 + ridge w.w",
        several_classes="a target for each class",
        certificate="Stationary",
        source="Legendre 1805; Gauss 1809",
        separates=False,
    ),
    Algorithm(
        name="Fisher's discriminant",
        solver=fisher,
        estimator=FisherDiscriminant,
        rule="maximise v.S_b v / v.S_w v, the scatter between classes over that within",
        several_classes="one direction less than classes",
        certificate="Stationary",
        source="Fisher 1936; Rao 1948",
        separates=False,
        without_offset=False,
    ),
    Algorithm(
        name="Gaussian discriminant",
        solver=gaussian,
        estimator=GaussianDiscriminant,
        rule="log-odds of Gaussian classes with one covariance S: w = S^-1 (m_1 - m_2)",
        several_classes="S^-1 m for each class",
        certificate="Stationary",
        source="Fisher 1936; Welch 1939",
        separates=False,
        without_offset=False,
    ),
    Algorithm(
        name="linear SVM",
        solver=linear_svm,
        estimator=LinearSVM,
        rule="minimise 1/2 w.w + C sum max(0, 1 - margin); C infinite: the hard margin",
        several_classes="each against the rest",
        by_rest=True,
        certificate="DualityGap",
        source="Cortes and Vapnik 1995",
        separates=False,
    ),
    Algorithm(
        name="linear SVM, squared hinge",
        solver=partial(linear_svm, squared=True),
        estimator=LinearSVM,
        options={"loss": "squared_hinge"},
        rule="minimise 1/2 w.w + C sum max(0, 1 - margin)^2",
        several_classes="each against the rest",
        by_rest=True,
        certificate="DualityGap",
        source="Cortes and Vapnik 1995",
        separates=False,
    ),
    Algorithm(
        name="logistic discrimination",
        solver=logistic,
        estimator=LogisticClassifier,
        rule="minimise 1/2 w.w + C sum log(1 + exp(-margin)); C infinite: maximum likelihood",
        several_classes="one multinomial model",
        certificate="DualityGap",
        source="Cox 1958",
        separates=False,
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
    >>> len(estimators()) > 20
    True
    """
    single = [algorithm.make() for algorithm in ALGORITHMS]
    return [*single, *(way.estimator(Perceptron()) for way in WAYS), StochasticRegressor()]
