"""Curves over an option, the lift, and the frames of a run: what is drawn is what the estimators say."""

import json

import numpy as np
import pytest

from separatrix import KernelSVM, LinearSVM, Perceptron, reduced_hull
from separatrix.data.folds import stratified_folds
from separatrix.lab.answers import answers
from separatrix.lab.drawing.hulls import hull_corners, reduced_corners
from separatrix.lab.toys import TOYS, toy_points

CIRCLES = toy_points("circles", seed=1, n=40).to_message()
OVERLAP = toy_points("overlap", seed=1, n=40).to_message()


def ask(do, data, method, names=("a", "b"), seed=0, **how):
    message = {"id": 1, "slot": 0, "do": do, "data": {**data, "classes": list(names)}, "method": method, "seed": seed}
    found = list(answers({**message, **how}))
    json.dumps(found, allow_nan=False)
    return found


def arrays(data):
    return np.column_stack([data["x"], data["y"]]), np.array(data["class"])


def test_outlines_are_those_of_the_hulls():
    X, _ = arrays(OVERLAP)
    for mu in (1.0, 0.2, 0.06):
        found = hull_corners(X) if mu == 1.0 else reduced_corners(X, np.full(len(X), mu))
        hull = reduced_hull(X, mu)
        for angle in np.linspace(0.0, 6.0, 25):
            direction = np.array([np.cos(angle), np.sin(angle)])
            reached = (found @ direction).max()
            assert reached <= hull.support_function(direction) + 1e-12
            assert reached == pytest.approx(hull.support_function(direction), abs=2e-3)
    assert sorted(hull_corners(X).tolist()) == sorted(reduced_hull(X, 1.0).outline().tolist())
    assert len(hull_corners(np.ones((5, 2)))) == len(reduced_corners(np.ones((5, 2)), np.full(5, 0.3))) == 1


def test_a_curve_has_the_errors_of_the_estimator():
    found = ask("curve", OVERLAP, "linear SVM", parameter="C", seed=4)
    assert [answer["last"] for answer in found] == [False] * 12 + [True]
    assert [len(answer["values"]) for answer in found] == list(range(1, 14))
    X, y = arrays(OVERLAP)
    last = found[-1]
    for k in (0, 6, 12):
        model = LinearSVM(C=last["values"][k])
        assert last["training"][k] == pytest.approx(1 - model.fit(X, y).score(X, y))
        folds = stratified_folds(y, 5, 1, 4)
        held_out = [1 - model.fit(X[fold.train], y[fold.train]).score(X[fold.test], y[fold.test]) for fold in folds]
        assert last["cv"][k] == pytest.approx(np.mean(held_out))
        assert last["error_of_cv"][k] == pytest.approx(np.std(held_out, ddof=1) / np.sqrt(5))


def test_a_curve_leaves_out_what_cannot_be():
    rare = {**OVERLAP, "class": [0] * 34 + [1] * 6}
    values = ask("curve", rare, "nu-SVM", parameter="nu")[-1]["values"]
    assert 0 < len(values) < 13
    assert max(values) <= 2 * 6 / 40
    (error,) = ask("curve", {**OVERLAP, "class": [0] * 39 + [1]}, "linear SVM", parameter="C")
    assert "1 row" in error["message"]
    (error,) = ask("curve", OVERLAP, "linear SVM", parameter="tol")
    assert "no curve over 'tol'" in error["message"]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_the_plane_of_the_lift_is_the_score(names):
    options = {"kernel": "poly", "degree": 2, "coef0": 0.0, "gamma": 0.7, "C": 5.0}
    (found,) = ask("lift", CIRCLES, "kernel SVM", names, options=options)
    X, y = arrays(CIRCLES)
    score = KernelSVM(**options).fit(X, y).decision_function(X)
    plane = np.array(found["plane"])
    assert np.allclose(np.array(found["points"]) @ plane[:3] + plane[3], score, atol=1e-5)
    assert found["classes"] == CIRCLES["class"]


def test_other_methods_are_lifted_to_their_scores():
    (found,) = ask("lift", CIRCLES, "kernel SVM", view=[-2, 2, -1, 1])
    X, y = arrays(CIRCLES)
    model = KernelSVM().fit(X, y)
    assert np.allclose(np.array(found["points"])[:, 2], model.decision_function(X))
    surface = found["surface"]
    assert (surface["x"], surface["y"]) == ([-2, 2], [-1, 1])
    corner = surface["z"][surface["nx"] - 1]  # the right end of the lowest row
    assert corner == pytest.approx(float(model.decision_function([[2.0, -1.0]])[0]), rel=1e-5)
    (error,) = ask("lift", toy_points("three blobs").to_message(), "kernel SVM", ("a", "b", "c"))
    assert "two classes" in error["message"]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_frames_end_with_the_model_in_the_order_of_the_page(names):
    data = toy_points("separable", seed=3, n=20).to_message()
    begin, *batches, result = ask("fit", data, "perceptron, online", names, seed=2)
    frames = [frame for batch in batches for frame in batch["frames"]]
    assert [batch["first"] for batch in batches][:2] == [0, 1]
    assert begin["unit"] == "update"
    assert begin["total"] == len(frames) - 1
    model = Perceptron(random_state=2).fit(*arrays(data)) if names == ("a", "b") else None
    if model is not None:
        assert frames[-1]["planes"] == [[*model.coef_[0], model.intercept_[0]]]
    assert frames[-1]["planes"] == result["planes"]
    for frame in frames[1:]:
        (row,), (rival,) = frame["rows"], frame["rivals"]
        assert rival == 1 - data["class"][row]
    X, y = arrays(data)
    plane = np.array(frames[-1]["planes"][0])
    assert np.array_equal(X @ plane[:2] + plane[2] > 0, y == 1)


def test_frames_of_novelty_have_no_classes():
    begin, *batches, result = ask("fit", OVERLAP, "one-class SVM", max_frames=4)
    assert begin["classes"] == result["classes"] == []
    assert all(frame["classes"] == [] for batch in batches for frame in batch["frames"])


def test_frames_are_no_more_than_were_asked_for():
    data = toy_points("corridor", seed=2, n=40).to_message()
    _, *batches, _ = ask("fit", data, "perceptron, online", max_frames=7)
    assert 2 <= sum(len(batch["frames"]) for batch in batches) <= 7
    assert len(ask("fit", data, "perceptron, online", max_frames=0)) == 2


@pytest.mark.parametrize("name", TOYS)
def test_toys_follow_their_seed(name):
    toy = TOYS[name]
    one, again, other = (toy_points(name, seed=seed, n=40) for seed in (1, 1, 2))
    assert np.array_equal(one.X, again.X)
    assert one.present.size == toy.classes
    assert np.array_equal(one.X, np.round(one.X, 3))
    assert np.array_equal(one.X, other.X) == (name in ("xor", "and", "or"))


def test_toys_that_do_not_exist_are_refused():
    for how in ({"name": "zoo"}, {"name": "xor", "n": 2}, {"name": "xor", "n": 10**6}, {"name": "xor", "noise": 9}):
        (error,) = answers({"do": "toy", **how})
        assert error["kind"] == "error"
