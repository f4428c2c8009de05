"""Claims on hostile data, held against exact fractions and balls: a smaller run of `make fuzz`, with fixed seeds."""

import pytest

from claims_judged.families import FAMILIES
from claims_judged.problem import outcome_of

N_PROBLEMS = {
    "linear-svm": 24, "joint-svm": 8, "logistic": 40, "perceptrons": 16, "kernel-perceptron": 40, "ho-kashyap": 40,
    "reductions": 16, "separability": 16, "minimum-errors": 40,
}  # fmt: skip


@pytest.mark.parametrize("name", N_PROBLEMS)
def test_no_claim_is_false_and_containers_agree(name):
    family = {each.name: each for each in FAMILIES}[name]
    for seed in range(N_PROBLEMS[name]):
        outcome = outcome_of(family, seed)
        assert not outcome.false, (name, seed, outcome)
        assert not outcome.checks, (name, seed, outcome)
        assert not outcome.predictions, (name, seed, outcome)
