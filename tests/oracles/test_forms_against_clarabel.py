"""Linear regression with tubes, nu forms and novelty detection against quadratic programs solved by clarabel."""

import numpy as np
import pytest

from separatrix.objectives.nu_margin import largest_nu
from separatrix.problem import Problem
from separatrix.solvers.novelty.one_class_svm import one_class_svm
from separatrix.solvers.regression.linear_svr import linear_svr
from separatrix.solvers.regression.nu_svr import nu_svr
from separatrix.solvers.svm.nu_svm import nu_svm
from solvers import duals_by_clarabel as oracle

SEEDS = range(50)


def numbers(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 50)), int(rng.integers(1, 6))
    X = rng.standard_normal((n, d))
    y = X @ rng.standard_normal(d) + rng.choice([0.1, 1.0, 3.0]) * rng.standard_t(3, n)
    return Problem.of_numbers(X, y, rng.uniform(0.2, 3.0, n) if seed % 2 else None)


def classes(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 50)), int(rng.integers(1, 6))
    X = rng.standard_normal((n, d))
    y = (X[:, 0] + rng.choice([0.3, 1.0]) * rng.standard_normal(n) > 0).astype(int)
    y[:2] = 0, 1
    return Problem(X, y, 2, rng.uniform(0.2, 3.0, n) if seed % 2 else None)


def dual_variables(problem, claim):
    beta = np.zeros(problem.n_rows)
    beta[claim.support] = claim.alpha
    return beta


def gram(problem):
    return problem.X @ problem.X.T


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_tubes(seed, squared):
    problem, rng = numbers(seed), np.random.default_rng(seed)
    C, epsilon = 10.0 ** rng.integers(-2, 3), float(rng.choice([0.0, 0.1, 1.0]))
    solution = linear_svr(problem, C=C, epsilon=epsilon, squared=squared)
    value, _ = oracle.epsilon_insensitive(gram(problem), problem.y, C * problem.cost, epsilon, squared)
    claim, g = solution.certificate, solution.model.scores(problem.X)
    assert claim.dual == pytest.approx(value, rel=1e-8, abs=1e-8)
    assert claim.error(problem) < 1e-8
    off, beta = problem.y - g, dual_variables(problem, claim)
    assert np.allclose(problem.X.T @ beta, solution.w, rtol=1e-6, atol=1e-8 * np.abs(beta).sum())
    assert abs(beta.sum()) <= 1e-9 * np.abs(beta).sum()
    if squared:
        expected = 2.0 * C * problem.cost * np.sign(off) * np.maximum(0.0, np.abs(off) - epsilon)
        assert np.allclose(beta, expected, rtol=1e-6, atol=1e-6 * C)
        return
    upper, near = C * problem.cost, 1e-6 * (1.0 + np.abs(problem.y).max())
    assert (np.abs(beta) <= upper * (1.0 + 1e-12)).all()
    inside, outside = np.abs(off) < epsilon - near, np.abs(off) > epsilon + near
    assert not beta[inside].any()
    assert np.allclose(beta[outside], (np.sign(off) * upper)[outside], rtol=1e-9)
    if epsilon > 0.0:
        assert (beta * off >= 0.0).all()  # on the border beta has the sign of the residual


@pytest.mark.parametrize("seed", SEEDS)
def test_tubes_of_a_free_width(seed):
    problem, rng = numbers(seed), np.random.default_rng(seed)
    C, nu = 10.0 ** rng.integers(-2, 3), float(rng.uniform(0.02, 0.98))
    solution = nu_svr(problem, C=C, nu=nu)
    value, _ = oracle.nu_insensitive(gram(problem), problem.y, C * problem.cost, nu)
    claim = solution.certificate
    assert claim.dual == pytest.approx(value, rel=1e-8, abs=1e-8)
    assert claim.error(problem) < 1e-8
    off, beta, upper = problem.y - solution.model.scores(problem.X), dual_variables(problem, claim), C * problem.cost
    epsilon, near = claim.objective.best_epsilon(off, problem.cost), 1e-6 * (1.0 + np.abs(problem.y).max())
    weight = problem.cost.sum()
    assert np.abs(beta).sum() <= C * nu * weight * (1.0 + 1e-9)
    assert problem.cost[np.abs(off) > epsilon + near].sum() <= nu * weight * (1.0 + 1e-9)
    if epsilon > near:
        assert problem.cost[beta != 0.0].sum() >= nu * weight * (1.0 - 1e-9)
        assert np.abs(beta).sum() == pytest.approx(C * nu * weight, rel=1e-8)
    assert not beta[np.abs(off) < epsilon - near].any()
    outside = np.abs(off) > epsilon + near
    assert np.allclose(beta[outside], (np.sign(off) * upper)[outside], rtol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_free_margins(seed):
    problem = classes(seed)
    nu = float(np.random.default_rng(seed).uniform(0.1, 1.0)) * largest_nu(problem)
    solution = nu_svm(problem, nu=nu)
    value, _ = oracle.nu_margin(gram(problem), problem.signs, problem.cost, nu)
    claim, total = solution.certificate, nu * problem.cost.sum()
    assert claim.dual == pytest.approx(value, rel=1e-8, abs=1e-8 * total**2)
    assert claim.error(problem) < 1e-8
    check_free_margin(problem, claim, problem.signs * solution.model.scores(problem.X), total)


@pytest.mark.parametrize("seed", SEEDS)
def test_novelty(seed):
    given, rng = classes(seed), np.random.default_rng(seed)
    X = np.asarray(given.X) + rng.uniform(0.0, 3.0)
    problem = Problem(X, np.ones(len(X)), 2, given.cost, fit_intercept=False)
    nu = float(rng.uniform(0.05, 1.0))
    solution = one_class_svm(problem, nu=nu)
    value, _ = oracle.nu_margin(gram(problem), problem.signs, problem.cost, nu)
    claim, total = solution.certificate, nu * problem.cost.sum()
    assert claim.dual == pytest.approx(value, rel=1e-8, abs=1e-8 * total**2)
    assert claim.error(problem) < 1e-8
    assert np.allclose(solution.w, X.T @ dual_variables(problem, claim))
    rho = -solution.b
    if rho > 1e-6:
        check_free_margin(problem, claim, (solution.model.scores(X) + rho) / rho, total)


def check_free_margin(problem, claim, margins, total):
    """KKT row by row: alpha is 0 beyond the margin and at its bound short of it; rho = 1, unless w = 0."""
    alpha, cost = dual_variables(problem, claim), problem.cost
    assert alpha.sum() == pytest.approx(total, rel=1e-9)
    assert (alpha <= cost * (1.0 + 1e-12)).all()
    if not np.any(claim.w):
        assert claim.primal == 0.0
        return
    assert not alpha[margins > 1.0 + 1e-6].any()
    short = margins < 1.0 - 1e-6
    assert np.allclose(alpha[short], cost[short], rtol=1e-8)
    assert cost[short].sum() <= total * (1.0 + 1e-9) <= cost[alpha > 0.0].sum() * (1.0 + 2e-9)
