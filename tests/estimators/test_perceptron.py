"""The Perceptron as an estimator: what it refuses, what it warns of, and learning in parts."""

import pickle
import signal
import subprocess
import sys
import threading
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from separatrix import DataError, NotCertifiedWarning, OptionError, Perceptron
from separatrix.data import samples
from separatrix.errors import at_most

GATE = samples.logic_gate("OR")
IRIS = samples.builtin("iris")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (
            {"update": "sometimes"},
            "'update' parameter of Perceptron must be 'online', 'batch' or 'minibatch'. Got 'sometimes'",
        ),
        ({"learning_rate": 0}, "Got 0"),
        ({"learning_rate": "optimal"}, "Got 'optimal'"),
        ({"max_iter": 0}, "whole number of at least 1. Got 0"),
        ({"max_iter": 2.5}, "Got 2.5"),
        ({"start": [1, 2]}, r"\[w..., b\] as finite numbers of shape \(3,\). Got \[1, 2\]"),
        ({"start": [1, 2, np.nan]}, "finite numbers of shape .*Got .1, 2, nan."),
        ({"start": "zero"}, "Got 'zero'"),
        ({"shuffle": "yes"}, "'shuffle' parameter of Perceptron must be True or False. Got 'yes'"),
        ({"record": 3}, "'record' parameter"),
        ({"fit_intercept": None}, "'fit_intercept' parameter"),
        ({"start": [1, 2, 3], "fit_intercept": False}, r"\[w...\] as finite numbers of shape \(2,\)"),
    ],
)
def test_bad_options(options, match):
    with pytest.raises(OptionError, match=match):
        Perceptron(**options).fit(GATE.X, GATE.labels)


def test_bad_start_for_several_classes():
    with pytest.raises(OptionError, match=r"of shape \(3, 5\). Got array"):
        Perceptron(start=np.zeros(5)).fit(IRIS.X, IRIS.labels)


@pytest.mark.parametrize("update", ["online", "batch"])
def test_overlap_is_warned_of_once_with_figures(update):
    table = samples.gaussian_pair(0.5, 100, seed=0)
    with pytest.warns(NotCertifiedWarning) as caught:
        model = Perceptron(update=update, max_iter=20, random_state=0).fit(table.X, table.labels)
    assert len(caught) == 1
    assert caught[0].filename == __file__, "it points at the user's call"
    message = str(caught[0].message)
    assert "max_iter=20" in message
    assert "mistakes in its last pass" in message
    assert "classes may overlap" in message
    wrong = 100 - round(100 * model.score(table.X, table.labels))
    assert f"{wrong} of 100 rows are on the wrong side, the worst by {at_most(model.certificate_.stated, 3)}" in message
    assert model.certificate_.stated > 0
    assert model.n_iter_ == 20


def test_the_mistakes_of_the_last_pass_are_those():
    table = samples.gaussian_pair(0.5, 100, seed=0)
    with pytest.warns(NotCertifiedWarning) as caught:
        model = Perceptron(shuffle=False, max_iter=20, record=True).fit(table.X, table.labels)
    last = np.count_nonzero(model.trace_.t > 19 * 100)
    assert f"with {last} mistakes in its last pass" in str(caught[0].message)


def test_no_warning_if_the_last_pass_ends_with_a_plane_that_separates():
    """One pass over these four rows ends with such a plane, though nobody presented the rows again."""
    X, y = [[-1, 0], [0, 1], [0, -1], [1, 0]], [1, 1, -1, -1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Perceptron(shuffle=False, max_iter=1).fit(X, y).certificate_.stated == 0.0


def test_without_offset():
    model = Perceptron(fit_intercept=False, random_state=0).fit([[2.0, 1.0], [1.0, 2.0]], ["right", "up"])
    assert model.intercept_.tolist() == [0.0]
    assert model.certificate_.stated == 0.0


def test_a_row_on_the_plane_is_called_that():
    with pytest.warns(
        NotCertifiedWarning, match="1 of 2 rows are on the wrong side, the worst lies on the plane itself"
    ):
        Perceptron(fit_intercept=False, max_iter=2).fit([[0.0], [1.0]], [0, 1])


def test_random_state_decides_the_order():
    table = samples.planted_margin(100, 5, 0.02, seed=0)[0]
    fit = lambda seed: Perceptron(random_state=seed, max_iter=10_000).fit(table.X, table.labels).coef_  # noqa: E731
    assert np.array_equal(fit(0), fit(0))
    assert not np.array_equal(fit(0), fit(1))


def test_rows_whose_weights_overflow():
    X = np.array([[1e99, 1.0], [1e99, -1.0]])
    with pytest.raises(DataError, match=r"The weights overflowed: rows are as long as 1e\+99.*Scale the features"):
        Perceptron(learning_rate=1e250).fit(X, [0, 1])


@pytest.mark.parametrize("update", ["online", "batch"])
@pytest.mark.parametrize("table", [GATE, IRIS], ids=["two classes", "several classes"])
def test_partial_fit_repeated_is_fit(table, update):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = Perceptron(update=update, shuffle=False, max_iter=3, learning_rate="inverse").fit(table.X, table.labels)
    parts = clone(whole)
    for _ in range(whole.n_iter_):
        parts.partial_fit(table.X, table.labels, classes=np.unique(table.labels))
    assert np.array_equal(parts.coef_, whole.coef_)
    assert np.array_equal(parts.intercept_, whole.intercept_)
    assert (parts.n_updates_, parts.n_iter_) == (whole.n_updates_, whole.n_iter_)


def test_partial_fit_is_not_proved():
    model = Perceptron(random_state=0).partial_fit(GATE.X, GATE.labels, classes=[-1, 1])
    assert not model.certificate_.proof
    assert "each row was presented once" in str(model.certificate_)


def test_partial_fit_on_rows_that_come_by_and_by():
    """Rows in any chunks are the same stream; a chunk may lack classes."""
    order = np.random.default_rng(0).permutation(len(IRIS.labels))
    X, y = IRIS.X[order], IRIS.labels[order]
    whole, chunks = Perceptron(shuffle=False), Perceptron(shuffle=False)
    whole.partial_fit(X, y, classes=np.unique(y))
    for first in range(0, len(y), 4):
        part = slice(first, first + 4)
        chunks.partial_fit(sparse.csr_array(X[part]), y[part], classes=np.unique(y))
    assert np.array_equal(whole.coef_, chunks.coef_)
    assert whole.n_presentations_ == chunks.n_presentations_ == len(y)


def test_partial_fit_refuses():
    model = Perceptron()
    with pytest.raises(DataError, match="classes must be passed on the first call"):
        model.partial_fit(GATE.X, GATE.labels)
    model.partial_fit(GATE.X, GATE.labels, classes=[-1, 1])
    with pytest.raises(DataError, match="differs from the classes of the first call"):
        model.partial_fit(GATE.X, GATE.labels, classes=[-1, 2])
    with pytest.raises(DataError, match="the label 7, which is not one of the classes"):
        model.partial_fit(GATE.X, [7, 1, 1, 1])
    with pytest.raises(ValueError, match="X has 1 features, but Perceptron is expecting 2"):
        model.partial_fit(GATE.X[:, :1], GATE.labels)


@pytest.mark.parametrize("rows", [[[1.0]], [[1.0, 2.0, 3.0]]])
def test_a_wrong_number_of_features_at_predict(rows):
    model = Perceptron().fit(GATE.X, GATE.labels)
    with pytest.raises(ValueError, match=f"X has {len(rows[0])} features, but Perceptron is expecting 2 features"):
        model.predict(rows)


def test_it_lives_in_pipelines_searches_and_pickles():
    table = samples.builtin("breast_cancer")
    pipeline = make_pipeline(StandardScaler(), Perceptron(max_iter=50, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)
        assert cross_val_score(pipeline, table.X, table.labels, cv=3).min() > 0.9
        search = GridSearchCV(pipeline, {"perceptron__update": ["online", "batch"]}, cv=3).fit(table.X, table.labels)
        model = search.best_estimator_
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(table.X), model.predict(table.X))


LONG = """
import numpy as np, signal
from separatrix import Perceptron
signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background may have it switched off
X = np.random.default_rng(0).standard_normal((20_000, 50))
y = np.arange(20_000) % 2
model = Perceptron(max_iter=1).partial_fit(X, y, classes=[0, 1])
for options in {options}:
    try:
        print("ready", flush=True)
        Perceptron(max_iter=10**9, **options).fit(X, y)
    except KeyboardInterrupt:
        print("interrupted", options, flush=True)
"""


def test_control_c_returns_control():
    """One fit after another in a process of their own, which each Ctrl-C ends one of."""
    ways = [{}, {"shuffle": False}, {"update": "batch"}]
    with subprocess.Popen(
        [sys.executable, "-c", LONG.format(options=ways)], stdout=subprocess.PIPE, text=True
    ) as child:
        watch = threading.Timer(60, child.kill)
        watch.start()
        try:
            for options in ways:
                assert child.stdout.readline() == "ready\n"
                child.send_signal(signal.SIGINT)
                assert child.stdout.readline() == f"interrupted {options}\n"
            assert child.wait(60) == 0
        finally:
            watch.cancel()
            child.kill()
