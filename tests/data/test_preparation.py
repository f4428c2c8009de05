"""Features made of raw columns, against scikit-learn's imputer, scaler and encoder."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from separatrix import DataError, LinearSVM, OptionError, Preparation, separability
from separatrix.data.prepare.frames import frame_columns

RANDOM = np.random.default_rng(0)
N = 200
PEOPLE = pd.DataFrame(
    {
        "age": np.where(RANDOM.random(N) < 0.2, np.nan, RANDOM.integers(18, 90, N)),
        "income": RANDOM.lognormal(10, 2, N),
        "town": RANDOM.choice(["Rome", "Oslo", "Lima"], N),
        "owns": RANDOM.random(N) < 0.5,
    }
)


@parametrize_with_checks([Preparation()])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_numbers_are_those_of_scikit_learn():
    numbers = PEOPLE[["age", "income"]]
    wanted = make_pipeline(SimpleImputer(strategy="median"), StandardScaler()).fit_transform(numbers)
    np.testing.assert_allclose(Preparation().fit_transform(numbers), wanted, rtol=1e-12, atol=1e-14)
    filled = SimpleImputer(strategy="median").fit_transform(numbers)
    np.testing.assert_array_equal(Preparation(scale=False).fit_transform(numbers), filled)


def test_words_are_those_of_scikit_learn():
    wanted = OneHotEncoder(sparse_output=False).fit_transform(PEOPLE[["town"]])
    preparation = Preparation().fit(PEOPLE[["town"]])
    np.testing.assert_array_equal(preparation.transform(PEOPLE[["town"]]), wanted)
    assert preparation.get_feature_names_out().tolist() == ["town=Lima", "town=Oslo", "town=Rome"]


def test_what_fit_saw_decides_not_what_transform_sees():
    preparation = Preparation().fit(PEOPLE)
    whole = preparation.transform(PEOPLE)
    for rows in ([3], [5, 7], list(range(50))):
        np.testing.assert_array_equal(preparation.transform(PEOPLE.iloc[rows]), whole[rows])
    new = pd.DataFrame({"town": ["Paris"], "owns": [True], "income": [1.0], "age": [np.nan]})  # in another order, too
    row = dict(zip(preparation.get_feature_names_out(), preparation.transform(new)[0], strict=True))
    assert row["town=Lima"] == row["town=Oslo"] == row["town=Rome"] == 0.0
    np.testing.assert_allclose(row["age"], (PEOPLE.age.median() - PEOPLE.age.fillna(PEOPLE.age.median()).mean()) /
                               PEOPLE.age.fillna(PEOPLE.age.median()).std(ddof=0))  # fmt: skip


def test_frames_are_the_same_whatever_made_them():
    wanted = Preparation().fit_transform(PEOPLE)
    np.testing.assert_array_equal(Preparation().fit_transform(pl.from_pandas(PEOPLE)), wanted)
    as_objects = PEOPLE.astype({"town": object})
    np.testing.assert_array_equal(Preparation().fit_transform(as_objects), wanted)


def test_missing_words_are_a_category_and_rare_ones_share_one():
    words = pd.DataFrame({"w": ["a"] * 5 + ["b"] * 4 + ["c", "d", None]})
    preparation = Preparation(most_categories=2).fit(words)
    assert preparation.columns_[0].categories == ("(other)", "(missing)", "a", "b")
    X = preparation.transform(words)
    assert X.sum(axis=1).tolist() == [1.0] * 12
    assert X[:, 0].sum() == 2.0
    assert X[11].tolist() == [0.0, 1.0, 0.0, 0.0]
    assert "the 2 rarest words share one, missing is one" in preparation.columns_[0].done


def test_a_reference_word_has_no_column():
    words = pd.DataFrame({"w": ["a"] * 3 + ["b"] * 4 + ["c"]})
    preparation = Preparation(reference=True).fit(words)
    assert preparation.columns_[0].categories == ("a", "c")
    assert preparation.transform(words).sum(axis=1).tolist() == [1.0] * 3 + [0.0] * 4 + [1.0]
    assert preparation.columns_[0].done == "2 columns of 0 and 1, 'b' is 0 in all"


def test_what_cannot_tell_rows_apart_is_left_out_and_said():
    table = PEOPLE.assign(
        same=1.0, nothing=np.nan, word="x", name=[f"p{i}" for i in range(N)], label=["a", "b"] * (N // 2)
    )
    preparation = Preparation(target="label").fit(table)
    assert {own.name for own in preparation.columns_ if own.kind == "left out"} == {"same", "nothing", "word", "name"}
    assert preparation.get_feature_names_out().tolist() == [
        "age", "income", "town=Lima", "town=Oslo", "town=Rome", "owns",
    ]  # fmt: skip
    notes = " ".join(preparation.notes_)
    assert "Column 'same' left out: the same value, 1, in every row." in notes
    assert "Column 'name' left out: 200 words: nearly every row has its own." in notes
    assert f"{PEOPLE.age.isna().sum()} missing numbers in 1 column filled with the column's median." in notes
    np.testing.assert_array_equal(
        preparation.transform(table.drop(columns=["same", "label"])), preparation.transform(table)
    )


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-5, 1e20, 1e99])
def test_scales_of_any_size(size):
    X = Preparation().fit_transform(np.array([[1.0], [2.0], [6.0]]) * size)
    np.testing.assert_allclose(X.ravel(), [-0.9258201, -0.46291005, 1.38873015], rtol=1e-7)


def test_sparse_rows_stay_as_they_are_unless_they_are_dense():
    thin = sparse.csr_array(sparse.random(50, 40, density=0.1, format="csr", random_state=0))
    assert (Preparation().fit_transform(thin) != thin).nnz == 0
    thick = sparse.csr_array(RANDOM.standard_normal((50, 4)))
    wanted = StandardScaler().fit_transform(thick.toarray())
    np.testing.assert_allclose(Preparation().fit_transform(thick), wanted, rtol=1e-12)
    np.testing.assert_array_equal(Preparation(scale=False).fit_transform(thick), thick.toarray())


def test_many_categories_make_a_sparse_matrix():
    words = pd.DataFrame(
        {f"w{j}": RANDOM.choice([f"v{i}" for i in range(28)], 300) for j in range(20)} | {"x": range(300)}
    )
    X = Preparation().fit_transform(words)
    assert sparse.issparse(X)
    assert X.shape == (300, 561)
    assert np.array_equal(X[:, :560].sum(axis=1), np.full(300, 20.0))
    model = make_pipeline(Preparation(), LinearSVM(C=0.01)).fit(words, np.arange(300) > 150)
    assert model.score(words, np.arange(300) > 150) > 0.9


def test_refusals_say_what_to_do():
    preparation = Preparation().fit(PEOPLE)
    with pytest.raises(DataError, match="2 columns that fit saw are missing: 'age', 'owns'"):
        preparation.transform(PEOPLE[["town", "income"]])
    with pytest.raises(DataError, match="'age' held numbers in fit, and holds words such as"):
        preparation.transform(PEOPLE.assign(age="old"))
    with pytest.raises(DataError, match="'income' holds inf in row 3"):
        Preparation().fit(PEOPLE.assign(income=np.where(np.arange(N) == 3, np.inf, 1.0)))
    with pytest.raises(DataError, match="'income' holds inf in row 0"):
        preparation.transform(PEOPLE.assign(income=np.inf))
    with pytest.raises(DataError, match="No column is left that could tell rows apart"):
        Preparation().fit(pd.DataFrame({"a": [1, 1], "b": ["x", "x"]}))
    with pytest.raises(DataError, match="no rows to prepare"):
        Preparation().fit(PEOPLE.iloc[:0])
    with pytest.raises(OptionError, match="most_categories"):
        Preparation(most_categories=0).fit(PEOPLE)
    with pytest.raises(DataError, match="A sparse matrix was given where fit saw columns"):
        preparation.transform(sparse.csr_array(np.ones((2, 4))))


def test_it_is_a_step_of_a_pipeline():
    y = np.where(PEOPLE.income > PEOPLE.income.median(), "rich", "poor")
    model = make_pipeline(Preparation(), LinearSVM())
    assert model.fit(PEOPLE, y).score(PEOPLE, y) > 0.75
    assert clone(model).get_params()["preparation__most_categories"] == 30


def test_nothing_is_said_of_a_scale_that_was_left_alone():
    thick = sparse.csr_array(RANDOM.standard_normal((50, 4)))
    assert Preparation(scale=False).fit(thick).notes_ == ["The features are taken as they are."]
    assert Preparation().fit(thick).notes_ == ["The features are taken as they are, but for their scale."]


@pytest.mark.parametrize(
    "cells",
    [
        [1.0, None] * 20,
        pd.array([True, None] * 20, dtype="boolean"),
    ],
    ids=["number", "boolean"],
)
def test_a_value_or_none_tells_rows_apart(cells):
    table = pd.DataFrame({"a": RANDOM.standard_normal(40), "flag": cells})
    y = ["ill", "well"] * 20
    for reference in (True, False):
        preparation = Preparation(reference=reference).fit(table)
        X = preparation.transform(table)
        assert separability(X, y, fit_intercept=reference).kind == "complete"
        assert len(preparation.feature_names_out_) == 3 - reference
    assert preparation.feature_names_out_ == ("a", "flag=(missing)", "flag=(present)")
    assert X[:4, 1:].tolist() == [[0.0, 1.0], [1.0, 0.0]] * 2
    assert preparation.kinds_["flag"] == "number"
    shown = f"{frame_columns(table)['flag'][0]:g}"
    assert preparation.notes_[1:] == [
        f"Column 'flag' kept as whether it has a value: {shown} in 20 rows, missing in the others."
    ]


def test_any_value_is_present_where_fit_saw_one_value_or_none():
    preparation = Preparation().fit(pd.DataFrame({"flag": [1.0, None, 1.0]}))
    X = preparation.transform(pd.DataFrame({"flag": [7.0, None]}))
    assert X.tolist() == [[0.0, 1.0], [1.0, 0.0]]
    with pytest.raises(DataError, match="'flag' held numbers in fit"):
        preparation.transform(pd.DataFrame({"flag": ["yes", None]}))


@pytest.mark.parametrize("built_in", ["(missing)", "(other)"])
def test_words_like_the_names_of_categories_stay_words(built_in):
    words = pd.DataFrame({"w": [built_in, None, "x"] * 20 + ["rare", f"'{built_in}'"] * 2 + ["y"]})
    preparation = Preparation(most_categories=3).fit(words)
    X = preparation.transform(words)
    names = preparation.get_feature_names_out().tolist()
    assert names == ["w=(other)", "w=(missing)", f"w=''{built_in}''", f"w='{built_in}'", "w=x"]
    assert X[:3].argmax(axis=1).tolist() == [3, 1, 4]
    assert X[60:62].argmax(axis=1).tolist() == [0, 2]
    assert X.sum(axis=1).tolist() == [1.0] * len(words)
    unseen = Preparation().fit(pd.DataFrame({"w": ["a", "b", None]}))
    assert unseen.transform(pd.DataFrame({"w": [built_in]})).tolist() == [[0.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("words", "values"),
    [
        (["1234567", "7654321"], [1234567, 7654321]),
        (["9007199254740993", "-3"], [9007199254740993, -3]),
        (["0.1", "1234567.25", "2"], [0.1, 1234567.25, 2.0]),
        (["True", "False"], [True, False]),
    ],
    ids=["whole", "large", "float", "boolean"],
)
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pyarrow.table])
def test_numbers_meet_the_words_that_they_are_written_as(words, values, frame):
    preparation = Preparation().fit(pd.DataFrame({"c": [*words, None]}))
    wanted = preparation.transform(pd.DataFrame({"c": [*words, None]}))
    assert wanted.sum() == len(words) + 1
    np.testing.assert_array_equal(preparation.transform(frame({"c": values})), wanted[:-1])
    if None not in values and frame is not pd.DataFrame:  # pandas would make floats or objects of them
        np.testing.assert_array_equal(preparation.transform(frame({"c": [*values, None]})), wanted)


def test_numbers_of_an_array_meet_words_too():
    preparation = Preparation().fit(pd.DataFrame({"c": ["1234567", "0.1", None]}))
    wanted = preparation.transform(pd.DataFrame({"c": ["1234567", "0.1", None]}))
    np.testing.assert_array_equal(preparation.transform(np.array([[1234567.0], [0.1], [np.nan]])), wanted)
