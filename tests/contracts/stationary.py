"""What a solution of equations owes, established in NumPy's long doubles from the rows alone."""

import numpy as np

from separatrix.certificates.claims.discriminant_equations import FisherEquations
from separatrix.certificates.claims.normal_equations import NormalEquations
from separatrix.problem import Problem, Solution, Status

ROUNDING = 1e-9  # numbers without a unit: far above what sums of doubles lose here, far below what a wrong plane leaves


def norm(A: np.ndarray, axis: int | None = None) -> np.ndarray:
    return np.sqrt(np.sum(A**2, axis=axis))


def ratio(above: np.ndarray, below: np.ndarray) -> float:
    return float(np.max(above / np.where(below > 0, below, 1), initial=0.0))


def row_targets(problem: Problem, equations: NormalEquations) -> np.ndarray:
    """The targets of the classes of rows, or their numbers."""
    return equations.targets[problem.y] if problem.n_classes else problem.y[:, None]


def of_squares(X: np.ndarray, problem: Problem, equations: NormalEquations) -> float:
    """What is left of the normal equations."""
    cost, (W, b), T = problem.cost.astype("g"), equations.fitted, row_targets(problem, equations).astype("g")
    n = cost.sum()
    middle, target = (cost @ X / n, cost @ T / n) if problem.fit_intercept else (0 * X[0], 0 * T[0])
    Z, left = X - middle, cost[:, None] * (T - X @ W.astype("g") - b)
    squares, size = cost @ Z**2, np.sqrt(cost @ (T - target) ** 2)
    size = np.where(size > 1e-13 * np.sqrt(n) * np.abs(target), size, np.sqrt(n) * np.abs(target))  # of a constant y
    varies = np.sqrt(squares) > 1e-13 * np.sqrt(n) * np.abs(middle)
    columns = np.abs(Z.T @ left - equations.ridge * W)[varies] / np.sqrt(squares + equations.ridge)[varies, None]
    offset = np.abs(left.sum(axis=0)) / np.sqrt(n) if problem.fit_intercept else 0 * size
    return max(ratio(columns, size), ratio(offset, size))


def of_discriminant(X: np.ndarray, problem: Problem, solution: Solution) -> float:
    """What is left of S w = m_c - m, or of S_b v = J S_w v, each in deviations within classes."""
    equations, cost = solution.certificate.equations, problem.cost.astype("g")
    weight = np.bincount(problem.y, problem.cost, problem.n_classes)
    means = np.array([cost[problem.y == c] @ X[problem.y == c] / weight[c] for c in range(problem.n_classes)])
    Z = X - means[problem.y]
    S = Z.T @ (cost[:, None] * Z) / max(weight.sum() - problem.n_classes, 1)
    apart = means - weight @ means / weight.sum()
    used = np.sqrt(S.diagonal()) > 1e-13 * np.abs(means).max(axis=0)
    if not used.any():
        return 0.0
    scale = np.sqrt(S.diagonal())[used]
    R = S[np.ix_(used, used)] / scale / scale[:, None]
    if isinstance(equations, FisherEquations):
        u = equations.directions[used] * scale[:, None]
        M = np.sqrt(weight)[:, None] * apart[:, used] / scale / np.sqrt(max(weight.sum() - problem.n_classes, 1))
        left = M.T @ (M @ u) - equations.ratios * (R @ u)
        terms = (norm(M) ** 2 + equations.ratios * norm(R)) * norm(u, 0)
    else:
        right = apart if problem.n_classes > 2 else apart[1:] - apart[:1]
        u, e = np.atleast_2d(solution.w)[:, used].T * scale[:, None], right[:, used].T / scale[:, None]
        left, terms = R @ u - e, norm(R) * norm(u, 0) + norm(e, 0)
    if not equations.full_rank:
        left, terms = R @ left, norm(R) * terms
    return ratio(norm(left, 0), terms)


def check_stationary(X: np.ndarray, problem: Problem, solution: Solution) -> None:
    """Raise AssertionError unless the stated error is the true one, and the status says what it means."""
    claim = solution.certificate
    error = claim.error(problem)
    assert error == claim.stated, "the stated error is not what the rows say"
    X = X.astype(np.longdouble)
    squares = isinstance(claim.equations, NormalEquations)
    truth = of_squares(X, problem, claim.equations) if squares else of_discriminant(X, problem, solution)
    assert truth <= error + ROUNDING, f"the certificate says {error}, but the true error is {truth}"
    assert claim.proof == (error <= claim.tol)
    assert (solution.status is Status.STATIONARY) == claim.proof, "the status is not what the error says"
    assert claim.proof, f"the equations are not solved: {error} is left"
