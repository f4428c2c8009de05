"""The parts of the support vector machine: the program, its two solvers, coordinates, offsets and budgets."""

import time

import numpy as np
import pytest

from oracles.svm_oracle import solved
from separatrix.objectives import SoftMargin
from separatrix.problem.coordinates import Coordinates
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm import interior_point as method
from separatrix.solvers.svm.active_set import polish
from separatrix.solvers.svm.best_offset import best_offset, widest_offset
from separatrix.solvers.svm.interior_point import interior_point
from separatrix.solvers.svm.outcome import without_negligible
from separatrix.solvers.svm.program import Approximation, Program

KINDS = ["boxed", "squared", "hard"]


def program_of(kind, seed, n=30, k=4):
    """A random program of which every kind has an optimum; its last variable has no penalty."""
    rng = np.random.default_rng(seed)
    signs = np.where(np.arange(n) % 2, 1.0, -1.0)
    rows = rng.standard_normal((n, k - 1))
    if kind == "hard":
        rows += 4.0 * signs[:, None]
    A = signs[:, None] * np.column_stack([rows, np.ones(n)])
    upper = rng.uniform(0.2, 2.0, n) if kind == "boxed" else np.full(n, np.inf)
    ridge = rng.uniform(0.2, 2.0, n) if kind == "squared" else np.zeros(n)
    H = np.diag(np.append(rng.uniform(0.3, 3.0, k - 1), 0.0))
    f = np.append(0.3 * rng.standard_normal(k - 1), 0.0)
    return Program(A, rng.uniform(0.5, 1.5, n), upper, ridge, H, f)


def by_oracle(program):
    """v of min 1/2 v'Hv - f.v + sum loss, with one slack for each row that may fall short."""
    (n, k), one = program.A.shape, np.eye(len(program.A))
    if not (program.boxed or program.ridge.any()):
        return solved(program.H, -program.f, -program.A, -program.required, 1e-11)
    curved = 1.0 / program.ridge if program.ridge.any() else np.zeros(n)
    flat = np.zeros(n) if program.ridge.any() else program.upper
    P = np.diag(np.append(np.diag(program.H), curved))
    G = np.block([[-program.A, -one], [np.zeros((n, k)), -one]])
    return solved(P, np.append(-program.f, flat), G, np.append(-program.required, np.zeros(n)), 1e-10)[:k]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", KINDS)
def test_random_programs_have_the_oracles_optimum(kind, seed):
    program = program_of(kind, seed)
    v, alpha = polish(program, *interior_point(program, budget=Budget(100)))
    assert np.allclose(v, by_oracle(program), rtol=1e-6, atol=1e-6)
    assert np.abs(program.residual(v, alpha)).max() < 1e-9
    violation = program.violations(v, alpha)
    assert ((alpha >= 0.0) & (alpha <= program.upper)).all()
    assert np.abs(np.where(alpha > 1e-9, np.minimum(violation, 0.0), 0.0)).max() < 1e-9, "beyond its reach alpha is 0"
    assert (violation[alpha < 0.999 * program.upper] < 1e-9).all(), "short of it alpha is as large as it may be"
    assert program.gap(v, alpha) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_the_polish_takes_a_rough_answer_to_rounding(kind):
    for seed in range(5):
        program = program_of(kind, seed)
        rough = interior_point(program, tol=1e-4, budget=Budget(100))
        sharp = polish(program, *rough)
        assert program.gap(*sharp) <= min(1e-11, program.gap(*rough))
        assert np.allclose(sharp[0], polish(program, *interior_point(program, budget=Budget(100)))[0], atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_a_gap_is_never_negative_and_bounds_what_is_left_to_gain(kind):
    for seed in range(20):
        rng, program = np.random.default_rng(seed), program_of(kind, seed % 5)
        v, alpha = rng.standard_normal(4), program.clipped(rng.uniform(-1.0, 2.0, 30))
        assert program.gap(v, alpha) >= 0.0
        if kind == "hard":
            continue
        alpha = balanced(program, alpha)
        best = by_oracle(program)
        gain = value(program, v) - value(program, best)
        assert -1e-9 <= gain <= program.gap(v, alpha) + 1e-9


def test_a_plane_that_leaves_a_hard_margin_has_a_gap():
    for seed in range(5):
        program = program_of("hard", seed)
        v, alpha = polish(program, *interior_point(program, budget=Budget(100)))
        assert program.gap(0.999 * v, alpha) > 1e3 * abs(program.gap(v, alpha))
        assert program.gap(1.001 * v, alpha) > 1e3 * abs(program.gap(v, alpha))


def balanced(program, alpha):
    """The heavier side scaled down, so that nothing pulls the variable without penalty."""
    signs = program.A[:, -1]
    heavy = np.sign(signs @ alpha)
    part = alpha[signs != heavy].sum() / alpha[signs == heavy].sum()
    return np.where(signs == heavy, part * alpha, alpha)


def value(program, v):
    slack = np.maximum(0.0, program.required - program.A @ v)
    losses = 0.5 * slack**2 / program.ridge if program.ridge.any() else program.upper * slack
    return 0.5 * v @ program.H @ v - program.f @ v + losses.sum()


def test_other_units_of_alpha_leave_v():
    for kind in KINDS:
        program, unit = program_of(kind, 1), 64.0
        scaled = program._replace(
            upper=program.upper / unit, ridge=program.ridge * unit, H=program.H / unit, f=program.f / unit
        )
        v, alpha = polish(program, *interior_point(program, budget=Budget(100)))
        other, parts = polish(scaled, *interior_point(scaled, budget=Budget(100)))
        assert np.allclose(v, other, rtol=0, atol=1e-10)
        assert np.allclose(alpha, unit * parts, rtol=0, atol=1e-9)


def test_an_interior_point_that_is_stopped_gives_its_best():
    program = program_of("boxed", 0)
    for most in range(6):
        budget = Budget(max(most, 1))
        v, alpha = interior_point(program, budget=budget)
        assert budget.used == max(most, 1)
        assert ((alpha > 0.0) & (alpha < program.upper)).all()
        assert np.isfinite(v).all()


def test_the_first_point_is_inside():
    for kind in KINDS:
        program = program_of(kind, 2)
        point = method.first_point(program, largest_alpha=1e4)
        assert (point.pairs > 0.0).all()
        assert (point.pairs[0, 0] < program.upper).all()
        assert not point.v.any()


@pytest.mark.parametrize("far", [0.0, 0.5, 2.0], ids=["nothing", "half", "twice"])
def test_a_start_that_is_not_as_near_as_it_says_costs_little(far):
    """The optimum times some number, said to be right to 1e-3: with a mu for that, steps would be short for long."""
    rng = np.random.default_rng(3)
    A = (
        np.column_stack([rng.standard_normal((500, 20)) + 0.3, np.ones(500)])
        * np.where(rng.random(500) < 0.5, 1, -1)[:, None]
    )
    program = Program(A, np.ones(500), np.full(500, 0.5), np.zeros(500), np.diag([1.0] * 20 + [0.0]), np.zeros(21))
    best, _ = interior_point(program, tol=1e-10, budget=Budget(100))
    budget = Budget(100)
    v = next(v for v, _, gap in method.path(program, budget, start=Approximation(far * best, 1e-3)) if gap <= 1e-9)
    assert budget.used <= 20
    assert np.allclose(v, best, atol=1e-3)


def test_an_alpha_that_is_rounding_supports_nothing():
    alpha, support, inner = without_negligible(np.array([0.0, 2.0, 1e-15, 0.5, -1e-17, 1e-12]))
    assert alpha.tolist() == [0.0, 2.0, 0.0, 0.5, 0.0, 1e-12]
    assert support.tolist() == [1, 3, 5]
    assert inner.tolist() == [2.0, 0.5, 1e-12]


def test_a_budget_counts_iterations():
    budget = Budget(3)
    assert [budget.left, budget.spent(), budget.left, budget.used] == [3, False, 2, 1]
    assert [budget.spent() for _ in range(4)] == [False, False, True, True]
    assert budget.used == 3


def test_a_budget_counts_seconds():
    assert Budget(10, seconds=1e-9).spent()
    budget = Budget(10, seconds=60.0)
    assert budget.left == 10
    budget.deadline = time.perf_counter()
    assert budget.left == 0
    assert budget.used == 0


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("shape", [(50, 4), (5, 30)])
def test_coordinates_there_and_back(shape, offset):
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape) * 10.0 ** rng.uniform(-6, 6, shape[1]) + 3.0
    signs = rng.choice([-1, 1], shape[0])
    coordinates = Coordinates.of(X, offset)
    v = rng.standard_normal(coordinates.scale.size + offset)
    w, b = coordinates.plane(v)
    expected = signs * (X @ w + b)
    assert np.allclose(coordinates.rows(X, signs) @ v, expected, rtol=1e-9, atol=1e-9 * np.abs(X * w).max())
    assert np.allclose(coordinates.vector(w, b), v, rtol=1e-6, atol=1e-9 * np.abs(w * coordinates.centre).max())
    assert 0.5 * v @ coordinates.penalty() @ v == pytest.approx(0.5 * w @ w, rel=1e-9)
    assert offset or b == 0.0
    assert coordinates.scale.size <= min(shape)
    u = rng.standard_normal(shape[0])
    total = coordinates.rows(X, np.ones(shape[0])).T @ u
    assert np.allclose(coordinates.weighted_sum(X.T @ u, u.sum()), total, rtol=1e-6, atol=1e-6)


def test_coordinates_have_unit_spread_whatever_the_columns():
    X = np.random.default_rng(1).standard_normal((40, 3)) * [1e-8, 1.0, 1e8] + [0.0, 100.0, 0.0]
    Z = Coordinates.of(X, True).rows(X, np.ones(40))
    assert np.allclose(Z[:, :3].mean(axis=0), 0.0, atol=1e-12)
    assert np.allclose((Z[:, :3] ** 2).mean(axis=0), 1.0)
    constant = Coordinates.of(np.full((5, 2), 7.0), True)
    assert constant.scale.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("seed", range(10))
def test_the_best_offset_is_the_middle_of_the_best_breakpoints(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    signs, scores = np.where(np.arange(n) % 2, 1, -1), rng.standard_normal(n)
    cost = rng.integers(1, 4, n).astype(float) if seed % 2 else np.ones(n)
    turns = signs - scores
    losses = np.array([cost @ np.maximum(0.0, 1.0 - signs * (scores + b)) for b in turns])
    optimal = turns[losses <= losses.min() + 1e-9]
    assert best_offset(scores, signs, cost) == pytest.approx(0.5 * (optimal.min() + optimal.max()), abs=1e-12)


def test_the_widest_offset_is_between_the_nearest_of_both_sides():
    assert widest_offset(np.array([5.0, 3.0, -1.0, -9.0]), np.array([1, 1, -1, -1])) == -1.0


def test_the_two_losses_and_their_bounds():
    margins, cost = np.array([2.0, 1.0, 0.5, -1.0]), np.array([1.0, 1.0, 2.0, 3.0])
    assert SoftMargin(2.0).losses(margins, cost).tolist() == [0.0, 0.0, 2.0, 12.0]
    assert SoftMargin(2.0, squared=True).losses(margins, cost).tolist() == [0.0, 0.0, 1.0, 24.0]
    assert SoftMargin(np.inf).losses(margins, cost).tolist() == [0.0, 0.0, np.inf, np.inf]
    assert SoftMargin(2.0).upper(cost).tolist() == [2.0, 2.0, 4.0, 6.0]
    assert SoftMargin(2.0, squared=True).dual_ridge(cost).tolist() == [0.25, 0.25, 0.125, 1.0 / 12.0]
    assert np.isinf(SoftMargin(2.0, squared=True).upper(cost)).all()
    assert not SoftMargin(np.inf, squared=True).dual_ridge(cost).any()
    assert SoftMargin(np.inf).hard
    assert "with y (w.x + b) >= 1" in SoftMargin(np.inf).formula
    assert SoftMargin(0.5, squared=True).formula == "1/2 ||w||^2 + 0.5 sum max(0, 1 - y (w.x + b))^2"


@pytest.mark.parametrize("squared", [False, True])
def test_a_loss_is_the_largest_that_alpha_can_make_of_it(squared):
    """loss(t) = max over 0 <= alpha <= upper of alpha t - give alpha^2 / 2, over a fine grid."""
    objective, cost = SoftMargin(1.5, squared), np.array([2.0])
    grid = np.linspace(0.0, 3.0 if not squared else 20.0, 200_001)
    for margin in (-1.0, 0.2, 1.0, 1.7):
        best = (grid * (1.0 - margin) - 0.5 * objective.dual_ridge(cost) * grid**2).max()
        assert objective.losses(np.array([margin]), cost)[0] == pytest.approx(best, abs=1e-8)
