"""Options that several commands have, and how their answers are written."""

import argparse
import json
import sys
from typing import Any

import numpy as np

from separatrix.data.blocks import Raw
from separatrix.data.columns import Columns
from separatrix.data.preparation import Preparation
from separatrix.data.samples import builtin

KINDS = "CSV, TSV, Parquet, Arrow or LIBSVM text; - is the standard input"
SAMPLE = "breast_cancer"


def add_data(parser: argparse.ArgumentParser, sample: bool = False) -> None:
    """The file with the rows, and how to read it; for some commands a sample will do."""
    more = {"nargs": "?", "help": f"{KINDS} (default: a sample)"} if sample else {"help": KINDS}
    parser.add_argument("file", metavar="FILE", **more)  # type: ignore[arg-type]
    add_reading(parser)


def sample() -> Raw:
    """The rows that are studied where no file is given: scikit-learn's breast cancer data."""
    table = builtin(SAMPLE)
    columns = Columns(table.feature_names, tuple(np.asarray(table.X).T), table.n_rows)
    return Raw(columns, table.labels, table.target, f"{SAMPLE} (sample)")


def add_reading(parser: argparse.ArgumentParser, target: bool = True) -> None:
    """How to read a file."""
    if target:
        parser.add_argument(
            "-t",
            "--target",
            metavar="COLUMN",
            help="the column with the labels, by name or number from 0 (default: last)",
        )
    parser.add_argument(
        "--delimiter", metavar="CHAR", help="what separates the cells of a text file (default: guessed)"
    )


def remember_first(preparation: Preparation, first: int | None) -> None:
    """Let a model know where the indices of its file count from, so that those of other files are not guessed at."""
    if first is not None:
        preparation.first_index_ = first


def first_of(preparation: Preparation) -> int | None:
    """Where the indices of the file of a fit count from, if the model knows."""
    return getattr(preparation, "first_index_", None)


def seed(text: str) -> int:
    """A seed of random numbers."""
    if not text.isdigit() or int(text) >= 2**32:
        raise argparse.ArgumentTypeError(f"{text} is no whole number from 0 to {2**32 - 1}")
    return int(text)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Whether the answer is for a machine."""
    parser.add_argument("--json", action="store_true", help="write the answer as JSON")


def target_of(arguments: argparse.Namespace) -> str | int | None:
    """The target column: a name, or a number."""
    target = arguments.target
    try:
        return target if target is None else int(target)
    except ValueError:
        return target


def say(text: str) -> None:
    """Write an answer to the standard output, in words that any terminal can show."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def remark(text: str) -> None:
    """Write what is not part of the answer to the standard error."""
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    sys.stderr.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def as_json(answer: Any) -> str:
    """An answer as JSON, which has no infinities and no numpy."""
    return json.dumps(plain(answer), allow_nan=False, ensure_ascii=False, indent=2)


def plain(value: Any) -> Any:
    """A value in the types that JSON has; what is not finite becomes text.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.cli.options import plain
    >>> plain({"a": np.array([1.0, np.inf]), "b": np.int64(3), 4: None})
    {'a': [1.0, 'inf'], 'b': 3, '4': None}
    """
    if isinstance(value, dict):
        return {str(key): plain(own) for key, own in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(own) for own in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
