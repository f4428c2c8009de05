"""What data may be: few rows, rare classes, many rows, columns of text, tables of others."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import separatrix
from separatrix import DataError, LinearSVM, compare
from separatrix.estimators.fit_cost import Size
from separatrix.selection.candidates import cheapest_first, named, registered
from separatrix.selection.prepared_folds import PreparedFolds
from separatrix.selection.study import study
from separatrix.selection.validation_curve import validation_curve

SOME = ["least squares", "linear SVM", "logistic discrimination"]

JOINT = "linear SVM, joint"


class RawTable:
    """Columns of somebody else's, of which rows can be had."""

    def __init__(self, columns):
        self.columns = columns

    def __len__(self):
        return len(self.columns["x"])

    def rows(self, index):
        return RawTable({name: [column[i] for i in index] for name, column in self.columns.items()})


class Preparation:
    """Understands such tables, in the least that is asked of a transformer."""

    def get_params(self, deep=True):
        return {}

    def fit(self, X, y=None):
        self.mean = np.mean(X.columns["x"])
        return self

    def transform(self, X):
        return np.column_stack([np.array(X.columns["x"]) - self.mean, [len(text) for text in X.columns["text"]]])

    def fit_transform(self, X, y=None):
        return self.fit(X, y).transform(X)


def test_tables_with_a_method_for_their_rows():
    y = np.arange(40) % 2
    table = RawTable({"x": (y + 0.01 * np.arange(40)).tolist(), "text": ["a" * (1 + k) for k in y]})
    comparison = compare(table, y, algorithms=SOME, preparation=Preparation())
    assert comparison.best.mean == 0.0
    assert compare(table, y, algorithms=SOME, preparation=Preparation(), sample=20).index.size == 20
    with pytest.raises(DataError, match="RawTable.*'preparation'"):
        compare(table, y)
    model = comparison.pipeline().fit(table, y)
    assert model.predict(table).tolist() == y.tolist()


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_frames_with_text_go_through_a_preparation(library):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    frame = library({"size": rng.standard_normal(60) + y, "colour": np.array(["red", "blue"])[y]})
    preparation = make_column_transformer((StandardScaler(), ["size"]), (OneHotEncoder(), ["colour"]))
    assert compare(frame, y.tolist(), algorithms=SOME, preparation=preparation).best.mean == 0.0


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, np.asarray, list])
def test_numbers_of_any_kind_give_one_table(library):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 2)) + y[:, None]
    data = library({"a": X[:, 0], "b": X[:, 1]}) if library in (pd.DataFrame, pl.DataFrame) else library(X)
    assert compare(data, y, algorithms=SOME) == compare(X, y, algorithms=SOME)


@pytest.mark.parametrize("kind", [list, np.array, lambda texts: pd.Series(texts, index=range(100, 160))])
def test_texts_go_through_a_vectorizer(kind):
    y = np.arange(60) % 2
    texts = [f"{('ham', 'spam')[label]} number {i}" for i, label in enumerate(y)]
    comparison = compare(kind(texts), y, algorithms=SOME, preparation=CountVectorizer())
    assert comparison.best.mean == 0.0


def test_a_rare_class_makes_fewer_folds_and_says_so():
    rng = np.random.default_rng(0)
    y = np.repeat(["often", "rare"], [50, 3])
    comparison = compare(rng.standard_normal((53, 2)), y, algorithms=SOME)
    assert comparison.n_folds == 3
    assert comparison.notes[0] == "3 folds in place of 5, as the class 'rare' has 3 rows only."
    assert all(entry.errors.size == 3 for entry in comparison.rows)


def test_what_cannot_be_divided_is_refused():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(DataError, match="class 1 has 1 row of 6 rows"):
        compare(X, [0, 0, 0, 0, 0, 1])
    with pytest.raises(DataError, match="class 'c' has 1 row of 3 rows"):
        compare(X[:3], ["d", "c", "d"])
    with pytest.raises(DataError, match="1 class only"):
        compare(X, [1] * 6)
    with pytest.raises(DataError, match="6 rows, but y has 5"):
        compare(X, [0, 1, 0, 1, 0])
    with pytest.raises(DataError, match="must be an array"):
        compare(object(), [0, 1])


def test_four_rows_are_enough_for_a_table_that_promises_nothing():
    comparison = compare([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert comparison.n_folds == 2
    assert not any(entry.differs for entry in comparison.rows)
    assert all(entry.high - entry.low > 0.5 for entry in comparison.ranked)


@pytest.mark.parametrize("scale", [1e-90, 1e90])
def test_features_of_any_size(scale):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = rng.standard_normal((60, 3)) + 4.0 * y[:, None]
    X[:, 2] = 5.0
    comparison = compare(X * scale, y)
    assert not [entry.failure for entry in comparison.rows if entry.failure]
    assert comparison.best.mean <= 0.02


def test_many_rows_are_sampled_with_their_proportions():
    y = np.repeat([0, 1], [900, 100])
    X = np.random.default_rng(0).standard_normal((1000, 2)) + 3.0 * y[:, None]
    comparison = compare(X, y, algorithms=SOME, sample=200)
    assert np.bincount(y[comparison.index]).tolist() == [180, 20]
    assert comparison.notes[0].startswith("A stratified sample of 200 out of 1,000 rows")
    assert comparison.best.confusion.sum() == 200
    assert comparison.baseline.mean == pytest.approx(0.1)
    assert comparison.best.mean < 0.04  # the rows belong to their labels
    assert comparison.best.truth.tolist() == y[comparison.index].tolist()


def test_the_time_limit_keeps_the_flagships_and_names_the_rest():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    comparison = compare(rng.standard_normal((200, 3)) + y[:, None], y, time_limit=1e-9)
    assert {entry.name for entry in comparison.ranked} == {"linear SVM", "logistic discrimination"}
    assert comparison.ranked[0].errors.size == 5
    assert len(comparison.left_out) > 10
    assert "predicted to go beyond the 1e-09 s for all methods" in " ".join(str(comparison).split())
    names = {entry.name for entry in comparison.ranked} | set(comparison.left_out)
    assert names == {candidate.name for candidate in registered(Size(160, 3, 3.0, 2, False), 0)[0]} | {JOINT}


class Sleeper(Preparation):
    """Takes its time, and counts how often."""

    fits = 0

    def fit(self, X, y=None):
        Sleeper.fits += 1
        time.sleep(0.1)
        self.label = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


def test_a_method_that_takes_too_long_is_given_up_between_folds():
    Sleeper.fits = 0
    y = np.arange(40) % 2
    X = np.random.default_rng(0).standard_normal((40, 2))
    both = {"first": Sleeper(), "second": Sleeper(), "third": Sleeper()}
    comparison = compare(X, y, algorithms=both, preparation="none", time_limit=0.65)
    assert [entry.name for entry in comparison.ranked] == ["first"]
    assert set(comparison.left_out) == {"second", "third"}
    assert 5 <= Sleeper.fits < 10


def test_repeats_keep_every_division():
    rng = np.random.default_rng(0)
    y = np.arange(100) % 2
    comparison = compare(rng.standard_normal((100, 3)) + y[:, None], y, algorithms=SOME, repeats=3)
    entry = comparison.best
    assert entry.predicted.shape == (3, 100)
    assert entry.confusion.sum() == 300
    assert entry.mean == pytest.approx(entry.wrong.mean())
    assert "5-fold cross-validation, 3 times: 100 rows" in str(comparison)


def test_large_data_leave_out_what_takes_minutes_and_say_why():
    wide, left_out = registered(Size(1000, 5000, 5000.0, 2, False), 0)
    assert {"Fisher's discriminant", "Gaussian discriminant", "least squares", "Ho-Kashyap"} <= set(left_out)
    assert "5,000 x 5,000" in left_out["Ho-Kashyap"]
    assert {"logistic discrimination", "perceptron, online"} <= {candidate.name for candidate in wide}
    text, left_out = registered(Size(8000, 20_000, 50.0, 2, True), 0)
    assert "least squares" not in left_out
    assert "after every correction" in left_out["pocket"]
    assert "pocket" not in registered(Size(8000, 500, 50.0, 2, True), 0)[1]
    assert "linear SVM" in {candidate.name for candidate in text}
    small, left_out = registered(Size(400, 30, 30.0, 2, False), 0)
    assert set(left_out) == {JOINT}  # which of two classes is the linear SVM
    assert JOINT not in registered(Size(400, 30, 30.0, 3, False), 0)[1]
    assert all(candidate.passes is None for candidate in small)


def test_many_rows_mean_fewer_passes():
    (few,) = named(["perceptron, online"], Size(1000, 10, 10.0, 2, False), 0)
    (many,) = named(["perceptron, online"], Size(1_000_000, 10, 10.0, 2, False), 0)
    assert (few.passes, few.estimator.max_iter) == (None, 1000)
    assert many.passes == many.estimator.max_iter == 20


def test_quick_methods_come_first():
    size = Size(400, 30, 30.0, 2, False)
    order = [candidate.name for candidate in cheapest_first(registered(size, 0)[0], size)]
    assert order.index("least squares") < order.index("logistic discrimination") < order.index("perceptron, online")


@pytest.fixture
def fits(monkeypatch):
    """The number of rows of every fit of a Preparation."""
    sizes, fit = [], separatrix.Preparation.fit
    monkeypatch.setattr(separatrix.Preparation, "fit", lambda self, X, y=None: sizes.append(len(X)) or fit(self, X, y))
    return sizes


def mixed_frame(n):
    y = np.arange(n) % 2
    return pd.DataFrame({"x": y + np.random.default_rng(0).standard_normal(n), "word": np.where(y, "a", "b")}), y


def test_the_preparation_is_fitted_once_to_each_fold_for_all_methods(fits):
    X, y = mixed_frame(60)
    compare(X, y, algorithms=SOME, preparation=separatrix.Preparation(), cv=4, repeats=2)
    assert fits == [45] * 8


def test_a_study_fits_the_preparation_once_to_each_fold_for_comparison_and_curve(fits):
    X, y = mixed_frame(60)
    found = study(X, y, algorithms=SOME[:2], time_limit=None)
    assert fits == [60, *[48] * 5, 60], "unscaled for separability, the folds, all rows"
    curve = validation_curve(LinearSVM(), X, y, preparation=separatrix.Preparation())
    assert found.path.errors.tolist() == curve.errors.tolist()
    assert found.comparison == compare(X, y, algorithms=SOME[:2], preparation=separatrix.Preparation())


def test_rows_that_do_not_fit_into_memory_are_prepared_again(monkeypatch):
    monkeypatch.setattr("separatrix.selection.prepared_folds.MAX_CACHED_BYTES", 0.0)
    y = np.arange(60) % 2
    X = np.random.default_rng(0).standard_normal((60, 2)) + y[:, None]
    forgetful = compare(X, y, algorithms=SOME)
    monkeypatch.undo()
    assert forgetful == compare(X, y, algorithms=SOME)


def test_prepared_rows_must_have_columns():
    class Nothing(Preparation):
        def transform(self, X):
            return "rows"

    with pytest.raises(DataError, match="must be an array, a sparse matrix or a frame with columns. Got str"):
        compare([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1], preparation=Nothing.__new__(type("N", (Nothing,), {
            "fit": lambda self, X, y=None: self})))  # fmt: skip


def test_the_cost_of_sparse_rows_counts_what_is_stored():
    X = sparse.csr_array(sparse.random(50, 1000, density=0.01, format="csr", random_state=0))
    folds = compare(X, np.arange(50) % 2, algorithms={"svm": LinearSVM()})
    assert folds.preparation is None
    from separatrix.data.folds import stratified_folds

    codes = np.arange(50) % 2
    size = PreparedFolds(X, codes, np.array([0, 1]), stratified_folds(codes, 5, 1, 0), None).size
    assert size.rows == 40
    assert size.sparse
    assert size.stored == pytest.approx(10.0, rel=0.3)
