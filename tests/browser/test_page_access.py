"""Everyone: what axe-core finds, sizes of targets, phones, zoom, reduced motion, and the colours that one prefers."""

import pytest

from browser.conftest import serious_findings, until
from browser.lab_page import settle

SIZES = {
    "desktop": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
    "zoomed to 200 %": {"width": 640, "height": 400},
}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_axe_finds_nothing_serious(visit, size, scheme):
    page = visit(viewport=SIZES[size], color_scheme=scheme)
    for name in ("Why", "Options", "Separable?", "Take away"):
        page.get_by_role("tab", name=name).click()
        page.wait_for_timeout(150)
        assert serious_findings(page) == []


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wider_than_the_screen(visit, size):
    page = visit(viewport=SIZES[size])
    for name in ("Why", "Options", "Separable?", "Take away"):
        page.get_by_role("tab", name=name).click()
        assert page.evaluate("document.documentElement.scrollWidth") <= SIZES[size]["width"]


@pytest.mark.parametrize("touch", [False, True])
def test_targets_are_large_enough(visit, touch):
    page = visit(viewport=SIZES["phone" if touch else "desktop"], has_touch=touch, is_mobile=touch)
    sizes = page.evaluate(
        "[...document.querySelectorAll('button, select, input:not([type=checkbox])')]"
        ".filter((each) => each.checkVisibility() && !each.closest('.unseen'))"
        ".map((each) => [each.outerHTML.slice(0, 90), each.getBoundingClientRect().height])"
    )
    least = 44 if touch else 24
    assert [(html, height) for html, height in sizes if height < least] == []


def test_theme_is_the_system_s_until_one_chooses(visit):
    page = visit(color_scheme="dark")
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
    page = visit()
    assert page.evaluate("[lab.timeline.playing, lab.timeline.position === lab.timeline.count - 1]") == [False, True]
    page.evaluate("history.replaceState(null, '', location.pathname)")
    page.emulate_media(reduced_motion="no-preference")
    page.reload()
    until(page, "window.lab?.timeline?.playing === true")
    until(page, "lab.timeline.playing === false && lab.timeline.position === lab.timeline.count - 1")
    settle(page)
    assert page.locator(".badge.large").inner_text() == "Proved"


def test_lost_connection_is_said_and_the_points_are_kept(visit):
    page = visit()
    page.evaluate("lab.connection.socket.close()")
    until(page, "!document.getElementById('banner').hidden")
    assert "Your points are kept" in page.locator("#banner").inner_text()
    until(page, "lab.connection.open && document.getElementById('banner').hidden")
    settle(page)
    assert page.evaluate("lab.state.dataset.x.length") == 60
