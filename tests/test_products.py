"""Products of all rows with vectors, beside NumPy's own."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import products, threads
from separatrix.data.encode import as_rows
from separatrix.products import combination, dense_rows, scores, weighted_gram

RNG = np.random.default_rng(0)
X = RNG.standard_normal((101, 7)) * (RNG.random((101, 7)) < 0.5)
W, U = RNG.standard_normal((7, 3)), RNG.standard_normal(101)
INDEX = np.array([100, 0, 50, 50, 3])


def wide_indices(matrix):
    matrix = sparse.csr_array(matrix)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


STORED = {
    "dense": lambda rows: rows,
    "CSR": sparse.csr_array,
    "CSR, 64-bit indices": wide_indices,
    "empty rows": lambda rows: sparse.csr_array(rows * (np.arange(len(rows)) % 3 == 0)[:, None]),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("at_once", [2**17, 50, 1])
def test_both_products_are_those_of_the_dense_rows(stored, dtype, at_once, monkeypatch):
    monkeypatch.setattr(products, "CACHED_ENTRIES", at_once)
    matrix = STORED[stored](X.astype(dtype))
    rows, full = as_rows(matrix), np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix, dtype=np.float64)
    assert np.allclose(scores(rows, W[:, 0]), full @ W[:, 0], rtol=1e-13, atol=1e-13)
    assert np.allclose(scores(rows, W), full @ W, rtol=1e-13, atol=1e-13)
    assert np.allclose(combination(rows, U), full.T @ U, rtol=1e-13, atol=1e-13)
    assert np.array_equal(dense_rows(rows, INDEX), full[INDEX])
    assert scores(rows, W).dtype == combination(rows, U).dtype == dense_rows(rows, INDEX).dtype == np.float64


def test_sums_of_float32_rows_are_float64():
    rows = np.full((3, 1), 1e8, dtype=np.float32)
    assert scores(rows, np.array([1.0 + 1e-12])).tolist() == [1e8 * (1.0 + 1e-12)] * 3
    assert combination(rows, np.array([1.0, 1e-9, -1.0])).tolist() == pytest.approx([0.1], rel=1e-6)


def test_dense_rows_are_a_copy():
    rows = np.array(X)
    dense_rows(rows, np.arange(101))[0, 0] = 99.0
    assert np.array_equal(rows, X)


def test_a_weighted_gram_is_that_of_numpy_on_any_number_of_cores(monkeypatch):
    monkeypatch.setattr(threads, "ENTRIES_PER_CHUNK", 64)
    weights = RNG.uniform(0.0, 3.0, 101)
    for n in (1, 3):
        context = threads._cores.set(n)
        assert np.allclose(weighted_gram(X, weights), X.T @ np.diag(weights) @ X, rtol=1e-13, atol=1e-13)
        threads._cores.reset(context)
