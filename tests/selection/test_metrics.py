"""What methods are ranked by: the figures of scikit-learn, of predictions made on the same folds."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import metrics as peers
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GroupKFold, KFold, RepeatedKFold, ShuffleSplit, cross_val_score

from separatrix import LinearSVM, LogisticClassifier, OptionError, Perceptron, compare
from separatrix.selection.measures.metrics import Judged, loss_limits, metric_of


def rare(n=400, k=2, seed=0):
    """Overlapping classes, the last of them rare."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 8 == 0, k - 1, np.arange(n) % (k - 1))
    return rng.standard_normal((n, 3)) + 1.2 * y[:, None], y


TWO, THREE = rare(), rare(k=3)
PEERS = {
    "balanced": lambda y, p, s: peers.balanced_accuracy_score(y, p),
    "f1": lambda y, p, s: peers.f1_score(y, p, average="binary" if len(set(y)) == 2 else "macro"),
    "recall": lambda y, p, s: peers.recall_score(y, p, average="binary" if len(set(y)) == 2 else "macro"),
    "auc": lambda y, p, s: (
        peers.roc_auc_score(y, s)
        if s.ndim == 1
        else np.mean([peers.roc_auc_score(y == c, s[:, c]) for c in range(s.shape[1])])
    ),
}


@pytest.mark.parametrize("data", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", PEERS)
def test_values_are_those_of_scikit_learn(name, data):
    X, y = data
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    found = compare(X, y, scoring=name, cv=folds, preparation="none", algorithms={"svm": LinearSVM()}).best
    for (train, test), loss in zip(folds, found.errors, strict=True):
        model = LinearSVM().fit(X[train], y[train])
        value = PEERS[name](y[test], model.predict(X[test]), model.decision_function(X[test]))
        assert 1.0 - loss == pytest.approx(value, abs=1e-12)
    assert found.score == pytest.approx(1.0 - found.errors.mean())
    assert found.low <= found.mean <= found.high


@pytest.mark.parametrize("data", [TWO, THREE], ids=["two", "three"])
def test_the_log_loss_is_that_of_scikit_learn_and_needs_probabilities(data):
    X, y = data
    folds = list(KFold(4, shuffle=True, random_state=0).split(X))
    methods = {"logistic": LogisticClassifier(), "svm": LinearSVM()}
    found = compare(X, y, scoring="logloss", cv=folds, preparation="none", algorithms=methods)
    for (train, test), loss in zip(folds, found.best.errors, strict=True):
        model = LogisticClassifier().fit(X[train], y[train])
        assert loss == pytest.approx(peers.log_loss(y[test], model.predict_proba(X[test])), rel=1e-12)
    assert found.left_out == {"svm": "without probabilities, which a log loss needs"}
    parts = [np.bincount(y[train]) / train.size for train, _ in folds]
    of_parts = [
        peers.log_loss(y[test], np.tile(part, (test.size, 1))) for (_, test), part in zip(folds, parts, strict=True)
    ]
    assert found.baseline.errors == pytest.approx(of_parts)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_brier_score", peers.make_scorer(peers.fbeta_score, beta=2.0)])
@pytest.mark.parametrize(
    ("cv", "groups"),
    [(KFold(3), None), (ShuffleSplit(7, random_state=1), None), (GroupKFold(4), np.arange(400) % 13)],
    ids=["folds", "splits that overlap", "groups"],
)
def test_scorers_and_splitters_of_scikit_learn(scoring, cv, groups):
    X, y = TWO
    model = LogisticClassifier()
    found = compare(X, y, scoring=scoring, cv=cv, groups=groups, preparation="none", algorithms={"one": model})
    by_peer = cross_val_score(model, X, y, scoring=scoring, cv=cv, groups=groups)
    assert (-found.best.errors).tolist() == pytest.approx(by_peer.tolist(), abs=1e-12)
    assert found.best.score == pytest.approx(by_peer.mean())
    assert found.n_folds == len(by_peer)


@pytest.mark.parametrize("name", sorted(peers.get_scorer_names()))
def test_the_limits_of_scorers_hold_the_best_and_the_worst_predictions(name):
    limits = loss_limits(name)
    if limits is None or name.startswith("neg_"):
        return
    score = peers.get_scorer(name)._score_func
    truth = np.array([0, 1, 0, 1])
    best, worst = (score(truth, found) for found in (truth, 1 - truth))
    assert (best, limits[0]) == (1.0, -1.0)
    assert -limits[1] <= worst < 1.0


def test_no_interval_of_an_auc_goes_beyond_1():
    X, y = load_breast_cancer(return_X_y=True)
    row = compare(X, y, cv=KFold(4), scoring="roc_auc", algorithms={"svm": LinearSVM()}).best
    assert row.errors.mean() - 2.0 * row.errors.std() < -1.0  # what an interval without limits would hold
    assert (row.low, row.high < 0.0) == (-1.0, True)
    told = row.to_dict()  # scores beside their interval, not beside that of the loss
    assert told["score_interval"] == [-row.high, 1.0]
    assert told["score_interval"][0] < told["score"] < 1.0


def test_every_prediction_of_a_splitter_is_kept_and_rows_never_tested_have_none():
    X, y = TWO
    cv = RepeatedKFold(n_splits=4, n_repeats=3, random_state=0)
    assert compare(X, y, cv=cv, algorithms={"svm": LinearSVM()}).best.predicted.shape == (3, 400)
    splits = [(np.arange(100, 400), np.arange(50)), (np.arange(50, 300), np.arange(300, 350))]
    few = compare(X, y, cv=splits, algorithms={"svm": LinearSVM()}).best
    tested = np.zeros(400, dtype=bool)
    tested[[*range(50), *range(300, 350)]] = True
    assert (few.predicted[0] >= 0).tolist() == tested.tolist()
    assert few.confusion.sum() == 100
    assert np.isnan(few.wrong).tolist() == (~tested).tolist()


def test_groups_stay_together():
    X, y = TWO
    groups = np.arange(400) // 20
    rows = np.column_stack([groups, np.arange(400)]).astype(float)

    class Spy(LinearSVM):
        def fit(self, X, y, sample_weight=None):
            self.seen_ = set(np.unique(X[:, 0]))
            return super().fit(X, y)

        def predict(self, X):
            assert not self.seen_ & set(X[:, 0])
            return super().predict(X)

    found = compare(rows, y, cv=5, groups=groups, preparation="none", algorithms={"spy": Spy()})
    assert not found.rows[0].failure
    assert "Rows of one group stay together, of 20 groups." in found.notes
    with pytest.raises(OptionError, match="cv=5 folds need as many groups. Got 3 groups."):
        compare(X, y, groups=np.arange(400) % 3)


def test_the_class_that_is_looked_for():
    words, counts = np.array(["fraud", "ok"]), np.array([5, 95])
    assert metric_of("recall", words, counts).title == "recall of fraud", "the rarer one"
    assert metric_of("recall", np.array([0, 1]), counts).positive == 1, "1 beside 0, as everywhere"
    assert metric_of("recall", np.array(["-1", "1"]), counts).positive == 1
    assert metric_of("f1", words, counts, positive="ok").positive == 1
    assert metric_of("f1", np.array([10, 20, 30]), np.array([1, 1, 1]), positive="20").positive == 1
    assert metric_of("recall", np.arange(3), np.array([1, 1, 1])).positive is None
    with pytest.raises(OptionError, match="no class 'x' to look for"):
        metric_of("recall", words, counts, positive="x")
    with pytest.raises(OptionError, match="'scoring' parameter must be one of error, balanced"):
        compare(*TWO, scoring="goodness")
    with pytest.raises(OptionError, match=r"names of your own, as in algorithms=\{'mine': LinearSVM"):
        compare(*TWO, algorithms=[LinearSVM()])


def test_recall_is_tested_on_the_rows_of_its_class():
    X, y = TWO
    found = compare(
        X, y, scoring="recall", algorithms={"plain": LinearSVM(), "equal": LinearSVM(class_weight="balanced")}
    )
    entry = found.best
    own = y == 1
    assert entry.name == "equal"
    assert entry.recall[1] == pytest.approx(np.mean(entry.predicted[0][own] == 1))
    assert entry.precision[1] == pytest.approx(peers.precision_score(y, entry.predicted[0]))
    assert entry.error_rate == pytest.approx(np.mean(entry.predicted[0] != y))
    lines = str(found).splitlines()
    assert " recall %" in lines[2]
    assert "error %" in lines[2]
    assert f"{100 * entry.score:.2f}" in lines[3]
    assert found.baseline.score == 0.0


def test_class_weights_are_given_to_all_that_take_them():
    X, y = TWO
    methods = {"svm": LinearSVM(), "perceptron": Perceptron()}
    found = compare(X, y, class_weight="balanced", algorithms=methods, preparation="none")
    assert found.left_out == {"perceptron": "without class weights"}
    assert found.best.estimator.class_weight == "balanced"
    mapped = compare(X, y, class_weight={"1": 7.0}, algorithms={"svm": LinearSVM()}, preparation="none").best
    assert mapped.estimator.class_weight == {0: 1.0, 1: 7.0}
    by_hand = compare(X, y, algorithms={"svm": LinearSVM(class_weight={0: 1.0, 1: 7.0})}, preparation="none").best
    assert mapped.predicted.tolist() == by_hand.predicted.tolist()
    with pytest.raises(OptionError, match="no class 'x' to weight"):
        compare(X, y, class_weight={"x": 2.0})
    with pytest.raises(OptionError, match="'class_weight' parameter must be"):
        compare(X, y, class_weight="equal")


def test_tuned_methods_choose_by_the_metric():
    X, y = rare(160)
    found = compare(X, y, scoring="balanced", algorithms=["kernel SVM"])
    assert found.best.estimator.get_params().get("metric") is None, "tuned in a study only"
    from separatrix.selection.compare import compare_on
    from separatrix.selection.prepared_folds import split_data
    from separatrix.selection.trials import TimeBudget

    how = {"cv": 3, "repeats": 1, "preparation": None, "sample": None, "random_state": 0}
    split = split_data(X, y, **how, scoring="balanced")
    tuned = compare_on(split, ["kernel SVM"], TimeBudget(None), tune=True).best.estimator
    assert tuned.metric.name == "balanced"
    _, grid = clone(tuned).chosen(X, y)
    _, plain = clone(tuned).set_params(metric=metric_of("error")).chosen(X, y)
    assert grid.errors.tolist() != plain.errors.tolist()
    assert grid.errors.max() > 2.5 * plain.errors.max(), "rows of the rare class count seven times as much"


def test_other_processes_give_the_same_table():
    X, y = TWO
    alone, together = (compare(X, y, algorithms=["linear SVM", "least squares"], n_jobs=jobs) for jobs in (None, 2))
    for one, two in zip(alone.rows, together.rows, strict=True):
        assert one.name == two.name
        assert one.predicted.tolist() == two.predicted.tolist()
    failed = compare(X, y, algorithms={"bad": LinearSVM(C=-1.0)}, n_jobs=2).rows[0]
    assert failed.failure.startswith("OptionError: ")


def test_regressors_take_scorers_splitters_and_groups():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 2))
    y = X @ [1.0, -2.0] + 0.3 * rng.standard_normal(90)
    from sklearn.linear_model import LinearRegression

    cv = ShuffleSplit(4, random_state=0)
    how = {"task": "regression", "preparation": "none", "algorithms": {"ols": LinearRegression()}}
    found = compare(X, y, scoring="r2", cv=cv, n_jobs=2, **how)
    by_peer = cross_val_score(LinearRegression(), X, y, scoring="r2", cv=cv)
    assert (-found.best.errors).tolist() == pytest.approx(by_peer.tolist())
    assert "r2" in str(found).splitlines()[2].split()
    grouped = compare(X, y, groups=np.arange(90) // 9, **how)
    by_group = cross_val_score(LinearRegression(), X, y, scoring="neg_mean_absolute_error", cv=GroupKFold(5),
                               groups=np.arange(90) // 9)  # fmt: skip
    assert sorted(grouped.best.errors) == pytest.approx(sorted(-by_group))
    with pytest.raises(OptionError, match="'class_weight' parameter is about classes"):
        compare(X, y, task="regression", class_weight="balanced")


def test_a_table_is_a_frame_and_a_page_of_a_notebook():
    X, y = TWO
    found = compare(X, y, scoring="f1", algorithms={"<svm>": LinearSVM(), "bad": LinearSVM(C=-1.0)})
    frame = found.to_frame()
    assert frame["algorithm"].tolist() == [entry.name for entry in found.rows]
    assert frame["f1"][0] == found.best.score
    assert (frame["low"][0], frame["high"][0]) == (1.0 - found.best.high, 1.0 - found.best.low)
    assert frame["recall of 1"][0] == found.best.recall[1]
    assert frame["failure"][1] == found.rows[1].failure
    page = found._repr_html_()
    assert "&lt;svg&gt;" not in page
    assert "&lt;svm&gt;" in page
    assert "<svm>" not in page
    rng = np.random.default_rng(0)
    numbers = compare(X, X @ [1.0, 1.0, 0.0] + rng.standard_normal(400), task="regression", algorithms=["linear SVR"])
    assert numbers.to_frame()["mean_absolute_error"].tolist() == [entry.mean for entry in numbers.rows]
    assert "<table>" in numbers._repr_html_()


def test_a_time_limit_gives_the_same_methods_whatever_the_clock(monkeypatch):
    X, y = TWO
    first = compare(X, y, time_limit=2.0)
    ticks = iter(range(0, 10**9, 1000))  # a machine that is so busy that every look at the clock is far too late
    clock = SimpleNamespace(perf_counter=lambda: float(next(ticks)))
    monkeypatch.setattr("separatrix.selection.trials.time", clock)
    second = compare(X, y, time_limit=2.0)
    assert first == second
    assert len(first.ranked) > 5
    assert first.left_out
    names = {entry.name for entry in first.ranked}
    assert {"linear SVM", "logistic discrimination"} <= names
    more = {entry.name for entry in compare(X, y, time_limit=20.0).ranked}
    assert names < more


@pytest.mark.parametrize(
    ("name", "peer"),
    [
        ("error", lambda y, said, scores, w: 1 - peers.accuracy_score(y, said, sample_weight=w)),
        ("balanced", lambda y, said, scores, w: 1 - peers.balanced_accuracy_score(y, said, sample_weight=w)),
        ("recall", lambda y, said, scores, w: 1 - peers.recall_score(y, said, sample_weight=w)),
        ("f1", lambda y, said, scores, w: 1 - peers.f1_score(y, said, sample_weight=w)),
        ("auc", lambda y, said, scores, w: 1 - peers.roc_auc_score(y, scores, sample_weight=w)),
        ("accuracy", lambda y, said, scores, w: -peers.accuracy_score(y, said, sample_weight=w)),
        ([[0, 1], [1, 0]], lambda y, said, scores, w: 1 - peers.accuracy_score(y, said, sample_weight=w)),
    ],
    ids=["error", "balanced", "recall", "f1", "auc", "accuracy", "costs"],
)
def test_weighted_values_are_those_of_scikit_learn(name, peer):
    """With scores of one digit, so that many are tied."""
    X, y = TWO
    model, weights = LinearSVM().fit(X, y), np.random.default_rng(0).uniform(0.0, 3.0, y.size)
    tied = SimpleNamespace(
        predict=model.predict,
        decision_function=lambda X: np.round(model.decision_function(X), 1),
        classes_=np.arange(2),
    )
    said, scores = model.predict(X), tied.decision_function(X)
    for w in (None, weights):
        judged = Judged(model if name == "accuracy" else tied, X, y, y, said, np.arange(2), w)
        assert metric_of(name, np.arange(2)).loss(judged) == pytest.approx(peer(y, said, scores, w), abs=1e-12)
