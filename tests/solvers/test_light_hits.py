"""Hitting sets in fractions, by local search and by an integer program, against trying everything."""

from itertools import combinations

import numpy as np
import pytest

from separatrix.certificates.arithmetic.hitting_set import fewest_hits, weigh_at_least
from separatrix.solvers.errors.hitting_set_bounds import light_hits, relaxed_hits


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
    hits = fewest_hits(sets, weights)
    assert hits.least == weights[hits.rows].sum() == lightest(sets, weights)
    assert all(np.isin(each, hits.rows).any() for each in sets)
    assert weigh_at_least(sets, weights, hits.least)
    assert not weigh_at_least(sets, weights, hits.least + 1)


@pytest.mark.parametrize("seed", range(12))
def test_local_search_finds_the_lightest_and_nothing_below(seed):
    sets, weights, rng = random_sets(seed)
    least = lightest(sets, weights)
    hit = light_hits(sets, weights, least, np.arange(10), rng)
    assert weights[hit].sum() == least
    assert all(np.isin(each, hit).any() for each in sets)
    assert light_hits(sets, weights, least - 1, np.zeros(0, dtype=int), rng) is None


@pytest.mark.parametrize("seed", range(6))
def test_local_search_finds_a_planted_set(seed):
    """Each set has one of 30 rows, and three others; without prices the search goes round in circles in one of them."""
    rng = np.random.default_rng(seed)
    sets = [np.sort(np.append(rng.integers(30), 30 + rng.choice(50, 3, replace=False))) for _ in range(400)]
    hit = light_hits(sets, np.ones(80, dtype=int), 30, np.zeros(0, dtype=int), rng)
    assert hit.size <= 30
    assert all(np.isin(each, hit).any() for each in sets)


@pytest.mark.parametrize("seed", range(12))
def test_fractions_bound_it_and_a_few_sets_prove_that(seed):
    sets, weights, _ = random_sets(seed)
    relaxed = relaxed_hits(sets, weights)
    assert relaxed.least <= lightest(sets, weights)
    assert all(relaxed.e[each].sum() >= 1.0 - 1e-9 for each in sets)
    assert weights @ relaxed.e == pytest.approx(relaxed.value)
    assert relaxed_hits([sets[k] for k in relaxed.binding], weights).value == pytest.approx(relaxed.value)


def test_no_sets_need_no_rows():
    assert fewest_hits([], np.ones(3)).least == 0
    assert weigh_at_least([], np.ones(3), 0)
    assert not weigh_at_least([], np.ones(3), 1)


def test_time_that_is_over_leaves_a_bound_that_is_true():
    rng = np.random.default_rng(0)
    sets = [rng.choice(80, 5, replace=False) for _ in range(400)]
    hits = fewest_hits(sets, np.ones(80, dtype=int), 0.5)
    assert 0 <= hits.least <= (80 if hits.rows is None else hits.rows.size)
    assert relaxed_hits(sets, np.ones(80, dtype=int), 1e-9).least in (0, relaxed_hits(sets, np.ones(80)).least)


def test_a_failure_in_the_thread_is_raised():
    with pytest.raises(ValueError, match="inconsistent|constraint|NaN|nan|must"):
        fewest_hits([np.array([0])], np.array([np.nan]))
