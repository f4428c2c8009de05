"""What the project says of itself is true: generated blocks, docstrings, the version, the declared layers."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import separatrix

ROOT = Path(__file__).resolve().parents[2]
PURE = {"compiling", "memory", "threads", "rows", "products", "enclosures", "problem"}
PURE |= {"objectives", "kernels", "certificates", "solvers", "theory"}
PRIVATE_PATHS = ["..", "/shared"], ["/wo", "rk/"]  # in two parts, or this file would mention them


def load_tool(name):
    """Import a file of tools/, which is not a package."""
    spec = importlib.util.spec_from_file_location(f"tools_{name}", ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


documents = load_tool("documents")
lowest = load_tool("lowest")


@pytest.mark.parametrize("document", documents.DOCUMENTS)
def test_blocks_are_in_sync_with_their_sources(document):
    path = ROOT / document
    assert path.is_file(), f"{document} is missing"
    differing = documents.update(path, write=False)
    assert not differing, f"run `make readme`: in {document} these blocks differ: {', '.join(differing)}"


def test_the_readme_has_the_table_of_algorithms():
    path = ROOT / "README.md"
    assert path.is_file(), "README.md is missing"
    assert "<!-- begin: registry -->" in path.read_text(encoding="utf-8").splitlines()


def test_every_public_name_has_an_example():
    names = [name for name in separatrix.__all__ if not name.startswith("__")]
    without = [name for name in names if ">>>" not in (getattr(separatrix, name).__doc__ or "")]
    assert not without, f"no example in the docstring of: {', '.join(without)}"


def files_of_the_project():
    """What git tracks or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listed.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


@pytest.mark.parametrize("words", PRIVATE_PATHS, ids=["parent", "absolute"])
def test_no_file_mentions_a_place_outside_the_project(words):
    words = "".join(words).encode()
    found = [str(path.relative_to(ROOT)) for path in files_of_the_project() if words in path.read_bytes()]
    assert not found, f"{words.decode()} is mentioned in: {', '.join(found)}"


def test_the_citation_has_the_version_of_the_package():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited = re.search(r"^version: *\"?([^\"\n]+)\"?$", citation, re.MULTILINE)
    assert cited is not None
    assert cited[1] == separatrix.__version__


def test_every_pure_layer_is_kept_from_the_outside():
    package = ROOT / "src" / "separatrix"
    there = {path.relative_to(package).with_suffix("").parts[0] for path in package.rglob("*.py")}
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    (contract,) = [each for each in contracts["contracts"] if each["id"] == "pure-numbers"]
    listed = {module.removeprefix("separatrix.") for module in contract["source_modules"]}
    assert listed == PURE & there


SOURCE = '''"""A module."""

LIMIT: int = 3


@compiled
@twice(
    2
)
def sweep(x):
    """Sweep."""
    return x


class Sweeper:
    limit = LIMIT

    @property
    def twice(self):
        return 2 * self.limit
'''


@pytest.fixture
def root(tmp_path):
    (tmp_path / "a.py").write_text(SOURCE, encoding="utf-8")
    return tmp_path


def test_a_definition_comes_with_its_decorators():
    found = documents.definition(SOURCE, "sweep")
    assert found.startswith("@compiled\n@twice(\n")
    assert found.endswith("    return x")


def test_constants_and_classes_are_found():
    assert documents.definition(SOURCE, "LIMIT") == "LIMIT: int = 3"
    assert documents.definition(SOURCE, "Sweeper").startswith("class Sweeper:\n    limit = LIMIT\n")


def test_a_method_is_shown_without_its_indentation():
    expected = "@property\ndef twice(self):\n    return 2 * self.limit"
    assert documents.definition(SOURCE, "Sweeper.twice") == expected
    assert documents.definition(SOURCE, "Sweeper.limit") == "limit = LIMIT"


def test_fill_replaces_what_differs_and_only_that(root):
    text = "# A\n\n<!-- begin: code a.py:LIMIT -->\nold\n<!-- end -->\n\ntail\n"
    filled, differing = documents.fill(text, root)
    assert differing == ["code a.py:LIMIT"]
    assert filled == text.replace("old", "```python\nLIMIT: int = 3\n```")
    assert documents.fill(filled, root) == (filled, [])


def test_a_whole_file_can_be_shown(root):
    assert documents.code("a.py:*", root) == f"```python\n{SOURCE.rstrip()}\n```"


def test_a_fence_is_longer_than_the_fences_inside(root):
    (root / "b.py").write_text('"""\n```\n"""\n', encoding="utf-8")
    assert documents.code("b.py:*", root).startswith("````python\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<!-- begin: code a.py:LIMIT -->\nopen\n", "'<!-- end -->' is missing"),
        ("<!-- begin: code a.py:x -->\n<!-- begin: registry -->\n<!-- end -->\n", "py:x': its .* is missing"),
        ("<!-- begin: code b.py:LIMIT -->\n<!-- end -->\n", "b.py:LIMIT': no such file"),
        ("<!-- begin: code a.py:nothing -->\n<!-- end -->\n", "no 'nothing' there"),
        ("<!-- begin: code a.py:Sweeper.nothing -->\n<!-- end -->\n", "no 'nothing' there"),
        ("<!-- begin: poem -->\n<!-- end -->\n", "'poem': unknown kind"),
    ],
)
def test_mistakes_in_blocks_are_said(root, text, message):
    with pytest.raises(documents.DocumentError, match=message):
        documents.fill(text, root)


def test_check_lists_the_blocks_and_writing_puts_them_right(root, capsys):
    stale = "<!-- begin: code a.py:LIMIT -->\n<!-- end -->\n"
    for name in documents.DOCUMENTS:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(stale, encoding="utf-8")
    assert documents.main(["--check"], root) == 1
    assert "README.md: block 'code a.py:LIMIT' differs" in capsys.readouterr().out
    assert (root / "README.md").read_text(encoding="utf-8") == stale
    assert documents.main([], root) == 0
    assert documents.main(["--check"], root) == 0


def test_a_missing_document_is_said(root, capsys):
    assert documents.main(["--check"], root) == 1
    assert "README.md: the document is missing" in capsys.readouterr().out


def test_lowest_turns_bounds_into_pins():
    pins = lowest.lowest((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert all(re.fullmatch(r"[\w-]+==[\d.]+", pin) for pin in pins)
    assert lowest.pin("a[b]>=1.2,<3") == "a==1.2"
    with pytest.raises(ValueError, match="no lower bound"):
        lowest.pin("numpy")


def test_the_tool_runs_as_a_program():
    command = [sys.executable, str(ROOT / "tools" / "documents.py"), "--help"]
    assert "--check" in subprocess.run(command, capture_output=True, text=True, check=True).stdout
