"""Fisher scores are derivatives of the log density, found again by differences."""

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logsumexp, softmax
from scipy.stats import multivariate_normal
from sklearn.mixture import GaussianMixture

from separatrix import FisherDiscriminant, GaussianDiscriminant, psd_defect
from separatrix.errors import DataError
from separatrix.kernels import Fisher, Mixture

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(size=(40, 2)), RNG.normal(size=(30, 2)) @ [[2.0, 0.3], [0.0, 0.5]] + 3.0])
Y = np.repeat([0, 1], [40, 30])
STEP = 1e-6


def log_density(x, logits, means, covariances):
    logs = [multivariate_normal(mean, cov).logpdf(x) for mean, cov in zip(means, covariances, strict=True)]
    return logsumexp(np.array(logs) + np.log(softmax(logits)))


def numerical_scores(x, mixture, parameter):
    """Central differences in each mean, logit or diagonal variance."""
    start = [np.log(mixture.weights), np.array(mixture.means), np.array(mixture.covariances)]
    place = {"weights": 0, "means": 1, "variances": 2}[parameter]
    shape = start[place].shape[:2]
    found = []
    for index in np.ndindex(shape):
        entry = (*index, index[1]) if parameter == "variances" else index
        values = []
        for step in (STEP, -STEP):
            moved = [each.copy() for each in start]
            moved[place][entry] += step
            values.append(log_density(x, *moved))
        found.append((values[0] - values[1]) / (2 * STEP))
    return found


@pytest.mark.parametrize("parameter", ["means", "weights", "variances"])
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_scores_are_derivatives_of_the_log_density(kind, parameter):
    kernel = Fisher(GaussianMixture(2, covariance_type=kind, random_state=0).fit(X), (parameter,))
    rows = X[::9]
    expected = np.array([numerical_scores(x, kernel.model, parameter) for x in rows])
    np.testing.assert_allclose(kernel.feature_map(rows), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(kernel.matrix(rows), expected @ expected.T, rtol=1e-5, atol=1e-6)
    assert psd_defect(kernel.matrix(rows)).holds


def test_several_parameters_stand_side_by_side_in_their_order():
    model = GaussianMixture(2, random_state=0).fit(X)
    apart = [Fisher(model, (each,)).feature_map(X) for each in ("weights", "means")]
    np.testing.assert_array_equal(Fisher(model, ("weights", "means")).feature_map(X), np.hstack(apart))


def test_with_the_information_a_gaussian_gives_mahalanobis_products():
    """U = S^-1 (x - m) has the mean product S^-1, so that (x - m)' S^-1 (z - m) is left."""
    model = GaussianMixture(1, reg_covar=0.0).fit(X)
    centred = X - X.mean(axis=0)
    expected = centred @ np.linalg.inv(np.cov(X.T, bias=True)) @ centred.T
    kernel = Fisher(model, metric="information")
    np.testing.assert_allclose(kernel.matrix(X), expected, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(kernel.resolved(X).matrix(X[:3], X), expected[:3], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(kernel.matrix(sparse.csr_array(X)), expected, rtol=1e-9, atol=1e-11)


def test_scores_of_no_information_are_left_out():
    """Scores of the weights add up to 0: the information has no inverse, and the trace of U I^+ U' / n is its rank."""
    kernel = Fisher(GaussianMixture(3, random_state=0).fit(X), ("weights",), metric="information")
    assert kernel.feature_map(X).shape == (70, 2)
    assert np.trace(kernel.matrix(X)) / 70 == pytest.approx(2.0, rel=1e-9)


@pytest.mark.parametrize(
    "model", [GaussianDiscriminant(), GaussianDiscriminant([0.3, 0.7], shrinkage=0.2), FisherDiscriminant()]
)
def test_a_discriminant_is_a_mixture_of_its_classes(model):
    mixture = Fisher(model.fit(X, Y)).model
    within = sum(np.cov(X[c == Y].T, bias=True) * np.sum(c == Y) for c in (0, 1)) / 68
    shrinkage = getattr(model, "shrinkage", 0.0)
    expected = (1 - shrinkage) * within + shrinkage * np.trace(within) / 2 * np.eye(2)
    np.testing.assert_allclose(mixture.covariances, [expected, expected], rtol=1e-12)
    np.testing.assert_allclose(mixture.means, [X[c == Y].mean(axis=0) for c in (0, 1)], rtol=1e-12)
    np.testing.assert_allclose(mixture.weights, [0.3, 0.7] if shrinkage else [4 / 7, 3 / 7], rtol=1e-12)


def test_posteriors_of_a_discriminant_are_its_weight_scores():
    model = GaussianDiscriminant().fit(X, Y)
    scores = Fisher(model, ("weights",)).feature_map(X)
    np.testing.assert_allclose(scores + np.array([4 / 7, 3 / 7]), model.predict_proba(X), rtol=1e-9)


def test_far_rows_do_not_overflow():
    scores = Fisher(GaussianMixture(2, random_state=0).fit(X), ("means", "weights")).feature_map([[1e6, -1e6]])
    assert np.isfinite(scores).all()


def test_what_cannot_be_used_is_said():
    singular = Mixture(weights=(1.0,), means=((0.0, 0.0),), covariances=(((1.0, 1.0), (1.0, 1.0)),))
    with pytest.raises(DataError, match="covariances that have an inverse"):
        Fisher(singular).matrix(X)
    with pytest.raises(DataError, match="has 2 features. Got rows of 3"):
        Fisher(GaussianMixture(1).fit(X)).matrix(np.ones((2, 3)))
    for wrong in ({"parameters": ("mean",)}, {"metric": "euclid"}):
        with pytest.raises(ValueError, match=f"'{next(iter(wrong))}' parameter must"):
            Fisher(singular, **wrong)
