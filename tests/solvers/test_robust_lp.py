"""The robust linear program against HiGHS on the formulation as it is written, and what Bennett and Mangasarian say."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from separatrix import DataError, NotCertifiedWarning, OptionError, robust_linear_program
from separatrix.problem import Problem
from separatrix.solvers.separation.robust_lp import robust_lp
from solvers.robust_lp_data import overlapping, tiny_integers


def value_by_highs(X, y, fit_intercept=True, weights=None):
    """Minimise over (w, b, slacks), nothing scaled."""
    signs, (n, d) = 2.0 * y - 1.0, X.shape
    weights = np.ones(n) if weights is None else weights
    cost = weights / np.bincount(y, weights)[y]
    margins = np.column_stack([X, np.full(n, float(fit_intercept))]) * signs[:, None]
    free = [(None, None)] * (d + 1)
    found = linprog(
        np.append(np.zeros(d + 1), cost), A_ub=-np.column_stack([margins, np.eye(n)]), b_ub=-np.ones(n),
        bounds=free + [(0, None)] * n,
    )  # fmt: skip
    return found.fun


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(15))
def test_the_value_is_that_of_highs(seed, fit_intercept):
    X, y = overlapping(seed)
    weights = np.random.default_rng(seed).integers(1, 5, y.size).astype(float)
    plane = robust_linear_program(X, y, sample_weight=weights, fit_intercept=fit_intercept)
    assert plane.value == pytest.approx(value_by_highs(X, y, fit_intercept, weights), abs=1e-8)
    assert plane.certificate.error(Problem(X, y, 2, weights, fit_intercept)) <= 1e-9
    assert plane.b == 0.0 or fit_intercept


@pytest.mark.parametrize("seed", range(30))
def test_the_value_is_0_exactly_where_the_classes_can_be_separated(seed):
    """Small whole numbers: a plane that separates them does so by a margin that HiGHS cannot miss."""
    X, y = tiny_integers(seed)
    signs = 2.0 * y - 1.0
    feasible = linprog(
        np.zeros(3), A_ub=-signs[:, None] * np.column_stack([X, np.ones(y.size)]), b_ub=-np.ones(y.size),
        bounds=(None, None),
    )  # fmt: skip
    plane = robust_linear_program(X, y)
    if feasible.status == 0:
        assert plane.value == 0.0
        assert (signs * (X @ plane.w + plane.b) >= 1.0).all()
        assert plane.errors == 0
    else:
        assert plane.certificate.dual > 0.05
        assert plane.certificate.overlap.proof
    assert plane.certificate.stated <= 1e-9


def test_both_kinds_are_among_these():
    values = [robust_linear_program(*tiny_integers(seed)).value for seed in range(30)]
    assert 5 <= np.count_nonzero(values) <= 25


def test_slacks_and_errors_are_those_of_the_plane():
    X, y = overlapping(3)
    plane = robust_linear_program(X, y)
    margins = (2 * y - 1) * (X @ plane.w + plane.b)
    np.testing.assert_allclose(plane.slacks, np.maximum(0.0, 1.0 - margins), atol=1e-12)
    assert plane.errors == np.count_nonzero(margins <= 0.0) > 0
    means = [plane.slacks[y == side].mean() for side in (0, 1)]
    assert sum(means) == pytest.approx(plane.value, abs=1e-12)


def test_the_value_is_2_exactly_where_the_classes_have_the_same_mean():
    plane = robust_linear_program([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    assert plane.value == 2.0
    assert plane.certificate.dual == pytest.approx(2.0, abs=1e-12)
    X, y = overlapping(0)
    X -= np.array([X[y == side].mean(axis=0) for side in (0, 1)])[y]
    assert robust_linear_program(X, y).value == pytest.approx(2.0, abs=1e-9)
    assert robust_linear_program(X + 1e-3 * y[:, None], y).value < 2.0 - 1e-5


def test_a_weight_is_so_many_copies():
    X, y = overlapping(1)
    copies = np.random.default_rng(1).integers(0, 4, y.size)
    weighted = robust_linear_program(X, y, sample_weight=copies)
    copied = robust_linear_program(np.repeat(X, copies, axis=0), np.repeat(y, copies))
    assert weighted.value == pytest.approx(copied.value, rel=1e-10)
    np.testing.assert_allclose(weighted.w, copied.w, rtol=1e-8)
    assert weighted.slacks.shape == y.shape
    assert not weighted.slacks[copies == 0].any()


def test_a_class_counts_the_same_however_many_rows_it_has():
    X, y = overlapping(2)
    once, often = robust_linear_program(X, y), robust_linear_program(X, y, sample_weight=np.where(y == 1, 50.0, 1.0))
    np.testing.assert_allclose(once.w, often.w, rtol=1e-8)


def test_sparse_rows_and_single_precision_are_the_same_question():
    X, y = overlapping(4)
    X = np.where(np.abs(X) < 0.4, 0.0, X).astype(np.float32)
    dense = robust_linear_program(X.astype(float), y)
    for same in (X, sparse.csr_array(X), sparse.csc_matrix(X.astype(float))):
        plane = robust_linear_program(same, y)
        assert plane.value == pytest.approx(dense.value, rel=1e-12)
        np.testing.assert_allclose(plane.w, dense.w, rtol=1e-8)


@pytest.mark.parametrize("units", [[1e-100] * 3, [1e98] * 3, [1e-90, 1.0, 1e90]])
def test_units_do_not_matter(units):
    X, y = overlapping(5)
    plane, other = robust_linear_program(X, y), robust_linear_program(X * units, y)
    assert other.value == pytest.approx(plane.value, rel=1e-10)
    np.testing.assert_allclose(other.w * units, plane.w, rtol=1e-6)


def test_nor_does_the_origin():
    X, y = overlapping(6)
    plane, far = robust_linear_program(X, y), robust_linear_program(X + 1e6, y)
    assert far.value == pytest.approx(plane.value, rel=1e-7)
    assert 1e-6 > far.certificate.stated > plane.certificate.stated


def test_rows_that_nearly_touch_are_told_from_rows_that_touch():
    y = [0, 0, 1, 1]
    for apart in (1e-3, 1e-6, 1e-9, 1e-12, 1e-15):
        assert robust_linear_program([[0.0], [1.0], [1.0 + apart], [2.0]], y).value == 0.0
    assert robust_linear_program([[0.0], [1.0], [1.0], [2.0]], y).value == pytest.approx(1.0)


@pytest.mark.parametrize("margin", [1e-6, 1e-9, 1e-12, 1e-15])
def test_a_margin_that_rounding_almost_hides_is_found(margin):
    """Many rows are pushed to just this distance from a plane in four dimensions."""
    rng = np.random.default_rng(1)
    X, u = rng.standard_normal((300, 4)), np.array([0.5, -0.5, 0.5, -0.5])
    y = (X @ u > 0).astype(int)
    X -= np.where(np.abs(X @ u) < 0.5, X @ u - (2 * y - 1) * margin, 0.0)[:, None] * u
    plane = robust_linear_program(X, y)
    assert (plane.value == 0.0) == (plane.certificate.separator is not None)
    assert (plane.value > 0.0) == (plane.certificate.overlap is not None)
    assert plane.value == 0.0 or margin == 1e-15


@pytest.mark.parametrize(
    ("X", "y", "value"),
    [
        (np.ones((5, 2)), [0, 1, 1, 1, 1], 2.0),
        (np.zeros((3, 2)), [0, 1, 1], 2.0),
        ([[1.0, 2.0], [1.0, 2.5]], [0, 1], 0.0),
        ([[1.0, 2.0], [1.0, 2.0]], [0, 1], 2.0),
        (np.random.default_rng(0).standard_normal((10, 50)), [0, 1] * 5, 0.0),
    ],
    ids=["constant", "zero", "two rows", "one place", "wide"],
)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_odd_shapes(X, y, value, fit_intercept):
    plane = robust_linear_program(X, y, fit_intercept=fit_intercept)
    assert plane.value == pytest.approx(value, abs=1e-12)
    assert plane.certificate.stated <= 1e-9


@pytest.mark.large
def test_many_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 50_000)
    X = rng.standard_normal((50_000, 20)) + y[:, None] * np.eye(20)[0]
    problem = Problem(X, y)
    plane = robust_lp(problem)
    assert plane.certificate.error(problem) <= 1e-9
    assert np.argmax(np.abs(plane.w)) == 0


def test_what_cannot_be_asked():
    with pytest.raises(DataError, match=r"two classes, but y holds 3: \[0, 1, 2\]"):
        robust_linear_program([[0], [1], [2]], [0, 1, 2])
    with pytest.raises(DataError, match="two classes. Got 3"):
        robust_lp(Problem(np.eye(3), np.arange(3), 3))
    with pytest.raises(OptionError, match="'fit_intercept' parameter must be True or False. Got 1"):
        robust_linear_program([[0], [1]], [0, 1], fit_intercept=1)
    with pytest.raises(DataError, match="NaN"):
        robust_linear_program([[0], [np.nan]], [0, 1])


def test_a_gap_that_does_not_close_is_said():
    """Weights so far apart that most rows count for nothing in floating point."""
    X, y = overlapping(7)
    weights = 10.0 ** np.random.default_rng(0).integers(-300, 300, y.size)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plane = robust_linear_program(X, y, sample_weight=weights)
    assert bool(caught) == (plane.certificate.stated > 1e-6)
    assert all(issubclass(each.category, NotCertifiedWarning) for each in caught)
    assert all(each.filename == __file__ for each in caught)


def test_it_reads_well():
    plane = robust_linear_program([[0], [2], [1], [3]], [0, 0, 1, 1])
    assert repr(plane) == "RobustPlane(value=1.33333, 2 errors)"
    assert str(plane).startswith("RobustPlane: value 1.33333, 2 rows of 4 on the wrong side\nDualityGap: minimise")
    assert "every row on its own side" in str(robust_linear_program([[0], [1]], [0, 1]))
