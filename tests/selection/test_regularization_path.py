"""A path over C or ridge has the models of separate fits, in the order of the values."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import (
    KernelSVM,
    KernelSVR,
    LeastSquaresClassifier,
    LinearSVM,
    LinearSVR,
    LogisticClassifier,
    NuSVM,
    NuSVR,
    OneClassSVM,
    OptionError,
    Perceptron,
    ReducedHullClassifier,
    regularization_path,
    verify,
)

CANCER, IRIS = load_breast_cancer(return_X_y=True), load_iris(return_X_y=True)
VALUES = [10.0, 0.01, 0.3, 1.0]
RNG = np.random.default_rng(0)
WIDE = sparse.random(300, 2000, density=0.05, random_state=RNG, format="csr"), RNG.integers(0, 2, 300)


def assert_same(path, estimator, X, y, weight=None):
    for value, model in zip(path.values, path, strict=True):
        cold = clone(estimator).set_params(**{path.option: value}).fit(X, y, weight)
        size = np.abs(cold.coef_).max()
        assert np.allclose(model.coef_, cold.coef_, rtol=1e-8, atol=1e-8 * size)
        assert np.allclose(model.decision_function(X), cold.decision_function(X), rtol=1e-7, atol=1e-7)
        assert model.get_params()[path.option] == value
        assert verify(model, X, y, weight)


@pytest.mark.parametrize("data", [CANCER, IRIS], ids=["two classes", "three classes"])
@pytest.mark.parametrize(
    ("estimator", "option"),
    [
        (LinearSVM(), "C"),
        (LinearSVM(loss="squared_hinge", fit_intercept=False), "C"),
        (LogisticClassifier(), "C"),
        (LeastSquaresClassifier(), "ridge"),
    ],
    ids=str,
)
def test_the_models_of_separate_fits(estimator, option, data):
    X, y = data
    path = regularization_path(estimator, X, y, **{option: VALUES})
    assert path.option == option
    assert path.values.tolist() == VALUES
    assert path.coef_.shape == (4, *path[0].coef_.shape)
    assert (path.gaps <= 1e-6).all()
    assert_same(path, estimator, X, y)


def test_weights_and_class_weights():
    X, y = CANCER
    weight = np.random.default_rng(1).integers(0, 4, y.size).astype(float)
    estimator = LinearSVM(class_weight="balanced")
    path = regularization_path(estimator, X, y, C=VALUES, sample_weight=weight)
    assert_same(path, estimator, X, y, weight)
    assert path[0].slacks_.shape == (y.size,)
    assert np.isin(path[0].support_, np.flatnonzero(weight)).all()


def test_sparse_rows_and_hard_margins():
    X, y = WIDE
    path = regularization_path(LinearSVM(), X, y, C=[0.1, 1.0, np.inf])
    assert_same(path, LinearSVM(), X, y)


def test_later_fits_take_fewer_iterations():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 50))
    y = X @ rng.standard_normal(50) + 3.0 * rng.standard_normal(3000) > 0.0
    values = np.logspace(-2, 1, 8)
    for estimator in (LinearSVM(), LinearSVM(loss="squared_hinge")):
        warm = sum(model.n_iter_ for model in regularization_path(estimator, X, y, C=values))
        cold = sum(clone(estimator).set_params(C=C).fit(X, y).n_iter_ for C in values)
        assert warm < cold


def test_a_pipeline_shares_its_transformers_and_names_of_features_stay():
    X, y = CANCER
    frame = pd.DataFrame(X, columns=[f"column {j}" for j in range(30)])
    path = regularization_path(make_pipeline(StandardScaler(), LinearSVM()), frame, y, C=[0.1, 1.0])
    assert path[0].steps[0][1] is path[1].steps[0][1]
    alone = make_pipeline(StandardScaler(), LinearSVM(C=1.0)).fit(frame, y)
    assert np.allclose(path[1].decision_function(frame), alone.decision_function(frame), rtol=1e-9)
    named = regularization_path(LinearSVM, frame, y, C=[0.1, 1.0])
    assert all(model.feature_names_in_[3] == "column 3" for model in named)


def test_any_estimator_with_the_option_can_be_given():
    X, y = IRIS
    path = regularization_path(LogisticRegression(max_iter=2000), X, y, C=[0.1, 1.0])
    assert path[0].C == 0.1
    assert repr(path) == "RegularizationPath(2 values of C)"
    assert str(path).splitlines()[1].split()[0] == "0.1"


@pytest.mark.parametrize(("option", "values"), [("C", VALUES), ("gamma", [2.0, 0.01]), ("coef0", [0.5, 1.0])])
def test_a_kernel_machine_along_any_of_its_options(option, values):
    X, y = IRIS
    estimator = KernelSVM("poly", degree=2, gamma=0.1)
    path = regularization_path(estimator, X, y, **{option: values})
    for value, model in zip(values, path, strict=True):
        cold = clone(estimator).set_params(**{option: value}).fit(X, y)
        assert model.kernel_ == cold.kernel_
        assert np.allclose(model.intercept_, cold.intercept_, rtol=1e-6)
        assert np.array_equal(model.predict(X), cold.predict(X))
        assert verify(model, X, y)
    assert str(path).splitlines()[0].split("  ")[-2:] == ["support rows", "error of the certificate"]
    assert "||w||" not in str(path)  # it has no coef_
    printed = [float(line.split()[-1]) for line in str(path).splitlines()[1:]]
    for bound, model in zip(printed, path, strict=True):  # with the rounding, as the certificate prints it
        assert bound >= max(part.stated + part.rounding for part in model.certificate_.parts) > 0.0


def test_errors_on_other_data():
    X, y = CANCER
    path = regularization_path(LinearSVM(), X[::2], y[::2], C=[1e-4, 1.0])
    assert path.errors(X[1::2], y[1::2]).tolist() == [1.0 - model.score(X[1::2], y[1::2]) for model in path]


@pytest.mark.parametrize(
    ("estimator", "values", "message"),
    [
        (LinearSVM(), {}, "Give the values of one option, such as C=\\[0.1, 1, 10\\]. Got none"),
        (LinearSVM(), {"C": [1.0], "tol": [1e-3]}, "Got C, tol"),
        (LinearSVM(), {"C": []}, "'C' has no value"),
        (LinearSVM(), {"C": [1.0, -2.0]}, "'C' parameter must be a number above 0, or float\\('inf'\\). Got -2.0"),
        (Perceptron(), {"C": [1.0]}, "Perceptron has no option 'C'. Its options: averaged"),
        (LeastSquaresClassifier(), {"ridge": [-1.0]}, "'ridge'"),
    ],
)
def test_what_cannot_be_done_is_refused(estimator, values, message):
    with pytest.raises(OptionError, match=message):
        regularization_path(estimator, *IRIS, **values)


def test_paths_over_nu_epsilon_and_mu_have_errors_support_rows_and_widths():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), np.arange(60) % 2
    X[y == 1] += 1.0
    nu = regularization_path(NuSVM(), X, y, nu=[0.9, 0.6, 0.8])
    wrong = [np.mean(NuSVM(value).fit(X, y).predict(X) != y) for value in (0.9, 0.6, 0.8)]
    assert np.allclose(nu.errors(X, y), wrong)
    assert (np.diff(nu.widths[[1, 2, 0]]) > 0.0).all()  # the margin grows with nu
    assert (nu.support_rows >= 60 * nu.values - 1e-9).all()
    target = X @ [1.0, 2.0] + 0.1 * rng.standard_normal(60)
    tubes = regularization_path(LinearSVR(), X, target, epsilon=[0.0, 0.1, 0.5])
    assert tubes.widths.tolist() == [0.0, 0.2, 1.0]
    assert np.allclose(tubes.errors(X, target), [np.abs(model.predict(X) - target).mean() for model in tubes])
    assert (np.diff(tubes.support_rows) < 0).all()
    same = [LinearSVR(epsilon=value).fit(X, target).coef_ for value in (0.0, 0.1, 0.5)]
    assert np.allclose(tubes.coef_, same, atol=1e-9)
    hulls = regularization_path(ReducedHullClassifier(), X, y, mu=[1.0 / 30.0, 0.05])
    assert hulls.widths[0] > hulls.widths[1]
    rows = regularization_path(OneClassSVM(), X, nu=[0.05, 0.3])
    assert (rows.errors(X) <= rows.values).all()
    assert np.isnan(rows.widths).all()
    assert "width" in str(tubes)
    assert "width" not in str(rows)


def test_paths_of_regressors_share_their_rows():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((50, 3))
    y = X @ [1.0, 0.0, -1.0] + rng.standard_normal(50)
    cases = (LinearSVR(), "C", [0.01, 1.0]), (NuSVR(), "nu", [0.2, 0.7]), (KernelSVR(), "C", [0.1, 10.0])
    for model, option, values in cases:
        path = regularization_path(model, X, y, **{option: values})
        for value, fitted in zip(values, path, strict=True):
            alone = type(model)(**{option: value}).fit(X, y)
            assert np.allclose(fitted.predict(X), alone.predict(X), atol=1e-5)
            assert fitted.get_params()[option] == value
