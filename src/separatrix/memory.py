"""How much memory there is, and reuse of what was freed.

A page that is new to a process costs as much time as a thousand additions.

The C library of Linux hands freed memory back to the system beyond a threshold, and gets it anew for the next array,
page by page. The threshold is low until the first large array is freed, and follows the largest so far.
"""

from functools import cache

import numpy as np

DEFAULT_BYTES = 4e9  # where the system does not say


@cache
def keep_freed_memory() -> None:
    """Free a large array, once, whose pages are never touched; elsewhere than on Linux that changes nothing.

    >>> keep_freed_memory()
    """
    np.empty(31 * 2**20, dtype=np.int8)  # the threshold follows arrays of up to 32 MB


def available_bytes() -> float:
    """Memory that can still be had, about: what the system says is available, less where a container limits it.

    >>> available_bytes() > 0
    True
    """
    try:
        with open("/proc/meminfo") as lines:
            free = next(1024.0 * float(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration):  # not Linux
        return DEFAULT_BYTES
    try:
        limit, used = (float(read_text(f"/sys/fs/cgroup/memory.{name}")) for name in ("max", "current"))
        return max(1e6, min(free, limit - used))
    except (OSError, ValueError):  # no limit
        return free


def read_text(path: str) -> str:
    """The content of a small file."""
    with open(path) as file:
        return file.read()
