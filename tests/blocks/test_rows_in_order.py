"""Rules over blocks in order: where the order is that of the rows, the cuts do not matter, nor that there are any."""

from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from separatrix import Decay, OptionError, StochasticRegressor, verify
from separatrix.certificates import Separator, Unproved
from separatrix.data.blocks import read_blocks
from separatrix.data.encode import encode, encode_numbers
from separatrix.objectives import Kind, Loss
from separatrix.solvers.blocks import online
from separatrix.solvers.blocks.pocket import pocket
from separatrix.solvers.online import lms, perceptron, stochastic
from separatrix.solvers.online import pocket as pocket_rule

RNG = np.random.default_rng(5)
N = 240
TWO, THREE = RNG.integers(0, 2, N), RNG.integers(0, 3, N)
MIXED = RNG.standard_normal((N, 4)) + np.eye(4)[THREE] + TWO[:, None]
APART = RNG.uniform(-1, 1, (N, 4)) + np.where(TWO == 1, 0.6, -0.6)[:, None]
CUTS = {
    "one": [],
    "halves": [120],
    "uneven": [1, 2, 50, 117],
    "empty": [0, 0, 100, 100, N],
    "rows": list(range(1, N, 7)),
}
RULES = {
    "perceptron": (perceptron.online, online.perceptron, {}),
    "averaged": (perceptron.online, online.perceptron, {"averaged": True, "max_iter": 20}),
    "normalized": (perceptron.online, online.perceptron, {"normalized": True, "max_iter": 20}),
    "radius": (perceptron.online, online.perceptron, {"bias_step": "radius2", "max_iter": 20}),
    "batches": (perceptron.online, online.perceptron, {"batch_size": 32, "max_iter": 5}),
    "one batch": (perceptron.online, online.perceptron, {"batch_size": N, "max_iter": 5}),
    "shrinking": (perceptron.online, online.perceptron, {"l2": 1e-3, "max_iter": 7, "learning_rate": "inverse"}),
    "stochastic": (stochastic.stochastic, online.stochastic, {"max_iter": 6}),
    "logistic": (
        stochastic.stochastic,
        online.stochastic,
        {"max_iter": 6, "loss": Loss(Kind.LOGISTIC), "l2": 1e-3, "averaged": True, "record": True},
    ),
    "sparse": (stochastic.stochastic, online.stochastic, {"max_iter": 6, "l1": 1e-2, "learning_rate": Decay(0.1)}),
    "lms": (lms.lms, online.lms, {"max_iter": 6, "record": True}),
    "normalized lms": (lms.lms, online.lms, {"max_iter": 6, "normalized": True, "learning_rate": 0.5}),
}


def blocks_of(X, y, cuts, numbers=False):
    edges = [0, *cuts, len(y)]
    cut = [(X[first:last], y[first:last]) for first, last in pairwise(edges)]
    return read_blocks(cut).encoded(numbers=numbers).problem


def assert_same_bits(found, wanted):
    assert np.array_equal(found.extended, wanted.extended)
    assert np.array_equal(found.history.last, wanted.history.last)
    ours, theirs = found.history, wanted.history
    for name in ("iterations", "passes", "mistakes", "last_mistakes"):
        assert getattr(ours, name) == getattr(theirs, name), name
    if theirs.curve is not None:
        assert ours.curve == pytest.approx(theirs.curve, rel=1e-12)


OF_TWO_CLASSES = {"lms", "normalized lms", "sparse"}
CASES = [(rule, classes) for rule in RULES for classes in ("two", "three", "apart")]


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize(
    ("rule", "classes"), [case for case in CASES if case[1] != "three" or case[0] not in OF_TWO_CLASSES]
)
def test_rows_in_their_own_order_give_the_bits_of_the_rule_in_memory(rule, classes, cuts):
    in_memory, in_blocks, options = RULES[rule]
    X, y = {"two": (MIXED, TWO), "three": (MIXED, THREE), "apart": (APART, TWO)}[classes]
    how = {"max_iter": 15} | options
    wanted = in_memory(encode(X, y).problem, **how)
    found = in_blocks(blocks_of(X, y, CUTS[cuts]), **how)
    assert_same_bits(found, wanted)
    assert type(found.certificate) is type(wanted.certificate)
    assert found.certificate.stated == pytest.approx(wanted.certificate.stated, rel=1e-12)
    assert found.status is wanted.status


@pytest.mark.parametrize("cuts", CUTS)
def test_numbers(cuts):
    numbers = MIXED @ [1.0, -1.0, 0.5, 0.0] + RNG.standard_normal(N)
    how = {"loss": Loss(Kind.EPSILON, 0.1), "max_iter": 5}
    wanted = stochastic.stochastic(encode_numbers(MIXED, numbers).problem, **how)
    found = online.stochastic(blocks_of(MIXED, numbers, CUTS[cuts], numbers=True), **how)
    assert_same_bits(found, wanted)
    assert found.certificate.stated == pytest.approx(wanted.certificate.stated, rel=1e-12)


@pytest.mark.parametrize(
    "how", [{}, {"averaged": True, "l2": 1e-3}, {"l1": 1e-2}, {"loss": "squared", "batch_size": 9}]
)
def test_the_regressor_shows_blocks_in_order(how):
    numbers = MIXED @ [1.0, -1.0, 0.5, 0.0] + RNG.standard_normal(N)
    model = StochasticRegressor(max_iter=5, shuffle=False, record=True, **how)
    wanted = clone(model).fit(MIXED, numbers)
    blocks = read_blocks(MIXED, numbers, rows_per_block=70)
    model.fit(blocks)
    assert np.array_equal(np.append(model.coef_, model.intercept_), np.append(wanted.coef_, wanted.intercept_))
    assert model.learning_curve_ == pytest.approx(wanted.learning_curve_, rel=1e-12)
    assert model.certificate_.stated == pytest.approx(wanted.certificate_.stated, rel=1e-12)
    assert model.n_iter_ == 5
    assert verify(model, blocks).holds


@pytest.mark.parametrize("rule", RULES)
def test_a_random_order_is_that_of_the_seed(rule):
    _, in_blocks, options = RULES[rule]
    problem = blocks_of(APART, TWO, CUTS["uneven"])
    one, same, other = (
        in_blocks(problem, rng=np.random.default_rng(seed), **{"max_iter": 3} | options).extended for seed in (1, 1, 2)
    )
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other) or rule == "one batch"


def test_every_row_is_presented_once_in_each_pass():
    problem = blocks_of(MIXED, TWO, CUTS["uneven"])
    orders = online.orders_of(np.random.default_rng(3))
    starts = [0, 1, 2, 50, 117]
    seen = []
    for number in range(2):
        blocks = orders.of_blocks([0, 1, 2, 3, 4], number)
        sizes = problem.census.sizes
        passes = [orders.of_rows(sizes[block], number, block).order[0] + starts[block] for block in blocks]
        seen.append(np.concatenate(passes))
        assert sorted(seen[-1].tolist()) == list(range(N))
    assert not np.array_equal(*seen)


def test_a_perceptron_that_shuffles_ends_with_a_plane_that_separates():
    problem = blocks_of(APART, TWO, CUTS["halves"])
    found = online.perceptron(problem, rng=np.random.default_rng(0))
    assert isinstance(found.certificate, Separator)
    assert found.certificate.proof
    assert found.certificate.error(encode(APART, TWO).problem) == 0.0
    assert found.certificate.examined.n_wrong == 0


def test_a_task_can_be_done_again():
    class Twice:
        def run(self, task, merge, count):
            return type(problem.runner)().run(task, merge, count)

        def in_order(self, task, state, count):
            for place in range(count):
                task(place, state)  # whose answer is lost
                state = task(place, state)
            return state

    problem = blocks_of(MIXED, TWO, CUTS["uneven"])
    how = {"l2": 1e-3, "averaged": True, "max_iter": 4, "batch_size": 5}
    wanted = online.stochastic(problem, **how)
    assert_same_bits(online.stochastic(replace(problem, runner=Twice()), **how), wanted)


def test_sparse_blocks():
    wanted = perceptron.online(encode(sparse.csr_array(MIXED), TWO).problem, max_iter=5)
    edges = [0, 30, 31, N]
    cut = [(sparse.csr_array(MIXED[a:b]), TWO[a:b]) for a, b in pairwise(edges)]
    assert_same_bits(online.perceptron(read_blocks(cut).encoded().problem, max_iter=5), wanted)


class TestPocket:
    """The best plane of all that were met."""

    def test_one_block_is_the_rule_in_memory(self):
        how = {"max_iter": 30, "patience": 200}
        for make in (lambda: None, partial(np.random.default_rng, 0)):
            wanted = pocket_rule.pocket(encode(MIXED, TWO).problem, rng=make(), **how)
            found = pocket(blocks_of(MIXED, TWO, []), rng=make(), **how)
            assert_same_bits(found, wanted)

    @pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
    def test_it_is_nearly_as_good_in_blocks(self, y):
        wanted = pocket_rule.pocket(encode(MIXED, y).problem, max_iter=50)
        found = pocket(blocks_of(MIXED, y, CUTS["uneven"]), max_iter=50, rng=np.random.default_rng(0))
        assert isinstance(found.certificate, Unproved)
        assert found.certificate.stated == found.certificate.error(encode(MIXED, y).problem)
        assert found.certificate.stated <= wanted.certificate.stated + 0.05

    def test_classes_that_are_apart_are_separated(self):
        found = pocket(blocks_of(APART, TWO, CUTS["uneven"]))
        assert isinstance(found.certificate, Separator)
        assert found.certificate.proof


def test_what_cannot_be_done_is_refused():
    problem = blocks_of(MIXED, TWO, CUTS["halves"])
    for rule in (online.perceptron, pocket):
        with pytest.raises(OptionError, match="record=False"):
            rule(problem, record=True)
    with pytest.raises(OptionError, match="learning_rate"):
        online.lms(problem, learning_rate=100.0)
