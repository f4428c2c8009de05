"""Kernel machines: the optimum of a quadratic program, scikit-learn's predictions, and certificates that fail."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_circles
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from oracles.svm_oracle import solved
from separatrix import (
    Calibrated,
    DataError,
    DualityGap,
    KernelSVM,
    LinearSVM,
    NotCertifiedWarning,
    OptionError,
    Unproved,
    load,
    save,
    verify,
)
from separatrix.kernels import RBF, Linear, Polynomial, Precomputed, SetIntersection, Sigmoid, Spectrum, Tokens
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem
from separatrix.solvers.kernel import gram, kernel_space
from separatrix.solvers.kernel.free_system import FreeSystem
from separatrix.solvers.kernel.kernel_svm import kernel_svm
from separatrix.solvers.kernel.low_rank import low_rank_factor

IRIS, WINE, CANCER = (sample(return_X_y=True) for sample in (load_iris, load_wine, load_breast_cancer))


def random_problem(seed, n=40, d=4):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] * X[:, 1] + 0.4 * rng.standard_normal(n) > 0).astype(int)
    cost = rng.uniform(0.3, 3.0, n) if seed % 2 else np.ones(n)
    kernel = (RBF(0.3), Polynomial(3, 1.0, 0.5), RBF(2.0) + RBF(0.1), 0.5 * Linear())[seed % 4]
    return Problem(X, y, 2, cost, kernel=kernel)


def dual_by_oracle(problem, C, squared=False):
    """The dual value of a quadratic program solver: min 1/2 a'Qa - 1'a, 0 <= a <= upper, y.a = 0."""
    y, n, objective = problem.signs.astype(float), problem.n_rows, SoftMargin(C, squared)
    Q = y[:, None] * y * problem.kernel.matrix(problem.X) + np.diag(objective.dual_ridge(problem.cost))
    upper = objective.upper(problem.cost)
    box = [-np.eye(n)] if squared else [-np.eye(n), np.eye(n)]
    G = np.vstack([*box, y, -y])
    h = np.concatenate([np.zeros(n), *([] if squared else [upper]), [0.0, 0.0]])
    alpha = solved(Q, -np.ones(n), G, h, 1e-9)
    return float(alpha.sum() - 0.5 * alpha @ Q @ alpha)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_the_dual_value_of_an_exact_quadratic_program(seed, squared):
    problem = random_problem(seed)
    C = 10.0 ** (seed % 5 - 1)
    found = kernel_svm(problem, C=C, squared=squared).certificate
    expected = dual_by_oracle(problem, C, squared)
    assert found.dual == pytest.approx(expected, rel=1e-8)
    assert found.primal == pytest.approx(expected, rel=1e-8)
    assert found.error(problem) <= 1e-8


@pytest.mark.parametrize("seed", range(12))
def test_the_optimality_conditions_row_by_row(seed):
    """alpha = 0 beyond the margin, between 0 and C on it, C inside of it; sum of y alpha = 0."""
    problem, C = random_problem(seed), 3.0
    solution = kernel_svm(problem, C=C)
    alpha = np.zeros(problem.n_rows)
    alpha[solution.certificate.support] = solution.certificate.alpha
    margins, upper = problem.signs * solution.model.scores(problem.X), C * problem.cost
    assert (margins[alpha == 0.0] >= 1.0 - 1e-8).all()
    assert np.allclose(margins[(alpha > 1e-9) & (alpha < upper - 1e-9)], 1.0, atol=1e-8)
    assert (margins[alpha == upper] <= 1.0 + 1e-8).all()
    assert abs(problem.signs @ alpha) < 1e-9


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("data", [IRIS, WINE, CANCER], ids=["iris", "wine", "cancer"])
def test_scikit_learns_machine(kernel, data):
    X, y = StandardScaler().fit_transform(data[0]), data[1]
    for C in (0.1, 10.0):
        ours, theirs = KernelSVM(kernel, C=C).fit(X, y), SVC(kernel=kernel, C=C, tol=1e-10).fit(X, y)
        assert np.array_equal(ours.predict(X), theirs.predict(X))
        if kernel == "linear":  # whose alpha is not unique, as more rows are on the margin than there are columns
            continue
        assert np.array_equal(ours.support_, theirs.support_)
        assert ours.dual_coef_ == pytest.approx(theirs.dual_coef_, rel=1e-3, abs=1e-3 * C)
        assert np.array_equal(ours.n_support_, theirs.n_support_)
        assert np.array_equal(ours.support_vectors_, theirs.support_vectors_)
        assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)
        if y.max() == 1:
            assert ours.decision_function(X) == pytest.approx(theirs.decision_function(X), abs=1e-4)


def test_the_linear_kernel_has_the_linear_machine():
    X, y = CANCER
    X = StandardScaler().fit_transform(X)
    plane, machine = LinearSVM(C=0.5).fit(X, y), KernelSVM("linear", C=0.5).fit(X, y)
    assert machine.dual_coef_ @ machine.support_vectors_ == pytest.approx(plane.coef_, rel=1e-7, abs=1e-9)
    assert machine.certificate_.primal == pytest.approx(plane.certificate_.primal, rel=1e-10)


def test_xor_and_rings_by_the_quadratic_kernel():
    gate = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    assert KernelSVM(Polynomial(2, 1.0, 1.0), C=100.0).fit(gate, [0, 1, 1, 0]).score(gate, [0, 1, 1, 0]) == 1.0
    rings = make_circles(200, factor=0.4, noise=0.05, random_state=0)
    assert KernelSVM(Polynomial(2, 0.0, 1.0), C=10.0).fit(*rings).score(*rings) == 1.0
    assert LinearSVM().fit(*rings).score(*rings) < 0.8


def test_texts_strings_and_sets_are_rows():
    texts = ["a good and sunny day", "what a bad day", "good good food", "bad rain", "sunny and good", "a bad bad meal"]
    moods = ["up", "down", "up", "down", "up", "down"]
    model = KernelSVM(Tokens(), C=10.0).fit(texts, moods)
    assert model.predict(["good weather", "bad news"]).tolist() == ["up", "down"]
    assert verify(model, texts, moods)
    strings, kinds = ["ACGTACGT", "ACGTAC", "GTACGT", "TTTTGGGG", "TTTGGG", "TTGGGG"], [0, 0, 0, 1, 1, 1]
    assert KernelSVM(Spectrum(3), C=10.0).fit(strings, kinds).predict(["ACGT", "TTTGG"]).tolist() == [0, 1]
    sets = [{1, 2, 3}, {1, 2}, {2, 3}, {7, 8}, {8, 9}, {7, 9}]
    model = KernelSVM(SetIntersection(), C=10.0).fit(sets, kinds)
    assert model.predict([{1, 3}, {7, 8, 9}]).tolist() == [0, 1]
    assert verify(model, sets, kinds)


def test_a_precomputed_kernel_needs_the_columns_of_the_support_rows_only():
    X, y = IRIS
    kernel = RBF(0.5)
    model, given = KernelSVM(kernel).fit(X, y), KernelSVM("precomputed").fit(kernel.matrix(X), y)
    new = X[::7] + 0.1
    values = kernel.matrix(X, new).T
    assert given.decision_function(values) == pytest.approx(model.decision_function(new), abs=1e-8)
    assert given.decision_function(values[:, given.support_]) == pytest.approx(model.decision_function(new), abs=1e-8)
    assert verify(given, kernel.matrix(X), y)
    with pytest.raises(DataError, match="kernel values with all training rows, or the"):
        given.predict(values[:, :5])
    with pytest.raises(DataError, match="square matrix"):
        KernelSVM("precomputed").fit(values, y[::7])


def test_a_function_is_a_kernel():
    X, y = CANCER[0][:, :5], CANCER[1]
    X = StandardScaler().fit_transform(X)
    model = KernelSVM(lambda A, B: (A @ B.T + 1.0) ** 2).fit(X, y)
    expected = KernelSVM(Polynomial(2, 1.0, 1.0)).fit(X, y)
    assert model.decision_function(X) == pytest.approx(expected.decision_function(X), abs=1e-6)
    assert isinstance(model.certificate_, DualityGap)


def test_without_mercers_condition_nothing_is_proved_and_it_ends():
    X, y = StandardScaler().fit_transform(WINE[0]), WINE[1]
    model = KernelSVM(Sigmoid(1.0, -1.0)).fit(X, y)
    assert not model.certificate_.proof
    assert all(isinstance(part, Unproved) for part in model.certificate_.parts)
    assert "not positive semidefinite" in str(model.certificate_.parts[0])
    two = y < 2
    single = KernelSVM(Sigmoid(1.0, -1.0)).fit(X[two], y[two])
    assert single.certificate_.stated == 1.0 - single.score(X[two], y[two])
    found = verify(single, X[two], y[two])
    assert (found.holds, found.proved) == (True, False)


def test_a_changed_model_does_not_verify():
    X, y = CANCER[0][::3, :6], CANCER[1][::3]
    X = StandardScaler().fit_transform(X)
    model = KernelSVM(C=2.0).fit(X, y)
    assert verify(model, X, y)
    for change in ("coefficient", "offset", "row", "kernel", "C"):
        other = pickle.loads(pickle.dumps(model))
        if change == "coefficient":
            other.dual_coef_[0, 0] *= 1.01
        elif change == "offset":
            other.intercept_[0] += 0.01
        elif change == "row":
            other.support_vectors_[0] += 0.1
        elif change == "kernel":
            other.kernel_ = RBF(0.123)
        else:
            other.C = 3.0
        assert not verify(other, X, y).holds, change
    assert not verify(model, X, 1 - y).holds


def test_repeated_rows_are_weights():
    X, y = StandardScaler().fit_transform(IRIS[0]), IRIS[1]
    weight = np.random.default_rng(0).integers(0, 4, 150)
    weighted = KernelSVM(RBF(0.3), C=2.0).fit(X, y, sample_weight=weight)
    repeated = KernelSVM(RBF(0.3), C=2.0).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.decision_function(X) == pytest.approx(repeated.decision_function(X), abs=1e-7)
    assert verify(weighted, X, y, weight)


def test_sparse_rows_and_float32():
    X, y = np.where(np.abs(CANCER[0][:, :8]) > 1.0, CANCER[0][:, :8], 0.0), CANCER[1]
    X = X / (1.0 + X.std(axis=0))
    dense = KernelSVM(C=1.0).fit(X, y)
    for rows in (sparse.csr_matrix(X), sparse.csr_array(X)):
        found = KernelSVM(C=1.0).fit(rows, y).decision_function(rows)
        assert found == pytest.approx(dense.decision_function(X), abs=1e-7)
    small = KernelSVM(C=1.0).fit(X.astype(np.float32), y)
    assert small.decision_function(X) == pytest.approx(dense.decision_function(X), abs=1e-3)


@pytest.mark.parametrize("gamma", [1e-12, 1e12])
def test_extreme_widths_end_with_a_small_gap(gamma):
    X, y = IRIS[0][:100] + 1e-3 * np.arange(400).reshape(100, 4), IRIS[1][:100]
    model = KernelSVM(RBF(gamma), C=10.0).fit(X, y)
    assert model.certificate_.stated <= 1e-6
    assert verify(model, X, y)


def test_hard_cases_have_answers_or_clear_errors():
    equal = KernelSVM(RBF(1.0), C=5.0).fit([[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1])  # no plane tells them apart
    assert equal.certificate_.stated <= 1e-6
    one = KernelSVM().fit([[0.0, 1.0], [3.0, 2.0], [0.5, 1.0]], ["a", "b", "a"])  # a class of one row
    assert one.predict([[3.0, 2.0]]).item() == "b"
    constant = KernelSVM(RBF(1.0)).fit(np.ones((6, 2)), [0, 1, 0, 1, 0, 1])
    assert constant.certificate_.stated <= 1e-6
    apart = KernelSVM(RBF(0.5), C=float("inf")).fit(IRIS[0][:100], IRIS[1][:100])
    assert apart.score(IRIS[0][:100], IRIS[1][:100]) == 1.0
    assert apart.certificate_.stated <= 1e-6
    for options, message in (({"C": -1.0}, "'C'"), ({"loss": "cubic"}, "'loss'"), ({"gamma": -2.0}, "gamma")):
        with pytest.raises(OptionError, match=message):
            KernelSVM(**options).fit(*IRIS)
    with pytest.raises(OptionError, match="'kernel' parameter must be one of"):
        KernelSVM("gauss").fit(*IRIS)
    with pytest.raises(DataError, match="Use Tokens or Spectrum"):
        KernelSVM("rbf").fit(["a", "b"], [0, 1])


def test_a_budget_that_ends_leaves_the_best_machine_and_its_true_gap():
    X, y = noisy(3000)
    with pytest.warns(NotCertifiedWarning, match="max_iter=2"):
        model = KernelSVM(RBF(0.05), C=100.0, max_iter=2).fit(X, y)
    problem = Problem(X, y, kernel=RBF(0.05)).posed(SoftMargin(100.0))
    assert model.certificate_.error(problem) == pytest.approx(model.certificate_.stated, rel=1e-9)
    assert 1e-6 < model.certificate_.stated < np.inf


def noisy(n, d=10):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((n, d))
    y = (np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n) > 0).astype(int)
    return X, y


@pytest.mark.large
@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
def test_float32_finds_the_sets_and_float64_the_answer(C, monkeypatch):
    """Many rows in float32, kept whole or a part at a time, lead to the machine of float64 throughout."""
    X, y = noisy(2500)
    problem = Problem(X, y, kernel=RBF(0.05))
    found = kernel_svm(problem, C=C).certificate
    thrifty = kernel_svm(problem, C=C, cache_mb=12.0).certificate
    monkeypatch.setattr(gram, "MAX_EXACT_ROWS", 5000)
    exact = kernel_svm(problem, C=C).certificate
    for each in (found, thrifty):
        assert each.stated <= 1e-6
        assert each.primal == pytest.approx(exact.primal, rel=1e-6)


@pytest.mark.large
def test_a_kernel_matrix_of_low_rank_is_factored(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 2))
    y = (np.hypot(*X.T) > 1.2).astype(int) ^ (rng.random(3000) < 0.05)
    problem = Problem(X, y, kernel=RBF(0.3))
    L = low_rank_factor(gram.gram_of(problem.kernel, X, 1e9), lambda: None)
    assert L.shape[1] < 250
    assert pytest.approx(problem.kernel.matrix(X, X[:200]), abs=1e-6) == L @ L[:200].T
    assert kernel_svm(problem, C=1e4).certificate.stated <= 1e-6
    quick = kernel_svm(problem, C=1.0).certificate
    monkeypatch.setattr(kernel_space, "low_rank_factor", lambda *_: None)
    slow = kernel_svm(problem, C=1.0).certificate
    assert quick.stated <= 1e-6
    assert quick.primal == pytest.approx(slow.primal, rel=1e-5)


def test_changes_of_a_few_rows_are_a_border_of_the_factor():
    """The system of other free rows, solved with the old factor, has the solution of a new one."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3))
    matrix = gram.gram_of(RBF(0.5), X, 1e9)
    y = np.where(np.arange(300) % 2, 1.0, -1.0)
    system = FreeSystem(matrix, np.full(300, 0.01), True)
    first = np.arange(0, 200)
    system.solve(first, y[first], 0.0)
    other = np.setdiff1d(np.arange(0, 206), [3, 50, 199])
    right = rng.standard_normal(other.size)
    beta, b = system.solve(other, right, 0.7)
    assert np.array_equal(system.rows, first)
    K = matrix.exact_block(other, other) + 0.01 * np.eye(other.size)
    assert K @ beta + b == pytest.approx(right, abs=1e-8)
    assert beta.sum() == pytest.approx(0.7, abs=1e-9)


def test_estimators_checks_and_pipelines():
    for result in check_estimator(KernelSVM(), on_skip=None):
        assert result["status"] == "passed" or result["check_name"] == "check_array_api_input"
    scores = cross_val_score(make_pipeline(StandardScaler(), KernelSVM()), *WINE)
    assert scores.mean() > 0.95
    copy = clone(KernelSVM(RBF(0.5), C=2.0))
    assert (copy.kernel, copy.C) == (RBF(0.5), 2.0)
    assert KernelSVM(Precomputed()).__sklearn_tags__().input_tags.pairwise


def test_a_claim_about_another_kernel_or_price_does_not_hold():
    problem = random_problem(0)
    claim = kernel_svm(problem, C=1.0).certificate
    assert claim.error(problem) <= 1e-8
    assert claim.error(Problem(problem.X, problem.y, 2, problem.cost, kernel=RBF(0.31))) == np.inf
    assert claim.error(problem.posed(SoftMargin(2.0))) == np.inf
    assert claim.error(Problem(problem.X, problem.y, 2, problem.cost)) == np.inf


def test_a_gap_claimed_without_mercers_condition_is_no_proof():
    """The dual of an indefinite kernel bounds nothing, whoever states a gap by it."""
    X, y = StandardScaler().fit_transform(WINE[0])[:130], (WINE[1] == 0)[:130].astype(int)
    kernel = Sigmoid(1.0, -1.0)
    found = kernel_svm(Problem(X, y, kernel=kernel))
    for problem in (Problem(X, y, kernel=kernel), Problem(kernel.matrix(X), y, kernel=Precomputed())):
        posed, rows = problem.posed(SoftMargin(1.0)), found.certificate.coefficients_of
        claim = DualityGap.issue(posed, found.certificate.w, found.certificate.b, np.abs(found.certificate.w), rows)
        assert not claim.proof
        assert claim.error(posed) == np.inf


def test_a_matrix_that_does_not_fit_is_refused_before_it_is_computed(monkeypatch):
    monkeypatch.setattr("separatrix.data.encode_kernel.available_bytes", lambda: 8.0 * 100 * 100 - 1.0)
    X, y = IRIS[0][:100], IRIS[1][:100]
    mixed = RBF(0.5) + Linear()  # one wants centred rows, the other rows as they are
    with pytest.raises(DataError, match=r"all pairs of 100 rows at once, which takes 0.0 GB"):
        KernelSVM(mixed).fit(X, y)
    assert KernelSVM(mixed).fit(X[:99], y[:99]).score(X, y) == 1.0
    assert KernelSVM(RBF(0.5)).fit(X, y).score(X, y) == 1.0


TEXTS, MOODS = ["a good day", "a bad day", "good food", "bad rain", "so good", "so bad"], [1, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("series", [lambda texts: pd.Series(texts, index=range(9, 3, -1)), pl.Series], ids=["pd", "pl"])
def test_a_series_of_texts_has_the_machine_of_their_list(series, tmp_path):
    texts, new = series(TEXTS), pd.Series(["good rain", "bad"], index=[5, 4])
    weight = [1, 1, 2, 1, 1, 0]
    ours = KernelSVM(Tokens()).fit(texts, MOODS, sample_weight=weight)
    listed = KernelSVM(Tokens()).fit(TEXTS, MOODS, sample_weight=weight)
    assert list(ours.support_vectors_) == list(listed.support_vectors_)
    assert np.array_equal(ours.decision_function(new), listed.decision_function(list(new)))
    assert verify(ours, texts, MOODS, weight).proved
    save(ours, tmp_path / "model.json", data=(texts, MOODS))
    assert verify(load(tmp_path / "model.json"), TEXTS, MOODS, weight).proved
    probable = Calibrated(KernelSVM(Tokens()), folds=3).fit(texts, MOODS)
    expected = Calibrated(KernelSVM(Tokens()), folds=3).fit(TEXTS, MOODS)
    assert np.array_equal(probable.predict_proba(new), expected.predict_proba(list(new)))


def test_texts_in_a_series_for_a_kernel_of_numbers_are_told_of_other_kernels():
    with pytest.raises(DataError, match="takes rows of numbers. Got 'a good day'. Use Tokens or Spectrum for texts"):
        KernelSVM().fit(pd.Series(TEXTS), MOODS)


def test_a_span_that_is_too_small_is_named_as_the_reason():
    X, y = make_circles(100, noise=0.1, random_state=0)
    with pytest.warns(NotCertifiedWarning, match=r"span of as few rows as low_rank allows.*Raise low_rank=3, or"):
        assert KernelSVM(low_rank=3).fit(X, y).support_.size == 3


def test_a_hard_margin_that_rounding_hides_says_so():
    with pytest.warns(NotCertifiedWarning, match="no plane with every row on its own side .* Scale .* use a finite C"):
        model = KernelSVM("poly", degree=1, gamma=1.0, C=np.inf).fit(*CANCER)  # in units from 0.01 to 1,000
    text = str(model.certificate_)
    assert "gap          without a bound, by" in text
    assert "nan" not in text


def test_a_linear_kernel_is_measured_in_the_space_of_the_features():
    """The same kernel as above, but known to be linear: there is a plane, and a bound.

    Coefficients of 1e8 times features of 1,000 are rounded by so much that the plane they make is some percent from
    the best, by how much depends on the order of sums.
    """
    with pytest.warns(NotCertifiedWarning, match=r"reached a gap of 0\.\d"):
        model = KernelSVM("linear", C=np.inf).fit(*CANCER)
    claim = model.certificate_
    assert model.score(*CANCER) == 1.0
    best = LinearSVM(C=np.inf).fit(*CANCER).certificate_
    assert claim.stated < 0.5
    assert claim.dual <= best.primal
    assert claim.primal - best.dual <= claim.stated * claim.primal * (1.0 + 1e-6)


def test_a_gap_beyond_the_objective_is_not_told_as_a_bound():
    X, y = make_circles(100, noise=0.1, random_state=0)
    with pytest.warns(NotCertifiedWarning, match="reached a gap of 1 where"):
        model = KernelSVM(C=1e5, time_limit=1e-9).fit(X, y)
    assert "gap          as large as the objective itself" in str(model.certificate_)
    assert str(model.certificate_).endswith("the gap may be as large as the objective itself.")


def test_a_function_of_single_rows_learns_how_it_was_called():
    with pytest.raises(ValueError, match="mismatch") as refusal:
        KernelSVM(lambda a, b: float(a @ b)).fit(*IRIS)
    assert "called with all rows at once" in refusal.value.__notes__[0]
    assert "Function(f, pairs=True)" in refusal.value.__notes__[0]


def test_given_values_must_be_symmetric():
    K, y = RBF(0.5).matrix(IRIS[0]), IRIS[1]
    K[3, 7] += 0.25
    with pytest.raises(DataError, match=r"symmetric: K\[3, 7\] is .*, and K\[7, 3\] is .*Use \(K \+ K.T\) / 2"):
        KernelSVM("precomputed").fit(K, y)
    rounded = RBF(0.5).matrix(IRIS[0]).astype(np.float32)
    assert KernelSVM("precomputed").fit(rounded, y).score(rounded, y) > 0.9
