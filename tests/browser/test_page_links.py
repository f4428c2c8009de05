"""A link holds the page: points to the last digit, methods and options; a bad one is refused with a sentence."""

import json

import pytest

from browser.conftest import until
from browser.lab_page import FEW, load, points, settle

BACK = "import('lab/hash.js').then(({encode, decode}) => [...decode(encode(lab.state).hash).dataset.x])"
STATE = {
    "data": {
        "x": [0.1, -1.2345, 3.0, 0.7],
        "y": [2.5e-3, 0.3, -0.2, 1.1],
        "class": [0, 2, 2, 1],
        "weight": [1.0, 2.5, 0.25, 1.0],
        "names": ["length", "width"],
        "classes": ["a & b", "c=d", "é#"],
    },
    "slots": [{"method": "linear SVM", "options": {"C": "inf"}}, {"method": "perceptron, online", "options": {}}],
    "seed": 7,
}


def test_link_gives_back_the_page(visit):
    page = visit()
    load(page, STATE)
    page.evaluate("lab.viewed({left: -2, right: 4, bottom: -1.5, top: 2.25}, null)")
    link = page.evaluate("lab.link()")
    assert link["exact"]
    other = visit(link["hash"])
    assert points(other) == points(page)
    assert points(other)["x"] == STATE["data"]["x"]
    assert points(other)["weights"] == STATE["data"]["weight"]
    assert other.evaluate("lab.state.slots") == STATE["slots"]
    assert other.evaluate("lab.state.dataset.labels") == STATE["data"]["classes"]
    assert other.evaluate("lab.link().hash") == link["hash"]
    assert other.evaluate("lab.state.seed") == 7


def test_drawn_and_moved_points_come_back_to_the_bit(visit):
    page = visit()
    load(page, FEW)
    edit = "(change) => lab.edit(change, {left: -1.4, right: 1.7, bottom: -1, top: 1})"
    page.evaluate(edit, {"kind": "add", "points": [{"x": 1 / 3, "y": -2 / 7, "class": 1}]})
    page.evaluate(edit, {"kind": "move", "rows": [0], "x": [-0.123456789], "y": [1e-9]})
    page.evaluate(edit, {"kind": "end"})
    back = page.evaluate(
        "import('lab/hash.js').then(({encode, decode}) => [...decode(encode(lab.state).hash).dataset.x])"
    )
    assert back == points(page)["x"]
    assert page.evaluate("lab.link().exact")


def test_numbers_with_too_many_digits_are_rounded_and_the_page_says_so(visit):
    page = visit()
    load(page, FEW | {"data": FEW["data"] | {"x": [1 / 3, 2 / 3, 1.0, 2.0, 1e6]}})
    assert not page.evaluate("lab.link().exact")
    back = page.evaluate(
        "import('lab/hash.js').then(({encode, decode}) => [...decode(encode(lab.state).hash).dataset.x])"
    )
    assert back == pytest.approx(points(page)["x"], abs=1e6 / 50000)
    page.get_by_role("tab", name="Take away").click()
    assert "rounded" in page.locator(".take").inner_text()


POCKET = '#v=1&slots=[{"method":"pocket","options":{}}]&names=[["a","b"],["c"]]'


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        ("#v=9&points=AAAA", "not made by the lab"),
        ("#nothing", "not made by the lab"),
        ("#v=1&slots=%5B%7B", "damaged"),
        (POCKET + "&grid=0,0,0,0&points=AAAAA", "damaged"),
        (POCKET + "&grid=9e999,0,0,0&points=", "damaged"),
    ],
)
def test_bad_link_gives_a_sentence_and_the_first_page(visit, link, sentence):
    page = visit(link)
    assert sentence in page.locator(".toast.error").inner_text()
    assert len(points(page)["x"]) == 60
    assert page.evaluate("lab.slots.map(({result, failure}) => failure?.message ?? result.proof)") == [True, True]


def test_link_with_an_unknown_method_keeps_the_rest(visit):
    page = visit()
    load(page, FEW)
    link = page.evaluate("lab.link().hash").replace("linear+SVM", "oracle")
    page.evaluate("(link) => lab.openHash(link)", link)
    settle(page)
    assert '"oracle"' in page.locator(".toast.error").inner_text()
    assert points(page)["x"] == FEW["data"]["x"]


def test_address_follows_the_page_and_the_page_the_address(visit):
    page = visit()
    load(page, FEW)
    until(page, "location.hash === lab.link().hash")
    kept = page.evaluate("location.hash")
    page.get_by_title("Take all points away").click()
    until(page, f"location.hash !== {json.dumps(kept)}")
    page.evaluate("(kept) => { location.hash = kept; }", kept)
    until(page, "lab.state.dataset.x.length === 5")
