"""Breast cancer as it comes, with areas in the thousands beside ratios of a hundredth: certified for every C."""

import warnings

import numpy as np
import pytest
from sklearn.preprocessing import scale

from separatrix import LinearSVM, NotSeparableError, verify
from separatrix.data import samples

TABLE = samples.builtin("breast_cancer")
X, Y = TABLE.X, TABLE.labels
UNITS = {"raw": X, "standardised": scale(X)}


def certain(rows, labels=Y, **how):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return LinearSVM(**how).fit(rows, labels)


@pytest.mark.parametrize("C", 10.0 ** np.arange(-2, 9))
@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_every_C_is_certified(loss, units, C):
    model = certain(UNITS[units], C=C, loss=loss)
    found = verify(model, UNITS[units], Y)
    assert found.holds
    assert found.proved
    assert found.error <= 1e-8
    assert model.n_iter_ <= 100


@pytest.mark.parametrize("units", UNITS)
def test_thirty_columns_have_a_hard_margin_and_five_have_none(units):
    model = certain(UNITS[units], C=np.inf)
    assert verify(model, UNITS[units], Y).error <= 1e-8
    assert model.score(UNITS[units], Y) == 1.0
    with pytest.raises(NotSeparableError, match="No plane separates"):
        LinearSVM(C=np.inf).fit(UNITS[units][:, :5], Y)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_far_from_the_origin(loss):
    near = certain(UNITS["standardised"], C=1.0, loss=loss)
    far = certain(UNITS["standardised"] + 1e3, C=1.0, loss=loss)
    assert np.allclose(near.coef_, far.coef_, rtol=0, atol=1e-8)
    scores = near.decision_function(UNITS["standardised"])
    assert np.allclose(scores, far.decision_function(UNITS["standardised"] + 1e3), rtol=0, atol=1e-8)
    assert certain(X, loss=loss).predict(X).tolist() == certain(X + 1e3, loss=loss).predict(X + 1e3).tolist()


@pytest.mark.parametrize("C", [1.0, 1e3, np.inf])
@pytest.mark.parametrize("away", [1e4, 1e6])
def test_the_gap_is_as_small_where_rows_are_far_from_the_origin(away, C):
    rows = UNITS["standardised"] + away
    assert verify(certain(rows, C=C), rows, Y).error <= 1e-6


@pytest.mark.parametrize("C", [0.1, 10.0, np.inf])
@pytest.mark.parametrize("s", [1e-4, 1e-2, 1e2, 1e4])
def test_other_units_and_a_price_to_match_are_the_same_machine(s, C):
    expected = certain(X, C=C).decision_function(X)
    scores = certain(s * X, C=C / s**2).decision_function(s * X)
    assert np.allclose(scores, expected, rtol=1e-6, atol=1e-6)
    assert np.array_equal(scores > 0, expected > 0)


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4, np.inf])
def test_one_column_in_millionths(C):
    rows = scale(X)
    rows[:, 7] *= 1e6
    model = certain(rows, C=C)
    assert verify(model, rows, Y).error <= 1e-6
