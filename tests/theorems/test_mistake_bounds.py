"""Novikoff's theorem and its relatives, with the margin known or computed by an independent solver."""

from itertools import chain, combinations

import clarabel
import numpy as np
import pytest
from scipy import sparse

from separatrix.data import encode, kesler_vectors, samples
from separatrix.problem import Problem
from separatrix.solvers.online import perceptron


def best_margin(vectors: np.ndarray) -> tuple[float, np.ndarray]:
    """Largest margin of a homogeneous plane: min ||w||^2 / 2 subject to <w, v> >= 1, and that w as a unit vector."""
    n, d = vectors.shape
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(n)]
    P, A = sparse.csc_matrix(np.eye(d)), sparse.csc_matrix(-vectors)
    solution = clarabel.DefaultSolver(P, np.zeros(d), A, -np.ones(n), cones, settings).solve()
    w = np.array(solution.x)
    w /= np.linalg.norm(w)
    return float((vectors @ w).min()), w


def extended(problem: Problem) -> np.ndarray:
    """y [x, 1] for each row."""
    return problem.signs[:, None] * np.column_stack([problem.X, np.ones(problem.n_rows)])


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_online_mistakes_never_exceed_novikoff(seed, shuffled):
    table, gamma = samples.planted_margin(100, 4, ratio=0.03, seed=seed)
    problem = encode(table.X, table.labels).problem
    best, _ = best_margin(extended(problem))
    assert best >= gamma * (1 - 1e-6), "the planted plane cannot beat the best"
    rng = np.random.default_rng(seed) if shuffled else None
    solution = perceptron.online(problem, max_iter=100_000, rng=rng)
    assert solution.certificate.error(problem) == 0.0
    assert 0 < solution.history.mistakes <= (problem.radius / best) ** 2


@pytest.mark.parametrize("seed", range(5))
def test_the_certificate_quotes_a_bound_that_holds(seed):
    table, _ = samples.planted_margin(60, 3, ratio=0.05, seed=seed)
    problem = encode(table.X, table.labels).problem
    certificate = perceptron.online(problem, max_iter=100_000).certificate
    best, _ = best_margin(extended(problem))
    assert certificate.mistakes <= certificate.examined.bound
    # the plane that was found is no better than the best one, so its bound is no smaller
    assert certificate.examined.bound >= (problem.radius / best) ** 2 * (1 - 1e-6)


@pytest.mark.parametrize("seed", range(10))
def test_kesler_mistakes(seed):
    """The vectors of the construction are sqrt(2) times as long as the rows."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((60, 3))
    scores = X @ rng.standard_normal((3, 4)) + rng.standard_normal(4)
    keep = np.sort(scores, axis=1)[:, -1] - np.sort(scores, axis=1)[:, -2] > 0.2
    X, y = X[keep], scores[keep].argmax(axis=1)
    problem = encode(X, y).problem
    vectors = kesler_vectors(X, y)
    best, _ = best_margin(vectors)
    radius = np.linalg.norm(vectors, axis=1).max()
    assert np.isclose(radius, np.sqrt(2) * problem.radius)
    solution = perceptron.online(problem, max_iter=100_000)
    assert solution.certificate.error(problem) == 0.0
    assert 0 < solution.history.mistakes <= (radius / best) ** 2
    assert solution.history.mistakes <= solution.certificate.examined.bound
    assert solution.certificate.examined.bound >= (radius / best) ** 2 * (1 - 1e-6)


@pytest.mark.parametrize("rate", [0.3, 1.0, 1.7])
@pytest.mark.parametrize("seed", range(6))
def test_batch_steps(seed, rate):
    """At most ||w(0) - alpha w*||^2 / (beta^2 rho (2 - rho)) steps, with alpha = beta^2 / |gamma|."""
    table, _ = samples.planted_margin(10, 2, ratio=0.1, seed=seed)
    problem = encode(table.X, table.labels).problem
    rows = extended(problem)
    subsets = chain.from_iterable(combinations(range(len(rows)), size) for size in range(1, len(rows) + 1))
    beta2 = max(float(np.sum(rows[list(subset)].sum(axis=0) ** 2)) for subset in subsets)
    gamma, best = best_margin(rows)
    start = np.random.default_rng(seed).standard_normal(3)
    solution = perceptron.batch(problem, learning_rate=rate, start=start, max_iter=100_000)
    assert solution.certificate.error(problem) == 0.0
    steps = np.sum((start - beta2 / gamma * best) ** 2) / (beta2 * rate * (2 - rate))
    corrections = solution.history.iterations - 1  # the last one finds nothing wrong
    assert corrections <= steps
