"""The plain loops of the textbook and the general loop agree to the last bit, whatever the rows."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

from separatrix.data import encode
from separatrix.objectives import Kind, Loss
from separatrix.problem import Problem
from separatrix.solvers.online import perceptron
from separatrix.solvers.online.lms import lms
from separatrix.solvers.online.relaxation import relaxation
from separatrix.solvers.online.run import Run
from separatrix.solvers.online.schedule import Decay
from separatrix.solvers.online.stochastic import stochastic
from separatrix.solvers.online.thermal import thermal

RULES = {
    "perceptron": lambda seed: partial(perceptron.online, learning_rate=0.5**seed),
    "lms": lambda seed: lms,
    "thermal": lambda seed: partial(thermal, temperature=2.0 * 0.2**seed, learning_rate=0.5**seed),
    "relaxation": lambda seed: partial(relaxation, margin=0.3 * seed + 0.1, relaxation=(seed + 1) / 3),
    "hinge": lambda seed: stochastic,
    "logistic": lambda seed: partial(stochastic, loss=Loss(Kind.LOGISTIC)),
    "inverse": lambda seed: partial(stochastic, loss=Loss(Kind.PERCEPTRON), learning_rate="inverse"),
    "constant": lambda seed: partial(stochastic, loss=Loss(Kind.HINGE), learning_rate=0.5**seed),
}
STORAGES = {
    "dense": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "csr32": lambda X: sparse.csr_array(X.astype(np.float32)),
}


def rows(kind, rng):
    """Rows and sides: noisy, separable, or of small whole numbers and huge ones, which tie and cancel."""
    if kind == "ties":
        X = rng.integers(-2, 3, (60, 4)).astype(float)
        X[:, 3] *= 2.0**40
        return X, rng.integers(0, 2, 60)
    X = rng.standard_normal((60, 4)) * (rng.random((60, 4)) < 0.7)
    return X, (X @ [1.0, -2.0, 0.5, 1.0] + (rng.standard_normal(60) if kind == "noisy" else 0.1) > 0).astype(int)


def run_of(monkeypatch, solver, problem, plain, **how):
    """The run that a solver makes, and by how many calls of each loop: the plain one, and the general one."""
    runs, calls = [], {"plain": 0, "general": 0}
    with monkeypatch.context() as patch:
        original = Run.loop

        def loop(self, *arguments):
            runs.append(self)
            calls["plain" if self.is_plain and self.plain is not None else "general"] += 1
            return original(self, *arguments)

        patch.setattr(Run, "loop", loop)
        if not plain:
            patch.setattr(Run, "is_plain", property(lambda self: False))
        solver(problem, **how)
    return runs[0], calls


def assert_same(one, other):
    assert np.array_equal(one.W, other.W)
    for name in ("t", "presented", "mistakes", "last_mistakes", "passes"):
        assert getattr(one, name) == getattr(other, name), name


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("kind", ["noisy", "separable", "ties"])
@pytest.mark.parametrize("rule", RULES)
def test_the_plain_loop_is_the_general_one(monkeypatch, rule, kind, storage):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rows(kind, rng)
        y[:2] = 0, 1
        intercept = bool(seed % 2)
        start = rng.integers(-1, 2, 4 + intercept).astype(float) if seed > 3 else None
        problem = encode(STORAGES[storage](X), y, fit_intercept=intercept).problem
        found = []
        for plain in (True, False):
            order = None if seed % 3 == 0 else np.random.default_rng(seed)
            how = {"start": start, "max_iter": 60 if kind == "separable" else 7, "rng": order}
            run, calls = run_of(monkeypatch, RULES[rule](seed), problem, plain, **how)
            assert min(calls.values()) == 0 < calls["plain" if plain else "general"]
            found.append(run)
        assert_same(*found)
        assert found[0].mistakes > 0


@pytest.mark.parametrize("kind", [Kind.EPSILON, Kind.SQUARED_EPSILON, Kind.SQUARED])
def test_numbers_too(monkeypatch, kind):
    X, _ = rows("noisy", np.random.default_rng(0))
    problem = Problem.of_numbers(X, X @ [1.0, 2.0, 0.0, -1.0] + 0.5)
    how = {"loss": Loss(kind, 0.1), "learning_rate": Decay(0.05, delay=60.0), "max_iter": 5}
    (one, calls), (other, _) = (run_of(monkeypatch, stochastic, problem, plain, **how) for plain in (True, False))
    assert calls["general"] == 0 < one.mistakes
    assert_same(one, other)


@pytest.mark.parametrize(
    ("solver", "how"),
    [
        (perceptron.online, {"l2": 0.1}), (perceptron.online, {"averaged": True}),
        (perceptron.online, {"batch_size": 2}), (perceptron.online, {"normalized": True}),
        (perceptron.online, {"record": True}),
        (perceptron.online, {"learning_rate": "inverse"}), (perceptron.online, {"learning_rate": lambda t: 1.0}),
        (lms, {"record": True}), (lms, {"normalized": True}), (lms, {"learning_rate": "inverse"}),
        (thermal, {"record": True}), (relaxation, {"record": True}), (stochastic, {"record": True}),
        (stochastic, {"l2": 0.1}), (stochastic, {"l1": 0.1}), (stochastic, {"averaged": True}),
    ],
    ids=lambda each: getattr(each, "__name__", None) or "-".join(each),
)  # fmt: skip
def test_options_that_the_plain_loops_lack_take_the_general_one(monkeypatch, solver, how):
    X, y = rows("noisy", np.random.default_rng(0))
    _, calls = run_of(monkeypatch, solver, encode(X, y).problem, True, **{"max_iter": 2, **how})
    assert calls["plain"] == 0 < calls["general"]


@pytest.mark.parametrize("solver", [perceptron.online, thermal, relaxation], ids=lambda solver: solver.__name__)
def test_several_classes_take_the_general_loop(monkeypatch, solver):
    X, _ = rows("noisy", np.random.default_rng(0))
    _, calls = run_of(monkeypatch, solver, encode(X, np.arange(60) % 3).problem, True, max_iter=2)
    assert calls["plain"] == 0 < calls["general"]
