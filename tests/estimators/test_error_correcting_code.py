"""Error-correcting codes as classifiers: wrong classifiers do no harm, and all that any estimator of ours keeps to."""

import json
import re

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from estimators.bit_by_bit import same
from estimators.test_code_matrices import BOOK
from separatrix import (
    Calibrated,
    DataError,
    ErrorCorrectingCode,
    FormatError,
    LinearSVM,
    NotCertifiedWarning,
    OneVsOne,
    OneVsRest,
    OptionError,
    Perceptron,
    encode,
    load,
    save,
    verify,
)
from separatrix.data import samples
from separatrix.estimators.reduction import reduction
from separatrix.estimators.reduction.codes import one_vs_one, one_vs_rest
from separatrix.estimators.reduction.codes.named import KINDS
from separatrix.estimators.reduction.codes.validity import is_valid
from separatrix.estimators.store.layout import seal

RANDOM = np.random.default_rng(0)
Y = np.repeat(["ash", "birch", "elm", "fir", "oak"], 16)
CENTRES = 4.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]])
X = CENTRES[np.unique(Y, return_inverse=True)[1]] + RANDOM.standard_normal((80, 3))


class Spoiled(ClassifierMixin, BaseEstimator):
    """A classifier that knows the side of each row, and says the other one where it was told to be wrong."""

    def __init__(self, wrong=False):
        self.wrong = wrong

    def fit(self, X, y):
        self.classes_, self.side_ = np.unique(y), dict(zip(X[:, 0].tolist(), y.tolist(), strict=True))
        return self

    def decision_function(self, X):
        return np.array([self.side_[row] for row in X[:, 0].tolist()]) * (-1.0 if self.wrong else 1.0)


@pytest.mark.parametrize("decode", ["hamming", "loss"])
def test_any_one_classifier_of_the_code_of_the_book_may_be_wrong(decode):
    rows, labels = np.arange(4.0)[:, None], np.array(["w1", "w2", "w3", "w4"])
    model = ErrorCorrectingCode(Spoiled(), BOOK, decode).fit(rows, labels)
    assert (model.minimum_distance_, model.n_corrected_) == (3.0, 1)
    for part in model.estimators_:
        part.wrong = True
        assert model.predict(rows).tolist() == labels.tolist()
        part.wrong = False
    for part in model.estimators_[:3]:
        part.wrong = True
    assert (model.predict(rows) != labels).any(), "three are too many"


@pytest.mark.parametrize("decode", ["hamming", "loss"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_code_learns_and_every_part_is_certified(kind, decode):
    model = ErrorCorrectingCode(LinearSVM(), kind, decode).fit(X, Y)
    assert model.score(X, Y) > 0.9
    assert is_valid(model.code_)
    scores = model.decision_function(X)
    assert scores.shape == (80, 5)
    assert np.array_equal(model.classes_[scores.argmax(axis=1)], model.predict(X))
    assert len(model.certificate_.parts) == len(model.estimators_) == model.code_.shape[1] == len(model.coef_)
    assert model.certificate_.proof
    assert verify(model, X, Y)
    assert model.certificate_.error(encode(X, Y).problem) <= 1e-6
    assert not verify(model, X, Y[::-1]).holds
    model.estimators_[1].coef_[0] += 1.0
    assert not verify(model, X, Y).holds


def test_the_code_of_pairs_by_hamming_distance_is_a_vote_and_that_of_the_rest_by_loss_the_largest_score():
    by_code = ErrorCorrectingCode(LinearSVM(), one_vs_one(5)).fit(X, Y)
    new = RANDOM.standard_normal((500, 3)) * 4.0
    assert np.array_equal(by_code.predict(new), OneVsOne(LinearSVM()).fit(X, Y).predict(new))
    likely = GaussianNB()  # p - 1/2 is always where the hinge loss is linear
    rest, code = OneVsRest(likely).fit(X, Y), ErrorCorrectingCode(likely, one_vs_rest(5), "loss").fit(X, Y)
    assert (code.predict(new) == rest.predict(new)).mean() > 0.99  # but for sums that are equal up to rounding


@pytest.mark.parametrize("base", [LogisticRegression(), GaussianNB(), DecisionTreeClassifier(random_state=0)], ids=repr)
@pytest.mark.parametrize("decode", ["hamming", "loss"])
def test_any_classifier_will_do(base, decode):
    """With scores, or with probabilities alone."""
    model = ErrorCorrectingCode(make_pipeline(StandardScaler(), base), decode=decode).fit(X, Y)
    assert model.score(X, Y) > 0.9


def test_text_through_a_pipeline():
    texts = ["red apple", "green apple", "blue sea", "deep sea", "tall tree", "old tree"]
    labels = ["fruit", "fruit", "water", "water", "wood", "wood"]
    inner = make_pipeline(CountVectorizer(), LinearSVM())
    assert ErrorCorrectingCode(inner, "random").fit(texts, labels).predict(["apple", "sea"]).tolist() == [
        "fruit",
        "water",
    ]
    with pytest.raises((DataError, ValueError)):
        ErrorCorrectingCode(inner, "adapted").fit(texts, labels)


@pytest.mark.parametrize("kind", ["search", "adapted", "ternary"])
def test_a_whole_weight_is_the_row_so_often(kind):
    weights = np.random.default_rng(1).integers(0, 4, 80)
    model = ErrorCorrectingCode(LinearSVM(tol=1e-10), kind, "loss", length=8).fit(X, Y, sample_weight=weights)
    often = np.repeat(np.arange(80), weights)
    other = ErrorCorrectingCode(LinearSVM(tol=1e-10), kind, "loss", length=8).fit(X[often], Y[often])
    assert np.array_equal(model.code_, other.code_)
    assert np.allclose(model.coef_, other.coef_, atol=1e-6)
    assert verify(model, X, Y, sample_weight=weights)


def test_a_class_without_weight_is_not_there():
    weights = np.where(Y == "elm", 0.0, 1.0)
    for kind in KINDS:
        model = ErrorCorrectingCode(LinearSVM(), kind).fit(X, Y, sample_weight=weights)
        other = ErrorCorrectingCode(LinearSVM(), kind).fit(X[Y != "elm"], Y[Y != "elm"])
        assert model.classes_.tolist() == ["ash", "birch", "fir", "oak"]
        assert np.array_equal(model.code_, other.code_)
        assert np.allclose(model.coef_, other.coef_)
    five = one_vs_rest(5)
    with pytest.raises(
        OptionError, match="has 5 rows, and there are 4 classes. It needs a row for each class that has"
    ):
        ErrorCorrectingCode(LinearSVM(), five).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("kind", ["search", "adapted", "ternary", "bch"])
@pytest.mark.parametrize(
    "form", [sparse.csr_array, sparse.coo_array, pd.DataFrame, np.float32], ids=lambda f: f.__name__
)
def test_rows_of_any_storage(kind, form):
    frame = form(X) if form is not pd.DataFrame else pd.DataFrame(X, columns=["a", "b", "c"])
    model = ErrorCorrectingCode(LinearSVM(), kind).fit(frame, Y)
    plain = ErrorCorrectingCode(LinearSVM(), kind).fit(X, Y)
    assert np.array_equal(model.code_, plain.code_)
    assert np.array_equal(model.predict(frame), plain.predict(X))
    if form is pd.DataFrame:
        assert model.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("kind", [*KINDS, [[1], [-1]], [[-1], [1]]], ids=str)
def test_two_classes_are_one_plane(kind):
    two = np.isin(Y, ["ash", "oak"])
    model, alone = ErrorCorrectingCode(LinearSVM(), kind).fit(X[two], Y[two]), LinearSVM().fit(X[two], Y[two])
    assert np.allclose(model.decision_function(X), alone.decision_function(X), atol=1e-5)
    assert np.array_equal(model.predict(X), alone.predict(X))
    assert (len(model.estimators_), model.n_corrected_) == (1, 0)
    likely = Calibrated(ErrorCorrectingCode(LinearSVM(), kind)).fit(X[two], Y[two])
    assert likely.score(X[two], Y[two]) == alone.score(X[two], Y[two])


def hundred_classes():
    random = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 2)[:-1]  # the last class has a single row
    return random.standard_normal((100, 200))[y] + random.standard_normal((199, 200)), y


@pytest.mark.parametrize("kind", ["search", "ternary"])
def test_a_hundred_classes_one_of_which_has_a_single_row(kind):
    rows, labels = hundred_classes()
    model = ErrorCorrectingCode(LinearSVM(), kind).fit(rows, labels)
    assert model.score(rows, labels) == 1.0  # more features than rows
    assert model.minimum_distance_ >= 20
    assert re.search(r"\d, \d+ and \d\d more against \d+, .* more:", str(model.certificate_))


def test_parts_of_the_rows_are_decoded_one_after_the_other(monkeypatch):
    """Where all scores together would be many."""
    model, pairs = ErrorCorrectingCode(LinearSVM()).fit(X, Y), OneVsOne(LinearSVM()).fit(X, Y)
    whole = model.decision_function(X), pairs.decision_function(X)
    monkeypatch.setattr(reduction, "MAX_SCORES", 100)
    assert np.allclose(model.decision_function(X), whole[0])
    assert np.allclose(pairs.decision_function(pd.DataFrame(X)), whole[1])


def test_random_state_draws_the_code_and_none_draws_the_same():
    fit = lambda seed: ErrorCorrectingCode(LinearSVM(), "random", length=8, random_state=seed).fit(X, Y).code_  # noqa: E731
    assert np.array_equal(fit(None), fit(None))
    assert np.array_equal(fit(3), fit(3))
    assert not np.array_equal(fit(3), fit(4))


@pytest.mark.parametrize("way", [OneVsRest, OneVsOne, ErrorCorrectingCode])
def test_jobs_of_joblib_and_threads_fit_the_same_models(way):
    """Threads of joblib will do here; its processes do the same, after some seconds of imports."""
    inner = make_pipeline(StandardScaler(), Perceptron(random_state=0, max_iter=2))
    with pytest.warns(NotCertifiedWarning) as heard:
        alone = way(inner).fit(X, Y)
    with pytest.warns(NotCertifiedWarning) as heard_apart, joblib.parallel_config("threading"):
        apart = way(inner, n_jobs=2).fit(X, Y)
    assert [str(each.message) for each in heard] == [str(each.message) for each in heard_apart]
    assert np.array_equal(alone.decision_function(X), apart.decision_function(X))
    threads, turns = way(LinearSVM()).fit(X, Y), way(LinearSVM(), n_jobs=1).fit(X, Y)
    assert np.array_equal(threads.coef_, turns.coef_)
    with pytest.raises(OptionError, match="'n_jobs' parameter must be a whole number other than 0"):
        way(LinearSVM(), n_jobs=0).fit(X, Y)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"code": "golay"}, "'code' parameter .* Got 'golay'"),
        ({"code": [[1], [-1]]}, "has 2 rows, and there are 5 classes"),
        ({"code": one_vs_rest(5), "length": 5}, "a matrix has its own. Got 5"),
        ({"decode": "softmax"}, r"'decode' .* must be one of \('hamming', 'loss'\). Got 'softmax'"),
        ({"length": 2}, "from 3 to 15 for 5 classes"),
    ],
)
def test_options_that_make_no_sense_are_refused(how, words):
    with pytest.raises(OptionError, match=words):
        ErrorCorrectingCode(LinearSVM(), **how).fit(X, Y)


@pytest.mark.parametrize(
    "model",
    [
        ErrorCorrectingCode(LinearSVM(), "ternary", "loss", length=12, random_state=3),
        ErrorCorrectingCode(make_pipeline(StandardScaler(), LinearSVM()), one_vs_rest(5)),
        OneVsOne(LinearSVM(), decision="dag"),
        Calibrated(ErrorCorrectingCode(LinearSVM(), "random")),
    ],
    ids=repr,
)
def test_files_hold_it_all(model, tmp_path):
    save(model.fit(X, Y), tmp_path / "m")
    loaded = load(tmp_path / "m")
    assert same(loaded, model)
    assert np.array_equal(loaded.decision_function(X), model.decision_function(X))
    assert verify(loaded, X, Y).holds == verify(model, X, Y).holds == ("Pipeline" not in repr(model))


@pytest.mark.parametrize(
    "model", [ErrorCorrectingCode(LinearSVM()), OneVsRest(LinearSVM()), OneVsOne(LinearSVM())], ids=repr
)
def test_files_with_a_code_that_no_fit_has_made_are_refused(model, tmp_path):
    save(model.fit(X, Y), tmp_path / "m")
    tree = json.loads((tmp_path / "m").read_text())
    del tree["checksum"]
    tree["model"]["fitted"]["code_"]["values"][:5] = [7] * 5
    (tmp_path / "m").write_text(json.dumps({**tree, "checksum": seal(tree)}))
    with pytest.raises(FormatError, match=type(model).__name__):
        load(tmp_path / "m")


def test_files_of_earlier_versions_lack_n_jobs(tmp_path):
    save(OneVsRest(LinearSVM()).fit(X, Y), tmp_path / "m")
    tree = json.loads((tmp_path / "m").read_text())
    del tree["checksum"], tree["model"]["parameters"]["n_jobs"], tree["model"]["parameters"]["verbose"]
    (tmp_path / "m").write_text(json.dumps({**tree, "checksum": seal(tree)}))
    assert load(tmp_path / "m").n_jobs is None


@pytest.mark.parametrize("kind", ["search", "ternary", "adapted"])
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibrated_probabilities_of_a_code(kind, method):
    """Columns of folds ask what those of the whole ask, though the code is drawn or adapted."""
    iris = samples.builtin("iris")
    model = Calibrated(
        ErrorCorrectingCode(LinearSVM(), kind, random_state=np.random.RandomState(5)), method, random_state=1
    )
    model.fit(iris.X, iris.labels)
    p = model.predict_proba(iris.X)
    assert len(model.maps_) == model.estimator_.code_.shape[1]
    assert np.allclose(p.sum(axis=1), 1.0)
    assert (p >= 0).all()
    assert np.array_equal(model.classes_[p.argmax(axis=1)], model.predict(iris.X))
    assert model.score(iris.X, iris.labels) > 0.9
    true = p[np.arange(150), np.unique(iris.labels, return_inverse=True)[1]]
    assert -np.log(np.maximum(true, 1e-12)).mean() < 0.5
    assert verify(model, iris.X, iris.labels)
    assert isinstance(model.estimator.code, str), "the options stay as they were"
