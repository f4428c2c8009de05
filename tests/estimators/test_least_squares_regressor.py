"""LeastSquaresRegressor on rows and numbers of every kind."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression, Ridge

from separatrix import DataError, LeastSquaresRegressor, NotCertifiedWarning, OptionError, load, save, verify
from separatrix.problem import fused_sums
from separatrix.solvers.squares import least_squares as solver
from separatrix.solvers.squares import mixed_precision


def rows(n=60, d=5, seed=8):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + 3.0 + rng.standard_normal(n)


def deficient():
    X, y = rows()
    wide, few = rows(12, 30)
    return {
        "full": (X, y, 5),
        "twice": (np.column_stack([X, X[:, 0]]), y, 5),
        "a sum of others": (np.column_stack([X, X[:, 1] + X[:, 2]]), y, 5),
        "constant": (np.column_stack([X, np.full(60, 0.1), np.zeros(60)]), y, 5),
        "more columns than rows": (wide, few, 11),
        "rows repeated": (np.repeat(X[:4], 3, axis=0), y[:12], 3),
        "one row": (X[:1], y[:1], 0),
    }


def reference(X, y, ridge, weights, offset):
    """w and b by NumPy's lstsq, the ridge as further rows; the least w where there are several."""
    root, n = np.sqrt(weights), weights.sum()
    middle, target = (weights @ X / n, weights @ y / n) if offset else (np.zeros(X.shape[1]), 0.0)
    Z, t = root[:, None] * (X - middle), root * (y - target)
    Z = np.vstack([Z, np.sqrt(ridge) * np.eye(X.shape[1])])
    w = np.linalg.lstsq(Z, np.append(t, np.zeros(X.shape[1])), rcond=1e-12)[0]
    return w, target - middle @ w


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("name", deficient())
def test_the_plane_is_that_of_lstsq_and_the_least_one(name, ridge, offset):
    X, y, rank = deficient()[name]
    weights = np.random.default_rng(1).uniform(0.5, 2.0, len(X))
    w, b = reference(X, y, ridge, weights, offset)
    for container in (np.asarray, sparse.csr_array):
        model = LeastSquaresRegressor(ridge, fit_intercept=offset).fit(container(X), y, weights)
        assert model.coef_ == pytest.approx(w, abs=1e-11)
        assert model.intercept_ == pytest.approx(b, abs=1e-11)
        assert isinstance(model.intercept_, float)
        assert model.certificate_.stated <= 1e-13
        assert verify(model, container(X), y, weights)
        assert ridge or not offset or model.rank_ == rank


def test_scikit_learn_gives_the_same_plane():
    X, y = rows()
    plain, peer = LeastSquaresRegressor().fit(X, y), LinearRegression().fit(X, y)
    assert plain.coef_ == pytest.approx(peer.coef_, abs=1e-12)
    assert plain.intercept_ == pytest.approx(peer.intercept_, abs=1e-12)
    assert (plain.coef_.shape, np.ndim(plain.intercept_)) == (peer.coef_.shape, np.ndim(peer.intercept_))
    weights = np.random.default_rng(2).uniform(0.0, 3.0, 60)
    for offset in (True, False):
        ridge, peer = LeastSquaresRegressor(2.5, fit_intercept=offset), Ridge(2.5, fit_intercept=offset, tol=1e-14)
        ridge, peer = ridge.fit(X, y, weights), peer.fit(X, y, weights)
        assert ridge.coef_ == pytest.approx(peer.coef_, abs=1e-12)
        assert ridge.predict(X) == pytest.approx(peer.predict(X), abs=1e-12)
        assert ridge.score(X, y) == pytest.approx(peer.score(X, y), abs=1e-12)


@pytest.mark.parametrize("size", [1e6, 1e-6, 1e40, 1e-40])
def test_the_scale_of_y_does_not_matter(size):
    X, y = rows()
    plain, other = LeastSquaresRegressor(0.1).fit(X, y), LeastSquaresRegressor(0.1).fit(X, size * y)
    assert other.coef_ / size == pytest.approx(plain.coef_, rel=1e-12)
    assert other.certificate_.stated <= 3e-14
    assert verify(other, X, size * y)
    assert not verify(other, X, size * (y + 0.01 * X[:, 0])).holds


def test_float32_rows_are_as_good_as_the_same_numbers_in_float64():
    X, y = rows()
    X = X.astype(np.float32)
    single, double = LeastSquaresRegressor().fit(X, y), LeastSquaresRegressor().fit(X.astype(float), y)
    assert single.coef_ == pytest.approx(double.coef_, rel=1e-12)
    assert single.certificate_.stated <= 3e-14


@pytest.mark.parametrize("ridge", [0.0, 0.3])
def test_weights_are_copies(ridge):
    X, y = rows()
    counts = np.random.default_rng(9).integers(0, 4, 60)
    weighted = LeastSquaresRegressor(ridge).fit(X, y, counts)
    copied = LeastSquaresRegressor(ridge).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert weighted.predict(X) == pytest.approx(copied.predict(X), abs=1e-12)
    assert verify(weighted, X, y, counts)
    assert not verify(weighted, X, y, np.where(counts > 0, 1.0, 0.0)).holds


@pytest.mark.parametrize("value", [0.0, 0.1, -1e9, 3e-7])
def test_a_constant_y_is_its_own_prediction(value):
    X, _ = rows()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LeastSquaresRegressor().fit(X + 100.0, np.full(60, value))
    assert model.predict(X + 100.0) == pytest.approx(value, rel=1e-12)
    assert verify(model, X + 100.0, np.full(60, value))


def test_far_from_the_origin():
    X, y = rows()
    away = np.array([0.0, 1e6, -1e4, 1.0, 10.0])
    plain, moved = LeastSquaresRegressor().fit(X, y), LeastSquaresRegressor().fit(X + away, y + 1e6)
    assert moved.coef_ == pytest.approx(plain.coef_, rel=1e-8)
    assert moved.certificate_.stated <= 1e-9


def test_large_tables_go_through_compiled_loops_and_quantized_rows(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 30))
    y, weights = X @ rng.standard_normal(30) + 0.1 * rng.standard_normal(4000) + 2.0, rng.uniform(0.5, 2.0, 4000)
    plain = LeastSquaresRegressor(1.0).fit(X, y, weights)
    monkeypatch.setattr(fused_sums, "MIN_ENTRIES_FOR_LOOPS", 1)
    looped = LeastSquaresRegressor(1.0).fit(X, y, weights)
    monkeypatch.setattr(mixed_precision, "MIN_COLUMNS", 2)
    quantized = LeastSquaresRegressor(1.0).fit(X, y, weights)
    assert quantized.n_iter_ > 1 or fused_sums.informed_numba() is None
    large = LeastSquaresRegressor(1.0).fit(X, 1e60 * y, weights)  # beyond float32
    assert large.n_iter_ == quantized.n_iter_
    assert large.coef_ / 1e60 == pytest.approx(quantized.coef_, rel=1e-9)
    w, _ = reference(X, y, 1.0, weights, True)
    for model in (plain, looped, quantized):
        assert model.coef_ == pytest.approx(w, abs=1e-11)
        assert model.certificate_.stated <= 1e-11
        assert verify(model, X, y, weights)


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_many_sparse_columns_go_through_conjugate_gradients(ridge, monkeypatch):
    X = sparse.random(150, 400, density=0.05, random_state=0, format="csr")
    y = np.random.default_rng(3).standard_normal(150)
    direct = LeastSquaresRegressor(ridge).fit(X, y)
    monkeypatch.setattr(solver, "MAX_SPARSE_COLUMNS", 10)
    iterated = LeastSquaresRegressor(ridge).fit(X, y)
    assert direct.n_iter_ == 1 < iterated.n_iter_
    assert iterated.coef_ == pytest.approx(direct.coef_, abs=1e-9 * np.abs(direct.coef_).max())
    assert verify(iterated, X, y)
    with pytest.warns(NotCertifiedWarning, match="Raise max_iter=3"):
        stopped = LeastSquaresRegressor(ridge, max_iter=3).fit(X, y)
    assert not stopped.certificate_.proof


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("name", [name for name in deficient() if name != "one row"])
def test_leaving_one_out_is_fitting_without_it(name, offset):
    X, y, _ = deficient()[name]
    weights, ridges = np.random.default_rng(4).uniform(0.5, 2.0, len(X)), [0.0, 0.5, 30.0]
    found = LeastSquaresRegressor(fit_intercept=offset).leave_one_out(X, y, ridges, weights)
    for k, ridge in enumerate(ridges):
        refitted = np.empty(len(X))
        for i in range(len(X)):
            rest = np.arange(len(X)) != i
            w, b = reference(X[rest], y[rest], ridge, weights[rest], offset)
            refitted[i] = y[i] - (w @ X[i] + b)
        assert found.residuals[k] == pytest.approx(refitted, abs=1e-8 * np.abs(refitted).max())
        assert found.squares[k] == pytest.approx(weights @ refitted**2, rel=1e-7)
        assert found.errors[k] == pytest.approx(np.sqrt(weights @ refitted**2 / weights.sum()), rel=1e-7)
    assert found.best == ridges[int(np.argmin(found.squares))]


def test_a_model_file_holds_it_and_refuses_an_offset_that_is_no_number(tmp_path):
    X, y = rows()
    model = LeastSquaresRegressor(0.5).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert (again.intercept_, again.rank_) == (model.intercept_, model.rank_)
    assert verify(again, X, y)
    again.intercept_ += 1e-3
    assert not verify(again, X, y).holds
    again.intercept_ = np.nan
    with pytest.raises(ValueError, match="'intercept_' of LeastSquaresRegressor cannot be"):
        save(again, tmp_path / "bad.json")


def test_the_certificate_says_what_is_minimised():
    X, y = rows()
    model = LeastSquaresRegressor(2.0).fit(X, y)
    assert "minimise sum c (y - w.x - b)^2 + 2 ||w||^2, over 60 rows" in str(model.certificate_)
    model.ridge = 1.0
    assert not verify(model, X, y).holds
    model.ridge = 2.0
    assert verify(model, X, y)
    with pytest.raises(DataError, match="60 rows of 5 features"):
        verify(model, X[:-1], y[:-1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ridge": -1.0}, "'ridge' parameter must be a finite number of at least 0. Got -1.0"),
        ({"ridge": "much"}, "'ridge'"),
        ({"tol": 0.0}, "'tol'"),
        ({"max_iter": 0}, "'max_iter'"),
        ({"fit_intercept": "yes"}, "'fit_intercept'"),
    ],
)
def test_options_are_checked(options, message):
    X, y = rows()
    with pytest.raises(OptionError, match=message):
        LeastSquaresRegressor(**options).fit(X, y)


def test_data_are_checked():
    X, y = rows()
    for bad in (np.where(np.arange(60) == 7, np.nan, y), np.where(np.arange(60) == 7, np.inf, y)):
        with pytest.raises(DataError, match="in row 7"):
            LeastSquaresRegressor().fit(X, bad)
    with pytest.raises(DataError, match="zero for every row"):
        LeastSquaresRegressor().fit(X, y, np.zeros(60))
    with pytest.raises(OptionError, match="at least one number"):
        LeastSquaresRegressor().leave_one_out(X, y, ridges=[])
    with pytest.raises(OptionError, match="is for classes"):
        solver.least_squares(LeastSquaresRegressor()._problem(X, y).problem, targets=[0.0, 1.0])


def test_y_so_far_from_0_that_an_offset_has_no_digits_left():
    X, y = rows()
    with pytest.warns(NotCertifiedWarning, match="Features or y are far from 0"):
        LeastSquaresRegressor().fit(X, y + 1e12)
