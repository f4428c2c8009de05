"""Hitting sets in fractions, by local search and by an integer program, against trying everything."""

from itertools import combinations

import numpy as np
import pytest

from separatrix.certificates.arithmetic.hitting_set import minimum_hitting_set, proves_lower_bound
from separatrix.solvers.errors.fractional_hitting_set import fractional_hitting_set
from separatrix.solvers.errors.hitting_set_search import light_hitting_set


def random_sets(seed):
    rng = np.random.default_rng(seed)
    sets = [np.sort(rng.choice(10, int(rng.integers(1, 4)), replace=False)) for _ in range(12)]
    return sets, rng.integers(1, 4, 10), rng


def lightest(sets, weights):
    rows = [set(chosen) for size in range(11) for chosen in combinations(range(10), size)]
    return min(int(weights[list(hit)].sum()) for hit in rows if all(hit & set(each.tolist()) for each in sets))


@pytest.mark.parametrize("seed", range(12))
def test_the_integer_program_finds_the_lightest(seed):
    sets, weights, _ = random_sets(seed)
    hits = minimum_hitting_set(sets, weights)
    assert hits.lower_bound == weights[hits.rows].sum() == lightest(sets, weights)
    assert all(np.isin(each, hits.rows).any() for each in sets)
    assert proves_lower_bound(sets, weights, hits.lower_bound)
    assert not proves_lower_bound(sets, weights, hits.lower_bound + 1)


@pytest.mark.parametrize("seed", range(12))
def test_local_search_finds_the_lightest_and_nothing_below(seed):
    sets, weights, rng = random_sets(seed)
    least = lightest(sets, weights)
    hit = light_hitting_set(sets, weights, least, np.arange(10), rng)
    assert weights[hit].sum() == least
    assert all(np.isin(each, hit).any() for each in sets)
    assert light_hitting_set(sets, weights, least - 1, np.zeros(0, dtype=int), rng) is None


@pytest.mark.parametrize("seed", range(6))
def test_local_search_finds_a_planted_set(seed):
    """Each set has one of 30 rows, and three others; without prices the search goes round in circles in one of them."""
    rng = np.random.default_rng(seed)
    sets = [np.sort(np.append(rng.integers(30), 30 + rng.choice(50, 3, replace=False))) for _ in range(400)]
    hit = light_hitting_set(sets, np.ones(80, dtype=int), 30, np.zeros(0, dtype=int), rng)
    assert hit.size <= 30
    assert all(np.isin(each, hit).any() for each in sets)


@pytest.mark.parametrize("seed", range(12))
def test_fractions_bound_it_and_a_few_sets_prove_that(seed):
    sets, weights, _ = random_sets(seed)
    relaxed = fractional_hitting_set(sets, weights)
    assert relaxed.lower_bound <= lightest(sets, weights)
    assert all(relaxed.e[each].sum() >= 1.0 - 1e-9 for each in sets)
    assert weights @ relaxed.e == pytest.approx(relaxed.value)
    assert fractional_hitting_set([sets[k] for k in relaxed.binding], weights).value == pytest.approx(relaxed.value)


def test_no_sets_need_no_rows():
    assert minimum_hitting_set([], np.ones(3)).lower_bound == 0
    assert proves_lower_bound([], np.ones(3), 0)
    assert not proves_lower_bound([], np.ones(3), 1)


def test_time_that_is_over_leaves_a_bound_that_is_true():
    rng = np.random.default_rng(0)
    sets = [rng.choice(80, 5, replace=False) for _ in range(400)]
    hits = minimum_hitting_set(sets, np.ones(80, dtype=int), 0.5)
    assert 0 <= hits.lower_bound <= (80 if hits.rows is None else hits.rows.size)
    assert fractional_hitting_set(sets, np.ones(80, dtype=int), 1e-9).lower_bound in (
        0,
        fractional_hitting_set(sets, np.ones(80)).lower_bound,
    )


def test_a_failure_in_the_thread_is_raised():
    with pytest.raises(ValueError, match="inconsistent|constraint|NaN|nan|must"):
        minimum_hitting_set([np.array([0])], np.array([np.nan]))
