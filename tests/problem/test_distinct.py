"""Equal rows of one class are one group, however they are stored."""

import numpy as np

from separatrix.problem import Problem
from separatrix.problem.distinct import Distinct
from separatrix.rows import CSR

X = np.array([[0.0, 1.0], [-0.0, 1.0], [0.0, 1.0], [2.0, 0.0], [0.0, 1.0]])
Y = np.array([0, 0, 1, 1, 0])


def test_equal_rows_of_one_class_are_one():
    found = Distinct.of(Problem(X, Y))
    assert found.first.tolist() == [0, 2, 3]
    assert found.group.tolist() == [0, 0, 1, 2, 0]
    assert found.counts.tolist() == [3, 1, 1]
    assert found.members(np.array([0, 2])).tolist() == [0, 1, 3, 4]


def test_zeros_may_be_stored_or_not():
    stored = CSR(
        np.array([0.0, 1.0, 1.0, 1.0, 2.0, 1.0]), np.array([0, 1, 1, 1, 0, 1]), np.array([0, 2, 3, 4, 5, 6]), 2
    )
    assert Distinct.of(Problem(stored, Y)).group.tolist() == Distinct.of(Problem(X, Y)).group.tolist()
