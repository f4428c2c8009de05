"""Blocks from what a user has."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from separatrix.data.blocks.batches import BatchSource
from separatrix.data.blocks.block_source import ArraySource, BlockSource, SlicedSource
from separatrix.data.blocks.blocks import Blocks
from separatrix.data.blocks.dask_source import dask_source, is_dask
from separatrix.data.blocks.file_source import file_source
from separatrix.data.files.source import Dialect, Reading
from separatrix.data.prepare.frames import is_frame
from separatrix.data.runners import runner_for
from separatrix.errors import DataError, OptionError
from separatrix.options import whole

ROWS_PER_BLOCK = 2**16


def read_blocks(
    source: Any,
    y: Any = None,
    *,
    target: str | int | None = None,
    sample_weight: Any = None,
    drop: Sequence[str | int] = (),
    labelled: bool = True,
    rows_per_block: int = ROWS_PER_BLOCK,
    n_features: int | None = None,
    dialect: Dialect | None = None,
    client: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> Blocks:
    """Make blocks of rows that need not fit into memory, for the `fit` of an estimator.

    Parameters
    ----------
    source : path, glob, folder, list of these, array, frame, dask collection, list of batches, or function
        Parquet, Arrow and Feather files, of which one or more row groups are a block; CSV, TSV and LIBSVM text, which
        is cut at ends of lines, or read in order where it is compressed; a dask array or dataframe, whose partitions
        are the blocks; an array, such as a memory map, or a frame, of which some rows are a block; a list of pairs
        (X, y) or triples (X, y, weights), where X may be a frame; or a function without arguments that makes an
        iterator of such batches anew for each pass.
    y : array, dask array, dask series or None
        The labels or numbers of the rows of an array, frame or dask collection.
    target : str, int or None
        The column with the labels or numbers, of files, frames and dask dataframes; by default the last one of a file.
        LIBSVM text has its labels in front.
    sample_weight : array, dask array, dask series, str or None
        The weights of rows, or the name of the column that has them.
    drop : sequence of str or int
        Columns that are left out.
    labelled : bool
        Whether there are labels; False for rows that are only to be predicted.
    rows_per_block : int
        How many rows of an array, a frame or a file are in memory at a time, about, on each core. A row group of a
        Parquet file that is larger is one block.
    n_features : int or None
        How many features LIBSVM text has; by default all of it is read once to find the largest index.
    dialect : Dialect or None
        How delimited text is written, where the beginning of the file does not tell.
    client : distributed.Client, address, Runner or None
        Who works through the blocks: a Dask cluster, by its client or the address of its scheduler; None: the default
        client of Dask if there is one, else the cores of this machine.
    checkpoint : path or None
        A file that the result of each pass is written to: a fit that was ended goes on from there, to the same bits.

    Returns
    -------
    Blocks
        What `fit` takes in place of X and y.

    Examples
    --------
    >>> import numpy as np
    >>> from separatrix import read_blocks
    >>> read_blocks(np.ones((10, 2)), np.arange(10) % 2, rows_per_block=4)
    Blocks(3 blocks)
    >>> read_blocks([(np.ones((5, 2)), [0, 1, 0, 1, 1]), (np.zeros((0, 2)), [])])
    Blocks(2 blocks)
    """
    named = isinstance(sample_weight, (str, int))
    rows, weights = whole("rows_per_block", rows_per_block), sample_weight if named else None
    reading = Reading(
        target, dialect or Dialect(), others="number", labelled=labelled, rows_per_block=rows, n_features=n_features,
        drop=tuple(drop), weights=weights,
    )  # fmt: skip
    found = source_of(source, (y, None if named else sample_weight), reading)
    return Blocks(found, runner_for(client, checkpoint=checkpoint, question=found))


def source_of(source: Any, beside: tuple[Any, Any], reading: Reading) -> BlockSource:
    """The source that fits what a user has; `beside` are the labels and the weights that come beside the rows."""
    if is_dask(source):
        return dask_source(source, *beside, reading)
    if is_frame(source) or (hasattr(source, "shape") and hasattr(source, "__getitem__")):
        return SlicedSource(source, *beside, reading.rows_per_block, reading)
    if isinstance(source, (list, tuple)) and beside[0] is not None and not are_paths(source):
        raise OptionError(f"A list of blocks has the labels in each block, (X, y). Got y={type(beside[0]).__name__}.")
    if any(each is not None for each in beside):
        raise OptionError("y and sample_weight belong to an array, a frame or a dask collection. Leave them out here.")
    if are_paths(source):
        return file_source([source] if isinstance(source, (str, os.PathLike)) else list(source), reading)
    if callable(source):
        return BatchSource.of(source, reading)
    if isinstance(source, Iterator):
        raise OptionError(
            "An iterator can be gone through once only, and a fit makes several passes. Give a function that makes it "
            "anew each time, or a list of batches."
        )
    if not isinstance(source, (list, tuple)):
        raise DataError(f"Blocks cannot be made of {type(source).__name__}. Give files, arrays or batches (X, y).")
    return ArraySource(list(source), reading)


def are_paths(source: Any) -> bool:
    """Whether these are the names of files."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(isinstance(each, (str, os.PathLike)) for each in source)
    return isinstance(source, (str, os.PathLike))
