import pickle

import numpy as np
import pytest

from separatrix.errors import DataError
from separatrix.problem import Problem, Status
from separatrix.rows import CSR


def test_nobody_can_change_it():
    X, y = np.ones((2, 2)), np.array([0, 1])
    problem = Problem(X, y)
    for array in (problem.X, problem.y, problem.cost):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    with pytest.raises(AttributeError):
        problem.n_classes = 3
    X[0, 0] = 2.0  # the user's own array stays the user's


@pytest.mark.parametrize(("y", "match"), [([0, 1, 1], "2 rows, but"), ([0, 2], "0 to 1. Got 0 to 2"), ([-1, 1], "-1")])
def test_classes_that_do_not_fit_are_refused(y, match):
    with pytest.raises(DataError, match=match):
        Problem(np.ones((2, 2)), np.array(y))


def test_targets_are_signs_codes_or_numbers():
    X, numbers = np.ones((3, 1)), np.array([0.5, -2.0, 7.0])
    assert Problem(X, np.array([0, 1, 1])).targets.tolist() == [-1, 1, 1]
    assert Problem(X, np.array([0, 2, 1]), n_classes=3).targets.tolist() == [0, 2, 1]
    problem = Problem.of_numbers(X, numbers, cost=np.array([1.0, 2.0, 3.0]))
    assert problem.targets.tolist() == [0.5, -2.0, 7.0]
    assert problem.cost.tolist() == [1.0, 2.0, 3.0]
    assert problem.n_planes == 1
    with pytest.raises(DataError, match="3 rows, but the targets have the shape"):
        Problem.of_numbers(X, numbers[:2])


def test_norms_and_radius_with_and_without_offset():
    X = np.array([[3.0, 4.0], [0.0, 1.0]])
    assert Problem(X, np.array([0, 1])).norms.tolist() == pytest.approx([np.sqrt(26), np.sqrt(2)])
    assert Problem(X, np.array([0, 1]), fit_intercept=False).radius == 5.0


def test_a_dichotomy_takes_sides_and_leaves_classes_out():
    sparse = CSR(np.array([1.0, 2.0, 3.0]), np.array([0, 1, 0]), np.array([0, 1, 2, 3]), 2)
    for X in (np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]]), sparse):
        problem = Problem(X, np.array([0, 1, 2]), n_classes=3, cost=np.array([1.0, 2.0, 3.0]))
        part = problem.dichotomy(np.array([0, 1, -1]))
        assert part.n_rows == 2
        assert part.signs.tolist() == [1, -1]
        assert part.cost.tolist() == [2.0, 3.0]
        whole = problem.dichotomy(np.array([1, -1, -1]))
        assert whole.signs.tolist() == [1, -1, -1]
        assert whole.n_classes == 2


def test_every_status_is_a_sentence():
    for status in Status:
        assert str(status)[0].isupper()
        assert str(status).endswith(".")


def test_margins_of_the_last_plane_are_kept_and_can_be_made_anew():
    X, w = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -1.0])
    problem = Problem(X, np.array([0, 1]))
    assert problem.margins(w, 0.5).tolist() == [0.5, -0.5]
    assert problem.margins(w, 1.5).tolist() == [-0.5, 0.5]
    kept = problem.margins(w, 1.5)
    assert problem.margins(w.copy(), 1.5) is kept
    X *= 2.0  # the problem shares its memory
    problem.forget_margins()
    assert problem.margins(w, 1.5).tolist() == [0.5, -0.5]
    with pytest.raises(ValueError, match="read-only"):
        problem.margins(w, 1.5)[0] = 0.0


def test_copies_leave_the_margins_behind():
    problem = Problem(np.ones((1000, 1)), np.arange(1000) % 2)
    size = len(pickle.dumps(problem))
    problem.margins(np.ones(1), 0.0)
    assert abs(len(pickle.dumps(problem)) - size) < 1000 + problem.signs.nbytes
    assert np.array_equal(pickle.loads(pickle.dumps(problem)).y, problem.y)
