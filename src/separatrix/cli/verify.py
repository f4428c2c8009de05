"""`separatrix verify MODEL FILE`: recompute a model's certificate from the data."""

import argparse
from typing import Any

import numpy as np
from sklearn.base import is_outlier_detector

from separatrix.analysis.verification import checked as recompute
from separatrix.cli.options import add_data, add_json, as_json, sample, target_of
from separatrix.cli.predict import pipeline_of
from separatrix.cli.streams import visible, write_answer
from separatrix.data.files.reading import read_columns
from separatrix.data.files.source import Block
from separatrix.errors import DataError
from separatrix.estimators.store.model_file import fingerprint_of, read_model_file

NAME = "verify"
SUMMARY = "recompute a model's certificate from the data"
DESCRIPTION = (
    "Recompute the certificate of MODEL from the rows of FILE, which must be those that it was fitted to. The "
    "exit code is 0 if the claim is as true as when it was made, and 1 if it is not: other data, a changed model, "
    "a false claim, or data that it cannot be checked with. A model that save() stored alone takes the columns of "
    "numbers: by the names that it knows, else in their order."
)
EXAMPLES = """examples:
  separatrix verify model.json patients.csv
  separatrix verify model.json patients.csv --json
  separatrix study && separatrix verify model.json     the sample"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    add_data(parser, sample=True)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the file, the data and the claim."""
    found = check(arguments)
    write_answer(as_json(found) if arguments.json else as_text(found))
    return 0 if found["holds"] else 1


def check(arguments: argparse.Namespace) -> dict[str, Any]:
    """Recompute the certificate, and compare the checksum and the fingerprint."""
    stored = read_model_file(arguments.model, tampered="keep")
    model = pipeline_of(stored.model, arguments.model)
    preparation, classifier = model[0], model[-1]
    target = target_of(arguments) if arguments.target is not None else preparation.target
    alone = is_outlier_detector(classifier)
    raw = sample() if arguments.file is None else read_as_fitted(arguments, target, preparation, labelled=not alone)
    answer: dict[str, Any] = {
        "model": arguments.model,
        "file": raw.name,
        "estimator": type(classifier).__name__,
        "certificate": type(classifier.certificate_).__name__,
        "model_unchanged": stored.intact,
        "same_data": None,
        "stated": classifier.certificate_.stated,
        "error": None,
        "proof": False,
        "claim_holds": None,
        "why": "",
        "certificate_text": "",
    }
    try:
        X = preparation.transform(raw.X)
        labels = None if alone else labels_like(classifier, raw.labels)
        if stored.fingerprint is not None:
            answer["same_data"] = fingerprint_of((X, labels)) == stored.fingerprint
        found, fresh = recompute(classifier, X, labels)
        answer |= {"error": found.error, "claim_holds": found.holds}
        if fresh is not None:
            answer |= {"proof": fresh.proof, "certificate_text": str(fresh)}
    except DataError as error:  # other columns, classes or a number of rows that the claim is not about
        guessed = raw.target and target is None
        other = f" The labels were taken from the last column, {raw.target!r}: --target names another."
        answer["why"] = f"{error}{other if guessed else ''}"
    answer["holds"] = bool(answer["claim_holds"] and stored.intact and answer["same_data"] is not False)
    return answer


def labels_like(classifier: Any, labels: np.ndarray) -> np.ndarray:
    """The labels of a file as numbers where the model learnt numbers: 0.5 is text to commands, a number in Python."""
    if labels.dtype.kind == "U" and (not hasattr(classifier, "classes_") or classifier.classes_.dtype.kind == "f"):
        try:
            return labels.astype(np.float64)
        except ValueError:
            pass
    return labels


def read_as_fitted(arguments: argparse.Namespace, target: str | int | None, preparation: Any, labelled: bool) -> Block:
    """The rows of the file, with columns and indices read as they were in the fit, and a target if it is labelled."""
    words = frozenset(name for name, kind in preparation.kinds_.items() if kind == "text")
    how: dict[str, Any] = {"words": words, "first_index": preparation.first_index_, "labelled": labelled}
    return read_columns(arguments.file, target if labelled else None, arguments.delimiter, **how)


def as_text(found: dict[str, Any]) -> str:
    """The result in sentences."""
    lines = [found["certificate_text"], ""] if found["certificate_text"] else []
    if found["why"]:
        lines.append(f"The claim cannot be checked with these data: {found['why']}")
    elif not found["certificate_text"]:
        lines.append("The certificate in the file is not about the model in the file.")
    else:
        stated = "" if found["claim_holds"] else f", where the file states {found['stated']:.3g}"
        lines.append(
            f"All figures are recomputed from {visible(found['file'], keep='')}: error {found['error']:.3g}{stated}."
        )
    if found["same_data"] is not None:
        is_same = "are those" if found["same_data"] else "are NOT those"
        lines.append(f"The data {is_same} that the model was fitted to, by their fingerprint.")
    if not found["model_unchanged"]:
        lines.append("The model file was changed after it was written: its checksum does not fit.")
    if found["why"]:
        lines.append("The claim was not checked.")
    else:
        lines.append("The claim holds." if found["holds"] else "The claim does NOT hold.")
    if found["holds"] and not found["proof"]:
        lines.append("It is a fact about these rows and proves nothing more.")
    return "\n".join(lines)
