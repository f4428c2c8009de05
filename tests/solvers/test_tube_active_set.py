"""The active set of sparse regression with a tube: its equations give the optimum, or say what is wrong with it."""

import numpy as np
import pytest

from separatrix.objectives import SparseTube
from separatrix.problem import Problem
from separatrix.solvers.budget import Budget
from separatrix.solvers.regression.tube_active_set import active_set_of, corrected, optimum_on
from separatrix.solvers.regression.tube_interior_point import interior_point
from separatrix.solvers.regression.tube_program import TubeProgram


@pytest.fixture(scope="module")
def program():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 6))
    y = X @ [1.0, -2.0, 0.0, 0.5, 0.0, 0.0] + rng.standard_normal(60)
    return TubeProgram.of(Problem.of_numbers(X, y).posed(SparseTube(0.3, 0.5)))


@pytest.fixture(scope="module")
def true(program):
    nearest, _ = interior_point(program, 1e-10, Budget(100))
    return active_set_of(program, nearest)


def moved(part, index, value):
    part = part.copy()
    part[index] = value
    return part


def spoiled(program, true):
    """Active sets with one row or column in a wrong place, and what is wrong."""
    w, b, beta = optimum_on(program, true)
    sizes = np.abs(program.residuals(w, b))
    on, out = np.flatnonzero(true.border)[0], np.argmin(np.where(true.beyond != 0, sizes, np.inf))  # that next to it
    inside = np.flatnonzero((true.border == 0) & (true.beyond == 0))[0]
    used, unused = np.flatnonzero(true.columns)[0], np.flatnonzero(true.columns == 0)[0]
    side = int(true.border[on])
    pulled = int(np.sign(program.transposed(beta)[unused]))
    return {
        "beyond, though on the border": true._replace(
            border=moved(true.border, on, 0), beyond=moved(true.beyond, on, side)
        ),
        "inside, though on the border": true._replace(border=moved(true.border, on, 0)),
        "on the border, though beyond": true._replace(
            border=moved(true.border, out, int(true.beyond[out])), beyond=moved(true.beyond, out, 0)
        ),
        "on the border, though inside": true._replace(border=moved(true.border, inside, 1)),
        "a column left out": true._replace(columns=moved(true.columns, used, 0)),
        "a column too many": true._replace(columns=moved(true.columns, unused, pulled)),
    }


def test_the_set_has_rows_and_columns_of_every_kind(true):
    assert 0 < np.count_nonzero(true.columns) < 6
    assert np.count_nonzero(true.border) > 0 < np.count_nonzero(true.beyond)
    assert np.count_nonzero(true.border) + np.count_nonzero(true.beyond) < 60


def test_the_equations_of_the_true_set_give_the_optimum(program, true):
    w, b, beta = optimum_on(program, true)
    r, k = program.residuals(w, b), program.half
    on, out = true.border != 0, true.beyond != 0
    assert r[on] == pytest.approx(k * true.border[on], abs=1e-13)
    assert np.all(np.abs(r[~on & ~out]) < k)
    assert np.all(r[out] * true.beyond[out] > k)
    full = 2.0 * program.share * k
    assert np.all((beta * true.border)[on] > 0.0)
    assert np.all((beta * true.border)[on] < full[on])
    pull, used = program.transposed(beta), true.columns != 0
    assert pull[used] == pytest.approx((program.penalty * true.columns)[used], rel=1e-12)
    assert np.all(np.abs(pull[~used]) < program.penalty[~used])
    assert corrected(program, true, optimum_on(program, true)).key == true.key


@pytest.mark.parametrize(
    "fault",
    [
        "beyond, though on the border",
        "inside, though on the border",
        "on the border, though beyond",
        "on the border, though inside",
        "a column left out",
        "a column too many",
    ],
)
def test_corrections_lead_back_to_the_true_set(program, true, fault):
    active = spoiled(program, true)[fault]
    assert active.key != true.key
    for _ in range(10):
        active = corrected(program, active, optimum_on(program, active))
        if active.key == true.key:
            return
    raise AssertionError(f"{fault}: not corrected")
