"""Which way a support vector machine goes: by what the rows hold, not by how they are stored, and never by a copy."""

from importlib import import_module
from time import perf_counter

import numpy as np
import pytest
from scipy import sparse

from separatrix import LinearSVM, LinearSVR, NotCertifiedWarning, encode
from separatrix.problem import Problem
from separatrix.rows import CSR
from separatrix.solvers.svm import route
from separatrix.solvers.svm.lagrangian.augmented_lagrangian import augmented_lagrangian
from separatrix.solvers.svm.lagrangian.dual_coordinate_descent import dual_coordinate_descent
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.route import chosen, side_by_side, without_zeros

solver = import_module("separatrix.solvers.svm.linear_svm")
estimator = import_module("separatrix.estimators.linear_svm")


def words(n=300, d=5000, k=2, seed=0):
    """Counts of words that differ between classes, as texts have them."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    X = sparse.random(n, d, 0.01, "csr", rng=rng, data_rvs=lambda size: rng.integers(1, 5, size).astype(float))
    return (X + sparse.csr_matrix((rng.random((n, d)) < 0.02) & (np.arange(d) % k == y[:, None]))).tocsr(), y


def test_few_sparse_rows_are_never_made_dense(monkeypatch):
    def refuse(*_):
        raise AssertionError("a dense copy")

    monkeypatch.setattr(solver, "dense_rows", refuse)
    X, y = words()
    for C in (0.01, 1.0, 100.0, np.inf):
        model = LinearSVM(C=C).fit(X, y)
        assert model.certificate_.proof
        assert model.certificate_.stated <= 1e-6
    assert LinearSVM(loss="squared_hinge").fit(X, y).certificate_.stated <= 1e-6


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_the_container_does_not_change_the_bits(loss):
    X, y = words(k=3)
    one, other = LinearSVM(loss=loss).fit(X, y), LinearSVM(loss=loss).fit(X.toarray(), y)
    assert np.array_equal(one.coef_, other.coef_)
    assert np.array_equal(one.intercept_, other.intercept_)
    assert isinstance(without_zeros(encode(X.toarray(), y).problem), CSR)


def test_regression_takes_sparse_rows_as_they_are(monkeypatch):
    monkeypatch.setattr(solver, "dense_rows", None)
    X, _ = words(n=200)
    y = X @ np.random.default_rng(1).standard_normal(5000)
    assert LinearSVR().fit(X, y).certificate_.stated <= 1e-6


def test_dense_small_and_dense_in_disguise_rows_go_to_interior_points():
    rng = np.random.default_rng(0)
    y = np.arange(4000) % 2
    assert chosen(Problem(rng.standard_normal((4000, 300)), y), "auto") == "interior"
    dummies = np.zeros((4000, 300))
    dummies[:, ::3] = 1.0  # a third
    assert chosen(encode(sparse.csr_matrix(dummies), y).problem, "auto") == "interior"
    dummies[:, 6:] = 0.0  # 2 of 300
    assert chosen(encode(sparse.csr_matrix(dummies), y).problem, "auto") == "lagrangian"
    assert chosen(encode(sparse.csr_matrix(dummies[:100]), y[:100]).problem, "auto") == "interior"


@pytest.mark.parametrize("way", ["interior", "lagrangian"])
def test_where_one_way_stalls_the_other_is_tried(way, monkeypatch):
    X, y = words(n=120, d=1200)
    problem = encode(X, y).problem
    monkeypatch.setattr(route, "MIN_DENSE_OPERATIONS", np.inf if way == "interior" else 0.0)
    assert chosen(problem, "auto") == way

    def stalled(problem, warm, tol, budget, *_):  # a poor plane, with budget left
        alpha = np.where(problem.signs > 0, 1e-3, 1e-3 * (problem.y == 1).sum() / (problem.y == 0).sum())
        return solver.answer(problem, np.zeros(problem.n_features), 0.0, alpha, tol, budget)

    monkeypatch.setattr(solver, "by_interior_point" if way == "interior" else "by_lagrangian", stalled)
    assert linear_svm(problem).certificate.stated <= 1e-6
    assert linear_svm(problem, route=way).certificate.stated > 1e-3


@pytest.mark.parametrize("shape", ["sparse", "dense"])
def test_classes_side_by_side_give_the_bits_of_one_after_the_other(shape, monkeypatch):
    X, y = words(k=5)
    if shape == "dense":
        X = X[:, :40].toarray() + np.random.default_rng(2).standard_normal((300, 40))
    assert side_by_side(encode(X, y).problem)
    together = LinearSVM(C=10.0).fit(X, y)
    monkeypatch.setattr(estimator, "side_by_side", lambda _: False)
    alone = LinearSVM(C=10.0).fit(X, y)
    assert np.array_equal(together.coef_, alone.coef_)
    assert np.array_equal(together.intercept_, alone.intercept_)


def test_classes_that_copy_all_rows_are_solved_one_after_the_other():
    rows = np.broadcast_to(np.float32(1.0), (60_000, 784))
    assert not side_by_side(Problem(rows, np.arange(60_000) % 10, 10))


def test_what_depends_on_rows_alone_is_computed_once_for_all_classes(monkeypatch):
    made = []
    systems = solver.NewtonSystems
    monkeypatch.setattr(solver, "NewtonSystems", lambda X: made.append(X) or systems(X))
    X, y = words(k=4)
    LinearSVM().fit(X, y)
    assert len(made) == 1


def test_time_and_iterations_bind_with_sparse_rows():
    X, y = words(n=400, d=3000, k=3)
    for limits in ({"time_limit": 1e-9}, {"max_iter": 1}):
        with pytest.warns(NotCertifiedWarning, match="3 of the|reached a gap"):
            model = LinearSVM(C=100.0, **limits).fit(X, y)
        assert model.n_iter_ <= 1
        assert np.isfinite(model.coef_).all()
        assert model.certificate_.stated == pytest.approx(model.certificate_.error(encode(X, y).problem), rel=1e-6)


def test_a_deadline_ends_coordinate_descent_after_a_pass():
    X, y = words()
    problem = encode(X, y).problem
    signs = problem.signs.astype(np.float64)
    answer = dual_coordinate_descent(problem.X, signs, problem.cost, tol=1e-12, deadline=perf_counter())
    assert answer[3] == 1
    assert augmented_lagrangian(problem.X, signs, problem.cost, tol=1e-12, deadline=perf_counter())[3] == 0


def test_coordinate_descent_goes_on_while_it_is_quick_and_no_longer():
    X, y = words()
    signs, cost = 2.0 * y - 1.0, np.ones(y.size)
    lengths = np.sqrt(X.multiply(X).sum(axis=1).A1)
    long, unit = (encode(rows, y).problem.X for rows in (X, sparse.diags(1.0 / lengths) @ X))
    assert dual_coordinate_descent(long, signs, 1e4 * cost, tol=1e-12, max_ratio=0.15)[3] <= 20
    *_, passes = dual_coordinate_descent(unit, signs, cost, tol=1e-6, max_ratio=0.15)
    assert passes > 10
