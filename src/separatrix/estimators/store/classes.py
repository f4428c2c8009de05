"""The classes that a model file may name, and what each of them holds: the only place that says so.

A file names classes by the names in these tables, and nothing else is ever imported or called for it. To let files hold
one more class, add one line:

- a model or transformer with a scikit-learn interface: its name, its module and its fitted attributes to `MODELS`, with
  `fitted=None` where any attribute that ends in "_" will do;
- a frozen dataclass or named tuple inside of them: the class to `RECORDS`. Its annotations say what its fields may be.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, Literal, get_args

import numpy as np

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
from separatrix.certificates.claims.discriminant_equations import FisherEquations, GaussianEquations
from separatrix.certificates.claims.minimum_errors import MinimumErrors
from separatrix.certificates.claims.nearest_point import Reach
from separatrix.certificates.claims.normal_equations import NormalEquations
from separatrix.certificates.claims.overlap import Balance
from separatrix.certificates.claims.separator import Examination
from separatrix.data.prepare.prepared_column import PreparedColumn
from separatrix.objectives import NO_DUAL_POINT, LogLoss, MeanSlack, SoftMargin, Values
from separatrix.problem import Moments, Status
from separatrix.rows import Vector
from separatrix.solvers.online.schedule import Decay

Claim = (  # what a certificate_ may be
    Collected | DualityGap | MinimumErrors | NearestPoint | Overlap | Separator | Stationary | Unproved | WeakSeparator
)
PARTS = (
    *(Balance, Examination, FisherEquations, GaussianEquations, LogLoss, MeanSlack, NormalEquations, Reach),
    *(SoftMargin, Values),
)
RECORDS: Mapping[str, type] = {
    each.__name__: each for each in (*get_args(Claim), *PARTS, Decay, Moments, PreparedColumn)
}
ENUMS: Mapping[str, type] = {"Status": Status}


@dataclass(frozen=True)
class Sized:
    """An array: the kinds of number it may hold, and a letter for each size, which is the same wherever it stands.

    d features, k classes, p planes: one for two classes, else k. Other letters mean nothing beyond the one model. No
    letters: any shape. No kinds: the size itself, as a whole number.
    """

    kinds: str
    sizes: str = ""
    missing: bool = False  # whether None will do
    values: Literal["any", "not NaN", "finite"] = "any"


@dataclass(frozen=True)
class Fitted:
    """A list of fitted models, as many as the letter says; no letter: one fitted model, or None."""

    size: str = ""


@dataclass(frozen=True)
class Model:
    """A class with a scikit-learn interface: its module, and what it has when fitted; a name with ? may be missing."""

    module: str
    fitted: Mapping[str, Any] | None = field(default_factory=dict)
    foreign: bool = False  # of scikit-learn, whose later versions may have more parameters


def floats(sizes: str = "", values: Literal["any", "not NaN", "finite"] = "not NaN") -> Sized:
    """An array of floats."""
    return Sized("f", sizes, values=values)


# Fields whose annotation does not say all that must be so.
FIELDS: Mapping[tuple[str, str], Any] = {
    ("Collected", "parts"): tuple[Claim, ...],
    ("Stationary", "equations"): NormalEquations | GaussianEquations | FisherEquations,
    ("Unproved", "bound"): MinimumErrors | None,
    ("DualityGap", "b"): float | Vector,
    ("DualityGap", "objective"): SoftMargin | LogLoss | MeanSlack,
    ("DualityGap", "support"): Sized("i", "s"),
    ("DualityGap", "alpha"): Sized("f", "s"),
    ("NearestPoint", "support"): Sized("i", "s"),
    ("NearestPoint", "weights"): Sized("f", "s"),
}
# Records that files of earlier versions call otherwise, with what these lack.
EARLIER: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "LogisticGap": ("DualityGap", {**NO_DUAL_POINT._asdict(), "separator": None}),
    "LinearGap": ("DualityGap", {"objective": MeanSlack()}),
}
# Fields that files of earlier versions do not have.
LATER = frozenset({("Collected", "names"), ("MinimumErrors", "copies"), ("DualityGap", "overlap")})
# Numbers that are never below 0, whatever record or model has them.
NOT_NEGATIVE = frozenset(
    {"n_rows", "n_wrong", "n_exact", "mistakes", "rounding", "stated", "tol", "lower", "upper", "copies", "sizes"}
    | {"missing", "n_iter_", "n_presentations_", "n_updates_", "n_rows_", "_n_rows", "rank_", "ignored_"}
)
LABELS = "biufUO"
SEEN = {"n_features_in_": Sized("", "d"), "feature_names_in_?": Sized("O", "d")}
CLASSES = {**SEEN, "classes_": Sized(LABELS, "k"), "n_iter_": int, "certificate_": Claim}
PLANES = {**CLASSES, "coef_": floats("pd", "finite"), "intercept_": floats("p")}  # b of a class never seen is -inf
RUN = {
    **PLANES,
    "n_presentations_": int,
    "n_updates_": int,
    "_last": Vector | None,
    "learning_curve_?": floats("r", "any"),
    "learning_rate_?": float | Decay,
}
MOMENTS = {**PLANES, "moments_": Moments, "n_rows_": int, "rank_": int | None, "ignored_": int}
REDUCED = {**CLASSES, "code_": Sized("i", "kc"), "estimators_": Fitted("c")}
SUPPORT = {
    "support_": Sized("i", "s"),
    "dual_coef_": floats("ps"),
    "n_support_": Sized("i", "k"),
    "slacks_": floats(),
    "margin_width_": float | Vector,
}
LIKELIHOOD = {
    "infinite_": Sized("b", "pd"),
    "infinite_intercept_": Sized("b", "p"),
    "separation_?": Literal["complete", "quasi-complete", "overlap"],
    "finite_certificate_?": Claim,
    "standard_errors_?": floats("pd", "any"),
    "intercept_standard_errors_?": floats("p"),
    "log_likelihood_?": float,
    "deviance_?": float,
    "aic_?": float,
    "_limit?": tuple[list[int], Vector, float | Vector],
    "_n_rows": int,
}
BOUND = {"_bound?": str}  # files of earlier versions do not have it
PROJECTION = {
    "scalings_": floats("dm", "finite"),
    "J_": floats("m"),
    "mean_": floats("d", "finite"),
    "_n_features_out": int,
}
MAYBE = Sized("f", "d", missing=True)
SCALER = {**SEEN, "scale_": MAYBE}
COUNTS = int | float | np.ndarray | Vector
HERE, PREPROCESSING, IMPUTE = "separatrix.estimators", "sklearn.preprocessing", "sklearn.impute"

MODELS: Mapping[str, Model] = {
    "Perceptron": Model(f"{HERE}.perceptron", RUN),
    "PocketPerceptron": Model(f"{HERE}.pocket", RUN),
    "ThermalPerceptron": Model(f"{HERE}.thermal", RUN),
    "RelaxationClassifier": Model(f"{HERE}.relaxation", RUN),
    "StochasticClassifier": Model(f"{HERE}.stochastic", RUN),
    "LMSClassifier": Model(f"{HERE}.lms", RUN),
    "HoKashyapClassifier": Model(f"{HERE}.ho_kashyap", {**PLANES, **BOUND, "error_vector_": floats()}),
    "LeastSquaresClassifier": Model(f"{HERE}.least_squares", {**PLANES, "rank_": int | None}),
    "FisherDiscriminant": Model(f"{HERE}.discriminant", {**MOMENTS, **PROJECTION, **BOUND}),
    "GaussianDiscriminant": Model(f"{HERE}.discriminant", MOMENTS),
    "LinearSVM": Model(f"{HERE}.linear_svm", {**PLANES, **SUPPORT}),
    "LogisticClassifier": Model(f"{HERE}.logistic", {**PLANES, **LIKELIHOOD, **BOUND}),
    "OneVsRest": Model(f"{HERE}.multiclass", REDUCED),
    "OneVsOne": Model(f"{HERE}.multiclass", REDUCED),
    "StochasticRegressor": Model(
        f"{HERE}.regression",
        {
            **SEEN,
            "coef_": floats("d", "finite"),
            "intercept_": floats("o", "finite"),
            "n_iter_": int,
            "n_presentations_": int,
            "certificate_": Claim,
            "_last": Vector | None,
            "learning_curve_?": floats("r", "any"),
            "learning_rate_?": float | Decay,
        },
    ),
    "Preparation": Model(
        "separatrix.data.prepare.preparation",
        {
            "n_features_in_": int,
            "columns_": tuple[PreparedColumn, ...],
            "feature_names_out_": tuple[str, ...],
            "sparse_": bool,
            "centre_?": MAYBE,
            "spread_?": MAYBE,
            "first_index_?": Literal[0, 1],
        },
    ),
    "Pipeline": Model("sklearn.pipeline", foreign=True),
    "StandardScaler": Model(
        PREPROCESSING, {**SCALER, "mean_": MAYBE, "var_": MAYBE, "n_samples_seen_": COUNTS}, foreign=True
    ),
    "MinMaxScaler": Model(
        PREPROCESSING,
        {
            **SCALER,
            **dict.fromkeys(("min_", "data_min_", "data_max_", "data_range_"), floats("d")),
            "n_samples_seen_": int,
        },
        foreign=True,
    ),
    "MaxAbsScaler": Model(PREPROCESSING, {**SCALER, "max_abs_": floats("d"), "n_samples_seen_": int}, foreign=True),
    "RobustScaler": Model(PREPROCESSING, {**SCALER, "center_": MAYBE}, foreign=True),
    "SimpleImputer": Model(
        IMPUTE,
        {
            **SEEN,
            "statistics_": Sized("biufO", "d"),
            "indicator_": Fitted(),
            "_fit_dtype?": np.dtype,
            "_fill_dtype?": np.dtype,
        },
        foreign=True,
    ),
    "MissingIndicator": Model(
        IMPUTE,
        {**SEEN, "features_": Sized("i", "m"), "_n_features": Sized("", "d"), "_precomputed?": bool},
        foreign=True,
    ),
}
LEFT_OUT = frozenset({"trace_"})  # a recorded run holds the training rows themselves, which are not the model's to keep
OUTPUT = "_sklearn_output_config"  # what set_output asked for


@cache
def model_class(name: str) -> type:
    """The class of a known name, imported when it is first needed."""
    return getattr(import_module(MODELS[name].module), name)
