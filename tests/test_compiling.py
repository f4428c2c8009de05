"""Loops are compiled when they are first called, and no sooner."""

import errno
import os
import pickle
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event, current_thread, main_thread
from time import sleep

import numpy as np
import pytest

from separatrix import compiling, rows
from separatrix.compiling import compiled, informed_numba, inner, overload

FIRST_CALL = """
import sys
import numpy as np
from separatrix import rows
X = rows.locked(np.eye(3))
print("numba" in sys.modules, *rows.squares(X), "numba" in sys.modules)
"""


def first_call(folder: Path) -> tuple[str, dict[str, int]]:
    """What a new process prints, and the compiled loops that are on disk after it, each with its time."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-c", FIRST_CALL]
    printed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return printed.strip(), {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}


def test_the_first_call_compiles_and_the_next_process_need_not(tmp_path):
    pytest.importorskip("numba")
    printed, on_disk = first_call(tmp_path)
    assert printed == "False 1.0 1.0 1.0 True"
    assert len(on_disk) == 1
    assert first_call(tmp_path) == (printed, on_disk)


def test_loops_call_what_was_defined_after_others_were_compiled():
    rows.squares(np.eye(2))

    @inner
    def twice(x):
        return 2 * x

    @compiled
    def add_twice(x, y):
        return x + twice(y)

    @compiled
    def add_twice_twice(x, y):
        return add_twice(add_twice(x, y), y)

    assert add_twice_twice(1, 10) == 41


def test_threads_may_call_a_loop_first_at_the_same_time():
    @compiled
    def add(x, y):
        return x + y

    together = Barrier(4)

    def call(x: int) -> int:
        together.wait()
        return add(x, 1)

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(call, range(4))) == [1, 2, 3, 4]


def test_without_numba_a_loop_stays_python(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)

    @compiled
    def kind(x):
        return type(x).__name__  # which numba could not compile

    assert informed_numba() is None
    assert kind(1) == "int"


OUT_OF_MEMORY = """
import sys, warnings

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name == "llvmlite.binding":
            raise {failure}

sys.meta_path.insert(0, Refusing())
from separatrix import Perceptron

X, y = [[float(i), float(i % 3)] for i in range(40)], [int(i > 20) for i in range(40)]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    model = Perceptron(max_iter=5000).fit(X, y)
    Perceptron(averaged=True).fit(X, y)
told = [str(each.message) for each in caught if each.category is RuntimeWarning]
print(len(told), "could not be loaded" in told[0], model.score(X, y))
"""


@pytest.mark.parametrize(
    "failure", ["OSError('cannot map libllvmlite.so')", "ImportError('failed to map segment')", "MemoryError()"]
)
def test_where_numba_cannot_be_loaded_loops_stay_python_and_it_is_said_once(tmp_path, failure):
    pytest.importorskip("numba")
    script = OUT_OF_MEMORY.format(failure=failure)
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.split() == ["1", "True", "1.0"]


def test_a_loop_is_what_it_is_called():
    assert rows.row_axpy.__name__ == "row_axpy"
    assert rows.row_axpy.__doc__ == "w += c x_i, in place."
    assert pickle.loads(pickle.dumps(rows.row_axpy)) is rows.row_axpy


def test_an_interrupt_does_not_reach_numba(tmp_path, monkeypatch):
    """Ctrl-C while a loop is compiled: the wait for it ends, numba goes on, and the next call finds the loop."""
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))  # a loop of an earlier run would not be compiled
    seen, go_on = [], Event()

    def marked(x):
        return x

    @overload(marked)
    def choose(x):
        if not seen:
            seen.append(current_thread())
            sleep(0.1)  # a signal just before the other thread begins to wait is seen when the wait is over
            signal.pthread_kill(main_thread().ident, signal.SIGINT)
            go_on.wait(10)
        return lambda x: x

    @compiled
    def add(x, y):
        return marked(x) + y

    with pytest.raises(KeyboardInterrupt):
        add(1, 2)
    go_on.set()
    assert add(1, 2) == 3
    assert seen[0] is not main_thread()


def twice(x):
    return x + x


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A function that compiles `twice` as a new process does, with its files in a folder."""
    numba = pytest.importorskip("numba")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    informed_numba()

    def call():
        ready = compiling.compiling(numba, twice)
        assert ready(21.0) == 42.0
        return sum(ready.stats.cache_hits.values())

    return call


def cut_off(content):
    return content[: len(content) // 2]


def with_a_hole(content):
    middle = len(content) // 2
    return content[: middle - 200] + bytes(400) + content[middle + 200 :]


DAMAGES = {
    "empty": lambda content: b"",
    "cut": cut_off,
    "zeros": lambda content: bytes(len(content)),
    "hole": with_a_hole,
    "text": lambda content: b"no space left on device",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_damaged_files_are_compiled_again_and_replaced(kept, tmp_path, kind, damage):
    assert kept() == 0
    assert kept() == 1
    for path in tmp_path.rglob(f"*.{kind}"):
        path.write_bytes(damage(path.read_bytes()))
    assert kept() == 0
    assert kept() == 1


def test_a_full_disk_keeps_nothing(kept, tmp_path, monkeypatch):
    from numba.core.caching import IndexDataCacheFile

    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_open_for_write", refuse)
    assert kept() == 0
    assert kept() == 0
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_loops_are_compiled_where_no_folder_can_be_written_to(kept, monkeypatch):
    from numba.core.caching import CompileResultCacheImpl

    monkeypatch.setattr(CompileResultCacheImpl, "_locator_classes", [])
    compiling.warn_not_kept.cache_clear()
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR"):
        assert kept() == 0
    assert kept() == 0  # and warns no more


FORKED = """
import os, sys, time
from threading import Event, Thread
import numpy as np
from separatrix import compiling, rows

def import_numba():
    rows.squares(rows.locked(np.eye(2)))

def compile_slowly():
    slow(1)

def marked(x):
    return x

@compiling.overload(marked)
def choose(x):
    inside.set()
    time.sleep(0.2)
    return lambda x: x

@compiling.compiled
def slow(x):
    return marked(x)

def in_a_copy(task, begun):
    thread = Thread(target=task)
    thread.start()
    while not begun():
        time.sleep(0.001)
    child = os.fork()
    if not child:
        assert not compiling._noted
        assert slow(2.0) == 2.0
        os._exit(0)
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

inside = Event()
in_a_copy(import_numba, lambda: "numba" in sys.modules)
inside.clear()
in_a_copy(compile_slowly, inside.is_set)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not copied here")
def test_a_copy_of_the_process_can_compile_whatever_other_threads_compiled(tmp_path):
    pytest.importorskip("numba")
    script = tmp_path / "script.py"  # numba keeps loops of files only
    script.write_text(FORKED)
    assert subprocess.run([sys.executable, "-W", "ignore", str(script)], timeout=120, check=False).returncode == 0
