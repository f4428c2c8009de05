import gzip
import sys

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
import scipy.sparse

from separatrix.data.files.reading import read_table
from separatrix.errors import DataError, FormatError, OptionError

FRAME = pd.DataFrame({"a": [1, 2], "b": [0.5, 1.5], "y": ["no", "yes"]})


@pytest.fixture
def write(tmp_path):
    def writer(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode())
        return path

    return writer


@pytest.mark.parametrize("name", ["data.csv", "data.txt", "data.CSV", "data", "data.data"])
def test_delimited_text_with_the_last_column_as_target(write, name):
    table = read_table(write(name, "a;y\n1;no\n2;yes\n"))
    assert (table.target, table.feature_names) == ("y", ("a",))
    assert table.labels.tolist() == ["no", "yes"]


@pytest.mark.parametrize("target", ["a", 0])
def test_the_target_can_be_chosen(write, target):
    assert read_table(write("data.tsv", "a\ty\n1\t3\n"), target).labels.tolist() == [1]


@pytest.mark.parametrize("name", ["data.svm", "data.libsvm", "data.svmlight", "data.txt", "data", "data.t"])
@pytest.mark.parametrize("start", ["", "# made by hand\n\n", "\ufeff"])
def test_svmlight_by_extension_or_by_its_first_line(write, name, start):
    table = read_table(write(name, start + "spam 1:2 4:1\nham 2:3\n"))
    assert scipy.sparse.issparse(table.X)
    assert table.n_features == 4
    assert table.labels.tolist() == ["spam", "ham"]


@pytest.mark.parametrize("line", ["1 1:x", "1 qid:3 1:2", "1 3: 4:1", "1 -1:2"])
def test_broken_svmlight_is_still_recognised(write, line):
    with pytest.raises(FormatError, match="line 1: .*('1:x'|'qid:3'|'3:'|'-1:2')"):
        read_table(write("data", line + "\n"))


def test_times_in_a_delimited_file_are_not_svmlight(write):
    assert read_table(write("data.txt", "at 10:30,y\n1,2\n")).feature_names == ("at 10:30",)


def test_an_svmlight_file_has_no_target_column(write):
    with pytest.raises(OptionError, match=r"is LIBSVM text.*Got the target 'y': leave it out"):
        read_table(write("data.svm", "1 1:2\n"), "y")


def test_parquet_and_arrow(tmp_path):
    arrow = pa.Table.from_pandas(FRAME)
    pa.parquet.write_table(arrow, tmp_path / "data.parquet")
    pa.feather.write_feather(arrow, str(tmp_path / "data.feather"))
    with pa.OSFile(str(tmp_path / "file.arrow"), "wb") as sink, pa.ipc.new_file(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    with pa.OSFile(str(tmp_path / "s.arrow"), "wb") as sink, pa.ipc.new_stream(sink, arrow.schema) as writer:
        writer.write_table(arrow)
    for name in ("data.parquet", "data.feather", "file.arrow", "s.arrow"):
        table = read_table(tmp_path / name)
        assert table.X.tolist() == [[1.0, 0.5], [2.0, 1.5]], name
        assert table.labels.tolist() == ["no", "yes"]


@pytest.mark.parametrize("target", ["y", 1, -2])
def test_the_target_of_a_columnar_file_is_split_off(tmp_path, target):
    path = tmp_path / "data.parquet"
    pa.parquet.write_table(pa.table({"a": [1, 2], "y": ["no", "yes"], "b": [3.0, 4.0]}), path)
    table = read_table(path, target)
    assert table.X.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert (table.feature_names, table.target) == (("a", "b"), "y")
    assert table.labels.tolist() == ["no", "yes"]
    assert table.labels.dtype.kind == "U"
    with path.open("rb") as stream:
        assert read_table(stream, target).X.tolist() == table.X.tolist()


def test_targets_of_columnar_files_that_do_not_work(tmp_path):
    path = tmp_path / "data.arrow"
    with pa.ipc.new_file(path, pa.schema({"a": pa.int64(), "ill": pa.string()})) as writer:
        writer.write_table(pa.table({"a": [1], "ill": ["no"]}))
    with pytest.raises(DataError, match=r"no column 'Ill' \(did you mean 'ill'\?\)"):
        read_table(path, "Ill")
    pa.parquet.write_table(pa.table({"a": [1.0]}), tmp_path / "one.parquet")
    with pytest.raises(DataError, match="'a' is the only column"):
        read_table(tmp_path / "one.parquet")
    pa.parquet.write_table(pa.table({"a": ["x"], "y": [1]}), tmp_path / "words.parquet")
    with pytest.raises(DataError, match="'a' has the type String and is not numeric"):
        read_table(tmp_path / "words.parquet")


def test_a_long_comment_before_libsvm_text(write):
    path = write("data", "# a comment\n" * 10_000 + "1 1:2\n-1 2:1\n")
    assert scipy.sparse.issparse(read_table(path).X)


@pytest.mark.parametrize("index", ["row", None], ids=["named", "without a name"])
def test_the_row_index_of_pandas_is_no_feature(tmp_path, index):
    path = tmp_path / "data.parquet"
    FRAME.set_index(pd.Index([10, 20], name=index)).to_parquet(path)
    table = read_table(path)
    assert table.feature_names == ("a", "b")
    assert table.target == "y"


@pytest.mark.parametrize("extension", ["parquet", "arrow", "feather"])
def test_broken_columnar_files(write, extension):
    with pytest.raises(FormatError, match=rf"data\.{extension}: no \.{extension} file that pyarrow can read"):
        read_table(write(f"data.{extension}", "a,y\n1,2\n"))


def test_without_pyarrow_the_extra_is_named(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(DataError, match=r"data\.parquet needs pyarrow.*pip install separatrix\[data\]"):
        read_table(write("data.parquet", ""))


@pytest.mark.parametrize("name", ["missing", "missing.csv", "missing.svm", "missing.parquet", "missing.arrow"])
def test_a_missing_file(tmp_path, name):
    with pytest.raises(FileNotFoundError, match=name):
        read_table(tmp_path / name)


@pytest.mark.parametrize("name", ["data", "data.csv", "data.svm", "data.parquet", "data.arrow"])
def test_an_empty_file(write, name):
    with pytest.raises(FormatError, match=name):
        read_table(write(name, ""))


def test_options_reach_the_readers(tmp_path):
    (tmp_path / "a.csv").write_text("x~y\n1~a\n2~b\n")
    assert read_table(tmp_path / "a.csv", delimiter="~").X.tolist() == [[1.0], [2.0]]
    (tmp_path / "a.svm").write_text("1 1:5\n-1 2:3\n")
    assert read_table(tmp_path / "a.svm", n_features=7).n_features == 7


@pytest.mark.parametrize("kind", [".xls", ".json", ".zst", ".json.gz"])
def test_files_that_are_not_read_are_named(tmp_path, kind):
    (tmp_path / f"a{kind}").write_bytes(gzip.compress(b"{}") if kind.endswith(".gz") else b"PK\x03\x04")
    with pytest.raises(
        FormatError, match=f"{kind.removesuffix('.gz')} files are not read. Save the table as CSV or Pa"
    ):
        read_table(tmp_path / f"a{kind}")
