"""A plane or rows that cancel, by floats and by fractions alone."""

import numpy as np
import pytest

from separatrix.certificates.arithmetic import exact
from separatrix.certificates.arithmetic.inequalities import Inequalities
from separatrix.certificates.claims.overlap import Balance
from separatrix.problem import Problem
from separatrix.solvers.separation import gordan
from separatrix.solvers.separation.exact_simplex import origin_in_hull
from separatrix.solvers.separation.gordan import alternative, minimal_balance
from separatrix.solvers.separation.quotient_space import QuotientSpace


def random_set(seed, n=40, d=3):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return Problem(X, (X @ rng.standard_normal(d) + (seed % 3) * rng.standard_normal(n) > 0).astype(int))


def is_right(inequalities, answer):
    """Whether an answer is what it should be, in Python's whole numbers."""
    vectors = inequalities.vectors(np.arange(inequalities.n))
    if isinstance(answer, Balance):
        return min(answer.weights) > 0 and not any(exact.row_combination(vectors[answer.index], answer.weights))
    return all(row[0] > 0 for row in exact.products(vectors, [answer]))


@pytest.mark.parametrize("seed", range(12))
def test_floats_and_fractions_agree(seed):
    problem = random_set(seed)
    inequalities = Inequalities(problem)
    space = QuotientSpace(inequalities, np.arange(problem.n_rows))
    answer, careful = alternative(space), gordan.solve_exactly(space, space.index)
    assert isinstance(answer, Balance) == isinstance(careful, Balance)
    assert is_right(inequalities, answer)
    assert is_right(inequalities, careful if isinstance(careful, Balance) else careful[0])


@pytest.mark.parametrize("seed", range(6))
def test_few_rows_are_asked_first_and_the_answer_holds_for_all(seed, monkeypatch):
    monkeypatch.setattr(gordan, "MAX_ENTRIES_AT_ONCE", 1)
    monkeypatch.setattr(gordan, "INITIAL_VECTORS", 10)
    monkeypatch.setattr(gordan, "MIN_VECTORS_ADDED", 2)
    problem = random_set(seed, n=500)
    inequalities = Inequalities(problem)
    space = QuotientSpace(inequalities, np.arange(problem.n_rows))
    assert gordan.initial_subset(space).size < 100
    assert is_right(inequalities, alternative(space))


def test_where_floats_give_up_fractions_decide(monkeypatch):
    monkeypatch.setattr(gordan, "hull_points", lambda *_: iter(()))
    for seed in range(6):
        problem = random_set(seed, n=12, d=2)
        inequalities = Inequalities(problem)
        assert is_right(inequalities, alternative(QuotientSpace(inequalities, np.arange(problem.n_rows))))


def test_the_fewest_rows_of_a_balance():
    X = np.array([[0.0], [2.0], [1.0], [0.0], [2.0], [1.0]])
    inequalities = Inequalities(Problem(X, np.array([0, 0, 1, 0, 0, 1])))
    found = minimal_balance(QuotientSpace(inequalities, np.arange(6)), Balance(np.arange(6), [1, 1, 2, 1, 1, 2]))
    assert len(found.weights) <= 3  # d + 2
    assert is_right(inequalities, found)


def test_at_most_one_more_row_than_dimensions():
    for seed in range(2, 30, 3):
        problem = random_set(seed, d=4)
        answer = alternative(QuotientSpace(Inequalities(problem), np.arange(problem.n_rows)))
        if isinstance(answer, Balance):
            assert len(answer.weights) <= 6


@pytest.mark.parametrize("seed", range(40))
def test_the_simplex_method_in_fractions(seed):
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 6))
    Z = rng.integers(-2, 3, (int(rng.integers(1, 4 * d + 2)), d)).astype(object)
    outcome = origin_in_hull(Z.tolist())
    if outcome.v is not None:
        assert (Z @ np.array(outcome.v, dtype=object) > 0).all()
    else:
        assert min(outcome.weights) > 0
        assert len(outcome.rows) <= d + 1
        assert not (np.array(outcome.weights, dtype=object) @ Z[outcome.rows]).any()


def test_degenerate_rows_do_not_make_it_cycle():
    corners = np.array(np.meshgrid(*[[-1, 1]] * 5)).reshape(5, -1).T.astype(object)
    assert origin_in_hull(corners.tolist()).v is None
    assert origin_in_hull((corners + np.array([2, 0, 0, 0, 0])).tolist()).v is not None
