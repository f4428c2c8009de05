"""The geometry of a plane: distances, intercepts and feet of perpendiculars."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix import DataError, Hyperplane, Perceptron, margins


def test_a_line_by_hand():
    """3 x1 + 4 x2 = 12: a triangle with the sides 3, 4 and 5."""
    line = Hyperplane([3.0, 4.0], -12.0)
    assert line.distance_from_origin == 12 / 5
    assert line.intercepts.tolist() == [4.0, 3.0]
    assert np.allclose(line.feet([[0.0, 0.0]]), [[36 / 25, 48 / 25]], atol=1e-15)
    assert np.allclose(line.unit_normal, [0.6, 0.8], atol=1e-16)


@pytest.mark.parametrize("seed", range(5))
def test_the_foot_is_on_the_plane_and_nearest(seed):
    random = np.random.default_rng(seed)
    plane, X = Hyperplane(random.standard_normal(4), random.standard_normal()), random.standard_normal((20, 4))
    feet, far = plane.feet(X), plane.distances(X)
    assert np.allclose(plane.distances(feet), 0.0, atol=1e-14)
    assert np.allclose(X - feet, far[:, None] * plane.unit_normal, atol=1e-14)
    others = (
        feet + (across := random.standard_normal((20, 4))) - np.outer(plane.distances(feet + across), plane.unit_normal)
    )
    assert (np.linalg.norm(X - others, axis=1) >= np.abs(far)).all()
    axes = np.diag(plane.intercepts)
    assert np.allclose(plane.distances(axes), 0.0, atol=1e-12), "each intercept is a point of the plane"


def test_distances_are_those_of_fractions():
    plane, x = Hyperplane([3.0, -4.0, 12.0], 0.5), [0.25, 8.0, -1.5]
    exact = (sum(Fraction(a) * Fraction(v) for a, v in zip([3, -4, 12], x, strict=True)) + Fraction(1, 2)) / 13
    assert plane.distances([x])[0] == float(exact)


def test_the_smallest_distance_is_the_geometric_margin():
    X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    model = Perceptron(shuffle=False).fit(X, y)
    plane = Hyperplane(model.coef_[0], model.intercept_[0])
    assert np.allclose(plane.distances(X) * y, margins(model, X, y).geometric)


def test_axes_that_the_plane_does_not_cut():
    assert Hyperplane([0.0, 2.0], 4.0).intercepts.tolist() == [np.inf, -2.0]
    assert np.isnan(Hyperplane([0.0, 2.0]).intercepts[0])


def test_any_size():
    for scale in (1e-180, 1e180):
        plane = Hyperplane([3 * scale, 4 * scale], 5 * scale)
        assert np.isclose(plane.distance_from_origin, 1.0)
        assert np.isclose(np.linalg.norm(plane.unit_normal), 1.0)


@pytest.mark.parametrize(
    ("w", "b"), [([0.0, 0.0], 1.0), ([np.nan, 1.0], 0.0), ([[1.0]], 0.0), ([1.0], np.inf), ("up", 0)]
)
def test_what_is_no_plane_is_refused(w, b):
    with pytest.raises(DataError, match="finite"):
        Hyperplane(w, b)


def test_rows_of_another_size_are_refused():
    with pytest.raises(DataError, match=r"\(n, 2\)"):
        Hyperplane([1.0, 2.0]).distances([[1.0, 2.0, 3.0]])
