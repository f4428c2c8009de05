"""Sparse support vector regression on hostile data: no figure is false in exact fractions, and every fit ends."""

import warnings
from fractions import Fraction

import numpy as np
import pytest

from certificates.exact_sparse_tube import dual_values, exact_primal
from certificates.hostile_data import KINDS, hostile_case
from separatrix import NotCertifiedWarning, SparseSVR
from separatrix.problem import Problem

WIDTHS = [0.0, 1e-6, 0.1, 0.25, 2.0]  # squares of half the tube
MAX_GAP = 1e-6  # above which a warning is given


@pytest.mark.parametrize("kind", range(len(KINDS)), ids=lambda kind: KINDS[kind].__name__)
def test_no_figure_is_false(kind):
    for seed in range(kind, 4 * len(KINDS), len(KINDS)):
        case, rng = hostile_case(seed), np.random.default_rng(seed + 5)
        y = case.numbers if rng.random() < 0.7 else rng.integers(-3, 4, case.y.size).astype(float)
        how = {"l1": float(10.0 ** rng.uniform(-6, 2)), "epsilon": float(rng.choice(WIDTHS))}
        offset = bool(rng.random() < 0.7)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = SparseSVR(**how, fit_intercept=offset).fit(case.X, y, case.weights)
        claim, problem = model.certificate_, Problem.of_numbers(case.X, y, case.weights, offset)
        assert Fraction(claim.primal) >= exact_primal(problem, claim), seed
        assert Fraction(claim.dual) <= max(0, *dual_values(problem, claim)), seed
        assert claim.error(problem) <= claim.stated, seed
        told = any(each.category is NotCertifiedWarning for each in caught)
        assert told == (claim.stated > MAX_GAP), seed
