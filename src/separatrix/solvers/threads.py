"""How many threads linear algebra may use.

NumPy and SciPy each bring a BLAS with threads of its own. Between small products in turn from both, the threads of one
wait busily while those of the other work: two cores are then slower than one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

LARGE = 2e10  # operations of a product from which on threads are worth it


@cache
def libraries() -> Any:
    """The libraries that have threads; looking for them takes some milliseconds."""
    return ThreadpoolController()


@contextmanager
def threads_for(operations: float) -> Iterator[None]:
    """Let a block of code use one thread, unless its products take so many operations each that more are quicker."""
    if operations >= LARGE:
        yield
        return
    with libraries().limit(limits=1, user_api="blas"):
        yield
