"""The program of regression and nu forms: groups of violators cost what their rows cost, coordinates change nothing."""

import numpy as np
import pytest

from separatrix.objectives import EpsilonInsensitive, NuInsensitive, NuMargin
from separatrix.problem import Problem
from separatrix.solvers.svm.bordered_program import BorderedProgram
from separatrix.solvers.svm.decomposition import all_rows, value
from separatrix.solvers.svm.linear_svm import coordinates_for

RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((30, 3)) * [1.0, 10.0, 0.1] + [0.0, 5.0, 1.0]
COST = RNG.uniform(0.5, 2.0, 30)
NUMBERS = ROWS @ [1.0, 0.1, 3.0] + RNG.standard_normal(30)
OBJECTIVES = [EpsilonInsensitive(2.0, 0.2), EpsilonInsensitive(2.0, 0.2, True), NuInsensitive(2.0, 0.4), NuMargin(0.4)]


def program_of(objective):
    if isinstance(objective, NuMargin):
        problem = Problem(ROWS, NUMBERS > 5.0, 2, COST, objective=objective)
    else:
        problem = Problem(ROWS, NUMBERS, 0, COST, objective=objective)
    return BorderedProgram(problem, coordinates_for(problem))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
def test_the_program_has_the_value_of_the_objective(objective):
    program = program_of(objective)
    problem, everything = program.problem, all_rows(program)
    for seed in range(5):
        v = np.random.default_rng(seed).standard_normal(len(program.H))
        w, b, t = program.plane(v)
        g = problem.X @ w + b
        if isinstance(objective, NuMargin):
            losses = COST @ np.maximum(0.0, t - problem.signs * g) - objective.total(problem) * t
        else:
            epsilon = t if program.has_border else objective.epsilon
            if epsilon < 0.0:  # no tube
                continue
            each = np.maximum(0.0, np.abs(NUMBERS - g) - epsilon)
            losses = objective.C * COST @ (each**2 if objective.squared else each)
            losses += objective.total(COST) * t if program.has_border else 0.0
        truth = (0.5 * w @ w + losses) / program.unit
        assert value(everything, v, everything.violations(v)) == pytest.approx(truth)
        assert np.allclose(everything.violations(v), program.violations(v))
        alpha = np.random.default_rng(seed).random(program.n_rows)
        assert np.allclose(everything.residual(v, alpha), program.residual(v, alpha))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=repr)
def test_a_group_of_violators_costs_what_its_rows_cost(objective):
    program = program_of(objective)
    v = np.zeros(len(program.H))
    v[-1] = 40.0  # far from every row: one side of each is violated
    violation = program.violations(v)
    inside, sides = np.flatnonzero(violation <= 0.0), program.sides
    groups = [np.flatnonzero((violation > 0.0) & (sides == side)) for side in (False, True)]
    small, whole = program.restricted(inside, [group for group in groups if group.size]), all_rows(program)
    near = v + 1e-3 * np.random.default_rng(0).standard_normal(v.size)
    change = [value(each, near, each.violations(near)) - value(each, v, each.violations(v)) for each in (small, whole)]
    assert change[0] == pytest.approx(change[1], rel=1e-9)
