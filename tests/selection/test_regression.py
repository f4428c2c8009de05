"""Regressors compared: errors recomputed by hand, in the units of the target; baselines; what is refused."""

import warnings

import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import mean_absolute_error, mean_squared_error
from sklearn.preprocessing import StandardScaler

from separatrix import DataError, LinearSVR, OptionError, compare
from separatrix.data.folds import shuffled_folds
from separatrix.estimators.registry import algorithms
from separatrix.selection.regression.comparison import RegressionComparison
from separatrix.selection.regression.folds import split_numbers
from separatrix.selection.regression.penalty_curve import penalty_curve
from separatrix.selection.regression.study import study_numbers
from separatrix.selection.regression.units import InUnits, in_units
from separatrix.selection.trials import TimeBudget

ROWS = [row.name for row in algorithms("regression")]


@pytest.fixture(scope="module")
def houses():
    """Forty rows whose target is a plane and heavy-tailed noise, in thousands."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((40, 3)) * [1.0, 10.0, 0.1]
    return X, 250.0 + 30.0 * X[:, 0] - 2.0 * X[:, 1] + 8.0 * rng.standard_t(3, 40)


@pytest.fixture(scope="module")
def compared(houses):
    return compare(*houses, task="regression", cv=4)


def test_folds_test_every_row_once_and_differ_by_one_row_at_most():
    folds = shuffled_folds(23, 4, 3, seed=1)
    for repeat in range(3):
        tests = [fold.test for fold in folds[4 * repeat : 4 * repeat + 4]]
        assert sorted(np.concatenate(tests).tolist()) == list(range(23))
        assert {test.size for test in tests} == {5, 6}
    assert all(np.intersect1d(fold.train, fold.test).size == 0 for fold in folds)
    assert not np.array_equal(folds[0].test, folds[4].test)


def test_errors_are_those_of_fits_to_the_other_folds(houses):
    X, y = houses
    split = split_numbers(X, y, cv=4, repeats=2, preparation=None, sample=None, random_state=0)
    found = compare(X, y, task="regression", cv=4, repeats=2, algorithms={"least squares": LinearRegression()})
    predicted, errors = np.empty((2, 40)), []
    for k, fold in enumerate(split.data.folds):
        scaler = StandardScaler().fit(X[fold.train])
        model = LinearRegression().fit(scaler.transform(X[fold.train]), y[fold.train])
        predicted[k // 4, fold.test] = model.predict(scaler.transform(X[fold.test]))
        errors.append(mean_absolute_error(y[fold.test], predicted[k // 4, fold.test]))
    entry = found.best
    np.testing.assert_allclose(entry.errors, errors, rtol=1e-12)
    np.testing.assert_allclose(entry.predicted, predicted, rtol=1e-10)
    rms = np.sqrt(mean_squared_error(np.tile(y, 2), predicted.ravel()))
    assert entry.root_mean_square == pytest.approx(rms, rel=1e-12)
    half = stats.t.ppf(0.975, 7) * np.sqrt((1 / 8 + 1 / 3) * np.var(errors, ddof=1))
    assert entry.high - entry.mean == pytest.approx(half, rel=1e-9)
    assert entry.low == pytest.approx(max(0.0, entry.mean - half), rel=1e-9)


def test_baselines_are_the_mean_and_the_median_of_the_training_rows(houses):
    X, y = houses
    found = compare(X, y, task="regression", cv=5, algorithms={"least squares": LinearRegression()})
    folds = split_numbers(X, y, cv=5, repeats=1, preparation=None, sample=None, random_state=0).data.folds
    for name, guess in (("the mean", np.mean), ("the median", np.median)):
        by_hand = [np.mean(np.abs(y[fold.test] - guess(y[fold.train]))) for fold in folds]
        np.testing.assert_allclose(found.entry(name).errors, by_hand, rtol=1e-13)
        assert found.entry(name).baseline
    squares = np.concatenate([(y[fold.test] - y[fold.train].mean()) ** 2 for fold in folds])
    assert found.entry("the mean").root_mean_square == pytest.approx(np.sqrt(squares.mean()), rel=1e-12)
    assert found.entry("the mean").r2 == 0.0
    entry = found.best
    assert entry.r2 == pytest.approx(1 - entry.root_mean_square**2 / squares.mean(), rel=1e-12)
    assert found.baseline.mean == min(found.entry("the mean").mean, found.entry("the median").mean)


def test_a_difference_is_tested_by_the_corrected_t_test_over_folds(houses):
    X, y = houses
    rng = np.random.default_rng(0)
    methods = {"all": LinearRegression(), "none": LinearRegression(positive=True)}
    found = compare(X, y + rng.standard_normal(40), task="regression", cv=5, algorithms=methods)
    best, other = found.rows[:2]
    d = other.errors - best.errors
    t = d.mean() / np.sqrt((1 / 5 + 1 / 4) * d.var(ddof=1))
    assert other.p == pytest.approx(2 * stats.t.sf(abs(t), 4), rel=1e-9)
    assert [row.mean for row in found.ranked] == sorted(row.mean for row in found.ranked)


@pytest.mark.parametrize(("factor", "shift"), [(1000.0, 0.0), (1e-6, 7.0)])
def test_errors_have_the_units_of_the_target(houses, compared, factor, shift):
    """Every row of the registry predicts factor y + shift by factor times its prediction of y, plus shift."""
    X, y = houses
    other = compare(X, factor * y + shift, task="regression", cv=4)
    assert [row.name for row in other.rows] == [row.name for row in compared.rows]
    for one, two in zip(compared.rows, other.rows, strict=True):
        np.testing.assert_allclose(two.errors, factor * one.errors, rtol=2e-5, err_msg=one.name)
        assert two.root_mean_square == pytest.approx(factor * one.root_mean_square, rel=2e-5)
        assert two.r2 == pytest.approx(one.r2, abs=1e-4)


@pytest.mark.parametrize("name", ROWS)
def test_options_in_units_give_the_model_of_a_standardised_target(houses, name):
    X, y = houses
    X = StandardScaler().fit_transform(X)
    (row,) = [row for row in algorithms("regression") if row.name == name]
    z = (y - y.mean()) / y.std()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scaled, plain = (in_units(row.make(random_state=0), X, t).fit(X, t) for t in (y, z))
    np.testing.assert_allclose(scaled.predict(X), y.mean() + y.std() * plain.predict(X), rtol=1e-5, atol=1e-4)


def test_every_row_is_compared_and_beats_both_guesses(compared):
    assert {row.name for row in compared.ranked} == set(ROWS)
    assert isinstance(compared, RegressionComparison)
    assert all(row.mean < 0.6 * compared.baseline.mean for row in compared.ranked)
    text = str(compared)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert all(name[:20] in text for name in (*ROWS, "the mean", "the median"))


def test_the_same_seed_gives_the_same_table(houses):
    one, two = (compare(*houses, task="regression", random_state=3) for _ in range(2))
    assert one == two
    assert one != compare(*houses, task="regression", random_state=4)
    assert one.to_dict()["chosen"] == one.chosen.name


def test_the_chosen_pipeline_predicts(houses, compared):
    X, y = houses
    model = compared.pipeline().fit(X, y)
    assert np.mean(np.abs(model.predict(X) - y)) < compared.baseline.mean
    assert isinstance(model[-1], InUnits)
    assert clone(model[-1]).get_params()["estimator"] is not None


def test_a_method_that_fails_is_an_entry_with_its_reason(houses):
    class Broken(LinearRegression):
        def predict(self, X):
            return np.full(len(X), np.inf)

    found = compare(*houses, task="regression", algorithms={"broken": Broken(), "least squares": LinearRegression()})
    assert found.entry("broken").failure.startswith("DataError: predict gave inf")
    assert found.best.name == "least squares"
    assert "Failed: broken" in str(found)


@pytest.mark.parametrize(
    ("y", "said"),
    [
        (["1", "2", "cheap", "4", "5"], "holds 'cheap' in row 2 \\(from 0\\), which is no finite number"),
        ([1.0, 2.0, np.nan, 4.0, 5.0], "in row 2"),
        ([3.0] * 5, "is 3 in all 5 rows: there is nothing to predict"),
        ([1.0, 2.0], "X has 5 rows, but y has 2 numbers"),
        ([True, False, True, False, True], "no finite number"),
    ],
)
def test_targets_that_cannot_be_predicted_are_refused(y, said):
    with pytest.raises(DataError, match=said):
        compare(np.arange(5.0)[:, None], y, task="regression")


def test_other_tasks_are_refused(houses):
    with pytest.raises(OptionError, match="'classification' or 'regression'. Got 'ranking'"):
        compare(*houses, task="ranking")


def test_three_rows_are_too_few_and_four_are_enough():
    with pytest.raises(DataError, match="3 rows, too few"):
        compare(np.arange(3.0)[:, None], [1.0, 2.0, 3.5], task="regression")
    found = compare(np.arange(4.0)[:, None], [1.0, 2.0, 3.0, 4.5], task="regression")
    assert found.n_folds == 2
    assert any("2 folds in place of 5" in note for note in found.notes)


def test_a_study_fits_the_chosen_one_to_all_rows_and_says_so(houses):
    X, y = houses
    found = study_numbers(X, y, target="price", name="houses.csv")
    entry, of_mean = found.entry, found.comparison.entry("the mean")
    assert found.verdict[0].startswith(f"Predictions of price are off by {entry.mean:.4g} on average.")
    assert f"Always saying the mean is off by {of_mean.mean:.4g}" in found.verdict[0]
    assert f"R² = {entry.r2:.3f}" in found.verdict[1]
    again = clone(found.fitted).fit(found.model[0].transform(X), y)
    np.testing.assert_allclose(found.model.predict(X), again.predict(found.X), rtol=1e-9)
    facts = found.to_dict()
    assert (facts["task"], facts["rows"], facts["values"]["mean"]) == ("regression", 40, pytest.approx(y.mean()))
    if found.comparison.chosen.proofs.all_proved:
        assert facts["certificate"]["proof"]
        assert "it is proved to be the best fit of its kind" in found.verdict[-1]


def test_a_study_where_nothing_can_be_fitted_says_why(houses):
    X, y = houses
    with pytest.raises(DataError, match="t.csv: no regressor could be fitted. .*too large"):
        study_numbers(X, 1e120 * y, name="t.csv")


def test_a_study_of_noise_says_that_guessing_is_as_good():
    rng = np.random.default_rng(1)
    found = study_numbers(rng.standard_normal((60, 2)), rng.standard_normal(60), target="noise")
    assert found.verdict[0].startswith("No regressor is shown to predict noise better than always saying the m")


def test_the_study_of_other_units_is_the_same_study(houses):
    X, y = houses
    one, two = (study_numbers(X, factor * y) for factor in (1.0, 1e4))
    assert one.chosen == two.chosen
    np.testing.assert_allclose(two.model.predict(X), 1e4 * one.model.predict(X), rtol=1e-4)
    if one.path is not None:
        np.testing.assert_allclose(two.path.errors, 1e4 * one.path.errors, rtol=1e-4)
        assert one.path.values[one.path.values.size // 2] > 0


def test_a_curve_has_as_many_values_as_the_time_allows(houses):
    split = split_numbers(*houses, cv=5, repeats=1, preparation=None, sample=None, random_state=0)
    model = LinearSVR()
    whole = penalty_curve(split, model, TimeBudget(None), fit_seconds=1e3)
    assert whole.values.size == 13
    few = penalty_curve(split, model, TimeBudget(1e4), fit_seconds=1e4 / (5 * 7.5))
    np.testing.assert_allclose(few.values, whole.values[::2])
    np.testing.assert_allclose(few.errors, whole.errors[::2], rtol=1e-6)
    assert penalty_curve(split, model, TimeBudget(1e4), fit_seconds=1e3) is None
    assert penalty_curve(split, LinearRegression(), TimeBudget(None)) is None


def test_a_curve_is_that_of_fits_in_units_of_each_fold(houses):
    X, y = houses
    split = split_numbers(X, y, cv=4, repeats=1, preparation="none", sample=None, random_state=0)
    curve = penalty_curve(split, LinearSVR(), TimeBudget(None))
    np.testing.assert_allclose(curve.values, np.logspace(-3, 3, 13) * y.std(), rtol=1e-3)
    for k, fold in enumerate(split.data.folds):
        s = y[fold.train].std()
        model = LinearSVR(C=0.1 * s, epsilon=0.1 * s).fit(X[fold.train], y[fold.train])
        by_hand = mean_absolute_error(y[fold.test], model.predict(X[fold.test]))
        assert curve.errors[4, k] == pytest.approx(by_hand, rel=1e-6)
    assert curve.best == curve.values[curve.mean.argmin()]


def test_fits_that_are_predicted_to_take_too_long_are_left_out(houses):
    found = compare(*houses, algorithms=["linear SVR", "kernel SVR"], task="regression", time_limit=0.1)
    assert [entry.name for entry in found.ranked] == ["linear SVR"]
    assert "predicted to go beyond the 0.1 s" in found.left_out["kernel SVR"]
