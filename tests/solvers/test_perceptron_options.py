"""What can be changed about the perceptron, each against a plain loop, two classes and several."""

import warnings
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from separatrix import Decay, NotCertifiedWarning, OptionError, Perceptron, Separator, Unproved, kesler_vectors
from separatrix.data import samples
from separatrix.data.encode import encode
from separatrix.solvers.online import perceptron
from solvers.by_hand import Corrections, signed_rows

EASY = samples.planted_margin(40, 3, ratio=0.05, seed=2)[0]
HARD = samples.gaussian_pair(0.6, 41, seed=2)
RNG = np.random.default_rng(5)
CENTRES = np.array([[2.0, 0.0], [-2.0, 1.5], [-1.0, -2.5]])
MANY_Y = np.tile([0, 1, 2], 11)
MANY_X = {
    "easy": CENTRES[MANY_Y] + 0.6 * RNG.standard_normal((33, 2)),
    "hard": CENTRES[MANY_Y] + 2.0 * RNG.standard_normal((33, 2)),
}
VARIANTS = {
    "plain": {},
    "minibatch 3": {"batch_size": 3},
    "minibatch 7": {"batch_size": 7},
    "all": {"batch_size": 1000},
    "l2": {"l2": 0.02},
    "l2, minibatch": {"l2": 0.02, "batch_size": 4},
    "normalized": {"normalized": True},
    "normalized, minibatch": {"normalized": True, "batch_size": 4},
    "bias 2.5": {"bias_step": 2.5},
    "radius2": {"bias_step": "radius2"},
    "radius2, normalized": {"bias_step": "radius2", "normalized": True},
    "inverse": {"learning_rate": "inverse", "batch_size": 2},
    "decay, l2": {"learning_rate": Decay(0.5, delay=9.0), "l2": 0.1, "bias_step": 2.5},
}


def by_hand(X, vectors, options, passes, **shape):
    """The plain loop for options as the perceptron takes them."""
    options = {"batch_size": 1, "learning_rate": 1.0, "l2": 0.0, "bias_step": 1.0, "normalized": False} | options
    bias = np.square(X).sum(axis=1).max() if options["bias_step"] == "radius2" else options["bias_step"]
    factors = 1 / np.sqrt(np.square(X).sum(axis=1) + bias) if options["normalized"] else None
    return Corrections(
        vectors, rate=options["learning_rate"], l2=options["l2"], batch_size=min(options["batch_size"], len(X)),
        passes=passes, bias=bias, factors=factors, **shape,
    )  # fmt: skip


def compare(problem, hand, options, passes):
    for averaged in (False, True):
        solution = perceptron.online(problem, averaged=averaged, max_iter=passes, **options)
        expected = hand.planes.mean(axis=0) if averaged else hand.planes[-1]
        scale = np.abs(expected).max()
        assert np.allclose(solution.extended.ravel(), expected, rtol=1e-12, atol=1e-12 * scale)
        assert np.allclose(np.ravel(solution.history.last), hand.planes[-1], rtol=1e-12, atol=1e-12 * scale)
        assert solution.history.mistakes == hand.mistakes > 0
        if options.get("batch_size", 1) == 1:
            assert solution.history.iterations == len(hand.planes)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", VARIANTS)
def test_two_classes(name, storage):
    for table, passes in product((EASY, HARD), (1, 2, 30)):
        hand = by_hand(table.X, signed_rows(table.X, table.labels), VARIANTS[name], passes)
        compare(encode(storage(table.X), table.labels).problem, hand, VARIANTS[name], passes)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", VARIANTS)
def test_several_classes_by_the_vectors_of_the_construction(name, storage):
    many = 6 if "l2" in name else 30  # before w has shrunk to the rounding errors of b
    for X, passes in product(MANY_X.values(), (1, 2, many)):
        hand = by_hand(X, kesler_vectors(X, MANY_Y), VARIANTS[name], passes, group=2, blocks=3)
        compare(encode(storage(X), MANY_Y).problem, hand, VARIANTS[name], passes)


@pytest.mark.parametrize("name", [name for name in VARIANTS if "l2" not in name])
@pytest.mark.parametrize("data", ["two classes", "several"])
def test_a_recorded_run_ends_at_the_solution(data, name):
    X, y = (HARD.X, HARD.labels) if data == "two classes" else (MANY_X["hard"], MANY_Y)
    solution = perceptron.online(encode(X, y).problem, record=True, max_iter=5, **VARIANTS[name])
    iterates = list(solution.history.trace.iterates())
    assert np.array_equal(iterates[-1], solution.extended)
    assert len(solution.history.trace) == solution.history.mistakes


def test_the_offset_stays_where_there_is_none():
    for bias_step in (2.5, "radius2"):
        how = {"bias_step": bias_step, "normalized": True, "batch_size": 2}
        plain = perceptron.online(encode(HARD.X, HARD.labels, fit_intercept=False).problem, max_iter=3, **how)
        rows = HARD.X / np.linalg.norm(HARD.X, axis=1)[:, None]
        hand = Corrections(HARD.labels[:, None] * np.column_stack([rows, 0 * rows[:, :1]]), batch_size=2, passes=3)
        assert plain.b == 0.0
        assert np.allclose(plain.w, hand.planes[-1, :2], rtol=1e-12)


def test_a_row_without_length_is_no_division_by_zero():
    X = np.array([[0.0, 0.0], [1.0, 2.0], [-1.0, -1.0]])
    with pytest.warns(NotCertifiedWarning):
        model = Perceptron(normalized=True, fit_intercept=False, max_iter=3, shuffle=False).fit(X, [1, 1, 0])
    assert np.isfinite(model.coef_).all()


def test_the_shrinking_never_ends_and_proves_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X, y in ((EASY.X, EASY.labels), (HARD.X, HARD.labels), (MANY_X["easy"], MANY_Y)):
            model = Perceptron(l2=0.01, max_iter=20, random_state=0).fit(X, y)
            assert isinstance(model.certificate_, Unproved)
            assert model.n_iter_ == 20
            assert model.certificate_.stated == pytest.approx(1 - model.score(X, y))


def test_what_an_average_claims():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hard = Perceptron(averaged=True, max_iter=20, random_state=0).fit(HARD.X, HARD.labels)
        easy = Perceptron(averaged=True, max_iter=10_000, random_state=0).fit(MANY_X["easy"], MANY_Y)
        last = Perceptron(max_iter=10_000, shuffle=False).fit(EASY.X, EASY.labels)
        start = np.append(last.coef_, last.intercept_)
        right = Perceptron(averaged=True, shuffle=False, start=start).fit(EASY.X, EASY.labels)
    assert isinstance(hard.certificate_, Unproved)
    assert hard.certificate_.stated == pytest.approx(1 - hard.score(HARD.X, HARD.labels))
    assert hard.certificate_.stated > 0
    assert (easy.score(MANY_X["easy"], MANY_Y) == 1.0) == isinstance(easy.certificate_, Separator)
    assert isinstance(right.certificate_, Separator), "the mean of one plane that separates is that plane"
    assert right.certificate_.proof
    assert np.allclose(right.coef_, last.coef_, rtol=1e-14)


def test_an_average_that_does_not_separate_though_the_last_plane_does():
    found = 0
    for seed in range(10):
        table = samples.planted_margin(40, 3, ratio=0.01, seed=seed)[0]
        model = Perceptron(averaged=True, max_iter=100_000, random_state=0).fit(table.X, table.labels)
        wrong = (table.labels * (table.X @ model.coef_[0] + model.intercept_) <= 0).any()
        assert isinstance(model.certificate_, Unproved if wrong else Separator)
        found += wrong
    assert found > 0


def test_a_record_of_corrections_cannot_hold_the_shrinking():
    with pytest.raises(OptionError, match=r"l2=0.1"):
        Perceptron(l2=0.1, record=True).fit(EASY.X, EASY.labels)


def test_variants_that_separate_prove_it():
    for X, y in ((EASY.X, EASY.labels), (MANY_X["easy"], MANY_Y)):
        for how in ({"normalized": True}, {"bias_step": 2.5}, {"bias_step": "radius2"}, {"update": "minibatch"}):
            model = Perceptron(max_iter=100_000, random_state=1, batch_size=5, **how).fit(X, y)
            assert isinstance(model.certificate_, Separator)
            assert model.certificate_.proof
            assert model.score(X, y) == 1.0
