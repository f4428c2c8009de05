"""The simplex method in integers: optimal by duality, infeasible by a ray, the same in either kind of integers."""

import numpy as np
import pytest
from scipy.optimize import linprog

from separatrix.solvers.separation import integer_simplex
from separatrix.solvers.separation.integer_simplex import solve_program


def programs(n_programs, largest=6, seed=0):
    random = np.random.default_rng(seed)
    for _ in range(n_programs):
        K, r = random.integers(1, 9), random.integers(1, 7)
        yield random.integers(-largest, largest + 1, (K, r)), random.integers(0, 4, r)


def test_the_answer_is_that_of_highs_and_is_proved():
    seen = set()
    for A, c in programs(150):
        found = solve_program(A, c)
        peer = linprog(c, A_ub=-A, b_ub=-np.ones(len(A)), bounds=(0, None))
        seen.add(peer.status)
        if found.ray is None:
            v = found.numerators
            assert min(v) >= 0
            assert (A.astype(object) @ v >= found.denominator).all()
            assert np.isclose(c @ np.array(v, dtype=float) / found.denominator, peer.fun)
        else:
            assert peer.status == 2
            assert min(found.ray) >= 0 < max(found.ray)
            assert (A.T.astype(object) @ found.ray <= 0).all()
    assert seen == {0, 2}


def test_minors_beyond_64_bits():
    """Each entry fits into 64 bits with room to spare, but not the determinants that arise from them."""
    for given, c in programs(40, largest=2**29, seed=1):
        found, A = solve_program(given, c), given.astype(object)
        if found.ray is None:
            assert min(found.numerators) >= 0 < found.denominator
            assert (A @ found.numerators >= found.denominator).all()
        else:
            assert min(found.ray) >= 0 < max(found.ray)
            assert (A.T @ found.ray <= 0).all()


@pytest.mark.parametrize("limit", [0, 20])
def test_large_numbers_are_solved_in_unbounded_integers(limit, monkeypatch):
    wanted = [solve_program(A, c) for A, c in programs(40)]
    monkeypatch.setattr(integer_simplex, "MAX_ENTRY", limit)
    assert [solve_program(A, c) for A, c in programs(40)] == wanted


def test_numbers_beyond_64_bits():
    big = 2**40
    found = solve_program(np.array([[big, -1], [-big + 1, 1]]), np.array([1, 1]))  # v_2 = big - 1 times v_1, and more
    v, p = found.numerators, found.denominator
    assert big * v[0] - v[1] >= p
    assert v[1] - (big - 1) * v[0] >= p


def test_ties_do_not_cycle():
    A = np.array([[1, -1, 0], [0, 1, -1], [-1, 0, 1], [1, 1, 1]])
    assert (A.T @ solve_program(A, np.zeros(3, dtype=int)).ray <= 0).all()
