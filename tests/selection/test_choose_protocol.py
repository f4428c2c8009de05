"""The protocol of a choice: what is set aside, divided, weighed, measured, nested, limited in time, and said."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, load_digits, load_iris, make_moons
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, f1_score, log_loss, make_scorer, roc_auc_score
from sklearn.model_selection import GroupKFold, PredefinedSplit, TimeSeriesSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import (
    DataError,
    KernelSVM,
    LeastSquaresClassifier,
    LinearSVM,
    LogisticClassifier,
    NuSVM,
    OptionError,
    Perceptron,
    StochasticClassifier,
    choose,
)
from separatrix.data.folds import stratified_folds
from separatrix.kernels import RBF, Tokens

X, Y = make_moons(240, noise=0.3, random_state=3)
NAMES = np.where(Y, "yes", "no")


class Seen(ClassifierMixin, BaseEstimator):
    """A classifier that keeps the first column of all rows that it was fitted to or asked about."""

    fitted: list = []  # noqa: RUF012
    asked: list = []  # noqa: RUF012

    def __init__(self, level=0.0):
        self.level = level

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        Seen.fitted.append(X[:, 0].astype(int))
        return self

    def predict(self, X):
        Seen.asked.append(X[:, 0].astype(int))
        return self.classes_[(X[:, 1] > self.level).astype(int)]


@pytest.fixture
def seen():
    """Rows that are their own numbers, and empty records."""
    Seen.fitted, Seen.asked = [], []
    return np.column_stack([np.arange(120.0), np.random.default_rng(0).standard_normal(120)])


def test_a_group_is_on_one_side_of_every_division(seen):
    groups, y = np.arange(120) // 6, np.arange(120) % 2
    found = choose(Seen(), seen, y, {"level": [0.0, 1.0]}, groups=groups, folds=4, test=0.2)
    *fits, final = Seen.fitted
    tests, tested = Seen.asked[:-1], Seen.asked[-1]
    assert set(groups[tested]).isdisjoint(groups[final])
    assert found.n_test == tested.size == 24
    assert np.array_equal(np.union1d(final, tested), np.arange(120))
    assert len(fits) == len(tests) == 8
    for train in fits:
        others = np.setdiff1d(final, train)
        assert set(groups[train]).isdisjoint(groups[others])
    by_splitter = choose(Seen(), seen, y, {"level": [0.0, 1.0]}, groups=groups, folds=GroupKFold(4))
    assert set(groups[Seen.asked[-1]]).isdisjoint(groups[Seen.fitted[-1]])
    assert any("group" in note for note in by_splitter.notes)


def test_folds_that_go_forward_in_time_are_tested_with_the_last_rows(seen):
    y = np.arange(120) % 2
    choose(Seen(), seen, y, {"level": [0.0]}, folds=TimeSeriesSplit(3, gap=2), test=0.25)
    *fits, final = Seen.fitted
    assert np.array_equal(Seen.asked[-1], np.arange(90, 120))
    assert np.array_equal(final, np.arange(88)), "and the gap before them is kept"
    assert [train.max() < 88 for train in fits] == [True] * 3


def test_splits_that_name_rows_know_all_of_them(seen):
    y, places = np.arange(120) % 2, np.repeat([0, 1, 2], 40)
    with pytest.raises(DataError, match="names row 119, and the last of 96 rows is 95"):
        choose(Seen(), seen, y, {"level": [0.0]}, folds=PredefinedSplit(places))
    choose(Seen(), seen, y, {"level": [0.0]}, folds=PredefinedSplit(places), test=None)
    assert sorted(map(len, Seen.fitted[-4:])) == [80, 80, 80, 120]


def test_repeats_draw_other_folds():
    found = choose(LeastSquaresClassifier(), X, Y, {"ridge": [0.0, 1.0]}, folds=3, repeats=4)
    assert found.grid.errors.shape == (2, 12)
    once = choose(LeastSquaresClassifier(), X, Y, {"ridge": [0.0, 1.0]}, folds=3)
    assert np.array_equal(found.grid.errors[:, :3], once.grid.errors)
    assert not np.array_equal(found.grid.errors[:, 3:6], once.grid.errors)


def test_the_nested_error_is_that_of_choosing_within_each_outer_fold():
    """By machines that know every row they have seen by heart."""
    grid, model = {"gamma": [30.0, 100.0, 300.0]}, KernelSVM(C=1000.0)
    found = choose(model, X, NAMES, grid, folds=3, test=None, nested=4).nested
    assert 1.0 - model.set_params(gamma=30.0).fit(X, NAMES).score(X, NAMES) < 0.5 * found.errors.min()
    seed = int(np.random.RandomState(0).randint(np.iinfo(np.int32).max))
    for k, (train, test) in enumerate(stratified_folds(Y, 4, 1, seed)):
        own = choose(model, X[train], NAMES[train], grid, folds=3, test=(X[test], NAMES[test]))
        assert own.parameters == found.parameters[k]
        assert own.test_error == pytest.approx(found.errors[k])
    assert found.interval.low < found.mean < found.interval.high
    assert found.standard_error == pytest.approx(np.std(found.errors, ddof=1) / 2)


def test_settings_that_fail_are_named_and_the_others_compared():
    found = choose(NuSVM(), X, Y, {"nu": [0.5, 1.5, 0.9, -1.0]}, folds=3)
    assert set(found.grid.failures) == {(1,), (3,)}
    assert all("'nu' parameter" in reason for reason in found.grid.failures.values())
    assert np.isnan(found.grid.mean).tolist() == [False, True, False, True]
    assert found.parameters["nu"] in (0.5, 0.9)
    alone = choose(NuSVM(), X, Y, {"nu": [0.5, 0.9]}, folds=3)
    assert np.array_equal(found.grid.errors[[0, 2]], alone.grid.errors)
    assert "Failed: nu = 1.5. OptionError" in str(found)
    with pytest.raises(OptionError, match="'nu' parameter") as raised:
        choose(NuSVM(), X, Y, {"nu": [1.5, 2.0]})
    assert "All 2 settings failed" in raised.value.__notes__[0]


def test_a_time_limit_leaves_settings_out_on_all_folds():
    grid = {"C": [10.0, 1.0, 0.1], "gamma": [0.1, 1.0]}
    everything = choose(KernelSVM(), X, Y, grid)
    enough = choose(KernelSVM(), X, Y, grid, time_limit=600.0)
    assert np.array_equal(everything.grid.errors, enough.grid.errors)
    none = choose(KernelSVM(), X, Y, grid, time_limit=1e-9)
    tried = np.isfinite(none.grid.errors)
    assert np.array_equal(tried.all(axis=-1), tried.any(axis=-1))
    assert np.count_nonzero(tried.all(axis=-1)) == 1
    assert len(none.grid.not_tried) == 5
    assert none.grid.errors[2, 0] == pytest.approx(everything.grid.errors[2, 0]), "the first of the first path"
    assert none.parameters == {"C": 0.1, "gamma": 0.1}
    assert "Not tried" in str(none)


def test_ctrl_c_ends_a_search():
    class Interrupted(LinearSVM):
        def fit(self, X, y, sample_weight=None):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        choose(Interrupted(), X, Y, {"loss": ["hinge", "squared_hinge"]})


@pytest.mark.parametrize(
    ("scoring", "peer"),
    [
        ("balanced", lambda model, rows, y: 1 - balanced_accuracy_score(y, model.predict(rows))),
        ("auc", lambda model, rows, y: 1 - roc_auc_score(y, model.decision_function(rows))),
        ("logloss", lambda model, rows, y: log_loss(y, model.predict_proba(rows))),
        ("f1", lambda model, rows, y: 1 - f1_score(y, model.predict(rows), pos_label="yes")),
        ("accuracy", lambda model, rows, y: -model.score(rows, y)),
        ([[0.0, 1.0], [1.0, 0.0]], lambda model, rows, y: 1 - model.score(rows, y)),
        ("neg_log_loss", lambda model, rows, y: log_loss(y, model.predict_proba(rows))),
        (make_scorer(balanced_accuracy_score), lambda m, rows, y: -balanced_accuracy_score(y, m.predict(rows))),
        (lambda model, rows, y: float(rows.sum()), lambda model, rows, y: -rows.sum()),
    ],
    ids=range(9),
)
def test_what_is_measured_on_the_test_rows(scoring, peer):
    train, test = np.arange(180), np.arange(180, 240)
    pair = X[test], NAMES[test]
    found = choose(
        LogisticClassifier(), X[train], NAMES[train], {"C": [0.01, 1.0]}, test=pair, scoring=scoring, positive="yes"
    )
    assert found.test_error == pytest.approx(peer(found.model, *pair), abs=1e-9)
    assert found.test_interval.low <= found.test_error <= found.test_interval.high
    assert found.test_interval.low < found.test_interval.high
    again = choose(
        LogisticClassifier(), X[train], NAMES[train], {"C": [0.01, 1.0]}, test=pair, scoring=scoring, positive="yes"
    )
    assert again.test_interval == found.test_interval


def test_a_bootstrap_interval_is_about_the_exact_one():
    """Of 400 rows, where both are about 1.96 sqrt(p (1 - p) / n) to each side."""
    rows, labels = make_moons(500, noise=0.4, random_state=1)
    aside = rows[100:], labels[100:]
    exact = choose(LinearSVM(), rows[:100], labels[:100], {"C": [1.0]}, test=aside)
    drawn = choose(LinearSVM(), rows[:100], labels[:100], {"C": [1.0]}, test=aside, scoring=[[0, 1], [1, 0]])
    assert drawn.test_error == exact.test_error
    assert drawn.test_interval == pytest.approx(exact.test_interval, abs=0.01)


def test_costs_decide_the_choice():
    """A class that is dear to miss asks for the setting that always says it, one that is cheap for the other."""
    model = StochasticClassifier(max_iter=3, random_state=0)
    starts = {"start": [[0.0, 0.0, 50.0], [0.0, 0.0, -50.0]], "learning_rate": [1e-9]}
    for cost, expected in (([[0, 1], [9, 0]], 0), ([[0, 9], [1, 0]], 1)):
        found = choose(model, X, Y, starts, scoring=cost, test=(X, Y))
        assert found.parameters["start"] is starts["start"][expected]
        assert found.test_error == pytest.approx(0.5)


def test_weights_count_in_fits_and_errors():
    weights = np.where(np.arange(240) % 3 == 0, 5.0, 1.0)
    train, test = np.arange(180), np.arange(180, 240)
    folds = [(np.arange(90), np.arange(90, 180)), (np.arange(90, 180), np.arange(90))]
    found = choose(
        LinearSVM(),
        X[train],
        Y[train],
        {"C": [0.01]},
        folds=folds,
        test=(X[test], Y[test]),
        sample_weight=weights[train],
    )
    expected = LinearSVM(C=0.01).fit(X[train], Y[train], weights[train])
    np.testing.assert_allclose(found.model.coef_, expected.coef_)
    for k, (own, held) in enumerate(folds):
        model = LinearSVM(C=0.01).fit(X[own], Y[own], weights[own])
        wrong = np.average(model.predict(X[held]) != Y[held], weights=weights[held])
        assert found.grid.errors[0, k] == pytest.approx(wrong)
    whole = choose(LinearSVM(), X, Y, {"C": [0.01]}, sample_weight=weights)
    assert whole.test_interval.high - whole.test_interval.low > 0.05
    scaled = choose(LinearSVM(), X, Y, {"C": [0.005]}, sample_weight=2 * weights)
    assert scaled.test_interval == pytest.approx(whole.test_interval), "counted in rows, not in weights"
    pipeline = choose(make_pipeline(StandardScaler(), LogisticRegression()), X, Y, {"logisticregression__C": [1.0]},
                      sample_weight=weights)  # fmt: skip
    assert pipeline.test_error < 0.5
    with pytest.raises(OptionError, match="takes no sample_weight"):
        choose(Perceptron(), X, Y, {"max_iter": [1]}, sample_weight=weights)


def test_rows_of_every_kind_give_the_same_choice():
    grid, expected = {"C": [0.1, 1.0], "gamma": [0.1, 1.0]}, None
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(1000, 1240))
    for rows, labels in ((X, Y), (X.tolist(), Y.tolist()), (sparse.coo_matrix(X), Y), (frame, pd.Series(NAMES))):
        found = choose(KernelSVM(), rows, labels, grid)
        expected = expected or found
        assert np.array_equal(found.grid.errors, expected.grid.errors)
        assert (found.parameters, found.test_error) == (expected.parameters, expected.test_error)
    values = choose(KernelSVM(kernel="precomputed"), RBF(1.0).matrix(X), Y, {"C": grid["C"]})
    assert np.array_equal(values.grid.errors, expected.grid.errors[:, 1])
    texts = [f"{'good' if label else 'bad'} day {i % 3}" for i, label in enumerate(Y)]
    assert choose(KernelSVM(kernel=Tokens()), texts, NAMES, {"C": [1.0]}).test_error == 0.0


def test_many_classes_and_numbers():
    rows, labels = load_digits(return_X_y=True)
    digits = choose(LeastSquaresClassifier(), rows, labels, {"ridge": [1e-3, 1e6]}, folds=3, scoring="balanced")
    assert digits.parameters == {"ridge": 1e-3}
    assert digits.test_error < 0.1
    rows, numbers = load_diabetes(return_X_y=True)
    ridge = choose(Ridge(), rows, numbers, {"alpha": [1e3, 1e-2]}, groups=np.arange(442) // 9)
    assert ridge.parameters == {"alpha": 1e-2}
    assert 30 < ridge.test_interval.low < ridge.test_error < ridge.test_interval.high < 60
    assert choose(Ridge(), rows, numbers, {"alpha": [1.0]}, scoring="r2").metric.greater_is_better


def test_classes_that_some_folds_lack_are_told():
    labels = np.concatenate([np.arange(160) % 2, np.full(80, 2)])
    found = choose(LeastSquaresClassifier(), X, labels, {"ridge": [1.0]}, folds=TimeSeriesSplit(2), test=None)
    assert found.notes == ("In 1 of 2 folds a class has test rows and no training row.",)
    with pytest.raises(OptionError, match="one class only"):
        choose(LeastSquaresClassifier(), X, np.sort(Y), {"ridge": [1.0]}, folds=TimeSeriesSplit(3), test=None)
    with pytest.raises(DataError, match="one class only"):
        choose(LeastSquaresClassifier(), X, np.sort(Y), {"ridge": [1.0]}, folds=TimeSeriesSplit(3), test=0.7)
    with pytest.raises(OptionError, match="classifiers and regressors"):
        choose(StandardScaler(), X, Y, {"with_mean": [True]})


def test_the_table_the_page_and_the_frame_agree():
    grid = {"C": np.logspace(-2, 3, 12).tolist(), "kernel": ["linear"]}
    found = choose(KernelSVM(), X, NAMES, grid, rule="one_standard_error", nested=3)
    text, page, frame = str(found), found._repr_html_(), found.to_frame()
    assert text.splitlines()[0] == "KernelSVM: 12 settings, 5 folds of 192 rows"
    assert f"C = {found.parameters['C']:.4g}, kernel = linear" in repr(found)
    assert text.count("chosen  ") + text.count("chosen\n") >= 1
    assert "The whole procedure, by 3 outer folds: error" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80
    assert "<table>" in page
    assert page.count("<tr>") == 1 + text.split("\n\n")[1].count("\n")
    assert frame["chosen"].sum() == 1
    assert frame.loc[frame["chosen"], "C"].item() == found.parameters["C"]
    np.testing.assert_allclose(frame["error"], found.grid.mean.ravel())
    assert len(frame) == 12


def test_a_bar_appears_and_vanishes(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # as on a terminal
    choose(LeastSquaresClassifier(), *load_iris(return_X_y=True), {"ridge": [0.0, 1.0]}, progress=True)
    assert "fits" in capsys.readouterr().err
    choose(LeastSquaresClassifier(), *load_iris(return_X_y=True), {"ridge": [0.0, 1.0]}, progress=False)
    assert not capsys.readouterr().err
