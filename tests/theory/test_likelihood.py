"""Maximum likelihood: finite exactly where classes overlap, and else what its limits are."""

import numpy as np
import pytest

from separatrix.certificates import Separator, WeakSeparator
from separatrix.problem import Problem, Status
from separatrix.solvers.logistic.logistic import logistic
from separatrix.solvers.svm.linear_svm import linear_svm
from separatrix.theory.joint_margin import joint_margin
from separatrix.theory.likelihood import maximum_likelihood, sides

RNG = np.random.default_rng(0)
ROWS = np.round(RNG.standard_normal((60, 2)), 2)
MIXED = (ROWS[:, 0] + RNG.standard_normal(60) > 0).astype(int)


def with_treatment(extra=6):
    """A column that is 1 in some rows of one class only, else 0."""
    rows = np.vstack([np.column_stack([ROWS, np.zeros(60)]), np.column_stack([ROWS[:extra], np.ones(extra)])])
    return Problem(rows, np.append(MIXED, np.ones(extra, dtype=int)))


def test_overlapping_classes_have_a_maximum():
    problem = Problem(ROWS, MIXED)
    found = maximum_likelihood(problem)
    assert found.kind == "overlap"
    assert found.proved
    assert not found.infinite.any()
    scores = ROWS @ found.solution.w + found.solution.b
    residual = MIXED - 1.0 / (1.0 + np.exp(-scores))
    assert np.column_stack([ROWS, np.ones(60)]).T @ residual == pytest.approx(np.zeros(3), abs=1e-10)


def test_quasi_complete_separation_leaves_the_fit_of_the_rows_on_the_plane():
    found = maximum_likelihood(with_treatment())
    assert found.kind == "quasi-complete"
    assert found.infinite.tolist() == [[False, False, True, False]]
    assert isinstance(found.solution.certificate, WeakSeparator)
    assert found.solution.status is Status.WEAKLY_SEPARATED
    inside = logistic(Problem(ROWS, MIXED), C=np.inf)
    assert found.solution.w[:2] == pytest.approx(inside.w, rel=1e-9)
    assert found.solution.b == pytest.approx(inside.b, rel=1e-9)
    assert found.finite.certificate.stated <= 1e-8


def test_the_finite_coefficients_are_the_limits_of_growing_C():
    problem = with_treatment()
    found = maximum_likelihood(problem)
    far = logistic(problem, C=1e10)
    assert far.w[:2] == pytest.approx(found.solution.w[:2], rel=1e-5)
    assert far.w[2] > 15.0


def test_complete_separation_gives_the_largest_margin():
    y = (ROWS[:, 0] > 0.05).astype(int)
    problem = Problem(ROWS, y)
    found = maximum_likelihood(problem)
    assert found.kind == "complete"
    assert found.infinite.all()
    machine = linear_svm(problem, C=np.inf, tol=1e-10)
    assert found.solution.w == pytest.approx(machine.w, rel=1e-6)
    assert (problem.signs * (ROWS @ found.solution.w + found.solution.b)).min() == pytest.approx(1.0, rel=1e-12)
    assert found.solution.certificate.error(problem) == 0.0
    constant = maximum_likelihood(Problem(np.column_stack([ROWS, np.full(60, 3.0)]), y))
    assert constant.infinite.tolist() == [[True, True, False, True]]


def test_several_classes_overlapping_complete_and_weakly_separated():
    corners = np.array([[1, 1], [2, 2], [2, 1], [1, -1], [1, -2], [2, -2], [-1, 1], [-1, 2], [-2, 1]], dtype=float)
    found = maximum_likelihood(Problem(corners, np.repeat([0, 1, 2], 3), 3))
    assert found.kind == "complete"
    assert isinstance(found.solution.certificate, Separator)
    assert found.solution.certificate.proof
    mixed = maximum_likelihood(Problem(ROWS, RNG.integers(0, 3, 60), 3))
    assert mixed.kind == "overlap"
    assert mixed.solution.certificate.stated <= 1e-8
    weak = maximum_likelihood(Problem(np.vstack([ROWS, ROWS[:9] + 50.0]), np.append(MIXED, np.full(9, 2)), 3))
    assert weak.kind == "quasi-complete"
    assert weak.infinite.any(axis=1).all()  # planes add up to zero: if one runs off, others do


def test_the_joint_margin_is_the_largest():
    """In one dimension by hand, in two by scaling down random machines that separate."""
    corners = np.array([[1.0, 1], [2, 2], [2, 1], [1, -1], [1, -2], [2, -2], [-1, 1], [-1, 2], [-2, 1]])
    problem = Problem(corners, np.repeat([0, 1, 2], 3), 3)
    claim = joint_margin(problem)

    def least(W, b):
        scores = corners @ W.T + b
        own = scores[np.arange(9), problem.y].copy()
        scores[np.arange(9), problem.y] = -np.inf
        return float((own - scores.max(axis=1)).min())

    assert least(claim.w, claim.b) == pytest.approx(1.0, rel=1e-5)
    assert claim.w.sum(axis=0) == pytest.approx(np.zeros(2), abs=1e-6)
    for _ in range(200):
        W, b = claim.w + 0.2 * RNG.standard_normal((3, 2)), claim.b + 0.2 * RNG.standard_normal(3)
        reach = least(W, b)
        assert reach <= 0.0 or np.linalg.norm(W) / reach >= np.linalg.norm(claim.w) * (1 - 1e-5)
    assert joint_margin(Problem(np.ones((2**20, 4)), np.arange(2**20) % 3, 3)) is None


def test_sides_are_exact():
    rows = np.array([[0.1, 0.2], [0.1, 0.3], [0.3, 0.1]])
    assert sides(rows, [1, -1, 0], True).tolist() == [-1.0, -1.0, 1.0]
    assert sides(np.array([[0.1 * 3, 0.3]]), [1, -1, 0], True).tolist() == [1.0]  # 0.1 * 3 is above 0.3 in doubles


def test_gradient_descent_on_the_loss_turns_to_the_hard_margin_of_the_extended_rows():
    """A trend, at a rate of 1 / log t (Soudry et al., 2018)."""
    near, far = np.array([[1.0, 0.2], [-1.0, 0.2]]), np.array([[4.0, 3.0], [-2.0, -3.0]])  # the far ones are many
    rows = np.column_stack([np.vstack([near, np.repeat(far, 20, axis=0)]), np.ones(42)])
    y = np.sign(rows[:, 0])
    machine = linear_svm(Problem(rows, (y > 0).astype(int), fit_intercept=False), C=np.inf)
    goal = machine.w / np.linalg.norm(machine.w)
    w, angles, rate = np.zeros(3), [], 4.0 / np.linalg.norm(rows, 2) ** 2
    for t in range(1, 20_001):
        w += rate * rows.T @ (y / (1.0 + np.exp(y * (rows @ w))))
        if t in (20, 200, 2000, 20_000):
            angles.append(1.0 - float(w @ goal) / np.linalg.norm(w))
    assert angles == sorted(angles, reverse=True)
    assert angles[-1] < 0.25 * angles[0]
    assert np.linalg.norm(w) > 5.0
