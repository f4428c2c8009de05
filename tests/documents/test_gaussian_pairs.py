"""The textbooks' problems and computer experiments on two Gaussian classes.

How often a line errs is computed, not counted: with classes N(-m, s^2 I) and N(m, s^2 I) of equal chances, about the
middle between them, w.x + b errs with probability (Phi(-(w.m + b) / (s ||w||)) + Phi(-(w.m - b) / (s ||w||))) / 2.
"""

import numpy as np
import pytest
from scipy.stats import norm

from separatrix import Decay, LeastSquaresClassifier, LMSClassifier, Perceptron, verify
from separatrix.data import samples

SEEDS = range(20)
pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")


def extended(model):
    return np.append(model.coef_, model.intercept_)


def least_squares(table):
    """[w, b] with the smallest sum of squared residuals."""
    return extended(LeastSquaresClassifier().fit(table.X, table.labels))


def true_error(plane, mean, deviation=1.0):
    """Of w.x + b between the classes N(-mean, deviation^2 I) and N(mean, deviation^2 I)."""
    w, b = plane[:-1], plane[-1]
    heights = np.array([w @ mean + b, w @ mean - b]) / (deviation * np.linalg.norm(w))
    return norm.cdf(-heights).mean()


def error_between_unit_points(plane):
    """Of `overlapping_pair`, moved so that the middle between its means is 0."""
    centred = np.append(plane[:-1], plane[-1] + plane[:-1].sum() / 2)
    return true_error(centred, np.array([0.5, 0.5]), np.sqrt(0.2))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_perceptron_separates_what_was_cut_apart(seed):
    table = samples.separable_pair(50, seed=seed)
    model = Perceptron(max_iter=20_000, random_state=seed).fit(table.X, table.labels)
    assert verify(model, table.X, table.labels)
    assert (table.labels * model.decision_function(table.X) > 0).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_least_squares_on_overlapping_classes(seed):
    """Problem 3.9: what a decomposition of the rows themselves gives, and an error not far above the best rule's."""
    table = samples.overlapping_pair(100, seed=seed)
    rows, plane = np.column_stack([table.X, np.ones(table.n_rows)]), least_squares(table)
    expected = np.linalg.lstsq(rows, table.labels.astype(float), rcond=None)[0]
    np.testing.assert_allclose(plane, expected, rtol=1e-11)
    bayes = norm.cdf(-np.sqrt(2.5))
    assert bayes == pytest.approx(0.0569, abs=5e-5)
    assert bayes <= error_between_unit_points(plane) <= bayes + 0.01


@pytest.mark.large
@pytest.mark.parametrize("seed", SEEDS)
def test_least_mean_squares_comes_near_least_squares(seed):
    """With rho = 0.01 one pass over 200 rows goes half of the way, five passes nearly all of it."""
    table = samples.overlapping_pair(100, seed=seed)
    best = least_squares(table)
    once, often = (
        extended(LMSClassifier(learning_rate=0.01, max_iter=passes, random_state=seed).fit(table.X, table.labels))
        for passes in (1, 20)
    )
    apart_once, apart_often = (np.linalg.norm(w - best) / np.linalg.norm(best) for w in (once, often))
    assert 0.3 <= apart_once <= 0.6
    assert apart_often <= 0.05
    bayes = norm.cdf(-np.sqrt(2.5))
    assert all(bayes <= error_between_unit_points(w) for w in (once, often, best))
    assert error_between_unit_points(often) <= error_between_unit_points(best) + 0.002


def experiment(offset, seed):
    """True errors of the perceptron, LMS with many small steps, LMS with one pass and rate 0.1/t, least squares."""
    table = samples.gaussian_pair(offset, n_rows=200, seed=seed)
    models = (
        Perceptron(max_iter=100, random_state=seed),
        LMSClassifier(max_iter=100, random_state=seed),
        LMSClassifier(learning_rate=Decay(0.1), max_iter=1, random_state=seed),
    )
    planes = [extended(model.fit(table.X, table.labels)) for model in models] + [least_squares(table)]
    return [true_error(plane, np.array([offset, 0.0])) for plane in planes]


@pytest.mark.large
@pytest.mark.parametrize("offset", [5, 2, 1])
def test_squares_come_near_the_best_rule_and_the_perceptron_only_where_it_can_separate(offset):
    """No line beats the Bayes error Phi(-a). Squares are near it for every a; the perceptron drifts with overlap."""
    bayes = norm.cdf(-offset)
    perceptron, lms, once, squares = np.array([experiment(offset, seed) for seed in SEEDS]).T
    assert min(map(np.min, (perceptron, lms, once, squares))) >= bayes
    assert lms.mean() - bayes <= 0.01
    assert lms.max() - bayes <= 0.02
    assert abs(lms.mean() - squares.mean()) <= 0.002
    assert once.mean() - bayes <= 0.02
    excess = perceptron.mean() - bayes
    at_least, at_most = {5: (0.0, 0.001), 2: (0.005, 0.03), 1: (0.03, 0.1)}[offset]
    assert at_least <= excess <= at_most
    assert offset == 5 or excess > 3 * (lms.mean() - bayes)


@pytest.mark.parametrize("seed", SEEDS)
def test_ten_deviations_apart_nothing_is_wrong(seed):
    """Experiment 3.1: all rules are right on the rows they learn from and on as many new ones."""
    table, fresh = samples.gaussian_pair(5, seed=seed), samples.gaussian_pair(5, seed=seed + 100)
    lms = LMSClassifier(max_iter=5, random_state=seed)
    for model in (Perceptron(random_state=seed), lms, LeastSquaresClassifier()):
        model.fit(table.X, table.labels)
        assert model.score(table.X, table.labels) == model.score(fresh.X, fresh.labels) == 1.0
