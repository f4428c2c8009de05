"""What folds share changes no error: distances of wide rows, computed once for all folds, gamma and C."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.datasets import make_classification, make_moons
from sklearn.model_selection import KFold
from sklearn.svm import SVC

from separatrix import KernelNuSVM, KernelSVM, KernelSVR, choose, verify
from separatrix.kernels import RBF, Linear
from separatrix.kernels.precomputed import Tabulated
from separatrix.selection.choosing import shared_distances
from separatrix.selection.choosing.shared_distances import SharedDistances

X, Y = make_classification(90, 250, n_informative=30, n_classes=3, random_state=0)


@pytest.fixture
def counted(monkeypatch):
    """How often the distances of all rows were computed, and kernel values of a fold were made of them."""
    calls = {"tables": 0, "folds": 0}
    table, on = SharedDistances.__init__, SharedDistances.on

    def counted_table(self, X):
        calls["tables"] += 1
        table(self, X)

    def counted_fold(self, fold, model, y):
        found = on(self, fold, model, y)
        calls["folds"] += found is not None
        return found

    monkeypatch.setattr(SharedDistances, "__init__", counted_table)
    monkeypatch.setattr(SharedDistances, "on", counted_fold)
    return calls


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (KernelSVM(), {"C": [0.1, 10.0], "gamma": ["scale", 0.001]}),
        (KernelSVM(gamma="nearest"), {"C": [1.0]}),
        (KernelSVM(loss="squared_hinge", kernel=RBF(gamma=0.002)), {"C": [0.1, 10.0]}),
        (KernelNuSVM(), {"nu": [0.3, 0.5]}),
        (KernelSVR(), {"C": [0.1, 10.0], "epsilon": [0.0, 0.2]}),
    ],
    ids=str,
)
def test_errors_are_those_of_fits_to_the_rows(model, grid, counted):
    y = Y if is_classifier(model) else X[:, 0]
    found = choose(model, X, y, grid, folds=KFold(3), test=None)
    assert counted["tables"] == 1
    assert counted["folds"] == 3 * len(grid.get("gamma", grid.get("epsilon", [0])) if len(grid) > 1 else [0])
    for place in np.ndindex(found.grid.mean.shape):
        for k, (train, test) in enumerate(KFold(3).split(X)):
            fitted = clone(model).set_params(**found.grid.setting(place)).fit(X[train], y[train])
            said = fitted.predict(X[test])
            wrong = np.mean(said != y[test]) if is_classifier(model) else np.mean(np.abs(said - y[test]))
            assert found.grid.errors[(*place, k)] == pytest.approx(wrong, abs=1e-6)
    assert not isinstance(found.model.kernel_, Tabulated)
    assert verify(found.model, X, y).holds


def test_what_has_no_use_for_distances_does_without(counted):
    choose(KernelSVM(kernel=Linear()), X, Y, {"C": [1.0]}, test=None)
    choose(KernelSVM(), X, Y, {"C": [1.0]}, test=None, sample_weight=np.ones(90))
    choose(KernelSVM(), X, Y, {"C": [1.0]}, test=None, scoring=lambda model, rows, y: float(rows.shape[1] == 250))
    choose(KernelSVM(), X[:, :20], Y, {"C": [1.0]}, test=None)
    assert counted["folds"] == 0
    assert SharedDistances.of(KernelSVM(cache_mb=0.1), X) is None
    assert SharedDistances.of(SVC(), X) is None
    kinds = [sparse.csr_array(X), pd.DataFrame(X)]
    errors = [choose(KernelSVM(), rows, Y, {"C": [1.0]}, test=None).grid.errors for rows in (X, *kinds)]
    assert np.array_equal(errors[0], errors[1])
    assert np.array_equal(errors[0], errors[2])
    assert counted["folds"] == 15


def test_little_memory_is_kept_to(monkeypatch):
    monkeypatch.setattr(shared_distances, "available_bytes", lambda: 1e5)
    assert SharedDistances.of(KernelSVM(), X) is None


def test_many_given_values_are_searched_in_single_precision_and_proved_in_double():
    rows, labels = make_moons(2100, noise=0.2, random_state=0)
    K = RBF(5.0).matrix(rows)
    given, tabulated = (KernelSVM(kernel=kernel).fit(K, labels) for kernel in ("precomputed", Tabulated()))
    by_rows = KernelSVM(gamma=5.0).fit(rows, labels)
    for model in (given, tabulated):
        assert model.certificate_.stated <= model.tol
        assert model.certificate_.values.dual == pytest.approx(by_rows.certificate_.values.dual, rel=1e-6)
        assert np.array_equal(model.predict(K), by_rows.predict(rows))
