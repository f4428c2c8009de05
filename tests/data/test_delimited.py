import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix.data.files.delimited import read_delimited
from separatrix.data.files.reading import numeric_table, read_table
from separatrix.data.files.source import Dialect, Reading, Source
from separatrix.data.table import Table
from separatrix.errors import DataError, FormatError, OptionError


def read(text, target="y", rows_per_block=1024, **options):
    source = Source(io.BytesIO(text.encode()), "<stream>", "delimited")
    reading = Reading(target, Dialect(**options), others="number", rows_per_block=rows_per_block)
    return numeric_table(read_delimited(source, reading))


def test_features_keep_their_order_around_the_target():
    table = read("a,y,b\n1,yes,2.5\n-3e2,no, 4 \n")
    assert table.feature_names == ("a", "b")
    assert table.X.tolist() == [[1.0, 2.5], [-300.0, 4.0]]
    assert table.labels.tolist() == ["yes", "no"]
    assert table.target == "y"
    assert table.X.flags.c_contiguous
    assert table.X.dtype == np.float64


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_in_the_header(delimiter):
    text = f'"a,;b"{delimiter}c{delimiter}y\n1{delimiter}2{delimiter}0\n'
    assert read(text).feature_names == ("a,;b", "c")


def test_the_hint_of_excel_names_the_delimiter():
    table = read("sep=|\na|b;c|y\n1|2|0\n3|4|1\n")
    assert table.feature_names == ("a", "b;c")
    assert table.X.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_the_delimiter_can_be_given():
    assert read("a b y\n1 2 0\n", delimiter=" ").X.tolist() == [[1.0, 2.0]]
    with pytest.raises(OptionError, match=r"delimiter must be one character.*Got ', '"):
        read("a,y\n1,0\n", delimiter=", ")


@pytest.mark.parametrize("extension", ["tsv", "tab"])
def test_tab_files_are_split_at_tabs_only(tmp_path, extension):
    path = tmp_path / f"data.{extension}"
    path.write_text("a,b,c\ty\n1\tx\n")
    assert read_table(path, "y").feature_names == ("a,b,c",)


def test_quotes_line_ends_and_blank_lines():
    table = read('\r\n"a ""x""",y\r\n\r\n1,"two\nlines"\r\n   \r\n2,"b, c"\r\n')
    assert table.feature_names == ('a "x"',)
    assert table.labels.tolist() == ["two\nlines", "b, c"]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_utf8_with_or_without_a_byte_order_mark(tmp_path, mark):
    path = tmp_path / "data.csv"
    path.write_bytes(mark + "größe,y\n1,é\n".encode())
    table = read_table(str(path), "y")
    assert table.feature_names == ("größe",)
    assert table.labels.tolist() == ["é"]


@pytest.mark.parametrize("target", ["y", 1, -2])
def test_the_target_by_name_or_number(target):
    assert read("a,y,b\n1,2,3\n", target).labels.tolist() == [2]


def test_a_file_without_a_header_is_refused():
    with pytest.raises(FormatError, match=r"line 1: the first line holds only numbers \(1, 2, 0\): add a line"):
        read("1,2,0\n3,4,1\n5,6,1\n", -1)


def test_an_unknown_target_lists_the_columns():
    with pytest.raises(FormatError, match=r"line 1: There is no column 'Ill' \(did you mean 'ill'\?\).*'age', 'ill'"):
        read("age,ill\n1,2\n", "Ill")
    with pytest.raises(FormatError, match="no column number 5"):
        read("age,ill\n1,2\n", 5)


@pytest.mark.parametrize("word", ["", " ", "NA", "NaN", "nan", "?", "null", "None"])
def test_missing_numbers_become_nan(word):
    X = read(f"a,b,y\n1,{word},0\n2,5,1\n").X
    assert np.isnan(X).tolist() == [[False, True], [False, False]]
    assert X[1].tolist() == [2.0, 5.0]


@pytest.mark.parametrize("word", ["", " ", "NA", "nan", "?"])
def test_rows_without_a_label_are_left_out_and_counted(word):
    table = read(f"a,y\n1,0\n2,{word}\n3,1\n4,{word}\n")
    assert table.X.tolist() == [[1.0], [3.0]]
    assert table.labels.tolist() == [0, 1]
    assert table.notes == ("2 rows without a label left out",)
    with pytest.raises(FormatError, match=r"no row has a label in the column 'y'\. target= names another one"):
        read(f"a,y\n1,{word}\n2,{word}\n")


def test_none_is_a_label_that_people_use():
    assert read("a,y\n1,None\n2,Mild\n").classes.tolist() == ["Mild", "None"]


@pytest.mark.parametrize(
    ("cells", "labels", "kind"),
    [("0 1", [0, 1], "i"), ("+1 -1", [1, -1], "i"), ("0.5 1", [0.5, 1.0], "f"), ("a 1", ["a", "1"], "U")],
)
def test_labels_are_numbers_if_all_of_them_are(cells, labels, kind):
    one, other = cells.split()
    made = read(f"a,y\n1,{one}\n2, {other}\n").labels
    assert made.tolist() == labels
    assert made.dtype.kind == kind


def test_a_ragged_line_is_named_with_both_counts():
    with pytest.raises(FormatError, match="<stream>, line 4: the line has 2 fields but the header has 3"):
        read("a,b,y\n1,2,3\n\n4,5\n6,7,8\n")


def test_text_among_numbers_is_named_with_its_place():
    with pytest.raises(FormatError, match=r"line 3: column 'b' holds 'tall', which is no number: write a number"):
        read("a,b,y\n1,2,0\n3,tall,1\n4,5,1\n")


def test_all_spellings_that_are_no_numbers_are_listed_at_once():
    message = r"line 3: column 'b' holds 'tall', 'short' and '1O', which are no numbers: .*missing= names other words"
    with pytest.raises(FormatError, match=message):
        read("a,b,y\n1,2,0\n3,tall,1\n4,short,1\n5,tall,0\n6,1O,1\n", rows_per_block=2)
    many = "".join(f"1,w{i},0\n" for i in range(25))
    with pytest.raises(FormatError, match="'w9' and 15 other spellings, which are no numbers"):
        read(f"a,b,y\n{many}")


def test_the_culprit_is_found_beyond_missing_cells_and_long_cells():
    with pytest.raises(FormatError, match=r"line 6: column .a. holds .5_0., which is no number"):
        read('a,y\n1,"two\nlines"\nNA,0\n,1\n5_0,1\n', rows_per_block=2)
    with pytest.raises(FormatError, match=r"'x{60}\.\.\.'"):
        read(f"a,y\n{'x' * 500},1\n")


def test_a_decimal_comma_is_recognised():
    table = read("a;y\n1,5;0\n-2;1\n,25;1\n")
    assert table.X.tolist() == [[1.5], [-2.0], [0.25]]
    assert table.notes == ("numbers have a decimal comma",)


def test_blocks_give_what_one_piece_gives():
    random = np.random.default_rng(0)
    X = random.standard_normal((25, 3))
    rows = [",".join(map(repr, [*row, label])) for label, row in enumerate(X.tolist())]
    text = "\n".join(["a,b,c,y", *rows])
    table = read(text, rows_per_block=4)
    assert np.array_equal(table.X, X)
    assert table.labels.tolist() == list(range(25))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "<stream>: the file is empty. Expected a header"),
        ("\n \n", "the file is empty"),
        ('""\n""', "line 1: '' is the only column"),
        ("a,y\n", "line 1: there are no rows below the header"),
        ("y\n1\n", "line 1: 'y' is the only column"),
        (",a,y\n0,1,2\n", "line 1: column 1 has no name: .*index=False"),
        ("a,y\n1,2\n\x003,4\n", "line 3: a NUL byte"),
        ('a,y\n1,2\n"3,4\n5,6\n', "line 3: unexpected end of data. Close every quote"),
        ('a,y\n1,"b"c\n', "line 2: .*expected after"),
        ("a,y\n1," + "x" * 200_000, "line 2: field larger than field limit"),
    ],
)
def test_broken_files_are_named_with_what_is_wrong(text, message):
    with pytest.raises(FormatError, match=message):
        read(text)


def test_other_encodings_are_refused_with_line_and_byte(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes(b"a,y\n" + b"1,2\n" * 10_000 + b"3,caf\xe9\n")
    with pytest.raises(FormatError, match=r"latin\.csv, line 10002: the byte 0xe9 is not UTF-8"):
        read_table(path, "y")
    with open(path, encoding="utf-8") as stream, pytest.raises(FormatError, match="byte 0xe9 is not UTF-8"):
        read_table(stream, "y")


def test_an_open_file_may_be_one_of_bytes():
    assert read_table(io.BytesIO(b"a,y\n1,2\n"), "y").X.tolist() == [[1.0]]


def test_an_open_file_is_named_and_left_open(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\nx,2\n")
    with open(path) as stream:
        with pytest.raises(FormatError, match=r"data\.csv, line 2"):
            read_table(stream, "y")
        assert not stream.closed


def test_paths_that_are_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "missing.csv", "y")
    with pytest.raises(IsADirectoryError):
        read_table(tmp_path, "y")


def test_names_that_come_twice_are_made_distinct():
    table = read("a,y,a,b,a\n1,2,3,4,5\n")
    assert table.feature_names == ("a", "a.1", "b", "a.2")
    assert table.X.tolist() == [[1.0, 3.0, 4.0, 5.0]]
    assert table.notes == ("of several columns 'a' the others are called 'a.1', 'a.2'",)


SNIPPETS = st.lists(st.sampled_from([*'abyx01.,;\t|"\n\r _-+?#', "nan", "1e5", "inf", "y\n", ",y"]), max_size=40)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=60), SNIPPETS.map("".join)), st.sampled_from(["y", 0, -1]))
def test_any_text_gives_a_table_or_a_data_error(text, target):
    try:
        table = read(text, target)
    except DataError:
        return
    assert isinstance(table, Table)
    assert table.n_rows > 0


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_give_a_table_or_a_data_error(content):
    stream = io.TextIOWrapper(io.BytesIO(b"a,y\n1,2\n" + content), encoding="utf-8", newline="")
    try:
        assert read_table(stream, "y").feature_names == ("a",)
    except DataError:
        return


def test_labels_that_are_written_differently_are_different():
    assert read("a,y\n1,1\n2,01\n3,2\n").labels.tolist() == ["1", "01", "2"]
    assert read("a,y\n1,1\n2,1.0\n3,2\n").labels.tolist() == ["1", "1.0", "2"]
    assert read("a,y\n1,1\n2,0.5\n").labels.tolist() == [1.0, 0.5]
