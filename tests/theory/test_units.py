"""Threshold units: gates, their compositions, and every Boolean function of three variables."""

from itertools import product

import numpy as np
import pytest

from separatrix import DataError, McCullochPitts, OptionError

PAIRS = np.array(list(product([0, 1], repeat=2)))
TRIPLES = np.array(list(product([0, 1], repeat=3)))


def network(truth):
    """The disjunctive normal form of a truth table over TRIPLES: a unit for each row that is true, then OR."""
    rows = TRIPLES[np.asarray(truth) == 1]
    hidden = [McCullochPitts(int(row.sum()), inhibitory=np.flatnonzero(row == 0)) for row in rows]
    last = McCullochPitts(1)
    return lambda inputs: last(np.array([unit(inputs) for unit in hidden]).reshape(len(hidden), len(inputs)).T)


def test_gates():
    assert McCullochPitts(1)(PAIRS).tolist() == [0, 1, 1, 1]
    assert McCullochPitts(2)(PAIRS).tolist() == [0, 0, 0, 1]
    assert McCullochPitts(0, inhibitory=[0])([[0], [1]]).tolist() == [1, 0]
    assert McCullochPitts(0, inhibitory=[0, 1])(PAIRS).tolist() == [1, 0, 0, 0], "NOR"


def test_exclusive_or_from_three_units():
    a_alone, b_alone = McCullochPitts(1, inhibitory=[1]), McCullochPitts(1, inhibitory=[0])
    either = McCullochPitts(1)
    assert either(np.column_stack([a_alone(PAIRS), b_alone(PAIRS)])).tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("threshold", range(5))
def test_exclusive_or_from_no_single_unit(threshold):
    for inhibitory in ([], [0], [1], [0, 1]):
        assert McCullochPitts(threshold, inhibitory)(PAIRS).tolist() != [0, 1, 1, 0]


def test_two_layers_compute_every_function_of_three_variables():
    tables = list(product([0, 1], repeat=8))
    assert len(tables) == 256
    for truth in tables:
        assert network(truth)(TRIPLES).tolist() == list(truth)


@pytest.mark.parametrize("threshold", range(5))
def test_it_counts(threshold):
    assert np.array_equal(McCullochPitts(threshold)(TRIPLES), TRIPLES.sum(axis=1) >= threshold)


def test_without_inhibition_more_input_never_silences_a_unit():
    """So no such unit, nor any network of them, is NOT."""
    for threshold, row in product(range(5), TRIPLES):
        more = TRIPLES[(row <= TRIPLES).all(axis=1)]
        assert (McCullochPitts(threshold)(more) >= McCullochPitts(threshold)(row)).all()


def test_one_veto_is_enough():
    assert McCullochPitts(2, inhibitory=[2])([[1, 1, 0], [1, 1, 1]]).tolist() == [1, 0]


def test_a_single_row_and_truth_values():
    assert McCullochPitts(1)([0, 1]) == 1
    for kind in (bool, float, object):
        assert McCullochPitts(2)(PAIRS.astype(kind)).tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize("inputs", [[[0, 2]], [[0.5, 1]], [[-1, 1]], [["0", "1"]], [[np.nan, 1]], [[None, 1]]])
def test_anything_but_0_and_1_is_refused(inputs):
    with pytest.raises(DataError, match="must be 0 or 1. Got"):
        McCullochPitts(1)(inputs)


def test_other_shapes_are_refused():
    with pytest.raises(DataError, match="takes a row of inputs"):
        McCullochPitts(1)(1)
    with pytest.raises(DataError, match="equally long"):
        McCullochPitts(1)([[0, 1], [1]])
    with pytest.raises(DataError, match="Input 2 is inhibitory, but a row has only 2"):
        McCullochPitts(1, inhibitory=[2])(PAIRS)


@pytest.mark.parametrize("threshold", [-1, 0.5, True, "1", None])
def test_the_threshold_is_a_count(threshold):
    with pytest.raises(OptionError, match="'threshold' parameter must be a whole number"):
        McCullochPitts(threshold)


@pytest.mark.parametrize("inhibitory", [[-1], [0.5], "0", [True], 0.5])
def test_inhibitory_inputs_are_numbered(inhibitory):
    with pytest.raises(OptionError, match="'inhibitory' parameter must hold numbers"):
        McCullochPitts(1, inhibitory)


def test_equal_units_are_equal():
    assert McCullochPitts(1, [2, 0]) == McCullochPitts(1, inhibitory=(0, 2))
    assert repr(McCullochPitts(1, [2, 0])) == "McCullochPitts(threshold=1, inhibitory=(0, 2))"
