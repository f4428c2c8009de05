"""Tests and intervals: by hand, against SciPy, and by simulation."""

import numpy as np
import pytest
from scipy import stats

from separatrix.selection.differences import corrected_t, error_interval, exact_interval, holm, sign_test


def test_the_corrected_t_by_hand():
    """Differences 1, 2, 3, 4, 5 in %: mean 3, variance 2.5, factor 1/5 + 1/4, so t = 3 / sqrt(0.45 * 2.5)."""
    t, p = corrected_t(np.array([1.0, 2, 3, 4, 5]) / 100, ratio=0.25)
    assert t == pytest.approx(3 / np.sqrt(1.125))
    assert p == pytest.approx(2 * stats.t.sf(2.8284271247, df=4), rel=1e-9)


def test_without_overlap_it_is_the_usual_t_test():
    differences = np.random.default_rng(0).normal(0.2, 1.0, 12)
    usual = stats.ttest_1samp(differences, 0.0)
    assert corrected_t(differences, ratio=0.0) == pytest.approx((usual.statistic, usual.pvalue))
    assert corrected_t(-differences, ratio=0.0)[1] == pytest.approx(usual.pvalue)


def test_no_variance():
    assert corrected_t(np.zeros(5), 0.25) == (0.0, 1.0)
    assert corrected_t(np.full(5, -0.25), 0.25) == (-np.inf, 0.0)


def by_majority(y_train, y_test, number):
    """A rule that has nothing to learn: the majority of some of the training labels."""
    return np.mean(y_test != (y_train[number::2].mean() > 0.5))


def test_fewer_false_alarms_than_the_naive_test():
    """Two equally bad rules on the folds of repeated divisions of random labels: all differences are chance."""
    rng, alarms, trials = np.random.default_rng(0), np.zeros(2), 400
    for _ in range(trials):
        y, differences = rng.integers(0, 2, 60), []
        for _ in range(5):
            order = rng.permutation(60)
            for fold in range(3):
                test, train = y[order[fold::3]], np.delete(y[order], np.s_[fold::3])
                differences.append(by_majority(train, test, 0) - by_majority(train, test, 1))
        d = np.array(differences)
        alarms += [corrected_t(d, ratio=0.5)[1] < 0.05, corrected_t(d, ratio=0.0)[1] < 0.05]
    corrected, naive = alarms / trials
    assert corrected < 0.075
    assert naive > 2 * corrected


@pytest.mark.parametrize(("wrong", "n"), [(0, 10), (1, 10), (7, 50), (50, 50), (13, 1000)])
def test_the_exact_interval_is_scipys(wrong, n):
    expected = stats.binomtest(wrong, n).proportion_ci(0.95, method="exact")
    assert exact_interval(wrong, n) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_an_interval_is_the_wider_of_the_two_and_stays_within_bounds():
    errors = np.array([0.0, 0.1, 0.0, 0.1, 0.05])
    half = stats.t.ppf(0.975, 4) * np.sqrt(0.45 * errors.var(ddof=1))
    low, high = error_interval(errors, 100_000, 0.25)
    assert (low, high) == (0.0, pytest.approx(0.05 + half))
    assert error_interval(np.zeros(5), 50, 0.25) == exact_interval(0, 50)
    assert error_interval(np.ones(5), 50, 0.25) == exact_interval(50, 50)
    assert error_interval(np.array([0.0, 1.0]), 4, 1.0) == (0.0, 1.0)


@pytest.mark.parametrize("counts", [(0, 0), (5, 0), (0, 6), (3, 3), (10, 2), (400, 450)])
def test_the_sign_test_is_the_binomial_test(counts):
    expected = stats.binomtest(counts[0], sum(counts), 0.5).pvalue if sum(counts) else 1.0
    assert sign_test(*counts) == pytest.approx(expected, rel=1e-9)


def test_holm_by_hand():
    """0.01 * 4; 0.02 * 3; 0.03 * 2 stays at 0.06; 0.5."""
    assert holm(np.array([0.5, 0.02, 0.01, 0.03])) == pytest.approx([0.5, 0.06, 0.04, 0.06])
    assert holm(np.array([0.9, 0.8])).tolist() == [1.0, 1.0]
    assert holm(np.array([])).size == 0


def test_holm_keeps_the_rate_of_any_false_alarm():
    """Twenty true hypotheses at a time: some alarm in at most 5 % of the cases, where uncorrected ones have 64 %."""
    p = np.random.default_rng(1).uniform(size=(2000, 20))
    assert np.mean([(holm(each) < 0.05).any() for each in p]) < 0.065
    assert (p < 0.05).any(axis=1).mean() > 0.6
