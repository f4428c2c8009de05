"""What `fit` and `verify` take in place of rows: blocks, of those estimators whose row in the registry says so."""

import numpy as np
import pytest

from separatrix import (
    Calibrated,
    DataError,
    GaussianDiscriminant,
    LinearSVM,
    LogisticClassifier,
    NotCertifiedWarning,
    NotSeparableError,
    OneVsRest,
    OptionError,
    verify,
)
from separatrix.data.blocks import Blocks, read_blocks
from separatrix.data.blocks.block_source import ArraySource
from separatrix.estimators.registry import algorithms
from separatrix.problem.runner import LocalRunner
from separatrix.solvers.blocks import newton

RNG = np.random.default_rng(4)
X = RNG.standard_normal((60, 3))
TWO = (X[:, 0] + RNG.standard_normal(60) > 0.0).astype(int)
BLOCKS = read_blocks(X, TWO, rows_per_block=25)


class Named(ArraySource):
    """Blocks whose columns have names."""

    feature_names = ("age", "height", "weight")


@pytest.mark.parametrize("row", [row for row in algorithms() if row.streams], ids=lambda row: row.name)
def test_what_streams_learns_from_blocks(row):
    y = X[:, 1] if row.task == "regression" else TWO
    blocks = read_blocks(X, y, rows_per_block=25)
    model = row.make().fit(blocks)
    assert model.n_features_in_ == 3
    assert model.n_iter_ >= 2  # passes, that which counts the rows among them
    problem, claim = model._fitted_problem(blocks, None), model.certificate_
    one, other = problem.over(claim.fold()), claim.fold().over([problem.load(block) for block in range(3)])
    assert one == other
    assert claim.stated == pytest.approx(one, rel=1e-12, abs=1e-12)  # few rows are solved and measured together
    assert model.predict(X).shape == (60,)


@pytest.mark.parametrize("row", [row for row in algorithms() if not row.streams], ids=lambda row: row.name)
def test_what_does_not_stream_names_what_does(row):
    with pytest.raises(OptionError, match=r"cannot learn from blocks of rows. These can: .*GaussianDiscriminant\(\)"):
        row.make().fit(BLOCKS)


@pytest.mark.parametrize("wrapped", [OneVsRest(GaussianDiscriminant()), Calibrated(GaussianDiscriminant())])
def test_what_wraps_an_estimator_does_not_stream(wrapped):
    with pytest.raises(OptionError, match="cannot learn from blocks of rows"):
        wrapped.fit(BLOCKS)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_hard_margin_is_that_of_the_rows_in_memory(loss):
    apart = X + 9.0 * np.eye(3)[0] * (TWO.max() == TWO)[:, None]
    found, known = LinearSVM(np.inf, loss=loss), LinearSVM(np.inf, loss=loss).fit(apart, TWO)
    found.fit(read_blocks(apart, TWO, rows_per_block=25))
    assert np.allclose(found.coef_, known.coef_, rtol=1e-8)
    assert found.certificate_.stated < 1e-9
    with pytest.raises(NotSeparableError):
        found.fit(read_blocks(X, np.tile([0, 1], 30), rows_per_block=25))


def test_labels_are_in_the_blocks():
    with pytest.raises(DataError, match="give them to read_blocks"):
        GaussianDiscriminant().fit(BLOCKS, TWO)
    with pytest.raises(DataError, match="give them to read_blocks"):
        verify(GaussianDiscriminant().fit(BLOCKS), BLOCKS, TWO)


def test_names_of_features_are_remembered_and_held_to():
    named, other = (Blocks(Named([(X, TWO)]), LocalRunner()) for _ in range(2))
    model = GaussianDiscriminant().fit(named)
    assert model.feature_names_in_.tolist() == ["age", "height", "weight"]
    other.source.feature_names = ("age", "weight", "height")
    assert verify(model, named)
    with pytest.raises(DataError, match="fitted with age, height, weight"):
        verify(model, other)
    assert not hasattr(model.fit(BLOCKS), "feature_names_in_")


def test_too_many_coefficients_are_refused(monkeypatch):
    monkeypatch.setattr(newton, "MAX_HESSIAN_ENTRIES", 15)
    with pytest.raises(OptionError, match="1 matrices of 4 x 4"):
        LogisticClassifier(C=np.inf).fit(BLOCKS)
    with pytest.raises(OptionError, match="1 matrices of 4 x 4"):
        LinearSVM(loss="squared_hinge").fit(BLOCKS)


def test_a_fit_that_is_stopped_says_so(small_samples):
    with pytest.warns(NotCertifiedWarning, match="max_iter=1"):
        model = LogisticClassifier(C=100.0, tol=1e-12, max_iter=1).fit(BLOCKS)
    assert 1e-12 < model.certificate_.stated < np.inf
    assert verify(model, BLOCKS).holds


def test_other_labels_do_not_verify():
    turned = read_blocks(X, 1 - TWO, rows_per_block=25)
    for model in (LogisticClassifier(), LinearSVM(loss="squared_hinge"), GaussianDiscriminant()):
        fitted = model.fit(BLOCKS)
        assert not verify(fitted, turned).holds
        with pytest.raises(DataError, match="60 rows"):
            verify(fitted, read_blocks(X[:59], TWO[:59]))


def test_a_fit_of_arrays_after_one_of_blocks_has_all_attributes_again():
    model = LinearSVM(loss="squared_hinge").fit(X, TWO)
    assert hasattr(model, "support_")
    model.fit(BLOCKS)
    assert not hasattr(model, "support_")
    assert model.margin_width_ == pytest.approx(2.0 / np.linalg.norm(model.coef_))
    assert hasattr(model.fit(X, TWO), "support_")
