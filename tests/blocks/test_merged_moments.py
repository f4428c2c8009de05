"""Moments of many blocks are as certain as those of few: bounds hold in fractions and do not grow with the blocks."""

from fractions import Fraction

import numpy as np
import pytest

from separatrix.data.blocks import read_blocks
from separatrix.enclosures import Enclosed
from separatrix.enclosures.elementwise import exactly, mean_of_two
from separatrix.problem.moments import SUM_OF_MOMENTS

RNG = np.random.default_rng(6)


@pytest.mark.parametrize("radius", [0.0, 1e-16, 1e-3])
def test_a_mean_of_two_contains_the_exact_one(radius):
    a, b = RNG.standard_normal((2, 500)) * 10.0 ** RNG.uniform(-3, 3, (2, 500))
    share = RNG.uniform(0, 1, 500)
    off = RNG.choice([-1.0, 1.0], (3, 500)) * radius
    found = mean_of_two(
        Enclosed(a, np.full(500, radius)), Enclosed(b, np.full(500, radius)), Enclosed(share, np.full(500, radius))
    )
    for k in range(500):
        one, other = Fraction(a[k]) + Fraction(off[0, k]), Fraction(b[k]) + Fraction(off[1, k])
        part = min(max(Fraction(share[k]) + Fraction(off[2, k]), Fraction(0)), Fraction(1))
        exact = one + part * (other - one)
        assert abs(exact - Fraction(found.value[k])) <= Fraction(found.radius[k])


def test_a_mean_of_exact_numbers_is_rounded_a_little():
    found = mean_of_two(exactly(np.array([1.0])), exactly(np.array([2.0])), exactly(np.array([0.1])))
    assert 0.0 < found.radius[0] < 1e-15


def test_bounds_hold_and_do_not_grow_with_the_number_of_blocks():
    X = RNG.standard_normal((4096, 3)) * [1.0, 100.0, 1.0] + [0.0, 50.0, 1e4]
    y = RNG.integers(0, 2, 4096)
    radii = {}
    for size in (4096, 512, 16):
        moments = read_blocks(X, y, rows_per_block=size).encoded().problem.over(SUM_OF_MOMENTS)
        radii[size] = moments.offset_radius.max()
        for c in (0, 1):
            for j, column in enumerate(X[y == c].T):
                mean = sum(map(Fraction, column.tolist())) / column.size - Fraction(moments.origin[j])
                off = abs(mean - Fraction(moments.offsets[c, j]))
                assert off <= Fraction(moments.offset_radius[c, j])
    assert radii[16] < 4.0 * radii[4096]
