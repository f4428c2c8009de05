"""The decomposition of errors, and its two extreme cases."""

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from separatrix import DataError, HoKashyapClassifier, OptionError, bias_variance

GRID = np.linspace(-1.0, 1.0, 11)[:, None]
SIGMA = 0.3


def curve(x):
    return np.sin(3.0 * x[:, 0])


def noisy_curve(rng):
    """Eleven fixed points, noise in y alone."""
    return GRID, curve(GRID) + SIGMA * rng.standard_normal(11)


def test_a_function_that_does_not_look_at_the_data_has_no_variance():
    found = bias_variance(DummyRegressor(strategy="constant", constant=0.25), noisy_curve, GRID, curve, n_sets=20)
    assert found.variance.max() == 0.0
    assert found.bias == pytest.approx((0.25 - curve(GRID)) ** 2)


def test_a_function_through_all_points_has_no_bias_and_the_variance_of_the_noise():
    through = make_pipeline(PolynomialFeatures(10), LinearRegression())
    found = bias_variance(through, noisy_curve, GRID, curve, n_sets=300, random_state=0)
    deviation = SIGMA**2 * np.sqrt(2.0 / 300)  # of a variance that is estimated from 300 values
    assert np.abs(found.variance - SIGMA**2).max() < 4 * deviation
    assert found.bias.max() < (4 * SIGMA) ** 2 / 300


def test_the_sum_of_the_parts_is_the_error():
    found = bias_variance(LinearRegression(), noisy_curve, GRID, curve, n_sets=50, random_state=1)
    assert found.bias + found.variance == pytest.approx(found.error, rel=1e-12)
    assert found.bias.mean() > 0.01  # a line is no curve
    assert "bias^2" in str(found)


def blobs(rng):
    y = np.arange(40) % 2
    return rng.standard_normal((40, 2)) + 2.0 * y[:, None], y


def best(x):
    return (x.sum(axis=1) > 2.0).astype(int)


def test_labels():
    X = np.random.default_rng(0).standard_normal((30, 2)) + 1.0
    found = bias_variance(KNeighborsClassifier(1), blobs, X, best, loss="zero_one", n_sets=60, random_state=0)
    assert found.bias + found.variance == pytest.approx(found.error)
    assert set(found.bias) <= {0.0, 1.0}
    right = found.bias == 0.0
    assert (found.variance[right] >= 0.0).all()
    assert (found.variance[~right] <= 0.0).all()
    steady = bias_variance(KNeighborsClassifier(15), blobs, X, best, loss="zero_one", n_sets=60, random_state=0)
    assert steady.variance[right].mean() < found.variance[right].mean()


@pytest.mark.filterwarnings("ignore")
def test_scores_of_a_classifier_and_the_same_sets_for_the_same_seed():
    X = np.array([[0.0, 0.0], [2.0, 2.0]])
    one, two = (
        bias_variance(HoKashyapClassifier(max_iter=5), blobs, X, [-1, 1], n_sets=5, random_state=3) for _ in "ab"
    )
    assert one.main.tolist() == two.main.tolist()
    assert one.main[0] < 0.0 < one.main[1]


def test_bad_questions():
    with pytest.raises(OptionError, match="'loss' parameter"):
        bias_variance(LinearRegression(), noisy_curve, GRID, curve, loss="absolute")
    with pytest.raises(OptionError, match="n_sets"):
        bias_variance(LinearRegression(), noisy_curve, GRID, curve, n_sets=0)
    with pytest.raises(DataError, match="one value for each of 11 points"):
        bias_variance(LinearRegression(), noisy_curve, GRID, [1.0, 2.0])
