"""Files that commands read in blocks: which they are, and how."""

import argparse
import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager

from separatrix.cli.options import column, columns_of, dialect_of, target_of
from separatrix.cli.progress_bar import shown_passes
from separatrix.data.blocks import Blocks, read_blocks
from separatrix.errors import OptionError
from separatrix.memory import available_bytes
from separatrix.problem.runner import LocalRunner

MAX_SHARE_OF_MEMORY = 0.25  # of what is available, for a file that is read whole: its numbers take more than its bytes


def add_blocks(parser: argparse.ArgumentParser) -> None:
    """Whether the rows are read in blocks."""
    parser.add_argument(
        "--blocks",
        action=argparse.BooleanOptionalAction,
        help="read FILE in blocks, with any number of rows, all columns numbers (default: for a folder, for a pattern "
        "such as 'big/*.parquet', and for a file that is large for the memory)",
    )


def in_blocks(arguments: argparse.Namespace) -> bool:
    """Whether the rows are to be read in blocks."""
    path = arguments.file
    if path is None or arguments.blocks is False:
        return False
    if arguments.blocks or (path != "-" and (os.path.isdir(path) or is_pattern(path))):
        return True
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    return size > MAX_SHARE_OF_MEMORY * available_bytes()


def is_pattern(path: str) -> bool:
    """Whether this is a pattern of names, and the name of no file itself."""
    return glob.has_magic(path) and not os.path.exists(path)


@contextmanager
def blocks_of(arguments: argparse.Namespace) -> Iterator[Blocks]:
    """The rows in blocks, whose passes are shown on a terminal."""
    dialect = dialect_of(arguments)
    roles = columns_of(arguments)
    with shown_passes(LocalRunner()) as runner:
        yield read_blocks(
            arguments.file,
            target=target_of(arguments),
            sample_weight=roles["weights"],
            drop=(*roles["drop"], *map(column, arguments.id)),
            dialect=dialect,
            client=runner,
        )


def refuse(arguments: argparse.Namespace, *options: str) -> None:
    """Refuse options that need all rows in memory."""
    given = next((name for name in options if getattr(arguments, name.replace("-", "_"), None)), None)
    if given is not None:
        raise OptionError(
            f"--{given} needs all rows in memory, and {arguments.file} is read in blocks. Leave it out, or give a file "
            "that fits into memory, with --no-blocks."
        )
