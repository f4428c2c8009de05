"""LinearSVR and NuSVR: peers, weights, scales, bad input, files."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from sklearn.svm import NuSVR as ScikitNuSVR

from separatrix import DataError, LinearSVR, NotCertifiedWarning, NuSVR, OptionError, load, save, verify

BOTH = ("epsilon_insensitive", "squared_epsilon_insensitive")


def drawn(seed, n=60, d=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X @ rng.standard_normal(d) + 0.5 * rng.standard_t(3, n)


@pytest.mark.parametrize("seed", range(10))
def test_predictions_of_scikit_learn(seed):
    X, y = drawn(seed)
    ours, theirs = (
        LinearSVR(C=2.0, epsilon=0.2).fit(X, y),
        SVR(kernel="linear", C=2.0, epsilon=0.2, tol=1e-10).fit(X, y),
    )
    assert np.allclose(ours.coef_, theirs.coef_[0], atol=1e-5)
    assert np.allclose(ours.predict(X), theirs.predict(X), atol=1e-5)
    ours, theirs = NuSVR(0.37, C=2.0).fit(X, y), ScikitNuSVR(nu=0.37, kernel="linear", C=2.0, tol=1e-10).fit(X, y)
    assert np.allclose(ours.predict(X), theirs.predict(X), atol=1e-5)
    assert np.array_equal(ours.support_, np.sort(theirs.support_))


def test_raw_rows_and_targets_converge():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    X = X * 10.0 ** np.arange(-5, 5)
    for target in (y, 1e6 * y, 1e6 + 1e-3 * y, -1e8 + y):
        for C in (1e-3, 1.0, 1e3):
            model = LinearSVR(C=C, epsilon=0.1 * target.std()).fit(X, target)
            assert model.certificate_.error(model._problem(X, target).problem) <= 1e-6
            assert NuSVR(0.3, C=C).fit(X, target).certificate_.stated <= 1e-6


@pytest.mark.parametrize("loss", BOTH)
def test_units_of_the_target(loss):
    """Targets in other units: w and b in these, with C and epsilon in theirs."""
    X, y = drawn(3)
    plain = LinearSVR(C=1.0, epsilon=0.3, loss=loss).fit(X, y)
    C = 1.0 if loss == BOTH[1] else 1e6
    large = LinearSVR(C=C, epsilon=0.3e6, loss=loss).fit(X, 1e6 * y + 1e7)
    assert np.allclose(large.coef_, 1e6 * plain.coef_, rtol=1e-7)
    assert np.allclose(large.predict(X), 1e6 * plain.predict(X) + 1e7, rtol=1e-7)


@pytest.mark.parametrize("model", [LinearSVR(), LinearSVR(loss=BOTH[1]), NuSVR(0.4)], ids=repr)
def test_weights_are_repetitions(model):
    X, y = drawn(5)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    one = model.fit(X, y, sample_weight=weights)
    expected, rates = one.predict(X), (one.outside_rate_, one.support_rate_)
    assert 0 not in weights[one.support_]
    other = model.fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert np.allclose(other.predict(X), expected, atol=1e-8)
    assert (other.outside_rate_, other.support_rate_) == pytest.approx(rates)


@pytest.mark.parametrize("loss", BOTH)
def test_dual_coefficients_make_the_plane(loss):
    X, y = drawn(6)
    model = LinearSVR(C=0.7, epsilon=0.4, loss=loss).fit(X, y)
    assert np.allclose(model.dual_coef_ @ X[model.support_], model.coef_, atol=1e-10)
    assert model.dual_coef_.shape == (1, model.n_support_[0])
    outside = np.abs(y - model.predict(X)) > 0.4 + 1e-7
    assert model.outside_rate_ == pytest.approx(outside.mean())
    assert set(np.flatnonzero(outside)) <= set(model.support_.tolist())


def test_a_tube_that_holds_all_rows_is_flat():
    X, y = drawn(7)
    model = LinearSVR(epsilon=float(np.ptp(y))).fit(X, y)
    assert not model.coef_.any()
    assert model.intercept_[0] == pytest.approx(0.5 * (y.min() + y.max()))
    assert model.certificate_.primal == model.certificate_.dual == 0.0
    assert model.support_.size == 0


@pytest.mark.parametrize("model", [LinearSVR(), LinearSVR(loss=BOTH[1]), NuSVR()], ids=repr)
def test_few_and_constant_rows(model):
    assert np.allclose(model.fit([[1.0, 2.0]], [3.0]).predict([[5.0, 5.0]]), 3.0)
    assert np.allclose(model.fit([[1.0], [2.0], [3.0]], [7.0, 7.0, 7.0]).predict([[9.0]]), 7.0)
    same = model.fit([[2.0], [2.0], [2.0]], [1.0, 2.0, 9.0])  # no line tells these rows apart
    assert np.isfinite(same.predict([[2.0]])).all()
    assert same.certificate_.stated <= 1e-6


@pytest.mark.parametrize("loss", BOTH)
def test_many_features_and_rows(loss):
    """Sparse rows beyond what is factored, by the augmented Lagrangian; dense ones of the same numbers agree."""
    rng = np.random.default_rng(0)
    X = sparse.random(1700, 1600, density=0.01, random_state=0, format="csr")
    y = 100.0 * (X @ rng.standard_normal(1600) + 0.1 * rng.standard_normal(1700)) + 1e4
    model = LinearSVR(C=0.5, epsilon=1.0, loss=loss).fit(X, y)
    assert verify(model, X, y)
    assert model.certificate_.stated <= 1e-6
    assert np.allclose(LinearSVR(C=0.5, epsilon=1.0, loss=loss).fit(X.toarray(), y).coef_, model.coef_, atol=0.1)


def test_nu_of_many_features_and_rows():
    X = sparse.random(1700, 1600, density=0.01, random_state=0, format="csr")
    y = X @ np.random.default_rng(0).standard_normal(1600)
    model = NuSVR(0.3, C=1.0).fit(X, y)
    assert model.certificate_.stated <= 1e-6
    assert model.outside_rate_ <= 0.3 <= model.support_rate_
    assert verify(model, X, y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearSVR(epsilon=-0.1), "epsilon"),
        (LinearSVR(C=0.0), "'C'"),
        (LinearSVR(C=np.inf), "'C'"),
        (LinearSVR(loss="hinge"), "'loss'"),
        (LinearSVR(tol=0.0), "'tol'"),
        (NuSVR(0.0), "'nu'"),
        (NuSVR(1.5), "'nu'"),
        (NuSVR("half"), "'nu'"),
        (NuSVR(C=-1.0), "'C'"),
    ],
)
def test_options_that_make_no_sense(model, message):
    with pytest.raises(OptionError, match=message):
        model.fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("model", [LinearSVR(), NuSVR()], ids=repr)
def test_data_that_make_no_sense(model):
    for y, message in (([0.0, np.nan], "NaN"), ([0.0, np.inf], "infinity"), ([0.0], "2 rows"), (["a", "b"], "number")):
        with pytest.raises(DataError, match=message):
            model.fit([[0.0], [1.0]], y)
    with pytest.raises(DataError, match="zero for every row"):
        model.fit([[0.0], [1.0]], [0.0, 1.0], sample_weight=[0.0, 0.0])
    with pytest.raises(DataError, match="not negative"):
        model.fit([[0.0], [1.0]], [0.0, 1.0], sample_weight=[1.0, -1.0])


@pytest.mark.parametrize("model", [LinearSVR(C=3.0), LinearSVR(loss=BOTH[1]), NuSVR(0.3)], ids=repr)
def test_files_and_verification(model, tmp_path):
    X, y = drawn(8)
    fitted = model.fit(X, y)
    assert verify(fitted, X, y)
    assert not verify(fitted, X, y + 0.1 * X[:, 0]).holds
    save(fitted, tmp_path / "model.json", data=(X, y))
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.predict(X), fitted.predict(X))
    assert verify(again, X, y)
    again.coef_ = again.coef_ * 1.01
    assert not verify(again, X, y).holds


def test_a_gap_that_is_missed_is_said():
    X, y = drawn(9, n=400, d=20)
    with pytest.warns(NotCertifiedWarning, match=r"LinearSVR reached a gap of .* Raise max_iter=1 or"):
        model = LinearSVR(max_iter=1).fit(X, y)
    assert verify(model, X, y).holds  # the gap is what it says


def test_pipelines_and_searches():
    X, y = drawn(10)
    search = GridSearchCV(make_pipeline(StandardScaler(), LinearSVR()), {"linearsvr__C": [0.01, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"linearsvr__C": 1.0}
