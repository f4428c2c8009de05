"""The nu machine and novelty detection in the space of a kernel, against clarabel, their theory and scikit-learn."""

import numpy as np
import pytest

from separatrix.kernels import RBF, Polynomial
from separatrix.problem import Problem
from separatrix.solvers.kernel.kernel_nu_svm import kernel_nu_svm, largest_nu
from separatrix.solvers.kernel.one_class import one_class
from solvers import duals_by_clarabel as oracle

KERNELS = (Polynomial(2, 1.0), RBF(0.5), RBF(5.0))


def classes(seed, kernel=None, n=None):
    rng = np.random.default_rng(seed)
    n, d = n or int(rng.integers(6, 50)), int(rng.integers(1, 5))
    X = rng.standard_normal((n, d))
    y = (X[:, 0] + 0.5 * rng.standard_normal(n) > 0).astype(int)
    y[:2] = 0, 1
    cost = rng.uniform(0.2, 3.0, n) if seed % 2 else np.ones(n)
    return Problem(X, y, 2, cost, kernel=kernel or KERNELS[seed % 3])


def of_one_class(problem):
    return Problem(problem.X, np.ones(problem.n_rows), 2, problem.cost, fit_intercept=False, kernel=problem.kernel)


@pytest.mark.parametrize("seed", range(30))
def test_the_nu_machine_has_the_dual_value_of_clarabel(seed):
    problem = classes(seed)
    nu = np.random.default_rng(seed).uniform(0.1, 1.0) * largest_nu(problem)
    claim = kernel_nu_svm(problem, nu=nu).certificate
    value, _ = oracle.nu_margin(problem.kernel.matrix(problem.X), problem.signs, problem.cost, nu)
    size = (nu * problem.cost.sum()) ** 2  # of the squares of sums whose difference is the value
    assert claim.dual == pytest.approx(value, rel=1e-8, abs=1e-9 * size)
    assert claim.error(problem) <= 1e-8


@pytest.mark.parametrize("seed", range(30))
def test_novelty_detection_has_the_dual_value_of_clarabel(seed):
    problem, nu = of_one_class(classes(seed)), np.random.default_rng(seed).uniform(0.05, 1.0)
    claim = one_class(problem, nu=nu).certificate
    value, _ = oracle.nu_margin(problem.kernel.matrix(problem.X), problem.signs, problem.cost, nu)
    assert claim.dual == pytest.approx(value, rel=1e-8)
    assert claim.error(problem) <= 1e-8
