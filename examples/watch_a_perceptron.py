"""Watch a perceptron learn
========================

Each correction of its line, as a moving picture and as a page with buttons.

Two Gaussian classes were cut apart at x1 + x2 = 1, so that a line separates them and the perceptron must find one.
In each frame one row, which is ringed, was on the wrong side; the line turns from the dashed to the full one for it.
Rows that are far out turn it much, and what was gained may be lost again, but the number of corrections is bounded.
The last frame has every row on its own side, which is proved.

Run it with ``python examples/watch_a_perceptron.py [PICTURE.gif]``; the page is written beside it, as .html.
"""

import argparse
from pathlib import Path

from rich.console import Console

from separatrix import Perceptron, mistake_bound
from separatrix.data import samples
from separatrix.report import replay

SEED = 4


def main() -> None:
    """Learn, print, play."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "watch_a_perceptron.gif"))
    picture = parser.parse_args().picture.with_suffix(".gif")
    console = Console()
    data = samples.separable_pair(seed=SEED)
    model = Perceptron(record=True, random_state=SEED).fit(data.X, data.labels)
    console.print(str(model.certificate_), markup=False, highlight=False)
    bound = mistake_bound(data.X, data.labels)
    console.print(f"{model.n_updates_} corrections; no order of these rows takes more than {bound:,.0f}.")
    picture.parent.mkdir(parents=True, exist_ok=True)
    run = replay(model)
    with console.status("drawing ..."):
        written = [run.save(picture), run.save(picture.with_suffix(".html"))]
    console.print(f"{run!r} is in {written[0]} and, with buttons, in {written[1]}.", highlight=False)


if __name__ == "__main__":
    main()
