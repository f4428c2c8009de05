"""Order and differences of entries made by hand."""

from dataclasses import replace

import numpy as np

from separatrix.selection.comparison import Comparison, Entry, Proofs
from separatrix.selection.ranking import rank_entries, summary

FOLDS, ROWS = 5, 40  # rows in each fold


def entry(name, wrong_by_fold, position=0, baseline=False):
    """A method that gets so many rows of each fold wrong, the first ones."""
    truth = np.zeros(FOLDS * ROWS, dtype=int)
    predicted = np.concatenate([np.arange(ROWS) < wrong for wrong in wrong_by_fold]).astype(int)[None]
    errors = np.array(wrong_by_fold) / ROWS
    return Entry(
        name=name, estimator=None, position=position, errors=errors, plain_errors=errors, mean=float(errors.mean()),
        low=0.0, high=1.0,
        fit_seconds=1.0 / (1 + position), predict_seconds=0.0, proofs=None, warnings=(), failure="",
        classes=np.arange(2), truth=truth, predicted=predicted, baseline=baseline,
    )  # fmt: skip


PERFECT, HOPELESS = entry("perfect", [0] * 5), entry("hopeless", [30, 31, 30, 29, 30], 9, baseline=True)


def found(*others):
    table = rank_entries([PERFECT, *others, HOPELESS], ratio=0.25)
    return {each.name: each for each in table}


def test_one_row_in_every_fold_is_no_difference():
    """The folds agree, so that t is infinite; but five rows out of five on one side happen by chance in 1 of 16."""
    one = found(entry("one", [1, 1, 1, 1, 1], 1))["one"]
    assert not one.differs
    assert one.p == 0.0625


def test_one_bad_fold_is_no_difference():
    """Thirty rows on one side are no chance, but all are of one fold: another division may have none."""
    bad = found(entry("bad", [30, 0, 0, 0, 0], 1))["bad"]
    assert not bad.differs
    assert bad.p > 0.2


def test_what_is_worse_everywhere_differs():
    worse = found(entry("worse", [10, 11, 12, 10, 11], 1))["worse"]
    assert worse.differs
    assert worse.p < 0.001
    assert np.isnan(found()["perfect"].p)


def test_many_methods_ask_for_more():
    """What is a difference alone is none among many."""
    doubtful = [2, 6, 3, 8, 5]
    assert found(entry("doubtful", doubtful, 1))["doubtful"].differs
    many = found(*(entry(f"number {k}", doubtful, k) for k in range(1, 8)))
    assert not any(many[f"number {k}"].differs for k in range(1, 8))
    assert many["hopeless"].differs


def test_the_order_is_by_error_then_position_then_never_by_time():
    table = rank_entries([entry("c", [2] * 5, 3), HOPELESS, entry("a", [2] * 5, 1), entry("b", [1] * 5, 8)], ratio=0.25)
    assert [each.name for each in table] == ["b", "a", "c", "hopeless"]


def test_the_baseline_is_last_even_if_it_is_best():
    table = rank_entries([entry("bad", [30] * 5), entry("guess", [1] * 5, 9, baseline=True)], ratio=0.25)
    assert [each.name for each in table] == ["bad", "guess"]
    assert summary(table).startswith("No method is shown to be better")


def chosen(*entries):
    table = rank_entries([*entries, HOPELESS], ratio=0.25)
    return Comparison(table, {}, (), FOLDS, 1, np.arange(FOLDS * ROWS), np.arange(2)).chosen.name


def test_a_proof_is_worth_one_standard_error():
    """The standard error of the best is sqrt(10)/sqrt(5)/40 = 0.035: 1.4 rows of 40."""
    proved = Proofs("DualityGap", FOLDS, FOLDS, 0.0)
    best = entry("best", [2, 6, 6, 10, 6])
    near = replace(entry("near", [3, 7, 7, 11, 7], 1), proofs=proved)
    far = replace(entry("far", [4, 8, 8, 12, 8], 2), proofs=proved)
    assert chosen(best, near) == chosen(best, near, far) == "near"
    assert chosen(best, far) == "best"
    assert chosen(best, replace(near, proofs=None)) == "best"
    assert chosen(best, replace(near, proofs=replace(proved, proved=4))) == "best"


def test_whether_the_best_is_better_than_nothing_is_one_question():
    """Twenty methods do not make the baseline harder to beat."""
    best = entry("best", [8, 9, 8, 7, 8])
    others = [entry(f"m{i}", [8, 9, 8, 8, 8], i + 1) for i in range(20)]
    last = entry("last", [15, 12, 19, 13, 16], 30, baseline=True)
    alone, crowd = (rank_entries([best, *some, last], ratio=0.25)[-1] for some in ([], others))
    assert alone.p == crowd.p
    assert alone.differs
