"""The books' choice of a penalty by ten folds: versicolor against virginica, with twenty rows set aside for the test.

Iris is standardised and projected onto its first two principal directions; the logistic rule makes 100 passes. One
split decides little, so what is held are ranges over five.
"""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.preprocessing import scale

from separatrix import StochasticClassifier, choose
from separatrix.data import samples

SPLITS = range(5)
PENALTIES = [0.0, 1.0, 2.0, 5.0, 10.0, 20.0]
RATES = [0.001, 0.026, 0.051, 0.076, 0.096]


@pytest.fixture(scope="module")
def pair():
    table = samples.builtin("iris")
    kept = table.labels != "setosa"
    return PCA(2).fit_transform(scale(table.X))[kept], table.labels[kept]


def choices(pair, grid, **options):
    """What is chosen in each split, with its twenty test rows."""
    model = StochasticClassifier(loss="logistic", max_iter=100, random_state=0, **options)
    return [choose(model, *pair, grid, folds=10, test=0.2, random_state=seed) for seed in SPLITS]


def test_small_penalties_win(pair):
    found = choices(pair, {"l2": PENALTIES}, learning_rate=0.01)
    assert [each.n_test for each in found] == [20] * 5
    curve = np.mean([each.grid.mean for each in found], axis=0)
    assert all(each.parameters["l2"] <= 1.0 for each in found)
    assert 0.10 < curve[0] < 0.18
    assert curve[0] < 0.8 * curve[1:].min()
    assert curve[1:].max() < 0.5
    assert 0.0 < np.mean([each.test_error for each in found]) < 0.25


def test_no_rate_makes_up_for_a_large_penalty(pair):
    found = choices(pair, {"learning_rate": RATES}, l2=5.0)
    curve = np.mean([each.grid.mean for each in found], axis=0)
    without = np.mean([each.grid.mean for each in choices(pair, {"l2": [0.0]}, learning_rate=0.01)])
    assert curve.min() > 1.15 * without
    assert curve.max() < 0.5
