"""How quickly the lab answers in Chromium: drags of a point among 500, frames a second, and memory after many drags.

Run by hand, with the packages of the extra `browser`: `PYTHONPATH=tests .venv/bin/python benchmarks/lab_page.py`.
The server, its processes and the browser share the processors with whatever else runs, so that the load is printed.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from measuring import console

from browser.conftest import choose, fitted, give, serving
from browser.drawing import chromium

METHODS = ("linear SVM", "perceptron, online", "kernel SVM", "logistic discrimination")
WATCH = """(slot) => {
  window.times = [];
  const {fits} = lab.slots[slot], heard = fits.hearer, ask = fits.connection.ask.bind(fits.connection);
  let began = 0;
  fits.connection.ask = (message, hearer) => {
    if (message.do === "fit") began = performance.now();
    return ask(message, hearer);
  };
  fits.hearer = (answer) => {
    heard(answer);
    const drawn = began && (answer.kind === "frames" || answer.kind === "result");
    if (drawn) requestAnimationFrame(() => { if (began) times.push(performance.now() - began); began = 0; });
  };
}"""
PLAY = """(seconds) => new Promise((done) => {
  const times = [];
  lab.timeline.go(0);
  lab.timeline.speed = 1;
  lab.timeline.play();
  const step = (now) => {
    times.push(now);
    if (now - times[0] < 1000 * seconds) return requestAnimationFrame(step);
    const gaps = times.slice(1).map((time, k) => time - times[k]).sort((a, b) => a - b);
    done([1000 * gaps.length / (times.at(-1) - times[0]), gaps[Math.floor(0.95 * gaps.length)], lab.timeline.count]);
  };
  requestAnimationFrame(step);
})"""


def points(n: int) -> dict:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)).round(3)
    codes = (X.sum(axis=1) + 0.3 * rng.normal(size=n) > 0).astype(int)
    return {"x": X[:, 0].tolist(), "y": X[:, 1].tolist(), "class": codes.tolist(), "weight": None,
            "names": ["x1", "x2"], "classes": ["blue", "orange"]}  # fmt: skip


def drag(page, number: int) -> None:
    """Press on a stage with the moving tool, move a little, and let go."""
    box = page.locator(".stage").first.bounding_box()
    x, y = page.evaluate(
        "(row) => lab.slots[0].stage.toPixels(lab.state.dataset.x[row], lab.state.dataset.y[row])", number
    )
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    page.mouse.move(box["x"] + x + 6, box["y"] + y + 4, steps=3)
    page.mouse.up()


def latency(page, drags: int) -> None:
    give(page, points(500))
    page.get_by_role("button", name="Move", exact=True).click()
    for method in METHODS:
        choose(page, method)
        page.evaluate(WATCH, 0)
        for number in range(drags):
            drag(page, number)
            fitted(page)
            page.wait_for_timeout(50)
        times = page.evaluate("times")
        middle, slow = statistics.median(times), np.quantile(times, 0.95)
        console.print(
            f"{method}: {len(times)} fits of 500 points, first drawn after {middle:.1f} ms (95 %: {slow:.1f} ms)"
        )


def frames(page, seconds: float) -> None:
    choose(page, "perceptron, online")
    give(page, points(2000))
    rate, slow, count = page.evaluate(PLAY, seconds)
    console.print(f"playing {count} steps over 2,000 points: {rate:.1f} frames a second, 95 % within {slow:.1f} ms")


def memory(page, server: int, drags: int) -> None:
    """Bytes of the page after collection, and of the server with its processes, before and after many drags."""
    session = page.context.new_cdp_session(page)
    give(page, points(500))
    choose(page, "linear SVM", "perceptron, online")
    before = None
    for number in range(drags + 20):
        drag(page, number % 500)
        if number == 19:
            fitted(page)
            before = held(session, server)
    fitted(page)
    after = held(session, server)
    for name, first, last in zip(("page", "server", "processes"), before, after, strict=True):
        console.print(f"{drags} drags: {name:10} {first / 1e6:7.1f} MB before, {last / 1e6:7.1f} MB after")


def held(session, server: int) -> tuple[float, float, float]:
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"]
    table = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,rss="], capture_output=True, text=True, check=True).stdout
    rows = [tuple(map(int, line.split())) for line in table.splitlines()]
    own = sum(1024 * size for number, _, size in rows if number == server)
    return used, own, sum(1024 * size for _, parent, size in rows if parent == server)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drags", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    console.print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (address, server), chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(address)
        page.wait_for_timeout(1000)
        fitted(page)
        latency(page, max(20, options.drags // 5))
        frames(page, options.seconds)
        memory(page, server, options.drags)


if __name__ == "__main__":
    main()
