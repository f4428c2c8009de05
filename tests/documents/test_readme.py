"""The first screen of the README does what it says."""

import contextlib
import io
import re
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def program_with(word: str) -> str:
    """The only example in which a word occurs."""
    (program,) = (block for block in blocks("python") if word in block)
    return program


def without_rounding(text: str) -> str:
    """Numbers below 1e-5 are what rounding left, and so is their root: they differ from one machine to the next."""
    return re.sub(r"\d(\.\d+)?e-\d\d|(?<=within )0\.000\d+", "little", text)


def test_the_first_example_prints_what_it_shows():
    program, shown = blocks("python")[0], blocks("text")[0]
    printed = io.StringIO()
    names: dict = {}
    with contextlib.redirect_stdout(printed):
        exec(program, names)
    assert without_rounding(printed.getvalue()) == without_rounding(shown)
    assert names["verify"](names["model"], names["X"], names["y"]).holds


def test_separability_prints_what_it_shows():
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(program_with("separability"), {})
    assert printed.getvalue() == blocks("text")[1]


def test_the_examples_run_one_after_the_other(tmp_path, monkeypatch):
    """As a reader who copies them does: each finds the names that those before it left."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text("age,pulse,disease\n30,60,no\n40,65,no\n70,90,yes\n80,95,yes\n")
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        for program in blocks("python"):
            exec(program, names)
    assert {path.name for path in tmp_path.iterdir()} == {"line.png", "run.html", "patients.csv", "model.json"}


def test_reading_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text("age,pulse,disease\n30,60,no\n40,65,no\n70,90,yes\n80,95,yes\n")
    names: dict = {}
    exec(program_with("read_table"), names)
    assert names["model"].classes_.tolist() == ["no", "yes"]
