"""Linear regression against scikit-learn's, where that converges; and how far off it is where it does not."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVR as ScikitLinearSVR

from separatrix import LinearSVR

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


def drawn(seed, raw=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((80, 4))
    y = X @ rng.standard_normal(4) + 0.5 * rng.standard_normal(80)
    return (X * 10.0 ** np.arange(4), 1e3 * y) if raw else (X, y)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(10))
def test_the_same_predictions_without_an_offset(seed, loss):
    """Theirs penalises the offset, so that there is none here."""
    X, y = drawn(seed)
    theirs = ScikitLinearSVR(
        C=1.0, epsilon=0.1, loss=loss, fit_intercept=False, tol=1e-10, max_iter=10**7, random_state=0, dual=True
    ).fit(X, y)
    ours = LinearSVR(C=1.0, epsilon=0.1, loss=loss, fit_intercept=False).fit(X, y)
    assert np.allclose(ours.predict(X), theirs.predict(X), atol=1e-5)


def test_raw_numbers_are_beyond_theirs():
    """At its defaults theirs stops early on raw numbers; ours never misses its gap."""
    warned, off = 0, []
    for seed in range(20):
        X, y = drawn(seed, raw=True)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            theirs = ScikitLinearSVR(C=1.0, epsilon=10.0, fit_intercept=False, random_state=0).fit(X, y)
        ours = LinearSVR(C=1.0, epsilon=10.0, fit_intercept=False).fit(X, y)
        assert ours.certificate_.stated <= 1e-6
        warned += any(issubclass(each.category, ConvergenceWarning) for each in seen)
        w = theirs.coef_
        value = 0.5 * w @ w + np.maximum(0.0, np.abs(y - X @ w) - 10.0).sum()
        off.append(value / ours.certificate_.dual - 1.0)
    assert warned >= 15
    assert np.median(off) > 1e-3
