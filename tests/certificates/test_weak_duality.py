"""Whatever the dual point, its repaired value is below the optimum; whatever the plane, its value is above."""

import numpy as np
import pytest

from separatrix.kernels import RBF, Linear
from separatrix.objectives import DualPoint, EpsilonInsensitive, NuInsensitive, NuMargin
from separatrix.problem import Problem
from separatrix.solvers.novelty.one_class_svm import one_class_svm
from separatrix.solvers.regression.linear_svr import linear_svr
from separatrix.solvers.regression.nu_svr import nu_svr
from separatrix.solvers.svm.nu_svm import nu_svm

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((40, 3))
COST = RNG.uniform(0.2, 3.0, 40)
NUMBERS = ROWS @ [1.0, -2.0, 0.5] + RNG.standard_normal(40)
CLASSES = (NUMBERS > 0.3).astype(int)
FORMS = {
    "tube": (EpsilonInsensitive(2.0, 0.3), lambda problem: linear_svr(problem, C=2.0, epsilon=0.3)),
    "squared": (
        EpsilonInsensitive(2.0, 0.3, True),
        lambda problem: linear_svr(problem, C=2.0, epsilon=0.3, squared=True),
    ),
    "free tube": (NuInsensitive(2.0, 0.3), lambda problem: nu_svr(problem, C=2.0, nu=0.3)),
    "free margin": (NuMargin(0.5), lambda problem: nu_svm(problem, nu=0.5)),
    "novelty": (NuMargin(0.3), lambda problem: one_class_svm(problem, nu=0.3)),
}


def posed(name, kernel=None):
    objective = FORMS[name][0]
    if name == "free margin":
        return Problem(ROWS, CLASSES, 2, COST, objective=objective, kernel=kernel)
    if name == "novelty":
        return Problem(ROWS + 2.0, np.ones(40), 2, COST, False, objective, kernel)
    return Problem(ROWS, NUMBERS, 0, COST, objective=objective, kernel=kernel)


def dual_points(rng):
    """Points of any size and sign, some rows only, some entries that are no numbers."""
    for size in (1e-8, 0.1, 1.0, 10.0, 1e8):
        support = np.sort(rng.choice(40, int(rng.integers(1, 41)), replace=False))
        alpha = size * rng.standard_normal(support.size)
        if rng.random() < 0.3:
            alpha[0] = np.nan
        yield DualPoint(support, alpha)
        yield DualPoint(support, np.abs(alpha))


@pytest.mark.parametrize("name", FORMS)
def test_every_dual_point_is_below_and_every_plane_above(name):
    problem = posed(name)
    best = FORMS[name][1](problem).certificate
    rounding = 1e-9 * max(abs(best.primal), 1.0)
    assert best.stated < 1e-9
    rng = np.random.default_rng(1)
    for _ in range(20):
        for dual in dual_points(rng):
            w, b = rng.standard_normal(3), float(rng.standard_normal()) if problem.fit_intercept else 0.0
            values = problem.objective.values(problem, w, b, dual)
            assert not values.dual > best.primal + rounding
            assert not values.primal < best.dual - rounding


@pytest.mark.parametrize("kernel", [Linear(), RBF(0.5)], ids=str)
@pytest.mark.parametrize("name", FORMS)
def test_in_the_space_of_a_kernel_every_dual_point_is_below_every_plane(name, kernel):
    problem, rng = posed(name, kernel), np.random.default_rng(2)
    found = []
    for _ in range(10):
        for dual in dual_points(rng):
            scale = 10.0 ** rng.uniform(-2, 1)
            found.append(problem.objective.values(problem, scale * rng.standard_normal(dual.support.size), 0.0, dual))
    assert max(values.dual for values in found) <= min(values.primal for values in found) + 1e-9


@pytest.mark.parametrize("name", ["tube", "free tube"])
def test_a_dual_point_that_is_far_too_large_still_bounds_something(name):
    problem = posed(name)
    best = FORMS[name][1](problem).certificate
    point = DualPoint(best.support, 1e6 * best.alpha)
    values = problem.objective.values(problem, best.w, best.b, point)
    assert 0.0 < values.dual <= best.primal


def test_the_dual_of_a_narrower_tube_is_cut_to_what_nu_allows():
    """Its beta is within its bounds, but adds up to more than C nu W: its value alone would be above the optimum."""
    problem, best = posed("free tube"), FORMS["free tube"][1](posed("free tube")).certificate
    other = linear_svr(problem, C=2.0, epsilon=0.0).certificate
    assert np.abs(other.alpha).sum() > problem.objective.total(COST)
    assert other.dual > best.primal
    point = DualPoint(other.support, other.alpha)
    assert problem.objective.values(problem, best.w, best.b, point).dual <= best.primal
