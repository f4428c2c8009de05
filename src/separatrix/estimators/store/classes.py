"""The classes that a model file may name. Nothing else is ever imported, made or called for a file.

- Estimators: those of the registry, each of which says by `_fitted_attributes` what it has when fitted.
- Models and transformers of scikit-learn, and `Preparation`: those of `OTHER_MODELS`.
- Records, which are frozen dataclasses and named tuples: the certificates, the kernels that are no functions, and those
  that fields of a certificate or fitted attributes of a model are annotated with.
"""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar, Literal, get_args, get_origin, get_type_hints

import numpy as np

from separatrix.certificates import CERTIFICATES, MinimumErrors
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.prepared_column import PreparedColumn
from separatrix.data.prepare.text_column import TextColumn
from separatrix.estimators import registry
from separatrix.estimators.store.fitted_attributes import (
    COUNT,
    LABELS,
    ArrayOf,
    ArraysOf,
    FittedModels,
    SizeOf,
    Transformers,
    fitted_attributes,
    floats,
)
from separatrix.estimators.store.without_dual import LEFT_OUT as DUAL_LEFT_OUT
from separatrix.kernels import KERNELS
from separatrix.objectives import NO_DUAL_POINT, MeanSlack
from separatrix.problem import Status
from separatrix.rows import Vector

ENUMS: Mapping[str, type] = {"Status": Status}
LEFT_OUT = frozenset({"trace_"})  # a recorded run holds the training rows themselves, which are not the model's to keep
OUTPUT = "_sklearn_output_config"  # what set_output asked for
MARKS: Mapping[str, Any] = {OUTPUT: dict[str, str], DUAL_LEFT_OUT: Literal[True]}  # which any model may have


# Records that files of earlier versions call otherwise, with what these lack.
EARLIER_RECORDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "LogisticGap": ("DualityGap", {**NO_DUAL_POINT._asdict(), "separator": None}),
    "LinearGap": ("DualityGap", {"objective": MeanSlack()}),
}


@dataclass(frozen=True)
class StoredModel:
    """A class with a scikit-learn interface, or the module it is imported from when it is first needed.

    `fitted` declares what it has when fitted, as `_fitted_attributes` does.
    """

    source: type | str
    fitted: Mapping[str, Any]

    @property
    def foreign(self) -> bool:
        """Whether it is of scikit-learn, whose later versions may have more parameters."""
        return isinstance(self.source, str)


SEEN = {"n_features_in_": SizeOf("d"), "feature_names_in_?": ArrayOf("O", "d")}
SEEN_OR_NOT = {f"{name.removesuffix('?')}?": what for name, what in SEEN.items()}
COLUMN_NUMBERS = ArrayOf("f", "d", optional=True)
SCALER = {**SEEN, "scale_": COLUMN_NUMBERS}
READING = dict[Literal["missing", "weights"], tuple[str, ...]]
PREPROCESSING, IMPUTE = "sklearn.preprocessing", "sklearn.impute"
ENCODER = {
    **SEEN,
    "categories_": ArraysOf(LABELS, "d"),
    "_infrequent_enabled?": Literal[False],
}
OTHER_MODELS: dict[str, StoredModel] = {
    "Preparation": StoredModel(
        Preparation,
        {
            "n_features_in_": int,
            "columns_": tuple[PreparedColumn, ...],
            "feature_names_out_": tuple[str, ...],
            "sparse_": bool,
            "centre_?": COLUMN_NUMBERS,
            "spread_?": COLUMN_NUMBERS,
            "first_index_?": Literal[0, 1],
            "dates_?": dict[str, Literal["iso", "dotted", "day/month", "month/day", "typed"]],
            "reading_?": READING,
        },
    ),
    "TextColumn": StoredModel(TextColumn, {"name_": str, "n_missing_": COUNT, "reading_?": READING}),
    "Pipeline": StoredModel("sklearn.pipeline", {}),
    "StandardScaler": StoredModel(
        PREPROCESSING,
        {
            **SCALER,
            "mean_": COLUMN_NUMBERS,
            "var_": COLUMN_NUMBERS,
            "n_samples_seen_": int | float | np.ndarray | Vector,
        },
    ),
    "MinMaxScaler": StoredModel(
        PREPROCESSING,
        {
            **SCALER,
            **dict.fromkeys(("min_", "data_min_", "data_max_", "data_range_"), floats("d")),
            "n_samples_seen_": int,
        },
    ),
    "MaxAbsScaler": StoredModel(PREPROCESSING, {**SCALER, "max_abs_": floats("d"), "n_samples_seen_": int}),
    "RobustScaler": StoredModel(PREPROCESSING, {**SCALER, "center_": COLUMN_NUMBERS}),
    "SimpleImputer": StoredModel(
        IMPUTE,
        {
            **SEEN,
            "statistics_": ArrayOf("biufO", "d"),
            "indicator_": FittedModels(),
            "_fit_dtype?": np.dtype,
            "_fill_dtype?": np.dtype,
        },
    ),
    "MissingIndicator": StoredModel(
        IMPUTE, {**SEEN, "features_": ArrayOf("i", "m"), "_n_features": SizeOf("d"), "_precomputed?": bool}
    ),
    "OneHotEncoder": StoredModel(
        PREPROCESSING,
        {
            **ENCODER,
            "drop_idx_": ArrayOf("iO", "d", optional=True),
            "_drop_idx_after_grouping?": ArrayOf("iO", "d", optional=True),
            "_n_features_outs?": list[int],
        },
    ),
    "OrdinalEncoder": StoredModel(PREPROCESSING, {**ENCODER, "_missing_indices": dict[int, int]}),
    "FunctionTransformer": StoredModel(PREPROCESSING, dict(SEEN_OR_NOT)),  # of columns that are passed through
    "FixedThresholdClassifier": StoredModel(
        "sklearn.model_selection", {**SEEN_OR_NOT, "estimator_": FittedModels(needed=True)}
    ),
    "ColumnTransformer": StoredModel(
        "sklearn.compose",
        {
            **SEEN,
            "transformers_": Transformers(),
            "sparse_output_": bool,
            "output_indices_": dict[str, slice],
            "_transformer_to_input_indices": dict[str, list[int]],
            "_columns": list,
            "_remainder": tuple,
            "_n_features?": int,
        },
    ),
}


def stored_models() -> Mapping[str, StoredModel]:
    """All models that a file may hold, by their names."""
    return ChainMap(OTHER_MODELS, registered_models(registry.estimator_classes()))


def model_class(name: str) -> type:
    """The class of a known name."""
    source = stored_models()[name].source
    return source if isinstance(source, type) else getattr(import_module(source), name)


@cache
def registered_models(classes: tuple[type, ...]) -> dict[str, StoredModel]:
    """Estimators of the registry by their names."""
    return {each.__name__: StoredModel(each, fitted_attributes(each)) for each in classes}


def records() -> Mapping[str, type]:
    """All records that a file may hold, by their names."""
    return records_of(registry.estimator_classes())


@cache
def records_of(classes: tuple[type, ...]) -> Mapping[str, type]:
    """The certificates, the kernels, and every record that fields or fitted attributes are annotated with."""
    found: dict[str, type] = {}
    for each in (*CERTIFICATES, *KERNELS):
        add_records(each, found)
    models = (*registered_models(classes).values(), *OTHER_MODELS.values())
    for hint in (hint for model in models for hint in model.fitted.values()):
        add_records(hint, found)
    return found


def add_records(hint: Any, found: dict[str, type]) -> None:
    """Add the records that an annotation names, with those that their own fields name."""
    for part in get_args(hint):
        add_records(part, found)
    is_record = isinstance(hint, type) and (is_dataclass(hint) or hasattr(hint, "_fields") or hint in CERTIFICATES)
    if is_record and hint.__name__ not in found:
        found[hint.__name__] = hint
        for field in record_fields(hint).values():
            add_records(field, found)


@cache
def record_fields(record: type) -> Mapping[str, Any]:
    """The fields of a record, with what each may hold."""
    hints = get_type_hints(record, localns={each.__name__: each for each in CERTIFICATES})
    if record is MinimumErrors:  # a number with attributes
        hints = {"upper": int} | {name: hint for name, hint in hints.items() if get_origin(hint) is not ClassVar}
        names: Any = hints
    else:
        names = [each.name for each in fields(record)] if is_dataclass(record) else record._fields  # type: ignore[attr-defined]
    hints, linked = {**hints, **getattr(record, "field_types", {})}, getattr(record, "equal_lengths", ())
    wide = getattr(record, "with_columns", ())
    return {name: linked_array(hints[name], name in wide) if name in linked else hints[name] for name in names}


def linked_array(hint: Any, wide: bool = False) -> ArrayOf:
    """One of the arrays of a record that have the same length: row numbers where its annotation names no type."""
    return ArrayOf("i" if hint is np.ndarray else "f", "s*" if wide else "s")
