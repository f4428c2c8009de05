"""Ten values of C on five folds: `choose` against scikit-learn's GridSearchCV over the peer, in two processes.

Alone, `python benchmarks/choose.py FILE ...` adds files in the LIBSVM format, such as a1a. Seconds are those of the
clock; the remark has those of all cores, which depend less on what else the machine does.
"""

import argparse
import os
import time
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from kernel_svm import clusters, images
from measuring import Row, show
from sklearn.datasets import load_svmlight_file, make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC, LinearSVC

from separatrix import KernelSVM, LinearSVM, choose

FOLDS, GOAL = 5, 5.0
WARMING_ROWS = 2500  # more than those whose kernel matrix is kept in float64


class Case(NamedTuple):
    """Data, our estimator, the peer, and the values of C."""

    name: str
    X: Any
    y: np.ndarray
    ours: Any
    theirs: Any
    C: list[float]


def run(quick: bool, files: list[str] | None = None) -> None:
    """Measure all cases; the quick set has fewer rows."""
    warnings.simplefilter("ignore")  # a peer that stops at its max_iter says so each time
    show("Ten values of C on five folds", [compared(case) for case in cases(quick, files or [])])


def cases(quick: bool, files: list[str]) -> list[Case]:
    """Linear machines on drawn rows and on files, kernel machines on few and on many columns."""
    n, m = (20_000, 3_000) if quick else (100_000, 5_000)
    X, y = make_classification(n, 20, n_informative=10, random_state=0)
    squared = LinearSVM(loss="squared_hinge"), LinearSVC(dual="auto", max_iter=100_000)
    hinge = LinearSVM(), LinearSVC(loss="hinge", max_iter=1_000_000)
    usual, large = np.logspace(-3, 2, 10).tolist(), np.logspace(-1, 3, 10).tolist()
    found = [Case(f"squared hinge, {n:,} x 20", X, y, *squared, usual)]
    for file in files:
        rows, labels = load_svmlight_file(file)
        rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)  # for the peer
        name = f"{os.path.basename(file)}, {rows.shape[0]:,} x {rows.shape[1]}"
        found += [Case(f"{word}, {name}", rows, labels, *pair, usual) for word, pair in
                  (("hinge", hinge), ("squared hinge", squared))]  # fmt: skip
    for kind, (rows, labels) in {"20": clusters(m), "784": images(m)}.items():
        found.append(Case(f"RBF, {m:,} x {kind}", rows, labels, KernelSVM(), SVC(), large))
    return found


def compared(case: Case) -> Row:
    """One case, ours and theirs, after a fit of few rows that compiles."""
    X, y, grid = case.X, case.y, {"C": case.C}
    choose(case.ours, X[:WARMING_ROWS], y[:WARMING_ROWS], {"C": case.C[:2]}, test=None)
    chosen = []
    ours = taken(lambda: chosen.append(choose(case.ours, X, y, grid, folds=FOLDS, test=None)))
    theirs = taken(lambda: GridSearchCV(case.theirs, grid, cv=FOLDS, n_jobs=2).fit(X, y))
    remark = f"cpu {ours[1]:.2f} s against {theirs[1]:.1f} s; {chosen[0]!r}"
    return Row(case.name, f"GridSearchCV({type(case.theirs).__name__})", ours[0], theirs[0], GOAL, remark)


def taken(job: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the clock, and of all cores, processes that were started for the job included."""
    from joblib.externals.loky import get_reusable_executor

    started, before = time.perf_counter(), sum(os.times()[:4])
    job()
    seconds = time.perf_counter() - started
    get_reusable_executor().shutdown(wait=True)  # whose seconds count when they have ended
    return seconds, sum(os.times()[:4]) - before


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", help="in the LIBSVM format")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    run(options.quick, options.files)
