"""Every script in examples/ runs, and draws what it promises."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from separatrix.estimators.registry import algorithms

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted({path.name for path in EXAMPLES.glob("*.py")} - {"perceptrons.py"})
OPTIONS = {"choose_regularization.py": ["--splits", "1"], "choose_on_noise.py": ["--draws", "10"]}
pytestmark = pytest.mark.large


def run(script, folder, *arguments):
    """What a script prints when it is run in a folder; the compiled loops that are there are used again."""
    command = [sys.executable, "-W", "error::separatrix.NotCertifiedWarning", str(EXAMPLES / script), *arguments]
    environment = os.environ | {"COLUMNS": "120", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def drawn(path):
    """The number of frames of a picture that shows something."""
    with Image.open(path) as image:
        assert min(image.size) >= 400
        assert np.asarray(image.convert("L")).std() > 10
        return getattr(image, "n_frames", 1)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_runs_and_writes_its_picture(script, tmp_path):
    printed = run(script, tmp_path, *OPTIONS.get(script, []))
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


def test_a_picture_goes_where_it_is_asked_to(tmp_path):
    run("margins_of_a_classifier.py", tmp_path, "elsewhere/margins.png")
    assert drawn(tmp_path / "elsewhere" / "margins.png") == 1
    assert not (tmp_path / "pictures").exists()


def test_heart_data_is_only_read_where_a_user_names_it(tmp_path):
    """A made-up file of the same layout, on which the pocket has fewer training errors, as it must."""
    random = np.random.default_rng(0)
    X = random.standard_normal((297, 13))
    ill = X[:, 0] + random.standard_normal(297) > 0
    names = ",".join([f"feature{j}" for j in range(13)] + ["illness"])
    lines = [",".join([*map(str, row), "yes" if one else "no"]) for row, one in zip(X, ill, strict=True)]
    (tmp_path / "heart.csv").write_text("\n".join([names, *lines]) + "\n", encoding="utf-8")
    printed = run("pocket_or_perceptron.py", tmp_path, "--heart", "heart.csv", "--target", "illness")
    lines = [line.split() for line in printed.splitlines()]
    training = [float(cells[1].rstrip("%")) for cells in lines if cells[:1] in (["perceptron"], ["pocket"])]
    assert len(training) == 6
    assert all(pocket < perceptron for perceptron, pocket in zip(training[::2], training[1::2], strict=True))
