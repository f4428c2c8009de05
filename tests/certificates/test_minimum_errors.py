"""A count of errors is a number that carries its proof; any spoiled part of it shows."""

import copy
import json
import pickle

import numpy as np
import pytest

from separatrix import DataError, LinearSVM, MinimumErrors, OptionError, PocketPerceptron, minimum_errors
from separatrix.certificates.claims.minimum_errors import disjoint_conflicts_suffice
from separatrix.certificates.claims.overlap import Balance
from separatrix.problem import Problem

X = np.random.default_rng(1).standard_normal((24, 2))
Y = (X[:, 0] + 1.5 * np.random.default_rng(2).standard_normal(24) > 0).astype(int)
PROBLEM = Problem(X, Y)
FOUND = minimum_errors(X, Y)


def spoiled(**parts):
    other = copy.copy(FOUND)
    for name, value in parts.items():
        setattr(other, name, value)
    return other


def test_it_is_a_number():
    assert isinstance(FOUND, int)
    assert FOUND.upper == FOUND.lower == FOUND == 4
    assert FOUND + 1 == 5
    assert f"{FOUND} of {FOUND:>3}" == "4 of   4"
    assert {FOUND: "same hash"}[4]
    assert repr(FOUND) == "MinimumErrors(4)"
    assert FOUND.stated == 0.0
    assert FOUND.proof


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda found: pickle.loads(pickle.dumps(found))])
def test_copies_carry_the_proof(copied):
    other = copied(FOUND)
    assert isinstance(other, MinimumErrors)
    assert other.error(PROBLEM) == 0.0
    assert str(other) == str(FOUND)


def test_it_is_plain_numbers_too():
    plain = json.loads(json.dumps(FOUND.to_dict()))
    assert plain["lower"] == plain["upper"] == 4
    assert plain["proved"]
    assert plain["rows"] == FOUND.rows.tolist()
    assert np.array_equal(plain["plane"]["w"], FOUND.plane[0])
    Z = np.column_stack([X, np.ones(24)]) * (2 * Y - 1)[:, None]
    for conflict in plain["conflicts"]:
        weights = np.array(conflict["weights"], dtype=float)
        assert np.abs(weights / weights.sum() @ Z[conflict["rows"]]).max() < 1e-12


def test_every_spoiled_part_shows():
    w, b = FOUND.plane
    first, *others = FOUND.balances
    heavier = Balance(first.index, [first.weights[0] + 1, *first.weights[1:]])
    doubtful = {
        "plane": spoiled(plane=(w, b + 10.0)),
        "rows": spoiled(rows=FOUND.rows[1:]),
        "weights": spoiled(balances=(heavier, *others)),
        "too few conflicts": spoiled(balances=tuple(others[: len(others) // 2])),
        "bound": spoiled(lower=5),
    }
    for part, claim in doubtful.items():
        assert claim.error(PROBLEM) == np.inf, part
    assert FOUND.error(Problem(X, 1 - Y)) == np.inf
    assert FOUND.error(Problem(X[::-1].copy(), Y)) == np.inf
    with pytest.raises(
        DataError, match="24 rows of 2 features in two classes, but the problem has 23 rows x 2 features"
    ):
        FOUND.error(Problem(X[1:], Y[1:]))


def test_a_bound_that_is_lower_than_need_be_is_still_true():
    claim = spoiled(lower=3)
    assert not claim.proved
    assert claim.error(PROBLEM) == claim.stated == 1.0
    assert str(claim).startswith("MinimumErrors: 3 to 4 of 24 rows\n  at most 4 ")
    assert repr(claim) == "MinimumErrors(4, not below 3)"
    assert str(claim).endswith("allow more time to bring them together.")


def test_it_tells_a_story():
    lines = str(FOUND).splitlines()
    assert lines[0] == "MinimumErrors: 4 of 24 rows, proved"
    assert lines[1].startswith("  wrong        rows ")
    assert lines[2].startswith("  at least 4   by ")
    assert lines[3].startswith("No plane makes fewer errors.")
    assert len(FOUND.balances) > 4
    assert lines[4:] == ["That no fewer rows meet all of these sets is the answer of an integer program (HiGHS)."]
    alone = str(minimum_errors([[0], [1], [2], [3]], list("abab")))  # one set of rows: nothing to trust
    assert alone.splitlines()[-1].startswith("No plane makes fewer errors.")
    assert "every row strictly on its own side" in str(minimum_errors([[0], [1]], [0, 1]))


def test_a_pocket_quotes_it():
    model = PocketPerceptron(random_state=0).fit(X, Y)
    before = str(model.certificate_)
    certificate = FOUND.quoted_by(model)
    assert model.certificate_ is certificate
    made = round(24 * certificate.stated)
    assert made >= 4
    more = "no more" if made == 4 else f"{made}"
    assert str(certificate) == f"{before}\nAt least 4 errors are proved to be necessary, and this plane makes {more}."
    assert certificate.bound.error(PROBLEM) == 0.0
    assert certificate.error(PROBLEM) == certificate.stated
    assert not certificate.proof


def test_a_worse_plane_says_how_many_it_makes():
    model = PocketPerceptron(max_iter=1, patience=1, shuffle=False).fit(X, Y)
    made = round(24 * model.certificate_.stated)
    assert made > 4
    assert str(FOUND.quoted_by(model)).endswith(f"this plane makes {made}.")


def test_nothing_else_can_quote_it():
    with pytest.raises(OptionError, match="whose certificate is Unproved. Got LinearSVM with DualityGap"):
        FOUND.quoted_by(LinearSVM().fit(X, Y))
    with pytest.raises(OptionError, match="Got int with NoneType"):
        FOUND.quoted_by(4)
    with pytest.raises(DataError, match=r"2 features, but the model has coef_ of shape \(1, 1\)"):
        FOUND.quoted_by(PocketPerceptron().fit(X[:, :1], Y))
    model = PocketPerceptron(random_state=0).fit(X, Y)
    with pytest.raises(DataError, match="planes without an offset"):
        minimum_errors(X, Y, fit_intercept=False).quoted_by(model)
    with pytest.raises(DataError, match="at least 4 wrong"):
        FOUND.quoted_by(PocketPerceptron(random_state=0).fit(X, (X[:, 0] > 0) ^ (np.arange(24) == 7)))
    with pytest.raises(DataError, match="cannot be of these 24"):
        FOUND.quoted_by(PocketPerceptron(random_state=0, max_iter=1).fit(X[:23], Y[:23]))


def test_a_plane_without_offset_may_quote_the_bound_for_all_planes():
    model = PocketPerceptron(random_state=0, fit_intercept=False).fit(X, Y)
    assert "At least 4 errors" in str(FOUND.quoted_by(model))


REPEATED = [[-2], [-1], [1], [-2], [-2], [-2]], [0, 0, 0, 0, 1, 1]


def test_copies_of_rows_are_counted_where_everyone_sees_them():
    found = minimum_errors(*REPEATED)
    assert (found.lower, found.proved, found.conflicts, found.copies) == (2, True, [[0, 4]], ((2, 2),))
    (conflict,) = found.to_dict()["conflicts"]
    assert (conflict["rows"], conflict["copies"]) == ([0, 4], [2, 2])
    assert min(conflict["copies"]) == found.lower
    assert "no plane separates: 0, 4, each of them there 2 times or more" in str(found)
    assert "HiGHS" not in str(found)


def test_the_sum_can_be_done_again():
    X, y = [[0], [1], [2], [3]] * 3, list("abab") * 3
    apart = np.array([[0.0, 0.0], [0.0, 0.0], [9.0, 5.0], [9.0, 5.0], [9.0, 5.0], [9.0, 5.0]])
    for rows, labels in ((X, y), (apart, [0, 1, 0, 0, 1, 1])):
        found = minimum_errors(rows, labels)
        places = np.asarray(rows, dtype=float)
        for conflict in found.to_dict()["conflicts"]:
            counted = [
                sum(other == label and (places[j] == places[i]).all() for j, other in enumerate(labels))
                for i, label in ((i, labels[i]) for i in conflict["rows"])
            ]
            assert conflict["copies"] == counted
        assert disjoint_conflicts_suffice(found)
        assert sum(min(conflict["copies"]) for conflict in found.to_dict()["conflicts"]) == found.lower == 3
    assert "by 2 sets of rows that no plane separates, which lose 1, 2, as rows in one place" in str(found)


def test_sets_that_share_rows_need_the_integer_program_whatever_they_weigh():
    found = minimum_errors(np.repeat(X, 5, axis=0), np.repeat(Y, 5))
    assert (found.lower, found.proved) == (20, True)
    assert len(found.balances) < 20
    assert not disjoint_conflicts_suffice(found)
    assert "each of which loses a row and all that are in its place" in str(found)
    assert str(found).endswith("is the answer of an integer program (HiGHS).")


def test_wrong_copies_show():
    found = minimum_errors(*REPEATED)
    problem = Problem(np.array(REPEATED[0], dtype=float), np.array(REPEATED[1]))
    assert found.error(problem) == 0.0
    found.copies = ((2, 3),)
    assert found.error(problem) == np.inf
    found.copies = ()  # of an earlier version, which counted them silently
    assert found.error(problem) == 0.0
    assert found.to_dict()["conflicts"][0]["copies"] is None
