"""The contract of machines without classes in the space of a kernel: regression and novelty, in long doubles."""

import numpy as np

from contracts.kernel_features import as_plane, gaussian, sharpness
from contracts.kernel_machine import free_margin, true_free_gap
from contracts.nu_margin import filled
from contracts.regression_values import TRUE_VALUES
from separatrix.certificates import DualityGap
from separatrix.objectives import EnclosingBall
from separatrix.problem import Problem, Solution, Status

ROUNDING = 1e-13  # part of the terms of a sum by which doubles may move it


def true_ball_gap(problem: Problem, claim: DualityGap) -> tuple[float, float]:
    """The gap of the smallest ball, and how far rounding may move it; alpha is made feasible first."""
    F, plane = as_plane(problem, claim)
    cost = problem.cost.astype("g")
    total, alpha = claim.objective.nu * cost.sum(), np.zeros(problem.n_rows, "g")
    alpha[claim.support] = claim.alpha
    alpha = filled(np.clip(alpha, 0, cost), cost, total)
    squares = ((F - plane.w) ** 2).sum(axis=1)
    primal = min(total * radius + cost @ np.maximum(0, squares - radius) for radius in np.concatenate([[0], squares]))
    lengths, normal = (F**2).sum(axis=1), alpha @ F
    dual = max(alpha @ lengths - normal @ normal / total, 0)
    size = max(primal, dual, np.finfo(float).tiny)
    terms = sharpness(problem) * (primal + total * (lengths.max() + squares.max()))
    return float(max(primal - dual, 0) / size), ROUNDING * float(terms / size)


def check_ball(problem: Problem, solution: Solution) -> None:
    """Raise AssertionError unless the model is the ball that the certificate is about."""
    claim, K = solution.certificate, gaussian(problem)
    expanded = K[:, claim.support] @ claim.w
    square = claim.w @ expanded[claim.support]
    scores = solution.model.radius**2 - (K.diagonal() - 2 * expanded + square)
    most = 1e-12 * sharpness(problem) * (1 + np.abs(claim.w).sum())
    assert np.abs(solution.model.scores(problem.X) - scores).max() <= most, "the certificate speaks of another machine"


def check_expansion(problem: Problem, solution: Solution) -> None:
    """Raise AssertionError unless the model is the expansion that the certificate is about."""
    claim, scores = solution.certificate, solution.model.scores(problem.X) - solution.model.b
    expanded = gaussian(problem)[:, claim.support] @ claim.w
    most = 1e-12 * sharpness(problem) * (1 + np.abs(claim.w).sum() + abs(solution.model.b))
    assert np.abs(expanded - scores).max() <= most, "the certificate speaks of another machine"
    assert np.isfinite(solution.model.b)


def true_tube_gap(problem: Problem, claim: DualityGap) -> tuple[float, float]:
    """(P - D) / max(|P|, |D|), and how far rounding may move it."""
    F, plane = as_plane(problem, claim)
    primal, dual, terms = TRUE_VALUES[type(claim.objective)](F, problem, plane)
    size = max(abs(primal), abs(dual), np.finfo(float).tiny)
    total = np.abs(claim.w).sum()  # kernel values are rounded one by one, and scores are sums of them
    excess = 1 + np.abs(problem.y - F @ plane.w - claim.b).max()
    terms += sharpness(problem) * (total**2 + claim.objective.C * problem.cost.sum() * total * excess)
    return float(max(primal - dual, 0) / size), ROUNDING * float(terms / size)


def check_kernel_gap(problem: Problem, solution: Solution, tol: float) -> None:
    """Raise AssertionError unless the stated gap is the true one, and the status says what it is."""
    claim = solution.certificate
    ball = isinstance(claim.objective, EnclosingBall)
    (check_ball if ball else check_expansion)(problem, solution)
    error = claim.error(problem)
    assert error == claim.stated, "the stated gap is not what the rows say"
    if free_margin(claim) or ball:
        gap, rounding = (true_ball_gap if ball else true_free_gap)(problem, claim)
    else:
        assert claim.b == solution.model.b, "the certificate speaks of another machine"
        assert problem.fit_intercept or solution.model.b == 0.0, "there is to be no offset"
        gap, rounding = true_tube_gap(problem, claim)
    assert abs(error - gap) <= rounding + 1e-9 * gap, f"the certificate says {error}, but the true gap is {gap}"
    assert (solution.status is Status.SOLVED) == (error <= tol), "the status is not what the gap says"
    assert error <= tol, f"the gap is {error}, and {tol} was asked for"
