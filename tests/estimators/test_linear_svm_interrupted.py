"""Ctrl-C during a long fit returns control within a second or so, whichever way is taken."""

import signal
import subprocess
import sys
import time

import pytest

LONG = """
import signal
import warnings
import numpy as np
from scipy import sparse
from separatrix import LinearSVM
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
{rows}
with warnings.catch_warnings(action="ignore"):  # what is compiled is compiled first: there Ctrl-C may go unheard
    LinearSVM(C=100.0, max_iter=2).fit(X, rng.integers(0, 2, X.shape[0]))
print("ready", flush=True)
try:
    LinearSVM(C=100.0).fit(X, rng.integers(0, 2, X.shape[0]))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
ROWS = {
    "interior": "X = rng.standard_normal((35_000, 500))",
    "lagrangian": "n = 25_000; X = sparse.csr_array((rng.standard_normal(40 * n), rng.integers(0, 20_000, 40 * n), "
    "np.arange(0, 40 * n + 1, 40)), shape=(n, 20_000))",
}


@pytest.mark.large
@pytest.mark.parametrize("way", ROWS)
def test_control_c_returns_control(way):
    with subprocess.Popen(
        [sys.executable, "-c", LONG.format(rows=ROWS[way])], stdout=subprocess.PIPE, text=True
    ) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.4)
            child.send_signal(signal.SIGINT)
            assert child.communicate(timeout=60)[0] == "interrupted\n"
        finally:
            child.kill()
