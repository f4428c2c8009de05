"""Distributions from the probabilities of sides: those that agree are given back, others are explained best."""

import numpy as np
import pytest
from scipy.optimize import minimize

from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
from separatrix.estimators.reduction.codes.named import named_code
from separatrix.solvers.calibration import bradley_terry as module
from separatrix.solvers.calibration.bradley_terry import bradley_terry
from separatrix.solvers.calibration.pairwise_coupling import pairwise_coupling

CODES = {
    **{
        kind: named_code(kind, 6, None, np.random.default_rng(0), lambda: np.ones((6, 6)))
        for kind in ("search", "ternary")
    },
    "many": named_code("random", 40, 60, np.random.default_rng(0), lambda: np.ones((40, 40))),
    "rest": one_vs_rest(5),
    "pairs": one_vs_one(5),
}


def positive_sides(p, code):
    """What distributions say of the columns of a code."""
    above, below = p @ (code > 0), p @ (code < 0)
    return above / (above + below)


@pytest.mark.parametrize("name", CODES)
def test_columns_that_agree_give_back_their_distribution(name):
    code = CODES[name]
    p = np.random.default_rng(1).dirichlet(np.full(len(code), 0.5), 100)
    assert bradley_terry(positive_sides(p, code), code) == pytest.approx(p, abs=1e-5)


@pytest.mark.parametrize("name", ["search", "rest"])
def test_columns_that_disagree_are_explained_best(name):
    """No other distribution makes them more likely, by a solver of scipy that starts elsewhere."""
    code, random = CODES[name], np.random.default_rng(2)
    r = random.uniform(0.02, 0.98, (8, code.shape[1]))

    def loss(x, row):
        p = np.exp(x) / np.exp(x).sum()
        q = np.clip(positive_sides(p, code), 1e-300, 1 - 1e-16)
        return -(row * np.log(q) + (1 - row) * np.log(1 - q)).sum()

    for row, p in zip(r, bradley_terry(r, code), strict=True):
        peer = minimize(loss, random.standard_normal(len(code)), args=(row,), method="BFGS", options={"gtol": 1e-9})
        assert loss(np.log(np.maximum(p, 1e-300)), row) <= peer.fun + 1e-6


@pytest.mark.parametrize("name", CODES)
def test_the_equations_of_the_optimum_hold(name):
    """p_i times the gradient is 0, and no class of probability 0 would make the columns more likely."""
    code = CODES[name]
    r = np.random.default_rng(3).uniform(0, 1, (50, code.shape[1]))
    p = bradley_terry(r, code)
    above, below = p @ (code > 0), p @ (code < 0)
    gradient = (r / above) @ (code > 0).T + ((1 - r) / below) @ (code < 0).T - (1 / (above + below)) @ (code != 0).T
    assert np.abs(p * gradient).max() < 1e-6
    assert gradient.max() < 1e-2
    assert p.sum(axis=1) == pytest.approx(np.ones(50))
    assert (p >= 0).all()


def test_certainty_and_rows_in_parts(monkeypatch):
    code = CODES["search"]
    certain = (code > 0).astype(float)
    assert bradley_terry(certain, code) == pytest.approx(np.eye(6), abs=1e-6)
    r = np.random.default_rng(4).uniform(0, 1, (30, code.shape[1]))
    whole = bradley_terry(r, code)
    monkeypatch.setattr(module, "MAX_CHUNK_ENTRIES", 200)
    assert bradley_terry(r, code) == pytest.approx(whole, abs=1e-12)
    assert bradley_terry(np.empty((0, code.shape[1])), code).shape == (0, 6)


def test_pairs_are_explained_much_as_they_are_coupled():
    """Both models give back pairs that agree; of pairs that nearly do, they say nearly the same."""
    p = np.random.default_rng(5).dirichlet(np.ones(5), 50)
    r = np.clip(positive_sides(p, one_vs_one(5)) + 0.01 * np.random.default_rng(6).standard_normal((50, 10)), 0, 1)
    pairs = np.zeros((50, 5, 5))
    for side, column in zip(one_vs_one(5).T, r.T, strict=True):
        pairs[:, side.argmax(), side.argmin()], pairs[:, side.argmin(), side.argmax()] = column, 1 - column
    assert bradley_terry(r, one_vs_one(5)) == pytest.approx(pairwise_coupling(pairs), abs=0.03)
