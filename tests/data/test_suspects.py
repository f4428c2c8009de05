"""Columns that look like identifiers, and columns that alone decide the target."""

import numpy as np
import pytest

from separatrix.data.files.source import Block
from separatrix.data.prepare.columns import Columns, Words
from separatrix.data.samples import builtin
from separatrix.data.suspects import chance_of_parting, suspect_columns, wrong_by_thresholds

N = 200


def table(labels, **columns):
    values = tuple(Words.of(own) if isinstance(own, list) else np.asarray(own, dtype=float) for own in columns.values())
    return Block(Columns(tuple(columns), values, N), labels)


def reasons(block):
    return {found.name: found.reason for found in suspect_columns(block)}


@pytest.fixture
def random():
    return np.random.default_rng(0)


def test_identifiers_are_told_from_measurements(random):
    labels = random.integers(0, 2, N)
    block = table(
        labels,
        row=np.arange(N) + 1000,
        shuffled=random.permutation(N),
        account_id=random.choice(10**9, N, replace=False),
        code=[f"P-{k:05d}" for k in range(N)],
        income=random.choice(10**6, N, replace=False),  # whole numbers that happen to differ
        weight=random.normal(size=N),
        colour=random.choice(["red", "blue"], N).tolist(),
        remark=[f"seen on ward {k} in the morning" for k in range(N)],
    )
    assert reasons(block) == dict.fromkeys(["row", "shuffled", "account_id", "code"], "identifier")


def test_columns_that_decide_two_classes(random):
    ill = random.integers(0, 2, N)
    nearly = ill.copy()
    nearly[0] = 1 - nearly[0]  # one row in 200 is 0.5 per cent
    block = table(
        ill,
        score=ill + 0.3 * random.random(N),
        word=np.where(nearly == 1, "yes", "no").tolist(),
        discharged=np.where(ill == 1, np.nan, random.normal(size=N)),  # there or missing decides
        weak=ill + random.normal(size=N),
    )
    assert reasons(block) == dict.fromkeys(["score", "word", "discharged"], "decides the target")


def test_a_target_of_numbers(random):
    price = np.exp(random.normal(size=N))
    block = table(price, doubled=2 * price, logarithm=np.log(price), noisy=price + random.normal(size=N))
    assert reasons(block) == dict.fromkeys(["doubled", "logarithm"], "decides the target")


def test_three_classes_need_three_intervals(random):
    three = np.repeat([0, 1, 2], [60, 70, 70])
    between = np.where(three == 1, 0.0, three + 1.0)  # class 1 below class 0 below class 2
    assert reasons(table(three, x=between + 0.5 * random.random(N))) == {"x": "decides the target"}
    assert reasons(table(three, x=np.where(three == 1, 0.0, 1.0) + 0.5 * random.random(N))) == {}


@pytest.mark.parametrize("name", ["iris", "breast_cancer", "wine"])
def test_honest_tables_have_no_suspects(name):
    assert suspect_columns(builtin(name)) == []


def test_the_fewest_errors_of_two_thresholds_are_those_of_all_pairs(random):
    values, codes = random.integers(0, 12, 60).astype(float), random.integers(0, 3, 60)
    medians = np.argsort([np.median(values[codes == own]) for own in range(3)], kind="stable")
    cuts = np.arange(13) - 0.5
    every = [
        np.sum(medians[(values > low).astype(int) + (values > high).astype(int)] != codes)
        for low in cuts
        for high in cuts
        if low <= high
    ]
    assert wrong_by_thresholds(values, codes) == min(every)


def test_few_rows_or_rare_classes_are_no_evidence():
    assert chance_of_parting(np.array([3, 3])) == pytest.approx(2 / 20)
    rare = np.zeros(N)
    rare[7] = 1
    assert reasons(table(rare.astype(int), x=rare)) == {}
    assert suspect_columns(Block(Columns(("id",), (np.arange(5.0),), 5), np.array([0, 0, 0, 1, 1]))) == []


def test_sentences_name_the_column_and_the_options(random):
    (found,) = suspect_columns(table(random.integers(0, 2, N), patient=np.arange(N)))
    assert "'patient'" in found.sentence
    assert "200" in found.sentence
    assert "--drop" in found.sentence
    assert "--id" in found.sentence
