"""Files that are read in blocks by the command line: which, what is refused, and the bar of passes."""

import io
import sys

import numpy as np
import pandas as pd
import pytest

from separatrix import LinearSVM, load, save
from separatrix.cli.blocks import files as cli_blocks
from separatrix.cli.blocks.fit import Errors, facts_over, task_of_first_rows
from separatrix.cli.blocks.progress_bar import ShownRunner, shown_passes
from separatrix.cli.main import main, parser
from separatrix.data.blocks import read_blocks
from separatrix.problem.runner import LocalRunner

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(300, 3))
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(
    ill=np.where(X[:, 0] + 0.5 * RANDOM.normal(size=300) > 0, "yes", "no"), cost=X @ [1.0, 2.0, 3.0]
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for part in range(3):
        FRAME[part * 100 : part * 100 + 100].to_parquet(tmp_path / f"part-{part}.parquet")
    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path


def asked(*words):
    return parser().parse_args(["fit", *words])


def test_which_files_are_read_in_blocks(folder, monkeypatch):
    assert cli_blocks.in_blocks(asked("part-*.parquet", "m.json"))
    assert cli_blocks.in_blocks(asked(".", "m.json"))
    assert cli_blocks.in_blocks(asked("rows.csv", "m.json", "--blocks"))
    assert not cli_blocks.in_blocks(asked("rows.csv", "m.json"))
    assert not cli_blocks.in_blocks(asked("-", "m.json"))
    assert not cli_blocks.in_blocks(asked("no-such.csv", "m.json"))
    monkeypatch.setattr(cli_blocks, "available_bytes", lambda: 1000.0)
    assert cli_blocks.in_blocks(asked("rows.csv", "m.json"))
    assert not cli_blocks.in_blocks(asked("rows.csv", "m.json", "--no-blocks"))


def test_what_needs_all_rows_is_refused_in_a_line(folder, capsys):
    for words, message in (
        (["-a", "nu-svm"], "cannot learn from blocks of rows"),
        (["--kernel", "rbf"], "--kernel needs all rows in memory"),
        (["--task", "novelty"], "--task novelty needs all rows in memory"),
        (["--drop", "nothing"], "There is no column 'nothing'"),
    ):
        assert main(["fit", "part-*.parquet", "m.json", "-t", "ill", *words]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1
    assert main(["fit", "none-*.parquet", "m.json"]) == 2
    assert "no file has a name like that" in capsys.readouterr().err


def test_the_task_is_that_of_the_first_rows(folder):
    for path in ("rows.csv", "part-*.parquet"):
        assert task_of_first_rows(read_blocks(path, target="ill", drop=["cost"])) == "classification"
        assert task_of_first_rows(read_blocks(path, target="cost", drop=["ill"])) == "regression"


def test_the_errors_of_a_model_are_those_in_memory(folder):
    rows, model = FRAME[["a", "b", "c"]], LinearSVM()
    model.fit(rows, FRAME["ill"])
    wrong = int((model.predict(rows) != FRAME["ill"]).sum())
    assert wrong > 0
    for path in ("rows.csv", "part-*.parquet"):
        blocks = read_blocks(path, target="ill", drop=["cost"], rows_per_block=64)
        assert facts_over(model, blocks, "classification")[0] == Errors(300, wrong)
    numbered = rows.assign(y=(FRAME["ill"] == "yes").astype(int) + 10)
    numbered.to_csv("numbered.csv", index=False)
    model.fit(rows, numbered["y"])
    assert facts_over(model, read_blocks("numbered.csv", rows_per_block=64), "classification")[0] == Errors(300, wrong)


def test_a_runner_shows_passes_and_blocks():
    seen = []
    runner = ShownRunner(LocalRunner(), lambda *state: seen.append(state))
    assert runner.run(lambda block: block, max, 3) == 2
    assert runner.in_order(lambda block, state: [*state, block], [], 2) == [0, 1]
    assert seen == [(1, 0, 3), (1, 1, 3), (1, 2, 3), (1, 3, 3), (2, 0, 2), (2, 1, 2), (2, 2, 2)]


def test_a_bar_is_for_terminals(monkeypatch):
    with shown_passes(LocalRunner()) as runner:
        assert isinstance(runner, LocalRunner)

    class Screen(io.StringIO):
        def isatty(self):
            return True

    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with shown_passes(LocalRunner()) as runner:
        assert runner.run(lambda block: block, max, 5) == 4
    assert "pass 1" in screen.getvalue()
    assert "5/5" in screen.getvalue()


def fitted(*words):
    assert main(["fit", *words]) == 0
    return load("m.json")


def test_a_fit_in_blocks_is_the_fit_in_memory(folder, capsys):
    model = fitted("part-*.parquet", "m.json", "-t", "ill", "--drop", "cost", "-a", "logistic-discrimination")
    answer = capsys.readouterr().out
    assert "on 300 rows x 3 features" in answer
    assert "Read in blocks, in" in answer
    again = fitted("rows.csv", "m.json", "-t", "ill", "--drop", "cost", "-a", "logistic-discrimination", "--blocks")
    np.testing.assert_allclose(again[-1].coef_, model[-1].coef_, rtol=1e-8)
    assert model[0].feature_names_out_ == ("a", "b", "c")
    save(model[-1], "m.json")  # without a preparation, it is given the columns as they are
    for words in (["part-*.parquet"], ["rows.csv", "--blocks"]):
        assert main(["verify", "m.json", *words, "-t", "ill", "--drop", "cost"]) == 0
        assert "The claim holds." in capsys.readouterr().out
    model = fitted("part-*.parquet", "m.json", "-t", "ill", "--drop", "cost", "-a", "logistic-discrimination")
    for words in (["part-*.parquet"], ["rows.csv", "--blocks"], ["rows.csv"]):
        assert main(["verify", "m.json", *words, "-t", "ill", "--drop", "cost"]) == 0
        assert "The claim holds." in capsys.readouterr().out
    changed = FRAME.assign(ill=FRAME["ill"].to_numpy()[::-1])
    changed.to_csv("changed.csv", index=False)
    assert main(["verify", "m.json", "changed.csv", "-t", "ill", "--drop", "cost", "--blocks"]) == 1
    said = capsys.readouterr().out
    assert "The claim does NOT hold." in said
    assert "The data are NOT those that the model was fitted to" in said
    assert main(["predict", "m.json", "rows.csv"]) == 0


def test_a_new_class_is_named_by_its_place(folder, capsys):
    fitted("part-*.parquet", "m.json", "-t", "ill", "--drop", "cost", "-a", "logistic-discrimination")
    FRAME.assign(ill=[*FRAME["ill"][:-1], "perhaps"]).to_csv("new.csv", index=False)
    capsys.readouterr()
    assert main(["verify", "m.json", "new.csv", "-t", "ill", "--drop", "cost", "--blocks"]) == 1
    said = capsys.readouterr().out
    assert "new.csv, from line 2 on: y has the label 'perhaps', which is not one of the classes" in said


def test_words_and_gaps_are_prepared_as_in_memory(folder, capsys):
    rows = FRAME.assign(town=np.where(X[:, 1] > 0.5, "Rome", np.where(X[:, 1] < 0, "Oslo", None)))
    rows.loc[rows.index % 7 == 0, "b"] = np.nan
    rows.to_csv("words.csv", index=False)
    rows.to_parquet("words.parquet", row_group_size=50)
    capsys.readouterr()
    for path in ("words.csv", "words.parquet"):
        for scale in ([], ["--scale"]):
            words = [path, "m.json", "-t", "ill", *scale]
            here = fitted(*words)
            said = capsys.readouterr().out.splitlines()
            assert main(["predict", "m.json", path]) == 0
            predicted = capsys.readouterr().out
            there = fitted(*words, "--blocks")
            assert [line for line in capsys.readouterr().out.splitlines() if "Read in blocks" not in line][:4] == said[
                :4
            ]
            np.testing.assert_allclose(there[-1].coef_, here[-1].coef_, rtol=1e-8, atol=1e-10)
            assert there[0].feature_names_out_ == here[0].feature_names_out_
            assert main(["predict", "m.json", path]) == 0
            assert capsys.readouterr().out == predicted
            for blocks in ([], ["--blocks"]):
                assert main(["verify", "m.json", path, *blocks]) == 0
                said = capsys.readouterr().out
                assert "The claim holds." in said
                assert "The data are those that the model was fitted to" in said
