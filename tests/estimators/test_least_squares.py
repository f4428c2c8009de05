"""LeastSquaresClassifier on rows of every kind."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from separatrix import DataError, LeastSquaresClassifier, NotCertifiedWarning, OptionError, verify
from separatrix.solvers.squares import least_squares as solver


def rows(n=60, d=5):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((n, d))
    return X, (X @ rng.standard_normal(d) + rng.standard_normal(n) > 0).astype(int)


def pseudoinverse(X, y, ridge=0.0):
    """w by the singular values of the centred rows."""
    U, s, V = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    factors = np.divide(s, s**2 + ridge, out=np.zeros_like(s), where=s > 1e-10 * s[0])
    return V.T @ (factors * (U.T @ (2.0 * y - 1.0 - np.mean(2.0 * y - 1.0))))


def deficient():
    X, y = rows()
    wide, few = rows(12, 30)
    return {
        "full": (X, y, 5),
        "twice": (np.column_stack([X, X[:, 0]]), y, 5),
        "a sum of others": (np.column_stack([X, X[:, 1] + X[:, 2]]), y, 5),
        "constant": (np.column_stack([X, np.full(60, 0.1), np.zeros(60)]), y, 5),
        "more columns than rows": (wide, few, 11),
        "rows repeated": (np.repeat(X[:4], 3, axis=0), np.repeat([0, 1, 1, 0], 3), 3),
    }


@pytest.mark.parametrize("ridge", [0.0, 0.7])
@pytest.mark.parametrize("name", deficient())
def test_columns_that_depend_on_each_other_have_the_least_plane_and_the_rank_is_said(name, ridge):
    X, y, rank = deficient()[name]
    for container in (np.asarray, sparse.csr_array):
        model = LeastSquaresClassifier(ridge).fit(container(X), y)
        assert model.coef_[0] == pytest.approx(pseudoinverse(X, y, ridge), abs=1e-11)
        assert model.certificate_.stated <= 1e-13  # an upper bound, rounding of 20 terms included
        assert verify(model, container(X), y)
        assert ridge or model.rank_ == rank


def test_no_ridge_is_the_limit_of_small_ridges():
    X, y, _ = deficient()["twice"]
    limit = LeastSquaresClassifier().fit(X, y).coef_
    distances = [np.abs(LeastSquaresClassifier(10.0**-k).fit(X, y).coef_ - limit).max() for k in (1, 3, 5)]
    assert distances[0] > 10 * distances[1] > 100 * distances[2]
    assert distances[2] < 1e-6


def test_columns_far_apart_in_scale_and_far_from_the_origin():
    X, y = rows()
    scale, away = np.array([1e12, 1e-12, 1.0, 1e40, 1e-40]), np.array([0.0, 0.0, 1e5, 0.0, 0.0])
    plain, other = LeastSquaresClassifier().fit(X, y), LeastSquaresClassifier().fit(X * scale + away, y)
    assert other.coef_[0] * scale == pytest.approx(plain.coef_[0], rel=1e-8)  # 1e5 + x has lost digits of x
    assert other.decision_function(X * scale + away) == pytest.approx(plain.decision_function(X), abs=1e-8)


def test_nearly_dependent_columns_keep_their_digits():
    """Products of columns would lose all of them here."""
    X, y = rows()
    X = np.column_stack([X, X[:, 0] + 1e-7 * np.random.default_rng(9).standard_normal(60)])
    model = LeastSquaresClassifier().fit(X, y)
    Z, t = (X - X.mean(axis=0)), 2.0 * y - 1 - np.mean(2.0 * y - 1)
    reference = np.linalg.lstsq(Z, t, rcond=None)[0]
    assert model.rank_ == 6
    assert Z @ model.coef_[0] == pytest.approx(Z @ reference, abs=1e-5)
    exact = X.astype("g") - X.astype("g").mean(axis=0)
    assert np.abs(exact.T @ (t - exact @ model.coef_[0])).max() <= 1e-8  # the reference leaves 2e-8


@pytest.mark.parametrize("ridge", [0.0, 0.3])
@pytest.mark.parametrize("targets", [None, {0: [1, 0], 1: [0, 1], 2: [-1, -1]}])
def test_weights_are_copies_and_classes_weigh(ridge, targets):
    X, _ = rows()
    y, counts = np.arange(60) % 3, np.random.default_rng(9).integers(0, 4, 60)
    weighted = LeastSquaresClassifier(ridge, targets=targets).fit(X, y, counts)
    copied = LeastSquaresClassifier(ridge, targets=targets).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert weighted.decision_function(X) == pytest.approx(copied.decision_function(X), abs=1e-12)
    by_class = LeastSquaresClassifier(ridge, targets=targets, class_weight={0: 2, 1: 3, 2: 1}).fit(X, y)
    by_row = LeastSquaresClassifier(ridge, targets=targets).fit(X, y, np.array([2.0, 3.0, 1.0])[y])
    assert by_class.decision_function(X) == pytest.approx(by_row.decision_function(X), abs=1e-12)
    assert verify(weighted, X, y, counts)
    assert not verify(by_row, X, y).holds


def test_the_nearest_target_decides():
    X, _ = rows(90)
    y = np.array(["a", "b", "c"])[np.arange(90) % 3]
    targets = {"a": [2.0, 0.0], "b": [0.0, 1.0], "c": [-1.0, -1.0]}
    model = LeastSquaresClassifier(targets=targets).fit(X, y)
    W, b = model.certificate_.equations.fitted
    T = np.array(list(targets.values()))
    nearest = np.linalg.norm((X @ W + b)[:, None] - T, axis=2).argmin(axis=1)
    assert model.predict(X).tolist() == np.array(["a", "b", "c"])[nearest].tolist()
    Z = np.column_stack([X, np.ones(90)])
    assert np.vstack([W, b]) == pytest.approx(np.linalg.lstsq(Z, T[np.arange(90) % 3], rcond=None)[0], abs=1e-12)
    swapped = LeastSquaresClassifier(targets=[5.0, 2.0]).fit(X, y == "a")  # descending targets are no trouble
    plain = LeastSquaresClassifier().fit(X, y == "a")
    assert swapped.decision_function(X) == pytest.approx(1.5 * plain.decision_function(X), abs=1e-12)
    assert verify(model, X, y)
    assert verify(swapped, X, y == "a")


@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_many_sparse_columns_go_through_conjugate_gradients(ridge, monkeypatch):
    X = sparse.random(150, 400, density=0.05, random_state=0, format="csr")
    y = np.arange(150) % 3
    direct = LeastSquaresClassifier(ridge).fit(X, y)
    monkeypatch.setattr(solver, "MAX_SPARSE_COLUMNS", 10)
    iterated = LeastSquaresClassifier(ridge).fit(X, y)
    assert direct.n_iter_ == 1 < iterated.n_iter_
    assert iterated.rank_ is None
    assert iterated.certificate_.stated <= 1e-11
    assert iterated.coef_ == pytest.approx(direct.coef_, abs=1e-9 * np.abs(direct.coef_).max())
    assert verify(iterated, X, y)
    with pytest.warns(NotCertifiedWarning, match="Raise max_iter=3"):
        stopped = LeastSquaresClassifier(ridge, max_iter=3).fit(X, y)
    assert not stopped.certificate_.proof
    assert "Not solved" in str(stopped.certificate_)


def test_the_certificate_speaks_and_notices_other_planes():
    X, y = rows()
    model = LeastSquaresClassifier(2.0).fit(X, y)
    assert "minimise sum c (t - w.x - b)^2 + 2 ||w||^2, over 60 rows" in str(model.certificate_)
    assert "anyone can check it again" in str(model.certificate_)
    assert not verify(model, X, 1 - y).holds
    with pytest.raises(DataError, match="60 rows of 5 features"):
        verify(model, X[:-1], y[:-1])
    model.intercept_ = model.intercept_ + 1e-3
    assert not verify(model, X, y).holds


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ridge": -1.0}, "'ridge' parameter must be a finite number of at least 0. Got -1.0"),
        ({"ridge": "much"}, "'ridge'"),
        ({"tol": 0.0}, "'tol'"),
        ({"max_iter": 0}, "'max_iter'"),
        ({"targets": [1.0]}, "for each of the 2 classes"),
        ({"targets": [1.0, np.inf]}, "finite"),
        ({"targets": [1.0, 1.0]}, "a target of its own"),
        ({"targets": {0: 1.0}}, "no target for the class 1"),
        ({"fit_intercept": "yes"}, "'fit_intercept'"),
    ],
)
def test_options_are_checked(options, message):
    X, y = rows()
    with pytest.raises(OptionError, match=message):
        LeastSquaresClassifier(**options).fit(X, y)


def test_posteriors_are_refused_where_they_would_be_none():
    X, y = rows()
    for options in ({"targets": [0.0, 1.0]}, {"fit_intercept": False}):
        with pytest.raises(OptionError, match="posterior needs"):
            LeastSquaresClassifier(**options).fit(X, y).posterior(X)


def test_so_far_from_the_origin_that_an_offset_has_no_digits_left():
    X, y = rows()
    with pytest.warns(NotCertifiedWarning, match="subtract their means"):
        LeastSquaresClassifier().fit(X + 1e12, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        LeastSquaresClassifier(tol=1e-2).fit(X + 1e12, y)
