"""A page with one stage and nothing else, in a real Chromium; its files come from the package, none from a network."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page, Route, sync_playwright

import separatrix.lab
from separatrix.report.page import theme

PAGE = Path(separatrix.lab.__file__).parent / "page"
ORIGIN = "http://stage.test"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WIDTH, HEIGHT = 700, 520

POLICY = "default-src 'none'; script-src 'nonce-n' 'self'; style-src 'nonce-n'"
MARKUP = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>stage</title>
<link rel="icon" href="data:,"><meta http-equiv="Content-Security-Policy" content="POLICY">
<script type="importmap" nonce="n">IMPORTS</script>
<style nonce="n">:root { LIGHT } [data-theme=dark] { DARK } body { margin: 0; background: var(--paper) }
#host { width: WIDTHpx; height: HEIGHTpx }</style></head><body><div id="host"></div>
<script nonce="n">window.ready = new Promise((done) => { window.isReady = done; });</script>
<script type="module" nonce="n">
import {Stage} from "lab/stage.js";
window.modules = {};
for (const name of ["field", "lift"]) window.modules[name] = await import(`lab/${name}.js`);
window.edits = [];
window.said = [];
const numbers = (data) => ({...data, x: Float64Array.from(data.x), y: Float64Array.from(data.y),
  classes: Uint8Array.from(data.classes), weights: data.weights ? Float64Array.from(data.weights) : null});
window.give = (data) => stage.setData(window.data = numbers(data));
const kept = (values, rows) => Array.from(values).filter((_, row) => !rows.includes(row));
// What the owner of a stage does with an edit.
const owner = {
  add: (d, {points}) => ({...d, x: [...d.x, ...points.map((p) => p.x)], y: [...d.y, ...points.map((p) => p.y)],
    classes: [...d.classes, ...points.map((p) => p.class)]}),
  remove: (d, {rows}) => ({...d, x: kept(d.x, rows), y: kept(d.y, rows), classes: kept(d.classes, rows)}),
  move: (d, {rows, x, y}) => { rows.forEach((row, k) => { d.x[row] = x[k]; d.y[row] = y[k]; }); return d; },
  weight: (d, {rows, weights}) => {
    d.weights ??= new Float64Array(d.x.length).fill(1);
    rows.forEach((row, k) => { d.weights[row] = weights[k]; });
    return d;
  },
  end: (d) => d,
};
window.stage = new Stage(document.getElementById("host"), {
  onEdit: (change) => { edits.push(change); give(owner[change.kind](structuredClone(window.data), change)); },
  onSay: (text) => said.push(text)});
window.inks = (layer, places) => { // red, green, blue and opacity of pixels of a layer
  const pen = stage.screen.pens[stage.screen.layers.indexOf(layer)];
  const copy = new OffscreenCanvas(pen.context.canvas.width, pen.context.canvas.height);
  const context = copy.getContext("2d", {willReadFrequently: true});
  context.drawImage(pen.context.canvas, 0, 0);
  return places.map(([x, y]) => Array.from(context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data));
};
window.settled = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
window.isReady();
</script></body></html>"""


def markup() -> str:
    imports = {f"lab/{path.name}": f"/page/{path.name}" for path in PAGE.glob("*.js")}
    parts = {
        "POLICY": POLICY,
        "IMPORTS": json.dumps({"imports": imports}),
        "LIGHT": theme.declarations(theme.LIGHT),
        "DARK": theme.declarations(theme.DARK),
        "WIDTH": str(WIDTH),
        "HEIGHT": str(HEIGHT),
    }
    text = MARKUP
    for name, part in parts.items():
        text = text.replace(name, part)
    return text


def answer(route: Route) -> None:
    path = route.request.url.removeprefix(ORIGIN)
    if path == "/":
        route.fulfill(body=markup(), content_type="text/html; charset=utf-8")
    elif path.startswith("/page/") and (PAGE / path[6:]).is_file():
        route.fulfill(path=str(PAGE / path[6:]), content_type="text/javascript; charset=utf-8")
    else:
        route.abort()


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@contextmanager
def drawing(browser: Browser, **how) -> Iterator[Page]:
    """The page with its stage; an error of a script, or a word on the console, fails the test."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, **how)
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.route("**/*", answer)
    page.goto(f"{ORIGIN}/")
    page.evaluate("ready")
    yield page
    context.close()
    assert wrong == []


def give(page: Page, X: np.ndarray, codes: np.ndarray, view=(-2.0, 2.0, -2.0, 2.0), weights=None) -> None:
    """Points on the stage, which shows at least a view."""
    data = {"x": X[:, 0].tolist(), "y": X[:, 1].tolist(), "classes": codes.tolist(), "weights": weights}
    names = {"names": ["length", "width"], "labels": ["blue", "orange", "green", "pink", "gold"]}
    page.evaluate("data => give(data)", data | names)
    left, right, bottom, top = view
    page.evaluate("view => stage.setView(view)", {"left": left, "right": right, "bottom": bottom, "top": top})
    page.evaluate("settled()")


def pixels(page: Page, points) -> np.ndarray:
    """Where points of the data are on the screen."""
    return np.array(
        page.evaluate("points => points.map(([x, y]) => stage.toPixels(x, y))", np.asarray(points).tolist())
    )


def edits(page: Page) -> list[dict]:
    """What the stage asked its owner for since the last call."""
    return page.evaluate("edits.splice(0)")


def inks(page: Page, layer: str, places: np.ndarray) -> np.ndarray:
    """Red, green, blue and opacity of some pixels of a layer."""
    return np.array(page.evaluate("([layer, at]) => inks(layer, at)", [layer, places.tolist()]))


def tone(name: str, colours=theme.LIGHT) -> np.ndarray:
    return np.array([int(colours[name][k : k + 2], 16) for k in (1, 3, 5)])


def classes_drawn(page: Page, places: np.ndarray) -> np.ndarray:
    """The class in whose colour each pixel is tinted; -1 where none is."""
    seen = inks(page, "under", places)
    tones = np.array([tone(f"c{k + 1}") for k in range(5)])
    near = np.abs(seen[:, None, :3] - tones).max(axis=2)
    return np.where((near.min(axis=1) < 12) & (seen[:, 3] < 60), near.argmin(axis=1), -1)
