"""Rules without a teacher: Hebb's grows, Oja's finds the principal direction."""

import numpy as np
import pytest
from scipy import sparse

from separatrix import DataError, Decay, Direction, OptionError, hebb, oja
from solvers.by_hand import scattered

RNG = np.random.default_rng(3)
X = RNG.standard_normal((30, 4)) @ np.diag([2.0, 1.0, 0.5, 0.3]) @ np.linalg.qr(RNG.standard_normal((4, 4)))[0]
START = np.array([0.5, -0.5, 0.1, 0.7])


def by_hand(rows, w, rate, passes, decays):
    """w after each step of  w += rho g (x - g w),  or  w += rho g x."""
    planes = []
    for x in np.tile(rows, (passes, 1)):
        g, rho = x @ w, rate(len(planes) + 1)
        w = w + rho * g * (x - g * w if decays else x)
        planes.append(w)
    return np.array(planes)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("rate", [0.01, Decay(0.05, 0.5, 10.0)])
def test_the_rules(rate, storage):
    rates = rate if callable(rate) else lambda t: rate
    for passes in (1, 4):
        how = {"learning_rate": rate, "max_iter": passes, "start": START, "shuffle": False}
        assert np.allclose(hebb(storage(X), **how), by_hand(X, START, rates, passes, False)[-1], rtol=1e-12)
        assert np.allclose(oja(storage(X), **how), by_hand(X, START, rates, passes, True)[-1], rtol=1e-12)


def test_many_steps_of_ojas_rule():
    """Its shrinking passes all bounds of what is kept for w."""
    expected = by_hand(X, START, lambda t: 0.02, 60, True)[-1]
    assert np.allclose(oja(X, learning_rate=0.02, max_iter=60, start=START, shuffle=False), expected, rtol=1e-10)


def test_hebbs_rule_grows_with_every_row_it_answers():
    norms = [1.0, *np.linalg.norm(by_hand(X, START / np.linalg.norm(START), lambda t: 0.02, 1, False), axis=1)]
    start = START / np.linalg.norm(START)
    for k in range(1, 31):
        w = hebb(X[:k], learning_rate=0.02, start=start)
        assert np.linalg.norm(w) == pytest.approx(norms[k], rel=1e-12)
        assert np.linalg.norm(w) > norms[k - 1]
    assert np.array_equal(hebb([[0.0, 1.0]], start=[1.0, 0.0]), [1.0, 0.0]), "a row across w gets no answer"


def test_hebbs_rule_has_no_end():
    w = hebb(X, learning_rate=0.02, max_iter=100, start=START)
    assert np.linalg.norm(w) > 1e20
    with pytest.raises(DataError, match="overflowed.*lower the learning rate"):
        hebb(X, learning_rate=10.0, max_iter=1000, start=START)


def top(rows):
    values, vectors = np.linalg.eigh(rows.T @ rows / len(rows))
    assert values[-1] > 2 * values[-2], "a clear case"
    return vectors[:, -1]


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("seed", range(3))
def test_ojas_rule_tends_to_the_unit_top_eigenvector(seed, storage):
    w = oja(storage(X), random_state=seed, max_iter=300)
    assert np.linalg.norm(w) == pytest.approx(1.0, abs=0.01)
    assert abs(w @ top(X)) == pytest.approx(1.0, abs=0.01)
    early = oja(storage(X), random_state=seed, max_iter=1)
    assert abs(abs(early @ top(X)) - 1) > abs(abs(w @ top(X)) - 1), "and comes nearer"


def test_rows_that_are_sparse_indeed():
    rows = scattered((200, 40), 0.1, np.random.default_rng(0))
    w = oja(rows, random_state=0, max_iter=30)
    dense = oja(rows.toarray(), random_state=0, max_iter=30)
    assert np.allclose(w, dense, rtol=1e-9)
    assert abs(w @ top(rows.toarray())) > 0.98


def test_the_random_start_can_be_repeated():
    for rule in (hebb, oja):
        one, again, other = (rule(X, random_state=seed) for seed in (0, 0, 1))
        assert np.array_equal(one, again)
        assert not np.array_equal(one, other)
    start = hebb(X, learning_rate=1e-300, random_state=0)
    assert np.linalg.norm(start) == pytest.approx(1.0)


def test_a_direction_projects_rows():
    w = oja(X, random_state=0)
    assert isinstance(w, Direction)
    assert np.allclose(w.transform(X), X @ np.asarray(w), rtol=1e-14)
    assert np.allclose(w.transform(sparse.csr_array(X)), X @ np.asarray(w), rtol=1e-14)
    assert type(w.transform(X)) is np.ndarray
    with pytest.raises(DataError, match="X has 3 features, but the direction has 4"):
        w.transform(X[:, :3])


@pytest.mark.parametrize("rule", [hebb, oja])
def test_what_is_refused(rule):
    for bad in (
        {"start": [1.0, 2.0]},
        {"start": [np.nan] * 4},
        {"start": "random"},
        {"learning_rate": 0},
        {"learning_rate": "fast"},
        {"max_iter": 0},
    ):
        with pytest.raises(OptionError, match=next(iter(bad))):
            rule(X, **bad)
    with pytest.raises(DataError):
        rule([[np.nan, 1.0]])


@pytest.mark.parametrize("rule", [hebb, oja])
@pytest.mark.parametrize("bad", ["yes", None, 1])
def test_a_flag_is_true_or_false(rule, bad):
    with pytest.raises(OptionError, match="shuffle.*Got"):
        rule(X, shuffle=bad)
