"""Answers of the lab: every method on toy sets, and messages that cannot be answered."""

import json
import math

import numpy as np
import pytest

from separatrix import LinearSVM
from separatrix.lab.answers import REQUESTS, answers
from separatrix.lab.menu import rows

DATA = {"x": [0, 1, 4, 5], "y": [0, 1, 0, 1], "class": [0, 0, 1, 1]}


def ask(do, **how):
    found = list(answers({"id": 7, "slot": 1, "do": do, **how}))
    assert all(answer["id"] == 7 and answer["slot"] == 1 for answer in found)
    json.dumps(found, allow_nan=False)
    return found


def toy(name, **how):
    (points,) = ask("toy", name=name, **how)
    return points["data"]


def result_of(data, method, **options):
    return ask("fit", data=data, method=method, options=options)[-1]


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
@pytest.mark.parametrize("name", ["separable", "three blobs"])
def test_every_method_answers_with_what_its_estimator_finds(row, name):
    data = toy(name, n=24, seed=3)
    begin, *_, found = ask("fit", data=data, method=row.name, options={}, seed=5, record=False)
    assert begin["kind"] == "begin"
    assert found["kind"] == "result", found
    model = row.make(random_state=5)
    X, y = np.column_stack([data["x"], data["y"]]), np.array(data["classes"])[data["class"]]
    wrong = model.fit(X, y).predict(X) != y if row.task == "classification" else model.fit(X).predict(X) < 0
    assert found["wrong"] == np.flatnonzero(wrong).tolist()
    assert found["certificate"]["lines"] == str(model.certificate_)
    assert found["proof"] == model.certificate_.proof
    assert (found["planes"] is None) != (found["field"] is None)


def test_planes_are_in_the_order_of_the_page_whatever_the_names():
    named = {**DATA, "classes": ["z", "a"]}
    plain, turned = result_of(DATA, "linear SVM"), result_of(named, "linear SVM")
    assert plain["planes"] == turned["planes"]
    assert plain["planes"][0][0] > 0.0  # class 1 is on the right
    three = toy("three blobs", n=30)
    plain = result_of(three, "linear SVM")
    turned = result_of({**three, "classes": ["z", "y", "x"]}, "linear SVM")
    assert np.allclose(plain["planes"], turned["planes"], rtol=1e-6)
    pairs = result_of({**three, "classes": ["z", "y", "x"]}, "nu-SVM", nu=0.3)
    X, code = np.column_stack([three["x"], three["y"], np.ones(30)]), np.array(three["class"])
    votes = np.zeros((30, 3))
    for (i, j), plane in zip(pairs["pairs"], pairs["planes"], strict=True):
        second = X @ plane > 0
        votes[second, j] += 1
        votes[~second, i] += 1
    assert np.flatnonzero(votes.argmax(axis=1) != code).tolist() == pairs["wrong"]


def test_classes_without_points_do_not_count():
    found = result_of({**DATA, "class": [1, 1, 4, 4], "classes": list("abcde")}, "linear SVM")
    assert found["classes"] == [1, 4]
    assert len(found["planes"]) == 1


def test_weights_count_where_the_method_knows_them():
    heavy = {**DATA, "y": [0, 0, 0, 0], "x": [0, 3, 2, 5], "weight": [1, 9, 1, 1]}
    X, y = np.column_stack([heavy["x"], heavy["y"]]), np.array([0, 0, 1, 1])
    model = LinearSVM().fit(X, y, sample_weight=heavy["weight"])
    assert result_of(heavy, "linear SVM")["planes"] == [[*model.coef_[0], model.intercept_[0]]]
    assert "knows no weights" in result_of(heavy, "pocket")["note"]


def test_support_rows_are_free_or_bounded():
    data = toy("overlap", n=40)
    found = result_of(data, "linear SVM", C=0.5)["support"]
    alpha, bounded = np.array(found["alpha"]), np.array(found["bounded"])
    assert bounded.any()
    assert not bounded.all()
    assert np.allclose(alpha[bounded], 0.5, rtol=1e-6)
    assert (alpha[~bounded] < 0.5 * (1 - 1e-7)).all()


def test_nearest_points_of_the_hulls_are_bisected_by_the_plane():
    for method, options in (("linear SVM", {"C": "inf"}), ("nu-SVM", {"nu": 0.4}), ("linear SVM", {"C": 0.2})):
        found = result_of(toy("separable", n=20), method, **options)
        (nearest,) = [mark["at"] for mark in found["hulls"] if mark["role"] == "nearest"]
        w, b = np.array(found["planes"][0][:2]), found["planes"][0][2]
        low, high = np.array(nearest) @ w + b
        across = np.subtract(*nearest)
        assert low < 0 < high
        assert abs(w[0] * across[1] - w[1] * across[0]) < 1e-6 * np.abs(w).max()
        if options == {"C": "inf"}:
            assert np.isclose(low, -1.0)
            assert np.isclose(high, 1.0)


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"data": None}, "must hold the points"),
        ({"data": {**DATA, "x": [0, 1, 2, "a"]}}, "Point 3 has 'a'"),
        ({"data": {**DATA, "x": [0, 1, 2, math.nan]}}, "Point 3 has nan"),
        ({"data": {**DATA, "x": [0, 1, 2, True]}}, "Point 3 has True"),
        ({"data": {**DATA, "x": [0, 1, 2, 10**400]}}, "Point 3 has 1000"),
        ({"data": {**DATA, "x": [0, 1]}}, "one of each for every point"),
        ({"data": {**DATA, "class": [0, 0, 1, 9]}}, "Point 3 has 9"),
        ({"data": {**DATA, "class": [0, 0, 1, 1.0]}}, "Point 3 has 1.0"),
        ({"data": {**DATA, "class": [0, 0, 0, 0]}}, "all 4 points are of blue"),
        ({"data": {"x": [], "y": [], "class": []}}, "There are no points"),
        ({"data": {"x": [0.0] * 5001, "y": [0.0] * 5001, "class": [0] * 5001}}, "5,000 points at most"),
        ({"data": {**DATA, "weight": [1, 1, 1, -1]}}, "from 0 to 1e"),
        ({"data": {**DATA, "weight": [1, 1, 1, 0]}}, "above 0"),
        ({"data": {**DATA, "classes": ["a", "a"]}}, "same name"),
        ({"data": {**DATA, "classes": ["a", "NA"]}}, "another name"),
        ({"data": {**DATA, "names": ["a"]}}, "two different names"),
        ({"method": "magic"}, "no method 'magic'"),
        ({"method": ["pocket"]}, "no method"),
        ({"options": {"D": 1}}, "no option 'D'"),
        ({"options": {"C": "much"}}, "The 'C' parameter"),
        ({"options": {"C": -1}}, "'C'"),
        ({"options": {"max_iter": 10**9}}, "in the lab"),
        ({"options": {"loss": 3}}, "'loss'"),
        ({"options": {"fit_intercept": 1}}, "true or false"),
        ({"options": []}, "by their names"),
        ({"seed": -1}, "'seed'"),
        ({"seed": "a"}, "'seed'"),
        ({"max_frames": 10**6}, "'max_frames'"),
        ({"view": [0, 0, 1, 1]}, "'view'"),
        ({"do": "dance"}, "cannot do 'dance'"),
        ({"do": {}}, "cannot do"),
    ],
)
def test_mistakes_are_answered_with_a_sentence(how, sentence):
    message = {"id": 7, "slot": 1, "do": "fit", "data": DATA, "method": "linear SVM", "options": {}, **how}
    *_, last = answers(message)
    assert last["kind"] == "error"
    assert sentence in last["message"]
    assert last["message"].endswith(".")
    assert last["id"] == 7


def test_an_error_names_its_option():
    assert result_of(DATA, "linear SVM", C=-1)["option"] == "C"
    assert result_of(DATA, "nu-SVM", nu=3)["option"] == "nu"


def test_no_hard_margin_is_an_answer():
    *_, error = ask("fit", data=toy("xor"), method="linear SVM", options={"C": "inf"})
    assert "No plane separates the classes" in error["message"]


def test_what_is_no_message_is_answered():
    for message in (None, [], "fit", {}, {"do": 3}):
        (error,) = answers(message)
        assert error["kind"] == "error"
    for asked in REQUESTS:
        assert list(answers({"do": asked, "data": 3}))


@pytest.mark.parametrize("name", ["xor", "overlap"])
def test_overlap_is_proved_by_rows_whose_mixtures_meet(name):
    data = toy(name, seed=1)
    (found,) = ask("separable", data=data)
    assert found["verdict"] == "overlap"
    (pair,) = found["pairs"]
    X = np.column_stack([data["x"], data["y"]])
    weights, rows_of_proof = (np.array(pair["witness"][each]) for each in ("weights", "rows"))
    for code in (0, 1):
        own = np.array(data["class"])[rows_of_proof] == code
        assert math.isclose(weights[own].sum(), 1.0)
        assert np.allclose(weights[own] @ X[rows_of_proof[own]], pair["meeting"])


def test_each_two_of_several_classes_have_a_verdict():
    (apart,) = ask("separable", data=toy("three blobs", n=12))
    assert apart["verdict"] == "complete"
    assert [each["classes"] for each in apart["pairs"]] == [[0, 1], [0, 2], [1, 2]]
