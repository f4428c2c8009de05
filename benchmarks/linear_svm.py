"""Linear support vector machines: ours to a certified gap of 1e-6, against the quickest peer that comes within 1e-4.

Each peer is judged by the objective that it minimizes itself. They differ in what they do with the bias: SVC leaves it
out of the norm as we do, LIBLINEAR has it in, and skglm has none, so that it gets a column of ones. A tolerance does
not tell how accurate a peer is, so each goes down a ladder of tolerances until it comes within 1e-4 of its own optimum,
and the quickest of its fits that did counts. One that does not get there in time sets no goal.

`python benchmarks/run.py linear_svm --limit 20` gives each fit of a peer 20 seconds, and `--peers` leaves us out. The
quick set has no sparse rows, and the peers that came near enough in the full set.
"""

import statistics
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from measuring import Row, console, in_turns, seconds, show
from rich.box import SIMPLE_HEAD
from rich.table import Table
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from svm_data import CASES, HARD, QUICK_CASES, Case, Sample, noisy, scattered, sparse_rows
from svm_judge import Optimum, optimum
from svm_peers import CLOSE, CONTESTANTS, OURS, PEERS, QUICK_PEERS, Bench, Trial, quickest, trials, tried

import separatrix

OURS_LIMIT = 300.0  # seconds
START_GOAL, START_TURNS = 2.0, 5
GRID_GOAL = 5.0


def standardized() -> Sample:
    """Breast cancer with columns of mean 0 and variance 1."""
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X), y


STARTS: dict[str, Callable[[], Sample]] = {
    "100,000 x 20": lambda: noisy(100_000, 20),
    "20,000 x 100": lambda: noisy(20_000, 100),
    "1,000,000 x 20": lambda: noisy(1_000_000, 20),
    "20,000 x 500": lambda: noisy(20_000, 500),
    "sparse 5,000 x 10,000": lambda: scattered(5_000, 10_000),
    "digits": lambda: load_digits(return_X_y=True),
    "5,000 x 100": lambda: noisy(5_000, 100),
    "20,000 x 20": lambda: noisy(20_000, 20),
    "2,000 x 20": lambda: noisy(2_000, 20),
    "5,000 x 30": lambda: noisy(5_000, 30),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "breast cancer, standardized": standardized,
}
QUICK_STARTS = ("100,000 x 20", "20,000 x 100", "breast cancer")
SQUARED_STARTS = ("100,000 x 20", "20,000 x 100", "20,000 x 20", "digits", "2,000 x 20", "breast cancer")
GROWTH = (10_000, 100_000, 1_000_000)
PATH = np.logspace(-2, 1, 10)
BREAST_CANCER = (0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, np.inf)


def run(quick: bool, limit: float, peers_only: bool = False) -> None:
    warnings.simplefilter("ignore")
    peers = QUICK_PEERS if quick else PEERS
    for case in QUICK_CASES if quick else CASES:
        against_peers(case, limit, peers, not peers_only)
    if peers_only:
        return
    growth()
    starts(QUICK_STARTS if quick else tuple(STARTS))
    grid()
    breast_cancer()
    predictions(sparse=not quick)


def against_peers(case: Case, limit: float, peers: Sequence[str], present: bool) -> None:
    """Compare on the rows of a case, for each C. Ours is timed before and after the peers."""
    X, y = case.draw()
    for C in case.values:
        at = HARD if np.isinf(C) else C
        best = judge(X, y, at)
        before = [own_trial(X, y, C, best)] if present else []
        made = {name: trials(name, X, y, at, limit, best) for name in peers}
        ours = mean([*before, own_trial(X, y, C, best)]) if present else None
        title = f"{case.name}, C = {C:g}" + (f" (peers: {at:g})" if at != C else "")
        tabulate(title, ours, made, limit, case.goal)
        width = max((best(bias).width for bias in biases(made)), default=0.0)
        if width > CLOSE / 10:
            console.print(
                f"[red]The optimum is known to {width:.0e} only, and peers may be nearer than they seem.[/]\n"
            )


def mean(ours: list[Trial]) -> Trial:
    """Two fits of the same kind as one."""
    clock, cpu = (statistics.mean(times) for times in zip(*((fit.seconds, fit.cpu) for fit in ours), strict=True))
    return ours[0]._replace(seconds=clock, cpu=cpu)


def biases(made: dict[str, list[Trial]]) -> set[str]:
    """What those who ended in time did with the bias."""
    return {CONTESTANTS[name].bias for name, fits in made.items() if any(np.isfinite(fit.seconds) for fit in fits)}


def judge(X: Any, y: np.ndarray, C: float) -> Callable[[str], Optimum]:
    """The optimum for a bias of either kind, found when it is first asked for."""
    return cache(lambda bias: optimum(X, y, C, bias))


def own_trial(X: Any, y: np.ndarray, C: float, best: Callable[[str], Optimum]) -> Trial:
    """Fit ours with its defaults, in a process like those of the peers."""
    with Bench(OURS, X, y, C, OURS_LIMIT) as bench:
        return tried(bench, None, CONTESTANTS[OURS], best)


def tabulate(title: str, ours: Trial | None, made: dict[str, list[Trial]], limit: float, goal: float) -> None:
    """Print who came how near in what time; the goal is set by the quickest peer that came near enough."""
    headings = ("", "tol", "time", "cpu", "of optimum", "ratio", "by cpu", "goal")
    table = headed(title, headings, "all fits: tolerance, time, of optimum")
    if ours is not None:
        figures = duration(ours.seconds), duration(ours.cpu), f"{ours.excess:.0e}"
        table.add_row(OURS, "1e-06", *figures, "", "", "", ours.failure)
    counting = {name: quickest(fits) for name, fits in made.items()}
    first = min((trial.seconds for trial in counting.values() if trial), default=np.inf)
    for name, trial in counting.items():
        remark = "; ".join(brief(fit, limit) for fit in made[name])
        if trial is None:
            table.add_row(name, "", "-", "", f"> {CLOSE:g}", "", "", "", remark)
            continue
        figures = duration(trial.seconds), duration(trial.cpu), f"{trial.excess:.0e}"
        ratios = ("", "", "") if ours is None else against(trial, ours, goal if trial.seconds == first else None)
        table.add_row(name, "default" if trial.tol is None else f"{trial.tol:g}", *figures, *ratios, remark)
    console.print(table)


def against(theirs: Trial, ours: Trial, goal: float | None) -> tuple[str, str, str]:
    """How many times as fast we are, by the clock and by what the cores worked, and the goal where there is one."""
    ratio, work = theirs.seconds / ours.seconds, f"{theirs.cpu / ours.cpu:.1f}x"
    if goal is None:
        return f"{ratio:.1f}x", work, ""
    return f"[{'green' if ratio >= goal else 'red'}]{ratio:.1f}x[/]", work, f"{goal:g}x"


def brief(trial: Trial, limit: float) -> str:
    """One fit in a few words."""
    name = "default" if trial.tol is None else f"{trial.tol:g}"
    if trial.failure:
        return f"{name}: {trial.failure}"
    if np.isinf(trial.seconds):
        return f"{name}: not within {CLOSE:g} in {limit:g} s"
    return f"{name}: {duration(trial.seconds)}, {trial.excess:.0e}"


def duration(taken: float) -> str:
    if np.isinf(taken):
        return "not in time"
    return f"{1e3 * taken:.1f} ms" if taken < 0.1 else f"{taken:.2f} s"


def headed(title: str, headings: tuple[str, ...], last: str = "") -> Table:
    """An empty table: the first column and the last to the left, numbers to the right."""
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for place, heading in enumerate(headings):
        table.add_column(heading, justify="right" if place else "left", no_wrap=True)
    if last:
        table.add_column(last)
    return table


def machine(C: float, **options: Any) -> Any:
    return separatrix.LinearSVM(C=C, **options)  # type: ignore[attr-defined]


def fitting(X: Any, y: np.ndarray, C: float) -> Callable[[], float]:
    return lambda: seconds(lambda: machine(C).fit(X, y))


def growth() -> None:
    """How the time grows with the number of rows, at C = 1 and 20 features."""
    table = headed("Growth with the rows, 20 features, C = 1", ("rows", "time", "a row"))
    taken = []
    for n in GROWTH:
        X, y = noisy(n, 20)
        taken.append(in_turns({"fit": fitting(X, y, 1.0)}, 3)["fit"])
        table.add_row(f"{n:,}", duration(taken[-1]), f"{1e6 * taken[-1] / n:.2f} µs")
    exponent = np.polyfit(np.log(GROWTH), np.log(taken), 1)[0]
    console.print(table)
    console.print(f"time ~ rows^{exponent:.2f}\n")


def starts(chosen: Sequence[str]) -> None:
    """Ten values of C: separate fits, and a regularization path."""
    for loss, cases in (("hinge", tuple(STARTS)), ("squared_hinge", SQUARED_STARTS)):
        rows = []
        for case in (case for case in cases if case in chosen):
            sample = STARTS[case]()
            taken = in_turns({"separate": separate(*sample, loss=loss), "path": path(*sample, loss=loss)}, START_TURNS)
            title = f"{case}, C = {PATH[0]:g} to {PATH[-1]:g}"
            rows.append(Row(title, "separate fits", taken["path"], taken["separate"], START_GOAL))
        show(f"Ten values of C by regularization_path, {loss.replace('_', ' ')}", rows)


def separate(X: Any, y: np.ndarray, loss: str) -> Callable[[], float]:
    return lambda: seconds(lambda: [machine(float(C), loss=loss).fit(X, y) for C in PATH])


def path(X: Any, y: np.ndarray, loss: str) -> Callable[[], float]:
    return lambda: seconds(lambda: separatrix.regularization_path(machine(1.0, loss=loss), X, y, C=PATH))


def grid() -> None:
    """Ten values of C on five folds: paths on both cores against GridSearchCV, which refits nothing."""
    rows = []
    for case in ("100,000 x 20", "20,000 x 100"):
        X, y = STARTS[case]()
        folds = list(StratifiedKFold(5).split(X, y))

        def paths(X: np.ndarray = X, y: np.ndarray = y, folds: list = folds) -> None:
            for train, test in folds:
                separatrix.regularization_path(machine(1.0), X[train], y[train], C=PATH).errors(X[test], y[test])

        peer = GridSearchCV(LinearSVC(loss="hinge"), {"C": PATH}, cv=folds, refit=False, n_jobs=2)
        theirs = seconds(lambda peer=peer, X=X, y=y: peer.fit(X, y))
        rows.append(Row(case, "GridSearchCV(LinearSVC(loss='hinge'))", seconds(paths), theirs, GRID_GOAL))
    show("Ten values of C on five folds; the peer at its default tolerance", rows)


def breast_cancer() -> None:
    """Time and certified gap on 569 x 30 rows, as they are and standardized."""
    X, y = load_breast_cancer(return_X_y=True)
    samples = {"raw": X, "standardized": standardized()[0]}
    headings = ("C", *(f"{name}, {what}" for name in samples for what in ("time", "gap")))
    table = headed("Breast cancer, 569 x 30", headings)
    for C in BREAST_CANCER:
        cells = [cell for rows in samples.values() for cell in time_and_gap(rows, y, C)]
        table.add_row(f"{C:g}", *cells)
    console.print(table)


def time_and_gap(X: np.ndarray, y: np.ndarray, C: float) -> tuple[str, str]:
    """Median time of a fit, and what its certificate says on being rechecked."""
    try:
        model = machine(C).fit(X, y)
    except separatrix.SeparatrixError as refusal:
        return "", type(refusal).__name__
    taken = in_turns({"fit": fitting(X, y, C)}, 5)["fit"]
    return f"{1e3 * taken:.1f} ms", f"{model.certificate_.error(separatrix.encode(X, y).problem):.0e}"


def predictions(sparse: bool) -> None:
    """Predicting against the bare product X @ w."""
    rows, samples = [], {"1,000,000 x 20": noisy(1_000_000, 20)}
    for name, (X, y) in (samples | ({"200,000 x 50,000, sparse": sparse_rows()} if sparse else {})).items():
        model = machine(0.01, tol=1e-2).fit(X[:10_000], y[:10_000])
        taken = in_turns({"ours": timed(model.predict, X), "product": timed(X.dot, np.ravel(model.coef_))}, 7)
        rows.append(Row(name, "X @ w", taken["ours"], taken["product"], None))
    show("Prediction", rows)


def timed(job: Callable[[Any], object], argument: Any) -> Callable[[], float]:
    return lambda: seconds(lambda: job(argument))
