"""Calibrated classifiers: probabilities that hold for new rows, a peer's answers, and the claim of the model inside."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, TimeSeriesSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from estimators.bit_by_bit import same
from separatrix import (
    Calibrated,
    DataError,
    FisherDiscriminant,
    FormatError,
    KernelSVM,
    LinearSVM,
    LogisticClassifier,
    NotCertifiedWarning,
    OneVsOne,
    OneVsRest,
    OptionError,
    Perceptron,
    PocketPerceptron,
    load,
    save,
    verify,
)
from separatrix.estimators.store.layout import seal
from separatrix.kernels import RBF
from separatrix.solvers.calibration.sigmoid_calibration import sigmoid_calibration

IRIS, WINE, CANCER = (load(return_X_y=True) for load in (load_iris, load_wine, load_breast_cancer))
OVERLAP = IRIS[0][50:], IRIS[1][50:]
METHODS = ["sigmoid", "isotonic"]


def halves(X, y):
    order = np.random.default_rng(0).permutation(len(y))
    first, second = order[: len(y) // 2], order[len(y) // 2 :]
    return X[first], y[first], X[second], y[second]


@pytest.mark.parametrize("base", [LinearSVM(C=100.0), KernelSVM(RBF(0.5), C=100.0)], ids=repr)
def test_probabilities_of_new_rows_are_better_than_those_of_raw_scores(base):
    X, y, new, truth = halves(*CANCER)
    scaler = StandardScaler().fit(X)
    X, new = scaler.transform(X), scaler.transform(new)
    found = log_loss(truth, Calibrated(base).fit(X, y).predict_proba(new))
    raw = log_loss(truth, expit(clone(base).fit(X, y).decision_function(new)))
    assert found < raw
    assert found < log_loss(truth, np.full(len(truth), y.mean()))


def logistic_draws(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    p = expit(X @ [2.0, -1.0, 0.5] + 0.5)
    return X, (rng.random(n) < p).astype(int), p


@pytest.mark.parametrize("method", METHODS)
def test_draws_of_a_known_model_get_their_true_probabilities(method):
    """From a squared-hinge machine, whose scores are no log-odds; the expected calibration error is small."""
    X, y, _ = logistic_draws(4000, 0)
    new, _, truth = logistic_draws(4000, 1)
    model = Calibrated(LinearSVM(loss="squared_hinge"), method).fit(X, y)

    def calibration_error(found):
        bins = np.minimum((10 * found).astype(int), 9)
        return sum(abs((found - truth)[bins == each].sum()) for each in range(10)) / truth.size

    found = model.predict_proba(new)[:, 1]
    assert np.abs(found - truth).mean() < 0.03
    assert calibration_error(found) < 0.02
    assert calibration_error(expit(model.estimator_.decision_function(new))) > 0.1


def test_a_classifier_that_remembers_its_rows_is_not_believed():
    """The nearest row is always right about itself; of other rows, with labels by chance, it knows nothing."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((600, 5)), rng.integers(0, 2, 600)
    model = Calibrated(KNeighborsClassifier(1)).fit(X, y)
    assert model.estimator_.score(X, y) == 1.0
    assert np.abs(model.predict_proba(X) - 0.5).max() < 0.1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("data", [OVERLAP, WINE], ids=["two", "three"])
@pytest.mark.parametrize(
    "base", [LinearSVM(), FisherDiscriminant(), GaussianNB()], ids=lambda base: type(base).__name__
)
def test_probabilities_are_those_of_scikit_learn_without_ensemble(base, data, method):
    X, y = data
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    theirs = CalibratedClassifierCV(base, method=method, cv=folds, ensemble=False).fit(X, y).predict_proba(X)
    ours = Calibrated(base, method, folds=folds).fit(X, y).predict_proba(X)
    assert np.allclose(ours, theirs, atol=2e-3 if method == "sigmoid" else 1e-9)  # their sigmoid ends early


def test_the_map_is_of_the_scores_of_rows_left_out_with_their_weights():
    X, y = OVERLAP
    weights = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    folds = KFold(4, shuffle=True, random_state=1)
    model = Calibrated(LinearSVM(), folds=folds).fit(X, y, sample_weight=weights)
    scores = cross_val_predict(
        LinearSVM(), X, y, cv=folds, method="decision_function", params={"sample_weight": weights}
    )
    expected = sigmoid_calibration(scores, y == 2, weights)
    assert model.maps_[0].both(scores) == pytest.approx(expected.both(scores), rel=1e-9)
    assert np.array_equal(model.estimator_.coef_, LinearSVM().fit(X, y, sample_weight=weights).coef_)
    assert model.n_folds_ == 4


@pytest.mark.parametrize("method", METHODS)
def test_rows_of_weight_0_are_not_there(method):
    X, y = WINE
    weights = np.where(np.arange(len(y)) % 3, 1.0, 0.0)
    left = weights > 0
    model = Calibrated(LinearSVM(), method).fit(X, y, sample_weight=weights)
    alone = Calibrated(LinearSVM(), method).fit(X[left], y[left])
    assert np.array_equal(model.predict_proba(X), alone.predict_proba(X))
    assert verify(model, X, y, weights).proved
    gone = Calibrated(GaussianNB()).fit(X, y, sample_weight=(y > 0).astype(float))  # a class without weight
    assert gone.classes_.tolist() == [1, 2]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("base", [LinearSVM(), KernelSVM(), OneVsOne(LinearSVM())], ids=repr)
def test_predictions_are_the_most_probable_classes(base, method):
    model = Calibrated(base, method).fit(*WINE)
    p = model.predict_proba(WINE[0])
    assert p.shape == (178, 3)
    assert (p >= 0.0).all()
    assert np.allclose(p.sum(axis=1), 1.0, atol=1e-14)
    assert np.array_equal(model.predict(WINE[0]), p.argmax(axis=1))
    assert np.array_equal(model.decision_function(WINE[0]), p)
    assert np.array_equal(np.exp(model.predict_log_proba(WINE[0])).round(12), p.round(12))
    two = Calibrated(base, method).fit(*OVERLAP)
    scores = two.decision_function(OVERLAP[0])
    assert np.array_equal(two.predict(OVERLAP[0]), np.where(scores > 0, 2, 1))


def test_machines_of_pairs_have_a_map_for_each_pair():
    X, y = load_digits(n_class=4, return_X_y=True)
    X, y, new, truth = halves(X[:240], y[:240])
    folds = StratifiedKFold(3)
    machine = Calibrated(KernelSVM(RBF(0.001)), folds=folds).fit(X, y)
    peer = SVC(gamma=0.001, tol=1e-10, decision_function_shape="ovo")
    assert len(machine.maps_) == 6
    found = machine.predict_proba(new)
    assert np.allclose(found, Calibrated(peer, folds=folds).fit(X, y).predict_proba(new), atol=1e-5)
    of_planes = Calibrated(OneVsOne(KernelSVM(RBF(0.001))), folds=folds).fit(X, y)
    assert np.allclose(found, of_planes.predict_proba(new), atol=1e-5)
    piped = Calibrated(make_pipeline("passthrough", KernelSVM(RBF(0.001))), folds=folds).fit(X, y)
    assert np.array_equal(found, piped.predict_proba(new))
    assert (found.argmax(axis=1) == truth).mean() > 0.9


def test_a_class_with_few_rows_has_fewer_folds():
    X, y = IRIS[0][:60], IRIS[1][:60].copy()
    y[50:] = 0
    y[:3] = 1
    assert Calibrated(LinearSVM()).fit(X, y).n_folds_ == 3
    y[1:3] = 0
    with pytest.raises(DataError, match="The class 1 has 1 row of 60 rows"):
        Calibrated(LinearSVM()).fit(X, y)
    with pytest.raises(DataError, match="1 class only"):
        Calibrated(LinearSVM()).fit(X, np.zeros(60))


def test_a_faulty_row_is_named_and_a_failed_fit_leaves_nothing():
    X, y = OVERLAP[0].copy(), OVERLAP[1]
    X[93, 2] = np.nan
    model = Calibrated(LinearSVM())
    with pytest.raises(DataError, match="NaN: nan in row 93, column 2"):
        model.fit(X, y)
    assert not hasattr(model, "classes_")
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_splitters():
    X, y = OVERLAP
    order = np.random.default_rng(0).permutation(len(y))
    assert Calibrated(LinearSVM(), folds=TimeSeriesSplit(4)).fit(X[order], y[order]).n_folds_ == 4
    with pytest.raises(DataError, match="Fold 1 of 2 has no row of the class 1 to learn from"):
        Calibrated(LinearSVM(), folds=KFold(2)).fit(X, y)


def test_folds_can_be_repeated():
    X, y = OVERLAP

    def maps(seed, base):
        return Calibrated(base, random_state=seed).fit(X, y).maps_

    assert maps(None, LinearSVM()) == maps(None, LinearSVM())
    assert maps(1, PocketPerceptron(max_iter=20)) == maps(1, PocketPerceptron(max_iter=20))  # seeds the copies, too
    assert maps(1, LinearSVM()) != maps(2, LinearSVM())


def test_the_claim_is_that_of_the_model_inside():
    X, y = CANCER
    model = Calibrated(LinearSVM()).fit(X, y)
    assert model.certificate_ is model.estimator_.certificate_
    assert model.n_iter_ == model.estimator_.n_iter_
    assert verify(model, X, y) == verify(model.estimator_, X, y)
    assert verify(model, X, y).proved
    assert not verify(model, X, 1 - y).holds
    model.estimator_.coef_[0, 0] += 1e-3
    assert not verify(model, X, y).holds


def test_claims_of_pipelines_reductions_and_strangers():
    X, y = WINE
    piped = Calibrated(make_pipeline(StandardScaler(), LinearSVM())).fit(X, y)
    assert verify(piped, X, y).proved
    piped.estimator_[-1].coef_[0, 0] += 1e-3
    assert not verify(piped, X, y).holds
    for model in (Calibrated(OneVsRest(LinearSVM())), OneVsRest(Calibrated(LinearSVM())), Calibrated(KernelSVM())):
        assert verify(model.fit(X, y), X, y).proved
        assert not verify(model, X[::-1], y).holds
    stranger = Calibrated(GaussianNB()).fit(X, y)
    assert "GaussianNB gives no certificate" in str(stranger.certificate_)
    with pytest.raises(OptionError, match="GaussianNB has no certificate_ to verify"):
        verify(stranger, X, y)


def test_what_is_not_certified_is_said_once():
    with pytest.warns(NotCertifiedWarning) as caught:
        Calibrated(Perceptron(max_iter=10, random_state=0)).fit(OVERLAP[0], np.arange(100) % 2)
    assert len(caught) == 1
    assert "6 of the 6 fits of Calibrated" in str(caught[0].message)
    assert caught[0].filename == __file__


STORED = [
    Calibrated(LinearSVM(), "isotonic", random_state=3),
    Calibrated(make_pipeline(StandardScaler(), OneVsOne(LinearSVM())), folds=3),
    OneVsRest(Calibrated(LinearSVM())),
]


@pytest.mark.parametrize("model", STORED, ids=repr)
def test_a_model_file_gives_back_the_same_probabilities(model, tmp_path):
    X, y = WINE
    save(model.fit(X, y), tmp_path / "model.json", data=(X, y))
    loaded = load(tmp_path / "model.json")
    assert same(model, loaded)
    answer = "predict_proba" if isinstance(model, Calibrated) else "decision_function"
    assert same(getattr(model, answer)(X), getattr(loaded, answer)(X))
    assert verify(loaded, X, y) == verify(model, X, y)


def shortened(fitted):
    fitted["maps_"]["tuple"].pop()


def reversed_map(fitted):
    fitted["maps_"]["tuple"][0]["fields"]["slope"] *= -1


def without_model(fitted):
    fitted["estimator_"] = None


def other_classes(fitted):
    fitted["classes_"]["values"] = [4, 5, 6]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (shortened, "'maps_' cannot be 2 for 3 classes"),
        (reversed_map, "a slope that is not negative"),
        (without_model, "'estimator_' must be a fitted classifier"),
        (other_classes, "'estimator_' must be a fitted classifier of the same classes"),
    ],
)
def test_a_file_whose_parts_do_not_fit_is_refused(spoil, message, tmp_path):
    file = tmp_path / "model.json"
    save(Calibrated(LinearSVM()).fit(*WINE), file)
    tree = json.loads(file.read_text())
    tree.pop("checksum")
    spoil(tree["model"]["fitted"])
    file.write_text(json.dumps({**tree, "checksum": seal(tree)}))
    with pytest.raises(FormatError, match=message):
        load(file)


FRAMES = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "Arrow": pa.table,
}


def test_containers():
    X, y = WINE
    expected = Calibrated(LinearSVM()).fit(X, y).predict_proba(X)
    for contained in (X.tolist(), sparse.csr_array(X), sparse.coo_matrix(X), sparse.csc_array(X), np.asfortranarray(X)):
        assert np.allclose(Calibrated(LinearSVM()).fit(contained, y).predict_proba(contained), expected, atol=1e-5)
    for make in FRAMES.values():
        frame = make({f"x{j}": X[:, j] for j in range(X.shape[1])})
        model = Calibrated(LinearSVM()).fit(frame, list(map(str, y)))
        assert np.allclose(model.predict_proba(frame), expected, atol=1e-5)
        assert model.feature_names_in_.tolist() == [f"x{j}" for j in range(13)]
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(make({f"z{j}": X[:, j] for j in range(X.shape[1])}))


def test_a_precomputed_kernel_is_divided_on_both_sides():
    X, y = OVERLAP
    kernel = RBF(0.3)
    values, weights = kernel.matrix(X), np.where(np.arange(len(y)) % 4, 1.0, 0.0)
    for passed in ({}, {"sample_weight": weights}):
        given = Calibrated(KernelSVM("precomputed")).fit(values, y, **passed)
        expected = Calibrated(KernelSVM(kernel)).fit(X, y, **passed)
        assert np.allclose(given.predict_proba(values), expected.predict_proba(X), atol=1e-6)
    assert Calibrated(KernelSVM("precomputed")).__sklearn_tags__().input_tags.pairwise


def test_texts_through_a_pipeline():
    texts, labels = ["red apple", "green apple", "blue sea", "deep sea"] * 3, ["fruit", "fruit", "water", "water"] * 3
    model = Calibrated(make_pipeline(CountVectorizer(), LinearSVM())).fit(texts, labels)
    assert model.predict(["apple", "sea"]).tolist() == ["fruit", "water"]
    assert verify(model, texts, labels).proved


def test_weights_that_the_estimator_does_not_take_are_refused():
    X, y = OVERLAP
    weights = np.linspace(0.0, 2.0, len(y))
    with pytest.raises(OptionError, match="Perceptron.fit takes no 'sample_weight'"):
        Calibrated(Perceptron()).fit(X, y, sample_weight=weights)
    piped = Calibrated(make_pipeline(StandardScaler(), LinearSVM())).fit(X, y, linearsvm__sample_weight=weights)
    with_scaling = Calibrated(LinearSVM()).fit(StandardScaler().fit_transform(X[1:]), y[1:], sample_weight=weights[1:])
    assert piped.predict_proba(X).shape == (100, 2)
    assert np.allclose(piped.estimator_[-1].coef_, with_scaling.estimator_.coef_, atol=1e-6)
    for bad in (-weights, weights[1:], np.zeros(100)):
        with pytest.raises(DataError, match="sample_weight"):
            Calibrated(LinearSVM()).fit(X, y, sample_weight=bad)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Calibrated(LinearSVM(), ["sigmoid"]), r"'method' .* Got \['sigmoid'\]"),
        (Calibrated(LinearSVM(), "beta"), r"'method' .* must be one of \('sigmoid', 'isotonic'\). Got 'beta'"),
        (Calibrated(LinearSVM(), folds=1), "'folds' parameter must be a whole number of at least 2. Got 1"),
        (Calibrated(LinearSVM(), folds="five"), "'folds' parameter .* or a splitter of scikit-learn. Got 'five'"),
        (Calibrated(LinearRegression()), "'estimator' of Calibrated must be a classifier"),
    ],
)
def test_options_are_checked(model, message):
    with pytest.raises(OptionError, match=message):
        model.fit(*OVERLAP)


class Certain(GaussianNB):
    """A classifier that is always certain, or knows nothing."""

    score = np.inf

    def decision_function(self, X):
        return np.full(len(X), self.score)


@pytest.mark.parametrize("score", [np.inf, -np.inf, np.nan, 1e200])
def test_scores_that_are_no_moderate_numbers_are_refused(score, monkeypatch):
    monkeypatch.setattr(Certain, "score", score)
    with pytest.raises(DataError, match=f"Certain gives the score {re.escape(str(score))} for rows"):
        Calibrated(Certain()).fit(*OVERLAP)


def test_a_classifier_with_the_wrong_number_of_scores_is_refused():
    with pytest.raises(DataError, match="Certain gives 1 scores a row for 3 classes"):
        Calibrated(Certain()).fit(*WINE)


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
def test_maximum_likelihood_of_separated_classes():
    X, y = IRIS[0][:100], IRIS[1][:100]
    model = Calibrated(LogisticClassifier(C=float("inf"))).fit(X, y)
    p = model.predict_proba(X)[np.arange(100), y]
    assert (p > 0.8).all()
    assert (p < 1.0).all()  # fifty rows of each class do not exclude others


def test_grid_search_and_cloning():
    search = GridSearchCV(
        Calibrated(LinearSVM()), {"estimator__C": [0.01, 1.0], "method": METHODS}, scoring="neg_log_loss"
    )
    assert search.fit(*OVERLAP).best_score_ > -0.2
    copy = clone(search.best_estimator_)
    assert copy.get_params()["estimator__C"] == search.best_params_["estimator__C"]
    assert not hasattr(copy, "maps_")


@pytest.mark.large
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [Calibrated(LinearSVM(), "isotonic"), Calibrated(KernelSVM())], ids=repr)
def test_check_estimator(model):
    for result in check_estimator(model, on_skip=None):
        assert result["status"] == "passed" or result["check_name"] == "check_array_api_input"
