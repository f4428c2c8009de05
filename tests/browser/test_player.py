"""A recorded run, saved as one file, plays in a browser that is offline, from the file alone."""

import json
import re

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from separatrix.lab.answers import answers
from separatrix.lab.player import page as player_page


def recorded(method, theme="light"):
    """The HTML of a run of a method on two groups of points that overlap a little."""
    X, y = make_blobs(40, centers=[[2.0, 3.0], [4.0, 3.5]], cluster_std=0.5, random_state=1)
    points = {
        "x": X[:, 0].round(3).tolist(),
        "y": X[:, 1].round(3).tolist(),
        "class": y.tolist(),
        "weight": None,
        "names": ["x1", "x2"],
        "classes": ["blue", "orange"],
    }
    message = {"id": 1, "do": "replay", "data": points, "method": method, "options": {}, "seed": 0, "theme": theme}
    (answer,) = answers(message)
    return answer["html"]


def recording_of(html):
    return json.loads(re.search(r'<script type="application/json" id="recording">(.*?)</script>', html, re.S)[1])


@pytest.fixture
def play(browser, tmp_path):
    """Opens a saved page offline; at the end nothing may have been asked of a network, nor said on the console."""
    wrong, contexts = [], []

    def opened(html, **how):
        path = tmp_path / "replay.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(offline=True, viewport={"width": 900, "height": 800}, **how)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
        page.goto(path.as_uri())
        page.locator(".play").wait_for()
        return page

    yield opened
    for context in contexts:
        context.close()
    assert wrong == []


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def test_steps_show_the_sentence_of_each_frame_and_the_proof_at_the_end(play):
    html = recorded("perceptron, online")
    run = recording_of(html)
    page = play(html)
    frames = run["frames"]
    assert len(frames) > 3
    sentence = page.locator(".sentence")
    assert sentence.inner_text() == frames[0]["text"]
    assert page.locator(".certificate").is_hidden()
    press(page, "One step on")
    press(page, "One step on")
    assert sentence.inner_text() == frames[2]["text"]
    press(page, "One step back")
    assert sentence.inner_text() == frames[1]["text"]
    press(page, "To the end")
    assert sentence.inner_text() == frames[-1]["text"]
    assert page.locator(".certificate pre").inner_text() == run["result"]["certificate"]["lines"]
    press(page, "To the start")
    assert page.locator(".certificate").is_hidden()


def test_playing_reaches_the_end_and_the_scrubber_goes_anywhere(play):
    html = recorded("perceptron, online")
    frames = recording_of(html)["frames"]
    page = play(html)
    page.get_by_label("Step of the run").fill("2")
    assert page.locator(".sentence").inner_text() == frames[2]["text"]
    page.get_by_label("Speed").select_option("4")
    press(page, "Play")
    page.locator(".certificate").wait_for(timeout=20_000)
    assert page.locator(".sentence").inner_text() == frames[-1]["text"]


def test_the_plane_at_the_end_is_drawn_where_the_result_has_it(play):
    html = recorded("linear SVM")
    result = recording_of(html)["result"]
    page = play(html)
    press(page, "To the end")
    described = page.locator('[role="application"]')
    described.wait_for()
    w1, w2, b = result["planes"][0]
    page.wait_for_timeout(400)
    text = described.get_attribute("aria-label").replace("−", "-")
    found = re.search(r"The line (\S+) x1 ([+-]) (\S+) x2 ([+-]) (\S+) = 0", text)
    numbers = [float(found[1]), float(found[2] + found[3]), float(found[4] + found[5])]
    np.testing.assert_allclose(numbers, [w1, w2, b], rtol=1e-3)
    assert f"{len(result['support']['rows'])} support rows" in text


def test_keys_step_and_play(play):
    html = recorded("perceptron, online")
    frames = recording_of(html)["frames"]
    page = play(html)
    page.keyboard.press("ArrowRight")
    assert page.locator(".sentence").inner_text() == frames[1]["text"]
    page.keyboard.press("ArrowLeft")
    assert page.locator(".sentence").inner_text() == frames[0]["text"]
    page.keyboard.press(" ")
    page.get_by_role("button", name="Pause").wait_for()


def test_a_phone_shows_it_without_scrolling_sideways_in_the_dark(play):
    page = play(recorded("linear SVM", theme=""), color_scheme="dark")
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 23, 27)"


def test_text_of_the_points_cannot_become_markup(play):
    recording = recording_of(recorded("linear SVM"))
    recording["title"] = "</title><b>x</b>"
    recording["data"]["names"] = ["</script><i>a</i>", "b"]
    recording["data"]["classes"] = ["<u>one</u>", "two"]
    page = play(player_page(recording))
    assert page.locator("b, i, u").count() == 0
    assert "<u>one</u>" in page.locator(".legend").inner_text()
