"""`separatrix fit` for rows in blocks: a preparation and an estimator, each fitted by passes over them."""

import argparse
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from separatrix.cli.algorithms import STEPS, asked_task, make_estimator
from separatrix.cli.blocks.files import blocks_of, refuse
from separatrix.cli.options import as_json, remember_reading
from separatrix.cli.streams import visible, write_answer, write_note
from separatrix.data.blocks import Blocks
from separatrix.data.blocks.block_source import BlockSource
from separatrix.data.blocks.census import length
from separatrix.data.blocks.fingerprint import Hashing, OnePass
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.row_fingerprint import RowSums
from separatrix.data.table import labels_from_text
from separatrix.data.task import task_of
from separatrix.errors import DataError, NotCertifiedWarning, OptionError, counted
from separatrix.estimators.algorithm import Task
from separatrix.estimators.algorithms.streaming import check_blocks
from separatrix.estimators.store.model_file import save
from separatrix.selection.regression.table import in_units


def fit_in_blocks(arguments: argparse.Namespace) -> int:
    """Fit, store, and show the certificate."""
    refuse(arguments, "kernel")
    task = asked_task(arguments)
    if task == "novelty":
        raise OptionError(
            "--task novelty needs all rows in memory, and these are read in blocks. Fit it to fewer rows."
        )
    with warnings.catch_warnings(record=True) as caught, blocks_of(arguments) as blocks:
        warnings.simplefilter("always", NotCertifiedWarning)
        task = task or task_of_first_rows(blocks)
        estimator = make_estimator(arguments, task)
        check_blocks(estimator, blocks)
        preparation = Preparation(target_name(blocks.source), scale=arguments.scale).fit(blocks)
        remember_reading(preparation, getattr(blocks.source, "first_index", None), arguments)
        prepared = preparation.transform(blocks)
        model = Pipeline([("preparation", preparation), (STEPS[task], estimator.fit(prepared))])
        errors, sums = facts_over(estimator, prepared, task)
    save(model, arguments.model, data=sums.fingerprint, dual=arguments.dual)
    for warning in caught:
        if issubclass(warning.category, NotCertifiedWarning):
            write_note(f"separatrix: {warning.message}")
    answer = (
        as_json(as_dict(model, arguments.file, errors)) if arguments.json else as_text(model, arguments.model, errors)
    )
    write_answer(answer)
    return 0


def task_of_first_rows(blocks: Blocks) -> Task:
    """What the target of the first rows looks like."""
    for block, raw in enumerate(Blocks(blocks.source.with_kinds({}), blocks.runner).rows()):
        if raw.y is None:
            raise DataError(f"{blocks.source.place(block)}: there is no target. --target names its column.")
        if length(raw):
            return task_of(labels_from_text(list(raw.y)) if as_written(blocks.source) else raw.y)
    return "classification"


def target_name(source: BlockSource) -> str | None:
    """The name of the column of the target, where it has one."""
    roles = getattr(source, "roles", None)
    return None if roles is None else roles.target


def as_written(source: BlockSource) -> bool:
    """Whether labels are text that may stand for numbers."""
    return bool(getattr(source, "labels_as_written", False))


class Errors(NamedTuple):
    """How a model fares on the rows that it was fitted to.

    The rows; those predicted wrong; the sums of the absolute and of the squared residuals of numbers.
    """

    rows: int
    wrong: int = 0
    absolute: float = 0.0
    squared: float = 0.0

    def merged(self, other: "Errors") -> "Errors":
        """Those of both."""
        absolute, squared = self.absolute + other.absolute, self.squared + other.squared
        return Errors(self.rows + other.rows, self.wrong + other.wrong, absolute, squared)

    def values(self, task_is_classes: bool) -> dict[str, Any]:
        """For programs."""
        if task_is_classes:
            return {"training_errors": self.wrong}
        mean, rms = self.absolute / self.rows, float(np.sqrt(self.squared / self.rows))
        return {"task": "regression", "mean_absolute_residual": mean, "root_mean_squared_residual": rms}

    def sentence(self, task_is_classes: bool) -> str:
        """For people."""
        if task_is_classes:
            return f"{self.wrong:,} of them on the wrong side."
        values = self.values(False)
        mean, rms = in_units(values["mean_absolute_residual"]), in_units(values["root_mean_squared_residual"])
        return f"off by {mean} on average, {rms} by root mean square."


class Erring(NamedTuple):
    """The errors of a model in a block; labels may be text that stands for numbers."""

    model: Any
    classes: bool
    as_written: bool

    def __call__(self, raw: RawBlock) -> Errors:  # noqa: D102, the class says it
        n = length(raw)
        if not n:
            return Errors(0)
        found = np.asarray(self.model.predict(raw.X))
        if not self.classes:
            residuals = found - np.asarray(raw.y, dtype=np.float64)
            return Errors(n, 0, float(np.abs(residuals).sum()), float((residuals**2).sum()))
        labels, places = np.unique(np.asarray(raw.y), return_inverse=True)
        given = labels_from_text(labels.tolist()) if found.dtype.kind in "iuf" and self.as_written else labels
        return Errors(n, int((found != given[places]).sum()))


def facts_over(model: Any, blocks: Blocks, task: Task) -> tuple[Errors, RowSums]:
    """The errors of a model on all rows, and the sums by which these are known again: one more pass."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        classes = task == "classification"
        erring = Erring(model, classes, as_written(blocks.source))
        errors, sums = OnePass(blocks.source, (erring, Hashing(not classes))).over(blocks)
        return errors, sums


def as_dict(pipeline: Pipeline, name: str, errors: Errors) -> dict[str, Any]:
    """The result for programs."""
    model = pipeline[-1]
    certificate, classes = model.certificate_, hasattr(model, "classes_")
    return {
        "file": name,
        "rows": errors.rows,
        "features": model.n_features_in_,
        **({"classes": model.classes_} if classes else {}),
        "estimator": type(model).__name__,
        **errors.values(classes),
        "passes": model.n_iter_,
        "certificate": type(certificate).__name__,
        "error": certificate.stated,
        "proof": certificate.proof,
    }


def as_text(pipeline: Pipeline, path: str, errors: Errors) -> str:
    """The result for people."""
    preparation, model = pipeline
    shape = f"{counted(errors.rows, 'row')} x {counted(model.n_features_in_, 'feature')}"
    first = f"{model} on {shape}: {errors.sentence(hasattr(model, 'classes_'))}"
    passes = f"Read in blocks, in {counted(int(model.n_iter_), 'pass', 'passes')} after those of the preparation."
    return "\n".join(
        [first, passes, *preparation.notes_, "", str(model.certificate_), "", f"Stored in {visible(path, keep='')}."]
    )
