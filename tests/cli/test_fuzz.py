"""Whatever a file holds, a command answers or refuses in one line, and leaves no file half-written."""

import json
import os

import pytest
from cli.files import patients
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from separatrix.cli.main import main

TABLE = b"age,town,ill\n30,Rome,no\n40,Oslo,yes\n35,Rome,no\n61,,yes\n28,Oslo,no\n70,Rome,yes\n"
LIBSVM = b"+1 1:0.5 3:2\n-1 2:4 # a comment\n+1 1:1 2:0.5\n-1 3:1\n"
PIECES = [
    b"", b"\x00", b"\xff\xfe", b"1e999", b"-1e308", b"nan", b"inf", b'"', b",", b"\n", b"\r", b"1_0", b"0x1F", b":", b"0:1",
    b"999999999:1", b"99999999999999999999:1", b"qid:3", b"#", b"\xef\xbb\xbf", "é".encode("latin-1"), "日本".encode("utf-16"),
    b"1,2,3,4", b"a,a,a", b"\t", b";", b"--", b"9" * 400, b"=cmd()", b"\x1b[31m", "\u2028".encode(), b"<script>",
]  # fmt: skip


@st.composite
def broken(draw):
    """A good file with pieces of it cut out and others put in."""
    content = draw(st.sampled_from([TABLE, LIBSVM, b""]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.integers(0, 8)))
        content = content[:start] + draw(st.sampled_from(PIECES) | st.binary(max_size=6)) + content[stop:]
    return content


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("fuzz")
    patients(path / "good.csv")
    assert main(["fit", str(path / "good.csv"), str(path / "model.json"), "--target", "ill"]) == 0
    return path


def refused_or_done(words, folder, capsys):
    """Run a command: one line of complaint or none, and no file but the ones it promises."""
    before = set(os.listdir(folder))
    code = main(words)
    err = capsys.readouterr().err
    assert code in (0, 1, 2), err
    new = set(os.listdir(folder)) - before
    if code == 2:
        assert err.startswith("separatrix: ")
        assert err.count("\n") == 1
        assert not new
    assert all(not name.startswith(".") for name in new)
    return code


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=broken(), extension=st.sampled_from([".csv", ".svm", "", ".tsv", ".parquet"]))
def test_any_file(folder, capsys, content, extension):
    path = folder / f"data{extension}"
    path.write_bytes(content)
    for words in (
        ["fit", str(path), str(folder / "out.json"), "--set", "max_iter=50"],
        ["separable", str(path)],
        ["predict", str(folder / "model.json"), str(path), str(folder / "labels.txt")],
        ["verify", str(folder / "model.json"), str(path)],
    ):
        refused_or_done(words, folder, capsys)
        for made in ("out.json", "labels.txt"):
            (folder / made).unlink(missing_ok=True)
    path.unlink()


def tree(content):
    """What JSON makes of a file."""
    try:
        return json.loads(content.decode("utf-8-sig"))
    except ValueError:
        return None


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_model_file(folder, capsys, data):
    content = (folder / "model.json").read_bytes()
    start = data.draw(st.integers(0, len(content)))
    stop = min(len(content), start + data.draw(st.integers(0, 30)))
    piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=8))
    changed = content[:start] + piece + content[stop:]
    (folder / "broken.json").write_bytes(changed)
    same = tree(changed) == tree(content)  # what JSON does not see, such as a blank, changes nothing
    table = str(folder / "good.csv")
    assert refused_or_done(["predict", str(folder / "broken.json"), table], folder, capsys) == (0 if same else 2)
    assert refused_or_done(["verify", str(folder / "broken.json"), table], folder, capsys) in ((0,) if same else (1, 2))
    (folder / "broken.json").unlink()


@pytest.mark.parametrize(("columns", "commands"), [(100_000, 1), (4_000, 3)])
def test_very_many_columns(folder, capsys, columns, commands):
    names = ",".join(f"c{j}" for j in range(columns))
    rows = "\n".join(",".join([f"{(i * 7919 + 1) % 13}"] * columns) + f",{'ab'[i % 2]}" for i in range(4))
    path, model = folder / "wide.csv", folder / "wide.json"
    path.write_text(f"{names},y\n{rows}\n")
    for words in (["separable", path], ["fit", path, model], ["predict", model, path])[:commands]:
        assert refused_or_done([str(word) for word in words], folder, capsys) == 0
