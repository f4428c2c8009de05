"""Certificates of all rules, checked again: as true as at fit, false of other labels, and about these planes alone."""

import pickle

import numpy as np
import pytest

from separatrix import (
    LMSClassifier,
    Perceptron,
    PocketPerceptron,
    RelaxationClassifier,
    StochasticClassifier,
    StochasticRegressor,
    ThermalPerceptron,
    verify,
)
from separatrix.data import samples

EASY = samples.separable_pair(25, seed=0)
HARD = samples.gaussian_pair(1.0, 60, seed=3)
THREE = np.tile([0, 1, 2], 12)
ROWS = np.array([[4.0, 0.0], [-3.0, 4.0], [-3.0, -4.0]])[THREE] + np.random.default_rng(1).uniform(-1, 1, (36, 2))
DATA = {
    "separable": (EASY.X, EASY.labels),
    "overlapping": (HARD.X, HARD.labels),
    "several classes": (ROWS, THREE),
}
MODELS = [
    Perceptron(averaged=True),
    Perceptron(l2=0.01),
    Perceptron(normalized=True),
    Perceptron(bias_step="radius2"),
    Perceptron(update="minibatch", batch_size=4),
    PocketPerceptron(),
    ThermalPerceptron(),
    RelaxationClassifier(),
    StochasticClassifier(),
    StochasticClassifier(loss="logistic", averaged=True, batch_size=4, l2=0.01),
    StochasticClassifier(fit_intercept=False),
    LMSClassifier(),
    LMSClassifier(normalized=True),
]


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_claims_of_classifiers(model, data):
    X, y = DATA[data]
    model = type(model)(**model.get_params()).set_params(random_state=0, max_iter=30).fit(X, y)
    found = verify(model, X, y)
    assert found.holds
    assert found.error == found.stated < np.inf
    assert found.proved == model.certificate_.proof
    other = -y if data != "several classes" else np.roll(y, 1)
    assert not verify(model, X, other).holds
    for change in ("coef_", "intercept_"):
        changed = pickle.loads(pickle.dumps(model))
        getattr(changed, change)[0] += 1e-9
        assert not verify(changed, X, y).holds
        assert verify(changed, X, y).error == np.inf
    again = pickle.loads(pickle.dumps(model))
    assert verify(again, X, y) == found


@pytest.mark.parametrize("model", [StochasticClassifier(learning_rate=0.1), LMSClassifier(), Perceptron(averaged=True)])
@pytest.mark.parametrize("data", ["overlapping", "several classes"])
def test_claims_after_partial_fit_are_about_its_planes(model, data):
    X, y = DATA[data]
    model = type(model)(**model.get_params())
    for _ in range(3):
        model.partial_fit(X, y, classes=np.unique(y))
    found = verify(model, X, y)
    assert found.stated == np.inf
    assert found.error < np.inf
    assert not found.proved
    model.coef_[-1, 0] += 1e-9
    assert verify(model, X, y).error == np.inf


@pytest.mark.parametrize("how", [{}, {"loss": "squared", "averaged": True}, {"l1": 0.01, "fit_intercept": False}])
def test_claims_of_the_regressor(how):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 3))
    y = X @ [1.0, 2.0, 0.0] + 0.1 * rng.standard_normal(40)
    model = StochasticRegressor(random_state=0, **how).fit(X, y)
    found = verify(model, X, y)
    assert found.holds
    assert found.error == pytest.approx(np.sqrt(np.mean((y - model.predict(X)) ** 2)), rel=1e-12)
    assert not verify(model, X, -y).holds
    again = pickle.loads(pickle.dumps(model))
    again.coef_[0] += 1e-9
    assert verify(again, X, y).error == np.inf
    in_parts = StochasticRegressor(random_state=0, **how).partial_fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
    assert verify(in_parts, X, y).stated == np.inf
    assert verify(in_parts, X, y).error < np.inf
