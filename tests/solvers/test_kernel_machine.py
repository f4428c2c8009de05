"""The parts of the kernel machine, each against dense linear algebra, and its answers against brute force."""

import threading

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import LinAlgError

from separatrix import KernelSVM, NotCertifiedWarning, NotSeparableError, choose, regularization_path, verify
from separatrix.data.folds import stratified_folds
from separatrix.kernels import RBF, Linear, Polynomial, Precomputed
from separatrix.kernels.rows_of import as_rows
from separatrix.objectives import SoftMargin
from separatrix.problem import Problem, Status
from separatrix.selection.grid_errors import grid_errors
from separatrix.solvers.budget import Budget
from separatrix.solvers.kernel import kernel_svm as kernel_svm_module
from separatrix.solvers.kernel import newton_rounds, row_cache
from separatrix.solvers.kernel.conjugate_gradients import FreeRows
from separatrix.solvers.kernel.free_system import FreeSystem
from separatrix.solvers.kernel.gram import GivenGram, Gram
from separatrix.solvers.kernel.kernel_space import KernelSpace
from separatrix.solvers.kernel.kernel_svm import Start, kernel_svm
from separatrix.solvers.kernel.low_rank import low_rank_factor, nystroem, pivoted_cholesky
from separatrix.solvers.kernel.newton_rounds import KernelMachine
from separatrix.solvers.kernel.panel_cholesky import PanelCholesky
from separatrix.solvers.kernel.row_cache import RowCache

RBF_03 = RBF(0.3)


def blobs(n=120, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (X[:, 0] * X[:, 1] + 0.4 * rng.standard_normal(n) > 0).astype(int)


def brute_force(problem, claim):
    """Primal and dual value of a claim by the whole kernel matrix; alpha must be feasible."""
    K, y, C = problem.kernel.matrix(problem.X), problem.signs.astype(float), claim.objective.C
    coefficients, alpha = np.zeros((2, problem.n_rows))
    coefficients[claim.support], alpha[claim.support] = claim.w, claim.alpha
    slack = np.maximum(0.0, 1.0 - y * (K @ coefficients + claim.b))
    squared = claim.objective.squared
    loss = C * float(problem.cost @ (slack**2 if squared else slack))
    alpha = np.clip(alpha, 0.0, np.inf if squared else C * problem.cost)
    sides = alpha[y < 0].sum(), alpha[y > 0].sum()
    alpha = alpha * np.where(y > 0, min(sides) / max(sides[1], 1e-300), min(sides) / max(sides[0], 1e-300))
    beta = y * alpha
    given = 0.5 * float(np.sum(alpha**2 * 0.5 / (C * problem.cost))) if squared else 0.0
    return 0.5 * coefficients @ K @ coefficients + loss, alpha.sum() - given - 0.5 * beta @ K @ beta


def same_optimum(found, expected, rel=1e-9):
    assert found.certificate.primal == pytest.approx(expected.certificate.primal, rel=rel)
    assert found.certificate.dual == pytest.approx(expected.certificate.dual, rel=rel)


# the factor


@pytest.mark.parametrize("n", [1, 300, 512, 513, 1300])
@pytest.mark.parametrize(("dtype", "tol"), [(np.float32, 2e-4), (np.float64, 1e-11)])
def test_panels_are_lapacks_factor(n, dtype, tol):
    rng = np.random.default_rng(n)
    B = rng.standard_normal((n, n // 2 + 1))
    A = B @ B.T / n + np.eye(n)
    factor = PanelCholesky(n, lambda rows, columns: A[rows, columns], dtype, lambda: None)
    L = np.zeros((n, n))
    for columns, panel in zip(factor.columns, factor.panels, strict=True):
        assert panel.dtype == dtype
        L[columns.start :, columns] = panel
    assert np.abs(L - np.linalg.cholesky(A)).max() < tol
    R = rng.standard_normal((n, 3))
    forward = factor.forward(R.astype(dtype))
    assert np.abs(np.tril(L) @ forward - R).max() < tol * 10
    assert np.abs(A @ factor.backward(forward) - R).max() < tol * 100


def test_a_matrix_that_is_not_positive_definite_or_not_finite_has_no_factor():
    for A in (-np.eye(600), np.full((600, 600), np.nan)):
        with pytest.raises(LinAlgError):
            PanelCholesky(600, lambda rows, columns, A=A: A[rows, columns], np.float64, lambda: None)


# the system of the free rows


def dense_solution(K, ridge, free, residual, total, offset):
    size = free.size + offset
    M = np.zeros((size, size))
    M[: free.size, : free.size] = K[np.ix_(free, free)] + np.diag(ridge[free])
    if offset:
        M[-1, :-1] = M[:-1, -1] = 1.0
    z = np.linalg.solve(M, np.concatenate([residual, [total] * offset]))
    return z[: free.size], z[-1] if offset else 0.0


@pytest.mark.parametrize("offset", [True, False])
def test_a_border_over_several_changes_solves_the_dense_system(offset):
    X, _ = blobs(300)
    K, rng = RBF(1.0).matrix(X), np.random.default_rng(1)
    ridge = rng.uniform(0.01, 0.1, 300)
    system = FreeSystem(GivenGram(K), ridge, offset)
    inside = rng.random(300) < 0.6
    factors = []
    for _ in range(8):
        free = np.flatnonzero(inside)
        residual, total = rng.standard_normal(free.size), float(rng.standard_normal())
        beta, b = system.solve(free, residual, total)
        expected, expected_b = dense_solution(K, ridge, free, residual, total, offset)
        assert np.allclose(beta, expected, rtol=1e-9, atol=1e-9)
        assert b == pytest.approx(expected_b, rel=1e-9, abs=1e-9)
        factors.append(system.factor)
        flipped = rng.choice(300, 2, replace=False)
        inside[flipped] = ~inside[flipped]
    assert all(factor is factors[0] for factor in factors), "the factor was not reused"
    assert system.border.rows.size > 5


def test_conjugate_gradients_solve_what_a_factor_solves():
    X, _ = blobs(300)
    K, rng = RBF(1.0).matrix(X), np.random.default_rng(2)
    gram, ridge = GivenGram(K), np.full(300, 0.05)
    gram.max_bytes = 1.0
    free = np.flatnonzero(rng.random(300) < 0.5)
    rows = FreeRows(gram, free, ridge[free])
    R = rng.standard_normal((free.size, 2))
    left = R - (K[np.ix_(free, free)] + np.diag(ridge[free])) @ rows.solve(R, lambda: None)
    assert (np.linalg.norm(left, axis=0) <= 1.1e-3 * np.linalg.norm(R, axis=0)).all()
    beta, b = FreeSystem(gram, ridge, True).solve(free, R[:, 0], 0.3)
    assert beta.sum() == pytest.approx(0.3)
    expected, expected_b = dense_solution(K, ridge, free, R[:, 0], 0.3, True)
    assert np.abs(beta - expected).max() < 0.02 * np.abs(expected).max()
    assert b == pytest.approx(expected_b, abs=0.02)


@pytest.mark.parametrize("squared", [False, True])
def test_conjugate_gradients_lead_to_the_optimum_of_the_factor(squared):
    X, y = blobs(2200, 12)
    problem = Problem(X, y, kernel=RBF(0.05)).posed(SoftMargin(1.0, squared))
    claims = []
    for max_bytes in (1e9, 1e3):
        space = KernelSpace(problem, max_bytes)
        assert isinstance(space.gram, Gram)
        machine = KernelMachine(problem, space, Budget(10_000))
        claims.append(machine.solve(1e-7))
        assert (machine.system.free_rows is None) == (max_bytes > 1e6)
    assert max(claim.stated for claim in claims) <= 1e-7
    assert claims[0].dual == pytest.approx(claims[1].dual, rel=1e-7)


# rows that are kept


def test_few_places_give_exact_rows_and_replace_those_not_used_for_longest(monkeypatch):
    monkeypatch.setattr(row_cache, "MIN_ROWS_KEPT", 8)
    K = np.random.default_rng(0).standard_normal((50, 50)).astype(np.float32)
    K += K.T
    computed = []

    def fill(values, index):
        computed.extend(index.tolist())
        values[:] = K[index]

    cache, rng = RowCache(50, 0.0, fill), np.random.default_rng(1)
    assert cache.n_kept == 8
    cache.block(np.arange(8))
    cache.block(np.array([0, 1, 2]))
    cache.block(np.array([20, 21]))  # 3 and 4 go: all of 3 to 7 are as old
    cache.block(np.array([0, 1, 2, 5, 6, 7, 20, 21]))
    assert computed == [*range(8), 20, 21]
    for size in rng.integers(1, 9, 60):
        index = rng.choice(50, size, replace=False)
        assert np.array_equal(cache.block(index), K[np.ix_(index, index)])
    kept = np.flatnonzero(cache.place >= 0)
    assert np.array_equal(cache.row_at[cache.place[kept]], kept)
    index, amounts, into = rng.permutation(50)[:30], rng.standard_normal(30), np.zeros(50)
    cache.add_rows(index, amounts, into)  # more than there are places
    assert np.allclose(into, amounts @ K[index], atol=1e-5)


def test_rows_that_were_interrupted_are_computed_again(monkeypatch):
    monkeypatch.setattr(row_cache, "MIN_ROWS_KEPT", 4)
    K = np.arange(36, dtype=np.float32).reshape(6, 6)
    broken = [False]

    def fill(values, index):
        if broken[0]:
            raise KeyboardInterrupt
        values[:] = K[index]

    cache = RowCache(6, 0.0, fill)
    cache.places(np.arange(4))
    cache.places(np.array([2, 3]))
    broken[0] = True
    with pytest.raises(KeyboardInterrupt):
        cache.places(np.array([4, 5]))
    broken[0] = False
    for index in ([1, 2, 3], [0, 1, 5], [2, 0, 4], [5, 3, 1, 0]):
        assert np.array_equal(cache.block(np.array(index)), K[np.ix_(index, index)])


# rows as they are


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_sizes_beyond_float32_have_the_same_machine(size, recwarn):
    X, y = blobs(2100, 12)
    expected = KernelSVM(RBF(0.05), C=0.3).fit(X, y)
    found = KernelSVM(RBF(0.05 / size**2), C=0.3).fit(X * size, y)
    assert not recwarn.list
    assert found.certificate_.stated <= 1e-9
    assert np.allclose(found.decision_function(X * size), expected.decision_function(X), atol=1e-8)


def test_one_row_far_from_all_others_does_not_matter(recwarn):
    X, y = blobs(2100, 12)
    X[7] = 1e12
    assert KernelSVM(RBF(0.05), C=0.3).fit(X, y).certificate_.stated <= 1e-9
    assert not recwarn.list


@pytest.mark.parametrize("squared", [False, True])
def test_equal_rows_are_weights(squared):
    X, y = blobs(60)
    times = np.random.default_rng(3).integers(1, 5, 60)
    index = np.random.default_rng(4).permutation(np.repeat(np.arange(60), times))
    repeated, weighted = Problem(X[index], y[index], kernel=RBF_03), Problem(X, y, 2, 1.0 * times, kernel=RBF_03)
    space = KernelSpace(repeated, 1e9)
    assert space.gram.n == 60
    found = kernel_svm(repeated, C=2.0, squared=squared, space=space)
    space = KernelSpace(repeated, 1e9)
    space.distinct, space.rows, space.gram = None, repeated.X, GivenGram(RBF_03.matrix(repeated.X))
    for other in (
        kernel_svm(weighted, C=2.0, squared=squared),
        kernel_svm(repeated, C=2.0, squared=squared, space=space),
    ):
        same_optimum(found, other)
        assert np.allclose(found.model.scores(X), other.model.scores(X), atol=1e-6)
    assert found.certificate.n_rows == index.size
    assert found.certificate.error(repeated) <= 1e-9
    posed = repeated.posed(SoftMargin(2.0, squared))
    assert brute_force(posed, found.certificate) == pytest.approx((found.certificate.primal, found.certificate.dual))


@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_start_from_another_C_leads_to_the_optimum_of_a_cold_fit(repeats, squared, weighted, monkeypatch):
    monkeypatch.setattr(kernel_svm_module, "by_factor", lambda *_: None)  # Newton rounds alone
    X, y = blobs(150)
    X, y = np.repeat(X, repeats, axis=0), np.repeat(y, repeats)
    cost = np.where(y == 1, 3.0, 0.5) * (np.random.default_rng(5).uniform(0.5, 2.0, y.size) if weighted else 1.0)
    problem, space, start = Problem(X, y, 2, cost, kernel=RBF_03), None, None
    for C in (0.1, 1.0, 50.0, 5.0):
        posed = problem.posed(SoftMargin(C, squared))
        space = space or KernelSpace(posed, 1e9)
        found = kernel_svm(problem, C=C, squared=squared, space=space, start=start)
        same_optimum(found, kernel_svm(problem, C=C, squared=squared))
        assert found.certificate.stated <= 1e-9
        assert brute_force(posed, found.certificate) == pytest.approx((found.certificate.dual,) * 2, rel=1e-8)
        start = Start.of(found.certificate)


@pytest.mark.parametrize("squared", [False, True])
def test_a_start_from_nearby_needs_no_search(squared, monkeypatch):
    monkeypatch.setattr(kernel_svm_module, "by_factor", lambda *_: None)
    X, y = blobs(150)
    X, y = np.vstack([X, X[:40]]), np.concatenate([y, y[:40]])
    problem = Problem(X, y, kernel=RBF_03)
    first, expected = (kernel_svm(problem, C=C, squared=squared) for C in (1.0, 1.2))
    monkeypatch.setattr(newton_rounds, "block_smo", lambda *_: pytest.fail("a search from nothing"))
    same_optimum(kernel_svm(problem, C=1.2, squared=squared, start=Start.of(first.certificate)), expected)


def test_a_start_that_leads_astray_is_given_up(monkeypatch):
    monkeypatch.setattr(kernel_svm_module, "by_factor", lambda *_: None)
    problem = Problem(*blobs(150), kernel=RBF_03)
    first, expected = (kernel_svm(problem, C=C) for C in (1.0, 50.0))
    solve = KernelMachine.solve
    stuck = lambda machine, tol: solve(machine, tol) if machine.initial is None else machine.claim()  # noqa: E731
    monkeypatch.setattr(KernelMachine, "solve", stuck)
    same_optimum(kernel_svm(problem, C=50.0, start=Start.of(first.certificate)), expected)


def test_the_factor_outlives_C_but_not_the_ridge():
    X, y = blobs(100)
    problem = Problem(X, y, kernel=RBF_03)
    space = KernelSpace(problem, 1e9)
    hinge = space.system(np.zeros(100), True)
    assert space.system(np.zeros(100), True) is hinge
    assert space.system(np.full(100, 0.5), True) is not hinge
    assert space.system(np.full(100, 0.5), False).fit_intercept is False


# low ranks


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("rank", [1, 7, 40])
def test_the_gap_of_a_low_rank_is_that_to_the_optimum_of_the_whole_space(rank, squared):
    X, y = blobs()
    X[60:70], y[60:70] = X[:10], y[:10]  # equal rows
    problem = Problem(X, y, kernel=RBF_03).posed(SoftMargin(1.0, squared))
    found = kernel_svm(problem, squared=squared, low_rank=rank)
    claim = found.certificate
    primal, dual = brute_force(problem, claim)
    best = kernel_svm(problem, squared=squared).certificate.primal
    assert claim.primal == pytest.approx(primal, rel=1e-10)
    assert dual - 1e-9 <= claim.dual <= best + 1e-9  # alpha may be scaled down to a better bound
    assert claim.primal >= best - 1e-9
    assert claim.stated >= (primal - best) / primal - 1e-12
    assert np.count_nonzero(claim.w) <= rank
    assert found.status is Status.SPANNED
    index = np.r_[:60, 70:120]
    once = Problem(X[index], y[index], 2, np.where(index < 10, 2.0, 1.0), kernel=RBF_03)
    same_optimum(found, kernel_svm(once, squared=squared, low_rank=rank), rel=1e-6)
    margins = problem.signs * found.model.scores(X)
    slack = np.maximum(0.0, 1.0 - margins)
    K = RBF_03.matrix(X[claim.support])
    assert 0.5 * claim.w @ K @ claim.w + (slack**2 if squared else slack).sum() == pytest.approx(primal, rel=1e-10)


@pytest.mark.parametrize("rank", [120, 121, 10_000])
def test_a_rank_of_all_rows_is_the_whole_space(rank):
    X, y = blobs()
    problem = Problem(X, y, kernel=RBF_03)
    same_optimum(kernel_svm(problem, low_rank=rank), kernel_svm(problem), rel=1e-8)


def test_a_low_rank_says_what_to_do_and_verifies():
    X, y = blobs()
    with pytest.warns(NotCertifiedWarning, match="Raise low_rank=5"):
        model = KernelSVM(RBF_03, low_rank=5).fit(X, y)
    assert model.support_.size == 5
    assert verify(model, X, y).holds
    flat = KernelSVM("poly", gamma=1.0, low_rank=3).fit(np.zeros((10, 2)), np.arange(10) % 2)
    assert flat.support_.size == 0
    assert verify(flat, np.zeros((10, 2)), np.arange(10) % 2).holds


@pytest.mark.parametrize("kernel", [RBF_03, Polynomial(2, 1.0)], ids=str)
@pytest.mark.parametrize("rank", [1, 33, 90])
def test_the_trace_that_a_pivoted_factor_leaves(kernel, rank):
    K = kernel.matrix(blobs()[0])
    found = pivoted_cholesky(K.diagonal(), lambda pivots: K[:, pivots], rank, 1e-12)
    rest = K - found.L @ found.L.T
    assert found.rest == pytest.approx(np.trace(rest) / np.trace(K), abs=1e-12)
    assert np.linalg.eigvalsh(rest).min() > -1e-9 * np.trace(K)
    assert np.abs(rest[:, found.pivots]).max() < 1e-9 * np.abs(K).max()
    w = np.random.default_rng(0).standard_normal(found.L.shape[1])
    coefficients, square = found.expansion(w), found.L[found.pivots]
    assert np.array_equal(square, np.tril(square))
    assert np.allclose(square.T @ coefficients, w)


def test_a_factor_of_low_rank_is_the_matrix():
    X, _ = blobs()
    L = low_rank_factor(GivenGram(Polynomial(2, 1.0).matrix(X)), lambda: None)
    assert L.shape == (120, 15)  # monomials of degree 2 in 4 variables and 1
    assert np.allclose(L @ L.T, Polynomial(2, 1.0).matrix(X))


def test_an_end_leaves_the_columns_that_are_ready():
    gram = GivenGram(RBF(5.0).matrix(blobs()[0]))
    found = nystroem(gram, 100, lambda: None, lambda: True)
    assert 1 <= found.L.shape[1] == found.pivots.size <= 32
    assert nystroem(gram, 100, lambda: None).L.shape[1] == 100


@pytest.mark.parametrize("options", [{"low_rank": 300}, {}], ids=["spanned", "whole"])
def test_time_that_ends_leaves_a_machine_with_its_true_gap(options):
    X, y = blobs(1200)
    problem = Problem(X, y, kernel=Polynomial(3, 1.0)).posed(SoftMargin(1.0))
    found = kernel_svm(problem, time_limit=1e-6, **options)
    primal, dual = brute_force(problem, found.certificate)
    assert found.certificate.primal == pytest.approx(primal)
    assert found.certificate.dual >= dual - 1e-6
    assert found.certificate.dual <= kernel_svm(problem).certificate.primal + 1e-6
    assert found.status in (Status.STOPPED, Status.SOLVED)


# special kernels and margins


def test_a_hard_margin_between_equal_rows_is_refused_by_their_numbers():
    X, y = np.array([[9.0], [0.0], [1.0], [5.0], [-0.0], [7.0]]), np.array([0, 1, 1, 1, 2, 2])
    for rows in (X, sparse.csr_matrix(X), X.astype(np.float32)):
        with pytest.raises(NotSeparableError, match="rows 1 and 4 are equal"):
            KernelSVM(C=np.inf, gamma=1.0).fit(rows, y)
        with pytest.raises(NotSeparableError, match="rows 1 and 4 are equal"):
            KernelSVM(C=np.inf, gamma=1.0).fit(rows, y, sample_weight=[0.0, 1, 1, 1, 1, 1])
    KernelSVM(C=np.inf, gamma=1.0).fit(X, [0, 1, 1, 1, 1, 2])


def test_the_linear_kernel_goes_to_the_linear_machine(monkeypatch):
    X, y = blobs()
    problem = Problem(X, y, kernel=Linear())
    expected = kernel_svm(Problem(Linear().matrix(X), y, kernel=Precomputed()))
    seen = []
    linear = kernel_svm_module.linear_svm
    monkeypatch.setattr(
        kernel_svm_module, "linear_svm", lambda given, **how: seen.append(given.X) or linear(given, **how)
    )
    monkeypatch.setattr(KernelMachine, "solve", lambda *_: pytest.fail("Newton rounds of the kernel"))
    same_optimum(kernel_svm(problem), expected, rel=1e-7)
    assert len(seen) == 1
    assert np.array_equal(seen[0], X)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_path_has_the_machines_of_separate_fits(n_classes, loss):
    X, y = blobs()
    y = y + (X[:, 2] > 0.7) * (n_classes == 3)
    model = KernelSVM(RBF_03, loss=loss, class_weight="balanced")
    values = [10.0, 0.1, 1.0]
    for fitted, C in zip(regularization_path(model, X, y, C=values), values, strict=True):
        alone = KernelSVM(RBF_03, C=C, loss=loss, class_weight="balanced").fit(X, y)
        assert np.allclose(fitted._pair_scores(X), alone._pair_scores(X), atol=1e-7)
        assert fitted.C == C
        assert fitted.certificate_.stated <= 1e-9
        assert verify(fitted, X, y).holds


def test_values_with_all_rows_where_each_is_a_support_row():
    X, _ = blobs(30)
    y, K = np.arange(30) % 2, RBF_03.matrix(X)
    given, own = KernelSVM("precomputed", C=0.01).fit(K, y), KernelSVM(RBF_03, C=0.01).fit(X, y)
    assert given.support_.size == 30
    assert np.allclose(given.decision_function(K), own.decision_function(X), atol=1e-9)


# expansions


@pytest.mark.parametrize("kernel", [RBF_03, Polynomial(3, 1.0), RBF_03 + Linear()], ids=str)
@pytest.mark.parametrize("kind", ["dense", "float32", "sparse", "duplicates", "far", "two clusters"])
def test_tiles_of_an_expansion_sum_to_the_matrix_product(kernel, kind):
    rng = np.random.default_rng(0)
    A, B = 0.3 * rng.standard_normal((300, 5)), 0.3 * rng.standard_normal((1100, 5))
    if kind == "duplicates":
        B[:300], B[300:600] = A, A[0]
    if kind in ("far", "two clusters"):
        A, B = A + 1e6, B + 1e6
        if kind == "two clusters":  # whose mean is far from both
            A[::2] -= 2e6
            B[::2] -= 2e6
        kernel = RBF_03 if kernel != Polynomial(3, 1.0) else RBF(2.0)
    if kind == "float32":
        A, B = A.astype(np.float32), B.astype(np.float32)
    if kind == "sparse":
        A, B = A * (rng.random(A.shape) < 0.1), B * (rng.random(B.shape) < 0.1)
    coefficients = rng.standard_normal((300, 2))
    direct = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    squares = ((direct[0][:, None] - direct[1]) ** 2).sum(axis=2)
    products = direct[0] @ direct[1].T
    values = {
        RBF_03: np.exp(-0.3 * squares),
        RBF(2.0): np.exp(-2.0 * squares),
        Polynomial(3, 1.0): (products + 1.0) ** 3,
    }.get(kernel, np.exp(-0.3 * squares) + products)
    rows = (sparse.csr_matrix(A), sparse.csr_matrix(B)) if kind == "sparse" else (A, B)
    found = kernel.expansion(as_rows(rows[0]), coefficients, as_rows(rows[1]))
    size = np.abs(values).T @ np.abs(coefficients)
    assert (np.abs(found - values.T @ coefficients) <= 1e-12 * size).all()
    assert np.allclose(kernel.matrix(*rows), values, rtol=1e-12, atol=1e-12)


# errors of many options


def test_progress_counts_every_fit_once_and_one_at_a_time():
    X, y = blobs(60)
    seen, inside = [], threading.Lock()

    def done(count):
        assert inside.acquire(blocking=False), "two threads at once"
        seen.append(count)
        inside.release()

    folds = stratified_folds(y, n_folds=3, repeats=1, seed=0)
    found = grid_errors(KernelSVM(), X, y, folds, {"gamma": [0.1, 1.0], "C": [10.0, 0.1, 1.0]}, done)
    assert seen == list(range(1, 19))
    for place in np.ndindex(2, 3):
        setting = found.setting(place)
        for k, fold in enumerate(folds):
            model = KernelSVM(**setting).fit(X[fold.train], y[fold.train])
            assert found.errors[(*place, k)] == pytest.approx(1.0 - model.score(X[fold.test], y[fold.test]))


def test_given_kernel_values_are_chosen_by_as_their_rows_are():
    X, y = blobs(90)
    rows = choose(KernelSVM(RBF_03), X, y, {"C": [0.1, 10.0]}, test=0.2)
    values = choose(KernelSVM("precomputed"), RBF_03.matrix(X), y, {"C": [0.1, 10.0]}, test=0.2)
    assert np.array_equal(values.grid.errors, rows.grid.errors)
    assert (values.parameters, values.test_error) == (rows.parameters, rows.test_error)


def test_equal_rows_of_no_cost_have_no_alpha(recwarn):
    X, y = blobs(40)
    index, cost = np.tile(np.arange(40), 2), np.tile(np.where(np.arange(40) < 5, 0.0, 1.0), 2)
    found = kernel_svm(Problem(X[index], y[index], 2, cost, kernel=RBF_03))
    same_optimum(found, kernel_svm(Problem(X[5:], y[5:], 2, np.full(35, 2.0), kernel=RBF_03)), rel=1e-5)
    assert not recwarn.list
