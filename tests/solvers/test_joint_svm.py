"""The joint machine: its projection, its Newton steps, and both ways to its optimum."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

from separatrix import encode
from separatrix.errors import OptionError
from separatrix.objectives import JointMargin, SoftMargin
from separatrix.problem import Problem, Status
from separatrix.rows import CSR
from separatrix.solvers.budget import Budget
from separatrix.solvers.svm.joint import newton_step as steps
from separatrix.solvers.svm.joint import program as program_module
from separatrix.solvers.svm.joint.augmented_lagrangian import evaluated
from separatrix.solvers.svm.joint.joint_svm import JointStart, joint_svm
from separatrix.solvers.svm.joint.program import JointProgram
from separatrix.solvers.svm.joint.sequential_dual import fixed_of, sequential_dual
from separatrix.solvers.svm.joint.simplex_projection import Held, respond, slope_along

RNG = np.random.default_rng(4)
Y = np.append(np.arange(4), RNG.integers(0, 4, 56)).astype(np.int32)
X = RNG.standard_normal((60, 5)) + 1.5 * RNG.standard_normal((4, 5))[Y]
COST = RNG.uniform(0.5, 2.0, 60)


def posed(C=1.0, offset=True, rows=X, y=Y):
    return Problem(rows, y, int(y.max()) + 1, COST[: len(y)], fit_intercept=offset).posed(JointMargin(C))


def sparse_posed(n=240, d=3000, classes=6, seed=0, offset=True):
    """Texts: a few words each, most of them from the class's own."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    columns = np.where(rng.random((n, 20)) < 0.3, 100 * y[:, None], 0) + rng.integers(0, 100, (n, 20))
    columns[:, 10:] = rng.integers(0, d, (n, 10))
    matrix = sparse.csr_array((rng.uniform(0.5, 1.0, 20 * n), (np.repeat(np.arange(n), 20), columns.ravel())), (n, d))
    return encode(matrix, y, fit_intercept=offset).problem


def by_sorting(t):
    """The projection of a vector onto the simplex (Held, Wolfe and Crowder, 1974)."""
    falling = np.sort(t)[::-1]
    levels = (np.cumsum(falling) - 1.0) / np.arange(1, t.size + 1)
    return np.maximum(t - levels[np.flatnonzero(falling > levels)[-1]], 0.0)


def test_the_response_is_the_projection_and_the_slope_of_its_loss():
    scores, guess, width = 2.0 * RNG.standard_normal((60, 4)), RNG.dirichlet(np.ones(4), 60), RNG.uniform(0.1, 5.0, 60)
    held = Held(Y, COST, guess, width)
    found = respond(scores, held)
    t = scores - scores[np.arange(60), Y][:, None] + (np.arange(4) != Y[:, None])
    expected = np.array([by_sorting(guess[i] + t[i] / width[i]) for i in range(60)])
    assert np.allclose(found.prob, expected, atol=1e-12)
    assert found.losses == pytest.approx(COST @ t.max(axis=1), rel=1e-12)
    assert found.left == pytest.approx(COST @ (t.max(axis=1) - np.sum(expected * t, axis=1)), rel=1e-9)
    assert found.rivals == pytest.approx(COST @ (1.0 - expected[np.arange(60), Y]), rel=1e-12)
    assert np.allclose(found.slopes, COST[:, None] * (expected - np.eye(4)[Y]), atol=1e-12)
    along = RNG.standard_normal(scores.shape)
    there = respond(scores + 0.3 * along, held)
    assert slope_along(scores, along, 0.3, held) == pytest.approx(np.sum(there.slopes * along), rel=1e-10)


@pytest.mark.parametrize("offset", [True, False])
def test_the_hessian_is_the_derivative_of_the_gradient(offset):
    program = JointProgram.of(posed(offset=offset))
    held = Held(Y, COST, np.full((60, 4), 0.25), np.full(60, 3.0))
    V = 0.1 * RNG.standard_normal((program.width, 4))
    point = evaluated(program, V, program.scores(V), held)
    curved = steps.Curved.of(program, point.response.prob, program.cost / held.width)
    along = RNG.standard_normal(V.shape)
    along -= along.mean(axis=1, keepdims=True)
    there, back = (evaluated(program, V + h * along, program.scores(V + h * along), held) for h in (1e-6, -1e-6))
    assert np.allclose(curved.times(along), (there.gradient - back.gradient) / 2e-6, rtol=1e-4, atol=1e-5)
    H = curved.hessian()
    assert np.allclose((H @ along.T.ravel()).reshape(4, -1).T, curved.times(along), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("block", [1000, 1])
def test_conjugate_gradients_and_the_factor_make_the_same_step(monkeypatch, block):
    program = JointProgram.of(posed())
    held = Held(Y, COST, np.full((60, 4), 0.25), np.full(60, 3.0))
    point = evaluated(program, np.zeros((6, 4)), np.zeros((60, 4)), held)
    how = program, point.response.prob, program.cost / held.width, point.gradient, Budget(9)
    exact = steps.newton_step(*how)
    monkeypatch.setattr(steps, "MAX_FACTORED", 0)
    monkeypatch.setattr(steps, "MAX_BLOCK", block)
    monkeypatch.setattr(steps, "RESIDUAL_RATIO", 1e-10)
    assert np.allclose(steps.newton_step(*how), exact, rtol=1e-7, atol=1e-9)


def test_conjugate_gradients_that_get_nowhere_leave_the_step_to_the_factor(monkeypatch):
    problem, expected = posed(C=3.0), joint_svm(posed(C=3.0), C=3.0)
    monkeypatch.setattr(steps, "MAX_FACTORED", 0)
    monkeypatch.setattr(steps, "MAX_PRODUCTS", 1)
    found = joint_svm(problem, C=3.0)
    assert found.status is Status.SOLVED
    assert found.certificate.primal == pytest.approx(expected.certificate.primal, rel=2e-6)


@pytest.mark.parametrize("offset", [True, False])
def test_no_smooth_method_finds_a_lower_objective(offset):
    found = joint_svm(posed(0.1, offset), C=0.1)

    def smoothed(v):  # the objective with a soft maximum, which is above it by at most mu log 4 a row
        W, b = v[:20].reshape(4, 5), v[20:] * offset
        t = X @ W.T + b + (np.arange(4) != Y[:, None])
        top = t.max(axis=1)
        loss = top + 1e-3 * np.log(np.exp((t - top[:, None]) / 1e-3).sum(axis=1)) - (X @ W.T + b)[np.arange(60), Y]
        return 0.5 * np.sum(W**2) + 0.1 * COST @ loss

    best = minimize(smoothed, np.append(found.w.ravel(), found.b), method="L-BFGS-B").fun
    assert found.certificate.dual <= best
    assert found.certificate.primal >= best - 0.1 * COST.sum() * 1e-3 * np.log(4)
    assert found.certificate.stated <= 1e-9


@pytest.mark.parametrize("offset", [True, False])
def test_the_sequential_dual_method_reaches_the_same_optimum(offset):
    problem = sparse_posed(offset=offset).posed(JointMargin(1.0))
    assert isinstance(problem.X, CSR)
    cost, k = problem.objective.C * problem.cost, problem.n_classes
    fixed = fixed_of(problem.y, cost, problem.squares, offset)
    W, b, prob, gap = sequential_dual(
        problem.X, fixed, n_classes=k, fit_intercept=offset, tol=1e-7, max_ratio=np.inf, budget=Budget(2000)
    )
    found = joint_svm(problem, C=1.0, tol=1e-9)
    assert gap <= 1e-7
    assert np.abs(prob.sum(axis=1) - 1.0).max() <= 1e-9
    assert np.abs(W.T - found.w).max() <= 1e-2 * np.abs(found.w).max()
    assert offset == bool(b.any())
    assert found.certificate.stated <= 1e-9


def test_sparse_and_dense_ways_agree(monkeypatch):
    assert JointProgram.of(sparse_posed().posed(JointMargin(5.0))).sparse
    sparse_way = joint_svm(sparse_posed(), C=5.0, tol=1e-8)
    monkeypatch.setattr(program_module, "is_sparse", lambda _: False)
    assert not JointProgram.of(sparse_posed().posed(JointMargin(5.0))).sparse
    dense_way = joint_svm(sparse_posed(), C=5.0, tol=1e-8)
    assert np.abs(sparse_way.w - dense_way.w).max() <= np.sqrt(4e-8 * dense_way.certificate.primal)
    assert sparse_way.certificate.primal == pytest.approx(dense_way.certificate.primal, rel=2e-8)


@pytest.mark.parametrize("offset", [True, False])
def test_two_classes_are_the_plane_for_twice_the_cost(offset):
    y = (Y > 1).astype(int)
    found = joint_svm(Problem(X, y, 2, COST, fit_intercept=offset), C=0.7)
    assert found.certificate.objective == SoftMargin(1.4)
    W, b = np.array([-found.w, found.w]) / 2.0, np.array([-found.b, found.b]) / 2.0
    lead = np.where(y == 1, 1.0, -1.0) * np.diff(X @ W.T + b, axis=1).ravel()
    joint = 0.5 * np.sum(W**2) + 0.7 * COST @ np.maximum(0.0, 1.0 - lead)
    assert joint == pytest.approx(0.5 * found.certificate.primal, rel=1e-12)  # and so is its minimum


def test_a_class_of_next_to_no_weight_leaves_the_plane_of_two():
    y = np.append((Y > 1).astype(int), 2)
    two = joint_svm(Problem(X, y[:-1], 2, COST), C=0.7)
    joint = joint_svm(Problem(np.vstack([X, X[:1]]), y, 3, np.append(COST, 1e-12)), C=0.7, tol=1e-9)
    assert np.allclose(joint.w[1] - joint.w[0], two.w, rtol=1e-4, atol=1e-5)


def test_starts_lead_to_the_same_optimum_in_fewer_steps():
    rng = np.random.default_rng(8)
    y = np.arange(400) % 5
    problem = Problem(rng.standard_normal((400, 30)) + 0.7 * rng.standard_normal((5, 30))[y], y, 5)
    first = joint_svm(problem, C=0.2)
    cold, warm = joint_svm(problem, C=0.22), joint_svm(problem, C=0.22, start=JointStart.of(first.certificate))
    again = joint_svm(problem, C=0.2, start=JointStart.of(first.certificate))
    plane = joint_svm(problem, C=0.22, start=np.column_stack([first.w, first.b]))
    assert warm.history.iterations < cold.history.iterations
    assert again.history.iterations <= 15
    for other in (warm, plane):
        assert np.allclose(other.w, cold.w, atol=2.0 * cold.certificate.distance)


def test_a_large_cost_is_the_hard_margin_where_classes_are_apart():
    rows = np.array([[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0], [8.0, 0.0], [8.0, 1.0]])
    y = np.repeat([0, 1, 2], 2)
    for C in (1.0, 1e3, 1e9):
        found = joint_svm(Problem(rows, y, 3), C=C)
        assert np.allclose(found.w, [[-0.5, 0.0], [0.0, 0.0], [0.5, 0.0]], atol=1e-7)
        assert found.certificate.primal == pytest.approx(0.25, rel=1e-6)


def test_units_and_costs_that_are_huge_leave_all_digits():
    rng = np.random.default_rng(6)
    y = np.arange(900) % 6
    rows = 2.0 * rng.standard_normal((6, 200))[y] + rng.standard_normal(
        (900, 200)
    )  # as many numbers as are worth passes
    expected = joint_svm(Problem(rows, y, 6), C=1.0, tol=1e-9)
    for unit, C in ((1e6, 1.0), (1.0, 1e12)):
        found = joint_svm(Problem(unit * rows, y, 6), C=C)
        assert found.status is Status.SOLVED
        assert unit**2 * found.certificate.primal == pytest.approx(expected.certificate.primal, rel=1e-7)


def test_budgets_end_a_run_with_the_best_so_far():
    problem = posed(C=10.0)
    gaps = [joint_svm(problem, C=10.0, max_iter=steps).certificate for steps in (1, 5, 1000)]
    assert [claim.error(problem) for claim in gaps] == [claim.stated for claim in gaps]
    assert gaps[0].stated > gaps[1].stated > gaps[2].stated
    short = joint_svm(problem, C=10.0, time_limit=1e-9)
    assert short.status is Status.STOPPED
    assert short.certificate.dual >= 0.0


def test_there_is_no_hard_margin():
    with pytest.raises(OptionError, match="Use a large finite C"):
        joint_svm(posed(), C=np.inf)
