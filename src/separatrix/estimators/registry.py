"""Every algorithm of the package, one row each.

The README's table, the command line's choices, the candidates of a comparison, the classes that model files may hold,
the API documentation, the contract tests, the demonstration and the benchmarks are made from these rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from separatrix.errors import OptionError
from separatrix.estimators.algorithm import Algorithm, Reduction, Task, Wrapper
from separatrix.estimators.algorithms import classification, novelty, regression
from separatrix.estimators.calibration.calibrated import Calibrated
from separatrix.estimators.discriminant import FisherDiscriminant, GaussianDiscriminant
from separatrix.estimators.ho_kashyap import HoKashyapClassifier
from separatrix.estimators.hulls.barycentric_classifier import BarycentricClassifier
from separatrix.estimators.hulls.reduced_hull_classifier import ReducedHullClassifier
from separatrix.estimators.kernel.kernel_nu_svm import KernelNuSVM
from separatrix.estimators.kernel.kernel_perceptron import KernelPerceptron
from separatrix.estimators.kernel.kernel_svm import KernelSVM
from separatrix.estimators.kernel.kernel_svr import KernelNuSVR, KernelSVR
from separatrix.estimators.kernel.one_class_svm import OneClassSVM
from separatrix.estimators.kernel.smallest_ball import SmallestBall
from separatrix.estimators.least_squares import LeastSquaresClassifier
from separatrix.estimators.linear_svm import LinearSVM
from separatrix.estimators.lms import LMSClassifier
from separatrix.estimators.logistic import LogisticClassifier
from separatrix.estimators.nu_svm import NuSVM
from separatrix.estimators.perceptron import Perceptron
from separatrix.estimators.pocket import PocketPerceptron
from separatrix.estimators.reduction.error_correcting_code import ErrorCorrectingCode
from separatrix.estimators.reduction.one_vs_one import OneVsOne
from separatrix.estimators.reduction.one_vs_rest import OneVsRest
from separatrix.estimators.regression.least_squares_regressor import LeastSquaresRegressor
from separatrix.estimators.regression.linear_svr import LinearSVR
from separatrix.estimators.regression.nu_svr import NuSVR
from separatrix.estimators.regression.sparse_svr import SparseSVR
from separatrix.estimators.regression.stochastic_regressor import StochasticRegressor
from separatrix.estimators.relaxation import RelaxationClassifier
from separatrix.estimators.stochastic import StochasticClassifier
from separatrix.estimators.thermal import ThermalPerceptron

__all__ = [  # public names of the package
    "BarycentricClassifier",
    "Calibrated",
    "ErrorCorrectingCode",
    "FisherDiscriminant",
    "GaussianDiscriminant",
    "HoKashyapClassifier",
    "KernelNuSVM",
    "KernelNuSVR",
    "KernelPerceptron",
    "KernelSVM",
    "KernelSVR",
    "LMSClassifier",
    "LeastSquaresClassifier",
    "LeastSquaresRegressor",
    "LinearSVM",
    "LinearSVR",
    "LogisticClassifier",
    "NuSVM",
    "NuSVR",
    "OneClassSVM",
    "OneVsOne",
    "OneVsRest",
    "Perceptron",
    "PocketPerceptron",
    "ReducedHullClassifier",
    "RelaxationClassifier",
    "SmallestBall",
    "SparseSVR",
    "StochasticClassifier",
    "StochasticRegressor",
    "ThermalPerceptron",
]

_ALGORITHMS = [*classification.ROWS, *regression.ROWS, *novelty.ROWS]

REDUCTIONS = (
    Reduction("one against the rest", OneVsRest, "k planes, the largest score wins", "Nilsson 1965"),
    Reduction(
        "one against one", OneVsOne, "k (k - 1) / 2 planes; most votes win, or a graph asks k - 1", "Knerr et al. 1990"
    ),
    Reduction(
        "error-correcting code",
        ErrorCorrectingCode,
        "a plane for each bit, the nearest codeword wins",
        "Dietterich and Bakiri 1995",
    ),
)

WRAPPERS = (
    *REDUCTIONS,
    Wrapper(
        "calibration", Calibrated, "probabilities by a sigmoid or isotonic map of out-of-fold scores", "Platt 1999"
    ),
)


def algorithms(task: Task | None = None) -> list[Algorithm]:
    """The rows of a task, or all of them.

    >>> [row.name for row in algorithms("transformation")]
    []
    >>> "least squares regression" in [row.name for row in algorithms("regression")]
    True
    """
    return [row for row in _ALGORITHMS if task in (None, row.task)]


def algorithm_of(estimator: Any) -> Algorithm | None:
    """The row that an estimator belongs to: of several, that with the most specific class and the most options.

    >>> algorithm_of(LinearSVM(loss="squared_hinge")).name
    'linear SVM, squared hinge'
    """
    rows = [row for row in _ALGORITHMS if row.makes(estimator)]
    return max(rows, key=lambda row: (len(row.estimator.__mro__), len(row.options)), default=None)


@cache  # model files ask for each of their values; `register` clears it
def estimator_classes() -> tuple[type, ...]:
    """Every estimator class of the registry, once each."""
    classes = [*(row.estimator for row in _ALGORITHMS), *(row.estimator for row in WRAPPERS)]
    return tuple(dict.fromkeys(classes))


def estimators() -> list[Any]:
    """One unfitted instance of everything that can be fitted.

    >>> len(estimators()) > 20
    True
    """
    return [*(row.make() for row in _ALGORITHMS), *(row.estimator(Perceptron()) for row in WRAPPERS)]


@contextmanager
def register(row: Algorithm) -> Iterator[Algorithm]:
    """Add a row for the time of a `with` block: all that is made from the registry then knows the algorithm.

    >>> from dataclasses import replace
    >>> with register(replace(algorithms()[0], name="another")):
    ...     print(algorithms()[-1].name)
    another
    >>> algorithms()[-1].name
    'smallest ball'
    """
    if any(row.name == known.name for known in _ALGORITHMS):
        raise OptionError(f"There is an algorithm {row.name!r} already. Give the new one another name.")
    _ALGORITHMS.append(row)
    estimator_classes.cache_clear()
    try:
        yield row
    finally:
        _ALGORITHMS.remove(row)
        estimator_classes.cache_clear()
