"""Log losses by compiled loops: right to the last digits, the same as without them, on any number of cores."""

import numpy as np
import pytest
from flint import arb, ctx
from scipy import sparse

from separatrix import LogisticClassifier, threads
from separatrix.data.encode import encode
from separatrix.objectives import LogLoss, log_loss_loops
from separatrix.objectives.log_loss import (
    binary_loss_and_gradient,
    losses_and_probabilities,
    rival_log_odds,
    rival_probabilities,
    score_gradients,
)
from separatrix.objectives.log_loss_loops import BinaryRows, derivative_loop, loss_tile, worth_compiling
from separatrix.problem.scaled_rows import moderate_coordinates
from separatrix.rows import CSR
from separatrix.solvers.logistic import logistic as module
from separatrix.solvers.logistic.design import Design
from separatrix.solvers.logistic.scaled_objective import Point, ScaledObjective

ULP = 2.0**-52
LOG_ODDS = np.concatenate([np.linspace(-700.0, 700.0, 301), np.geomspace(1e-300, 1.0, 100), [-708.0, 0.0, 36.0, -36.0]])


@pytest.fixture
def loops(monkeypatch):
    """Few rows are enough for compiled loops."""
    monkeypatch.setattr(log_loss_loops, "MIN_ENTRIES_FOR_NUMBA", 1)
    if not worth_compiling(np.ones((1, 1))):
        pytest.skip("there is no numba")


def losses_by_loop(log_odds, y, weights):
    losses, rival_prob, gradient = np.empty((3, log_odds.size))
    loss_tile(0, log_odds.size, BinaryRows(y, weights, log_odds, rival_prob, losses, gradient))
    return losses, rival_prob, gradient


def test_losses_are_right_to_the_last_digits(monkeypatch):
    monkeypatch.setattr(ctx, "prec", 200)
    losses, rival_prob, slope = losses_by_loop(
        LOG_ODDS, np.ones(LOG_ODDS.size, dtype=np.int32), np.full(LOG_ODDS.size, 2.0)
    )
    for m, loss, q in zip(LOG_ODDS.tolist(), losses.tolist(), rival_prob.tolist(), strict=True):
        assert abs(loss / 2 / float(arb(m).exp().log1p()) - 1.0) < 2 * ULP
        assert abs(q / float(1 / (1 + (-arb(m)).exp())) - 1.0) < 2 * ULP
    assert np.array_equal(slope, -2.0 * rival_prob)


def test_losses_where_numbers_end():
    log_odds = np.array([np.nan, np.inf, -np.inf, 800.0, -800.0])
    with np.errstate(all="ignore"):  # without numba it would warn
        losses, rival_prob, _ = losses_by_loop(log_odds, np.zeros(5, dtype=np.int32), np.ones(5))
    assert np.array_equal(losses, [np.nan, np.inf, 0.0, 800.0, 0.0], equal_nan=True)
    assert np.array_equal(rival_prob, [np.nan, 1.0, 0.0, 1.0, 0.0], equal_nan=True)


@pytest.mark.parametrize("t", [0.0, 0.3, -2.0])
def test_slopes_along_a_line_are_those_of_the_losses(t):
    log_odds, along = np.random.default_rng(0).standard_normal((2, 999)) * 9.0
    derivative_loop(log_odds, along, t, into := np.empty(999))
    assert into == pytest.approx(rival_probabilities((log_odds + t * along)[:, None])[:, 0] * along, rel=8 * ULP)


@pytest.mark.parametrize("kind", ["float64", "float32", "sparse"])
@pytest.mark.parametrize("d", [1, 5, 40])
def test_one_pass_gives_log_odds_losses_and_gradients(kind, d):
    rng = np.random.default_rng(d)
    rows, y, weights = rng.standard_normal((203, d)), rng.integers(0, 2, 203).astype(np.int32), rng.random(203)
    if kind == "float32":
        rows = rows.astype(np.float32)
    X = rows
    if kind == "sparse":
        rows[rng.random(rows.shape) < 0.7] = 0.0
        matrix = sparse.csr_array(rows)
        X = CSR(matrix.data, matrix.indices, matrix.indptr, d)
    plane = rng.standard_normal(d), 0.5
    log_odds, rival_prob = np.full((2, 203, 1), np.nan)
    into, loss = binary_loss_and_gradient(X, slice(3, 200), plane, y, weights, log_odds, rival_prob)
    part = slice(3, 200)
    m = rival_log_odds((rows.astype(np.float64) @ plane[0] + plane[1])[:, None], y)[part]
    losses, q = losses_and_probabilities(m)
    slope = weights[part] * score_gradients(q, y[part])[:, 0]
    assert np.isnan(log_odds[[0, 1, 2, 200, 201, 202]]).all()
    assert log_odds[part] == pytest.approx(m, rel=1e-12, abs=1e-13)
    assert rival_prob[part] == pytest.approx(q, rel=1e-12)
    assert loss == pytest.approx(weights[part] @ losses, rel=1e-13)
    assert into[0] == pytest.approx(rows[part].T @ slope, rel=1e-12, abs=1e-13)
    again, same = binary_loss_and_gradient(X, part, None, y, weights, log_odds, rival_prob)
    assert same == loss
    assert np.array_equal(again, into)


def samples():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((2_000, 6)) * [1.0, 1e3, 1e-3, 1.0, 1.0, 1.0]
    y = X[:, 0] + rng.standard_normal(2_000) > 0.4
    scattered = np.where(rng.random(X.shape) < 0.03, X, 0.0)
    return {
        "dense": (X, y),
        "float32": (X.astype(np.float32), y),
        "sparse": (sparse.csr_array(scattered), y),
        "far": (X + 1e6 * np.abs(X).max(axis=0), y),
    }


@pytest.mark.parametrize("route", ["exact", "iterative", "matrix-free"])
@pytest.mark.parametrize("name", ["dense", "float32", "sparse", "far"])
def test_the_answer_is_that_without_loops(name, route, monkeypatch, loops):
    X, y = samples()[name]
    problem = encode(X, y, sample_weight=np.linspace(0.5, 2.0, len(y))).problem
    quick = module.logistic(problem, C=2.0, route=route)
    monkeypatch.setattr(log_loss_loops, "MIN_ENTRIES_FOR_NUMBA", np.inf)
    plain = module.logistic(problem, C=2.0, route=route)
    assert quick.status == plain.status
    assert quick.certificate.primal == pytest.approx(plain.certificate.primal, rel=2e-8)
    assert quick.certificate.error(problem) <= 1e-8
    checked = quick.certificate.values
    found = type(quick.certificate).issue(problem.posed(LogLoss(2.0)), quick.w, quick.b).values
    assert (found.primal, found.dual) == pytest.approx((checked.primal, checked.dual), rel=1e-12)
    assert found.rounding == pytest.approx(checked.rounding, rel=1e-9)


def test_a_point_is_the_same_with_and_without_loops(monkeypatch, loops):
    X, y = samples()["dense"]
    problem = encode(X, y).problem.posed(LogLoss(3.0))
    design = Design(problem, moderate_coordinates(problem))
    V = np.random.default_rng(0).standard_normal((design.width, 1))
    made = []
    for many in (1, np.inf):
        monkeypatch.setattr(log_loss_loops, "MIN_ENTRIES_FOR_NUMBA", many)
        task = ScaledObjective.of(design)
        first = Point(task, V)
        made += [first, Point(task, V, first.log_odds.copy())]
    for point in made[1:]:
        assert point.value == pytest.approx(made[0].value, rel=1e-13)
        assert point.gradient == pytest.approx(made[0].gradient, rel=1e-10)
        assert point.rival_prob == pytest.approx(made[0].rival_prob, rel=1e-12)


def test_loops_give_the_same_on_any_number_of_cores(monkeypatch, loops):
    monkeypatch.setattr(threads, "ENTRIES_PER_CHUNK", 2_000)
    found = []
    for n in (1, 2, 5):
        context = threads._cores.set(n)
        models = [LogisticClassifier(C=5.0).fit(*samples()[name]) for name in ("dense", "sparse", "far")]
        found.append([value for model in models for value in (*model.coef_[0], model.certificate_.stated)])
        threads._cores.reset(context)
    assert found[0] == found[1] == found[2]
