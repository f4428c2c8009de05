"""Support vector regression in the space of a kernel, against clarabel, its optimality conditions and scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest

from separatrix.kernels import RBF, Linear, Polynomial
from separatrix.problem import Problem
from separatrix.solvers.kernel.kernel_svr import kernel_nu_svr, kernel_svr
from solvers import duals_by_clarabel as oracle

KERNELS = (Linear(), Polynomial(2, 1.0), RBF(0.5), RBF(5.0))


def numbers(seed, kernel=None, n=None):
    rng = np.random.default_rng(seed)
    n, d = n or int(rng.integers(5, 50)), int(rng.integers(1, 5))
    X = rng.standard_normal((n, d))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.standard_normal(n)
    cost = rng.uniform(0.2, 3.0, n) if seed % 2 else np.ones(n)
    return replace(Problem.of_numbers(X, y, cost), kernel=kernel or KERNELS[seed % 4])


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_regression_has_the_dual_value_of_clarabel(seed, squared):
    problem, epsilon = numbers(seed), (0.0, 0.1, 0.5)[seed % 3]
    C = 10.0 ** np.random.default_rng(seed).uniform(-2, 2)
    claim = kernel_svr(problem, C=C, epsilon=epsilon, squared=squared).certificate
    value, _ = oracle.epsilon_insensitive(
        problem.kernel.matrix(problem.X), problem.y, C * problem.cost, epsilon, squared
    )
    assert claim.dual == pytest.approx(value, rel=1e-8)
    assert claim.error(problem) <= 1e-8


@pytest.mark.parametrize("seed", range(30))
def test_nu_regression_has_the_dual_value_of_clarabel(seed):
    problem, rng = numbers(seed), np.random.default_rng(seed)
    C, nu = 10.0 ** rng.uniform(-2, 1), rng.uniform(0.05, 0.95)
    claim = kernel_nu_svr(problem, C=C, nu=nu).certificate
    value, _ = oracle.nu_insensitive(problem.kernel.matrix(problem.X), problem.y, C * problem.cost, nu)
    assert claim.dual == pytest.approx(value, rel=1e-7)
    assert claim.error(problem) <= 1e-8
