"""Newton's method of several classes: what its preconditioners are, when it ends, and that its limits bind."""

import numpy as np
import pytest
from scipy import sparse

from separatrix.objectives import LogLoss
from separatrix.objectives.log_loss_curvature import hessian, multinomial_hessian
from separatrix.problem import Problem, Status
from separatrix.problem.scaled_rows import ScaledRows, column_coordinates
from separatrix.rows import CSR
from separatrix.solvers import budget as budgets
from separatrix.solvers.budget import Budget, TimeOverError
from separatrix.solvers.logistic import preconditioners
from separatrix.solvers.logistic.balanced_offsets import MIN_PASSES, balancing_shift
from separatrix.solvers.logistic.design import Design, dense_entries
from separatrix.solvers.logistic.logistic import logistic
from separatrix.solvers.logistic.preconditioners import block_preconditioner, drawn
from separatrix.solvers.logistic.scaled_objective import Point, ScaledObjective
from separatrix.solvers.logistic.stopping import Stopping

RNG = np.random.default_rng(0)
K = 5


def samples(n=900, d=13, spread=None):
    """Raw features of several scales, and classes that overlap."""
    rows = np.round(RNG.standard_normal((n, d)) * (np.geomspace(2.0, 200.0, d) if spread is None else spread))
    scores = (rows / np.maximum(rows.std(axis=0), 1.0)) @ RNG.standard_normal((d, K))
    return rows, np.argmax(scores + 2.0 * RNG.gumbel(size=(n, K)), axis=1)


def stored_sparse(rows):
    matrix = sparse.csr_array(rows)
    return CSR(matrix.data, matrix.indices, matrix.indptr, rows.shape[1])


def objective(rows, y, C=1.0):
    problem = Problem(rows, y, K).posed(LogLoss(C, K))
    return ScaledObjective.of(Design(problem, column_coordinates(problem)))


def blocks_of_hessian(F, point):
    """The blocks on the diagonal of H, one for each plane, from differences of gradients."""
    width = F.design.width
    H = np.empty((width, K, width, K))
    for j in range(width):
        for a in range(K):
            unit = np.zeros((width, K))
            unit[j, a] = 1.0
            H[j, a] = F.hessian_times(point, unit, F.for_rows())
    return [H[:, a, :, a] for a in range(K)]


def expected(blocks, R):
    inside = R - R.mean(axis=1, keepdims=True)
    solved = np.column_stack([np.linalg.solve(block, column) for block, column in zip(blocks, inside.T, strict=True)])
    return solved - solved.mean(axis=1, keepdims=True)


def test_blocks_of_all_rows_are_those_of_the_hessian():
    F = objective(*samples())
    point = Point(F, 0.3 * RNG.standard_normal((F.design.width, K)))
    R = RNG.standard_normal(point.V.shape)
    found = block_preconditioner(F, Budget(1))(point)(R)
    assert found == pytest.approx(expected(blocks_of_hessian(F, point), R), rel=1e-8, abs=1e-10)


def test_the_heaviest_columns_have_a_block_and_the_others_a_diagonal(monkeypatch):
    F = objective(*samples())
    monkeypatch.setattr(preconditioners, "block_shape", lambda _: (4, 900))
    point = Point(F, 0.3 * RNG.standard_normal((F.design.width, K)))
    blocks, R = blocks_of_hessian(F, point), RNG.standard_normal(point.V.shape)
    heavy = np.argsort(F.penalty / np.max([np.diag(block) for block in blocks], axis=0))[:4]
    kept = np.zeros((F.design.width, F.design.width), dtype=bool)
    kept[np.ix_(heavy, heavy)] = True
    np.fill_diagonal(kept, True)
    found = block_preconditioner(F, Budget(1))(point)(R)
    assert found == pytest.approx(expected([np.where(kept, block, 0.0) for block in blocks], R), rel=1e-8, abs=1e-10)


def test_drawn_rows_stand_for_all():
    weights = RNG.exponential(size=20_000) ** 4
    chosen, scaled = drawn(weights, 2_000)
    assert abs(chosen.size - 2_000) <= 1
    assert scaled.sum() == pytest.approx(weights.sum(), rel=1e-3)
    heaviest = np.argsort(weights)[-100:]
    assert np.isin(heaviest, chosen).all()
    assert scaled[np.isin(chosen, heaviest)] == pytest.approx(weights[np.sort(heaviest)])
    few = np.where(np.arange(50) % 5 == 0, 1.0, 0.0)
    assert drawn(few, 20)[0].tolist() == list(range(0, 50, 5))  # rows without weight are never drawn


def test_the_hessian_by_one_product_is_that_by_pairs():
    rows, y = samples(200, 3)
    F = objective(rows, y)
    point, scaled = Point(F, RNG.standard_normal((4, K))), ScaledRows(rows, F.design.coordinates)
    weights = RNG.uniform(0.5, 2.0, 200)
    by_pairs = hessian(scaled.gram, weights, point.rival_prob, F.y)
    assert multinomial_hessian(scaled, weights, point.rival_prob, F.y) == pytest.approx(by_pairs, rel=1e-10, abs=1e-9)


def test_sparse_sums_are_those_of_dense_rows(monkeypatch):
    rows, y = samples(600, 40)
    rows[RNG.random(rows.shape) < 0.97] = 0.0
    dense, thin = objective(rows, y), objective(stored_sparse(rows), y)
    monkeypatch.setattr("separatrix.solvers.logistic.design.MAX_KEPT_ENTRIES", 0)
    thin = objective(stored_sparse(rows), y)
    assert thin.design.sparse
    assert not dense.design.sparse
    V = RNG.standard_normal((41, K))
    one, other = Point(dense, V), Point(thin, V)
    assert other.value == pytest.approx(one.value, rel=1e-12)
    assert other.gradient == pytest.approx(one.gradient, rel=1e-9, abs=1e-9)
    assert other.gap == pytest.approx(one.gap, rel=1e-9)
    index, columns = np.array([3, 599, 0]), np.array([0, 7, 39, 40])
    assert dense_entries(thin.design, index, columns) == pytest.approx(dense_entries(dense.design, index, columns))


def test_raw_features_of_many_classes_need_few_steps_and_no_whole_hessian(monkeypatch):
    def refuse(*_):
        raise AssertionError("the Hessian of all planes was made")

    monkeypatch.setattr(ScaledObjective, "hessian", refuse)
    rows, y = samples(3_000, 20)
    monkeypatch.setattr("separatrix.solvers.logistic.design.MAX_KEPT_ENTRIES", 0)
    for X in (rows, rows.astype(np.float32), rows + 10.0 * rows.std(axis=0), rows + 1e4):
        found = logistic(Problem(X, y, K), tol=1e-6)
        assert found.status is Status.SOLVED
        assert found.certificate.error(Problem(X, y, K)) <= 1e-6
        assert found.history.iterations <= 20


def test_blocks_of_drawn_rows_lead_to_the_same_planes(monkeypatch):
    rows, y = samples(3_000, 20)
    best = logistic(Problem(rows, y, K), tol=1e-12)
    monkeypatch.setattr(preconditioners, "block_shape", lambda _: (8, 100))
    found = logistic(Problem(rows, y, K), tol=1e-10)
    assert found.status is Status.SOLVED
    assert np.linalg.norm(found.w - best.w) <= found.certificate.distance + best.certificate.distance


@pytest.mark.parametrize("k", [2, K])
def test_few_sparse_rows_with_many_columns_are_never_made_dense(monkeypatch, k):
    rows = np.where(RNG.random((60, 4_000)) < 0.01, RNG.standard_normal((60, 4_000)), 0.0)
    y = RNG.integers(k, size=60)
    best = logistic(Problem(rows, y, k), tol=1e-12)

    def refuse(*_):
        raise AssertionError("sparse rows were made dense")

    monkeypatch.setattr("separatrix.problem.coordinates.span", refuse)
    monkeypatch.setattr("separatrix.solvers.logistic.design.dense_rows", refuse)
    found = logistic(Problem(stored_sparse(rows), y, k), tol=1e-10)
    assert found.status is Status.SOLVED
    assert np.linalg.norm(found.w - best.w) <= found.certificate.distance + best.certificate.distance


@pytest.mark.parametrize("d", [8, 20], ids=["exact steps", "conjugate gradients"])
def test_it_ends_when_the_certificate_is_met_whatever_the_estimate_says(monkeypatch, d):
    """With an estimate that never falls, the certificate itself says that the gap is met."""
    monkeypatch.setattr(ScaledObjective, "gap", lambda *_: 1e9)
    rows, y = samples(1_000, d)
    found = logistic(Problem(rows, y, K), tol=1e-6, route="iterative")
    assert found.status is Status.SOLVED
    assert found.history.iterations <= 12


class Clock:
    """Seconds that pass only when something is computed."""

    def __init__(self, monkeypatch):
        self.now = self.calls = 0.0
        monkeypatch.setattr(budgets.time, "perf_counter", lambda: self.now)

    def ticks_with(self, monkeypatch, owner, name):
        original = getattr(owner, name)

        def timed(*arguments):
            self.now, self.calls = self.now + 1.0, self.calls + 1
            return original(*arguments)

        monkeypatch.setattr(owner, name, timed)


@pytest.mark.parametrize(
    ("route", "owner", "name"),
    [
        ("iterative", ScaledObjective, "hessian_times"),
        ("iterative", preconditioners, "block"),
        ("exact", Design, "gram"),
    ],
    ids=["conjugate gradients", "blocks", "pairs of planes"],
)
def test_the_time_limit_binds_within_a_step(monkeypatch, route, owner, name):
    rows, y = samples(900, 20)
    monkeypatch.setattr("separatrix.solvers.logistic.newton.MIN_PROGRESS", 0.0)  # many products a step
    clock = Clock(monkeypatch)
    clock.ticks_with(monkeypatch, owner, name)
    found = logistic(Problem(rows, y, K), tol=1e-12, time_limit=3.5, route=route)
    assert found.status is Status.STOPPED
    assert clock.calls <= 4 + 1  # one more may be under way on another core
    assert found.certificate.error(Problem(rows, y, K)) == found.certificate.stated


def test_max_iter_binds_on_a_sample_and_after(monkeypatch):
    steps = []
    original = Budget.spent
    monkeypatch.setattr(Budget, "spent", lambda self: steps.append(self.max_iter) or original(self))
    rows, y = samples(9_000, 13)
    found = logistic(Problem(rows, y, K), tol=1e-12, max_iter=2)
    assert found.history.iterations == 2
    assert max(steps) <= 2
    assert len(steps) <= 6  # two steps on the sample, two on all rows, and a question at the end of each


def test_offsets_take_few_passes_once_the_time_is_over(monkeypatch):
    module, made = "separatrix.solvers.logistic.balanced_offsets", []
    rows, y = samples(300, 3)
    problem = Problem(rows, y, K)
    log_odds = 300.0 * RNG.standard_normal((300, K))
    monkeypatch.setattr(f"{module}.rival_probabilities", lambda m: made.append(1) or np.full_like(m, 0.1))
    balancing_shift(problem, log_odds, Budget(1, 0.0))
    assert len(made) <= MIN_PASSES + 60  # a line search may be under way


def test_a_budget_without_time_makes_no_blocks():
    F = objective(*samples())
    with pytest.raises(TimeOverError):
        block_preconditioner(F, Budget(1, 0.0))(Point(F, np.zeros((F.design.width, K))))
    assert not Stopping(1e-6, Budget(1)).certified(Point(F, np.zeros((F.design.width, K))))
