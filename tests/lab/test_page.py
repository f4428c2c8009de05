"""The files of the lab's page: the colours of the house, nothing from elsewhere, nothing that its policy forbids."""

import re
from pathlib import Path

import pytest

import separatrix.lab
from separatrix.report.page.theme import DARK, LIGHT

PAGE = Path(separatrix.lab.__file__).parent / "page"
SCRIPTS = sorted(PAGE.glob("*.js"))
INDEX = (PAGE / "index.html").read_text(encoding="utf-8")
STYLE = (PAGE / "style.css").read_text(encoding="utf-8")


def colours_of(selector: str) -> dict[str, str]:
    block = STYLE[STYLE.index(selector + " {") :].partition("}")[0]
    return dict(re.findall(r"--(\w+): (#\w{6});", block))


@pytest.mark.parametrize(
    ("selector", "colours"),
    [(":root", LIGHT), (':root[data-theme="dark"]', DARK), (':root:not([data-theme="light"])', DARK)],
)
def test_colours_are_those_of_the_house(selector, colours):
    assert colours_of(selector) == colours


def test_styles_name_no_other_colours():
    rules = STYLE.partition("* { box-sizing")[2] + (PAGE / "panel.css").read_text(encoding="utf-8")
    assert set(re.findall(r"#[0-9a-f]{3,8}\b", rules)) == set()
    known = {*LIGHT, "part"}
    assert set(re.findall(r"var\(--(\w+)", rules)) <= known


def test_page_has_no_script_or_style_of_its_own():
    scripts = re.findall(r"<script\b[^>]*>.*?</script>", INDEX, re.DOTALL)
    assert scripts
    assert all('nonce="[[nonce]]"' in script for script in scripts)
    assert not re.search(r"<style\b|\sstyle=|\son\w+=", INDEX)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_make_no_markup_of_text_and_import_only_the_page(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)
    assert "localStorage" not in text
    assert "sessionStorage" not in text
    imports = re.findall(r"""(?:from|import\()\s*["']([^"']+)["']""", text)
    assert all((PAGE / name.removeprefix("lab/")).is_file() and name.startswith("lab/") for name in imports)


@pytest.mark.parametrize(
    "path", [*SCRIPTS, PAGE / "index.html", PAGE / "style.css", PAGE / "panel.css"], ids=lambda path: path.name
)
def test_page_asks_nothing_of_other_servers(path):
    addresses = re.findall(r"https?://[^\s\"'`)]+", path.read_text(encoding="utf-8"))
    assert all(address.startswith("http://www.w3.org/") for address in addresses)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_are_small(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
