"""Sums over rows in chunks, one on each core, are those of all rows."""

import numpy as np
import pytest
from scipy import sparse

from separatrix.data.encode import as_rows
from separatrix.solvers.svm.lagrangian import row_products
from separatrix.solvers.svm.lagrangian.row_products import Curvature, add_up, chunks

RNG = np.random.default_rng(0)
DENSE = RNG.standard_normal((400, 10)) * (RNG.random((400, 10)) < 0.5)
WEIGHTS, V = RNG.random(400), RNG.standard_normal(10)


@pytest.fixture(params=[DENSE, sparse.csr_array(DENSE)], ids=["dense", "sparse"])
def divided(request, monkeypatch):
    """Rows of which even a few are worth a share."""
    monkeypatch.setattr(row_products, "NUMBERS_PER_CHUNK", 1)
    rows = as_rows(request.param)
    assert len(chunks(400, 2000, 10)) == 8
    return rows


def test_sums_of_some_rows(divided):
    index, amounts, into = np.arange(0, 400, 2), RNG.standard_normal(200), np.ones(10)
    add_up(divided, index, amounts, into)
    assert np.allclose(into, 1.0 + amounts @ DENSE[index], rtol=1e-12, atol=1e-12)
    add_up(divided, index[:0], amounts[:0], into)
    add_up(divided, index[:3], -amounts[:3], into)
    assert np.allclose(into, 1.0 + amounts[3:] @ DENSE[index[3:]], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("with_bias", [True, False])
def test_curvature_with_the_bias_eliminated(divided, with_bias):
    curvature = Curvature(divided, WEIGHTS, 0.5 if with_bias else np.inf)
    matrix = np.eye(10) + (DENSE.T * WEIGHTS) @ DENSE
    assert np.allclose(curvature.diagonal, np.diag(matrix), rtol=1e-12)
    if with_bias:
        matrix -= np.outer(WEIGHTS @ DENSE, WEIGHTS @ DENSE) / (WEIGHTS.sum() + 0.5)
    assert np.allclose(curvature.times(V), matrix @ V, rtol=1e-11, atol=1e-11)


def test_chunks_are_few_where_columns_are_many():
    assert len(chunks(1000, 80_000, 50_000)) == 1
    assert len(chunks(100_000, 8_000_000, 50_000)) == 8
