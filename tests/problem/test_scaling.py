"""Columns in units of their own size, the same for dense and for sparse rows."""

import numpy as np
import pytest

from separatrix.problem.scaling import Scaling
from separatrix.products import as_matrix
from separatrix.rows import CSR

RNG = np.random.default_rng(0)
X = np.where(RNG.random((30, 4)) < 0.9, 0.0, RNG.standard_normal((30, 4))) * [1e-80, 1.0, 1e5, 1e80] + [0, 0, 0, 1e84]
X[:, 1] = 7.0


def as_csr(dense):
    kept = [np.flatnonzero(row) for row in dense]
    indptr = np.append(0, np.cumsum([columns.size for columns in kept]))
    return CSR(dense[dense != 0.0], np.concatenate(kept), indptr, dense.shape[1])


@pytest.mark.parametrize("centred", [True, False])
def test_columns_reach_from_1_to_2_units(centred):
    scaling = Scaling.of(X, np.ones(30), centred)
    reach = np.abs((X - scaling.centre) / scaling.unit).max(axis=0)
    assert ((reach >= 1.0) & (reach < 2.0) | (reach == 0.0)).all()
    assert (np.frexp(scaling.unit)[0] == 0.5).all()  # powers of two
    assert centred == scaling.centre.any()


@pytest.mark.parametrize("centred", [True, False])
def test_sparse_rows_have_the_same_units(centred):
    """The column that is never 0 is far from the origin; the others are 0 in most rows, away from their mean."""
    weights = RNG.random(30)
    dense, sparse = (Scaling.of(rows, weights, centred) for rows in (X, as_csr(X)))
    np.testing.assert_allclose(sparse.centre, dense.centre, rtol=1e-13)
    assert sparse.unit.tolist() == dense.unit.tolist()
    np.testing.assert_array_equal(as_matrix(sparse.scaled(as_csr(X))).toarray(), dense.scaled(X))


def test_weights_count_rows_in_the_mean():
    weights = np.arange(30)
    np.testing.assert_allclose(
        Scaling.of(X, weights).centre, Scaling.of(np.repeat(X, weights, axis=0), np.ones(435)).centre, rtol=1e-13
    )


def test_a_column_of_zeros_where_it_is_stored_reaches_to_its_mean():
    """One large number among zeros: the zeros are near the mean, the number far from it; turned round, they are not."""
    mostly = np.array([[1.0], [1.0], [1.0], [0.0]])
    assert Scaling.of(as_csr(mostly), np.ones(4)).unit.tolist() == Scaling.of(mostly, np.ones(4)).unit.tolist() == [0.5]
