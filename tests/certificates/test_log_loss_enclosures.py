"""Losses, entropies, dual points and curvature of log losses are inside of their bounds, by ball arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from certificates.exact_log_loss import ExactLogLoss, dot
from separatrix.enclosures import Enclosed, Interval
from separatrix.objectives import LogLoss
from separatrix.objectives.likelihood.curvature_bound import (
    Probabilities,
    Whitening,
    block_sums,
    decrease_by_curvature,
    exact_rows,
    whitened_rows,
)
from separatrix.objectives.likelihood.dual_sums import DualSums, Known, PrimalSums, Reserve, dual_sums
from separatrix.objectives.likelihood.row_bounds import DualRows, dual_rows, entropies_of, row_losses
from separatrix.objectives.likelihood.score_rank import rank_bound
from separatrix.objectives.log_loss import balancing_factors
from separatrix.problem import Problem
from separatrix.rows import CSR, TINY, UNIT_ROUNDOFF

UNITS = 6.0  # roundings that exp and log, in sums of terms of one sign, come to; the bounds have 17 at least


@pytest.fixture(autouse=True)
def digits():
    ctx.dps = 120


def exact_loss(log_odds):
    """log(1 + sum exp m) of doubles."""
    return sum((arb(m).exp() for m in log_odds), arb(0)).log1p()


def scores_over_the_range(k, rng):
    """Scores of rows of class 0: from those that underflow to those that are rounded to the loss."""
    size = 10.0 ** rng.uniform(-20, 2.9, (3000, k))
    scores = size * rng.choice([-1.0, 1.0], size.shape)
    return np.vstack([scores, rng.uniform(-760, 760, (1500, k)), rng.uniform(-1, 1, (1500, k))])


@pytest.mark.parametrize("k", [1, 3])
def test_losses_over_the_whole_range_are_right_to_a_few_units(k):
    scores = scores_over_the_range(k, np.random.default_rng(k))
    found, _, _ = row_losses(Enclosed(scores, np.zeros_like(scores)), np.zeros(len(scores), dtype=int))
    worst = 0.0
    for row, value, radius in zip(scores.tolist(), found.value.tolist(), found.radius.tolist(), strict=True):
        exact = exact_loss(row) if k == 1 else exact_loss([arb(s) - arb(row[0]) for s in row[1:]])
        error = float(abs(exact - arb(value)))
        assert error <= radius
        spread = max(map(abs, row)) + abs(row[0]) if k > 1 else 0.0  # differences of scores are rounded themselves
        rivals = min(1.0, float(sum(((arb(s) - arb(row[0])).exp() for s in row[1:]), arb(0)))) if k > 1 else 0.0
        off = error - 2.0 * UNIT_ROUNDOFF * spread * rivals - 2.0 * TINY
        worst = max(worst, off / max(float(exact), TINY))
    assert worst <= UNITS * UNIT_ROUNDOFF


@pytest.mark.parametrize("k", [1, 3])
def test_a_loss_contains_those_of_all_scores_within_their_radii(k):
    rng = np.random.default_rng(5)
    scores = scores_over_the_range(k, rng)[::5]
    radii = 10.0 ** rng.uniform(-16, 1, scores.shape)
    found, _, _ = row_losses(Enclosed(scores, radii), np.zeros(len(scores), dtype=int))
    for row, r, value, radius in zip(scores, radii, found.value.tolist(), found.radius.tolist(), strict=True):
        for sign in (-1.0, 1.0):
            moved = [
                arb(s) + sign * arb(q) * (1 if j or k == 1 else -1) for j, (s, q) in enumerate(zip(row, r, strict=True))
            ]
            exact = exact_loss(moved) if k == 1 else exact_loss([s - moved[0] for s in moved[1:]])
            assert abs(exact - arb(value)) <= arb(radius)


def hostile_dual(k, seed=0):
    rng = np.random.default_rng(seed)
    n = 600
    q = 10.0 ** rng.uniform(-300, 0, (n, max(k - 1, 1))) if k > 2 else 10.0 ** rng.uniform(-300, 0, (n, 1))
    q[n // 3 :] = rng.uniform(0, 1, q[n // 3 :].shape)
    q[n // 2 :] = 1.0 - 10.0 ** rng.uniform(-18, -1, q[n // 2 :].shape)
    q /= np.maximum(q.sum(axis=1, keepdims=True), 1.0)
    q = np.hstack([np.zeros((n, 1)), q]) if k > 2 else q
    cost = np.where(rng.random(n) < 0.5, 1.0, 10.0 ** rng.uniform(-6, 6, n))
    return float(10.0 ** rng.uniform(-3, 8)), cost, q


@pytest.mark.parametrize("k", [2, 3, 6])
def test_dual_variables_are_feasible_in_fractions_and_near_the_probabilities(k):
    C, cost, q = hostile_dual(k)
    found = dual_rows(C, cost, q)
    for alpha, total, c in zip(found.alpha.tolist(), found.total.tolist(), cost.tolist(), strict=True):
        exact = sum(map(Fraction, alpha))
        assert min(alpha) >= 0.0
        assert exact == Fraction(total)
        assert exact <= Fraction(C) * Fraction(c)
    wanted = C * cost[:, None] * q
    assert found.alpha == pytest.approx(wanted, rel=1e-14, abs=0) or k > 2
    assert (np.abs(found.alpha - wanted) <= 1e-14 * wanted.sum(axis=1, keepdims=True) + 1e-270).all()


def test_probabilities_with_a_sum_above_one_are_made_feasible():
    found = dual_rows(0.1, np.full(2, 3.0), np.array([[0.75, 0.25 + 2e-16, 0.0], [0.9, 0.9, 0.0]]))
    assert (found.total <= 0.1 * 3.0).all()
    assert found.total[0] == pytest.approx(0.3, rel=1e-14)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_entropies_are_right_to_a_few_units(k):
    C, cost, q = hostile_dual(k)
    rows = dual_rows(C, cost, q)
    found, worst = entropies_of(rows), 0.0
    for alpha, c, value, radius in zip(rows.alpha.tolist(), cost.tolist(), *map(np.ndarray.tolist, found), strict=True):
        exact = exact_entropy([Fraction(a) for a in alpha], Fraction(C) * Fraction(c))
        error = float(abs(exact - arb(value)))
        assert error <= radius
        worst = max(worst, (error - 64.0 * TINY * C * c) / (float(exact) + sum(alpha)) if sum(alpha) else 0.0)
    assert worst <= UNITS * UNIT_ROUNDOFF


def exact_entropy(alpha, weight):
    """v times the entropy of alpha / v, of fractions."""
    rest = weight - sum(alpha)
    own = ball(rest) * (ball(sum(alpha)) / ball(rest)).log1p() if rest else arb(0)
    return sum((ball(a) * (ball(weight) / ball(a)).log() for a in alpha if a), own)


def ball(value):
    return arb(value.numerator) / arb(value.denominator)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_dual_point_that_is_out_of_balance_is_repaired(k, side):
    """One row of each class has much weight left and takes what is out of balance; the bound knows what it costs."""
    rng = np.random.default_rng(1)
    n, y = 4 * k, np.arange(4 * k) % k
    X, cost = 0.1 * rng.standard_normal((n, 2)) + 3.0, np.ones(n)
    q = np.full((n, 1 if k == 2 else k), 0.96 if k == 2 else 0.48)
    q[:k] = 0.8 if k == 2 else 0.4
    first = y == 0
    q[first] *= 1.0 + side * 1e-2
    if k > 2:
        q[np.arange(n), y] = 0.0
    problem = Problem(X, y, k, cost)
    flow = np.ones((k, k)) - np.eye(k)
    assert balancing_factors(flow) == pytest.approx(np.ones((k, k)) if k > 2 else flow)
    known = Known(1.0, Interval(0.0, 0.0), PrimalSums(Interval(0.0, 0.0), flow, 0.0, X.mean(axis=0), True))
    found = dual_sums(known, problem, q)
    alpha = [[Fraction(a) for a in row] for row in dual_rows(1.0, cost, q).alpha.tolist()]
    repair(alpha, y, k, int(np.argmax(found.reserve.own)))
    entropy, normal = exact_dual_point(alpha, X, y, k)
    feasible = found.feasible()
    assert feasible is not None
    assert arb(feasible.entropy.low) <= entropy < arb(found.entropy.low)  # it fell, and by no more than the bound says
    pairs = list(zip(normal, feasible.normal.value.T.tolist(), strict=True))
    off = np.abs([[float(v - Fraction(w)) for v, w in zip(*e, strict=True)] for e in pairs])
    assert (off <= feasible.normal.radius.T).all()
    assert (off > found.normal.radius.T).any()
    value = entropy - ball(sum(v * v for part in normal for v in part)) / 2
    assert arb(feasible.value.low) <= value
    assert float(value) - feasible.value.low <= 0.5
    poor = found._replace(reserve=found.reserve._replace(own=np.full(k, 1e-3)))
    assert poor.feasible() is None  # which no row could take


def repair(alpha, y, k, hub):
    """Balance alpha exactly, at the row of each class that has much weight left: the first."""
    surplus = [Fraction(0)] * k
    for row, own in zip(alpha, y.tolist(), strict=True):
        for j, a in enumerate(row):
            other = 1 - own if k == 2 else j
            surplus[own] += a
            surplus[other] -= a
    assert any(surplus)
    for c in range(k):
        if c != hub and surplus[c]:
            giving, to = (hub, c) if surplus[c] > 0 else (c, hub)
            alpha[giving][0 if k == 2 else to] += abs(surplus[c])


def exact_dual_point(alpha, X, y, k):
    """The entropy and the normals of a point that is feasible, which is asserted."""
    planes = 1 if k == 2 else k
    normal, balance = [[Fraction(0)] * X.shape[1] for _ in range(planes)], [Fraction(0)] * planes
    entropy = arb(0)
    for row, x, own in zip(alpha, X.tolist(), y.tolist(), strict=True):
        assert min(row) >= 0
        assert sum(row) <= 1
        entropy += exact_entropy(row, Fraction(1))
        u = [row[0] * (2 * own - 1)] if k == 2 else [sum(row) if j == own else -a for j, a in enumerate(row)]
        for j, part in enumerate(u):
            balance[j] += part
            normal[j] = [m + part * Fraction(v) for m, v in zip(normal[j], x, strict=True)]
    assert not any(balance)
    return entropy, normal


def test_sums_over_parts_of_the_rows_are_merged():
    one = Reserve(np.array([1.0, 2.0]), np.array([3.0, 3.0]), np.array([[1.0], [2.0]]))
    other = Reserve(np.array([2.0, 1.0]), np.array([4.0, 4.0]), np.array([[3.0], [4.0]]))
    both = one.merged(other)
    assert [each.tolist() for each in both] == [[2.0, 2.0], [4.0, 3.0], [[3.0], [2.0]]]
    sums = DualSums(Interval(1.0, 2.0), (Interval(0.0, 1.0),), Enclosed(np.ones((1, 1)), np.zeros((1, 1))), one)
    assert sums.merged(sums).entropy == Interval(2.0, 4.0)


def whitened_case(k, far, seed=0):
    """A problem, planes near its optimum, and an affine function of its rows with the Hessian near I."""
    rng = np.random.default_rng(seed)
    n, d = 30, 2
    X = np.round(rng.standard_normal((n, d)), 3) + far
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    problem = Problem(X, y, k)
    planes = max(1, k - 1)
    m = planes * (d + 1)
    W, v = rng.standard_normal((planes, d, m)) / 3.0, rng.standard_normal((planes, m)) / 3.0
    scores = Enclosed(rng.standard_normal((n, 1 if k == 2 else k)), np.full((n, 1 if k == 2 else k), 1e-9))
    return problem, Whitening(X.mean(axis=0), W, v), scores


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("far", [0.0, 1e9])
def test_gradient_hessian_and_reach_are_within_their_bounds(k, far):
    problem, whitening, scores = whitened_case(k, far)
    weights, prob = np.full(problem.n_rows, 0.7), Probabilities.of(scores)
    for rows in (whitened_rows, exact_rows):
        sums = block_sums(rows(problem, whitening, slice(0, 30)), weights, problem.y, prob, 30)
        for sign in (-1, 1):  # scores at the ends of their radii
            gradient, H, reach = exact_sums(problem, whitening, scores, weights, sign)
            off = sum(((arb(g) - e) ** 2 for g, e in zip(sums.gradient.tolist(), gradient, strict=True)), arb(0)).sqrt()
            assert off <= arb(sums.gradient_error)
            assert reach <= arb(sums.reach)
            length = arb(float(np.sqrt(sums.gram_error)))
            size = arb(float(np.sqrt(np.trace(sums.gram))))
            apart = [arb(a) - h for a, h in zip(sums.gram.ravel().tolist(), H, strict=True)]
            distance = sum((a * a for a in apart), arb(0)).sqrt()
            assert distance <= 2 * size * length + length * length + arb(1e-12) * size * size
            assert far or float(off) > 1e-4 * sums.gradient_error  # bounds that are not idle


@pytest.mark.parametrize("rows", [whitened_rows, exact_rows])
@pytest.mark.parametrize("d", [1, 3])
def test_values_whose_terms_cancel_are_within_their_radii(rows, d):
    rng = np.random.default_rng(d)
    problem = Problem(rng.uniform(1.0, 2.0, (200, d)), np.arange(200) % 2)
    centre, W = rng.uniform(0.0, 1e-3, d), rng.uniform(0.5, 1.0, (1, d, 1))
    v = -np.array([[float((problem.X[0] - centre) @ W[0, :, 0])]])
    found = rows(problem, Whitening(centre, W, v), slice(0, 200))
    plane, part = [Fraction(w) for w in W[0, :, 0].tolist()], 0.0
    for x, value, radius in zip(problem.X.tolist(), found.value[:, 0, 0].tolist(), found.radius[:, 0], strict=True):
        moved = [Fraction(each) - Fraction(c) for each, c in zip(x, centre.tolist(), strict=True)]
        exact = sum((w * each for w, each in zip(plane, moved, strict=True)), Fraction(v[0, 0]))
        assert abs(exact - Fraction(value)) <= Fraction(radius)
        part = max(part, float(abs(exact - Fraction(value)) / Fraction(radius)))
    assert part > 0.02  # a bound that is not idle


@pytest.mark.parametrize("k", [2, 3])
def test_a_hessian_of_rows_at_the_ends_of_their_radii_is_within_its_bound(k):
    problem, whitening, scores = whitened_case(k, 0.0)
    weights, prob = np.full(problem.n_rows, 0.7), Probabilities.of(scores._replace(radius=scores.radius * 1e-9))
    value, off = whitened_rows(problem, whitening, slice(0, 30)).value, 1e-3
    radius = off * np.linalg.norm(value, axis=2)

    def sums(Y):
        return block_sums(Enclosed(Y, radius), weights, problem.y, prob, 30)

    here, longer = sums(value), sums(value * (1.0 + off))
    length, size = np.sqrt(here.gram_error), np.sqrt(np.trace(here.gram))
    apart = np.linalg.norm(longer.gram - here.gram)
    assert apart <= 2.0 * size * length + length**2
    assert apart > 0.05 * size * length  # a bound that is not idle


def exact_sums(problem, whitening, scores, weights, sign):
    """The gradient, the Hessian and the largest distance of y of two classes, of a row."""
    k, centre = problem.n_classes, [arb(c) for c in whitening.centre.tolist()]
    planes, m = len(whitening.W), whitening.W.shape[2]
    gradient, H, reach = [arb(0)] * m, [arb(0)] * (m * m), arb(0)
    for i, (x, own) in enumerate(zip(problem.X.tolist(), problem.y.tolist(), strict=True)):
        moved = [arb(v) - c for v, c in zip(x, centre, strict=True)]
        Y = [[arb(0)] * m]
        for a in range(planes):
            columns = whitening.W[a].T.tolist()
            Y.append(
                [
                    dot([arb(w) for w in column], moved) + arb(v)
                    for column, v in zip(columns, whitening.v[a].tolist(), strict=True)
                ]
            )
        values = [
            arb(s) + sign * arb(r) * (-1) ** j
            for j, (s, r) in enumerate(zip(scores.value[i], scores.radius[i], strict=True))
        ]
        values = [arb(0), *values] if k == 2 else values
        odds = [s.exp() for s in values]
        p = [o / sum(odds, arb(0)) for o in odds]
        mean = [dot(p, column) for column in zip(*Y, strict=True)]
        weight = arb(weights[i])
        for a in range(k):
            slope = weight * (p[a] - (1 if a == own else 0))
            gradient = [g + slope * v for g, v in zip(gradient, Y[a], strict=True)]
            apart = [u - v for u, v in zip(Y[a], mean, strict=True)]
            H = [h + weight * p[a] * u * v for h, (u, v) in zip(H, ((u, v) for u in apart for v in apart), strict=True)]
            for b in range(a):
                reach = max(
                    reach, sum(((u - v) ** 2 for u, v in zip(Y[a], Y[b], strict=True)), arb(0)).sqrt(), key=float
                )
    return gradient, H, reach


def test_the_bound_by_curvature_is_that_of_the_formula():
    problem, whitening, scores = whitened_case(2, 0.0)
    found = block_sums(
        whitened_rows(problem, whitening, slice(0, 30)), np.ones(30), problem.y, Probabilities.of(scores), 30
    )
    exact = found._replace(gram=np.eye(3), gradient=np.array([0.03, 0.0, 0.0]), gram_error=0.0, gradient_error=0.01)
    for reach in (1e-3, 2.0, 20.0):
        bound, x = decrease_by_curvature(exact._replace(reach=reach), 30), arb(0.04) * arb(reach)
        formula = (x + (1 - x) * (1 - x).log()) / arb(reach) ** 2
        assert formula <= arb(bound.most)
        assert bound.most <= float(formula) * 1.001
        assert 0.0 < bound.rounding < bound.most
    assert decrease_by_curvature(exact._replace(reach=25.0), 30).most == np.inf
    loose = exact._replace(gram=0.8 * np.eye(3), gram_error=0.01)
    assert decrease_by_curvature(loose._replace(reach=1e-3), 30).error >= 0.2 * np.sqrt(3.0) + 0.2
    assert decrease_by_curvature(loose._replace(reach=1e-3, gram_error=0.2), 30).most == np.inf


def test_ranks_are_bounded_exactly():
    rng = np.random.default_rng(0)
    indicators = np.eye(3)[rng.integers(0, 3, 40)]
    a, b = np.round(rng.standard_normal((2, 40)), 2)
    y = np.arange(40) % 2
    cases = [
        (np.column_stack([indicators, a]), 4, 4),  # the indicators add up to the column of ones
        (np.column_stack([a, b, 0.5 * a]), 3, 3),
        (np.column_stack([a, b, np.full(40, 0.1)]), 3, 3),
        (np.column_stack([a, b, 4.0 * a - b]), 3, 4),  # rounded: not the same
        (np.column_stack([a, b, a * (1.0 + 2.0**-40 * (b > 0))]), 3, 4),
        (np.round(8.0 * np.column_stack([a, b, a - 3.0 * b])), 3, 4),
        (np.column_stack([a, b])[rng.integers(0, 2, 40)], 2, 2),  # two rows, many times
    ]
    for X, wanted, expected in cases:
        sparse = CSR(X.ravel(), np.tile(np.arange(X.shape[1]), 40), np.arange(0, X.size + 1, X.shape[1]), X.shape[1])
        assert rank_bound(Problem(X, y), wanted) == expected
        assert rank_bound(Problem(sparse, y), wanted) == expected
    whole = np.round(8.0 * np.column_stack([a, b]))
    assert rank_bound(Problem(np.column_stack([whole, whole @ [1.0, -3.0]]), y), 3) == 3
    assert rank_bound(Problem(np.zeros((4, 1)), np.arange(4) % 2, fit_intercept=False), 1) == 0


def test_the_oracle_finds_the_optimum():
    problem = Problem(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1]))
    oracle = ExactLogLoss(problem, LogLoss(np.inf))
    planes, value = oracle.improved(oracle.planes(np.array([0.5]), -0.5))
    assert float(planes[0][0]) == pytest.approx(0.9082, abs=1e-4)
    assert float(value) == pytest.approx(2.3474865, abs=1e-6)


def test_rows_of_no_weight_left_have_none():
    rows = DualRows(np.array([[0.25]]), np.array([0.25]), np.array([1.0]), np.array([2.0**-60]))
    assert rows.own.tolist() == [0.75]
