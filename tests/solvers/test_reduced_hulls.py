"""Nearest points of reduced hulls are those of a quadratic program, whichever algorithm begins and in any space."""

from itertools import combinations

import numpy as np
import pytest
from scipy import sparse

from separatrix.certificates.arithmetic import reduced_hull
from separatrix.data.encode import as_rows, encode
from separatrix.errors import DataError, OptionError
from separatrix.kernels import RBF, Linear, Polynomial, Precomputed, Sigmoid
from separatrix.problem import Problem, Status
from separatrix.rows import CSR
from separatrix.solvers.hulls import bounded_wolfe, level_band, nearest_points
from separatrix.solvers.hulls import mdm as mdm_module
from separatrix.solvers.hulls.gilbert import gilbert
from separatrix.solvers.hulls.mdm import mdm
from separatrix.solvers.hulls.mu import candidate_mus
from separatrix.solvers.hulls.reduced_hulls import reduced_hulls
from separatrix.solvers.hulls.schlesinger_kozinec import schlesinger_kozinec
from solvers import nearest_points_by_hand as by_hand
from solvers import reduced_hulls_by_clarabel as oracle

ALGORITHMS = [gilbert, mdm, schlesinger_kozinec]
parametrized = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda algorithm: algorithm.__name__)


def weights_of(claim):
    """The weight of every row."""
    weights = np.zeros(claim.n_rows)
    weights[claim.support] = claim.weights
    return weights


def mostly_empty(seed):
    """Rows of which most entries are 0, and their signs."""
    X, y = oracle.two_classes(seed)
    X[:, 1:] *= np.random.default_rng(seed).random((y.size, X.shape[1] - 1)) < 0.3
    return X, y


def smallest(y):
    """The smallest mu there is."""
    return 1.0 / min(np.count_nonzero(y > 0), np.count_nonzero(y < 0))


@pytest.mark.parametrize("kernel", [None, RBF(gamma=0.5)], ids=["linear", "RBF"])
@pytest.mark.parametrize("seed", range(32))
def test_points_are_those_of_the_quadratic_program(seed, kernel):
    X, y = oracle.two_classes(seed)
    K = X @ X.T if kernel is None else kernel.matrix(X)
    apart = 0
    for factor in (1.0, 1.2, 2.0):
        mu = min(factor * smallest(y), 1.0)
        expected = y * oracle.weights_of_nearest_points(K, y, np.full(y.size, mu))
        distance = np.sqrt(max(expected @ K @ expected, 0.0))
        for algorithm in ALGORITHMS:
            claim = algorithm(Problem(X, y > 0, kernel=kernel), mu=mu).certificate
            if distance < 1e-2:  # clarabel knows its square to 1e-15 or so, which leaves too few digits
                assert claim.distance <= distance
                continue
            apart += 1
            assert claim.distance == pytest.approx(distance, rel=1e-8)
            off = y * weights_of(claim) - expected
            assert np.sqrt(max(off @ K @ off, 0.0)) <= 1e-7 * distance, "another direction"
            assert claim.stated <= 1e-10
    assert apart >= 3


@parametrized
@pytest.mark.parametrize("seed", range(6))
def test_whole_hulls_are_those_of_mu_one(algorithm, seed):
    X, y = by_hand.separable(30, 3, 0.1, seed)
    problem = Problem(X, y > 0)
    whole, reduced = algorithm(problem).certificate, algorithm(problem, mu=1.0).certificate
    assert reduced.distance == pytest.approx(whole.distance, rel=1e-12)
    np.testing.assert_allclose(reduced.points(problem), whole.points(problem), atol=1e-9)
    np.testing.assert_allclose(reduced.w, whole.w, rtol=1e-9, atol=1e-12)
    assert reduced.b == pytest.approx(whole.b, abs=1e-9)


@pytest.mark.parametrize("algorithm", [gilbert, schlesinger_kozinec], ids=lambda algorithm: algorithm.__name__)
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_steps_are_those_of_the_textbook_with_extreme_points(algorithm, stored, monkeypatch):
    monkeypatch.setattr(nearest_points, "MAX_DENSE_ENTRIES", 0)
    X, y = mostly_empty(9)
    mu, (A, B) = 1.7 * smallest(y), (X[y > 0], X[y < 0])
    u = A.mean(axis=0) - B.mean(axis=0)
    p, q = oracle.extreme_point(A, -u, mu), oracle.extreme_point(B, u, mu)
    trace = algorithm(Problem(as_rows(stored(X)), y > 0), mu=mu, polish=False, record=True, max_iter=30).history.trace
    for distance, bound in zip(trace.distance, trace.bound, strict=True):
        d = p - q
        z = oracle.extreme_point(A, -d, mu), oracle.extreme_point(B, d, mu)
        assert distance == pytest.approx(np.linalg.norm(d), rel=1e-10)
        assert bound == pytest.approx(d @ (z[0] - z[1]) / np.linalg.norm(d), rel=1e-9, abs=1e-12)
        if algorithm is gilbert:
            t = by_hand.shortest_on_segment(d, z[0] - z[1])
            p, q = p + t * (z[0] - p), q + t * (z[1] - q)
        elif d @ (p - z[0]) > d @ (z[1] - q):
            p = p + by_hand.shortest_on_segment(d, z[0] - q) * (z[0] - p)
        else:
            q = q + by_hand.shortest_on_segment(d, p - z[1]) * (z[1] - q)
    assert trace.distance.size == 30 or trace.error[-1] <= 1e-10


def test_mdm_gives_no_row_more_than_its_bound_and_never_leads_away():
    X, y = oracle.two_classes(5)
    mu = 1.3 * smallest(y)
    for steps in (1, 2, 5, 20, 200):
        weights = weights_of(mdm(Problem(X, y > 0), mu=mu, polish=False, max_iter=steps).certificate)
        assert (weights <= mu * (1 + 1e-14)).all()
        assert weights[y > 0].sum() == pytest.approx(1.0, rel=1e-13)
    trace = mdm(Problem(X, y > 0), mu=mu, polish=False, record=True, max_iter=500).history.trace
    assert (np.diff(trace.distance) <= 1e-12).all()


@parametrized
def test_every_distance_and_bound_of_a_run_is_true_and_all_get_there_alone(algorithm):
    X, y = oracle.two_classes(1)
    problem, mu = Problem(X, y > 0), 1.5 * smallest(y)
    distance = mdm(problem, mu=mu).certificate.distance
    assert distance > 0.1
    found = algorithm(problem, mu=mu, polish=False, record=True, max_iter=20_000, tol=1e-4)
    assert (found.history.trace.distance >= distance * (1 - 1e-12)).all()
    assert (found.history.trace.bound <= distance * (1 + 1e-12)).all()
    assert found.status is Status.SOLVED
    assert found.certificate.distance == pytest.approx(distance, rel=2e-4)


@parametrized
def test_the_smallest_mu_of_equal_classes_leaves_the_means(algorithm):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((49 * 2, 4)), np.repeat([-1, 1], 49)  # 49 times 1/49 is not 1 in doubles
    problem = Problem(X, y > 0)
    for mu in (1 / 49, candidate_mus(problem)[-1]):
        claim = algorithm(problem, mu=mu).certificate
        means = np.array([X[y < 0].mean(axis=0), X[y > 0].mean(axis=0)])
        np.testing.assert_allclose(claim.points(problem), means, atol=1e-13)
        np.testing.assert_allclose(
            claim.w / np.linalg.norm(claim.w), (means[1] - means[0]) / claim.distance, rtol=1e-10
        )


def test_distance_falls_with_mu_until_the_hulls_meet():
    X, y = oracle.two_classes(8)
    distances = [mdm(Problem(X, y > 0), mu=mu).certificate.distance for mu in np.linspace(smallest(y), 1.0, 25)]
    assert (np.diff(distances) <= 1e-12).all()
    assert distances[0] > 0.0
    assert distances[-1] == 0.0


@parametrized
@pytest.mark.parametrize("kernel", [None, RBF(gamma=0.7)], ids=["linear", "RBF"])
def test_a_weight_of_two_is_the_row_twice(algorithm, kernel):
    X, y = oracle.two_classes(9)
    times = np.random.default_rng(1).integers(1, 4, y.size)
    mu = 1.4 / min(times[y > 0].sum(), times[y < 0].sum())
    one = algorithm(Problem(X, y > 0, cost=times.astype(float), kernel=kernel), mu=mu).certificate
    repeated = Problem(np.repeat(X, times, axis=0), np.repeat(y > 0, times), kernel=kernel)
    other = algorithm(repeated, mu=mu).certificate
    assert one.distance == pytest.approx(other.distance, rel=1e-11)
    K = X @ X.T if kernel is None else kernel.matrix(X)
    summed = np.bincount(np.repeat(np.arange(y.size), times), weights_of(other))
    off = y * (weights_of(one) - summed)
    assert np.sqrt(max(off @ K @ off, 0.0)) <= 1e-8 * one.distance


def test_fractional_weights_bound_each_row_by_its_own():
    X, y = oracle.two_classes(11)
    cost = np.random.default_rng(2).uniform(0.1, 3.0, y.size)
    mu = 1.3 / min(cost[y > 0].sum(), cost[y < 0].sum())
    expected = oracle.weights_of_nearest_points(X @ X.T, y, mu * cost)
    claim = mdm(Problem(X, y > 0, cost=cost), mu=mu).certificate
    assert claim.distance == pytest.approx(np.linalg.norm((y * expected) @ X), rel=1e-9)
    assert (weights_of(claim) <= mu * cost * (1 + 1e-12)).all()


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5, 6, 7, 8])
def test_offset_and_direction_of_the_optimality_conditions_are_those_of_the_nu_machine(seed):
    X, y = oracle.two_classes(seed)
    mu = 1.2 * smallest(y)
    found = reduced_hulls(Problem(X, y > 0), mu=mu, offset="kkt")
    w, b = oracle.nu_machine(X, y, 2.0 / (mu * y.size))
    size = np.linalg.norm(found.w)

    def nu_objective(w, b, nu):
        margins = y * (X @ w + b)
        return min(w @ w / 2 - nu * rho + np.maximum(0.0, rho - margins).mean() for rho in margins)

    np.testing.assert_allclose(found.w / size, w / np.linalg.norm(w), atol=1e-6)
    weights = weights_of(found.certificate)
    free = [((weights > 1e-6 * mu) & (weights < (1 - 1e-6) * mu) & (y == side)).any() for side in (-1, 1)]
    if all(free):  # else b is any of an interval
        assert found.b / size == pytest.approx(b / np.linalg.norm(w), abs=1e-6)
    nu, distance = 2.0 / (mu * y.size), found.certificate.distance
    scale = nu * distance**2 / 4.0  # the nu-SVM's w is nu/2 (p - q)
    values = [nu_objective(scale * found.w, scale * found.b, nu), nu_objective(w, b, nu)]
    assert values[0] == pytest.approx(values[1], rel=1e-9)
    bisector = reduced_hulls(Problem(X, y > 0), mu=mu).b
    assert nu_objective(scale * found.w, scale * bisector, nu) > values[1] * (1 - 1e-9) + 1e-4 * abs(values[1])


def test_offset_of_the_bisector_is_that_of_the_middle():
    X, y = oracle.two_classes(2)
    problem = Problem(X, y > 0)
    found = reduced_hulls(problem, mu=1.5 * smallest(y))
    q, p = found.certificate.points(problem)
    assert found.model.scores(np.array([q, p, (p + q) / 2])) == pytest.approx([-1.0, 1.0, 0.0], abs=1e-12)
    other = reduced_hulls(problem, mu=1.5 * smallest(y), offset="kkt")
    np.testing.assert_array_equal(other.w, found.w)
    assert other.b != found.b
    assert other.certificate.error(problem) == pytest.approx(other.certificate.stated, abs=1e-14)


def test_auto_takes_the_largest_candidate_at_which_the_hulls_are_apart():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], 40)
    for apart, factors in ((4.0, (2.0,)), (0.5, (1.125, 1.25, 1.5))):
        X = rng.standard_normal((80, 2)) + apart * y[:, None] * [1.0, 0.0]
        problem = Problem(X, y)
        chosen = reduced_hulls(problem).certificate
        assert chosen.distance > 0.0
        assert any(chosen.mu == pytest.approx(factor / 40) for factor in factors)
        larger = [mu for mu in candidate_mus(problem) if mu > chosen.mu]
        assert all(mdm(problem, mu=mu).certificate.distance == 0.0 for mu in larger)
    same = Problem(np.ones((6, 2)), np.array([0, 0, 0, 1, 1, 1]))
    assert reduced_hulls(same).certificate.distance == 0.0
    assert reduced_hulls(same).certificate.mu == pytest.approx(1 / 3)


@parametrized
def test_hulls_that_meet_have_no_direction(algorithm):
    X = np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
    for kernel in (None, Polynomial(2, 1.0, 1.0)):
        K = X if kernel is None else kernel.matrix(X)
        problem = Problem(np.vstack([X, X]), np.repeat([0, 1], 4), kernel=kernel)
        found = algorithm(problem, mu=0.5)
        claim = found.certificate
        assert K.size
        assert (claim.distance, claim.bound, claim.b) == (0.0, 0.0, 0.0)
        assert not claim.w.any()
        assert not claim.proof
        assert found.status is (Status.SOLVED if kernel is None else Status.ROUNDED), "kernel values are rounded"
        assert "meet or touch" in str(claim)
        assert not found.model.scores(problem.X).any()


@parametrized
@pytest.mark.parametrize(
    "X",
    [
        np.array([[0.0], [1.0]]),
        np.array([[1.0, 1.0, 5.0], [2.0, 2.0, 5.0], [4.0, 4.0, 5.0], [7.0, 7.0, 5.0]]),  # columns alike, one constant
        np.repeat([[0.0, 1.0], [3.0, 1.0]], 5, axis=0),
        1e-150 * np.array([[1.0, 0.0], [2.0, 1.0], [5.0, 1.0], [6.0, 0.5]]),
        1e120 * np.array([[1.0, 0.0], [2.0, 1.0], [5.0, 1.0], [6.0, 0.5]]),
        1e9 + np.array([[1.0, 0.0], [2.0, 1.0], [5.0, 1.0], [6.0, 0.5]]),
    ],
    ids=["two rows", "dependent columns", "equal rows", "tiny", "huge", "far"],
)
def test_degenerate_rows(algorithm, X):
    y = np.repeat([-1, 1], len(X) // 2)
    mu = min(1.5 * smallest(y), 1.0)
    found = algorithm(Problem(X, y > 0), mu=mu)
    centred = X - X[0]
    size = np.abs(centred).max()
    expected = oracle.weights_of_nearest_points(centred @ centred.T / size**2, y, np.full(y.size, mu))
    assert found.certificate.distance == pytest.approx(np.linalg.norm((y * expected) @ centred), rel=1e-8)
    assert found.status is Status.SOLVED


@pytest.mark.parametrize("most", [0, 2**20])
def test_float32_and_sparse_rows_give_the_same_points(most, monkeypatch):
    monkeypatch.setattr(nearest_points, "MAX_DENSE_ENTRIES", most)
    X, y = mostly_empty(9)
    X, mu = np.round(X * 64) / 64, 1.3 * smallest(y)
    stored = nearest_points.Hulls.of(Problem(as_rows(sparse.csr_array(X)), y > 0), mu).X
    assert isinstance(stored, CSR) == (most == 0)
    expected = mdm(Problem(X, y > 0), mu=mu).certificate
    for other in (X.astype(np.float32), as_rows(sparse.csr_array(X))):
        claim = mdm(Problem(other, y > 0), mu=mu).certificate
        assert claim.distance == pytest.approx(expected.distance, rel=1e-12)
        np.testing.assert_allclose(claim.w, expected.w, rtol=1e-9, atol=1e-12)


def test_kernels_of_every_kind():
    X, y = oracle.two_classes(6)
    mu = 1.3 * smallest(y)
    linear = mdm(Problem(X, y > 0), mu=mu).certificate
    K = X @ X.T
    for problem in (Problem(K, y > 0, kernel=Precomputed()), Problem(X, y > 0, kernel=Linear())):
        claim = mdm(problem, mu=mu).certificate
        assert claim.distance == pytest.approx(linear.distance, rel=1e-9)
        assert claim.kernel == problem.kernel
        assert claim.error(problem) <= 1e-10
    with pytest.raises(OptionError, match="not positive semidefinite on these rows"):
        mdm(Problem(X, y > 0, kernel=Sigmoid(gamma=2.0, coef0=-1.0)), mu=mu)


def test_too_small_a_mu_names_what_is_feasible():
    X, y = np.arange(10.0)[:, None], np.repeat([0, 1], [4, 6])
    for mu in (0.2499, 1e-9):
        with pytest.raises(OptionError, match=r"'mu' parameter must be in \[0.25, 1\] for these classes.*Use mu=0.25"):
            mdm(Problem(X, y), mu=mu)
    assert mdm(Problem(X, y), mu=0.25).certificate.distance > 0.0
    with pytest.raises(OptionError, match=r"\[0.125, 0.5\]"):
        mdm(Problem(X, y, cost=np.full(10, 2.0)), mu=0.1)
    for wrong in (0.0, -1.0, np.nan, np.inf, "half", None):
        with pytest.raises(OptionError, match="'mu'"):
            reduced_hulls(Problem(X, y), mu=wrong)
    for option, wrong in (("algorithm", "simplex"), ("offset", "middle"), ("tol", 0.0), ("max_iter", 0)):
        with pytest.raises(OptionError, match=f"'{option}'"):
            reduced_hulls(Problem(X, y), **{option: wrong})
    with pytest.raises(OptionError, match="fit_intercept=True"):
        reduced_hulls(encode(X, y, fit_intercept=False).problem)
    with pytest.raises(DataError, match="one of these has no rows"):
        mdm(Problem(X, np.zeros(10, int)), mu=0.5)


def test_a_budget_that_ends_returns_the_best_so_far(monkeypatch):
    X, y = oracle.two_classes(8)
    monkeypatch.setattr(bounded_wolfe, "MAX_WORK", 0.0)
    found = gilbert(Problem(X, y > 0), mu=1.5 * smallest(y), max_iter=3, tol=1e-12)
    assert found.status is Status.STOPPED
    assert found.history.iterations == 3
    assert 1e-12 < found.certificate.stated == found.certificate.error(Problem(X, y > 0))


def test_the_active_set_method_gets_there_from_anywhere():
    """From weights that are all fractions, or all at a bound, and with fewer rows to begin with than needed."""
    for seed in range(10):
        X, y = oracle.two_classes(seed)
        mu = 1.3 * smallest(y)
        upper, expected = np.full(y.size, mu), mdm(Problem(X, y > 0), mu=mu).certificate.distance
        rng = np.random.default_rng(seed)
        starts = [np.where(y > 0, 1 / np.count_nonzero(y > 0), 1 / np.count_nonzero(y < 0))]
        at_bounds = np.zeros(y.size)
        for side in (-1, 1):
            own = rng.permutation(np.flatnonzero(y == side))
            filled = np.minimum(np.maximum(1.0 - mu * np.arange(own.size), 0.0), mu)
            at_bounds[own] = filled
        for start in [*starts, at_bounds]:
            a, v = bounded_wolfe.bounded_wolfe(X, y, upper, start)
            assert np.linalg.norm((y * a) @ X) == pytest.approx(expected, rel=1e-10, abs=1e-12)
            assert ((a >= 0) & (a <= upper * (1 + 1e-14))).all()
            if expected > 1e-6:
                np.testing.assert_allclose(v, (y * a) @ X, atol=1e-9)


def test_corners_of_a_small_reduced_hull_are_all_found_by_extreme_points():
    """R(X, 1/2) of n rows is the hull of the means of all pairs."""
    rng = np.random.default_rng(5)
    A, B = rng.standard_normal((6, 2)), rng.standard_normal((5, 2)) + np.array([3.0, 0.0])
    pairs = [np.array([(C[i] + C[j]) / 2 for i, j in combinations(range(len(C)), 2)]) for C in (A, B)]
    expected = by_hand.planar_distance(*pairs)
    problem = Problem(np.vstack([A, B]), np.repeat([0, 1], [6, 5]))
    for algorithm in ALGORITHMS:
        assert algorithm(problem, mu=0.5).certificate.distance == pytest.approx(expected, rel=1e-11)


def test_steps_are_short_calls_for_control_c(monkeypatch):
    """The compiled loop of MDM is called for as few steps as those of whole hulls."""
    X, y = oracle.two_classes(4)
    calls = []

    def counted(X, y, state, tol, log):
        calls.append(len(log))
        return mdm_module.advance_reduced.__wrapped__(X, y, state, tol, log)

    monkeypatch.setattr(nearest_points, "MAX_STEPS_PER_CALL", 7)
    nearest_points.nearest_points(Problem(X, y > 0), counted, mu=1.5 * smallest(y), polish=False, max_iter=50)
    assert max(calls) <= 7


@parametrized
def test_many_rows_most_of_which_are_at_a_bound(algorithm):
    """A thousand rows, of which only a band about the level is free: the quadratic program says the same."""
    rng = np.random.default_rng(6)
    y = np.repeat([-1, 1], 500)
    X = rng.standard_normal((1000, 3)) + 0.9 * np.outer(y, [1.0, 0.3, 0.0])
    mu = 1.7 / 500
    claim = algorithm(Problem(X, y > 0), mu=mu, max_iter=50).certificate
    assert claim.stated <= 1e-12
    weights = weights_of(claim)
    assert np.count_nonzero((weights > 1e-9 * mu) & (weights < (1 - 1e-9) * mu)) <= 3 + 2
    assert np.count_nonzero(weights > (1 - 1e-9) * mu) > 500
    expected = mdm(Problem(X, y > 0), mu=mu, polish=False, tol=1e-9).certificate
    assert claim.distance == pytest.approx(expected.distance, rel=1e-9)


def test_a_band_brings_weights_near_to_the_optimum_before_all_rows_are_used():
    rng = np.random.default_rng(7)
    y = np.repeat([-1, 1], 2000)
    X = rng.standard_normal((4000, 2)) + 0.9 * np.outer(y, [1.0, 0.3])
    upper = np.full(4000, 1.6 / 2000)
    a = level_band.band_weights(X, y, upper, np.full(4000, 1 / 2000))
    assert all(a[y == side].sum() == pytest.approx(1.0, rel=1e-13) for side in (-1, 1))
    assert ((a >= 0.0) & (a <= upper)).all()
    d = (y * a) @ X
    low, high = reduced_hull.extreme_values(X @ d, (y > 0).astype(int), upper)
    assert 1.0 - (low - high) / (d @ d) <= 1e-11
    few = np.full(20, 0.1)
    assert level_band.band_weights(X[1990:2010], y[1990:2010], np.full(20, 0.2), few) is few
