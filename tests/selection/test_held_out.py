"""Rows that are held out have no part in what is chosen, groups stay together, and the past comes before the future."""

import numpy as np
import pytest

from separatrix import DataError, OptionError, Preparation
from separatrix.selection.conclusions.left_out import left_out_codes
from separatrix.selection.findings import model_words
from separatrix.selection.held_out.division import MIN_TEST_ROWS, divide
from separatrix.selection.held_out.order import Order, TimeFolds
from separatrix.selection.held_out.protocol import Asked, choose_on, divided, held_out_test
from separatrix.selection.held_out.threshold import Wish
from separatrix.selection.regression.study import study_numbers
from separatrix.selection.study import study

FAST = ["least squares", "linear SVM", "logistic discrimination"]
BOTH = np.array(["no", "yes"])


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((300, 4))
    return X, np.where(X[:, 0] + 0.5 * X[:, 1] + 0.7 * rng.standard_normal(300) > 0.4, "yes", "no")


def asked(**wanted):
    options = {"preparation": Preparation(), "random_state": 0, "scoring": "error", "positive": None}
    return Asked(options, 4, FAST, None, wanted.get("wish"))


@pytest.mark.parametrize("wish", [Wish(recall=0.9), Wish(None, 1.0, 5.0)])
def test_labels_of_test_rows_change_the_test_and_nothing_that_is_chosen(data, wish):
    X, y = data
    rows = divided(X, y, None, Order(), 4, seed=0)
    test = rows.division.test
    codes = rows.codes.copy()
    codes[test] = np.random.default_rng(1).permutation(codes[test])
    assert (codes != rows.codes).any()
    found = []
    for each in (rows, rows._replace(codes=codes)):
        chosen = choose_on(each, asked(wish=wish), [None, None], lambda *_: None)
        found.append((chosen, held_out_test(each, chosen, Preparation())))
    (one, first), (two, second) = found
    assert one.comparison == two.comparison
    assert (one.why, one.threshold, repr(one.estimator)) == (two.why, two.threshold, repr(two.estimator))
    np.testing.assert_array_equal(one.path.errors, two.path.errors)
    np.testing.assert_array_equal(one.scored.scores, two.scored.scores)
    np.testing.assert_array_equal(first.predicted, second.predicted)
    assert first.error_rate < 0.3 < second.error_rate, "what was permuted cannot be predicted"


def test_features_of_test_rows_change_nothing_that_is_chosen(data):
    X, y = data
    rows = divided(X, y, None, Order(), 4, seed=0)
    changed = X.copy()
    changed[rows.division.test] *= 100.0
    one, two = (choose_on(each, asked(), [None, None], lambda *_: None) for each in (rows, rows._replace(X=changed)))
    assert one.comparison == two.comparison
    np.testing.assert_array_equal(one.scored.scores, two.scored.scores)


def test_the_test_error_is_that_of_a_fit_to_the_other_rows(data):
    X, y = data
    found = study(X, y, algorithms=["logistic discrimination"])
    test = found.test.index
    train = np.setdiff1d(np.arange(y.size), test)
    preparation = Preparation().fit(X[train])
    from separatrix import LogisticClassifier

    model = LogisticClassifier(C=found.classifier.C).fit(preparation.transform(X[train]), y[train])
    wrong = np.mean(model.predict(preparation.transform(X[test])) != y[test])
    assert found.test.error_rate == wrong == found.to_dict()["test"]["error_rate"]
    assert found.test.n_train == train.size == 240
    assert found.n_rows == 300, "the model that is kept is fitted to all rows"
    np.testing.assert_array_equal(found.confusion.sum(axis=1), found.counts)
    assert sorted(np.append(found.comparison.index, test)) == list(range(300))


def test_the_same_seed_holds_the_same_rows_out(data):
    X, y = data
    one, two, other = (study(X, y, algorithms=FAST[:1], random_state=seed) for seed in (3, 3, 4))
    assert one.to_dict() | {"comparison": 0} == two.to_dict() | {"comparison": 0}
    np.testing.assert_array_equal(one.test.index, two.test.index)
    assert not np.array_equal(one.test.index, other.test.index)


@pytest.mark.parametrize("n", [8, 60, 197, 198, 400])
def test_small_tables_are_not_divided_and_say_so(n):
    found = divide(np.arange(n) % 2, BOTH, None, Order(), keep=5, seed=0)
    assert found.test.size == (0 if round(0.2 * n) < MIN_TEST_ROWS else round(0.2 * n))
    assert ("No test part" in found.note) == (not found.test.size)
    assert divide(np.arange(n) % 2, BOTH, 0.25, Order(), keep=2, seed=0).test.size == round(0.25 * n)


@pytest.mark.parametrize("rare", [1, 2, 5, 6, 9, 30])
def test_a_rare_class_keeps_its_rows_to_choose_with(rare):
    codes = (np.arange(500) < rare).astype(int)
    found = divide(codes, BOTH, 0.3, Order(), keep=5, seed=0)
    assert codes[found.train].sum() >= min(rare, 5)
    assert abs(codes[found.test].sum() - min(0.3 * rare, max(rare - 5, 0))) <= 1


def test_a_part_that_is_asked_for_leaves_two_rows_of_a_class():
    found = study(np.arange(16.0)[:, None], np.arange(16) // 8, algorithms=FAST[:1], test=0.5)
    assert np.bincount(found.y[found.test.index]).tolist() == [4, 4]
    assert found.comparison.n_folds == 4, "as many as a class has rows left"
    with pytest.raises(OptionError, match="leaves no row of any class for the test"):
        divide(np.arange(4) % 2, BOTH, 0.5, Order(), keep=2, seed=0)


def test_no_group_is_on_both_sides_of_any_split(data, monkeypatch):
    X, y = data
    groups = np.random.default_rng(0).integers(25, size=300)
    seen = []
    real = choose_on.__globals__["compare_on"]
    monkeypatch.setitem(
        choose_on.__globals__, "compare_on", lambda split, *a, **k: seen.append(split) or real(split, *a, **k)
    )
    found = study(X, y, algorithms=FAST[:1], groups=groups)
    (split,) = seen
    own = groups[split.index]
    for fold in split.data.folds:
        assert not set(own[fold.train]) & set(own[fold.test])
    assert not set(groups[found.test.index]) & set(own)
    assert abs(found.test.n_rows - 60) < 20
    numbers = study_numbers(X, X[:, 0] + X[:, 1] ** 2, algorithms=["least squares regression"], groups=groups)
    assert not set(groups[numbers.test.index]) & set(groups[numbers.comparison.index])


def test_every_split_learns_from_the_past(data):
    X, y = data
    times = np.random.default_rng(2).integers(0, 80, size=300).astype(float)  # many rows at the same time
    found = study(X, y, algorithms=FAST[:1], times=times)
    assert times[found.comparison.index].max() < times[found.test.index].min()
    folds = TimeFolds(times, 5).split(None, y)
    assert len(folds) == 5
    assert all(times[fold.train].max() < times[fold.test].min() for fold in folds)
    assert sum(fold.test.size for fold in folds) > 200
    never = left_out_codes(found) == -1
    assert times[found.comparison.index][never].max() < times[found.comparison.index][~never].min()


def test_groups_fewer_than_folds_make_fewer_folds(data):
    X, y = data
    found = study(X, y, algorithms=FAST[:1], groups=np.arange(300) % 3)
    assert found.comparison.n_folds == 3
    assert any("3 folds in place of 5, as there are 3 groups only" in note for note in found.comparison.notes)
    assert found.test is None
    assert any("No test part was held out, as there are 3 groups only" in note for note in found.notes)
    with pytest.raises(DataError, match="are of one group"):
        study(X, y, algorithms=FAST[:1], groups=np.zeros(300))
    with pytest.raises(DataError, match="too few to hold one out"):
        study(X, y, algorithms=FAST[:1], groups=np.arange(300) % 2, test=0.5)


@pytest.mark.parametrize(
    ("how", "error", "said"),
    [
        ({"test": 0.95}, OptionError, "at most 0.9"),
        ({"test": 0.001}, OptionError, "is 0. Give another part"),
        ({"groups": [1, 2]}, DataError, "one value for each"),
        ({"times": np.zeros(300)}, DataError, "have the same time"),
        ({"times": np.arange(300) // 150}, DataError, "have 1 different time, too few for two splits"),
        ({"times": np.full(300, np.nan)}, DataError, "finite number"),
        ({"groups": np.arange(300), "times": np.arange(300)}, OptionError, "not both"),
        ({"recall": 0.0}, OptionError, "above 0"),
        ({"cost": (0, 0)}, OptionError, "One of the costs"),
        ({"cost": 3}, OptionError, "that of a false alarm"),
        ({"recall": 0.5, "cost": (1, 1)}, OptionError, "one of the two"),
        ({"test": ([[1.0]], ["maybe"])}, DataError, "'other rows' holds|other rows holds the class 'maybe'"),
        ({"test": ([], [])}, OptionError, "at least one row"),
    ],
)
def test_what_cannot_be_asked_is_refused(data, how, error, said):
    with pytest.raises(error, match=said):
        study(*data, algorithms=FAST[:1], **how)


def test_a_class_that_only_the_future_has_is_refused(data):
    X, y = data
    late = np.where(np.arange(300) > 290, "new", y)
    with pytest.raises(DataError, match="All rows of the class 'new' are among the test rows"):
        study(X, late, algorithms=FAST[:1], times=np.arange(300))
    with pytest.raises(OptionError, match="tells two classes apart, and there are 3"):
        study(X, late, algorithms=FAST[:1], recall=0.9)


def test_probabilities_are_ranked_where_the_chosen_classifier_has_no_penalty(data):
    found = study(*data, algorithms=["Gaussian discriminant"], metric="logloss")
    assert found.path.mean.min() > 0.1, "that of logistic discrimination, as a linear SVM has no probabilities"
    assert found.test.interval.low < found.test.loss < found.test.interval.high < found.test.guess


def test_other_rows_test_the_model_that_is_kept(data):
    X, y = data
    found = study(X[:200], y[:200], algorithms=FAST[:1], test=(X[200:], y[200:], "new.csv"))
    assert found.test.error_rate == np.mean(found.model.predict(X[200:]) != y[200:])
    assert "this very model" in model_words(found)
    assert found.confusion.sum() == 200, "rows from elsewhere are no rows of the table"
    numbers = study_numbers(
        X[:200], X[:200, 0] ** 2, algorithms=["least squares regression"], test=(X[200:], X[200:, 0] ** 2)
    )
    off = np.abs(numbers.model.predict(X[200:]) - X[200:, 0] ** 2).mean()
    assert numbers.test.mean == pytest.approx(off, rel=1e-12)


def test_the_interval_of_a_mean_error_covers_it_as_often_as_it_says():
    from separatrix.selection.held_out.tested_numbers import NumberTest

    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        test = NumberTest("", np.arange(50), rng.uniform(-1, 1, 50), np.zeros(50), np.zeros(3))
        covered += test.interval.low <= 0.5 <= test.interval.high
    assert 0.92 < covered / 400 < 0.98
