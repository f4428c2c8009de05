"""Loops are compiled when they are first called, and no sooner."""

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from separatrix import rows
from separatrix.compiling import compiled, informed_numba, inner

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


def test_a_loop_is_what_it_is_called():
    assert rows.row_axpy.__name__ == "row_axpy"
    assert rows.row_axpy.__doc__ == "w += c x_i, in place."
    assert pickle.loads(pickle.dumps(rows.row_axpy)) is rows.row_axpy
