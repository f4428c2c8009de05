import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file

from separatrix.data.files import svmlight
from separatrix.data.files.reading import numeric_table, read_table
from separatrix.data.files.source import Reading, Source
from separatrix.data.files.svmlight import read_svmlight, svmlight_blocks
from separatrix.data.table import Table
from separatrix.errors import DataError, FormatError, OptionError


def source(text, name="<stream>"):
    return Source(io.BytesIO(text if isinstance(text, bytes) else text.encode()), name, "svmlight")


def read(text, **options):
    return numeric_table(read_svmlight(source(text), Reading(**options)))


def refuse(*arguments):
    raise AssertionError("the plain reader was not expected to be needed")


def test_rows_labels_and_names(monkeypatch):
    monkeypatch.setattr(svmlight, "_read_plain", refuse)
    table = read("# heading\n+1 1:0.5 3:-2e1\n\n-1 2:4 # 5:1\n-1\n")
    assert table.X.toarray().tolist() == [[0.5, 0.0, -20.0], [0.0, 4.0, 0.0], [0.0, 0.0, 0.0]]
    assert table.labels.tolist() == [1, -1, -1]
    assert table.labels.dtype == np.int64
    assert table.feature_names == ("x1", "x2", "x3")
    assert table.X.format == "csr"
    assert table.X.indices.dtype == np.int32


def test_both_readers_agree(tmp_path, monkeypatch):
    random = np.random.default_rng(3)
    X = random.standard_normal((40, 6)) * (random.random((40, 6)) < 0.4)
    path = tmp_path / "data.svm"
    dump_svmlight_file(X, random.integers(0, 3, 40), str(path), zero_based=False)
    fast = read_table(path, n_features=6)
    monkeypatch.setattr(svmlight, "_read_fast", lambda *arguments: None)
    plain = read_table(str(path), n_features=6)
    for table in (fast, plain):
        np.testing.assert_allclose(table.X.toarray(), X, rtol=1e-15)
    assert np.array_equal(fast.X.toarray(), plain.X.toarray())
    assert np.array_equal(fast.labels, plain.labels)
    assert fast.labels.dtype == plain.labels.dtype == np.int64
    assert fast.X.indices.dtype == plain.X.indices.dtype


def test_words_are_labels():
    table = read("spam 1:2\nnot_spam 2:1\nspam\n")
    assert table.labels.tolist() == ["spam", "not_spam", "spam"]
    assert table.X.toarray().tolist() == [[2.0, 0.0], [0.0, 1.0], [0.0, 0.0]]


@pytest.mark.parametrize(
    ("labels", "expected", "kind"),
    [
        ("1 2", [1, 2], "i"),
        ("1.0 -3", [1, -3], "i"),
        ("0.5 1", [0.5, 1.0], "f"),
        ("9007199254740993 9007199254740992", [9007199254740993, 9007199254740992], "i"),
    ],
)
def test_numeric_labels_keep_their_value(labels, expected, kind):
    one, other = labels.split()
    made = read(f"{one} 1:1\n{other} 1:2\n").labels
    assert made.tolist() == expected
    assert made.dtype.kind == kind


def test_an_index_0_makes_the_file_count_from_0():
    table = read("1 1:5\n2 0:7\n")
    assert table.X.toarray().tolist() == [[0.0, 5.0], [7.0, 0.0]]
    assert table.feature_names == ("x1", "x2")


def test_more_features_than_the_file_uses():
    table = read("1 2:5\n", n_features=4)
    assert table.X.toarray().tolist() == [[0.0, 5.0, 0.0, 0.0]]
    assert read("1\n2\n", n_features=2).X.nnz == 0


def test_fewer_features_than_the_file_uses():
    with pytest.raises(FormatError, match=r"line 2: the index 3 is larger than 2.*raise n_features"):
        read("1 1:5\n1 3:5\n", n_features=2)
    with pytest.raises(FormatError, match="line 1: the index 2 is larger than 1"):
        read("1 2:5\n1 0:5\n", n_features=2)
    assert read("1 1:5\n1 0:5\n", n_features=2).n_features == 2


@pytest.mark.parametrize("n_features", [0, -1, 2.0, 2**40])
def test_n_features_must_be_a_count(n_features):
    with pytest.raises(OptionError, match="n_features must be a whole number from 1"):
        read("1 1:5\n", n_features=n_features)


def test_an_enormous_index_must_be_asked_for(monkeypatch):
    with pytest.raises(FormatError, match="line 1: the index 2000000000 is larger than 16777216"):
        read("1 2000000000:1\n")
    monkeypatch.setattr(svmlight, "MAX_INDEX_BY_DEFAULT", 10)
    with pytest.raises(FormatError, match="line 1: the index 11 is larger than 10"):
        read("1 11:1\n")
    assert read("1 11:1\n", n_features=11).n_features == 11


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 3:1 2:1", "the index 2 follows 3: sort the indices"),
        ("1 2:1 2:2", "the index 2 appears twice"),
        ("1 -1:1", "'-1:1' where index:value was expected, with a whole number"),
        ("1 1.5:1", "'1.5:1' where index:value was expected, with a whole number"),
        ("1 a:1", "'a:1' where index:value was expected"),
        ("1 :1", "':1' where index:value was expected"),
        ("1 1_0:1", "'1_0:1' where index:value was expected"),
        ("1 99999999999:1", "the index 99999999999 is larger than"),
        ("1 " + "9" * 5000 + ":1", "the index 9+ is larger than"),
        ("1 3:", "'3:' where index:value was expected, with a finite number as value"),
        ("1 3: 4:1", "'3:' where"),
        ("1 3:2abc", "'3:2abc' where"),
        ("1 3:1_0", "'3:1_0' where"),
        ("1 3:nan", "'3:nan' where .* finite"),
        ("1 3:inf", "'3:inf' where .* finite"),
        ("1 3:1e999", "'3:1e999' where .* finite"),
        ("1 3:0x10", "'3:0x10' where"),
        ("1 1:2:3", "'1:2:3' where"),
        ("1 1:2 3", "'3' where index:value was expected"),
        ("1 qid:3 1:2", "'qid:3' groups rows for ranking, .*remove it"),
        ("1:2 3:4", "starts with '1:2', so its label is missing"),
        ("1,2 3:4", "'1,2' where one label was expected"),
        ("nan 1:2", "the label 'nan' is not finite"),
        ("1e999 1:2", "the label '1e999' is not finite"),
        ("spam 1:2", "the label 'spam' after labels such as '1': use numbers only or words only"),
        ("1x 1:2", "the label '1x' after labels such as '1'"),
        ("1\x00 1:2", "is no UTF-8 text"),
        ("1 1:2\x00", "where index:value was expected"),
    ],
)
def test_the_broken_line_is_named(line, message):
    with pytest.raises(FormatError, match=f"<stream>, line 4: .*{message}"):
        read(f"1 1:1\n# comment\n\n{line}\n1 1:1\n")


def test_the_first_of_two_broken_lines_is_named():
    with pytest.raises(FormatError, match="line 2: '3:' where"):
        read("1 1:1\n1 3:\n1 broken\n")


def test_words_before_numbers_are_refused_too():
    with pytest.raises(FormatError, match="line 2: the label '1' after labels such as 'spam'"):
        read("spam 1:2\n1 1:2\n")


def test_labels_in_another_encoding_are_refused():
    with pytest.raises(FormatError, match=r"line 1: the label .* is no UTF-8 text"):
        read(b"caf\xe9 1:2\n")


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_an_empty_file_is_refused(text):
    with pytest.raises(FormatError, match=r"<stream>: the file is empty\. Expected lines such as"):
        read(text)


def test_a_file_without_any_feature_is_refused():
    with pytest.raises(FormatError, match="no line has a feature"):
        read("1\n-1\n")


def test_streams_of_text_byte_order_marks_and_names(tmp_path):
    assert read_table(io.StringIO("\ufeffé 1:2\n")).labels.tolist() == ["é"]
    path = tmp_path / "data.svm"
    path.write_bytes(b"\xef\xbb\xbf1 1:2\r\n2 x\r\n")
    with open(path, "rb") as stream, pytest.raises(FormatError, match=r"data\.svm, line 2: 'x' where"):
        read_table(stream)
    with pytest.raises(FormatError, match=r"data\.svm, line 2: 'x' where"):
        read_table(path)


def test_paths_that_are_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "missing.svm")
    with pytest.raises(IsADirectoryError):
        read_table(tmp_path)


PIECES = [
    "1",
    "-1",
    "spam",
    " ",
    "\n",
    "1:1",
    "2:0.5",
    "3:",
    ":",
    "0:2",
    "#",
    "qid:1",
    "_",
    "nan",
    "\t",
    ",",
    "\0",
]


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=60), st.lists(st.sampled_from(PIECES), max_size=30).map("".join)))
def test_any_content_gives_a_table_or_a_data_error(content):
    try:
        table = read(content)
    except DataError:
        return
    assert isinstance(table, Table)
    assert np.all(np.isfinite(table.X.data))
    assert table.n_rows > 0


def test_where_indices_count_from_can_be_given():
    text = "+1 1:5 3:2\n-1 2:4\n"
    assert read(text, first_index=0).X.toarray().tolist() == [[0, 5, 0, 2], [0, 0, 4, 0]]
    assert read(text, first_index=1).X.toarray().tolist() == [[5, 0, 2], [0, 4, 0]]
    with pytest.raises(DataError, match=r"<stream>, line 3: an index 0, where 1 is the first"):
        read("+1 1:5\n# a comment\n-1 0:1 2:4\n", first_index=1)
    (block,) = svmlight_blocks(source(text), Reading(n_features=4, first_index=0))
    assert block.X.toarray().tolist() == [[0, 5, 0, 2], [0, 0, 4, 0]]
    with pytest.raises(DataError, match="file, line 2: an index 0, where 1 is the first"):
        list(svmlight_blocks(source("+1 1:5\n-1 0:1 2:4\n", "file"), Reading(n_features=4, first_index=1), 1))
    with pytest.raises(FormatError, match="line 2: the index 3 is larger than 2"):
        read("+1 1:5\n-1 3:1\n", first_index=0, n_features=3)
