"""Every script in examples/ runs, and draws what it promises."""

import importlib.util
import runpy
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from separatrix import NotCertifiedWarning
from separatrix.estimators.registry import algorithms

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted({path.name for path in EXAMPLES.glob("*.py")} - {"perceptrons.py"})
OPTIONS = {
    "choose_on_noise.py": ["--draws", "10"],
    "choose_regularization.py": ["--splits", "1"],
    "separable_probability.py": ["--draws", "10"],
}
pytestmark = pytest.mark.large


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a script in an empty folder, as in a process of its own; returns what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def run_script(script, *arguments):
        monkeypatch.setattr(sys, "argv", [script, *arguments])
        with warnings.catch_warnings():
            warnings.simplefilter("error", NotCertifiedWarning)
            runpy.run_path(str(EXAMPLES / script), run_name="__main__")
        return capsys.readouterr().out

    return run_script


def drawn(path):
    """The number of frames of a picture that shows something, and says what where its script has words for it."""
    with Image.open(path) as image:
        script = EXAMPLES / f"{path.stem}.py"
        if script.is_file() and "\nALT = " in script.read_text(encoding="utf-8"):
            assert len(image.info["Description"]) > 100
        assert min(image.size) >= 400
        assert np.asarray(image.convert("L")).std() > 10
        return getattr(image, "n_frames", 1)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_runs_and_writes_its_picture(script, tmp_path, run):
    printed = run(script, *OPTIONS.get(script, []))
    assert printed.strip()
    pictures = {path.suffix: path for path in (tmp_path / "pictures").glob(f"{Path(script).stem}.*")}
    if script == "watch_a_perceptron.py":
        assert drawn(pictures[".gif"]) > 10
        assert "<svg" in pictures[".html"].read_text(encoding="utf-8")
    else:
        assert drawn(pictures[".png"]) == 1


def test_the_demonstration_shows_every_algorithm(monkeypatch, capsys):
    """It has no picture; a hundredth of its passes will do here."""
    monkeypatch.setenv("COLUMNS", "160")
    spec = importlib.util.spec_from_file_location("demonstration", EXAMPLES / "perceptrons.py")
    demonstration = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demonstration)
    demonstration.PASSES = 50
    demonstration.main()
    printed = capsys.readouterr().out
    assert all(
        printed.count(f"  {algorithm.name} ") == len(demonstration.DATA) for algorithm in algorithms("classification")
    )
    assert all(name in printed for name in demonstration.DATA)


def test_a_picture_goes_where_it_is_asked_to(tmp_path, run):
    run("margins_of_a_classifier.py", "elsewhere/margins.png")
    assert drawn(tmp_path / "elsewhere" / "margins.png") == 1
    assert not (tmp_path / "pictures").exists()


def test_heart_data_is_only_read_where_a_user_names_it(tmp_path, run):
    """A made-up file of the same layout, on which the pocket has fewer training errors, as it must."""
    random = np.random.default_rng(0)
    X = random.standard_normal((297, 13))
    ill = X[:, 0] + random.standard_normal(297) > 0
    names = ",".join([f"feature{j}" for j in range(13)] + ["illness"])
    lines = [",".join([*map(str, row), "yes" if one else "no"]) for row, one in zip(X, ill, strict=True)]
    (tmp_path / "heart.csv").write_text("\n".join([names, *lines]) + "\n", encoding="utf-8")
    printed = run("pocket_or_perceptron.py", "--heart", "heart.csv", "--target", "illness")
    lines = [line.split() for line in printed.splitlines()]
    training = [float(cells[1].rstrip("%")) for cells in lines if cells[:1] in (["perceptron"], ["pocket"])]
    assert len(training) == 6
    assert all(pocket < perceptron for perceptron, pocket in zip(training[::2], training[1::2], strict=True))
