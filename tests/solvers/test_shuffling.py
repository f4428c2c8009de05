"""The order of rows: a permutation in every pass, also of long tables, which are mixed by blocks."""

import numpy as np
import pytest

from separatrix import Perceptron
from separatrix.data import samples
from separatrix.solvers.online import shuffling
from separatrix.solvers.online.shuffling import BLOCK_ROWS as BLOCK
from separatrix.solvers.online.shuffling import MIN_ROWS_FOR_BLOCKS as LONG
from separatrix.solvers.online.shuffling import POOL_ROWS as POOL
from separatrix.solvers.online.shuffling import passes_of


def passes(n, seed, count, replace=False, most=8):
    return [
        row.copy() for rows in passes_of(n, np.random.default_rng(seed), count, most, replace) for row in rows.order
    ]


@pytest.mark.parametrize(
    "n",
    [
        1,
        2,
        100,
        LONG - 1,
        LONG,
        LONG + 1,
        LONG + BLOCK + 3,
        20_000,
    ],
)
def test_every_pass_has_every_row_once(n):
    for row in passes(n, 0, 3):
        assert np.array_equal(np.sort(row), np.arange(n))


@pytest.mark.parametrize("n", [100, LONG + 5])
def test_seeds_and_passes_differ_and_repeat(n):
    one, again, other = (passes(n, seed, 3) for seed in (0, 0, 1))
    assert np.array_equal(one, again)
    assert not np.array_equal(one[0], other[0])
    for first, second in ((one[0], one[1]), (one[1], one[2]), (one[0], other[0])):
        assert np.count_nonzero(first == second) < 20, "about one row is in the same place by chance"


def test_without_random_numbers_rows_keep_their_order():
    for rows, _ in passes_of(LONG, None, 5, 4):
        assert (rows == np.arange(LONG)).all()


@pytest.mark.large
def test_a_row_of_a_long_table_is_as_likely_in_every_tenth():
    n, count = LONG + 3, 400
    tenths = np.zeros((n, 10))
    for row in passes(n, 1, count):
        tenths[row, np.arange(n) * 10 // n] += 1
    expected = count / 10
    chi2 = np.sum((tenths - expected) ** 2 / expected, axis=1)
    assert 8.5 < chi2.mean() < 9.5, "nine degrees of freedom"
    assert chi2.max() < 60
    for place in (0, 1, BLOCK - 1, n // 2, n - 2, n - 1):
        assert chi2[place] < 40


def test_neighbours_in_the_table_seldom_meet():
    n = 20_000
    first, second = passes(n, 2, 2)
    for row in (first, second):
        place = np.argsort(row)
        apart = np.abs(np.diff(place))
        blocks_apart = apart[BLOCK - 1 :: BLOCK]
        together = np.delete(apart, np.arange(BLOCK - 1, n - 1, BLOCK))
        assert together.max() < 2 * POOL, "rows of a block are read while it is at hand"
        assert np.mean(together) == pytest.approx(POOL / 3, rel=0.1), "and are mixed with those of its pool"
        assert np.mean(blocks_apart) == pytest.approx(n / 3, rel=0.1), "blocks are anywhere"
        assert np.mean(np.abs(np.diff(row)) == 1) < 2.5 / POOL
    assert np.mean(first // BLOCK == second // BLOCK) < 0.01, "other blocks share a pool the next time"


def test_short_tables_are_mixed_thoroughly():
    n = 5000
    row = passes(n, 3, 1)[0]
    assert np.mean(np.abs(np.diff(np.argsort(row)))) == pytest.approx(n / 3, rel=0.05)


@pytest.mark.parametrize("n", [1000, 20_000])
def test_with_replacement_two_rows_of_three_are_seen(n):
    """1 - (1 - 1/n)^n tends to 1 - 1/e = 63 %."""
    for row in passes(n, 4, 5, replace=True):
        assert row.shape == (n,)
        assert row.min() >= 0
        assert row.max() < n
        assert len(np.unique(row)) / n == pytest.approx(1 - np.exp(-1), abs=3 / np.sqrt(n))


@pytest.mark.large
def test_rows_sorted_by_class_are_learned_as_quickly_as_by_whole_permutations(monkeypatch):
    n = 20_000
    table = samples.planted_margin(n, 5, ratio=0.002, seed=0)[0]
    by_class = np.argsort(table.labels, kind="stable")
    X, y = table.X[by_class], table.labels[by_class]

    def needed():
        models = [Perceptron(random_state=seed, max_iter=10_000).fit(X, y) for seed in range(5)]
        assert all(model.certificate_.proof for model in models)
        return np.mean([model.n_iter_ for model in models])

    by_blocks = needed()
    monkeypatch.setattr(shuffling, "MIN_ROWS_FOR_BLOCKS", 10**9)
    whole = needed()
    assert whole > 4, "it takes a few passes"
    assert whole / 2 < by_blocks < 2 * whole


@pytest.mark.parametrize("n", [5, LONG, LONG + 9])
def test_the_memory_is_asked_for_rows_before_their_turn(n):
    """Each row of a pass is asked for once, or at the end again, and never after it was presented."""
    for rows, ahead in passes_of(n, np.random.default_rng(0), 2, 1):
        place = np.argsort(rows[0])
        soon = ahead[0][: -POOL if n >= LONG else -4]
        assert len(np.unique(soon)) == soon.size
        assert (place[soon] > np.arange(soon.size)).all()


@pytest.mark.parametrize("n", [7, 8, 1001])
def test_how_passes_are_grouped_does_not_change_their_order(n):
    one, many = (
        np.concatenate([rows.order.copy() for rows in passes_of(n, np.random.default_rng(3), 40, most)])
        for most in (1, 16)
    )
    assert np.array_equal(one, many)
