"""The package as a whole."""

import subprocess
import sys

import separatrix

HEAVY = ["numba", "llvmlite", "matplotlib", "rich", "pandas", "polars", "pyarrow", "dask", "flint"]
HEAVY += ["sklearn.ensemble", "sklearn.datasets"]


def loaded_by(imports: str) -> set[str]:
    program = f"import sys; import {imports}; print(*sorted(sys.modules))"
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


def test_importing_it_stays_light():
    """scikit-learn may load some of them by itself; we add none."""
    assert not (loaded_by("separatrix") - loaded_by("sklearn.linear_model")) & set(HEAVY)


def test_public_names_are_there_and_sorted():
    assert separatrix.__all__ == sorted(separatrix.__all__)
    for name in separatrix.__all__:
        assert getattr(separatrix, name).__doc__
