"""Enclosures held against exact fractions: every end is on its side, and none is a bit farther out than documented."""

from fractions import Fraction
from math import inf, nan, nextafter

import numpy as np
import pytest

from separatrix.enclosures import (
    Interval,
    enclosed_combination,
    enclosed_dot,
    enclosed_scores,
    enclosed_square,
    enclosed_sum,
)
from separatrix.enclosures.elementwise import exactly, multiplied, shifted, summed_with
from separatrix.enclosures.exact_sums import exact_affine, exact_combination, exact_total, product_below, two_product
from separatrix.enclosures.interval import quotient_up, root, sum_down, sum_up
from separatrix.enclosures.products import Enclosed, rounding_bounds
from separatrix.objectives.bounds.feasible_point import FeasiblePoint
from separatrix.objectives.soft_margin_sums import losses_of, slacks_of, squared_length
from separatrix.objectives.values import Values
from separatrix.rows import CSR, rounding_bound

UNIT = Fraction(1, 2**53)


def fractions(values):
    return [Fraction(v) for v in np.ravel(values).tolist()]


def inner(one, other):
    return sum(a * b for a, b in zip(fractions(one), fractions(other), strict=True))


def inside(found, value):
    return Fraction(found.low) <= value <= Fraction(found.high)


def within(found, true):
    """Whether each true value is inside of its radius."""
    pairs = zip(fractions(found.value), fractions(found.radius), true, strict=True)
    return all(abs(v - t) <= r for v, r, t in pairs)


def doubles(rng, n, spread=3):
    """Numbers whose last bits count, some of them equal to others but for their sign, so that sums cancel."""
    v = rng.standard_normal(n) * 10.0 ** rng.integers(-spread, spread + 1, n)
    v[n // 2 :] = -v[: n - n // 2] * (1.0 + rng.choice([0.0, 2.0**-52, 2.0**-40], n - n // 2))
    return v


PAIRS = [tuple(pair) for pair in np.random.default_rng(0).standard_normal((200, 2)).tolist()] + [
    (0.1, 0.2), (0.1, -0.1), (1.0, 2.0**-60), (-1.0, 2.0**-60), (1e150, 1e-100), (0.0, 0.3), (5e-324, 0.5), (1.0, 3.0),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_ends_of_intervals_are_on_their_sides(a, b):
    x, y = Fraction(a), Fraction(b)
    one, other = Interval.of(a), Interval.of(b)
    assert inside(one + other, x + y)
    assert inside(one - other, x - y)
    assert inside(one * other, x * y)
    assert inside(one.square(), x * x)
    assert b == 0.0 or inside(one / other, x / y)
    wide = Interval.of(a, abs(b))
    assert Fraction(wide.low) <= x - abs(y)
    assert x + abs(y) <= Fraction(wide.high)
    length = root(Interval.of(abs(a)))
    assert Fraction(length.low) ** 2 <= abs(x) <= Fraction(length.high) ** 2


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_directed_sums_and_quotients_are_the_nearest_double_on_their_side(a, b):
    exact = Fraction(a) + Fraction(b)
    assert Fraction(sum_down(a, b)) <= exact <= Fraction(sum_up(a, b))
    assert sum_up(a, b) in (sum_down(a, b), nextafter(sum_down(a, b), inf))
    if b != 0.0 and abs(a) < 1e200:
        found, ratio = quotient_up(abs(a), abs(b)), abs(Fraction(a) / Fraction(b))
        assert Fraction(nextafter(found, 0.0)) < ratio <= Fraction(found) or found == 0.0 == a


def test_what_is_no_number_has_no_bounds():
    for found in (Interval.of(nan), Interval.of(inf) - Interval.of(inf), Interval.of(1.0, nan), Interval.of(0.0) / 0.0):
        assert (found.low, found.high) in ((-inf, inf), (0.0, 0.0))
    assert enclosed_sum(np.array([1.0, nan])) == Interval(-inf, inf)
    assert Values(1.0, nan, 0.0).gap != 0.0


def test_a_gap_is_rounded_up():
    values = Values(1.0, 1.0 - 2.0**-53 - 2.0**-54, 0.0)
    assert Fraction(values.gap) >= 1 - Fraction(values.dual)
    for primal, dual in ((3.0, 2.9), (0.3, 0.1), (7.0, 1e-20)):
        exact = (Fraction(primal) - Fraction(dual)) / Fraction(primal)
        assert Fraction(Values(primal, dual, 0.0).relative) >= exact


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [1, 2, 7, 40, 4200])
def test_sums_of_doubles(seed, n):
    rng = np.random.default_rng([seed, n])
    a, b = doubles(rng, n), doubles(rng, n)
    assert inside(enclosed_sum(a), sum(fractions(a)))
    assert inside(enclosed_dot(a, b), inner(a, b))
    assert inside(enclosed_square(a), inner(a, a))
    radii = np.abs(b) * 1e-3
    moved = [v + r for v, r in zip(fractions(a), fractions(radii), strict=True)]  # the far end of each
    assert inside(enclosed_sum(a, radii), sum(moved))
    assert inside(enclosed_sum(a, radii), 2 * sum(fractions(a)) - sum(moved))
    off = Enclosed(a, radii)
    assert inside(squared_length(off), sum(v * v for v in moved))
    slack = slacks_of(off)
    furthest = [max(0, 1 - v + r) for v, r in zip(fractions(a), fractions(radii), strict=True)]
    assert Fraction(losses_of(Price, np.ones(n), slack).high) >= sum(furthest)


class Price:
    """A loss that is not squared, at a price of 1."""

    C, squared = 1.0, False


def test_bounds_of_roundings_are_twice_the_usual():
    """Half of it is for the sum, and half for the sizes that it is relative to, which are rounded as well."""
    for k in (1, 2, 3, 10, 1000, 10**6):
        usual = k * UNIT / (1 - k * UNIT)
        assert Fraction(float(rounding_bounds(np.array([k]))[0])) >= 2 * usual
        assert Fraction(rounding_bound(k)) >= 2 * usual


def compressed(X):
    """The same rows as compressed ones, every entry stored."""
    n, d = X.shape
    return CSR(X.ravel(), np.tile(np.arange(d), n), np.arange(0, X.size + 1, d), d)


def hard_rows(rng, n, d):
    """Rows whose products with a plane cancel."""
    X = rng.standard_normal((n, d)) + 10.0 ** rng.integers(0, 9)
    w = rng.standard_normal(d)
    return X, w, float(-(X @ w).mean())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [1, 2, 5, 60])
def test_products_with_rows(seed, d):
    rng = np.random.default_rng([seed, d])
    X, w, b = hard_rows(rng, 50, d)
    u = doubles(rng, 50)
    scores = [inner(row, w) + Fraction(b) for row in X]
    sums = [inner(u, column) for column in X.T]
    centre = X.mean(axis=0)
    moved = [sum(a * (x - Fraction(c)) for a, x in zip(fractions(u), fractions(column), strict=True))
             for column, c in zip(X.T, centre.tolist(), strict=True)]  # fmt: skip
    assert within(enclosed_combination(X, u, centre), moved)
    every, one = np.arange(50), np.ones(50)
    for rows in (X, compressed(X)):
        assert within(enclosed_scores(rows, w, b), scores)
        assert within(enclosed_combination(rows, u), sums)
        exact = exact_affine(rows, every, (w, b), 0.5 * one, -one)
        assert within(exact, [Fraction(1, 2) - s for s in scores])
        assert all(abs(Fraction(v) - Fraction(1, 2) + s) <= 2 * UNIT * abs(s - Fraction(1, 2)) + Fraction(1, 10**300)
                   for v, s in zip(exact.value.tolist(), scores, strict=True))  # fmt: skip
        total = exact_combination(rows, u)
        assert within(total, sums)
        assert all(abs(Fraction(v) - s) <= 2 * UNIT * abs(s) for v, s in zip(total.value.tolist(), sums, strict=True))


def test_radii_of_products_grow_with_their_roundings():
    """A sum in which every addition rounds down, to show that radii are needed: 1 + u + u + ... in this order."""
    d = 400
    X = np.append(1.0, np.full(d, 2.0**-53))[None]
    found = enclosed_scores(X, np.ones(d + 1), 0.0)
    assert within(found, [1 + d * UNIT])
    assert found.radius[0] < 4 * d * float(UNIT)


def test_a_product_is_the_sum_of_two_doubles():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(500) * 10.0 ** rng.integers(-90, 90, 500), rng.standard_normal(500)
    high, low = two_product(a, b)
    exact = [x * y for x, y in zip(fractions(a), fractions(b), strict=True)]
    assert [h + v for h, v in zip(fractions(high), fractions(low), strict=True)] == exact
    below = product_below(np.abs(a), np.abs(b))
    assert all(v <= abs(t) for v, t in zip(fractions(below), exact, strict=True))
    assert (np.abs(below - np.abs(a * b)) <= np.spacing(np.abs(a * b))).all()


def test_numbers_with_radii():
    rng = np.random.default_rng(1)
    a, b = (Enclosed(doubles(rng, 300), 10.0 ** rng.uniform(-20, 0, 300)) for _ in range(2))
    for way in (-1, 1):
        x, y = ([v + way * r for v, r in zip(fractions(e.value), fractions(e.radius), strict=True)] for e in (a, b))
        assert within(summed_with(a, b), [p + q for p, q in zip(x, y, strict=True)])
        assert within(multiplied(a, b), [p * q for p, q in zip(x, y, strict=True)])
        assert within(shifted(a, 0.1), [p + Fraction(0.1) for p in x])
        assert within(a.plus(b), [p + q for p, q in zip(x, y, strict=True)])
    none = exactly(np.array([0.1, 0.3]))
    assert within(multiplied(none, none), [Fraction(0.1) ** 2, Fraction(0.3) ** 2])


@pytest.mark.parametrize("seed", range(20))
def test_feasible_points_add_up_to_nothing(seed):
    """The point that is meant is beta less the excess at one place; sums over it enclose those of the true point."""
    rng = np.random.default_rng(seed)
    beta = rng.standard_normal(9) * 10.0 ** rng.integers(-3, 4, 9)
    beta[-1] -= beta.sum()
    point = FeasiblePoint.balanced(np.arange(9), beta)
    exact = fractions(point.beta)
    excess = sum(exact)
    assert inside(point.excess, excess)
    exact[point.place] -= excess
    assert sum(exact) == 0
    assert all(abs(v) <= abs(Fraction(b)) and v * Fraction(b) >= 0 for v, b in zip(exact, beta.tolist(), strict=True))
    values = doubles(rng, 9)
    assert inside(point.dot(values), sum(v * t for v, t in zip(exact, fractions(values), strict=True)))
    assert inside(point.size, sum(abs(v) for v in exact))
    high, low = exact_total(beta)
    assert abs(Fraction(high) + Fraction(low) - sum(fractions(beta))) <= UNIT**2 * sum(map(abs, fractions(beta)))
