"""Models of scikit-learn: their own objectives, certified, and the same models in this package and back."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import separatrix
from separatrix import DataError, OptionError, certify, from_sklearn, load, save, to_sklearn, verify
from separatrix.kernels import RBF, Linear

RAW, MALIGNANT = load_breast_cancer(return_X_y=True)
SCALED = StandardScaler().fit_transform(RAW)
IRIS, SPECIES = load_iris(return_X_y=True)
WORDS = np.array(["setosa", "versicolor", "virginica"])[SPECIES]

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")

TIGHT = [
    (LinearSVC(tol=1e-8, max_iter=100_000), SCALED, MALIGNANT),
    (LinearSVC(C=0.1, intercept_scaling=3.0, class_weight="balanced", tol=1e-8, max_iter=100_000), SCALED, MALIGNANT),
    (LinearSVC(loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1_000_000), SCALED, MALIGNANT),
    (LinearSVC(tol=1e-9, max_iter=100_000), IRIS, WORDS),
    (SVC(tol=1e-8), RAW, MALIGNANT),
    (SVC(kernel="poly", class_weight={"setosa": 3.0}, tol=1e-10), IRIS, WORDS),
    (LogisticRegression(tol=1e-10, max_iter=10_000), SCALED, MALIGNANT),
    (LogisticRegression(tol=1e-10, max_iter=10_000, class_weight="balanced"), IRIS, WORDS),
    (LogisticRegression(solver="liblinear", tol=1e-10, intercept_scaling=2.0), SCALED, MALIGNANT),
    (RidgeClassifier(alpha=2.0), SCALED, MALIGNANT),
    (RidgeClassifier(), IRIS, WORDS),
    (LinearDiscriminantAnalysis(), SCALED, MALIGNANT),
    (LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5]), IRIS, WORDS),
    (LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1), IRIS, WORDS),
    (Perceptron(), IRIS, WORDS == "setosa"),
]


@pytest.mark.parametrize(("model", "X", "y"), TIGHT, ids=lambda each: repr(each)[:40] if hasattr(each, "fit") else "")
def test_a_tight_fit_is_proved_and_another_plane_is_not(model, X, y):
    model.fit(X, y)
    found = certify(model, X, y)
    assert found, str(found)
    assert found.gap < 1e-5
    assert verify(found, X, y)
    assert found.n_wrong == np.count_nonzero(model.predict(X) != y)
    if hasattr(model, "dual_coef_"):
        model.intercept_ = model.intercept_ + 0.5
    else:
        model.coef_ = -1.3 * model.coef_
    assert not certify(model, X, y)


def test_what_the_objective_of_a_loose_fit_is_above_the_least_possible():
    """LinearSVC at C = 100 on raw features ends far off; both ends are computed here again, from formulas alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearSVC(C=100.0, random_state=0).fit(RAW, MALIGNANT)
    found = certify(model, RAW, MALIGNANT)
    margins = np.where(MALIGNANT == 1, 1.0, -1.0) * model.decision_function(RAW)
    reached = 0.5 * (model.coef_**2).sum() + 0.5 * model.intercept_[0] ** 2
    reached += 100.0 * (np.maximum(0.0, 1.0 - margins) ** 2).sum()
    assert found.values[0].primal == pytest.approx(reached, rel=1e-9)
    rows = np.column_stack([RAW, np.ones(len(RAW))])
    best = separatrix.LinearSVM(C=100.0, loss="squared_hinge", fit_intercept=False).fit(rows, MALIGNANT)
    assert found.values[0].dual == pytest.approx(best.certificate_.primal, rel=1e-6)
    assert not found
    assert found.gap == pytest.approx(1.0 - best.certificate_.primal / reached, rel=1e-5)
    assert "the offset is penalised" in str(found)
    assert "least possible" in str(found)
    assert "not proved" in found._repr_html_()


def test_a_gradient_descent_is_compared_with_the_optimum_for_the_same_penalty():
    model = SGDClassifier(alpha=1e-3, random_state=0, max_iter=20, tol=None).fit(SCALED, MALIGNANT)
    found = certify(model, SCALED, MALIGNANT)
    best = separatrix.LinearSVM(C=1.0 / (1e-3 * len(SCALED))).fit(SCALED, MALIGNANT)
    assert found.values[0].dual == pytest.approx(best.certificate_.primal, rel=1e-6)
    assert 0.0 < found.gap < 1.0
    assert verify(found, SCALED, MALIGNANT).holds


def test_weights_of_rows_count_as_they_did_in_the_fit():
    weights = np.random.default_rng(0).integers(0, 4, len(SCALED)).astype(float)
    model = LogisticRegression(tol=1e-10, max_iter=10_000).fit(SCALED, MALIGNANT, weights)
    assert certify(model, SCALED, MALIGNANT, weights).gap < 1e-9
    assert certify(model, SCALED, MALIGNANT).gap > 1e-3
    machine = SVC(tol=1e-9).fit(SCALED, MALIGNANT, weights)
    assert certify(machine, SCALED, MALIGNANT, weights).gap < 1e-6


def test_sparse_rows_have_the_same_certificate():
    model = LinearSVC(tol=1e-8, max_iter=100_000).fit(SCALED, MALIGNANT)
    dense, packed = (certify(model, rows, MALIGNANT) for rows in (SCALED, sparse.csr_matrix(SCALED)))
    assert packed
    assert packed.values[0].primal == pytest.approx(dense.values[0].primal, rel=1e-12)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LogisticRegression(solver="liblinear", penalty="l1"), "penalty='l1'"),
        (LinearSVC(penalty="l1"), "LinearSVC with penalty='l1' has no certificate"),
        (SGDClassifier(loss="modified_huber"), "with loss='modified_huber'"),
        (RandomForestClassifier(n_estimators=2), "is no model whose question is known"),
    ],
)
def test_models_whose_question_is_another_are_refused(model, message):
    with pytest.raises(OptionError, match=message):
        certify(model.fit(IRIS, SPECIES == 0), IRIS, SPECIES == 0)


def test_other_rows_are_refused():
    model = LinearSVC().fit(IRIS, SPECIES == 0)
    with pytest.raises(DataError, match="was fitted to"):
        certify(model, IRIS, WORDS)


FOREIGN = [
    LinearSVC(), SVC(), SVC(kernel="poly", degree=2), SVC(kernel="sigmoid", gamma=0.01),
    LogisticRegression(max_iter=999), SGDClassifier(random_state=0), RidgeClassifier(), Perceptron(),
    LinearDiscriminantAnalysis(),
]  # fmt: skip


@pytest.mark.parametrize("classes", [WORDS, WORDS == "virginica"], ids=["three", "two"])
@pytest.mark.parametrize("model", FOREIGN, ids=repr)
def test_a_foreign_model_predicts_the_same_here_and_back(model, classes, tmp_path):
    model.fit(IRIS, classes)
    ours = from_sklearn(model)
    assert (ours.predict(IRIS) == model.predict(IRIS)).all()
    assert not ours.certificate_.proof
    if hasattr(model, "predict_proba") and not isinstance(model, SVC):
        assert np.allclose(ours.predict_proba(IRIS), model.predict_proba(IRIS), rtol=1e-9, atol=1e-12)
    if not isinstance(model, LinearDiscriminantAnalysis):
        save(ours, tmp_path / "model.json")
        assert (load(tmp_path / "model.json").predict(IRIS) == model.predict(IRIS)).all()
    again = to_sklearn(ours)
    assert (again.predict(IRIS) == model.predict(IRIS)).all()


OWN = [
    separatrix.LinearSVM(), separatrix.LogisticClassifier(), separatrix.LeastSquaresClassifier(),
    separatrix.GaussianDiscriminant(), separatrix.Perceptron(max_iter=20, random_state=0), separatrix.KernelSVM(),
    separatrix.KernelSVM("poly", degree=2, coef0=1.0),
]  # fmt: skip


@pytest.mark.parametrize("packed", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("classes", [WORDS, WORDS == "virginica"], ids=["three", "two"])
@pytest.mark.parametrize("model", OWN, ids=repr)
def test_our_models_predict_the_same_there(model, classes, packed):
    rows = sparse.csr_matrix(IRIS) if packed else IRIS
    model.fit(rows, classes)
    other = to_sklearn(model)
    assert (other.predict(rows) == model.predict(rows)).all()
    if classes.dtype == bool:
        assert np.allclose(other.decision_function(rows), model.decision_function(rows), rtol=1e-9, atol=1e-9)


def test_what_has_no_counterpart_is_refused():
    with pytest.raises(OptionError, match="NuSVM has no counterpart"):
        to_sklearn(separatrix.NuSVM(nu=0.2).fit(IRIS, SPECIES == 0))
    with pytest.raises(OptionError, match="LIBSVM does not know the kernel"):
        to_sklearn(separatrix.KernelSVM(RBF(0.1) + Linear()).fit(IRIS, WORDS))
