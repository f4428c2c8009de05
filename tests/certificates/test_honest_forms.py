"""Claims about regression, nu margins and hulls that rounding or a forger would like to make, and that are refused."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from separatrix import (
    KernelNuSVM,
    KernelSVM,
    KernelSVR,
    LinearSVR,
    NuSVM,
    NuSVR,
    OneClassSVM,
    ReducedHullClassifier,
    SparseSVR,
    verify,
)
from separatrix.certificates import DualityGap
from separatrix.objectives import NuMargin
from separatrix.problem import Problem

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
X = np.random.default_rng(0).standard_normal((60, 3))
NOISE = np.random.default_rng(1).standard_normal(60)
Y = (X @ [1.0, 2.0, -1.0] + NOISE > 0.0).astype(int)
NUMBERS = X @ [1.0, 2.0, -1.0] + 0.3 * NOISE + 5.0


@pytest.mark.parametrize("nu", [0.001, 0.02])
def test_a_kernel_of_raw_features_does_not_prove_that_the_hulls_meet(nu):
    rows, classes = load_breast_cancer(return_X_y=True)
    truth = NuSVM(nu).fit(rows, classes).certificate_
    claim = KernelNuSVM("linear", nu=nu).fit(rows, classes).certificate_
    assert truth.stated < 1e-6
    assert claim.dual <= truth.primal * (1.0 - 1e-9)  # both are negative: the bound is below what is attained


@pytest.mark.parametrize("unit", [1e5, 1e7, 1e10, 1e13])
def test_a_column_in_other_units_never_lifts_the_bound_above_what_is_attained(unit):
    rows = np.column_stack([X, unit * NOISE[::-1]])
    attained = NuSVM().fit(rows[:, :3], Y).certificate_.primal  # by a plane that ignores the column
    for model in (NuSVM(), KernelNuSVM("linear")):
        assert model.fit(rows, Y).certificate_.dual <= attained * (1.0 - 1e-9)
    attained = LinearSVR().fit(rows[:, :3], NUMBERS).certificate_.primal
    for model in (LinearSVR(), KernelSVR("linear")):
        assert model.fit(rows, NUMBERS).certificate_.dual <= attained * (1.0 + 1e-9)
    attained = KernelSVM("linear", C=0.1).fit(rows[:, :3], Y).certificate_.primal
    assert KernelSVM("linear", C=0.1).fit(rows, Y).certificate_.dual <= attained * (1.0 + 1e-9)


def test_raw_columns_do_not_keep_the_nu_machine_from_its_plane():
    times = 1.7e12 + 3e10 * np.random.default_rng(2).random(60)  # milliseconds
    for column in (1e10 * NOISE[::-1], times):
        model = NuSVM().fit(np.column_stack([X, column]), Y)
        assert model.coef_.any()
        assert model.certificate_.stated <= 1e-6


def test_rows_far_from_the_origin_are_not_one_point():
    rows = 1e15 + np.array([[0.0], [1.0], [3.0], [4.0]])  # exact, and separable
    claim = NuSVM(0.6).fit(rows, [0, 0, 1, 1]).certificate_
    assert claim.dual < 0.0 or claim.stated == 1.0


def test_mixtures_that_cancel_prove_a_plane_of_zero_and_others_do_not():
    problem = Problem(np.array([[0.0], [2.0], [1.0], [1.0]]), np.array([0, 0, 1, 1])).posed(NuMargin(0.5))
    nothing = np.zeros(1)
    assert DualityGap.issue(problem, nothing, 0.0, np.array([0.5, 0.5, 0.5, 0.5])).stated == 0.0
    assert DualityGap.issue(problem, nothing, 0.0, np.array([0.5, 0.5 + 1e-9, 0.5, 0.5])).stated == 0.0  # one is near
    apart = Problem(np.array([[0.0], [2.0], [3.0], [3.0]]), np.array([0, 0, 1, 1])).posed(NuMargin(0.5))
    assert DualityGap.issue(apart, nothing, 0.0, np.array([0.5, 0.5, 0.5, 0.5])).stated == 1.0


@pytest.mark.parametrize(
    ("model", "factor"),
    [(SparseSVR(), 1e16), (LinearSVR(loss="squared_epsilon_insensitive"), 1e10), (LinearSVR(), 1e10), (NuSVR(), 1e10)],
    ids=repr,
)
def test_a_dual_point_cannot_be_blown_up_to_hide_a_wrong_plane(model, factor):
    model.fit(X, NUMBERS)
    claim = model.certificate_
    wrong = np.array(claim.w) + 1.0
    values = claim.values._replace(primal=1.0, dual=1.0)
    model.coef_ = wrong
    model.certificate_ = replace(claim, w=wrong, alpha=factor * claim.alpha, values=values)
    assert not verify(model, X, NUMBERS).holds


def test_support_rows_cannot_be_moved():
    model = KernelSVR().fit(X, NUMBERS)
    model.support_vectors_ = -np.asarray(model.support_vectors_)  # distances are as before
    assert not verify(model, X, NUMBERS).holds
    novelty = OneClassSVM(0.1).fit(X)
    novelty.support_vectors_ = np.asarray(novelty.support_vectors_) + 1e3
    assert not verify(novelty, X).holds


def test_a_claim_about_hulls_is_none_about_a_machine():
    hulls = ReducedHullClassifier(kernel="rbf").fit(X, Y)
    machine = KernelSVM(C=1e-3).fit(X, Y)
    for name in ("support_", "support_vectors_", "dual_coef_", "intercept_", "n_support_", "certificate_"):
        setattr(machine, name, getattr(hulls, name))
    assert not verify(machine, X, Y).holds


def test_an_offset_that_was_not_asked_for_is_refused():
    for model in (LinearSVR(), NuSVR()):
        model.fit(X, NUMBERS)
        model.fit_intercept = False
        assert not verify(model, X, NUMBERS).holds


def test_the_tube_that_was_found_is_part_of_the_claim():
    model = NuSVR().fit(X, NUMBERS)
    assert verify(model, X, NUMBERS)
    model.epsilon_ *= 2.0
    assert not verify(model, X, NUMBERS).holds


def test_rows_outside_are_counted_wherever_the_numbers_are():
    far = NUMBERS + 1e9  # seconds since 1970, say
    for model in (LinearSVR(epsilon=0.2), NuSVR(0.5)):
        rates = [model.fit(X, numbers).outside_rate_ for numbers in (NUMBERS, far)]
        assert rates[0] == pytest.approx(rates[1], abs=0.05)


def test_a_plane_between_hulls_has_the_scale_of_its_points():
    """A tiny w with an offset that is tiny, too, would call every row of one class."""
    model = ReducedHullClassifier().fit(X, Y)
    assert verify(model, X, Y)
    w = 1e-9 * np.array(model.certificate_.w)
    model.coef_, model.intercept_ = w[None], np.array([9e-7])
    model.certificate_ = replace(model.certificate_, w=w, b=9e-7)
    assert len(np.unique(model.predict(X))) == 1
    assert not verify(model, X, Y).holds
