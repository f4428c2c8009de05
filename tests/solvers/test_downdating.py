"""Scores of rows left out are those of separate fits, and every machine on the way is an optimum."""

import numpy as np
import pytest
from sklearn.base import clone

from separatrix import KernelSVM, KernelSVR, LinearSVM, LinearSVR, leave_one_out
from separatrix.solvers.leave_one_out import downdating, paths
from separatrix.solvers.leave_one_out.base_optimum import Variables, optimum_of
from separatrix.solvers.leave_one_out.pivoting import FeatureRows, KernelRows
from separatrix.solvers.leave_one_out.row_dual import RowDual
from separatrix.solvers.leave_one_out.support_vectors import left_out
from solvers.leave_one_out_sets import CASES, TIGHT, clouds

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")  # some fits are rounded before TIGHT


def separate_fits(case, rows):
    """The score of each row by a fit to all others."""
    found = []
    for i in rows:
        kept = np.delete(np.arange(case.y.size), i)
        model = clone(case.model).set_params(tol=TIGHT)
        model.fit(case.X[kept], case.y[kept], None if case.weights is None else case.weights[kept])
        score = model.decision_function if hasattr(model, "decision_function") else model.predict
        found.append(score(case.X[[i]])[0])
    return np.array(found)


@pytest.mark.large
@pytest.mark.parametrize("name", CASES)
def test_the_scores_of_separate_fits(name):
    case = CASES[name]
    found = leave_one_out(case.model, case.X, case.y, case.weights)
    rows = np.arange(case.y.size)
    assert np.abs(found.scores - separate_fits(case, rows)).max() <= 1e-8
    assert found.violation <= 1e-10
    assert found.n_refits <= (1 if name in ("rbf, large C", "cubic, iris") else 0), found.n_refits
    weights = np.ones(case.y.size) if case.weights is None else case.weights
    assert found.error == pytest.approx(weights @ found.wrong / weights.sum())
    assert all(bound.error >= found.error for bound in found.bounds)


@pytest.mark.parametrize(
    "model",
    [
        LinearSVR(C=1.0, epsilon=0.3),
        LinearSVR(C=10.0, epsilon=0.1, loss="squared_epsilon_insensitive"),
        KernelSVR(C=5.0),
    ],
    ids=str,
)
def test_regression_by_separate_fits(model):
    X, _ = clouds(50, 3, 0.0, 5)
    y = 1e3 + 5.0 * X @ np.array([1.0, -2.0, 0.5]) + np.random.default_rng(6).normal(size=50)
    model = model if not isinstance(model, KernelSVR) else clone(model).set_params(gamma=0.3)
    found = leave_one_out(model, X, y)
    assert np.abs(found.scores - separate_fits(CASES["rbf"]._replace(model=model, X=X, y=y), range(50))).max() <= 1e-8
    assert np.array_equal(found.residuals, y - found.scores)
    assert found.wrong is None
    assert found.bounds == ()


def test_rows_without_alpha_keep_their_score():
    case = CASES["rbf"]
    model = clone(case.model).set_params(tol=TIGHT).fit(case.X, case.y)
    others = np.setdiff1d(np.arange(case.y.size), model.support_)
    found = leave_one_out(model, case.X, case.y)
    assert others.size
    assert np.allclose(found.scores[others], model.decision_function(case.X)[others], rtol=0, atol=1e-9)
    moved = np.abs(found.scores - model.decision_function(case.X)) > 1e-6
    assert moved[model.support_].mean() > 0.9


def test_paths_change_sides_and_need_no_fit(monkeypatch):
    """Where the sets of rows stayed, one linear system would do: here they change on most paths."""
    X, y = clouds(300, 3, 0.4, 7)
    changed, follow = [], downdating.follow_all

    def watched(base, work, leaving, arrived):
        follow(base, work, leaving, arrived)
        size = np.abs(arrived.beta)
        changed.append((((size > 1e-9) & (size < 1.0 - 1e-9)) != base.free).sum(axis=1))

    monkeypatch.setattr(paths, "follow_all", watched)
    found = leave_one_out(LinearSVM(C=1.0), X, y)
    assert np.mean(np.concatenate(changed) > 0) > 0.8
    assert found.n_refits == 0
    assert found.violation < 1e-12


def test_a_path_that_fails_is_fitted_anew(monkeypatch):
    case = CASES["linear, overlapping"]
    right = leave_one_out(case.model, case.X, case.y)
    follow = downdating.follow_all

    def spoiled(base, work, leaving, arrived):
        follow(base, work, leaving, arrived)
        arrived.beta[:] *= 1.001

    monkeypatch.setattr(paths, "follow_all", spoiled)
    found = leave_one_out(case.model, case.X, case.y)
    assert found.n_refits > 10
    assert found.violation <= 1e-10
    assert np.abs(found.scores - right.scores).max() <= 1e-9


def test_a_stale_fit_is_not_believed():
    case = CASES["rbf"]
    stale = clone(case.model).fit(case.X, 1 - case.y)
    fresh, found = (leave_one_out(model, case.X, case.y) for model in (case.model, stale))
    assert np.abs(found.scores - fresh.scores).max() <= 1e-9


@pytest.mark.parametrize("name", ["linear, overlapping", "squared hinge", "rbf", "linear, without offset"])
def test_derivatives_are_those_of_the_conditions(name):
    """T from the kernel matrix: free rows follow a change of one beta so that their scores stay, or of one score."""
    case = CASES[name]
    problem = case.model._problem(case.X, case.y).problem
    variables = Variables(problem)
    rows, optimum = optimum_of(problem, variables)
    some, free = np.arange(variables.dual.low.size), optimum.basis
    others = np.setdiff1d(some, free)
    T = optimum.pivot.tableau(some).T
    K = rows.between(some, some) + np.diag(variables.dual.ridge)
    moved = np.zeros((some.size, some.size))  # beta of all rows, for a unit of what each row holds fixed
    moved[others, others], moved[free] = 1.0, T[free]
    change = K @ moved
    held = np.zeros((free.size, some.size))  # effective scores of the free rows
    held[np.arange(free.size), free] = 1.0
    offset = (held - change[free]).mean(axis=0) if problem.fit_intercept else 0.0
    assert np.abs(change[free] + offset - held).max() < 1e-8
    assert np.abs(change[others] + offset - T[others]).max() < 1e-8
    assert np.abs(moved.sum(axis=0)).max() < 1e-8 or not problem.fit_intercept


def test_few_features_and_kernel_matrices_agree():
    X, y = clouds(80, 4, 0.5, 8)
    plain = LinearSVM(C=1.0)._problem(X, y).problem
    matrix = KernelSVM("precomputed", C=1.0)._problem(X @ X.T, y).problem
    kinds = [type(optimum_of(problem, Variables(problem))[0]) for problem in (plain, matrix)]
    assert kinds == [FeatureRows, KernelRows]
    assert np.abs(left_out(plain).scores - left_out(matrix).scores).max() < 1e-9


def test_violations_by_hand():
    """Low 1, high infinite, bound 2: a row of class 1 at 0, in between, at its bound and beyond."""
    dual = RowDual(np.ones(5), np.full(5, np.inf), np.zeros(5), np.full(5, 2.0), np.zeros(5), True)
    beta, effective = np.array([0.0, 0.0, 1.0, 2.0, 2.5]), np.array([1.5, 0.75, 1.25, 1.125, 1.0])
    assert dual.violations(beta, effective).tolist() == [0.0, 0.25, 0.25, 0.125, np.inf]


def test_rows_that_a_kernel_hardly_tells_apart():
    X, y = clouds(30, 2, 0.5, 9)
    found = leave_one_out(KernelSVM(C=1.0, gamma=1e-9), X, y)
    fits = separate_fits(CASES["rbf"]._replace(model=KernelSVM(C=1.0, gamma=1e-9), X=X, y=y), range(30))
    assert np.abs(found.scores - fits).max() <= 1e-8
