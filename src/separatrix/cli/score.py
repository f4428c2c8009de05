"""`separatrix score MODEL FILE`: how well a model predicts rows whose labels or numbers are known."""

import argparse
from dataclasses import asdict
from typing import Any

import numpy as np

from separatrix.analysis.scoring import ClassScores, NumberScores, score_classes, score_numbers
from separatrix.cli.file_model import FileModel, file_model, read_as_fitted
from separatrix.cli.options import add_data, add_json, as_json
from separatrix.cli.rows_of_file import rows_by_line
from separatrix.cli.streams import write_answer, write_note
from separatrix.data.files.source import Block
from separatrix.data.prepare.unseen_words import UnseenWords
from separatrix.data.task import check_numbers
from separatrix.errors import OptionError, counted
from separatrix.estimators.store.model_file import load
from separatrix.selection.regression.table import in_units

NAME = "score"
SUMMARY = "score the predictions of a model on rows whose labels are known"
DESCRIPTION = (
    "Predict the rows of FILE, which has the column with the labels, and compare with the labels: the error and the "
    "balanced error, for each class recall, precision and F1, AUC where the model has scores, log loss, Brier score "
    "and calibration where it has probabilities, and the confusion of classes. For a regressor, how far off its "
    "numbers are. Rows without a label are left out and counted."
)
EXAMPLES = """examples:
  separatrix score model.json new_patients.csv
  separatrix score model.json new_patients.csv --target disease --json"""
MAX_CLASSES_SHOWN = 20


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    add_data(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Predict, compare, and show the figures."""
    model = file_model(load(arguments.model), arguments.model)
    if model.kind == "detector":
        raise OptionError(
            f"score: {type(model.estimator).__name__} finds unusual rows and knows no labels. Use separatrix predict."
        )
    raw = read_as_fitted(arguments, model)
    with rows_by_line(raw):
        model = model.of_first_rows(raw.X)
        found = numbers_met(model, raw) if model.kind == "regressor" else classes_met(model, raw)
    unseen = UnseenWords()
    unseen.add(model.front, raw.X)
    for sentence in unseen.sentences:
        write_note(f"separatrix: {sentence}")
    answer = {"model": arguments.model, "file": raw.name, "rows": len(raw.labels), "skipped": raw.skipped}
    if arguments.json:
        write_answer(as_json(answer | asdict(found)))
    elif isinstance(found, NumberScores):
        write_answer(text_of_numbers(found))
    else:
        write_answer("\n".join(text_of_classes(found)))
    return 0


def numbers_met(model: FileModel, raw: Block) -> NumberScores:
    """How far the predictions of a regressor are off."""
    truth = check_numbers(raw.labels, raw.name, raw.target)
    return score_numbers(truth, np.asarray(model.model.predict(model.front.transform(raw.X)), dtype=np.float64))


def classes_met(model: FileModel, raw: Block) -> ClassScores:
    """How well the predictions of a classifier meet the labels, those of no known class among them."""
    X, known = model.front.transform(raw.X), model.estimator.classes_
    names = [name_of(label) for label in known.tolist()]
    given = [name_of(label) for label in raw.labels.tolist()]
    strange = sorted(set(given) - set(names))
    if strange:
        n = sum(label in set(strange) for label in given)
        shown = ", ".join(map(repr, strange[:5]))
        write_note(f"separatrix: {counted(n, 'row')} with a label that the model does not know: {shown}.")
    place = {name: code for code, name in enumerate([*names, *strange])}
    predicted = np.array([place[name_of(label)] for label in np.asarray(model.model.predict(X)).tolist()])
    probabilities = model.model.predict_proba(X) if hasattr(model.model, "predict_proba") else None
    scores = model.model.decision_function(X) if hasattr(model.model, "decision_function") else None
    if scores is not None and scores.ndim == 2 and scores.shape[1] != len(names):
        scores = None  # of pairs of classes
    labels = np.array([place[label] for label in given])
    return score_classes(labels, predicted, tuple(names), probabilities, scores)


def name_of(label: Any) -> str:
    """A label as text, in which whole numbers have no fraction."""
    try:
        number = float(label)
        return str(int(number)) if number == number // 1 else repr(number)
    except (TypeError, ValueError, OverflowError):
        return str(label)


def text_of_numbers(found: NumberScores) -> str:
    """The figures of a regressor in sentences."""
    return (
        f"{counted(found.rows, 'row')}: off by {in_units(found.mean_absolute_error)} on average, "
        f"{in_units(found.root_mean_squared_error)} by root mean square, {in_units(found.largest_error)} at most; "
        f"R² = {found.r2:.4g}."
    )


def text_of_classes(found: ClassScores) -> list[str]:
    """The figures of a classifier as tables."""
    rows = int(found.confusion.sum())
    wrong = round(found.error * rows)
    lines = [f"{counted(rows, 'row')}, {wrong:,} of them with a wrong label.", ""]
    figures = {
        "error": found.error,
        "balanced error": found.balanced_error,
        "AUC": found.auc,
        "log loss": found.log_loss,
        "Brier score": found.brier,
    }
    lines += [f"  {name:<16}{value:.4f}" for name, value in figures.items() if value is not None]
    counts = found.confusion.sum(axis=1)
    width = max(8, *(len(name) for name in found.classes)) + 2
    lines += ["", f"  {'class':<{width}}{'rows':>8}{'recall':>10}{'precision':>11}{'F1':>8}"]
    each = zip(found.classes, counts.tolist(), found.recall, found.precision, found.f1, strict=False)
    lines += [f"  {name:<{width}}{n:>8,}{r:>10.4f}{p:>11.4f}{f:>8.4f}" for name, n, r, p, f in each]
    if len(found.classes) <= MAX_CLASSES_SHOWN:
        lines += ["", "  confusion: labels in rows, predictions in columns"]
        lines += [f"  {'':<{width}}" + "".join(f"{name:>{width}}" for name in found.classes)]
        names = [*found.classes, *["other"] * (len(found.confusion) - len(found.classes))]
        pairs = zip(names, found.confusion.tolist(), strict=True)
        lines += [f"  {name:<{width}}" + "".join(f"{n:>{width},}" for n in row) for name, row in pairs]
    return lines + text_of_calibration(found)


def text_of_calibration(found: ClassScores) -> list[str]:
    """How often predicted probabilities came true."""
    if not found.calibration:
        return []
    of = f"of {found.classes[1]}" if len(found.classes) == 2 else "of the predicted class"
    lines = ["", f"  calibration: the probability {of}, and how often it came true"]
    lines += [f"  {'predicted':<14}{'rows':>8}{'mean':>10}{'came true':>11}"]
    for own in found.calibration:
        lines.append(f"  {own.low:.1f} to {own.high:.1f}    {own.rows:>8,}{own.predicted:>10.4f}{own.observed:>11.4f}")
    return lines
