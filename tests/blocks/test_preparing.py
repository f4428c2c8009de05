"""A Preparation of rows in blocks learns what it learns of rows in memory: kinds, medians, scales, words, dates."""

import gzip
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from separatrix import LogisticClassifier, Preparation, read_blocks, verify
from separatrix.data.blocks.preparing import word_counts
from separatrix.data.blocks.preparing.order_statistics import Bracket, Histogram, keys_of, value_of
from separatrix.data.blocks.preparing.word_counts import WordCounts
from separatrix.data.files.reading import read_columns
from separatrix.data.prepare.columns import Words
from separatrix.errors import DataError, FormatError
from separatrix.problem.merging import Merger
from separatrix.problem.runner import CountingRunner, LocalRunner
from separatrix.scale import SimulatedCluster, SimulatedRunner

N, STEP = 600, 70
RANDOM = np.random.default_rng(0)


def drawn_frame():
    """A table with all that a Preparation knows: gaps, words, dates, what is constant, what is there or not."""
    frame = pd.DataFrame(
        {
            "far": 1e4 + 3.0 * RANDOM.normal(size=N),
            "gaps": np.where(RANDOM.random(N) < 0.2, np.nan, RANDOM.normal(size=N)),
            "whole": RANDOM.integers(0, 9, N),
            "narrow": RANDOM.normal(size=N).astype(np.float32),
            "town": RANDOM.choice(["Rome", "Oslo", "Kiel", None], N),
            "id": [f"p{i}" for i in range(N)],
            "constant": 1.0,
            "present": np.where(RANDOM.random(N) < 0.5, np.nan, 7.0),
            "code": np.where(np.arange(N) < N - STEP, RANDOM.choice(["007", "8"], N), "x9"),  # words in the last block
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(RANDOM.integers(0, 900, N), unit="D"),
            "text": [f"{day}.{month}.2021" for day, month in RANDOM.integers(1, 13, (N, 2))],
            "flag": RANDOM.random(N) < 0.5,
            "many": [f"w{int(word)}" for word in RANDOM.exponential(20, N)],
            "none": np.nan,
        }
    )
    return frame.assign(y=np.where(frame["far"] - 1e4 + RANDOM.normal(size=N) > 0, "yes", "no"))


FRAME = drawn_frame()


def files(folder):
    """The table as files."""
    FRAME.to_parquet(folder / "rows.parquet", row_group_size=STEP)
    FRAME.to_csv(folder / "rows.csv", index=False)
    (folder / "rows.csv.gz").write_bytes(gzip.compress((folder / "rows.csv").read_bytes()))


def batches():
    return ((FRAME[i : i + STEP].drop(columns="y"), FRAME["y"][i : i + STEP]) for i in range(0, N, STEP))


SOURCES = {
    "parquet": lambda folder: (folder / "rows.parquet", {"target": "y"}),
    "csv": lambda folder: (folder / "rows.csv", {"target": "y"}),
    "csv.gz": lambda folder: (folder / "rows.csv.gz", {"target": "y"}),
    "frame": lambda folder: (FRAME, {"target": "y"}),
    "list": lambda folder: (list(batches()), {}),
    "function": lambda folder: (batches, {}),
}


def assert_same(found, expected):
    """Two fitted preparations: the same to the bit, but for the last digits of means and standard deviations."""
    assert found.dates_ == expected.dates_
    assert found.feature_names_out_ == expected.feature_names_out_
    assert (found.n_features_in_, found.sparse_) == (expected.n_features_in_, expected.sparse_)
    for one, other in zip(found.columns_, expected.columns_, strict=True):
        np.testing.assert_allclose([one.centre, one.scale], [other.centre, other.scale], rtol=1e-12)
        for name in ("name", "kind", "missing", "done", "low", "median", "high", "categories"):
            assert getattr(one, name) == getattr(other, name), one.name


@pytest.mark.parametrize("source", SOURCES)
def test_all_sources_are_prepared_as_in_memory(source, tmp_path):
    files(tmp_path)
    given, how = SOURCES[source](tmp_path)
    blocks = read_blocks(given, rows_per_block=STEP, **how)
    path = tmp_path / ("rows.csv" if "csv" in source else "rows.parquet")
    rows = read_columns(path, "y").X if isinstance(given, type(path)) else FRAME.drop(columns="y")
    expected = Preparation().fit(rows)
    assert {own.kind for own in expected.columns_} == {"number", "text", "presence", "left out"}
    assert_same(Preparation().fit(blocks), expected)
    if source in ("csv", "list"):
        assert_same(Preparation(scale=False, reference=True, most_categories=3).fit(blocks),
                    Preparation(scale=False, reference=True, most_categories=3).fit(rows))  # fmt: skip


def test_a_pipeline_learns_from_blocks_what_it_learns_in_memory(tmp_path):
    files(tmp_path)
    blocks = read_blocks(tmp_path / "rows.parquet", target="y", rows_per_block=STEP)
    rows, labels = FRAME.drop(columns="y"), FRAME["y"]
    here = make_pipeline(Preparation(), LogisticClassifier()).fit(rows, labels)
    there = make_pipeline(Preparation(), LogisticClassifier()).fit(blocks)
    np.testing.assert_allclose(there[-1].coef_, here[-1].coef_, rtol=1e-8, atol=1e-10)
    assert verify(there, blocks).proved
    assert verify(there, rows, labels).holds
    assert (there.predict(blocks) == here.predict(rows)).all()
    assert not hasattr(there[-1], "feature_names_in_")  # as after a fit in memory, whose features are an array


def test_the_runner_changes_no_bit():
    blocks = read_blocks(FRAME, target="y", rows_per_block=STEP)
    expected = Preparation().fit(blocks)
    cluster = SimulatedCluster(n_workers=5, task=1.0, between_failures=4.0)
    elsewhere = read_blocks(FRAME, target="y", rows_per_block=STEP, client=SimulatedRunner(cluster, seed=0))
    assert Preparation().fit(elsewhere).columns_ == expected.columns_


def test_arrays_and_sparse_rows():
    X = RANDOM.normal(size=(90, 3))
    X[3, 1], X[:, 2] = np.nan, 2.0
    expected, blocks = Preparation().fit(X), read_blocks(X, np.arange(90) % 2, rows_per_block=20)
    found = Preparation().fit(blocks)
    assert_same(found, expected)
    whole = np.concatenate([raw.X for raw in found.transform(blocks).rows()])
    np.testing.assert_allclose(whole, expected.transform(X), rtol=1e-12)
    from scipy import sparse

    rows = sparse.csr_array(np.eye(6))
    kept = Preparation().fit(read_blocks([(rows, [0, 1, 0, 1, 0, 1])]))
    assert (kept.sparse_, kept.n_features_in_) == (True, 6)


def test_a_file_is_refused_where_few_cells_are_no_numbers(tmp_path):
    lines = [f"{i},{i % 2}" for i in range(50)]
    lines[40] = "4o,0"
    (tmp_path / "typo.csv").write_text("a,y\n" + "\n".join(lines) + "\n")
    with pytest.raises(FormatError, match=r"typo.csv, from line \d+ on: column 'a' holds '4o'.* 49 of its 50 cells"):
        Preparation().fit(read_blocks(tmp_path / "typo.csv", rows_per_block=8))
    with pytest.raises(DataError, match="There are no rows to prepare"):
        Preparation().fit(read_blocks([(np.zeros((0, 2)), [])]))
    with pytest.raises(DataError, match=r"block 1: Column 'x2' holds inf in row 1"):
        Preparation().fit(read_blocks([([[1.0, 2.0]], [0]), ([[1.0, 2.0], [0.0, np.inf]], [0, 1])]))


def order_statistic(values, rank, cuts):
    """An order statistic as the passes find it, and how many there were."""
    parts = [keys_of(part) for part in np.array_split(values, cuts)]
    bracket, n_passes = Bracket(rank=rank), 0
    while not bracket.found:
        merger = Merger(partial(Histogram.merged, most=2**12 if n_passes else 2**16))
        for part in parts:
            merger.add(Histogram.of(bracket.within(part)) if n_passes else Histogram.first(part))
        bracket, n_passes = bracket.narrowed(merger.result()), n_passes + 1
    return value_of(bracket.low), n_passes


@pytest.mark.parametrize("values", [
    RANDOM.normal(size=20_000),
    0.5 + 1e-3 * RANDOM.random(20_000),
    RANDOM.integers(-3, 4, 500).astype(float),
    np.exp(100.0 * RANDOM.normal(size=3_000)) * RANDOM.choice([-1, 1], 3_000),
    np.array([0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308]),
])  # fmt: skip
def test_order_statistics_are_exact_after_few_passes(values):
    order = np.sort(values)
    for rank in {0, 1, values.size // 2, values.size - 1}:
        for cuts in (1, 7):
            found, n_passes = order_statistic(values, rank, cuts)
            assert found == order[rank]
            assert n_passes <= 4


def test_a_median_of_many_numbers_takes_four_passes_over_the_rows():
    X = RANDOM.normal(size=(2**16, 1))
    runner = CountingRunner(LocalRunner())
    found = Preparation().fit(read_blocks(X, np.arange(2**16) % 2, rows_per_block=2**14, client=runner))
    assert found.columns_[0].median == np.median(X)
    assert runner.passes <= 4


def test_counts_of_words_are_bounded_and_say_by_how_much_they_are_off(monkeypatch):
    monkeypatch.setattr(word_counts, "MAX_WORDS", 8)
    words = [f"w{int(word)}" for word in RANDOM.exponential(3, 4_000)] + [f"once{i}" for i in range(100)]
    RANDOM.shuffle(words)
    merger = Merger(WordCounts.merged)
    for part in np.array_split(np.array(words), 9):
        merger.add(WordCounts.of(Words.of(part.tolist())))
    found, exact = merger.result(), pd.Series(words).value_counts()
    assert len(found.counts) <= 8
    assert found.error <= 4_100 / 9  # rows over the words that are kept, and one
    for word, count in exact.items():
        assert count - found.error <= found.counts.get(word, 0) <= count
    column = pd.DataFrame({"a": words, "y": np.arange(len(words)) % 2})
    monkeypatch.setattr("separatrix.data.blocks.preparing.fitting.MAX_WORDS", 8)
    prepared = Preparation(most_categories=2).fit(read_blocks(column, target="y", rows_per_block=500))
    assert prepared.columns_[0].categories == ("(other)", "w0", "w1")
    column["a"] = [f"once{i}" for i in range(len(words))]
    with pytest.raises(DataError, match="more than 8 words, none of them in a row of twenty"):
        Preparation().fit(read_blocks(column, target="y", rows_per_block=500))


def test_moments_far_from_zero_keep_their_digits():
    X = 1e8 + RANDOM.normal(size=(1_000, 2)) * [1.0, 1e-5]
    X[::3, 0] = np.nan
    blocks = read_blocks(X, np.arange(1_000) % 2, rows_per_block=77)
    for one, other in zip(Preparation().fit(blocks).columns_, Preparation().fit(X).columns_, strict=True):
        np.testing.assert_allclose([one.centre, one.scale], [other.centre, other.scale], rtol=1e-11)
