"""Rows: dense and sparse do the same, and the rounding bounds are true."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from separatrix import rows
from separatrix.compiling import compiled
from separatrix.rows import CSR

STORAGES = ["dense", "csr32", "csr64"]


def stored(X: np.ndarray, storage: str) -> rows.Rows:
    if storage == "dense":
        return rows.locked(np.ascontiguousarray(X))
    index = np.int32 if storage == "csr32" else np.int64
    matrix = sparse.csr_array(X)
    return rows.locked(CSR(matrix.data, matrix.indices.astype(index), matrix.indptr.astype(index), X.shape[1]))


@compiled
def score(X, i, w):
    """row_dot is called from compiled code only."""
    return rows.row_dot(X, i, w)


@pytest.fixture(params=STORAGES)
def storage(request):
    return request.param


@pytest.fixture(params=[np.float32, np.float64])
def X(request):
    rng = np.random.default_rng(0)
    return (rng.standard_normal((20, 13)) * (rng.uniform(size=(20, 13)) < 0.4)).astype(request.param)


def test_every_storage_does_what_numpy_does(X, storage):
    given_rows, w = stored(X, storage), np.linspace(-1, 2, 13)
    assert (rows.n_rows(given_rows), rows.n_columns(given_rows)) == (20, 13)
    for i in range(20):
        x = X[i].astype(float)
        assert np.isclose(score(given_rows, i, w), x @ w, rtol=1e-14, atol=1e-14)
        assert np.isclose(rows.row_norm2(given_rows, i), x @ x, rtol=1e-14)
        assert np.isclose(rows.row_size(given_rows, i, w), np.abs(x) @ np.abs(w), rtol=1e-14)
        assert np.array_equal(rows.dense_row(given_rows, i), x)
        moved = w.copy()
        rows.row_axpy(0.5, given_rows, i, moved)
        assert np.array_equal(moved, w + 0.5 * x)


def test_taking_rows_apart(X, storage):
    index = np.array([3, 3, 0, 19, 7])
    part = rows.take(stored(X, storage), index)
    assert np.array_equal([rows.dense_row(part, i) for i in range(5)], X[index])


def test_locked_rows_cannot_be_written(X, storage):
    locked = stored(X, storage)
    values = locked if isinstance(locked, np.ndarray) else locked.data
    with pytest.raises(ValueError, match="read-only"):
        values[0] = 1.0


def test_chunks_cover_all_rows_once(X, storage, monkeypatch):
    monkeypatch.setattr(rows, "ENTRIES_A_CALL", 40)
    parts = list(rows.chunks(stored(X, storage), vectors=2))
    assert len(parts) > 1
    assert np.concatenate([np.arange(20)[part] for part in parts]).tolist() == list(range(20))


ENTRY = st.floats(-1e3, 1e3)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(ENTRY, ENTRY), min_size=1, max_size=12), ENTRY)
def test_rounding_is_within_its_bound(pairs, b):
    x, w = (np.array(part) for part in zip(*pairs, strict=True))
    truth = sum((Fraction(p) * Fraction(q) for p, q in pairs), Fraction(b))
    for storage in STORAGES:
        scores, sizes = np.empty(1), np.empty(1)
        rows.scores_and_sizes(stored(x[None], storage), np.append(w, b), 0, 1, scores, sizes)
        least = (len(pairs) + 2) * np.finfo(float).smallest_subnormal
        assert abs(Fraction(scores[0]) - truth) <= Fraction(rows.rounding_bound(len(pairs) + 1) * sizes[0] + least)
