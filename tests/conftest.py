"""Compiled loops are kept on disk by the state of all files with loops, or with tuples that loops take.

numba itself looks only at the file that a loop is in, so a change in rows.py would leave old code in its callers.
"""

import gc
import hashlib
import os
import signal
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "separatrix"

texts = (path.read_bytes() for path in sorted(SOURCE.rglob("*.py")))
compiled = (text for text in texts if b"separatrix.compiling" in text or b"NamedTuple" in text)
state = hashlib.sha256(b"".join(compiled)).hexdigest()[:16]
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"separatrix-{getattr(os, 'getuid', int)()}" / state)
)

# A shell ignores the signals of what it runs in the background, and tests send them to themselves and to commands.
for number, handler in ((signal.SIGINT, signal.default_int_handler), (getattr(signal, "SIGHUP", None), signal.SIG_DFL)):
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)


def pytest_collection_finish():
    """Leave the tests themselves, nearly a million objects, out of what the garbage collector goes through."""
    gc.collect()
    gc.freeze()
