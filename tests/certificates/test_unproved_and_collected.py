import numpy as np
import pytest

from separatrix import minimum_errors
from separatrix.certificates import Collected, Separator, Unproved
from separatrix.problem import Problem

LINE = Problem(np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1]))
THREE = Problem(np.array([[0.0], [4.0], [9.0]]), np.array([0, 1, 2]), n_classes=3)


def test_unproved_counts_training_errors_and_proves_nothing():
    certificate = Unproved("it is only a guess", np.array([1.0]), -0.5)
    assert not certificate.proof
    assert certificate.error(LINE) == 0.25
    assert str(certificate) == "Unproved: it is only a guess."


def test_unproved_for_several_classes_takes_the_largest_score():
    certificate = Unproved("a guess", np.array([[-1.0], [0.0], [1.0]]), np.array([2.0, 0.0, -5.0]))
    assert certificate.error(THREE) == 0.0
    assert Unproved("a guess", certificate.w, certificate.b[::-1]).error(THREE) > 0.0


def test_unproved_without_planes_claims_nothing():
    assert Unproved("it carries none").error(LINE) == np.inf


def test_the_worst_part_speaks_for_all():
    code = np.array([[-1, -1, 0], [1, 0, -1], [0, 1, 1]])
    problems = [THREE.dichotomy(column) for column in code.T]
    good = [Separator.issue(p, np.array([1.0]), b) for p, b in zip(problems, (-2.0, -5.0, -6.0), strict=True)]
    assert Collected(code, tuple(good)).error(THREE) == 0.0
    bad = Separator.issue(problems[1], np.array([1.0]), -10.0)
    worst = Collected(code, (good[0], bad, good[2]))
    assert worst.error(THREE) == bad.error(problems[1]) > 0.0
    assert worst.stated == bad.stated
    assert Collected(code, tuple(good)).proof
    assert not worst.proof
    assert worst.n_proved == 2
    assert not Collected(code, (good[0], good[1], Unproved("a guess"))).proof
    assert str(worst).startswith(
        "2 of 3 two-class problems proved, each with its own certificate\n"
        "The one with the largest error, class 2 against 0:"
    )


def test_classes_have_the_names_that_they_are_given():
    code = np.array([[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    parts = tuple(Unproved("a guess", np.array([1.0]), stated=error) for error in (0.1, 0.3, 0.2))
    assert "The one with the largest error, class 1 against 0, 2:" in str(Collected(code, parts))
    assert "The one with the largest error, class 20 against 10, 30:" in str(
        Collected(code, parts).named(np.array([10, 20, 30]))
    )
    named = Collected(code, parts).named(np.array(["a", "b", "c"]))
    assert "The one with the largest error, class 'b' against 'a', 'c':" in str(named)
    assert named.error(THREE) == Collected(code, parts).error(THREE)
    with pytest.raises(ValueError, match="2 names are not one for each class"):
        Collected(code, parts, ("a", "b"))


def test_what_is_not_proved_may_quote_what_is():
    bound = minimum_errors([[0], [1], [2], [3], [4]], [0, 1, 0, 1, 0])
    assert bound == 2
    assert str(Unproved("a guess", np.array([1.0]), -0.5, bound=bound)) == (
        "Unproved: a guess.\nAt least 2 errors are proved to be necessary."
    )
    assert str(Unproved("a guess", stated=0.6, bound=bound)).endswith("necessary, and this plane makes 3.")
    assert str(Unproved("a guess", stated=0.4, bound=bound)).endswith("necessary, and this plane makes no more.")
    assert str(Unproved("a guess")) == "Unproved: a guess."
