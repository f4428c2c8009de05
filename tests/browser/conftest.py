"""A running lab and pages of it in a real Chromium: a page must not complain, and must ask nothing of other servers."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from separatrix.lab.answers import answers
from separatrix.lab.serving.server import Running

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


def load_loops() -> None:
    """Compile the loops of the methods that a page begins with, so that the first fit is not ended for its time."""
    data = {"x": [0, 1, 4, 5], "y": [0, 0, 4, 4], "class": [0, 0, 1, 1]}
    for number, method in enumerate(("perceptron, online", "linear SVM", "kernel SVM", "pocket")):
        *_, last = answers({"id": number, "do": "fit", "slot": 0, "data": data, "method": method, "options": {}})
        assert last["kind"] == "result"


@pytest.fixture(scope="session")
def lab_url() -> Iterator[str]:
    load_loops()
    running = Running(framed=False)
    yield running.address.url
    running.close()


@pytest.fixture(scope="module")  # one at a time in a process: modules may have their own
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    made = chromium.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext, lab_url: str) -> Iterator[Page]:
    """A page that is not yet opened; at the end nothing may have gone wrong in it."""
    opened, wrong = context.new_page(), []
    opened.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    origin = lab_url.split("/")[2]
    away = lambda url: not url.startswith(("data:", "blob:")) and origin not in url  # noqa: E731
    opened.on("request", lambda request: wrong.append(request.url) if away(request.url) else None)
    yield opened
    assert wrong == []
