"""Freed memory is used again and not handed back to the system, which would clear every page anew."""

import os
import platform
import subprocess
import sys

import pytest

PAGES = """
import resource
import numpy as np
from separatrix.memory import keep_freed_memory

keep_freed_memory()
for _ in range(3):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    held = [np.ones(2**17) for _ in range(4)]
    new = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    del held
print(new)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other C libraries go by other rules")
def test_the_pages_of_freed_arrays_are_used_again():
    own = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}  # as clusters set them
    ran = subprocess.run([sys.executable, "-c", PAGES], capture_output=True, text=True, check=True, env=own)
    assert int(ran.stdout) < 100, "4 MB are 1,024 pages"
