"""A fit that takes long says so on a terminal, or where it is asked to; a part of a larger fit does not."""

import io
import sys
import time

import numpy as np
import pytest
from sklearn.base import RegressorMixin
from sklearn.linear_model import LogisticRegression

import separatrix
from separatrix import LinearSVM, LogisticClassifier, OneVsOne
from separatrix.estimators import progress_line as lines
from separatrix.estimators.registry import algorithms

X, Y = np.random.default_rng(0).standard_normal((60, 3)), np.arange(60) % 3


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def slow(monkeypatch):
    """Every solver takes a while, and nobody is patient."""
    monkeypatch.setattr(lines, "PATIENCE", 0.01)
    monkeypatch.setattr(lines, "INTERVAL", 0.01)
    for kind in (LinearSVM, LogisticClassifier):
        quick = kind._fit_posed

        def late(self, *how, quick=quick):
            time.sleep(0.2)
            return quick(self, *how)

        monkeypatch.setattr(kind, "_fit_posed", late)


@pytest.mark.parametrize("kind", [LinearSVM, LogisticClassifier])
def test_on_a_terminal_a_line_comes_and_goes(slow, monkeypatch, kind):
    monkeypatch.setattr(sys, "stderr", Terminal())
    kind().fit(X, Y == 1)
    written = sys.stderr.getvalue()
    assert f"\r{kind.__name__}: 60 rows x 3 features, 0 s so far" in written
    assert written.endswith("\r\033[K")


def test_elsewhere_only_where_it_is_asked_for(slow, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    LinearSVM().fit(X, Y == 1)
    assert sys.stderr.getvalue() == ""
    LinearSVM(verbose=True).fit(X, Y == 1)
    assert sys.stderr.getvalue().startswith("LinearSVM: 60 rows x 3 features, 0 s so far\n")
    assert "\r" not in sys.stderr.getvalue()


def test_parts_of_what_shows_its_own_progress_are_silent(slow, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with lines.no_progress_lines():
        OneVsOne(LinearSVM(verbose=True)).fit(X, Y)
    assert sys.stderr.getvalue() == ""


@pytest.mark.parametrize("base", [LinearSVM(), LogisticRegression()], ids=repr)
def test_a_reduction_counts_its_problems(slow, monkeypatch, base):
    quick = LogisticRegression.fit
    monkeypatch.setattr(LogisticRegression, "fit", lambda self, *how: (time.sleep(0.1), quick(self, *how))[1])
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    OneVsOne(base).fit(X, Y)
    assert sys.stderr.getvalue() == ""
    OneVsOne(base, verbose=True).fit(X, Y)
    assert (
        "OneVsOne: two-class problem 1 of 3, 0 s so far\n" in sys.stderr.getvalue()
        or "problem 2 of 3" in sys.stderr.getvalue()
    )
    assert "LinearSVM" not in sys.stderr.getvalue()
    monkeypatch.setattr(sys, "stderr", Terminal())
    OneVsOne(base, n_jobs=1).fit(X, Y)
    written = sys.stderr.getvalue()
    assert all(f"\rOneVsOne: two-class problem {number} of 3" in written for number in (1, 2, 3))
    assert written.endswith("\r\033[K")


def test_a_quick_fit_says_nothing(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    LinearSVM().fit(X, Y == 1)
    assert sys.stderr.getvalue() == ""


def test_a_stream_that_is_closed_or_missing_does_no_harm(slow, monkeypatch):
    closed = Terminal()
    closed.close()
    for stream in (closed, None):
        monkeypatch.setattr(sys, "stderr", stream)
        assert LinearSVM().fit(X, Y == 1).certificate_.proof


ITERATING = sorted({row.estimator for row in algorithms() if "max_iter" in row.estimator._get_param_names()}, key=str)


@pytest.mark.parametrize("kind", [kind for kind in ITERATING if "verbose" in kind._get_param_names()])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_verbose_is_heard_in_every_fit_that_iterates(monkeypatch, kind):
    said = []
    monkeypatch.setattr(lines, "show", lambda stream, title, *_: said.append(title()))
    kind(verbose=True).fit(X, X[:, 0] if issubclass(kind, RegressorMixin) else Y % 2)
    assert said == [f"{kind.__name__}: 60 rows x 3 features"]


def test_of_what_iterates_only_least_squares_has_no_verbose():
    silent = {kind for kind in ITERATING if "verbose" not in kind._get_param_names()}
    assert silent == {separatrix.LeastSquaresClassifier, separatrix.LeastSquaresRegressor}
