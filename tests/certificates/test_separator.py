"""A Separator says 0 exactly if every row is strictly on its own side, however close it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.contract import truly_separates
from separatrix import DataError
from separatrix.certificates import Separator
from separatrix.problem import Problem
from separatrix.rows import CSR


def two_class(X, y=None):
    X = np.asarray(X, dtype=float)
    return Problem(X, np.ones(len(X), dtype=int) if y is None else np.asarray(y))


def error(problem, w, b=0.0):
    return Separator.issue(problem, np.asarray(w, dtype=float), b).error(problem)


def test_the_distance_of_the_worst_row():
    problem = two_class([[3.0, 4.0], [-6.0, -8.0]], [1, 1])
    assert error(problem, [0.6, 0.8]) == pytest.approx(10.0)
    assert error(problem, [60.0, 80.0]) == pytest.approx(10.0), "a distance does not depend on the length of w"
    assert error(problem, [-0.6, -0.8]) == pytest.approx(5.0)


def test_a_row_on_the_plane_is_wrong():
    problem = two_class([[1.0], [2.0]], [0, 1])
    assert 0.0 < error(problem, [1.0], -1.0) < 1e-300
    assert 0.0 < error(problem, [1e200], -1e200) < 1e-300
    assert error(problem, [1.0], -np.nextafter(1.0, 2.0)) == 0.0, "the next number is on its own side"


def test_no_plane_at_all_is_infinitely_wrong():
    problem = two_class([[1.0], [2.0]], [0, 1])
    assert error(problem, [0.0], 0.0) == np.inf
    assert error(problem, [np.nan], 0.0) == np.inf
    assert error(problem, [np.inf], 0.0) == np.inf


def test_cancellation_is_settled_exactly():
    """Floats add these to 0 or 2 by the order; the truth is 1 and -1."""
    problem = two_class([[1e16, 1.0, 1e16]])
    certificate = Separator.issue(problem, np.array([1.0, 1.0, -1.0]), 0.0)
    assert certificate.error(problem) == 0.0
    assert certificate.examined.n_exact == 1
    assert "exact fractions" in str(certificate)
    assert error(problem, [1.0, -1.0, -1.0]) > 0.0


def test_tiny_and_huge_numbers():
    assert error(two_class([[1e-300, 0.0]]), [1e-300, 0.0]) == 0.0, "the product underflows, but it is positive"
    assert error(two_class([[1e-300, 0.0]]), [-1e-300, 0.0]) > 0.0
    assert error(two_class([[1e100, -1e100]]), [1e250, 1e250], 1.0) == 0.0, "infinity minus infinity, and yet 1"
    assert error(two_class([[1e100, -1e100]]), [1e250, 1e250], -1.0) > 0.0


DYADIC = st.integers(-8, 8).map(lambda k: k * 0.1)  # 0.1 k: sums that are nearly, and sometimes truly, zero


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(DYADIC, DYADIC, DYADIC), min_size=1, max_size=4),
    st.tuples(DYADIC, DYADIC, DYADIC),
    DYADIC,
)
def test_it_agrees_with_fractions_near_ties(points, w, b):
    problem = two_class(points)
    assert (error(problem, w, b) == 0.0) == truly_separates(problem, np.array(w), b)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(DYADIC, DYADIC), min_size=3, max_size=5), st.lists(DYADIC, min_size=9, max_size=9))
def test_it_agrees_with_fractions_for_several_classes(points, planes):
    problem = Problem(np.array(points), np.arange(len(points)) % 3, n_classes=3)
    W = np.array(planes).reshape(3, 3)
    certificate = Separator.issue(problem, W[:, :2], W[:, 2])
    assert (certificate.error(problem) == 0.0) == truly_separates(problem, W[:, :2], W[:, 2])


def test_several_classes_that_differ_by_less_than_rounding():
    """Floats see the classes tie at 1e16; one of them leads by 1."""
    x = np.array([[1e16, 1.0, 1e16]])
    w = np.array([[1.0, 1.0, -1.0], [1.0, 0.0, -1.0], [-1.0, 0.0, 0.0]])
    for own, error_is_zero in ((0, True), (1, False)):
        certificate = Separator.issue(Problem(x, np.array([own]), n_classes=3), w, np.zeros(3))
        assert certificate.proof is error_is_zero
    assert certificate.examined.n_exact > 0


def test_a_lead_between_classes_that_is_only_rounding():
    """Summed in order, class 0 scores 4 where 3 is true, and seems to lead class 1, which scores 3.5."""
    x = CSR(np.array([1e16, 1.0, 1e16, 3.5]), np.arange(4), np.array([0, 4]), 4)
    w = np.array([[1.0, 3.0, -1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, -1.0]])
    problem = Problem(x, np.array([0]), n_classes=3)
    assert not truly_separates(problem, w, np.zeros(3))
    assert not Separator.issue(problem, w, np.zeros(3)).proof


def test_products_that_underflow_are_in_doubt():
    """Three products of 0.6 of the least number round to 3 of them; with b = -2 the sum is not 1 but -0.2."""
    least = np.finfo(float).smallest_subnormal
    problem, w, b = two_class(np.full((1, 3), 2.0**-537)), np.full(3, 0.6 * 2.0**-537), -2 * least
    assert not truly_separates(problem, w, b)
    assert error(problem, w, b) > 0.0


def test_the_bound_on_the_mistakes_of_several_classes():
    """R^2 = 2 max ||[x, 1]||^2 over gamma^2 = (least margin)^2 / ||W||^2, by hand."""
    problem = Problem(np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.arange(3), n_classes=3)
    w, b = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), np.zeros(3)
    # margins: rows 0 and 1: 1 - 0 = 1 and 1 - (-1) = 2; row 2: 2 - (-1) = 3; ||W||^2 = 4, R^2 = 2 * 3
    assert Separator.issue(problem, w, b).examined.bound == pytest.approx(6 * 4 / 1)


def test_the_first_row_that_is_truly_wrong_ends_the_exact_work():
    problem = two_class(np.zeros((500, 3)))
    examined = Separator.issue(problem, np.ones(3), 0.0).examined
    assert examined.n_exact == 1
    assert examined.n_wrong == 500


def test_margins_beyond_the_largest_float():
    assert error(two_class([[1e100]]), [1e250]) == 0.0


def test_dense_and_sparse_agree():
    X = np.array([[1.0, 0.0], [0.0, -2.0]])
    sparse = CSR(np.array([1.0, -2.0]), np.array([0, 1]), np.array([0, 1, 2]), 2)
    w = np.array([1.0, 1.0])
    errors = {Separator.issue(Problem(rows, np.array([1, 1])), w, 0.5).stated for rows in (X, sparse)}
    assert len(errors) == 1
    assert errors.pop() == pytest.approx(1.5 / np.sqrt(2))


def test_other_features_or_classes_are_refused():
    certificate = Separator.issue(two_class([[1.0, 2.0]]), np.array([1.0, 0.0]), 0.0)
    with pytest.raises(DataError, match=r"for 2 features and 1 plane\(s\), but the problem has 3 features"):
        certificate.error(two_class([[1.0, 2.0, 3.0]]))
    with pytest.raises(DataError, match="asks for 3"):
        certificate.error(Problem(np.ones((3, 2)), np.arange(3), n_classes=3))


def test_it_prints_what_a_person_wants_to_know():
    problem = two_class([[1.0], [3.0]], [0, 1])
    good, bad = (Separator.issue(problem, np.array([1.0]), b, mistakes=4) for b in (-2.0, -4.0))
    assert "y (w.x + b) > 0 on all 2 rows" in str(good)
    assert "nearest row  1 from the plane" in str(good)
    assert "mistakes     4 <= (R/gamma)^2 = 50" in str(good)
    assert good.proof
    assert not bad.proof
    assert "1 of 2 rows are on the wrong side, the worst by 1" in str(bad)
    nowhere = Separator.issue(problem, np.array([0.0]), 0.0)
    assert "2 of 2 rows are on the wrong side, at no distance that can be told, as w is 0" in str(nowhere)
    assert (repr(good), repr(bad)) == (
        "Separator(proved, 2 rows, stated=0)",
        "Separator(not proved, 2 rows, stated=1)",
    )


@pytest.mark.parametrize(
    ("y", "b", "rows"),
    [
        ([0, 0, 1], -3.0, "for the rows [x, 1]\n"),
        ([0, 0, 1], 0.0, "for the rows [x, 1], or x without an offset\n"),
        ([0, 1, 2], [0.0, -3.0, -16.0], "for Kesler's vectors of the rows [x, 1]\n"),
    ],
)
def test_the_bound_on_mistakes_says_for_which_rows(y, b, rows):
    X = np.array([[-1.0], [2.0], [9.0]]) if b else np.array([[-1.0], [-2.0], [9.0]])
    w = np.array([1.0]) if np.ndim(b) == 0 else np.array([[0.0], [2.0], [4.0]])
    assert rows in str(Separator.issue(Problem(X, np.array(y), max(y) + 1), w, b, mistakes=1))
