"""What the textbooks say in passing, or leave to their problems."""

import numpy as np
import pytest
from scipy.optimize import linprog

from separatrix import (
    Decay,
    Hyperplane,
    LinearSVM,
    OneVsRest,
    Perceptron,
    StochasticClassifier,
    empirical_risk,
    kesler_vectors,
    separability,
)
from separatrix.data import samples

CORNERS = np.array([[1, 1], [2, 2], [2, 1], [1, -1], [1, -2], [2, -2], [-1, 1], [-1, 2], [-2, 1]], dtype=float)
CORNER_CLASSES = np.repeat([1, 2, 3], 3)


def test_a_linear_machine_without_errors_fulfils_all_inequalities_of_kesler_and_no_other_does():
    vectors, random = kesler_vectors(CORNERS, CORNER_CLASSES), np.random.default_rng(0)
    start = Perceptron(shuffle=False).fit(CORNERS, CORNER_CLASSES)
    right = np.column_stack([start.coef_, start.intercept_])
    both = set()
    for planes in (right + size * random.standard_normal((3, 3)) for size in np.geomspace(0.01, 10.0, 400)):
        scores = np.column_stack([CORNERS, np.ones(9)]) @ planes.T
        lead = scores[np.arange(9), CORNER_CLASSES - 1][:, None] - scores
        errors = np.count_nonzero((lead[~np.eye(3, dtype=bool)[CORNER_CLASSES - 1]] <= 0.0).reshape(9, 2).any(axis=1))
        assert (errors == 0) == bool((vectors @ planes.ravel() > 0.0).all())
        both.add(errors == 0)
    assert both == {True, False}


def test_planes_of_each_class_against_the_rest_leave_points_to_none_and_to_two_of_them():
    model = OneVsRest(LinearSVM(C=10.0)).fit(CORNERS, CORNER_CLASSES)
    grid = np.stack(np.meshgrid(np.linspace(-9, 9, 91), np.linspace(-9, 9, 91)), axis=-1).reshape(-1, 2)
    scores = model.decision_function(grid)
    claims = (scores > 0.0).sum(axis=1)
    assert {0, 1, 2} <= set(claims.tolist())
    assert np.array_equal(model.predict(grid), model.classes_[scores.argmax(axis=1)]), (
        "the largest decides all the same"
    )


@pytest.mark.parametrize("seed", range(3))
def test_targets_of_0_and_1_make_the_same_recursion_but_for_ties(seed):
    """w += (d - step(g)) x with d = 1 or 0 is the perceptron's; from a start where no score is 0."""
    data = samples.separable_pair(20, seed=seed)
    start = np.array([0.3, -0.7, 0.11])
    model = Perceptron(shuffle=False, start=start).fit(data.X, data.labels)
    w, d, Z = start.copy(), data.labels == model.classes_[1], np.column_stack([data.X, np.ones(40)])
    for _ in range(model.n_iter_):
        for z, target in zip(Z, d, strict=True):
            w += (float(target) - float(z @ w >= 0.0)) * z
    assert np.allclose(w, [*model.coef_[0], *model.intercept_], rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_margin_is_half_the_projection_of_what_joins_two_support_vectors(seed):
    data = samples.separable_pair(30, seed=seed)
    model = LinearSVM(C=np.inf).fit(data.X, data.labels)
    w, scores = model.coef_[0], model.decision_function(data.X)
    a, b = (data.X[np.flatnonzero(np.abs(scores - side) < 1e-6)[0]] for side in (1.0, -1.0))
    margin = Hyperplane(w, model.intercept_[0]).unit_normal @ (a - b) / 2
    assert np.isclose(margin, 1 / np.linalg.norm(w), rtol=1e-6)


@pytest.mark.parametrize("C", [1.0, np.inf])
def test_products_with_support_vectors_predict_as_the_plane_does(C):
    data, new = samples.separable_pair(30, seed=1), samples.overlapping_pair(50, seed=2).X
    model = LinearSVM(C=C).fit(data.X, data.labels)
    expansion = new @ data.X[model.support_].T @ model.dual_coef_[0] + model.intercept_[0]
    assert np.allclose(expansion, model.decision_function(new), rtol=0, atol=1e-6 * np.abs(expansion).max())


def test_rates_that_fall_as_c_over_t_and_a_constant():
    """c / (t + epsilon) is a Decay, and the perceptron takes it as it takes the function."""
    c, epsilon = 0.8, 3.0
    decay = Decay(c / (1 + epsilon), delay=1 + epsilon)
    assert np.allclose([decay(t) for t in range(1, 9)], [c / (t + epsilon) for t in range(1, 9)], rtol=1e-15)
    data = samples.separable_pair(20, seed=0)
    one, other = (
        Perceptron(learning_rate=rate, shuffle=False).fit(data.X, data.labels)
        for rate in (decay, lambda t: c / (t + epsilon))
    )
    assert np.allclose(one.coef_, other.coef_)


def test_the_penalised_risk_of_the_perceptron_is_least_at_zero_so_that_nothing_is_claimed():
    data = samples.separable_pair(30, seed=0)
    model = StochasticClassifier(loss="perceptron", l2=0.1, max_iter=5, random_state=0).fit(data.X, data.labels)
    risk = 0.1 * model.coef_[0] @ model.coef_[0] + empirical_risk(model, data.X, data.labels, "perceptron")
    assert risk > 0.0, "which is the risk of w = 0"
    assert not model.certificate_.proof


def test_a_score_of_zero_belongs_to_the_first_class():
    model = Perceptron(shuffle=False).fit([[-1.0], [1.0]], ["no", "yes"])
    model.coef_[:], model.intercept_[:] = 1.0, 0.0
    assert model.predict([[0.0]]).tolist() == ["no"]


def test_a_small_lagrangian_is_a_hard_margin():
    """The least x^2 / 2 with x >= 2: both rows ask for w / 2 >= 1, and their multipliers make that of x - 2 >= 0."""
    model = LinearSVM(C=np.inf, fit_intercept=False).fit([[0.5], [-0.5]], [1, -1])
    assert np.isclose(model.coef_[0, 0], 2.0, rtol=1e-12)
    assert np.isclose(np.abs(model.dual_coef_).sum() / 2, 2.0, rtol=1e-9)
    assert np.allclose([model.certificate_.primal, model.certificate_.dual], 2.0, rtol=1e-9)


def test_inequalities_of_at_least_one_are_feasible_where_a_plane_through_the_origin_separates():
    """y w.x >= 1 for all rows, by a linear program of its own."""
    random, both = np.random.default_rng(4), set()
    for _ in range(40):
        X, y = random.integers(-3, 4, (5, 2)).astype(float), np.array([0, 0, 1, 1, 1])
        signed = np.where(y == 1, 1.0, -1.0)[:, None] * X
        feasible = linprog(np.zeros(2), -signed, -np.ones(5), bounds=(None, None)).status == 0
        assert feasible == (separability(X, y, fit_intercept=False).kind == "complete")
        both.add(feasible)
    assert both == {True, False}
