"""Claims about hinge machines on hostile data, held against exact fractions; verdicts and predictions in containers."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from certificates.exact_soft_margin import exact_values
from certificates.hostile_data import KINDS, hostile_case
from separatrix import LinearSVM, NotSeparableError, verify

PRICES = [1e-4, 1e-2, 1.0, 100.0, 1e4, 1e8, 1e12, np.inf]


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=lambda kind: KINDS[kind].__name__)
def test_no_figure_is_false_and_containers_agree(kind):
    for seed in range(kind, 8 * len(KINDS), len(KINDS)):
        case, rng = hostile_case(seed), np.random.default_rng(seed + 10**6)
        how = {"C": float(rng.choice(PRICES)), "loss": str(rng.choice(["hinge", "squared_hinge"]))}
        model = LinearSVM(**how, fit_intercept=bool(rng.random() < 0.7), time_limit=5)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a gap above tol is no false claim
                model.fit(case.X, case.y, case.weights)
        except NotSeparableError:
            continue
        claim = model.certificate_
        if not claim.proof:
            continue
        primal, dual = exact_values(model._problem(case.X, case.y, case.weights).problem, claim)
        assert primal is not None, seed
        assert Fraction(claim.primal) >= primal, seed
        assert dual is None or Fraction(claim.dual) <= max(dual, Fraction(0)), seed
        for X in (sparse.csr_array(case.X), np.asfortranarray(case.X)):
            assert verify(model, X, case.y, case.weights).holds, seed
            assert np.array_equal(model.predict(X), model.predict(case.X)), seed
