"""The comparison as a whole: what is known in advance must come out."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from separatrix import Comparison, DataError, LinearSVM, OptionError, Perceptron, compare
from separatrix.estimators.registry import algorithms

SOME = ["perceptron, online", "least squares", "linear SVM", "logistic discrimination"]


def blobs(n=120, d=3, k=2, shift=1.5, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % k
    return rng.standard_normal((n, d)) + shift * y[:, None], y


class Oracle(ClassifierMixin, BaseEstimator):
    """Knows every answer, as the first column holds it, but is wrong where the second column is 1."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[np.where(X[:, 1] == 1, 1 - X[:, 0], X[:, 0]).astype(int)]


class Recorder(TransformerMixin, BaseEstimator):
    """Says which rows it was fitted to, by their first number, and with which labels."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y=None):
        Recorder.seen.append((np.asarray(X)[:, 0].astype(int), np.asarray(y)))
        self.fitted_ = True
        return self

    def transform(self, X):
        return np.asarray(X, dtype=float)


class Talker(ClassifierMixin, BaseEstimator):
    """Warns, and fails where told."""

    def __init__(self, problem=None):
        self.problem = problem

    def fit(self, X, y):
        import warnings

        warnings.warn("I am not sure.", UserWarning, stacklevel=1)
        if self.problem is not None:
            raise self.problem
        self.label_ = y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.label_)


def test_an_estimator_with_a_known_error_has_that_error():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    wrong = rng.permutation(np.arange(200) < 23).astype(float)
    comparison = compare(np.column_stack([y, wrong]), np.array(["no", "yes"])[y], algorithms={"oracle": Oracle()},
                         preparation="none")  # fmt: skip
    entry = comparison.best
    assert entry.mean == pytest.approx(23 / 200)
    of_no, of_yes = (int(wrong[y == label].sum()) for label in (0, 1))
    assert of_no != of_yes
    assert entry.confusion.tolist() == [[100 - of_no, of_no], [of_yes, 100 - of_yes]]
    assert (entry.predictions != np.array(["no", "yes"])[y]).tolist() == (wrong == 1).tolist()
    assert entry.low < 23 / 200 < entry.high


def test_the_preparation_sees_the_training_rows_alone_and_once():
    Recorder.seen = []
    X, y = np.column_stack([np.arange(60.0), np.random.default_rng(0).standard_normal(60)]), np.arange(60) % 3
    classifiers = {"tree": DecisionTreeClassifier(max_depth=2), "neighbours": KNeighborsClassifier(3)}
    compare(X, y, algorithms=classifiers, preparation=Recorder(), cv=4, repeats=2)
    assert len(Recorder.seen) == 8
    for seen, labels in Recorder.seen:
        assert seen.size == 45
        assert labels.tolist() == (seen % 3).tolist()
    for first in (0, 4):  # every row is left out once in each repeat
        times = np.bincount(np.concatenate([seen for seen, _ in Recorder.seen[first : first + 4]]))
        assert times.tolist() == [3] * 60


def test_standardising_is_done_inside_the_folds():
    X, y = blobs()
    X[:, 0] *= 1e6
    inside = compare(X, y, algorithms={"nearest": KNeighborsClassifier(5)}, preparation=None)
    by_hand = compare(X, y, algorithms={"nearest": make_pipeline(StandardScaler(), KNeighborsClassifier(5))},
                      preparation="none")  # fmt: skip
    raw = compare(X, y, algorithms={"nearest": KNeighborsClassifier(5)}, preparation="none")
    assert inside.best.errors.tolist() == by_hand.best.errors.tolist() != raw.best.errors.tolist()
    assert isinstance(inside.pipeline().fit(X, y).predict(X), np.ndarray)


@pytest.mark.parametrize("seed", range(4))
def test_random_labels_are_half_wrong_and_nothing_is_found(seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(150) % 2)
    comparison = compare(rng.standard_normal((150, 4)), y, algorithms=SOME, random_state=seed)
    assert comparison.entry("least squares").low < 0.5 < comparison.entry("least squares").high
    assert not any(entry.differs for entry in comparison.rows)
    assert comparison.notes[-1].startswith("No method is shown to be better")


def test_a_real_difference_is_found():
    X, y = load_breast_cancer(return_X_y=True)
    comparison = compare(X, y, algorithms={"svm": LinearSVM(), "stump": DecisionTreeClassifier(max_depth=1)})
    assert [entry.name for entry in comparison.rows] == ["svm", "stump", "most frequent class"]
    assert comparison.entry("stump").differs
    assert comparison.baseline.mean == pytest.approx(212 / 569, abs=1e-4)
    assert comparison.baseline.differs


def test_the_same_table_twice_and_another_for_another_seed():
    X, y = blobs(n=60, shift=0.8, k=3)
    first, second = (compare(X, y, cv=3) for _ in range(2))
    assert first == second
    assert str(first.without_times()) == str(second.without_times())
    assert json.dumps(first.without_times().to_dict(), allow_nan=False)
    assert first != compare(X, y, cv=3, random_state=1, algorithms=SOME)
    assert [entry.name for entry in first.ranked if entry.failure] == []
    assert len(first.ranked) == len(algorithms("classification"))


def test_leaving_methods_out_changes_nothing_for_the_others():
    X, y = blobs(shift=0.8)
    few, fewer = compare(X, y, algorithms=[*SOME, "pocket"]), compare(X, y, algorithms=["pocket", "linear SVM"])
    for name in ("pocket", "linear SVM"):
        assert few.entry(name).predicted.tolist() == fewer.entry(name).predicted.tolist()
        assert few.entry(name).errors.tolist() == fewer.entry(name).errors.tolist()


def test_failures_and_warnings_are_entries_and_nothing_is_emitted(recwarn):
    X, y = blobs()
    classifiers = {"good": LinearSVM(), "bad": Talker(RuntimeError("out of ideas")), "constant": Talker()}
    comparison = compare(X, y, algorithms=classifiers)
    assert not recwarn.list
    assert [entry.name for entry in comparison.rows] == ["good", "constant", "bad", "most frequent class"]
    assert comparison.entry("bad").failure == "RuntimeError: out of ideas (fold 1 of 5)"
    assert np.isnan(comparison.entry("bad").mean)
    assert comparison.entry("constant").warnings == ("UserWarning in 5 of 5 folds: I am not sure.",)
    assert "Failed: bad. RuntimeError: out of ideas" in str(comparison)
    assert comparison.entry("bad").confusion.sum() == 0
    json.dumps(comparison.to_dict(), allow_nan=False)


def test_a_table_of_failures_alone_is_a_table():
    comparison = compare(*blobs(), algorithms={"bad": Talker(ValueError("no"))})
    assert comparison.best is comparison.chosen is comparison.baseline
    assert "No method has a result." in str(comparison)


def test_an_interruption_passes():
    with pytest.raises(KeyboardInterrupt):
        compare(*blobs(), algorithms={"slow": Talker(KeyboardInterrupt())})


def test_labels_that_are_none_of_the_classes_are_a_failure():
    class Strange(Talker):
        def predict(self, X):
            return np.full(len(X), 7)

    assert "label 7" in compare(*blobs(), algorithms={"strange": Strange()}).rows[0].failure


def test_certificates_are_summed_up():
    X, y = blobs(n=60, shift=8.0)
    comparison = compare(X, y, algorithms=["perceptron, online", "least mean squares", "linear SVM"])
    separator = comparison.entry("perceptron, online").proofs
    assert (separator.kind, separator.all_proved, separator.worst) == ("Separator", True, 0.0)
    assert comparison.entry("least mean squares").proofs.proved == 0
    assert str(comparison.entry("least mean squares").proofs.answer) == "no"
    assert 0 <= comparison.entry("linear SVM").proofs.worst <= 1e-6
    several = compare(*load_iris(return_X_y=True), algorithms=["linear SVM"]).best.proofs
    assert (several.kind, several.all_proved) == ("DualityGap", True)
    piped = compare(X, y, algorithms={"piped": make_pipeline(StandardScaler(), Perceptron())}, preparation="none")
    assert piped.best.proofs.kind == "Separator"


def test_that_classes_overlap_is_no_proof_of_a_fit():
    X, y = blobs(n=60, shift=0.2)
    comparison = compare(X, y, algorithms=["Ho-Kashyap", "linear SVM"])
    proofs = comparison.entry("Ho-Kashyap").proofs
    assert (proofs.kind, proofs.proved, proofs.worst, str(proofs)) == ("Overlap", 0, 0.0, "not proved")
    assert comparison.entry("linear SVM").proofs.all_proved
    assert comparison.chosen.name == "linear SVM"
    apart = compare(*blobs(n=60, shift=8.0), algorithms=["Ho-Kashyap"]).best.proofs
    assert (apart.kind, apart.all_proved) == ("Separator", True)


def test_ties_go_to_the_registry_and_the_choice_to_the_proof():
    X, y = blobs(n=60, shift=8.0)
    comparison = compare(X, y)
    equal = [entry for entry in comparison.ranked if entry.mean == 0.0]
    assert len(equal) > 5
    assert [entry.position for entry in equal] == sorted(entry.position for entry in equal)
    reversed_order = compare(X, y, algorithms={"foreign": LogisticRegression(), "ours": LinearSVM()})
    assert reversed_order.best.name == "foreign"
    assert reversed_order.chosen.name == "ours"


def test_foreign_estimators_take_part_and_get_a_seed():
    X, y = blobs(n=100, k=3, shift=1.0)
    classifiers = {
        "forest tree": DecisionTreeClassifier(max_features=1),
        "kept": DecisionTreeClassifier(random_state=5),
    }
    first, second = (compare(X, y, algorithms=classifiers) for _ in range(2))
    assert first == second
    assert classifiers["forest tree"].random_state is None
    assert first.entry("kept").estimator.random_state == 5
    online = compare(X, y, algorithms=["perceptron, online", "pocket"], cv=2)
    assert len({entry.estimator.random_state for entry in online.ranked}) == 2
    assert first.best.proofs is None
    assert str(first).splitlines()[3].endswith(" no")


@pytest.mark.parametrize("width", [80])
def test_the_text_fits_the_terminal(width):
    text = str(compare(*blobs(shift=0.5), algorithms={"a very long name of a method, longer than that": LinearSVM()}))
    assert max(map(len, text.splitlines())) <= width
    assert "…" in text


def test_rich_prints_the_same_rows(capsys):
    import rich

    comparison = compare(*blobs(), algorithms=SOME)
    rich.print(comparison)
    printed = capsys.readouterr().out
    assert all(entry.name.split()[0] in printed for entry in comparison.rows)
    assert isinstance(comparison, Comparison)


def test_sparse_rows_are_left_as_they_are():
    X, y = blobs(n=100)
    dense = compare(X, y, algorithms=SOME, preparation="none")
    rows = compare(sparse.coo_array(X), y, algorithms=SOME)
    assert rows.preparation is None
    for name in SOME[1:]:
        assert rows.entry(name).predicted.tolist() == dense.entry(name).predicted.tolist()


def test_progress_counts_to_the_end():
    said = []
    classifiers = {"good": LinearSVM(), "bad": Talker(ValueError("no"))}
    compare(*blobs(), algorithms=classifiers, cv=3, progress=lambda *each: said.append(each))
    assert said == [(1, 6, "good"), (2, 6, "good"), (3, 6, "good"), (6, 6, "bad")]


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("cv", 1, "'cv' parameter must be a whole number of at least 2. Got 1"),
        ("repeats", 0, "'repeats' parameter must be"),
        ("sample", 0, "'sample' parameter must be"),
        ("time_limit", -1, "'time_limit' parameter must be"),
        ("preparation", "scale", "'preparation' parameter must be a transformer, 'none' or None. Got 'scale'"),
        ("preparation", StandardScaler, "must be an unfitted transformer"),
        ("algorithms", ["linear svn"], "no algorithm 'linear svn' .did you mean 'linear SVM'"),
        ("algorithms", "linear SVM", "list of names"),
        ("algorithms", [], "names no algorithm"),
        ("algorithms", {}, "is empty"),
        ("algorithms", {"svm": LinearSVM}, r"Make one: LinearSVM\(\)"),
    ],
)
def test_options_are_checked(option, value, message):
    with pytest.raises(OptionError, match=message):
        compare(*blobs(), **{option: value})


def test_numbers_that_are_missing_are_refused_unless_prepared():
    from sklearn.impute import SimpleImputer

    X, y = blobs()
    X[3, 1] = np.nan
    with pytest.raises(DataError, match="NaN"):
        compare(X, y)
    filled = compare(X, y, algorithms=SOME, preparation=make_pipeline(SimpleImputer(), StandardScaler()))
    assert all(not entry.failure for entry in filled.rows)
