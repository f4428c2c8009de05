"""Dask collections are blocks as they are cut; what is cut differently is aligned, or refused with a sentence."""

import pickle

import numpy as np
import pandas as pd
import pytest

from separatrix import DataError, OptionError, read_blocks
from separatrix.data.encode import encode
from separatrix.problem.fold import Fold

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(50, 4))
Y = RANDOM.choice(["a", "b"], 50)
W = RANDOM.integers(0, 3, 50).astype(float)
FRAME = pd.DataFrame(X, columns=list("pqrs")).assign(kind=Y, weight=W)


def everything(problem):
    fold = Fold(
        lambda block, first: (block.X, block.y, block.cost),
        lambda one, other: tuple(np.concatenate(pair) for pair in zip(one, other, strict=True)),
        tuple,
    )
    return problem.over(fold)


def check(blocks, w=None):
    reference = encode(X, Y, sample_weight=w).problem
    for each in (blocks, pickle.loads(pickle.dumps(blocks))):
        for found, wanted in zip(
            everything(each.encoded().problem), (reference.X, reference.y, reference.cost), strict=True
        ):
            np.testing.assert_array_equal(found, wanted)


def test_arrays():
    blocks = read_blocks(da.from_array(X, chunks=(12, 3)), da.from_array(Y, chunks=20))
    assert blocks.source.count == 5
    check(blocks)
    weights = da.from_array(W, chunks=7)
    check(read_blocks(da.from_array(X, chunks=(12, 3)), da.from_array(Y, chunks=20), sample_weight=weights), W)
    check(read_blocks(da.from_array(X, chunks=12), Y))


def test_arrays_of_unknown_lengths():
    rows, labels = (da.from_array(each, chunks=15) for each in (np.column_stack([X, Y == "a"]), Y))
    known = rows[:, 4] >= 0
    check(read_blocks(rows[known][:, :4], labels[known]))
    with pytest.raises(DataError, match="X comes in 4 partitions and y in 3, cut differently"):
        read_blocks(rows[known], labels.rechunk(20)[da.from_array(Y, chunks=20) != "c"])
    with pytest.raises(OptionError, match=r"y is in memory, and how many rows .* X.compute_chunk_sizes\(\)"):
        read_blocks(rows[known], Y)
    shorter = labels[da.from_array((X[:, 0] > 0) | (np.arange(50) >= 15), chunks=15)]  # partitions are read at once
    with pytest.raises(DataError, match=r"partition 0: X has 15 rows and y has \d+\. Cut X and y in the same way"):
        read_blocks(rows[known], shorter).encoded()


def test_dataframes():
    frame = dd.from_pandas(FRAME, npartitions=6)
    blocks = read_blocks(frame, target="kind", sample_weight="weight")
    assert blocks.source.count == 6
    assert blocks.feature_names == tuple("pqrs")
    check(blocks, W)
    check(read_blocks(frame[list("pqrs")], frame["kind"]))
    check(read_blocks(frame[list("pqrs")], frame["kind"], sample_weight=frame["weight"]), W)
    check(read_blocks(frame[[*"pqrs", "kind"]], target="kind"))
    with pytest.raises(OptionError, match="needs target="):
        read_blocks(frame)
    with pytest.raises(DataError, match="cut differently"):
        read_blocks(frame[list("pqrs")], dd.from_pandas(FRAME["kind"], npartitions=3))
    with pytest.raises(DataError, match="cut differently"):  # as many, but at other places
        read_blocks(frame[list("pqrs")], dd.from_pandas(FRAME["kind"][:40], npartitions=6))


def test_a_partition_without_rows_is_an_empty_block():
    frame = dd.from_pandas(FRAME.assign(row=np.arange(50)), npartitions=6)
    some = frame[frame["row"] > 20]
    problem = read_blocks(some, target="kind", drop=["weight", "row"]).encoded().problem
    assert problem.census.sizes[0] == 0
    assert problem.n_rows == 29


def test_the_graph_of_a_block_is_its_own_part():
    blocks = read_blocks(da.random.random((1000, 10), chunks=(10, 10)), np.arange(1000) % 2)
    assert max(len(part[0].graph) for part in blocks.source.parts) <= 2


def test_a_collection_is_not_computed_before_it_is_read():
    touched = []

    def rows(block_info=None):
        touched.append(block_info)
        return X

    lazy = da.map_blocks(rows, chunks=((50,), (4,)), dtype=float, meta=np.empty((0, 0)))
    blocks = read_blocks(lazy, Y)
    assert not touched
    blocks.encoded()
    assert len(touched) == 1
