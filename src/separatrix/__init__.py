"""Linear classifiers you can trust: every fit comes with a certificate that anyone can recheck."""

from separatrix.analysis.bias_variance import bias_variance
from separatrix.analysis.hebb_and_oja import Direction, hebb, oja
from separatrix.analysis.hull_distance import HullDistance, hull_distance
from separatrix.analysis.margins import Margins, margins
from separatrix.analysis.minimum_errors import minimum_errors
from separatrix.analysis.mistake_bound import mistake_bound
from separatrix.analysis.robust_linear_program import robust_linear_program
from separatrix.analysis.separability import Separability, separability
from separatrix.analysis.verification import verify
from separatrix.certificates import (
    Collected,
    DualityGap,
    NearestPoint,
    Overlap,
    Separator,
    Stationary,
    Unproved,
    WeakSeparator,
)
from separatrix.certificates.claims.minimum_errors import MinimumErrors
from separatrix.data import Preparation, Table, encode, kesler_vectors, read_table
from separatrix.errors import (
    DataError,
    FormatError,
    NotCertifiedWarning,
    NotSeparableError,
    OptionError,
    SeparatrixError,
)
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
from separatrix.estimators.stochastic import StochasticClassifier
from separatrix.estimators.store.model_file import load, save
from separatrix.estimators.thermal import ThermalPerceptron
from separatrix.problem import Problem
from separatrix.selection.compare import compare
from separatrix.selection.comparison import Comparison
from separatrix.solvers.online.schedule import Decay
from separatrix.solvers.separation.robust_lp import RobustPlane
from separatrix.theory.bias_variance import BiasVariance
from separatrix.theory.units import McCullochPitts
from separatrix.version import __version__ as __version__

__all__ = [
    "BiasVariance",
    "Collected",
    "Comparison",
    "DataError",
    "Decay",
    "Direction",
    "DualityGap",
    "FisherDiscriminant",
    "FormatError",
    "GaussianDiscriminant",
    "HoKashyapClassifier",
    "HullDistance",
    "LMSClassifier",
    "LeastSquaresClassifier",
    "LinearSVM",
    "LogisticClassifier",
    "Margins",
    "McCullochPitts",
    "MinimumErrors",
    "NearestPoint",
    "NotCertifiedWarning",
    "NotSeparableError",
    "OneVsOne",
    "OneVsRest",
    "OptionError",
    "Overlap",
    "Perceptron",
    "PocketPerceptron",
    "Preparation",
    "Problem",
    "RelaxationClassifier",
    "RobustPlane",
    "Separability",
    "Separator",
    "SeparatrixError",
    "Stationary",
    "StochasticClassifier",
    "StochasticRegressor",
    "Table",
    "ThermalPerceptron",
    "Unproved",
    "WeakSeparator",
    "bias_variance",
    "compare",
    "encode",
    "hebb",
    "hull_distance",
    "kesler_vectors",
    "load",
    "margins",
    "minimum_errors",
    "mistake_bound",
    "oja",
    "read_table",
    "robust_linear_program",
    "save",
    "separability",
    "verify",
]
