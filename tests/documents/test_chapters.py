"""Every section of the documents leads to a function, a test and a picture, all of which are there."""

import ast
import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "chapters.md").read_text(encoding="utf-8")
LINK = re.compile(r"\[([^]]+)\]\(([^)]+)\)")
# The sections of each document, in their order; the page has at least one row for each.
SECTIONS = {
    "Linear classifiers": [
        *("3.1", "3.2", "3.3", "3.4.1", "3.4.2", "3.4.3", "3.5.1", "3.5.2", "3.5.3", "3.6"),
        *("3.7.1", "3.7.2", "3.7.3", "3.7.4", "3.7.5", "3.7.6", "3.8"),
    ],
    "Perceptron": ["60.1", "60.2", "60.3", "60.4", "60.5", "Problems", "60.A", "60.B"],
    "Support vector machines": ["61.1", "61.2", "61.3", "61.4", "Problems"],
    "Linear discriminant functions": ["6", "6.1.1", "6.1.2", "6.1.3"],
    "Linear & nonlinear classifiers": ["1", "2", "3", "4", "5", "6", "7", "8"],
    "Perceptrons and support vector machines": [
        "Notation",
        "Perceptrons",
        "Hard-margin SVMs",
        "Kernel functions",
        "Radial basis functions",
        "Symbolic data",
    ],
}


def rows_of(title: str) -> list[list[str]]:
    """The cells of the table below a heading that begins with a title."""
    below = PAGE.partition(f"\n## {title} ")[2] or PAGE.partition(f"\n## {title}\n")[2]
    table = [line for line in below.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table[1:]]


@pytest.mark.parametrize("title", SECTIONS)
def test_every_section_has_a_function_a_test_and_a_picture(title):
    rows = rows_of(title)
    assert list(dict.fromkeys(row[0] for row in rows)) == SECTIONS[title]
    for section, _, functions, tests, pictures in rows:
        for kind, cell in (("function", functions), ("test", tests), ("picture", pictures)):
            assert LINK.search(cell), f"section {section} of '{title}' has no {kind}"


def test_every_function_is_there():
    named = re.findall(r"\[`(\w+)`\]\(generated/api/(separatrix[\w.]*)\.(\w+)\.rst\)", PAGE)
    assert len(named) > 60
    assert not [
        name for name, module, last in named if name != last or not hasattr(importlib.import_module(module), name)
    ]


def test_every_test_is_there():
    named = re.findall(r"\[([\w ]+)\]\(generated/tests/([\w.]+)\.md\)", PAGE)
    assert len(named) > 100
    for name, module in named:
        path = ROOT / "tests" / f"{module.replace('.', '/')}.py"
        defined = {
            node.name for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef)
        }
        assert f"test_{name.replace(' ', '_')}" in defined, f"{path.name} has no test of '{name}'"


def test_every_picture_is_there():
    named = re.findall(r"\]\(gallery/(\w+)\.rst\)", PAGE)
    assert len(named) > 50
    assert not [name for name in named if not (ROOT / "examples" / f"{name}.py").is_file()]


def test_all_links_are_of_these_kinds():
    kinds = ("generated/api/", "generated/tests/", "gallery/", "notation.md")
    assert not [target for _, target in LINK.findall(PAGE) if not target.startswith(kinds)]


def test_every_example_names_a_test():
    rows = rows_of("Examples, problems and experiments")
    assert len(rows) >= 35
    assert not [row for row in rows if "generated/tests/" not in row[2]]
    assert PAGE.partition("\n## Where the texts err\n")[2].count("\n- ") >= 25
