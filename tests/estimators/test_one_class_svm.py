"""Novelty detection: at most nu outside, scikit-learn's scores where it converges, and claims that fail."""

import pickle
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import svm
from sklearn.base import clone, is_outlier_detector
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import DataError, OneClassSVM, OptionError, TrivialFitWarning, Unproved, regularization_path, verify
from separatrix.estimators.kernel.one_class_svm import plane_border
from separatrix.kernels import RBF, Linear, SetIntersection, Sigmoid, Tokens
from separatrix.objectives import NuMargin
from separatrix.problem import Problem
from separatrix.solvers.novelty.one_class_svm import one_class_svm

X = np.random.default_rng(0).standard_normal((300, 3))


def test_a_small_nu_holds_on_many_rows_where_scikit_learns_does_not():
    rows = np.random.default_rng(1).standard_normal((5000, 2))
    model = OneClassSVM(nu=0.001).fit(rows)
    assert np.mean(model.decision_function(rows) < 0.0) <= 0.001
    assert np.mean(model.predict(rows) == -1) == model.outside_rate_ <= 0.001 <= model.support_rate_
    assert model.certificate_.stated <= 1e-6
    assert np.mean(svm.OneClassSVM(nu=0.001).fit(rows).predict(rows) == -1) > 0.01


def alpha_of(model, n):
    """Alpha of all n training rows."""
    alpha = np.zeros(n)
    alpha[model.support_] = model.dual_coef_[0]
    return alpha


@pytest.mark.parametrize("seed", range(10))
def test_nu_is_between_the_rows_outside_and_the_support_rows(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 80))
    rows = rng.standard_normal((n, 2)) * 10.0 ** rng.integers(-3, 4, 2)
    rows[: n // 4] = rows[n // 4 : 2 * (n // 4)]  # some are equal
    weights = rng.integers(0, 4, n) if seed % 2 else np.ones(n)
    scaled = rows / rows.std(axis=0)
    for nu in (0.001, 0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 0.75, 0.9, 1.0):
        model = OneClassSVM(nu, gamma=0.5).fit(scaled, sample_weight=weights)
        row_by_row = np.concatenate([model.decision_function(row[None, :]) for row in scaled])
        for scores in (row_by_row, model.decision_function(scaled), model.decision_function(sparse.csr_array(scaled))):
            outside = scores < 0.0
            assert weights[outside].sum() / weights.sum() <= nu
            assert not outside[weights > alpha_of(model, n) * (1.0 + 1e-6)].any(), "rows on the border are inside"
        assert model.outside_rate_ <= nu <= model.support_rate_ + 1e-15
        assert model.dual_coef_.sum() == pytest.approx(nu * weights.sum(), rel=1e-12)
        assert np.all(model.dual_coef_[0] <= weights[model.support_] * (1.0 + 1e-12))


def test_the_border_is_below_all_rows_that_are_not_full():
    """One row is full; four share what is left of nu W, and their scores differ by more than rounding."""
    problem = Problem(np.zeros((8, 1)), np.ones(8), fit_intercept=False, kernel=RBF(1.0)).posed(NuMargin(3 / 8))
    claim = SimpleNamespace(coefficients_of=np.arange(5), w=np.array([1.0, 0.5, 0.5, 0.5, 0.5]))
    scores = np.array([0.2, 1.0, 1.0 + 1e-7, 1.0 + 2e-7, 1.0 + 3e-7, 2.0, 2.0, 2.0])
    assert 1.0 - 1e-10 < plane_border(problem, scores, claim) < 1.0
    far = np.array([0.2, 0.5, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0])  # no border at all: the best rho of the plane
    assert plane_border(problem, far, claim) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("kernel", [RBF(0.3), RBF(2.0)], ids=repr)
@pytest.mark.parametrize("nu", [0.05, 0.31, 0.7])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learns_machine(kernel, nu, weighted):
    weights = np.random.default_rng(2).uniform(0.2, 3.0, len(X)) if weighted else None
    ours = OneClassSVM(nu, kernel=kernel, tol=1e-10).fit(X, sample_weight=weights)
    if weighted:  # scikit-learn counts rows, where nu is a part of their weights; with equal sums both are the same
        assert verify(ours, X, None, weights)
        return
    theirs = svm.OneClassSVM(nu=nu, kernel="rbf", gamma=kernel.gamma, tol=1e-10).fit(X)
    assert np.array_equal(ours.support_, theirs.support_)
    assert ours.dual_coef_ == pytest.approx(theirs.dual_coef_, abs=1e-5)
    assert ours.offset_ == pytest.approx(float(theirs.offset_[0]), rel=1e-7)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, rel=1e-7)
    assert ours.score_samples(X) == pytest.approx(theirs.score_samples(X), rel=1e-7)
    assert np.array_equal(ours.n_support_, theirs.n_support_)
    clear = np.abs(theirs.decision_function(X)) > 1e-6
    assert np.array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    new = X[:50] + 0.7
    assert np.array_equal(ours.predict(new), theirs.predict(new))
    assert ours.decision_function(new) == pytest.approx(theirs.decision_function(new), abs=1e-6)


def test_where_no_row_is_on_the_border_rho_is_in_the_middle():
    """Two of four rows are outside: <w, x> = 3 x, and any rho from 6 to 9 is optimal."""
    rows = [[1.0], [2.0], [3.0], [4.0]]
    model = OneClassSVM(0.5, kernel="linear").fit(rows)
    assert model.coef_ == pytest.approx(3.0, rel=1e-15)
    assert model.offset_ == pytest.approx(7.5)
    assert model.predict(rows).tolist() == [-1, -1, 1, 1]
    assert (model.outside_rate_, model.support_rate_) == (0.5, 0.5)
    with pytest.raises(AttributeError, match="linear kernel only"):
        OneClassSVM().fit(rows).coef_  # noqa: B018


def test_the_linear_kernel_has_the_linear_plane():
    rows = X + 3.0
    model = OneClassSVM(0.203, kernel="linear", tol=1e-10).fit(rows)
    plane = one_class_svm(Problem(rows, np.ones(len(rows)), fit_intercept=False), nu=0.203, tol=1e-10)
    assert model.coef_[0] == pytest.approx(plane.w, rel=1e-6)
    assert model.offset_ == pytest.approx(-plane.b, rel=1e-6)
    assert OneClassSVM(0.203, kernel=Linear()).fit(sparse.csr_array(rows)).coef_ == pytest.approx(model.coef_, rel=1e-5)


def test_repeated_rows_are_weights():
    weights = np.random.default_rng(3).integers(0, 4, len(X))
    weighted = OneClassSVM(0.1, gamma=0.3, tol=1e-9).fit(X, sample_weight=weights)
    repeated = OneClassSVM(0.1, gamma=0.3, tol=1e-9).fit(np.repeat(X, weights, axis=0))
    assert weighted.decision_function(X) == pytest.approx(repeated.decision_function(X), abs=1e-4)
    assert weighted.outside_rate_ == repeated.outside_rate_
    assert verify(weighted, X, None, weights)
    assert not verify(weighted, X).holds


def test_rows_of_any_kind():
    dense = OneClassSVM(0.1).fit(X)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for rows in (sparse.csr_array(X), sparse.csc_matrix(X), frame, X.tolist()):
        found = OneClassSVM(0.1).fit(rows)
        assert found.decision_function(rows) == pytest.approx(dense.decision_function(X), abs=1e-6)
        assert verify(found, rows)
    assert OneClassSVM(0.1).fit(frame).feature_names_in_.tolist() == ["a", "b", "c"]
    small = OneClassSVM(0.1).fit(X.astype(np.float32))
    assert np.mean(small.decision_function(X.astype(np.float32)) < 0.0) <= 0.1
    texts = ["a good day", "a good meal", "good food", "a day", "good", "storm"]
    model = OneClassSVM(0.4, kernel=Tokens()).fit(texts)
    assert verify(model, texts)
    assert model.predict(["good day", "thunder"]).tolist() == [1, -1]
    assert verify(OneClassSVM(0.4, kernel=SetIntersection()).fit([{1, 2}, {2, 3}, {1}]), [{1, 2}, {2, 3}, {1}])


def test_a_precomputed_kernel():
    K = RBF(0.3).matrix(X)
    model, given = OneClassSVM(0.1, kernel=RBF(0.3)).fit(X), OneClassSVM(0.1, kernel="precomputed").fit(K)
    assert given.decision_function(K) == pytest.approx(model.decision_function(X), abs=1e-6)
    assert np.mean(given.decision_function(K[:, given.support_]) < 0.0) <= 0.1
    assert verify(given, K)


def test_a_changed_model_does_not_verify():
    model = OneClassSVM(0.1).fit(X)
    assert verify(model, X)
    assert verify(model, X, np.zeros(len(X)))  # y is not used
    for change in ("coefficient", "offset", "intercept", "row", "kernel", "nu"):
        other = pickle.loads(pickle.dumps(model))
        if change == "coefficient":
            other.dual_coef_[0, 0] *= 1.01
        elif change == "offset":
            other.offset_ *= 1.001
            other.intercept_[0] = -other.offset_
        elif change == "intercept":
            other.intercept_[0] *= 1.001
        elif change == "row":
            other.support_vectors_[0] += 0.1
        elif change == "kernel":
            other.kernel_ = RBF(0.123)
        else:
            other.nu = 0.2
        assert not verify(other, X).holds, change
    assert not verify(model, X[::-1]).holds


def test_rows_about_the_origin_of_a_linear_kernel_have_w_of_0():
    with pytest.warns(TrivialFitWarning, match=r"OneClassSVM found w = 0.*the space of Linear\(\)") as seen:
        model = OneClassSVM(0.1, kernel="linear").fit(X)
    assert seen[0].filename == __file__
    assert (model.support_.size, model.outside_rate_, model.offset_) == (0, 0.0, 0.0)
    assert (model.predict(X) == 1).all()
    assert verify(model, X)


def test_few_rows_and_equal_rows():
    one = OneClassSVM(0.5).fit([[1.0, 2.0]])
    assert one.predict([[1.0, 2.0], [9.0, 9.0]]).tolist() == [1, -1]
    equal = OneClassSVM(0.5).fit(np.ones((7, 2)))
    assert (equal.predict(np.ones((7, 2))) == 1).all()
    zero = OneClassSVM(0.3).fit(np.zeros((5, 2)))
    assert verify(zero, np.zeros((5, 2)))
    whole = OneClassSVM(1.0).fit(X)
    assert whole.dual_coef_ == pytest.approx(np.ones((1, len(X))))
    assert whole.outside_rate_ <= 1.0 == whole.support_rate_


def test_without_mercers_condition_nothing_is_proved():
    model = OneClassSVM(0.2, kernel=Sigmoid(0.5, 1.0)).fit(X[:60])
    assert isinstance(model.certificate_, Unproved)
    found = verify(model, X[:60])
    assert (found.holds, found.proved) == (True, False)


def test_what_makes_no_sense_is_refused():
    for nu in (0.0, -1.0, 1.01, np.nan, None):
        with pytest.raises(OptionError, match="'nu'"):
            OneClassSVM(nu).fit(X)
    for options, said in (
        ({"gamma": "nearest"}, "needs the classes"),
        ({"kernel": "gauss"}, "'kernel'"),
        ({"tol": -1.0}, "'tol'"),
    ):
        with pytest.raises(OptionError, match=said):
            OneClassSVM(**options).fit(X)
    for rows, weights, said in (
        (X, np.zeros(len(X)), "zero for every row"),
        (X, [1.0], "one number for each"),
        ([[1.0, np.inf]], None, "infinity"),
        ([[1.0, 2.0], [3.0]], None, "X cannot be read"),
        (X[0], None, "X cannot be read"),
    ):
        with pytest.raises(DataError, match=said):
            OneClassSVM().fit(rows, sample_weight=weights)


def test_a_path_over_nu_has_the_machines_of_fits():
    path = regularization_path(OneClassSVM(gamma=0.3, tol=1e-9), X, None, nu=[0.05, 0.2, 0.4])
    for model, nu in zip(path.models, (0.05, 0.2, 0.4), strict=True):
        alone = OneClassSVM(nu, gamma=0.3, tol=1e-9).fit(X)
        assert model.decision_function(X) == pytest.approx(alone.decision_function(X), abs=1e-4)
        assert verify(model, X)


def test_pipelines_clones_and_fit_predict():
    assert is_outlier_detector(OneClassSVM())
    model = make_pipeline(StandardScaler(), OneClassSVM(0.05))
    found = model.fit_predict(X)
    assert np.mean(found == -1) <= 0.05
    assert np.array_equal(found, model.predict(X))
    assert verify(model, X)
    assert clone(OneClassSVM(0.05, kernel=RBF(2.0))).get_params()["nu"] == 0.05
    assert model[-1].offset_ == -model[-1].intercept_[0]
    assert model[-1].decision_function(X) == pytest.approx(model[-1].score_samples(X) - model[-1].offset_)
