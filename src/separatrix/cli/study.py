"""`separatrix study FILE --target COLUMN`: describe, compare, fit and certify, as a page and a model."""

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from separatrix.cli.blocks.files import add_blocks, block_words, blocks_of, in_blocks
from separatrix.cli.blocks.study import add_sample, sampled_block
from separatrix.cli.options import (
    add_data,
    add_json,
    add_task,
    as_json,
    folds,
    read_file,
    reading_words,
    refuse_overwriting,
    remember_reading,
    sample,
    seconds,
    seed,
)
from separatrix.cli.rows_of_file import (
    rows_alone,
    rows_by_line,
    taken_for_classes,
    taken_for_no_target,
    taken_for_numbers,
    with_target_among_columns,
)
from separatrix.cli.streams import OUTPUT, visible, write_answer, write_lines, write_note
from separatrix.cli.study_options.metric import add_metric, class_options, metric_words
from separatrix.cli.study_options.protocol import add_protocol, check_protocol, protocol_options, protocol_words
from separatrix.data.blocks import Blocks
from separatrix.data.blocks.sampling import SampledRows
from separatrix.data.files.source import Block
from separatrix.data.files.writing import written
from separatrix.data.table import is_finite_number
from separatrix.data.task import check_numbers, task_of
from separatrix.errors import FormatError, OptionError, naming
from separatrix.estimators.algorithm import Task
from separatrix.estimators.progress_line import no_progress_lines
from separatrix.estimators.store.model_file import fingerprint_of, save
from separatrix.selection.blocks.sampled import streaming
from separatrix.selection.blocks.study import fitted_to_blocks
from separatrix.selection.conclusions.class_table import class_lines
from separatrix.selection.findings import Findings, Progress, model_words
from separatrix.selection.novelty.study import study_novelty
from separatrix.selection.regression.study import study_numbers
from separatrix.selection.study import Study, study

NAME = "study"
SUMMARY = "study a file: comparison of methods, report and model"
DESCRIPTION = (
    "Describe the data, say whether planes separate the classes (with proof), hold a fifth of the rows out, compare "
    "the classifiers by cross-validation of the others, test the best once on the rows held out, fit it to all rows, "
    "and write report.html and model.json. A target of numbers is predicted by regressors, with errors in its units. "
    "Without a target, unusual rows are found (novelty), unless the last column holds classes. Without FILE a sample "
    "is studied: scikit-learn's breast cancer data. Missing numbers become the median of their column, words columns "
    "of 0 and 1, numbers are brought to one scale: the report says what was done, and the model does it again."
)
EXAMPLES = """examples:
  separatrix study
  separatrix study patients.csv --target disease --out results
  separatrix study patients.parquet -t disease --seconds 300 --seed 7
  separatrix study patients.csv -t disease --test new_patients.csv --group hospital
  separatrix study visits.csv -t returned --time date --recall 0.9
  separatrix study payments.csv -t fraud --balanced --metric recall --positive 1
  separatrix study patients.csv -t disease --json > findings.json
  separatrix study houses.csv -t price --task regression
  separatrix study machines.csv --task novelty --nu 0.01"""
NEEDS_FILE = dict.fromkeys(("target", "group", "time"), "names a column") | {"task": "is about the rows"}
REPORT, MODEL = "report.html", "model.json"
MIN_WIDTH_FOR_TABLE = 100  # characters of a terminal that the table with its lines needs


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_data(parser, sample=True)
    parser.add_argument(
        "-o", "--out", metavar="DIR", default=".", help=f"where {REPORT} and {MODEL} go (default: here)"
    )
    add_task(parser)
    add_metric(parser)
    add_protocol(parser)
    parser.add_argument(
        "--nu", type=float, metavar="NU", help="novelty: the part of the rows that may be outside (default: 0.05)"
    )
    add_blocks(parser)
    add_sample(parser)
    parser.add_argument("--folds", type=folds, default=5, metavar="N", help="of the cross-validation (default: 5)")
    parser.add_argument(
        "--seconds", type=seconds, default=60.0, metavar="SECONDS", help="to spend, about (default: 60)"
    )
    parser.add_argument("--seed", type=seed, default=0, help="of the folds and of all classifiers (default: 0)")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Study, write both files, and show the results."""
    from separatrix.report.charts.style import need_matplotlib

    need_matplotlib()  # fails before the work, not after it
    folder = checked_folder(arguments.out)
    for name in (REPORT, MODEL):
        refuse_overwriting(folder / name, arguments.file)
    if not in_blocks(arguments):
        return study_rows(arguments, folder, *read_rows(arguments, read_ordered))
    with blocks_of(arguments) as blocks:
        raw, sample = sampled_block(arguments, blocks)
        drawn = None if sample.is_whole else (blocks, sample)
        return study_rows(arguments, folder, *read_rows(arguments, lambda _: raw), blocks=drawn)


def study_rows(
    arguments: argparse.Namespace,
    folder: Path,
    task: Task,
    raw: Block,
    blocks: tuple[Blocks, SampledRows] | None = None,
) -> int:
    """Study rows, those of a file or a sample of `blocks`, write both files, and show the results."""
    from separatrix.report.page.page import report_page

    first_index = raw.first_index
    known: Any = None if blocks else fingerprint_of((raw.X, None if task == "novelty" else raw.labels))
    options: dict[str, Any] = {
        "name": shown_name(raw.name),
        "target": raw.target,
        "cv": arguments.folds,
        "time_limit": arguments.seconds,
        "random_state": arguments.seed,
        "command": study_command(arguments),
        "check": verify_command(arguments, folder),
        "use": use_commands(task, folder),
        "lines": raw.lines,
        **class_options(arguments, task),
        **protocol_options(arguments, task, raw),
    }
    data = [raw.X] if task == "novelty" else [raw.labels, raw.X]
    del raw
    if blocks is not None:
        options["algorithms"] = streaming(task)
    with progress_bar(arguments.json or blocks is not None) as progress:
        found = studied(task, data, arguments, options | {"progress": progress})
        if blocks is not None:
            known, found = blocks[0], fitted_to_blocks(found, *blocks)
        page = report_page(found)
    remember_reading(found.stored[0], first_index, arguments)
    folder.mkdir(parents=True, exist_ok=True)  # only now, so that a study that fails leaves none behind
    save(found.stored, folder / MODEL, data=known)
    with written(folder / REPORT) as stream:
        stream.write(page)
    if arguments.json:
        write_answer(as_json(found.to_dict() | {"report": str(folder / REPORT), "model": str(folder / MODEL)}))
    else:
        show(found, folder)
    return 0


def read_rows(arguments: argparse.Namespace, read: Callable[[argparse.Namespace], Block]) -> tuple[Task, Block]:
    """The task that the command line or else the target asks for, and the rows with their target if it has one."""
    task: Task | None = arguments.task
    check_protocol(arguments, "novelty" if arguments.nu is not None else task)
    if arguments.file is None:
        for option in NEEDS_FILE:
            if getattr(arguments, option) is not None:
                raise OptionError(
                    f"--{option} {getattr(arguments, option)} {NEEDS_FILE[option]} of a FILE, and none was given."
                )
        return "classification", sample()
    if arguments.nu is not None and task not in (None, "novelty"):
        raise OptionError(f"--nu {arguments.nu:g} is for novelty, not for --task {task}: leave it out.")
    if task == "novelty" or arguments.nu is not None:
        return "novelty", rows_alone(arguments)
    raw = read(arguments)
    if task == "regression":
        with rows_by_line(raw):
            check_numbers(raw.labels, raw.name, raw.target)
    if task is not None:
        return task, raw
    if task_of(raw.labels) == "classification":
        if note := taken_for_classes(raw):
            write_note(note)
        return "classification", raw
    if arguments.target is None and raw.target:  # LIBSVM text says which numbers are the target
        write_note(taken_for_no_target(raw))
        return "novelty", with_target_among_columns(raw)
    write_note(taken_for_numbers(raw))
    return "regression", raw


def read_ordered(arguments: argparse.Namespace) -> Block:
    """The rows of the file, with the column of groups or times beside them where one is named."""
    try:
        return read_file(arguments)
    except FormatError as error:
        if arguments.time is not None and is_finite_number(arguments.time):
            raise FormatError(f"{error} (--time names a column; the time to spend is --seconds)") from None
        raise


def studied(task: Task, data: list[Any], arguments: argparse.Namespace, options: dict[str, Any]) -> Findings:
    """Study the rows; those that are popped have no other reference, so that a study can free them."""
    if task == "novelty":
        nu = {} if arguments.nu is None else {"nu": arguments.nu}
        return study_novelty(data.pop(), **nu, **options)
    function: Callable[..., Findings] = study_numbers if task == "regression" else study
    return function(data.pop(), data.pop(), **options)


def checked_folder(path: str) -> Path:
    """The folder for the results, refused before the work if it cannot be made or written to."""
    folder = Path(path)
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not (there.is_dir() and os.access(there, os.W_OK)):
        raise OptionError(f"--out {path}: files cannot be written there. Choose another folder.")
    return folder


def use_commands(task: Task, folder: Path) -> tuple[str, ...]:
    """The commands that predict new rows, and that score the predictions of rows with a target."""
    commands = ("predict",) if task == "novelty" else ("predict", "score")
    return tuple(shlex.join(["separatrix", command, str(folder / MODEL), "new.csv"]) for command in commands)


def shown_name(name: str) -> str:
    """The name of a file without its folders."""
    return name if name.startswith("<") else Path(name).name


def study_command(arguments: argparse.Namespace) -> str:
    """The command that repeats this study."""
    words = ["separatrix", "study"]
    words += [] if arguments.file is None else [shlex.quote(arguments.file)]
    words += [] if arguments.target is None else ["--target", shlex.quote(arguments.target)]
    words += map(shlex.quote, reading_words(arguments))
    words += [] if arguments.task is None else ["--task", arguments.task]
    words += [*metric_words(arguments), *protocol_words(arguments), *map(shlex.quote, block_words(arguments))]
    defaults = {"nu": None, "folds": 5, "seconds": 60.0, "seed": 0, "sample": None}
    for option, default in defaults.items():
        value = getattr(arguments, option)
        words += [f"--{option}", f"{value:g}"] if value != default else []
    return " ".join(words)


def verify_command(arguments: argparse.Namespace, folder: Path) -> str:
    """The command that recomputes the certificate; empty where the rows came from a pipe and are gone."""
    if arguments.file == "-":
        return ""
    words = ["separatrix", "verify", str(folder / MODEL), *([] if arguments.file is None else [arguments.file])]
    words += [*reading_words(arguments), *block_words(arguments)]
    return shlex.join(words)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """Show a progress bar if the standard error is a terminal."""
    with no_progress_lines():
        if quiet or not sys.stderr.isatty():
            yield None
            return
        yield from bar_of_steps()


def bar_of_steps() -> Iterator[Progress]:
    """What moves a progress bar, while it is shown."""
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    from separatrix.cli.terminal import Terminal

    columns = (BarColumn(bar_width=24), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Bar(*columns, console=Terminal(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=1)
        yield lambda done, total, what: bar.update(task, completed=done, total=total, description=what)


def show(found: Findings, folder: Path) -> None:
    """Show the results on the terminal: the verdict, the table, the certificate, the files."""
    from rich.text import Text

    from separatrix.cli.terminal import Terminal

    console = Terminal()
    first, *others = found.verdict
    with naming(OUTPUT), console.capture() as text:
        console.show()
        console.print(Text(visible(found.name, keep=""), "bold"), Text(visible(found.size, keep=""), "dim"))
        console.show()
        for suspicion in found.suspicions:
            console.show(f"Look first: {suspicion}\n", "yellow")
        console.show(first, "bold")
        for sentence in others:
            console.show(sentence)
        if found.test is not None or found.whole is not None:
            console.show(model_words(found))
        console.show()
        if isinstance(found, Study):
            console.show("\n".join(class_lines(found)) + "\n")
        if console.width >= MIN_WIDTH_FOR_TABLE and not isinstance(found.table, str):
            console.print(found.table)
        else:
            console.show(str(found.table))
        for note in (*found.notes, *found.warnings):
            console.show(note, "dim")
        console.show(f"\n{found.certified.certificate_}\n")
        console.show(f"Report:  {folder / REPORT}\nModel:   {folder / MODEL}", soft_wrap=True)
        for word, command in zip(("Check", "Predict", "Score"), (found.check, *found.use), strict=False):
            if command:
                console.show(f"{f'{word}:':<8} {command}", soft_wrap=True)
    write_lines([text.get()])
