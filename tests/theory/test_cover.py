"""Cover's count of separable dichotomies: its table, its recursion, its limits, its logarithm."""

from fractions import Fraction
from itertools import pairwise
from math import comb, log

import numpy as np
import pytest
from flint import arb, ctx
from scipy.stats import binom

from separatrix import OptionError, capacity, cover_count, separable_probability


def test_small_counts():
    assert cover_count(4, 2) == 14
    assert [cover_count(n, 1) for n in range(1, 8)] == [2 * n for n in range(1, 8)]
    assert [cover_count(n, 0) for n in (1, 5)] == [2, 2]  # all points are the same one


@pytest.mark.parametrize("d", range(1, 7))
def test_every_dichotomy_of_few_points_is_separable_and_half_of_them_at_the_capacity(d):
    assert all(cover_count(n, d) == 2**n for n in range(1, d + 2))
    assert cover_count(2 * (d + 1), d) == 2 ** (2 * d + 1)
    assert separable_probability(capacity(d), d) == Fraction(1, 2)
    assert separable_probability(capacity(d, homogeneous=True), d, homogeneous=True) == Fraction(1, 2)
    assert (capacity(d), capacity(d, homogeneous=True)) == (2 * (d + 1), 2 * d)


def test_the_sum_and_the_recursion():
    for n in range(1, 40):
        for d in range(1, 12):
            assert cover_count(n, d) == 2 * sum(comb(n - 1, m) for m in range(d + 1))
            assert cover_count(n + 1, d) == cover_count(n, d) + cover_count(n, d - 1)
            assert cover_count(n, d, homogeneous=True) == cover_count(n, d - 1)


def test_the_count_grows_with_the_dimension_up_to_all_dichotomies():
    """Of a fixed number of points: from 2 n for one feature to 2^n for n - 1 of them."""
    counts = [cover_count(12, d) for d in range(1, 12)]
    assert counts[0] == 24
    assert counts[-1] == 2**12
    assert all(one < other for one, other in pairwise(counts))


def test_above_the_capacity_nearly_none_and_below_nearly_all():
    dimensions, part = (10, 100, 1000, 10_000), Fraction(1, 10)
    above = [separable_probability(int((1 + part) * capacity(d)), d) for d in dimensions]
    below = [separable_probability(int((1 - part) * capacity(d)), d) for d in dimensions]
    assert all(one > other for one, other in pairwise(above))
    assert all(one < other for one, other in pairwise(below))
    assert above[-1] < 1e-40
    assert 1 - below[-1] < 1e-40
    d = 10**8
    assert separable_probability(capacity(d) * 101 // 100, d, log=True) < -9000
    assert -1e-300 < separable_probability(capacity(d) * 99 // 100, d, log=True) <= 0.0


def exact_log(value):
    """The logarithm of a fraction to some hundred digits, rounded once."""
    with ctx.workprec(4000):
        return float((arb(value.numerator) / value.denominator).log().mid())


def test_the_logarithm_is_that_of_the_fraction():
    random = np.random.default_rng(0)
    cases = [(n, d) for n in range(1, 12) for d in range(1, 12)]
    cases += [(int(n), int(n * part)) for n in random.integers(20, 2000, 20) for part in (0.02, 0.4, 0.5, 0.6, 0.95)]
    for n, d in cases:
        found, wanted = separable_probability(n, d, log=True), exact_log(separable_probability(n, d))
        assert abs(found - wanted) <= np.spacing(abs(wanted)), (n, d)
        assert found <= 0.0


def test_the_logarithm_for_a_billion_points():
    n = 10**9
    with ctx.workprec(200):
        wanted = float((arb(cover_count(n, 10)).log() - n * arb(2).log()).mid())
    assert separable_probability(n, 10, log=True) == wanted
    assert separable_probability(n, n // 2 - 1, log=True) == -log(2.0)
    for d in (n // 2 - 30_000, n // 2 - 5_000, n // 2 + 20_000):
        assert np.isclose(separable_probability(n, d, log=True), binom.logcdf(d, n - 1, 0.5), rtol=1e-8, atol=0.0)
    assert separable_probability(n, n, log=True) == 0.0
    assert separable_probability(3, 0, homogeneous=True, log=True) == -np.inf


@pytest.mark.parametrize("n", [0, -1, 2.0, True, "4", None])
def test_wrong_numbers_are_refused(n):
    with pytest.raises(OptionError, match="n_points"):
        cover_count(n, 2)
    with pytest.raises(OptionError, match="n_features"):
        capacity(-1 if n == 0 else 0.5)


def test_what_is_too_large_says_what_to_do():
    with pytest.raises(OptionError, match="log=True"):
        separable_probability(10**9, 10**8)
    with pytest.raises(OptionError, match="log=True"):
        cover_count(10**12, 10**12)
    with pytest.raises(OptionError, match="at most"):
        separable_probability(10**15, 10, log=True)
    with pytest.raises(OptionError, match="'log' parameter must be True or False"):
        separable_probability(4, 2, log="yes")
