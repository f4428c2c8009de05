"""A pytest plugin that makes numba unimportable, to run the tests on the plain Python fallback.

Use it as `PYTHONPATH=tests pytest -p without_numba -m "not large"`; the workers of pytest-xdist load it too.
It acts in a hook, so that merely importing this file, as a search for doctests does, changes nothing.
"""

import sys

import pytest


def numba_is_missing() -> bool:
    """Whether importing numba fails, and no part of it was imported before."""
    loaded = any(name.startswith("numba.") for name in sys.modules)
    return not loaded and "numba" in sys.modules and sys.modules["numba"] is None


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Hide numba before anything of this project can have imported it."""
    if "numba" in sys.modules:
        raise pytest.UsageError("without_numba: numba is imported already, before the tests could hide it")
    sys.modules["numba"] = None  # type: ignore[assignment]


def pytest_configure() -> None:
    """End a process, a worker's too, in which numba could not be hidden in time."""
    if not numba_is_missing():
        raise pytest.UsageError("without_numba: numba is not hidden in this process; use -p without_numba")


def pytest_runtest_setup() -> None:
    """Hold for each test that it really runs without numba."""
    assert numba_is_missing(), "this run is without numba, and yet something imported it"


def pytest_report_header() -> str:
    """Say what kind of run this is."""
    return "numba: hidden, loops run as plain Python"
