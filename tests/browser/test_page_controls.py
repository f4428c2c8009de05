"""Controls send what they show, and show what is refused."""

from browser.conftest import until
from browser.lab_page import FEW, load, settle
from separatrix.lab.menu import rows


def options(page):
    return page.evaluate("lab.state.slots[0].options")


def test_slider_and_field_say_the_same_and_send_it(visit):
    page = visit()
    load(page, FEW)
    slider, field = page.locator(".slot-option input[type=range]"), page.locator(".slot-option input[type=text]")
    slider.press("ArrowRight")
    settle(page)
    assert options(page)["C"] == float(field.input_value())
    assert f"C={options(page)['C']}" in page.evaluate("lab.slots[0].result.call")
    slider.press("End")
    settle(page)
    assert field.input_value() == "∞"
    assert options(page) == {"C": "inf"}
    assert 'C=float("inf")' in page.evaluate("lab.slots[0].result.call")
    slider.press("ArrowLeft")
    assert options(page)["C"] == 10000
    field.fill("0.25")
    field.press("Enter")
    settle(page)
    assert options(page) == {"C": 0.25}
    assert float(slider.get_attribute("aria-valuetext")) == 0.25


def test_panel_and_header_show_the_same_option(visit):
    page = visit()
    load(page, FEW)
    page.get_by_role("tab", name="Options").click()
    field = page.locator(".option-list").get_by_label("C", exact=False).locator("visible=true").first
    page.locator(".slot-option input[type=text]").fill("3")
    page.locator(".slot-option input[type=text]").press("Enter")
    settle(page)
    assert page.locator(".option-list .option.number .value").first.input_value() == "3"
    assert field.count() == 1
    page.locator(".option-list select").first.select_option("squared_hinge")
    settle(page)
    assert options(page) == {"C": 3, "loss": "squared_hinge"}
    assert "squared_hinge" in page.evaluate("lab.slots[0].result.call")


def test_what_is_no_number_is_refused_at_the_control(visit):
    page = visit()
    load(page, FEW)
    page.get_by_role("tab", name="Options").click()
    field = page.locator(".option-list .option.number .value").first
    field.fill("much")
    field.press("Enter")
    assert '"much"' in page.locator(".option-list .mistake").first.inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    assert options(page) == {}
    field.fill("-1")
    field.press("Enter")
    until(page, "lab.slots[0].failure !== null")
    assert "'C'" in page.locator(".option-list .mistake").first.inner_text()
    assert "No fit" in page.locator(".slot-foot").inner_text()


def test_errors_over_an_option_are_drawn_behind_its_slider(visit):
    page = visit()
    load(page, {"toy": {"name": "overlap", "seed": 1, "n": 40}, "slots": FEW["slots"], "seed": 0})
    page.get_by_role("tab", name="Options").click()
    until(page, "Boolean(document.querySelector('.option-list .lines.errors'))")
    assert "cross-validation" in page.locator(".lines.errors").get_attribute("aria-label")


def test_methods_are_those_of_the_registry_and_each_says_how_it_stands(visit):
    page = visit()
    load(page, FEW)
    names = page.evaluate("lab.methods.map(({name}) => name)")
    shown = page.locator(".slot .method option").evaluate_all("(all) => all.map(({value}) => value)")
    assert sorted(shown) == sorted(names) == sorted(row.name for row in rows())
    for name in ("pocket", "Fisher's discriminant", "reduced hulls"):
        page.locator(".slot .method").select_option(name)
        settle(page)
        assert page.evaluate("lab.state.slots[0].method") == name
        assert page.locator(".slot-foot .badge").inner_text() in ("Proved", "Not proved")


def test_methods_beside_one_another_learn_the_same_points(visit):
    page = visit()
    load(page, FEW)
    for number in (2, 3, 4):
        page.get_by_role("button", name="Compare").click()
        settle(page)
        assert page.locator(".slot").count() == number
    assert page.get_by_role("button", name="Compare").is_disabled()
    assert len(set(page.evaluate("lab.state.slots.map(({method}) => method)"))) == 4
    page.get_by_role("button", name="Take method B away").click()
    settle(page)
    assert page.evaluate("lab.slots.map(({result, question}) => [result.kind, question.method])") == [
        ["result", method] for method in page.evaluate("lab.state.slots.map(({method}) => method)")
    ]
    assert page.locator(".slot").count() == 3
