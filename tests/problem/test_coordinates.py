"""There and back: coordinates change neither scores nor ||w||^2."""

import numpy as np
import pytest

from separatrix.problem.coordinates import Coordinates

RNG = np.random.default_rng(0)
X = RNG.standard_normal((50, 5)) * [1.0, 10.0, 0.1, 1.0, 1e-3] + [3.0, 0.0, 1e4, -1e4, 1.0]


@pytest.mark.parametrize(
    "coordinates",
    [Coordinates.of(X, True), Coordinates.of(X, False), Coordinates.of(X[:3], False), Coordinates.turned(X)],
    ids=["offset", "no offset", "more columns than rows", "turned"],
)
def test_scores_and_lengths_are_the_same(coordinates):
    rows = X[:3] if len(coordinates.scale) < 5 else X
    v = RNG.standard_normal(coordinates.scale.size + coordinates.offset)
    w, b = coordinates.plane(v)
    assert np.allclose(coordinates.rows(rows, np.ones(len(rows))) @ v, rows @ w + b, rtol=1e-9, atol=1e-9)
    assert v @ coordinates.penalty() @ v == pytest.approx(w @ w, rel=1e-9)
    assert np.allclose(coordinates.vector(w, b), v, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("mean", [[1.0, 2.0, 3.0], [-1e6, 1e6, 0.0], [0.0, 0.0, 5.0]])
def test_turned_coordinates_are_along_the_mean_and_across(mean):
    rows = np.array(mean) + RNG.standard_normal((40, 3))
    rows -= rows.mean(axis=0) - mean
    basis = Coordinates.turned(rows).basis
    assert np.allclose(basis.T @ basis, np.eye(3), rtol=0.0, atol=1e-14)
    along = np.abs(basis.T @ mean) / np.linalg.norm(mean)
    assert np.allclose(along, [1.0, 0.0, 0.0], rtol=0.0, atol=1e-9)
