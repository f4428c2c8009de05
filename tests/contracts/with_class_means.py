"""A plugin for pytest, `-p contracts.with_class_means`: all tests of the run know one more algorithm.

It acts in hooks, so that merely importing this file, as a search for doctests does, changes nothing.
"""

from contextlib import ExitStack

from contracts.class_means import ROW
from separatrix.estimators.registry import register

_whole_run = ExitStack()


def pytest_configure() -> None:
    """Register the row before tests are collected."""
    _whole_run.enter_context(register(ROW))


def pytest_unconfigure() -> None:
    """Take it back."""
    _whole_run.close()
