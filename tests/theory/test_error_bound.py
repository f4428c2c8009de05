"""The bound on the error of K folds, by exact arithmetic and by its conditions."""

from fractions import Fraction
from math import e, log10

import pytest

from separatrix import OptionError, error_bound
from separatrix.theory.error_bound import natural_log

EULER = Fraction(e)


@pytest.mark.parametrize(
    ("n", "k", "delta", "d"), [(400, 4, Fraction(1, 2), 2), (3200, 5, Fraction(1, 4), 1), (96, 3, Fraction(1, 2), 7)]
)
def test_the_formula_in_rational_numbers(n, k, delta, d):
    """n delta / 2k is whole, so that only the logarithm at the end is rounded."""
    vc, power = d + 1, n * delta / (2 * k)
    assert power.denominator == 1
    exact = 2 * k * (n * (1 + Fraction(1, k)) * EULER / vc) ** (2 * vc) / 2 ** int(power)
    stated = log10(exact.numerator) - log10(exact.denominator)
    bound = error_bound(n, k, float(delta), d)
    assert bound.log10 == pytest.approx(stated, rel=1e-12, abs=1e-12)
    assert bound.vacuous == (exact >= 1)
    assert float(bound) == pytest.approx(min(1.0, float(exact)), rel=1e-9)


@pytest.mark.parametrize(("k", "delta", "d"), [(3, 0.9, 1), (10, 0.05, 30), (5, 0.25, 4), (10, 0.001, 1)])
def test_from_how_many_rows_on_it_is_informative(k, delta, d):
    least = error_bound(int(3 * k / delta**2) + k, k, delta, d).informative_from
    assert natural_log(least, k, delta, d) < 0.0
    assert natural_log(least - 1, k, delta, d) >= 0.0 or not (least - 1) * delta**2 > 2 * k  # which is a condition
    assert all(natural_log(least * more, k, delta, d) < 0.0 for more in (2, 3, 10, 1000))


def test_no_overflow_and_no_false_comfort():
    assert error_bound(10**15, 10, 0.5, 10**6).log10 < -1e12
    assert float(error_bound(10**15, 10, 0.5, 10**6)) == 0.0
    huge = error_bound(10**6, 10, 0.5, 10**9)
    assert huge.vacuous
    assert float(huge) == 1.0
    assert "says nothing" in str(huge)
    few = error_bound(200, 3, 0.9, 5000)  # fewer rows than the VC dimension: any labels are possible
    assert few.vacuous
    assert few.log10 > 100


def test_more_rows_help_and_more_features_do_not():
    rows = [error_bound(n, 5, 0.3, 3).log10 for n in (10_000, 20_000, 40_000)]
    features = [error_bound(10_000, 5, 0.3, d).log10 for d in (1, 3, 10)]
    assert rows == sorted(rows, reverse=True)
    assert features == sorted(features)
    assert "at least 1 - 10^" in str(error_bound(40_000, 5, 0.3, 3))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((10, 3, 0.2, 2), "n above 2k / delta\\^2 = 150"),
        ((2, 3, 0.9, 1), "at least k=3"),
        ((100, 2, 0.5, 1), "'k' parameter"),
        ((100, 5, 0.0, 1), "'delta' parameter"),
        ((100, 5, 1.0, 1), "delta below 1"),
        ((100, 5, float("nan"), 1), "'delta' parameter"),
        ((100, 5, 0.5, 0), "'dimension' parameter"),
        ((100.0, 5, 0.5, 1), "'n' parameter"),
    ],
)
def test_conditions(given, words):
    with pytest.raises(OptionError, match=words):
        error_bound(*given)
