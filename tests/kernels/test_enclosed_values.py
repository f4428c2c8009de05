"""Kernel values and expansions against ball arithmetic: each is within its radius, which is small on plain rows."""

from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from flint import arb, ctx
from scipy import sparse

from certificates.hostile_data import KINDS
from separatrix.enclosures import Enclosed
from separatrix.errors import DataError
from separatrix.kernels import RBF, Exponential, Linear, Normalized, Polynomial, SetIntersection, Sigmoid, Spectrum

COMPARED = {
    "linear": (Linear(), lambda p, a, b, d: p),
    "rbf": (RBF(0.25), lambda p, a, b, d: (-d / 4).exp()),
    "narrow rbf": (RBF(1e9), lambda p, a, b, d: (-d * arb(1e9)).exp()),
    "polynomial": (Polynomial(3, 1.0, 0.5), lambda p, a, b, d: (p / 2 + 1) ** 3),
    "odd polynomial": (Polynomial(2, -0.3, 3.0), lambda p, a, b, d: (p * 3 + arb(-0.3)) ** 2),
    "sigmoid": (Sigmoid(0.1, -0.2), lambda p, a, b, d: (p * arb(0.1) + arb(-0.2)).tanh()),
    "exponential": (Exponential(3.0), lambda p, a, b, d: arb(3) ** p),
    "sum": (RBF(0.5) + 0.1 * Linear(), lambda p, a, b, d: (-d / 2).exp() + arb(0.1) * p),
    "product": (RBF(0.5) * Polynomial(2, 1.0), lambda p, a, b, d: (-d / 2).exp() * (p + 1) ** 2),
    "narrower": (RBF(0.5) * RBF(0.25), lambda p, a, b, d: (-d * 3 / 4).exp()),
    "cosine": (Normalized(Linear()), lambda p, a, b, d: p / (a * b).sqrt() if a > 0 and b > 0 else arb(0)),
    "normalized": (
        Normalized(Polynomial(2, 1.0)),
        lambda p, a, b, d: (p + 1) ** 2 / ((a + 1) * (b + 1)),
    ),
}


@pytest.fixture(autouse=True)
def many_digits():
    before = ctx.prec
    ctx.prec = 1400  # numbers of 1e-95 and 1e95 together
    yield
    ctx.prec = before


def dot(u, v):
    return sum((arb(s) * arb(t) for s, t in zip(u, v, strict=True)), arb(0))


@cache
def hostile(seed):
    """Rows of one kind, and the product, both squares and the squared distance of all pairs, as balls."""
    X = KINDS[seed % len(KINDS)](np.random.default_rng(seed), 5, 2)
    u = X.tolist()
    squares = [dot(row, row) for row in u]
    pairs = [[(dot(a, b), squares[i], squares[j], apart(a, b)) for j, b in enumerate(u)] for i, a in enumerate(u)]
    return X, pairs


def apart(u, v):
    return sum(((arb(s) - arb(t)) ** 2 for s, t in zip(u, v, strict=True)), arb(0))


def within(value, radius, truth):
    """Whether a number, known as a tiny ball, is within a radius of a value."""
    return not np.isfinite(radius) or not np.isfinite(value) or not bool(abs(arb(value) - truth) > arb(radius))


@pytest.mark.parametrize("kernel", COMPARED)
def test_every_value_and_expansion_is_within_its_radius(kernel):
    kernel, function = COMPARED[kernel]
    for seed in range(len(KINDS)):
        X, pairs = hostile(seed)
        K = [[function(*pair) for pair in row] for row in pairs]
        rng, support = np.random.default_rng(100 + seed), np.array([0, 3, 4])
        c = rng.standard_normal((3, 2)) * 10.0 ** rng.uniform(-6, 6, (3, 2))
        sums = [[sum((arb(c[j, k]) * row[s] for j, s in enumerate(support)), arb(0)) for k in range(2)] for row in K]
        diagonal = [[K[i][i]] for i in range(len(K))]
        for storage in (np.asarray, sparse.csr_array):
            with np.errstate(all="ignore"):
                check(kernel.enclosed_matrix(storage(X), storage(X)), K, seed)
                check(kernel.enclosed_expansion(storage(X), support, c), sums, seed)
                check(kernel.expansion_in_balls(storage(X), support, c), sums, seed)
                with suppress(DataError):  # a kernel that is infinite says so
                    of_rows = kernel.enclosed_diagonal(storage(X))
                    check(Enclosed(of_rows.value[:, None], of_rows.radius[:, None]), diagonal, seed)


def check(found, truth, seed):
    for i, row in enumerate(truth):
        for j, ball in enumerate(row):
            assert within(found.value[i, j], found.radius[i, j], ball), (seed, i, j)


@pytest.mark.parametrize("kernel", COMPARED)
def test_radii_are_small_on_plain_rows(kernel):
    kernel = COMPARED[kernel][0]
    plain = np.random.default_rng(3).standard_normal((200, 5))
    found = kernel.enclosed_expansion(plain, np.arange(50), np.ones((50, 1)))
    sizes = np.abs(kernel.matrix(plain, plain[:50])).sum(axis=1, keepdims=True)
    assert (found.radius <= 1e-11 * (1.0 + sizes)).all()
    in_balls = kernel.expansion_in_balls(plain, np.arange(50), np.ones((50, 1)))
    assert (in_balls.radius <= 1e-15 * (1e-300 + np.abs(in_balls.value))).all()


def test_the_exponential_of_an_rbf_is_within_two_units_of_the_last_place():
    """The bound on NumPy's exp that the enclosure of an RBF relies on, over its whole range."""
    ctx.prec, rng = 100, np.random.default_rng(0)
    exponents = np.concatenate([rng.uniform(-745.0, 0.0, 4000), -(10.0 ** rng.uniform(-20, 2.8, 4000)), [-0.0, -745.2]])
    for exponent, value in zip(exponents.tolist(), np.exp(exponents).tolist(), strict=True):
        truth = arb(exponent).exp()
        assert bool(abs(arb(value) - truth) <= 2 * arb(float(np.spacing(value)))), exponent


def test_counts_of_sets_and_strings_have_a_bound():
    for kernel, rows in ((SetIntersection(), [{1, 2, 3}, {2, 3}, {9}]), (Spectrum(2), ["abcab", "cab", "zzz"])):
        found = kernel.enclosed_matrix(rows, rows)
        assert np.isfinite(found.radius).all()
        assert (np.abs(found.value - np.rint(found.value)) <= found.radius).all()  # whole numbers
