"""Stretches of rows on several cores: the same sums, errors that come through, and one thread for linear algebra."""

import multiprocessing
import os
import subprocess
import sys
import threading
import warnings
from threading import Event, Thread
from types import SimpleNamespace

import numpy as np
import pytest

from separatrix import LeastSquaresClassifier, LinearSVM, LogisticClassifier, threads
from separatrix.products import combination, product, scores
from separatrix.threads import cores, libraries, parallel_map, row_chunks, summed, threads_for


@pytest.fixture(params=[1, 2, 5])
def on_cores(request, monkeypatch):
    """Rows cut into many small chunks, on so many cores, whatever the machine has."""
    monkeypatch.setattr(threads, "ENTRIES_PER_CHUNK", 64)
    context = threads._cores.set(request.param)
    yield request.param
    threads._cores.reset(context)


@pytest.mark.parametrize(("n", "entries"), [(1, 1), (7, 10**9), (1000, 2**20), (100_000, 2_000_000), (10**6, 10**8)])
def test_stretches_hold_every_row_once(n, entries):
    found = row_chunks(n, entries)
    assert [i for part in found for i in (part.start, part.stop)][1:-1:2] == [part.start for part in found[1:]]
    assert (found[0].start, found[-1].stop) == (0, n)
    assert all(part.start < part.stop for part in found)
    assert len(found) <= threads.MAX_CHUNKS


def test_parts_come_in_order_from_several_threads(on_cores):
    met, all_there = set(), threading.Barrier(on_cores)

    def job(i):
        if i < on_cores:  # nobody takes a second part before every thread has one
            all_there.wait(30)
        met.add(threading.current_thread().name)
        return i * i

    assert list(parallel_map(job, range(200))) == [i * i for i in range(200)]
    assert threading.current_thread().name in met
    assert len(met) == on_cores


def test_threads_that_cannot_be_started_leave_all_as_it_was(monkeypatch):
    def refuse(*_):
        raise RuntimeError("can't start new thread")

    context = threads._cores.set(3)
    monkeypatch.setattr(threads, "_workers", threads.Workers())
    monkeypatch.setattr(Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="new thread"):
        list(parallel_map(abs, range(10)))
    assert cores() == 3
    threads._cores.reset(context)


def test_nobody_waits_for_threads_that_are_busy_elsewhere(monkeypatch):
    """All threads of the crew are held up: the one that calls does the work itself."""
    context, go_on, ended = threads._cores.set(3), Event(), []
    monkeypatch.setattr(threads, "_workers", threads.Workers())
    threads._workers.help([lambda: ended.append(go_on.wait(30))] * 2)
    try:
        assert list(parallel_map(abs, [-1, -2, -3, -4])) == [1, 2, 3, 4]
        assert not ended
    finally:
        go_on.set()
        threads._cores.reset(context)


def test_products_let_other_threads_go_on():
    """NumPy's own `A.T @ u` would not: another thread that counts gets no further meanwhile."""
    A, u, counted, ended = np.ones((1_000_000, 10)), np.ones(1_000_000), [0], Event()

    def count():
        while not ended.is_set():
            counted[0] += 1

    other = Thread(target=count)
    other.start()
    meanwhile = 0
    for _ in range(20):
        before = counted[0]
        product(A.T, u)
        meanwhile += counted[0] - before
    ended.set()
    other.join()
    assert meanwhile > 0


def test_sums_do_not_depend_on_the_cores(monkeypatch):
    monkeypatch.setattr(threads, "ENTRIES_PER_CHUNK", 64)
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((500, 7)), rng.integers(0, 2, 500)
    found = []
    for n in (1, 2, 5):
        context = threads._cores.set(n)
        models = (make().fit(X, y) for make in (LeastSquaresClassifier, LogisticClassifier, LinearSVM))
        found.append([scores(X, X[0]), combination(X, X), *(model.coef_ for model in models)])
        threads._cores.reset(context)
    for one, same in zip(found[0] * 2, found[1] + found[2], strict=True):
        assert np.array_equal(one, same)


def test_sums_are_those_of_all_parts(on_cores):
    X = np.arange(3000.0).reshape(1000, 3)
    total, count = summed(lambda part: (X[part].sum(axis=0), len(X[part])), row_chunks(1000, X.size))
    assert np.array_equal(total, X.sum(axis=0))
    assert count == 1000


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_an_error_in_a_part_ends_the_work(on_cores, failure):
    def job(i):
        if i == 3:
            raise failure("part 3")
        return i

    with pytest.raises(failure, match="part 3"):
        list(parallel_map(job, range(100)))
    assert list(parallel_map(abs, [-1, -2, -3])) == [1, 2, 3]


def test_settings_of_numpy_hold_in_the_threads(on_cores):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(divide="ignore"):
            assert list(parallel_map(lambda i: np.float64(1.0) / i, [0.0, 0.0])) == [np.inf, np.inf]


def test_a_job_has_one_core(on_cores):
    assert set(parallel_map(lambda _: cores(), range(20))) == ({1} if on_cores > 1 else {on_cores})


def test_linear_algebra_gets_its_threads_back():
    before = [library.num_threads for library in libraries()]
    known = cores()
    with threads_for(0.0):
        assert {library.num_threads for library in libraries()} == {1}
        assert cores() == known
        with threads_for(0.0):
            assert cores() == known
    assert [library.num_threads for library in libraries()] == before


def test_fits_that_overlap_in_time_give_the_threads_back():
    """The second begins while the first has linear algebra limited, ends after it, and begins anew in between."""
    before, inside, ended = [library.num_threads for library in libraries()], Event(), Event()

    def second():
        with threads_for(0.0):
            inside.set()
            ended.wait(30)
            with threads_for(0.0), threads_for(0.0):
                pass

    with threads_for(0.0):
        known = cores()
        other = Thread(target=second)
        other.start()
        assert inside.wait(30)
        assert (cores(), known) == (max(before), max(before))
    ended.set()
    other.join()
    assert [library.num_threads for library in libraries()] == before


class Library:
    """OpenBLAS as threadpoolctl has it: one thread may set its threads, until that one gives up the right to."""

    threading_layer, controlling = "pthreads", None

    def __init__(self, num_threads):
        self.num_threads = num_threads

    def set_num_threads(self, count):
        if self.controlling in (None, threading.current_thread()):
            self.controlling, self.num_threads = threading.current_thread(), count

    def clear_controlling_thread(self, force):
        self.controlling = None


@pytest.fixture
def library(monkeypatch):
    """A library with seven threads, as the only one."""
    found = Library(7)
    monkeypatch.setattr(threads, "libraries", lambda per_thread=None: [] if per_thread else [found])
    monkeypatch.setattr(threads, "_limit", threads.Limit())
    return found


def test_the_limit_holds_until_the_last_fit_ends(library):
    """A fit of another thread begins later and ends later: it keeps the one thread that it was given."""
    inside, ended, seen = Event(), Event(), []

    def second():
        with threads_for(0.0):
            inside.set()
            ended.wait(30)
            seen.append((library.num_threads, cores()))

    other = Thread(target=second)
    with threads_for(0.0):
        other.start()
        assert inside.wait(30)
        assert (library.num_threads, cores()) == (1, 7)
    assert (library.num_threads, cores()) == (1, 7)
    ended.set()
    other.join()
    assert seen == [(1, 7)]
    assert (library.num_threads, cores()) == (7, 7)


def test_a_number_of_threads_that_somebody_else_set_stays(library):
    with threads_for(0.0):
        library.num_threads = 3
    assert library.num_threads == 3


def test_each_thread_has_a_limit_of_its_own_where_libraries_count_for_each(monkeypatch):
    """OpenBLAS on OpenMP."""
    own = threading.local()
    library = SimpleNamespace(threading_layer="openmp", clear_controlling_thread=lambda force: None)
    monkeypatch.setattr(threads, "libraries", lambda per_thread=None: [] if per_thread is False else [Own(own)])
    monkeypatch.setattr(threads, "_limit", threads.Limit())
    assert threads.counts_per_thread(library)
    seen = []

    def other():
        with threads_for(0.0):
            seen.append((Own(own).num_threads, cores()))
        seen.append((Own(own).num_threads, cores()))

    with threads_for(0.0):
        thread = Thread(target=other)
        thread.start()
        thread.join()
        assert Own(own).num_threads == 1
    assert seen == [(1, 7), (7, 7)]
    assert Own(own).num_threads == 7


class Own:
    """A library whose number of threads each thread sets for itself."""

    def __init__(self, own):
        self.own = own

    @property
    def num_threads(self):
        return getattr(self.own, "count", 7)

    def set_num_threads(self, count):
        self.own.count = count


INTERRUPTED = """
from threading import Event, current_thread, main_thread
from separatrix import threads

threads._cores.set(2)
taken = Event()

def job(_):
    if current_thread() is main_thread():
        taken.wait()
        raise KeyboardInterrupt
    taken.set()
    Event().wait()  # for good, as for a lock that nobody releases

list(threads.parallel_map(job, range(4)))
"""


def test_an_interrupted_process_ends_whatever_its_threads_wait_for():
    ended = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode != 0
    assert ended.stderr.strip().endswith("KeyboardInterrupt")


def doubled(values):
    context = threads._cores.set(2)
    try:
        return list(parallel_map(lambda value: 2 * value, values))
    finally:
        threads._cores.reset(context)


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="processes are not copied here")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_copy_of_the_process_has_threads_of_its_own():
    assert doubled([1, 2]) == [2, 4]
    with multiprocessing.get_context("fork").Pool(1) as processes:
        assert processes.apply_async(doubled, ([3, 4],)).get(30) == [6, 8]


FORKED = """
import os
from threading import Event, Thread
from separatrix import compiling, threads
from separatrix.threads import cached_property, libraries, threads_for

class Slow:
    @cached_property
    def value(self):
        inside.set()
        return Event().wait()

class Quick(Slow):
    def __init__(self):
        global inside
        inside = Event()

def fit():
    with threads_for(0.0), threads._limit.lock, threads._workers.lock:
        Slow().value

before = [library.num_threads for library in libraries()]
inside = Event()
Thread(target=fit, daemon=True).start()
inside.wait()
child = os.fork()
if not child:
    threads._cores.set(2)
    assert [library.num_threads for library in libraries()] == before
    assert list(threads.parallel_map(abs, [-1, -2])) == [1, 2]
    Thread(target=lambda: Quick().value, daemon=True).start()
    assert inside.wait(30)
    os._exit(0)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_a_copy_of_the_process_does_not_wait_for_fits_that_it_does_not_have():
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], timeout=60, check=False).returncode == 0


PRELOADED = """
import os, signal, warnings
from threading import Event, Thread
import numpy as np
from separatrix import LinearSVM, threads

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.standard_normal((60_000, 20))
y = (X[:, 0] + rng.standard_normal(60_000) > 0).astype(int)
threads._cores.set(2)
model, begun = LinearSVM().fit(X, y), Event()

def fit():
    threads._cores.set(2)
    while True:
        begun.set()
        LinearSVM().fit(X, y)

Thread(target=fit, daemon=True).start()
begun.wait()
for worker in range(4):
    child = os.fork()
    if not child:
        signal.alarm(60)
        assert LinearSVM().fit(X[:20_000], y[:20_000]).certificate_.proof
        assert (model.predict(X) == y).mean() > 0.7
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
os._exit(0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_workers_of_a_server_that_loaded_models_first_fit_and_predict():
    """As with gunicorn --preload: the copies are made while a thread fits, with its helpers at work."""
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", PRELOADED], timeout=300, check=False).returncode == 0


def test_stretches_that_make_large_matrices_are_few():
    assert len(row_chunks(10**6, 400 * 2**20)) == threads.MAX_CHUNKS
    assert len(row_chunks(10**6, 400 * 2**20, made=40 * 2**20)) == 8  # no more than the rows together, four each turn
    assert len(row_chunks(10**5, 40 * 2**20, made=20 * 2**20)) == 1
    assert len(row_chunks(10**5, 8 * 2**20, made=2**20)) == 16  # the least that is allowed
