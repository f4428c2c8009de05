"""`separatrix verify MODEL FILE`: recompute a model's certificate from the data."""

import argparse
from typing import Any

from separatrix.analysis.verification import checked as recompute
from separatrix.certificates.claims.bound import bound_of
from separatrix.cli.blocks.files import add_blocks, blocks_of, in_blocks
from separatrix.cli.file_model import FileModel, file_model, labels_like, read_as_fitted
from separatrix.cli.options import add_data, add_json, add_weights, as_json, sample
from separatrix.cli.rows_of_file import rows_by_line
from separatrix.cli.streams import visible, write_answer
from separatrix.data.blocks.fingerprint import fingerprint_of_blocks
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.prepare.text_column import TextColumn
from separatrix.data.row_fingerprint import ROWS
from separatrix.errors import DataError, FormatError, OptionError, at_most
from separatrix.estimators.store.model_file import ModelFile, read_model_file
from separatrix.estimators.store.without_dual import LEFT_OUT

NAME = "verify"
SUMMARY = "recompute a model's certificate from the data"
DESCRIPTION = (
    "Recompute the certificate of MODEL from the rows of FILE, which must be those that it was fitted to. The "
    "exit code is 0 if the claim is as true as when it was made, and 1 if it is not: other data, a changed model, "
    "a false claim, or data that it cannot be checked with. A model that save() stored alone takes the columns of "
    "numbers: by the names that it knows, else in their order; a pipeline of scikit-learn's transformers takes those "
    "that its first step was given."
)
EXAMPLES = """examples:
  separatrix verify model.json patients.csv
  separatrix verify model.json patients.csv --json
  separatrix study && separatrix verify model.json     the sample"""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a model file")
    add_data(parser, sample=True)
    add_weights(parser)
    add_blocks(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check the file, the data and the claim."""
    found = check(arguments)
    write_answer(as_json(found) if arguments.json else as_text(found))
    return 0 if found["holds"] else 1


def check(arguments: argparse.Namespace) -> dict[str, Any]:
    """Recompute the certificate, and compare the checksum and the fingerprint."""
    stored = read_model_file(arguments.model, tampered="keep")
    model = file_model(stored.model, arguments.model)
    if in_blocks(arguments):
        return check_in_blocks(arguments, stored, model)
    estimator = model.claimant
    raw = sample() if arguments.file is None else read_as_fitted(arguments, model)
    answer = unchecked(arguments, stored, estimator, raw.name)
    try:
        with rows_by_line(raw):
            model = model.of_first_rows(raw.X)
            X = model.front.transform(raw.X)
            labels = None if raw.labels is None else labels_like(estimator, raw.labels)
            answer["same_data"] = stored.is_of((model.table(raw.X), labels, raw.weights), X)
            answer |= recomputed(model.model, X, labels, raw.weights)
    except DataError as error:  # other columns, classes or a number of rows that the claim is not about
        guessed = raw.target and arguments.target is None and model.front.target is None
        other = f" The labels were taken from the last column, {raw.target!r}: --target names another."
        answer["why"] = f"{error}{other if guessed else ''}"
    if stored.fingerprint is not None and stored.fingerprint.weighted and raw.weights is None:
        answer["why"] = "the model was fitted to rows with weights, and --weights names no column of them."
        answer["claim_holds"] = answer["error"] = answer["bound"] = None
        answer["certificate_text"] = ""
    return answer | {"holds": holds(answer)}


def check_in_blocks(arguments: argparse.Namespace, stored: ModelFile, model: FileModel) -> dict[str, Any]:
    """Recompute the certificate over rows that are read in blocks, and compare the fingerprint of a fit to blocks."""
    answer = unchecked(arguments, stored, model.claimant, arguments.file)
    if isinstance(model.front, TextColumn):
        raise OptionError(
            f"{arguments.model} holds a model of texts, which needs all rows in memory. Give --no-blocks."
        )
    with blocks_of(arguments, model.front) as blocks:
        try:
            rows = model.front.transform(blocks) if isinstance(model.front, Preparation) else blocks
            if stored.fingerprint is not None and stored.fingerprint.sha256.startswith(ROWS):
                answer["same_data"] = fingerprint_of_blocks(rows, model.kind == "regressor") == stored.fingerprint
            answer |= recomputed(model.model, rows)
        except FormatError:  # of a file that cannot be read
            raise
        except DataError as error:
            answer["why"] = str(error)
    return answer | {"holds": holds(answer)}


def unchecked(arguments: argparse.Namespace, stored: ModelFile, estimator: Any, name: str) -> dict[str, Any]:
    """What is known before anything is recomputed."""
    return {
        "model": arguments.model,
        "file": name,
        "estimator": type(estimator).__name__,
        "certificate": type(estimator.certificate_).__name__,
        "model_unchanged": stored.intact,
        "same_data": None,
        "stated": estimator.certificate_.stated,
        "error": None,
        "bound": None,
        "proof": False,
        "claim_holds": None,
        "dual_variables": not getattr(estimator, LEFT_OUT, False),
        "why": "",
        "certificate_text": "",
    }


def recomputed(*model_and_data: Any) -> dict[str, Any]:
    """What recomputing the certificate finds."""
    found, fresh = recompute(*model_and_data)
    answer = {"error": found.error, "claim_holds": found.holds}
    if fresh is None:
        return answer
    return answer | {"bound": bound_of(fresh), "proof": fresh.proof, "certificate_text": str(fresh)}


def holds(answer: dict[str, Any]) -> bool:
    """Whether the claim was checked and holds, for the model as it was written and the data of its fit."""
    return bool(answer["claim_holds"] and answer["model_unchanged"] and answer["same_data"] is not False)


def as_text(found: dict[str, Any]) -> str:
    """The result in sentences."""
    lines = [found["certificate_text"], ""] if found["certificate_text"] else []
    if found["why"]:
        lines.append(f"The claim cannot be checked with these data: {found['why']}")
    elif not found["dual_variables"]:
        same = f"is the stated one, to {found['error']:.1g}" if found["claim_holds"] else "is NOT the stated one"
        lines.append(f"The objective that the planes reach, recomputed from {visible(found['file'], keep='')}, {same}.")
        lines.append(
            f"The file holds no dual variables: the gap that it states, {found['stated']:.3g}, cannot be recomputed."
        )
    elif not found["certificate_text"]:
        lines.append("The certificate in the file is not about the model in the file.")
    else:
        lines.append(f"All figures are recomputed from {visible(found['file'], keep='')}: {error_words(found)}.")
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


def error_words(found: dict[str, Any]) -> str:
    """The recomputed error: the bound that the certificate quotes if the claim holds, else beside the stated one."""
    if not found["claim_holds"]:
        return f"error {found['error']:.3g}, where the file states {found['stated']:.3g}"
    if found["proof"] and found["bound"]:
        return f"error at most {at_most(found['bound'])}"
    return f"error {found['error']:.3g}"
