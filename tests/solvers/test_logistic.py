"""Every way of solving leads to the same planes, and a solver that is stopped says how far it got."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from separatrix import OptionError
from separatrix.objectives import LogLoss
from separatrix.problem import Plane, Problem, Status
from separatrix.problem.scaled_rows import moderate_coordinates
from separatrix.rows import CSR
from separatrix.solvers.budget import Budget
from separatrix.solvers.logistic.design import Design
from separatrix.solvers.logistic.logistic import logistic
from separatrix.solvers.logistic.newton import exact_newton
from separatrix.solvers.logistic.sample import subsample
from separatrix.solvers.logistic.scaled_objective import Point, ScaledObjective
from separatrix.solvers.logistic.stopping import Stopping

RNG = np.random.default_rng(0)
X = RNG.standard_normal((300, 4)) @ np.diag([1.0, 10.0, 0.1, 1.0]) + [0.0, 5.0, 0.0, 100.0]
NOISE = RNG.standard_normal(300)
Y = {2: (X[:, 0] + NOISE > 0).astype(int), 3: np.digitize(X[:, 0] + NOISE, [-0.7, 0.7])}
ROUTES = ["exact", "iterative", "matrix-free"]


def posed(k, **how):
    return Problem(how.pop("X", X), Y[k], k, **how)


@pytest.fixture(params=[2, 3])
def k(request):
    return request.param


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
def test_every_way_leads_to_the_same_planes(k, route, C):
    best, found = logistic(posed(k), C=C), logistic(posed(k), C=C, route=route, tol=1e-10)
    assert found.status is Status.SOLVED
    assert found.certificate.stated <= 1e-10
    assert np.linalg.norm(found.w - best.w) <= found.certificate.distance + best.certificate.distance
    assert found.certificate.primal == pytest.approx(best.certificate.primal, rel=1e-9)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_objective_is_the_least_that_a_general_minimiser_finds(k, fit_intercept):
    problem = posed(k, fit_intercept=fit_intercept, cost=RNG.uniform(0.5, 2.0, 300))
    found = logistic(problem, C=0.3)
    planes, width = problem.n_planes, 4 + fit_intercept

    def objective(v):
        W = v.reshape(planes, width)
        scores = X @ W[:, :4].T + (W[:, 4] if fit_intercept else 0.0)
        full = np.column_stack([np.zeros(300), scores]) if k == 2 else scores
        losses = np.logaddexp.reduce(full, axis=1) - full[np.arange(300), problem.y]
        return 0.5 * np.sum(W[:, :4] ** 2) + 0.3 * problem.cost @ losses

    start = np.zeros(planes * width)
    other = min(minimize(objective, start, method=name).fun for name in ("BFGS", "L-BFGS-B"))
    assert found.certificate.primal <= other * (1 + 1e-12)
    assert found.certificate.primal == pytest.approx(other, rel=1e-3)
    v = np.column_stack([np.atleast_2d(found.w), np.atleast_1d(found.b)])[:, :width].ravel()
    assert objective(v) == pytest.approx(found.certificate.primal, rel=1e-12)


def test_sparse_rows_and_float32_change_nothing(k, monkeypatch):
    monkeypatch.setattr("separatrix.solvers.logistic.design.MAX_KEPT_ENTRIES", 0)
    rows = np.where(RNG.uniform(size=X.shape) < 0.3, np.round(X * 16) / 16, 0.0).astype(np.float32)
    best = logistic(posed(k, X=rows.astype(np.float64)))
    mask = rows != 0
    stored = CSR(rows[mask], np.nonzero(mask)[1], np.append(0, np.cumsum(mask.sum(axis=1))), 4)
    monkeypatch.setattr("separatrix.solvers.logistic.design.MAX_SPARSE_DENSITY", 2.0)
    for other in (rows, stored):
        for route in ROUTES:
            found = logistic(posed(k, X=other), route=route, tol=1e-13)
            assert found.w == pytest.approx(best.w, abs=1e-5 if route == "matrix-free" else 1e-7)


def test_many_rows_start_from_a_sample_and_end_where_all_do(monkeypatch):
    monkeypatch.setattr("separatrix.solvers.logistic.logistic.MAX_EXACT_OPERATIONS", 0.0)
    found = logistic(posed(2))
    assert found.certificate.stated <= 1e-8
    assert found.w == pytest.approx(logistic(posed(2), route="exact").w, abs=1e-4)
    sorted_rows = np.argsort(Y[2], kind="stable")
    again = logistic(Problem(X[sorted_rows], Y[2][sorted_rows]))
    assert again.certificate.stated <= 1e-8


@pytest.mark.parametrize("rare", [1, 3, 50])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_a_sample_has_the_rows_of_a_rare_class(rare, C):
    rng = np.random.default_rng(rare)
    rows, y = rng.standard_normal((10_000, 5)), np.zeros(10_000, dtype=int)
    y[rng.choice(10_000, rare, replace=False)] = 1
    problem = Problem(rows, y).posed(LogLoss(C))
    small = subsample(ScaledObjective.of(Design(problem, moderate_coordinates(problem))))
    assert np.bincount(small.y)[1] == min(rare, 62)  # all, or an eighth of 500
    assert np.bincount(small.y, small.weights) == pytest.approx(C * np.bincount(y))
    found = logistic(Problem(rows, y), C=C, route="iterative")
    assert found.status is Status.SOLVED
    assert found.w == pytest.approx(logistic(Problem(rows, y), C=C, route="exact").w, abs=found.certificate.distance)


def test_the_matrix_of_a_sample_is_enough_where_rows_are_alike(monkeypatch):
    """Of 20,000 rows the matrix is never made, only that of a twentieth of them."""
    made = []
    gram = Design.gram
    monkeypatch.setattr(Design, "gram", lambda self, *args: made.append(self.problem.n_rows) or gram(self, *args))
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((20_000, 5))
    found = logistic(Problem(rows, rows[:, 0] + rng.standard_normal(20_000) > 0), tol=1e-5, route="iterative")
    assert found.certificate.stated <= 1e-5
    assert made
    assert max(made) <= 1000


@pytest.mark.parametrize("route", ROUTES)
def test_a_stopped_solver_returns_its_best_and_the_true_gap(k, route):
    gaps = []
    for most in (1, 2, 4, 200):
        found = logistic(posed(k), C=100.0, max_iter=most, route=route)
        assert found.certificate.error(posed(k)) == found.certificate.stated
        assert (found.status is Status.SOLVED) == (found.certificate.stated <= 1e-8)
        gaps.append(found.certificate.stated)
    assert gaps[0] > 1e-8 >= gaps[-1]
    assert logistic(posed(k), time_limit=1e-9, route=route).status is Status.STOPPED


@pytest.mark.parametrize("route", ROUTES)
def test_offsets_are_the_best_for_their_normals_also_where_the_solver_was_stopped(k, route):
    found = logistic(posed(k), max_iter=1, route=route)
    scores = X @ np.atleast_2d(found.w).T + found.b
    full = np.column_stack([np.zeros(300), scores]) if k == 2 else scores
    p = np.exp(full - np.logaddexp.reduce(full, axis=1)[:, None])
    assert p.sum(axis=0) == pytest.approx(np.bincount(Y[k]), rel=1e-9)


def test_classes_far_apart_take_long_steps():
    """At rows of 1e90 the best margin is 400 and more; a full Newton step brings 1."""
    found = logistic(Problem(1e90 * np.array([[-1.0], [1.0]]), np.array([0, 1])))
    assert found.status is Status.SOLVED
    margin = 1e90 * found.w[0]
    assert margin * np.exp(margin) == pytest.approx(2e180, rel=1e-9)  # w = 2 alpha x, alpha = exp(-w x)
    assert found.history.iterations < 150


def test_what_cannot_be_certified_is_refused():
    wide = Problem(np.ones((4001, 2)), np.arange(4001), 4001)
    with pytest.raises(OptionError, match="at most 4,000 coefficients can be certified. Got 12,003"):
        logistic(wide, C=np.inf)
    with pytest.raises(OptionError, match="'route' parameter"):
        logistic(posed(2), route="quickest")


def peer(problem, C):
    """Planes by scikit-learn, with its default start and a tolerance of nothing."""
    model = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-12, max_iter=1000)
    return model.fit(problem.X, problem.y, sample_weight=problem.cost)


def test_a_column_with_no_gradient_at_zero_is_fitted_all_the_same():
    """At w = 0 the two rows with a 1 are in balance; they no longer are once b is that of the classes."""
    problem = Problem(np.array([[1.0], [1.0], [0.0], [0.0], [0.0]]), np.array([0, 1, 1, 1, 1]))
    found, other = logistic(problem), peer(problem, 1.0)
    assert found.status is Status.SOLVED
    assert found.w == pytest.approx(other.coef_[0], rel=1e-7)
    assert found.b == pytest.approx(other.intercept_[0], rel=1e-7)


@pytest.mark.parametrize("route", ROUTES)
def test_half_of_the_ones_of_either_class_and_all_zeros_of_one(route):
    rows = np.repeat([[1.0], [0.0]], [1000, 3000], axis=0)
    problem = Problem(rows, np.repeat([1, 0, 1], [500, 500, 3000]))
    found, other = logistic(problem, route=route), peer(problem, 1.0)
    assert found.status is Status.SOLVED
    assert found.w == pytest.approx(other.coef_[0], rel=1e-3)
    assert found.b == pytest.approx(other.intercept_[0], rel=1e-3)


def test_classes_that_a_plane_separates_are_separated_by_a_large_C():
    problem = Problem(np.array([[0.0], [1.0], [2.0], [1.0]]), np.array([1, 1, 0, 1]))
    found = logistic(problem, C=1e10)
    assert found.status is Status.SOLVED
    assert (problem.signs * (problem.X @ found.w + found.b) > 0.0).all()


@pytest.mark.parametrize("counts", [(59, 1), (10_000, 1), (1000, 3, 1), (1, 10**5, 10)])
def test_offsets_of_rows_that_are_all_the_same_are_the_log_odds(counts):
    y = np.repeat(np.arange(len(counts)), counts)
    found = logistic(Problem(np.ones((y.size, 1)), y, len(counts)))
    assert found.status is Status.SOLVED
    logs = np.log(counts)
    expected = logs[1] - logs[0] if len(counts) == 2 else logs - logs.mean()
    assert found.b + found.w.ravel() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("route", ["auto", *ROUTES])
def test_offsets_of_rows_that_are_next_to_nothing_are_the_log_odds(route):
    rng = np.random.default_rng(0)
    rows, y = 1e-9 * rng.standard_normal((50_000, 4)), (rng.random(50_000) < 0.02).astype(int)
    found = logistic(Problem(rows, y), route=route)
    assert found.status is Status.SOLVED
    assert found.b == pytest.approx(np.log(y.mean() / (1.0 - y.mean())), rel=1e-6)


SLOW = {  # how often each row and class is there
    "the gap is quartered by each step": ([[1, 1, 0], [1, 1, 1], [1, 0, 1]], [[2, 0, 0], [3, 4, 5], [0, 0, 1]], 5.78e9),
    "the gap rises on the way": (
        [[0, 0], [1, 0], [0, 1], [1, 1]],
        [[8, 0, 1], [2, 1, 0], [1, 0, 0], [1, 0, 0]],
        8.24e9,
    ),
}


@pytest.mark.parametrize(("distinct", "counts", "C"), SLOW.values(), ids=SLOW)
def test_steps_that_bring_little_at_a_time_are_not_rounding(distinct, counts, C):
    """Some classes never have some of these rows: their planes run far off, by Newton steps that only halve."""
    rows = np.repeat(np.array(distinct, dtype=float), np.sum(counts, axis=1), axis=0)
    y = np.concatenate([np.repeat(np.arange(3), each) for each in counts])
    found = logistic(Problem(rows, y, 3, fit_intercept=False), C=C)
    assert found.status is Status.SOLVED
    assert found.certificate.stated <= 1e-12


def test_newton_goes_on_from_planes_whose_mean_is_not_zero():
    """L-BFGS leaves such planes; the penalty of their mean must not count as a gap that no step closes."""
    problem, budget = posed(3).posed(LogLoss(1.0, 3)), Budget(50, np.inf)
    F = ScaledObjective.of(Design(problem, moderate_coordinates(problem)))
    found = exact_newton(F, Point(F, np.ones((5, 3))), Stopping(1e-10, budget))
    assert budget.used < 20
    assert found.gap <= 1e-10 * found.value
    assert found.V[:4].mean(axis=1) == pytest.approx(0.0, abs=1e-6)


def along(problem, warm, **how):
    """Solutions for ten values of C, each from the planes of the one before or from nothing."""
    found, start = [], None
    for C in np.geomspace(1e-2, 1e3, 10):
        found.append(logistic(problem, C=C, start=start, **how))
        start = found[-1].model if warm else None
    return found


def difference(one, other):
    """The largest difference of two scores of rows, as part of the largest."""
    scores = one.model.scores(X)
    return np.abs(scores - other.model.scores(X)).max() / np.abs(scores).max()


@pytest.mark.parametrize("route", ["auto", *ROUTES])
@pytest.mark.parametrize("n", [300, 6000])
def test_planes_of_another_C_are_a_start_that_saves_steps_and_changes_nothing(k, route, n):
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((n, 4)) @ np.diag([1.0, 10.0, 0.1, 1.0]) + [0.0, 5.0, 0.0, 100.0]
    problem = Problem(rows, np.digitize(rows[:, 0] + rng.standard_normal(n), [-0.5, 0.7][: k - 1]), k)
    cold, warm = (along(problem, warm, route=route, tol=1e-16) for warm in (False, True))
    assert max(map(difference, cold, warm)) <= 1e-8
    cold, warm = (along(problem, warm, route=route) for warm in (False, True))
    assert sum(each.history.iterations for each in warm) < sum(each.history.iterations for each in cold)


@pytest.mark.parametrize("route", ["auto", *ROUTES])
@pytest.mark.parametrize("size", [0.0, -1.0, 1e3, 1e200, np.inf, np.nan])
def test_a_start_worse_than_zeros_is_ignored(k, route, size):
    problem = posed(k)
    cold = logistic(problem, route=route)
    start = Plane(size * cold.w, size * np.asarray(cold.b) if k > 2 else size * cold.b)
    found = logistic(problem, route=route, start=start)
    assert found.history.iterations == cold.history.iterations
    assert np.array_equal(found.w, cold.w)


def test_a_start_without_a_penalty_and_one_of_another_shape(k):
    problem = posed(k)
    cold = logistic(problem, C=np.inf)
    warm = logistic(problem, C=np.inf, start=logistic(problem, C=100.0).model)
    assert difference(cold, warm) <= 1e-8
    assert warm.history.iterations < cold.history.iterations
    with pytest.raises(OptionError, match=f"must have {len(np.atleast_2d(cold.w))} x 4 coefficients. Got 1 x 3"):
        logistic(problem, start=Plane(np.zeros(3), 0.0))


@pytest.mark.parametrize("route", ROUTES)
def test_a_start_may_have_any_mean_of_its_planes(route):
    problem = posed(3)
    best = logistic(problem, C=1.0, route=route)
    shifted = Plane(best.w + np.array([0.5, -0.1, 3.0, 0.2]), best.b + 7.0)
    assert logistic(problem, C=1.0, route=route, start=shifted).history.iterations <= 3
