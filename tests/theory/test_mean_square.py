"""Mean-square estimation from moments, and stochastic approximation."""

import numpy as np
import pytest

from separatrix import (
    DataError,
    LeastSquaresClassifier,
    LeastSquaresRegressor,
    OptionError,
    conditional_mean,
    mean_square_solution,
    robbins_monro,
)

MEAN, COVARIANCE = np.array([1.0, -2.0, 3.0]), np.array([[2.0, 0.6, 1.0], [0.6, 1.0, -0.4], [1.0, -0.4, 4.0]])


def test_the_error_is_orthogonal_to_every_variable():
    """E x (y - w.x) = 0, which is R w = E[x y]."""
    R, cross = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.0], [0.5, 0.0, 1.0]]), np.array([1.0, -1.0, 2.0])
    assert np.allclose(R @ mean_square_solution(R, cross), cross, atol=1e-14)


def test_moments_of_a_sample_give_its_least_squares():
    """With averages over rows for moments, it is the sum-of-squares solution of a worked example."""
    X = np.array([[0.2, 0.7], [0.3, 0.3], [0.4, 0.5], [0.6, 0.5], [0.1, 0.4]])
    X = np.vstack([X, [[0.4, 0.6], [0.6, 0.2], [0.7, 0.4], [0.8, 0.6], [0.7, 0.5]]])
    y, Z = np.repeat([1.0, -1.0], 5), np.column_stack([X, np.ones(10)])
    w = mean_square_solution(Z.T @ Z / 10, Z.T @ y / 10)
    assert w.round(3).tolist() == [-3.218, 0.241, 1.431]


def test_least_squares_tends_to_the_solution_of_the_moments():
    """The mean error over draws falls as N^-1/2: sixteen times the rows, a quarter of the error."""
    R = np.array([[0.7, 0.5, 0.5], [0.5, 0.7, 0.5], [0.5, 0.5, 1.0]])  # N((1,1), 0.2 I) and N((0,0), 0.2 I) by halves
    w = mean_square_solution(R, [0.5, 0.5, 0.0])
    errors = []
    for n in (100, 1600):
        y, random = np.repeat([-1, 1], n // 2), np.random.default_rng(n)
        draws = ((y > 0)[:, None] + np.sqrt(0.2) * random.standard_normal((n, 2)) for _ in range(40))
        models = [LeastSquaresClassifier().fit(X, y) for X in draws]
        errors.append(np.mean([np.abs([*model.coef_[0], *model.intercept_] - w).max() for model in models]))
    assert 0.15 < errors[1] / errors[0] < 0.40


def test_the_shortest_of_several_solutions():
    assert np.allclose(mean_square_solution([[1.0, 1.0], [1.0, 1.0]], [2.0, 2.0]), [1.0, 1.0])


def test_the_conditional_mean_of_a_pair():
    """m_y + s_xy / s_x^2 (x - m_x), with the variance s_y^2 - s_xy^2 / s_x^2."""
    slope, intercept, variance = conditional_mean([2.0, -1.0], [[4.0, 3.0], [3.0, 9.0]])
    assert np.allclose([*slope, intercept, variance], [3 / 4, -1 - 3 / 4 * 2, 9 - 9 / 4], atol=1e-14)


def test_for_gaussians_it_is_the_regression():
    X = np.random.default_rng(0).multivariate_normal(MEAN, COVARIANCE, 200_000)
    model, found = LeastSquaresRegressor().fit(X[:, :2], X[:, 2]), conditional_mean(MEAN, COVARIANCE)
    assert np.allclose(model.coef_, found.slope, atol=0.02)
    assert np.isclose(model.intercept_, found.intercept, atol=0.05)
    assert np.isclose(np.var(X[:, 2] - model.predict(X[:, :2])), found.variance, rtol=0.02)


def test_it_is_the_mean_square_solution_with_an_offset():
    """From the moments of [x, 1] and y come the same slope and intercept."""
    Z = np.append(MEAN[:2], 1.0)
    R = np.outer(Z, Z)
    R[:2, :2] += COVARIANCE[:2, :2]
    cross = np.append(COVARIANCE[:2, 2], 0.0) + Z * MEAN[2]
    slope, intercept, _ = conditional_mean(MEAN, COVARIANCE)
    assert np.allclose(mean_square_solution(R, cross), [*slope, intercept], atol=1e-13)


def test_the_running_mean_is_a_stochastic_approximation():
    x = np.random.default_rng(1).standard_normal(50)
    path = robbins_monro(lambda sample, w: sample - w, x, 7.0)
    assert np.allclose(path[1:], np.cumsum(x) / np.arange(1, 51), atol=1e-14), "the first step forgets the start"


def test_least_mean_squares_approach_the_solution_of_the_moments():
    random = np.random.default_rng(2)
    X = random.standard_normal((20_000, 2)) @ np.array([[1.0, 0.3], [0.0, 0.8]])
    y = X @ [0.5, -1.0] + 0.1 * random.standard_normal(len(X))
    pairs = zip(X, y, strict=True)
    path = robbins_monro(
        lambda pair, w: pair[0] * (pair[1] - pair[0] @ w), pairs, np.zeros(2), learning_rate=lambda k: 2 / (k + 10)
    )
    assert np.abs(path[-1] - [0.5, -1.0]).max() < 0.01


def test_a_quantile_by_its_own_equation():
    """E [p - 1(x <= w)] = 0 at the p-quantile: F need not be a gradient of squares."""
    x = np.random.default_rng(3).uniform(0.0, 1.0, 40_000)
    path = robbins_monro(lambda sample, w: np.array(0.8 - (sample <= w)), x, 0.5, learning_rate="inverse")
    assert abs(path[-1] - 0.8) < 0.02


@pytest.mark.parametrize(
    ("R", "message"),
    [([[1.0, 2.0]], "shape|square"), ([[1.0, 2.0], [0.0, 1.0]], "symmetric"), ([[1.0, 2.0], [2.0, 1.0]], "eigenvalue")],
)
def test_what_is_no_matrix_of_moments(R, message):
    with pytest.raises(DataError, match=message):
        mean_square_solution(R, [1.0, 1.0])


def test_moments_that_contradict_each_other():
    with pytest.raises(DataError, match="range of R"):
        mean_square_solution([[1.0, 1.0], [1.0, 1.0]], [1.0, 0.0])
    with pytest.raises(DataError, match="'mean'"):
        conditional_mean([1.0], [[1.0, 0.0], [0.0, 1.0]])


def test_functions_that_do_not_fit():
    with pytest.raises(DataError, match="F of sample 1"):
        robbins_monro(lambda x, w: x, [[1.0, 2.0]], 0.0)
    with pytest.raises(DataError, match="F of sample"), np.errstate(over="ignore"):
        robbins_monro(lambda x, w: w * 1e300, [1, 2, 3], 1.0, learning_rate=1.0)
    with pytest.raises(OptionError, match="learning_rate"):
        robbins_monro(lambda x, w: w, [1], 1.0, learning_rate=-1)
