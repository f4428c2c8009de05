"""Predictions for rows in blocks are those for the same rows in memory; for dask collections they are lazy."""

import numpy as np
import pandas as pd
import pytest

from separatrix import (
    Calibrated,
    DataError,
    GaussianDiscriminant,
    KernelSVM,
    LeastSquaresRegressor,
    LinearSVM,
    LogisticClassifier,
    NuSVM,
    OneClassSVM,
    OneVsOne,
    read_blocks,
)

RANDOM = np.random.default_rng(2)
X = RANDOM.normal(size=(60, 3))
TWO = np.where(X[:, 0] + 0.3 * RANDOM.normal(size=60) > 0, "yes", "no")
THREE = np.digitize(X[:, 1], [-0.5, 0.5])
NAMES = ["a", "b", "c"]
METHODS = ("predict", "decision_function", "predict_proba", "predict_log_proba", "score_samples")
MODELS = {
    "svm": LinearSVM().fit(X, TWO),
    "svm of three": LinearSVM().fit(X, THREE),
    "logistic": LogisticClassifier().fit(X, TWO),
    "logistic of three": LogisticClassifier().fit(X, THREE),
    "gaussian": GaussianDiscriminant().fit(X, THREE),
    "nu": NuSVM(nu=0.2).fit(X, THREE),
    "least squares": LeastSquaresRegressor().fit(X, X[:, 0]),
    "kernel": KernelSVM().fit(X, THREE),
    "novelty": OneClassSVM().fit(X),
    "pairs": OneVsOne(LinearSVM()).fit(X, THREE),
    "calibrated": Calibrated(LinearSVM()).fit(X, TWO),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_blocks_give_what_arrays_give(model):
    blocks = read_blocks(X, rows_per_block=17, labelled=False)
    uneven = read_blocks([X[:1], X[1:1], X[1:40], X[40:]])
    for name in METHODS:
        if hasattr(model, name):
            in_memory = getattr(model, name)(X)
            for each in (blocks, uneven, read_blocks(lambda: iter([X[:30], X[30:]]))):
                found = getattr(model, name)(each)
                assert found.dtype == in_memory.dtype
                np.testing.assert_allclose(found, in_memory, rtol=1e-12, atol=1e-12) if found.dtype.kind == "f" else (
                    np.testing.assert_array_equal(found, in_memory)
                )


def test_files_and_frames_are_taken_by_the_names_of_the_fit(tmp_path):
    frame = pd.DataFrame(X, columns=NAMES)
    model = LinearSVM().fit(frame, TWO)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.assign(answer=TWO).to_parquet(tmp_path / "rows.parquet")
    np.testing.assert_array_equal(
        model.predict(read_blocks(tmp_path / "rows.csv", labelled=False)), model.predict(frame)
    )
    answered = read_blocks(tmp_path / "rows.parquet", target="answer")
    np.testing.assert_array_equal(model.predict(answered), model.predict(frame))
    with pytest.raises(DataError, match="The blocks have the features c, b, a, but LinearSVM was fitted with a, b, c"):
        model.predict(read_blocks(frame[["c", "b", "a"]], labelled=False))


def test_what_cannot_be_predicted_is_named_by_its_place():
    model, bad = MODELS["svm"], X.copy()
    bad[35, 1] = np.nan
    with pytest.raises(DataError, match="rows 30 to 39: Input X contains NaN: nan in row 35, column 1"):
        model.predict(read_blocks(bad, labelled=False, rows_per_block=10))
    with pytest.raises(DataError, match="nothing to predict"):
        model.predict(read_blocks([X[:0]]))


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_dask_arrays_stay_lazy_and_arrays(model):
    da = pytest.importorskip("dask.array")
    read = []

    def rows(block, block_info=None):
        read.append(block_info)
        return block

    whole = da.from_array(X, chunks=(25, 2)).map_blocks(rows, dtype=float, meta=np.empty((0, 0)))
    unknown = whole[whole[:, 0] > -100.0]
    read.clear()
    for name in METHODS:
        if not hasattr(model, name):
            continue
        in_memory = getattr(model, name)(X)
        for each in (whole, unknown):
            found = getattr(model, name)(each)
            assert isinstance(found, da.Array)
            assert not read
            assert found.dtype == in_memory.dtype
            assert found.ndim == in_memory.ndim
            computed = found.compute(scheduler="synchronous")
            assert computed.shape == in_memory.shape
            np.testing.assert_allclose(computed, in_memory, rtol=1e-12, atol=1e-12) if computed.dtype.kind == "f" else (
                np.testing.assert_array_equal(computed, in_memory)
            )
            read.clear()


def test_dask_dataframes_become_series_and_frames_with_their_index():
    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(X, columns=NAMES, index=np.arange(100, 160))
    model = LogisticClassifier().fit(frame, THREE)
    lazy = dd.from_pandas(frame, npartitions=4)
    some = lazy[lazy["a"] > 1.0]  # perhaps with empty partitions
    for each, rows in ((lazy, frame), (some, frame[frame["a"] > 1.0])):
        found = model.predict(each)
        assert isinstance(found, dd.Series)
        series = found.compute(scheduler="synchronous")
        assert series.index.equals(rows.index)
        np.testing.assert_array_equal(series, model.predict(rows))
        probabilities = model.predict_proba(each)
        assert list(probabilities.columns) == [0, 1, 2]
        np.testing.assert_allclose(probabilities.compute(scheduler="synchronous"), model.predict_proba(rows))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(lazy[["c", "b", "a"]])
