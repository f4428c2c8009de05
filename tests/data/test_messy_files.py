"""Files as people have them are read as the table that they were written from."""

import gzip
import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from separatrix.data.files.reading import read_blocks, read_columns, read_table
from separatrix.data.files.source import Dialect
from separatrix.data.prepare.columns import Words, below
from separatrix.data.prepare.dates import date_parts
from separatrix.data.prepare.preparation import Preparation
from separatrix.errors import FormatError, OptionError

SPEC = importlib.util.spec_from_file_location("messy_files", Path(__file__).parent / "messy_files.py")
messy = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(messy)
ROWS = messy.table()
NO_LABEL = (5, 17)  # rows of spoiled.csv


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("messy")
    messy.write_all(folder)
    return folder


def values(column):
    if isinstance(column, Words):
        return [None if code < 0 else column.words[code] for code in column.codes]
    return [None if value != value else value for value in np.asarray(column).tolist()]


def wanted(name):
    """The columns that a file must be read as: by name, with the parts of dates."""
    rows = [row for i, row in enumerate(ROWS) if name != "spoiled.csv" or i not in NO_LABEL]
    if name == "unknown.csv":
        rows = messy.missing_in(rows, 7, None)
    columns = {key: [row[key] for row in rows] for key in ("patient", "age", "income", "share", "town")}
    days = np.array([(row["seen"] - pd.Timestamp("1970-01-01").date()).days for row in rows], dtype=float)
    parts = dict(zip(("year", "month", "weekday", "days"), date_parts(days), strict=True))
    columns |= {f"seen ({part})": own.tolist() for part, own in parts.items()}
    if name == "twice.csv":
        columns["age.1"] = columns.pop("share")
    if name == "headerless.csv":
        place = {key: f"x{j + 1}" for j, key in enumerate(messy.NAMES)}
        columns = {place[key.split(" (")[0]] + key[len(key.split(" (")[0]) :]: own for key, own in columns.items()}
    return columns, [row["ill"] for row in rows]


@pytest.mark.parametrize("name", messy.MESSY)
def test_each_file_is_read_as_the_table_it_was_written_from(folder, name):
    how = messy.MESSY[name]
    raw = read_columns(folder / name, dialect=Dialect(**how.options))
    columns, labels = wanted(name)
    assert set(raw.X.names) == set(columns)
    for column, own in columns.items():
        assert values(raw.X[column]) == own, column
    assert raw.labels.tolist() == labels
    assert how.note in "; ".join(raw.notes)
    assert bool(raw.notes) == bool(how.note)  # nothing is said of what is usual


@pytest.mark.parametrize("name", messy.MESSY)
def test_blocks_of_a_file_are_the_whole(folder, name):
    how = messy.MESSY[name]
    whole = read_columns(folder / name, dialect=Dialect(**how.options))
    kinds = Preparation().fit(whole.X).kinds_
    target = "x7" if name == "headerless.csv" else "ill"
    parts = list(read_blocks(folder / name, kinds, target, Dialect(**how.options), rows=7))
    joined = below([part.X for part in parts])
    kept = [label is not None for part in parts for label in part.labels]
    for column in ("age", "town", "seen (days)") if target == "ill" else ("x2", "x5", "x6 (days)"):
        assert [own for own, there in zip(values(joined[column]), kept, strict=True) if there] == values(
            whole.X[column]
        )


def test_read_table_takes_the_same_options(folder):
    table = read_table(folder / "latin.csv", "ill", encoding="latin-1", drop=["patient", "town", "seen"])
    assert table.feature_names == ("age", "income", "share")
    assert table.X[:, 0].tolist() == [row["age"] for row in ROWS]
    assert "decimal comma" in table.notes[0]


def test_a_spreadsheet(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(messy.NAMES)
    for row in ROWS:
        book.active.append(list(row.values()))
    book.create_sheet("others")
    book.save(tmp_path / "patients.xlsx")
    raw = read_columns(tmp_path / "patients.xlsx")
    columns, labels = wanted("plain.csv")
    assert {name: values(raw.X[name]) for name in raw.X.names} == columns
    assert raw.labels.tolist() == labels
    assert raw.notes == ("sheet 'Sheet', the first of 2",)
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(FormatError, match=r"broken\.xlsx: no \.xlsx file that openpyxl can read"):
        read_columns(tmp_path / "broken.xlsx")


def test_without_openpyxl_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    with pytest.raises(Exception, match=r"needs openpyxl, which is not installed: pip install separatrix\[xlsx\]"):
        read_columns(tmp_path / "a.xlsx")


IDS = "".join(f"P{i},Q{i},{i}.5,{i}\n" for i in range(9))  # words that never come again, and a fraction


@pytest.mark.parametrize("rows", ["1.5,2,no\n2.5,3,yes\n", "a,x,no\nb,x,yes\na,y,yes\nb,y,no\na,x,no\nb,x,no\n", IDS])
def test_a_file_without_names_is_asked_about(tmp_path, rows):
    path = tmp_path / "t.csv"
    path.write_text(rows)
    with pytest.raises(FormatError, match=r"line 1: the first line looks like a row.*header=False.*header=True if th"):
        read_columns(path)
    count = rows.count("\n")
    assert len(read_columns(path, dialect=Dialect(header=False)).labels) == count
    assert len(read_columns(path, dialect=Dialect(header=True)).labels) == count - 1


def test_what_cells_leave_open_is_asked(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;y\n1,234;a\n5,678;b\n")
    with pytest.raises(FormatError, match=r"'1,234' may have a decimal comma .*decimal=',' or thousands=','"):
        read_columns(path)
    assert read_columns(path, dialect=Dialect(decimal=",")).X["x"].tolist() == [1.234, 5.678]
    assert read_columns(path, dialect=Dialect(thousands=",")).X["x"].tolist() == [1234.0, 5678.0]
    path.write_text("x;z;y\n1,234;0.5;a\n5,678;1.5;b\n")
    assert read_columns(path).X["x"].tolist() == [1234.0, 5678.0]  # the other column has decimal points
    path.write_text("x;z;y\n1,25;0.5;a\n5,5;1.5;b\n")
    with pytest.raises(FormatError, match=r"decimal commas in some cells \('1,25'\) and decimal points in others"):
        read_columns(path)
    path.write_text("x,y\n5 %,a\n7,b\n8%,a\n")
    with pytest.raises(FormatError, match="'x' has a per cent sign in some rows"):
        read_columns(path)


def test_an_encoding_must_be_known(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes("größe,y\n1,a\n2,b\n".encode("latin-1"))
    with pytest.raises(
        FormatError, match=r"line 1: the byte 0xf6 is not UTF-8\. Say encoding= in which encoding it is"
    ):
        read_columns(path)
    with pytest.raises(OptionError, match="encoding='latin9000' is no encoding that Python knows"):
        read_columns(path, dialect=Dialect(encoding="latin9000"))
    assert read_columns(path, dialect=Dialect(encoding="cp1252")).X.names == ("größe",)


def test_compressed_files_that_cannot_be_read(tmp_path):
    for name in ("a.csv.gz", "a.csv.xz", "a.csv.bz2", "a.zip"):
        (tmp_path / name).write_bytes(b"a,y\n1,2\n")
        with pytest.raises(FormatError, match="file that can be read"):
            read_columns(tmp_path / name)
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"a,y\n" + b"1,2\n" * 300_000)[:-20])
    with pytest.raises(FormatError, match=r"cut\.csv\.gz: the file is damaged"):
        read_columns(tmp_path / "cut.csv.gz")
    (tmp_path / "two.zip").write_bytes(messy.zipped(""))
    import zipfile

    with zipfile.ZipFile(tmp_path / "two.zip", "a") as archive:
        archive.writestr("other.csv", "a,y\n1,2\n")
    with pytest.raises(FormatError, match=r"an archive of one file is expected, and it holds 2 \(patients\.csv, other"):
        read_columns(tmp_path / "two.zip")


def test_columns_that_are_no_features(folder):
    raw = read_columns(folder / "plain.csv", drop=("share", 5), carry=("patient",), weights="income")
    assert raw.X.names == ("age", "town")
    assert values(raw.carried["patient"]) == [row["patient"] for row in ROWS]
    assert raw.weights.tolist() == [float(row["income"]) for row in ROWS]
    assert raw.lines.tolist() == list(range(2, 62))
    with pytest.raises(FormatError, match=r"line 1: There is no column 'Share' \(did you mean 'share'\?\)"):
        read_columns(folder / "plain.csv", drop=("Share",))
    pd.read_csv(folder / "plain.csv").to_parquet(folder / "plain.parquet")
    same = read_columns(folder / "plain.parquet", drop=("share", "seen"), carry=("patient",), weights="income")
    assert same.X.names == raw.X.names
    assert values(same.carried["patient"]) == values(raw.carried["patient"])
    assert same.weights.tolist() == raw.weights.tolist()


def test_rows_without_a_label_in_a_columnar_file(tmp_path):
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", None, "b", None]})
    frame.to_parquet(tmp_path / "t.parquet")
    raw = read_columns(tmp_path / "t.parquet")
    assert raw.X["x"].tolist() == [1.0, 3.0]
    assert raw.labels.tolist() == ["a", "b"]
    assert raw.notes == ("2 rows without a label left out",)


@pytest.mark.parametrize(
    "make", [pd.DataFrame, lambda columns: pd.DataFrame(columns).assign(seen=pd.to_datetime(columns["seen"]))]
)
def test_dates_of_frames_are_those_of_files(folder, make):
    raw = read_columns(folder / "plain.csv", "ill", drop=("patient",))
    frame = make(
        {key: [row[key] if key != "seen" else row[key].isoformat() for row in ROWS] for key in messy.NAMES[1:-1]}
    )
    of_file, of_frame = Preparation().fit(raw.X), Preparation().fit(frame)
    assert of_file.feature_names_out_ == of_frame.feature_names_out_
    assert "seen (weekday)" in of_file.feature_names_out_
    np.testing.assert_array_equal(of_file.transform(raw.X), of_frame.transform(frame))
    np.testing.assert_array_equal(of_file.transform(frame[:1]), of_frame.transform(raw.X)[:1])
    assert set(of_file.dates_) == {"seen"}
