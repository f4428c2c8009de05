"""Logistic discrimination over blocks by products with the Hessian, held against fits in memory."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import LogisticClassifier, read_blocks, verify
from separatrix.solvers.blocks import newton, sample_of_rows

RANDOM = np.random.default_rng(5)


def rows(k, n=900, d=12):
    y = RANDOM.integers(0, k, n)
    X = (RANDOM.standard_normal((n, d)) + RANDOM.standard_normal((k, d))[y]) * np.logspace(-2, 2, d) + 3.0
    return X, y


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")  # rounding may keep the gap in memory above 1e-12
def test_products_find_the_optimum_that_hessians_find(k, C, offset, monkeypatch):
    monkeypatch.setattr(sample_of_rows, "MAX_ROWS", 120)
    monkeypatch.setattr(sample_of_rows, "MIN_ROWS", 120)
    X, y = rows(k)
    expected = LogisticClassifier(C, tol=1e-12, fit_intercept=offset).fit(X, y)
    monkeypatch.setattr(newton, "MAX_HESSIAN_ENTRIES", 4)
    blocks = read_blocks(X, y, rows_per_block=130)
    model = LogisticClassifier(C, tol=1e-9, fit_intercept=offset).fit(blocks)
    assert model.certificate_.stated <= 1e-9
    assert verify(model, blocks)
    size = np.abs(expected.coef_ * X.std(axis=0)).max()
    assert np.abs((model.coef_ - expected.coef_) * X.std(axis=0)).max() <= 1e-4 * size
    assert np.allclose(model.intercept_, expected.intercept_, rtol=1e-4, atol=1e-4 * size)
    assert model.n_iter_ < 200
    again = LogisticClassifier(C, tol=1e-9, fit_intercept=offset).fit(read_blocks(X, y, rows_per_block=130))
    assert np.array_equal(again.coef_, model.coef_)


def test_many_classes_and_columns_of_sparse_rows():
    """4,020 coefficients, beyond what a Hessian is made for."""
    X = sparse.random_array((1500, 200), density=0.05, rng=np.random.default_rng(0), format="csr")
    y = (X @ RANDOM.standard_normal((200, 20)) + 0.3 * RANDOM.standard_normal((1500, 20))).argmax(axis=1)
    model = LogisticClassifier(1.0, tol=1e-8).fit(read_blocks(X, y, rows_per_block=400))
    expected = LogisticClassifier(1.0, tol=1e-10).fit(X, y)
    assert model.certificate_.stated <= 1e-8
    assert np.abs(model.coef_ - expected.coef_).max() <= 1e-4 * np.abs(expected.coef_).max()
    assert (model.predict(X) == expected.predict(X)).mean() > 0.999
