"""The lab of notebooks: what the page begins with, its frame, and its end."""

import http.client
import json
from urllib.parse import urlsplit

import numpy as np
import pandas as pd
import pytest

from separatrix import DataError, KernelSVM, LinearSVM, OptionError
from separatrix.data.samples import builtin
from separatrix.lab import lab
from separatrix.lab.answers import answers
from separatrix.lab.notebook import start_state
from separatrix.lab.question import question_of

X, Y = np.array([[0.0, 0.25], [1.0, 0.0], [4.0, 4.0], [5.0, 4.5]]), ["b", "b", "a", "a"]


def start(*data, weights=None, methods="linear SVM", seed=0):
    return start_state(*data, weights, methods=methods, seed=seed)


def test_rows_of_two_columns_are_the_points():
    data = start(X, Y)["data"]
    assert np.array_equal(np.column_stack([data["x"], data["y"]]), X)
    assert data["classes"] == ["a", "b"]
    assert data["class"] == [1, 1, 0, 0]
    assert data["weight"] is None
    json.dumps(data)


def test_a_frame_has_the_names_of_its_columns():
    data = start(pd.DataFrame({"size": X[:, 0], "age": X[:, 1]}), Y, weights=[1, 2, 3, 4])["data"]
    assert data["names"] == ["size", "age"]
    assert data["weight"] == [1.0, 2.0, 3.0, 4.0]


def test_more_columns_are_projected():
    iris = builtin("iris")
    data = start(iris.X, iris.labels)["data"]
    assert len(data["x"]) == 150
    assert data["classes"] == ["setosa", "versicolor", "virginica"]


def test_methods_are_names_or_estimators():
    slots = start(X, Y, methods=["pocket", KernelSVM("poly", degree=2), LinearSVM(C=np.inf)])["slots"]
    assert slots[0] == {"method": "pocket", "options": {}}
    assert slots[1] == {"method": "kernel SVM", "options": {"kernel": "poly", "degree": 2}}
    assert slots[2] == {"method": "linear SVM", "options": {"C": "inf"}}
    for each in slots:
        *_, found = answers({"do": "fit", "data": start(X, Y)["data"], **each, "record": False})
        assert found["errors"] == 0
    assert np.inf == question_of({"data": start(X, Y)["data"], **slots[2]}).estimator().C


@pytest.mark.parametrize(
    ("data", "how", "sentence"),
    [
        ((None, Y), {}, "without rows"),
        ((X, Y[:3]), {}, "one label a row"),
        ((X, Y), {"methods": "magic"}, "no method"),
        ((X, Y), {"methods": []}, "1 to 4"),
        ((X, Y), {"methods": [3]}, "names of the registry"),
        ((X, Y), {"seed": -1}, "'seed'"),
        ((X[:, :1], Y), {}, "too few columns"),
        ((X, Y), {"weights": [1, 1, 1, -1]}, "'weight'"),
        ((np.ones((7, 2)), list("abcdefg")), {}, "5 classes"),
    ],
)
def test_mistakes_are_told(data, how, sentence):
    with pytest.raises((DataError, OptionError), match=sentence):
        start(*data, **how)


def test_without_rows_the_page_begins_as_it_likes():
    assert start(None, None) is None


def test_a_lab_serves_its_page_until_it_is_closed():
    with lab(X, Y, browser=False, height=500) as shown:
        place = urlsplit(shown.url)
        connection = http.client.HTTPConnection(place.hostname, place.port, timeout=20)
        connection.request("GET", place.path)
        page = connection.getresponse()
        assert page.status == 200
        assert b"separatrix lab" in page.read()
        connection.close()
        frame = shown._repr_html_()
        assert f'src="{shown.url}"' in frame
        assert 'height="500"' in frame
    assert not shown.running.thread.is_alive()
