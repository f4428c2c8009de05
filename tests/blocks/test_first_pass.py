"""The first pass names the place of what cannot be used, and takes from each block what the others lack."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from separatrix import DataError, FormatError, read_blocks
from separatrix.data.blocks.blocks import Blocks
from separatrix.problem.runner import LocalRunner

RANDOM = np.random.default_rng(1)


def drawn(n=10, d=3):
    return RANDOM.normal(size=(n, d)), np.arange(n) % 2


def blocks_with(place, X=None, y=None, w=None, count=20):
    """Twenty blocks, one of which is of its own."""
    blocks = [drawn() for _ in range(count)]
    usual = blocks[place]
    blocks[place] = (usual[0] if X is None else X, usual[1] if y is None else y, *(() if w is None else (w,)))
    return read_blocks(blocks)


def changed(row, column, value):
    X, _ = drawn()
    X[row, column] = value
    return X


@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "NaN"), (-np.inf, r"an infinity \(inf\)"), (1e200, "a number too large to square")]
)
def test_a_value_that_is_no_number_is_named_by_its_place(value, word):
    with pytest.raises(DataError, match=rf"^block 17: Input X contains {word}: .* in row 4, column 2, the first"):
        blocks_with(17, changed(4, 2, value)).encoded()
    with pytest.raises(DataError, match=rf"^block 17: Input X contains {word}: .* in row 4, column 2"):
        blocks_with(17, sparse.csr_array(changed(4, 2, value))).encoded()


def test_a_value_in_a_file_is_named_by_file_row_group_row_and_column(tmp_path):
    frame = pd.DataFrame(RANDOM.normal(size=(200, 2)), columns=["age", "size"]).assign(ill=np.arange(200) % 2)
    frame.loc[173, "size"] = np.nan
    pq.write_table(pa.Table.from_pandas(frame), tmp_path / "rows.parquet", row_group_size=10)
    named = r"rows\.parquet, row group 17: Input X contains NaN: nan in row 3, column 1 \('size'\)"
    with pytest.raises(DataError, match=named):
        read_blocks(tmp_path / "rows.parquet", rows_per_block=10).encoded()
    frame.to_csv(tmp_path / "rows.csv", index=False)
    named = r"rows\.csv, from line \d+ on: Input X contains NaN: nan in line 175, column 1 \('size'\)"
    with pytest.raises(DataError, match=named):
        read_blocks(tmp_path / "rows.csv", rows_per_block=10).encoded()
    with pytest.raises(DataError, match="rows 170 to 179: Input X contains NaN: nan in row 173, column 1"):
        read_blocks(frame[["age", "size"]].to_numpy(), frame["ill"].to_numpy(), rows_per_block=10).encoded()


def test_a_row_group_that_is_damaged_is_named(tmp_path):
    frame = pd.DataFrame(RANDOM.normal(size=(3000, 2)), columns=["age", "size"]).assign(ill=np.arange(3000) % 2)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path, row_group_size=100, compression="snappy")
    group = pq.ParquetFile(path).metadata.row_group(17).column(0)
    content = bytearray(path.read_bytes())
    start = group.dictionary_page_offset or group.data_page_offset
    content[start : start + group.total_compressed_size] = b"\xff" * group.total_compressed_size
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"rows\.parquet, row group 17: cannot be read: .* Write the file again"):
        read_blocks(path, rows_per_block=100).encoded()
    path.write_bytes(b"nothing")
    with pytest.raises(FormatError, match=r"rows\.parquet: cannot be read"):
        read_blocks(path)


def test_files_that_are_not_there_or_go_away(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_blocks(tmp_path / "rows.parquet")
    with pytest.raises(DataError, match=r"\*\.parquet: no file has a name like that"):
        read_blocks(str(tmp_path / "*.parquet"))
    with pytest.raises(DataError, match="no file in this folder has an extension"):
        read_blocks(tmp_path)
    X, y = drawn(100)
    for name in ("rows.parquet", "rows.csv"):
        path, frame = tmp_path / name, pd.DataFrame(X, columns=list("abc")).assign(y=y)
        frame.to_parquet(path) if name.endswith("parquet") else frame.to_csv(path, index=False)
        blocks = read_blocks(path)
        path.unlink()
        with pytest.raises(DataError, match=rf"{name}.*(cannot be read|can be read no more)"):
            blocks.encoded()


def test_a_file_that_changes_during_a_fit_is_found(tmp_path):
    path = tmp_path / "rows.csv"
    lines = ["a,b,y", *(f"{i},{-i},{i % 2}" for i in range(100))]
    path.write_text("\n".join(lines))
    problem = read_blocks(path).encoded().problem
    path.write_text("\n".join(lines[:60]))
    with pytest.raises(DataError, match="the file has become shorter"):
        problem.load(0)


def test_a_column_of_words_is_refused_by_its_line(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,y", *(f"{i},{'red' if i == 77 else i},{i % 2}" for i in range(100))]))
    with pytest.raises(FormatError, match=r"rows\.csv, line 79: column 'b' holds 'red', which is no number"):
        read_blocks(path, rows_per_block=10).encoded()
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["red", "blue"], "y": [0, 1]})
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(DataError, match=r"rows\.parquet, row group 0: Column 'b' has the type String"):
        read_blocks(tmp_path / "rows.parquet").encoded()


def test_a_line_of_another_length_is_named(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,b,y", *(f"{i},{i},{i % 2}{',5' * (i == 60)}" for i in range(100))]))
    with pytest.raises(FormatError, match=r"rows\.csv, line 62: the line has 4 fields but the header has 3"):
        read_blocks(path, rows_per_block=10).encoded()


def test_files_with_other_columns_are_refused(tmp_path):
    one = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 1.0], "y": [0, 1]})
    for suffix in ("csv", "parquet"):
        for name, frame in (("1", one), ("2", one.rename(columns={"b": "c"}))):
            path = tmp_path / f"{name}.{suffix}"
            frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
        with pytest.raises(FormatError, match=rf"2\.{suffix}: there is no column 'b', which the first rows have"):
            read_blocks(str(tmp_path / f"*.{suffix}"))
    with pytest.raises(DataError, match="are not written in the same format"):
        read_blocks(tmp_path)
    (tmp_path / "year=2020").mkdir()
    with pytest.raises(DataError, match="a column that is written as names of folders"):
        read_blocks(tmp_path)


def test_blocks_of_other_widths_name_both_places():
    with pytest.raises(DataError, match="^block 17: rows have 4 columns, and those of block 16 have 3"):
        blocks_with(17, RANDOM.normal(size=(10, 4))).encoded()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.repeat("a", 10), r"y mixes text and other labels: 'a' in block 17, and 0 \(int\) in block 0"),
        (
            np.array([0, 1, np.nan] + 7 * [1.0]),
            "^block 17: y cannot be .* NaN: row 2 has no label",
        ),
        (np.arange(9), "^block 17: X has 10 rows, but y has 9 labels"),
        (np.linspace(0, 1, 10), "^block 17: y cannot be read as one class label .* regressor"),
    ],
)
def test_labels_that_cannot_be_used_are_named_by_their_place(y, message):
    with pytest.raises(DataError, match=message):
        blocks_with(17, y=y).encoded()


def test_blocks_without_labels_and_batches_of_other_forms():
    with pytest.raises(DataError, match="^block 0: there are no labels"):
        read_blocks([drawn()[0]]).encoded()
    with pytest.raises(DataError, match=r"must be a pair \(X, y\) or a triple .* Got 4 parts"):
        read_blocks([(1, 2, 3, 4)]).encoded()


def test_weights_are_checked_in_each_block_and_zeros_are_allowed():
    with pytest.raises(DataError, match="^block 17: sample_weight must be finite and not negative. Got -1.0 for row 0"):
        blocks_with(17, w=np.full(10, -1.0)).encoded()
    problem = blocks_with(17, w=np.zeros(10)).encoded().problem
    assert problem.census.sizes[17] == 0
    assert problem.n_rows == 190
    with pytest.raises(DataError, match="sample_weight is zero for every row"):
        read_blocks([(*drawn(), np.zeros(10)) for _ in range(3)]).encoded()


def test_a_class_without_weight_is_none():
    encoded = blocks_with(17, y=np.repeat(7, 10), w=np.zeros(10)).encoded()
    assert encoded.classes.tolist() == [0, 1]


def test_rows_that_differ_from_those_of_the_first_pass_are_found():
    given = [drawn() for _ in range(3)]
    problem = read_blocks(lambda: iter(given)).encoded().problem
    given[1] = drawn(9)
    with pytest.raises(DataError, match="batch 1: there are 9 rows of 3 columns now, and the first pass found 10 rows"):
        problem.load(1)
    given[1] = (drawn()[0], np.repeat(5, 10))
    with pytest.raises(DataError, match="batch 1: y has the label 5 in row 0, which the first pass did not find"):
        problem.load(1)


def test_empty_blocks_and_blocks_of_one_class():
    nothing = [(np.zeros((0, 3)), []), ([], []), (sparse.csr_array((0, 3)), np.array([]))]
    blocks = [*nothing, (np.ones((4, 3)), ["a"] * 4), *nothing, (np.zeros((2, 3)), ["b"] * 2), *nothing]
    encoded = read_blocks(blocks).encoded()
    assert encoded.classes.tolist() == ["a", "b"]
    assert encoded.problem.census.counts == (4, 2)
    assert encoded.problem.load(0).n_rows == 0
    with pytest.raises(DataError, match="The data hold 1 class only: 'a' in all 8 rows"):
        read_blocks([(np.ones((4, 3)), ["a"] * 4)] * 2).encoded()
    for none in ([], nothing, lambda: iter([])):
        with pytest.raises(DataError, match="There are no rows in any block"):
            read_blocks(none).encoded()


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([np.float32([0, 1]), np.float64([1, 2])], [0.0, 1.0, 2.0]),
        ([np.array([0, 1]), np.array([1.0, 2.0])], [0.0, 1.0, 2.0]),
        ([np.array([True, False]), np.array([False, False])], [False, True]),
        ([np.array([True, False]), np.array([2, 1])], [0, 1, 2]),
        ([["a", "b"], np.array(["longer", "a"], dtype=object)], ["a", "b", "longer"]),
        ([np.int8([-1, 1]), np.uint8([1, 200])], [-1, 1, 200]),
        ([np.array([-0.0, 1.0]), np.array([0.0, 1.0])], [0.0, 1.0]),
    ],
)
def test_labels_of_several_types_are_the_classes_of_all_together(labels, classes):
    encoded = read_blocks([(np.ones((2, 1)), own) for own in labels]).encoded()
    together = np.concatenate([np.asarray(own) for own in labels])
    assert encoded.classes.tolist() == np.unique(together).tolist() == classes
    assert encoded.classes.dtype.kind == np.unique(together).dtype.kind
    for block, own in enumerate(labels):
        assert encoded.classes[encoded.problem.load(block).y].tolist() == np.asarray(own).tolist()


def test_a_number_may_be_too_small_in_a_block_and_not_in_all():
    tiny = np.full((10, 3), 1e-200)
    for place in (0, 17):
        assert blocks_with(place, tiny).encoded().problem.n_rows == 200
    with pytest.raises(DataError, match="no number large enough to square: the largest size is 1e-200"):
        read_blocks([(tiny, np.arange(10) % 2)] * 2).encoded()


def test_known_classes_and_a_label_that_is_none_of_them(tmp_path):
    with pytest.raises(DataError, match=r"^block 17: y has the label 7, which is not one of the classes \[0, 1\]"):
        blocks_with(17, y=np.repeat(7, 10)).encoded(classes=[0, 1])
    assert blocks_with(3).encoded(classes=[0, 1, 2]).problem.census.counts == (100, 100, 0)
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["a,y", *(f"{i},{i % 2}" for i in range(50))]))
    for classes in ([0, 1], [0.0, 1.0], ["0", "1"]):
        assert read_blocks(path, rows_per_block=8).encoded(classes=classes).problem.census.counts == (25, 25)
    with pytest.raises(DataError, match=r"rows\.csv, from line \d+ on: y has the label '\d'"):
        read_blocks(path, rows_per_block=8).encoded(classes=["no", "yes"])


def test_weights_of_classes_are_those_of_all_rows():
    blocks = [(np.ones((4, 1)), ["a", "a", "a", "b"], [1.0, 1.0, 2.0, 0.5]), (np.ones((1, 1)), ["b"], [1.5])]
    encoded = read_blocks(blocks).encoded(class_weight="balanced")
    assert encoded.problem.census.weights == (3.0, 3.0)
    np.testing.assert_allclose(encoded.problem.load(1).cost, [1.5 * 6 / (2 * 2)])


def test_numbers_that_cannot_be_targets():
    with pytest.raises(DataError, match="^block 17: Input y contains NaN: in row 0"):
        blocks_with(17, y=np.full(10, np.nan)).encoded(numbers=True)
    with pytest.raises(DataError, match="^block 17: y cannot be read as one number for each row"):
        blocks_with(17, y=np.repeat("a", 10)).encoded(numbers=True)


def test_a_task_of_the_first_pass_reads_its_block_only():
    read = []

    class Watched:
        count, feature_names = 5, ()

        def read(self, block):
            read.append(block)
            return read_blocks([drawn()]).source.read(0)

        def place(self, block):
            return f"block {block}"

    Blocks(Watched(), LocalRunner()).encoded()
    assert sorted(read) == [0, 1, 2, 3, 4]
