"""What is counted of planes in the space of a kernel that separate nothing."""

import numpy as np
import pytest

from separatrix.certificates import Unproved
from separatrix.certificates.arithmetic.expansions import PlaneOfRows
from separatrix.enclosures import Interval
from separatrix.kernels import Linear
from separatrix.problem import Problem


def test_a_tie_is_predicted_as_the_first_class():
    problem = Problem(np.array([[1.0], [2.0], [3.0], [0.0]]), np.array([0, 1, 0, 0]), kernel=Linear())
    nothing = Unproved("all scores are 0", np.zeros(1), 0.0, coefficients_of=np.array([0]))
    assert nothing.error(problem) == 0.25


@pytest.mark.filterwarnings("error")
def test_a_bound_on_mistakes_that_overflows_is_none():
    problem = Problem(np.array([[1.0], [2.0]]), np.array([0, 1]), kernel=Linear())
    plane = PlaneOfRows(np.array([1.0]), 0.0, np.array([0]))
    assert plane.mistake_bound(problem, 1e-200, Interval.of(1.0)) == np.inf
    assert plane.mistake_bound(problem, 1e-300, Interval.of(1e200)) == np.inf
    assert plane.mistake_bound(problem, 1.0, Interval.of(1.0)) >= 5.0
