"""The public face of separability: names, stories, plain data, and clear refusals."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from separatrix import DataError, OptionError, Perceptron, separability, verify
from separatrix.errors import at_least

FRAME = {"age": [31.0, 42.0, 53.0, 44.0, 65.0, 26.0], "smoker": [0, 0, 0, 0, 0, 1]}
ILL = ["no", "yes", "no", "yes", "no", "yes"]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_infinite_directions_by_the_names_of_the_columns(library):
    found = separability(library(FRAME), ILL)
    assert found.kind == "quasi-complete"
    assert found.directions == {"smoker": 1}
    assert "smoker -> +inf" in str(found)
    assert found.on_plane.tolist() == [0, 1, 2, 3, 4]


def test_a_direction_may_be_the_offset():
    found = separability([[1.0], [1.0], [2.0]], [0, 1, 1])
    assert found.directions == {"x0": 1, "(intercept)": -1}


def test_identical_rows_with_different_labels():
    found = separability([[3, 4], [1, 2], [0, 9], [1, 2], [5, 5], [1, 7]], [0, 0, 1, 1, 1, 0])
    assert found.witness.tolist() == [1, 3]
    assert found.weights.tolist() == [1.0, 1.0]
    assert found.proved
    everywhere = separability(np.ones((4, 2)), [0, 1, 0, 1])
    assert (everywhere.kind, everywhere.proved, everywhere.witness.size) == ("overlap", True, 2)


def test_the_story_of_a_separable_set():
    found = separability([[0, 0], [0, 1], [3, 0], [3, 1]], ["left", "left", "right", "right"])
    text = str(found)
    assert text.splitlines()[0] == "Complete separation: 'left' and 'right' are linearly separable."
    assert f"{at_least(found.margin, 6)} on each side" in text
    assert 1.5 - 1e-12 <= found.margin <= 1.5


def test_the_plane_is_on_the_side_of_the_second_class():
    X, y = np.array([[0.0], [1.0], [5.0]]), np.array(["b", "b", "a"])
    found = separability(X, y)
    assert found.classes.tolist() == ["a", "b"]
    assert ((X @ found.coef.T + found.intercept)[:, 0] > 0).tolist() == [True, True, False]
    assert found.support.tolist() == [1, 2]
    assert found.margin == pytest.approx(2.0)


def test_without_an_offset():
    X, y = [[1.0, 0.0], [2.0, 0.0]], [0, 1]
    assert separability(X, y).kind == "complete"
    found = separability(X, y, fit_intercept=False)
    assert (found.kind, found.proved) == ("overlap", True)
    assert "cones meet" in str(found)
    origin = separability([[0.0], [1.0], [-1.0]], [0, 1, 0], fit_intercept=False)
    assert origin.kind == "quasi-complete"  # the row at the origin is on every plane
    assert origin.witness.tolist() == [0]


@pytest.mark.parametrize("seed", range(4))
def test_plain_data_hold_all_of_it(seed):
    rng = np.random.default_rng(seed)
    k = 2 + seed % 2
    X, y = rng.integers(0, 4, (12, 2)), np.append(np.arange(k), rng.integers(0, k, 12 - k))
    found = separability(X, y)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["kind"] == found.kind
    assert plain["witness"] == found.witness.tolist()
    assert len(plain.get("pairs", [])) == (3 if k == 3 else 0)
    assert repr(found).startswith(f"Separability('{found.kind}', proved")


def test_verdicts_are_verified():
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    assert verify(separability(X, y), X, y)
    assert not verify(separability(X, y), X, [0, 1, 0, 1])
    assert not verify(separability(X, y), X, [5, 5, 6, 6])
    assert not verify(separability(X, [0, 1, 0, 1]), X, y)


def test_a_perceptron_that_ends_without_a_plane_says_who_can_tell():
    with pytest.warns(UserWarning, match=r"separatrix\.separability\(X, y\) tells"):
        Perceptron(max_iter=3).fit([[0.0], [1.0], [2.0]], [0, 1, 0])


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[1.0], [np.nan]], [0, 1], "contains NaN"),
        ([[1.0], [np.inf]], [0, 1], "infinity"),
        ([[1.0], [2.0]], ["a", "a"], "1 class only"),
        ([[1.0], [2.0]], [0, 1, 1], "3 labels"),
        ([], [], "cannot be read"),
        ([["a"], ["b"]], [0, 1], "OneHotEncoder"),
    ],
)
def test_bad_data_are_refused(X, y, message):
    with pytest.raises(DataError, match=message):
        separability(X, y)


@pytest.mark.parametrize("options", [{"fit_intercept": "yes"}, {"time_limit": 0}, {"time_limit": -1.0}])
def test_bad_options_are_refused(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        separability([[0.0], [1.0]], [0, 1], **options)
