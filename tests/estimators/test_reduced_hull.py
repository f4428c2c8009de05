"""Reduced hulls: their corners, and which points are in them, by exact fractions."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import ConvexHull

from separatrix import DataError, OptionError, reduced_hull
from separatrix.certificates.arithmetic.containment import exact_bounds, proves_outside
from solvers.reduced_hulls_by_clarabel import extreme_point

RNG = np.random.default_rng(0)


def corners_of(points):
    """The corners of the convex hull of points in the plane, sorted."""
    return np.array(sorted(points[ConvexHull(points).vertices].round(9).tolist()))


def test_the_whole_hull_is_that_of_mu_one():
    X = RNG.standard_normal((40, 2))
    found = reduced_hull(X, 1.0).outline()
    np.testing.assert_allclose(np.array(sorted(found.round(9).tolist())), corners_of(X), atol=1e-9)


@pytest.mark.parametrize(("n", "size"), [(7, 2), (7, 3), (6, 5)])
def test_corners_for_whole_numbers_of_rows_are_means_of_so_many(n, size):
    X = RNG.standard_normal((n, 2))
    means = np.array([X[list(rows)].mean(axis=0) for rows in combinations(range(n), size)])
    found = reduced_hull(X, 1.0 / size).outline()
    np.testing.assert_allclose(np.array(sorted(found.round(9).tolist())), corners_of(means), atol=1e-8)
    assert signed_area(found) > 0, "counter-clockwise"


def signed_area(corners):
    """Twice the area of a polygon, positive where its corners go round counter-clockwise."""
    after = np.roll(corners, -1, axis=0)
    return float(np.sum(corners[:, 0] * after[:, 1] - corners[:, 1] * after[:, 0]))


@pytest.mark.parametrize("mu", [0.04, 0.1, 0.23, 0.4, 0.5, 0.77, 1.0])
def test_extreme_points_are_those_of_the_formula(mu):
    X = RNG.standard_normal((25, 4))
    hull = reduced_hull(X, mu)
    for u in RNG.standard_normal((20, 4)):
        found = hull.extreme_point(u)
        np.testing.assert_allclose(found.point, extreme_point(X, u, mu), atol=1e-12)
        assert hull.support_function(u) == pytest.approx(found.point @ u, abs=1e-12)
        assert (found.weights <= mu * (1 + 1e-12)).all()
        assert found.weights.sum() == pytest.approx(1.0)
        others = RNG.dirichlet(np.ones(25), 50)
        others = others[(others <= mu).all(axis=1)]
        assert ((others @ X @ u) <= hull.support_function(u) + 1e-12).all()


def test_it_shrinks_with_mu_down_to_the_mean():
    X = RNG.standard_normal((12, 3))
    for u in RNG.standard_normal((10, 3)):
        values = [reduced_hull(X, mu).support_function(u) for mu in np.linspace(1 / 12, 1.0, 30)]
        assert (np.diff(values) >= -1e-13).all()
        assert values[0] == pytest.approx(X.mean(axis=0) @ u, abs=1e-13)
        assert values[-1] == pytest.approx((X @ u).max(), abs=1e-13)


def check_proof(hull, p, found):
    """The proof of a containment, checked by Python's fractions."""
    rows = [[Fraction(v) for v in row] for row in hull.X.tolist()]
    bounds = [Fraction(hull.mu) * Fraction(c) for c in hull.sample_weight.tolist()]
    p = [Fraction(v) for v in np.asarray(p, float).tolist()]
    if found.inside:
        assert sum(found.weights) == 1
        assert all(0 <= a <= bound for a, bound in zip(found.weights, bounds, strict=True))
        for j, value in enumerate(p):
            assert sum(a * row[j] for a, row in zip(found.weights, rows, strict=True)) == value
    elif found.inside is False:
        u = [Fraction(v) for v in found.direction.tolist()]
        scores = [sum(map(Fraction.__mul__, u, row)) for row in rows]
        left, most = Fraction(1), Fraction(0)
        for score, bound in sorted(zip(scores, bounds, strict=True), reverse=True):
            most, left = most + min(left, bound) * score, left - min(left, bound)
        assert left == 0
        assert sum(map(Fraction.__mul__, u, p)) > most


@pytest.mark.parametrize("d", [1, 2, 3, 7])
@pytest.mark.parametrize("mu", [0.06, 0.2, 1.0])
def test_what_is_inside_and_outside_is_proved(d, mu):
    X = RNG.standard_normal((25, d))
    hull = reduced_hull(X, mu)
    for u in RNG.standard_normal((6, d)):
        corner, mean = hull.extreme_point(u).point, X.mean(axis=0)
        for part, expected in ((0.5, True), (0.999, True), (1.001, False), (2.0, False)):
            p = mean + part * (corner - mean)
            found = hull.contains(p)
            assert found.inside is expected
            assert bool(found) is expected
            check_proof(hull, p, found)
            assert (found.distance > 0.0) is not expected


def test_points_on_the_boundary_are_decided_where_they_can_be():
    square = reduced_hull([[0, 0], [2, 0], [0, 2], [2, 2]], 0.5)
    for p in ([1.0, 0.0], [0.0, 1.0], [0.5, 0.5]):  # two corners, and the middle of an edge
        found = square.contains(p)
        assert found.inside is True
        check_proof(square, p, found)
    outside = square.contains([1.0, np.nextafter(0.0, -1.0)])
    assert outside.inside is not True, "it is below by the smallest number there is"
    assert square.contains([1.0, -1e-12]).inside is False


def test_what_cannot_be_decided_is_said_to_be_so():
    """Points as rounded as a corner are inside or outside by less than double precision can tell."""
    X = RNG.standard_normal((15, 3))
    hull = reduced_hull(X, 0.3)
    answers = [hull.contains(hull.extreme_point(u).point) for u in RNG.standard_normal((20, 3))]
    assert any(found.inside is None for found in answers)
    for found in answers:
        assert not (found.inside is None and (found.weights or found.direction is not None))


def test_rows_in_a_plane_and_equal_rows():
    flat = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 1.0, 1.0], [0.25, 0.5, 1.0]])
    hull = reduced_hull(flat, 0.5)
    for p, expected in (([0.5, 0.5, 1.0], True), ([0.25, 0.375, 1.0], True), ([0.5, 0.5, 1.25], False)):
        found = hull.contains(p)
        assert found.inside is expected
        check_proof(hull, p, found)
    same = reduced_hull(np.ones((4, 2)), 0.3)
    assert same.contains([1.0, 1.0]).inside is True
    assert same.contains([1.0, 1.5]).inside is False
    assert same.outline().tolist() == [[1.0, 1.0]]
    assert reduced_hull([[0, 0], [1, 1], [3, 3]], 1.0).outline().tolist() == [[0.0, 0.0], [3.0, 3.0]]


def test_a_weight_of_two_is_the_row_twice():
    X, times = RNG.standard_normal((10, 2)), np.array([1, 2, 3, 1, 0, 2, 1, 1, 2, 1])
    one, other = reduced_hull(X, 0.15, times), reduced_hull(np.repeat(X, times, axis=0), 0.15)
    for u in RNG.standard_normal((10, 2)):
        assert one.support_function(u) == pytest.approx(other.support_function(u), abs=1e-12)
    found = one.contains(other.extreme_point([1.0, 0.0]).point * 0.9 + 0.1 * np.average(X, axis=0, weights=times))
    assert found.inside is True
    assert found.weights[4] == 0, "a row of weight 0 takes no part"


def test_bounds_that_rounding_leaves_below_one_are_those_of_the_smallest_mu():
    bounds = exact_bounds(np.ones(49), 1 / 49)
    assert sum(bounds) >= 1
    X = np.arange(49.0)[:, None]
    hull = reduced_hull(X, 1 / 49)
    assert hull.support_function([1.0]) == pytest.approx(24.0)
    assert proves_outside(X, bounds, np.array([24.001]), np.array([1.0]))
    assert not proves_outside(X, bounds, np.array([24.001]), np.array([0.0]))


def test_sparse_rows_and_frames_will_do():
    pandas = pytest.importorskip("pandas")
    X = RNG.standard_normal((9, 2))
    expected = reduced_hull(X, 0.3).support_function([1.0, 2.0])
    for other in (sparse.csr_matrix(X), pandas.DataFrame(X, columns=["a", "b"]), X.tolist()):
        assert reduced_hull(other, 0.3).support_function([1.0, 2.0]) == pytest.approx(expected)


def test_wrong_arguments_are_refused():
    X = np.zeros((4, 3))
    with pytest.raises(OptionError, match="'mu' parameter must be at least 0.25 for these rows.*Got 0.2"):
        reduced_hull(X, 0.2)
    for wrong in (0.0, -1.0, np.nan, "all"):
        with pytest.raises(OptionError, match="'mu'"):
            reduced_hull(X, wrong)
    with pytest.raises(DataError, match="NaN"):
        reduced_hull([[np.nan], [1.0]], 0.5)
    hull = reduced_hull(X, 0.5)
    for wrong in ([1.0], "north", [np.inf, 0.0, 0.0], None):
        with pytest.raises(OptionError, match="'u' parameter must hold 3 finite numbers"):
            hull.support_function(wrong)
        with pytest.raises(OptionError, match="'p' parameter must hold 3 finite numbers"):
            hull.contains(wrong)
    with pytest.raises(DataError, match="two dimensions, and these rows have 3"):
        hull.outline()
    assert repr(hull) == "ReducedHull(4 rows x 3 features, mu=0.5)"
