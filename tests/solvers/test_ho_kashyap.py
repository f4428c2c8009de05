"""Ho and Kashyap's steps: what they keep at every step, and how they end."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

from separatrix import HoKashyapClassifier, NotCertifiedWarning, OptionError, Overlap, Separator, separability, verify
from separatrix.problem import Problem
from separatrix.solvers.squares import ho_kashyap as steps
from separatrix.solvers.squares.ho_kashyap import ho_kashyap


def signed_rows(problem):
    return problem.signs[:, None] * np.column_stack([problem.X, np.ones(problem.n_rows)])


def by_hand(A, steps, rho):
    """The textbook's steps with NumPy's pseudoinverse, targets at their own scale."""
    inverse, t = np.linalg.pinv(A), np.ones(len(A))
    for _ in range(steps - 1):
        t = t + 2.0 * rho * np.maximum(A @ inverse @ t - t, 0.0)
    return inverse @ t


@pytest.mark.parametrize("seed", range(5))
def test_the_steps_are_those_of_the_textbook(seed):
    rng = np.random.default_rng(seed)
    problem = Problem(rng.standard_normal((30, 3)) * [1.0, 50.0, 0.01] + 2.0, np.arange(30) % 2)
    solution = ho_kashyap(problem, learning_rate=0.5, max_iter=7, tol=1e-12)
    v = by_hand(signed_rows(problem), solution.history.iterations, 0.5)
    found = np.append(solution.w, solution.b)
    assert found / np.linalg.norm(found) == pytest.approx(v / np.linalg.norm(v), rel=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_it_agrees_with_separability(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 5))
    X, y = rng.integers(-3, 4, (2 * (d + 1), d)).astype(float), np.append([0, 1], rng.integers(0, 2, 2 * d))
    solution = ho_kashyap(Problem(X, y), max_iter=100_000)
    kind = separability(X, y).kind
    assert isinstance(solution.certificate, Separator if kind == "complete" else Overlap)
    assert solution.certificate.proof
    if kind != "complete":  # its own evidence: errors none of which is positive, orthogonal to all columns
        e, A = solution.history.residuals, signed_rows(Problem(X, y))
        assert e.max() <= 1e-6 * np.abs(e).max()
        assert np.abs(A.T @ e).max() <= 1e-9 * np.abs(A).max() * np.abs(e).sum()


# Classes that are as close to each other as rounding errors, and features of very different units.
CLOSE = [
    Problem(
        np.array(
            [
                [1.0000000437186902, -1.0000000333419123, -1.0000000079936193],
                [-0.9999999943300231, 2.0000000481128124, 1.0000000286074824],
                [1.000000031097945, -1.0000000162238747, -1.0000000056086302],
            ]
        ),
        np.array([0, 0, 1]),
    ),
    Problem(
        np.array(
            [
                [-7.3e18, -8700.0, -0.0401, -1.63e-17],
                [-3.04e18, 87300, -0.0818, -7.82e-17],
                [-5.01e18, 72600, -0.0826, -7.05e-17],
            ]
        ),
        np.array([0, 0, 1]),
        fit_intercept=False,
    ),
]


@pytest.mark.parametrize("problem", CLOSE, ids=["close", "units"])
def test_exact_arithmetic_is_asked_a_few_times_where_floats_cannot_tell(problem, monkeypatch):
    asked, issue, decide = [], Separator.issue, steps.plane_or_overlap
    monkeypatch.setattr(Separator, "issue", lambda *claim: asked.append("plane") or issue(*claim))
    monkeypatch.setattr(steps, "plane_or_overlap", lambda *given: asked.append("Gordan") or decide(*given))
    solution = ho_kashyap(problem, learning_rate=0.5)
    assert len(asked) <= 3
    assert asked.count("Gordan") == 1
    assert solution.certificate.proof
    assert solution.certificate.error(problem) == 0.0


def test_checks_that_fail_become_rare(monkeypatch):
    """No check ever succeeds: as many of them as the number of steps has bits, and Gordan's alternative once."""
    asked = []

    def never(problem, w, b):
        asked.append("plane")
        return SimpleNamespace(proof=False)

    monkeypatch.setattr(steps.Separator, "issue", never)
    monkeypatch.setattr(steps, "plane_or_overlap", lambda *_: asked.append("Gordan"))
    ho_kashyap(Problem(np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])), max_iter=1000)
    assert asked.count("Gordan") == 1
    assert asked.count("plane") <= 11


def test_a_step_that_is_stopped_claims_nothing():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(NotCertifiedWarning, match="max_iter.*separability"):
        model = HoKashyapClassifier(max_iter=3).fit(X[y > 0], y[y > 0])
    assert not verify(model, X[y > 0], y[y > 0])


def test_several_classes():
    X, y = load_wine(return_X_y=True)
    model = HoKashyapClassifier().fit(X, y)
    assert model.score(X, y) == 1.0
    assert verify(model, X, y)
    assert model.error_vector_.shape == (3, 178)
    iris = load_iris(return_X_y=True)
    with pytest.warns(NotCertifiedWarning):  # virginica takes more steps
        kinds = [type(part) for part in HoKashyapClassifier(max_iter=100).fit(*iris).certificate_.parts]
    assert kinds[:2] == [Separator, Overlap]


@pytest.mark.filterwarnings("ignore::separatrix.NotCertifiedWarning")
def test_weights_count_rows():
    X, y = load_iris(return_X_y=True)
    X, y, weight = X[y > 0], y[y > 0], np.arange(100) % 3
    weighted = HoKashyapClassifier().fit(X, y, sample_weight=weight)
    copied = HoKashyapClassifier().fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert weighted.decision_function(X) == pytest.approx(copied.decision_function(X), abs=1e-8)


@pytest.mark.parametrize("options", [{"learning_rate": 0.0}, {"learning_rate": 1.5}, {"tol": 0.0}, {"max_iter": 0}])
def test_bad_options(options):
    with pytest.raises(OptionError, match=next(iter(options))):
        HoKashyapClassifier(**options).fit([[0.0], [1.0]], [0, 1])
