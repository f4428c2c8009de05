"""A row in the registry is enough: an algorithm from outside of the package is found wherever algorithms are."""

import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cli.files import patients
from contracts.class_means import ROW, ClassMeans, MeansGuess
from estimators.bit_by_bit import same
from report import studies
from separatrix import compare, load, save, verify
from separatrix.certificates.claims.proves_fit import proves_fit
from separatrix.cli.fit import choices
from separatrix.cli.main import main
from separatrix.errors import FormatError, OptionError
from separatrix.estimators.registry import algorithms, register
from separatrix.report.page.certificates import fit_card
from separatrix.report.text import algorithm_table

ROOT = Path(__file__).parents[2]
X = np.random.default_rng(0).standard_normal((60, 2)) + np.repeat([[0.0], [3.0]], 30, axis=0)
Y = np.repeat(["no", "yes"], 30)


@pytest.fixture(autouse=True)
def registered():
    with register(ROW):
        yield


def documents():
    """The tool that fills the generated blocks."""
    spec = importlib.util.spec_from_file_location("tools_documents", ROOT / "tools" / "documents.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_readme_and_the_api_page_list_it():
    line = "| class means | `ClassMeans()` | the nearest mean wins | a mean for each | Unproved | Outside 2000 |"
    assert line in algorithm_table().splitlines()
    assert line in documents().render("registry").splitlines()
    assert "   ClassMeans" in documents().render("estimators").splitlines()


def test_the_command_line_offers_it(tmp_path, capsys):
    assert choices()["class-means"] is ROW
    with pytest.raises(SystemExit):
        main(["fit", "--help"])
    assert "class-means" in "".join(capsys.readouterr().out.split())
    file, model = patients(tmp_path / "patients.csv"), tmp_path / "model.json"
    assert main(["fit", str(file), str(model), "-t", "ill", "-a", "class-means"]) == 0
    assert main(["verify", str(model), str(file)]) == 0
    assert isinstance(load(model)[-1], ClassMeans)


def test_a_comparison_tries_it_at_its_cost():
    found = compare(X, Y, cv=2)
    assert "class means" in [row.name for row in found.ranked]
    assert [row.name for row in compare(X, Y, algorithms=["class means"], cv=2).ranked] == ["class means"]


@pytest.mark.parametrize("y", [Y, np.tile(["a", "b", "c"], 20)], ids=["two", "three"])
def test_a_model_file_holds_it_with_its_certificate(y, tmp_path):
    model, file = ClassMeans().fit(X, y), tmp_path / "model.json"
    save(model, file)
    loaded = load(file)
    assert same(model, loaded)
    assert isinstance(loaded.certificate_, MeansGuess)
    assert verify(model, X, y) == verify(loaded, X, y)
    text = file.read_text()
    assert text.count("radius_") == 1
    model.another_ = 1.0
    with pytest.raises(OptionError, match="another_"):
        save(model, file)


def test_a_report_says_of_its_certificate_what_it_says_of_itself():
    card = fit_card(studies.study(X, Y, model=ClassMeans()))
    assert MeansGuess.explanation in card
    assert "not proved" in card
    assert not proves_fit(ClassMeans().fit(X, Y).certificate_)


def test_the_contract_tests_hold_it_to_the_contract():
    command = [sys.executable, "-m", "pytest", "-q", "-k", "class and means", "-p", "contracts.with_class_means"]
    paths = os.pathsep.join([str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")])
    files = ["tests/contracts/test_contracts.py", "tests/contracts/test_spoiled.py"]
    environment = {**os.environ, "PYTHONPATH": paths}
    ran = subprocess.run([*command, *files], check=False, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    assert int(ran.stdout.split(" passed")[0].split()[-1]) > 20


def test_nothing_is_left_of_it_after_the_block(tmp_path):
    file = tmp_path / "model.json"
    with register(row := replace(ROW, name="class means, again")):
        assert algorithms()[-1] is row
        save(ClassMeans().fit(X, Y), file)
    assert row not in algorithms()
    with pytest.raises(OptionError, match="already"), register(ROW):
        pass
    assert isinstance(load(file), ClassMeans)


class Unlisted(ClassMeans):
    """A class that is in the registry for a while only."""


def test_a_file_with_a_class_that_is_not_registered_is_refused(tmp_path):
    file = tmp_path / "model.json"
    with register(replace(ROW, name="unlisted", estimator=Unlisted)):
        save(Unlisted().fit(X, Y), file)
        assert isinstance(load(file), Unlisted)
    with pytest.raises(FormatError, match="'Unlisted' is not known"):
        load(file)
    with pytest.raises(OptionError, match="a class that files do not know"):
        save(Unlisted().fit(X, Y), file)
