"""The fewest errors against trying everything, and what is known of some data."""

import signal
import subprocess
import sys
import time
from itertools import combinations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog
from sklearn.datasets import load_breast_cancer, load_iris

from separatrix import DataError, LinearSVM, OptionError, minimum_errors, separability
from separatrix.certificates.arithmetic.hitting_set import minimum_hitting_set
from separatrix.problem import Problem
from separatrix.solvers.budget import Budget
from separatrix.solvers.errors import fewest_errors
from solvers import errors_by_hand
from solvers.errors_by_hand import small_set


def gaussian(n, d, apart, seed=0):
    y = np.arange(n) % 2
    X = np.random.default_rng(seed).standard_normal((n, d))
    X[:, 0] += apart * y
    return X, y


@pytest.mark.parametrize("seed", range(36))
def test_it_is_what_trying_everything_finds(seed):
    (X, y), fit_intercept = small_set(seed), seed % 4 < 2
    found = minimum_errors(X, y, fit_intercept=fit_intercept)
    assert found == errors_by_hand.fewest(X, y, fit_intercept)
    assert found.proved
    assert found.error(Problem(X, y, fit_intercept=fit_intercept)) == 0.0
    w, b = found.plane
    assert np.count_nonzero((2 * y - 1) * (X @ w + b) <= 0.0) == found  # in floats too
    known = errors_by_hand.conflicts(X, y, fit_intercept)
    assert all(set(conflict) in known for conflict in found.conflicts)


@pytest.mark.parametrize("seed", range(6))
def test_it_is_what_highs_finds_by_leaving_out_rows(seed):
    """Whole numbers, which a plane separates by a margin of 1 that HiGHS cannot miss, or not at all."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-2, 3, (12, 2)).astype(float), np.arange(12) % 2
    Z = np.column_stack([X, np.ones(12)]) * (2 * y - 1)[:, None]
    found = minimum_errors(X, y)

    def separable(left_out):
        kept = np.setdiff1d(np.arange(12), left_out)
        return linprog(np.zeros(3), A_ub=-Z[kept], b_ub=-np.ones(kept.size), bounds=(None, None)).status == 0

    assert separable(found.rows)
    assert found.rows.size == found
    assert found == 0 or not any(separable(list(rows)) for rows in combinations(range(12), found - 1))


def test_versicolor_and_virginica_need_one_error():
    X, y = load_iris(return_X_y=True)
    X, y = X[50:], y[50:]
    found = minimum_errors(X, y)
    assert found == 1
    assert found.proved
    assert separability(np.delete(X, found.rows, axis=0), np.delete(y, found.rows)).kind == "complete"
    (conflict,) = found.conflicts
    assert len(conflict) <= X.shape[1] + 2
    assert separability(X[conflict], y[conflict]).kind != "complete"


@pytest.mark.parametrize(("n", "d", "apart"), [(40, 2, 1.0), (60, 2, 1.4), (30, 3, 0.5), (24, 4, 0.5)])
def test_it_is_what_the_planes_through_d_rows_find(n, d, apart):
    X, y = gaussian(n, d, apart)
    found = minimum_errors(X, y)
    assert found == errors_by_hand.fewest_through_rows(X, y)
    assert found.proved
    assert found.error(Problem(X, y)) == 0.0
    model = LinearSVM(C=1.0).fit(X, y)
    assert np.count_nonzero(model.predict(X) != y) >= found


def test_fractions_need_not_reach_the_number(monkeypatch):
    """Then the integer program does."""
    solved = []

    def counted(*arguments):
        solved.append(minimum_hitting_set(*arguments))
        return solved[-1]

    monkeypatch.setattr(fewest_errors, "minimum_hitting_set", counted)
    X, y = gaussian(30, 4, 0.0)
    found = minimum_errors(X, y)
    assert found == errors_by_hand.fewest_through_rows(X, y)
    assert solved[-1].lower_bound == found == found.lower


@pytest.mark.parametrize("seed", range(3))
def test_the_integer_program_alone_finds_it_too(monkeypatch, seed):
    """Each lightest hitting set tells conflicts that it does not meet, until a plane separates the rest."""
    monkeypatch.setattr(fewest_errors, "light_hitting_set", lambda *arguments: None)
    monkeypatch.setattr(fewest_errors, "separate", lambda search, e: False)
    monkeypatch.setattr(fewest_errors, "improve", lambda search: None)
    X, y = gaussian(24, 2, 0.5, seed)
    found = minimum_errors(X, y)
    assert found == errors_by_hand.fewest_through_rows(X, y)
    assert found.error(Problem(X, y)) == 0.0


def test_classes_that_a_plane_separates_need_none():
    X, y = load_breast_cancer(return_X_y=True)
    found = minimum_errors(X, y)
    assert found == 0
    assert found.proved
    assert found.conflicts == []
    assert found.rows.size == 0
    assert found.error(Problem(X, y)) == 0.0


@pytest.mark.parametrize("margin", [1e-9, 1e-13])
def test_a_margin_that_rounding_almost_hides_is_found(margin):
    rng = np.random.default_rng(0)
    X, u = rng.standard_normal((80, 3)), np.array([0.6, 0.8, 0.0])
    y = (X @ u > 0).astype(int)
    X -= np.where(np.abs(X @ u) < 0.5, X @ u - (2 * y - 1) * margin, 0.0)[:, None] * u
    assert minimum_errors(X, y) == 0


def test_copies_count_each():
    X, y = gaussian(30, 2, 1.0)
    once = minimum_errors(X, y)
    thrice = minimum_errors(np.repeat(X, 3, axis=0), np.repeat(y, 3))
    assert thrice == 3 * once
    assert thrice.proved
    assert thrice.rows.size == thrice
    assert len(thrice.conflicts) < 60  # not of every choice of copies


def test_rows_in_one_place_need_as_many_errors_as_the_smaller_class_has():
    found = minimum_errors(np.ones((30, 2)), np.arange(30) % 3 == 0)
    assert found == 10
    assert found.proved
    assert len(found.conflicts) == 1
    assert len(found.conflicts[0]) == 2


def test_rows_at_the_origin_are_wrong_without_an_offset():
    found = minimum_errors([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]], [0, 1, 0], fit_intercept=False)
    assert found == 1
    assert found.conflicts == [[0]]
    everything = minimum_errors(np.zeros((3, 2)), [0, 1, 1], fit_intercept=False)
    assert everything == 3
    assert everything.error(Problem(np.zeros((3, 2)), np.array([0, 1, 1]), fit_intercept=False)) == 0.0


@pytest.mark.parametrize("units", [1e-100, 1e98, np.array([1e-90, 1.0, 1e90])])
def test_units_do_not_matter(units):
    X, y = gaussian(20, 3, 0.5)
    assert minimum_errors(X * units, y) == minimum_errors(X, y) > 0


def test_neither_do_sparse_rows_single_precision_and_idle_columns():
    X, y = gaussian(24, 2, 1.0)
    X = np.where(np.abs(X) < 0.3, 0.0, X).astype(np.float32)
    fewest = minimum_errors(X.astype(float), y)
    assert fewest > 0
    for same in (X, sparse.csr_array(X.astype(float)), np.column_stack([X, np.ones(24), X[:, 0]])):
        found = minimum_errors(same, y)
        assert found == fewest
        assert found.proved


def test_a_time_limit_leaves_bounds():
    X, y = gaussian(400, 6, 0.5)
    before = time.perf_counter()
    found = minimum_errors(X, y, time_limit=1.0)
    assert time.perf_counter() - before < 10.0
    assert 0 < found.lower < found.upper == found
    assert not found.proved
    assert found.error(Problem(X, y)) == found.upper - found.lower
    w, b = found.plane
    assert np.count_nonzero((2 * y - 1) * (X @ w + b) <= 0.0) == found.upper


def test_more_features_than_whole_numbers_can_take_leave_a_plane(monkeypatch):
    monkeypatch.setattr(fewest_errors, "MAX_EXACT_DIMENSION", 2)
    found = minimum_errors(*gaussian(30, 2, 1.0))
    assert found.lower == 0
    assert 0 < found.upper < 15


def test_a_plane_that_doubles_cannot_hold_ends_the_search(monkeypatch):
    """Rounding to no bits at all stands in for margins below the last bit."""
    monkeypatch.setattr("separatrix.certificates.arithmetic.exact.rounded", lambda v: np.zeros(len(v)))
    X, y = gaussian(20, 2, 1.0)
    search = fewest_errors.ConflictSearch(Problem(X, y), np.ones(20, dtype=int), Budget(1))
    fewest_errors.minimise_errors(search)
    assert search.stalled
    assert search.upper == 20


def test_what_cannot_be_asked():
    with pytest.raises(DataError, match=r"minimum_errors puts one plane between two classes, but y holds 3"):
        minimum_errors([[0], [1], [2]], [0, 1, 2])
    with pytest.raises(DataError, match="Got 3"):
        fewest_errors.fewest_errors(Problem(np.eye(3), np.arange(3), 3))
    with pytest.raises(OptionError, match="'time_limit' parameter must be a finite number above 0. Got 0"):
        minimum_errors([[0], [1]], [0, 1], time_limit=0)
    with pytest.raises(OptionError, match="'fit_intercept' parameter"):
        minimum_errors([[0], [1]], [0, 1], fit_intercept=None)


LONG = """
import signal
import numpy as np
from separatrix.certificates.arithmetic.hitting_set import minimum_hitting_set
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
sets = [rng.choice(150, 5, replace=False) for _ in range(1500)]
print("ready", flush=True)
try:
    minimum_hitting_set(sets, np.ones(150, dtype=int), 50.0)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_control_c_ends_an_integer_program():
    with subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "ready\n"
            time.sleep(1.0)
            child.send_signal(signal.SIGINT)
            assert child.communicate(timeout=20)[0] == "interrupted\n"
        finally:
            child.kill()
