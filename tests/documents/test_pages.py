"""The pages of docs/: their examples do what they show, their lists are whole. `make docs` checks the links."""

import ast
import doctest
import re
import shlex
import tomllib
from pathlib import Path

import pytest

import separatrix
import separatrix.kernels
import separatrix.report

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md"))
COMMANDS = "command_line.md"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
FENCED = re.compile(r"^```(text|sh|csv)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
AUTOSUMMARY = re.compile(r"\.\. currentmodule:: (\S+)\n\n\.\. autosummary::\n(?: +:.*\n)+\n((?: +\S+\n)+)")


def blocks(page: str, language: str) -> list[str]:
    """Fenced blocks of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES)
def test_examples_print_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    programs = blocks(page, "python")
    assert all(program.startswith(">>> ") for program in programs)
    example = doctest.DocTestParser().get_doctest("\n".join(programs), {}, page, page, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(example, out=said.append)
    assert not said, "".join(said)


def test_every_place_that_the_architecture_names_is_there():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    places = re.findall(r"`(src/[^`]+)`", text)
    assert len(places) >= 10
    assert not [place for place in places if not (ROOT / place).exists()]
    packages = {path.name for path in (ROOT / "src" / "separatrix").iterdir() if (path / "__init__.py").exists()}
    assert not [name for name in sorted(packages) if f"`{name}`" not in text]


def listed(module: str) -> list[str]:
    """Names of the API page that are imported from a module."""
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    return [name for owner, names in AUTOSUMMARY.findall(text) if owner == module for name in names.split()]


def test_the_api_page_has_every_public_name_once():
    assert sorted(listed("separatrix")) == separatrix.__all__


def test_the_api_page_has_every_figure_once_and_each_has_an_example():
    assert sorted(listed("separatrix.report")) == sorted(separatrix.report.__all__)
    names = separatrix.report.__all__
    assert not [name for name in names if ">>>" not in (getattr(separatrix.report, name).__doc__ or "")]


def test_the_api_page_has_every_kernel_once_and_each_has_an_example():
    names = separatrix.kernels.__all__
    assert sorted(listed("separatrix.kernels")) == sorted(names)
    assert not [name for name in names if ">>>" not in (getattr(separatrix.kernels, name).__doc__ or "")]


def test_every_certificate_is_explained():
    page = (DOCS / "certificates.md").read_text(encoding="utf-8")
    modules = {name: getattr(separatrix, name).__module__ for name in separatrix.__all__}
    certificates = [name for name, module in modules.items() if module.startswith("separatrix.certificates")]
    assert certificates
    assert not [name for name in certificates if f"| [{name}](" not in page]


def test_the_commands_say_what_is_shown(tmp_path, monkeypatch, capsys):
    """A study takes a minute and the lab has no end, so that of them only the options are looked at.

    What is shown is of the command before.
    """
    from separatrix.cli.main import main, parser

    monkeypatch.chdir(tmp_path)
    shown = FENCED.findall((DOCS / COMMANDS).read_text(encoding="utf-8"))
    assert shown[0][0] == "text"
    (tmp_path / "patients.csv").write_text(shown[0][1], encoding="utf-8")
    ran, said = set(), ""
    for language, text in shown[1:]:
        if text.startswith("text,spam\n"):  # the file of the commands below it
            (tmp_path / "mail.csv").write_text(text, encoding="utf-8")
            continue
        if language == "text":
            assert doctest.OutputChecker().check_output(text, said, FLAGS), said
            continue
        for line in text.splitlines():
            words = shlex.split(line.partition("&&")[0])[1:]
            assert parser().parse_args(words)
            assert words[0] in ("study", "lab") or main(words) == 0, f"{line}: {capsys.readouterr().err}"
            ran, said = ran | {words[0]}, capsys.readouterr().out
    assert ran == {"study", "separable", "fit", "path", "predict", "score", "verify", "lab"}
    assert (tmp_path / "labels.txt").read_text(encoding="utf-8").count("\n") == 8


@pytest.mark.parametrize("script", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_scripts_begin_with_a_title(script):
    """Without it they would have no name in the gallery."""
    title, line, *rest = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "\n").split("\n")
    assert title
    assert line == "=" * len(title)
    assert rest[:1] == [""]


def test_what_the_documentation_needs_can_be_installed():
    """The extensions of docs/conf.py are in the extra [docs]."""
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    names = {re.split(r"[<>=\[]", one)[0] for one in needed["docs"]}
    assert names >= {"sphinx", "sphinx-gallery", "numpydoc", "myst-parser", "furo", "matplotlib", "pillow", "pyarrow"}
