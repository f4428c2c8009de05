"""Newton's systems by factors of rows or of columns: the solution of the whole system, whatever the storage."""

import numpy as np
import pytest
from scipy import sparse

from separatrix.data.encode import as_rows
from separatrix.solvers.svm.lagrangian import newton_system
from separatrix.solvers.svm.lagrangian.newton_system import NewtonSystems, RowGram, System, by_columns, by_rows

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 13)) * (RNG.random((40, 13)) < 0.5)
STORED = {"dense": np.asarray, "CSR": sparse.csr_matrix}


def solved_whole(rows, sigma, downhill, bias_downhill, floor):
    """p and q by the matrix of all unknowns."""
    d = rows.shape[1]
    whole = np.eye(d + 1)
    whole[:d, :d] += (rows.T * sigma) @ rows
    whole[:d, d] = whole[d, :d] = sigma @ rows
    whole[d, d] = sigma.sum() + floor
    if floor == np.inf:
        return np.linalg.solve(whole[:d, :d], downhill), 0.0
    step = np.linalg.solve(whole, np.append(downhill, bias_downhill))
    return step[:d], step[d]


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("floor", [1e-6, 0.5, np.inf])
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
def test_both_factors_solve_the_whole_system(stored, dtype, floor, size):
    index = np.array([3, 17, 5, 39, 0, 8])
    sigma, downhill = size * RNG.uniform(0.1, 3.0, index.size), RNG.standard_normal(13)
    matrix = STORED[stored](X.astype(dtype))
    exact = X.astype(dtype)[index].astype(np.float64)
    p, q = solved_whole(exact, sigma, downhill, 0.7, floor)
    system = System(index, sigma, downhill, 0.7, floor)
    accuracy = 1e-9 + 1e-11 * size  # where sigma is large, the curvature by the offset is what cancellation leaves
    for own_p, own_q in (by_rows(system, matrix[index], exact @ exact.T), by_columns(system, matrix[index])):
        assert np.allclose(own_p, p, rtol=accuracy, atol=accuracy * np.abs(p).max())
        assert own_q == pytest.approx(q, rel=accuracy, abs=accuracy)


@pytest.mark.parametrize("stored", STORED)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_inner_products_are_kept_and_forgotten(stored, dtype, monkeypatch):
    monkeypatch.setattr(newton_system, "MAX_SIZE", 9)
    gram, exact = RowGram(STORED[stored](X.astype(dtype))), X.astype(dtype).astype(np.float64)
    for index in ([1, 5, 7], [7, 2, 30], [7], [8, 9, 10, 11, 12, 13], [1, 5], np.arange(9)):
        found = gram.of(np.array(index))
        assert np.allclose(found, exact[index] @ exact[index].T, rtol=1e-13, atol=1e-13)
        assert gram.known.size <= 9
        found[:] = np.nan  # a copy
    assert set(gram.known) == set(range(9))


def test_the_cheaper_factor_is_chosen_and_neither_is_too_large(monkeypatch):
    wide, tall = NewtonSystems(as_rows(sparse.random(30, 500, 0.1, "csr"))), NewtonSystems(np.ones((500, 3)))
    assert wide.operations_by_rows(np.arange(10)) < wide.operations_by_columns(np.arange(10))
    assert tall.operations_by_columns(np.arange(400)) < tall.operations_by_rows(np.arange(400))
    assert wide.operations_by_rows(np.arange(0)) == np.inf  # no rows, no matrix
    monkeypatch.setattr(newton_system, "MAX_SIZE", 20)
    assert wide.operations(np.arange(25)) == np.inf


def test_what_is_chosen_does_not_depend_on_other_solvers():
    rows = as_rows(sparse.random(60, 300, 0.2, "csr", rng=np.random.default_rng(1)))
    first = NewtonSystems(rows)
    expected = first.operations_by_rows(np.arange(20))
    first.inner_products(np.arange(20))
    assert first.operations_by_rows(np.arange(20)) < expected  # kept
    second = NewtonSystems(rows, first)
    assert second.operations_by_rows(np.arange(20)) == expected
    assert second.gram is first.gram
    assert np.array_equal(second.squares, first.squares)


def test_rounding_that_ends_a_factor_is_said(monkeypatch):
    systems = NewtonSystems(np.full((3, 2), np.nan))
    assert systems.solve(System(np.arange(3), np.ones(3), np.ones(2), 0.0, 1.0)) is None
