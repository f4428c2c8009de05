import numpy as np
import pytest

from separatrix import OptionError
from separatrix.problem import Problem
from separatrix.solvers.online import perceptron
from separatrix.solvers.online.schedule import schedule

PAIR = Problem(np.array([[1.0], [3.0]]), np.array([0, 1]))


def test_rates():
    assert schedule(0.5)(7, 3).tolist() == [0.5]
    assert schedule("inverse")(1, 4).tolist() == [1, 1 / 2, 1 / 3, 1 / 4]
    assert schedule(lambda t: 2.0 / t)(3, 2).tolist() == [2 / 3, 2 / 4]


@pytest.mark.parametrize("bad", [0, -1.0, np.inf, np.nan, "constant", None, True, [1.0]])
def test_bad_rates_are_refused_with_their_value(bad):
    with pytest.raises(OptionError, match="learning_rate"):
        schedule(bad)


def test_a_function_that_gives_nonsense_is_refused_with_its_t():
    with pytest.raises(OptionError, match=r"Got -1 for t = 3"):
        schedule(lambda t: 5 - 2 * t)(1, 5)


@pytest.mark.parametrize("solver", [perceptron.online, perceptron.batch])
def test_a_function_equals_what_it_computes(solver):
    named, given = (solver(PAIR, learning_rate=rate, record=True) for rate in ("inverse", lambda t: 1 / t))
    assert np.array_equal(named.extended, given.extended)
    assert np.array_equal(named.history.trace.rate, 1 / named.history.trace.t)
    constant, given = (solver(PAIR, learning_rate=rate) for rate in (0.5, lambda t: 0.5))
    assert np.array_equal(constant.extended, given.extended)
