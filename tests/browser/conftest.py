"""The lab in a real Chromium: a server in a process of its own, and pages that may neither complain nor ask elsewhere.

These tests run where they are asked for by name (`make lab-test`), as they need a browser.
"""

import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PATIENCE = 120_000  # milliseconds; a machine may be busy
WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
SERIOUS = {"serious", "critical"}
STATE = "window.lab?.slots?.map((slot) => [slot.question.method, slot.fits.request, slot.frames.length, slot.failure])"
COMPLAINTS = {"error", "warning"}


def pytest_ignore_collect(collection_path, config):
    """Leave these tests out of a run of all tests."""
    asked = [Path(config.invocation_params.dir, str(word).split("::")[0]).resolve() for word in config.args]
    return None if any(path == HERE or HERE in path.parents for path in asked) else True


@pytest.fixture(scope="session")
def browser():
    from browser.drawing import CHROMIUM, chromium

    if not Path(CHROMIUM).exists():
        pytest.exit(
            f"There is no Chromium at {CHROMIUM}. Install it, or name another one: make lab-test CHROMIUM=PATH", 2
        )
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """Of a lab that runs as its users run it."""
    with serving(tmp_path_factory.mktemp("lab")) as (address, _):
        yield address


@contextmanager
def serving(folder, *words):
    settings = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", "separatrix", "lab", "--no-browser", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder, env=settings) as process:
        try:
            yield process.stdout.readline().split()[-1], process.pid
        finally:
            process.kill()


@pytest.fixture
def visit(browser, address):
    """Opens pages; at the end of the test none has written to the console, failed, or asked another server."""
    contexts, wrong = [], []

    def opened(hash="", address=address, **how):
        context = browser.new_context(**({"viewport": WIDE, "reduced_motion": "reduce"} | how))
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        watch(page, address, wrong)
        page.goto(address + hash)
        until(page, "Boolean(window.lab?.state?.dataset.x.length)")
        fitted(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def watch(page, address, wrong):
    """Collect what a page must not do."""
    own = re.sub(r"^http(://[^/]+/).*", r"\1", address)
    page.on(
        "console", lambda line: wrong.append(f"console: {line.text}") if line.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("crash", lambda _: wrong.append("the page has crashed"))
    page.on("requestfailed", lambda request: wrong.append(f"failed: {request.url[:200]}"))

    def asked(kind):
        def check(request):
            if not request.url.startswith((f"{kind}{own}", "data:", "blob:")):
                wrong.append(f"asked elsewhere: {request.url[:200]}")

        return check

    page.on("request", asked("http"))
    page.on("websocket", asked("ws"))


def until(page, expression):
    """Wait until an expression holds; the page's policy forbids the browser to look for itself."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"this did not come to hold: {expression}; {page.evaluate(STATE)}"
        page.wait_for_timeout(20)


def fitted(page):
    """Wait until every slot has the result for the points that are shown, or a failure."""
    until(
        page,
        "Boolean(window.lab?.slots?.length && lab.slots.every((slot) => slot.missing || "
        "((slot.result || slot.failure) && slot.fits.request === null && slot.fits.next === null)))",
    )


@pytest.fixture
def lab(visit):
    """The page as it opens at first."""
    return visit()


def give(page, data):
    """Show points, and wait for what every method makes of them."""
    page.evaluate("data => lab.takePoints({data})", data)
    fitted(page)


def choose(page, *methods):
    """Put methods beside one another."""
    slots = [each if isinstance(each, dict) else {"method": each, "options": {}} for each in methods]
    page.evaluate("slots => lab.loadState({slots})", slots)
    fitted(page)


def count(page):
    return page.evaluate("lab.state.dataset.x.length")


def serious_findings(page):
    """What axe-core finds wrong for people who use a screen reader, a keyboard or bad eyes."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        (each["id"], each["help"], [node["html"][:120] for node in each["nodes"][:3]])
        for each in found
        if each["impact"] in SERIOUS
    ]
