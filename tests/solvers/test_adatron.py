"""The kernel adatron tends to the optimum of the dual, and says how far it is from it."""

import numpy as np
import pytest

from oracles.svm_oracle import solved
from separatrix.errors import OptionError
from separatrix.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem, Status
from separatrix.solvers.kernel import gram, row_cache
from separatrix.solvers.kernel.adatron import adatron
from separatrix.solvers.kernel.kernel_svm import kernel_svm


def random_problem(seed, n=60, d=3, **how):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    y = (X[:, 0] * X[:, 1] + 0.4 * rng.standard_normal(n) > 0).astype(int)
    kernel = (RBF(0.5), 0.5 * RBF(1.0) + RBF(0.1), 0.3 * Linear() + RBF(0.2))[seed % 3]
    cost = rng.uniform(0.3, 3.0, n) if seed % 2 else np.ones(n)
    return Problem(X, y, 2, cost, kernel=kernel, **how)


def dual_by_oracle(problem, objective):
    """min 1/2 a'Qa - 1'a, 0 <= a <= upper, and y.a = 0 with an offset, by a quadratic program solver."""
    y, n, upper = problem.signs.astype(float), problem.n_rows, objective.upper(problem.cost)
    Q = y[:, None] * y * problem.kernel.matrix(problem.X) + np.diag(objective.dual_ridge(problem.cost))
    G, h = [-np.eye(n)], [np.zeros(n)]
    if objective.boxed:
        G, h = [*G, np.eye(n)], [*h, upper]
    if problem.fit_intercept:
        G, h = [*G, y[None], -y[None]], [*h, np.zeros(2)]
    alpha = solved(Q, -np.ones(n), np.vstack(G), np.concatenate(h), 1e-9)
    return float(alpha.sum() - 0.5 * alpha @ Q @ alpha)


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize(("C", "squared"), [(0.1, False), (3.0, False), (1.0, True)])
@pytest.mark.parametrize("seed", range(3))
def test_it_tends_to_the_dual_value_of_the_machine(seed, C, squared, offset):
    problem = random_problem(seed, fit_intercept=offset)
    best = dual_by_oracle(problem, SoftMargin(C, squared))
    found = adatron(problem, C=C, squared=squared, tol=1e-7)
    assert found.status is Status.SOLVED
    assert found.certificate.dual == pytest.approx(best, rel=1e-6)
    assert found.certificate.primal == pytest.approx(best, rel=1e-6)
    if offset:
        assert kernel_svm(problem, C=C, squared=squared).certificate.dual == pytest.approx(best, rel=1e-6)
    assert found.certificate.error(problem.posed(SoftMargin(C, squared))) <= 1e-7
    assert offset or found.model.b == 0.0


def test_the_hard_margin():
    gate = Problem(np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([0, 1, 1, 0]), kernel=Polynomial(2, 1.0))
    found = adatron(gate, C=np.inf, tol=1e-9)
    assert found.certificate.dual == pytest.approx(kernel_svm(gate, C=np.inf).certificate.dual, rel=1e-8)
    assert found.model.scores(gate.X) == pytest.approx([-1.0, 1.0, 1.0, -1.0], abs=1e-4)


@pytest.mark.parametrize("rate", [0.2, 1.0, 1.8])
def test_every_rate_below_two_converges(rate):
    problem = random_problem(0)
    assert adatron(problem, C=0.5, rate=rate, tol=1e-5).certificate.stated <= 1e-5
    for wrong in (0.0, 2.0, -1.0):
        with pytest.raises(OptionError, match="'rate' parameter"):
            adatron(problem, rate=wrong)


def test_the_dual_never_falls_without_an_offset():
    """Each step of a single alpha is an ascent for every rate below 2."""
    problem = random_problem(1, fit_intercept=False)
    values = [adatron(problem, C=2.0, rate=1.5, tol=1e-12, max_iter=most).certificate.dual for most in range(1, 15)]
    assert (np.diff(values) >= -1e-9).all()


def test_the_first_steps_by_hand():
    """Two rows with K = 1 and 1/2 of each other, no offset: alpha_1 = 1, then alpha_2 = 1 + 1/2."""
    K = np.array([[1.0, 0.5], [0.5, 1.0]])
    problem = Problem(K, np.array([1, 0]), 2, fit_intercept=False, kernel=Precomputed())
    found = adatron(problem, C=10.0, max_iter=1)
    assert found.certificate.alpha == pytest.approx([1.0, 1.5])
    assert found.certificate.w == pytest.approx([1.0, -1.5])
    assert adatron(problem, C=1.2, max_iter=1).certificate.alpha == pytest.approx([1.0, 1.2])


def test_passes_that_end_leave_the_true_gap():
    problem = random_problem(0)
    found = adatron(problem, C=10.0, max_iter=3)
    assert (found.status, found.history.passes) == (Status.STOPPED, 3)
    assert found.certificate.error(problem.posed(SoftMargin(10.0))) == found.certificate.stated > 1e-6


def test_blocks_in_float32_lead_to_the_same_machine(monkeypatch):
    problem = random_problem(0, n=300)
    exact = adatron(problem, C=1.0, tol=1e-5).certificate
    monkeypatch.setattr(gram, "MAX_EXACT_ROWS", 10)
    monkeypatch.setattr(gram, "MAX_COLUMNS_TO_COMPUTE", 0)
    monkeypatch.setattr(row_cache, "MIN_ROWS_KEPT", 200)
    assert adatron(problem, C=1.0, tol=1e-5, cache_mb=0.01).certificate.dual == pytest.approx(exact.dual, rel=1e-5)


def test_without_mercers_condition_there_is_no_top():
    problem = random_problem(0)
    with pytest.raises(OptionError, match="positive semidefinite"):
        adatron(Problem(problem.X, problem.y, kernel=Sigmoid(1.0, -1.0)))
