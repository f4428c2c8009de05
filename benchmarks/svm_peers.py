"""Other linear support vector machines, each fitted in a process of its own, which is killed when its time is over.

A fit that runs in C cannot be interrupted otherwise. Importing, compiling and turning rows into the form that a peer
wants are not timed; a fit that takes less than two seconds is made three times, and its median counts.
"""

import multiprocessing
import statistics
import time
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from svm_judge import FREE, PENALIZED, Optimum, extended, objective

ROUNDING = 1e-7
CLOSE = 1e-4  # a peer counts when it comes as near to its own optimum
LADDER = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
MAX_SECONDS_TO_REPEAT, REPEATS = 2.0, 3  # shorter fits are made several times
MAX_SECONDS_TO_START = 180.0
MAX_CLOCK_TO_LIMIT = 3.0  # where others keep the cores busy, a fit may take as many times its limit by the clock

Plane = tuple[np.ndarray, float]
Fit = Callable[[Any, np.ndarray, float, float | None], Plane]


def plane(model: Any) -> Plane:
    return np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])


def given(tol: float | None, **options: Any) -> dict[str, Any]:
    """Options of a fit to a tolerance, or none: then the peer's defaults hold."""
    return {} if tol is None else {"tol": tol, **options}


def fit_linear_svc(X: Any, y: np.ndarray, C: float, tol: float | None) -> Plane:
    from sklearn.svm import LinearSVC

    return plane(LinearSVC(loss="hinge", C=C, random_state=0, **given(tol, max_iter=10**7)).fit(X, y))


def fit_liblinear(problem: Any, y: np.ndarray, C: float, tol: float | None) -> Plane:
    from liblinear.liblinearutil import train

    model = train(problem, f"-s 3 -B 1 -c {C!r} -q" + ("" if tol is None else f" -e {tol!r}"))
    w, b = model.get_decfun()
    sign = 1.0 if model.get_labels()[0] > 0 else -1.0
    return sign * np.array(w), sign * b


def fit_svc(X: Any, y: np.ndarray, C: float, tol: float | None) -> Plane:
    from sklearn.svm import SVC

    return plane_of_kernel(SVC(kernel="linear", C=C, cache_size=1000, **given(tol)).fit(X, y))


def fit_intelex(X: Any, y: np.ndarray, C: float, tol: float | None) -> Plane:
    from sklearnex.svm import SVC

    return plane_of_kernel(SVC(kernel="linear", C=C, cache_size=1000, **given(tol)).fit(X, y))


def plane_of_kernel(model: Any) -> Plane:
    w = model.coef_
    return np.ravel(w.toarray() if hasattr(w, "toarray") else w), float(np.ravel(model.intercept_)[0])


def fit_skglm(rows: Any, y: np.ndarray, C: float, tol: float | None) -> Plane:
    from skglm import LinearSVC

    working = given(tol, p0=len(y))  # by default it starts with 10 rows, and ends before it has seen most of them
    w = np.ravel(LinearSVC(C=C, fit_intercept=False, **working).fit(rows, y).coef_)
    return w[:-1], float(w[-1])


def fit_ours(X: Any, y: np.ndarray, C: float, tol: float | None) -> Plane:
    import separatrix

    return plane(separatrix.LinearSVM(C=C, **given(tol)).fit(X, y))  # type: ignore[attr-defined]


def as_they_are(X: Any, y: np.ndarray) -> Any:
    return X


def with_ones(X: Any, y: np.ndarray) -> Any:
    return extended(X)


def linked(X: Any, y: np.ndarray) -> Any:
    """Rows as LIBLINEAR keeps them."""
    from liblinear.liblinear import problem

    return problem(y, X)


class Contestant(NamedTuple):
    """How a support vector machine is fitted, what it does with the bias, and its default tolerance."""

    fit: Fit
    bias: str
    default: float
    rows: Callable[[Any, np.ndarray], Any] = as_they_are
    capped: bool = False  # by default it ends after some passes, near the optimum or not


OURS = "separatrix"
CONTESTANTS = {
    OURS: Contestant(fit_ours, FREE, 1e-6),
    "sklearn LinearSVC": Contestant(fit_linear_svc, PENALIZED, 1e-4, capped=True),
    "LIBLINEAR": Contestant(fit_liblinear, PENALIZED, 1e-1, linked),
    "sklearn SVC": Contestant(fit_svc, FREE, 1e-3),
    "sklearnex SVC": Contestant(fit_intelex, FREE, 1e-3),
    "skglm LinearSVC": Contestant(fit_skglm, PENALIZED, 1e-4, with_ones, capped=True),
}
PEERS = [name for name in CONTESTANTS if name != OURS]
QUICK_PEERS = ["sklearn LinearSVC", "LIBLINEAR"]  # those that set a goal in the full set


class Trial(NamedTuple):
    """One fit: the tolerance (None: all defaults), what it took, and how far from the optimum it ended.

    The seconds are infinite where the time was over. `failure` says what went wrong where the peer gave up.
    """

    tol: float | None
    seconds: float
    cpu: float
    excess: float
    failure: str = ""

    @property
    def close(self) -> bool:
        """Whether it came near enough to count."""
        return abs(self.excess) <= CLOSE


class Measured(NamedTuple):
    """Seconds by the clock and of all cores, and P(w, b)."""

    seconds: float
    cpu: float
    objective: float


OVER = Measured(np.inf, np.inf, np.inf)


def some_rows(X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
    """Some rows of both classes, to compile and to warm up with."""
    chosen = np.sort(np.concatenate([np.flatnonzero(y > 0)[:100], np.flatnonzero(y < 0)[:100]]))
    return X[chosen], y[chosen]


def serve(connection: Connection, name: str, X: Any, y: np.ndarray, C: float) -> None:
    """Fit to each tolerance that is asked for, and answer with seconds and P(w, b)."""
    warnings.simplefilter("ignore")
    peer = CONTESTANTS[name]
    for tol in (None, 1e-1):
        peer.fit(peer.rows(*some_rows(X, y)), some_rows(X, y)[1], 1.0, tol)
    rows = peer.rows(X, y)
    connection.send("ready")
    while True:
        tol, times, loads = connection.recv(), list[float](), list[float]()
        while not times or (len(times) < REPEATS and times[0] < MAX_SECONDS_TO_REPEAT):
            began, busy = time.perf_counter(), time.process_time()
            w, b = peer.fit(rows, y, C, tol)
            times.append(time.perf_counter() - began)
            loads.append(time.process_time() - busy)
        value = objective(X, y, w, b, C, peer.bias)
        connection.send(Measured(statistics.median(times), statistics.median(loads), value))


def cpu_seconds(pid: int) -> float:
    """Seconds that all cores together have worked for a process, or by the clock where only Linux could tell."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except (AttributeError, OSError):
        return time.perf_counter()


def stalled(made: list[Trial]) -> bool:
    """Whether two tighter tolerances in a row have improved nothing: the peer ends for another reason."""
    return len(made) > 2 and made[-1].excess > 0.8 * made[-3].excess


class Bench:
    """One contestant on one sample, in a process of its own, which starts anew after it was killed."""

    def __init__(
        self, name: str, X: Any, y: np.ndarray, C: float, limit: float, server: Callable[..., None] | None = None
    ) -> None:
        self.task, self.limit, self.failure = (name, X, y, C), limit, ""
        self.server = server or serve
        self.process: Any = None

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Hand the sample to a new process, and wait until it is warm."""
        processes = multiprocessing.get_context("spawn")
        self.ours, theirs = processes.Pipe()
        self.process = processes.Process(target=self.server, args=(theirs, *self.task), daemon=True)
        self.process.start()
        theirs.close()
        if self.answer(MAX_SECONDS_TO_START) is None:
            self.failure = self.failure or "does not start"

    def stop(self) -> None:
        """Kill the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None

    def answer(self, patience: float) -> Any:
        """What the process says within the time, or None."""
        began, busy = time.perf_counter(), cpu_seconds(self.process.pid)
        while not self.ours.poll(0.5):
            taken = time.perf_counter() - began
            worked = min(taken, cpu_seconds(self.process.pid) - busy)
            if worked > patience or taken > MAX_CLOCK_TO_LIMIT * patience:
                return None
        try:
            return self.ours.recv()
        except EOFError:
            self.failure = "fails"
            return None

    def fit(self, tol: float | None) -> Measured:
        """What a fit takes and reaches, all infinite when the time is over."""
        if self.process is None:
            self.start()
        if self.failure:
            return OVER
        self.ours.send(tol)
        answer = self.answer(self.limit + REPEATS * MAX_SECONDS_TO_REPEAT)
        if answer is None or min(answer.seconds, answer.cpu) > self.limit:
            self.stop()
            return OVER
        return answer


def trials(name: str, X: Any, y: np.ndarray, C: float, limit: float, best: Callable[[str], Optimum]) -> list[Trial]:
    """Fit a peer to tighter and tighter tolerances until it is close to its optimum, and then with its defaults.

    The ladder also ends where time is over, or where tighter tolerances bring nothing. Defaults that it has tried, or
    that must take longer than a fit that did not end in time, are not tried.
    """
    peer, made = CONTESTANTS[name], list[Trial]()
    with Bench(name, X, y, C, limit) as bench:
        for tol in LADDER:
            made.append(tried(bench, tol, peer, best))
            if made[-1].close or np.isinf(made[-1].seconds) or stalled(made):
                break
        known = peer.default >= tol or np.isinf(made[-1].seconds)
        if not bench.failure and (peer.capped or not known):
            made.append(tried(bench, None, peer, best))
    return made


def tried(bench: Bench, tol: float | None, peer: Contestant, best: Callable[[str], Optimum]) -> Trial:
    measured = bench.fit(tol)
    excess = np.inf if measured == OVER else best(peer.bias).excess(measured.objective)
    wrong = "better than the optimum, so that is wrong" if excess < -ROUNDING else ""
    return Trial(tol, measured.seconds, measured.cpu, excess, bench.failure or wrong)


def quickest(made: list[Trial]) -> Trial | None:
    """The trial that counts: the quickest of those that came close."""
    return min((trial for trial in made if trial.close), key=lambda trial: trial.seconds, default=None)
