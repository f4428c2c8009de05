"""Options chosen by folds are those of separate fits, and the test rows have no part in the choice."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from separatrix import (
    DataError,
    KernelPerceptron,
    KernelSVM,
    KernelSVR,
    LeastSquaresClassifier,
    LinearSVM,
    LinearSVR,
    LogisticClassifier,
    NuSVM,
    OptionError,
    Perceptron,
    SparseSVR,
    choose,
)
from separatrix.data.folds import Fold, stratified_folds
from separatrix.selection.differences import exact_interval
from separatrix.selection.grid_errors import GridErrors, grid_errors

MOONS = make_moons(240, noise=0.25, random_state=3)
CANCER = load_breast_cancer(return_X_y=True)
GRID = {"C": [100.0, 0.1, 1.0], "gamma": [0.1, 1.0]}


def pairs(folds):
    return [(fold.train, fold.test) for fold in folds]


def searched(estimator, grid, X, y, folds):
    """Mean errors by scikit-learn's search, in the shape of the grid."""
    found = GridSearchCV(estimator, grid, cv=pairs(folds), refit=False).fit(X, y).cv_results_
    names = sorted(grid)  # its order
    shape = [len(grid[name]) for name in names]
    errors = 1.0 - found["mean_test_score"].reshape(shape)
    return np.transpose(errors, [names.index(name) for name in grid])


@pytest.mark.parametrize("grid", [GRID, {"gamma": GRID["gamma"], "C": GRID["C"]}, {"gamma": [0.1, 1.0, 10.0]}])
def test_errors_are_those_of_separate_fits_of_the_peer(grid):
    X, y = MOONS
    folds = stratified_folds(y, 4, 1, seed=1)
    found = grid_errors(KernelSVM(), X, y, folds, grid)
    assert found.errors.shape == (*(len(values) for values in grid.values()), 4)
    assert found.mean == pytest.approx(searched(SVC(tol=1e-8), grid, X, y, folds), abs=1e-9)


def test_steps_of_pipelines_and_other_families_have_options():
    X, y = CANCER
    folds = stratified_folds(y, 3, 1, seed=1)
    pipeline = make_pipeline(StandardScaler(), LinearSVM())
    found = grid_errors(
        pipeline, X, y, folds, {"linearsvm__C": [0.01, 1.0], "standardscaler__with_mean": [True, False]}
    )
    for i, C in enumerate((0.01, 1.0)):
        for k, fold in enumerate(folds):
            model = make_pipeline(StandardScaler(), LinearSVM(C=C)).fit(X[fold.train], y[fold.train])
            assert found.errors[i, 0, k] == pytest.approx(1.0 - model.score(X[fold.test], y[fold.test]), abs=1e-12)
    ridge = grid_errors(LeastSquaresClassifier(), X, y, folds, {"ridge": [0.0, 10.0]})
    assert ridge.mean == pytest.approx(searched(RidgeClassifier(), {"alpha": [1e-12, 10.0]}, X, y, folds), abs=0.006)
    assert grid_errors(Perceptron(max_iter=2), X, y, folds, {"max_iter": [1, 2]}).errors.shape == (2, 3)


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (LinearSVM(), {"C": [100.0, 0.01, 1.0]}),
        (LinearSVM(loss="squared_hinge"), {"C": [0.01, 1.0]}),
        (LogisticClassifier(), {"C": [0.01, 1.0]}),
        (NuSVM(), {"nu": [0.9, 0.6]}),
        (KernelSVM(), {"C": [0.1, 10.0], "gamma": [0.1, 1.0]}),
        (LinearSVR(), {"C": [0.1, 10.0], "epsilon": [0.3, 0.0]}),
        (KernelSVR(), {"epsilon": [0.3, 0.0]}),
        (SparseSVR(), {"l1": [0.3, 0.01]}),
    ],
    ids=lambda each: type(each).__name__ if hasattr(each, "fit") else ",".join(each),
)
def test_the_choice_is_that_of_separate_fits(model, grid):
    """Paths and what folds share change no error: each setting on each fold, by a fit from scratch."""
    X, y = MOONS[0][:90], MOONS[1][:90] if is_classifier(model) else MOONS[0][:90, 0] ** 2
    folds = tuple(Fold(*pair) for pair in KFold(3).split(X))
    found = choose(model, X, y, grid, folds=KFold(3), test=None)
    for place in np.ndindex(found.grid.mean.shape):
        setting = found.grid.setting(place)
        for k, (train, test) in enumerate(folds):
            fitted = clone(model).set_params(**setting).fit(X[train], y[train])
            wrong = (
                fitted.predict(X[test]) != y[test] if is_classifier(model) else abs(fitted.predict(X[test]) - y[test])
            )
            assert found.grid.errors[(*place, k)] == pytest.approx(np.mean(wrong), abs=1e-5)
    assert found.parameters == found.grid.setting(found.grid.best)
    assert {name: getattr(found.model, name) for name in grid} == found.parameters


def test_three_options_keep_their_axes():
    X, y = MOONS
    folds, grid = stratified_folds(y, 2, 1, seed=1), {"C": [1.0, 9.0], "gamma": [0.1, 1.0, 9.0], "tol": [1e-6, 1e-5]}
    found = grid_errors(KernelSVM(), X, y, folds, grid)
    assert found.errors.shape == (2, 3, 2, 2)
    for place in ((0, 2, 1), (1, 0, 0)):
        model = KernelSVM(**found.setting(place)).fit(X[folds[0].train], y[folds[0].train])
        assert found.errors[(*place, 0)] == pytest.approx(1.0 - model.score(X[folds[0].test], y[folds[0].test]))
    assert found.mean[0, 2, 1] != found.mean[1, 0, 0]


def test_the_best_the_simplest_and_ties():
    errors = np.array([[0.3, 0.3], [0.21, 0.19], [0.1, 0.26], [0.1, 0.26]])
    found = GridErrors({"C": [1, 2, 3, 4]}, errors)
    assert found.best == (2,), "the first of equal ones"
    assert found.standard_error[2] == pytest.approx(0.08)
    assert found.simplest == (1,)
    assert found.setting(found.best) == {"C": 3}


def test_test_rows_are_set_aside_first_and_used_once():
    X, y = MOONS
    seen = []

    class Watched(KernelSVM):
        def fit(self, X, y, sample_weight=None):
            seen.append(X)
            return super().fit(X, y, sample_weight)

    found = choose(Watched(), X, y, {"gamma": [0.1, 1.0]}, test=0.25, folds=3)
    trained = {row.tobytes() for rows in seen for row in rows}
    aside = [i for i, row in enumerate(X) if row.tobytes() not in trained]
    assert len(aside) == found.n_test == 60
    assert found.test_error == pytest.approx(1.0 - found.model.score(X[aside], y[aside]))
    assert found.test_interval == exact_interval(round(60 * found.test_error), 60)
    assert found.test_error > 0.0
    assert "had no part in the choice" in str(found)
    given = choose(KernelSVM(), X[:200], y[:200], {"gamma": [0.1, 1.0]}, test=(X[200:], y[200:]))
    assert given.test_error == pytest.approx(1.0 - given.model.score(X[200:], y[200:]))
    assert given.n_test == 40
    assert "too small to report" in str(choose(KernelSVM, X, y, {"gamma": [1.0]}, test=None))


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")  # no plane separates noise
def test_a_choice_by_noise_is_not_better_than_guessing_on_test_rows():
    """200 draws of coins: the error that was chosen by is below a half on pure noise, that of the test rows is not."""
    rng, chosen, tested = np.random.default_rng(0), [], []
    for seed in range(200):
        X, y = rng.standard_normal((40, 3)), rng.integers(0, 2, 40)
        model, grid = KernelPerceptron(max_iter=10, random_state=seed), {"gamma": [0.3, 1.0, 3.0, 10.0]}
        found = choose(model, X, y, grid, folds=3, test=0.5, random_state=seed)
        chosen.append(found.grid.mean[found.grid.best])
        tested.append(found.test_error)
    assert abs(np.mean(tested) - 0.5) < 3.0 * np.std(tested) / np.sqrt(200)
    assert np.mean(chosen) < 0.5 - 6.0 * np.std(chosen) / np.sqrt(200)


def test_progress_seeds_and_the_first_of_simple_settings():
    X, y = MOONS
    calls = []
    found = choose(KernelSVM(), X, y, GRID, folds=3, progress=lambda done, total: calls.append((done, total)))
    assert sorted(calls) == [(k, 18) for k in range(1, 19)]
    again = choose(KernelSVM(), X, y, GRID, folds=3)
    assert np.array_equal(found.grid.errors, again.grid.errors)
    assert not np.array_equal(found.grid.errors, choose(KernelSVM(), X, y, GRID, folds=3, random_state=7).grid.errors)
    simple = choose(KernelSVM(), X, y, GRID, folds=3, rule="one_standard_error")
    assert simple.parameters == simple.grid.setting(simple.grid.simplest)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"parameters": {"K": [1]}}, OptionError, "has no option 'K'"),
        ({"parameters": {"C": []}}, OptionError, "'C' has no value"),
        ({"parameters": {}}, OptionError, "names no option"),
        ({"rule": "worst"}, OptionError, "'rule'"),
        ({"folds": 1}, OptionError, "folds"),
        ({"test": 1.5}, OptionError, "test"),
        ({"test": ([[0.0, 1.0]], [])}, DataError, "pair"),
        ({"parameters": {"C": [-1.0]}}, OptionError, "C"),
        ({"parameters": [("C", 1.0)]}, OptionError, "names no option"),
        ({"parameters": {"C": 1.0}}, OptionError, "must be a list"),
        ({"parameters": {"kernel": "rbf"}}, OptionError, "must be a list"),
        ({"repeats": 0}, OptionError, "repeats"),
        ({"nested": 1}, OptionError, "nested"),
        ({"time_limit": 0.0}, OptionError, "time_limit"),
        ({"time_limit": 9.0, "nested": True}, OptionError, "time_limit"),
        ({"progress": "bar"}, OptionError, "progress"),
        ({"scoring": [[0.0, 1.0]]}, OptionError, "matrix of costs"),
        ({"scoring": "speed"}, OptionError, "scoring"),
        ({"folds": KFold(3), "repeats": 2}, OptionError, "repeats"),
        ({"folds": KFold(3), "nested": 4}, OptionError, "nested"),
        ({"folds": [(np.arange(9), np.arange(9, 12))]}, OptionError, "names rows of all data"),
        ({"test": (MOONS[0][:, :1], MOONS[1])}, DataError, "columns"),
        ({"test": (MOONS[0], np.where(MOONS[1], "a", "b"))}, DataError, "label"),
        ({"groups": np.arange(240) % 2}, DataError, "groups"),
        ({"groups": np.arange(240) % 5}, OptionError, "folds=5 folds need as many groups"),
        ({"groups": np.arange(10)}, DataError, "groups"),
        ({"sample_weight": np.full(240, -1.0)}, DataError, "sample_weight"),
    ],
)
def test_what_cannot_be_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        choose(KernelSVM(), *MOONS, **{"parameters": {"C": [1.0]}, **options})


def test_what_is_wrong_with_the_rows_is_said_by_their_own_numbers():
    X, y = MOONS[0].copy(), MOONS[1]
    X[137, 1] = np.nan
    with pytest.raises(DataError, match="row 137, column 1"):
        choose(KernelSVM(), X, y, {"C": [1.0]})


def test_classes_that_are_too_small():
    X, y = MOONS[0][:20], np.array([0] * 19 + [1])
    with pytest.raises(DataError, match="1 row"):
        choose(KernelSVM(), X, y, {"C": [1.0]})
    with pytest.raises(DataError, match="fewer than 2 rows of a class"):
        choose(KernelSVM(), X, np.array([0] * 18 + [1] * 2), {"C": [1.0]}, test=0.3)
