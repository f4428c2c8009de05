"""What nu, epsilon and mu ask for
===============================

Three questions that lead to the same machines as C, each with an answer that is known in advance.

C is a price, and nobody knows a good one. nu says which part of the rows may be short of the margin: a part of at most
nu is, and at least a part nu supports the plane (first row). epsilon says how far off a number may be: rows within the
tube cost nothing and support nothing (second row). mu says how much one row may weigh in a point of a reduced hull
(third row). For each nu there is a C with the same plane, and for mu = 2 / (nu N) the nearest points of the reduced
hulls have its direction: see what is printed.

Run it with ``python examples/nu_epsilon_and_mu.py [PICTURE]``.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from separatrix import LinearSVM, LinearSVR, NuSVM, ReducedHullClassifier, regularization_path
from separatrix.report import path_curves
from separatrix.report.charts import style

N_VALUES = 12


def two_classes(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two round classes that overlap."""
    random, y = np.random.default_rng(seed), np.arange(n_rows) % 2
    return random.standard_normal((n_rows, 2)) + np.outer(y, [1.6, 0.8]), y


def numbers(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and numbers near a plane."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n_rows, 3))
    return X, X @ [2.0, -1.0, 0.5] + 0.4 * random.standard_normal(n_rows)


def compare(X: np.ndarray, y: np.ndarray) -> None:
    """Print that one plane has three names."""
    model = NuSVM(nu=0.5).fit(X, y)
    print(f"nu may be from {model.nu_min_:.3f}, where the reduced hulls begin to meet, to {model.nu_max_:.3f}.")
    print(f"nu = 0.5: {model.margin_error_rate_:.1%} short of the margin, {model.support_rate_:.1%} support rows.")
    soft = LinearSVM(C=model.equivalent_C_).fit(X, y)
    print(f"C = {model.equivalent_C_:.4f}: the same plane, {np.abs(soft.coef_ - model.coef_).max():.0e} apart.")
    hulls = ReducedHullClassifier(mu=2.0 / (0.5 * len(y)), tol=1e-9).fit(X, y)
    one, other = (each.coef_[0] / np.linalg.norm(each.coef_) for each in (model, hulls))
    print(f"mu = {hulls.mu:g}: the same direction, {np.abs(one - other).max():.0e} apart.")


def figure_of_paths(X: np.ndarray, y: np.ndarray) -> Figure:
    """A row for each option: error, support rows, width."""
    fresh, known = two_classes(2000, seed=1), NuSVM(nu=0.5).fit(X, y)
    nu = np.linspace(known.nu_min_ + 0.01, known.nu_max_, N_VALUES)
    rows, targets = numbers(200, seed=2)
    tubes = regularization_path(LinearSVR(), rows, targets, epsilon=np.linspace(0.0, 1.5, N_VALUES))
    with style.styled():
        figure = Figure(figsize=(11.0, 9.0), dpi=150, layout="constrained")
        FigureCanvasAgg(figure)
        first, second, third = figure.subfigures(3, 1)
        path_curves(regularization_path(NuSVM(), X, y, nu=nu), *fresh, figure=first)
        path_curves(tubes, *numbers(2000, seed=3), figure=second)
        mu = 2.0 / (nu * len(y))
        path_curves(regularization_path(ReducedHullClassifier(), X, y, mu=mu), *fresh, figure=third)
    return figure


def main() -> None:
    """Fit, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", nargs="?", type=Path, default=Path("pictures", "nu_epsilon_and_mu.png"))
    picture = parser.parse_args().picture
    X, y = two_classes(200, seed=0)
    compare(X, y)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure_of_paths(X, y).savefig(picture)
    print(f"The picture is {picture}.")


if __name__ == "__main__":
    main()
