"""Every source gives the rows and labels that the same data have in memory, again and again, also when pickled."""

import gzip
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from separatrix import DataError, OptionError, read_blocks, read_table
from separatrix.data.blocks.batches import BatchSource
from separatrix.data.blocks.text_source import DelimitedSource
from separatrix.data.encode import encode
from separatrix.problem.fold import Fold

N, D = 203, 3
NAMES = ["age", "size", "load"]
RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(N, D)).round(3)
Y = RANDOM.choice(["no", "perhaps", "yes"], N)
W = RANDOM.integers(1, 4, N).astype(float)
FRAME = pd.DataFrame(X, columns=NAMES).assign(w=W, id=np.arange(N), ill=Y)
NAMED = {"target": "ill", "sample_weight": "w", "drop": ["id"], "rows_per_block": 20}


def batches():
    for start in range(0, N, 30):
        yield X[start : start + 30], Y[start : start + 30], W[start : start + 30]


def frames():
    for start in range(0, N, 30):
        yield FRAME[start : start + 30]


def parquet(folder):
    pq.write_table(pa.Table.from_pandas(FRAME), folder / "rows.parquet", row_group_size=25)
    return folder / "rows.parquet"


def two_parquets(folder):
    pq.write_table(pa.Table.from_pandas(FRAME[:90]), folder / "a.parquet", row_group_size=7)
    other = FRAME[["ill", "load", "id", "age", "w", "size"]]
    pq.write_table(pa.Table.from_pandas(other[90:], preserve_index=False), folder / "b.parquet", row_group_size=50)
    return folder


def feather(folder):
    pyarrow.feather.write_feather(pa.Table.from_pandas(FRAME), folder / "rows.feather", chunksize=31)
    return folder / "rows.feather"


def arrow_stream(folder):
    table = pa.Table.from_pandas(FRAME, preserve_index=False)
    with pa.ipc.new_stream(folder / "rows.arrow", table.schema) as stream:
        stream.write_table(table, max_chunksize=40)
    return folder / "rows.arrow"


def csv(folder):
    FRAME.to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def csv_with_commas(folder):
    FRAME.to_csv(folder / "rows.csv", index=False, sep=";", decimal=",")
    return folder / "rows.csv"


def csv_with_line_breaks(folder):
    FRAME.assign(id=[f'"{i}\nof, {N}' for i in range(N)]).to_csv(folder / "rows.csv", index=False)
    return folder / "rows.csv"


def csv_with_stray_quotes(folder):
    FRAME.assign(id=[f'{i}" long' for i in range(N)]).to_csv(folder / "rows.csv", index=False, quoting=3)
    return folder / "rows.csv"


def csv_and_glob(folder):
    FRAME[:77].to_csv(folder / "part-1.csv", index=False)
    FRAME[77:][["ill", "id", "load", "size", "age", "w"]].to_csv(folder / "part-2.csv", index=False, sep="\t")
    return str(folder / "part-*.csv")


def csv_compressed(folder):
    FRAME.to_csv(folder / "rows.csv.gz", index=False)
    return folder / "rows.csv.gz"


def spreadsheet(folder):
    FRAME.to_excel(folder / "rows.xlsx", index=False)
    return folder / "rows.xlsx"


NAMED_SOURCES = {
    "parquet": parquet,
    "folder of parquet": two_parquets,
    "feather": feather,
    "arrow stream": arrow_stream,
    "csv": csv,
    "csv with semicolons": csv_with_commas,
    "csv with line breaks": csv_with_line_breaks,
    "csv with stray quotes": csv_with_stray_quotes,
    "csv by glob": csv_and_glob,
    "csv compressed": csv_compressed,
    "spreadsheet": spreadsheet,
    "pandas": lambda folder: FRAME,
    "polars": lambda folder: pl.from_pandas(FRAME),
    "arrow": lambda folder: pa.Table.from_pandas(FRAME, preserve_index=False),
    "frames": lambda folder: list(frames()),
    "frames in order": lambda folder: frames,
}


def rows_and_labels(encoded):
    """All rows, labels and weights by a fold over the blocks."""
    fold = Fold(
        lambda block, first: (np.array(dense(block.X)), encoded.classes[block.y], block.cost),
        lambda one, other: tuple(np.concatenate(pair) for pair in zip(one, other, strict=True)),
        tuple,
    )
    return encoded.problem.over(fold)


def dense(rows):
    return rows if isinstance(rows, np.ndarray) else sparse.csr_array(
        (rows.data, rows.indices, rows.indptr), shape=(len(rows.indptr) - 1, rows.n_columns)
    ).toarray()  # fmt: skip


def check(blocks, X=X, y=Y, w=None):
    encoded = blocks.encoded()
    reference = encode(X, y, sample_weight=w)
    assert encoded.classes.tolist() == reference.classes.tolist()
    assert encoded.classes.dtype.kind == reference.classes.dtype.kind or encoded.classes.dtype == object
    for _ in range(2):
        found = rows_and_labels(encoded)
        np.testing.assert_array_equal(found[0], X)
        assert found[1].tolist() == reference.classes[reference.problem.y].tolist()
        np.testing.assert_array_equal(found[2], reference.problem.cost)
    census = encoded.problem.census
    assert (sum(census.sizes), census.n_features) == X.shape
    np.testing.assert_array_equal(census.weights, np.bincount(reference.problem.y, reference.problem.cost))
    np.testing.assert_array_equal(census.counts, np.bincount(reference.problem.y))
    return encoded.problem


@pytest.mark.parametrize("make", NAMED_SOURCES.values(), ids=NAMED_SOURCES)
def test_columns_by_name_are_rows_as_in_memory(make, tmp_path):
    source = make(tmp_path)
    blocks = read_blocks(source, **NAMED)
    problem = check(blocks, w=W)
    assert problem.n_blocks > 3 or make is spreadsheet
    assert blocks.feature_names == tuple(NAMES)
    if source is not frames:
        again = pickle.loads(pickle.dumps(blocks))
        check(again, w=W)


def test_only_text_in_which_quotes_stand_alone_is_read_in_order(tmp_path):
    quoted = read_blocks(csv_with_line_breaks(tmp_path), **NAMED)
    assert isinstance(quoted.source, DelimitedSource)
    assert isinstance(read_blocks(csv_with_stray_quotes(tmp_path), **NAMED).source, BatchSource)
    lines = [f'{i}.5,"{i}\nof, {N}",{i}{chr(34) * (i % 3 == 0)} long,{Y[i]}' for i in range(N)]
    (tmp_path / "both.csv").write_text("\n".join(["a,b,c,ill", *lines]))
    both = read_blocks(tmp_path / "both.csv", drop=["b", "c"], rows_per_block=2)
    check(both, np.arange(N)[:, None] + 0.5)


def test_arrays_batches_and_maps_are_rows_as_in_memory(tmp_path):
    check(read_blocks(X, Y, sample_weight=W, rows_per_block=50), w=W)
    check(read_blocks(X, list(Y), rows_per_block=1))
    check(read_blocks(sparse.csr_matrix(X), Y, rows_per_block=64))
    check(read_blocks(list(batches())), w=W)
    check(read_blocks(batches), w=W)
    check(read_blocks([(pd.DataFrame(X[:9]), Y[:9]), (pd.DataFrame(X[9:]), pd.Series(Y[9:]))]))
    assert read_blocks([(pd.DataFrame(X, columns=NAMES), Y)]).feature_names == tuple(NAMES)
    np.save(tmp_path / "X.npy", X)
    mapped = read_blocks(np.load(tmp_path / "X.npy", mmap_mode="r"), Y, rows_per_block=50)
    check(mapped)
    assert len(pickle.dumps(mapped)) < Y.nbytes + 1000  # the rows stay in the file
    check(pickle.loads(pickle.dumps(mapped)))


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("zero_based", [False, True])
def test_libsvm_text_is_rows_as_in_memory(tmp_path, compressed, zero_based):
    rows = sparse.random_array((300, 40), density=0.1, rng=np.random.default_rng(0)).tocsr()
    labels = np.where(np.arange(300) % 3 == 0, 1, -1)
    path = tmp_path / "rows.svm"
    dump_svmlight_file(rows, labels, str(path), zero_based=zero_based)
    whole = read_table(path)
    if compressed:
        path = tmp_path / "rows.svm.gz"
        path.write_bytes(gzip.compress((tmp_path / "rows.svm").read_bytes()))
    blocks = read_blocks(path, rows_per_block=10)
    problem = check(blocks, whole.X.toarray(), whole.labels)
    assert problem.n_blocks > 5
    check(pickle.loads(pickle.dumps(blocks)), whole.X.toarray(), whole.labels)
    wider = read_blocks(path, rows_per_block=10, n_features=50).encoded().problem
    assert wider.n_features == 50
    with pytest.raises(DataError, match="is larger than"):
        read_blocks(path, rows_per_block=10, n_features=20).encoded()


def test_a_pass_over_batches_in_order_makes_each_of_them_once():
    made = []

    def counted_batches():
        for start in range(0, N, 10):
            made.append(start)
            yield X[start : start + 10], Y[start : start + 10]

    problem = read_blocks(counted_batches).encoded().problem
    made.clear()
    for _ in range(3):
        problem.over(Fold(lambda block, first: first, max, int))
    assert len(made) <= 3 * 21


def test_neighbours_may_be_read_in_any_order():
    made = []

    def watched():
        for batch in batches():
            made.append(batch)
            yield batch

    source = read_blocks(watched).source
    made.clear()
    for block in (1, 0, 3, 2, 5, 4, 6):
        np.testing.assert_array_equal(source.read(block).X, X[30 * block : 30 * block + 30])
    assert len(made) == 7
    for block in (6, 6, 2, 0):
        np.testing.assert_array_equal(source.read(block).X, X[30 * block : 30 * block + 30])


def test_numbers_as_targets(tmp_path):
    target = X @ [1.0, 2.0, 3.0]
    frame = pd.DataFrame(X, columns=NAMES).assign(price=target)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    for source in (tmp_path / "rows.csv", tmp_path / "rows.parquet", frame):
        encoded = read_blocks(source, target="price", rows_per_block=40).encoded(numbers=True)
        assert encoded.problem.census.sizes[0] > 0
        fold = Fold(lambda block, first: block.y, lambda one, other: np.concatenate([one, other]), np.asarray)
        np.testing.assert_array_equal(encoded.problem.over(fold), target)


def test_rows_without_a_label_are_left_out_as_in_memory(tmp_path):
    frame = FRAME.assign(ill=[None if i % 7 == 0 else label for i, label in enumerate(Y)])
    kept = np.arange(N) % 7 != 0
    for name in ("rows.csv", "rows.csv.gz", "rows.parquet"):
        path = tmp_path / name
        frame.to_parquet(path) if name.endswith("parquet") else frame.to_csv(path, index=False)
        check(read_blocks(path, target="ill", drop=["w", "id"], rows_per_block=30), X[kept], Y[kept])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [(["1", "2"], [1, 2]), (["1", "01"], ["01", "1"]), (["1.5", "2"], [1.5, 2.0]), (["2", "spam"], ["2", "spam"])],
)
def test_labels_of_text_are_what_they_are_in_the_whole_file(tmp_path, labels, expected):
    lines = ["a,b,y", *(f"{i},{-i},{labels[i > 50]}" for i in range(100))]
    (tmp_path / "rows.csv").write_text("\n".join(lines))
    blocks = read_blocks(tmp_path / "rows.csv", rows_per_block=9)
    assert read_table(tmp_path / "rows.csv").classes.tolist() == expected
    if labels == ["1.5", "2"]:
        assert blocks.counts().sizes
    assert blocks.encoded().classes.tolist() == expected


def test_what_cannot_be_gone_through_twice_is_refused(tmp_path):
    with pytest.raises(OptionError, match="An iterator can be gone through once only"):
        read_blocks(batches())
    with pytest.raises(OptionError, match="standard input can be read once only"):
        read_blocks("-")
    with pytest.raises(OptionError, match=r"must make an iterator of batches \(X, y\)\. Got int"):
        read_blocks(lambda: 3)
    stream = batches()
    with pytest.raises(OptionError, match="makes the same iterator each time"):
        read_blocks(lambda: stream)
    shrinking = [list(batches()) for _ in range(4)]
    problem = read_blocks(lambda: iter(shrinking.pop())).encoded().problem
    shrinking[-1].pop()
    with pytest.raises(DataError, match=r"There were 6 batches in this pass, and 7 in the first"):
        problem.over(Fold(lambda block, first: first, max, int))


def test_a_file_of_many_small_row_groups_is_read_some_at_a_time(tmp_path):
    pq.write_table(pa.Table.from_pandas(FRAME), tmp_path / "rows.parquet", row_group_size=4)
    assert read_blocks(tmp_path / "rows.parquet", target="ill", rows_per_block=40).source.count == 6
    assert read_blocks(tmp_path / "rows.parquet", target="ill").source.count == 1


@pytest.mark.parametrize("seed", range(12))
def test_text_is_cut_nowhere_but_between_rows(tmp_path, seed):
    random = np.random.default_rng(seed)
    pieces = ["", "x", '"', "\n", "\r\n", ",", ";", " ", "é", "#"] if seed % 3 else ["x", "\n", ",", "é"]
    words = ["".join(random.choice(pieces, random.integers(0, 6))) for _ in range(60)]
    frame = pd.DataFrame({"a": np.arange(60.0), "word": words, "y": random.choice(["p", "q"], 60)})
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False, quoting=seed % 2, lineterminator="\n" if seed % 4 else "\r\n")
    for size in (1, 2, 7):
        blocks = read_blocks(path, target="y", drop=["word"], rows_per_block=size)
        assert blocks.source.count > 3
        check(blocks, frame[["a"]].to_numpy(), frame["y"].to_numpy(dtype=str))
