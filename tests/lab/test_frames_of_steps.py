"""What the frames of iterative solvers show obeys the theorems about them."""

import itertools

import numpy as np
import pytest

from lab.frames_question import ROWS, SETS, ask
from separatrix.lab.frames import frames_of
from separatrix.lab.frames.best_so_far import n_errors
from separatrix.lab.frames.setting import Setting
from separatrix.lab.question import Question
from separatrix.solvers.watching import watched_by

ROUNDING = 1e-9


def frames(name, data="overlapping", **how):
    how.setdefault("max_frames", 400)
    return list(frames_of(ask(name, data, **how)))


def alphas_of(frame):
    return dict(zip(frame["alpha"]["rows"], frame["alpha"]["values"], strict=True))


def values(shown, name):
    return np.array([frame["values"][name] for frame in shown if name in frame["values"]])


def test_the_dual_never_decreases_in_smo_and_alpha_stays_feasible():
    _X, y = SETS["overlapping"]
    shown = [frame for frame in frames("kernel SVM", options={"C": 2.0}) if "SMO" in frame["text"]]
    assert len(shown) > 10
    dual = values(shown, "dual")
    assert (np.diff(dual) >= -ROUNDING * np.abs(dual).max()).all()
    assert (dual <= values(shown, "primal")).all()
    for frame in shown:
        alpha = np.zeros(y.size)
        alpha[frame["alpha"]["rows"]] = frame["alpha"]["values"]
        assert frame["alpha"]["bound"] == 2.0
        assert (alpha >= 0.0).all()
        assert (alpha <= 2.0).all()
        assert abs(alpha @ (2 * y - 1)) < ROUNDING


def test_an_smo_step_moves_the_two_rows_that_it_names():
    shown = [frame for frame in frames("kernel SVM", options={"C": 2.0}) if "SMO" in frame["text"]]
    for before, after in itertools.pairwise(shown):
        if after["number"] != before["number"] + 1:  # Newton rounds came between
            continue
        assert len(after["rows"]) == 2
        one, other = (
            dict(zip(each["alpha"]["rows"], each["alpha"]["values"], strict=True)) for each in (before, after)
        )
        moved = {row for row in {*one, *other} if one.get(row, 0.0) != other.get(row, 0.0)}
        assert moved == set(after["rows"])
        assert all(f"row {row} of" in after["text"] for row in after["rows"])


@pytest.mark.parametrize("name", ["linear SVM", "linear SVM, squared hinge", "nu-SVM", "logistic discrimination"])
@pytest.mark.parametrize("data", ["separable", "overlapping", "three"])
def test_primal_and_dual_close(name, data):
    options = {"nu": 0.8} if name == "nu-SVM" else {}
    shown = frames(name, data, options=options)
    primal, dual = values(shown, "primal"), values(shown, "dual")
    assert len(primal) > 3
    assert (dual <= primal).all()
    assert primal[-1] - dual[-1] <= 1e-6 * abs(primal[-1])
    assert primal[-1] - dual[-1] < 1e-3 * (primal[0] - dual[0])


def test_interior_points_tell_the_barrier_and_the_step():
    shown = frames("linear SVM")
    barrier, step = values(shown, "barrier"), values(shown, "step")
    assert barrier[-1] < 1e-3 * barrier[0]
    assert ((step > 0.0) & (step <= 0.995)).all()


def test_interior_points_are_those_of_the_solver():
    question, told = ask("linear SVM", "overlapping", max_frames=400), []

    def keep(event, iterate):
        if event == "program":
            told.append(iterate["program"])
        elif event == "interior":
            told.append(told[0].coordinates.plane(iterate["v"]))

    with watched_by(keep):
        question.fit()
    shown = [frame for frame in frames_of(question) if "barrier" in frame["values"]]
    assert [[*frame["planes"][0]] for frame in shown] == [[*w.tolist(), float(b)] for w, b in told[1:]]


@pytest.mark.parametrize("algorithm", ["gilbert", "mdm", "schlesinger_kozinec"])
@pytest.mark.parametrize("data", ["separable", "overlapping"])
def test_the_points_of_hulls_come_nearer_and_never_below_the_bound(algorithm, data):
    shown = frames("reduced hulls", data, options={"algorithm": algorithm, "mu": 0.3})
    distance, lower = values(shown, "distance"), values(shown, "lower")
    assert (np.diff(distance) <= ROUNDING).all()
    assert (np.diff(lower) >= -ROUNDING).all()
    assert (lower <= distance + ROUNDING).all()
    for frame in shown[1:-1]:
        ends = next(mark["at"] for mark in frame["marks"] if mark["kind"] == "segment")
        assert np.isclose(np.linalg.norm(np.subtract(*ends)), frame["values"]["distance"])


def test_weights_of_hulls_add_up_to_one_in_each_class():
    _, y = SETS["separable"]
    for frame in frames("reduced hulls", "separable", options={"mu": 0.3, "algorithm": "gilbert"})[:-1]:
        alpha, rows = np.array(frame["alpha"]["values"]), frame["alpha"]["rows"]
        assert np.allclose(np.bincount(y[rows], alpha), 1.0)
        assert (alpha <= frame["alpha"]["bound"] + ROUNDING).all()


def test_the_pocket_holds_the_best_plane_so_far():
    question = ask("pocket", "three", options={"max_iter": 10}, max_frames=10_000)
    recording = frames_of(question)
    shown = list(recording)
    iterates = [np.atleast_2d(iterate) for iterate in recording.model.trace_.iterates()]
    assert len(shown) == len(iterates)
    best = values(shown, "best")
    assert (np.diff(best) <= 0).all()
    assert best[-1] <= values(shown, "now")[1:].min()
    for frame in shown:
        assert any(np.array_equal(frame["planes"], iterate) for iterate in iterates[: frame["number"] + 1])


def test_errors_of_many_planes_are_those_of_each():
    setting = Setting(ask("pocket", "three"))
    planes = np.random.default_rng(0).standard_normal((20, 3, 3))
    planes[0] = 0.0
    assert n_errors(setting, planes).tolist() == [setting.n_wrong(each) for each in planes]


def test_rows_of_lms_and_its_numbers_are_those_of_the_run():
    shown = frames("least mean squares", options={"max_iter": 4, "shuffle": False})
    assert [frame["rows"] for frame in shown[1:13]] == [[i] for i in range(12)]
    w = np.zeros(3)
    X, y = SETS["overlapping"]
    rate = shown[1]["values"]["rate"]
    for i in range(12):
        w += rate * (2 * y[i] - 1 - X[i] @ w[:2] - w[2]) * np.append(X[i], 1.0)
        assert np.allclose(shown[i + 1]["planes"][0], w, rtol=1e-12, atol=1e-14)


def test_averages_show_the_plane_of_the_rule_too():
    shown = frames("perceptron, averaged", options={"max_iter": 3})
    assert all(mark["role"] == "step" for frame in shown for mark in frame["marks"])
    assert any(frame["marks"] for frame in shown)


def test_targets_grow_and_the_error_falls():
    shown = frames("Ho-Kashyap", "separable", options={"learning_rate": 0.3})
    overlapping = frames("Ho-Kashyap", "overlapping")
    assert "Every margin is positive" in shown[-2]["text"]
    loss = values(overlapping, "loss")
    assert loss[-1] < loss[0]


def test_the_kernel_perceptron_counts_its_mistakes():
    recording = frames_of(ask("kernel perceptron", "overlapping", options={"max_iter": 3}, max_frames=1000))
    shown = list(recording)
    assert recording.model.n_updates_ == recording.total == shown[-1]["values"]["mistakes"]
    assert all(sum(frame["alpha"]["values"]) == frame["number"] for frame in shown)


@pytest.mark.parametrize("name", ["one-class SVM", "smallest ball"])
def test_novelty_closes_its_gap(name):
    shown = frames(name, options={"nu": 0.2})
    primal, dual = values(shown, "primal"), values(shown, "dual")
    assert primal[-1] - dual[-1] <= 1e-6 * abs(primal[-1])
    assert shown[-1]["values"]["wrong"] <= 0.2 * len(SETS["overlapping"][0])


def test_kernels_of_low_rank_show_the_machine_of_their_factor():
    shown = frames("kernel SVM", options={"kernel": "poly", "degree": 2})
    assert any("low rank" in frame["text"] for frame in shown)
    assert all(frame["field"] is not None for frame in shown)


@pytest.mark.parametrize(
    ("x", "y", "classes"),
    [
        ((2, 1, 0, 0, -2, 0, 0, 1, 0, -1), (0, 1, -2, 1, -1, 1, 0, 0, -2, -2), [0, 2, 1, 3, 0, 2, 1, 2, 0, 1]),
        (
            (-1, 2, -1, -2, 0, 2, 1, -1, 2, 0, -1),
            (-2, -1, 1, 1, -1, 1, 2, -2, -1, 0, 0),
            [1, 1, 0, 2, 3, 0, 3, 0, 0, 2, 0],
        ),
    ],
    ids=["ten", "eleven"],
)
def test_a_fit_of_which_some_pairs_need_no_steps_shows_its_answer(x, y, classes):
    names = np.array(["a", "b", "c", "d"])
    question = Question(
        np.column_stack([x, y]).astype(float), np.array(classes), None, ROWS["kernel nu-SVM"], classes=tuple(names),
        labels=names[classes], max_frames=5,
    )  # fmt: skip
    found = frames_of(question)
    assert len(list(found)) == 2
    assert "its answer alone is shown" in found.note
    assert found.model.certificate_ is not None
