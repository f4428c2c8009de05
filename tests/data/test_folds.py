"""Folds are stratified partitions, samples keep proportions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from separatrix import DataError
from separatrix.data.folds import stratified_folds, stratified_sample, usable_folds

counts = st.lists(st.integers(2, 40), min_size=2, max_size=5)


def shuffled_codes(counts, seed):
    return np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))


@settings(max_examples=60, deadline=None)
@given(counts=counts, wanted=st.integers(2, 12), repeats=st.integers(1, 3), seed=st.integers(0, 2**31 - 1))
def test_folds_are_stratified_partitions(counts, wanted, repeats, seed):
    codes = shuffled_codes(counts, seed)
    n_folds = usable_folds(codes, np.arange(len(counts)), wanted)
    assert n_folds == min(wanted, *counts)
    folds = stratified_folds(codes, n_folds, repeats, seed)
    assert len(folds) == n_folds * repeats
    for first in range(0, len(folds), n_folds):
        division = folds[first : first + n_folds]
        assert np.sort(np.concatenate([fold.test for fold in division])).tolist() == list(range(codes.size))
        sizes = [fold.test.size for fold in division]
        assert max(sizes) - min(sizes) <= 1
        by_class = np.array([np.bincount(codes[fold.test], minlength=len(counts)) for fold in division])
        assert (np.ptp(by_class, axis=0) <= 1).all()
        assert by_class.min() >= 1
    for fold in folds:
        assert np.union1d(fold.train, fold.test).size == fold.train.size + fold.test.size == codes.size
        assert np.unique(codes[fold.train]).size == len(counts)


def test_repeats_and_seeds_divide_differently():
    codes = shuffled_codes([30, 30], 0)
    folds = stratified_folds(codes, 3, 2, seed=1)
    assert folds[0].test.tolist() != folds[3].test.tolist()
    assert folds[0].test.tolist() != stratified_folds(codes, 3, 1, seed=2)[0].test.tolist()
    assert folds[0].test.tolist() == stratified_folds(codes, 3, 1, seed=1)[0].test.tolist()


def test_a_fold_is_no_block_of_rows():
    """Sorted files are common: neighbours must not be tested together."""
    codes = np.repeat([0, 1], 500)
    test = stratified_folds(codes, 5, 1, seed=0)[0].test
    assert np.ptp(test[codes[test] == 0]) > 400


def test_a_class_of_one_row_is_refused_by_name():
    with pytest.raises(DataError, match=r"class 'rare' has 1 row of 6 rows.*leave this class out"):
        usable_folds(np.array([0, 0, 0, 0, 0, 1]), np.array(["often", "rare"]), 5)


@settings(max_examples=60, deadline=None)
@given(
    counts=st.lists(st.integers(2, 300), min_size=2, max_size=5), part=st.floats(0.05, 1.5), seed=st.integers(0, 10**6)
)
def test_samples_keep_proportions_and_rare_classes(counts, part, seed):
    codes = shuffled_codes(counts, seed)
    size = max(1, int(part * codes.size))
    index = stratified_sample(codes, size, 5, seed)
    assert np.unique(index).size == index.size
    found = np.bincount(codes[index], minlength=len(counts))
    exact = np.array(counts) * min(1.0, size / codes.size)
    least = np.minimum(counts, 5)
    assert (found >= least).all()
    assert (np.abs(found - exact)[exact > 6] < 1.0 + 1e-9).all()
    if (exact > 6).all():
        assert index.size == min(size, codes.size)


def test_a_sample_of_rows_in_order_comes_from_everywhere():
    index = stratified_sample(np.repeat([0, 1], 1000), 100, 5, seed=0)
    assert index.tolist() == sorted(index.tolist())
    assert np.ptp(index[:50]) > 800
