"""Many rows of which few decide: a smoothed hinge finds them, and a small program has the optimum of the large one."""

import numpy as np
import pytest

from separatrix import encode
from separatrix.objectives import SoftMargin
from separatrix.problem.coordinates import Coordinates
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm import decomposition, smoothed_newton, working_set
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.interior_point import central_point
from separatrix.solvers.svm.problem_program import ProblemProgram
from separatrix.solvers.svm.program import Approximation, Program
from separatrix.solvers.svm.working_set import groups_by_side, narrowed_optimum


def program_of(kind, seed=0, n=3000, k=6, C=1.0):
    """Rows a_i = y_i [x_i, 1], the offset without penalty unless there is none."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, k - 1))
    y = np.sign(X @ rng.standard_normal(k - 1) + 0.3 + (0.8 if kind != "separable" else 0.0) * rng.standard_normal(n))
    if kind == "one in fifty":
        y = np.where(X[:, 0] + 0.3 * rng.standard_normal(n) > 2.0, 1.0, -1.0)
    cost = rng.uniform(0.1, 3.0, n) if kind == "weighted" else np.ones(n)
    A = y[:, None] * (X if kind == "no offset" else np.column_stack([X, np.ones(n)]))
    H = np.eye(A.shape[1])
    H[-1, -1] = float(kind == "no offset")
    return Program(A, np.ones(n), C * cost, np.zeros(n), H, np.zeros(len(H)))


KINDS = ["noisy", "weighted", "separable", "one in fifty", "no offset"]


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("kind", KINDS)
def test_few_rows_have_the_optimum_of_all(kind, C, monkeypatch):
    monkeypatch.setattr(working_set, "n_deciding", lambda k: 60.0)
    program = program_of(kind, C=C)
    expected, _ = optimum(program, Budget(200))
    rows = []

    def solve(part, *how):
        rows.append(len(part.A))
        return optimum(part, *how)

    for start in (
        None,
        Approximation(expected, 0.01),
        Approximation(-5.0 * expected, 0.01),
        Approximation(expected, 1.0),
    ):
        v, alpha = narrowed_optimum(program, Budget(500), start, solve)
        assert np.allclose(v, expected, rtol=1e-7, atol=1e-8 * np.linalg.norm(expected))
        assert program.gap(v, alpha) <= 1e-10 * program.size(v, alpha)
        assert ((alpha >= 0.0) & (alpha <= program.upper)).all()
    assert kind == "one in fifty" or rows[0] < 1500


@pytest.mark.parametrize("kind", ["noisy", "weighted", "no offset"])
def test_slacks_larger_than_h_have_the_sign_that_they_have_at_the_optimum(kind):
    program = program_of(kind, n=20_000)
    expected, _ = optimum(program, Budget(200))
    near = smoothed_newton.smoothed_newton(program, None, 400.0, Budget(100))
    short, truth = program.violations(near.v, 0.0), program.violations(expected, 0.0)
    far = np.abs(short) > near.h
    assert 200 <= np.count_nonzero(~far) <= 1600
    assert ((short > 0.0) == (truth > 0.0))[far].all()


def test_steps_end_where_the_smoothed_objective_is_level():
    program, h = program_of("weighted"), 0.3

    def objective(v):
        t = program.violations(v, 0.0)
        phi = np.where(t > h, t, np.where(t > -h, (t + h) ** 2 / (4.0 * h), 0.0))
        return 0.5 * v @ program.H @ v + program.upper @ phi

    v = smoothed_newton.smoothed_newton(program, None, 60.0, Budget(100)).v
    for _ in range(30):
        short = program.violations(v, 0.0)
        slope = np.clip((short + h) / (2.0 * h), 0.0, 1.0)
        gradient = -program.residual(v, program.upper * slope)
        v = v + smoothed_newton.newton_step(program, np.abs(short), gradient, h, thinned=True)
    rng = np.random.default_rng(0)
    assert all(objective(v + 1e-3 * rng.standard_normal(6)) > objective(v) for _ in range(50))


def test_no_answer_where_the_looks_or_the_budget_end(monkeypatch):
    program = program_of("noisy")
    assert smoothed_newton.smoothed_newton(program, None, 60.0, Budget(2)) is None
    monkeypatch.setattr(smoothed_newton, "MAX_STEPS", 2)
    assert smoothed_newton.smoothed_newton(program, None, 60.0, Budget(100)) is None
    v, alpha = narrowed_optimum(program, Budget(500))
    assert program.gap(v, alpha) <= 1e-10 * program.size(v, alpha)


def test_rows_that_count_together_cost_what_they_do_while_all_fall_short():
    program = program_of("weighted")
    small = 1e-3 * np.random.default_rng(0).standard_normal(6)
    part = program.restricted(np.arange(1000), groups_by_side(program, np.arange(3000) >= 1000))
    assert len(part.A) == 1002
    assert {float(np.sign(row[-1])) for row in part.A[1000:]} == {-1.0, 1.0}, "one row for each side"
    whole = program.upper @ np.maximum(0.0, program.violations(small, 0.0))
    assert part.upper @ np.maximum(0.0, part.violations(small)) == pytest.approx(whole, rel=1e-12)
    large = 3.0 * np.random.default_rng(1).standard_normal(6)
    whole = program.upper @ np.maximum(0.0, program.violations(large, 0.0))
    assert part.upper @ np.maximum(0.0, part.violations(large)) < whole


def test_a_central_point_is_on_the_central_path():
    program = program_of("weighted", C=10.0)
    v = np.random.default_rng(0).standard_normal(6)
    point = central_point(program, Approximation(v, 0.1))
    (alpha, room), (r, xi) = point.pairs
    assert np.allclose([alpha * r, room * xi], (alpha * r)[0], rtol=1e-12)
    assert np.allclose(alpha + room, program.upper, rtol=1e-12)
    assert np.allclose(r - xi, program.A @ v - program.required, rtol=1e-9, atol=1e-9)
    assert point.pairs.min() > 0.0


def test_it_ends_early_once_few_rows_are_too_near_to_tell_their_side():
    program, few = program_of("noisy"), 0.3 * 3000
    budget = Budget(100)
    near = smoothed_newton.smoothed_newton(program, None, 60.0, budget, few)
    whole = Budget(100)
    smoothed_newton.smoothed_newton(program, None, 60.0, whole)
    assert budget.used < whole.used
    assert (
        np.count_nonzero(np.abs(program.violations(near.v, 0.0)) <= smoothed_newton.UNSETTLED_WIDTH * near.h)
        <= 2.0 * few
    )


def test_steps_with_all_rows_come_nearer_than_a_sample():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 60))
    problem = encode(X, X @ rng.standard_normal(60) + 8.0 * rng.standard_normal(20_000) > 0.0).problem
    program = ProblemProgram(problem.posed(SoftMargin(1.0)), Coordinates.of(X, True))
    few, method = decomposition.n_deciding(60), smoothed_newton.smoothed_newton
    sample = method(decomposition.all_rows(program.sample()), None, few, Budget(100))
    near = method(program, sample, few, Budget(100), decomposition.MAX_UNSETTLED * 20_000)
    v, _ = decomposition.solve_hinge(program, None, Budget(100))
    assert np.linalg.norm(near.v - v) < 0.5 * np.linalg.norm(sample.v - v)
    assert near.h < 0.5 * sample.h
