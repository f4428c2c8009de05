"""The steps are those of the textbooks, what is claimed on the way is true, and the polish gets there."""

from itertools import pairwise

import numpy as np
import pytest

from separatrix.certificates import NearestPoint
from separatrix.data import encode
from separatrix.errors import DataError, OptionError
from separatrix.problem import Problem, Status
from separatrix.rows import CSR, ENTRIES_A_CALL
from separatrix.solvers.hulls import nearest_points, wolfe
from separatrix.solvers.hulls.gilbert import gilbert
from separatrix.solvers.hulls.mdm import mdm
from separatrix.solvers.hulls.schlesinger_kozinec import schlesinger_kozinec
from solvers import nearest_points_by_hand as by_hand

ALGORITHMS = [gilbert, mdm, schlesinger_kozinec]
parametrized = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.__name__)


def compressed(X):
    """All entries of a matrix as compressed rows."""
    n, d = X.shape
    return CSR(X.ravel().copy(), np.tile(np.arange(d), n), np.arange(0, n * d + 1, d), d)


SIZES = pytest.mark.parametrize(("n", "d", "seed"), [(12, 2, 0), (30, 5, 1), (20, 40, 2)])
STORED = pytest.mark.parametrize("stored", [np.asarray, compressed], ids=["dense", "sparse"])


@pytest.mark.parametrize("algorithm", [gilbert, schlesinger_kozinec], ids=lambda algorithm: algorithm.__name__)
@STORED
@SIZES
def test_steps_are_those_of_the_textbook(algorithm, stored, n, d, seed):
    X, y = by_hand.separable(n, d, 0.3, seed)
    A, B = X[y > 0], X[y < 0]
    expected = list(getattr(by_hand, algorithm.__name__)(A, B, A[0], B[0], 40))
    trace = algorithm(Problem(stored(X), y > 0), polish=False, record=True, max_iter=40).history.trace
    np.testing.assert_allclose(trace.distance, expected[: trace.distance.size], rtol=1e-10)
    assert trace.distance.size == 40 or trace.error[-1] <= 1e-10


def weights_of(solution):
    """The weight of every row in the points of both hulls."""
    weights = np.zeros(solution.certificate.n_rows)
    weights[solution.certificate.support] = solution.certificate.weights
    return weights


@STORED
@SIZES
def test_mdm_moves_weight_from_the_highest_row_to_the_lowest(stored, n, d, seed):
    """Step by step, because after a full step two rows are equally high, and rounding decides which is next."""
    X, y = by_hand.separable(n, d, 0.3, seed)
    runs = [mdm(Problem(stored(X), y > 0), polish=False, max_iter=k) for k in range(1, 25)]
    for before, after in pairwise(runs):
        a, moved = weights_of(before), weights_of(after) - weights_of(before)
        s = y * (X @ ((y * a) @ X))
        rows = np.flatnonzero(np.abs(moved) > 1e-14)
        if not rows.size:
            break
        low, high = rows[np.argsort(-moved[rows])]
        spread = {side: np.ptp(s[(y == side) & ((a > 0) | (s <= s[y == side].min()))]) for side in (-1, 1)}
        assert y[low] == y[high]
        assert s[high] - s[low] == pytest.approx(max(spread.values()), abs=1e-12)
        expected = min(a[high], (s[high] - s[low]) / np.sum((X[high] - X[low]) ** 2))
        assert moved[low] == pytest.approx(expected, abs=1e-12)
        assert moved[high] == pytest.approx(-expected, abs=1e-12)
    assert before.status is Status.SOLVED or len(runs) == 24


@parametrized
def test_every_distance_and_every_bound_of_a_run_is_true(algorithm):
    X, y = by_hand.separable(30, 3, 0.1, seed=4)
    problem = Problem(X, y > 0)
    distance = mdm(problem).certificate.distance
    found = algorithm(problem, polish=False, record=True, max_iter=300)
    assert (found.history.trace.distance >= distance * (1 - 1e-12)).all()
    assert (found.history.trace.bound <= distance * (1 + 1e-12)).all()
    assert (np.diff(found.history.trace.distance) <= 1e-12).all(), "no step leads away"
    assert (np.diff(found.history.trace.error) <= 1e-12).all(), "the best bound so far is kept"
    assert found.history.trace.distance[0] == pytest.approx(np.linalg.norm(X[y > 0][0] - X[y < 0][0]), rel=1e-12)


@parametrized
@pytest.mark.parametrize("polish", [False, True])
def test_weights_are_convex_and_make_the_points(algorithm, polish):
    X, y = by_hand.separable(40, 4, 0.2, seed=5)
    problem = Problem(X + 100.0, y > 0)
    found = algorithm(problem, polish=polish, max_iter=50)
    a = weights_of(found)
    assert (a >= 0).all()
    assert a[y > 0].sum() == pytest.approx(1.0, rel=1e-14)
    assert a[y < 0].sum() == pytest.approx(1.0, rel=1e-14)
    p, q = (a[y == side] @ X[y == side] for side in (1, -1))
    assert np.linalg.norm(p - q) == pytest.approx(found.certificate.distance, rel=1e-12)
    if polish:
        assert np.count_nonzero(a) <= 4 + 1, "more rows are never needed where the hulls are apart"


@parametrized
@pytest.mark.parametrize("seed", range(6))
def test_hulls_in_the_plane_against_all_corners_and_edges(algorithm, seed):
    X, y = by_hand.separable(12, 2, 0.05, seed)
    expected = by_hand.planar_distance(X[y > 0], X[y < 0])
    assert algorithm(Problem(X, y > 0)).certificate.distance == pytest.approx(expected, rel=1e-12)


@pytest.mark.large
def test_rows_are_diluted_or_dropped():
    """By themselves, two of them have errors of the order of 1/t; MDM takes weight away for good and ends."""
    X, y = by_hand.separable(200, 5, 0.2, seed=0)
    problem = Problem(X, y > 0)
    for slow in (gilbert, schlesinger_kozinec):
        error = slow(problem, polish=False, record=True, max_iter=20_000).history.trace.error
        assert 5.0 < error[999] / error[-1] < 50.0, "20 times the steps, about a twentieth of the error"
        assert error[-1] > 1e-6
    quick = mdm(problem, polish=False)
    assert quick.status is Status.SOLVED
    assert quick.history.iterations < 5000


@parametrized
def test_a_run_that_ends_early_says_so(algorithm):
    X, y = by_hand.separable(60, 6, 0.05, seed=6)
    found = algorithm(Problem(X, y > 0), polish=False, max_iter=20)
    assert found.status is Status.STOPPED
    assert found.history.iterations == 20
    assert found.certificate.stated > 1e-10
    assert algorithm(Problem(X, y > 0), max_iter=20).status is Status.SOLVED, "the polish needs no near start"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n", "d", "gap"), [(60, 4, 0.1), (300, 20, 0.001), (20, 50, 0.1), (80, 1, 0.01)])
def test_wolfe_gets_there_from_any_weights(n, d, gap, seed):
    X, y = by_hand.separable(n, d, gap, seed)
    rng = np.random.default_rng(seed)
    starts = [rng.random(n), (rng.random(n) < 0.1) + 1e-9, np.eye(n)[np.argmax(y > 0)] + np.eye(n)[np.argmax(y < 0)]]
    distances = []
    for weights in starts:
        a, v = wolfe.wolfe(X, y, weights)
        distances.append(np.linalg.norm((y * a) @ X))
        room = (X[y > 0] @ v).min() - (X[y < 0] @ v).max()
        assert room / np.linalg.norm(v) == pytest.approx(distances[-1], rel=1e-11)
    assert distances == pytest.approx([distances[0]] * 3, rel=1e-12)


def test_wolfe_keeps_its_basis_while_rows_come_and_go():
    """Q R are the ways from the first rows to the others, whatever was let in and taken out."""
    X, y = by_hand.separable(40, 10, 0.1, seed=7)
    corral = wolfe.Corral(X, y, np.arange(8), np.ones(40))
    rng = np.random.default_rng(0)
    for i in (20, 21, 22, 8, 9):
        assert corral.enter(i)
        assert not corral.enter(i), "once is enough"
        corral.a[-1] = rng.random()
        corral.leave(int(rng.integers(corral.a.size)))
        others = corral.X[2:]
        ways = corral.y[2:, None] * (others - corral.X[(corral.y[2:] > 0).astype(int)])
        np.testing.assert_allclose(corral.Q @ corral.R * corral.lengths, ways.T, atol=1e-12)
        np.testing.assert_allclose(corral.Q.T @ corral.Q, np.eye(len(others)), atol=1e-13)
        np.testing.assert_allclose(corral.X + corral.origin, X[corral.index], atol=1e-15)
        np.testing.assert_array_equal(corral.y, y[corral.index])


def test_wolfe_leaves_out_rows_that_lie_in_the_flats():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.5, 0.0], [0.0, 2.0], [2.0, 2.0], [1.0, 2.0]])
    y = np.array([1, 1, 1, 1, -1, -1, -1])
    corral = wolfe.Corral(X, y, np.arange(7), np.ones(7))
    assert corral.index.size == 3
    assert not corral.enter(3)
    a, v = wolfe.wolfe(X, y, np.ones(7))
    assert np.linalg.norm((y * a) @ X) == pytest.approx(2.0)
    assert abs(v[0]) < 1e-15


def test_wolfe_that_takes_too_long_returns_the_best_so_far(monkeypatch):
    X, y = by_hand.separable(200, 10, 0.01, seed=8)
    monkeypatch.setattr(wolfe, "MAX_WORK", 0.0)
    weights = np.ones(200)
    assert wolfe.wolfe(X, y, weights)[0] is weights
    monkeypatch.setattr(wolfe, "MAX_WORK", 3000.0)
    a, _ = wolfe.wolfe(X, y, weights)
    assert a is not weights
    assert a[y > 0].sum() == pytest.approx(1.0)


def test_wolfe_ends_where_rounding_goes_round_in_circles(monkeypatch):
    X, y = by_hand.separable(20, 3, 0.1, seed=8)
    entered = []
    monkeypatch.setattr(wolfe, "ERROR_TOLERANCE", -1.0)
    monkeypatch.setattr(wolfe.Corral, "enter", lambda corral, i: not entered.append(i))
    a, _ = wolfe.wolfe(X, y, np.ones(20))
    assert wolfe.MAX_STALLED_CORRALS <= len(entered) / 2 <= 2 * wolfe.MAX_STALLED_CORRALS
    assert np.count_nonzero(a) < 20


@pytest.mark.parametrize("gap", [1e-3, 1e-5])
def test_narrow_gaps_lose_as_many_digits_as_they_must_and_not_twice_as_many(gap):
    """Hulls that are pushed together along the segment of their nearest points."""
    X, y = by_hand.separable(60, 6, 0.2, seed=10)
    apart = mdm(Problem(X, y > 0)).certificate
    X = X - np.outer(y, 0.5 * (apart.distance - gap) * apart.w / np.linalg.norm(apart.w))
    for algorithm in ALGORITHMS:
        claim = algorithm(Problem(X, y > 0), tol=1e-15).certificate
        assert claim.distance == pytest.approx(gap, rel=1e-14 / gap)
        assert claim.stated <= 1e-14 / gap
    _, v = wolfe.wolfe(X, y, np.isin(np.arange(60), claim.support).astype(float))  # the right rows, but far away
    room = (X[y > 0] @ v).min() - (X[y < 0] @ v).max()
    assert room / np.linalg.norm(v) == pytest.approx(gap, rel=1e-14 / gap)


def test_rows_far_from_the_origin_cost_the_algorithm_itself_no_digits():
    X, y = by_hand.separable(30, 3, 0.2, seed=11)
    found = mdm(Problem(np.round(X, 3) + 1e8, y > 0), polish=False)
    assert found.status is Status.SOLVED
    assert found.certificate.stated <= 1e-10


def test_what_many_rows_hide_in_their_rounding_the_polish_brings_to_light():
    """Two edges 2e-14 apart, of 400 copies: sums of so many could be off by more, those of the polish could not."""
    along, across = np.array([0.28, 0.96]), np.array([0.96, -0.28])
    edges = np.outer([-1.0, 1.0, -1.0, 1.0], along) + np.outer([0.0, 0.0, 2e-14, 2e-14], across)
    problem = Problem(np.repeat(edges, 100, axis=0), np.repeat([0, 0, 1, 1], 100))
    claim = NearestPoint.issue(problem, np.ones(400))
    assert claim.distance == 0.0
    better = nearest_points.polish_weights(problem, nearest_points.Hulls.of(problem), np.ones(400), claim, 1e-10)
    assert better.distance == pytest.approx(2e-14, rel=0.1)
    assert better.stated > claim.stated, "and so it is honest about its digits"
    assert better.proof


@parametrized
def test_rounding_is_no_reason_to_go_on(algorithm):
    """Hulls 1e-9 apart, across two edges: 1e-13 of that is below what sums of numbers near 1 can tell."""
    along, across = np.array([0.28, 0.96]), np.array([0.96, -0.28])
    X = np.outer([-1.0, 0.83, -0.4, 1.3], along) + np.outer([0.0, 0.0, 1e-9, 1e-9], across)
    found = algorithm(Problem(X, np.array([0, 0, 1, 1])), tol=1e-13)
    assert found.certificate.distance == pytest.approx(1e-9, rel=1e-5)
    within = found.status is Status.SOLVED and found.certificate.stated <= 1e-13  # as the sums of some machines round
    assert found.status is Status.ROUNDED or within
    assert found.certificate.stated <= found.certificate.rounding
    assert found.history.iterations <= nearest_points.FIRST_POLISH_STEPS


def test_calls_are_short_enough_for_control_c_and_forget_their_rounding():
    """A call cannot be interrupted, so none looks at more numbers than a tenth of a second allows."""
    n, d, steps = 3000, 2000, 9000
    hulls = nearest_points.Hulls(np.zeros((n, d)), np.repeat([-1, 1], n // 2), 1.0)
    now = nearest_points.Iterate.of(hulls, np.eye(n)[0] + np.eye(n)[-1])
    calls, fresh = [], []

    def advance(X, y, now, tol, log):
        calls.append(len(log))
        fresh.append(not now.P.any())
        now.P[:] = 1.0
        return len(log), False

    pages, ended = nearest_points.run_steps(hulls, advance, now, 1e-3, steps)
    assert not ended
    assert sum(map(len, pages)) == sum(calls) == steps
    assert max(calls) * n * d <= ENTRIES_A_CALL
    assert sum(fresh) == 1 + steps // nearest_points.MAX_STEPS_PER_CALL


def test_other_problems_and_options_are_refused():
    X, y = by_hand.separable(30, 2, 0.1, seed=9)
    with pytest.raises(DataError, match="these data have 3. Take two at a time"):
        mdm(Problem(X, np.arange(30) % 3, 3))
    with pytest.raises(OptionError, match="fit_intercept=True"):
        mdm(encode(X, y, fit_intercept=False).problem)
    for option, message in (("polish", "True or False"), ("record", "True or False"), ("max_iter", "whole number")):
        with pytest.raises(OptionError, match=f"{option}.*{message}.*'no'"):
            mdm(Problem(X, y > 0), **{option: "no"})
    with pytest.raises(OptionError, match="'tol' parameter must be a finite number above 0"):
        mdm(Problem(X, y > 0), tol=0.0)
