"""Frames a second that the drawing of the lab reaches in Chromium while a run of 2,000 points plays.

Run by hand, with the packages of the extra `browser`: `PYTHONPATH=tests .venv/bin/python benchmarks/lab_frames.py`.
Without a graphics card the processor draws, so that other work on the machine counts.
"""

import numpy as np

from browser.drawing import chromium, drawing, give

N_POINTS = 2_000
SECONDS = 4
PLAY = """async ([alphas, seconds]) => {
  const times = [];
  const rows = [...Array(alphas).keys()];
  await new Promise((done) => {
    const step = (now) => {
      times.push(now);
      const k = times.length;
      const values = rows.map((row) => ((row * 7 + k) % 50) / 50);
      stage.show({number: k, text: "A step.", planes: [[Math.cos(k / 40), Math.sin(k / 40), 0.1]], rows: [k % 2000],
        rivals: [0], alpha: alphas ? {rows, values, bound: 0.9} : null}, {trail: true});
      if (now - times[0] < 1000 * seconds) requestAnimationFrame(step);
      else done();
    };
    requestAnimationFrame(step);
  });
  const gaps = times.slice(1).map((time, k) => time - times[k]).sort((a, b) => a - b);
  return [1000 * gaps.length / (times.at(-1) - times[0]), gaps[Math.floor(0.95 * gaps.length)]];
}"""


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_POINTS, 2))
    codes = (X.sum(axis=1) + rng.normal(size=N_POINTS) > 0).astype(int)
    with chromium() as browser:
        for ratio in (1, 2):
            for alphas in (0, 600):
                with drawing(browser, device_scale_factor=ratio) as page:
                    give(page, X, codes, (-4.0, 4.0, -4.0, 4.0))
                    rate, late = page.evaluate(PLAY, [alphas, SECONDS])
                what = f"{N_POINTS:,} points, {alphas} alphas, {ratio} device pixels a pixel"
                print(f"{what}: {rate:5.1f} frames a second, 19 of 20 within {late:.1f} ms")


if __name__ == "__main__":
    main()
