"""Maximum likelihood over blocks: that of rows in memory, or the proof that the classes are separated."""

from itertools import pairwise

import numpy as np
import pytest

from separatrix import DataError, LogisticClassifier, NotCertifiedWarning, load, save, verify
from separatrix.certificates import Separator
from separatrix.data.blocks import read_blocks
from separatrix.data.encode import encode
from separatrix.objectives import LogLoss
from separatrix.solvers.blocks.hinge import Limits
from separatrix.theory import separability_of_blocks as verdicts

RNG = np.random.default_rng(31)
N = 400
TWO, FIVE = RNG.integers(0, 2, N), RNG.permutation(np.arange(N) % 5)
X = (RNG.standard_normal((N, 4)) + np.eye(5, 4)[FIVE] + TWO[:, None]) * [1.0, 64.0, 0.125, 1.0] + [0.0, 99.0, 0.0, -2.0]
WEIGHTS = RNG.uniform(0.5, 3.0, N)
LABELS = {2: np.array(["no", "yes"])[TWO], 5: FIVE}
CUTS = {"one": [], "uneven": [1, 2, 140, 143, 320], "empty": [0, 0, 150, 150, N]}


@pytest.fixture
def few_at_a_time(monkeypatch, small_samples):
    """The verdict on separation comes from few rows and passes over all."""
    defaults = (None, Limits(rows=100, sample=60), 0)
    monkeypatch.setattr(verdicts.separability_of_blocks, "__defaults__", defaults)


def blocks_of(rows, y, cuts="uneven", weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    edges = [0, *CUTS[cuts], len(y)]
    return read_blocks([(rows[a:b], y[a:b], weights[a:b]) for a, b in pairwise(edges)])


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("cuts", CUTS)
def test_the_maximum_is_that_of_rows_in_memory(k, cuts, fit_intercept, few_at_a_time, tmp_path):
    how = {"C": np.inf, "tol": 1e-10, "fit_intercept": fit_intercept}
    wanted = LogisticClassifier(**how).fit(X, LABELS[k], WEIGHTS)
    blocks = blocks_of(X, LABELS[k], cuts, WEIGHTS)
    model = LogisticClassifier(**how).fit(blocks)
    for name in ("coef_", "intercept_"):
        one, other = getattr(model, name), getattr(wanted, name)
        assert np.linalg.norm(one - other) <= 1e-8 * np.linalg.norm(other), name
    np.testing.assert_allclose(model.standard_errors_, wanted.standard_errors_, rtol=1e-6)
    np.testing.assert_allclose(model.intercept_standard_errors_, wanted.intercept_standard_errors_, rtol=1e-6)
    assert (model.separation_, model.aic_) == ("overlap", pytest.approx(wanted.aic_))
    assert model.certificate_.stated <= 1e-10
    assert model.certificate_.objective == LogLoss(np.inf, k)
    assert verify(model, blocks) == (model.certificate_.stated, model.certificate_.stated, True, True)
    assert verify(model, X, LABELS[k], WEIGHTS)
    assert verify(wanted, blocks)
    save(model, tmp_path / "model.json")
    assert verify(load(tmp_path / "model.json"), blocks)
    assert model.summary().count("\n") == wanted.summary().count("\n")


def test_the_bound_is_below_the_maximum_and_above_nothing_that_is_not():
    problem = blocks_of(X, FIVE).encoded().problem.posed(LogLoss(np.inf, 5))
    model = LogisticClassifier(np.inf, tol=1e-12).fit(X, FIVE)
    least = model.certificate_.primal
    for size in (1e-9, 1e-6, 1e-3, 1e-2):
        w = model.coef_ + size * np.abs(model.coef_) * RNG.standard_normal(model.coef_.shape)
        values = problem.over(problem.objective.fold(w, model.intercept_))
        assert values.dual <= least <= values.primal
        assert values.gap < np.inf
        whole = encode(X, FIVE).problem.posed(problem.objective)
        assert values.primal == pytest.approx(problem.objective.values(whole, w, model.intercept_).primal, rel=1e-12)
    assert problem.over(problem.objective.fold(0.0 * model.coef_, model.intercept_)).dual <= least


@pytest.mark.parametrize("k", [2, 5])
def test_separated_classes_are_proved_to_be(k, few_at_a_time):
    y = LABELS[k]
    apart = X + 200.0 * np.array([1.0, 64.0, 0.125, 1.0]) * np.eye(5, 4)[TWO if k == 2 else FIVE]
    blocks = blocks_of(apart, y)
    with pytest.warns(NotCertifiedWarning, match="the classes are separated completely"):
        model = LogisticClassifier(np.inf).fit(blocks)
    assert isinstance(model.certificate_, Separator)
    assert model.certificate_.proof
    assert model.separation_ == "complete"
    assert model.infinite_.all()
    assert model.score(apart, y) == 1.0
    scores = model.decision_function(apart)
    margins = np.abs(scores) if k == 2 else np.diff(np.sort(scores, axis=1)[:, -2:], axis=1)
    assert margins.min() == pytest.approx(1.0)
    assert (model.log_likelihood_, model.deviance_) == (0.0, 0.0)
    assert verify(model, blocks)
    assert verify(model, apart, y)


def test_classes_that_are_separated_weakly_are_refused():
    rows = np.column_stack([RNG.integers(0, 3, 60), np.arange(60) >= 50]).astype(float)
    y = np.where(np.arange(60) >= 50, 1, np.arange(60) % 2)
    with pytest.raises(DataError, match="a plane has 50 rows on itself and no row on the wrong side"):
        LogisticClassifier(np.inf).fit(read_blocks(rows, y, rows_per_block=25))


def test_columns_that_depend_on_others_prove_nothing():
    dependent = np.column_stack([X, X[:, 0] + X[:, 1]])
    with pytest.warns(NotCertifiedWarning):
        model = LogisticClassifier(np.inf, max_iter=20).fit(blocks_of(dependent, TWO))
    assert not model.certificate_.proof
