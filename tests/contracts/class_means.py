"""A small algorithm from outside of the package: solver, certificate, estimator, and a row for the registry.

w = m_1 - m_0,     b = -(m_1 + m_0).w / 2          m_c: the mean of class c; the class with the nearest mean wins
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from separatrix.certificates import Unproved
from separatrix.errors import OptionError
from separatrix.estimators.algorithm import Algorithm
from separatrix.estimators.base import LinearClassifier
from separatrix.estimators.fit_cost import NewtonSteps
from separatrix.estimators.store.fitted_attributes import floats
from separatrix.problem import History, Moments, Plane, Problem, Solution, Status


@dataclass(frozen=True, eq=False, repr=False)
class MeansGuess(Unproved):
    """A claim of a class that the package does not know."""

    explanation: ClassVar[str] = "The nearest mean is a guess, and says so."


def class_means(problem: Problem, *, max_iter: int = 1) -> Solution:
    """Compute the planes half way between the means of the classes."""
    if not problem.fit_intercept:
        raise OptionError("class_means needs an offset: use fit_intercept=True.")
    means = Moments.of(problem).means
    w, b = means, -0.5 * np.sum(means**2, axis=1)
    if problem.n_classes == 2:
        w, b = w[1] - w[0], float(b[1] - b[0])
    guess = MeansGuess("means claim nothing", w, b)
    return Solution(Plane(w, b), replace(guess, stated=guess.error(problem)), Status.ENDED, History(1, 1))


class ClassMeans(LinearClassifier):
    """The class whose mean is nearest."""

    _fitted_attributes: ClassVar[Mapping[str, Any]] = {"certificate_": MeansGuess, "radius_": floats("k")}

    def __init__(self, max_iter: int = 1):
        self.max_iter = max_iter

    def fit(self, X, y):
        encoded = self._pose(X, y)
        self.radius_ = np.zeros(len(encoded.classes))
        return self._publish(class_means(encoded.problem, max_iter=self.max_iter), encoded.classes)


ROW = Algorithm(
    name="class means",
    solver=class_means,
    estimator=ClassMeans,
    rule="the nearest mean wins",
    several_classes="a mean for each",
    certificate="Unproved",
    source="Outside 2000",
    separates=False,
    without_offset=False,
    cost=NewtonSteps(passes=2.0),
)
