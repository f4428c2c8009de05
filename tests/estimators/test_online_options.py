"""What rules refuse, each with the value that was seen."""

import re

import numpy as np
import pytest

from separatrix import (
    DataError,
    LMSClassifier,
    OptionError,
    Perceptron,
    PocketPerceptron,
    RelaxationClassifier,
    StochasticClassifier,
    StochasticRegressor,
    ThermalPerceptron,
    hebb,
    oja,
)

X = np.array([[0.0, 1.0], [1.0, 2.0], [4.0, 0.0], [5.0, 1.0], [2.0, -4.0], [3.0, -5.0]])
TWO = np.array([0, 0, 1, 1, 1, 0])
THREE = np.array([0, 0, 1, 1, 2, 2])
NUMBERS = np.arange(6.0)

CLASSIFIERS = (
    Perceptron, PocketPerceptron, ThermalPerceptron, RelaxationClassifier, StochasticClassifier, LMSClassifier,
)  # fmt: skip
ALL = (*CLASSIFIERS, StochasticRegressor)

NOT_POSITIVE = (0, -1.0, np.nan, np.inf, True, "much", None)
NOT_COUNTS = (0, -3, 2.5, True, "many", None)
NOT_PENALTIES = (-0.1, np.nan, np.inf, True, "much", None)
NOT_FLAGS = (1, 0, "yes", None)


def options():
    """Estimator, option and a value that it cannot have."""
    for kind in ALL:
        names = kind().get_params()
        yield from ((kind, "max_iter", bad) for bad in NOT_COUNTS)
        for flag in ("shuffle", "record", "fit_intercept", "averaged", "normalized", "replace"):
            yield from ((kind, flag, bad) for bad in NOT_FLAGS if flag in names)
        for count in ("patience", "batch_size"):
            yield from ((kind, count, bad) for bad in NOT_COUNTS if count in names)
        for penalty in ("l2", "l1", "epsilon"):
            yield from ((kind, penalty, bad) for bad in NOT_PENALTIES if penalty in names)
        yield from ((kind, "learning_rate", bad) for bad in NOT_POSITIVE if "learning_rate" in names)
        yield from ((kind, "start", bad) for bad in ([1.0, 2.0], [np.nan] * 3, "zero", np.zeros((2, 3)), 3.0))
    yield from ((ThermalPerceptron, "temperature", bad) for bad in NOT_POSITIVE)
    yield from ((ThermalPerceptron, "learning_rate", bad) for bad in ("inverse", abs))
    yield from ((RelaxationClassifier, "relaxation", bad) for bad in (*NOT_POSITIVE, 2.5))
    yield from ((RelaxationClassifier, "margin", bad) for bad in NOT_PENALTIES)
    yield from ((Perceptron, "bias_step", bad) for bad in (*NOT_POSITIVE, "radius"))
    yield from ((Perceptron, "update", bad) for bad in ("stochastic", None, 1, ["online"]))
    for kind in (StochasticClassifier, StochasticRegressor):
        yield from ((kind, "loss", bad) for bad in ("log", None, 1, ["hinge"], "thermal"))
    yield StochasticClassifier, "loss", "squared"
    yield StochasticRegressor, "loss", "hinge"


@pytest.mark.parametrize(
    ("kind", "name", "bad"), list(options()), ids=lambda part: getattr(part, "__name__", repr(part))
)
def test_a_value_that_cannot_be_is_refused_and_quoted(kind, name, bad):
    model = kind(**{name: bad})
    if kind is Perceptron and name == "batch_size":
        model.set_params(update="minibatch")
    for y in (NUMBERS,) if kind is StochasticRegressor else (TWO, THREE):
        with pytest.raises(OptionError, match=f"{name}(?s:.*){re.escape(repr(bad))}"):
            model.fit(X, y)
    if hasattr(model, "partial_fit") and name != "max_iter":
        how = {} if kind is StochasticRegressor else {"classes": [0, 1]}
        with pytest.raises(OptionError, match=name):
            model.partial_fit(X, TWO, **how)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_starts_for_several_classes_have_a_row_for_each(kind):
    for bad in (np.zeros(3), np.zeros((3, 2)), np.zeros((4, 3)), [[1.0, 2.0, 3.0], [1.0, 2.0], [1.0]]):
        with pytest.raises(OptionError, match=rf"start.*of shape \(3, 3\)\. Got {re.escape(repr(bad)[:10])}"):
            kind(start=bad).fit(X, THREE)
    for bad in (np.zeros(3), np.zeros((1, 2))):
        with pytest.raises(OptionError, match="start"):
            kind(start=bad, fit_intercept=False).fit(X, TWO)


@pytest.mark.parametrize("kind", [StochasticClassifier, StochasticRegressor, Perceptron])
def test_rates_at_which_l2_makes_w_grow(kind):
    for l2, rate in ((10.0, 0.1), (1.0, "inverse"), (2.0, lambda t: 0.6)):
        with pytest.raises(OptionError, match=f"l2={l2:g}.*below {1 / l2:g}.*Got"):
            kind(l2=l2, learning_rate=rate).fit(X, TWO)
    kind(l2=9.9, learning_rate=0.1, max_iter=2).fit(X, TWO)


def test_options_that_rule_each_other_out():
    for kind in (StochasticClassifier, StochasticRegressor):
        with pytest.raises(OptionError, match="replace=True.*shuffle=False"):
            kind(replace=True, shuffle=False).fit(X, TWO)
    with pytest.raises(OptionError, match="l1=0.1.*averaged=False"):
        StochasticRegressor(l1=0.1, averaged=True).fit(X, NUMBERS)


def test_targets_that_are_no_numbers():
    cases = {
        "NaN": [0.0, 1.0, np.nan, 3.0, 4.0, 5.0],
        "infinity": [0.0, np.inf, 2.0, 3.0, 4.0, 5.0],
        "one number": ["a", "b", "c", "d", "e", "f"],
        "X has 6 rows, but y has 5": NUMBERS[:5],
        "None": None,
    }
    for match, y in cases.items():
        for fit in (StochasticRegressor().fit, StochasticRegressor().partial_fit):
            with pytest.raises(DataError, match=match):
                fit(X, y)
    with pytest.raises(DataError):
        StochasticRegressor().fit(X, np.zeros((6, 2)))


@pytest.mark.parametrize("rule", [hebb, oja])
def test_rules_without_a_teacher(rule):
    for name, bads in (("max_iter", NOT_COUNTS), ("learning_rate", NOT_POSITIVE), ("start", ([1.0], "zero"))):
        for bad in bads:
            with pytest.raises(OptionError, match=f"{name}(?s:.*){re.escape(repr(bad))}"):
                rule(X, **{name: bad})
