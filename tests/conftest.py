"""Compiled loops are kept on disk by the state of the whole package.

numba itself looks only at the file that a loop is in, so a change in rows.py would leave old code in its callers.
"""

import hashlib
import os
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "separatrix"

state = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(SOURCE.rglob("*.py")))).hexdigest()[:16]
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"separatrix-{getattr(os, 'getuid', int)()}" / state)
)
