"""Kernel regression: scikit-learn's predictions, what nu bounds, weights, rows of any kind, and bad input."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR, NuSVR

from separatrix import (
    DataError,
    DualityGap,
    KernelNuSVR,
    KernelSVR,
    NotCertifiedWarning,
    OptionError,
    Unproved,
    regularization_path,
    verify,
)
from separatrix.kernels import RBF, Polynomial, Sigmoid, Spectrum, Tokens

DIABETES = load_diabetes(return_X_y=True)
X, Y = StandardScaler().fit_transform(DIABETES[0])[:150], DIABETES[1][:150]
BOTH = (KernelSVR(C=50.0, epsilon=10.0), KernelNuSVR(C=50.0, nu=0.3))
both = pytest.mark.parametrize("unfitted", BOTH, ids=["epsilon", "nu"])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "linear"])
def test_scikit_learns_predictions(kernel, weighted):
    """As near as the gap of scikit-learn's own coefficients says; its objective is never below ours."""
    weights = np.random.default_rng(0).uniform(0.2, 3.0, Y.size) if weighted else None
    y = (Y - Y.mean()) / Y.std()
    for C in (0.3, 3.0):
        options = {"kernel": kernel, "C": C, "gamma": 0.1}
        for ours, theirs in (
            (KernelSVR(**options, tol=1e-10), SVR(**options, tol=1e-11)),
            (KernelNuSVR(**options, nu=0.4, tol=1e-10), NuSVR(**options, nu=0.4, tol=1e-11)),
        ):
            ours.fit(X, y, sample_weight=weights)
            assert verify(ours, X, y, weights)
            if weighted and isinstance(theirs, NuSVR):  # scikit-learn counts rows there, not their weights
                continue
            theirs.fit(X, y, sample_weight=weights)
            problem, beta = ours._fitted_problem(X, y, weights), theirs.dual_coef_[0]
            reached = DualityGap.issue(problem, beta, float(theirs.intercept_[0]), beta, theirs.support_)
            near = 1e-6 + 2.0 * np.sqrt(2.0 * reached.values.gap * problem.kernel.diagonal(X).max())
            assert ours.predict(X) == pytest.approx(theirs.predict(X), abs=min(near, 3e-4))
            assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=min(near, 3e-4))
            assert ours.certificate_.primal <= reached.primal * (1.0 + 1e-12)


def test_attributes_have_scikit_learns_shapes_and_values():
    ours = KernelSVR(RBF(0.1), C=20.0, epsilon=15.0, tol=1e-10).fit(X, Y)
    theirs = SVR(gamma=0.1, C=20.0, epsilon=15.0, tol=1e-10).fit(X, Y)
    assert np.array_equal(ours.support_, theirs.support_)
    assert np.array_equal(ours.n_support_, theirs.n_support_)
    assert np.array_equal(ours.support_vectors_, theirs.support_vectors_)
    assert ours.dual_coef_ == pytest.approx(theirs.dual_coef_, abs=1e-5)
    assert (ours.dual_coef_.shape, ours.intercept_.shape) == (theirs.dual_coef_.shape, theirs.intercept_.shape)
    assert ours.kernel_ == RBF(0.1)
    off = np.abs(Y - ours.predict(X))
    assert ours.outside_rate_ == np.mean(off > 15.0 + 1e-6)
    assert ours.support_rate_ == ours.support_.size / Y.size


@pytest.mark.parametrize("seed", range(10))
def test_nu_is_between_what_is_outside_and_the_support_rows(seed):
    """Also for a user who counts the rows outside again."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((60, 3))
    y = np.sin(rows[:, 0]) + 0.3 * rng.standard_normal(60) + 1e3 * (seed % 3)
    weights = rng.integers(0, 4, 60) if seed % 2 else np.ones(60)
    for nu in np.linspace(0.05, 0.95, 10):
        model = KernelNuSVR(gamma=0.5, C=10.0, nu=nu).fit(rows, y, sample_weight=weights)
        off = np.abs(y - model.predict(rows))
        assert model.outside_rate_ <= nu <= model.support_rate_ + 1e-15
        assert model.outside_rate_ == pytest.approx(weights[off > model.epsilon_].sum() / weights.sum())
        assert weights[off > model.epsilon_].sum() / weights.sum() <= nu
        same = KernelSVR(gamma=0.5, C=10.0, epsilon=model.epsilon_, tol=1e-9).fit(rows, y, sample_weight=weights)
        assert same.predict(rows) == pytest.approx(model.predict(rows), abs=1e-4)


def test_squared_losses():
    """The optimality conditions: beta = 2 C excess beyond the tube, and 0 inside."""
    model = KernelSVR(RBF(0.1), C=0.5, epsilon=10.0, loss="squared_epsilon_insensitive", tol=1e-12).fit(X, Y)
    beta, residuals = np.zeros(Y.size), Y - model.predict(X)
    beta[model.support_] = model.dual_coef_[0]
    excess = np.sign(residuals) * np.maximum(0.0, np.abs(residuals) - 10.0)
    assert beta == pytest.approx(2.0 * 0.5 * excess, abs=1e-5 * np.abs(beta).max())
    assert beta.sum() == pytest.approx(0.0, abs=1e-8)


@both
def test_targets_of_any_size(unfitted):
    """y of 1e6 with C and epsilon in its units has 1e6 times the predictions, to the accuracy of the gap."""
    small = clone(unfitted).fit(X, Y).predict(X)
    options = {"C": 50.0 * 1e6, **({"epsilon": 10.0 * 1e6} if isinstance(unfitted, KernelSVR) else {})}
    large = clone(unfitted).set_params(**options).fit(X, 1e6 * Y)
    assert large.predict(X) == pytest.approx(1e6 * small, rel=1e-5)
    raw = clone(unfitted).fit(X, 1e6 * Y)
    assert raw.certificate_.stated <= 1e-6
    shifted = clone(unfitted).fit(X, Y + 1e6)
    assert shifted.predict(X) - 1e6 == pytest.approx(small, abs=1e-2)


@both
def test_repeated_rows_are_weights(unfitted):
    weights = np.random.default_rng(1).integers(0, 4, Y.size)
    weighted = clone(unfitted).fit(X, Y, sample_weight=weights)
    repeated = clone(unfitted).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights))
    assert weighted.predict(X) == pytest.approx(repeated.predict(X), abs=1e-3)
    assert not np.isin(np.flatnonzero(weights == 0), weighted.support_).any()
    assert verify(weighted, X, Y, weights)
    assert weighted.support_rate_ == pytest.approx(repeated.support_rate_, abs=0.02)


@both
def test_rows_of_any_kind(unfitted):
    dense = clone(unfitted).fit(X, Y)
    for rows in (sparse.csr_array(X), sparse.csr_matrix(X), pd.DataFrame(X, columns=[f"f{j}" for j in range(10)])):
        found = clone(unfitted).fit(rows, Y)
        assert found.predict(rows) == pytest.approx(dense.predict(X), abs=1e-4)
        assert verify(found, rows, Y)
    assert found.feature_names_in_.tolist() == [f"f{j}" for j in range(10)]
    small = clone(unfitted).fit(X.astype(np.float32), Y)
    assert small.predict(X) == pytest.approx(dense.predict(X), abs=0.1)
    texts = ["good good day", "bad day", "good", "bad bad", "a day", "good and bad"]
    model = clone(unfitted).set_params(kernel=Tokens(bag=True)).fit(texts, [2.0, -1.0, 1.0, -2.0, 0.0, 0.0])
    assert model.n_features_in_ == 1
    assert verify(model, texts, [2.0, -1.0, 1.0, -2.0, 0.0, 0.0])
    strings, y = ["AAAA", "AAAT", "AATT", "ATTT", "TTTT"], [4.0, 3.0, 2.0, 1.0, 0.0]
    model = clone(unfitted).set_params(kernel=Spectrum(2)).fit(strings, y)
    assert verify(model, strings, y)
    assert (np.diff(model.predict(strings)) <= 1e-9).all()


@both
def test_a_precomputed_kernel(unfitted):
    K = RBF(0.1).matrix(X)
    model, given = clone(unfitted).set_params(kernel=RBF(0.1)), clone(unfitted).set_params(kernel="precomputed")
    model.fit(X, Y)
    given.fit(K, Y)
    assert given.__sklearn_tags__().input_tags.pairwise
    assert given.predict(K[:9]) == pytest.approx(model.predict(X[:9]), abs=1e-4)
    assert given.predict(K[:9][:, given.support_]) == pytest.approx(given.predict(K[:9]), abs=1e-9)
    assert verify(given, K, Y)
    with pytest.raises(DataError, match="kernel values with all training rows"):
        given.predict(K[:, :5])
    with pytest.raises(DataError, match="square matrix"):
        clone(given).fit(K[:9], Y[:9])


@both
def test_a_changed_model_does_not_verify(unfitted):
    model = clone(unfitted).fit(X, Y)
    assert verify(model, X, Y)
    for change in ("coefficient", "offset", "row", "kernel", "C", "tube"):
        other = pickle.loads(pickle.dumps(model))
        if change == "coefficient":
            other.dual_coef_[0, 0] *= 1.01
        elif change == "offset":
            other.intercept_[0] += 0.01
        elif change == "row":
            other.support_vectors_[0] += 0.1
        elif change == "kernel":
            other.kernel_ = RBF(0.123)
        elif change == "C":
            other.C = 51.0
        elif isinstance(other, KernelNuSVR):
            other.epsilon_ += 0.01
        else:
            other.epsilon += 0.01
        assert not verify(other, X, Y).holds, change
    assert not verify(model, X, Y[::-1]).holds
    assert not verify(model, X[::-1], Y).holds


@both
def test_targets_that_need_no_slope(unfitted):
    constant = clone(unfitted).fit(X, np.full(Y.size, 2.5))
    assert constant.predict(X[:5]).tolist() == [2.5] * 5
    assert (constant.support_.size, constant.dual_coef_.shape, constant.outside_rate_) == (0, (1, 0), 0.0)
    assert constant.certificate_.stated == 0.0
    assert verify(constant, X, np.full(Y.size, 2.5))
    one = clone(unfitted).fit(X[:1], [7.0])
    assert one.predict(X[:2]).tolist() == [7.0, 7.0]
    same = clone(unfitted).fit(np.ones((6, 2)), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert same.certificate_.stated <= 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert KernelNuSVR().fit(X, np.zeros(Y.size)).epsilon_ == 0.0


def test_options_that_make_no_sense():
    for options, said in (
        ({"epsilon": -0.1}, "'epsilon'"),
        ({"epsilon": np.nan}, "'epsilon'"),
        ({"C": 0.0}, "'C'"),
        ({"C": np.inf}, "'C'"),
        ({"loss": "huber"}, "'loss' parameter of KernelSVR must be one of"),
        ({"gamma": -1.0}, "'gamma'"),
        ({"gamma": "nearest"}, "needs the classes of the rows.*give gamma a number"),
        ({"kernel": "gauss"}, "'kernel' parameter must be one of"),
        ({"tol": 0.0}, "'tol'"),
        ({"max_iter": -1}, "'max_iter'"),
        ({"time_limit": 0.0}, "'time_limit'"),
    ):
        with pytest.raises(OptionError, match=said):
            KernelSVR(**options).fit(X, Y)
    for nu in (0.0, -0.5, 1.5, np.nan, "half"):
        with pytest.raises(OptionError, match="'nu'"):
            KernelNuSVR(nu=nu).fit(X, Y)


@both
def test_data_that_make_no_sense(unfitted):
    missing = Y.copy()
    missing[3] = np.nan
    for rows, y, weights, said in (
        (X, missing, None, "Input y contains NaN: in row 3"),
        (X, ["a"] * Y.size, None, "y cannot be read as one number"),
        (X, Y[:-1], None, "150 rows, but y has 149"),
        (X, None, None, "requires y"),
        (X, Y, np.zeros(Y.size), "sample_weight is zero for every row"),
        (X, Y, -np.ones(Y.size), "not negative"),
        (np.where(X[0, 0] == X, np.nan, X), Y, None, "Input X contains NaN"),
        ([[1.0, 2.0], [3.0]], [1.0, 2.0], None, "X cannot be read"),
        (X[:0], Y[:0], None, "X cannot be read"),
    ):
        with pytest.raises(DataError, match=said):
            clone(unfitted).fit(rows, y, sample_weight=weights)
    model = clone(unfitted).fit(X, Y)
    with pytest.raises(ValueError, match="9 features, but"):
        model.predict(X[:, :9])


def test_without_mercers_condition_nothing_is_proved():
    model = KernelSVR(Sigmoid(1.0, -1.0), C=5.0).fit(X[:60], Y[:60])
    assert isinstance(model.certificate_, Unproved)
    residuals = Y[:60] - model.predict(X[:60])
    assert model.certificate_.stated == pytest.approx(np.sqrt(np.mean(residuals**2)))
    found = verify(model, X[:60], Y[:60])
    assert (found.holds, found.proved) == (True, False)


def test_a_gap_above_tol_is_said_once_at_the_users_line():
    with pytest.warns(NotCertifiedWarning, match="KernelSVR reached a gap of .* tol=1e-06.*max_iter=1 or") as seen:
        model = KernelSVR(max_iter=1).fit(X, Y)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    assert isinstance(model.certificate_, DualityGap)
    assert model.certificate_.stated > 1e-6
    assert verify(model, X, Y).holds


def test_paths_have_the_machines_of_fits():
    for option, values in (("C", [1.0, 10.0, 100.0]), ("epsilon", [1.0, 10.0, 30.0])):
        path = regularization_path(KernelSVR(tol=1e-9), X, Y, **{option: values})
        for model, value in zip(path.models, values, strict=True):
            alone = KernelSVR(tol=1e-9).set_params(**{option: value}).fit(X, Y)
            assert model.predict(X) == pytest.approx(alone.predict(X), abs=0.05)
            assert verify(model, X, Y)


def test_pipelines_and_searches():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), KernelSVR(epsilon=5.0)),
        {"kernelsvr__C": [1.0, 30.0], "kernelsvr__kernel": ["rbf", Polynomial(2, 1.0)]},
        cv=3,
    ).fit(*DIABETES)
    assert search.best_score_ > 0.4
    assert verify(search.best_estimator_, *DIABETES)
    with pytest.raises(AttributeError):
        clone(search.best_estimator_)[-1].support_  # noqa: B018
