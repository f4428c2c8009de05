"""Nu machine, novelty and enclosing ball in the space of a kernel, against clarabel, their theory and scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.svm import NuSVC, OneClassSVM

from separatrix.certificates import Unproved
from separatrix.errors import OptionError
from separatrix.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from separatrix.objectives import NuMargin
from separatrix.objectives.nu_margin import largest_nu
from separatrix.problem import Problem, Status
from separatrix.solvers.budget import Budget
from separatrix.solvers.kernel import kernel_space, newton_rounds
from separatrix.solvers.kernel.dual import dual_optimum
from separatrix.solvers.kernel.dual.free_sets import Sets
from separatrix.solvers.kernel.dual.nu_margin_dual import NuMarginDual
from separatrix.solvers.kernel.enclosing_ball import enclosing_ball
from separatrix.solvers.kernel.free_system import FreeSystem
from separatrix.solvers.kernel.gram import GivenGram, Gram
from separatrix.solvers.kernel.kernel_nu_svm import kernel_nu_svm, nu_min_of_equal_rows
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.kernel.kernel_svm import kernel_svm
from separatrix.solvers.kernel.low_rank import low_rank_factor, rank_bound
from separatrix.solvers.kernel.newton_rounds import KernelMachine
from separatrix.solvers.kernel.one_class import one_class
from separatrix.solvers.svm.nu_svm import nu_svm
from solvers import duals_by_clarabel as oracle

KERNELS = (Polynomial(2, 1.0), RBF(0.5), RBF(5.0))
ROUTES = ("any", "float64 rounds", "float32 rounds")


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


@pytest.fixture(params=ROUTES)
def route(request, monkeypatch):
    """Every way to the optimum: a factor where there is one, or Newton rounds alone, in both precisions."""
    if request.param != "any":
        monkeypatch.setattr(dual_optimum, "by_factor", lambda *_: None)
    if request.param == "float32 rounds":
        monkeypatch.setattr(kernel_space, "gram_of", Gram)
    return request.param


def alpha_of(problem, claim):
    alpha = np.zeros(problem.n_rows)
    alpha[claim.support] = claim.alpha
    return alpha


def check_sides(margins, alpha, cost, tol=1e-6):
    """Row by row: alpha is at its bound where margins of 1 are violated, 0 beyond them, in between on them."""
    violators, beyond = margins < 1.0 - tol, margins > 1.0 + tol
    assert np.allclose(alpha[violators], cost[violators], rtol=1e-6)
    assert np.abs(alpha[beyond]).max(initial=0.0) <= 1e-6 * cost.max()
    free = (alpha > 1e-6 * cost) & (alpha < (1.0 - 1e-6) * cost)
    assert np.allclose(margins[free], 1.0, atol=tol)


# the nu machine


@pytest.mark.parametrize("seed", range(30))
def test_the_nu_machine_has_the_dual_value_of_clarabel(seed):
    problem = classes(seed)
    nu = np.random.default_rng(seed).uniform(0.1, 1.0) * largest_nu(problem)
    found = kernel_nu_svm(problem, nu=nu)
    claim, cost = found.certificate, problem.cost
    value, _ = oracle.nu_margin(problem.kernel.matrix(problem.X), problem.signs, cost, nu)
    size = (nu * cost.sum()) ** 2  # of the squares of sums whose difference is the value
    assert claim.dual == pytest.approx(value, rel=1e-8, abs=1e-9 * size)
    if claim.primal >= -1e-15 * size:  # the sums of both classes are one point, to rounding, which nothing can prove
        assert claim.primal < 0.0 or not claim.w.any()
        assert claim.stated == 0.0 or 0.9 < claim.stated <= 1.0
        return
    assert claim.error(problem) <= 1e-8
    alpha, margins = alpha_of(problem, claim), problem.signs * found.model.scores(problem.X)
    assert alpha[problem.y == 0].sum() == pytest.approx(0.5 * nu * cost.sum(), rel=1e-9)
    assert alpha[problem.y == 1].sum() == pytest.approx(0.5 * nu * cost.sum(), rel=1e-9)
    check_sides(margins, alpha, cost, tol=1e-4)
    part = 1.0 / cost.sum()  # rows on the margin may be either side of it by rounding
    assert part * cost[margins < 1.0 - 1e-4].sum() <= nu * (1.0 + 1e-9)
    assert part * cost[alpha > 0.0].sum() >= nu * (1.0 - 1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_every_route_leads_to_the_same_machines(seed, route):
    problem = classes(seed, RBF(5.0), 20 + 7 * seed)
    nu = np.random.default_rng(seed).uniform(0.3, 1.0) * largest_nu(problem)
    K = problem.kernel.matrix(problem.X)
    claim = kernel_nu_svm(problem, nu=nu, tol=1e-8).certificate
    value, _ = oracle.nu_margin(K, problem.signs, problem.cost, nu)
    assert claim.stated <= 1e-8
    assert claim.dual == pytest.approx(value, rel=1e-7)
    one = of_one_class(problem)
    claim = one_class(one, nu=nu, tol=1e-8).certificate
    value, _ = oracle.nu_margin(K, one.signs, one.cost, nu)
    assert claim.stated <= 1e-8
    assert claim.dual == pytest.approx(value, rel=1e-8)


@pytest.mark.parametrize("nu", [0.2, 0.5])
@pytest.mark.parametrize("kernel", [RBF(0.5), Polynomial(2, 1.0)], ids=str)
def test_a_soft_margin_with_C_of_1_over_rho_is_the_same_machine(nu, kernel):
    problem = classes(3, kernel, 120)
    found = kernel_nu_svm(problem, nu=nu, tol=1e-9)
    rho = found.certificate.alpha.sum() / np.abs(found.certificate.w).sum()
    soft = kernel_svm(problem, C=1.0 / rho, tol=1e-9)
    assert np.allclose(found.model.scores(problem.X), soft.model.scores(problem.X), atol=1e-6)


def test_at_the_largest_nu_the_smaller_class_is_bounded():
    problem = classes(4, RBF(0.5), 60)
    most = largest_nu(problem)
    assert most == pytest.approx(2.0 * min(np.mean(problem.y), 1.0 - np.mean(problem.y)))
    found = kernel_nu_svm(problem, nu=most)
    rarer = problem.y == int(np.mean(problem.y) < 0.5)
    assert np.allclose(alpha_of(problem, found.certificate)[rarer], 1.0)
    assert found.certificate.error(problem) <= 1e-9


def test_below_nu_min_the_optimum_is_no_plane(monkeypatch):
    X = np.random.default_rng(0).standard_normal((30, 3))
    X[20:], y = X[:10], np.repeat([0, 1], [20, 10])  # ten rows that both classes have
    problem = Problem(X, y, kernel=RBF(0.5))
    least = nu_min_of_equal_rows(problem)
    assert least == pytest.approx(2.0 * 10 / 30)
    by_search = dual_optimum.dual_optimum(
        problem.posed(NuMargin(0.9 * least)),
        NuMarginDual.of,
        dual_optimum.Limits(),
        None,
        None,
    )
    assert by_search.certificate.primal == by_search.certificate.dual == 0.0
    monkeypatch.setattr(KernelSpace, "__init__", lambda *_: pytest.fail("kernel values for nothing"))
    found = kernel_nu_svm(problem, nu=0.9 * least)
    assert (found.certificate.primal, found.certificate.dual) == (0.0, 0.0)
    assert found.status is Status.SOLVED
    assert not found.model.coefficients.any()
    assert found.certificate.error(problem) == 0.0


def test_weights_of_equal_rows_count_in_nu_min():
    X, y = np.array([[0.0], [-0.0], [0.0], [1.0], [2.0]]), np.array([0, 1, 1, 1, 0])
    assert nu_min_of_equal_rows(Problem(X, y, 2, np.array([3.0, 1.0, 1.5, 2.0, 2.5]))) == pytest.approx(5.0 / 10.0)
    assert nu_min_of_equal_rows(Problem(X[2:], y[2:])) == 0.0


def test_above_nu_min_there_is_a_plane():
    X = np.random.default_rng(0).standard_normal((30, 3))
    X[28:], y = X[:2], np.arange(30) % 2
    y[28:] = 1 - y[:2]
    problem = Problem(X, y, kernel=RBF(0.5))
    assert kernel_nu_svm(problem, nu=1.5 * nu_min_of_equal_rows(problem)).certificate.primal < 0.0


@pytest.mark.parametrize("solve", [kernel_nu_svm, one_class, enclosing_ball])
def test_a_nu_out_of_range_is_refused(solve):
    problem = classes(0, RBF(0.5))
    problem = problem if solve is kernel_nu_svm else of_one_class(problem)
    for nu in (0.0, -0.5, 1.5, np.nan, "half"):
        with pytest.raises(OptionError, match="nu"):
            solve(problem, nu=nu)
    with pytest.raises(OptionError, match="offset"):
        kernel_nu_svm(replace(problem, fit_intercept=False), nu=0.5)


# novelty


@pytest.mark.parametrize("seed", range(30))
def test_novelty_detection_has_the_dual_value_of_clarabel(seed):
    problem, nu = of_one_class(classes(seed)), np.random.default_rng(seed).uniform(0.05, 1.0)
    found = one_class(problem, nu=nu)
    claim, cost = found.certificate, problem.cost
    value, _ = oracle.nu_margin(problem.kernel.matrix(problem.X), problem.signs, cost, nu)
    assert claim.dual == pytest.approx(value, rel=1e-8)
    assert claim.error(problem) <= 1e-8
    alpha, scores = alpha_of(problem, claim), found.model.scores(problem.X)
    assert alpha.sum() == pytest.approx(nu * cost.sum(), rel=1e-9)
    check_sides(1.0 + scores / -found.model.b, alpha, cost)
    assert cost[scores < 1e-6 * found.model.b].sum() <= nu * cost.sum() * (1.0 + 1e-9)
    assert cost[alpha > 0.0].sum() >= nu * cost.sum() * (1.0 - 1e-9)


def test_rows_around_the_origin_have_no_plane():
    X = np.random.default_rng(0).standard_normal((50, 2))
    problem = Problem(X, np.ones(50), 2, fit_intercept=False, kernel=Linear())
    found = one_class(problem, nu=0.5)
    assert (found.certificate.primal, found.certificate.dual) == (0.0, 0.0)
    assert np.allclose(found.model.scores(X), 0.0)


def test_one_row_and_equal_rows():
    for X in (np.ones((1, 2)), np.ones((5, 2))):
        problem = Problem(X, np.ones(len(X)), 2, fit_intercept=False, kernel=RBF(0.5))
        found = one_class(problem, nu=0.4)
        assert found.certificate.error(problem) <= 1e-12
        assert np.allclose(found.model.scores(X), 0.0)
        assert found.model.b == pytest.approx(-0.4 * len(X))


@pytest.mark.parametrize("nu", [0.001, 0.01, 0.1])
def test_small_nu_leaves_few_rows_outside(nu):
    X = np.random.default_rng(0).standard_normal((3000, 5))
    problem = Problem(X, np.ones(3000), 2, fit_intercept=False, kernel=RBF(0.2))
    found = one_class(problem, nu=nu)
    assert found.certificate.error(problem) <= 1e-6
    assert np.mean(found.model.scores(X) < 1e-7 * found.model.b) <= nu
    assert np.mean(alpha_of(problem, found.certificate) > 0.0) >= nu


# all of them


@pytest.mark.parametrize("solve", [kernel_nu_svm, one_class, enclosing_ball])
def test_weights_are_repetitions(solve, route):
    problem = classes(2, RBF(5.0), 40)
    problem = problem if solve is kernel_nu_svm else of_one_class(problem)
    times = np.random.default_rng(0).integers(0, 4, 40)
    index = np.random.default_rng(1).permutation(np.repeat(np.arange(40), times))
    weighted = replace(problem, cost=1.0 * times)
    repeated = replace(problem, X=problem.X[index], y=problem.y[index], cost=np.ones(index.size))
    first, second = (solve(each, nu=0.4, tol=1e-9) for each in (weighted, repeated))
    assert KernelSpace(repeated, 1e9).gram.n == np.count_nonzero(times)
    assert first.certificate.dual == pytest.approx(second.certificate.dual, rel=1e-9)
    assert np.allclose(first.model.scores(problem.X), second.model.scores(problem.X), atol=1e-7)
    assert second.certificate.error(repeated) <= 1e-9


@pytest.mark.parametrize("solve", [kernel_nu_svm, one_class, enclosing_ball])
def test_given_kernel_values_have_the_machine_of_their_rows(solve):
    problem = classes(2, RBF(0.5), 40)
    problem = problem if solve is kernel_nu_svm else of_one_class(problem)
    given = replace(problem, X=RBF(0.5).matrix(problem.X), kernel=Precomputed())
    found, expected = solve(given, nu=0.3).certificate, solve(problem, nu=0.3).certificate
    assert found.dual == pytest.approx(expected.dual, rel=1e-9)
    assert found.error(given) <= 1e-9


@pytest.mark.parametrize("solve", [kernel_nu_svm, one_class])
def test_a_start_from_another_nu_leads_to_the_optimum_of_a_cold_fit(solve, monkeypatch):
    monkeypatch.setattr(dual_optimum, "by_factor", lambda *_: None)
    problem = classes(2, RBF(5.0), 150)
    problem = problem if solve is kernel_nu_svm else of_one_class(problem)
    space, start = KernelSpace(problem, 1e9), None
    for nu in (0.3, 0.5, 0.45, 0.1):
        found = solve(problem, nu=nu, space=space, start=start).certificate
        assert found.stated <= 1e-9
        assert found.dual == pytest.approx(solve(problem, nu=nu).certificate.dual, rel=1e-9)
        start = found
    expected = solve(problem, nu=0.101).certificate
    monkeypatch.setattr(newton_rounds, "block_smo", lambda *_: pytest.fail("a search from nothing"))
    assert solve(problem, nu=0.101, start=start).certificate.dual == pytest.approx(expected.dual, rel=1e-9)


@pytest.mark.parametrize("solve", [kernel_nu_svm, one_class])
def test_an_indefinite_kernel_has_a_stationary_point_and_no_proof(solve):
    problem = classes(4, Sigmoid(0.5, -1.0), 60)
    problem = problem if solve is kernel_nu_svm else of_one_class(problem)
    found = solve(problem, nu=0.5)
    assert isinstance(found.certificate, Unproved)
    wrong = np.mean(problem.signs * found.model.scores(problem.X) <= 0.0)
    assert found.certificate.error(problem) == found.certificate.stated == pytest.approx(wrong)


@pytest.mark.parametrize("solve", [kernel_nu_svm, one_class, enclosing_ball])
def test_time_that_ends_leaves_a_machine_with_its_true_gap(solve):
    problem = classes(2, RBF(0.5), 2100)
    problem = problem if solve is kernel_nu_svm else of_one_class(problem)
    found = solve(problem, nu=0.3, time_limit=1e-6)
    assert found.certificate.error(problem) == pytest.approx(found.certificate.stated)
    best = solve(problem, nu=0.3).certificate
    assert found.certificate.dual <= best.primal + 1e-9 * abs(best.primal)


@pytest.mark.parametrize("nu", [0.1, 0.5])
def test_predictions_of_scikit_learn(nu):
    problem = classes(4, RBF(0.5), 80)
    X, y = problem.X, problem.y
    peer = NuSVC(gamma=0.5, nu=nu, tol=1e-10).fit(X, y)
    assert np.allclose(kernel_nu_svm(problem, nu=nu).model.scores(X), peer.decision_function(X), atol=2e-4)
    peer = OneClassSVM(gamma=0.5, nu=nu, tol=1e-10).fit(X)
    found = one_class(of_one_class(problem), nu=nu)
    assert np.allclose(found.model.scores(X), peer.decision_function(X), atol=1e-6)
    assert found.model.b == pytest.approx(peer.intercept_[0], abs=1e-6)


def test_more_rows_than_are_kept_in_float64():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2200, 10))
    problem = Problem(X, (X[:, 0] * X[:, 1] + 0.3 * rng.standard_normal(2200) > 0).astype(int), kernel=RBF(0.1))
    found = kernel_nu_svm(problem, nu=0.4)
    assert found.certificate.error(problem) <= 1e-8
    check_sides(problem.signs * found.model.scores(X), alpha_of(problem, found.certificate), problem.cost, tol=1e-4)
    one = of_one_class(problem)
    found = one_class(one, nu=0.3)
    assert found.certificate.error(one) <= 1e-8
    check_sides(1.0 + found.model.scores(X) / -found.model.b, alpha_of(one, found.certificate), one.cost, tol=1e-5)


def test_a_group_without_a_free_variable_gets_the_one_that_is_nearest(monkeypatch):
    problem, nu = of_one_class(classes(2, RBF(0.5), 10)).posed(NuMargin(0.35)), 0.35
    space = KernelSpace(problem, 1e9)
    machine = KernelMachine(problem, space, Budget(100), NuMarginDual.of(problem, space.gram))
    expected = one_class(problem, nu=nu).certificate
    order = np.argsort(-alpha_of(problem, expected))
    bounded = np.zeros(10, dtype=bool)
    bounded[order[:3]] = True  # 3 of 3.5
    sets = Sets(np.zeros(10, dtype=bool), bounded)
    held = sets.held(machine.dual, machine.alpha)
    scores = np.zeros(10)
    newton_rounds.add_scores(space.gram, machine.grouped.beta(held), scores)
    found = newton_rounds.opened(machine.grouped, sets, held, scores)
    distance = np.abs(machine.grouped.violations(scores, machine.grouped.offsets(scores)))
    assert np.array_equal(np.flatnonzero(found.free), [distance.argmin()])
    full = Sets(np.zeros(10, dtype=bool), np.ones(10, dtype=bool))
    monkeypatch.setattr(machine.grouped.__class__, "group_sums", lambda self, alpha: self.totals)
    assert newton_rounds.opened(machine.grouped, full, full.held(machine.dual, held), scores) is full


@pytest.mark.parametrize("nu", [0.25, 0.35])
def test_rounds_from_bounded_rows_alone_find_the_free_ones(nu):
    problem = of_one_class(classes(2, RBF(0.5), 40)).posed(NuMargin(nu))
    space = KernelSpace(problem, 1e9)
    machine = KernelMachine(problem, space, Budget(100), NuMarginDual.of(problem, space.gram))
    bounded = alpha_of(problem, one_class(problem, nu=nu).certificate) >= 1.0
    machine.alpha = np.where(bounded, machine.dual.upper, 0.0)
    scores = machine.scores()
    machine.offsets = machine.grouped.offsets(scores)
    assert machine.rounds(Sets(np.zeros(40, dtype=bool), bounded), scores)
    assert machine.claim().stated <= 1e-9


# the enclosing ball


@pytest.mark.parametrize("seed", range(12))
def test_the_ball_of_an_rbf_is_its_novelty_detector(seed, route):
    problem, nu = of_one_class(classes(seed, RBF(5.0))), np.random.default_rng(seed).uniform(0.1, 0.9)
    ball, plane = enclosing_ball(problem, nu=nu, tol=1e-9), one_class(problem, nu=nu, tol=1e-9)
    assert np.allclose(alpha_of(problem, ball.certificate), alpha_of(problem, plane.certificate), atol=1e-6)
    assert ball.certificate.error(problem) <= 1e-9
    total = nu * problem.cost.sum()
    assert ball.certificate.dual == pytest.approx(total + 2.0 * plane.certificate.dual / total, rel=1e-8)
    inside = np.abs(plane.model.scores(problem.X)) > 1e-6 * abs(plane.model.b)
    signs = np.sign(ball.model.scores(problem.X)), np.sign(plane.model.scores(problem.X))
    assert np.array_equal(signs[0][inside], signs[1][inside])


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2, 1.0), RBF(0.5)], ids=str)
@pytest.mark.parametrize("nu", [0.01, 0.3])
def test_no_ball_is_better_than_the_smallest(kernel, nu):
    problem = of_one_class(classes(4, kernel, 40))
    found = enclosing_ball(problem, nu=nu)
    assert found.certificate.error(problem) <= 1e-8
    scores = found.model.scores(problem.X)
    assert np.mean(scores < -1e-7 * found.model.radius**2) <= nu
    K, n = kernel.matrix(problem.X), 40
    rng = np.random.default_rng(0)
    best = np.zeros(n)
    best[found.certificate.support] = found.certificate.w
    for _ in range(50):  # other centres nearby, each with its best radius
        a = best + 0.03 * rng.standard_normal(n) / n
        squares = np.maximum(K.diagonal() - 2.0 * K @ a + a @ K @ a, 0.0)
        radius = problem.posed(found.certificate.objective).objective.best_square(problem, squares)
        value = nu * n * radius + np.maximum(squares - radius, 0.0).sum()
        assert value >= found.certificate.dual * (1.0 - 1e-9)


# the system of the free rows


def dense_solution(K, ridge, free, residual, totals, group):
    E = (group[:, None] == np.arange(totals.size)).astype(float)
    M = np.block([[K[np.ix_(free, free)] + np.diag(ridge[free]), E], [E.T, np.zeros((totals.size,) * 2)]])
    z = np.linalg.solve(M, np.append(residual, totals))
    return z[: free.size], z[free.size :]


def test_a_border_of_two_groups_over_several_changes_solves_the_dense_system():
    rng = np.random.default_rng(1)
    K, ridge = RBF(1.0).matrix(rng.standard_normal((300, 4))), rng.uniform(0.01, 0.1, 300)
    system, group = FreeSystem(GivenGram(K), ridge, True), rng.integers(0, 2, 300)
    inside = rng.random(300) < 0.6
    factors = []
    for _ in range(10):
        free = np.flatnonzero(inside)
        residual, totals = rng.standard_normal(free.size), rng.standard_normal(2)
        beta, offsets = system.solve(free, residual, totals, group[free])
        expected, expected_offsets = dense_solution(K, ridge, free, residual, totals, group[free])
        assert np.allclose(beta, expected, rtol=1e-9, atol=1e-9)
        assert np.allclose(offsets, expected_offsets, rtol=1e-9, atol=1e-9)
        factors.append(system.factor)
        flipped = rng.choice(300, 2, replace=False)
        inside[flipped] = ~inside[flipped]
        group[rng.choice(300, 3)] ^= 1  # a row of a regression may come back on the other side of the tube
    assert all(factor is factors[0] for factor in factors), "the factor was not reused"


def test_a_group_without_free_rows_keeps_its_offset():
    rng = np.random.default_rng(2)
    K, free = RBF(1.0).matrix(rng.standard_normal((40, 3))), np.arange(30)
    residual, group = rng.standard_normal(30), np.ones(30, dtype=np.int64)
    beta, offsets = FreeSystem(GivenGram(K), np.full(40, 0.1), True).solve(free, residual, np.array([5.0, 0.3]), group)
    expected, one = dense_solution(K, np.full(40, 0.1), free, residual, np.array([0.3]), 0 * group)
    assert np.allclose(beta, expected)
    assert offsets == pytest.approx([0.0, one[0]])


def test_conjugate_gradients_have_a_border_of_two_groups():
    rng = np.random.default_rng(3)
    K = RBF(1.0).matrix(rng.standard_normal((200, 4)))
    gram, ridge, group = GivenGram(K), np.full(200, 0.05), rng.integers(0, 2, 200)
    gram.max_bytes = 1.0
    free, residual, totals = np.arange(150), rng.standard_normal(150), np.array([0.4, -0.7])
    beta, offsets = FreeSystem(gram, ridge, True).solve(free, residual, totals, group[free])
    expected, expected_offsets = dense_solution(K, ridge, free, residual, totals, group[free])
    assert [beta[group[free] == g].sum() for g in range(2)] == pytest.approx(totals)
    assert np.abs(beta - expected).max() < 0.02 * np.abs(expected).max()
    assert np.allclose(offsets, expected_offsets, atol=0.02)


# polynomial kernels


@pytest.mark.parametrize(
    ("kernel", "rank"), [(Polynomial(2, 1.0), 66), (Polynomial(3), 220), (RBF(1.0), np.inf)], ids=str
)
def test_the_rank_of_a_polynomial_kernel_is_known_and_reached(kernel, rank):
    X = np.random.default_rng(0).standard_normal((2300, 10))
    assert rank_bound(kernel, 10) == rank
    gram = Gram(kernel, X, 1e9)
    L = low_rank_factor(gram, lambda: None, rank)
    assert (L is None) == (rank == np.inf)
    if L is not None:
        assert L.shape[1] == rank
        some = np.arange(0, 2300, 23)
        assert np.allclose(L[some] @ L[some].T, kernel.matrix(X[some]), rtol=1e-8, atol=1e-6)


def test_the_linear_kernel_has_the_plane_of_the_linear_machine():
    problem = classes(3, Linear())
    nu = 0.9 * largest_nu(problem)
    plain = Problem(problem.X, problem.y, 2, problem.cost)
    found, expected = kernel_nu_svm(problem, nu=nu), nu_svm(plain, nu=nu)
    assert np.allclose(found.model.scores(problem.X), expected.model.scores(problem.X), atol=1e-9)
