"""Files as columns: the same whole and in blocks, words told from numbers, mistakes named by their line."""

import io
import sys

import numpy as np
import pyarrow
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.data.files.reading import read_blocks, read_columns
from separatrix.data.files.source import Reading, Source
from separatrix.data.files.svmlight import svmlight_blocks
from separatrix.data.prepare.columns import Columns, Words, below
from separatrix.errors import DataError, FormatError, OptionError


def written(tmp_path, text, name="table.csv"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def cells(column):
    """A column as the words and numbers in it."""
    if isinstance(column, Words):
        return [None if code < 0 else column.words[code] for code in column.codes]
    return column.tolist()


MIXED = "age,colour,when,ill\n30,red,1,no\n,blue,2,yes\n50,,3,no\nNA,red,4,yes\n70,?,5,no\n"


def test_numbers_and_words_are_told_apart(tmp_path):
    raw = read_columns(written(tmp_path, MIXED), "ill")
    assert raw.X.names == ("age", "colour", "when")
    np.testing.assert_array_equal(raw.X["age"], [30, np.nan, 50, np.nan, 70])
    assert cells(raw.X["colour"]) == ["red", "blue", None, "red", None]
    assert raw.labels.tolist() == ["no", "yes", "no", "yes", "no"]
    assert raw.target == "ill"
    assert read_columns(written(tmp_path, MIXED), 2).target == "when"
    assert read_columns(written(tmp_path, MIXED)).target == "ill"


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_blocks_are_the_whole_whatever_their_size(tmp_path, rows):
    path = written(tmp_path, MIXED)
    whole = read_columns(path, "ill")
    kinds = {"age": "number", "colour": "text", "when": "number"}
    parts = list(read_blocks(path, kinds, "ill", rows=rows))
    assert [len(part.X) for part in parts[:-1]] == [rows] * (len(parts) - 1)
    joined = below([part.X for part in parts])
    for name in whole.X.names:
        assert str(cells(joined[name])) == str(cells(whole.X[name]))
    assert [label for part in parts for label in part.labels] == whole.labels.tolist()


def test_a_column_whose_first_word_comes_late_is_read_again_as_it_is_written(tmp_path):
    rows = [f"{'0' * (i % 3)}{i},a" for i in range(6000)] + [f"w{i},b" for i in range(2000)]
    raw = read_columns(written(tmp_path, "code,y\n" + "\n".join(rows)), "y")
    assert cells(raw.X["code"]) == [row.partition(",")[0] for row in rows]


SPELLINGS = ["N/A", "n/a", "#N/A", "NULL", "Null", "NAN", "none", "NONE", "na", "<NA>", "-", " - "]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_usual_words_for_missing_are_missing_among_numbers(tmp_path, spelling):
    path = written(tmp_path, "x,y\n" + f"1.5,a\n{spelling},b\n2,a\n-3,b\n" * 3)
    raw = read_columns(path)
    np.testing.assert_array_equal(raw.X["x"], [1.5, np.nan, 2.0, -3.0] * 3)
    (block,) = read_blocks(path, {"x": "number"}, "y")
    np.testing.assert_array_equal(block.X["x"], raw.X["x"])


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_the_same_words_are_missing_among_words_and_alone(tmp_path, spelling):
    raw = read_columns(written(tmp_path, f"x,alone,y\n{spelling},{spelling},a\nx,,b\n,{spelling},a\n"))
    assert cells(raw.X["x"]) == [None, "x", None]
    assert np.isnan(raw.X["alone"]).all()
    path = written(tmp_path, f"x,z\n{spelling},1\nx,1\n,1\n")
    (block,) = read_blocks(path, {"x": "text"})
    assert cells(block.X["x"]) == [None, "x", None]
    (block,) = read_blocks(path, {"x": "text"}, known={"x": frozenset({spelling.strip()})})  # a word to the model
    assert cells(block.X["x"]) == [spelling.strip(), "x", None]


def test_a_mistake_is_named_and_no_missing_number(tmp_path):
    rows = "N/A,a\n" + "\n".join(f"{i},a" for i in range(50))
    with pytest.raises(FormatError, match=r"line 53: column 'x' holds '1O', which is no number, while 50 of its 51"):
        read_columns(written(tmp_path, f"x,y\n{rows}\n1O,b\n"))


def test_one_cell_that_is_no_number_is_a_mistake_and_named(tmp_path):
    rows = "\n".join(f"{i},a" for i in range(50))
    path = written(tmp_path, f"x,y\n{rows}\n1O,b\n")
    with pytest.raises(
        FormatError, match=r"table.csv, line 52: column 'x' holds '1O', which is no number, while 50 of"
    ):
        read_columns(path, "y")
    with pytest.raises(FormatError, match=r"line 52: column 'x' holds '1O'"):
        list(read_blocks(path, {"x": "number"}, "y", rows=7))


@pytest.mark.parametrize(
    ("cell", "number"),
    [("52,5", 52.5), ("1,105.2", 1105.2), ("1.234,5", 1234.5), ("-0,5", -0.5), ("1 234 567", 1234567)],
)
def test_numbers_as_people_write_them(tmp_path, cell, number):
    raw = read_columns(written(tmp_path, f"x;y\n{cell};a\n3;b\n{cell};a\n;b\n"))
    np.testing.assert_array_equal(raw.X["x"], [number, 3.0, number, np.nan])
    assert raw.notes


def test_dates_and_versions_are_words(tmp_path):
    raw = read_columns(written(tmp_path, "day,version,y\n12.03.2020,1.2.3,a\n2020-01-02,1.10.0,b\n"))
    assert all(isinstance(column, Words) for column in raw.X.values)


def test_a_file_without_a_header_is_noticed(tmp_path):
    with pytest.raises(FormatError, match=r"line 1: the first line looks like a row, as it holds 5.1"):
        read_columns(written(tmp_path, "5.1,3,setosa\n4.9,2,setosa\n6.0,3,virginica\n"))
    assert read_columns(written(tmp_path, "0,1,label\n5.1,3,a\n4.9,2,b\n")).X.names == ("0", "1")


def test_labels_that_are_no_whole_numbers_are_names(tmp_path):
    assert read_columns(written(tmp_path, "x,y\n1,0.0\n2,1.5\n")).labels.tolist() == ["0.0", "1.5"]


def test_a_file_to_predict_need_not_have_the_labels(tmp_path):
    (block,) = read_blocks(written(tmp_path, "x\n1\n2\n"), {"x": "number"}, "y")
    assert block.labels is None
    (block,) = read_blocks(written(tmp_path, "x,y\n1,a\n2,?\n"), {"x": "number"}, "y")
    assert block.labels == ["a", None]
    assert block.X["x"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize("kind", ["parquet", "arrow", "stream"])
def test_columnar_files(tmp_path, kind):
    table = pyarrow.table(
        {
            "x": pyarrow.array([1.5, None, 3.0, 4.0]),
            "word": pyarrow.array(["a", None, "b", "a"]).dictionary_encode(),
            "day": pyarrow.array([0, 1, None, 365], type=pyarrow.date32()),
            "flag": [True, False, True, None],
            "y": ["no", "yes", "no", "yes"],
        }
    )
    path = tmp_path / ("t.parquet" if kind == "parquet" else "t.arrow")
    if kind == "parquet":
        pyarrow.parquet.write_table(table, path, row_group_size=3)
    else:
        make = pyarrow.ipc.new_stream if kind == "stream" else pyarrow.ipc.new_file
        with make(path, table.schema) as sink:
            sink.write_table(table, max_chunksize=3)
    raw = read_columns(path, "y")
    np.testing.assert_array_equal(raw.X["x"], [1.5, np.nan, 3.0, 4.0])
    assert cells(raw.X["word"]) == ["a", None, "b", "a"]
    np.testing.assert_array_equal(raw.X["day (days)"], [0.0, 1.0, np.nan, 365.0])
    np.testing.assert_array_equal(raw.X["day (year)"], [1970.0, 1970.0, np.nan, 1971.0])
    np.testing.assert_array_equal(raw.X["flag"], [1.0, 0.0, 1.0, np.nan])
    parts = list(read_blocks(path, {}, "y", rows=2))
    assert max(len(part.X) for part in parts) == 2
    np.testing.assert_array_equal(below([part.X for part in parts])["x"], raw.X["x"])
    assert np.concatenate([part.labels for part in parts]).tolist() == raw.labels.tolist()


def test_columnar_files_where_the_fit_saw_words(tmp_path):
    table = pyarrow.table({"flag": [True, None, False], "code": [1234567, 7, None], "size": [0.5, 2.0, 3.0]})
    pyarrow.parquet.write_table(table, tmp_path / "t.parquet")
    (block,) = read_blocks(tmp_path / "t.parquet", {"flag": "text", "code": "text", "size": "number"})
    assert cells(block.X["flag"]) == ["True", None, "False"]
    assert cells(block.X["code"]) == ["1234567", "7", None]
    assert cells(block.X["size"]) == [0.5, 2.0, 3.0]


def test_libsvm_text_in_blocks(tmp_path):
    lines = [f"{1 if i % 2 else -1} {1 + i % 5}:{i + 0.5} {7 + i % 3}:1" for i in range(200)]
    path = written(tmp_path, "\n".join(lines), "data.svm")
    raw = read_columns(path)
    (block,) = read_blocks(path, dict.fromkeys(map(str, range(9)), "number"))
    assert (block.X != raw.X).nnz == 0
    assert block.labels.tolist() == raw.labels.tolist()
    (cut,) = read_blocks(path, dict.fromkeys(map(str, range(4)), "number"))  # a model that saw four features
    assert (raw.X[:, :4] != cut.X).nnz == 0
    with pytest.raises(OptionError, match="labels in front"):
        read_columns(path, "y")


def test_an_index_0_after_rows_that_count_from_1():
    def blocks(text):
        return svmlight_blocks(Source(io.BytesIO(text), "f", "svmlight"), Reading(n_features=3), block_bytes=1)

    with pytest.raises(FormatError, match="an index 0 up to line 2, after rows that count from 1"):
        list(blocks(b"1 1:1\n1 0:1\n"))
    assert [block.X.indices.tolist() for block in blocks(b"1 0:1\n1 1:1\n")] == [[0], [1]]
    with pytest.raises(FormatError, match="f, line 2: "):
        list(blocks(b"1 1:1\n1 1:x\n"))


def test_the_standard_input(tmp_path, monkeypatch):
    for text, names in ((MIXED, ("age", "colour", "when")), ("1 1:2\n-1 2:1\n", None)):
        with open(written(tmp_path, text, "in")) as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            raw = read_columns("-", None if names is None else "ill")
        assert raw.name == "<stdin>"
        assert names is None or raw.X.names == names
    with open(written(tmp_path, b"a,y\n\xff,1\n", "in")) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(FormatError, match="<stdin>: the byte 0xff is not UTF-8"):
            read_columns("-")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "the file is empty"),
        ("a,b\n", "no rows below the header"),
        ("a,b\n1,2\n3\n", "line 3: the line has 1 fields"),
        (b"a,b\n\xff,2\n", "line 2: the byte 0xff is not UTF-8"),
        (b"a,b\n1\x00,2\n", "line 2: a NUL byte"),
        ("a,b\n1,\n", "no row has a label in the column 'b'"),
        ('a,b\n"1,2\n', "line 2: unexpected end of data"),
    ],
)
def test_broken_files_are_refused_by_line(tmp_path, content, said):
    with pytest.raises(FormatError, match=said):
        read_columns(written(tmp_path, content))
    with pytest.raises(DataError, match="no column 'c'"):
        read_columns(written(tmp_path, "a,b\n1,2\n"), "c")


def test_a_hundred_thousand_columns(tmp_path):
    names = ",".join(f"c{j}" for j in range(100_000))
    raw = read_columns(written(tmp_path, f"{names},y\n{'1,' * 100_000}a\n{'2,' * 100_000}b\n"))
    assert raw.X.shape == (2, 100_000)


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["f.csv", "f.svm", "f", "f.tsv", "f.parquet", "f.arrow"]))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content, name):
    path = tmp_path_factory.mktemp("bytes") / name
    path.write_bytes(content)
    try:
        raw = read_columns(path)
    except DataError:
        return
    assert len(raw.labels) == raw.X.shape[0] > 0


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c", None]), max_size=5), min_size=1, max_size=4))
def test_words_joined_are_the_words_of_all(parts):
    joined = Words.joined([Words.of(part) for part in parts])
    assert cells(joined) == [word for part in parts for word in part]


def test_columns_take_rows():
    table = Columns(("x", "w"), (np.arange(4.0), Words.of("abca")), 4)
    some = table.rows([2, 0])
    assert some["x"].tolist() == [2.0, 0.0]
    assert cells(some["w"]) == ["c", "a"]
    assert table.without("x").names == ("w",)
    assert table.without("z") is table
    with pytest.raises(DataError, match="'x' holds numbers in some rows and words in others"):
        below([table, Columns(("x", "w"), (Words.of("a"), Words.of("b")), 1)])


def test_columns_that_are_known_to_be_of_words_are_not_guessed_at(tmp_path):
    path = written(tmp_path, "x,y\n" + "N/A,a\n" + "\n".join(f"0{i},b" for i in range(20)))
    raw = read_columns(path, words=frozenset({"x"}))
    assert cells(raw.X["x"])[:3] == [None, "00", "01"]


def test_labels_that_are_written_differently_are_different(tmp_path):
    assert read_columns(written(tmp_path, "x,y\n1,1\n2,01\n3,2\n")).labels.tolist() == ["1", "01", "2"]
    assert read_columns(written(tmp_path, "x,y\n1,1\n2,-1\n3,2\n")).labels.tolist() == [1, -1, 2]
