"""The joint machine beside clarabel on 20 small sets, and the conditions of its optimum row by row."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from oracles.svm_oracle import solved
from separatrix import LinearSVM, verify


def sets():
    """Three to five overlapping classes; some sparse, some weighted, some in mixed units, some wide, half no offset."""
    for k in range(20):
        rng = np.random.default_rng(k)
        classes, n, d = 3 + k % 3, int(rng.integers(15, 60)), int(rng.integers(2, 8)) if k % 7 else 70
        centres = 1.5 * rng.standard_normal((classes, d))
        y = np.append(np.arange(classes), rng.integers(0, classes, n - classes))
        X = centres[y] + rng.standard_normal((n, d)) + 3.0 * rng.standard_normal(d)
        if k % 4 == 1:
            X = X * (rng.random(X.shape) < 0.3)
        if k % 5 == 2:
            X = X * 10.0 ** rng.uniform(-2.0, 2.0, d)
        weight = rng.uniform(0.2, 3.0, n) if k % 2 else np.ones(n)
        yield k, X, y, weight, 10.0 ** rng.uniform(-2.0, 2.0), bool(k // 2 % 2)


NAMES = ("number", "X", "y", "weight", "C", "offset")


def joint_program(X, y, cost, fit_intercept):
    """W and b of min 1/2 ||W||^2 + sum cost slack with g_y - g_k + slack >= 1 for each row and rival."""
    n, classes = len(X), y.max() + 1
    Z = np.column_stack([X, np.ones((n, int(fit_intercept)))])
    penalty = np.append(np.ones(X.shape[1]), np.zeros(int(fit_intercept)))
    rows, slack = [], []
    for i in range(n):
        for k in set(range(classes)) - {y[i]}:
            lead = np.zeros((classes, Z.shape[1]))
            lead[y[i]], lead[k] = -Z[i], Z[i]
            rows.append(lead.ravel())
            slack.append(-np.eye(n)[i])
    size = classes * Z.shape[1]
    G = np.vstack([np.hstack([rows, slack]), np.hstack([np.zeros((n, size)), -np.eye(n)])])
    limits = np.append(-np.ones(len(rows)), np.zeros(n))
    gauge = 1e-9 * fit_intercept  # which no loss knows
    P = sparse.diags(np.append(np.tile(np.where(penalty > 0.0, penalty, gauge), classes), np.zeros(n)))
    found = solved(P, np.append(np.zeros(size), cost), G, limits, tol=1e-11)[:size].reshape(classes, -1)
    return found[:, : X.shape[1]], found[:, -1] * fit_intercept


def joint_objective(X, y, W, b, cost):
    """1/2 ||W||^2 + sum cost slack, in plain NumPy."""
    lead = (X @ W.T + b)[np.arange(len(y)), y][:, None] - (X @ W.T + b)
    lead[np.arange(len(y)), y] = np.inf
    return 0.5 * np.sum(W**2) + cost @ np.maximum(0.0, 1.0 - lead.min(axis=1))


@pytest.mark.parametrize(NAMES, list(sets()), ids=lambda v: v if type(v) is int else "")
def test_the_objective_and_the_planes(number, X, y, weight, C, offset):
    scale = np.sqrt(np.mean((X - X.mean(axis=0) * offset) ** 2))  # the oracle sees rows of moderate size
    rows = sparse.csr_matrix(X) if number % 4 == 1 else X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LinearSVM(C=C, multi_class="crammer_singer", tol=1e-9, fit_intercept=offset).fit(rows, y, weight)
    W, b = joint_program((X - X.mean(axis=0) * offset) / scale, y, C * weight * scale**2, offset)
    W, b = W / scale, b - (W / scale) @ X.mean(axis=0) * offset
    ours = joint_objective(X, y, model.coef_, model.intercept_, C * weight)
    assert ours == pytest.approx(model.certificate_.primal, rel=1e-10)
    assert ours == pytest.approx(joint_objective(X, y, W, b, C * weight), rel=1e-8)
    assert model.certificate_.dual <= joint_objective(X, y, W, b, C * weight) * (1.0 + 1e-12)
    assert np.linalg.norm(model.coef_ - W) <= np.sqrt(2.0 * 2e-8 * ours)  # the objective is that strongly convex
    assert verify(model, rows, y, sample_weight=weight)


@pytest.mark.parametrize(NAMES, [*sets()][8:16], ids=lambda v: v if type(v) is int else "")
def test_the_conditions_of_the_optimum_row_by_row(number, X, y, weight, C, offset):
    model = LinearSVM(C=C, multi_class="crammer_singer", tol=1e-9, fit_intercept=offset).fit(X, y, weight)
    support, rows = model.support_, np.arange(len(y))
    G = model.decision_function(X)
    violation = 1.0 - (G[rows, y][:, None] - G)
    violation[rows, y] = 0.0
    q = np.zeros(G.shape)
    q[support] = -model.dual_coef_.T
    total = -q[rows, y]
    q[rows, y] = 0.0
    size = np.abs(X).sum(axis=0) * np.abs(q).max()
    assert (q >= 0.0).all()
    assert (total <= C * weight * (1.0 + 1e-9)).all()
    assert np.all(
        np.abs(model.dual_coef_ @ X[support] - model.coef_) <= 1e-5 * (1.0 + size) * np.abs(model.coef_).max()
    )
    largest = violation.max(axis=1)
    atol = 1e-4
    assert np.all(violation[q > 1e-6 * C] >= np.broadcast_to(largest[:, None], q.shape)[q > 1e-6 * C] - atol)
    assert np.all(largest[total < C * weight * (1.0 - 1e-5)] <= atol)  # free rows have no slack
    assert np.allclose(model.slacks_, np.maximum(0.0, largest))
    if offset:  # each class gains what it loses
        assert np.abs(model.dual_coef_.sum(axis=1)).max() <= 1e-6 * np.abs(model.dual_coef_).sum()
