"""The decision graph of pairs asks k - 1 of them for each row, and agrees with votes where a class beats all others."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.naive_bayes import GaussianNB

from separatrix import Calibrated, LinearSVM, OneVsOne, OptionError
from separatrix.estimators.reduction import one_vs_one as one_vs_one_module
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.decoding import decision_dag, votes

DIGITS = load_digits(return_X_y=True)
X, Y = DIGITS[0][:600] / 16.0, DIGITS[1][:600]


class Counted(LinearSVM):
    """A machine that counts the rows that it scores."""

    asked = 0

    def decision_function(self, X):
        Counted.asked += len(X)
        return super().decision_function(X)


def by_hand(pairs, k):
    """The list of classes of the paper, for one row: the first against the last, and the loser is struck off."""
    left = list(range(k))
    numbers = {pair: place for place, pair in enumerate(combinations(range(k), 2))}
    while len(left) > 1:
        left.pop(0 if pairs[numbers[left[0], left[-1]]] > 0 else -1)
    return left[0]


@pytest.mark.parametrize("k", [3, 4, 7, 12])
def test_the_class_that_is_left_is_that_of_the_list(k):
    scores = np.random.default_rng(k).standard_normal((300, k * (k - 1) // 2))
    asked = np.zeros(300, dtype=int)

    def score(pair, rows):
        asked[rows] += 1
        return scores[rows, pair]

    found = decision_dag(score, 300, k)
    assert (asked == k - 1).all()
    assert found.argmax(axis=1).tolist() == [by_hand(row, k) for row in scores]
    ordered = np.sort(found, axis=1)
    assert (np.diff(ordered, axis=1) > 0).all(), "a class for each round"
    assert (ordered.round() - np.arange(k) == 0).mean() > 0.9
    clear = votes(scores, one_vs_one(k)).round().max(axis=1) == k - 1  # who beats all others is never struck off
    assert clear.any()
    assert np.array_equal(found.argmax(axis=1)[clear], votes(scores, one_vs_one(k)).argmax(axis=1)[clear])


def test_only_so_many_scores_are_computed():
    model = OneVsOne(Counted(C=0.1), decision="dag").fit(X, Y)
    Counted.asked = 0
    predicted = model.predict(X)
    assert Counted.asked == 9 * 600
    Counted.asked = 0
    voted = model.set_params(decision="vote").predict(X)
    assert Counted.asked == 45 * 600
    assert (predicted == voted).mean() > 0.98


@pytest.mark.parametrize("base", [LinearSVM(C=0.1), GaussianNB()], ids=repr)
def test_scores_and_predictions_agree_whatever_the_storage(base):
    model = OneVsOne(base, decision="dag").fit(X, Y)
    scores = model.decision_function(X)
    assert scores.shape == (600, 10)
    assert np.array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))
    assert np.array_equal(model.predict(pd.DataFrame(X)), model.predict(X))
    assert np.allclose(model.decision_function(X[:1]), scores[:1])
    if isinstance(base, LinearSVM):
        assert np.array_equal(model.predict(sparse.coo_array(X)), model.predict(X))
        whole = model._decode(model._column_scores(X))
        assert np.allclose(whole, scores)


def test_many_rows_are_decided_in_parts(monkeypatch):
    model = OneVsOne(LinearSVM(C=0.1), decision="dag").fit(X, Y)
    whole = model.decision_function(X)
    monkeypatch.setattr(one_vs_one_module, "ROWS_AT_ONCE", 100)
    assert np.allclose(model.decision_function(X), whole)


def test_two_and_three_classes_and_infinite_scores():
    two = Y < 2
    model, vote = (OneVsOne(LinearSVM(), decision=way).fit(X[two], Y[two]) for way in ("dag", "vote"))
    assert np.array_equal(model.decision_function(X), vote.decision_function(X))
    found = decision_dag(lambda pair, rows: np.full(rows.size, np.inf), 2, 3)
    assert found.tolist() == [[-0.5, 0.5, 2.5]] * 2
    assert decision_dag(lambda pair, rows: np.empty(rows.size), 0, 3).shape == (0, 3)


def test_the_decision_is_a_matter_of_predicting_and_is_checked_there_too():
    model = OneVsOne(LinearSVM(C=0.1)).fit(X, Y)
    with pytest.raises(OptionError, match="must be 'vote' or 'dag'. Got 'tree'"):
        model.set_params(decision="tree").predict(X)


def test_probabilities_couple_all_pairs_whatever_the_decision():
    few = Y < 3
    one, other = (
        Calibrated(OneVsOne(LinearSVM(), decision=way), folds=3).fit(X[few], Y[few]) for way in ("dag", "vote")
    )
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))
