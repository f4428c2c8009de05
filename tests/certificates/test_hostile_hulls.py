"""Distances and margins on hostile data, held against the distance of the hulls in exact fractions."""

import re
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from certificates.exact_hulls import (
    bounds_of,
    gaussian_gram,
    gram,
    is_at_least,
    is_at_most,
    polynomial_gram,
    squared_distance,
)
from certificates.hostile_data import KINDS, hostile_case
from separatrix import LinearSVM, Perceptron, hull_distance, margins, mistake_bound, separability
from separatrix.certificates.claims import reach
from separatrix.certificates.claims.duality_gap import hard_margins
from separatrix.data.encode import encode
from separatrix.kernels import RBF, Polynomial
from separatrix.problem import Problem
from separatrix.solvers.hulls.gilbert import gilbert
from separatrix.solvers.hulls.mdm import mdm
from separatrix.solvers.hulls.schlesinger_kozinec import schlesinger_kozinec

pytestmark = pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
ALGORITHMS = [mdm, gilbert, schlesinger_kozinec]
STRIP = np.array([[33.0, 32.999999999999694], [97.0, 97.0000000000003], [24.0, 24.000000000000302]])


def printed(pattern, text):
    """A number of a text, exactly as it is written."""
    found = re.search(pattern, text)
    return Fraction(Decimal(found[1])) if found[1] != "inf" else float("inf")


def small_case(seed, most=6):
    """A hostile case of few rows."""
    case = hostile_case(seed)
    rows, y = case.X[:most], case.y[:most].copy()
    y[0], y[-1] = 0, 1
    return case.kind, rows, y


def check_hulls(claim, problem, square):
    """Every figure of a claim, and every number that it prints, is on its side of the exact distance."""
    assert is_at_least(claim.reached.raw, square)
    assert is_at_most(claim.bound, square)
    text = str(claim)
    assert is_at_least(printed(r"distance +(?:at most )?([^\s,]+)", text), square)
    if claim.distance == 0.0:
        longest = max(sum(Fraction(v) ** 2 for v in row) for row in problem.X.tolist())
        assert Fraction(claim.stated) ** 2 * longest >= square
    else:
        assert is_at_least(claim.distance, square)
        assert claim.stated == 1.0 or (Fraction(claim.distance) * (1 - Fraction(claim.stated))) ** 2 <= square
        assert is_at_most(printed(r"lower bound +([^\s,]+),", text), square)
    assert claim.error(problem) <= claim.stated * (1.0 + 1e-9) + claim.rounding


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=lambda kind: KINDS[kind].__name__)
def test_no_distance_of_hulls_and_no_margin_is_false(kind):
    for seed in range(kind, 4 * len(KINDS), len(KINDS)):
        _, X, y = small_case(seed)
        square = squared_distance(gram(X.tolist()), y.tolist())
        problem = Problem(X, y)
        claim = ALGORITHMS[seed % 3](problem, max_iter=2000).certificate
        check_hulls(claim, problem, square)
        other = Problem(encode(sparse.csr_array(X), y).problem.X, y)
        assert claim.error(other) <= claim.stated + claim.restated(other).rounding
        found = separability(X, y)
        assert (found.kind == "complete") == (square > 0)
        low, high = found.margin_bounds
        assert is_at_most(2 * Fraction(low), square)
        assert is_at_least(2 * Fraction(high), square)
        if found.margin is not None:
            check_printed_margins(found, square)


def check_printed_margins(found, square):
    """What a verdict and its certificate print of the largest margin bounds it from either side."""
    text, claim = str(found), str(found.margin_certificate)
    assert is_at_most(2 * printed(r"margin +(\S+) on each side, the largest", text), square)
    gap = printed(r"the largest there is to (\S+) of it", text)
    assert gap >= 1 or is_at_least(2 * Fraction(found.margin) / (1 - gap), square)
    assert is_at_most(2 * printed(r"margin +(\S+) on each", claim), square)
    assert is_at_least(2 * printed(r"upper bound +(\S+) for", claim), square)


@pytest.mark.parametrize("seed", range(24))
def test_no_distance_of_reduced_hulls_is_false(seed):
    """With weights of extreme ratios, at the smallest mu and above, in the space of the features and of kernels."""
    _, X, y = small_case(seed, 5)
    rng = np.random.default_rng(seed)
    cost = 10.0 ** rng.uniform(-6, 6, len(y)) if seed % 2 else np.ones(len(y))
    mu = float(rng.choice([1.0, 1.1, 2.0])) / float(np.bincount(y, cost).min())
    upper, kernel, G = bounds_of(y.tolist(), cost.tolist(), mu), None, gram(X.tolist())
    slack = 0
    if 1e-3 < np.abs(X).max() < 1e3:
        kernel, G = RBF(0.5), gaussian_gram(X.tolist(), 0.5)
        slack = Fraction(1, 10**40)  # to which the values of the judge are right
    elif np.abs(X).max() < 1e20:
        kernel, G = Polynomial(2, 1.0, 0.5), polynomial_gram(X.tolist(), 2, 1.0, 0.5)
    square = squared_distance(G, y.tolist(), upper)
    problem = Problem(X, y, cost=cost, kernel=kernel)
    claim = ALGORITHMS[seed % 3](problem, mu=mu, max_iter=2000).certificate
    assert is_at_least(claim.reached.raw, square * (1 - slack))
    assert is_at_most(claim.bound, square * (1 + slack))
    assert claim.error(problem) <= claim.stated * (1.0 + 1e-9) + claim.rounding


@pytest.mark.parametrize("mu", [None, 0.6], ids=str)
def test_plain_doubles_claim_nothing_false_either(mu, monkeypatch):
    """Where rows are many, sums in doubles must bound the distance by themselves."""
    monkeypatch.setattr(reach, "MAX_CHEAP_ENTRIES", -1)
    monkeypatch.setattr(reach, "MAX_EXACT_ENTRIES", -1)
    for seed in range(66):
        _, X, y = small_case(seed, 5)
        if min(np.bincount(y)) * (mu or 1.0) < 1.0:
            continue
        upper = None if mu is None else bounds_of(y.tolist(), [1.0] * len(y), mu)
        square = squared_distance(gram(X.tolist()), y.tolist(), upper)
        claim = mdm(Problem(X, y), mu=mu, max_iter=2000).certificate
        assert is_at_least(claim.reached.raw, square), seed
        assert is_at_most(claim.bound, square), seed


def strips_and_timestamps():
    """Classes apart by the last digits of their rows."""
    rng = np.random.default_rng(0)
    t = rng.integers(0, 100, 6).astype(float)
    yield STRIP, np.array([0, 1, 1])
    yield np.column_stack([t, t + 3e-13 * np.array([1, -1, 1, -1, 1, -1])]), np.array([1, 0, 1, 0, 1, 0])
    for offset in (1e6, 1e9, 1.7e12):
        X = rng.integers(0, 8, (6, 2)) + offset
        yield X, (X[:, 0] > offset + 3).astype(int)


@pytest.mark.parametrize("case", range(5))
def test_margins_of_strips_and_timestamps_are_bounded_on_both_sides(case):
    X, y = list(strips_and_timestamps())[case]
    square = squared_distance(gram(X.tolist()), y.tolist())
    assert square > 0
    found = separability(X, y)
    assert found.kind == "complete"
    check_printed_margins(found, square)
    claim = LinearSVM(C=np.inf).fit(X, y).certificate_
    reached, most = hard_margins(claim)
    assert is_at_most(2 * Fraction(reached), square)
    assert is_at_least(2 * Fraction(most), square)
    check_hulls(hull_distance(X, y).certificate, Problem(X, y), square)


@pytest.mark.parametrize("seed", range(0, 44, 3))
def test_nearest_rows_and_bounds_on_mistakes_are_bounds(seed):
    _, X, y = small_case(seed)
    signed = np.column_stack([X, np.ones(len(y))]) * np.where(y == 1, 1.0, -1.0)[:, None]
    gamma2 = squared_distance(gram(signed.tolist()), [0] * len(y))
    if gamma2 > 0:
        radius2 = max(sum(Fraction(v) ** 2 for v in row) for row in signed.tolist())
        assert Fraction(min(mistake_bound(X, y), 1e300)) * gamma2 >= radius2 or mistake_bound(X, y) > 1e300
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        claim = Perceptron(max_iter=50, shuffle=False).fit(X, y).certificate_
    if not claim.proof:
        return
    w, b = [Fraction(v) for v in claim.w.tolist()], Fraction(float(claim.b))
    least = min(
        (sum(Fraction(v) * u for v, u in zip(row, w, strict=True)) + b) * (1 if side else -1)
        for row, side in zip(X.tolist(), y.tolist(), strict=True)
    )
    square = least**2 / sum(v * v for v in w)
    assert least > 0
    assert is_at_most(claim.examined.nearest, square)
    assert is_at_least(np.nextafter(claim.examined.nearest, np.inf), square), "rounded once"
    assert is_at_most(printed(r"nearest row +(\S+) from", str(claim)), square)


def test_margins_of_rows_whose_terms_cancel_have_all_digits():
    X, y = list(strips_and_timestamps())[1]
    model = LinearSVM(C=np.inf).fit(X, y)
    w, b = [Fraction(v) for v in model.coef_[0].tolist()], Fraction(float(model.intercept_[0]))
    exact = [sum(Fraction(v) * u for v, u in zip(row, w, strict=True)) + b for row in X.tolist()]
    assert margins(model, X, y).functional.tolist() == [
        float(g if side else -g) for g, side in zip(exact, y, strict=True)
    ]
