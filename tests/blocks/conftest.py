"""What the tests of rows in blocks share: small samples, so that little data are many."""

import pytest

from separatrix.solvers.blocks import sample_of_rows


@pytest.fixture
def small_samples(monkeypatch):
    """Samples of forty rows: the solvers must then go on from the optimum of few rows."""
    monkeypatch.setattr(sample_of_rows, "MAX_ROWS", 40)
    monkeypatch.setattr(sample_of_rows, "MIN_ROWS", 40)
