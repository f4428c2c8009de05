"""`separatrix path FILE --target COLUMN`: fits for many values of an option, as a table and as a picture."""

import argparse
import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from separatrix.certificates.claims.bound import bound_of
from separatrix.cli.algorithms import asked_task, make_estimator, takes_texts
from separatrix.cli.fit import add_estimator, read_rows
from separatrix.cli.options import add_data, add_json, add_task, as_json, folds, refuse_overwriting
from separatrix.cli.rows_of_file import rows_by_line, taken_for_classes, taken_for_numbers
from separatrix.cli.streams import visible, write_answer, write_note
from separatrix.data.prepare.preparation import Preparation
from separatrix.data.task import check_numbers, task_of
from separatrix.errors import NotCertifiedWarning, OptionError, at_most, counted, naming
from separatrix.rows import Vector
from separatrix.selection.measures.path_errors import PathErrors, path_errors
from separatrix.selection.prepared_folds import split_data
from separatrix.selection.regression.folds import split_numbers
from separatrix.selection.regression.table import in_units
from separatrix.selection.regularization_path import PENALTIES, last_step, regularization_path

NAME = "path"
SUMMARY = "fit many values of C, or of another option: errors, support rows, margins"
DESCRIPTION = (
    "Fit an estimator to the rows of FILE for many values of one option, each fit from the one before, and show for "
    "each value the error on these rows and on rows that were left out, the support rows, the width of the margin or "
    "of the tube, and the gap that the certificate states. The other options are those of separatrix fit."
)
EXAMPLES = """examples:
  separatrix path patients.csv --target disease
  separatrix path patients.csv -t disease --scale --values 0.01,0.1,1,10 -o path.png
  separatrix path patients.csv -t disease -a least-squares --option ridge
  separatrix path houses.csv -t price --task regression -c 1000 --option epsilon --values 0,1000,5000"""
PICTURES = (".png", ".svg", ".pdf")
POWERS_OF_TEN = tuple(float(f"{10.0**exponent:.4g}") for exponent in np.arange(-3.0, 3.1, 0.5))
USUAL_VALUES = {
    **dict.fromkeys(("C", "ridge", "l1"), POWERS_OF_TEN),
    "nu": (0.1, 0.2, 0.3, 0.4, 0.5),
    "epsilon": (0.0, 0.01, 0.1, 1.0),
}
SAMPLE_ROWS = 50_000  # for cross-validation, as in `compare`


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data(parser)
    parser.add_argument(
        "-o", "--out", metavar="PICTURE", help=f"draw it there: a name that ends in {', '.join(PICTURES)}"
    )
    parser.add_argument("--option", metavar="NAME", help="what changes (default: C, or else the penalty that it has)")
    parser.add_argument(
        "--values", type=numbers, metavar="A,B,...", help="its values (default: 13 from 0.001 to 1000 for C and ridge)"
    )
    parser.add_argument("--folds", type=folds, default=5, metavar="N", help="of the cross-validation (default: 5)")
    add_task(parser)
    add_estimator(parser)
    add_json(parser)


def numbers(text: str) -> tuple[float, ...]:
    """Numbers with commas between them."""
    try:
        return tuple(float(word) for word in text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no list of numbers, such as 0.1,1,10") from None


def run(arguments: argparse.Namespace) -> int:
    """Fit the path, measure it, and show it."""
    check_picture(arguments)
    task = asked_task(arguments)
    if task == "novelty":
        raise OptionError("separatrix path is for classes and numbers, whose errors are known, and not for novelty.")
    estimator = make_estimator(arguments, task or "classification")
    if takes_texts(estimator):
        raise OptionError(f"separatrix path takes columns of numbers, and --kernel {arguments.kernel} takes texts.")
    raw = read_rows(arguments, task, estimator)
    if task is None:
        task = task_of(raw.labels)
        if task == "regression":
            estimator = make_estimator(arguments, task)
        if note := taken_for_numbers(raw) if task == "regression" else taken_for_classes(raw):
            write_note(note)
    option, values = option_and_values(estimator, arguments)
    with warnings.catch_warnings(record=True) as caught, rows_by_line(raw):
        warnings.simplefilter("always", NotCertifiedWarning)
        y = check_numbers(raw.labels, raw.name, raw.target) if task == "regression" else raw.labels
        preparation = Preparation(raw.target or None, scale=arguments.scale)
        X = preparation.fit(raw.X).transform(raw.X)
        path = regularization_path(estimator, X, y, **{option: values.tolist()})
        how = {"cv": arguments.folds, "repeats": 1, "sample": SAMPLE_ROWS, "random_state": arguments.seed}
        divide: Any = split_numbers if task == "regression" else split_data
        found = path_errors(estimator, path, (X, y), divide(raw.X, y, preparation=preparation, **how))
    if caught:
        write_note(f"separatrix: {counted(len(caught), 'fit')} not certified. The first: {caught[0].message}")
    if arguments.out is not None:
        draw(found, X, y, arguments.out)
    facts = {"file": raw.name, "task": task, "rows": X.shape[0], "features": X.shape[1]}
    if arguments.json:
        write_answer(as_json(as_dict(found, facts | {"estimator": repr(estimator), "picture": arguments.out})))
    else:
        first = f"{visible(raw.name, keep='')}: {counted(X.shape[0], 'row')} x {counted(X.shape[1], 'feature')}"
        write_answer(
            "\n".join([f"{first}, {estimator}", "", *as_lines(found, task), "", *closing(found, arguments.out)])
        )
    return 0


def check_picture(arguments: argparse.Namespace) -> None:
    """Refuse before the work what cannot be drawn after it."""
    if arguments.out is None:
        return
    if Path(arguments.out).suffix.lower() not in PICTURES:
        raise OptionError(f"--out {arguments.out}: a picture has a name that ends in {', '.join(PICTURES)}.")
    refuse_overwriting(arguments.out, arguments.file)
    from separatrix.report.charts.style import need_matplotlib

    need_matplotlib()


def option_and_values(estimator: Any, arguments: argparse.Namespace) -> tuple[str, Vector]:
    """The option that changes and its values, ascending."""
    known = estimator.get_params(deep=False)
    option = arguments.option or next((name for name in PENALTIES if name in known), None)
    if option is None:
        raise OptionError(f"{type(estimator).__name__} has no penalty. Name an option by --option: {', '.join(known)}.")
    values = arguments.values or USUAL_VALUES.get(option)
    if values is None:
        raise OptionError(f"--option {option}: give its values, such as --values 0.1,1,10.")
    return option, np.unique(values)


def draw(found: PathErrors, X: Any, y: Any, path: str) -> None:
    """Write the picture."""
    from separatrix.report.charts.path_curves import path_curves

    content = io.BytesIO()
    figure = path_curves(found.path, X, y, left_out=(found.mean, found.low, found.high))
    figure.savefig(content, format=Path(path).suffix[1:].lower())
    with naming(path):
        Path(path).write_bytes(content.getvalue())


def as_lines(found: PathErrors, task: str) -> list[str]:
    """The table for people."""
    path, rates = found.path, task == "classification"

    def error(value: float) -> str:
        return f"{100 * value:.2f}" if rates else in_units(value)

    unit = " %" if rates else ""
    heads = [path.option, f"train{unit}", f"left out{unit}", "95 % interval", "support", "width", "gap"]
    rows = [heads]
    for i, (value, support, width) in enumerate(zip(path.values, path.support_rows, path.widths, strict=True)):
        interval = f"{100 * found.low[i]:.1f} to {100 * found.high[i]:.1f}"
        rows.append(
            [
                f"{value:.4g}",
                error(found.train[i]),
                error(found.mean[i]),
                interval if rates else f"{in_units(found.low[i])} to {in_units(found.high[i])}",
                f"{int(support):,}" if np.isfinite(support) else "-",
                f"{width:.4g}" if np.isfinite(width) else "-",
                gap_of(path[i]),
            ]
        )
    kept = [j for j in range(len(heads)) if j < 4 or any(row[j] != "-" for row in rows[1:])]
    widths = [max(len(row[j]) for row in rows) for j in kept]
    lines = ["  ".join(f"{row[j]:>{width}}" for j, width in zip(kept, widths, strict=True)) for row in rows]
    marks = {found.within_one_standard_error: "  within one standard error", found.best: "  least"}
    return [lines[0], *(line + marks.get(i, "") for i, line in enumerate(lines[1:]))]


def gap_of(model: Any) -> str:
    """The error that a certificate bounds; whether nothing is proved."""
    claim = getattr(last_step(model), "certificate_", None)
    return "-" if claim is None else at_most(bound_of(claim)) if claim.proof else "not proved"


def closing(found: PathErrors, picture: str | None) -> list[str]:
    """Sentences below the table."""
    option, values = found.path.option, found.path.values
    within = found.within_one_standard_error
    words = f"Left out, the error is least at {option} = {values[found.best]:.4g}"
    words += "." if within == found.best else f"; {values[within]:.4g} is simpler and within one standard error of it."
    drawn = [] if picture is None else [f"Drawn in {visible(picture, keep='')}."]
    return [words, "As this value was chosen by these errors, expect slightly worse on new rows.", *found.notes, *drawn]


def as_dict(found: PathErrors, facts: dict[str, Any]) -> dict[str, Any]:
    """The path for programs."""
    path = found.path
    rows = [
        {
            "value": value,
            "train_error": found.train[i],
            "left_out_error": found.mean[i],
            "interval": [found.low[i], found.high[i]],
            "fold_errors": found.errors[i],
            "support_rows": int(path.support_rows[i]) if np.isfinite(path.support_rows[i]) else None,
            "width": path.widths[i] if np.isfinite(path.widths[i]) else None,
            "gap": path.gaps[i],
            "proof": last_step(path[i]).certificate_.proof,
        }
        for i, value in enumerate(path.values)
    ]
    best, within = path.values[found.best], path.values[found.within_one_standard_error]
    named = {"option": path.option, "best": best, "within_one_standard_error": within}
    return facts | named | {"path": rows, "notes": list(found.notes)}
