"""SparseSVR: zeros that are exact, the lasso, other units, bad input, and what its certificate says."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Lasso

from contracts.regression_values import TRUE_VALUES
from separatrix import (
    DataError,
    NotCertifiedWarning,
    OptionError,
    SparseSVR,
    StochasticRegressor,
    load,
    save,
    verify,
)
from separatrix.certificates import DualityGap
from separatrix.objectives import SparseTube
from separatrix.solvers.regression import sparse_svr as solver


def rows(n=120, d=8, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + 4.0 + 0.4 * rng.standard_normal(n)


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("l1", [0.02, 0.3, 2.0])
def test_without_a_tube_it_is_the_lasso(l1, weighted, offset):
    X, y = rows()
    weights = np.random.default_rng(1).uniform(0.5, 2.0, 120) if weighted else np.ones(120)
    peer = Lasso(alpha=l1 / 2.0, fit_intercept=offset, tol=1e-14, max_iter=100_000).fit(X, y, weights)
    model = SparseSVR(l1, epsilon=0.0, fit_intercept=offset).fit(X, y, weights)
    assert model.coef_ == pytest.approx(peer.coef_, abs=1e-9)
    assert model.intercept_ == pytest.approx(peer.intercept_, abs=1e-9)
    assert np.array_equal(model.coef_ == 0.0, peer.coef_ == 0.0)
    assert (model.coef_.shape, np.ndim(model.intercept_)) == (peer.coef_.shape, 0)


def flat_dual(y, epsilon):
    """The best offset alone, by bisection of the slope, and beta of the rows; one on the border balances the others."""
    low, high = y.min(), y.max()
    for _ in range(200):
        b = 0.5 * (low + high)
        r = y - b
        slope = np.where(r**2 > epsilon, 2.0 * r, 0.0).sum()
        low, high = (b, high) if slope > 0.0 else (low, b)
    beta = np.where(r**2 > epsilon, 2.0 * r, 0.0) / y.size
    nearest = int(np.argmin(np.abs(np.abs(r) - np.sqrt(epsilon))))
    if epsilon and abs(abs(r[nearest]) - np.sqrt(epsilon)) < 1e-12:
        beta[nearest] = beta[nearest] - beta.sum()
    return b, beta


def test_all_coefficients_are_0_from_the_threshold_on_and_not_before():
    """At w = 0 the conditions of the optimum hold where no |sum_i beta_i x_ij| exceeds l1."""
    X, y = rows()
    for epsilon in (0.0, 0.3):
        b, beta = flat_dual(y, epsilon)
        assert abs(beta.sum()) < 1e-12
        threshold = np.abs(X.T @ beta).max()
        above = SparseSVR(threshold * (1 + 1e-9), epsilon=epsilon).fit(X, y)
        below = SparseSVR(threshold * (1 - 1e-6), epsilon=epsilon).fit(X, y)
        assert not above.coef_.any()
        assert above.intercept_ == pytest.approx(b, abs=1e-9)
        assert np.flatnonzero(below.coef_).tolist() == [int(np.argmax(np.abs(X.T @ beta)))]
        assert max(above.certificate_.stated, below.certificate_.stated) <= 1e-12


def test_the_online_rule_comes_near_and_never_below_the_dual_value():
    X, y = rows()
    exact = SparseSVR(0.05, epsilon=0.1).fit(X, y)
    online = StochasticRegressor(
        loss="squared_epsilon_insensitive", epsilon=0.1, l1=0.05, max_iter=2000, random_state=0
    ).fit(X, y)
    losses = np.maximum(0.0, (y - online.predict(X)) ** 2 - 0.1)
    risk = 0.05 * np.abs(online.coef_).sum() + losses.mean()
    assert exact.certificate_.dual <= exact.certificate_.primal <= risk <= 1.02 * exact.certificate_.dual


@pytest.mark.parametrize("size", [1e6, 1e-6])
def test_units_of_y_do_not_matter(size):
    X, y = rows()
    plain = SparseSVR(0.1, epsilon=0.2).fit(X, y)
    other = SparseSVR(0.1 * size, epsilon=0.2 * size**2).fit(X, size * y)
    assert other.coef_ / size == pytest.approx(plain.coef_, rel=1e-9)
    assert other.intercept_ / size == pytest.approx(plain.intercept_, rel=1e-9)
    assert max(plain.certificate_.stated, other.certificate_.stated) <= 1e-12


def test_raw_features_and_targets():
    X, y = rows()
    X = X * [1e6, 1.0, 1e-3, 1.0, 1e4, 1.0, 1.0, 1e2] + [0.0, 1e4, 0.0, 5.0, 1e6, 0.0, 0.0, 0.0]
    model = SparseSVR().fit(X, 1e6 * y + 1e7)
    assert model.certificate_.stated <= 1e-6
    assert verify(model, X, 1e6 * y + 1e7)


def test_many_columns_and_few_rows():
    X, y = rows(60, 400)
    model = SparseSVR(0.2, epsilon=0.05).fit(X, y)
    assert model.certificate_.stated <= 1e-9
    assert {0, 1} <= set(np.flatnonzero(model.coef_).tolist())
    assert np.count_nonzero(model.coef_) <= 60
    nothing_left = SparseSVR(1e-3, epsilon=0.05).fit(X, y)  # a plane within the tube of every row
    assert np.abs(y - nothing_left.predict(X)).max() <= np.sqrt(0.05) * 1.1
    assert nothing_left.certificate_.stated <= 1e-9


@pytest.mark.parametrize("offset", [True, False])
def test_sparse_dense_and_float32_rows_agree(offset):
    X = sparse.random(150, 40, density=0.06, random_state=5, format="csr", dtype=np.float32)
    y = np.random.default_rng(5).standard_normal(150) + X.toarray()[:, 0] * 3.0
    models = [
        SparseSVR(0.005, epsilon=0.1, fit_intercept=offset).fit(rows_of, y)
        for rows_of in (X, X.astype(np.float64), X.toarray(), X.toarray().astype(np.float64))
    ]
    for model in models:
        assert model.certificate_.stated <= 1e-9
        assert model.coef_ == pytest.approx(models[-1].coef_, abs=1e-9)
        assert np.array_equal(model.coef_ == 0.0, models[-1].coef_ == 0.0)


def test_weights_are_copies_and_their_scale_does_not_matter():
    X, y = rows()
    counts = np.random.default_rng(9).integers(0, 4, 120)
    weighted = SparseSVR(0.1).fit(X, y, counts)
    copied = SparseSVR(0.1).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
    assert weighted.coef_ == pytest.approx(copied.coef_, abs=1e-9)
    assert weighted.intercept_ == pytest.approx(copied.intercept_, abs=1e-9)
    assert weighted.certificate_.primal == pytest.approx(copied.certificate_.primal, rel=1e-12)
    scaled = SparseSVR(0.1).fit(X, y, 1e5 * counts)
    assert scaled.coef_ == pytest.approx(weighted.coef_, abs=1e-9)
    assert verify(weighted, X, y, counts)
    assert counts[weighted.support_].all()


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_rows_and_numbers_that_decide_nothing(epsilon):
    """A constant y, one row, rows of zeros: the answer is known, and nothing is warned of."""
    X, _ = rows(20)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        constant = SparseSVR(epsilon=epsilon).fit(X, np.full(20, 7.5))
        one = SparseSVR(epsilon=epsilon).fit(X[:1], [7.5])
        empty = SparseSVR(epsilon=epsilon).fit(np.zeros((4, 2)), [1.0, 1.0, 3.0, 3.0])
        unmoved = SparseSVR(epsilon=epsilon, fit_intercept=False).fit(np.zeros((2, 1)), [1.0, 2.0])
    assert not constant.coef_.any()
    assert constant.predict(X) == pytest.approx(7.5, abs=np.sqrt(epsilon) + 1e-12)
    assert one.predict(X[:1]) == pytest.approx(7.5, abs=np.sqrt(epsilon) + 1e-12)
    assert empty.intercept_ == pytest.approx(2.0)
    assert empty.certificate_.primal == pytest.approx(1.0 - epsilon)
    assert unmoved.certificate_.primal == pytest.approx((1.0 - epsilon + 4.0 - epsilon) / 2.0)
    assert max(model.certificate_.stated for model in (constant, one, empty, unmoved)) <= 1e-12


def test_columns_that_are_the_same_or_constant():
    X, y = rows()
    plain = SparseSVR(0.1).fit(X, y)
    other = SparseSVR(0.1).fit(np.column_stack([X, X[:, 0], np.full(120, 3.0), np.zeros(120)]), y)
    assert other.certificate_.primal == pytest.approx(plain.certificate_.primal, rel=1e-9)
    assert other.coef_[0] + other.coef_[8] == pytest.approx(plain.coef_[0], abs=1e-6)
    assert other.coef_[9:].tolist() == [0.0, 0.0]


def test_duplicated_rows_on_a_grid():
    """Many rows on the border of the tube at once."""
    X = np.array([[i, j] for i in range(6) for j in range(6)], dtype=float)
    y = np.repeat(X @ [1.0, 0.0] + np.tile([-1.0, 1.0], 18), 3)
    model = SparseSVR(0.1, epsilon=1.0).fit(np.repeat(X, 3, axis=0), y)
    assert model.certificate_.stated <= 1e-9
    assert model.certificate_.primal <= 0.1 + 1e-9  # that of w = [1, 0], with no row beyond the tube


def test_the_certificate_is_recomputed_and_repairs_any_dual_point():
    X, y = rows()
    model = SparseSVR(0.1, epsilon=0.2).fit(X, y)
    problem, claim = model._problem(X, y).problem, model.certificate_
    assert "minimise 0.1 ||w||_1 + the mean of max(0, (y - (w.x + b))^2 - 0.2), over 120 rows" in str(claim)
    rng = np.random.default_rng(0)
    for scale in (1e-3, 1e-2, 1.0, 1e3):
        any_point = DualityGap.issue(problem, claim.w, claim.b, scale * rng.standard_normal(120))
        assert 0.0 <= any_point.dual <= claim.primal
    assert not verify(model, X, y + 0.01 * X[:, 3]).holds
    model.coef_ = model.coef_ + 1e-4
    assert not verify(model, X, y).holds
    model.coef_ = np.array(claim.w)
    assert verify(model, X, y)
    model.epsilon = 0.1
    assert not verify(model, X, y).holds


@pytest.mark.parametrize("offset", [True, False])
@pytest.mark.parametrize("factor", [0.1, 0.9, 1.0, 1.5, 20.0])
def test_any_dual_point_has_the_value_of_the_feasible_point_next_to_it(factor, offset):
    """beta is balanced and scaled down; the value is that of long doubles, by the formula written out."""
    X, y = rows()
    model, rng = SparseSVR(0.1, epsilon=0.2, fit_intercept=offset).fit(X, y), np.random.default_rng(2)
    problem, claim, beta = model._problem(X, y).problem, model.certificate_, np.zeros(120)
    beta[claim.support] = claim.alpha
    for spread in (0.0, 0.3):
        other = factor * beta * (1.0 + spread * rng.standard_normal(120)) + spread * 1e-4 * rng.standard_normal(120)
        found = DualityGap.issue(problem, claim.w, claim.b, other)
        truth = TRUE_VALUES[SparseTube](X.astype("g"), problem, found)
        assert found.primal == pytest.approx(float(truth.primal), rel=1e-12)
        assert found.dual == pytest.approx(float(truth.dual), rel=1e-9)
        assert 0.0 < found.dual <= claim.primal * (1.0 + 1e-14)


def test_the_conjugate_is_the_largest_difference():
    objective, u = SparseTube(l1=1.0, epsilon=0.3), np.linspace(-4.0, 4.0, 41)
    r = np.append(np.linspace(-8.0, 8.0, 160_001), np.sqrt(0.3) * np.array([-1.0, 1.0]))
    largest = np.array([(slope * r - objective.losses(r)).max() for slope in u])
    assert objective.conjugates(u) == pytest.approx(largest, abs=1e-7)


def test_model_files_hold_it(tmp_path):
    X, y = rows()
    model = SparseSVR(0.3).fit(X, y)
    save(model, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(again.dual_coef_, model.dual_coef_)
    assert verify(again, X, y)


def test_a_missed_gap_is_said():
    X, y = rows()
    with pytest.warns(NotCertifiedWarning, match=r"SparseSVR reached a gap of .* Raise max_iter=2"):
        model = SparseSVR(0.1, max_iter=2).fit(X, y)
    assert model.certificate_.stated > 1e-6
    assert verify(model, X, y).holds
    with pytest.warns(NotCertifiedWarning, match="Rounding errors keep the gap"):  # columns differ in their last digits
        SparseSVR(0.1, fit_intercept=False).fit(X + 1e8, y)


def test_a_penalty_below_rounding_leaves_the_least_mean_loss():
    """What rounding makes of sum_i beta_i x_i is more than l1 then, so that no dual point is known to be feasible."""
    X, y = rows()
    small = SparseSVR(1e-9).fit(X, y)
    with pytest.warns(NotCertifiedWarning, match="Rounding errors keep the gap"):
        smaller = SparseSVR(1e-30).fit(X, y)
    assert smaller.certificate_.primal == pytest.approx(small.certificate_.primal, rel=1e-7)
    assert small.certificate_.stated <= 1e-6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"l1": -1.0}, "'l1' parameter must be a finite number above 0. Got -1.0"),
        ({"l1": 0.0}, "'l1'"),
        ({"l1": "much"}, "'l1'"),
        ({"epsilon": -0.1}, "'epsilon' parameter must be a finite number of at least 0. Got -0.1"),
        ({"epsilon": np.inf}, "'epsilon'"),
        ({"tol": 0.0}, "'tol'"),
        ({"max_iter": 0}, "'max_iter'"),
        ({"fit_intercept": 1}, "'fit_intercept'"),
    ],
)
def test_options_are_checked(options, message):
    X, y = rows()
    with pytest.raises(OptionError, match=message):
        SparseSVR(**options).fit(X, y)


def test_data_are_checked(monkeypatch):
    X, y = rows()
    with pytest.raises(DataError, match="in row 7"):
        SparseSVR().fit(X, np.where(np.arange(120) == 7, np.nan, y))
    with pytest.raises(DataError, match="NaN"):
        SparseSVR().fit(np.where(np.arange(120)[:, None] == 3, np.nan, X), y)
    with pytest.raises(DataError, match="zero for every row"):
        SparseSVR().fit(X, y, np.zeros(120))
    monkeypatch.setattr(solver, "MAX_SYSTEM", 5)
    with pytest.raises(DataError, match="too large above 5"):
        SparseSVR().fit(X, y)
