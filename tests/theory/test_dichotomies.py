"""Points in general position and their separable dichotomies: enumeration, Cover's count and random labels agree."""

from itertools import combinations, product

import numpy as np
import pytest

from separatrix import (
    DataError,
    OptionError,
    count_threshold_functions,
    cover_count,
    in_general_position,
    separability,
    separable_dichotomies,
    separable_probability,
)
from separatrix.certificates.arithmetic import exact


def extended(X, homogeneous):
    """The rows that planes are linear in."""
    return np.asarray(X, dtype=float) if homogeneous else np.column_stack([X, np.ones(len(X))])


def every_set_is_independent(X, homogeneous):
    """The definition, by the rank of each set of rows."""
    A = extended(X, homogeneous)
    size = min(A.shape)
    return all(exact.rank(A[list(rows)]) == size for rows in combinations(range(len(A)), size))


def is_separable(X, y, homogeneous=False):
    """Whether a plane separates labels, all on one side among them."""
    X, y = np.asarray(X, dtype=float), np.asarray(y)
    if homogeneous:  # a row on the other side of the origin is a row of the other class
        X, y = np.vstack([X, -X]), np.concatenate([y, -y])
    elif len(set(y.tolist())) == 1:
        return True
    return separability(X, y, fit_intercept=not homogeneous).kind == "complete"


@pytest.mark.parametrize("homogeneous", [False, True])
def test_general_position_is_its_definition_and_dependent_rows_cancel(homogeneous):
    random, seen = np.random.default_rng(int(homogeneous)), set()
    for _ in range(250):
        X = random.integers(-6, 7, (random.integers(1, 9), random.integers(1, 5)))
        found = in_general_position(X, homogeneous=homogeneous)
        assert bool(found) == every_set_is_independent(X, homogeneous)
        seen.add(bool(found))
        if not found:
            A = extended(X, homogeneous)[list(found.rows)].astype(int)
            assert not (np.array(found.coefficients) @ A).any()
            assert all(found.coefficients)
            assert exact.rank(A.astype(float)) == len(A) - 1  # without any one of them, the others are independent
    assert seen == {True, False}


def test_the_two_definitions_differ_in_both_directions():
    triangle, line = [[1, 0], [2, 0], [0, 1]], [[1, 0], [0, 1], [2, -1]]
    assert in_general_position(triangle)
    assert in_general_position(triangle, homogeneous=True).rows == (0, 1)
    assert in_general_position(line, homogeneous=True)
    assert in_general_position(line).rows == (0, 1, 2)


def test_doubles_are_taken_as_they_are():
    assert in_general_position([[0.1, 0.1], [0.2, 0.2], [0.3, 0.30000000000000004]])
    assert not in_general_position([[0.1, 0.1], [0.2, 0.2], [0.3, 0.3]])
    assert in_general_position([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0 + 2.0**-51]])
    assert not in_general_position([[0.0, 0.0], [1e90, 1e-90], [2e90, 2e-90]])


def test_rows_that_only_look_dependent_modulo_a_prime_are_not():
    assert in_general_position([[1], [2**31]])  # equal modulo 2^31 - 1
    assert in_general_position([[0], [1], [2**31], [7]])
    assert in_general_position([[1], [2**31], [5], [5]]).rows == (2, 3)


def test_what_dependent_rows_have_in_common_is_said():
    def said(X, **options):
        return str(in_general_position(X, **options))

    assert "rows 0 and 2 are the same point" in said([[1, 2], [0, 0], [1, 2]])
    assert "rows 1, 2, 3 and 4 are in one plane" in said(np.vstack([[[0, 0, 5]], np.eye(3), [[3, -1, -1]]]))
    assert "rows 0 and 1 are on one line through the origin" in said([[1, 1], [-2, -2]], homogeneous=True)
    assert "in one flat of dimension 3" in said(np.vstack([np.eye(4), [[1, 1, 1, -2]]]))
    assert "no d + 1 of them" in said(np.eye(3))
    odd = np.random.default_rng(0).standard_normal((4, 3))
    odd[3] = 0.5 * odd[0] + 0.5 * odd[1]
    text = said(np.round(odd * 2**20) / 2**20)
    assert "rows 0, 1 and 3 are on one line" in text
    assert text.endswith("sum to 0.")


def test_too_many_sets_of_rows_are_refused_but_not_what_is_easily_seen():
    X = np.random.default_rng(0).standard_normal((60, 9))
    with pytest.raises(DataError, match="takes 2,558,620,845 eliminations"):
        in_general_position(X)
    X[41] = X[7]
    assert in_general_position(X).rows == (7, 41)
    X[41, 0], X[:, 3] = 0.0, 1.0
    found = in_general_position(X)
    assert not found
    assert "integers with which they cancel" in str(found)


def test_wrong_input_is_refused():
    with pytest.raises(DataError, match="NaN"):
        in_general_position([[np.nan, 1.0]])
    with pytest.raises(DataError):
        in_general_position([1.0, 2.0])
    with pytest.raises(OptionError, match="homogeneous"):
        in_general_position([[1.0]], homogeneous=1)
    with pytest.raises(OptionError, match="homogeneous"):
        separable_dichotomies([[1.0]], homogeneous=None)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_points_in_general_position_have_as_many_dichotomies_as_cover_counts(d):
    random = np.random.default_rng(d)
    for n in range(1, 9):
        X = random.integers(-1000, 1001, (n, d))
        for homogeneous in (False, True):
            assert in_general_position(X, homogeneous=homogeneous)
            found = {tuple(labels.tolist()) for labels in separable_dichotomies(X, homogeneous=homogeneous)}
            assert len(found) == cover_count(n, d, homogeneous=homogeneous)
            assert {tuple(-k for k in labels) for labels in found} == found


def test_other_points_have_fewer_and_each_label_is_that_of_separability():
    random, fewer = np.random.default_rng(0), 0
    for homogeneous in (False, True):
        for _ in range(3):
            X = random.integers(-1, 2, (5, 2))
            found = {tuple(labels.tolist()) for labels in separable_dichotomies(X, homogeneous=homogeneous)}
            assert found == {y for y in product((-1, 1), repeat=5) if is_separable(X, y, homogeneous)}
            assert len(found) <= cover_count(5, 2, homogeneous=homogeneous)
            fewer += len(found) < cover_count(5, 2, homogeneous=homogeneous)
    assert fewer > 3
    assert [sum(1 for _ in separable_dichotomies(np.arange(n)[:, None] * [1, 1])) for n in (3, 5)] == [6, 10]


def test_the_vertices_of_the_cube_have_as_many_as_there_are_threshold_functions():
    for m in (1, 2, 3):
        cube = list(product((0, 1), repeat=m))
        assert sum(1 for _ in separable_dichotomies(cube)) == count_threshold_functions(m)
    assert count_threshold_functions(3) < cover_count(8, 3)  # 104 of 128: faces of the cube have four vertices each


def test_twice_as_many_vertices_of_the_cube_as_dimensions_are_never_in_general_position():
    """But for the square, whose four corners are: no three of them are on a line."""
    assert in_general_position(list(product((0, 1), repeat=2)))
    for m, homogeneous in ((2, True), (3, False), (3, True)):
        cube = np.array(list(product((0, 1), repeat=m)))
        sets = combinations(range(2**m), 2 * m)
        assert not any(in_general_position(cube[list(rows)], homogeneous=homogeneous) for rows in sets)


@pytest.mark.parametrize(("n", "d"), [(6, 1), (8, 3), (8, 4)])
def test_random_labels_are_separable_as_often_as_theory_says(n, d):
    random, draws = np.random.default_rng(n), 250
    found = np.mean([is_separable(random.standard_normal((n, d)), random.choice([-1, 1], n)) for _ in range(draws)])
    p = float(separable_probability(n, d))
    assert abs(found - p) < 4.0 * np.sqrt(p * (1.0 - p) / draws)


def test_random_vertices_of_a_large_cube_are_separable_as_points_in_general_position_are():
    """Budinich's limit (1991), at the capacity: 0.406 for three dimensions, near 1/2 for twelve."""
    m, draws, random = 12, 200, np.random.default_rng(0)
    cube, n = np.array(list(product((0, 1), repeat=m))), 2 * (m + 1)
    labels = [(cube[random.choice(2**m, n, replace=False)], random.choice([-1, 1], n)) for _ in range(draws)]
    assert abs(np.mean([is_separable(*each) for each in labels]) - 0.5) < 4.0 * 0.5 / np.sqrt(draws)
    assert count_threshold_functions(3) / 2**8 == 0.40625
