"""The contract of a machine in the space of a kernel: its gap, or on which side the rows are, in long doubles."""

from typing import Any

import numpy as np

from contracts.dense_rows import dense
from contracts.kernel_features import as_plane, gaussian, sharpness
from contracts.nu_margin import true_nu_gap
from separatrix.certificates import Collected, DualityGap, Separator
from separatrix.objectives import NuMargin
from separatrix.problem import Problem, Solution, Status


def true_kernel_gap(problem: Problem, claim: DualityGap) -> tuple[float, float]:
    """(P - D) / max(|P|, |D|) of a soft margin, and how far rounding may move it; alpha is made feasible first."""
    K, n = gaussian(problem), problem.n_rows
    signs, price = np.where(problem.y == 1, 1, -1), claim.objective.C * problem.cost.astype(np.longdouble)
    c, alpha = np.zeros(n, "g"), np.zeros(n, "g")
    c[claim.support], alpha[claim.support] = claim.w, claim.alpha
    alpha = np.clip(alpha, 0, price)
    if problem.fit_intercept:
        sums = {side: alpha[signs == side].sum() for side in (1, -1)}
        alpha *= np.where(signs > 0, *(min(sums.values()) / (sums[side] or 1) for side in (1, -1)))
    slack = np.maximum(0, 1 - signs * (K @ c + np.longdouble(claim.b)))
    primal, dual = c @ K @ c / 2 + price @ slack, alpha.sum() - (alpha * signs) @ K @ (alpha * signs) / 2
    size = max(abs(primal), abs(dual))
    rounding = (
        1e-13 * sharpness(problem) * float(size + price.sum() * (1 + np.abs(c).sum() + abs(claim.b))) / float(size)
    )
    return float(max(primal - dual, 0) / size), rounding


def free_margin(claim: DualityGap) -> bool:
    """Whether the width of the margin is part of the answer."""
    return isinstance(claim.objective, NuMargin)


def true_free_gap(problem: Problem, claim: DualityGap) -> tuple[float, float]:
    """The gap of a margin whose width is free, and how far rounding may move it."""
    F, plane = as_plane(problem, claim)
    gap, rounding = true_nu_gap(problem, plane, F)
    if not np.any(claim.w):  # that sums are one point is proved by equal rows, and by no kernel values
        rounding = 1.0
    return gap, rounding * sharpness(problem)


def check_kernel_machine(problem: Problem, solution: Solution, tol: float) -> None:
    """Raise AssertionError unless the expansion is what the certificates claim, and their gaps are the true ones."""
    certificate, k = solution.certificate, problem.n_classes
    pairs = [(0, 1)] if k == 2 else [(i, j) for i in range(k) for j in range(i + 1, k)]
    parts = certificate.parts if isinstance(certificate, Collected) else (certificate,)
    offsets = np.atleast_1d(solution.b)
    assert len(parts) == len(pairs) == len(offsets)
    scores = np.atleast_2d(solution.model.scores(problem.X).T)
    for claim, (i, j), b, score in zip(parts, pairs, offsets, scores, strict=True):
        own = np.flatnonzero((problem.y == i) | (problem.y == j))
        X = problem.X if k == 2 else dense(problem)[own]
        part = Problem(X, problem.y[own] == j, 2, problem.cost[own], problem.fit_intercept, kernel=problem.kernel)
        assert claim.b == b, "the certificate speaks of another machine"
        rows = claim.support if isinstance(claim, DualityGap) else claim.coefficients_of
        expanded = gaussian(part)[:, rows] @ claim.w + b
        most = 1e-9 * (1 + np.abs(claim.w).sum())
        assert np.abs(expanded - score[own]).max() <= most, "the certificate speaks of another machine"
        check_claim(part, claim, expanded)
        assert problem.fit_intercept or not b, "there is to be no offset"
    assert certificate.error(problem) == certificate.stated == max(claim.stated for claim in parts)
    if isinstance(parts[0], DualityGap):
        assert (solution.status is Status.SOLVED) == (certificate.stated <= tol), "the status is not what the gap says"
    else:
        assert (solution.status is Status.SEPARATED) == certificate.proof, "the status is not what the data say"


def check_claim(part: Problem, claim: Any, scores: np.ndarray) -> None:
    """Raise AssertionError unless a claim about one pair of classes is true."""
    error, wrong = claim.error(part), np.where(part.y == 1, 1, -1) * scores <= 0
    if isinstance(claim, DualityGap):
        assert abs(error - claim.stated) <= 1e-12, "the stated gap is not what the rows say"
        gap, rounding = true_free_gap(part, claim) if free_margin(claim) else true_kernel_gap(part, claim)
        most = rounding + 1e-9 * gap  # the stated gap is an upper bound, which includes its own rounding
        assert -most <= error - gap <= most + claim.rounding, f"the certificate says {error}, but the true gap is {gap}"
        return
    assert error == claim.stated, "the stated error is not what the rows say"
    if isinstance(claim, Separator):
        assert claim.proof == (error == 0.0)
        assert not (claim.proof and wrong.any()), "the certificate says that the rows are separated, and they are not"
    else:
        assert abs(error - wrong.mean()) <= np.mean(np.abs(scores) <= 1e-9), "the training error is not the true one"
