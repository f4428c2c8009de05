"""One against the rest and one against one, for any classifier."""

import json
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import (
    Collected,
    DataError,
    ErrorCorrectingCode,
    HoKashyapClassifier,
    LinearSVM,
    LogisticClassifier,
    NotCertifiedWarning,
    NuSVM,
    OneVsOne,
    OneVsRest,
    OptionError,
    Perceptron,
    Separator,
    encode,
    load,
    save,
    verify,
)
from separatrix.data import samples
from separatrix.estimators.store.layout import seal

WINE = samples.builtin("wine")
SCALED = StandardScaler().fit_transform(WINE.X)
PEERS = [(OneVsRest, OneVsRestClassifier), (OneVsOne, OneVsOneClassifier)]
BASES = [LogisticRegression(), make_pipeline(StandardScaler(), LogisticRegression()), GaussianNB()]


@pytest.mark.parametrize("base", BASES, ids=lambda base: type(base).__name__)
@pytest.mark.parametrize(("ours", "peer"), PEERS)
def test_it_predicts_what_scikit_learn_does(ours, peer, base):
    mine, theirs = ours(base).fit(SCALED, WINE.labels), peer(base).fit(SCALED, WINE.labels)
    assert np.array_equal(mine.predict(SCALED), theirs.predict(SCALED))
    assert len(mine.estimators_) == 3


def test_scores_of_one_against_one_are_those_of_scikit_learn():
    mine = OneVsOne(LogisticRegression()).fit(SCALED, WINE.labels).decision_function(SCALED)
    theirs = OneVsOneClassifier(LogisticRegression()).fit(SCALED, WINE.labels).decision_function(SCALED)
    assert np.allclose(mine, theirs)


@pytest.mark.parametrize("way", [OneVsRest, OneVsOne])
def test_a_classifier_with_neither_scores_nor_probabilities(way):
    class Voter(KNeighborsClassifier):
        predict_proba = property()

    model = way(Voter(1)).fit(SCALED, WINE.labels)
    assert model.score(SCALED, WINE.labels) > 0.9


@pytest.mark.parametrize("way", [OneVsRest, OneVsOne])
def test_certificates_are_collected_and_the_worst_is_reported(way):
    model = way(Perceptron(random_state=0, max_iter=5000)).fit(SCALED, WINE.labels)
    problem = encode(SCALED, WINE.labels).problem
    assert model.certificate_.error(problem) == 0.0
    assert model.certificate_.proof
    assert verify(model, SCALED, WINE.labels).holds
    assert model.coef_.shape == (3, 13)
    assert model.intercept_.shape == (3,)
    # spoil one part of three
    column, part = problem.dichotomy(model.code_[:, 1]), model.certificate_.parts[1]
    spoiled = Separator.issue(column, -part.w, -part.b)
    parts = (model.certificate_.parts[0], spoiled, model.certificate_.parts[2])
    assert Collected(model.code_, parts).error(problem) == spoiled.error(column) > 0


def test_each_pair_sees_its_two_classes_only():
    model = OneVsOne(Perceptron(random_state=0)).fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    assert model.code_.tolist() == [[-1, -1, 0], [1, 0, -1], [0, 1, 1]]
    assert [part.n_rows for part in model.certificate_.parts] == [2, 2, 2]


@pytest.mark.parametrize("way", [OneVsRest, OneVsOne])
def test_two_classes_need_one_problem(way):
    gate = samples.logic_gate("AND")
    model = way(Perceptron(shuffle=False)).fit(gate.X, gate.labels)
    alone = Perceptron(shuffle=False).fit(gate.X, gate.labels)
    assert np.array_equal(model.coef_, alone.coef_)
    assert np.array_equal(model.decision_function(gate.X), alone.decision_function(gate.X))
    assert model.predict(gate.X).tolist() == gate.labels.tolist()


def test_what_is_not_certified_is_said_once():
    iris = samples.builtin("iris")
    with pytest.warns(NotCertifiedWarning) as caught:
        OneVsRest(Perceptron(random_state=0, max_iter=10)).fit(iris.X, iris.labels)
    assert len(caught) == 1
    assert "2 of the 3 two-class problems of OneVsRest were not certified" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_other_warnings_come_through():
    with pytest.warns(UserWarning, match="lbfgs failed to converge"):
        OneVsRest(LogisticRegression(max_iter=1)).fit(WINE.X, WINE.labels)


def test_a_foreign_classifier_claims_nothing():
    model = OneVsRest(GaussianNB()).fit(SCALED, WINE.labels)
    assert not model.certificate_.proof
    assert "GaussianNB gives no certificate" in str(model.certificate_)
    with pytest.raises(AttributeError):
        _ = model.coef_


def test_text_through_a_pipeline():
    texts = ["red apple", "green apple", "blue sea", "deep sea", "tall tree", "old tree"]
    labels = ["fruit", "fruit", "water", "water", "wood", "wood"]
    for way in (OneVsRest, OneVsOne):
        model = way(make_pipeline(CountVectorizer(), Perceptron(random_state=0))).fit(texts, labels)
        assert model.predict(["apple", "sea"]).tolist() == ["fruit", "water"]


@pytest.mark.parametrize("way", [OneVsRest, OneVsOne])
def test_sample_weights_are_passed_on_with_their_rows(way):
    order = np.random.default_rng(0).permutation(len(WINE.labels))
    X, y, weights = SCALED[order], WINE.labels[order], np.linspace(0, 2, len(order))
    model = way(LogisticRegression()).fit(X, y, sample_weight=weights)
    for column, part in zip(model.code_.T, model.estimators_, strict=True):
        side = column[encode(X, y).problem.y]
        kept = np.flatnonzero(side)
        alone = LogisticRegression().fit(X[kept], side[kept], sample_weight=weights[kept])
        assert np.array_equal(part.coef_, alone.coef_)
    piped = way(make_pipeline(StandardScaler(), LogisticRegression()))
    piped.fit(X, y, logisticregression__sample_weight=weights)
    assert piped.score(X, y) > 0.9


def test_threads_leave_the_warnings_of_the_process_alone():
    before = list(warnings.filters)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: OneVsRest(Perceptron(random_state=0)).fit(SCALED, WINE.labels), range(40)))
    assert warnings.filters == before
    with pytest.warns(UserWarning, match="still heard"):
        warnings.warn("still heard", UserWarning, stacklevel=1)


def test_what_cannot_be_passed_on_is_refused():
    with pytest.raises(OptionError, match="Perceptron.fit takes no 'sample_weight'"):
        OneVsRest(Perceptron()).fit(SCALED, WINE.labels, sample_weight=np.ones(178))
    with pytest.raises(DataError, match=r"one value for each of the 178 rows. Got shape \(3,\)"):
        OneVsRest(LogisticRegression()).fit(SCALED, WINE.labels, sample_weight=np.ones(3))
    with pytest.raises(OptionError, match="must be 'vote' or 'dag'. Got 'tree'"):
        OneVsOne(Perceptron(), decision="tree").fit(SCALED, WINE.labels)
    with pytest.raises(DataError, match="1 class only: 'a'"):
        OneVsRest(Perceptron()).fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(DataError, match="X has 2 rows, but y has 3 labels"):
        OneVsOne(Perceptron()).fit([[1.0], [2.0]], ["a", "b", "c"])


def test_random_state_seeds_each_copy_differently():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = lambda seed: OneVsRest(Perceptron(max_iter=3), random_state=seed).fit(SCALED, WINE.labels)  # noqa: E731
        one, same, other = fit(0), fit(0), fit(1)
    assert np.array_equal(one.coef_, same.coef_)
    assert not np.array_equal(one.coef_, other.coef_)
    assert len({model.random_state for model in one.estimators_}) == 3
    assert one.estimator.random_state is None


def test_a_classifier_that_does_not_count_iterations():
    model = OneVsRest(RidgeClassifier()).fit(SCALED, WINE.labels)
    assert model.n_iter_ == 1


@pytest.mark.parametrize("estimator", [None, "perceptron", LinearRegression()])
def test_what_is_no_classifier_is_refused(estimator):
    with pytest.raises(OptionError, match="The 'estimator' of OneVsOne must be a classifier. Got"):
        OneVsOne(estimator).fit(SCALED, WINE.labels)


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
@pytest.mark.parametrize(
    "model", [LinearSVM(tol=1e-12), HoKashyapClassifier(), OneVsRest(LinearSVM()), OneVsOne(LinearSVM())], ids=repr
)
def test_certificates_name_classes_by_their_labels(model, tmp_path):
    y = np.unique(WINE.labels, return_inverse=True)[1] + 11
    text = str(model.fit(SCALED[:, :2], y).certificate_)
    line = next(line for line in text.splitlines() if line.startswith("The one with the largest error, class "))
    named = set(
        line.removeprefix("The one with the largest error, class ").rstrip(":").replace(" against ", ", ").split(", ")
    )
    assert named <= {"11", "12", "13"}
    assert len(named) == (2 if isinstance(model, OneVsOne) else 3)
    save(model, tmp_path / "m")
    assert str(load(tmp_path / "m").certificate_) == text


def test_a_file_without_names_of_classes_still_loads(tmp_path):
    model = OneVsRest(Perceptron(random_state=0)).fit(SCALED, WINE.labels)
    save(model, tmp_path / "m")
    tree = json.loads((tmp_path / "m").read_text())
    del tree["model"]["fitted"]["certificate_"]["fields"]["names"], tree["checksum"]
    (tmp_path / "m").write_text(json.dumps({**tree, "checksum": seal(tree)}))
    assert load(tmp_path / "m").certificate_.names is None
    assert verify(load(tmp_path / "m"), SCALED, WINE.labels)


def test_a_claim_about_classes_of_other_names_is_not_about_the_model():
    model = OneVsRest(Perceptron(random_state=0)).fit(SCALED, WINE.labels)
    assert verify(model, SCALED, WINE.labels)
    model.certificate_ = model.certificate_.named(model.classes_[::-1])
    assert verify(model, SCALED, WINE.labels).error == np.inf


@pytest.mark.parametrize("reduction", [OneVsRest, OneVsOne])
@pytest.mark.parametrize("k", [3, 4])
def test_rows_without_weight_are_as_if_they_were_not_there(reduction, k):
    rng = np.random.default_rng(0)
    y = np.arange(40) % k
    X, weights = rng.standard_normal((40, 3)) + y[:, None], np.where(y == 1, 0.0, rng.uniform(0.5, 2.0, 40))
    weights[::7] = 0.0
    there = weights > 0.0
    model = reduction(LinearSVM()).fit(X, y, sample_weight=weights)
    other = reduction(LinearSVM()).fit(X[there], y[there], sample_weight=weights[there])
    assert model.classes_.tolist() == [c for c in range(k) if c != 1]
    assert model.coef_.tolist() == other.coef_.tolist()
    assert verify(model, X, y, sample_weight=weights)
    scaled = reduction(make_pipeline(StandardScaler(), LinearSVM()))
    scaled.fit(X, y, linearsvm__sample_weight=weights)
    assert scaled.classes_.tolist() == model.classes_.tolist()
    with pytest.raises(DataError, match="zero for every row"):
        model.fit(X, y, sample_weight=np.zeros(40))
    with pytest.raises(DataError, match="1 class only: 2 in all"):
        model.fit(X, y, sample_weight=(y == 2).astype(float))


@pytest.mark.parametrize("estimator", [LinearSVM(), LogisticClassifier(), NuSVM(nu=0.2), Perceptron(random_state=0)])
@pytest.mark.parametrize("decode", ["rest", "loss"])
def test_classes_whose_scores_rounding_could_exchange_are_told_apart_however_rows_are_stored(estimator, decode):
    """The scores are 101, 101.25 and -1, but the first is 101.5 where terms are added one by one."""
    X = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 2.0, 0.0], [2.0, 0.0, 0.0]])
    code = {} if decode == "rest" else {"code": 2 * np.eye(3, dtype=int) - 1, "decode": "loss"}
    model = (OneVsRest if decode == "rest" else ErrorCorrectingCode)(estimator, **code).fit(X, [0, 1, 2, 0, 1, 2])
    scale = 1.0 if decode == "rest" else 1e-3  # hinge losses beyond 1 say nothing of the own class
    planes = [([1.0, 0.5, 1.0], 99.5), ([0.0, 0.0, 0.0], 101.25), ([0.0, 0.0, 0.0], -1.0)]
    for part, (w, b) in zip(model.estimators_, planes, strict=True):
        part.coef_, part.intercept_ = scale * np.array([w]), np.array([scale * b])
    rows = np.tile([1e16, 3.0, -1e16], (40, 1))
    for given in (rows, sparse.csr_array(rows), sparse.csc_array(rows), np.asfortranarray(rows), rows[:1]):
        assert (model.predict(given) == 1).all()
