"""Blocks that are the partitions of dask arrays and dataframes; what is delayed stays so until a block is read.

Each block has the part of the graph that it needs, and computes it where it is read, so that reading is a pure function
of the number of the block.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from separatrix.data.blocks.frame_roles import FrameRoles
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.files.source import Reading
from separatrix.data.prepare.frames import is_frame
from separatrix.errors import DataError, OptionError, counted


def is_dask(X: Any) -> bool:
    """Whether this is a dask array, dataframe or series; dask is not imported for the answer."""
    return type(X).__module__.split(".", maxsplit=1)[0] in ("dask", "dask_expr") and hasattr(X, "__dask_graph__")


def is_dask_array(X: Any) -> bool:
    """Whether this is a dask array."""
    return is_dask(X) and hasattr(X, "chunks")


class Part(NamedTuple):
    """A partition: the part of a graph that makes it, and its name there."""

    graph: dict[Any, Any]
    key: Any

    def compute(self) -> Any:
        """The rows of the partition, in this thread; where some of them are on a cluster, by its client."""
        if any(type(value).__name__ == "Future" for value in self.graph.values()):
            from dask.base import compute_as_if_collection
            from dask.delayed import Delayed

            return compute_as_if_collection(Delayed, self.graph, self.key)
        from dask.local import get_sync

        return get_sync(self.graph, self.key)


class DaskSource:
    """Partitions of X, with those of y and of weights where they are beside it."""

    def __init__(self, parts: Sequence[tuple[Part | None, ...]], roles: FrameRoles | None) -> None:
        self.parts, self.roles = list(parts), roles

    @property
    def count(self) -> int:
        """How many blocks there are."""
        return len(self.parts)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of a dataframe."""
        return () if self.roles is None else self.roles.features

    def read(self, block: int) -> RawBlock:
        """The rows of a partition."""
        parts: list[Any] = [None if part is None else part.compute() for part in self.parts[block]]
        X, y, weights = parts
        if y is not None and X.shape[0] != len(y):
            raise DataError(
                f"{self.place(block)}: X has {X.shape[0]:,} rows and y has {len(y):,}. Cut X and y in the same way: "
                "make both from one dataframe, or call compute_chunk_sizes() on both."
            )
        if self.roles is not None and is_frame(X):
            return self.roles.block(X, y, weights)
        return RawBlock(X, y, weights)

    def place(self, block: int) -> str:
        """Where a block is, in words."""
        return f"partition {block}"

    def with_kinds(self, kinds: Mapping[str, str]) -> Self:
        """A source of the same blocks as columns of these kinds; with no kinds, each block has its own."""
        return type(self)(self.parts, None if self.roles is None else self.roles._replace(kinds=kinds))


def dask_source(X: Any, y: Any, weights: Any, reading: Reading) -> DaskSource:
    """The partitions of X, and of what is beside it, cut in the same way."""
    roles = None
    if is_dask_array(X):
        if X.ndim != 2:
            raise DataError(f"X must have two dimensions, rows and columns. Got {X.ndim}: use X.reshape(...).")
        if reading.target is not None or reading.drop or reading.weights is not None:
            raise OptionError("A dask array has no names of columns: give y=, and leave target= and drop= out.")
        X = X.rechunk({1: -1})
    else:
        if y is None and reading.labelled and reading.target is None:
            raise OptionError("A dask dataframe that holds its labels itself needs target=, the name of their column.")
        roles = FrameRoles.of(X._meta, reading._replace(labelled=reading.labelled and y is None), "the dask dataframe")
    known = known_lengths(X)
    columns = [parts_of(X)]
    for given, name in ((y, "y"), (weights, "sample_weight")):
        columns.append([None] * len(columns[0]) if given is None else parts_of(aligned(given, X, known, name)))
    return DaskSource(list(zip(*columns, strict=True)), roles)


def known_lengths(X: Any) -> tuple[int, ...] | None:
    """How many rows each chunk of an array has; None where that is not known, as for dataframes."""
    if not is_dask_array(X) or any(size != size for size in X.chunks[0]):
        return None
    return tuple(X.chunks[0])


def aligned(given: Any, X: Any, known: tuple[int, ...] | None, name: str) -> Any:
    """Labels or weights cut as X is."""
    if not is_dask(given):
        if known is None:
            raise OptionError(
                f"{name} is in memory, and how many rows each partition of X has is not known. Make {name} a column of "
                "the dataframe, or call X.compute_chunk_sizes()."
            )
        import dask.array

        given = dask.array.from_array(np.asarray(given), chunks=max(1, len(given)))
    own = known_lengths(given)
    if known is not None and own is not None:
        if sum(known) != sum(own):
            raise DataError(f"X has {sum(known):,} rows, but {name} has {sum(own):,}. Each row needs one.")
        return given.rechunk((known, *given.chunks[1:]))
    if count_of(X) != count_of(given) or differently_divided(X, given):
        raise DataError(
            f"X comes in {counted(count_of(X), 'partition')} and {name} in {count_of(given):,}, cut differently, and "
            "how many rows these have is not known. Make both from one dataframe, or call compute_chunk_sizes()."
        )
    return given


def differently_divided(X: Any, other: Any) -> bool:
    """Whether two dataframes are known to be cut at different places of their index."""
    known = all(getattr(each, "known_divisions", False) for each in (X, other))
    return known and X.divisions != other.divisions


def count_of(X: Any) -> int:
    """How many partitions there are along the rows."""
    return len(X.chunks[0]) if is_dask_array(X) else int(X.npartitions)


def parts_of(X: Any) -> list[Any]:
    """The partitions of a collection, each with the part of the graph that it needs."""
    from dask.optimization import cull

    delayed = list(np.ravel(np.asarray(X.to_delayed(), dtype=object)))
    whole = dict(delayed[0].__dask_graph__()) if delayed else {}  # which all of them share
    keys = [each.__dask_keys__()[0] for each in delayed]
    return [Part(cull(whole, [key])[0], key) for key in keys]
