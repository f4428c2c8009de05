"""Claims on hostile data, held against exact fractions and balls: a smaller run of `make fuzz`, with fixed seeds."""

import pytest

from claims_judged.families import FAMILIES
from claims_judged.problem import outcome_of

N_PROBLEMS = {
    "linear-svm": 12, "joint-svm": 4, "nu-svm": 8, "logistic": 32, "linear-svr": 16, "nu-svr": 16, "sparse-svr": 8,
    "kernel-svm": 16, "kernel-nu-svm": 16, "kernel-svr": 16, "kernel-nu-svr": 12, "one-class": 16, "ball": 16,
    "reduced-hulls": 16, "perceptrons": 6, "kernel-perceptron": 24, "ho-kashyap": 24, "least-squares": 16,
    "least-squares-numbers": 16, "gaussian": 16, "fisher": 16, "reductions": 6, "reductions-squares": 8,
    "calibrated": 4, "separability": 8, "robust-lp": 16, "hull-distance": 16, "minimum-errors": 24,
}  # fmt: skip


@pytest.mark.parametrize("name", N_PROBLEMS)
def test_no_claim_is_false_and_containers_agree(name):
    family = {each.name: each for each in FAMILIES}[name]
    for seed in range(N_PROBLEMS[name]):
        outcome = outcome_of(family, seed)
        assert not outcome.false, (name, seed, outcome)
        assert not outcome.checks, (name, seed, outcome)
        assert not outcome.predictions, (name, seed, outcome)
