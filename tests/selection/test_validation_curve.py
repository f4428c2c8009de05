"""The error over C: on compare's folds, warm or cold alike, with its two choices."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import LinearSVM, LogisticClassifier, OptionError, compare
from separatrix.selection import validation_curve as module
from separatrix.selection.validation_curve import validation_curve

CANCER = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris])
def test_each_point_is_what_compare_finds(load):
    X, y = load(return_X_y=True)
    values = [0.01, 1.0, 100.0]
    path = validation_curve(LinearSVM, X, y, values)
    table = compare(X, y, algorithms={f"{C:g}": LinearSVM(C=C) for C in values})
    for C, errors, mean, low, high in zip(values, path.errors, path.mean, path.low, path.high, strict=True):
        entry = table.entry(f"{C:g}")
        assert errors.tolist() == entry.errors.tolist()
        assert (mean, low, high) == pytest.approx((entry.mean, entry.low, entry.high))


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_starts_are_used_and_change_nothing(monkeypatch, fit_intercept):
    model, values, starts, fit_posed = (
        LinearSVM(fit_intercept=fit_intercept),
        [0.01, 0.1, 1.0],
        [],
        LinearSVM._fit_posed,
    )
    monkeypatch.setattr(LinearSVM, "_fit_posed", lambda *given: starts.append(given[2]) or fit_posed(*given))
    warm = validation_curve(model, *CANCER, values)
    assert [start is None for start in starts] == [True] * 5 + [False] * 10
    assert len(set(map(id, starts[5:]))) == 5, "each fold has a path of its own"
    monkeypatch.setattr(LinearSVM, "_fit_posed", lambda self, encoded, start: fit_posed(self, encoded))
    assert warm.errors.tolist() == validation_curve(model, *CANCER, values).errors.tolist()


def test_the_two_choices_by_hand(monkeypatch):
    """Means 0.30, 0.13, 0.10, 0.10 and a standard error of the least of 0.05: 0.13 is within, and the smallest."""
    errors = iter([[0.30] * 4, [0.13] * 4, [0.0, 0.2, 0.0, 0.2], [0.1] * 4])
    monkeypatch.setattr(module, "fold_errors", lambda *given: next(errors))
    path = validation_curve(LogisticClassifier(), *CANCER, [1, 2, 4, 8], cv=4)
    assert np.array([0.0, 0.2, 0.0, 0.2]).std(ddof=1) / 2 == pytest.approx(0.0577, abs=1e-4)
    assert path.best == 4.0
    assert path.one_standard_error == 2.0
    assert "best" in str(path)
    assert path.to_dict()["values"] == [1.0, 2.0, 4.0, 8.0]


def test_a_strong_penalty_is_worse_and_the_band_holds_the_mean():
    path = validation_curve(LogisticClassifier(), *CANCER)
    assert path.values.size == 13
    assert path.mean[0] > path.mean.min() + 0.02
    assert path.one_standard_error <= path.best
    assert (path.low <= path.mean).all()
    assert (path.mean <= path.high).all()


def test_pipelines_and_foreign_estimators():
    inside = validation_curve(make_pipeline(StandardScaler(), LinearSVM()), *CANCER, [0.1, 1.0], preparation="none")
    assert inside.errors.tolist() == validation_curve(LinearSVM(), *CANCER, [1.0, 0.1, 1.0]).errors.tolist()
    assert validation_curve(LogisticRegression(), *CANCER, [1.0]).best == 1.0


def test_the_time_limit_leaves_large_values_out():
    path = validation_curve(LinearSVM(), *CANCER, [0.1, 1.0, 10.0], time_limit=1e-9)
    assert path.values.tolist() == [0.1]
    assert path.notes[-1] == "Not tried, to keep to the time limit of 1e-09 s: C = 1, 10."


@pytest.mark.parametrize(
    ("model", "values", "message"),
    [
        (KNeighborsClassifier(), None, "KNeighborsClassifier has none"),
        (LinearSVM(), [], "'values' is empty"),
        (LinearSVM(), [1.0, -1.0], "'values' parameter must be a finite number above 0. Got -1.0"),
        (LinearSVM(loss="cubic"), [1.0], "No error for C=1. OptionError: The 'loss'"),
    ],
)
def test_what_cannot_be_done_is_refused(model, values, message):
    with pytest.raises(OptionError, match=message):
        validation_curve(model, *CANCER, values)
