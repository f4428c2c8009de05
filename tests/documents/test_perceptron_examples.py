"""Worked examples of the textbooks on perceptrons, as numbers."""

import numpy as np
import pytest

from separatrix import Perceptron, kesler_vectors

CORNERS = np.array([[1, 1], [2, 2], [2, 1], [1, -1], [1, -2], [2, -2], [-1, 1], [-1, 2], [-2, 1]])
CORNER_CLASSES = np.repeat(["w1", "w2", "w3"], 3)


def test_one_batch_step():
    """From w = [1, 1], b = -0.5 with rate 0.7, where one row of each class is wrong."""
    X, y = [[0.4, 0.05], [-0.2, 0.75]], [1, -1]
    model = Perceptron(update="batch", learning_rate=0.7, start=[1, 1, -0.5], max_iter=1).fit(X, y)
    assert np.allclose(model.coef_, [[1.42, 0.51]], rtol=0, atol=1e-12)
    assert np.allclose(model.intercept_, [-0.5], rtol=0, atol=1e-12)
    assert (model.n_updates_, model.certificate_.stated) == (2, 0.0)


def test_online_trace():
    """Four points around the origin: 7 presentations, 2 updates, and every iterate."""
    X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    model = Perceptron(shuffle=False, record=True).fit(X, y)
    assert (model.n_presentations_, model.n_updates_, model.n_iter_) == (7, 2, 2)
    assert model.trace_.t.tolist() == [1, 3]
    assert model.trace_.row.tolist() == [0, 2]
    assert [w.tolist() for w in model.trace_.iterates()] == [[0, 0, 0], [-1, 0, 1], [-1, 1, 0]]
    assert (model.coef_.tolist(), model.intercept_.tolist()) == ([[-1, 1]], [0])


def test_a_vertical_line():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [1, 1, -1, -1]
    model = Perceptron(shuffle=False).fit(X, y)
    assert (model.coef_.tolist(), model.intercept_.tolist()) == ([[-2, 0]], [1])
    assert (model.n_updates_, model.n_presentations_) == (5, 13)


def test_kesler_vectors():
    vectors = kesler_vectors(CORNERS, CORNER_CLASSES)
    assert vectors.shape == (18, 9)
    assert vectors[0].tolist() == [1, 1, 1, -1, -1, -1, 0, 0, 0]
    assert vectors[1].tolist() == [1, 1, 1, 0, 0, 0, -1, -1, -1]
    assert vectors[8].tolist() == [-1, 2, -1, 1, -2, 1, 0, 0, 0]  # (1, -2) of w2 against w1
    assert vectors[9].tolist() == [0, 0, 0, 1, -2, 1, -1, 2, -1]  # and against w3
    assert vectors[16].tolist() == [2, -1, -1, 0, 0, 0, -2, 1, 1]  # (-2, 1) of w3 against w1
    assert vectors[17].tolist() == [0, 0, 0, 2, -1, -1, -2, 1, 1]  # and against w2


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("update", ["online", "batch"])
def test_kesler_converges_from_any_start(update, seed):
    start = np.random.default_rng(seed).uniform(0, 1, (3, 3))
    model = Perceptron(update=update, learning_rate=0.5, start=start, shuffle=False)
    model.fit(CORNERS, CORNER_CLASSES)
    assert model.score(CORNERS, CORNER_CLASSES) == 1.0
    assert model.certificate_.stated == 0.0
    extended = np.column_stack([model.coef_, model.intercept_]).ravel()
    assert (kesler_vectors(CORNERS, CORNER_CLASSES) @ extended > 0).all()


@pytest.mark.parametrize("passes", [1, 3, 10])
def test_a_strict_test_would_never_move_from_zero(passes):
    """All margins are 0 at w = 0, so ties must count as mistakes."""
    model = Perceptron(shuffle=False, max_iter=passes).fit([[1.0], [-1.0]], [1, -1])
    assert model.coef_[0, 0] > 0


def test_the_rate_enters_once():
    """One update from zero moves w by rate times the row, not by its square."""
    model = Perceptron(learning_rate=0.05, shuffle=False, max_iter=1).fit([[2.0], [-2.0]], [1, -1])
    assert model.coef_[0, 0] == 0.05 * 2.0
