"""Rows in blocks: compared and chosen by a random sample of them, fitted to all."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from separatrix import LogisticClassifier, NuSVM, Preparation, choose, compare, read_blocks, verify
from separatrix.data.blocks.sampling import sample_rows
from separatrix.errors import OptionError
from separatrix.scale import SimulatedCluster, SimulatedRunner

RANDOM = np.random.default_rng(0)
N = 3_000
X = RANDOM.normal(size=(N, 3))
y = np.where(X @ [1.0, 0.5, 0.0] + 0.5 * RANDOM.normal(size=N) > 0, "yes", "no")
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(town=RANDOM.choice(["Rome", "Oslo", None], N), y=y)


def test_a_sample_does_not_depend_on_cuts_or_runners():
    cluster = SimulatedCluster(n_workers=5, task=1.0, between_failures=4.0)
    ways = [
        read_blocks(X, y, rows_per_block=170),
        read_blocks([(X[:5], y[:5]), (X[:0], y[:0]), (X[5:], y[5:])]),
        read_blocks(X, y, rows_per_block=400, client=SimulatedRunner(cluster, seed=0)),
    ]
    expected = sample_rows(ways[0], 200, seed=3)
    places = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in expected.X]
    assert len(set(places)) == 200
    assert places == sorted(places)
    assert (expected.y == y[places]).all()
    for blocks in ways[1:]:
        found = sample_rows(blocks, 200, seed=3)
        assert (found.X == expected.X).all()
        assert found.words == "a random sample of 200 of 3,000 rows, seed 3"
    assert (sample_rows(ways[0], 200, seed=4).X != expected.X).any()
    assert (sample_rows(ways[0], N, seed=4).X == X).all()


def test_every_row_has_the_same_chance():
    blocks = read_blocks(np.arange(60.0)[:, None], np.arange(60) % 2, rows_per_block=25)
    counts = sum(np.bincount(sample_rows(blocks, 6, seed).X[:, 0].astype(int), minlength=60) for seed in range(400))
    expected, spread = 40.0, np.sqrt(400 * 0.1 * 0.9)
    assert np.abs(counts - expected).max() < 4.5 * spread


def test_raw_rows_are_columns_of_the_kinds_of_all_blocks():
    found = sample_rows(read_blocks(FRAME, target="y", rows_per_block=500), 100, raw=True)
    assert found.X.names == ("a", "b", "c", "town")
    assert set(found.X["town"].words) == {"Rome", "Oslo"}
    assert (found.X["town"].codes == -1).any()


def test_choose_by_a_sample_and_fit_to_all():
    blocks = read_blocks(X, y, rows_per_block=500)
    found = choose(LogisticClassifier(), blocks, parameters={"C": [0.01, 1.0]}, sample=600)
    whole = choose(LogisticClassifier(), X, y, {"C": [0.01, 1.0]}, sample=600)
    assert found.n_rows + found.n_test == 600
    assert whole.n_rows + whole.n_test == N
    assert found.notes[0] == (
        "Chosen on a random sample of 600 of 3,000 rows, seed 0; the model is fitted to all. The test rows are among "
        "those of the sample."
    )
    assert found.test_interval.low <= (found.model.predict(X) != y).mean() <= found.test_interval.high
    expected = LogisticClassifier(C=found.parameters["C"]).fit(X, y)
    np.testing.assert_allclose(found.model.coef_, expected.coef_, rtol=1e-7)
    assert verify(found.model, blocks).proved
    prepared = make_pipeline(Preparation(), LogisticClassifier())
    raw = read_blocks(FRAME, target="y", rows_per_block=500)
    chosen = choose(prepared, raw, parameters={"logisticclassifier__C": [0.01, 1.0]}, sample=600).model
    assert verify(chosen, raw).proved
    assert "town=Oslo" in chosen[0].feature_names_out_


def test_what_needs_all_rows_is_refused():
    blocks = read_blocks(X, y, rows_per_block=500)
    with pytest.raises(OptionError, match="cannot learn from blocks"):
        choose(NuSVM(), blocks, parameters={"nu": [0.1]})
    for name in ("groups", "sample_weight"):
        with pytest.raises(OptionError, match=f"'{name}' parameter is about rows in memory"):
            choose(LogisticClassifier(), blocks, parameters={"C": [1.0]}, **{name: np.ones(N)})
    with pytest.raises(OptionError, match="'y' parameter is about rows in memory"):
        compare(blocks, y)


def test_compare_says_on_which_rows():
    methods = ["linear SVM", "Gaussian discriminant"]
    found = compare(read_blocks(X, y, rows_per_block=500), algorithms=methods, sample=500)
    assert found.notes[0] == "Compared on a random sample of 500 of 3,000 rows, seed 0."
    rows = sample_rows(read_blocks(X, y, rows_per_block=77), 500)
    assert found.best.error_rate == compare(rows.X, rows.y, algorithms=methods).best.error_rate
    raw = read_blocks(FRAME, target="y", rows_per_block=500)
    words = compare(raw, algorithms=methods, sample=500, preparation=Preparation())
    assert words.best.error_rate < 0.3
    numbers = read_blocks(X, X @ [1.0, 2.0, 3.0], rows_per_block=500)
    regression = compare(numbers, task="regression", algorithms=["least squares regression"], sample=500)
    assert "random sample of 500" in regression.notes[0]
