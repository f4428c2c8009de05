"""The empirical risk is the mean of a loss."""

import numpy as np
import pytest

from separatrix import (
    DataError,
    LeastSquaresClassifier,
    LeastSquaresRegressor,
    LinearSVM,
    LogisticClassifier,
    OptionError,
    Perceptron,
    empirical_risk,
)
from separatrix.data import samples
from separatrix.objectives import Kind, Loss, value

DATA = samples.overlapping_pair(60, seed=3)
MODEL = LinearSVM(C=0.5).fit(DATA.X, DATA.labels)
KINDS = {"perceptron": Kind.PERCEPTRON, "hinge": Kind.HINGE, "logistic": Kind.LOGISTIC, "exponential": Kind.EXPONENTIAL}


@pytest.mark.parametrize("loss", KINDS)
def test_losses_are_those_that_solvers_go_down(loss):
    signs = np.where(DATA.labels == MODEL.classes_[1], 1.0, -1.0)
    scores = MODEL.decision_function(DATA.X)
    each = [value(Loss(KINDS[loss]), g, y) for g, y in zip(scores, signs, strict=True)]
    assert np.isclose(empirical_risk(MODEL, DATA.X, DATA.labels, loss), np.mean(each), rtol=1e-13)


def test_it_is_what_machines_minimise():
    """The certified primal value is 1/2 ||w||^2 + C N times the risk."""
    risk = empirical_risk(MODEL, DATA.X, DATA.labels, "hinge")
    primal = 0.5 * float(MODEL.coef_[0] @ MODEL.coef_[0]) + 0.5 * len(DATA.labels) * risk
    assert np.isclose(primal, MODEL.certificate_.primal, rtol=1e-9)
    logistic = LogisticClassifier(C=2.0).fit(DATA.X, DATA.labels)
    risk = empirical_risk(logistic, DATA.X, DATA.labels, "logistic")
    primal = 0.5 * float(logistic.coef_[0] @ logistic.coef_[0]) + 2.0 * len(DATA.labels) * risk
    assert np.isclose(primal, logistic.certificate_.primal, rtol=1e-9)


def test_no_line_has_a_smaller_squared_risk_than_least_squares():
    best = LeastSquaresClassifier().fit(DATA.X, DATA.labels)
    least = empirical_risk(best, DATA.X, DATA.labels, "squared")
    assert least < empirical_risk(MODEL, DATA.X, DATA.labels, "squared")
    moved = LeastSquaresClassifier().fit(DATA.X, DATA.labels)
    for step in (1e-3, -1e-3):
        moved.intercept_[:] = best.intercept_ + step
        assert np.isclose(empirical_risk(moved, DATA.X, DATA.labels, "squared"), least + step**2, rtol=1e-9)


def test_the_order_of_the_losses():
    """The squared hinge and the hinge are above the errors, and so is the logistic loss over log 2."""
    risk = {
        loss: empirical_risk(MODEL, DATA.X, DATA.labels, loss)
        for loss in ("zero_one", "hinge", "logistic", "exponential")
    }
    assert np.isclose(risk["zero_one"], 1 - MODEL.score(DATA.X, DATA.labels))
    assert risk["zero_one"] <= min(risk["hinge"], risk["logistic"] / np.log(2), risk["exponential"])


def test_weights_are_copies():
    weights = np.arange(len(DATA.labels)) % 3
    repeated = np.repeat(np.arange(len(DATA.labels)), weights)
    for loss in ("zero_one", "hinge", "squared"):
        weighted = empirical_risk(MODEL, DATA.X, DATA.labels, loss, sample_weight=weights)
        assert np.isclose(weighted, empirical_risk(MODEL, DATA.X[repeated], DATA.labels[repeated], loss))


def test_several_classes_are_judged_by_the_lead_of_their_own():
    iris = samples.builtin("iris")
    model = LogisticClassifier(C=1.0).fit(iris.X, iris.labels)
    scores, own = model.decision_function(iris.X), np.searchsorted(model.classes_, iris.labels)
    rivals = np.where(np.eye(3, dtype=bool)[own], -np.inf, scores).max(axis=1)
    lead = scores[np.arange(150), own] - rivals
    assert np.isclose(empirical_risk(model, iris.X, iris.labels, "hinge"), np.maximum(0, 1 - lead).mean())
    with pytest.raises(OptionError, match="3 classes"):
        empirical_risk(model, iris.X, iris.labels, "squared")


def test_numbers_and_functions():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 5.0])
    model = LeastSquaresRegressor().fit(X, y)  # 2.5 x - 0.5
    assert np.isclose(empirical_risk(model, X, y, "squared"), 0.5)
    assert np.isclose(empirical_risk(model, X, y, "absolute"), 2 / 3)
    tube = empirical_risk(model, X, y, lambda y, g: np.maximum(0.0, np.abs(y - g) - 0.75))
    assert np.isclose(tube, 0.25 / 3)


def test_what_cannot_be_asked():
    with pytest.raises(OptionError, match="'loss' parameter"):
        empirical_risk(MODEL, DATA.X, DATA.labels, "huber")
    with pytest.raises(OptionError, match="regressor"):
        empirical_risk(LeastSquaresRegressor().fit([[0.0], [1.0]], [0, 1]), [[0.0]], [0], "hinge")
    with pytest.raises(OptionError, match="losses, one a row"):
        empirical_risk(MODEL, DATA.X, DATA.labels, lambda y, g: 0.0)
    with pytest.raises(DataError, match="not one of the classes"):
        empirical_risk(MODEL, DATA.X, ["other"] * len(DATA.labels))
    with pytest.raises(ValueError, match="not fitted"):
        empirical_risk(Perceptron(), DATA.X, DATA.labels)
