"""Kernel machines among the candidates: options chosen within training rows, as a grid search would choose them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from separatrix import KernelSVM, LinearSVM, compare, load, regularization_path, save, verify
from separatrix.data.folds import stratified_folds
from separatrix.estimators.fit_cost import Size
from separatrix.estimators.kernel.kernel_svm import options_to_try
from separatrix.report.page.page import report_page
from separatrix.selection.candidates import registered
from separatrix.selection.compare import TimeBudget, compare_on
from separatrix.selection.prepared_folds import split_data
from separatrix.selection.study import study
from separatrix.selection.tuned import Tuned, n_fits, tuned


def exclusive_or(n=160, seed=0):
    """Two features of the same sign, or not."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "same", "other")


DATA = {"or": exclusive_or(), "iris": load_iris(return_X_y=True), "cancer": load_breast_cancer(return_X_y=True)}


def searched(X, y, folds):
    """The options by scikit-learn's grid search, which also takes the first of equals."""
    pairs = [(fold.train, fold.test) for fold in folds]
    grid = {name: list(values) for name, values in options_to_try(X).items()}
    return GridSearchCV(KernelSVM(), grid, cv=pairs, refit=False).fit(X, y).best_params_


@pytest.mark.parametrize("name", DATA)
def test_the_options_of_a_grid_search(name):
    X, y = StandardScaler().fit_transform(DATA[name][0][::2]), DATA[name][1][::2]
    folds = stratified_folds(np.unique(y, return_inverse=True)[1], 3, 1, seed=5)
    found, errors = tuned(KernelSVM(), X, y, folds, options_to_try(X))
    assert errors.mean.min() == errors.mean[errors.best]
    assert {"C": found.C, "gamma": found.gamma} == searched(X, y, folds)
    assert not hasattr(found, "classes_")


def test_no_test_row_has_a_part_in_it():
    """What is predicted for a fold are the answers of a grid search within the other rows."""
    X, y = exclusive_or(100, seed=3)
    split = split_data(X, y, cv=4, repeats=1, preparation=None, sample=None, random_state=0)
    entry = compare_on(split, ["kernel SVM"], TimeBudget(None), tune=True).entry("kernel SVM")
    assert isinstance(entry.estimator, Tuned)
    assert entry.proofs.all_proved
    for fold in split.data.folds:
        scaler = StandardScaler().fit(X[fold.train])
        rows, labels = scaler.transform(X[fold.train]), y[fold.train]
        inner = stratified_folds(np.unique(labels, return_inverse=True)[1], 3, 1, seed=split.seed)
        model = KernelSVM(**searched(rows, labels, inner)).fit(rows, labels)
        assert np.array_equal(entry.predictions[fold.test], model.predict(scaler.transform(X[fold.test])))


def test_a_path_of_kernel_machines_is_printed():
    path = regularization_path(KernelSVM(), *exclusive_or(40), C=[1.0, 10.0])
    expected = [[f"{model.C:g}", str(model.support_.size)] for model in path]  # no ||w||: there is no coef_
    assert [line.split()[:2] for line in str(path).splitlines()[1:]] == expected


def test_a_class_with_one_row_leaves_the_defaults():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 0, 1])
    model = Tuned(KernelSVM(), options_to_try).fit(X, y)
    assert model.model_.get_params() == KernelSVM().get_params()
    assert np.array_equal(clone(model).fit(X, y).predict(X), model.predict(X))


def test_a_comparison_has_the_machine_at_its_defaults():
    X, y = exclusive_or()
    comparison = compare(X, y, algorithms=["kernel SVM", "linear SVM"])
    assert comparison.best.name == "kernel SVM"
    assert comparison.best.estimator.get_params() == KernelSVM().get_params()
    by_hand = compare(X, y, algorithms={"kernel SVM": KernelSVM(), "linear SVM": LinearSVM()})
    assert np.array_equal(comparison.best.predicted, by_hand.best.predicted)


def test_many_rows_are_refused_with_a_time():
    def reason(rows, tune):
        return registered(Size(rows, 20, 20.0, 2, False), 0, tune)[1].get("kernel SVM", "")

    assert not reason(500, tune=True)
    assert not reason(3000, tune=True)
    assert not reason(10_000, tune=False)
    assert " seconds in each fold" in reason(8000, tune=True)
    assert "the 28 fits that choose its options with the kernel values of 20,000 rows" in reason(20_000, tune=True)
    assert "a fit with the kernel values of 80,000 rows would take some" in reason(80_000, tune=False)
    assert "minutes in each fold; name it" in reason(80_000, tune=False)
    assert n_fits(options_to_try(np.eye(2))) == 28


@pytest.fixture(scope="module")
def found():
    X, y = exclusive_or()
    return study(X, y, algorithms=["kernel SVM", "linear SVM", "Gaussian discriminant"], name="or", time_limit=None)


def test_a_study_of_an_exclusive_or_chooses_the_kernel_machine(found, tmp_path):
    X, y = exclusive_or()
    assert found.chosen == "kernel SVM"
    assert found.entry.mean < 0.1
    assert found.comparison.entry("linear SVM").mean > 0.25
    model = found.classifier
    assert type(model) is KernelSVM
    assert verify(model, found.X, found.y).proved
    inner = stratified_folds(np.unique(y, return_inverse=True)[1], 3, 1, found.comparison.chosen.estimator.random_state)
    assert {"C": model.C, "gamma": model.gamma} == searched(found.X, found.y, inner)
    assert f"C = {model.C:.4g} and gamma = {model.gamma:.4g} err least of 9 settings" in found.why
    assert "3 classifiers, kernel SVM tuned and the others at their defaults" in found.why
    save(found.model, tmp_path / "model.json", data=(found.X, found.y))
    assert np.array_equal(load(tmp_path / "model.json").predict(X), found.model.predict(X))


def test_the_report_of_a_kernel_machine(found):
    page = report_page(found)
    assert "Is the kernel SVM fit the best of its kind?" in page
    assert 'id="picture-surface"' in page
    assert "The plane was" not in page
    assert "&lt;w, phi(x)&gt;" in page
    assert 'id="picture-effects"' not in page, "there are no coefficients of features"
    assert f"C = {found.classifier.C:.3g} is used" in page


def test_several_classes_have_a_report_too():
    X = load_iris().data
    rings = np.where(np.abs(X[:, 2] - 4.0) < 1.0, "middle", np.where(X[:, 2] < 3.0, "low", "high"))
    found = study(X[:, 2:], rings, algorithms=["kernel SVM", "least squares"], time_limit=None)
    assert found.chosen == "kernel SVM"
    assert verify(found.classifier, found.X, found.y).proved
    assert "kernel SVM" in report_page(found)
