"""The study of rows without a target: what is outside, what is unusual, and that rows are scored without themselves."""

import numpy as np
import pytest

from separatrix import DataError, OneClassSVM, OptionError
from separatrix.data.folds import shuffled_folds
from separatrix.selection.novelty.study import study_novelty
from separatrix.selection.novelty.unusual import unusual_rows

FAR = [3, 50, 77]


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 3))
    X[FAR] = [[9.0, 0, 0], [0, -9.0, 0], [6.0, 6.0, 6.0]]
    return X


@pytest.fixture(scope="module")
def found(X):
    return study_novelty(X, nu=0.1, name="machines.csv")


def test_planted_rows_are_the_most_unusual(found):
    assert sorted(row.row for row in found.unusual[:3]) == FAR
    assert all(row.score < -0.9 for row in found.unusual[:3]), "nothing is near them"
    reasons = {row.row: row.why for row in found.unusual[:3]}
    assert reasons[3].startswith("x1 is ")
    assert "deviations above the median" in reasons[3]
    assert "x2 is " in reasons[50]
    assert "below the median" in reasons[50]


def test_rows_are_scored_by_machines_that_have_not_seen_them(X, found):
    Z = found.model[0].transform(X)
    for fold in shuffled_folds(150, 5, 1, 0):
        machine = OneClassSVM(nu=0.1).fit(Z[fold.train])
        own = machine.score_samples(Z[fold.test]) / machine.offset_ - 1.0
        np.testing.assert_allclose(found.unseen[fold.test], own, rtol=1e-6, atol=1e-8)
    assert found.part_outside_unseen == np.mean(found.unseen < 0)


def test_counts_are_those_of_the_machine(X, found):
    outside = found.model.predict(X) < 0
    np.testing.assert_array_equal(found.outside, outside)
    assert found.verdict[0] == f"{(found.unseen < 0).sum()} of 150 rows are outside when they are left out of the fit."
    assert found.verdict[2].startswith(
        f"In the fit to all rows {outside.sum()} are outside, {100 * outside.mean():.3g} %, where nu allows 10 %"
    )
    facts = found.to_dict()
    assert (facts["task"], facts["nu"], facts["part_outside"]) == ("novelty", 0.1, outside.mean())
    assert facts["outside"] == np.flatnonzero(outside).tolist()
    assert facts["unusual"][0]["row"] == found.unusual[0].row
    assert facts["certificate"]["proof"]
    assert outside.mean() <= 0.1 <= len(found.fitted.support_) / 150


def test_words_and_missing_numbers_are_values_too():
    import pandas as pd

    rng = np.random.default_rng(1)
    people = pd.DataFrame({"age": rng.normal(40, 5, 60), "town": ["Rome", "Oslo", "Lima"] * 20})
    people.loc[7, "town"] = "Ur"
    people.loc[8, "age"] = np.nan
    scores = np.full(60, 1.0)
    scores[[7, 8]] = -1.0, -0.5
    first, second = unusual_rows(people, scores, ())[:2]
    assert (first.row, first.values["town"]) == (7, "Ur")
    assert "town = Ur is rare" in first.why
    assert second.values["age"] is None
    assert unusual_rows(people, scores, (), "town")[0].values.keys() == {"age"}


def test_what_cannot_be_studied_is_refused(X):
    with pytest.raises(OptionError, match="'nu' parameter must be a finite number above 0 and of at most 1"):
        study_novelty(X, nu=0.0)
    with pytest.raises(DataError, match="t.csv holds 2 rows: give 4 or more"):
        study_novelty(X[:2], name="t.csv")
    with pytest.raises(DataError, match="200,001 rows, and a study of novelty takes 200,000 at most"):
        study_novelty(np.zeros((200_001, 1)))
