"""What tests of the page do and wait for."""

import time
from typing import Any

from playwright.sync_api import Page

PATIENCE = 60.0  # seconds: the first fit of a method loads its compiled loops
SETTLED = (
    "Boolean(window.lab?.slots.length) && lab.slots.every((slot) => "
    "slot.fits.request === null && (slot.result || slot.failure || slot.missing))"
)


def until(page: Page, expression: str, argument: Any = None) -> Any:
    """Wait until an expression of the page is true; the page's policy forbids Playwright's own way, which uses eval."""
    end = time.monotonic() + PATIENCE
    while not (found := page.evaluate(expression, argument)):
        assert time.monotonic() < end, f"waited {PATIENCE:g} s for {expression}"
        page.wait_for_timeout(30)
    return found


def settle(page: Page) -> None:
    """Wait until all methods have learnt the points as they are."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))")
    page.wait_for_timeout(60)
    until(page, SETTLED)


def opened(page: Page, url: str) -> Page:
    """The page, once its methods have learnt the first points."""
    page.goto(url)
    settle(page)
    return page


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
