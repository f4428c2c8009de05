"""The whole page by the keyboard alone: draw, fit, step, read, copy."""

from browser.conftest import until
from browser.lab_page import points, settle


def tab_to(page, selector):
    """Press Tab until an element of the selector has the focus, as someone without a mouse does."""
    for _ in range(90):
        page.keyboard.press("Tab")
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not lead to {selector}")


def test_draw_fit_step_and_copy_without_a_mouse(visit):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    tab_to(page, "button[title^='Take all points away']")
    page.keyboard.press("Enter")
    assert points(page)["x"] == []
    tab_to(page, ".stage *, .stage")
    for key in ("1", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    page.keyboard.press("2")
    for key in (*["ArrowRight"] * 8, "Enter", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    settle(page)
    assert points(page)["classes"] == [0, 0, 1, 1]
    assert page.evaluate("lab.slots.map(({result}) => result.proof)") == [True, True]
    until(page, "lab.slots[0].frames.length > 1")
    count = page.evaluate("lab.timeline.count")
    page.keyboard.press(",")
    assert page.evaluate("lab.timeline.position") == count - 2
    tab_to(page, ".transport button[aria-label='To the start']")
    page.keyboard.press("Enter")
    assert page.evaluate("lab.timeline.position") == 0
    tab_to(page, ".scrub")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("lab.timeline.position") == 1
    assert page.locator(".sentence").inner_text() == page.evaluate("lab.slots[0].shown.text")
    tab_to(page, "[role=tab]")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert page.get_by_role("tab", name="Take away").get_attribute("aria-selected") == "true"
    tab_to(page, "#copy-python")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('.toast') !== null")
    assert page.evaluate("navigator.clipboard.readText()") == page.evaluate("lab.slots[0].result.python")


def test_menus_open_with_the_keyboard_and_give_the_focus_back(visit):
    page = visit()
    tab_to(page, "[aria-haspopup=menu]")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('role')") == "menuitem"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    name = page.evaluate("document.activeElement.querySelector('b').textContent")
    before = page.evaluate("lab.version")
    page.keyboard.press("Enter")
    until(page, f"lab.version > {before}")
    assert name in page.evaluate("lab.menu.toys.map(({title}) => title)")


def test_each_state_is_said(visit):
    page = visit()
    until(page, "document.getElementById('live').textContent.includes('Proved')")
    page.get_by_role("button", name="To the start").click()
    page.keyboard.press(".")
    assert page.evaluate("lab.timeline.position") == 1
    until(page, "document.getElementById('live').textContent.includes(lab.slots[0].shown.text)")
