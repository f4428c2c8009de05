"""LinearSVM as an estimator: options, stopped fits, several classes and what it publishes."""

import copy
import pickle
import warnings
import weakref

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from separatrix import (
    DataError,
    LinearSVM,
    NotCertifiedWarning,
    NotSeparableError,
    OptionError,
    encode,
    load,
    save,
    verify,
)
from separatrix.certificates import Collected, DualityGap
from separatrix.data import samples

PAIR = samples.overlapping_pair(80, seed=3)
IRIS = samples.builtin("iris")
EASY, _ = samples.planted_margin(60, 4, ratio=0.05, seed=0)
LOSSES = ["hinge", "squared_hinge"]


def with_warnings(model, X, y):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    return caught


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0.0}, "'C' parameter must be a number above 0, or float\\('inf'\\). Got 0.0"),
        ({"C": -1.0}, "'C'.* Got -1.0"),
        ({"C": float("nan")}, "'C'.* Got nan"),
        ({"C": -np.inf}, "'C'.* Got -inf"),
        ({"C": "1"}, "'C'.* Got '1'"),
        ({"C": None}, "'C'.* Got None"),
        ({"C": True}, "'C'.* Got True"),
        ({"loss": "log"}, r"'loss' parameter of LinearSVM must be one of \('hinge', 'squared_hinge'\). Got 'log'"),
        ({"loss": None}, "'loss'.* Got None"),
        ({"tol": 0.0}, "'tol'.* Got 0.0"),
        ({"tol": -1e-3}, "'tol'.* Got -0.001"),
        ({"tol": float("nan")}, "'tol'.* Got nan"),
        ({"tol": "tight"}, "'tol'.* Got 'tight'"),
        ({"tol": 2.0}, "'tol'.* Got 2.0"),
        ({"max_iter": 0}, "'max_iter'.* Got 0"),
        ({"max_iter": 1.5}, "'max_iter'.* Got 1.5"),
        ({"time_limit": 0}, "'time_limit'.* Got 0"),
        ({"time_limit": -1.0}, "'time_limit'.* Got -1.0"),
        ({"fit_intercept": "yes"}, "'fit_intercept'.* Got 'yes'"),
        ({"class_weight": {"none": 1.0}}, "'class_weight'"),
        ({"start": [1.0]}, "'start' parameter must hold"),
        ({"start": [1.0, 2.0, np.nan]}, "'start' parameter must hold"),
        ({"start": "near"}, "'start' parameter must hold"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        LinearSVM(**options).fit(PAIR.X, PAIR.labels)


def test_a_start_from_a_model_of_other_rows_is_refused():
    with pytest.raises(DataError, match="'start' is a model with 2 features and 1 plane.* 4 features and need 3"):
        LinearSVM(start=LinearSVM().fit(PAIR.X, PAIR.labels)).fit(IRIS.X, IRIS.labels)
    with pytest.raises(DataError, match="'start' is a model with 4 features and 3 plane"):
        LinearSVM(start=LinearSVM().fit(IRIS.X, IRIS.labels)).fit(PAIR.X, PAIR.labels)


@pytest.mark.parametrize("most", range(1, 6))
def test_a_stopped_fit_says_once_how_far_it_got(most):
    model = LinearSVM(C=10.0, max_iter=most, tol=1e-9)
    caught = with_warnings(model, PAIR.X, PAIR.labels)
    assert [entry.category for entry in caught] == [NotCertifiedWarning]
    message = str(caught[0].message)
    assert f"reached a gap of {model.certificate_.stated:.2g} where tol=1e-09" in message
    assert f"max_iter={most}" in message
    assert caught[0].filename == __file__
    found = verify(model, PAIR.X, PAIR.labels)
    assert found.error == pytest.approx(model.certificate_.stated, rel=1e-9)
    assert 1e-9 < found.error < np.inf
    assert model.n_iter_ == most
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("most", range(1, 6))
def test_a_fit_warns_exactly_where_it_misses_tol(most):
    for C in (0.1, 10.0, 1e3, 1e6):
        model = LinearSVM(C=C, loss="squared_hinge", max_iter=most)
        caught = with_warnings(model, IRIS.X, IRIS.labels == "virginica")
        assert len(caught) == (verify(model, IRIS.X, IRIS.labels == "virginica").error > 1e-6)


@pytest.mark.parametrize("digit", [1, 3])
def test_a_first_point_far_from_the_optimum_is_left_behind(digit):
    """The gap is next to the objective of the point, which falls with it for more than thirty iterations."""
    X, y = load_digits(return_X_y=True)
    model = LinearSVM(C=10.0).fit(X, y == digit)
    assert model.certificate_.error(encode(X, y == digit).problem) <= 1e-9


def test_more_iterations_leave_a_smaller_gap():
    gaps = []
    for most in (1, 4, 8, 40):
        model = LinearSVM(C=10.0, max_iter=most)
        with_warnings(model, PAIR.X, PAIR.labels)
        gaps.append(model.certificate_.stated)
    rounded = [max(gap, 1e-15) for gap in gaps]
    assert rounded == sorted(rounded, reverse=True)
    assert gaps[-1] <= 1e-9


@pytest.mark.parametrize("C", [1.0, np.inf])
def test_time_that_is_over_ends_the_fit_with_the_true_gap(C):
    model = LinearSVM(C=C, time_limit=1e-9)
    caught = with_warnings(model, EASY.X, EASY.labels)
    assert [entry.category for entry in caught] == [NotCertifiedWarning]
    assert "time_limit=1e-09" in str(caught[0].message)
    found = verify(model, EASY.X, EASY.labels)
    assert found.error == pytest.approx(model.certificate_.stated, rel=1e-9)
    assert not with_warnings(LinearSVM(C=C, time_limit=60.0), EASY.X, EASY.labels)


def test_a_hard_margin_that_is_stopped_is_no_claim_that_there_is_none():
    model = LinearSVM(C=np.inf, max_iter=1)
    caught = with_warnings(model, PAIR.X, PAIR.labels)
    assert [entry.category for entry in caught] == [NotCertifiedWarning]
    assert not verify(model, PAIR.X, PAIR.labels)
    with pytest.raises(NotSeparableError):
        LinearSVM(C=np.inf).fit(PAIR.X, PAIR.labels)


def test_several_stopped_planes_give_one_warning():
    caught = with_warnings(LinearSVM(max_iter=2), IRIS.X, IRIS.labels)
    assert [entry.category for entry in caught] == [NotCertifiedWarning]


@pytest.mark.parametrize("loss", LOSSES)
def test_what_a_fit_publishes(loss):
    X, y = PAIR.X[20:], PAIR.labels[20:]
    model = LinearSVM(C=2.0, loss=loss).fit(X, y)
    signs, margins = np.where(y == model.classes_[1], 1, -1), model.decision_function(X)
    n_support = model.support_.size
    assert model.coef_.shape == (1, 2)
    assert model.intercept_.shape == (1,)
    assert model.dual_coef_.shape == (1, n_support)
    assert model.support_.dtype == model.n_support_.dtype == np.int32
    assert (np.diff(model.support_) > 0).all()
    assert model.n_support_.tolist() == [np.sum(y[model.support_] == label) for label in model.classes_]
    assert model.n_support_[0] != model.n_support_[1]
    assert (model.dual_coef_[0] * signs[model.support_] > 0.0).all()
    assert np.allclose(model.slacks_, np.maximum(0.0, 1.0 - signs * margins), rtol=0, atol=1e-12)
    assert isinstance(model.margin_width_, float)
    assert model.margin_width_ == pytest.approx(2.0 / np.linalg.norm(model.coef_), rel=1e-14)
    assert isinstance(model.certificate_, DualityGap)
    assert isinstance(model.n_iter_, int)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("how", [{}, {"loss": "squared_hinge", "C": 3.0}, {"fit_intercept": False}], ids=repr)
def test_several_classes_are_two_class_fits_each_against_the_rest(how):
    X, y = IRIS.X, IRIS.labels
    weight = np.random.default_rng(0).uniform(0.5, 2.0, y.size)
    model = LinearSVM(**how).fit(X, y, sample_weight=weight)
    parts = [LinearSVM(**how).fit(X, y == label, sample_weight=weight) for label in model.classes_]
    assert np.allclose(model.decision_function(X), np.column_stack([p.decision_function(X) for p in parts]), atol=1e-8)
    assert np.array_equal(model.predict(X), model.classes_[model.decision_function(X).argmax(axis=1)])
    used = np.unique(np.concatenate([part.support_ for part in parts]))
    assert np.array_equal(model.support_, used)
    assert model.n_support_.sum() == used.size
    assert model.dual_coef_.shape == (3, used.size)
    assert np.allclose(model.dual_coef_ @ X[used], model.coef_, atol=1e-8)
    assert np.allclose(model.slacks_, np.column_stack([part.slacks_ for part in parts]), atol=1e-8)
    assert model.slacks_.shape == (150, 3)
    assert np.allclose(model.margin_width_, [part.margin_width_ for part in parts])
    assert model.margin_width_.shape == (3,)
    assert model.n_iter_ == max(part.n_iter_ for part in parts)


def test_the_certificate_of_several_classes_is_the_worst_of_three():
    model = LinearSVM().fit(IRIS.X, IRIS.labels)
    assert isinstance(model.certificate_, Collected)
    assert all(isinstance(part, DualityGap) for part in model.certificate_.parts)
    assert model.certificate_.stated == max(part.stated for part in model.certificate_.parts)
    assert verify(model, IRIS.X, IRIS.labels)
    assert not verify(model, IRIS.X, np.roll(IRIS.labels, 20)).holds
    model.coef_[1, 0] += 1e-9
    assert not verify(model, IRIS.X, IRIS.labels).holds


def test_several_classes_from_any_start():
    X, y = IRIS.X, IRIS.labels
    model = LinearSVM(C=5.0).fit(X, y)
    for start in (LinearSVM(C=0.1).fit(X, y), np.ones((3, 5)), np.column_stack([model.coef_, model.intercept_])):
        again = LinearSVM(C=5.0, start=start).fit(X, y)
        assert np.allclose(again.decision_function(X), model.decision_function(X), atol=1e-8)
    with pytest.raises(OptionError, match=r"shape \(3, 5\)"):
        LinearSVM(start=np.ones(5)).fit(X, y)


def test_a_clone_whose_start_is_not_fitted_fits_from_nothing():
    """scikit-learn clones what is in a parameter too, for every fold of a search."""
    X, y = PAIR.X, PAIR.labels
    cloned = clone(LinearSVM(C=2.0, start=LinearSVM().fit(X, y)))
    assert not hasattr(cloned.start, "coef_")
    assert np.array_equal(cloned.fit(X, y).coef_, LinearSVM(C=2.0).fit(X, y).coef_)


def test_a_long_row_of_models_that_start_from_each_other(tmp_path):
    """Each needs the one before it, and no more: nothing recurses, and the memory of the others is free."""
    X, y = PAIR.X, PAIR.labels
    model = first = LinearSVM().fit(X, y)
    second = LinearSVM(C=2.0, start=first).fit(X, y)
    assert second.start is first
    kept = weakref.ref(second.slacks_)
    for _ in range(2000):  # fitted already, which saves the time of fits
        model, before = copy.copy(second), model
        model.set_params(start=before)
    del second, before
    model = LinearSVM(C=3.0, start=LinearSVM(C=2.0, start=model).fit(X, y)).fit(X, y)
    assert kept() is None
    assert repr(model) == "LinearSVM(C=3.0, start=LinearSVM(C=2.0))"
    assert repr(clone(model)) == repr(model)
    assert model.get_params()["start__start"] is None
    save(model, tmp_path / "model.json")
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), load(tmp_path / "model.json")):
        assert np.array_equal(again.start.coef_, model.start.coef_)
        assert np.array_equal(again.fit(X, y).coef_, model.coef_)


def test_a_hard_margin_of_several_classes():
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 0.0], [9.0, 1.0], [4.0, 9.0], [5.0, 9.0]])
    model = LinearSVM(C=np.inf).fit(corners, [0, 0, 1, 1, 2, 2])
    assert model.score(corners, [0, 0, 1, 1, 2, 2]) == 1.0
    assert model.certificate_.proof
    with pytest.raises(NotSeparableError):
        LinearSVM(C=np.inf).fit(IRIS.X, IRIS.labels)


def test_the_fit_does_not_touch_its_data():
    X, y = np.array(PAIR.X), np.array(PAIR.labels)
    X.flags.writeable = y.flags.writeable = False
    model = LinearSVM().fit(X, y)
    assert np.array_equal(X, PAIR.X)
    model.coef_[0, 0] = 5.0  # the user's own


def test_rows_on_the_margin_without_alpha_are_inside_it_but_support_nothing():
    """Both classes at x1 = 1 and -1; for C = 1 the row (-3, 0) is beyond, and (0, 0) of class 1 is a violator."""
    X = [[1.0, 1], [1, -1], [-1, 1], [-1, -1], [-3, 0], [0, 0]]
    y = [1, 1, 0, 0, 0, 1]
    model = LinearSVM(C=1.0).fit(X, y)
    margins = model.decision_function(X) * np.where(np.array(y) == 1, 1, -1)
    assert model.inside_margin_.tolist() == np.flatnonzero(margins <= 1.0 + 1e-9).tolist()
    assert set(model.support_) <= set(model.inside_margin_)
    assert 4 not in model.inside_margin_
    again = LinearSVM(C=1.0).fit([[9.0, 9], *X], [1, *y], [0.0, *np.ones(6)])
    assert again.inside_margin_.tolist() == (model.inside_margin_ + 1).tolist()
    hard = LinearSVM(C=float("inf")).fit([[1.0, 0], [1, 1], [-1, 0]], [1, 1, 0])  # w = [1, 0], so that alpha_2 = 0
    assert hard.inside_margin_.tolist() == [0, 1, 2]
    assert hard.support_.tolist() == [0, 2]
