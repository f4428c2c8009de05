"""What the tests of rows in blocks share: small samples, so that little data are many."""

import pytest

from separatrix.solvers.blocks import sample_of_rows


@pytest.fixture(scope="session")
def cluster():
    """A client of three processes, which all tests share; those that are killed begin again."""
    pytest.importorskip("distributed")
    from blocks.clusters import local_cluster

    with local_cluster(3) as client:
        yield client


@pytest.fixture
def small_samples(monkeypatch):
    """Samples of forty rows: the solvers must then go on from the optimum of few rows."""
    monkeypatch.setattr(sample_of_rows, "MAX_ROWS", 40)
    monkeypatch.setattr(sample_of_rows, "MIN_ROWS", 40)
