"""Newton's method for squared hinges: it ends, at the optimum, from anywhere."""

import numpy as np
import pytest

from separatrix import LinearSVM, encode
from separatrix.certificates.claims.duality_gap import dual_variables
from separatrix.objectives import SoftMargin
from separatrix.problem.coordinates import Coordinates
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm import decomposition, finite_newton
from separatrix.solvers.svm.active_set import optimum
from separatrix.solvers.svm.finite_newton import with_rows
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.solvers.svm.problem_program import ProblemProgram
from separatrix.solvers.svm.program import Program, residual_gap
from separatrix.solvers.svm.warm_start import WarmStart

newton = finite_newton.finite_newton
RNG = np.random.default_rng(0)
X = RNG.standard_normal((6000, 5)) * [1.0, 10.0, 0.1, 1.0, 1.0] + [0.0, 3.0, 0.0, -1.0, 0.0]
LABELS = (X @ [1.0, 0.1, 5.0, 0.0, -1.0] + RNG.standard_normal(6000) > 0.0).astype(int)


def program_of(C, seed=0, n=200, k=5, offset=True):
    """Rows a_i = y_i [x_i, 1] with slacks of different prices, and a pull of their own on some variables."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, k - 1))
    y = np.sign(rows[:, 0] + 0.2 + 0.7 * rng.standard_normal(n))
    A = y[:, None] * np.column_stack([rows, np.ones(n)])
    H = np.diag(np.append(rng.uniform(0.3, 3.0, k - 1), 0.0 if offset else 1.0))
    f = np.append(0.3 * rng.standard_normal(k - 1), 0.0)
    ridge = 0.5 / (C * rng.uniform(0.2, 2.0, n))
    return Program(A, rng.uniform(0.5, 1.5, n), np.full(n, np.inf), ridge, H, f)


@pytest.mark.parametrize("C", [1e-4, 1.0, 1e4])
@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_from_anywhere(C, offset, seed):
    program = program_of(C, seed, offset=offset)
    expected, dual = optimum(program, Budget(200))
    for start in (None, expected, -10.0 * expected, 100.0 * np.ones(5)):
        v, alpha, _ = newton(program, start, Budget(100))
        assert np.allclose(v, expected, rtol=1e-8, atol=1e-9 * np.linalg.norm(expected))
        assert np.allclose(alpha, dual, rtol=1e-7, atol=1e-8 * dual.max())
        assert program.gap(v, alpha) <= 1e-9 * program.size(v, alpha)


def test_it_ends_after_finitely_many_steps():
    budget = Budget(100)
    v, *_ = newton(program_of(1.0), None, budget)
    assert budget.used < 12
    again = Budget(100)
    newton(program_of(1.0), v, again)
    assert again.used <= 1


@pytest.mark.parametrize("seed", [28, 35, 38, 66, 98, 140])
def test_a_full_step_may_go_too_far(seed, monkeypatch):
    """From here full steps go to and fro between the same sets of rows."""
    rng = np.random.default_rng(seed)
    n, k = rng.integers(3, 12), rng.integers(1, 4)
    A, ridge = rng.standard_normal((n, k)) * 10.0 ** rng.uniform(-2, 2, (n, 1)), 10.0 ** rng.uniform(-4, 1, n)
    reach, H = 3.0 * rng.standard_normal(n), np.eye(k) * 10.0 ** rng.uniform(-4, 0)
    program = Program(A, reach, np.full(n, np.inf), ridge, H, rng.standard_normal(k))
    start = 10.0 * rng.standard_normal(k)
    v, alpha, _ = newton(program, start, Budget(100))
    assert program.gap(v, alpha) <= 1e-9 * program.size(v, alpha)
    monkeypatch.setattr(finite_newton, "step_length", lambda *how: 1.0)
    assert newton(program, start, Budget(100)) is None


def test_rows_are_added_and_taken_away():
    program, weight = program_of(1.0), np.linspace(0.1, 2.0, 200)
    some, others = np.arange(0, 120), np.arange(80, 200)
    first, second = (with_rows(program, program.H, index, weight) for index in (some, others))
    changed = np.r_[0:80, 120:200]
    signs = np.where(changed < 100, -1.0, 1.0)
    signed = np.zeros(200)
    signed[changed] = signs * weight[changed]
    assert np.allclose(with_rows(program, first, changed, signed), second, rtol=1e-12, atol=1e-12)
    assert np.allclose(first, program.H + (program.A[some].T * weight[some]) @ program.A[some], rtol=1e-12)


def test_the_best_that_a_budget_allows():
    program, gaps = program_of(1.0), []
    for most in (1, 3, 20):
        v, alpha, _ = newton(program, None, Budget(most))
        gaps.append(program.gap(v, alpha) / program.size(v, alpha))
    assert np.inf > gaps[0] > gaps[1] > 1e-9 > gaps[2]


def test_no_answer_where_the_matrix_has_no_factor():
    program = program_of(1.0)
    assert newton(program._replace(A=program.A * np.nan), None, Budget(50)) is None
    flat = program._replace(A=np.zeros_like(program.A))  # nothing holds the offset
    found = newton(flat, None, Budget(50))
    assert found is None or np.allclose(found[0][:4], program.f[:4] / np.diag(program.H)[:4])


@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_many_rows_have_the_plane_of_interior_points(C, fit_intercept, monkeypatch):
    problem = encode(X, LABELS, sample_weight=RNG.uniform(0.5, 2.0, 6000), fit_intercept=fit_intercept).problem
    solution = linear_svm(problem, C=C, squared=True)
    assert solution.certificate.error(problem) <= 1e-12
    monkeypatch.setattr(decomposition, "finite_newton", lambda *how: None)
    other = linear_svm(problem, C=C, squared=True)
    assert solution.history.iterations < other.history.iterations
    assert np.allclose(solution.w, other.w, rtol=1e-8, atol=1e-9 * np.linalg.norm(other.w))
    ours, theirs = dual_variables(solution.certificate), dual_variables(other.certificate)
    assert np.allclose(ours, theirs, rtol=1e-6, atol=1e-7 * theirs.max())


def test_all_rows_where_they_are_make_the_program_of_their_copies():
    problem = encode(X, LABELS).problem
    for objective in (SoftMargin(2.0, squared=True), SoftMargin(2.0)):
        there, index = ProblemProgram(problem.posed(objective), Coordinates.of(X, True)), np.arange(6000)
        copied = decomposition.all_rows(there)
        v, alpha = RNG.standard_normal(6), RNG.random(6000)
        assert np.allclose(there.violations(v), copied.violations(v), rtol=1e-9, atol=1e-9)
        assert np.allclose(there.residual(v, alpha), copied.residual(v, alpha), rtol=1e-9, atol=1e-9)
        assert np.array_equal(there.rows(index[:7]), copied.A[:7])
        assert np.array_equal(there.ridge, copied.ridge)
        assert np.array_equal(there.upper, copied.upper)
        assert np.array_equal(there.H, copied.H)


def test_a_step_within_one_quadratic_is_taken_whole():
    """Close to the optimum the slope along a step is rounding, and must not cut it."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((20_000, 10))
    model = LinearSVM(loss="squared_hinge").fit(rows, np.arange(20_000) < 4)
    assert model.certificate_.stated < 1e-12
    assert model.n_iter_ < 20


def test_what_pulls_a_variable_without_penalty_counts_as_it_is():
    assert residual_gap(np.array([2.0, -3.0]), np.array([4.0, 0.0])) == 0.5 + 3.0


def test_a_curvature_that_is_known_saves_the_rows_that_stay(monkeypatch):
    program, asked = program_of(1.0), []
    v, alpha, curvature = newton(program, None, Budget(50))
    assert np.array_equal(curvature.violators, alpha > 0.0)
    on = curvature.violators / program.ridge
    assert np.allclose(curvature.matrix, (program.A.T * on) @ program.A, rtol=1e-12, atol=1e-12)
    monkeypatch.setattr(Program, "rows", lambda self, index: asked.extend(index) or self.A[index])
    dearer = program._replace(ridge=program.ridge / 2.0)
    other = newton(dearer, v, Budget(50), curvature._replace(matrix=2.0 * curvature.matrix))
    assert len(asked) < 20 < np.count_nonzero(other.curvature.violators)
    assert np.allclose(other.v, newton(dearer, None, Budget(50)).v, rtol=1e-10, atol=1e-12)
    assert np.array_equal(other.curvature.violators, other.alpha > 0.0)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n", [1500, 6000])
def test_a_warm_start_hands_the_curvature_on(fit_intercept, n, monkeypatch):
    """Ten values of C and back: each the optimum, and few rows are added to the matrix."""
    weight, gathered = RNG.integers(1, 4, n).astype(float), []
    add_rows = finite_newton.with_rows
    monkeypatch.setattr(finite_newton, "with_rows", lambda *how: gathered.append(how[2].size) or add_rows(*how))
    problem = encode(X[:n], LABELS[:n], sample_weight=weight, fit_intercept=fit_intercept).problem
    warm = WarmStart()
    for C in [*np.logspace(-3, 3, 10), 1e-3]:
        cold = linear_svm(problem, C=C, squared=True)
        gathered.clear()
        first = warm.w is None
        found = linear_svm(problem, C=C, squared=True, start=warm)
        assert first or sum(gathered) < 0.6 * found.certificate.support.size
        assert np.allclose(found.w, cold.w, rtol=1e-9, atol=1e-10 * np.linalg.norm(cold.w))
        assert np.isclose(found.b, cold.b, rtol=1e-9, atol=1e-9)
        assert found.certificate.error(problem) <= 1e-12
        on, matrix = warm.curvature
        rows = warm.coordinates.rows(X[:n], problem.signs)
        assert np.array_equal(np.flatnonzero(on), found.certificate.support)
        assert np.allclose(matrix, (rows[on].T * weight[on]) @ rows[on], rtol=1e-10, atol=1e-8)


@pytest.mark.parametrize("kind", ["weights", "labels", "rows"])
def test_a_curvature_of_something_else_is_not_taken(kind, monkeypatch):
    y, weight, rows = LABELS.copy(), np.ones(6000), X.copy()
    known, newtons = [], decomposition.finite_newton
    monkeypatch.setattr(decomposition, "finite_newton", lambda *how: known.append(how[3:]) or newtons(*how))
    same = encode(X, LABELS).problem
    linear_svm(same, C=1.0, squared=True, start=(warm := WarmStart()))
    if kind == "weights":
        weight[::2] = 3.0
    elif kind == "labels":
        y[::7] = 1 - y[::7]
    elif kind == "rows":
        rows = rows[:, ::-1].copy()
    other = encode(rows, y, sample_weight=weight).problem
    known.clear()
    found, cold = linear_svm(other, C=2.0, squared=True, start=warm), linear_svm(other, C=2.0, squared=True)
    assert all(each in ((), (None,)) for each in known)
    assert np.allclose(found.w, cold.w, rtol=1e-9, atol=1e-10)
    linear_svm(same, C=2.0, squared=True, start=(warm := WarmStart()))
    again = linear_svm(same, C=4.0, squared=True, start=warm)
    assert known[-1][0] is not None
    assert again.history.iterations <= 3
