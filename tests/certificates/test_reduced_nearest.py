"""A claim about reduced hulls is recomputed from the rows, and any spoiled part of it shows."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from separatrix.certificates import NearestPoint
from separatrix.estimators.store.values import read, write_value
from separatrix.kernels import RBF
from separatrix.problem import Problem
from separatrix.solvers.hulls.mdm import mdm
from solvers import reduced_hulls_by_clarabel as oracle

X, SIDE = oracle.two_classes(2)
X, Y = np.round(X, 3), (SIDE > 0).astype(int)
MU = 1.3 / np.bincount(Y).min()
PROBLEMS = {"linear": Problem(X, Y), "RBF": Problem(X, Y, kernel=RBF(gamma=0.5))}


@pytest.fixture(params=PROBLEMS, ids=str)
def problem(request):
    return PROBLEMS[request.param]


@pytest.fixture
def claim(problem):
    return mdm(problem, mu=MU).certificate


def test_an_optimal_claim_holds(problem, claim):
    assert claim.error(problem) == pytest.approx(claim.stated, abs=1e-14)
    assert claim.stated <= 1e-12
    assert claim.proof
    assert claim.mu == MU
    assert claim.kernel == problem.kernel
    assert f"reduced convex hulls with mu = {MU:.6g}" in str(claim)
    assert "anyone can check it again" in str(claim)


def test_every_spoiled_part_of_the_claim_shows(problem, claim):
    own = np.flatnonzero(Y[claim.support] == 1)
    free = own[np.argsort(np.minimum(claim.weights, MU - claim.weights)[own])[-1]]
    weights, moved = claim.weights.copy(), claim.weights.copy()
    weights[own[own != free][0]] *= 0.8
    moved[free], moved[own[own != free][0]] = MU * 1.001, claim.weights[own[own != free][0]] * 0.5
    other = claim.support.copy()
    other[0] = other[1]
    direction = claim.w.copy()
    direction[0] += 0.2 * np.abs(direction).max()
    spoiled = {
        "weights": replace(claim, weights=weights),
        "above the bound": replace(claim, weights=moved),
        "a row twice": replace(claim, support=other),
        "w": replace(claim, w=direction),
        "smaller mu": replace(claim, mu=0.9 * MU),
        "larger mu": replace(claim, mu=1.1 * MU),
        "distance": replace(claim, reached=claim.reached._replace(distance=0.9 * claim.distance)),
    }
    for name, each in spoiled.items():
        assert each.error(problem) > 1e-5, name
    assert spoiled["smaller mu"].error(problem) == np.inf, "no such points are in the hulls"
    assert spoiled["a row twice"].error(problem) == np.inf


def test_other_data_show(problem, claim):
    row, labels, cost = X.copy(), Y.copy(), np.ones(Y.size)
    row[claim.support[0]] += 0.5
    labels[claim.support[0]] = 1 - labels[claim.support[0]]
    cost[claim.support] = 0.5
    for name, other in {
        "row": Problem(row, Y, kernel=problem.kernel),
        "label": Problem(X, labels, kernel=problem.kernel),
        "weights of rows": Problem(X, Y, cost=cost, kernel=problem.kernel),
        "kernel": Problem(X, Y, kernel=RBF(gamma=0.7)),
    }.items():
        if problem.kernel is not None or name != "kernel":
            assert claim.error(other) > 1e-5, name


def exact(weights, w, mu):
    """The squares of the distance and of the bound over reduced hulls, in fractions."""
    rows = [[Fraction(value) for value in row] for row in X.tolist()]
    a, w, mu = [Fraction(v) for v in weights.tolist()], [Fraction(v) for v in w.tolist()], Fraction(mu)
    points, ends = [], []
    for side, sign in ((0, -1), (1, 1)):
        own = [i for i in range(len(rows)) if Y[i] == side]
        total = sum(a[i] for i in own)
        points.append([sum(a[i] * rows[i][j] for i in own) / total for j in range(X.shape[1])])
        scores = sorted(sign * sum(map(Fraction.__mul__, w, rows[i])) for i in own)
        whole = int(1 / mu)
        ends.append(mu * sum(scores[:whole]) + (1 - whole * mu) * scores[whole])
    distance2 = sum((p - q) ** 2 for q, p in zip(*points, strict=True))
    return distance2, max(sum(ends), 0) ** 2 / sum(value * value for value in w)


@pytest.mark.parametrize("seed", range(4))
def test_distance_and_bound_are_those_of_exact_fractions(seed):
    """Of any weights within the bounds, and of any direction."""
    rng = np.random.default_rng(seed)
    best = mdm(PROBLEMS["linear"], mu=MU).certificate
    weights = np.zeros(Y.size)
    weights[best.support] = best.weights
    mean = 1.0 / np.bincount(Y)[Y]
    weights = 0.7 * weights + 0.3 * mean
    direction = best.w + 0.1 * rng.standard_normal(best.w.size) * np.abs(best.w).max()
    claim = NearestPoint.issue(PROBLEMS["linear"], weights, direction, MU)
    distance2, bound2 = exact(weights, direction, MU)
    assert claim.distance == pytest.approx(float(distance2) ** 0.5, rel=1e-13)
    assert claim.bound == pytest.approx(float(bound2) ** 0.5, rel=1e-12)
    assert claim.bound <= best.distance <= claim.distance


def test_a_file_of_before_has_neither_mu_nor_kernel(claim, problem):
    tree = write_value(claim, "a claim")
    same = read(tree)
    assert same.mu == MU
    assert same.kernel == problem.kernel
    whole = mdm(Problem(X + 8.0 * Y[:, None], Y)).certificate
    tree = write_value(whole, "a claim")
    for field in ("mu", "kernel"):
        del tree["fields"][field]
    before = read(tree)
    assert before.mu is None
    assert before.kernel is None
    assert before.stated == whole.stated


def test_the_claim_does_not_depend_on_where_the_origin_is():
    rows, far = np.round(X * 64) / 64, 2.0**30  # so that nothing is rounded when they are moved
    expected = mdm(Problem(rows, Y), mu=MU).certificate
    claim = mdm(Problem(rows + far, Y), mu=MU).certificate
    assert claim.distance == pytest.approx(expected.distance, rel=1e-10)
    assert claim.stated <= 1e-7
