"""Linear and kernel classifiers you can trust: every fit comes with a certificate that anyone can recheck."""

from separatrix.analysis.bias_variance import bias_variance
from separatrix.analysis.dichotomies import in_general_position, separable_dichotomies
from separatrix.analysis.empirical_risk import empirical_risk
from separatrix.analysis.fewer_support_rows import fewer_support_rows
from separatrix.analysis.fisher_ratio import fisher_ratio
from separatrix.analysis.hebb_and_oja import Direction, hebb, oja
from separatrix.analysis.hull_distance import HullDistance, hull_distance
from separatrix.analysis.leave_one_out import leave_one_out
from separatrix.analysis.leave_one_out_scores import LeaveOneOutBound, LeaveOneOutScores
from separatrix.analysis.margins import Margins, margins
from separatrix.analysis.minimum_errors import minimum_errors
from separatrix.analysis.mistake_bound import mistake_bound
from separatrix.analysis.perceptron_proof import WeightNorms, batch_bound, weight_norms
from separatrix.analysis.reduced_hull import Containment, ReducedHull, reduced_hull
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
from separatrix.data.blocks import Blocks, read_blocks
from separatrix.errors import (
    ClusterError,
    DataError,
    FormatError,
    NotCertifiedWarning,
    NotSeparableError,
    OptionError,
    SeparatrixError,
    TrivialFitWarning,
)
from separatrix.estimators import registry
from separatrix.estimators.reduction.claims import Claims
from separatrix.estimators.registry import *  # noqa: F403  the estimators: `registry.__all__` names them
from separatrix.estimators.store.model_file import load, save
from separatrix.interchange.code.export import to_code
from separatrix.interchange.libsvm.liblinear_file import read_liblinear, write_liblinear
from separatrix.interchange.libsvm.libsvm_file import read_libsvm, write_libsvm
from separatrix.interchange.onnx.export import to_onnx
from separatrix.interchange.scikit_learn.certify import Certification, certify
from separatrix.interchange.scikit_learn.twins import from_sklearn, to_sklearn
from separatrix.kernels.psd_defect import PSDDefect, psd_defect
from separatrix.problem import Problem
from separatrix.selection.choose import Choice, choose
from separatrix.selection.compare import compare
from separatrix.selection.comparison import Comparison
from separatrix.selection.regression.comparison import RegressionComparison
from separatrix.selection.regularization_path import RegularizationPath, regularization_path
from separatrix.solvers.online.schedule import Decay
from separatrix.solvers.separation.robust_lp import RobustPlane
from separatrix.theory.bias_variance import BiasVariance
from separatrix.theory.counting.cover import capacity, cover_count, separable_probability
from separatrix.theory.counting.general_position import GeneralPosition
from separatrix.theory.counting.threshold_count import (
    ThresholdBounds,
    count_threshold_functions,
    threshold_function_bounds,
)
from separatrix.theory.counting.threshold_function import ThresholdVerdict, is_threshold_function
from separatrix.theory.error_bound import ErrorBound, error_bound
from separatrix.theory.hyperplane import Hyperplane
from separatrix.theory.mean_square import conditional_mean, mean_square_solution, robbins_monro
from separatrix.theory.units import McCullochPitts
from separatrix.version import __version__ as __version__

__all__ = [
    "BiasVariance",
    "Blocks",
    "Certification",
    "Choice",
    "Claims",
    "ClusterError",
    "Collected",
    "Comparison",
    "Containment",
    "DataError",
    "Decay",
    "Direction",
    "DualityGap",
    "ErrorBound",
    "FormatError",
    "GeneralPosition",
    "HullDistance",
    "Hyperplane",
    "LeaveOneOutBound",
    "LeaveOneOutScores",
    "Margins",
    "McCullochPitts",
    "MinimumErrors",
    "NearestPoint",
    "NotCertifiedWarning",
    "NotSeparableError",
    "OptionError",
    "Overlap",
    "PSDDefect",
    "Preparation",
    "Problem",
    "ReducedHull",
    "RegressionComparison",
    "RegularizationPath",
    "RobustPlane",
    "Separability",
    "Separator",
    "SeparatrixError",
    "Stationary",
    "Table",
    "ThresholdBounds",
    "ThresholdVerdict",
    "TrivialFitWarning",
    "Unproved",
    "WeakSeparator",
    "WeightNorms",
    "batch_bound",
    "bias_variance",
    "capacity",
    "certify",
    "choose",
    "compare",
    "conditional_mean",
    "count_threshold_functions",
    "cover_count",
    "empirical_risk",
    "encode",
    "error_bound",
    "fewer_support_rows",
    "fisher_ratio",
    "from_sklearn",
    "hebb",
    "hull_distance",
    "in_general_position",
    "is_threshold_function",
    "kesler_vectors",
    "leave_one_out",
    "load",
    "margins",
    "mean_square_solution",
    "minimum_errors",
    "mistake_bound",
    "oja",
    "psd_defect",
    "read_blocks",
    "read_liblinear",
    "read_libsvm",
    "read_table",
    "reduced_hull",
    "regularization_path",
    "robbins_monro",
    "robust_linear_program",
    "save",
    "separability",
    "separable_dichotomies",
    "separable_probability",
    "threshold_function_bounds",
    "to_code",
    "to_onnx",
    "to_sklearn",
    "verify",
    "weight_norms",
    "write_liblinear",
    "write_libsvm",
]
__all__ += registry.__all__
__all__.sort()
