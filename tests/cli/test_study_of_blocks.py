"""`separatrix study` over blocks: compared on a sample, fitted to all rows, and both are said."""

import json

import numpy as np
import pandas as pd
import pytest

from separatrix import load
from separatrix.cli.main import main
from separatrix.data.blocks import read_blocks
from separatrix.data.blocks.sampling import sample_rows
from separatrix.selection.blocks.sampled import streaming
from separatrix.selection.blocks.study import fitted_to_blocks
from separatrix.selection.regression.study import study_numbers

RANDOM = np.random.default_rng(0)
N = 1_600
FRAME = pd.DataFrame(RANDOM.normal(size=(N, 3)), columns=["a", "b", "c"]).assign(
    town=RANDOM.choice(["Rome", "Oslo", None], N)
)
FRAME.loc[::9, "b"] = np.nan
SCORES = FRAME["a"] + (FRAME["town"] == "Rome")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = FRAME.assign(ill=np.where(SCORES + 0.5 * RANDOM.normal(size=N) > 0.3, "yes", "no"))
    for part in range(2):
        rows[part * 800 : part * 800 + 800].to_parquet(tmp_path / f"part-{part}.parquet", row_group_size=200)
    return tmp_path


def test_a_study_compares_on_a_sample_and_fits_to_all_rows(folder, capsys):
    words = ["part-*.parquet", "--target", "ill"]
    how = ["--sample", "400", "--folds", "2", "--seconds", "4", "--seed", "5"]
    assert main(["study", *words, *how, "--out", "found", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    sentence = "Compared on a random sample of 400 of 1,600 rows, seed 5; the model is fitted to all."
    assert (found["rows"], found["all_rows"], found["sampled"]) == (400, 1_600, sentence)
    assert found["fitted_to"].startswith(sentence)
    assert found["notes"][0] == sentence
    assert found["test"]["rows"] == 80
    assert "Fitted to all 1,600 rows" in found["verdict"][-1]
    assert {each["name"] for each in found["comparison"]["rows"]} - {"most frequent class"} <= {
        *streaming("classification")
    }
    page = (folder / "found" / "report.html").read_text()
    assert sentence in page
    assert "--sample 400" in page
    model = load(folder / "found" / "model.json")
    rows = pd.concat([pd.read_parquet(folder / f"part-{part}.parquet") for part in range(2)])
    model_in_memory = type(model[-1])(**model[-1].get_params()).fit(model[0].transform(rows), rows["ill"])
    np.testing.assert_allclose(model[-1].coef_, model_in_memory.coef_, rtol=1e-7, atol=1e-9)
    assert model[0].columns_[1].median == FRAME["b"].median()
    assert main(["verify", "found/model.json", *words]) == 0
    said = capsys.readouterr().out
    assert "The data are those that the model was fitted to" in said
    assert "The claim holds" in said


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--group", "town"], "--group needs all rows in memory"),
        (["--recall", "0.9"], "--recall needs all rows in memory"),
        (["--test", "new.csv"], "--test new.csv: a study of blocks tests with a part of its sample"),
        (["--task", "novelty"], "--task novelty needs all rows in memory"),
        (["--sample", "1"], "--sample 1: draw two rows at least"),
    ],
)
def test_what_needs_all_rows_is_refused_in_a_line(folder, capsys, words, message):
    assert main(["study", "part-*.parquet", "--target", "ill", *words]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1
    assert not (folder / "report.html").exists()


def test_numbers_are_studied_by_a_sample_too():
    blocks = read_blocks(FRAME.assign(y=SCORES), target="y", rows_per_block=300)
    sample = sample_rows(blocks, 300, raw=True)
    found = study_numbers(sample.X, sample.y, algorithms=["least squares regression"], cv=2, test=0)
    whole = fitted_to_blocks(found, blocks, sample)
    assert whole.to_dict()["all_rows"] == N
    assert whole.n_rows == 300
    np.testing.assert_allclose(whole.stored.predict(FRAME.drop(columns="y", errors="ignore")), SCORES, atol=1e-8)
    assert np.abs(whole.model.predict(FRAME) - SCORES).max() < 1e-8  # of the sample, to draw
    assert whole.certified is not whole.fitted


def test_a_class_that_the_sample_lacks_is_named():
    drawn = np.sort(np.random.default_rng(0).choice(N, 200, replace=False, shuffle=False))
    rare = np.setdiff1d(np.arange(N), drawn)[0]
    y = np.where(np.arange(N) == rare, "rare", np.where(SCORES > 0, "yes", "no"))
    blocks = read_blocks(FRAME[["a", "c"]], y, rows_per_block=300)
    sample = sample_rows(blocks, 200, raw=True)
    assert "rare" not in sample.y
    from separatrix.selection.study import study

    found = study(sample.X, sample.y, algorithms=["Gaussian discriminant"], cv=2, test=0)
    assert "The sample has no row of 1 class: 'rare'. Draw more rows." in fitted_to_blocks(found, blocks, sample).notes
