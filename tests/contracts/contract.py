"""What every solution owes: a certificate that tells the truth about the data.

The truth is established here on its own, with Python's fractions or NumPy's long doubles and none of the package's
arithmetic.
"""

from fractions import Fraction

import numpy as np

from contracts.balance import balance
from contracts.dense_rows import dense
from contracts.joint_margin import check_joint
from contracts.kernel_machine import check_kernel_machine
from contracts.library import Case
from contracts.nearest_points import check_nearest_points
from contracts.nu_margin import true_nu_gap
from contracts.stationary import check_stationary
from separatrix.certificates import (
    Collected,
    DualityGap,
    NearestPoint,
    Overlap,
    Separator,
    Stationary,
    Unproved,
)
from separatrix.objectives import JointMargin, LogLoss, NuMargin
from separatrix.problem import Problem, Solution, Status


def truly_separates(problem: Problem, w: np.ndarray, b: float | np.ndarray) -> bool:
    """Whether every row is strictly on its own side, in exact fractions."""
    planes = [[Fraction(v) for v in row] for row in np.column_stack([np.atleast_2d(w), np.atleast_1d(b)]).tolist()]
    for row, c in zip(dense(problem).tolist(), problem.y.tolist(), strict=True):
        x = [Fraction(v) for v in row] + [Fraction(1)]
        scores = [sum(map(Fraction.__mul__, plane, x)) for plane in planes]
        if len(scores) == 1:
            scores = [-scores[0], scores[0]]
        if any(scores[c] <= score for j, score in enumerate(scores) if j != c):
            return False
    return True


def part_predicted_wrong(problem: Problem, solution: Solution) -> float:
    """By the sign of g, or by the largest g, in plain NumPy."""
    scores = dense(problem) @ np.atleast_2d(solution.w).T + solution.b
    predicted = scores.argmax(axis=1) if scores.shape[1] > 1 else scores[:, 0] > 0
    return float(np.mean(predicted != problem.y))


def true_gap(problem: Problem, claim: DualityGap) -> tuple[float, float]:
    """(P - D) / max(|P|, |D|) of a soft margin, and how far rounding may move it, in long doubles.

    alpha is cut to its bounds and the heavier side scaled down, without which it bounds nothing.
    """
    X, w, alpha = dense(problem).astype(np.longdouble), claim.w.astype(np.longdouble), np.zeros(problem.n_rows, "g")
    signs, price = np.where(problem.y == 1, 1, -1), claim.objective.C * problem.cost.astype(np.longdouble)
    alpha[claim.support] = claim.alpha
    alpha = np.maximum(alpha, 0) if claim.objective.squared else np.clip(alpha, 0, price)
    if problem.fit_intercept:
        sums = {side: alpha[signs == side].sum() for side in (1, -1)}
        alpha *= np.where(signs > 0, *(min(sums.values()) / (sums[side] or 1) for side in (1, -1)))
    slack = np.maximum(0, 1 - signs * (X @ w + np.longdouble(claim.b)))
    losses = price @ (slack**2 if claim.objective.squared else slack)
    pulled = X.T @ (alpha * signs)
    bought = np.sum(alpha**2 / (4 * price)) if claim.objective.squared else 0
    primal, dual = w @ w / 2 + losses, alpha.sum() - bought - pulled @ pulled / 2
    size = max(abs(primal), abs(dual))
    terms = np.abs(X) @ np.abs(w) + abs(claim.b) + 1  # what the scores are summed from
    rounding = (
        1e-14 * float(size + price @ terms * (slack.max() + 1) + np.sum((np.abs(X).T @ alpha) ** 2)) / float(size)
    )
    return float(max(primal - dual, 0) / size), rounding


def check_gap(problem: Problem, solution: Solution, claim: DualityGap, tol: float) -> None:
    """Raise AssertionError unless the stated gap is the true one, and alpha makes w."""
    error = claim.error(problem)
    assert error == claim.stated, "the stated gap is not what the rows say"
    gap, rounding = (true_nu_gap if isinstance(claim.objective, NuMargin) else true_gap)(problem, claim)
    assert abs(error - gap) <= rounding + 1e-9 * gap, f"the certificate says {error}, but the true gap is {gap}"
    assert claim.proof == (error < np.inf)
    assert solution.status is not Status.SOLVED or error <= tol, "the status is not what the gap says"


def two_class_problems(problem: Problem, code: np.ndarray) -> list[Problem]:
    """Each class against the rest, or in pairs, as the code of the certificates says, which is one of both."""
    k, X, y = problem.n_classes, dense(problem), problem.y
    if not (code == 0).any():
        assert np.array_equal(code, 2 * np.eye(k) - 1), "the code is not that of each class against the rest"
        return [Problem(problem.X, y == c, 2, problem.cost, problem.fit_intercept) for c in range(k)]
    pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
    signs = [[(c == j) * 1 - (c == i) * 1 for i, j in pairs] for c in range(k)]
    assert np.array_equal(code, signs), "the code is not that of pairs"
    kept = [np.flatnonzero((y == i) | (y == j)) for i, j in pairs]
    return [
        Problem(X[own], y[own] == j, 2, problem.cost[own], problem.fit_intercept)
        for own, (_, j) in zip(kept, pairs, strict=True)
    ]


def check_gaps(case: Case, solution: Solution, tol: float) -> None:
    """The contract of a duality gap, or of one for each class: they hold the planes, Collected has none of its own."""
    certificate, problem = solution.certificate, case.problem
    parts = certificate.parts if isinstance(certificate, Collected) else (certificate,)
    planes = np.atleast_2d(solution.w), np.atleast_1d(solution.b)
    assert len(parts) == len(planes[0])
    asked = [problem] if len(parts) == 1 else two_class_problems(problem, certificate.code)
    for part, claim, w, b in zip(asked, parts, *planes, strict=True):
        assert np.array_equal(claim.w, w), "the certificate speaks of another plane"
        assert claim.b == b, "the certificate speaks of another plane"
        check_gap(part, solution, claim, tol)
    assert certificate.error(problem) == certificate.stated == max(claim.stated for claim in parts)
    assert (solution.status is Status.SOLVED) == (certificate.stated <= tol), "the status is not what the gap says"


def truly_cancels(problem: Problem, claim: Overlap) -> bool:
    """Whether positive weights make the rows y [x, 1] of two classes cancel, in exact fractions."""
    total = [Fraction(0)] * (problem.n_features + 1)
    for i, weight in zip(claim.hulls.index.tolist(), claim.hulls.weights, strict=True):
        sign = 1 if problem.y[i] == 1 else -1
        x = [Fraction(v) for v in dense(problem)[i].tolist()] + [Fraction(int(problem.fit_intercept))]
        total = [t + sign * weight * v for t, v in zip(total, x, strict=True)]
    return min(claim.hulls.weights) > 0 and not any(total)


def check_verdicts(problem: Problem, solution: Solution) -> None:
    """The contract of planes that separate or claim nothing, or of proofs that none does, one for each class."""
    certificate = solution.certificate
    parts = certificate.parts if isinstance(certificate, Collected) else (certificate,)
    for c, (claim, w, b) in enumerate(zip(parts, np.atleast_2d(solution.w), np.atleast_1d(solution.b), strict=True)):
        part = problem
        if len(parts) > 1:
            part = Problem(problem.X, problem.y == c, 2, problem.cost, problem.fit_intercept)
        error = claim.error(part)
        assert error == claim.stated
        if isinstance(claim, Overlap):
            assert (error == 0.0) == truly_cancels(part, claim)
        else:
            assert np.array_equal(claim.w, w), "the certificate speaks of another plane"
            assert claim.b == b, "the certificate speaks of another plane"
            separates = truly_separates(part, w, b)
            assert not separates if isinstance(claim, Unproved) else (error == 0.0) == separates


def true_logistic_gap(problem: Problem, claim: DualityGap) -> tuple[float, float]:
    """The gap of penalised log losses in long doubles, and how far rounding may move it.

    The lower bound is that of the fit's own probabilities, those of each class scaled until classes gain what they
    lose.
    """
    X, W = dense(problem).astype(np.longdouble), np.atleast_2d(claim.w).astype(np.longdouble)
    G, price = X @ W.T + np.atleast_1d(claim.b), claim.objective.C * problem.cost.astype(np.longdouble)
    if len(W) == 1:
        G = np.column_stack([np.zeros(len(G), "g"), G[:, 0]])
    own = np.arange(len(G)), problem.y
    lead = G - G[own][:, None]
    top = lead.max(axis=1)
    losses = top + np.log(np.exp(lead - top[:, None]).sum(axis=1))
    q = np.exp(lead - losses[:, None])
    q[own] = 0
    if problem.fit_intercept:
        q = (
            q
            * balance(np.array([price @ (q * (problem.y == c)[:, None]) for c in range(problem.n_classes)]))[problem.y]
        )
    rest = 1 - q.sum(axis=1)
    entropy = -np.sum(q * np.log(np.where(q > 0, q, 1)), axis=1) - rest * np.log(np.where(rest > 0, rest, 1))
    pulls = price[:, None] * -q
    pulls[own] = -pulls.sum(axis=1)
    normals = X.T @ (pulls[:, 1:] if len(W) == 1 else pulls)
    primal = (W**2).sum() / 2 + price @ losses
    dual = max(price @ entropy - (normals**2).sum() / 2, 0)
    size, terms = max(abs(primal), abs(dual)), np.abs(X) @ np.abs(W.T) + np.abs(claim.b) + 1
    rounding = (
        1e-14 * float(size + price @ terms.max(axis=1) + np.sum((np.abs(X).T @ np.abs(pulls)) ** 2)) / float(size)
    )
    return float(max(primal - dual, 0) / size), rounding


def check_logistic(case: Case, solution: Solution, tol: float) -> None:
    """The contract of a logistic gap: its planes are the solution's, and the gap is the true one."""
    claim, problem = solution.certificate, case.problem
    assert np.array_equal(claim.w, solution.w), "the certificate speaks of another plane"
    assert np.array_equal(claim.b, solution.b), "the certificate speaks of another plane"
    error = claim.error(problem)
    assert error == claim.stated, "the stated gap is not what the rows say"
    gap, rounding = true_logistic_gap(problem, claim)
    most = rounding + 1e-9 * gap
    assert -most <= error - gap <= most + claim.rounding, f"the certificate says {error}, but the true gap is {gap}"
    assert (solution.status is Status.SOLVED) == (claim.stated <= tol), "the status is not what the gap says"
    if problem.n_classes > 2:
        assert np.abs(solution.w.sum(axis=0)).max() <= 1e-12 * (1e-300 + np.abs(solution.w).max()), (
            "the gauge is not zero"
        )


def check_contract(case: Case, solution: Solution, separates: bool = True, tol: float = 1e-6) -> None:
    """Raise AssertionError unless the solution is right and honest about itself.

    `separates` is what the registry says: that the algorithm finds a plane wherever there is one. `tol` is the gap
    that was asked of a solver that has one.
    """
    parts = getattr(solution.certificate, "parts", (solution.certificate,))
    if all(isinstance(part, NearestPoint) for part in parts):
        assert not separates, "reduced hulls may be apart where the classes are not"
        check_nearest_points(case.problem, solution, tol)
        return
    if case.problem.kernel is not None:
        assert not separates, "a gap is no plane that separates"
        check_kernel_machine(case.problem, solution, tol)
        return
    planes = 1 if case.problem.n_classes == 2 else case.problem.n_classes
    assert np.atleast_2d(solution.w).shape == (planes, case.problem.n_features)
    assert np.atleast_1d(solution.b).shape == (planes,)
    assert np.isfinite(solution.w).all()
    assert case.problem.fit_intercept or not np.any(solution.b), "there is to be no offset"
    parts = getattr(solution.certificate, "parts", ())
    if isinstance(solution.certificate, Overlap) or any(
        isinstance(part, (Overlap, Separator, Unproved)) for part in parts
    ):
        assert not (separates and case.separable), "there is a plane"
        check_verdicts(case.problem, solution)
        return
    if isinstance(solution.certificate, (DualityGap, Collected)):
        assert not separates, "a gap is no plane that separates"
        objective = getattr(solution.certificate, "objective", None)
        if isinstance(objective, JointMargin):
            check_joint(case.problem, solution, tol)
        else:
            (check_logistic if isinstance(objective, LogLoss) else check_gaps)(case, solution, tol)
        return
    error = solution.certificate.error(case.problem)
    assert np.array_equal(solution.certificate.w, solution.w), "the certificate speaks of another plane"
    assert np.array_equal(solution.certificate.b, solution.b), "the certificate speaks of another plane"
    if isinstance(solution.certificate, Stationary):
        assert not separates, "equations that hold are no plane that separates"
        check_stationary(dense(case.problem), case.problem, solution)
        return
    if isinstance(solution.certificate, Unproved):
        assert not separates, "the registry promises a proof"
        assert solution.status is Status.ENDED
        assert solution.certificate.stated == error == part_predicted_wrong(case.problem, solution)
        return
    truth = truly_separates(case.problem, solution.w, solution.b)
    assert (error == 0.0) == truth, f"the certificate says {error}, but the truth is: separates = {truth}"
    assert (solution.status is Status.SEPARATED) == truth, "the status is not what the data say"
    assert truth == case.separable or not (separates or truth), (
        f"separates = {truth}, but {case.name} is separable = {case.separable}"
    )
