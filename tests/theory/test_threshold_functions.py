"""Threshold functions: their number, and weights or vertices that prove each answer in integers."""

from dataclasses import replace
from itertools import islice, product

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp

from separatrix import (
    DataError,
    OptionError,
    count_threshold_functions,
    cover_count,
    is_threshold_function,
    threshold_function_bounds,
)
from separatrix.solvers.separation.integer_simplex import ProgramOutcome
from separatrix.theory.counting import regular_program
from separatrix.theory.counting.regular_functions import regular_self_dual
from separatrix.theory.counting.regular_program import threshold_classes
from separatrix.theory.counting.threshold_count import regular_threshold_functions, truth_values

COUNTS = [4, 14, 104, 1882, 94572, 15028134, 8378070864, 17561539552946]


def cube(m):
    return np.array(list(product((0, 1), repeat=m)), dtype=int).reshape(2**m, m)


def check(table, verdict):
    """Check a proof by adding integers, without the library."""
    m = len(table).bit_length() - 1
    if verdict:
        assert all(type(w) is int for w in verdict.weights)
        sums = [sum(w * digit for w, digit in zip(verdict.weights, x, strict=True)) for x in product((0, 1), repeat=m)]
        assert [value >= verdict.threshold for value in sums] == [bool(value) for value in table]
    else:
        value = dict(zip(product((0, 1), repeat=m), table, strict=True))
        assert all(value[vertex] for vertex in verdict.true_vertices)
        assert not any(value[vertex] for vertex in verdict.false_vertices)
        totals = [
            [sum(own.values()), *(sum(times * vertex[i] for vertex, times in own.items()) for i in range(m))]
            for own in (verdict.true_vertices, verdict.false_vertices)
        ]
        assert totals[0] == totals[1]
        assert totals[0][0] > 0
        assert min([*verdict.true_vertices.values(), *verdict.false_vertices.values()]) > 0
    assert verdict.error() == 0
    assert verdict.proved


def tables(m):
    """Every Boolean function of m variables, as rows."""
    return (np.arange(2 ** (2**m))[:, None] >> np.arange(2**m)[::-1] & 1).astype(bool)


def test_the_table_of_counts():
    """Table 60.3, where 65,356 is a misprint of 65,536."""
    assert [count_threshold_functions(m) for m in range(1, 8)] == COUNTS[:7]
    assert count_threshold_functions(0) == 2
    parts = [count / 2 ** (2**m) for m, count in enumerate(COUNTS, start=1)]
    wanted = [1, 0.875, 0.40625, 0.028717, 2.2e-5, 8.1e-13, 2.5e-29, 1.5e-64]
    assert np.allclose(parts, wanted, rtol=0.02, atol=0.0)
    assert round(parts[3], 6) == 0.028717


def test_regular_functions_of_eight_variables_are_threshold_functions():
    """The theorem that the counts up to m = 7 use (Muroga, Tsuboi and Baugh, 1970), by a program for each class."""
    sizes = [1, 1, 2, 3, 7, 21, 135]
    assert [sum(1 for _ in regular_self_dual(n)) for n in range(1, 8)] == sizes
    assert [sum(1 for _ in regular_threshold_functions(n)) for n in range(1, 8)] == sizes


@pytest.mark.large
def test_regular_functions_of_eight_and_nine_variables():
    assert sum(1 for _ in regular_threshold_functions(8)) == 2470
    some = truth_values(list(islice(regular_self_dual(9), 0, None, 199)), 9)
    assert 0 < threshold_classes(some).sum() < len(some)


def small_weights(m, largest):
    """For every function of m variables the least sum of weights of at most this size, -1 where there are none."""
    W = np.array(list(product(range(-largest, largest + 1), repeat=m)), dtype=int)
    values, sums, least = W @ cube(m).T, np.abs(W).sum(axis=1), np.full(2 ** (2**m), np.iinfo(int).max)
    digits = 1 << np.arange(2**m)[::-1]
    for threshold in range(values.min(), values.max() + 2):
        np.minimum.at(least, (values >= threshold) @ digits, sums)
    return np.where(least == np.iinfo(int).max, -1, least)


def two_summable(m):
    """For every function of m variables whether two true and two false vertices have the same sum."""
    X, T = cube(m), tables(m)
    pairs: dict = {}
    for i in range(2**m):
        for j in range(i, 2**m):
            pairs.setdefault(tuple(X[i] + X[j]), []).append((i, j))
    found = np.zeros(len(T), dtype=bool)
    for same in pairs.values():
        both, none = (np.array([side[:, i] & side[:, j] for i, j in same]).any(axis=0) for side in (T, ~T))
        found |= both & none
    return found


def test_all_functions_of_four_variables_by_brute_force():
    """Each of 65,536 has small integer weights, or two true and two false vertices of the same sum."""
    for m in (2, 3, 4):
        weights, summable = small_weights(m, 3) >= 0, two_summable(m)
        assert (weights != summable).all()
        assert weights.sum() == COUNTS[m - 1]


@pytest.mark.parametrize("m", [0, 1, 2, 3])
def test_every_function_is_decided_with_the_least_weights(m):
    for table, least in zip(tables(m).tolist(), small_weights(m, 4).tolist(), strict=True):
        found = is_threshold_function(table)
        check(table, found)
        assert bool(found) == (least >= 0)
        assert not found or (found.least and sum(map(abs, found.weights)) == least)


def test_functions_of_four_variables_are_decided_with_the_least_weights():
    """All threshold functions, and one in 25 of the others."""
    T, least = tables(4), small_weights(4, 4)
    for row in np.flatnonzero((least >= 0) | (np.arange(2**16) % 25 == 0)):
        found, total = is_threshold_function(T[row]), least[row]
        assert found.error() == 0
        assert bool(found) == (total >= 0)
        assert not found or (found.least and sum(map(abs, found.weights)) == total)


def upper_closure(m, generators):
    """The monotone function that is 1 at some vertices and above them."""
    X = cube(m)
    return np.any([(one <= X).all(axis=1) for one in generators], axis=0)


def monotone(m, random):
    """A random monotone function: of any kind, or a threshold function with one minimal true vertex made false."""
    X = cube(m)
    if random.random() < 0.6:
        return upper_closure(m, X[random.choice(2**m, random.integers(3, 9))])
    values = X @ random.integers(1, 12, m)
    table = values >= random.integers(1, values.max())
    above = [table[np.flatnonzero((x >= X).all(axis=1))].sum() == 1 for x in X]
    lowest = np.flatnonzero(table & above)
    table[random.choice(lowest)] = False
    return table


def test_random_monotone_functions_of_six_variables():
    random, seen = np.random.default_rng(0), []
    for _ in range(150):
        table = monotone(6, random)
        found = is_threshold_function(table)
        check(table.tolist(), found)
        seen.append(bool(found))
        assert not found or found.least
    assert 30 < sum(seen) < 120, sum(seen)


def test_the_program_of_every_class_of_six_variables_has_an_integral_optimum():
    """Every function of m <= 6 variables is one of these but for signs and order, so its weights are the least."""
    for n in range(1, 8):
        for table in truth_values(list(regular_self_dual(n)), n):
            for axis in range(n):
                found = is_threshold_function(table.reshape((2,) * n).take(1, axis).reshape(-1))
                assert found.least
                assert found.error() == 0


def least_sum(table):
    """The least sum of integer weights of a monotone function, by an integer program (HiGHS)."""
    m = table.size.bit_length() - 1
    signs = np.where(table, 1, -1)
    A = np.column_stack([signs[:, None] * cube(m), -signs])  # w.x >= t where f = 1, and w.x <= t - 1 where it is 0
    found = milp(
        np.append(np.ones(m), 0.0),
        constraints=LinearConstraint(A, lb=np.where(table, 0, 1)),
        integrality=np.ones(m + 1),
    )
    return round(found.fun)


def test_the_weights_are_the_least_by_an_integer_program():
    """The last class is one whose least sum is not that of the weights with the least largest one."""
    six = truth_values(list(islice(regular_self_dual(7), 0, None, 9)), 7)
    seven = truth_values(list(islice(regular_self_dual(8), 1857, 1858)), 8)
    for classes, n in ((six, 7), (seven, 8)):
        for number, table in enumerate(classes):
            own = table.reshape((2,) * n).take(1, number % n).ravel()
            found = is_threshold_function(own)
            assert found.least
            assert sum(found.weights) == least_sum(own)


def test_an_optimum_that_is_not_integral_gives_weights_that_are_not_called_the_least():
    table = cube(9) @ [36, 32, 29, 22, 18, 17, 12, 12, 5] >= 92
    found = is_threshold_function(table)
    check(table.tolist(), found)
    assert not found.least
    assert "smaller sum" not in str(found)


def test_a_regular_function_that_is_no_threshold_function():
    """It takes eight variables; some have no proof by two true and two false vertices."""
    some = truth_values(list(islice(regular_self_dual(9), 100_000, 100_300)), 9)
    others = some[~threshold_classes(some)][:40]
    found = [is_threshold_function(table.reshape((2,) * 9).take(1, axis=4)) for table in others]
    assert len(found) == 40
    for table, verdict in zip(others, found, strict=True):
        assert not verdict
        check(table.reshape((2,) * 9).take(1, axis=4).ravel().tolist(), verdict)
    assert len({sum(verdict.true_vertices.values()) for verdict in found}) > 1


def test_chow_parameters_tell_a_threshold_function_from_all_others():
    """Chow's theorem, for every pair of functions of four variables of which one is a threshold function."""
    T = tables(4)
    signs = 2 * T.astype(int) - 1
    chow = np.column_stack([signs.sum(axis=1), signs @ (2 * cube(4) - 1)])
    _, place, count = np.unique(chow, axis=0, return_inverse=True, return_counts=True)
    assert (count[place.ravel()][~two_summable(4)] == 1).all()
    for row in (0, 1, 4711, 65535):
        assert is_threshold_function(T[row]).chow_parameters == tuple(chow[row])


def test_constants_and_single_variables():
    for m in (0, 1, 5):
        true, false = is_threshold_function(np.ones(2**m)), is_threshold_function(np.zeros(2**m, dtype=bool))
        assert (true.weights, true.threshold, false.weights, false.threshold) == ((0,) * m, 0, (0,) * m, 1)
        assert true.chow_parameters == (2**m, *(0,) * m)
    negation = is_threshold_function([1, 0])
    assert (negation.weights, negation.threshold) == ((-1,), 0)
    assert str(negation).startswith("Threshold function of 1 variable: f(x) = 1 exactly where -x1 >= 0.")
    assert repr(is_threshold_function([0, 1, 1, 0])) == "ThresholdVerdict(2 variables, no weights)"
    assert "weights=(1, 1), threshold=2" in repr(is_threshold_function([0, 0, 0, 1]))


def test_spoiled_proofs_are_found_out():
    good, none = is_threshold_function([0, 0, 0, 1]), is_threshold_function([0, 1, 1, 0])
    assert replace(good, threshold=1).error() == 2
    assert replace(good, weights=(1, -1)).error() > 0
    assert replace(none, truth_table=good.truth_table).error() > 0
    assert replace(none, true_vertices={(0, 1): 2, (1, 0): 1}).error() == 2  # one vertex too many
    assert replace(none, true_vertices={(0, 1): 2}).error() == 2
    assert replace(none, true_vertices={(0, 1): 2, (1, 0): 0}).error() > 0
    assert replace(none, true_vertices={}, false_vertices={}).error() > 0


def test_a_cube_of_values_is_taken_and_other_shapes_are_not():
    assert is_threshold_function([[0, 0], [0, 1]]).weights == (1, 1)
    for table, message in [
        ([0, 1, 1], "2\\^m values.*Got 3"),
        ([], "Got 0 values"),
        ([[0, 1, 1, 1]], "of shape \\(1, 4\\)"),
        ([0, 2], "must be 0 or 1. Got 2"),
        ([0, np.nan], "must be 0 or 1"),
        ("0111", "each of them 0 or 1"),
        (np.zeros(2**13), "at most 4,096 values. Got 8,192"),
    ]:
        with pytest.raises(DataError, match=message):
            is_threshold_function(table)


def test_the_bounds_of_muroga():
    for m, count in enumerate(COUNTS, start=1):
        bounds = threshold_function_bounds(m)
        assert count <= bounds.cover == cover_count(2**m, m) < bounds.exponential
        assert m < 2 or count <= bounds.power == 2 ** (m * m)
        assert (bounds.exponential <= bounds.power) == (m > 2)
    assert COUNTS[0] > threshold_function_bounds(1).power


@pytest.mark.parametrize("m", [-1, 9, 2.0, True, None])
def test_numbers_of_variables_that_are_refused(m):
    with pytest.raises(OptionError, match="'m' parameter must be"):
        count_threshold_functions(m)
    with pytest.raises(OptionError, match="'m' parameter must be"):
        threshold_function_bounds(65 if m == 9 else m)


def test_an_answer_that_fails_its_check_is_not_believed(monkeypatch):
    for spoiled in (ProgramOutcome([0, 0], 1, None), ProgramOutcome(None, 1, [1])):
        monkeypatch.setattr(regular_program, "solve_program", lambda A, c, spoiled=spoiled: spoiled)
        with pytest.raises(ArithmeticError):
            regular_program.decide_in_python(np.array([[1, 0]]))
