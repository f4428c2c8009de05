"""Reuse of freed memory: a page that is new to a process costs as much time as a thousand additions.

The C library of Linux hands freed memory back to the system beyond a threshold, and gets it anew for the next array,
page by page. The threshold is low until the first large array is freed, and follows the largest so far.
"""

from functools import cache

import numpy as np


@cache
def keep_freed_memory() -> None:
    """Free a large array, once, whose pages are never touched; elsewhere than on Linux that changes nothing.

    >>> keep_freed_memory()
    """
    np.empty(31 * 2**20, dtype=np.int8)  # the threshold follows arrays of up to 32 MB
