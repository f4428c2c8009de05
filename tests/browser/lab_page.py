"""What tests of the page do and wait for."""

from typing import Any

from playwright.sync_api import Page

from browser.conftest import fitted, until


def settle(page: Page) -> None:
    """Wait until all methods have learnt the points as they are."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
    page.wait_for_timeout(60)
    fitted(page)


def load(page: Page, state: dict[str, Any]) -> None:
    """Show a state as a lesson has it, and wait for the results."""
    before = page.evaluate("lab.version")
    page.evaluate("(state) => lab.loadState(state)", state)
    until(page, f"lab.version > {before}")
    settle(page)


def points(page: Page) -> dict[str, list[float]]:
    """The points of the page."""
    found = page.evaluate(
        "(({x, y, classes, weights}) => ({x: [...x], y: [...y], classes: [...classes],"
        " weights: weights && [...weights]}))(lab.state.dataset)"
    )
    assert isinstance(found, dict)
    return found


def draw(page: Page, places: list[tuple[float, float]], slot: int = 0) -> None:
    """One gesture of the pointer over a stage, through places in parts of its width and height."""
    box = page.locator(".stage").nth(slot).bounding_box()
    assert box is not None
    spots = [(box["x"] + across * box["width"], box["y"] + down * box["height"]) for across, down in places]
    page.mouse.move(*spots[0])
    page.mouse.down()
    for spot in spots[1:]:
        page.mouse.move(*spot, steps=4)
    page.mouse.up()


FEW = {
    "data": {
        "x": [-1.0, -0.5, 0.8, 1.0, 0.6],
        "y": [0.2, -0.4, 0.5, -0.1, 0.9],
        "class": [0, 0, 1, 1, 1],
        "weight": None,
        "names": ["x1", "x2"],
        "classes": ["blue", "orange"],
    },
    "slots": [{"method": "linear SVM", "options": {}}],
    "seed": 0,
}
