"""Lessons: each step shows what it says, and can be gone through to the end."""

import pytest

from browser.conftest import until
from browser.lab_page import points, settle
from separatrix.lab.lessons import LESSONS


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_steps_of_a_lesson_show_their_state(visit, lesson):
    page = visit()
    page.get_by_role("button", name="Lessons").click()
    before = page.evaluate("lab.version")
    page.get_by_role("menuitem").filter(has_text=lesson.title).click()
    until(page, f"lab.version > {before}")
    for number, step in enumerate(lesson.steps):
        if number:
            before = page.evaluate("lab.version")
            page.locator(".lesson footer .main").click()
        if step.state is not None:
            until(page, f"lab.version > {before}")
            assert page.evaluate("lab.state.slots") == step.state["slots"]
            assert page.evaluate("lab.state.seed") == step.state["seed"]
        settle(page)
        assert page.locator(".lesson h2").inner_text() == step.title
        assert step.text.split("\n\n")[-1][-30:] in page.locator(".lesson-text").inner_text()
        assert page.evaluate("lab.slots.filter(({failure}) => failure).map(({failure}) => failure.message)") == []
        if step.panel is not None:
            assert page.evaluate("lab.panel.chosen") == step.panel
    page.get_by_role("button", name="Done").click()
    assert page.locator(".lesson").is_hidden()


def test_a_lesson_can_be_left_and_gone_back_in(visit):
    page = visit()
    page.get_by_role("button", name="Lessons").click()
    page.get_by_role("menuitem").first.click()
    assert page.locator(".lesson").get_by_role("button", name="Back").is_disabled()
    page.get_by_role("button", name="Next", exact=True).click()
    page.get_by_role("button", name="Back", exact=True).click()
    assert "step 1 of" in page.locator(".lesson-name").inner_text()
    page.keyboard.press("Escape")
    assert page.locator(".lesson").is_hidden()
    settle(page)
    assert len(points(page)["x"]) > 0
