"""Stochastic descent is the recursion of its formula, whatever is kept instead of w to make it quick."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from separatrix import Decay, StochasticClassifier, StochasticRegressor
from separatrix.data import encode
from separatrix.data.encode import encode_numbers
from separatrix.estimators.stochastic import LOSSES
from separatrix.objectives import Kind, Loss, value
from separatrix.solvers.online.stochastic import stochastic, suited_rate
from solvers.by_hand import CLASS_SLOPES, NUMBER_SLOPES, descend, rates_of, scattered

RNG = np.random.default_rng(7)
N, D = 17, 3
X = RNG.standard_normal((N, D)) * (RNG.random((N, D)) < 0.7)
Y = np.where(X @ [1.0, -2.0, 0.5] + 0.7 * RNG.standard_normal(N) > 0.2, 1.0, -1.0)
NUMBERS = X @ [1.0, -2.0, 0.5] + 0.3 + 0.5 * RNG.standard_normal(N)
START = np.array([0.3, -0.2, 0.1, 0.4])
RATES = {"constant": 0.2, "inverse": "inverse", "decay": Decay(0.3, 0.7, 5.0), "function": lambda t: 0.4 / np.sqrt(t)}
STORAGES = {"dense": np.asarray, "sparse": sparse.csr_array}
REGRESSION = {
    "squared": Loss(Kind.SQUARED),
    "epsilon_insensitive": Loss(Kind.EPSILON, 0.3),
    "squared_epsilon_insensitive": Loss(Kind.SQUARED_EPSILON, 0.3),
}


def gently(rate, t):
    """A tenth, for a loss whose steps explode where they overshoot."""
    return 0.1 * rates_of(rate)(t)


def close(ours, theirs, rtol=1e-12):
    return np.allclose(ours, theirs, rtol=rtol, atol=rtol * np.abs(theirs).max())


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("batch_size", [1, 3, N, N + 5])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_recursion_for_classes(loss, batch_size, storage):
    problem = encode(STORAGES[storage](X), Y).problem
    for l2, averaged, rate in product((0.0, 0.1), (False, True), RATES.values()):
        rho = partial(gently, rate) if loss == "exponential" else rate
        expected = descend(X, Y, CLASS_SLOPES[loss], start=START, rate=rho, l2=l2, batch_size=batch_size, passes=3)
        solution = stochastic(
            problem, loss=LOSSES[loss], start=START, learning_rate=rho, l2=l2, batch_size=batch_size,
            averaged=averaged, max_iter=3,
        )  # fmt: skip
        assert close(solution.extended, expected.mean(axis=0) if averaged else expected[-1])
        assert close(solution.history.last, expected[-1])
        assert solution.history.iterations == len(expected) == 3 * -(-N // batch_size)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("batch_size", [1, 3, N, N + 5])
@pytest.mark.parametrize("loss", REGRESSION)
def test_the_recursion_for_numbers(loss, batch_size, storage):
    problem = encode_numbers(STORAGES[storage](X), NUMBERS).problem
    for l2, averaged in product((0.0, 0.1), (False, True)):
        how = {"start": START, "l2": l2, "batch_size": batch_size}
        expected = descend(X, NUMBERS, NUMBER_SLOPES[loss], rate=0.05, passes=4, **how)
        solution = stochastic(
            problem, loss=REGRESSION[loss], learning_rate=0.05, averaged=averaged, max_iter=4, **how
        )  # fmt: skip
        assert close(solution.extended, expected.mean(axis=0) if averaged else expected[-1])


@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("loss", LOSSES)
def test_without_offset(loss, batch_size):
    expected = descend(
        X, Y, CLASS_SLOPES[loss], start=START * [1, 1, 1, 0], rate=0.2, l2=0.1, batch_size=batch_size, passes=3, bias=0
    )  # fmt: skip
    model = StochasticClassifier(
        loss=loss, l2=0.1, learning_rate=0.2, batch_size=batch_size, max_iter=3, shuffle=False, start=START[:3],
        fit_intercept=False,
    ).fit(X, Y)  # fmt: skip
    assert close(model.coef_[0], expected[-1, :3])
    assert model.intercept_ == 0.0


@pytest.mark.parametrize("batch_size", [1, 3])
@pytest.mark.parametrize("averaged", [False, True])
@pytest.mark.parametrize("strength", [0.4, 0.4995, 0.49999, 0.5, 0.51, 0.7, 0.99])
def test_shrinking_by_almost_everything_everything_and_past_zero(strength, averaged, batch_size):
    """rho l2 = 0.5 forgets w at each step; above, w changes its sign and still shrinks."""
    how = {"start": START, "l2": strength / 0.25, "batch_size": batch_size}
    expected = descend(X, Y, CLASS_SLOPES["hinge"], rate=0.25, passes=3, **how)
    solution = stochastic(encode(X, Y).problem, learning_rate=0.25, averaged=averaged, max_iter=3, **how)
    assert close(solution.extended, expected.mean(axis=0) if averaged else expected[-1])


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("averaged", [False, True])
def test_many_steps(averaged, batch_size, storage):
    """0.9^t passes 1e-9 every 200 steps: whatever stands for w must be multiplied out again and again."""
    how = {"start": START, "l2": 0.5, "batch_size": batch_size}
    expected = descend(X, Y, CLASS_SLOPES["logistic"], rate=0.1, passes=150, **how)
    solution = stochastic(
        encode(STORAGES[storage](X), Y).problem, loss=LOSSES["logistic"], learning_rate=0.1, averaged=averaged,
        max_iter=150, **how,
    )  # fmt: skip
    assert close(solution.extended, expected.mean(axis=0) if averaged else expected[-1])


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("batch_size", [1, 3, N])
@pytest.mark.parametrize("l2", [0.0, 0.1, 3.0, 5.5])
@pytest.mark.parametrize("loss", REGRESSION)
def test_l1_soft_thresholds_all_of_w_after_each_step(loss, l2, batch_size, storage):
    """The proximal form of problem 61.5: settled column by column, it is as if done at once."""
    how = {"start": START, "l2": l2, "l1": 0.15, "batch_size": batch_size}
    problem = encode_numbers(STORAGES[storage](X), NUMBERS).problem
    for rate, passes in ((0.1, 1), (0.1, 3), ("inverse", 2) if l2 < 1 else (0.12, 2), (lambda t: 0.1 / t, 40)):
        expected = descend(X, NUMBERS, NUMBER_SLOPES[loss], rate=rate, passes=passes, **how)[-1]
        solution = stochastic(problem, loss=REGRESSION[loss], learning_rate=rate, max_iter=passes, **how)
        assert close(solution.extended, expected)
        assert np.array_equal(solution.w == 0, expected[:3] == 0)


def test_l1_makes_weights_exactly_zero_in_rows_that_seldom_have_them():
    rng = np.random.default_rng(0)
    wide = scattered((60, 300), 0.02, rng)
    y = wide[:, :3].sum(axis=1) + 1.0
    for batch_size, l2 in ((1, 0.0), (1, 0.05), (2, 0.0), (7, 0.05)):
        how = {"start": rng.standard_normal(301) / 10, "l2": l2, "l1": 0.003, "batch_size": batch_size}
        expected = descend(wide.toarray(), y, NUMBER_SLOPES["squared"], rate=0.1, passes=5, **how)[-1]
        model = StochasticRegressor(
            loss="squared", learning_rate=0.1, max_iter=5, shuffle=False, **how
        ).fit(wide, y)  # fmt: skip
        assert close(np.append(model.coef_, model.intercept_), expected)
        zero = model.coef_ == 0
        assert 10 < np.count_nonzero(zero) < 290
        assert np.array_equal(zero, expected[:-1] == 0)


def test_batches_of_few_columns_touch_no_others():
    """Sparse batches are added column by column, once each, also where two rows share a column."""
    rng = np.random.default_rng(1)
    wide = scattered((50, 400), 0.02, rng)
    y = np.where(rng.random(50) < 0.5, 1.0, -1.0)
    for averaged, l2 in product((False, True), (0.0, 0.2)):
        expected = descend(wide.toarray(), y, CLASS_SLOPES["logistic"], rate=0.3, l2=l2, batch_size=6, passes=4)
        solution = stochastic(
            encode(wide, y).problem, loss=LOSSES["logistic"], learning_rate=0.3, l2=l2, batch_size=6,
            averaged=averaged, max_iter=4,
        )  # fmt: skip
        assert close(solution.extended, expected.mean(axis=0) if averaged else expected[-1])


@pytest.mark.parametrize("batch_size", [1, 3, N])
@pytest.mark.parametrize("averaged", [False, True])
def test_how_much_work_a_call_does_cannot_be_seen(averaged, batch_size, monkeypatch):
    """Batches and what l1 is owed are carried from one call to the next."""
    classes, numbers = encode(X, Y).problem, encode_numbers(X, NUMBERS).problem

    def solve():
        first = stochastic(
            classes, learning_rate="inverse", l2=0.1, batch_size=batch_size, averaged=averaged, max_iter=3, record=True
        )
        other = stochastic(numbers, learning_rate=0.1, l1=0.1, batch_size=batch_size, max_iter=3)
        return first.extended, first.history.curve, other.extended

    whole = solve()
    for entries in (1, 5 * D, 2 * N * D):
        monkeypatch.setattr("separatrix.rows.ENTRIES_A_CALL", entries)
        for one, other in zip(solve(), whole, strict=True):
            assert close(one, other, 1e-14)


@pytest.mark.parametrize("batch_size", [1, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_learning_curve_is_the_mean_loss_before_each_step(loss, batch_size):
    model = StochasticClassifier(
        loss=loss, learning_rate=0.1, batch_size=batch_size, max_iter=4, shuffle=False, record=True
    ).fit(X, Y)
    planes = descend(X, Y, CLASS_SLOPES[loss], rate=0.1, batch_size=batch_size, passes=4)
    before = np.repeat(np.vstack([np.zeros(D + 1), planes[:-1]]).reshape(4, -1, D + 1), batch_size, axis=1)[:, :N]
    scores = (before * np.column_stack([X, np.ones(N)])).sum(axis=2)
    costs = [[value(LOSSES[loss], g, y) for g, y in zip(row, Y, strict=True)] for row in scores]
    assert close(model.learning_curve_, np.mean(costs, axis=1))


def test_the_automatic_rate():
    problem = encode(np.array([[2.0], [-1.0]]), [1, 0]).problem
    decay = suited_rate(problem, Loss(Kind.HINGE), 0.5)
    assert (decay.c, decay.power, decay.delay) == (pytest.approx(1 / 6), 0.5, 2.0)
    assert suited_rate(problem, Loss(Kind.EXPONENTIAL)).c == pytest.approx(0.1 / 5)
    model = StochasticClassifier(l2=0.5, max_iter=3, shuffle=False).fit([[2.0], [-1.0]], [1, 0])
    rate = model.learning_rate_
    assert rate(1) == pytest.approx(2 * rate(7)), "half after three more passes"
    expected = descend(np.array([[2.0], [-1.0]]), np.array([1, -1]), CLASS_SLOPES["hinge"], rate=rate, l2=0.5, passes=3)
    assert close(model.coef_[0], expected[-1, :1])


def test_averages_come_nearer_to_the_minimum_than_the_last_plane():
    """With a constant rate the last plane keeps jumping about the minimum, and the mean does not."""
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((200, 2))
    y = np.where(rows[:, 0] + rng.standard_normal(200) > 0, 1, -1)

    def objective(model):
        margins = y * model.decision_function(rows)
        return 0.05 * np.sum(model.coef_**2) + np.mean(np.maximum(0, 1 - margins))

    how = {"l2": 0.05, "learning_rate": 0.5, "max_iter": 20}
    pairs = [
        [objective(StochasticClassifier(averaged=a, random_state=seed, **how).fit(rows, y)) for a in (True, False)]
        for seed in range(5)
    ]
    assert all(mean < last for mean, last in pairs)


def test_a_tie_after_shrinking_is_a_tie():
    """w = 2 shrinks to 1 at a row of zeros; the next row then has a margin of exactly 1, and counts."""
    problem = encode(np.array([[0.0], [1.0], [-8.0]]), [1, 1, 0], fit_intercept=False).problem
    solution = stochastic(problem, start=[2.0], learning_rate=0.25, l2=1.0, max_iter=1)
    assert solution.history.mistakes == 2
    assert solution.w.tolist() == [((2 * 0.5) * 0.5 + 0.25) * 0.5]


def test_sparse_batches_that_go_over_from_one_call_to_the_next(monkeypatch):
    wide = scattered((50, 400), 0.01, np.random.default_rng(2))
    y = np.where(np.arange(50) % 3, 1.0, -1.0)
    monkeypatch.setattr("separatrix.rows.ENTRIES_A_CALL", wide.nnz // 9)
    expected = descend(wide.toarray(), y, CLASS_SLOPES["logistic"], rate=0.3, batch_size=7, passes=3)[-1]
    how = {"loss": LOSSES["logistic"], "learning_rate": 0.3, "max_iter": 3}
    assert close(stochastic(encode(wide, y).problem, batch_size=7, **how).extended, expected)
