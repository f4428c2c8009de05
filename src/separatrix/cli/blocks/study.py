"""`separatrix study` for rows in blocks: the sample of them that is compared on."""

import argparse

from separatrix.cli.blocks.files import refuse
from separatrix.cli.blocks.fit import target_name
from separatrix.data.blocks import Blocks
from separatrix.data.blocks.sampling import SampledRows, sample_rows
from separatrix.data.files.source import Block
from separatrix.data.task import task_of
from separatrix.errors import OptionError
from separatrix.selection.blocks.sampled import SAMPLE_ROWS


def add_sample(parser: argparse.ArgumentParser) -> None:
    """How many rows are drawn from those that are read in blocks."""
    parser.add_argument(
        "--sample",
        type=int,
        metavar="ROWS",
        help="of a FILE that is read in blocks, how many rows are drawn at random and compared on; the model is fitted "
        f"to all (default: {SAMPLE_ROWS:,})",
    )


def sampled_block(arguments: argparse.Namespace, blocks: Blocks) -> tuple[Block, SampledRows]:
    """Rows drawn from blocks, as a file of them would be read; what a study of blocks cannot do is refused."""
    refuse(arguments, "group", "time", "recall", "cost", "nu")
    if isinstance(arguments.test, str):
        raise OptionError(
            f"--test {arguments.test}: a study of blocks tests with a part of its sample. Leave it out, and score the "
            "model by separatrix score."
        )
    if arguments.task == "novelty":
        raise OptionError("--task novelty needs all rows in memory, and these are read in blocks. Give fewer rows.")
    n_rows = SAMPLE_ROWS if arguments.sample is None else arguments.sample
    if n_rows < 2:
        raise OptionError(f"--sample {n_rows}: draw two rows at least.")
    sample = sample_rows(blocks, n_rows, arguments.seed, raw=True)
    target = target_name(blocks.source) or ""
    if arguments.task is None and arguments.target is None and target and task_of(sample.y) == "regression":
        raise OptionError(f"The last column, {target!r}, holds numbers: --target {target} predicts it.")
    first_index = getattr(blocks.source, "first_index", None)
    return Block(sample.X, sample.y, target, arguments.file, first_index), sample
