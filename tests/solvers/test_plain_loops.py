"""The plain loops of the textbook and the general loop agree to the last bit, whatever the rows."""

import numpy as np
import pytest
from scipy import sparse

from separatrix.data import encode
from separatrix.objectives import Kind, Loss
from separatrix.solvers.online import lms, perceptron
from separatrix.solvers.online.run import Run

RULES = {
    "perceptron": (perceptron.PerceptronRun, Loss(Kind.PERCEPTRON), {"stops": True}),
    "lms": (lms.LMSRun, Loss(Kind.SQUARED), {}),
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


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("kind", ["noisy", "separable", "ties"])
@pytest.mark.parametrize("rule", RULES)
def test_the_plain_loop_is_the_general_one(rule, kind, storage):
    plain, loss, how = RULES[rule]
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X, y = rows(kind, rng)
        y[:2] = 0, 1
        intercept = bool(seed % 2)
        start = rng.integers(-1, 2, 4 + intercept).astype(float) if seed > 3 else None
        problem = encode(STORAGES[storage](X), y, fit_intercept=intercept).problem
        rate = 0.5**seed if rule == "perceptron" else 0.1 / problem.radius**2
        runs = [
            each(problem, loss, start=start, learning_rate=rate, max_iter=7, **how) for each in (plain, Run)
        ]  # fmt: skip
        assert runs[0].is_plain
        one, other = (run.run(None if seed % 3 == 0 else np.random.default_rng(seed)) for run in runs)
        assert np.array_equal(one.W, other.W)
        for name in ("t", "presented", "mistakes", "last_mistakes", "passes"):
            assert getattr(one, name) == getattr(other, name), name
        assert one.mistakes > 0


@pytest.mark.parametrize(
    "how",
    [
        {"l2": 0.1}, {"averaged": True}, {"batch_size": 2}, {"record": True}, {"curve": True},
        {"learning_rate": "inverse"}, {"learning_rate": lambda t: 1.0}, {"factors": np.full(60, 0.5)},
    ],
    ids=lambda how: str(sorted(how)),
)  # fmt: skip
def test_options_that_the_plain_loops_lack_take_the_general_one(how):
    X, y = rows("noisy", np.random.default_rng(0))
    assert not perceptron.PerceptronRun(encode(X, y).problem, Loss(Kind.PERCEPTRON), **how).is_plain
    assert not lms.LMSRun(encode(X, np.arange(60) % 3).problem, Loss(Kind.SQUARED)).is_plain
