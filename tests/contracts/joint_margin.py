"""What the gap of a joint machine owes: the truth about its planes and its dual point, in long doubles."""

import numpy as np

from contracts.balance import balance
from contracts.dense_rows import dense
from separatrix.certificates import DualityGap
from separatrix.problem import Problem, Solution, Status


def true_joint_gap(problem: Problem, claim: DualityGap) -> tuple[float, float]:
    """(P - D) / max(|P|, |D|) of a joint margin, and how far rounding may move it.

    q is cut to its bounds, and those of each class scaled until classes gain what they lose.
    """
    X, W = dense(problem).astype(np.longdouble), claim.w.astype(np.longdouble)
    price, own = claim.objective.C * problem.cost.astype(np.longdouble), (np.arange(problem.n_rows), problem.y)
    G = X @ W.T + claim.b.astype(np.longdouble)
    lead = G[own][:, None] - G
    lead[own] = np.inf
    slack = np.maximum(0, 1 - lead.min(axis=1))
    q = np.zeros(G.shape, "g")
    q[claim.support] = np.maximum(claim.alpha, 0)
    q[own] = 0
    q *= np.minimum(1, price / np.maximum(q.sum(axis=1), 1e-300))[:, None]
    if problem.fit_intercept:
        q = q * balance(np.array([q[problem.y == c].sum(axis=0) for c in range(problem.n_classes)]))[problem.y]
    pulls = -q
    pulls[own] = q.sum(axis=1)
    normals = X.T @ pulls
    primal, dual = (W**2).sum() / 2 + price @ slack, q.sum() - (normals**2).sum() / 2
    size, terms = max(abs(primal), abs(dual)), np.abs(X) @ np.abs(W.T) + np.abs(claim.b) + 1
    rounding = (
        1e-14 * float(size + price @ terms.max(axis=1) + np.sum((np.abs(X).T @ np.abs(pulls)) ** 2)) / float(size)
    )
    return float(max(primal - dual, 0) / size), rounding


def check_joint(problem: Problem, solution: Solution, tol: float) -> None:
    """Raise AssertionError unless the claim is about the solution's planes, and states their true gap."""
    claim = solution.certificate
    assert np.array_equal(claim.w, solution.w), "the certificate speaks of another plane"
    assert np.array_equal(claim.b, solution.b), "the certificate speaks of another plane"
    error = claim.error(problem)
    assert error == claim.stated, "the stated gap is not what the rows say"
    gap, rounding = true_joint_gap(problem, claim)
    assert abs(error - gap) <= rounding + 1e-9 * gap, f"the certificate says {error}, but the true gap is {gap}"
    assert (solution.status is Status.SOLVED) == (claim.stated <= tol), "the status is not what the gap says"
    assert np.abs(solution.w.sum(axis=0)).max() <= 1e-9 * (1e-300 + np.abs(solution.w).max()), "the gauge is not zero"
