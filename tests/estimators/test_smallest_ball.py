"""The smallest ball: balls that geometry knows, the twin of the one-class machine, and what nu bounds."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import OneClassSVM, OptionError, SmallestBall, verify
from separatrix.kernels import RBF, Linear, Polynomial, Sigmoid, Tokens

X = np.random.default_rng(0).standard_normal((200, 3))


def test_balls_of_the_plane():
    """Around a triangle with an obtuse angle the longest side is a diameter; else the circle goes through all three."""
    obtuse = SmallestBall(0.1, kernel="linear", tol=1e-12).fit([[0.0, 0.0], [4.0, 0.0], [1.0, 0.5]])
    assert obtuse.radius_ == pytest.approx(2.0)
    assert obtuse.support_.tolist() == [0, 1]
    acute = SmallestBall(0.1, kernel="linear", tol=1e-12).fit([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]])
    assert acute.radius_ == pytest.approx(13.0 / 6.0)
    assert acute.dual_coef_ @ acute.support_vectors_ == pytest.approx(np.array([[2.0, 5.0 / 6.0]]))
    assert acute.support_.tolist() == [0, 1, 2]
    far = SmallestBall(0.1, kernel="linear").fit(np.array([[0.0, 0.0], [4.0, 0.0], [2.0, 3.0]]) + 1e4)
    assert far.radius_ == pytest.approx(13.0 / 6.0, rel=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_a_ball_around_all_rows_is_the_smallest(seed):
    """No centre nearby has a smaller distance to its farthest row."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((30, 3)) + rng.standard_normal(3) * 5.0
    model = SmallestBall(1e-3, kernel="linear", tol=1e-10).fit(rows)
    centre = (model.dual_coef_ @ model.support_vectors_)[0]
    reach = np.linalg.norm(rows - centre, axis=1).max()
    assert model.radius_ == pytest.approx(reach, rel=1e-6)
    for _ in range(50):
        other = centre + 0.05 * rng.standard_normal(3)
        assert np.linalg.norm(rows - other, axis=1).max() >= model.radius_ * (1.0 - 1e-6)
    assert (model.predict(rows) == 1).all()


@pytest.mark.parametrize("nu", [0.02, 0.13, 0.4])
def test_the_twin_of_the_one_class_machine(nu):
    """For an RBF kernel all rows have the length 1: alpha is the same, and so are the rows outside."""
    ball = SmallestBall(nu, kernel=RBF(0.3), tol=1e-10).fit(X)
    plane = OneClassSVM(nu, kernel=RBF(0.3), tol=1e-10).fit(X)
    assert np.array_equal(ball.support_, plane.support_)
    assert nu * len(X) * ball.dual_coef_ == pytest.approx(plane.dual_coef_, abs=1e-6)
    new = np.random.default_rng(1).standard_normal((300, 3)) * 1.5
    assert np.array_equal(ball.predict(new), plane.predict(new))
    assert ball.radius_**2 == pytest.approx(1.0 + ball.centre_square_ - 2.0 * plane.offset_ / (nu * len(X)), rel=1e-7)


@pytest.mark.parametrize("kernel", ["linear", "rbf", Polynomial(2, 1.0)], ids=str)
def test_nu_is_between_the_rows_outside_and_the_support_rows(kernel):
    weights = np.random.default_rng(2).integers(0, 4, len(X))
    for given in (np.ones(len(X)), weights):
        for nu in (0.001, 0.05, 0.1, 0.3, 0.77, 1.0):
            model = SmallestBall(nu, kernel=kernel).fit(X, sample_weight=given)
            outside = np.concatenate([model.decision_function(part) for part in np.array_split(X, 7)]) < 0.0
            assert given[outside].sum() / given.sum() <= nu
            assert model.outside_rate_ <= nu <= model.support_rate_ + 1e-12
            assert model.dual_coef_.sum() == pytest.approx(1.0)
            assert verify(model, X, None, given)


def test_rows_of_any_kind_and_pipelines():
    dense = SmallestBall(0.1).fit(X)
    found = SmallestBall(0.1).fit(sparse.csr_array(X))
    assert found.decision_function(sparse.csr_array(X)) == pytest.approx(dense.decision_function(X), abs=1e-6)
    texts = ["a good day", "a good meal", "good food", "a day", "good", "storm"]
    model = SmallestBall(0.2, kernel=Tokens()).fit(texts)
    assert verify(model, texts)
    assert model.predict(["good day", "what a terrible and endless thunderstorm"]).tolist() == [1, -1]
    pipeline = make_pipeline(StandardScaler(), SmallestBall(0.05))
    assert np.mean(pipeline.fit_predict(X) == -1) <= 0.05
    assert verify(pipeline, X)
    assert clone(pipeline)[-1].nu == 0.05
    one = SmallestBall(0.5).fit([[1.0, 2.0]])
    assert one.radius_ == pytest.approx(0.0, abs=1e-5)
    assert one.predict([[1.0, 2.0], [5.0, 5.0]]).tolist() == [1, -1]


def test_a_changed_model_does_not_verify():
    model = SmallestBall(0.1).fit(X)
    assert verify(model, X)
    for change in ("coefficient", "offset", "centre", "row", "nu"):
        other = pickle.loads(pickle.dumps(model))
        if change == "coefficient":
            other.dual_coef_[0, 0] *= 1.01
        elif change == "offset":
            other.offset_ *= 1.001
            other.intercept_[0] = -other.offset_
        elif change == "centre":
            other.centre_square_ *= 1.001
        elif change == "row":
            other.support_vectors_[0] += 0.1
        else:
            other.nu = 0.2
        assert not verify(other, X).holds, change


def test_what_makes_no_sense_is_refused():
    with pytest.raises(OptionError, match="needs K\\(x, x\\) of new rows"):
        SmallestBall(kernel="precomputed").fit(RBF(1.0).matrix(X))
    with pytest.raises(OptionError, match="positive semidefinite on these rows. Sigmoid"):
        SmallestBall(kernel=Sigmoid(1.0, -1.0)).fit(X)
    for nu in (0.0, 1.5, np.nan):
        with pytest.raises(OptionError, match="'nu'"):
            SmallestBall(nu).fit(X)
    assert not hasattr(SmallestBall(kernel=Linear()).fit(X), "coef_")
