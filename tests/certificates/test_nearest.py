"""A claim about nearest points is recomputed from the rows, and any spoiled part of it shows."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from separatrix import DataError
from separatrix.certificates import NearestPoint
from separatrix.certificates.claims import nearest_point as nearest_module
from separatrix.errors import at_least, at_most
from separatrix.problem import Problem
from separatrix.solvers.hulls.mdm import mdm
from solvers.nearest_points_by_hand import separable
from solvers.test_nearest_points import compressed

X, SIDE = separable(40, 3, 0.15, seed=1)
X = np.round(X, 3)
Y = (SIDE > 0).astype(int)
PROBLEM = Problem(X, Y)
CLAIM = mdm(PROBLEM).certificate
SQUARE = Problem(np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), np.array([1, 1, 0, 0]))
CROSSED = Problem(np.array([[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]), np.array([0, 0, 1, 1]))


def test_an_optimal_claim_holds():
    assert CLAIM.error(PROBLEM) == CLAIM.stated
    assert CLAIM.stated <= 1e-13
    assert CLAIM.proof
    assert CLAIM.bound <= CLAIM.distance
    assert sum(CLAIM.sizes) == CLAIM.support.size


def test_every_spoiled_part_of_the_claim_shows():
    first = CLAIM.support[PROBLEM.y[CLAIM.support] == 1]
    assert first.size > 1, "else its weight would be 1 whatever is claimed"
    weights = CLAIM.weights * np.where(CLAIM.support == first[0], 0.9, 1.0)
    other = CLAIM.support.copy()
    other[np.flatnonzero(other == first[0])] = np.setdiff1d(np.flatnonzero(PROBLEM.y == 1), first)[0]
    spoiled = {
        "weights": replace(CLAIM, weights=weights),
        "support": replace(CLAIM, support=other),
        "w": replace(CLAIM, w=CLAIM.w + 0.05 * np.abs(CLAIM.w).max()),
        "distance": replace(CLAIM, reached=CLAIM.reached._replace(distance=0.9 * CLAIM.distance)),
    }
    for name, claim in spoiled.items():
        assert claim.error(PROBLEM) > 1e-5, name
    assert replace(CLAIM, b=CLAIM.b + 1.0).error(PROBLEM) == pytest.approx(CLAIM.stated, abs=1e-14), "b is of no weight"


def test_other_data_show():
    row, nearer, labels = X.copy(), X.copy(), Y.copy()
    row[CLAIM.support[0]] += 0.5
    far = np.setdiff1d(np.arange(40), CLAIM.support)[0]
    nearer[far] = CLAIM.points(PROBLEM)[1 - Y[far]]
    labels[CLAIM.support[0]] = 1 - labels[CLAIM.support[0]]
    others = {"row": (row, Y), "nearer": (nearer, Y), "label": (X, labels), "larger": (2.0 * X, Y)}
    for name, (rows, y) in others.items():
        assert CLAIM.error(Problem(rows, y)) > 1e-5, name


def test_rows_of_one_class_are_no_two_points():
    assert CLAIM.error(Problem(X, np.where(np.isin(np.arange(40), CLAIM.support), 1, 1 - Y))) == np.inf


@pytest.mark.parametrize(
    "other", [Problem(X[:, :2], Y), Problem(X[:30], Y[:30]), Problem(X, np.arange(40) % 3, 3)], ids=str
)
def test_data_of_another_shape_are_refused(other):
    with pytest.raises(DataError, match="The certificate is for 40 rows of 3 features in two classes, but the problem"):
        CLAIM.error(other)


def exact(weights, w):
    """The squares of the distance and of the bound, in fractions."""
    rows = [[Fraction(value) for value in row] for row in X.tolist()]
    a, w = [Fraction(value) for value in weights.tolist()], [Fraction(value) for value in w.tolist()]
    points = []
    for side in (0, 1):
        own = [i for i in range(40) if Y[i] == side]
        total = sum(a[i] for i in own)
        points.append([sum(a[i] * rows[i][j] for i in own) / total for j in range(3)])
    distance2 = sum((p - q) ** 2 for q, p in zip(*points, strict=True))
    along = [sum(map(Fraction.__mul__, w, row)) for row in rows]
    room = min(along[i] for i in range(40) if Y[i]) - max(along[i] for i in range(40) if not Y[i])
    return distance2, max(room, 0) ** 2 / sum(value * value for value in w)


@pytest.mark.parametrize("seed", range(4))
def test_distance_and_bound_are_those_of_exact_fractions(seed):
    """Of any weights, and of any direction: they are made to add to 1 first."""
    rng = np.random.default_rng(seed)
    weights = np.where(rng.random(40) < 0.5, rng.random(40), 0.0)
    direction = CLAIM.w + 0.1 * rng.standard_normal(3) * np.abs(CLAIM.w).max()
    claim = NearestPoint.issue(PROBLEM, weights, direction)
    distance2, bound2 = exact(weights, direction)
    assert claim.distance == pytest.approx(float(distance2) ** 0.5, rel=1e-14)
    assert claim.bound == pytest.approx(float(bound2) ** 0.5, rel=1e-13)
    assert claim.bound <= CLAIM.distance <= claim.distance
    assert claim.stated == pytest.approx(1.0 - float(bound2 / distance2) ** 0.5, rel=1e-12)
    assert abs(claim.distance - float(distance2) ** 0.5) <= claim.reached.rounding
    check_plane(claim)


def check_plane(claim):
    """Its nearest rows have w.x + b = -1 and 1, whether it is the best one or not."""
    assert claim.bound > 0.0
    g = X @ claim.w + claim.b
    assert g[Y == 1].min() == pytest.approx(1.0, rel=1e-13)
    assert g[Y == 0].max() == pytest.approx(-1.0, rel=1e-13)
    assert 2.0 / np.linalg.norm(claim.w) == pytest.approx(claim.bound, rel=1e-13)


def test_the_plane_has_its_nearest_rows_at_one():
    check_plane(CLAIM)


def test_any_two_points_will_do_where_more_than_two_are_nearest():
    for weights in ([1.0, 0.0, 1.0, 0.0], [0.5, 0.5, 0.5, 0.5], [0.2, 0.8, 0.2, 0.8]):
        claim = NearestPoint.issue(SQUARE, np.array(weights))
        assert (claim.distance, claim.bound, claim.error(SQUARE)) == (2.0, 2.0, 0.0)
        assert claim.points(SQUARE)[:, 0].tolist() == [-1.0, 1.0]


def test_hulls_that_meet_have_the_distance_zero_and_no_proof():
    claim = NearestPoint.issue(CROSSED, np.full(4, 0.5))
    assert (claim.distance, claim.bound, claim.stated, claim.error(CROSSED)) == (0.0, 0.0, 0.0, 0.0)
    assert not claim.proof
    assert "meet or touch, to rounding" in str(claim)
    assert "no proof" in str(claim)
    moved = Problem(CROSSED.X + 3.0 * CROSSED.y[:, None], CROSSED.y)
    assert claim.error(moved) == pytest.approx(3.0 * np.sqrt(2.0) / np.sqrt(34.0)), "relative to the longest row"


def test_what_rounding_leaves_between_two_points_is_no_distance():
    rng = np.random.default_rng(0)
    for offset in (0.0, 1.0, 1e4, 1e8):
        corners = rng.standard_normal((12, 3)) + offset
        middle = corners.mean(axis=0)
        claim = NearestPoint.issue(Problem(np.vstack([corners, middle]), np.arange(13) == 12), np.ones(13))
        assert claim.distance == 0.0
        assert claim.stated <= 1e-15


def test_a_gap_of_the_last_digit_is_a_gap():
    one = np.nextafter(1.0, 2.0)
    problem = Problem(np.array([[0.0], [1.0], [one], [2.0]]), np.array([0, 0, 1, 1]))
    claim = NearestPoint.issue(problem, np.array([0.0, 1.0, 1.0, 0.0]))
    assert claim.distance == one - 1.0
    assert claim.stated == 0.0
    assert claim.proof


def test_a_gap_within_the_last_digit_is_a_gap_if_a_plane_proves_it():
    """Near 10,000 numbers are a step apart; (1, 0) is 1/sqrt(10) steps from the line through (0, 0) and (3, 1)."""
    step = np.spacing(1e4)
    rows = 1e4 + step * np.array([[0.0, 0.0], [3.0, 1.0], [1.0, 0.0]])
    claim = mdm(Problem(rows, np.array([0, 0, 1]))).certificate
    assert claim.distance == pytest.approx(step / np.sqrt(10.0), rel=1e-12)
    assert claim.proof


def test_the_claim_does_not_depend_on_where_the_origin_is():
    rows, far = np.round(X * 64) / 64, 2.0**36  # so that nothing is rounded when they are moved
    expected = mdm(Problem(rows, Y)).certificate
    weights = np.zeros(40)
    weights[expected.support] = expected.weights
    claim = NearestPoint.issue(Problem(rows + far, Y), weights, expected.w)
    assert claim.distance == pytest.approx(expected.distance, rel=1e-13)
    assert claim.bound == pytest.approx(expected.bound, rel=1e-13)


def test_a_direction_of_its_own_keeps_digits_that_the_difference_has_lost():
    """Two long edges face each other 1e-6 apart: p - q is rounded across by 1e-16, which tilts it by 1e-10."""
    along, across = np.array([0.28, 0.96]), np.array([0.96, -0.28])
    rows = np.outer([-1.0, 0.83, -0.4, 1.3], along) + np.outer([0.0, 0.0, 1e-6, 1e-6], across)
    problem = Problem(rows, np.array([0, 0, 1, 1]))
    weights = np.array([1.23 / 1.83, 0.6 / 1.83, 1.0, 0.0])  # both points have -0.4 along
    tilted, straight = NearestPoint.issue(problem, weights), NearestPoint.issue(problem, weights, across)
    assert straight.stated < 1e-9
    assert straight.stated < 0.1 * tilted.stated


def test_sparse_rows_float32_and_parts_give_the_same_error(monkeypatch):
    assert CLAIM.error(Problem(compressed(X), Y)) == pytest.approx(CLAIM.stated, abs=1e-15)
    halves = Problem(np.round(X * 64) / 64, Y)
    claim = NearestPoint.issue(halves, np.ones(40))
    assert claim.error(Problem(halves.X.astype(np.float32), Y)) == claim.stated
    monkeypatch.setattr(nearest_module, "MAX_ENTRIES_AT_ONCE", 7)
    assert claim.error(halves) == pytest.approx(claim.stated, rel=1e-14)


def test_the_claim_is_a_short_story():
    told = str(CLAIM)
    assert told.startswith("NearestPoint: minimise ||p - q|| over the convex hulls of two classes, 40 rows\n")
    assert f"{at_most(CLAIM.distance, 12)}, between mixtures of {CLAIM.sizes[0]} and {CLAIM.sizes[1]} rows" in told
    assert f"{at_least(CLAIM.bound / 2, 12)} on each side" in told
    assert "anyone can check it again" in told
    assert repr(CLAIM).startswith("NearestPoint(40 rows, distance=")
    nothing = NearestPoint.issue(PROBLEM, np.ones(40), np.array([0.0, 0.0, 1.0]))
    assert nothing.bound == 0.0
    assert not nothing.proof
    assert "Nothing is proved" in str(nothing)


def test_what_is_claimed_cannot_be_changed():
    for array in (CLAIM.support, CLAIM.weights, CLAIM.w):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
