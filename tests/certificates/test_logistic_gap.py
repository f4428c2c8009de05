"""A logistic gap bounds what any planes could gain, by the dual or by the curvature, and spoiled claims show."""

from dataclasses import replace

import numpy as np
import pytest
from flint import arb

from certificates.exact_log_loss import ExactLogLoss
from separatrix import DataError, LogisticClassifier, verify
from separatrix.certificates import DualityGap
from separatrix.errors import at_most
from separatrix.objectives import LogLoss
from separatrix.objectives.log_loss import losses_and_probabilities, rival_log_odds, score_gradients
from separatrix.objectives.log_loss_curvature import hessian
from separatrix.problem import Problem
from separatrix.problem.scaled_rows import ScaledRows, moderate_coordinates
from separatrix.rows import CSR
from separatrix.solvers.logistic.design import Design
from separatrix.solvers.logistic.logistic import logistic

RNG = np.random.default_rng(0)
X = np.round(RNG.standard_normal((60, 3)), 3)
COST = RNG.integers(1, 4, 60).astype(float)
Y = {
    2: (X[:, 0] + RNG.standard_normal(60) > 0).astype(int),
    3: np.clip(np.round(X[:, 0] + RNG.standard_normal(60)), -1, 1).astype(int) + 1,
}
PROBLEMS = {k: Problem(X, Y[k], k, COST) for k in (2, 3)}


@pytest.fixture(params=[2, 3])
def problem(request):
    return PROBLEMS[request.param]


@pytest.fixture(params=[0.5, np.inf])
def objective(request, problem):
    return LogLoss(request.param, problem.n_classes)


def at(problem, objective, w, b):
    losses, _ = losses_and_probabilities(rival_log_odds(X @ np.atleast_2d(w).T + b, problem.y))
    return objective.unit * problem.cost @ losses + (0.5 * np.sum(w**2) if objective.penalised else 0.0)


def test_an_optimal_claim_holds(problem, objective):
    claim = logistic(problem, C=objective.C).certificate
    assert claim.error(problem) == claim.stated <= 1e-12
    assert claim.proof
    assert claim.primal == pytest.approx(at(problem, objective, claim.w, claim.b), rel=1e-13)


@pytest.mark.parametrize("size", [1e-8, 1e-4, 1e-2, 0.1, 1.0])
def test_no_bound_is_above_the_optimum_and_the_distance_holds(problem, objective, size):
    best = logistic(problem, C=objective.C)
    rng = np.random.default_rng(1)
    w = best.w + size * rng.standard_normal(np.shape(best.w))
    b = best.b + size * rng.standard_normal(np.shape(best.b))
    claim = DualityGap.issue(problem.posed(objective), w, b)
    assert claim.dual <= best.certificate.primal * (1.0 + 1e-14)
    if objective.penalised:
        assert np.linalg.norm(w - best.w) <= claim.distance
    if size <= 1e-2:
        assert claim.proof
        truth = (claim.primal - best.certificate.primal) / claim.primal
        assert truth * (1 - 1e-6) - 1e-15 <= claim.stated <= 100.0 * truth + 1e-13  # not by far too careful


def test_every_spoiled_part_of_the_claim_shows(problem, objective):
    claim = logistic(problem, C=objective.C).certificate
    spoiled = {
        "w": replace(claim, w=1.01 * claim.w + 0.1 * np.random.default_rng(2).standard_normal(claim.w.shape)),
        "b": replace(claim, b=claim.b + np.arange(1, 1 + np.size(claim.b)) * 0.1),
    }
    if objective.penalised:
        spoiled["C"] = replace(claim, objective=replace(objective, C=1.5 * objective.C))
    for name, other in spoiled.items():
        assert other.error(problem) > 1e-5, name
    labels, rows = problem.y.copy(), np.array(X)
    labels[0], rows[0] = (labels[0] + 1) % problem.n_classes, rows[0] + 0.5
    for other in (
        Problem(X, labels, problem.n_classes, COST),
        Problem(rows, problem.y, problem.n_classes, COST),
        Problem(X, problem.y, problem.n_classes, COST + (np.arange(60) == 0)),
    ):
        assert claim.error(other) > 1e-6


def test_far_from_a_maximum_nothing_is_proved_without_a_penalty(problem):
    w = np.full((problem.n_planes, 3), 50.0) * np.arange(1, problem.n_planes + 1)[:, None]
    posed = problem.posed(LogLoss(np.inf, problem.n_classes))
    claim = DualityGap.issue(posed, w if len(w) > 1 else w[0], np.zeros(len(w)))
    assert not claim.proof
    assert claim.stated == np.inf
    assert "Nothing is proved" in str(claim)


def test_huge_features_are_certified_by_curvature():
    """The dual drowns in rounding: sums of rows of 1e30 are off by 1e14, and so is w."""
    problem = Problem(1e30 * X, Y[2])
    claim = logistic(problem).certificate
    assert claim.stated <= 1e-12
    assert claim.primal == pytest.approx(logistic(Problem(X, Y[2]), C=np.inf).certificate.primal, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3])
def test_a_part_of_w_that_no_row_has_counts_as_a_gap(k):
    """It adds to the penalty and lowers no loss; with fewer rows than features the curvature does not see it."""
    rows = np.random.default_rng(0).standard_normal((6, 10))
    problem = Problem(rows, np.arange(6) % k, k).posed(LogLoss(1.0, k))
    best = logistic(problem)
    across = np.linalg.svd(rows)[2][-1]
    claim = DualityGap.issue(problem, best.w + across, best.b)
    assert claim.dual <= best.certificate.primal * (1.0 + 1e-14)
    assert claim.stated >= 0.1


@pytest.mark.parametrize(
    "kind", ["dense", "sparse", "moved", "far", "far and large", "float32", "wide", "without offset"]
)
@pytest.mark.parametrize("k", [2, 3])
def test_the_second_derivatives_are_what_differences_say(kind, k, monkeypatch):
    if kind != "dense":
        monkeypatch.setattr("separatrix.solvers.logistic.design.MAX_KEPT_ENTRIES", 0)
    if kind == "far and large":
        monkeypatch.setattr("separatrix.solvers.logistic.design.MAX_KEPT_ENTRIES_IF_FAR", 0)
    rows = (
        X + 1e3 * kind.startswith("far") + 10.0 * (kind == "moved") if kind != "wide" else RNG.standard_normal((8, 12))
    )
    stored = rows.astype(np.float32) if kind == "float32" else rows
    n, d = rows.shape
    if kind == "sparse":
        monkeypatch.setattr("separatrix.solvers.logistic.design.MAX_SPARSE_DENSITY", 2.0)
        stored = CSR(rows.ravel(), np.tile(np.arange(d), n), np.arange(0, n * d + 1, d), d)
    problem = Problem(stored, np.arange(n) % k, k, COST[:n], fit_intercept=kind != "without offset")
    rows, rng = ScaledRows(problem.X, moderate_coordinates(problem)), np.random.default_rng(2)
    design = Design(problem, rows.coordinates)
    V = rng.standard_normal((design.width, problem.n_planes))

    def gradient(V):
        _, q = losses_and_probabilities(rival_log_odds(design.scores(V), problem.y))
        U = problem.cost[:, None] * score_gradients(q, problem.y)
        total = rows.weighted_sum(U)
        assert design.gather(problem.n_planes, lambda _, part: (U[part], 0.0))[0] == pytest.approx(
            total, rel=1e-9, abs=1e-9
        )
        return total, q

    along = rng.standard_normal(V.shape)
    _, q = gradient(V)
    change = (gradient(V + 1e-6 * along)[0] - gradient(V - 1e-6 * along)[0]) / 2e-6
    for gram in (rows.gram, design.gram):  # of the checker and of the solver
        H = hessian(gram, problem.cost, q, problem.y)
        assert H @ along.T.ravel() == pytest.approx(change.T.ravel(), abs=1e-6 * np.abs(H).max())
    full = problem.cost[:, None] * q * (1 - q)
    diagonal = design.square_sums(full)
    assert diagonal[:, 0] == pytest.approx(np.diag(design.gram(full[:, 0])), rel=1e-9)


def test_sparse_rows_give_the_same_error():
    sparse = CSR(X.ravel(), np.tile(np.arange(3), 60), np.arange(0, 181, 3), 3)
    for k in (2, 3):
        claim = logistic(PROBLEMS[k]).certificate
        again = claim.error(Problem(sparse, Y[k], k, COST))
        assert again == pytest.approx(claim.stated, abs=claim.rounding)


def test_data_of_another_shape_are_refused(problem):
    claim = logistic(problem).certificate
    with pytest.raises(DataError, match="The certificate is for 60 rows of 3 features"):
        claim.error(Problem(X[:, :2], problem.y, problem.n_classes))
    with pytest.raises(DataError, match="Check it with the data that the model is for"):
        claim.error(PROBLEMS[5 - problem.n_classes])


def test_what_a_claim_prints(problem, objective):
    claim = logistic(problem, C=objective.C).certificate
    text = str(claim)
    assert f"{objective.formula.replace('sum', 'sum c')} with the weight c of each row" in text
    assert f"primal       {at_most(claim.primal, 12)}" in text
    assert ("within" in text) == objective.penalised
    assert repr(claim) == f"DualityGap(60 rows, stated={claim.stated:.3g})"
    for part in (claim.w, np.atleast_1d(claim.b)):
        assert not claim.w.flags.writeable or part.size == 1


@pytest.mark.parametrize("how", [{}, {"C": np.inf}, {"fit_intercept": False}, {"class_weight": "balanced"}])
def test_verify_holds_for_the_data_of_the_fit_and_for_no_other(how):
    weights = COST * (np.arange(60) != 5)
    for y in Y.values():
        model = LogisticClassifier(**how).fit(X, y, sample_weight=weights)
        assert verify(model, X, y, weights)
        assert not verify(model, X + 0.1 * X**2, y, weights).holds
        assert not verify(model, X, y, weights[::-1]).holds
        model.coef_[0, 0] += 1e-12
        assert verify(model, X, y, weights).error == np.inf


@pytest.mark.parametrize("C", [1.0, 1e8])
def test_scores_whose_terms_cancel_are_enclosed(C):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 6))
    y = (X[:, 0] + rng.standard_normal(300) > 0.0).astype(int)
    problem = Problem(X + 1e8, y, fit_intercept=False)  # w.x is a small difference of terms of 1e8
    one = logistic(problem, C=C).certificate
    two = DualityGap.issue(problem.posed(LogLoss(C)), one.w * (1.0 + 1e-13 * rng.standard_normal(6)), 0.0)
    for bound, seen in ((one, two), (two, one)):  # what no plane is below, the other plane is not below
        assert bound.dual <= seen.primal
    oracle = ExactLogLoss(problem, LogLoss(C))
    for claim in (one, two):
        exact = oracle.value(oracle.planes(claim.w, claim.b))
        assert exact <= arb(claim.primal)
        assert arb(claim.primal) - exact <= arb(claim.values.rounding) <= exact * 1e-9
