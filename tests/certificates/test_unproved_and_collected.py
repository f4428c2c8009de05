import numpy as np

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
    assert str(worst).startswith("Collected: 2 of 3 two-class problems proved\nThe worst of them, class 2 against 0:")


def test_what_is_not_proved_may_quote_what_is():
    bound = minimum_errors([[0], [1], [2], [3], [4]], [0, 1, 0, 1, 0])
    assert bound == 2
    assert str(Unproved("a guess", np.array([1.0]), -0.5, bound=bound)) == (
        "Unproved: a guess.\nAt least 2 errors are proved to be necessary."
    )
    assert str(Unproved("a guess", stated=0.6, bound=bound)).endswith("necessary, and this plane makes 3.")
    assert str(Unproved("a guess", stated=0.4, bound=bound)).endswith("necessary, and this plane makes no more.")
    assert str(Unproved("a guess")) == "Unproved: a guess."
