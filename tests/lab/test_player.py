"""A replay is one file: nothing in it comes from elsewhere, and it holds the run as the page was sent it."""

import json
import re
from urllib.parse import unquote

import pytest

from separatrix.lab import player
from separatrix.lab.answers import answers
from separatrix.lab.toys import toy_points

DATA = toy_points("separable", seed=1, n=20).to_message()


def page_of(**how):
    asked = {"id": 4, "slot": 0, "do": "replay", "data": DATA, "method": "perceptron, online", "options": {}, "seed": 3}
    (answer,) = answers({**asked, **how})
    return answer["html"] if answer["kind"] == "page" else answer


def part(page, opening):
    return re.search(rf"{opening}[^>]*>(.*?)</script>", page, re.DOTALL)[1]


def test_the_page_holds_the_run():
    page = page_of()
    recording = json.loads(part(page, '<script type="application/json" id="recording"'))
    begin, *batches, result = answers(
        {"do": "fit", "data": DATA, "method": "perceptron, online", "options": {}, "seed": 3}
    )
    assert recording["frames"] == json.loads(json.dumps([frame for each in batches for frame in each["frames"]]))
    assert {**recording["result"], "seconds": 0} == json.loads(json.dumps({**result, "seconds": 0}))
    assert recording["begin"] == begin
    assert recording["data"] == DATA


def test_every_script_is_in_the_page():
    page = page_of(theme="dark")
    assert "[[" not in re.sub(r"<script type=\"application/json\".*?</script>", "", page, flags=re.DOTALL)
    assert 'data-theme="dark"' in page
    imports = json.loads(part(page, '<script type="importmap"'))["imports"]
    assert "lab/player.js" in imports
    for url in imports.values():
        text = unquote(url.removeprefix("data:text/javascript;charset=utf-8,"))
        assert text != url
        for name in player.IMPORTED.findall(text):
            assert f"lab/{name}" in imports


def test_nothing_comes_from_elsewhere():
    page = page_of()
    assert not re.findall(r"""(?:src|href)=["'](?!data:)[^"']+""", page)
    assert "@import" not in page
    assert not re.findall(r"url\((?!['\"]?(?:data:|#))", page)
    assert "default-src 'none'" in page


def test_names_end_no_script():
    page = page_of(data={**DATA, "classes": ["</script><b>", "<!--"], "names": ["<i>", "x&y"]})
    recording = json.loads(part(page, '<script type="application/json" id="recording"'))
    assert recording["data"]["classes"] == ["</script><b>", "<!--"]
    assert page.count("</script>") == page_of().count("</script>")


def test_a_theme_is_light_or_dark():
    assert "light or dark" in page_of(theme="<b>")["message"]


@pytest.mark.parametrize("value", ["<", "</script>", "<!--"])
def test_json_in_a_script_has_no_markup(value):
    assert "<" not in player.in_script(value)
    assert json.loads(player.in_script(value)) == value
