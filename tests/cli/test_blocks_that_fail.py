"""What goes wrong with rows in blocks is told in a line that names the file and its part; nothing is half-written."""

import errno
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest

from separatrix import load
from separatrix.cli.main import main

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(600, 2))
FRAME = pd.DataFrame(X, columns=["a", "b"]).assign(ill=np.where(X[:, 0] > RANDOM.normal(size=600), "yes", "no"))
FIT = ["fit", "big/*.parquet", "m.json", "-t", "ill", "-a", "logistic-discrimination"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "big").mkdir()
    for part in range(3):
        written(FRAME[part * 200 : part * 200 + 200], part)
    return tmp_path


def written(rows, part):
    rows.to_parquet(f"big/part-{part}.parquet", row_group_size=50, index=False)


def corrupt(path, group):
    """Overwrite the second column of a row group."""
    column = pyarrow.parquet.ParquetFile(path).metadata.row_group(group).column(1)
    content = bytearray(Path(path).read_bytes())
    first = column.data_page_offset if column.dictionary_page_offset is None else column.dictionary_page_offset
    content[first : first + column.total_compressed_size] = b"\xff" * column.total_compressed_size
    Path(path).write_bytes(content)


def said_by(capsys, *words):
    """The one line of a command that cannot be carried out, which writes nothing."""
    before = sorted(os.listdir())
    assert main(list(words)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert sorted(os.listdir()) == before
    return said.err


def test_a_corrupt_row_group_is_named(folder, capsys):
    assert main([*FIT]) == 0
    corrupt("big/part-2.parquet", 3)
    capsys.readouterr()
    for words in (FIT, ["verify", "m.json", "big/*.parquet"], ["study", "big/*.parquet", "-t", "ill", "-o", "out"]):
        assert "big/part-2.parquet, row group 3: cannot be read" in said_by(capsys, *words)


def test_an_infinity_is_named_by_its_row_and_a_gap_is_filled(folder, capsys):
    rows = FRAME[200:400].reset_index(drop=True)
    rows.loc[107, "b"] = np.inf
    written(rows, 1)
    assert "big/part-1.parquet, row groups 0 to 3: Column 'b' holds inf in row 107" in said_by(capsys, *FIT)
    rows.loc[107, "b"] = np.nan
    written(rows, 1)
    assert main(FIT) == 0
    assert load("m.json")[0].columns_[1].missing == 1


def test_a_new_class_in_the_last_block_is_named(folder, capsys):
    assert main(FIT) == 0
    written(FRAME[400:].assign(ill=[*FRAME["ill"][400:599], "perhaps"]), 2)
    capsys.readouterr()
    assert main(["verify", "m.json", "big/*.parquet"]) == 1
    said = capsys.readouterr().out
    assert "big/part-2.parquet, row groups 0 to 3: y has the label 'perhaps'" in said
    assert "The data are NOT those that the model was fitted to" in said


def test_a_full_disk_leaves_the_checkpoint_that_was_there_and_no_model(folder, capsys, monkeypatch):
    full, calls = OSError(errno.ENOSPC, "No space left on device"), []

    def fsync(number):
        calls.append(number)
        if len(calls) > 3:
            raise full

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        assert main([*FIT, "--checkpoint", "fit.checkpoint"]) == 2
    said = capsys.readouterr().err
    assert "fit.checkpoint: The disk is full" in said
    assert said.count("\n") == 1
    assert sorted(os.listdir()) == ["big", "fit.checkpoint"]
    assert main([*FIT, "--checkpoint", "fit.checkpoint"]) == 0
    resumed = load("m.json")
    assert main(FIT) == 0
    assert (load("m.json")[-1].coef_ == resumed[-1].coef_).all()


def test_files_that_are_missing_are_told(folder, capsys):
    assert "none/*.parquet: no file has a name like that" in said_by(capsys, "fit", "none/*.parquet", "m.json")
    assert "no-such.parquet: No such file" in said_by(capsys, "fit", "no-such.parquet", "m.json", "--blocks")
