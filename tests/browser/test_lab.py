"""The lab as a person uses it: draw, drag, step, compare, open a file, share, and take things away."""

import re

import pytest

from browser.conftest import PATIENCE, PHONE, choose, count, fitted, give, serious_findings, until

CSV = "size;weight;kind\n" + "".join(f"{i},5;{(i * 7) % 11},25;{'ab'[i > 9]}\n" for i in range(20))
CROSS = {"x": [-1, 1, -1, 1], "y": [-1, 1, 1, -1], "class": [0, 0, 1, 1], "weight": None}
CROSS |= {"names": ["x1", "x2"], "classes": ["blue", "orange"]}


def rows(page):
    return page.evaluate("(({x, y, classes}) => ({x: [...x], y: [...y], class: [...classes]}))(lab.state.dataset)")


def stage(page, index=0):
    """The middle of a stage in pixels, and its size."""
    box = page.locator(".stage").nth(index).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box


def pixel(page, row, index=0):
    """Where a row is drawn on the page."""
    box = page.locator(".stage").nth(index).bounding_box()
    x, y = page.evaluate(
        "([row, index]) => {const {x, y} = lab.state.dataset, at = lab.slots[index].stage.toPixels(x[row], y[row]);"
        "return [at.x ?? at[0], at.y ?? at[1]]}",
        [row, index],
    )
    return box["x"] + x, box["y"] + y


def test_it_opens_with_two_methods_that_have_learnt(lab):
    assert lab.title().endswith("separatrix lab")
    assert lab.locator("article.slot").count() == 2
    assert count(lab) > 0
    assert lab.evaluate("lab.slots.map(slot => slot.result.proof)") == [True, True]


def test_points_are_drawn_erased_and_restored(lab):
    lab.get_by_role("button", name="Clear").click()
    assert count(lab) == 0
    lab.get_by_role("button", name="Draw", exact=True).click()
    x, y, box = stage(lab)
    for code, side in ((0, -0.25), (1, 0.25)):
        lab.locator(".class").nth(code).click()
        lab.mouse.move(x + side * box["width"], y - 40)
        lab.mouse.down()
        lab.mouse.move(x + side * box["width"], y + 40, steps=8)
        lab.mouse.up()
    fitted(lab)
    drawn = count(lab)
    assert drawn >= 2
    assert set(rows(lab)["class"]) == {0, 1}
    assert lab.evaluate("lab.slots.map(slot => slot.result.wrong)") == [[], []]

    lab.get_by_role("button", name="Erase").click()
    lab.mouse.move(x + 0.25 * box["width"], y - 60)
    lab.mouse.down()
    lab.mouse.move(x + 0.25 * box["width"], y + 60, steps=12)
    lab.mouse.up()
    assert count(lab) < drawn
    lab.get_by_role("button", name="Undo").click()
    assert count(lab) == drawn
    lab.get_by_role("button", name="Redo").click()
    assert count(lab) < drawn
    lab.keyboard.press("Control+z")
    fitted(lab)
    assert count(lab) == drawn


def test_a_point_that_is_dragged_is_learnt_at_its_new_place(lab):
    give(lab, CROSS | {"class": [0, 1, 0, 1]})
    before = lab.evaluate("JSON.stringify(lab.slots[1].result.planes)")
    lab.get_by_role("button", name="Move", exact=True).click()
    x, y = pixel(lab, 1)
    lab.mouse.move(x, y)
    lab.mouse.down()
    lab.mouse.move(x - 30, y - 5, steps=10)
    lab.mouse.up()
    fitted(lab)
    moved = rows(lab)
    assert moved["x"][1] < 1
    assert [moved["x"][row] for row in (0, 2, 3)] == [-1, -1, 1]
    assert lab.evaluate("JSON.stringify(lab.slots[1].result.planes)") != before


def test_a_run_is_played_stepped_and_scrubbed(visit):
    page = visit(reduced_motion="no-preference")
    choose(page, "perceptron, online")
    frames = page.evaluate("lab.slots[0].frames.length")
    assert frames > 2
    page.get_by_role("button", name="To the start").click()
    assert page.evaluate("lab.slots[0].shown.number") == 0
    assert page.locator(".sentence").inner_text() == page.evaluate("lab.slots[0].frames[0].text")
    page.get_by_role("button", name="One step on").click()
    assert page.evaluate("lab.slots[0].shown === lab.slots[0].frames[1]")
    page.get_by_role("button", name="One step back").click()
    assert page.evaluate("lab.timeline.position") == 0
    page.locator("input.scrub").fill(str(frames - 2))
    assert page.evaluate("lab.timeline.position") == frames - 2
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="To the start").click()
    page.get_by_role("button", name="Play").click()
    until(page, f"!lab.timeline.playing && lab.timeline.position === {frames - 1}")
    assert page.evaluate("lab.slots[0].finished")


def test_methods_stand_side_by_side_on_the_same_points(lab):
    choose(lab, "perceptron, online", "pocket", "linear SVM", "kernel SVM")
    assert lab.locator("article.slot").count() == 4
    calls = lab.evaluate("lab.slots.map(slot => slot.begun.call)")
    assert [call.split("(")[0] for call in calls] == ["Perceptron", "PocketPerceptron", "LinearSVM", "KernelSVM"]
    assert all(lab.evaluate("lab.slots.map(slot => slot.stage.describe())"))
    lab.get_by_role("button", name="Take method D away").click()
    assert lab.locator("article.slot").count() == 3
    lab.get_by_role("combobox", name="Method A").select_option("nu-SVM")
    fitted(lab)
    assert lab.evaluate("lab.slots[0].begun.call").startswith("NuSVM(")


def test_classes_that_overlap_are_proved_to_by_rows_and_a_point(lab):
    give(lab, CROSS)
    lab.get_by_role("tab", name="Separable?").click()
    until(lab, "document.querySelector('.verdict')?.dataset.kind === 'overlap'")
    proof = lab.locator(".pairs").inner_text()
    assert set(re.findall(r"row \d", proof)) == {"row 1", "row 2", "row 3", "row 4"}
    assert re.search(r"the same point: \(-?0, -?0\)", proof)


def open_file(page, name, text):
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/csv", "buffer": text.encode()})


def test_a_file_is_opened_and_its_columns_are_chosen(lab):
    open_file(lab, "fruit.csv", CSV)
    until(lab, "lab.state.dataset.x.length === 20")
    fitted(lab)
    assert lab.evaluate("lab.state.dataset.names") == ["size", "weight"]
    assert lab.evaluate("lab.state.dataset.labels") == ["a", "b"]
    assert rows(lab)["x"][3] == 3.5
    strip = lab.get_by_role("group", name="Columns of fruit.csv")
    strip.get_by_label("across").select_option("weight")
    strip.get_by_label("up").select_option("size")
    until(lab, "lab.state.dataset.names[0] === 'weight'")
    fitted(lab)
    assert rows(lab)["y"][3] == 3.5


@pytest.mark.parametrize(
    ("name", "text", "word"),
    [
        ("words.csv", "a,b\nx,y\nz,w\n", "words.csv"),
        ("empty.csv", "", "empty.csv"),
        ("ragged.csv", "a,b,c\n1,2,3\n4,5\n6,7,8,9\n", "ragged.csv"),
        ("picture.png", "\x89PNG\r\n", "picture.png"),
    ],
)
def test_a_bad_file_is_a_sentence_and_the_points_stay(lab, name, text, word):
    before = rows(lab)
    open_file(lab, name, text)
    toast = lab.locator("#toasts").get_by_text(word).first
    toast.wait_for()
    assert rows(lab) == before
    assert "mistake in the lab" not in lab.locator("#toasts").inner_text()


def test_a_link_holds_the_whole_state(visit):
    page = visit()
    give(
        page,
        {
            "x": [0.5, -1.25, 3],
            "y": [2, 0.125, -1],
            "class": [0, 1, 2],
            "weight": [1, 2, 0.5],
            "names": ["a", "b"],
            "classes": ["red", "green", "blue"],
        },
    )
    choose(page, {"method": "linear SVM", "options": {"C": 10}}, "Gaussian discriminant")
    page.evaluate("lab.setSeed(7)")
    fitted(page)
    link = page.evaluate("lab.link()")
    assert link["exact"]
    other = visit(link["hash"])
    same = (
        "JSON.stringify([[...lab.state.dataset.x], [...lab.state.dataset.y], [...lab.state.dataset.classes], "
        "[...(lab.state.dataset.weights ?? [])], lab.state.dataset.labels, lab.state.slots, lab.state.seed])"
    )
    assert other.evaluate(same) == page.evaluate(same)
    assert other.evaluate("lab.slots.map(slot => slot.result.planes)") == page.evaluate(
        "lab.slots.map(slot => slot.result.planes)"
    )


def test_a_bad_link_is_refused_with_a_sentence(visit):
    page = visit("#p=!!!!")
    assert page.locator("article.slot").count() == 2
    page.locator("#toasts > *").first.wait_for()


def test_everything_is_there_for_a_keyboard_alone(lab):
    give(lab, CROSS | {"class": [0, 1, 0, 1]})
    reached = set()
    for _ in range(120):
        lab.keyboard.press("Tab")
        reached.add(
            lab.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText ?? ''")
        )
    words = " ".join(reached)
    for name in ("To the points", "Undo", "Points", "Compare", "Lessons", "Share", "Draw", "Erase", "Move", "Play"):
        assert name in words, name
    lab.locator(".stage [tabindex]").first.focus()
    before = count(lab)
    lab.keyboard.press("b")
    lab.keyboard.press("ArrowRight")
    lab.keyboard.press("Enter")
    fitted(lab)
    assert count(lab) == before + 1
    lab.keyboard.press("Control+z")
    assert count(lab) == before
    fitted(lab)
    position = lab.evaluate("lab.timeline.position")
    lab.keyboard.press(",")
    assert lab.evaluate("lab.timeline.position") == max(0, position - 1)


def test_it_fits_a_phone(visit):
    page = visit(viewport=PHONE, has_touch=True, is_mobile=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    box = page.locator(".stage").first.bounding_box()
    assert box["width"] >= 0.8 * PHONE["width"]
    assert box["height"] >= 200
    before = count(page)
    page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    until(page, f"lab.state.dataset.x.length > {before}")
    fitted(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_finding_of_axe(visit, scheme):
    page = visit(color_scheme=scheme)
    assert serious_findings(page) == []
    for tab in page.get_by_role("tab").all():
        tab.click()
        assert serious_findings(page) == []
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    light = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert (light > 128) == (scheme == "light")


def test_no_serious_finding_of_axe_on_a_phone(visit):
    assert serious_findings(visit(viewport=PHONE, has_touch=True, is_mobile=True)) == []


def test_reduced_motion_shows_the_end_at_once(visit):
    still, moving = visit(reduced_motion="reduce"), visit(reduced_motion="no-preference")
    assert still.evaluate("!lab.timeline.playing && lab.slots[0].finished")
    assert moving.evaluate("lab.timeline.playing || lab.timeline.count < 2 || lab.slots[0].finished")


def test_the_page_comes_back_after_the_connection_was_lost(visit):
    page = visit()
    page.evaluate("lab.connection.socket.close()")
    until(page, "lab.connection.open")
    give(page, CROSS)
    assert page.evaluate("lab.slots[0].result !== null")


def test_a_replay_plays_offline(visit, browser, tmp_path):
    page = visit()
    choose(page, "perceptron, online")
    page.get_by_role("tab", name="Take away").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Replay (HTML)").click()
    saved = tmp_path / "replay.html"
    download.value.save_as(saved)
    context = browser.new_context(offline=True)
    replay = context.new_page()
    wrong, asked = [], []
    replay.on("console", lambda line: wrong.append(line.text))
    replay.on("pageerror", lambda error: wrong.append(str(error)))
    replay.on("request", lambda request: asked.append(request.url[:80]))
    replay.goto(saved.as_uri())
    replay.set_default_timeout(PATIENCE)
    replay.get_by_role("button", name="Play").wait_for()
    first = replay.locator(".sentence").inner_text()
    replay.get_by_role("button", name="To the start").click()
    replay.get_by_role("button", name="One step on").click()
    assert replay.locator(".sentence").inner_text() == page.evaluate("lab.slots[0].frames[1].text")
    assert first
    assert wrong == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    context.close()
