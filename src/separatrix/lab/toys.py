"""Toy sets by name: points whose classes show what a method can do and what it cannot.

All are drawn from a seed, and rounded to three decimals, as a page keeps them.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from separatrix.data import samples
from separatrix.data.table import shortened
from separatrix.errors import OptionError
from separatrix.lab.limits import MAX_POINTS
from separatrix.lab.points import CLASS_NAMES, FEATURE_NAMES, Points
from separatrix.lab.question import MAX_SEED, whole_number
from separatrix.rows import Vector

DECIMALS = 3
USUAL_POINTS = 60
Drawn = tuple[Vector, np.ndarray]


class Toy(NamedTuple):
    """How a toy set is drawn: n points with random numbers and noise from 0 to 1, and what it is."""

    title: str
    text: str
    classes: int
    draw: Callable[[int, np.random.Generator, float], Drawn]
    noise: float = 0.0


def halves(n: int) -> np.ndarray:
    """Codes of two classes, half of the points each."""
    return (np.arange(n) >= n // 2).astype(np.int64)


def separable(n: int, random: np.random.Generator, noise: float) -> Drawn:
    """Two Gaussian clouds, drawn again until the line x1 + x2 = 1 separates them."""
    table = samples.separable_pair(max(1, n // 2), random)
    return table.X + noise * random.standard_normal(table.X.shape), (table.labels > 0).astype(np.int64)


def overlapping(n: int, random: np.random.Generator, noise: float) -> Drawn:
    """Two Gaussian clouds that overlap; the best line errs on 5.7 in a hundred."""
    table = samples.overlapping_pair(max(1, n // 2), random)
    return table.X + noise * random.standard_normal(table.X.shape), (table.labels > 0).astype(np.int64)


def planted(n: int, random: np.random.Generator, noise: float) -> Drawn:
    """Points on both sides of a narrow corridor."""
    table, _ = samples.planted_margin(max(2, n), 2, 0.02, int(random.integers(2**31)))
    return np.asarray(table.X) + noise * random.standard_normal(table.X.shape), (table.labels > 0).astype(np.int64)


def gate(name: str) -> Callable[[int, np.random.Generator, float], Drawn]:
    """A logic gate, each of its four rows a single point, or a cloud of points where there is noise."""

    def draw(n: int, random: np.random.Generator, noise: float) -> Drawn:
        table = samples.logic_gate(name)
        copies = 1 if noise == 0.0 else max(1, n // 4)
        X = np.repeat(np.asarray(table.X), copies, axis=0)
        return X + noise * random.standard_normal(X.shape), np.repeat((table.labels > 0).astype(np.int64), copies)

    return draw


def moons(n: int, random: np.random.Generator, noise: float) -> Drawn:
    """Two half circles that reach into one another."""
    y = halves(n)
    angle = random.uniform(0.0, np.pi, n)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[y == 1] = [1.0, 0.5] - X[y == 1]
    return X + noise * random.standard_normal(X.shape), y


def circles(n: int, random: np.random.Generator, noise: float) -> Drawn:
    """A ring around a ring."""
    y = halves(n)
    angle, radius = random.uniform(0.0, 2.0 * np.pi, n), np.where(y == 1, 1.6, 0.8)
    X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + noise * random.standard_normal(X.shape), y


def spiral(n: int, random: np.random.Generator, noise: float) -> Drawn:
    """Two arms of a spiral."""
    y = halves(n)
    turn = np.sqrt(random.uniform(0.04, 1.0, n))
    angle = 3.0 * np.pi * turn + np.pi * y
    X = 1.5 * turn[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return X + noise * random.standard_normal(X.shape), y


def strips(n: int, random: np.random.Generator, noise: float) -> Drawn:
    """Four strips beside one another, of two classes in turn."""
    strip = np.arange(n) % 4
    X = np.column_stack([strip + random.uniform(0.15, 0.85, n), random.uniform(0.0, 3.0, n)])
    return X + noise * random.standard_normal(X.shape), (strip % 2).astype(np.int64)


def outlier(n: int, random: np.random.Generator, noise: float) -> Drawn:
    """Two clouds far apart, and one blue point that lies near the orange ones."""
    y = halves(max(4, n))
    X = np.column_stack([np.where(y == 1, 2.0, -2.0), np.zeros(y.size)])
    X += 0.5 * np.clip(random.standard_normal(X.shape), -2.0, 2.0)
    X[0] = [0.75, 0.0]
    return X + noise * random.standard_normal(X.shape), y


def blobs(number: int) -> Callable[[int, np.random.Generator, float], Drawn]:
    """Clouds of points around the corners of a regular polygon."""

    def draw(n: int, random: np.random.Generator, noise: float) -> Drawn:
        y = np.arange(n) % number
        angle = 2.0 * np.pi * y / number + np.pi / 2.0
        X = 2.0 * np.column_stack([np.cos(angle), np.sin(angle)])
        return X + (0.5 + noise) * random.standard_normal(X.shape), y.astype(np.int64)

    return draw


def one_cloud(n: int, random: np.random.Generator, noise: float) -> Drawn:
    """One cloud of points, and some that lie elsewhere: all of one class."""
    X = random.standard_normal((n, 2)) @ [[1.0, 0.4], [0.0, 0.5]]
    far = max(1, n // 15)
    X[:far] = random.uniform(-3.0, 3.0, (far, 2))
    return X + noise * random.standard_normal(X.shape), np.zeros(n, dtype=np.int64)


TOYS: Mapping[str, Toy] = {
    "separable": Toy("Two clouds apart", "A line separates them: the perceptron ends, and proves it.", 2, separable),
    "overlap": Toy("Two clouds that overlap", "No line separates them; the best one errs on 6 in 100.", 2, overlapping),
    "corridor": Toy("A narrow corridor", "A line separates them, but barely: many updates are needed.", 2, planted),
    "xor": Toy("XOR", "Four points that no line separates.", 2, gate("XOR")),
    "and": Toy("AND", "Four points that a line separates.", 2, gate("AND")),
    "or": Toy("OR", "Four points that a line separates.", 2, gate("OR")),
    "xor clouds": Toy("XOR, in clouds", "Four clouds, of two classes crosswise.", 2, gate("XOR"), 0.25),
    "moons": Toy("Two moons", "Half circles that reach into one another: for kernels.", 2, moons, 0.12),
    "circles": Toy("Two rings", "A ring around a ring: a quadratic kernel separates them.", 2, circles, 0.1),
    "spiral": Toy("A spiral", "Two arms that wind around one another: for narrow kernels.", 2, spiral, 0.03),
    "strips": Toy("Four strips", "Classes in turn, beside one another.", 2, strips),
    "outlier": Toy("An outlier", "Two clouds far apart, and one point on its own.", 2, outlier),
    "three blobs": Toy("Three clouds", "Three classes that lines separate, or nearly.", 3, blobs(3)),
    "five blobs": Toy("Five clouds", "Five classes around a centre.", 5, blobs(5)),
    "one cloud": Toy("One cloud", "Points of one class, some of them far off: for novelty.", 1, one_cloud),
}


def menu() -> list[dict[str, Any]]:
    """The toy sets as the page is sent them."""
    return [{"name": name, "title": toy.title, "text": toy.text, "classes": toy.classes} for name, toy in TOYS.items()]


def toy_points(name: Any, seed: Any = 0, n: Any = None, noise: Any = None) -> Points:
    """The points of a toy set.

    >>> toy_points("xor").X.tolist(), toy_points("xor").codes.tolist()
    ([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]], [0, 1, 1, 0])
    """
    if not isinstance(name, str) or name not in TOYS:
        raise OptionError(f"There is no toy set {shortened(name)}. Choose one of {', '.join(TOYS)}.")
    toy, number = TOYS[name], USUAL_POINTS if n is None else whole_number("n", n, MAX_POINTS)
    if number < 4:
        raise OptionError(f"'n' must be at least 4 points. Got {number}.")
    spread = toy.noise if noise is None else noise
    if type(spread) not in (int, float) or not 0.0 <= spread <= 1.0:
        raise OptionError(f"'noise' must be a number from 0 to 1. Got {shortened(spread)}.")
    random = np.random.default_rng(whole_number("seed", 0 if seed is None else seed, MAX_SEED))
    X, codes = toy.draw(number, random, float(spread))
    return Points(np.round(X, DECIMALS) + 0.0, codes, None, FEATURE_NAMES, CLASS_NAMES)
