"""What least squares and discriminant analysis are known to fulfil."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import DataError, FisherDiscriminant, GaussianDiscriminant, LeastSquaresClassifier, fisher_ratio
from separatrix.data import encode, samples
from separatrix.problem import Moments

# Two classes of five points each, whose sums of products are known to the digit.
POINTS = [[0.2, 0.7], [0.3, 0.3], [0.4, 0.5], [0.6, 0.5], [0.1, 0.4]]
POINTS += [[0.4, 0.6], [0.6, 0.2], [0.7, 0.4], [0.8, 0.6], [0.7, 0.5]]
SIDES = [1] * 5 + [-1] * 5


def unit(v):
    return v / np.linalg.norm(v)


def clouds(seed, n=80, d=4, k=2):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
    return rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + rng.standard_normal((k, d))[y] + 5.0, y


def test_a_worked_example_to_three_decimals():
    X = np.column_stack([POINTS, np.ones(10)])
    assert (X.T @ X).round(12).tolist() == [[2.8, 2.24, 4.8], [2.24, 2.41, 4.7], [4.8, 4.7, 10.0]]
    assert (X.T @ SIDES).round(12).tolist() == [-1.6, 0.1, 0.0]
    moments = Moments.of(encode(POINTS, SIDES).problem)
    products = moments.total + moments.total_weight * np.outer(moments.mean, moments.mean)
    assert products.round(12).tolist() == [[2.8, 2.24], [2.24, 2.41]]
    model = LeastSquaresClassifier().fit(POINTS, SIDES)
    assert model.coef_.round(3).tolist() == [[-3.218, 0.241]]
    assert model.intercept_.round(3).tolist() == [1.431]
    extended = LeastSquaresClassifier(fit_intercept=False).fit(X, SIDES)  # the offset as a column of ones
    assert extended.coef_[0] == pytest.approx([*model.coef_[0], model.intercept_[0]], rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_residuals_are_orthogonal_to_every_column(seed):
    X, y = clouds(seed)
    residuals = 2 * y - 1 - LeastSquaresClassifier().fit(X, y).decision_function(X)
    assert np.abs(X.T @ residuals).max() <= 1e-11
    assert abs(residuals.sum()) <= 1e-11


@pytest.mark.parametrize("seed", range(10))
def test_three_ways_to_one_direction(seed):
    """Least squares, Fisher and LDA agree on the direction, whatever the sample; their thresholds differ."""
    X, y = clouds(seed)
    squares, fisher, gauss = (
        model.fit(X, y) for model in (LeastSquaresClassifier(), FisherDiscriminant(), GaussianDiscriminant())
    )
    assert unit(squares.coef_[0]) == pytest.approx(unit(fisher.coef_[0]), abs=1e-13)
    assert unit(squares.coef_[0]) == pytest.approx(unit(gauss.coef_[0]), abs=1e-13)
    thresholds = [float(m.intercept_[0] / np.linalg.norm(m.coef_)) for m in (squares, fisher, gauss)]
    assert len({round(threshold, 6) for threshold in thresholds}) == 3


@pytest.mark.parametrize("seed", range(5))
def test_log_odds_of_equal_priors(seed):
    X, y = clouds(seed)
    model = GaussianDiscriminant("equal").fit(X, y)
    means = [X[y == c].mean(axis=0) for c in (0, 1)]
    S = sum((X[y == c] - means[c]).T @ (X[y == c] - means[c]) for c in (0, 1)) / (len(X) - 2)
    inverse = np.linalg.inv(S)
    assert model.coef_[0] == pytest.approx(inverse @ (means[1] - means[0]), rel=1e-10)
    assert model.intercept_[0] == pytest.approx(
        (means[0] @ inverse @ means[0] - means[1] @ inverse @ means[1]) / 2, rel=1e-9
    )
    assert model.decision_function([(means[0] + means[1]) / 2]) == pytest.approx([0.0], abs=1e-10)
    assert np.log(model.predict_proba(X)[:, 1] / model.predict_proba(X)[:, 0]) == pytest.approx(
        model.decision_function(X), abs=1e-8
    )


@pytest.mark.parametrize("k", [2, 3, 5])
def test_posteriors_by_least_squares_add_up_to_one(k):
    X, y = clouds(k, n=100, k=k)
    for ridge in (0.0, 3.0):
        found = LeastSquaresClassifier(ridge).fit(X, y).posterior(X)
        assert found.shape == (100, k)
        assert found.sum(axis=1) == pytest.approx(np.ones(100), abs=1e-12)
        assert found.mean(axis=0) == pytest.approx(np.bincount(y) / 100, abs=1e-12)
    assert not hasattr(LeastSquaresClassifier, "predict_proba")


def test_many_classes_are_as_many_scalar_fits():
    X, y = clouds(7, n=100, k=4)
    together = LeastSquaresClassifier(0.5).fit(X, y)
    for c in range(4):
        alone = LeastSquaresClassifier(0.5, targets=[0.0, 1.0]).fit(X, y == c)  # nearest target: 1/2 is the threshold
        assert together.coef_[c] == pytest.approx(alone.coef_[0], rel=1e-11)
        assert together.intercept_[c] - 0.5 == pytest.approx(alone.intercept_[0], rel=1e-11)


def test_targets_in_the_ratio_of_the_classes_give_fisher_s_threshold():
    """With the targets n/n_1 and -n/n_2, g = 0 passes through the mean of all rows."""
    X, y = clouds(11, n=90)
    n, n2 = len(y), int(y.sum())
    model = LeastSquaresClassifier(targets={0: -n / (n - n2), 1: n / n2}).fit(X, y)
    W, b = model.certificate_.equations.fitted
    assert X.mean(axis=0) @ W + b == pytest.approx([0.0], abs=1e-11)
    assert unit(model.coef_[0]) == pytest.approx(unit(FisherDiscriminant().fit(X, y).coef_[0]), abs=1e-12)


def test_iris_has_unit_covariance_within_classes_and_the_known_first_direction():
    iris = samples.builtin("iris")
    known = np.array([0.8293776, 1.5344731, -2.2012117, -2.8104603])
    for container in (np.asarray, sparse.csr_array):
        model = FisherDiscriminant().fit(container(iris.X), iris.labels)
        first = model.scalings_[:, 0]
        assert first * np.sign(first[0]) == pytest.approx(known, abs=1e-7)
        Z, y = model.transform(container(iris.X)), np.unique(iris.labels, return_inverse=True)[1]
        within = sum((Z[y == c] - Z[y == c].mean(axis=0)).T @ (Z[y == c] - Z[y == c].mean(axis=0)) for c in range(3))
        assert within / (150 - 3) == pytest.approx(np.eye(2), abs=1e-12)
        assert Z.mean(axis=0) == pytest.approx(np.zeros(2), abs=1e-12)
    between = sum(50 * np.outer(m, m) for m in (Z[y == c].mean(axis=0) for c in range(3)))
    assert pytest.approx(between.diagonal() / within.diagonal(), rel=1e-10) == model.J_
    assert between[0, 1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_no_other_direction_has_a_larger_ratio(seed):
    X, y = clouds(seed, k=3)
    model = FisherDiscriminant().fit(X, y)
    moments = model.moments_
    others = np.random.default_rng(seed).standard_normal((200, 4)) + model.scalings_[:, 0] * 3
    ratios = np.sum(others @ moments.between * others, axis=1) / np.sum(others @ moments.within * others, axis=1)
    assert ratios.max() <= model.J_[0] * (1 + 1e-12)
    assert ratios.max() >= 0.5 * model.J_[0]  # some of them come near


@pytest.mark.parametrize("seed", range(5))
def test_the_line_through_the_means_has_no_larger_ratio_than_fisher_s(seed):
    """J of a direction by hand, at most d'S_w^-1 d for the difference d of the means, and equal for Fisher's."""
    random = np.random.default_rng(seed)
    mixing, y = random.standard_normal((3, 3)), np.repeat([0, 1], [30, 50])
    X = random.standard_normal((80, 3)) @ mixing + np.outer(y, random.standard_normal(3))
    within = sum((X[y == c] - X[y == c].mean(axis=0)).T @ (X[y == c] - X[y == c].mean(axis=0)) for c in (0, 1))
    apart = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    means, fisher = fisher_ratio(X, y), fisher_ratio(X, y, FisherDiscriminant().fit(X, y).coef_[0])
    assert np.isclose(means, (apart @ apart) ** 2 / (apart @ within @ apart))
    assert np.isclose(fisher, apart @ np.linalg.solve(within, apart))
    assert means < fisher
    assert np.isclose(fisher_ratio(X, y, -1e-3 * apart), means), "neither length nor sign matters"


def test_ratios_that_are_none():
    with pytest.raises(DataError, match="two classes"):
        fisher_ratio([[0.0], [1.0], [2.0]], [0, 1, 2])
    with pytest.raises(DataError, match="other than 0"):
        fisher_ratio([[0.0], [1.0]], [0, 1], [0.0])
    assert fisher_ratio([[0.0, 5.0], [1.0, 5.0]], [0, 1]) == np.inf
    assert np.isnan(fisher_ratio([[1.0], [1.0]], [0, 1]))
