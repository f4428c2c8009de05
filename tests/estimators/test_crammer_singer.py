"""LinearSVM(multi_class="crammer_singer"): what it publishes, what it takes, and where it converges."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine

from separatrix import LinearSVM, NotCertifiedWarning, OptionError, load, regularization_path, save, verify
from separatrix.certificates import DualityGap

IRIS, SPECIES = load_iris(return_X_y=True)
RNG = np.random.default_rng(2)
WEIGHT = RNG.integers(0, 4, 150).astype(float)


def joint(**how):
    return LinearSVM(multi_class="crammer_singer", **how)


def test_what_is_published():
    model = joint(C=0.5, tol=1e-9).fit(IRIS, SPECIES)
    G, rows = model.decision_function(IRIS), np.arange(150)
    assert isinstance(model.certificate_, DualityGap)
    assert (model.coef_.shape, model.intercept_.shape) == ((3, 4), (3,))
    assert model.dual_coef_.shape == (3, model.support_.size)
    assert model.n_support_.tolist() == np.bincount(SPECIES[model.support_]).tolist()
    assert np.allclose(model.dual_coef_ @ IRIS[model.support_], model.coef_, atol=1e-6)
    assert np.abs(model.dual_coef_.sum(axis=1)).max() <= 1e-9  # offsets: each class gains what it loses
    assert np.abs(model.dual_coef_.sum(axis=0)).max() <= 1e-12
    own, others = G[rows, SPECIES], np.where(np.eye(3)[SPECIES] > 0.0, -np.inf, G).max(axis=1)
    assert np.allclose(model.slacks_, np.maximum(0.0, 1.0 - (own - others)))
    assert set(np.flatnonzero(model.slacks_ > 1e-6)) <= set(model.support_) <= set(model.inside_margin_)
    W = model.coef_
    expected = [min(2.0 / np.linalg.norm(W[k] - W[j]) for j in range(3) if j != k) for k in range(3)]
    assert np.allclose(model.margin_width_, expected)
    value = 0.5 * np.sum(W**2) + 0.5 * model.slacks_.sum()
    assert value == pytest.approx(model.certificate_.primal, rel=1e-12)
    assert "other (W x + b)" in str(model.certificate_)


@pytest.mark.parametrize("data", [load_iris, load_wine], ids=["iris", "wine"])
def test_it_converges_on_raw_features_for_every_cost(data):
    X, y = data(return_X_y=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        path = regularization_path(joint(), X, y, C=10.0 ** np.arange(-3, 7))
        alone = [joint(C=C).fit(X, y) for C in 10.0 ** np.arange(-3, 7)]
    assert max(path.gaps.max(), *(model.certificate_.stated for model in alone)) <= 1e-6
    for warm, cold in zip(path, alone, strict=True):
        assert warm.certificate_.dual <= cold.certificate_.primal
        assert warm.certificate_.primal == pytest.approx(cold.certificate_.primal, rel=2e-6)
        assert verify(cold, X, y)


def test_weights_are_repetitions_and_rows_of_no_weight_are_left_out():
    model = joint(tol=1e-9).fit(IRIS, SPECIES, WEIGHT)
    times = WEIGHT.astype(int)
    repeated = joint(tol=1e-9).fit(np.repeat(IRIS, times, axis=0), np.repeat(SPECIES, times))
    assert np.allclose(model.coef_, repeated.coef_, atol=1e-4)
    assert model.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=1e-8)
    assert not set(model.support_) & set(np.flatnonzero(WEIGHT == 0.0))
    assert model.slacks_.shape == (150,)
    heavy = joint(class_weight={0: 1.0, 1: 2.0, 2: 1.0}, tol=1e-9).fit(IRIS, SPECIES)
    same = joint(tol=1e-9).fit(IRIS, SPECIES, np.where(SPECIES == 1, 2.0, 1.0))
    assert np.array_equal(heavy.coef_, same.coef_)


def test_every_storage_and_names_of_labels_give_the_same_planes():
    model = joint(tol=1e-9).fit(IRIS, SPECIES)
    stored = joint(tol=1e-9).fit(sparse.csr_matrix(IRIS), SPECIES)
    single = joint(tol=1e-9).fit(IRIS.astype(np.float32), SPECIES)
    named = joint(tol=1e-9).fit(IRIS, np.array(["a", "b", "c"])[SPECIES])
    assert np.allclose(model.coef_, stored.coef_, atol=1e-6)
    assert np.allclose(model.coef_, single.coef_, atol=1e-3)
    assert np.array_equal(named.predict(IRIS), np.array(["a", "b", "c"])[model.predict(IRIS)])
    assert verify(single, IRIS.astype(np.float32), SPECIES)


def test_it_is_not_the_machine_of_each_against_the_rest():
    one, other = joint().fit(IRIS, SPECIES), LinearSVM().fit(IRIS, SPECIES)
    assert one.score(IRIS, SPECIES) > other.score(IRIS, SPECIES)  # versicolor is between the two others
    assert clone(one).multi_class == "crammer_singer"


def test_two_classes_are_those_of_twice_the_cost():
    X, y = IRIS[50:], SPECIES[50:]
    assert np.array_equal(joint(C=0.5).fit(X, y).coef_, LinearSVM(C=1.0).fit(X, y).coef_)
    apart = joint(C=np.inf).fit(IRIS[:100], SPECIES[:100])
    assert apart.coef_.shape == (1, 4)
    assert verify(apart, IRIS[:100], SPECIES[:100])


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"loss": "squared_hinge"}, "no joint machine with squared slacks"),
        ({"C": np.inf}, "Use a large finite C"),
        ({"C": -1.0}, "'C' parameter must be a number above 0"),
        ({"start": np.zeros((2, 5))}, "of shape \\(3, 5\\)"),
        ({"tol": 0.0}, "'tol'"),
        ({"max_iter": 0}, "'max_iter'"),
    ],
)
def test_options_that_are_refused(how, message):
    with pytest.raises(OptionError, match=message):
        joint(**how).fit(IRIS, SPECIES)
    with pytest.raises(OptionError, match="must be one of \\('rest', 'crammer_singer'\\)"):
        LinearSVM(multi_class="ovr").fit(IRIS, SPECIES)


def test_a_budget_that_ends_is_said_and_the_gap_is_true():
    for how in ({"max_iter": 2}, {"time_limit": 1e-9}):
        with pytest.warns(NotCertifiedWarning, match="reached a gap of .* where tol=1e-06"):
            model = joint(**how).fit(IRIS, SPECIES)
        found = verify(model, IRIS, SPECIES)
        assert found.error == found.stated > 1e-6


def test_starts_from_models_of_any_kind():
    expected = joint(C=2.0).fit(IRIS, SPECIES)
    starts = [joint().fit(IRIS, SPECIES), LinearSVM().fit(IRIS, SPECIES), joint().fit(IRIS[::-1], SPECIES[::-1])]
    for start in [
        *starts,
        np.column_stack([expected.coef_, expected.intercept_]),
        joint().fit(IRIS[:149], SPECIES[:149]),
    ]:
        assert np.allclose(joint(C=2.0, start=start).fit(IRIS, SPECIES).coef_, expected.coef_, atol=1e-4)
    rest = LinearSVM(C=2.0, start=starts[0]).fit(IRIS, SPECIES)
    assert np.allclose(rest.coef_, LinearSVM(C=2.0).fit(IRIS, SPECIES).coef_, atol=1e-5)


@pytest.mark.parametrize("dual", [True, False])
def test_files_hold_it(tmp_path, dual):
    model = joint(C=3.0).fit(IRIS, SPECIES)
    save(model, tmp_path / "model.json", data=(IRIS, SPECIES), dual=dual)
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.predict(IRIS), model.predict(IRIS))
    found = verify(again, IRIS, SPECIES)
    assert found.holds
    assert found.proved == dual
    if dual:
        assert found.error == model.certificate_.stated
        assert not verify(again, IRIS, np.roll(SPECIES, 1))


def test_a_class_of_one_row_many_classes_and_constant_columns():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((90, 3)), np.full(90, 7.0)])
    y = np.append(np.zeros(60, dtype=int), np.arange(30) + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        many = joint(C=10.0).fit(X, y)
        same = joint().fit(np.ones((6, 2)), [0, 1, 2] * 2)
    assert verify(many, X, y)
    assert not same.coef_.any()
    assert same.certificate_.primal == pytest.approx(6.0)
