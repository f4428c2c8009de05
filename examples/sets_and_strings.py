"""Kernels of sets and strings
===========================

A machine can be learned from rows that are no vectors, as long as there is a kernel of them.

Above, parties as sets of guests. A party is merry if Ann and Ben both come, or neither of them does. The kernel
``2^|A & S|`` counts the subsets that two sets have in common, and so each group of guests is a feature of its own, the
pair Ann and Ben among them. The number of common guests has only single guests for features: a sum of what each guest
brings cannot say "both or neither", as little as a line can say XOR. It is wrong on one of the four cases at least,
which is a quarter of all parties.

Below, English and Finnish words as strings, compared by letters and pairs of letters that occur in both. Nobody has
told the machine which letters matter. A cosine of 0 means that two words have no pair of letters in common.

Left are the kernel matrices, rows sorted by class and then by alphabet, so that parties with Ann come first: the
darker, the more alike. Right are the decision values of rows that were not in the fit: those of the second class should
be above 0. The table also says whether each matrix is positive semidefinite, which is Mercer's condition.

Run it with ``python examples/sets_and_strings.py [PICTURE]``.
"""

import argparse
from itertools import chain, combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from separatrix import KernelSVM, psd_defect
from separatrix.kernels import Kernel, SetIntersection, Spectrum, Tokens
from separatrix.report.charts import style

SEED, PARTIES = 0, 80  # that are learned from, of the 255 that eight guests can have
GUESTS = ("Ann", "Ben", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana")
ENGLISH = """house water forest lake friend book school window snow bread night morning street mountain stone bridge
shoulder finger breath thunder feather chicken shadow summer weather kitchen garden butcher mother length"""
FINNISH = """talo vesi metsä järvi ystävä kirja koulu ikkuna lumi leipä ilta aamu katu vuori kivi silta hartia sormi
hengitys ukkonen sulka kana varjo kesä tuuli keittiö puutarha suutari äiti pituus"""
NEW_ENGLISH = "thought winter brother earth children light strength whistle"
NEW_FINNISH = "ajatus talvi veli maailma lapset valo voima suomalainen"


SET_KERNELS = {"common guests": Tokens(), "common subsets": SetIntersection()}
LETTERS, PAIRS = Spectrum(1, normalized=True), Spectrum(2, normalized=True)
STRING_KERNELS = {"letters": LETTERS, "pairs of letters": PAIRS, "letters and pairs": LETTERS + PAIRS}


class Task(NamedTuple):
    """Rows to learn from and others to decide on, with their classes."""

    rows: list[Any]
    labels: np.ndarray
    new: list[Any]
    new_labels: np.ndarray


def parties(kernel: Kernel) -> Task:
    """All parties in random order, as sets, or as texts for Tokens; merry with both or neither of Ann and Ben."""
    numbers = 1 + np.random.default_rng(SEED).permutation(2 ** len(GUESTS) - 1)
    comes = numbers[:, None] >> np.arange(len(GUESTS)) & 1
    sets = [{guest for guest, one in zip(GUESTS, row, strict=True) if one} for row in comes]
    rows = [" ".join(sorted(each)) for each in sets] if isinstance(kernel, Tokens) else sets
    labels = np.where(comes[:, 0] == comes[:, 1], "merry", "dull")
    return Task(rows[:PARTIES], labels[:PARTIES], rows[PARTIES:], labels[PARTIES:])


def words(kernel: Kernel) -> Task:
    """English and Finnish words, whatever the kernel."""
    labels, new = np.repeat(["English", "Finnish"], 30), np.repeat(["English", "Finnish"], 8)
    return Task([*ENGLISH.split(), *FINNISH.split()], labels, [*NEW_ENGLISH.split(), *NEW_FINNISH.split()], new)


def common_subsets(A: set[Any], S: set[Any]) -> int:
    """Subsets that two sets have in common, counted one by one."""
    subsets = [
        set(chain.from_iterable(combinations(sorted(each), size) for size in range(len(each) + 1))) for each in (A, S)
    ]
    return len(subsets[0] & subsets[1])


def fit(task: Task, kernel: Kernel) -> KernelSVM:
    """A machine for a kernel of these rows."""
    return KernelSVM(kernel, C=1.0).fit(task.rows, task.labels)


def table_of_kernels() -> Table:
    """What each kernel gets wrong, and that Mercer's condition holds for its matrix."""
    some = parties(SetIntersection()).rows[:12]
    counted = [[common_subsets(A, S) for S in some] for A in some]
    assert SetIntersection().matrix(some).tolist() == counted, "2^|A & S| is the number of common subsets"
    table = Table("rows", "kernel", box=SIMPLE_HEAD, title="kernels of sets and strings")
    for heading in ("training errors", "new rows wrong", "Mercer"):
        table.add_column(heading, justify="right")
    for kind, make, kernels in (("parties", parties, SET_KERNELS), ("words", words, STRING_KERNELS)):
        for name, kernel in kernels.items():
            task = make(kernel)
            model = fit(task, kernel)
            wrong = int(np.sum(model.predict(task.rows) != task.labels))
            missed = int(np.sum(model.predict(task.new) != task.new_labels))
            sound = psd_defect(kernel.matrix(task.rows)).holds
            cells = f"{wrong} of {len(task.rows)}", f"{missed} of {len(task.new)}", "yes" if sound else "no"
            table.add_row(kind, name, *cells)
    return table


def draw_matrix(ax: Any, task: Task, kernel: Kernel, title: str) -> None:
    """Kernel values of all rows, sorted by class and then by alphabet; darker is larger."""
    pairs = sorted(zip(task.labels.tolist(), task.rows, strict=True), key=lambda pair: (pair[0], sorted(pair[1])))
    K = np.sqrt(kernel.matrix([row for _, row in pairs]))  # roots, or large sets would outshine all
    tones = LinearSegmentedColormap.from_list("tones", ["white", style.colour(0)])
    ax.imshow(K, cmap=tones, vmin=0.0, interpolation="nearest")
    classes, counts = np.unique(task.labels, return_counts=True)
    for edge in np.cumsum(counts)[:-1] - 0.5:
        ax.axhline(edge, color=style.INK, linewidth=1.2)
        ax.axvline(edge, color=style.INK, linewidth=1.2)
    middles = np.cumsum(counts) - counts / 2 - 0.5
    ax.set_xticks(middles, classes)
    ax.set_yticks(middles, classes, rotation=90, va="center")
    ax.tick_params(length=0)
    ax.set_title(title, loc="left")


def draw_parties(ax: Any) -> None:
    """Decision values of the other parties by both kernels, in a strip for each class."""
    for place, (name, kernel) in enumerate(SET_KERNELS.items()):
        task = parties(kernel)
        model = fit(task, kernel)
        g = model.decision_function(task.new)
        for number, label in enumerate(model.classes_):
            own = np.flatnonzero(task.new_labels == label)
            up = place + 0.3 * number - 0.15 + 0.2 * (np.arange(own.size) * 0.618 % 1.0 - 0.5)
            look = {"color": style.colour(number), "marker": style.marker(number), "label": label if not place else "_"}
            ax.scatter(g[own], up, s=22, edgecolors="white", linewidths=0.4, **look)
        wrong = np.count_nonzero(model.predict(task.new) != task.new_labels)
        ax.annotate(
            f"{name}: {wrong} of {len(task.new)} other parties wrong", (0.02, place + 0.36), va="center",
            xycoords=("axes fraction", "data"), bbox={"facecolor": "white", "linewidth": 0},
        )  # fmt: skip
    ax.set(yticks=[], ylim=(-0.4, 1.72), xlabel="decision value g      ← dull  ·  merry →")
    ax.axvline(0.0, color=style.INK, linewidth=1.4, zorder=0)
    ax.legend(loc="upper right")
    ax.set_title("Both or neither of Ann and Ben:\ncommon subsets tell it, common guests do not", loc="left")


def draw_words(ax: Any, name: str) -> None:
    """Decision values of new words as bars."""
    task = words(STRING_KERNELS[name])
    model = fit(task, STRING_KERNELS[name])
    g = model.decision_function(task.new)
    codes = np.searchsorted(model.classes_, task.new_labels)
    ax.barh(range(g.size), g, color=[style.colour(code) for code in codes], height=0.68)
    ax.axvline(0.0, color=style.INK, linewidth=1.4)
    ax.set_yticks(range(g.size), task.new)
    ax.set(ylim=(g.size - 0.4, -0.6), xlabel=f"decision value g      ← {model.classes_[0]}  ·  {model.classes_[1]} →")
    ax.tick_params(axis="y", length=0)
    right = np.sum(model.predict(task.new) == task.new_labels)
    ax.set_title(f"{right} of {g.size} new words on their own side,\nby {name}", loc="left")


def figure_of_kernels() -> Figure:
    """Matrices on the left, decision values on the right."""
    subsets, pairs = SET_KERNELS["common subsets"], STRING_KERNELS["pairs of letters"]
    with style.styled():
        figure = Figure(figsize=(11.5, 9.6), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        figure.get_layout_engine().set(w_pad=0.15, h_pad=0.12)
        above, below = figure.subplots(2, 2, width_ratios=[1, 1.25])
        draw_matrix(above[0], parties(subsets), subsets, "Parties: 2 to the number\nof common guests")
        draw_parties(above[1])
        draw_matrix(below[0], words(pairs), pairs, "Words: cosine of their\npairs of letters")
        draw_words(below[1], "letters and pairs")
    return figure


def main() -> None:
    """Learn, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "sets_and_strings.png"))
    picture = parser.parse_args().picture
    console = Console()
    console.print(table_of_kernels())
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_kernels().savefig(picture)
    console.print(f"The picture is {picture}.", highlight=False)


if __name__ == "__main__":
    main()
