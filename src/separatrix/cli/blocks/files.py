"""Files that commands read in blocks: which they are, and how."""

import argparse
import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from separatrix.cli.blocks.cluster import workers_of
from separatrix.cli.blocks.progress_bar import ShownRunner, shown_passes
from separatrix.cli.options import column, columns_of, dialect_of, seconds, target_of
from separatrix.data.blocks import Blocks, read_blocks
from separatrix.data.runners import CheckpointRunner, DaskRunner
from separatrix.errors import OptionError
from separatrix.memory import available_bytes
from separatrix.problem.runner import Runner

NEEDS_BLOCKS = ("scheduler", "checkpoint", "pass-limit")
MAX_SHARE_OF_MEMORY = 0.25  # of what is available, for a file that is read whole: its numbers take more than its bytes


def add_blocks(parser: argparse.ArgumentParser, checkpoint: bool = False) -> None:
    """Whether the rows are read in blocks, by whom, and whether the results of passes can be kept in a file."""
    parser.add_argument(
        "--blocks",
        action=argparse.BooleanOptionalAction,
        help="read FILE in blocks, with any number of rows (default: for a folder, for a pattern "
        "such as 'big/*.parquet', and for a file that is large for the memory)",
    )
    group = parser.add_argument_group("rows in blocks")
    group.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="have the workers of this Dask scheduler, such as tcp://10.0.0.1:8786, read them; the files must have the "
        "same path there",
    )
    group.add_argument(
        "--pass-limit", type=seconds, metavar="SECONDS", help="end when the workers are not done with a pass by then"
    )
    if checkpoint:
        group.add_argument(
            "--checkpoint",
            metavar="FILE",
            help="keep the result of each pass there: the same command goes on from it after it was ended",
        )


def in_blocks(arguments: argparse.Namespace) -> bool:
    """Whether the rows are to be read in blocks."""
    path = arguments.file
    needing = [name for name in NEEDS_BLOCKS if getattr(arguments, name.replace("-", "_"), None) is not None]
    if needing and (path is None or arguments.blocks is False):
        raise OptionError(f"--{needing[0]} is for a FILE that is read in blocks: name one, and leave --no-blocks out.")
    if path is None or arguments.blocks is False:
        return False
    if needing:
        return True
    if arguments.blocks or (path != "-" and (os.path.isdir(path) or is_pattern(path))):
        return True
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    return size > MAX_SHARE_OF_MEMORY * available_bytes()


def is_pattern(path: str) -> bool:
    """Whether this is a pattern of names, and the name of no file itself."""
    return glob.has_magic(path) and not os.path.exists(path)


@contextmanager
def blocks_of(arguments: argparse.Namespace, front: Any = None) -> Iterator[Blocks]:
    """The rows in blocks, whose passes are shown on a terminal; `front` is what a model remembers of its columns."""
    roles, checkpoint = columns_of(arguments), getattr(arguments, "checkpoint", None)
    target, weights = target_of(arguments), roles["weights"]
    if front is not None:
        target = front.target if target is None else target
        known = front.reading_.get("weights", ())
        weights = column(known[0]) if weights is None and known else weights
    with workers_of(arguments) as workers, shown_passes(workers) as runner:
        blocks = read_blocks(
            path_for(workers, arguments.file),
            target=target,
            sample_weight=weights,
            drop=(*roles["drop"], *map(column, arguments.id)),
            dialect=dialect_of(arguments, front),
            client=runner,
            checkpoint=checkpoint,
        )
        if isinstance(runner, ShownRunner) and isinstance(blocks.runner, CheckpointRunner):
            runner.passes = blocks.runner.file.n_passes  # which are answered from the file
        yield blocks


def path_for(workers: Runner, path: str) -> str:
    """The path as workers elsewhere, which have another working directory, find it."""
    return os.path.abspath(path) if isinstance(workers, DaskRunner) and path != "-" else path


def block_words(arguments: argparse.Namespace) -> list[str]:
    """The words of a command line that have the same blocks read in the same way again."""
    words = ["--blocks"] if arguments.blocks else [] if arguments.blocks is None else ["--no-blocks"]
    return words if arguments.scheduler is None else [*words, "--scheduler", arguments.scheduler]


def refuse(arguments: argparse.Namespace, *options: str) -> None:
    """Refuse options that need all rows in memory."""
    given = next((name for name in options if getattr(arguments, name.replace("-", "_"), None)), None)
    if given is not None:
        raise OptionError(
            f"--{given} needs all rows in memory, and {arguments.file} is read in blocks. Leave it out, or give a file "
            "that fits into memory, with --no-blocks."
        )
