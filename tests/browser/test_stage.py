"""The stage: tools make the right edits, and what is drawn is what the numbers of the library say."""

import struct
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from browser.drawing import HEIGHT, WIDTH, classes_drawn, drawing, edits, give, inks, pixels, tone
from separatrix import LogisticClassifier
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.decoding import votes
from separatrix.report.page import theme

X = np.array([[-1.0, -1.0], [-0.5, 0.25], [0.0, 1.0], [1.0, -0.5], [1.5, 1.0]])
CODES = np.array([0, 0, 1, 1, 1])
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def page(browser):
    with drawing(browser) as page:
        give(page, X, CODES)
        yield page


def tool(page, name, klass=0, size=0.04):
    page.evaluate("tool => stage.setTool(tool)", {"name": name, "klass": klass, "size": size})


def screen_grid(step=9):
    """Pixels all over the plot, away from its frame."""
    across, up = np.meshgrid(np.arange(70, WIDTH - 24, step), np.arange(20, HEIGHT - 54, step))
    return np.column_stack([across.ravel(), up.ravel()]).astype(float)


def data_at(page, places):
    return np.array(page.evaluate("at => at.map(([x, y]) => stage.toData(x, y))", places.tolist()))


def clear_of_borders(scores, gradients, page, distance=3.0):
    """Which points are farther than some pixels from where another class takes the lead."""
    order = np.argsort(scores, axis=1)
    rows = np.arange(len(scores))
    slope = np.linalg.norm(gradients[order[:, -1]] - gradients[order[:, -2]], axis=-1)
    scale = page.evaluate("stage.scene.view.sx")
    return (scores[rows, order[:, -1]] - scores[rows, order[:, -2]]) / slope * scale > distance


def test_a_click_of_the_brush_adds_a_point_of_its_class_there(page):
    tool(page, "brush", klass=2)
    page.mouse.click(*pixels(page, [[0.5, 0.5]])[0])
    added, end = edits(page)
    assert added["kind"] == "add"
    assert end == {"kind": "end"}
    (point,) = added["points"]
    assert point["class"] == 2
    assert [point["x"], point["y"]] == pytest.approx([0.5, 0.5], abs=1 / page.evaluate("stage.scene.view.sx"))


def test_a_stroke_sprays_points_at_a_spacing_within_the_brush(page):
    tool(page, "brush", klass=1, size=0.05)
    (start, end) = pixels(page, [[-1.5, -1.5], [1.5, -1.5]])
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=7)
    page.mouse.up()
    changes = edits(page)
    assert [change["kind"] for change in changes][-1] == "end"
    points = np.array([[p["x"], p["y"]] for change in changes[:-1] for p in change["points"]])
    reach = 0.05 * page.evaluate("Math.min(stage.scene.view.plot.width, stage.scene.view.plot.height)")
    length = float(np.hypot(*(end - start)))
    assert len(points) == 1 + int(length / (0.9 * reach))
    assert np.abs(pixels(page, points)[:, 1] - start[1]).max() <= reach


def test_the_eraser_removes_the_rows_within_its_circle_only(page):
    tool(page, "erase", size=0.1)
    reach = 0.1 * page.evaluate("Math.min(stage.scene.view.plot.width, stage.scene.view.plot.height)")
    where = pixels(page, X)
    place = where[1] + [0.9 * reach, 0]
    page.mouse.click(*place)
    expected = np.flatnonzero(np.hypot(*(where - place).T) <= reach).tolist()
    assert expected == [1]
    assert edits(page) == [{"kind": "remove", "rows": expected}, {"kind": "end"}]


def test_a_drag_moves_the_nearest_point_to_the_pointer_and_ends_once(page):
    tool(page, "drag")
    start, end = pixels(page, [X[3], [0.25, 0.75]])
    page.mouse.move(*(start + 5))
    page.mouse.down()
    page.mouse.move(*(end + 5), steps=12)
    page.mouse.up()
    *moves, last = edits(page)
    assert last == {"kind": "end"}
    assert {(move["kind"], *move["rows"]) for move in moves} == {("move", 3)}
    assert 1 <= len(moves) <= 13
    assert [moves[-1]["x"][0], moves[-1]["y"][0]] == pytest.approx([0.25, 0.75], abs=1e-9)


def test_moves_come_at_most_once_a_frame_of_the_screen(page):
    tool(page, "drag")
    x, y = pixels(page, X)[3]
    sent = page.evaluate(
        """async ([x, y]) => {
          const root = stage.screen.root;
          const fire = (name, dx) => root.dispatchEvent(
            new PointerEvent(name, {clientX: x + dx, clientY: y, pointerId: 1, button: 0}));
          root.setPointerCapture = () => {};
          fire("pointerdown", 0);
          for (let k = 1; k <= 40; k++) fire("pointermove", k);
          const before = edits.length;
          await settled();
          const after = edits.length;
          fire("pointerup", 40);
          return [before, after, edits.length];
        }""",
        [float(x), float(y)],
    )
    assert sent == [0, 1, 2]  # the newest of forty, then the end


def test_weights_double_with_a_drag_of_sixty_pixels_upwards(page):
    tool(page, "weight")
    x, y = pixels(page, X)[0]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 60, steps=4)
    page.mouse.up()
    *changes, end = edits(page)
    assert changes[-1] == {"kind": "weight", "rows": [0], "weights": [2]}
    assert end == {"kind": "end"}
    assert page.evaluate("Array.from(data.weights)") == [2, 1, 1, 1, 1]


def touch(session, kind, points):
    session.send(
        "Input.dispatchTouchEvent",
        {"type": kind, "touchPoints": [{"x": float(x), "y": float(y), "id": k} for k, (x, y) in enumerate(points)]},
    )


def test_one_finger_draws_and_two_zoom_without_drawing(browser):
    with drawing(browser, has_touch=True) as page:
        give(page, X, CODES)
        session = page.context.new_cdp_session(page)
        place = pixels(page, [[0.3, 0.3]])[0]
        touch(session, "touchStart", [place])
        touch(session, "touchEnd", [])
        page.evaluate("settled()")
        assert [change["kind"] for change in edits(page)] == ["add", "end"]
        before = page.evaluate("stage.view")
        touch(session, "touchStart", [(300, 250), (400, 250)])
        for k in range(1, 6):
            touch(session, "touchMove", [(300 - 10 * k, 250), (400 + 10 * k, 250)])
        touch(session, "touchEnd", [])
        page.evaluate("settled()")
        after = page.evaluate("stage.view")
        assert edits(page) == []
        ratio = (before["right"] - before["left"]) / (after["right"] - after["left"])
        assert ratio == pytest.approx(2.0, rel=1e-6)  # from 100 to 200 pixels


def test_looking_pans_by_what_the_pointer_moved(page):
    tool(page, "look")
    before = pixels(page, [[0.0, 0.0]])[0]
    page.mouse.move(300, 200)
    page.mouse.down()
    page.mouse.move(340, 170, steps=5)
    page.mouse.up()
    assert pixels(page, [[0.0, 0.0]])[0] - before == pytest.approx([40, -30])
    assert edits(page) == []


def test_a_keyboard_alone_adds_moves_and_erases_points(page):
    tool(page, "brush", klass=1)
    page.evaluate("stage.screen.root.focus()")
    for key in ["ArrowRight", "ArrowRight", "ArrowUp", "Enter"]:
        page.keyboard.press(key)
    added, end = edits(page)
    step = 0.025 * page.evaluate("Math.min(stage.scene.view.plot.width, stage.scene.view.plot.height)")
    middle = page.evaluate("(({x, y, width, height}) => [x + width / 2, y + height / 2])(stage.scene.view.plot)")
    at = pixels(page, [[added["points"][0]["x"], added["points"][0]["y"]]])[0]
    assert at == pytest.approx([middle[0] + 2 * step, middle[1] - step])
    assert added["points"][0]["class"] == 1
    assert end == {"kind": "end"}
    for key in ["m", "ArrowLeft", "m"]:
        page.keyboard.press(key)
    moved, end = edits(page)
    assert (moved["kind"], moved["rows"], end["kind"]) == ("move", [5], "end")
    assert pixels(page, [[moved["x"][0], moved["y"][0]]])[0] == pytest.approx(at - [step, 0])
    page.keyboard.press("Delete")
    assert edits(page) == [{"kind": "remove", "rows": [5]}, {"kind": "end"}]
    said = page.evaluate("said")
    assert "Added a point of orange" in " ".join(said)
    assert said[-1] == "Erased row 5 of orange."


def test_a_stage_to_look_at_takes_no_edit(page):
    page.evaluate("stage.told.readOnly = true")
    page.mouse.click(300, 200)
    page.evaluate("stage.screen.root.focus()")
    for key in ["ArrowUp", "Enter", "Delete", "m"]:
        page.keyboard.press(key)
    assert edits(page) == []


def test_points_are_drawn_in_the_colour_of_their_class_where_they_are(page):
    seen = inks(page, "points", pixels(page, X))
    assert np.abs(seen[:, :3] - [tone(f"c{code + 1}") for code in CODES]).max() <= 2
    assert seen[:, 3].min() == 255


def test_a_change_of_the_theme_is_drawn_at_once(page):
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.evaluate("settled()")
    seen = inks(page, "points", pixels(page, X[:1]))
    assert np.abs(seen[0, :3] - tone("c1", theme.DARK)).max() <= 2


@pytest.fixture(scope="module")
def five():
    points, codes = make_blobs(120, centers=5, cluster_std=1.2, random_state=4)
    return points / 8.0, codes


def test_regions_of_five_classes_are_where_the_library_predicts_them(page, five):
    points, codes = five
    model = LogisticClassifier(C=1.0).fit(points, codes)
    give(page, points, codes)
    planes = np.column_stack([model.coef_, model.intercept_])
    page.evaluate("planes => { stage.showResult({planes, margin: null, wrong: []}); }", planes.tolist())
    page.evaluate("settled()")
    places = screen_grid()
    where = data_at(page, places)
    clear = clear_of_borders(model.decision_function(where), model.coef_, page)
    assert clear.mean() > 0.9
    assert len(set(model.predict(where[clear]))) == 5
    np.testing.assert_array_equal(classes_drawn(page, places[clear]), model.predict(where[clear]))


def test_regions_by_votes_are_where_the_votes_of_the_library_are(page, five):
    points, codes = five
    give(page, points, codes)
    code = one_vs_one(5)
    pairs = [[int(np.flatnonzero(own < 0)[0]), int(np.flatnonzero(own > 0)[0])] for own in code.T]
    rng = np.random.default_rng(3)
    P = np.column_stack([rng.normal(size=(10, 2)), 0.5 * rng.normal(size=10)])  # so that many votes are tied
    page.evaluate("([planes, pairs]) => stage.showResult({planes, pairs, wrong: []})", [P.tolist(), pairs])
    page.evaluate("settled()")
    places = screen_grid(step=7)
    where = data_at(page, places)
    scores = where @ P[:, :2].T + P[:, 2]
    pixel = 1 / page.evaluate("stage.scene.view.sx")
    counts = votes(scores, code)
    tied = counts.round() == counts.round().max(axis=1, keepdims=True)
    sums = np.where(tied, scores @ code.T, -np.inf)  # settle ties; where two are equal is a border as well
    second, first = np.argsort(sums, axis=1)[:, -2:].T
    rows = np.arange(len(sums))
    slopes = np.linalg.norm((code @ P[:, :2])[first] - (code @ P[:, :2])[second], axis=1)
    clear = (np.abs(scores) / np.linalg.norm(P[:, :2], axis=1)).min(axis=1) > 3 * pixel
    clear &= (sums[rows, first] - sums[rows, second]) / slopes > 3 * pixel
    assert (clear & (tied.sum(axis=1) > 1)).sum() > 50
    np.testing.assert_array_equal(classes_drawn(page, places[clear]), counts[clear].argmax(axis=1))


def test_the_line_and_its_margins_are_drawn_where_the_scores_are_0_and_the_margin(page):
    w, b, margin = np.array([1.5, -0.8]), 0.2, 0.6
    page.evaluate(
        "([w, b, margin]) => stage.showResult({planes: [[...w, b]], margin, wrong: [], support: null})",
        [w.tolist(), b, margin],
    )
    page.evaluate("settled()")
    along = np.array([-w[1], w[0]]) / np.linalg.norm(w)
    foot = -b * w / (w @ w)
    line = foot + np.linspace(-1.2, 1.2, 25)[:, None] * along
    assert inks(page, "under", pixels(page, line))[:, 3].min() > 80  # a tint has 33
    for level in (-margin, margin):
        shifted = pixels(page, foot + level * w / (w @ w) + np.linspace(-1.2, 1.2, 200)[:, None] * along)
        dashes = (inks(page, "under", shifted)[:, 3] > 100).mean()
        assert 0.4 < dashes < 0.95
    between = pixels(page, foot + 0.5 * margin * w / (w @ w) + np.linspace(-1.2, 1.2, 200)[:, None] * along)
    assert inks(page, "under", between)[:, 3].max() < 60


def ring_field(nx=31, ny=27):
    """A score that is positive within the unit circle, and in a corner."""
    across, up = np.meshgrid(np.linspace(-2, 2, nx), np.linspace(-2, 2, ny))
    scores = np.maximum(1 - across**2 - up**2, across + up - 3.13)
    return {"nx": nx, "ny": ny, "view": [-2, 2, -2, 2], "scores": [scores.ravel().tolist()]}, scores


def test_the_zero_line_of_a_field_runs_where_the_score_changes_its_sign(page):
    field, scores = ring_field()
    lines = page.evaluate("field => modules.field.contour(field, 0)", field)
    closed = [line for line in lines if line[:2] == line[-2:]]
    assert (len(lines), len(closed)) == (2, 1)  # a circle, and a line across the corner
    points = np.concatenate([np.array(line).reshape(-1, 2) for line in lines])
    grid = (points + 2) / 4 * [field["nx"] - 1, field["ny"] - 1]
    on_edge = np.abs(grid - grid.round()).min(axis=1) < 1e-9
    assert on_edge.all()  # each corner of the line lies between two neighbours of the grid, of unlike signs
    low, high = np.floor(grid + 1e-9).astype(int), np.ceil(grid - 1e-9).astype(int)
    signs = (scores[low[:, 1], low[:, 0]] >= 0) != (scores[high[:, 1], high[:, 0]] >= 0)
    assert signs.all()
    part = np.abs(grid - low).sum(axis=1)
    between = scores[low[:, 1], low[:, 0]] * (1 - part) + scores[high[:, 1], high[:, 0]] * part
    np.testing.assert_allclose(between, 0, atol=1e-9)
    crossed = (np.diff(scores >= 0, axis=1) != 0).sum() + (np.diff(scores >= 0, axis=0) != 0).sum()
    assert len(points) - len(closed) == crossed  # and there is one on every such edge


def test_a_field_is_tinted_by_the_class_that_leads_at_each_point_of_the_grid(page):
    rng = np.random.default_rng(0)
    field, scores = ring_field()
    several = np.stack([scores, rng.normal(size=scores.shape), rng.normal(size=scores.shape) / 2])
    field["scores"] = several.reshape(3, -1).tolist()
    codes = np.array([0, 1, 3, 3, 1])  # three classes, of codes that are not in a row
    give(page, X, codes)
    page.evaluate("field => stage.showResult({field, wrong: []})", field)
    page.evaluate("stage.setLayers({alphas: false})")
    page.evaluate("settled()")
    across, up = np.meshgrid(np.linspace(-2, 2, field["nx"]), np.linspace(-2, 2, field["ny"]))
    ordered = np.sort(several, axis=0)
    sure = (ordered[-1] - ordered[-2] > 1.0)[1:-1, 1:-1].ravel()
    inner = np.column_stack([across[1:-1, 1:-1].ravel(), up[1:-1, 1:-1].ravel()])[sure]
    expected = np.array([0, 1, 3])[several.argmax(axis=0)[1:-1, 1:-1].ravel()[sure]]
    drawn = classes_drawn(page, pixels(page, inner))
    plain = drawn >= 0  # not under a line
    assert plain.mean() > 0.8
    np.testing.assert_array_equal(drawn[plain], expected[plain])


def test_saddles_of_a_field_are_filled_as_their_lines_say(page):
    for corners, pieces, polygons in (
        ([1, -1, -1, 1], 2, 1),  # at the mean 0 both corners meet
        ([1, -2, -2, 1], 2, 2),
        ([-2, 1, 1, -2], 2, 2),
        ([-1, 2, 2, -1], 2, 1),
    ):
        field = {"nx": 2, "ny": 2, "view": [0, 1, 0, 1], "scores": [corners]}
        found = page.evaluate("field => modules.field.march(field, field.scores[0], 0)", field)
        assert (len(found["pieces"]) // 4, len(found["polygons"])) == (pieces, polygons)
        edges = [edge for each in found["polygons"] for edge in edges_of(np.array(each).reshape(-1, 2))]
        for piece in np.array(found["pieces"]).reshape(-1, 2, 2):
            assert any(np.allclose(piece, edge) or np.allclose(piece, edge[::-1]) for edge in edges)
        area = sum(polygon_area(np.array(each).reshape(-1, 2)) for each in found["polygons"])
        share = found_share(np.array(corners, dtype=float))
        assert area == pytest.approx(share, abs=1e-12)


def edges_of(corners):
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)


def polygon_area(corners):
    x, y = corners.T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def found_share(corners):
    """The area of a unit cell with two opposite corners inside: all but two triangles where these meet, else two."""
    positive, negative = corners.max(), -corners.min()
    leg = positive / (positive + negative)
    return 1 - (1 - leg) ** 2 if corners.sum() >= 0 else leg**2


def test_wrong_rows_of_a_frame_are_those_that_its_planes_misclassify(page):
    planes = [[1.0, 1.0, -0.8]]
    page.evaluate(
        "planes => stage.show({number: 1, planes, text: 'A step.', rows: [2], rivals: [0]}, {instant: true})", planes
    )
    expected = np.flatnonzero((X.sum(axis=1) - 0.8 > 0) != (CODES == 1)).tolist()
    assert expected == [3]
    assert page.evaluate("Array.from(stage.scene.wrong)") == expected
    assert "1 row on the wrong side (3)." in page.evaluate("stage.describe()")


def test_a_plane_between_two_frames_ends_exactly_at_the_true_one(browser):
    first, second = [[1.0, 0.2, 0.1]], [[0.3, 1.0, -0.7]]
    show = "([planes, number]) => { stage.show({number, planes, text: ''}, {}); return stage.tween !== null; }"
    with drawing(browser) as page:
        give(page, X, CODES)
        page.evaluate(show, [first, 1])
        page.wait_for_timeout(300)
        assert page.evaluate(show, [second, 2])
        page.evaluate("(async () => { while (stage.tween) await settled(); })()")
        assert page.evaluate("stage.scene.model.planes") == second
    with drawing(browser, reduced_motion="reduce") as page:
        give(page, X, CODES)
        page.evaluate(show, [first, 1])
        page.wait_for_timeout(300)
        assert not page.evaluate(show, [second, 2])


def test_row_numbers_are_forgotten_when_rows_go(page):
    page.evaluate(
        "stage.showResult({planes: [[1, 0, 0]], wrong: [4], support: {rows: [4], alpha: [1], bounded: [false]}})"
    )
    give(page, X[:3], CODES[:3])
    assert page.evaluate("[stage.scene.wrong.length, stage.scene.support]") == [0, None]
    assert "wrong side" not in page.evaluate("stage.describe()")


def test_other_points_have_no_line_of_those_before(page):
    page.evaluate("stage.showResult({planes: [[1, 0, 0]], margin: 1, wrong: []})")
    give(page, np.vstack([X, [[0.3, 0.3]]]), np.append(CODES, 0))  # one more: the line stays until the answer
    assert page.evaluate("stage.scene.model.planes") == [[1, 0, 0]]
    give(page, X + 0.1, CODES)
    assert page.evaluate("stage.scene.model") is None
    assert "line" not in page.evaluate("stage.describe()")


def test_the_svg_holds_what_is_drawn(page):
    separation = {
        "verdict": "overlap",
        "text": "The classes overlap.",
        "pairs": [{"classes": [0, 1], "witness": {"rows": [0, 2], "weights": [1, 1]}, "meeting": [0.25, 0.5]}],
    }
    result = {
        "planes": [[1.0, 0.0, -0.25]],
        "margin": 0.5,
        "wrong": [2],
        "support": {"rows": [1, 2, 3], "alpha": [0.5, 1.0, 0.2], "bounded": [False, True, False]},
    }
    page.evaluate("([r, s]) => { stage.showResult(r); stage.showSeparation(s); }", [result, separation])
    give(page, X, CODES)
    page.evaluate("data.names[0] = 'a < b & \"c\"'")
    root = ElementTree.fromstring(page.evaluate("stage.toSVG()"))
    kinds = [node.get("class") for node in root.iter(f"{SVG}path")]
    assert root.find(f"{SVG}title").text
    assert "The classes overlap." in root.find(f"{SVG}desc").text
    assert (kinds.count("square"), kinds.count("circle"), kinds.count("broken"), kinds.count("sight")) == (3, 5, 1, 1)
    halos = [node for node in root.iter(f"{SVG}path") if node.get("class") == "circle" and node.get("opacity")]
    assert len(halos) == 3
    assert kinds.count("ring") == 4  # two free support rows, two rows of the proof
    texts = [node.text for node in root.iter(f"{SVG}text")]
    assert 'a < b & "c"' in texts
    x = pixels(page, [[0.25, 0.0]])[0, 0]
    line = next(node for node in root.iter(f"{SVG}path") if node.get("stroke-width") == "2" and not node.get("class"))
    assert line.get("d").startswith(f"M{x:.2f}".rstrip("0").rstrip("."))


def test_the_png_has_twice_the_pixels(page):
    head = page.evaluate(
        "(async () => Array.from(new Uint8Array(await (await stage.toPNG(2)).arrayBuffer()).slice(0, 24)))()"
    )
    assert bytes(head[:4]) == b"\x89PNG"
    assert struct.unpack(">II", bytes(head[16:])) == (2 * WIDTH, 2 * HEIGHT)


def test_lifted_points_lie_on_the_side_of_the_plane_that_the_numbers_say(page):
    rng = np.random.default_rng(1)
    points = rng.normal(size=(40, 3)) * [1, 10, 0.1] + [0, 5, 2]
    plane = np.array([0.5, -0.2, 3.0, -4.0])
    codes = (points @ plane[:3] + plane[3] > 0).astype(int)
    answer = {"axes": ["x1²", "x2²", "√2 x1 x2"], "points": points.tolist(), "plane": plane.tolist(), "text": ""}
    said = page.evaluate(
        """([answer, classes]) => {
          stage.destroy();
          window.lift = new modules.lift.Lift(document.getElementById("host"), {});
          lift.show(answer, {classes, labels: ["blue", "orange"]});
          return lift.describe();
        }""",
        [answer, codes.tolist()],
    )
    assert f"{(codes == 0).sum()} of blue below the plane" in said
    assert f"{(codes == 1).sum()} of orange above the plane" in said
    corners = np.array(page.evaluate("lift.items.section"))
    cube = np.array(page.evaluate("lift.items.plane"))
    assert len(corners) >= 3
    np.testing.assert_allclose(corners @ cube[:3] + cube[3], 0, atol=1e-12)
    assert np.abs(corners).max() <= 1 + 1e-12
    before = page.evaluate("lift.camera.yaw")
    page.mouse.move(300, 200)
    page.mouse.down()
    page.mouse.move(360, 200, steps=3)
    page.mouse.up()
    assert page.evaluate("lift.camera.yaw") != before
    page.evaluate("lift.screen.root.focus()")
    page.keyboard.press("0")
    page.keyboard.press("ArrowLeft")
    home = page.evaluate("lift.camera.yaw")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("lift.camera.yaw") == pytest.approx(home + 0.09)


def test_marks_are_drawn_where_they_are(page):
    hull = [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]]
    marks = [
        {"kind": "polygon", "at": hull, "role": "hull", "class": 1},
        {"kind": "segment", "at": [[-0.5, 0.0], [0.5, 0.5]], "role": "nearest", "label": "distance"},
        {"kind": "segment", "at": [[-9.0, -9.0], [9.0, 9.0]], "role": "step", "label": "the plane now"},
        {"kind": "circle", "at": [[0.5, 0.5]], "radius": 0.75, "role": "ball"},
    ]
    page.evaluate("marks => stage.show({number: 1, text: '', marks}, {instant: true})", marks)
    root = ElementTree.fromstring(page.evaluate("stage.toSVG()"))
    paths = {node.get("d") for node in root.iter(f"{SVG}path") if "a" not in node.get("d").lower()}
    for corners, closed in ((hull, "Z"), (marks[1]["at"], "")):
        wanted = pixels(page, corners)
        assert any(d.endswith(closed) and same_places(coordinates(d), wanted) for d in paths)
    (circle,) = (coordinates(d) for d in paths if d.count("L") == 71)
    middle, scale = pixels(page, [[0.5, 0.5]])[0], page.evaluate("stage.scene.view.sx")
    np.testing.assert_allclose(np.hypot(*(circle - middle).T), 0.75 * scale, atol=0.02)
    texts = {node.text: (float(node.get("x")), float(node.get("y"))) for node in root.iter(f"{SVG}text")}
    assert texts["distance"] == pytest.approx(tuple(pixels(page, [[0.0, 0.25]])[0] + [8, -8]), abs=0.02)
    assert 0 < texts["the plane now"][0] < WIDTH  # at the middle of what is visible
    assert 0 < texts["the plane now"][1] < HEIGHT


def same_places(one, other):
    return one.shape == other.shape and bool(np.allclose(one, other, atol=0.01))


def coordinates(d):
    """The points of a path of straight lines."""
    pairs = d.replace("Z", "").replace("M", " ").replace("L", " ").split()
    return np.array([[float(value) for value in pair.split(",")] for pair in pairs])


def test_the_view_stays_while_points_are_within_and_grows_when_one_is_outside(page):
    page.evaluate("stage.setView(null)")
    before = page.evaluate("stage.view")
    page.evaluate(
        "([x, y, classes]) => give({...data, x, y, classes})", [[*X[:, 0], 0.3], [*X[:, 1], 0.1], [*CODES.tolist(), 0]]
    )
    assert page.evaluate("stage.view") == before
    page.evaluate(
        "([x, y, classes]) => give({...data, x, y, classes})", [[*X[:, 0], 9.0], [*X[:, 1], 0.1], [*CODES.tolist(), 0]]
    )
    assert page.evaluate("stage.view.right") > 9.0


def test_novel_points_are_ringed_and_the_inside_is_tinted(page):
    across, up = np.meshgrid(np.linspace(-2, 2, 41), np.linspace(-2, 2, 41))
    field = {"nx": 41, "ny": 41, "view": [-2, 2, -2, 2], "scores": [(1.3 - np.hypot(across, up)).ravel().tolist()]}
    page.evaluate("field => stage.showResult({field, classes: [], margin: null, wrong: [0, 4]})", field)
    page.evaluate("settled()")
    inside, outside = inks(page, "under", pixels(page, [[0.2, 0.3], [-1.7, 1.7]]))
    assert np.abs(inside[:3] - tone("accent")).max() < 12
    assert outside[3] == 0
    assert "novel" in page.evaluate("stage.describe()")


def test_alphas_at_the_bound_of_their_weight_and_negligible_ones_are_told_apart(page):
    give(page, X, CODES, weights=[1.0, 2.0, 1.0, 1.0, 0.5])
    alpha = {"rows": [0, 1, 2, 3, 4], "values": [3.0, 3.0, 1e-9, 1.0, 1.5], "bound": 3.0}
    page.evaluate("alpha => stage.show({number: 1, text: '', planes: [[1, 0, 0]], alpha}, {instant: true})", alpha)
    found = page.evaluate("stage.scene.support")
    assert found == {"rows": [0, 1, 3, 4], "alpha": [3, 3, 1, 1.5], "bounded": [True, False, False, True]}
    assert "4 support rows: 2 free (whole ring), 2 at the bound (broken ring)." in page.evaluate("stage.describe()")
