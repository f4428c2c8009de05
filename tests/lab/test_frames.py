"""Frames of every row of the registry: they end with the fitted model, and what they say of rows is so."""

import json
import warnings
from itertools import combinations

import numpy as np
import pytest

from lab.frames_question import ROWS, SETS, ask
from separatrix.estimators.reduction.codes import one_vs_one
from separatrix.estimators.reduction.decoding import votes
from separatrix.lab.frames import frames_of
from separatrix.lab.frames.grid import field_of
from separatrix.lab.frames.recording import evenly
from separatrix.report.charts.geometry import View
from separatrix.solvers.watching import is_watched, tell, watched_by

CLASSIFIERS = [name for name, row in ROWS.items() if row.task == "classification"]
LONG = ("perceptron", "relaxation", "pocket", "stochastic", "least mean", "barycentric", "kernel perceptron")
# of rules that never end on classes that overlap


def options(name):
    return {"max_iter": 20} if name.startswith(LONG) else {}


def asked(name, data):
    return ask(name, data, options=options(name), max_frames=25)


def fitted(question):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return question.fit()


def planes_of(model, question):
    sign = -1.0 if question.row.by_pairs and model.classes_.size > 2 else 1.0
    return sign * np.column_stack([model.coef_, model.intercept_])


@pytest.fixture(scope="module")
def recordings():
    made = {}

    def get(name, data):
        if (name, data) not in made:
            question = asked(name, data)
            recording = frames_of(question)
            made[name, data] = question, recording, list(recording)
        return made[name, data]

    return get


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_last_frame_is_the_fitted_model_to_the_bit(recordings, name, data):
    question, recording, frames = recordings(name, data)
    model, last = fitted(question), frames[-1]
    if last["planes"] is not None:
        assert np.array_equal(last["planes"], planes_of(model, question))
        return
    view = View(*last["field"]["view"])
    assert last["field"] == field_of(view, model.decision_function)
    assert np.array_equal(recording.model.dual_coef_, model.dual_coef_)
    assert np.array_equal(recording.model.intercept_, model.intercept_)


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("name", list(ROWS))
def test_frames_are_plain_json_in_order_with_a_sentence_each(recordings, name, data):
    _, recording, frames = recordings(name, data)
    json.dumps(frames, allow_nan=False)
    numbers = [frame["number"] for frame in frames]
    assert numbers[0] == 0
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == recording.total
    assert 2 <= len(frames) <= 26
    for frame in frames:
        assert frame["text"].strip().endswith(".")
        assert "  " not in frame["text"]
        assert "nan" not in frame["text"]


def recount(planes, frame, question):
    """How many rows are not on their own side, by hand."""
    X, y = question.X, question.y
    scores = X @ planes[:, :2].T + planes[:, 2]
    if "pairs" in frame:
        return int((votes(scores, one_vs_one(3)).argmax(axis=1) != y).sum())
    if len(planes) == 1:
        return int((scores[:, 0] * (2 * y - 1) <= 0.0).sum())
    own = scores[np.arange(y.size), y]
    scores[np.arange(y.size), y] = -np.inf
    return int((own <= scores.max(axis=1)).sum())


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_wrong_rows_are_counted_right(recordings, name, data):
    question, _, frames = recordings(name, data)
    for frame in frames:
        if frame["planes"] is not None:
            assert frame["values"]["wrong"] == recount(np.array(frame["planes"]), frame, question)


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if ROWS[name].by_pairs])
def test_pairs_have_the_later_class_where_g_is_positive(recordings, name):
    question, recording, frames = recordings(name, "three")
    last = frames[-1]
    if last["planes"] is None:
        assert len(last["field"]["scores"]) == 3
        return
    assert last["pairs"] == [list(pair) for pair in combinations(range(3), 2)]
    scores = question.X @ np.array(last["planes"])[:, :2].T + np.array(last["planes"])[:, 2]
    found = votes(scores, one_vs_one(3)).argmax(axis=1)
    assert np.array_equal(recording.model.classes_[found], recording.model.predict(question.X))


WEIGHTS = np.array([1.0, 2.0, 0.0, 3.0, 0.5, 1.0] * 4)


@pytest.mark.parametrize("name", list(ROWS))
def test_weights_count_or_the_note_says_that_they_do_not(name):
    question = ask(name, "overlapping", weights=WEIGHTS, options=options(name), max_frames=20)
    recording = frames_of(question)
    frames = list(recording)
    json.dumps(frames, allow_nan=False)
    if "knows no weights" in recording.note:
        question.weights = None
    else:
        unweighted = set(np.flatnonzero(WEIGHTS == 0.0).tolist())
        assert not any(unweighted.intersection(frame["rows"]) for frame in frames)
    model = fitted(question)
    names = ("coef_", "intercept_", "dual_coef_", "support_")
    for each in (each for each in names if hasattr(model, each)):
        assert np.array_equal(getattr(recording.model, each), getattr(model, each))


@pytest.mark.parametrize("name", list(ROWS))
def test_being_watched_changes_no_bit(recordings, name):
    question, _, _ = recordings(name, "overlapping")
    seen = []
    with watched_by(lambda event, _: seen.append(event)):
        watched = fitted(question)
    alone = fitted(question)
    for each in (each for each in ("coef_", "intercept_", "dual_coef_", "support_") if hasattr(alone, each)):
        assert np.array_equal(getattr(watched, each), getattr(alone, each))
    direct = ("least squares", "Fisher's discriminant", "Gaussian discriminant")
    assert bool(seen) == (name not in direct)


def test_nobody_is_told_when_nobody_watches():
    tell("step", number=1)
    assert not is_watched()
    with pytest.raises(ZeroDivisionError), watched_by(lambda event, told: 1 / 0):
        tell("step")
    assert not is_watched()


def test_numbers_are_spaced_evenly_with_both_ends():
    for total, most in [(0, 5), (7, 3), (1000, 17)]:
        numbers = evenly(total, most)
        assert numbers[0] == 0
        assert numbers[-1] == total
        assert len(numbers) == min(most, total + 1)
