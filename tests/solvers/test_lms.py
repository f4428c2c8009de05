"""Least mean squares: running means, the least squares solution, and where constant rates stop being stable."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from separatrix import DataError, Decay, LMSClassifier, NotCertifiedWarning, OptionError
from separatrix.data import encode, samples
from separatrix.data.encode import encode_numbers
from separatrix.problem import Problem
from separatrix.solvers.online.lms import lms
from solvers.by_hand import NUMBER_SLOPES, descend

RNG = np.random.default_rng(11)
X = RNG.standard_normal((25, 3))
NUMBERS = X @ [1.0, -0.5, 2.0] + 0.7 + 0.3 * RNG.standard_normal(25)
LABELS = np.where(NUMBERS > 0.5, 1, -1)
SQUARES = np.sum(X**2, axis=1) + 1.0


def test_one_over_k_on_a_constant_is_the_running_mean():
    numbers = RNG.standard_normal(40) * 10
    for k in (1, 2, 7, 40):
        column = Problem.of_numbers(np.ones((k, 1)), numbers[:k], fit_intercept=False)
        assert lms(column, learning_rate="inverse", max_iter=1).w[0] == pytest.approx(numbers[:k].mean(), rel=1e-13)
        offset = Problem.of_numbers(np.zeros((k, 1)), numbers[:k])
        assert lms(offset, learning_rate=Decay(1.0), max_iter=1).b == pytest.approx(numbers[:k].mean(), rel=1e-13)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("rate", [0.05, "inverse", Decay(0.3, 0.6, 4.0)])
@pytest.mark.parametrize("normalized", [False, True])
def test_the_rule(normalized, rate, storage):
    start = np.array([0.2, 0.1, -0.4, 1.0])
    how = {"start": start, "rate": rate, "factors": 1 / SQUARES if normalized else None}
    for y, problem in (
        (NUMBERS, encode_numbers(storage(X), NUMBERS).problem),
        (LABELS, encode(storage(X), LABELS).problem),
    ):
        for passes in (1, 6):
            solution = lms(problem, start=start, learning_rate=rate, normalized=normalized, max_iter=passes)
            assert np.allclose(
                solution.extended, descend(X, y, NUMBER_SLOPES["squared"], passes=passes, **how)[-1], rtol=1e-11
            )


def test_normalized_without_offset():
    model = LMSClassifier(
        learning_rate=0.5, normalized=True, fit_intercept=False, shuffle=False, max_iter=2
    ).fit(X, LABELS)  # fmt: skip
    factors = 1 / np.sum(X**2, axis=1)
    expected = descend(X, LABELS, NUMBER_SLOPES["squared"], rate=0.5, passes=2, bias=0.0, factors=factors)[-1]
    assert np.allclose(model.coef_[0], expected[:3], rtol=1e-12)


def test_a_normalized_step_of_1_meets_its_target():
    last = lms(encode_numbers(X, NUMBERS).problem, learning_rate=1.0, normalized=True, max_iter=1)
    assert X[-1] @ last.w + last.b == pytest.approx(NUMBERS[-1], rel=1e-12)


@pytest.mark.large
@pytest.mark.parametrize("several", [False, True])
def test_falling_rates_tend_to_the_least_squares_solution(several):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((100, 3))
    labels = np.digitize(rows @ [1.0, 2.0, -1.0] + rng.standard_normal(100), [-1.0, 1.0] if several else [0.0])
    model = LMSClassifier(learning_rate=Decay(1.0), max_iter=3000, random_state=0).fit(rows, labels)
    extended = np.column_stack([rows, np.ones(100)])
    targets = 2.0 * (labels[:, None] == model.classes_) - 1.0
    exact = np.linalg.lstsq(extended, targets if several else targets[:, 1:], rcond=None)[0].T
    found = np.column_stack([model.coef_, model.intercept_])
    early = LMSClassifier(learning_rate=Decay(1.0), max_iter=5, random_state=0).fit(rows, labels)
    assert np.abs(found - exact).max() < 1e-4
    assert np.abs(np.column_stack([early.coef_, early.intercept_]) - exact).max() > 1e-3


@pytest.mark.parametrize("several", [False, True])
def test_rates_that_cannot_settle_are_refused_with_the_limit(several):
    labels = np.digitize(NUMBERS, [-0.5, 1.0] if several else [0.0])
    limit = 2 / SQUARES.max()
    for rate in (8 * limit, 5):
        assert np.abs(np.prod(1 - rate * SQUARES)) > 1
        with pytest.raises(OptionError, match=f"must be below {limit:.6g}"):
            LMSClassifier(learning_rate=rate).fit(X, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotCertifiedWarning)
        LMSClassifier(learning_rate=limit * (1 - 1e-9), max_iter=1).fit(X, labels)
    for rate in (2.0, 3, 2.5):
        with pytest.raises(OptionError, match="must be below 2, or each step overshoots"):
            LMSClassifier(learning_rate=rate, normalized=True).fit(X, labels)


@pytest.mark.parametrize("rate", [np.float64(5.0), np.float32(5.0), np.int64(5)])
def test_it_does_not_matter_of_what_type_a_rate_is(rate):
    with pytest.raises(OptionError, match="must be below"):
        LMSClassifier(learning_rate=rate).fit(X, LABELS)


@pytest.mark.parametrize("square", [2.0, 3.0, 5.0, 6.0, 7.0, 11.0])
def test_the_limit_itself_overshoots(square):
    """||[x, 1]||^2 is a whole number here; the root of it, squared again, need not be."""
    rows = np.zeros((2, int(square) - 1))
    rows[0], rows[1, 0] = 1.0, -1.0
    if abs(1.0 - 4.0 / square) >= 1.0:  # the other row does not contract either
        with pytest.raises(OptionError, match="must be below"):
            LMSClassifier(learning_rate=2.0 / square).fit(rows, [1, 0])
        return
    with pytest.warns(NotCertifiedWarning, match="overshoots; they may settle or not"):
        LMSClassifier(learning_rate=2.0 / square).fit(rows, [1, 0])


def test_weights_may_stay_bounded_though_the_longest_row_overshoots():
    """One long row among many short ones overshoots by half, and the others make up for it."""
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.standard_normal((200, 2)), [[6.0, 0.0]]])
    labels = (rows @ [1.0, 1.0] + rng.standard_normal(201) > 0).astype(int)
    with pytest.warns(NotCertifiedWarning, match="nothing bounds the weights") as told:
        model = LMSClassifier(learning_rate=2.5 / 37.0, max_iter=2000, random_state=0).fit(rows, labels)
    assert len(told) == 1
    assert told[0].filename == __file__
    assert np.abs(model.coef_).max() < 2


@pytest.mark.parametrize("seed", range(5))
def test_rates_that_are_refused_do_diverge(seed):
    """The product of |1 - rho ||z||^2| is just above 1: two runs of the rule part without bound, in any order."""
    rng = np.random.default_rng(seed)
    Z = np.column_stack([X, np.ones(25)])
    low, high = 2 / SQUARES.max(), 5.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (low, middle) if np.log(np.abs(1 - middle * SQUARES)).sum() > 0 else (middle, high)
    apart = rng.standard_normal(4)
    for _ in range(3000):
        for z in Z[rng.permutation(25)]:
            apart -= high * (z @ apart) * z
        if np.abs(apart).max() > 1e100:
            break
    assert np.abs(apart).max() > 1e100


@pytest.mark.large
def test_below_the_inverse_trace_gaussian_rows_still_diverge():
    """2 / trace(R) bounds the mean of w, not w: at nine tenths of it Gaussian rows make it explode.

    Below 2 / max ||x||^2 no step leads away from weights that fit all rows.
    """
    rng = np.random.default_rng(0)
    d = 4
    rows = rng.standard_normal((20_000, d))
    truth = np.ones(d)
    numbers = Problem.of_numbers(rows, rows @ truth, fit_intercept=False)
    wild = 0.9 * 2 / np.trace(rows.T @ rows / len(rows))
    w = lms(numbers, start=truth + 0.1, learning_rate=lambda t: wild, max_iter=1).w
    assert np.linalg.norm(w - truth) > 1e6
    tame = 0.99 * 2 / np.max(np.sum(rows**2, axis=1))
    assert tame < wild
    w = lms(numbers, start=truth + 0.1, learning_rate=lambda t: tame, max_iter=1).w
    assert np.linalg.norm(w - truth) < 1e-6


def test_below_the_limit_no_step_leads_away():
    exact = X @ [1.0, -0.5, 2.0] + 0.7
    truth = np.array([1.0, -0.5, 2.0, 0.7])
    far = [np.linalg.norm(truth)]
    for k in range(1, 26):
        part = encode_numbers(X[:k], exact[:k]).problem
        solution = lms(part, learning_rate=1.999 / SQUARES[:k].max() if k > 1 else 0.1, max_iter=1)
        assert np.linalg.norm(solution.extended - truth) <= far[0] * (1 + 1e-12)
    noisy = lms(encode_numbers(X, NUMBERS).problem, learning_rate=1.99 / SQUARES.max(), max_iter=300)
    assert np.abs(noisy.extended).max() < 20


def test_weights_that_overflow_are_refused_with_what_to_do():
    with pytest.raises(DataError, match="overflowed.*Scale the features or lower the learning rate"):
        lms(encode_numbers(X, NUMBERS).problem, learning_rate=lambda t: 10.0, max_iter=1000)


@pytest.mark.parametrize("normalized", [False, True])
def test_the_learning_curve_is_half_the_mean_squared_residual(normalized):
    rate = 0.5 if normalized else 0.02
    model = LMSClassifier(
        learning_rate=rate, normalized=normalized, max_iter=5, shuffle=False, record=True
    ).fit(X, LABELS)  # fmt: skip
    factors = 1 / SQUARES if normalized else None
    planes = descend(X, LABELS, NUMBER_SLOPES["squared"], rate=rate, passes=5, factors=factors)
    before = np.vstack([np.zeros(4), planes[:-1]]).reshape(5, 25, 4)
    residuals = LABELS - (before * np.column_stack([X, np.ones(25)])).sum(axis=2)
    assert np.allclose(model.learning_curve_, np.mean(residuals**2, axis=1) / 2, rtol=1e-12)
    assert normalized or (np.diff(model.learning_curve_) < 0).all()


def test_the_automatic_rate_is_a_twentieth_of_what_is_stable():
    assert LMSClassifier(max_iter=1).fit(X, LABELS).learning_rate_ == pytest.approx(0.1 / SQUARES.max())
    assert LMSClassifier(max_iter=1, normalized=True).fit(X, LABELS).learning_rate_ == 0.1
    table = samples.separable_pair(30, seed=0)
    assert LMSClassifier(random_state=0).fit(table.X, table.labels).score(table.X, table.labels) == 1.0
