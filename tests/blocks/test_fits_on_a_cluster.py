"""Whole fits on processes, and after a checkpoint, have the bits of a fit in one process."""

import sys
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from separatrix import (
    FisherDiscriminant,
    GaussianDiscriminant,
    LeastSquaresClassifier,
    LinearSVM,
    LinearSVR,
    LogisticClassifier,
    NotCertifiedWarning,
    PocketPerceptron,
    StochasticClassifier,
    StochasticRegressor,
)
from separatrix.data.blocks.blocks import Blocks
from separatrix.data.blocks.raw_block import RawBlock
from separatrix.data.runners import DaskRunner, runner_for
from separatrix.problem.runner import CountingRunner, LocalRunner
from separatrix.solvers.blocks import hinge, tube

cloudpickle = pytest.importorskip("cloudpickle")
cloudpickle.register_pickle_by_value(sys.modules[__name__])

SIZES = (60, 1, 80, 0, 60, 60, 10, 90, 39)
FITS = {
    "hinge": (LinearSVM(), 3),
    "squared hinge": (LinearSVM(loss="squared_hinge"), 3),
    "logistic": (LogisticClassifier(), 3),
    "maximum likelihood": (LogisticClassifier(np.inf), 2),
    "least squares": (LeastSquaresClassifier(), 2),
    "Gaussian": (GaussianDiscriminant(), 3),
    "Fisher": (FisherDiscriminant(), 3),
    "tube": (LinearSVR(), 0),
    "squared tube": (LinearSVR(loss="squared_epsilon_insensitive"), 0),
    "stochastic, classes": (StochasticClassifier(max_iter=2, random_state=0), 3),
    "stochastic, numbers": (StochasticRegressor(max_iter=2, random_state=0), 0),
    "pocket": (PocketPerceptron(max_iter=3, random_state=0), 2),
}


class Drawn:
    """Uneven blocks, one of them empty, of classes or of numbers."""

    feature_names = ()
    count = len(SIZES)

    def __init__(self, n_classes):
        self.n_classes = n_classes

    def read(self, block):
        random = np.random.default_rng([7, block])
        X = random.standard_normal((SIZES[block], 3)) * [1.0, 10.0, 0.1] + 5.0
        score = X @ [1.0, 0.1, 3.0] - 20.5 + random.standard_normal(len(X))
        return RawBlock(X, np.digitize(score, [0.0, 1.0][: self.n_classes - 1]) if self.n_classes else score)

    def place(self, block):
        return f"block {block}"


@pytest.fixture(autouse=True)
def few_rows_at_a_time(monkeypatch, small_samples):
    """Rows are never brought together, so that every solver makes its passes."""
    for solve in (hinge.solve, tube.solve):
        monkeypatch.setitem(solve.__kwdefaults__, "limits", hinge.Limits(rows=150, sample=100))


def fit_of(name, runner):
    model, n_classes = FITS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotCertifiedWarning)
        return clone(model).fit(Blocks(Drawn(n_classes), runner))


def bits(model):
    found = model.coef_.tobytes(), np.asarray(model.intercept_).tobytes()
    return (*found, model.certificate_.stated, model.n_iter_)


@pytest.mark.parametrize("name", FITS)
def test_a_fit_by_processes_has_the_bits_of_one_here(name, cluster):
    assert bits(fit_of(name, DaskRunner(cluster))) == bits(fit_of(name, LocalRunner()))


class LostError(Exception):
    """The connection to the cluster is gone."""


class Failing(LocalRunner):
    """Works through some passes, and is lost."""

    def __init__(self, passes):
        self.left = passes

    def run(self, task, merge, count):
        self.spend()
        return super().run(task, merge, count)

    def in_order(self, task, state, count):
        self.spend()
        return super().in_order(task, state, count)

    def spend(self):
        if not self.left:
            raise LostError
        self.left -= 1


@pytest.mark.parametrize("name", FITS)
def test_a_fit_goes_on_from_its_checkpoint_to_the_same_bits(name, tmp_path):
    counting = CountingRunner(LocalRunner())
    wanted = bits(fit_of(name, counting))
    made = counting.passes // 2
    path, counting = tmp_path / "fit.checkpoint", CountingRunner(LocalRunner())
    with pytest.raises(LostError):
        fit_of(name, runner_for(Failing(made), checkpoint=path))
    assert bits(fit_of(name, runner_for(counting, checkpoint=path))) == wanted
    again = CountingRunner(LocalRunner())
    fit_of(name, again)
    assert counting.passes == again.passes - made
