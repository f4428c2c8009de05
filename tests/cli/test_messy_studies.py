"""Files as people have them go through the whole product: studied, predicted, scored and verified."""

import importlib.util
import json
from pathlib import Path

import pytest

from separatrix.cli.main import main

SPEC = importlib.util.spec_from_file_location("messy_files", Path(__file__).parents[1] / "data" / "messy_files.py")
messy = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(messy)
FLAGS = {"no_header": lambda _: ["--no-header"], "header": lambda given: [] if given else ["--no-header"]}


def words(options):
    """The options of a reader as they are on the command line."""
    found = []
    for name, given in options.items():
        value = ",".join(given) if isinstance(given, tuple | list) else str(given)
        found += FLAGS[name](given) if name in FLAGS else [f"--{name}", value]
    return found


@pytest.mark.parametrize("name", messy.MESSY)
def test_a_messy_file_is_studied_and_its_model_used(name, tmp_path, capsys):
    how = messy.MESSY[name]
    file, given = tmp_path / name, words(how.options)
    file.write_bytes(how.content)
    identifier = "x1" if name == "headerless.csv" else "patient"
    out = tmp_path / "out"
    how_long = ["--folds", "2", "--seconds", "1", "--test", "0.3", "--json", "--out", str(out)]
    assert main(["study", str(file), *given, "--id", identifier, *how_long]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = 58 if name == "spoiled.csv" else 60
    assert found["rows"] == rows
    assert found["test"]["rows"] == round(0.3 * rows)
    assert min(found["recall"].values()) > 0.7, "age tells the ill from the others"
    assert main(["verify", str(out / "model.json"), str(file), *given]) == 0
    capsys.readouterr()
    assert main(["score", str(out / "model.json"), str(file), *given, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["error"] < 0.3
    assert main(["predict", str(out / "model.json"), str(file), *given]) == 0
    assert set(capsys.readouterr().out.split()) >= {"yes", "no"}
