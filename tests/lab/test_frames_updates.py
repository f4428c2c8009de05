"""Frames of rules that record their runs: they are the iterates of the recorded run, to the bit."""

import json

import numpy as np
import pytest

from lab.frames_question import SETS, ask
from separatrix.lab.frames import frames_of

RULES = ["perceptron, online", "perceptron, batch", "perceptron, mini-batch", "relaxation", "thermal perceptron"]


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("name", RULES)
def test_each_frame_is_an_iterate_of_the_recorded_run(name, data):
    question = ask(name, data, options={"max_iter": 5}, max_frames=10_000)
    recording = frames_of(question)
    frames = list(recording)
    trace = recording.model.trace_
    iterates = list(trace.iterates())
    assert [frame["number"] for frame in frames] == list(range(len(iterates)))
    assert recording.total == len(iterates) - 1
    for frame, iterate in zip(frames, iterates, strict=True):
        assert np.array_equal(frame["planes"], np.atleast_2d(iterate))
    json.dumps(frames, allow_nan=False)


@pytest.mark.parametrize("name", RULES)
def test_each_update_names_its_row_and_what_it_was_taken_for(name):
    question = ask(name, "three", options={"max_iter": 3}, max_frames=10_000)
    recording = frames_of(question)
    trace = recording.model.trace_
    for frame, updates in zip(list(recording)[1:], trace.groups(), strict=True):
        assert frame["rows"] == trace.row[updates].tolist()
        assert frame["rivals"] == trace.rival[updates].tolist()
        if not trace.at_once:
            row, rival = frame["rows"][0], question.classes[frame["rivals"][0]]
            assert f"ow {row} of {question.classes[question.y[row]]} " in frame["text"]
            assert rival in frame["text"]


def test_long_runs_are_thinned_and_say_so():
    recording = frames_of(ask("perceptron, online", "overlapping", options={"max_iter": 30}, max_frames=20))
    numbers = [frame["number"] for frame in recording]
    assert len(numbers) == 20
    assert numbers[0] == 0
    assert numbers[-1] == recording.total > 20
    assert "20 of" in recording.note


def test_mistakes_never_exceed_the_bound():
    frames = list(frames_of(ask("perceptron, online", max_frames=10_000)))
    assert all(frame["values"]["mistakes"] <= frame["values"]["bound"] for frame in frames)
    assert frames[-1]["values"]["wrong"] == 0
    without = list(frames_of(ask("perceptron, online", "overlapping", options={"max_iter": 2})))
    assert all("bound" not in frame["values"] for frame in without)  # no plane separates, so there is none


def test_a_tie_is_said_to_be_a_tie():
    frames = list(frames_of(ask("perceptron, online")))
    assert "a tie counts as a mistake" in frames[1]["text"]


def test_the_temperature_falls():
    temperatures = [frame["values"].get("temperature") for frame in frames_of(ask("thermal perceptron", "overlapping"))]
    falling = temperatures[1:]
    assert temperatures[0] is None
    assert falling == sorted(falling, reverse=True)
    assert falling[0] > falling[-1] > 0.0
