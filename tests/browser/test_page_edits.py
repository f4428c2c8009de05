"""Drawing, undo and redo: a gesture is one step, whatever the number of its points."""

from browser.conftest import until
from browser.lab_page import FEW, draw, load, points, settle


def test_a_stroke_is_one_step_of_undo(visit):
    page = visit()
    load(page, FEW)
    before = points(page)
    draw(page, [(0.3, 0.3), (0.5, 0.4), (0.6, 0.3)])
    drawn = points(page)
    assert len(drawn["x"]) > len(before["x"]) + 1
    page.keyboard.press("Control+z")
    assert points(page) == before
    page.keyboard.press("Control+Shift+z")
    assert points(page) == drawn
    page.get_by_role("button", name="Undo").click()
    assert points(page) == before
    settle(page)
    assert page.evaluate("lab.slots[0].result.accuracy") == 1


def test_clear_can_be_undone_and_an_edit_ends_redo(visit):
    page = visit()
    load(page, FEW)
    page.get_by_role("button", name="Clear").click()
    assert points(page)["x"] == []
    assert "Draw here" in page.locator(".hint").inner_text()
    page.keyboard.press("Control+z")
    assert points(page)["x"] == FEW["data"]["x"]
    draw(page, [(0.3, 0.3)])
    assert page.get_by_role("button", name="Redo").is_disabled()


def test_one_class_alone_asks_for_another(visit):
    page = visit()
    page.get_by_role("button", name="Clear").click()
    draw(page, [(0.3, 0.5), (0.35, 0.6)])
    assert "second class" in page.locator(".hint").first.inner_text()
    page.keyboard.press("2")
    draw(page, [(0.7, 0.5), (0.75, 0.6)])
    settle(page)
    assert page.evaluate("lab.slots.map(({result}) => result.proof)") == [True, True]
    page.keyboard.press("3")
    draw(page, [(0.5, 0.2), (0.5, 0.25)])
    settle(page)
    assert page.evaluate("lab.slots.map(({result, failure}) => failure?.message ?? result.classes)") == [[0, 1, 2]] * 2


def test_while_a_point_is_dragged_the_methods_follow_and_nothing_queues(visit):
    page = visit()
    load(page, FEW)
    page.evaluate(
        "() => { const ask = lab.connection.ask.bind(lab.connection); window.asked = [];"
        " lab.connection.ask = (message, hearer) => { asked.push(message); return ask(message, hearer); }; }"
    )
    page.keyboard.press("m")
    at = page.evaluate("lab.slots[0].stage.toPixels(-0.5, -0.4)")
    box = page.locator(".stage").bounding_box()
    x, y = (at["x"], at["y"]) if isinstance(at, dict) else at
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 60, box["y"] + y - 40, steps=30)
    page.mouse.up()
    settle(page)
    assert points(page)["x"][1] > -0.5
    fits = page.evaluate("asked.filter((each) => each.do === 'fit').map(({record}) => record)")
    assert fits[-1] is True
    assert fits.count(True) == 1
    assert 2 <= len(fits) <= 31
    until(page, "lab.slots[0].frames.length > 0")
