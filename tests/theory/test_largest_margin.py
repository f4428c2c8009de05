"""Least distance by non-negative least squares, and the working set around it."""

import numpy as np
import pytest

from contracts.library import library
from separatrix.certificates.arithmetic.mistake_bound import ExtendedRows
from separatrix.certificates.arithmetic.planes import Planes
from separatrix.data import encode, samples
from separatrix.solvers.separation import least_distance as programming
from separatrix.solvers.separation.least_distance import least_distance
from separatrix.theory import largest_margin as working_set
from separatrix.theory.largest_margin import largest_margin
from theory.margin_oracle import best_bound, best_margin


def duality_gap(Z, shortest):
    """No margin exceeds the distance of a point of the hull: the gap between that and the margin reached, relative."""
    assert (shortest.weights >= 0).all()
    assert shortest.weights.sum() == pytest.approx(1.0)
    above = np.linalg.norm(shortest.weights @ Z)
    reached = (Z @ shortest.v).min() / np.linalg.norm(shortest.v)
    return 1 - reached / above


@pytest.mark.parametrize("shape", [(3, 2), (40, 3), (30, 200), (200, 30)])
@pytest.mark.parametrize("seed", range(5))
def test_the_margin_meets_the_distance_of_the_hull(shape, seed):
    rng = np.random.default_rng(seed)
    u = rng.standard_normal(shape[1])
    Z = rng.standard_normal(shape)
    Z *= np.sign(Z @ u)[:, None]
    shortest = least_distance(Z)
    assert (Z @ shortest.v).min() == pytest.approx(1.0)
    assert abs(duality_gap(Z, shortest)) < 1e-8
    assert 1 / np.linalg.norm(shortest.v) == pytest.approx(best_margin(Z), rel=1e-6)


@pytest.mark.parametrize("gamma", [1e-3, 1e-6, 1e-9])
def test_margins_far_below_the_length_of_the_rows(gamma):
    """(1, gamma), (-1, gamma) and (1, 5): the nearest point of the hull is (0, gamma)."""
    shortest = least_distance(np.array([[1.0, gamma], [-1.0, gamma], [1.0, 5.0]]))
    assert gamma * np.linalg.norm(shortest.v) == pytest.approx(1.0, rel=1e-9)
    assert shortest.weights == pytest.approx([0.5, 0.5, 0.0], abs=1e-9)


def test_rows_of_very_different_lengths():
    """The long row does not hide that the short ones hold the plane."""
    Z = np.array([[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [1e14, 1e14, 1e14], [1e14, 0.0, -1e13]])
    assert 1 / np.linalg.norm(least_distance(Z).v) == pytest.approx(3 / np.sqrt(2), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_rows_14_orders_apart(seed):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((200, 4))
    Z *= np.sign(Z @ [1.0, 2.0, 3.0, 4.0])[:, None] * 10.0 ** rng.uniform(-7, 7, 200)[:, None]
    assert abs(duality_gap(Z, least_distance(Z))) < 1e-2


def test_the_origin_in_the_hull():
    assert least_distance(np.array([[1.0, 1.0], [-1.0, 1.0], [0.0, -1.0]])) is None
    assert least_distance(np.array([[1.0, 1.0], [0.0, 0.0]])) is None
    assert least_distance(np.array([[1.0, 0.0], [-1.0, 0.0]])) is None


@pytest.mark.parametrize("case", library(), ids=lambda case: case.name)
def test_a_plane_is_found_exactly_where_there_is_one(case):
    found = largest_margin(ExtendedRows(case.problem))
    assert (found is not None) is case.separable
    if found is not None:
        assert (found[1] > 0).all()


@pytest.mark.large
def test_many_rows_take_few_at_a_time(monkeypatch):
    """Data of which no round may see more than some hundred rows."""
    table, _ = samples.planted_margin(20_000, 6, 1e-3, seed=4)
    seen = []
    whole = working_set.solve_for
    monkeypatch.setattr(working_set, "solve_for", lambda rows, pairs: seen.append(pairs.size) or whole(rows, pairs))
    extended = ExtendedRows(encode(table.X, table.labels).problem)
    bound = extended.mistake_bound(*largest_margin(extended))
    assert bound == pytest.approx(best_bound(table.X, table.labels), rel=1e-6)
    assert len(seen) > 1
    assert max(seen) < 400


def test_rows_that_matter_are_found_wherever_they_are():
    """The first rows chosen are evenly spaced; the two at the margin are between them."""
    X = np.column_stack([np.repeat([-50.0, 50.0], 5000), np.tile(np.arange(100.0), 100)])
    y = X[:, 0] > 0
    X[4321], X[8765] = (-0.5, 3.0), (0.5, -2.0)
    extended = ExtendedRows(encode(X, y).problem)
    assert extended.mistake_bound(*largest_margin(extended)) == pytest.approx(best_bound(X, y), rel=1e-6)


def test_the_best_plane_of_all_rounds_is_kept(monkeypatch):
    """Of x = 2, then x = 2.5, which is nearer to 3, then nothing."""
    extended = ExtendedRows(encode([[1.0], [3.0]], [0, 1]).problem)
    planes = [Planes.of([1.0], -2.0), Planes.of([1.0], -2.5)]
    rounds = iter([*((plane, np.array([0])) for plane in planes), None])
    monkeypatch.setattr(working_set, "solve_for", lambda *_: next(rounds))
    monkeypatch.setattr(working_set, "violated_pairs", lambda *_: np.array([-1]))
    found, _ = largest_margin(extended)
    assert found is planes[0]


def give_up(*_, **__):
    raise RuntimeError("Maximum number of iterations reached.")


def test_a_solver_that_gives_up_finds_nothing(monkeypatch):
    monkeypatch.setattr(programming, "nnls", give_up)
    extended = ExtendedRows(encode([[0.0], [3.0]], [0, 1]).problem)
    assert largest_margin(extended) is None


def alternating():
    """(1, 0) in the rows chosen first and (1/2, 1) between them; the other class has their negatives."""
    i = np.arange(400)
    sides = np.where(i % 4 < 2, 1, -1)
    X = sides[:, None] * np.where(i[:, None] % 2 == 0, [1.0, 0.0], [0.5, 1.0])
    return ExtendedRows(encode(X, sides, fit_intercept=False).problem)


def test_a_solver_that_gives_up_later_leaves_a_true_bound(monkeypatch):
    """The first round finds (1, 0), with the margin 1/2; the nearest point of the hull is sqrt(4/5) away."""
    extended = alternating()
    assert extended.mistake_bound(*largest_margin(extended)) == pytest.approx(5 / 4 / (4 / 5))
    first, whole = [True], programming.nnls
    monkeypatch.setattr(programming, "nnls", lambda *a, **k: whole(*a, **k) if first and first.pop() else give_up())
    assert extended.mistake_bound(*largest_margin(extended)) == pytest.approx(5 / 4 / (1 / 4))
