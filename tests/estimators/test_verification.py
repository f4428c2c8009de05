import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from separatrix import (
    DataError,
    KernelSVM,
    LeastSquaresClassifier,
    LinearSVM,
    LogisticClassifier,
    NotCertifiedWarning,
    OneVsOne,
    OneVsRest,
    OptionError,
    Perceptron,
    verify,
)
from separatrix.data import encode, samples
from separatrix.objectives import SoftMargin

TABLE = samples.planted_margin(80, 4, 0.05, seed=0)[0]


def test_a_claim_that_holds():
    model = Perceptron(random_state=0).fit(TABLE.X, TABLE.labels)
    assert verify(model, TABLE.X, TABLE.labels) == (0.0, 0.0, True, True)
    half = verify(model, TABLE.X[:40], TABLE.labels[:40])
    assert half.holds, "a part of the rows is separated too"


def test_a_claim_that_no_longer_holds():
    model = Perceptron(random_state=0).fit(TABLE.X, TABLE.labels)
    assert not verify(model, TABLE.X, -TABLE.labels).holds
    moved = TABLE.X.copy()
    moved[7] -= TABLE.labels[7] * 100 * model.coef_[0]
    found = verify(model, moved, TABLE.labels)
    assert not found
    assert found.error > 1.0
    assert found.stated == 0.0


def test_a_claim_about_another_plane():
    model = Perceptron(random_state=0).fit(TABLE.X, TABLE.labels)
    with pytest.raises(ValueError, match="read-only"):
        model.certificate_.w[0] = 1.0
    again = pickle.loads(pickle.dumps(model))
    assert verify(again, TABLE.X, TABLE.labels)
    again.coef_[0, 0] += 1e-12
    assert verify(again, TABLE.X, TABLE.labels) == (np.inf, 0.0, False, False)
    several = OneVsRest(model).fit(TABLE.X, TABLE.labels)
    assert verify(several, TABLE.X, TABLE.labels)
    several.estimators_[0].intercept_ += 1e-12
    assert not verify(several, TABLE.X, TABLE.labels)


def test_a_claim_as_true_as_when_it_was_made():
    table = samples.gaussian_pair(0.5, 60, seed=1)
    with pytest.warns(NotCertifiedWarning):
        model = Perceptron(random_state=0, max_iter=5).fit(table.X, table.labels)
    found = verify(model, table.X, table.labels)
    assert found.holds
    assert found.error == found.stated > 0


def test_what_cannot_be_verified():
    with pytest.raises(NotFittedError):
        verify(Perceptron(), TABLE.X, TABLE.labels)
    with pytest.raises(OptionError, match="LogisticRegression has no certificate_"):
        verify(LogisticRegression().fit(TABLE.X, TABLE.labels), TABLE.X, TABLE.labels)
    with pytest.raises(ValueError, match="expecting 4 features"):
        verify(Perceptron().fit(TABLE.X, TABLE.labels), np.ones((2, 3)), [-1, 1])
    names = pd.DataFrame(TABLE.X, columns=list("abcd"))
    model = Perceptron().fit(names, TABLE.labels)
    assert verify(model, names, TABLE.labels)
    with pytest.raises(ValueError, match="feature names should match"):
        verify(model, names.rename(columns={"a": "z"}), TABLE.labels)


def test_a_model_that_predicts_by_something_else():
    model = Perceptron(random_state=0).fit(TABLE.X, TABLE.labels)
    model.classes_ = model.classes_[::-1]
    assert not verify(model, TABLE.X, TABLE.labels).holds
    wine = samples.builtin("wine")
    for name, spoil in (("code_", lambda code: -code), ("estimators_", lambda models: models[:1])):
        several = OneVsOne(Perceptron(random_state=0)).fit(scale(wine.X), wine.labels)
        assert verify(several, scale(wine.X), wine.labels)
        setattr(several, name, spoil(getattr(several, name)))
        assert not verify(several, scale(wine.X), wine.labels).holds


def test_the_container_does_not_matter():
    for seed in range(10):
        table = samples.gaussian_pair(0.5, 60, seed=seed)
        with pytest.warns(NotCertifiedWarning):
            model = Perceptron(random_state=0, max_iter=5).fit(table.X, table.labels)
        assert verify(model, sparse.csr_array(table.X), table.labels).holds


def test_what_proves_nothing_is_not_true():
    table = samples.gaussian_pair(0.5, 60, seed=1)
    with pytest.warns(NotCertifiedWarning):
        model = Perceptron(random_state=0, max_iter=5).fit(table.X, table.labels)
    assert not model.certificate_.proof
    assert not verify(model, table.X, table.labels)
    foreign = OneVsRest(LogisticRegression()).fit(TABLE.X, TABLE.labels)
    assert verify(foreign, TABLE.X, TABLE.labels) == (np.inf, np.inf, False, False)
    streamed = Perceptron(random_state=0).partial_fit(TABLE.X, TABLE.labels, classes=[-1, 1])
    assert not verify(streamed, TABLE.X, TABLE.labels)


@pytest.mark.parametrize("reduction", [OneVsRest, OneVsOne])
@pytest.mark.parametrize(
    "options",
    [{"class_weight": "balanced"}, {"fit_intercept": False}, {"class_weight": {-1: 3.0}, "fit_intercept": False}],
)
@pytest.mark.parametrize("base", [LinearSVM, LogisticClassifier])
def test_parts_are_checked_on_the_question_that_they_were_asked(reduction, options, base):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = rng.standard_normal((90, 3)) + np.eye(3)[y]
    model = reduction(base(**options)).fit(X, y)
    assert verify(model, X, y)
    assert verify(reduction(model).fit(X, y), X, y), "a reduction within a reduction"
    for one in model.estimators_:
        one.set_params(class_weight={-1: 0.2}, fit_intercept=True)
    assert not verify(model, X, y).holds, "another question"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_of_sparse_rows(dtype):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = sparse.csr_array((rng.standard_normal((90, 4)) + np.eye(3, 4)[y]).astype(dtype))
    model = OneVsOne(LinearSVM(class_weight="balanced")).fit(X, y)
    found = verify(model, X, y)
    assert found
    assert found.error == pytest.approx(found.stated, abs=1e-12)
    assert found.error == pytest.approx(verify(model, X.toarray(), y).error, abs=1e-12)


def test_a_true_claim_that_does_not_answer_the_question():
    problem = encode(TABLE.X, TABLE.labels).problem
    easy, model = Perceptron(random_state=0).fit(TABLE.X, TABLE.labels), LinearSVM(C=100.0).fit(TABLE.X, TABLE.labels)
    model.coef_, model.intercept_, model.certificate_ = easy.coef_, easy.intercept_, easy.certificate_
    assert model.certificate_.error(problem) == 0.0
    assert verify(model, TABLE.X, TABLE.labels) == (np.inf, 0.0, False, False)


@pytest.mark.parametrize("base", [LinearSVM, LogisticClassifier, LeastSquaresClassifier])
def test_a_certificate_itself_refuses_another_objective(base):
    problem = encode(TABLE.X, TABLE.labels).problem
    claim = base().fit(TABLE.X, TABLE.labels).certificate_
    assert claim.error(problem) == claim.error(problem.posed(claim.objective)) < 1e-6
    assert claim.error(problem.posed(SoftMargin(C=7.0))) == np.inf


@pytest.mark.parametrize("class_weight", [None, {0: 1.0, 1: 2.0, 2: 3.0}, "balanced"])
@pytest.mark.parametrize("base", [LinearSVM, LogisticClassifier, LeastSquaresClassifier])
def test_a_class_without_weight_is_as_if_it_were_not_there(base, class_weight):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 3
    weights, there = (y != 1).astype(float), y != 1
    model = base(class_weight=class_weight).fit(X, y, sample_weight=weights)
    named = {0: 1.0, 2: 3.0} if isinstance(class_weight, dict) else class_weight
    other = base(class_weight=named).fit(X[there], y[there])
    assert model.classes_.tolist() == [0, 2]
    assert model.coef_ == pytest.approx(other.coef_, rel=1e-12)
    found = verify(model, X, y, sample_weight=weights)
    assert found.holds
    assert found == verify(model, X[there], y[there])


def test_a_label_without_weight_is_the_only_one_that_may_be_strange():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 0, 1, 1]
    model = LinearSVM(class_weight={0: 2.0}).fit(X, y)
    assert verify(model, X, y)
    with pytest.raises(DataError, match="y has the label 7"):
        verify(model, X, [0, 0, 1, 7], sample_weight=[1, 1, 0, 1])
    with pytest.raises(OptionError, match="names the label 7"):
        LinearSVM(class_weight={7: 2.0}).fit(X, y, sample_weight=[1, 0, 1, 1])


def test_a_pipeline_is_verified_by_its_last_step():
    X, y = TABLE.X, TABLE.labels
    model = make_pipeline(StandardScaler(), KernelSVM(C=10.0)).fit(X, y)
    assert verify(model, X, y) == verify(model[-1], model[0].transform(X), y)
    assert verify(model, X, y).proved
    assert verify(make_pipeline(model), X, y).proved
    assert not verify(model, X + np.arange(X.shape[0])[:, None], y).holds
    model[0].scale_ *= 2.0  # another preparation
    assert not verify(model, X, y).holds


def test_a_pipeline_that_claims_nothing_is_refused():
    with pytest.raises(NotFittedError):
        verify(make_pipeline(StandardScaler(), KernelSVM()), TABLE.X, TABLE.labels)
    other = make_pipeline(StandardScaler(), LogisticRegression()).fit(TABLE.X, TABLE.labels)
    with pytest.raises(OptionError, match="LogisticRegression has no certificate_ .* or a pipeline that ends with one"):
        verify(other, TABLE.X, TABLE.labels)
