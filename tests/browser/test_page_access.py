"""Everyone: what axe-core finds, sizes of targets, phones, zoom, reduced motion, and the colours that one prefers."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from browser.lab_page import settle, until

SIZES = {"desktop": (1440, 900), "phone": (390, 844), "zoomed to 200 %": (640, 400)}


def serious(page):
    found = Axe().run(page).response["violations"]
    return [
        (each["id"], [node["html"][:120] for node in each["nodes"]][:3])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_axe_finds_nothing_serious(visit, size, scheme):
    page.set_viewport_size(dict(zip(("width", "height"), SIZES[size], strict=True)))
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    opened(visit)
    for name in ("Why", "Options", "Separable?", "Take away"):
        page.get_by_role("tab", name=name).click()
        page.wait_for_timeout(150)
        assert serious(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wider_than_the_screen(visit, size):
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    opened(visit)
    for name in ("Why", "Options", "Separable?", "Take away"):
        page.get_by_role("tab", name=name).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("touch", [False, True])
def test_targets_are_large_enough(chromium, lab_url, touch):
    size = {"width": 390, "height": 844} if touch else {"width": 1280, "height": 800}
    context = chromium.new_context(viewport=size, has_touch=touch, is_mobile=touch, reduced_motion="reduce")
    page = opened(context.new_page(), lab_url)
    sizes = page.evaluate(
        "[...document.querySelectorAll('button, select, input:not([type=checkbox])')]"
        ".filter((each) => each.checkVisibility() && !each.closest('.unseen'))"
        ".map((each) => [each.outerHTML.slice(0, 90), each.getBoundingClientRect().height])"
    )
    least = 44 if touch else 24
    assert [(html, height) for html, height in sizes if height < least] == []
    context.close()


def test_theme_is_the_system_s_until_one_chooses(visit):
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    opened(visit)
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(20, 23, 27)"
    page.get_by_role("button", name="Colours").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    page.get_by_role("button", name="Colours").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_role("button", name="Colours").click()
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


def test_run_plays_by_itself_only_where_motion_is_wanted(visit):
    opened(visit)
    assert page.evaluate("[lab.timeline.playing, lab.timeline.position === lab.timeline.count - 1]") == [False, True]
    page.emulate_media(reduced_motion="no-preference")
    page.goto("about:blank")
    page.goto(lab_url)
    until(page, "window.lab?.timeline?.playing === true")
    until(page, "lab.timeline.playing === false && lab.timeline.position === lab.timeline.count - 1")
    settle(page)
    assert page.locator(".badge.large").inner_text() == "Proved"


def test_lost_connection_is_said_and_the_points_are_kept(visit):
    opened(visit)
    page.evaluate("lab.connection.socket.close()")
    until(page, "!document.getElementById('banner').hidden")
    assert "Your points are kept" in page.locator("#banner").inner_text()
    until(page, "lab.connection.open && document.getElementById('banner').hidden")
    settle(page)
    assert page.evaluate("lab.state.dataset.x.length") == 60
