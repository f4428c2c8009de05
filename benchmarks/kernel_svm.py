"""Kernel support vector machines: ours to a certified gap of 1e-6, against peers at their defaults.

Eight clusters a class in 20 columns, 3 % of the labels flipped, RBF. A peer stops where its own tolerance says; the gap
that it reached is recomputed from the rows in float64, by the same function as ours.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from measuring import Row, seconds, show
from sklearn.datasets import make_classification, make_moons
from sklearn.svm import SVC

import separatrix
from separatrix.certificates import DualityGap
from separatrix.kernels import RBF
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem

GAMMA, GOAL = 0.05, 5.0
QUICK_CASES = [(5_000, 1.0), (5_000, 100.0), (5_000, 1e4)]
CASES = [*QUICK_CASES, (20_000, 1.0), (20_000, 100.0), (20_000, 1e4), (50_000, 1.0), (50_000, 100.0)]


def run(quick: bool) -> None:
    warnings.simplefilter("ignore")
    rows = [row for n, C in (QUICK_CASES if quick else CASES) for row in compared(n, C)]
    show("Kernel machines, RBF, n x 20; the gap of ours, then that of the peer", rows)
    X, y = make_moons(10_000, noise=0.2, random_state=0)
    taken, model = timed(lambda: separatrix.KernelSVM(RBF(0.5), C=1e4).fit(X, y))
    remark = f"gap {model.certificate_.stated:.0e}"
    show("Low rank: two moons, 10,000 x 2, C = 1e4", [Row("two moons", "none", taken, taken, None, remark)])


def clusters(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of mean 0 and variance 1, and their classes."""
    X, y = make_classification(
        50_000, 20, n_informative=10, n_redundant=0, n_clusters_per_class=8, flip_y=0.03, class_sep=1.5, random_state=5
    )
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return X[:n], y[:n]


def compared(n: int, C: float) -> list[Row]:
    """Ours beside each peer that is installed."""
    X, y = clusters(n)
    separatrix.KernelSVM(RBF(GAMMA)).fit(X[:2_100], y[:2_100])  # compiles
    ours, model = timed(lambda: separatrix.KernelSVM(RBF(GAMMA), C=C, cache_mb=8000.0).fit(X, y))
    rows = []
    for name, fit in peers(C).items():
        theirs, peer = timed(lambda fit=fit: fit(X, y))
        remark = f"gaps {model.certificate_.stated:.0e}, {gap(X, y, C, peer):.0e}"
        rows.append(Row(f"{n:,}, C = {C:g}", name, ours, theirs, GOAL if name == "scikit-learn" else 1.0, remark))
    return rows


def peers(C: float) -> dict[str, Callable[..., Any]]:
    """Machines with scikit-learn's attributes."""
    found: dict[str, Callable[..., Any]] = {"scikit-learn": SVC(C=C, gamma=GAMMA, cache_size=2000).fit}
    try:
        from sklearnex import svm as intel
    except ImportError:
        return found
    return found | {"scikit-learn-intelex": intel.SVC(C=C, gamma=GAMMA).fit}


def gap(X: np.ndarray, y: np.ndarray, C: float, peer: Any) -> float:
    """The relative duality gap of a peer's machine, from the rows."""
    problem = Problem(X, y, kernel=RBF(GAMMA)).posed(SoftMargin(C))
    order = np.argsort(peer.support_)
    coefficients = np.asarray(peer.dual_coef_)[0][order]
    claim = DualityGap.issue(
        problem, coefficients, float(peer.intercept_[0]), np.abs(coefficients), peer.support_[order]
    )
    return claim.stated


def timed(job: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of a call, and what it returned."""
    kept: list[Any] = []
    return seconds(lambda: kept.append(job())), kept[0]
