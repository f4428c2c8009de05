"""Blocks from what a user has."""

from typing import Any

from separatrix.data.blocks.block_source import ArraySource, SlicedSource
from separatrix.data.blocks.blocks import Blocks
from separatrix.problem.runner import LocalRunner

ROWS_PER_BLOCK = 2**16


def read_blocks(
    source: Any, y: Any = None, *, sample_weight: Any = None, rows_per_block: int = ROWS_PER_BLOCK
) -> Blocks:
    """Make blocks of rows that need not fit into memory, for the `fit` of an estimator.

    Parameters
    ----------
    source : list of blocks, or array
        Pairs of rows and labels, or triples with weights; or one array, such as a memory map, with y.
    y, sample_weight : array or None
        Labels and weights of the rows of an array.
    rows_per_block : int
        How many rows of an array are in memory at a time, on each core.

    Returns
    -------
    Blocks
        What `fit` takes in place of X and y.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix.data.blocks import read_blocks
    >>> read_blocks(np.ones((10, 2)), np.arange(10) % 2, rows_per_block=4)
    Blocks(3 blocks)
    """
    if hasattr(source, "shape"):
        return Blocks(SlicedSource(source, y, sample_weight, rows_per_block), LocalRunner())
    return Blocks(ArraySource(list(source)), LocalRunner())
