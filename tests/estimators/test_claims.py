"""Where one against the rest leaves a row to no class, or to several: problem 3.15 of the textbook."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import Claims, ErrorCorrectingCode, LinearSVM, OneVsOne, OneVsRest
from separatrix.estimators.reduction.codes.exhaustive import exhaustive_code

ANGLES = np.pi / 2 + 2.0 * np.pi / 3.0 * np.arange(3)
Y = np.repeat(["a", "b", "c"], 20)
X = 4.0 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)]).repeat(20, axis=0)
X = X + 0.6 * np.random.default_rng(0).standard_normal((60, 2))


def test_three_classes_leave_points_to_none_and_points_to_two():
    """Each class is separated from the rest; no training row is where it is not decided, but other points are."""
    model = OneVsRest(LinearSVM(C=1e3)).fit(X, Y)
    own = model.indeterminate(X)
    assert own.count.tolist() == [1] * 60
    assert np.array_equal(model.classes_[own.claimed.argmax(axis=1)], Y)
    middle, between = np.zeros((1, 2)), -3.0 * 4.0 * np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
    claims = model.indeterminate(np.vstack([middle, between, X[:1]]))
    assert claims.unclaimed.tolist() == [0]
    assert claims.contested.tolist() == [1, 2, 3]
    assert claims.count.tolist() == [0, 2, 2, 2, 1]
    assert claims.claimed[1:4].tolist() == (~np.eye(3, dtype=bool)).tolist()
    scores = model.decision_function(np.vstack([middle, between]))
    assert np.array_equal(claims.claimed[:4], scores > 0)
    assert np.array_equal(model.predict(np.vstack([middle, between])), model.classes_[scores.argmax(axis=1)])


def test_the_text_names_rows_and_claimants():
    claimed = np.array([[1, 1, 0], [0, 0, 0], [1, 1, 1], *[[0, 0, 0]] * 7, [0, 1, 0]]) > 0
    text = str(Claims(claimed, np.array([1, 2, 3])))
    assert text.splitlines() == [
        "Of 11 rows",
        "  one class claims    1",
        "  none claims         8  rows 1, 3, 4, 5, 6, and 3 more",
        "  several claim       2  rows 0 (1, 2), 2 (1, 2, 3)",
    ]
    assert repr(Claims(claimed, np.array([1, 2, 3]))) == "Claims(1 of 11 rows by one class, 8 by none, 2 by several)"


def test_pairs_claim_what_beats_all_others_and_never_twice():
    model = OneVsOne(LinearSVM(C=1e3)).fit(X, Y)
    assert model.indeterminate(X).count.tolist() == [1] * 60
    grid = np.stack(np.meshgrid(np.linspace(-9, 9, 60), np.linspace(-9, 9, 60)), axis=-1).reshape(-1, 2)
    claims = model.indeterminate(grid)
    assert not claims.contested.size
    assert np.array_equal(claims.count == 1, model.decision_function(grid).round().max(axis=1) == 2)


@pytest.mark.parametrize("decode", ["hamming", "loss"])
def test_a_codeword_claims_the_words_that_it_corrects(decode):
    y = np.repeat(np.arange(5), 12)
    model = ErrorCorrectingCode(LinearSVM(), exhaustive_code(5), decode).fit(X, y)
    grid = np.random.default_rng(0).uniform(-6, 6, (400, 2))
    claims, bits = model.indeterminate(grid), np.where(model._column_scores(grid) > 0, 1, -1)
    wrong = (bits[:, None, :] != model.code_[None]).sum(axis=2)
    assert np.array_equal(claims.claimed, wrong <= 3)
    assert not claims.contested.size


def test_two_classes_always_have_one_claimant():
    two = Y != "c"
    for way in (OneVsRest, OneVsOne, ErrorCorrectingCode):
        model = way(make_pipeline(StandardScaler(), LinearSVM())).fit(X[two], Y[two])
        claims = model.indeterminate(X)
        assert (claims.count == 1).all()
        assert np.array_equal(model.classes_[claims.claimed.argmax(axis=1)], model.predict(X))
